"""What the table's screen shows of a moment, and when, without a screen: cards turn up one by one,
the last result stands before the podium, and what was shown can be called back."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from companion.games.dtc import moves as dtc
from companion.live.live_session import LiveSession
from companion.plan import Plan
from companion.views.dashboard.app import _LAST_RESULT, _TURN, Dashboard
from companion.views.dashboard.widgets.screen_part import ScreenState
from companion.views.moments import Gain, RevealMoment, Take
from companion.views.table_session import TableSession
from tests.views.table import SEVEN, enter, live_session, played_out


class Shown(Dashboard):
    """A dashboard that draws nothing: what it shows, speaks and waits for is remembered."""

    is_running = True
    is_taken_down = False

    def __init__(self, live: LiveSession, **more: Any) -> None:
        self.states: list[ScreenState] = []
        self.spoken: list[int] = []
        self.waits: list[tuple[float, Callable[[], object]]] = []
        speaker: Any = SimpleNamespace(
            muted=False, announce_changes=lambda snapshot, _say: self.spoken.append(snapshot.number)
        )
        super().__init__(TableSession(Plan(language="en"), live, speaker=speaker, **more))
        self._table = Mock(show_state=self.states.append)
        self._entering = Mock(told_refusal=None)
        self.animation_level = "full"
        live.subscribe(self.show_snapshot)
        self.show_snapshot(live.snapshot())

    def refresh_bindings(self) -> None:
        pass

    def set_timer(self, seconds: float, then: Any = None, **_: Any) -> Any:
        self.waits.append((seconds, then))

    def end_wait(self) -> float:
        """Let the next wait end; return how long it was."""
        seconds, then = self.waits.pop(0)
        then()
        return seconds

    @property
    def verdict(self) -> str:
        moment = self.states[-1].moment
        return "" if moment is None else moment.verdict


def challenged(count: int = 3) -> LiveSession:
    live = live_session(SEVEN[:3], "dtc")
    enter(live, dtc.Offer("Ann", count, 4), dtc.Challenge("Bob"))
    return live


CARDS = ("4", "joker", "2")


def test_nothing_of_a_moment_stands_beside_cards_that_are_turned_up() -> None:
    whole = RevealMoment(
        "Bluff!", "3 + 4", "bad", (Gain(1, "Ann", "3"),), (Take(1, ("4",)),), ("B!",), CARDS, CARDS
    )
    bare = RevealMoment("4  joker", "", "plain", (), cards=CARDS, turned=CARDS)
    assert whole.with_cards_up(2) == bare


def test_cards_turn_up_one_by_one_before_the_verdict_and_nothing_tells_it_before() -> None:
    live = challenged()
    app = Shown(live)
    before, spoken = live.snapshot().number, len(app.spoken)
    enter(live, dtc.Reveal(CARDS))
    for up in (
        "4",
        "4  Joker",
    ):
        assert app.verdict.casefold() == up.casefold()
        assert app.states[-1].snapshot.number == before
        assert len(app.spoken) == spoken
        assert len(app.waits) == 1
        assert app.end_wait() == _TURN
    assert app.verdict not in ("", "4  joker  2")
    assert app.states[-1].snapshot.number == live.snapshot().number == app.spoken[-1]
    assert app.waits == []


@pytest.mark.parametrize("calm", [True, False])
def test_nothing_turns_up_without_movement_or_from_before_the_screen_opened(calm: bool) -> None:
    live = challenged()
    app = Shown(live)
    app.animation_level = "none" if calm else "full"
    enter(live, dtc.Reveal(CARDS))
    if not calm:
        app = Shown(live)
    assert app.states[-1].snapshot.number == live.snapshot().number
    assert app.verdict
    assert app.waits == []


def test_a_new_act_ends_the_turning() -> None:
    live = challenged()
    app = Shown(live)
    enter(live, dtc.Reveal(CARDS))
    live.undo()
    assert app.verdict == ""
    shown = len(app.states)
    app.end_wait()
    assert len(app.states) == shown
    assert app.verdict == ""


def test_the_last_result_can_be_called_back_and_goes_with_the_next_snapshot() -> None:
    live = challenged()
    app = Shown(live)
    assert app._offers.is_available("review", reviewable=app._moment is not None) is False
    enter(live, dtc.Reveal(CARDS))
    while app.waits:
        app.end_wait()
    result = app.verdict
    enter(live, dtc.Offer(live.snapshot().view["waiting_for"][0]["player"], 1, 3))
    assert app.verdict == ""
    for verdict in (result, "", result):
        app.action_review()
        assert app.verdict == verdict


def test_the_last_result_stands_a_while_before_the_podium() -> None:
    live = played_out(SEVEN[:3], "dtc")
    live.undo()
    app = Shown(live)
    live.redo()
    count = len(app._moment.cards)
    assert app.verdict
    ends = [seconds for seconds, _ in app.waits]
    assert max(ends) == pytest.approx(_TURN * count + _LAST_RESULT)
    assert app.states[-1].snapshot.view["result"] is None or count < 2
    while len(app.waits) > 1 or app.waits[0][0] == _TURN:
        app.waits.sort(key=lambda wait: wait[0])
        app.end_wait()
    assert app.states[-1].snapshot.view["result"] is not None
    assert app.verdict, "the result, not yet the podium"
    app.end_wait()
    assert app.verdict == ""
    app.action_review()
    assert app.verdict
