"""The end of a game in words, on television and phones."""

from __future__ import annotations

import re

import msgspec
import pytest

from companion.demo.actions import make_players
from companion.games.donkey_valley.moves import ScoreLoads
from companion.games.dtc.moves import Count
from companion.live.snapshot import RoundRow, Snapshot
from companion.rules.contract import GAME_OVER
from companion.texts import Translator
from companion.views.page_state import build_state
from companion.views.plain_view import PlainView
from companion.views.victory import Victory, describe_victory
from tests.views.table import dashboard, enter, live_session, steady


def describe_at_end(snapshot: Snapshot) -> Victory | None:
    translator = Translator.for_game("en", snapshot.setup.game)
    return describe_victory(snapshot.view, snapshot.rounds, translator)


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
        ((("Ann", 9, 1), ("Bob", 7, 2), ("Cid", 7, 2)), (), "2 more than Bob and Cid", ""),
        # shared points
        ((("Ann", "22/3", 1), ("Bob", 7, 2), ("Cid", 0, 3)), (), "⅓ more than Bob", ""),
        (
            (("Ann", "17/2", 1), ("Bob", 7, 2), ("Cid", 0, 3)),
            (("1/2", 3, 0), (8, 0, 0), (0, 4, 0)),
            "1½ more than Bob",
            "In the lead for good since round 2 of 3",
        ),
        ((("Ann", "22/3", 1), ("Bob", "16/3", 2), ("Cid", 0, 3)), (), "2 more than Bob", ""),
    ],
)
def test_it_is_said_by_how_much_and_since_when(ranking, rounds, margin, turning_point) -> None:
    told = describe_at_end(over(ranking, *rounds))
    assert told is not None
    assert (told.headline, told.margin, told.turning_point) == ("Ann wins!", margin, turning_point)


def test_a_pair_wins_together_and_nobody_wins_before_the_end() -> None:
    pair = describe_at_end(over(MOST, winners=("Ann", "Cid")))
    assert pair is not None
    assert (pair.headline, pair.margin, pair.turning_point) == ("Ann + Cid win!", "", "")
    assert describe_at_end(live_session(("Ann", "Bob", "Cid")).snapshot()) is None
    assert describe_at_end(over(MOST, winners=())) is None


def test_a_round_that_was_put_off_counts_once_and_is_called_by_its_number() -> None:
    snapshot = over(MOST, (1, 3, 0), (0, 0, 0), (8, 0, 0), (0, 2, 0), (0, 2, 0))
    labels = (1, 2, 3, 4, 2)
    rows = [
        msgspec.structs.replace(row, label=label) for row, label in zip(snapshot.rounds, labels, strict=True)
    ]
    told = describe_at_end(msgspec.structs.replace(snapshot, rounds=tuple(rows)))
    assert told is not None
    assert told.turning_point == "In the lead for good since round 3 of 4"


def reported(*loads: tuple[int, ...]) -> Snapshot:
    """The end of a game of Donkey Valley in which Ann, Bob, Cid ... have won these loads."""
    players = ("Ann", "Bob", "Cid", "Dan", "Eve")[: len(loads)]
    live = live_session(players, hands_only=True)
    enter(live, *(ScoreLoads(player, values) for player, values in zip(players, loads, strict=True)))
    return live.snapshot()


@pytest.mark.parametrize(
    ("loads", "tie_break"),
    [
        (((7, 1), (5, 2), (4, 3)), ""),  # no two have as many points
        (((8,), (7, 1), (5,)), "Equal points: whoever won more loads is ahead (Bob 2, Ann 1)"),
        (((9,), (3,), (2, 1)), "Equal points: whoever won more loads is ahead (Cid 2, Bob 1)"),
        (((9,), (3,), (3,)), ""),  # they share the second place
        (((6, 2), (7, 1), (5,)), "Equal points and as many loads won: the victory is shared"),
        (
            ((8,), (7, 1), (5,), (4, 1), (2,)),
            "Equal points: whoever won more loads is ahead (Bob 2, Ann 1; Dan 2, Cid 1)",
        ),
    ],
)
def test_it_is_said_what_decided_between_equal_points(loads, tie_break) -> None:
    told = describe_at_end(reported(*loads))
    assert told is not None
    assert told.tie_break == tie_break
    assert tie_break in told.remarks or not tie_break


async def test_shared_points_are_written_as_people_write_them() -> None:
    live = live_session(("Ann", "Bob", "Cid"), "ascend", bidding=True)
    players = make_players(live.setup)
    while not any(isinstance(row["points"], str) for row in live.snapshot().view["players"]):
        deed = players.next_action(live.list_acts(), live.snapshot().view)
        assert deed is not None
        enter(live, deed.request)
    say, heard = Translator("en", live.game), list[str]()
    plain = PlainView(live, say, heard.append)
    for words in ("now", "why", "last"):
        plain.enter_line(words)
    page = build_state(live.snapshot(), say)
    app = dashboard(live)
    async with app.run_test(size=(120, 40)) as pilot:
        shown = await steady(pilot)
        await pilot.press("e")
        shown += await steady(pilot)
    for told in (shown, str(page), "\n".join(heard)):
        assert "½" in told
        assert not re.search(r"\d/[23]\b", told)


def test_without_a_tie_break_a_tie_is_shared() -> None:
    live = live_session(("Ann", "Bob", "Cid"), "dtc", hands_only=True)
    enter(live, *(Count(player, cards) for player, cards in (("Ann", 20), ("Bob", 20), ("Cid", 26))))
    told = describe_at_end(live.snapshot())
    assert told == ("Ann + Bob win!", "", "Equal points: the victory is shared", "")
