"""Snapshots: all that a view may see of the live session, as one frozen value, replaced after every
change. Views read it and decide nothing.

The table of points by round and player is computed here as well, and what would be lost by leaving
the table now.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

import msgspec

from companion.journal.narration import LogLines
from companion.rules.acts import Moment
from companion.rules.contract import Chance, Choice, Game, Reason, Refusal, Setup, Text, View, VisibleCards
from companion.rules.people import People
from companion.table.fusion import PlacedCard
from companion.table.sightings import Health


class RoundRow(msgspec.Struct, frozen=True):
    """One round: its number (None in a game without rounds), the number of its first act, and what
    each player won in it, as text."""

    label: int | str | None
    first: int
    won: Mapping[str, str]


def list_scored_rounds(rounds: Sequence[RoundRow]) -> list[RoundRow]:
    """Return the rounds without those that brought nothing before they were put off and resolved
    later (a lost donkey): they have a row of the same number there."""
    return [
        row
        for at, row in enumerate(rounds)
        if row.label is None
        or any(won != "0" for won in row.won.values())
        or all(row.label != later.label for later in rounds[at + 1 :])
    ]


# Compared by identity, as `Moment` is: it holds the whole chain of moments before it.
class _Standings(msgspec.Struct, frozen=True, eq=False):
    moment: Moment
    label: int | str | None
    points: Mapping[str, Fraction]
    rows: tuple[RoundRow, ...]
    gained: Mapping[str, str] = {}

    @property
    def has_gains(self) -> bool:
        return bool(self.gained)


class ScoreHistory:
    """Scores of one session, round by round. Only new acts are computed, so a step costs the same
    all evening."""

    def __init__(self, game: Game[Any]) -> None:
        self._game = game
        self._standings: list[_Standings] = []

    def list_rounds(self, now: Moment) -> tuple[RoundRow, ...]:
        """Return the rounds up to `now`."""
        fresh: list[Moment] = []
        moment: Moment | None = now
        while moment is not None and not self._is_recorded(moment):
            fresh.append(moment)
            moment = moment.before
        # After an undo or a correction the branch that was left is dropped; the acts before it stay
        # computed.
        del self._standings[moment.number + 1 if moment is not None else 0 :]
        for one in reversed(fresh):
            self._standings.append(self._build_standings(one))
        return self._standings[-1].rows

    @property
    def last_gains(self) -> Mapping[str, str]:
        """Points that the last act changed, as text; {} if it changed none."""
        return self._standings[-1].gained if self._standings else {}

    def _is_recorded(self, moment: Moment) -> bool:
        return moment.number < len(self._standings) and self._standings[moment.number].moment is moment

    def _build_standings(self, moment: Moment) -> _Standings:
        view = self._game.view(moment.state)
        points = _read_points(view)
        if not self._standings:
            return _Standings(moment, self._game.find_round(view), points, ())
        before = self._standings[-1]
        won = {name: total - before.points[name] for name, total in points.items()}
        gained = {name: str(gain) for name, gain in won.items()} if any(won.values()) else {}
        label, rows = self._game.find_round(view), _add_gains(before, moment.number - 1, won)
        # The act that turned up the new round's first card is its first; one that scored belongs to
        # the round before.
        if label != before.label and not gained:
            rows = (*rows, RoundRow(label, moment.number - 1, dict.fromkeys(points, "0")))
        return _Standings(moment, label, points, rows, gained)


def _add_gains(before: _Standings, first: int, won: Mapping[str, Fraction]) -> tuple[RoundRow, ...]:
    rows = before.rows
    if not rows or rows[-1].label != before.label:
        return (*rows, RoundRow(before.label, first, {name: str(gain) for name, gain in won.items()}))
    if not any(won.values()):
        return rows
    total = {name: str(Fraction(rows[-1].won[name]) + gain) for name, gain in won.items()}
    return (*rows[:-1], msgspec.structs.replace(rows[-1], won=total))


def _read_points(view: View) -> dict[str, Fraction]:
    return {row["name"]: Fraction(row["points"]) for row in view["players"]}


class ShownQuestion(msgspec.Struct, frozen=True):
    """A question to the players (readers disagree, or a card cannot be where it is seen), to be
    answered by one of `choices` or put aside."""

    id: int
    text: Text
    clause: str | None
    choices: tuple[Choice, ...] = ()


class CardMove(msgspec.Struct, frozen=True):
    """A real card to move or to check: its name, its place now, and its target (a place of
    `Game.layout_cards`; None: away, or from anywhere)."""

    card: str
    source: str | None
    target: str | None


class ClockFace(msgspec.Struct, frozen=True):
    """The clock as shown: whose time runs (None: the table's), seconds left in this phase or turn,
    and the players' banks."""

    player: str | None
    left: float | None
    banks: Mapping[str, float]
    paused: bool
    warning: Literal["none", "soon", "up"]


class FollowerStatus(msgspec.Struct, frozen=True):
    """How a follower of the session is doing: `label`, a word or two for a status line, and `text`,
    a sentence without anything that changes with every entry (line by line, each new one is
    printed). `state`: it is up to date, still busy, away for a while, or the players must know what
    is wrong."""

    label: Text
    text: Text
    state: Literal["ok", "waiting", "away", "fault"] = "ok"


class Snapshot(msgspec.Struct, frozen=True):
    """All that a view needs; `number` grows by one with every change.

    `last` is the text of the last accepted act; `refusal` the last refusal since then, if any.
    `moves` are real cards to move or check (after an undo, a correction or a resume), until
    confirmed; `unasked` those known by manual entry only, listed on request. `keeping`: whether the
    journal is on disk, or why not; `waiting`: number of entries not on any disk yet. `rounds`: what
    each player won in each round. `can_count`: whether the deck can be counted before play.
    `decided`: players whose decisions are sealed until all have decided. `people`: who sits where;
    `view` and texts use the names at the start. `paused`: the table is paused. `resolved`: the last
    act has resolved something (a round, a trick, a challenge), which `report` describes;
    `gained`: the points that it changed, as text. `odds`: the chance that onlookers asked to
    see. `followers`: the status of each follower that has one. `lying`: the cards that matter now.
    `seen`: the cards by which readers reported the last step; () for a manual entry.
    """

    number: int
    setup: Setup
    view: View
    awaited: Text
    report: tuple[Reason, ...]
    last: Text | None
    refusal: Refusal | None
    log: LogLines
    questions: tuple[ShownQuestion, ...]
    moves: tuple[CardMove, ...]
    health: tuple[Health, ...]
    clock: ClockFace | None
    keeping: Text | None
    can_undo: bool
    can_redo: bool
    notice: Text | None
    rounds: tuple[RoundRow, ...]
    can_count: bool
    unasked: tuple[CardMove, ...]
    waiting: int
    decided: tuple[str, ...]
    people: People
    paused: bool
    odds: Chance | None
    resolved: bool
    followers: tuple[FollowerStatus, ...]
    gained: Mapping[str, str]
    lying: tuple[VisibleCards, ...]
    seen: tuple[PlacedCard, ...]

    @property
    def warnings(self) -> list[Text]:
        """Problems of the readers and followers, each with what to do about it."""
        return [
            *(health.text for health in self.health if health.needs_attention),
            *(status.text for status in self.followers if status.state == "fault"),
        ]


def describe_unsaved_steps(snapshot: Snapshot) -> Text | None:
    """Return how many steps of this run are in memory only, earlier games included, the last of
    them and why; None if all is stored or nothing was played."""
    why = snapshot.keeping or Text("leaving.why")
    if snapshot.waiting and snapshot.last is not None:
        return Text("leaving.lost", {"why": why, "last": snapshot.last}, snapshot.waiting)
    # Before the first step of this game only its beginning waits, and the steps of earlier games.
    earlier = snapshot.waiting - 1
    return Text("leaving.lost_before", {"why": why}, earlier) if earlier > 0 else None
