"""A long evening costs no more a step than a short one: work is counted, not timed."""

from __future__ import annotations

import sys

import pytest

from companion.journal.journal import Journal
from companion.journal.narration import PIECE
from companion.rules import registry
from tests.correcting import correct_live
from tests.live.seats import Seats
from tests.toy import Lay, Show, Toy, toy_setup


class Counting(Toy):
    """The toy game; counts what it is asked."""

    def __init__(self):
        self.folded = self.told = 0

    def evolve(self, state, event):
        self.folded += 1
        return super().evolve(state, event)

    def describe(self, state, event):
        self.told += 1
        return super().describe(state, event)


@pytest.fixture
def game(monkeypatch):
    counting = Counting()
    real = registry.load_game
    monkeypatch.setattr(
        registry, "load_game", lambda game_id: counting if game_id == "toy" else real(game_id)
    )
    return counting


def play_rounds(live, rounds):
    for _ in range(rounds):
        for request in (Lay("Ann"), Lay("Ben"), Show("Ann", 3), Show("Ben", 4)):
            assert live.submit_request(request) is None


def calls_in(deed):
    """How many Python functions `deed` calls: a cost that no other program on the machine
    changes."""
    count = 0

    def called(_frame, event, _arg):
        nonlocal count
        count += event == "call"

    sys.setprofile(called)
    try:
        deed()
    finally:
        sys.setprofile(None)
    return count


def long_evening(game, **more):
    return Seats("Ann", "Ben", game=game, setup=toy_setup(rounds=100_000), **more)


def test_each_event_is_folded_and_told_once(game):
    seats = long_evening(game)
    play_rounds(seats.live, 3)
    assert game.folded == game.told == 3 * 5


def test_a_session_taken_up_again_is_read_and_replayed_once(game, tmp_path):
    file = tmp_path / "evening.sqlite3"
    seats = long_evening(game, journal=Journal.open(file))
    play_rounds(seats.live, 3)
    seats.live.close()
    game.folded = 0
    journal = Journal.open(file)
    asked = []
    journal._store._db.set_trace_callback(asked.append)
    again = Seats(journal=journal, kept=journal.read_session(1), game=game)
    assert game.folded == 3 * 5
    assert [words for words in asked if words.startswith("SELECT * FROM entries")] == [], (
        "the rows were read when the file was opened"
    )
    assert len(again.live.list_acts()) == 12
    again.live.close()


@pytest.mark.parametrize("deed", ["act", "correct_the_last", "undo"])
def test_a_step_costs_the_same_after_a_thousand(game, deed):
    def cost(live):
        live.submit_request(Lay("Ann"))
        deeds = {
            "act": lambda: live.submit_request(Lay("Ben")),
            "correct_the_last": lambda: correct_live(live, len(live.snapshot().log) - 1, Lay("Ben")),
            "undo": live.undo,
        }
        return calls_in(deeds[deed])

    short, long = long_evening(game).live, long_evening(game).live
    play_rounds(short, 20)
    play_rounds(long, 250)
    assert cost(long) <= 1.5 * cost(short), "the place in the log is found by halving, the rest does not grow"


def test_a_log_shares_all_but_its_end_with_the_one_before(game):
    live = long_evening(game).live
    play_rounds(live, PIECE)
    before = live.snapshot().log
    live.submit_request(Lay("Ann"))
    after = live.snapshot().log
    assert after.count_shared_lines(before) == len(before) == len(after) - 1
    assert after[:-1] == before[:]
    shared = [one is other for one, other in zip(after._pieces, before._pieces, strict=False)]
    assert all(shared)


def test_an_act_that_goes_to_and_fro_keeps_few_old_versions(game):
    live = long_evening(game).live
    for request in (Lay("Ann"), Lay("Ben"), Show("Ann", 1)):
        live.submit_request(request)
    for number in range(60):
        correct_live(live, 2, Show("Ann", number % 9 + 1))
    assert len(live.snapshot().log) < 3 + 9
