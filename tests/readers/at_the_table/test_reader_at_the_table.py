"""The reader as players meet it: cards and buttons in, lights and buzzer out, and two readers that
do not agree."""

from __future__ import annotations

import pytest

from companion.games.donkey_valley import moves as rq
from companion.live.table_listener import CardIs
from companion.readers.rfid.frames import Light, Tune
from tests.readers.at_the_table.rfid_table import RfidTable


@pytest.fixture
def table():
    table = RfidTable()
    table.health("ok")
    table.later(0.1)
    return table


def asked(table):
    return [one.request for one in table.live.list_acts()]


def loaded(table):
    """A donkey is turned up, and everybody has laid a load."""
    table.put("middle", "donkey:giant")
    tracks = [
        table.put(f"seat{seat}", f"load:{colour}:5")
        for seat, colour in ((1, "red"), (2, "blue"), (3, "green"))
    ]
    table.later(1)
    return tracks


def test_a_whole_round_with_pads_and_buttons_alone(table):
    tracks = loaded(table)
    assert table.phase == "favours"
    for seat in (1, 2, 3):
        table.press(seat, "refuse")
    assert table.phase == "decisions"
    for seat in (1, 2, 3):
        table.press(seat, "accept")
    assert table.phase == "reveal"
    for seat, (track, colour) in enumerate(zip(tracks, ("red", "blue", "green"), strict=True), 1):
        table.take(f"seat{seat}", track)
        table.tap("middle", f"load:{colour}:5")
    assert asked(table)[-1] == rq.Reveal("Cleo", (5,))
    assert table.live.snapshot().refusal is None


def test_a_pad_lights_up_green_when_its_card_is_taken(table):
    loaded(table)
    assert table.boards[0].lights == [
        ("middle", Light.ACCEPTED),
        ("seat1", Light.ACCEPTED),
        ("seat2", Light.ACCEPTED),
        ("seat3", Light.ACCEPTED),
    ]
    assert table.boards[0].tunes == []


def test_a_refused_card_is_red_and_heard(table):
    tracks = loaded(table)
    table.live.submit_request(rq.NoFavour("Ann"))
    table.live.submit_request(rq.NoFavour("Ben"))
    table.live.submit_request(rq.NoFavour("Cleo"))
    for name in ("Ann", "Ben", "Cleo"):
        table.live.submit_request(rq.Decide(name, True))
    table.boards[0].lights.clear()
    table.take("seat1", tracks[0])
    table.put("middle", "load:red:9")  # Ann laid a 5: the seal does not fit
    table.later(0.5)
    assert table.live.snapshot().refusal is not None
    assert ("middle", Light.UNKNOWN) in table.boards[0].lights
    assert table.boards[0].tunes == [Tune.UNKNOWN]


def test_a_card_that_was_only_tapped_lights_no_pad_it_has_left(table):
    table.tap("middle", "donkey:giant")
    assert table.phase == "loads"
    assert table.boards[0].lights == []


@pytest.mark.parametrize("pad", ["middle", "seat1"])
def test_a_tag_of_no_card_means_nothing_and_is_hinted_at(table, pad):
    table.put("middle", "donkey:giant")
    table.later(0.5)
    table.put(pad, None)
    table.later(4)
    assert table.phase == "loads"
    assert len(table.live.list_acts()) == 1
    assert table.live.snapshot().notice.code == "table.hint.foreign"


def test_two_boards_at_one_table(table):
    table.health("ok", board=2)
    table.put("middle", "donkey:giant", board=2)
    table.put("seat1", "load:red:5", board=1)
    table.later(1)
    assert [type(one) for one in asked(table)] == [rq.Donkey, rq.Load]
    assert ("middle", Light.ACCEPTED) in table.boards[1].lights
    assert ("seat1", Light.ACCEPTED) in table.boards[0].lights


def test_the_second_boards_first_seat_is_the_seventh():
    seen = []
    table = RfidTable(post=seen.append)
    table.press(1, "accept", board=2)
    table.put("seat1", "load:red:5", board=2)
    assert (seen[0].seat, seen[1].where) == (7, "2.seat1")


def test_what_lies_there_is_still_there_after_the_cable_was_pulled(table):
    table.put("middle", "donkey:giant")
    table.later(0.5)
    table.put("seat1", "load:red:5")
    table.health("lost")
    table.later(5)
    table.health("ok")
    table.later(5)
    assert len(table.live.table.seals.list_for_seat(1)) == 1


def test_the_tables_word_settles_what_camera_and_reader_disagree_about(table):
    """Two donkeys' stickers were mixed up. Nothing is accepted until the table has said which
    donkey it is."""
    table.camera(None, "pile", track=9)
    table.put("middle", "donkey:puny")
    table.later(0.5)
    table.camera("donkey:giant", "middle")
    table.later(2)
    assert asked(table) == []
    (question,) = table.live.snapshot().questions
    assert question.text.code == "table.dispute.readers"
    truth = [one.request for one in question.choices].index(CardIs("donkey:giant"))
    table.live.answer_question(question.id, truth)
    table.later(1)
    assert asked(table) == [rq.Donkey("giant")]
    assert table.live.snapshot().questions == ()
    assert ("middle", Light.ACCEPTED) in table.boards[0].lights


def test_where_they_agree_nobody_is_asked(table):
    table.camera("donkey:giant", "middle")
    table.put("middle", "donkey:giant")
    table.later(3)
    assert asked(table) == [rq.Donkey("giant")]
    assert table.live.snapshot().questions == ()


def test_a_card_that_the_camera_does_not_see_waits_for_it_only_a_moment(table):
    table.camera(None, "pile", track=9)
    table.put("middle", "donkey:giant")
    table.later(0.5)
    assert asked(table) == []
    table.later(1.5)
    assert asked(table) == [rq.Donkey("giant")]
