"""What hands do at the simulated board: which gesture becomes which tag, and what pads alone can
tell."""

from __future__ import annotations

import queue

import pytest

from companion.demo.actions import Gesture, PlayerAction
from companion.demo.deferred_table import assign_tags
from companion.demo.pad_hands import PadAction, PadHands, PadTable
from companion.games.donkey_valley import moves as rq
from companion.table.decks import Deck
from tests.readers.at_the_table.rfid_table import DECK, PADS

OWN = {pad.zone: (name.partition(".")[2], pad) for name, pad in PADS.items() if name[0] == "1"}


def lay(zone, card, face="up"):
    return Gesture("lay", zone, card, face)


@pytest.fixture
def alone():
    return PadTable(OWN, alone=True)


@pytest.fixture
def watched():
    return PadTable(OWN, alone=False)


def test_a_load_is_laid_face_down_over_the_seats_pad(alone, watched):
    for table in (alone, watched):
        assert table.apply_gesture(lay("seat:2", "load:blue:3", "down")) == [
            PadAction("put", "seat2", "load:blue:3")
        ]
        assert table.cards_by_pad["seat2"] == ["load:blue:3"]


def test_turned_up_it_is_shown_to_the_middle_where_no_camera_sees_it(alone, watched):
    for table in (alone, watched):
        table.apply_gesture(lay("seat:2", "load:blue:3", "down"))
    turn = Gesture("turn", "seat:2", "load:blue:3")
    assert alone.apply_gesture(turn) == [
        PadAction("take", "seat2", "load:blue:3"),
        PadAction("put", "middle", "load:blue:3"),
        PadAction("take", "middle", "load:blue:3"),
    ]
    assert watched.apply_gesture(turn) == []


def test_a_decision_is_a_button_where_no_camera_sees_the_contract(alone, watched):
    gesture = lay("seat:3", "contract:green:refuse")
    assert alone.apply_gesture(gesture) == [PadAction("press", "", "refuse", seat=3)]
    assert watched.apply_gesture(gesture) == []


def test_clearing_takes_away_what_lies_there_and_nothing_else(alone):
    alone.apply_gesture(lay("middle", "donkey:giant"))
    assert alone.apply_gesture(Gesture("clear", "seat:1")) == []
    assert alone.apply_gesture(Gesture("clear", "middle")) == [PadAction("take", "middle", "donkey:giant")]
    assert alone.apply_gesture(Gesture("take", "middle", "donkey:giant")) == []


def test_a_load_that_changes_seats_has_to_be_said(alone):
    moved = (Gesture("take", "seat:1", "load:red:9"), lay("seat:2", "load:red:9"))
    assert not alone.can_pads_tell(PlayerAction("Ben", rq.NoFavour("Ben"), moved, seen_by_readers=True))
    assert alone.can_pads_tell(
        PlayerAction("Ben", rq.Favour("Ben", 4), (lay("seat:2", "load:blue:4"),), seen_by_readers=True)
    )
    assert not alone.can_pads_tell(
        PlayerAction("Ben", rq.NoFavour("Ben"), (lay("pile", "load:blue:4"),), seen_by_readers=True)
    )


class Board:
    """Notes what is done at it."""

    def __init__(self):
        self._done = queue.SimpleQueue()

    def done(self, count):
        """The next so many deeds, waited for."""
        return [self._done.get(timeout=20) for _ in range(count)]

    def put_tags(self, pad, *tags):
        self._done.put(("put", pad, DECK.find_design_by_tag(tags[0].hex())))
        return 0

    def take_tags(self, pad, *tags):
        self._done.put(("take", pad, DECK.find_design_by_tag(tags[0].hex())))
        return 0

    def press_button(self, seat, key, *, down=True):
        self._done.put(("press" if down else "release", seat, key))
        return 0


def test_hands_lay_the_tags_of_the_cards_they_hold_and_press():
    board = Board()
    hands = PadHands(board, DECK, OWN, alone=True, speed=50)
    hands.place_cards([lay("seat:1", "load:red:1", "down")])
    hands.start()
    hands.perform(
        [lay("middle", "donkey:giant"), Gesture("press", "seat:2", "accept"), Gesture("clear", "seat:1")]
    )
    assert board.done(5) == [
        ("put", "seat1", "load:red:1"),
        ("put", "middle", "donkey:giant"),
        ("press", 2, "accept"),
        ("release", 2, "accept"),
        ("take", "seat1", "load:red:1"),
    ]
    hands.close()


def test_one_sticker_is_mixed_up_once():
    board = Board()
    hands = PadHands(board, DECK, OWN, alone=False, mixed_up=2)
    hands.place_cards([lay("middle", "donkey:giant")])
    assert board.done(1) == [("put", "middle", "donkey:giant")]
    hands.place_cards([Gesture("clear", "middle"), lay("middle", "donkey:puny")])
    ((_, _, name),) = board.done(1)
    assert name not in ("donkey:puny", "donkey:giant")
    assert name.startswith("donkey:")


def test_every_physical_card_gets_a_sticker_and_keeps_the_one_it_has():
    deck = Deck.load_builtin("donkey_valley").with_tag("load:red:1", "04aabbccddeeff")
    done = assign_tags(deck)
    assert [len(one.tags) for one in done.designs] == [one.copies for one in done.designs]
    assert done.find_design("load:red:1").tags == ("04aabbccddeeff",)
    assert assign_tags(deck) == done
    firsts = [tag[:6] for one in done.designs for tag in one.tags]
    assert len(set(firsts)) == len(firsts), "no two look alike to an anticollision"
