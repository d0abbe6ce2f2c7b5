"""Count saved sessions into tables of numbers and words, for the terminal and for charts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import TypeAlias

import msgspec

from companion.journal.summaries import SessionSummary
from companion.rules.contract import Tally, Text, format_points


class Title(msgspec.Struct, frozen=True):
    """A game, to be shown by its title."""

    game: str


Cell: TypeAlias = "Title | Text | str | int | float | None"
"""A game, words, a player's name, a count, a share (0 to 1), a mean, or nothing."""
COLUMNS = 7
"""Players who have a column each, and who are compared two by two: those with most games. More do
not fit on a screen."""


class Column(msgspec.Struct, frozen=True):
    """Heading of a column, and the kind of its cells: `count`, `share` (0 to 1), `mean`, `change`
    (a mean with its sign) or `words`."""

    heading: Text | str
    kind: str = "count"


class FiguresTable(msgspec.Struct, frozen=True):
    """Table whose rows begin with words. `game`: whose catalogue applies, None: the common one.
    `bars`: the column that a chart draws, None: no chart."""

    title: Text
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    game: str | None = None
    bars: int | None = None


def build_tables(plays: Sequence[SessionSummary]) -> list[FiguresTable]:
    """Return all tables for these sessions: first those common to all games, then each game's own.
    Empty tables are left out."""
    ended = sorted((play for play in plays if play.is_over), key=lambda play: (play.begun, play.number))
    found = [build_games_table(plays), build_standings_table(ended), build_head_to_head_table(ended)]
    for game in dict.fromkeys(play.game for play in plays):
        own = [play for play in plays if play.game == game]
        found += [
            build_points_table(game, [play for play in own if play.is_over]),
            *build_tally_tables(game, own),
        ]
    return [table for table in found if table.rows]


def build_games_table(plays: Sequence[SessionSummary]) -> FiguresTable:
    """Count each game's sessions, those played to the end, hours and players."""
    columns = (
        Column(Text("figures.game"), "words"),
        Column(Text("figures.sessions")),
        Column(Text("figures.ended")),
        Column(Text("figures.hours"), "mean"),
        Column(Text("figures.players")),
    )
    rows = []
    for game in dict.fromkeys(play.game for play in plays):
        own = [play for play in plays if play.game == game]
        people = {name for play in own for name in play.players}
        hours = sum(play.minutes for play in own) / 60
        rows.append((Title(game), len(own), sum(play.is_over for play in own), hours, len(people)))
    return FiguresTable(Text("figures.games"), columns, tuple(rows), bars=1)


def build_standings_table(ended: Sequence[SessionSummary]) -> FiguresTable:
    """Count each player's games, wins (a shared win counts for everyone who shares it), win rate,
    and current and longest winning streak."""
    columns = (
        Column(Text("figures.player"), "words"),
        Column(Text("figures.played")),
        Column(Text("figures.wins")),
        Column(Text("figures.rate"), "share"),
        Column(Text("figures.streak")),
        Column(Text("figures.longest")),
    )
    rows = []
    for name in _list_players(ended):
        won = [name in play.winners for play in ended if name in play.players]
        now, longest = count_streaks(won)
        rows.append((name, len(won), sum(won), sum(won) / len(won), now, longest))
    rows.sort(key=lambda row: (-row[3], -row[1], row[0]))
    return FiguresTable(Text("figures.standings"), columns, tuple(rows), bars=3)


def count_streaks(won: Iterable[bool]) -> tuple[int, int]:
    """Return the winning streak at the end, and the longest.

    >>> count_streaks([True, True, False, True])
    (1, 2)
    """
    now = longest = 0
    for one in won:
        now = now + 1 if one else 0
        longest = max(longest, now)
    return now, longest


def build_head_to_head_table(ended: Sequence[SessionSummary]) -> FiguresTable:
    """Count, for every two players who have played against each other, how often each was ranked
    before the other, and how often they tied. Partners are not compared."""
    columns = (
        Column(Text("figures.pair"), "words"),
        Column(Text("figures.together")),
        Column(Text("figures.first_ahead")),
        Column(Text("figures.second_ahead")),
        Column(Text("figures.level")),
    )
    ahead: Counter[tuple[str, str]] = Counter()
    level: Counter[tuple[str, str]] = Counter()
    order = {name: place for place, name in enumerate(_list_players(ended)[:COLUMNS])}
    for play in ended:
        # In the same order for all sessions: a pair must be counted under one key.
        for one, other in combinations(sorted(order.keys() & play.players, key=order.__getitem__), 2):
            if play.sides[one] == play.sides[other]:
                continue
            better = play.ranks[other] - play.ranks[one]
            ahead[one, other] += better > 0
            ahead[other, one] += better < 0
            level[one, other] += better == 0
    rows = [
        (
            Text("figures.versus", {"one": one, "other": other}),
            ahead[one, other] + ahead[other, one] + ties,
            ahead[one, other],
            ahead[other, one],
            ties,
        )
        for (one, other), ties in level.items()
    ]
    rows.sort(key=lambda row: -row[1])
    return FiguresTable(Text("figures.head_to_head"), columns, tuple(rows))


