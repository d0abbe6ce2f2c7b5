"""Kept sessions as the figures count them (who played, how each ended, what the game tallies), and
plays counted into tables: numbers and the words for them, for terminal and charts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any, TypeAlias

import msgspec
from msgspec.structs import replace

from companion.journal.history import points
from companion.journal.kept import Kept
from companion.rules.contract import Game, Text
from companion.rules.figures import Tally


class PlayedSession(msgspec.Struct, frozen=True):
    """One session; everybody by their right names.

    `ranks` (1 is best, equal for ties) and `winners` are empty where it has not ended; `minutes`:
    to its last act.
    """

    number: int
    game: str
    players: tuple[str, ...]
    begun: float
    minutes: float
    points: dict[str, Fraction]
    ranks: dict[str, int]
    winners: tuple[str, ...]
    tallies: tuple[Tally, ...]

    @property
    def over(self) -> bool:
        """Whether it was played to its end."""
        return bool(self.ranks)


def play_of(kept: Kept) -> PlayedSession:
    """Count one session by the acts that stand: what was undone or corrected never happened."""
    session = kept.session()
    view = session.view()
    result = view["result"] or {"ranking": (), "winners": ()}
    last = kept.times[-1] if kept.times else kept.begun
    right = kept.people.right
    tallied = _tallied(session.game, kept, [event for act in session.acts() for event in act.events])
    return PlayedSession(
        number=kept.number,
        game=kept.setup.game,
        players=tuple(right.values()),
        begun=kept.begun,
        minutes=(last - kept.begun) / 60,
        points={right[seat]: Fraction(total) for seat, total in points(view).items()},
        ranks={right[row["player"]]: row["rank"] for row in result["ranking"]},
        winners=tuple(right[seat] for seat in result["winners"]),
        tallies=tuple(replace(one, player=right.get(one.player, one.player)) for one in tallied),
    )


def _tallied(game: Game[Any], kept: Kept, events: list[Any]) -> tuple[Tally, ...]:
    state = game.start(kept.setup)
    found: list[Tally] = []
    for event in events:
        after = game.evolve(state, event)
        found += game.tallies(state, event, after)
        state = after
    return tuple(found)


class Title(msgspec.Struct, frozen=True):
    """A game, to be called by its own title."""

    game: str


Cell: TypeAlias = "Title | Text | str | int | float | None"
"""A game, words, a player's name, a count, a share (0 to 1) or a mean, or nothing to say."""
COLUMNS = 7
"""Players who have a column each, and who are compared two by two: those with most plays. More do
not fit on a screen."""


class Column(msgspec.Struct, frozen=True):
    """A heading, and what stands below it: `count`, `share` (0 to 1), `mean`, `change` (a mean with
    its sign) or `words`."""

    heading: Text | str
    kind: str = "count"


class FiguresTable(msgspec.Struct, frozen=True):
    """Rows, each with words first. `game`: whose words, None: the common ones. `bars`: the column
    that a chart draws, None: no chart."""

    title: Text
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    game: str | None = None
    bars: int | None = None


def tables(plays: Sequence[PlayedSession]) -> list[FiguresTable]:
    """Return all figures of these plays: first those that every game has, then each game's own.
    Tables without a row are left out."""
    ended = sorted((play for play in plays if play.over), key=lambda play: (play.begun, play.number))
    found = [games(plays), standings(ended), head_to_head(ended)]
    for game in dict.fromkeys(play.game for play in plays):
        own = [play for play in plays if play.game == game]
        found += [points_of(game, [play for play in own if play.over]), *tallied(game, own)]
    return [table for table in found if table.rows]


def games(plays: Sequence[PlayedSession]) -> FiguresTable:
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
        rows.append((Title(game), len(own), sum(play.over for play in own), hours, len(people)))
    return FiguresTable(Text("figures.games"), columns, tuple(rows), bars=1)


def standings(ended: Sequence[PlayedSession]) -> FiguresTable:
    """Count each player's games, wins (a shared one counts for all who share it), win rate, and
    runs of wins: now, and the longest."""
    columns = (
        Column(Text("figures.player"), "words"),
        Column(Text("figures.played")),
        Column(Text("figures.wins")),
        Column(Text("figures.rate"), "share"),
        Column(Text("figures.streak")),
        Column(Text("figures.longest")),
    )
    rows = []
    for name in _people(ended):
        won = [name in play.winners for play in ended if name in play.players]
        now, longest = streaks(won)
        rows.append((name, len(won), sum(won), sum(won) / len(won), now, longest))
    rows.sort(key=lambda row: (-row[3], -row[1], row[0]))
    return FiguresTable(Text("figures.standings"), columns, tuple(rows), bars=3)


def streaks(won: Iterable[bool]) -> tuple[int, int]:
    """Return the run of wins at the end, and the longest.

    >>> streaks([True, True, False, True])
    (1, 2)
    """
    now = longest = 0
    for one in won:
        now = now + 1 if one else 0
        longest = max(longest, now)
    return now, longest


