"""The table of rounds: it adds up, follows undo and correction, and knows with which act a round
began."""

import msgspec
import pytest

from companion.games.donkey_valley import moves as ask
from companion.live.snapshot import RoundRow, ScoreHistory, describe_unsaved_steps, list_scored_rounds
from companion.rules.acts import Moment
from companion.rules.contract import Text
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


class Counted:
    """A game whose state is its view: `(round, Ann's points, Bob's points)`."""

    def view(self, state):
        return {
            "round": state[0],
            "players": [{"name": "Ann", "points": state[1]}, {"name": "Bob", "points": state[2]}],
        }

    def find_round(self, view):
        return view["round"]


def moments(*states):
    moment = None
    for number, state in enumerate(states):
        moment = Moment(moment, None, (), state, number)
        yield moment


def test_what_is_won_in_several_acts_of_a_round_is_one_row() -> None:
    """Points are fractions; a round begins with the act that shows its number, or scores in it."""
    scores = ScoreHistory(Counted())
    *_, middle, last = moments(
        (1, 0, 0), (1, 2, 0), (1, "7/3", 1), (2, "7/3", 1), (2, "7/3", 1), (3, 4, 0), (3, 4, 2)
    )
    rows = [(row.label, row.first, row.won) for row in scores.list_rounds(last)]
    assert rows == [
        (1, 0, {"Ann": "7/3", "Bob": "1"}),
        (2, 2, {"Ann": "5/3", "Bob": "-1"}),
        (3, 5, {"Ann": "0", "Bob": "2"}),
    ]
    assert scores.last_gains == {"Ann": "0", "Bob": "2"}
    assert len(scores.list_rounds(middle)) == 2
    assert scores.last_gains == {"Ann": "5/3", "Bob": "-1"}
    assert ScoreHistory(Counted()).last_gains == {}


def test_a_round_put_off_that_brought_nothing_is_not_listed() -> None:
    def row(label, *won):
        return RoundRow(label, 0, dict(zip(("Ann", "Bob"), won, strict=True)))

    one, lost, two, again = row(1, "0", "0"), row(2, "0", "0"), row(3, "0", "1"), row(2, "3", "0")
    assert list_scored_rounds([one, lost, two, again]) == [one, two, again]
    won = row(2, "0", "1")
    assert list_scored_rounds([won, two, again, lost]) == [won, two, again, lost]
    told = row(None, "0", "0")
    assert list_scored_rounds([told, told]) == [told, told]


FULL, ACT = Text("journal.trouble"), Text("live.undone", {"what": Text("leaving.why")})


@pytest.mark.parametrize(
    ("waiting", "last", "keeping", "said"),
    [
        (0, ACT, FULL, None),
        (0, None, None, None),
        (1, None, FULL, None),
        (3, None, FULL, Text("leaving.lost_before", {"why": FULL}, 2)),
        (2, None, None, Text("leaving.lost_before", {"why": Text("leaving.why")}, 1)),
        (1, ACT, FULL, Text("leaving.lost", {"why": FULL, "last": ACT}, 1)),
        (4, ACT, None, Text("leaving.lost", {"why": Text("leaving.why"), "last": ACT}, 4)),
    ],
)
def test_what_would_be_lost_by_leaving_now_is_counted(waiting, last, keeping, said) -> None:
    snapshot = msgspec.structs.replace(live_session().snapshot(), waiting=waiting, last=last, keeping=keeping)
    assert describe_unsaved_steps(snapshot) == said
