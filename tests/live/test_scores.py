"""The table of rounds: it adds up, follows undo and correction, and knows with which act a round
began."""

from companion.games.donkey_valley import moves as ask
from companion.views.conversations import group_log_by_round
from tests.views.table import enter, first_round, live_session


def test_the_rounds_add_up_and_follow_undo() -> None:
    live = live_session()
    first_round(live)
    before = live.snapshot().rounds
    assert [row.won for row in before] == [{"Ann": "7", "Bob": "5", "Chloé": "0"}]
    live.undo()
    assert [row.won for row in live.snapshot().rounds] == [{"Ann": "0", "Bob": "0", "Chloé": "0"}]
    live.redo()
    assert live.snapshot().rounds == before


def test_a_round_begins_with_its_donkey() -> None:
    live = live_session()
    first_round(live)
    count = len(live.list_acts())
    enter(live, ask.Donkey("normal"), ask.Load("Ann"), ask.Load("Bob"))
    rows = live.snapshot().rounds
    assert [(row.label, row.first) for row in rows] == [(1, 0), (2, count)]


def test_the_act_that_begins_a_round_stands_under_it_at_once() -> None:
    live = live_session()
    first_round(live)
    count = len(live.list_acts())
    enter(live, ask.Donkey("normal"))
    (_, _), (second, (donkey,)) = group_log_by_round(live.snapshot())
    assert second is not None
    assert (second.label, second.won) == (2, {"Ann": "0", "Bob": "0", "Chloé": "0"})
    assert donkey.act == count
    live.undo()
    assert [row.label for row in live.snapshot().rounds] == [1]


def test_a_game_of_which_only_the_loads_won_are_told_has_no_rounds() -> None:
    live = live_session(hands_only=True)
    enter(live, ask.ScoreLoads("Ann", (7, 3)))
    assert [row.label for row in live.snapshot().rounds] == [None]
    assert [row for row, _ in group_log_by_round(live.snapshot())] == [None]