def head_to_head(ended: Sequence[PlayedSession]) -> FiguresTable:
    """Count, for every two who have played together, how often each was ranked before the other,
    and how often neither."""
    columns = (
        Column(Text("figures.pair"), "words"),
        Column(Text("figures.together")),
        Column(Text("figures.first_ahead")),
        Column(Text("figures.second_ahead")),
        Column(Text("figures.level")),
    )
    ahead: Counter[tuple[str, str]] = Counter()
    level: Counter[tuple[str, str]] = Counter()
    order = {name: place for place, name in enumerate(_people(ended)[:COLUMNS])}
    for play in ended:
        for one, other in combinations(sorted(order.keys() & play.players, key=order.__getitem__), 2):
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


def points_of(game: str, ended: Sequence[PlayedSession]) -> FiguresTable:
    """Return each player's mean, best and worst points in the games played to the end; with lowest
    points winning, `most` is the worst."""
    columns = (
        Column(Text("figures.player"), "words"),
        Column(Text("figures.played")),
        Column(Text("figures.wins")),
        Column(Text("figures.mean_points"), "mean"),
        Column(Text("figures.most")),
        Column(Text("figures.least")),
    )
    rows = []
    for name in _people(ended):
        won = [play.points[name] for play in ended if name in play.players]
        wins = sum(name in play.winners for play in ended)
        rows.append((name, len(won), wins, float(sum(won) / len(won)), _plain(max(won)), _plain(min(won))))
    return FiguresTable(Text("figures.points"), columns, tuple(rows), game, bars=3)


def tallied(game: str, plays: Sequence[PlayedSession]) -> list[FiguresTable]:
    """Count what the game tallies: for each of its counts how often, how often rightly, with what
    points; and by player."""
    groups: dict[str, list[Tally]] = defaultdict(list)
    for play in plays:
        for tally in play.tallies:
            groups[tally.table].append(tally)
    people = _people(plays)[:COLUMNS]
    return [
        table
        for name, group in groups.items()
        for table in (_totals(game, name, group), _by_player(game, name, group, people))
    ]


def _totals(game: str, name: str, group: Sequence[Tally]) -> FiguresTable:
    rated = any(one.right is not None for one in group)
    scored = any(one.points is not None for one in group)
    usual = _mean([one for one in group if one.usual])
    columns = [Column(Text(f"figures.{name}"), "words"), Column(Text("figures.times"))]
    columns += [Column(Text("figures.right"), "share")] if rated else []
    columns += [Column(Text("figures.mean_points"), "mean")] if scored else []
    columns += [Column(Text("figures.worth"), "change")] if usual is not None else []
    rows = []
    for word, some in _rows(group):
        row: list[Cell] = [word, len(some)]
        row += [_share(some)] if rated else []
        row += [_mean(some)] if scored else []
        if usual is not None:
            mean = _mean(some)
            row.append(None if some[0].usual or mean is None else mean - usual)
        rows.append(tuple(row))
    bars = len(columns) - 1 if len(columns) > 2 else 1
    return FiguresTable(Text(f"figures.{name}"), tuple(columns), tuple(rows), game, bars=bars)


def _by_player(game: str, name: str, group: Sequence[Tally], people: Sequence[str]) -> FiguresTable:
    measure, kind = _measure(group)
    columns = [Column(Text(f"figures.{name}"), "words"), *(Column(one, kind) for one in people)]
    rows = [
        (word, *(measure([one for one in some if one.player == player]) for player in people))
        for word, some in _rows(group)
    ]
    word = {"mean": "figures.by_player.points", "share": "figures.by_player.right"}.get(
        kind, "figures.by_player.times"
    )
    return FiguresTable(Text(word, {"what": Text(f"figures.{name}")}), tuple(columns), tuple(rows), game)


def _measure(group: Sequence[Tally]) -> tuple[Callable[[Sequence[Tally]], Cell], str]:
    """Return what a player's part in a count is told by: points where there are any, else how often
    it was right, else how often."""
    if any(one.points is not None for one in group):
        return _mean, "mean"
    if any(one.right is not None for one in group):
        return _share, "share"
    return len, "count"


def _rows(group: Sequence[Tally]) -> list[tuple[Text, list[Tally]]]:
    """Sort a count into its rows, the most frequent first, the usual one last."""
    rows: dict[tuple[str, str], list[Tally]] = defaultdict(list)
    for one in group:
        rows[one.row.code, str(one.row.args)].append(one)
    return [
        (some[0].row, some) for some in sorted(rows.values(), key=lambda some: (some[0].usual, -len(some)))
    ]


def _share(some: Sequence[Tally]) -> float | None:
    judged = [one.right for one in some if one.right is not None]
    return sum(judged) / len(judged) if judged else None


def _mean(some: Sequence[Tally]) -> float | None:
    won = [Fraction(one.points) for one in some if one.points is not None]
    return float(sum(won) / len(won)) if won else None


def _plain(points: Fraction) -> Cell:
    return int(points) if points.denominator == 1 else str(points)


def _people(plays: Sequence[PlayedSession]) -> list[str]:
    """List all who played, those with most plays first."""
    return [name for name, _ in Counter(name for play in plays for name in play.players).most_common()]
