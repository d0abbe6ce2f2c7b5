"""The end of a game in words, on television and phones."""

from __future__ import annotations

import msgspec
import pytest

from companion.live.snapshot import RoundRow, Snapshot
from companion.rules.contract import GAME_OVER
from companion.texts import Translator
from companion.views.victory import Victory, describe_victory
from tests.views.table import live_session


def describe_at_end(snapshot: Snapshot) -> Victory | None:
    return describe_victory(snapshot.view, snapshot.rounds, Translator("en"))


def over(ranking, *rounds, winners=("Ann",)):
    """A snapshot of a game that has ended so; `rounds`: what Ann, Bob and Cid won in each."""
    snapshot = live_session(("Ann", "Bob", "Cid")).snapshot()
    result = {
        "winners": list(winners),
        "ranking": [{"player": one, "points": points, "rank": rank} for one, points, rank in ranking],
    }
    rows = tuple(
        RoundRow(number, 0, dict(zip(("Ann", "Bob", "Cid"), map(str, won), strict=True)))
        for number, won in enumerate(rounds, 1)
    )
    view = {**snapshot.view, "phase": GAME_OVER, "result": result}
    return msgspec.structs.replace(snapshot, view=view, rounds=rows)


MOST = (("Ann", 9, 1), ("Bob", 7, 2), ("Cid", 0, 3))
FEWEST = (("Ann", 3, 1), ("Bob", 6, 2), ("Cid", 7, 3))


@pytest.mark.parametrize(
    ("ranking", "rounds", "margin", "turning_point"),
    [
        (MOST, ((5, 3, 0), (4, 0, 0), (0, 4, 0)), "2 more than Bob", "In the lead from the first round"),
        (
            MOST,
            ((1, 3, 0), (8, 0, 0), (0, 4, 0)),
            "2 more than Bob",
            "In the lead for good since round 2 of 3",
        ),
        (MOST, ((0, 7, 0), (5, 0, 0), (4, 0, 0)), "2 more than Bob", "The last round decided it"),
        (FEWEST, ((3, 1, 2), (0, 1, 3), (0, 4, 2)), "3 fewer than Bob", "The last round decided it"),
        (MOST, ((5, 3, 0), (4, 4, 0)), "2 more than Bob", ""),
        (MOST, ((5, 3, 0), (4, 0, 0), (1, 4, 0)), "2 more than Bob", ""),  # counted in another way
        ((("Ann", 7, 1), ("Bob", 7, 2), ("Cid", 0, 3)), ((3, 3, 0), (4, 0, 0), (0, 4, 0)), "", ""),
        ((("Ann", 9, 1), ("Bob", 7, 2), ("Cid", 7, 2)), (), "", ""),
        ((("Ann", "22/3", 1), ("Bob", 7, 2), ("Cid", 0, 3)), (), "", ""),  # shared points
        ((("Ann", "22/3", 1), ("Bob", "16/3", 2), ("Cid", 0, 3)), (), "2 more than Bob", ""),
    ],
)
def test_it_is_said_by_how_much_and_since_when(ranking, rounds, margin, turning_point) -> None:
    told = describe_at_end(over(ranking, *rounds))
    assert told == ("Ann wins!", margin, turning_point)


def test_a_pair_wins_together_and_nobody_wins_before_the_end() -> None:
    pair = describe_at_end(over(MOST, winners=("Ann", "Cid")))
    assert pair == ("Ann + Cid win!", "", "")
    assert describe_at_end(live_session(("Ann", "Bob", "Cid")).snapshot()) is None
    assert describe_at_end(over(MOST, winners=())) is None
