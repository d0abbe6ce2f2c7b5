"""Decisions that players make at one moment, each on their own phone: nobody learns anything before
all have decided."""

from __future__ import annotations

import json
import pickle
import re

import msgspec
import pytest

from companion.games.donkey_valley.moves import Decide, Donkey, Load, NoFavour
from companion.live.clocks import ClockOptions
from companion.live.live_session import LiveSession
from companion.plan import Plan
from companion.rules import registry
from companion.rules.contract import Setup
from companion.share.seat_controller import (
    ConversationMessage,
    ConversationUpdate,
    SeatController,
    SubmittedAnswer,
)
from companion.table.decks import Deck
from companion.table.table import Table
from companion.texts import Translator
from companion.views.page_state import build_state
from companion.views.table_session import TableSession
from tests.rules.evenings import ONE_OF_EACH_GAME

GAME = registry.load_game("donkey_valley")
PLAYERS = ("Ann", "Bob", "Cy")
SAY = Translator("en", GAME)
ONE_EACH = [
    pytest.param(evening, id=game, marks=[pytest.mark.slow] * (game == "partners"))
    for game, evening in ONE_OF_EACH_GAME.items()
]


class Phones:
    """A table of Donkey Valley in which decisions are free, at the moment of deciding, with a phone
    at each seat."""

    def __init__(self, **options) -> None:
        chosen = {"decision_order": "free", **options}
        setup = Setup(GAME.id, PLAYERS, {**GAME.default_options(chosen), **chosen}, 7)
        self.live = LiveSession(GAME, setup, table=Table(Deck.load_by_name(GAME.id)))
        self.desk = SeatController(TableSession(Plan(), self.live), SAY)
        for request in (Donkey("giant"), *map(Load, PLAYERS), *map(NoFavour, PLAYERS)):
            assert self.live.submit_request(request) is None

    def page(self, player: str) -> dict:
        return self.desk.build_seat_states()[player]

    def press(self, player: str, button: int, shown: dict | None = None) -> ConversationUpdate:
        """Answer what the page shows, or has `shown`."""
        menu = shown or self.page(player)["menu"]
        pressed = SubmittedAnswer(menu["rows"][button]["row"])
        return self.desk._replay_conversation(
            player, ConversationMessage("entering", next=pressed, told=menu["number"])
        )

    def decided(self) -> list:
        return [row["decision"] for row in self.live.snapshot().view["players"]]

    def everything(self) -> str:
        """All that any page, view, journal or debugger is given."""
        snapshot = self.live.snapshot()
        shown = [build_state(snapshot, SAY), *self.desk.build_seat_states().values()]
        kept = [
            repr(snapshot),
            repr(vars(self.live)),
            repr(vars(self.live._sealed_decisions)),
            repr(self.live.list_acts()),
        ]
        return json.dumps(shown) + msgspec.json.encode(snapshot, enc_hook=repr).decode() + "".join(kept)


def accepted(heard: ConversationUpdate) -> bool:
    return heard.menu is None and not heard.words


def test_decisions_are_told_when_all_have_decided() -> None:
    phones = Phones()
    accept, refuse = 0, 1
    assert accepted(phones.press("Cy", refuse))
    assert accepted(phones.press("Ann", accept))
    assert phones.decided() == [None, None, None]
    assert phones.live.snapshot().decided == ("Ann", "Cy")
    assert accepted(phones.press("Bob", accept))
    assert phones.decided() == [True, True, False]
    assert phones.live.snapshot().decided == ()


def test_nothing_tells_what_was_decided_before_all_have() -> None:
    told = []
    for choice in (0, 1):
        phones = Phones()
        phones.press("Ann", choice)
        told.append(phones.everything().replace(hex(id(phones.live)), ""))
        with pytest.raises(TypeError, match="written nowhere"):
            pickle.dumps(phones.live._sealed_decisions._sealed)
    accepted, refused = (_without_addresses(text) for text in told)
    assert accepted == refused


def _without_addresses(text: str) -> str:
    return re.sub(r"0x[0-9a-f]+", "", text)


def test_the_answer_is_the_same_whatever_was_decided() -> None:
    accepted, refused = Phones(), Phones()
    assert accepted.press("Ann", 0) == refused.press("Ann", 1)
    assert len(json.dumps(accepted.page("Ann"))) == len(json.dumps(refused.page("Ann")))


def test_a_decision_can_be_taken_back_until_all_have_decided() -> None:
    phones = Phones()
    phones.press("Ann", 0)
    assert [one["words"] for one in phones.page("Ann")["menu"]["rows"]] == ["Take it back"]
    phones.press("Ann", 0)
    assert phones.live.snapshot().decided == ()
    phones.press("Ann", 1)
    phones.press("Bob", 1)
    phones.press("Cy", 1)
    assert phones.decided() == [False, False, False]