def build_points_table(game: str, ended: Sequence[SessionSummary]) -> FiguresTable:
    """Return each player's mean, highest and lowest points in finished games; where the lowest
    points win, the highest are the worst."""
    columns = (
        Column(Text("figures.player"), "words"),
        Column(Text("figures.played")),
        Column(Text("figures.wins")),
        Column(Text("figures.mean_points"), "mean"),
        Column(Text("figures.most")),
        Column(Text("figures.least")),
    )
    rows = []
    for name in _list_players(ended):
        won = [Fraction(play.points[name]) for play in ended if name in play.players]
        wins = sum(name in play.winners for play in ended)
        rows.append(
            (
                name,
                len(won),
                wins,
                float(sum(won) / len(won)),
                format_points(max(won)),
                format_points(min(won)),
            )
        )
    return FiguresTable(Text("figures.points"), columns, tuple(rows), game, bars=3)


def build_tally_tables(game: str, plays: Sequence[SessionSummary]) -> list[FiguresTable]:
    """Count a game's tallies: for each of its counts how often, how often correctly, with what
    points; and by player."""
    groups: dict[str, list[Tally]] = defaultdict(list)
    for play in plays:
        for tally in play.tallies:
            groups[tally.table].append(tally)
    people = _list_players(plays)[:COLUMNS]
    return [
        table
        for name, group in groups.items()
        for table in (_build_totals_table(game, name, group), _build_player_table(game, name, group, people))
    ]


def _build_totals_table(game: str, name: str, group: Sequence[Tally]) -> FiguresTable:
    rated = any(one.right is not None for one in group)
    scored = any(one.points is not None for one in group)
    usual = _compute_mean_points([one for one in group if one.usual])
    columns = [Column(Text(f"figures.{name}"), "words"), Column(Text("figures.times"))]
    columns += [Column(Text("figures.right"), "share")] if rated else []
    columns += [Column(Text("figures.mean_points"), "mean")] if scored else []
    columns += [Column(Text("figures.worth"), "change")] if usual is not None else []
    rows = []
    for word, some in _group_tallies(group):
        row: list[Cell] = [word, _count_times(some)]
        row += [_compute_right_share(some)] if rated else []
        row += [_compute_mean_points(some)] if scored else []
        if usual is not None:
            mean = _compute_mean_points(some)
            # The usual case is what the others are compared with.
            row.append(None if some[0].usual or mean is None else mean - usual)
        rows.append(tuple(row))
    bars = len(columns) - 1 if len(columns) > 2 else 1
    return FiguresTable(Text(f"figures.{name}"), tuple(columns), tuple(rows), game, bars=bars)


def _build_player_table(game: str, name: str, group: Sequence[Tally], people: Sequence[str]) -> FiguresTable:
    measure, kind = _choose_measure(group)
    columns = [Column(Text(f"figures.{name}"), "words"), *(Column(one, kind) for one in people)]
    rows = [
        (word, *(measure([one for one in some if one.player == player]) for player in people))
        for word, some in _group_tallies(group)
    ]
    word = {"mean": "figures.by_player.points", "share": "figures.by_player.right"}.get(
        kind, "figures.by_player.times"
    )
    return FiguresTable(Text(word, {"what": Text(f"figures.{name}")}), tuple(columns), tuple(rows), game)


def _choose_measure(group: Sequence[Tally]) -> tuple[Callable[[Sequence[Tally]], Cell], str]:
    """Return the measure of a player's part in a count, and its kind: mean points if there are any,
    else the share of correct ones, else the number."""
    if any(one.points is not None for one in group):
        return _compute_mean_points, "mean"
    if any(one.right is not None for one in group):
        return _compute_right_share, "share"
    return _count_times, "count"


def _group_tallies(group: Sequence[Tally]) -> list[tuple[Text, list[Tally]]]:
    """Group a count into its rows, most frequent first, the usual case last."""
    rows: dict[tuple[str, str], list[Tally]] = defaultdict(list)
    for one in group:
        # As a string: a `Text` holds a dictionary, so it cannot be hashed.
        rows[one.row.code, str(one.row.args)].append(one)
    return [
        (some[0].row, some)
        for some in sorted(rows.values(), key=lambda some: (some[0].usual, -_count_times(some)))
    ]


def _count_times(tallies: Iterable[Tally]) -> int:
    return sum(one.times for one in tallies)


def _compute_right_share(tallies: Sequence[Tally]) -> float | None:
    judged = _count_times(one for one in tallies if one.right is not None)
    return _count_times(one for one in tallies if one.right) / judged if judged else None


def _compute_mean_points(tallies: Sequence[Tally]) -> float | None:
    scored = [one for one in tallies if one.points is not None]
    # `Fraction` only for shared points: most are integers, which are added much faster.
    won = sum(Fraction(one.points) if isinstance(one.points, str) else one.points or 0 for one in scored)
    return float(won / _count_times(scored)) if scored else None


def _list_players(plays: Sequence[SessionSummary]) -> list[str]:
    """List all players, those with most sessions first."""
    return [name for name, _ in Counter(name for play in plays for name in play.players).most_common()]
