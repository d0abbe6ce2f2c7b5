"""The logic of the entry panel without a screen: whose choices it shows, what goes one level back,
and which keys are meant for rows that came by themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from companion.games.donkey_valley import moves as ask
from companion.live.live_session import LiveSession
from companion.live.snapshot import ShownQuestion
from companion.rules.contract import Refusal, Text
from companion.texts import Translator
from companion.views.conversations import Menu, Reply
from companion.views.dashboard.entry_controller import EntryController
from companion.views.table_session import NO_BACKSTAGE
from tests.views.screens import FOUR, middle
from tests.views.table import live_session, played_out
from tests.views.test_part_by_part import before_a_seven

QUESTION = ShownQuestion(7, Text("choose.nothing"), None)


class Panel:
    """What the controller needs of the panel and of the screen around it."""

    def __init__(self, live: LiveSession) -> None:
        self.translator = Translator("en", live.game)
        self.display = self.is_picking = False
        self.ready: Callable[[], bool] = lambda: True
        self.menus: list[Menu] = []
        self.hints: list[str] = []
        self.doubted_key = ""
        self.keys: tuple[str, ...] = ()

    @property
    def entry_panel(self) -> Panel:
        return self

    def set_entry_visible(self, visible: bool) -> None:
        self.display = visible

    def set_translator(self, translator: Translator) -> None:
        self.translator = translator

    def show_menu(self, menu: Menu, _answer: object) -> None:
        self.menus.append(menu)

    def show_hint(self, words: str) -> None:
        self.hints.append(words)

    def uses_key(self, key: str) -> bool:
        return key in self.keys


class Entering(EntryController):
    """A controller with its panel, its clock, and what it tells."""

    def __init__(self, live: LiveSession) -> None:
        self.live, self.panel, self.now, self.told = live, Panel(live), 100.0, list[Any]()
        table: Any = self.panel
        super().__init__(live, NO_BACKSTAGE, table, self.told.append, lambda: self.now)

    @property
    def player(self) -> str | None:
        turn = self.panel.menus[-1].entry_turn
        assert turn is not None
        return turn.player

    def answer(self, at: int = 0) -> None:
        self.handle_answer(self.panel.menus[-1].replies[at], None)

    def update(self, **changes: Any) -> None:
        self.update_panel(replace(self.live.snapshot(), **changes), self.panel.translator)


def test_the_panel_opens_at_whoever_is_awaited_and_closes() -> None:
    entering = Entering(middle("donkey_valley"))
    assert not entering.is_open
    entering.open_panel()
    assert entering.is_open
    assert entering.player == "Bob"
    entering.update()
    assert len(entering.panel.menus) == 1, "what has not changed is not drawn again"
    entering.step_back()
    assert not entering.is_open
    entering.open_panel()
    entering.close_panel()
    assert not entering.is_open
    assert entering.told == []


def test_a_seat_opens_there_or_says_who_has_something_to_enter() -> None:
    entering = Entering(live_session(FOUR))
    entering.live.submit_request(ask.Donkey("giant"))
    for seat, player in ((3, "Chloé"), (0, "Ann"), (1, "Ann"), (4, "Dora")):
        entering.open_at_seat(seat)
        assert entering.player == player
        entering.close_panel()
    entering.open_at_seat(3)
    entering.open_panel()
    assert entering.player == "Ann"
    entering.close_panel()
    entering.open_at_seat(5)
    assert not entering.is_open
    assert entering.told == []
    entering.live.submit_request(ask.Load("Ann"))
    entering.open_at_seat(1)
    assert not entering.is_open
    assert isinstance(entering.told[0], Refusal)


@pytest.mark.parametrize(
    ("make", "code"), [(lambda: played_out(FOUR), "choose.over"), (lambda: live_session(FOUR), "")]
)
def test_where_nothing_can_be_entered_it_says_so(make: Callable[[], LiveSession], code: str) -> None:
    entering = Entering(make())
    entering.open_panel()
    assert [one.code for one in entering.told] == [code] * bool(code)
    assert entering.is_open is not bool(code)
    if code:
        entering.live.undo()
        entering.update()
        assert not entering.is_open, "it does not open by itself later"


def test_the_next_player_is_shown_and_stays_until_there_is_nothing_to_enter() -> None:
    entering = Entering(live_session(FOUR))
    entering.live.submit_request(ask.Donkey("giant"))
    entering.open_panel()
    for player in ("Bob", "Chloé"):
        entering.show_next_player()
        assert entering.player == player
        if player == "Bob":
            entering.live.submit_request(ask.Load("Bob"))
            entering.update()
            assert entering.player == "Ann", "Bob has nothing to enter any more"
            entering.open_at_seat(2)
    entering.live.submit_request(ask.Load("Ann"))
    entering.update()
    assert entering.player == "Chloé", "others do not change whose choices are shown"


def test_back_leads_one_level_up_before_it_closes() -> None:
    live, seven = before_a_seven()
    entering = Entering(live)
    entering.open_panel()
    first = entering.panel.menus[-1]
    at = next(number for number, one in enumerate(first.replies) if one.key == "7")
    entering.answer(at)
    assert not entering.panel.menus[-1].is_equivalent(first)
    entering.answer()
    parts = entering.panel.menus[-1]
    entering.take_back_part()
    assert not entering.panel.menus[-1].is_equivalent(parts)
    entering.step_back()
    assert entering.is_open
    assert entering.panel.menus[-1].is_equivalent(first)
    entering.panel.is_picking = True
    shown = len(entering.panel.menus)
    entering.step_back()
    assert entering.is_open, "cards were being chosen"
    assert len(entering.panel.menus) == shown + 1
    entering.panel.is_picking = False
    entering.take_back_part()
    entering.step_back()
    assert not entering.is_open
    assert seven.ways


def test_rows_that_come_by_themselves_take_no_key_for_a_while() -> None:
    live = middle("donkey_valley")
    entering = Entering(live)
    entering.open_panel()
    assert entering.panel.ready()
    live.submit_request(ask.NoFavour("Bob"))
    entering.update()
    assert not entering.panel.ready()
    for passed, is_ready in ((0.5, False), (0.2, True)):
        entering.now += passed
        assert entering.panel.ready() is is_ready
    entering.answer()
    assert entering.panel.ready(), "a key has asked for these"
    acts = len(live.list_acts())
    entering.handle_answer(Reply("z", "what was there before", None), None)
    assert len(live.list_acts()) == acts


def test_a_question_opens_the_panel_and_can_be_left_once_it_was_seen(monkeypatch) -> None:
    live = middle("dtc")
    answered: list[tuple[int, object]] = []
    monkeypatch.setattr(live, "answer_question", lambda *told: answered.append(told))
    entering = Entering(live)
    monkeypatch.setattr(
        "companion.views.dashboard.entry_controller.prompt_for_answer",
        lambda _live, question, _translator: (
            Menu((), [Reply("1", f"{one.id}?", None)]) for one in [question]
        ),
    )
    for number in (7, 8):
        entering.update(questions=(replace(QUESTION, id=number),))
        assert entering.is_open
        assert entering.panel.menus[-1].replies[0].words == f"{number}?"
        assert not entering.panel.ready()
        entering.step_back()
        assert answered == []
    entering.now += 0.7
    entering.step_back()
    assert answered == [(8, None)]
    entering.update()
    assert not entering.is_open


def test_an_undo_shows_whose_step_it_was_and_its_key_twice_takes_it_back() -> None:
    entering = Entering(middle("donkey_valley"))
    count = len(entering.live.list_acts())
    entering.undo_step()
    entering.redo_step()
    assert not entering.panel.menus
    assert len(entering.live.list_acts()) == count
    entering.open_panel()
    for keys, doubted in (((), ""), (("r",), "r")):
        entering.panel.keys = keys
        entering.undo_step()
        assert entering.player == "Dora"
        assert entering.panel.doubted_key == doubted
        assert entering.can_redo_by_key("r") is (not keys)
        entering.redo_step()
        assert entering.player == "Bob"
    assert not entering.can_redo_by_key("q"), "nothing was undone"


@pytest.mark.parametrize("is_refused", [True, False])
def test_a_refusal_is_told_in_the_panel_and_the_same_player_stays(is_refused: bool, monkeypatch) -> None:
    entering = Entering(live_session(FOUR))
    entering.live.submit_request(ask.Donkey("giant"))
    entering.open_at_seat(3)
    refusal = Refusal("turn", "DV-12", Text("choose.nothing"))
    if is_refused:
        monkeypatch.setattr(entering.live, "submit_request", lambda *_, **__: refusal)
    entering.answer()
    assert entering.player == ("Chloé" if is_refused else "Ann")
    assert entering.told_refusal is (refusal if is_refused else None)
    assert [hint[:2] for hint in entering.panel.hints] == ["✘ "] * is_refused
    assert entering.told == ([] if is_refused else [None])
