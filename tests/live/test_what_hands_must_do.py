"""What is asked of hands after a slip is exactly what a reader knows to lie otherwise; of keys
alone nothing is asked."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from companion.games.donkey_valley import moves as ask
from companion.live.corrections import Correction
from companion.live.timeline import Layout, Timeline, diff_layouts, list_card_moves
from companion.rules import registry
from companion.rules.contract import Request
from tests.rules.evenings import evenings_of
from tests.toy import Lay, Show
from tests.views.table import enter, live_session

GAMES = registry.list_game_ids()
THREE = ("Ann", "Bob", "Chloé")


def at_the_decisions():
    live = live_session(THREE)
    enter(live, ask.Donkey("giant"), *map(ask.Load, THREE), *map(ask.NoFavour, THREE))
    return live


def test_accept_undo_accept_asks_nothing():
    live = at_the_decisions()
    for _ in range(2):
        enter(live, ask.Decide("Ann", True))
        live.undo()
        assert live.snapshot().moves == ()
        assert [move.card for move in live.snapshot().unasked] == ["contract:Ann:accept"]
    enter(live, ask.Decide("Ann", True))
    assert (live.snapshot().moves, live.snapshot().unasked) == ((), ())


def test_a_mistyped_donkey_asks_nothing():
    live = live_session(THREE)
    enter(live, ask.Donkey("giant"))
    live.undo()
    enter(live, ask.Donkey("puny"))
    assert (live.snapshot().moves, live.snapshot().unasked) == ((), ())


def test_a_card_that_a_reader_saw_is_paid_off_by_entering_it_again(seats):
    for request in (Lay("Ann"), Lay("Ben")):
        seats.live.submit_request(request)
    seats.lay(1, "toy:3")
    seats.later()
    seats.live.undo()
    assert [move.card for move in seats.live.snapshot().moves] == ["toy:3"]
    seats.live.submit_request(Show("Ann", 3))
    assert seats.live.snapshot().moves == ()
    seats.live.undo()  # it still lies there
    assert [move.card for move in seats.live.snapshot().moves] == ["toy:3"]


def test_after_the_cards_are_put_right_they_are_owed_again_by_a_redo(seats):
    for request in (Lay("Ann"), Lay("Ben")):
        seats.live.submit_request(request)
    seats.lay(1, "toy:3")
    seats.later()
    seats.live.undo()
    seats.live.confirm_moves()
    seats.live.redo()
    assert [(move.card, move.target) for move in seats.live.snapshot().moves] == [("toy:3", "seat:1 up")]


class Slips:
    """One game at which people slip: random acts of its simulated players, undos, redos,
    corrections."""

    def __init__(self, game_id: str, seed: int) -> None:
        evening = evenings_of(game_id)[0]
        self.game, self.players = evening.game, evening.players
        self.timeline = Timeline(evening.game, evening.setup, lambda entry: None)
        self.random = random.Random(seed)

    @property
    def layout(self):
        return self.game.layout_cards(self.timeline.state)

    def next(self) -> Request | None:
        """What happens next at the table."""
        deed = self.players.next_action(self.timeline.session.list_acts(), self.timeline.view)
        return None if deed is None else deed.request

    def other(self) -> Request | None:
        """Anything else that could be entered now."""
        seats = (None, *self.timeline.session.setup.players)
        choices = [one for seat in seats for one in self.timeline.list_choices(seat) if one.pick is None]
        return self.random.choice(choices).request if choices else None

    def slip(self) -> str:
        """Undo, redo, or leave out an act of the past."""
        what = self.random.choice(("undo", "undo", "redo", "correct"))
        if what == "correct":
            acts = len(self.timeline.session.list_acts())
            if acts:
                self._leave_out(self.random.randrange(max(acts - 4, 0), acts))
        else:
            getattr(self.timeline, what)()
        return what

    def _leave_out(self, at: int) -> None:
        correction: Correction = self.timeline.draft_correction(at, None)
        for _ in range(50):
            if correction.refusal is not None or correction.pending_act is None:
                break
            correction.answer_pending_act(None)
        if correction.refusal is None and correction.pending_act is None:
            self.timeline.apply_correction(correction)


@pytest.mark.parametrize("game_id", GAMES)
@settings(max_examples=8)
@given(st.integers(0, 10**6))
def test_of_keys_alone_nothing_is_asked(game_id, seed):
    table = Slips(game_id, seed)
    for _ in range(60):
        if table.random.random() < 0.4:
            table.slip()
        else:
            request = table.other() if table.random.random() < 0.3 else table.next()
            if request is not None and table.timeline.perform_request(request) is None:
                assert table.timeline.unrequested_moves == ()
        assert table.timeline.moves == ()


@pytest.mark.parametrize("game_id", GAMES)
@settings(max_examples=8)
@given(st.integers(0, 10**6))
@example(1257)  # a trick of Ochs & Esel is swept, and what lay in it is undone and entered again
def test_what_a_reader_saw_is_asked_exactly(game_id, seed):
    """The reader is not listened to while cards are put right: then either hands do what is asked,
    or what was undone is entered again by keys, and lies there already."""
    table = Slips(game_id, seed)
    timeline, there, watched = table.timeline, table.layout, set()
    undone: list[Request] = []
    lies = True  # what was played, as long as no hand has put it away
    for _ in range(60):
        before = table.layout
        if timeline.moves:
            what = table.random.choice(("redo", "undo", "again", "put right", "correct"))
        else:
            what = table.random.choice(("play",) * 6 + ("undo", "correct"))
        if what == "play":
            request = table.next()
            if request is not None and timeline.perform_request(request, from_reader=True) is None:
                watched |= {place for _, place in diff_layouts(before, table.layout)}
                there, undone, lies = table.layout, [], True
        elif what == "again" and undone:
            if timeline.perform_request(undone.pop()) is not None:
                undone = []
        elif what == "put right":
            timeline.confirm_moves()
            there, undone, lies = table.layout, [], False
        elif what == "undo":
            acts = timeline.session.list_acts()
            timeline.undo()
            taken_back = timeline.session.list_acts() == acts[:-1]  # an act, and not a correction
            swept = _more(table.layout, before) & _more(there, before)  # the end of a trick took it away
            undone = [*undone, acts[-1].request] if lies and acts and taken_back and not swept else []
        elif what == "redo":
            timeline.redo()
            undone = []
        elif what == "correct":
            table._leave_out(max(len(timeline.session.list_acts()) - 2, 0))
            undone = []
        debt = {
            where: count for where, count in diff_layouts(there, table.layout).items() if where[1] in watched
        }
        assert timeline.moves == list_card_moves(Counter(debt))


def _more(before: Layout, after: Layout) -> set[tuple[str, str]]:
    """Where more cards lie than before."""
    return {where for where, count in diff_layouts(before, after).items() if count > 0}