def test_a_seat_says_who_has_not_decided_yet() -> None:
    phones = Phones()
    phones.press("Ann", 0)
    told = [one["words"] for one in phones.page("Ann")["menu"]["told"]]
    assert told[-1] == "Waiting for Bob and Cy."
    assert phones.page("Ann")["sealed"]
    assert not phones.page("Bob")["sealed"]


def test_what_was_done_beside_others_is_taken_back_alone() -> None:
    phones = Phones()
    for _ in range(4):
        phones.live.undo()  # loads: Ann's and Bob's lie there
    assert phones.page("Ann")["decided"] == {"words": "Ann has played.", "last": True}
    menu = phones.desk._replay_conversation("Ann", ConversationMessage("mine")).menu
    assert menu is not None
    assert [one["words"] for one in menu["told"]] == ["Ann has played.", "Waiting for Cy."]
    phones.desk._replay_conversation(
        "Ann", ConversationMessage("mine", next=SubmittedAnswer(menu["rows"][0]["row"]), told=menu["number"])
    )
    assert [act.request for act in phones.live.list_acts()][-1] == Load("Bob")
    assert [one["player"] for one in phones.live.snapshot().view["waiting_for"]] == ["Ann", "Cy"]


def test_what_others_went_on_from_is_taken_back_no_more() -> None:
    phones = Phones(decision_order="clockwise")
    phones.press("Ann", 0)
    assert phones.page("Ann")["decided"]["last"]
    phones.press("Bob", 0)
    assert not phones.page("Ann")["decided"]["last"]
    assert phones.desk._replay_conversation("Ann", ConversationMessage("mine")).menu is None


def test_the_laptops_keys_always_work_and_count_before_what_was_sealed() -> None:
    phones = Phones()
    phones.press("Ann", 0)
    assert phones.live.submit_request(Decide("Ann", False)) is None
    assert phones.decided() == [False, None, None]
    assert phones.live.snapshot().decided == ()
    phones.press("Bob", 0)
    assert phones.live.submit_request(Decide("Cy", True)) is None
    assert phones.decided() == [False, True, True]


def test_what_a_step_changed_is_decided_anew() -> None:
    phones = Phones()
    phones.press("Ann", 0)
    phones.live.undo()  # Cy's "no favour": it is no moment of deciding any more
    assert phones.live.snapshot().decided == ()
    phones.live.redo()
    assert phones.live.snapshot().decided == ()


def test_an_earlier_offer_is_moved_on() -> None:
    phones = Phones()
    before = phones.page("Ann")["menu"]
    phones.press("Ann", 0)
    assert not accepted(phones.press("Ann", 0, before))
    assert phones.live.snapshot().decided == ("Ann",)
    seen = phones.page("Bob")["menu"]
    phones.press("Ann", 0)  # takes hers back: nothing that Bob sees as his has changed
    assert accepted(phones.press("Bob", 0, seen))


def test_in_turn_decisions_are_told_at_once() -> None:
    phones = Phones(decision_order="clockwise")
    assert phones.page("Ann")["menu"]["told"] == []
    assert accepted(phones.press("Ann", 0))
    assert phones.decided() == [True, None, None]


def test_when_time_is_up_who_has_decided_keeps_the_decision() -> None:
    setup = Setup(GAME.id, PLAYERS, {**GAME.default_options({}), "decision_order": "free"}, 7)
    clock = ClockOptions("turn", 10.0, 0.0, when_up="harmless")
    live = LiveSession(GAME, setup, table=Table(Deck.load_by_name(GAME.id)), clock=clock)
    for request in (Donkey("giant"), *map(Load, PLAYERS), *map(NoFavour, PLAYERS)):
        live.submit_request(request)
    live.seal_decision(Decide("Ann", True))
    live.tick(1000.0)
    assert live.snapshot().view["players"][0]["decision"] is True


@pytest.mark.slow
@pytest.mark.parametrize("evening", ONE_EACH)
def test_every_seat_of_every_game_has_its_page_at_every_moment(evening) -> None:
    live = LiveSession(evening.game, evening.setup, table=Table(Deck.load_builtin(evening.game.id), {}))
    desk = SeatController(TableSession(Plan(), live), Translator("en", evening.game))
    players = evening.players
    while (deed := players.next_action(live.list_acts(), live.snapshot().view)) is not None:
        assert live.submit_request(deed.request) is None
        assert set(desk.build_seat_states()) == set(evening.setup.players)
