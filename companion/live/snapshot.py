"""What a view may see of the live session: one frozen value, made anew after every change. Views
read it and decide nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from companion.journal.lines import Lines
from companion.live.scores import RoundRow
from companion.rules.contract import Choice, Reason, Refusal, Setup, Text, View
from companion.rules.figures import Odds
from companion.rules.people import People
from companion.table.sightings import Health


class ShownQuestion(msgspec.Struct, frozen=True):
    """A question to the table (readers disagree, or a card cannot be where it is seen); answered by
    one of `choices` or put aside."""

    id: int
    text: Text
    clause: str | None
    choices: tuple[Choice, ...] = ()


class CardMove(msgspec.Struct, frozen=True):
    """A real card to move, or to check: its name, from where, to where (a place of `Game.layout`;
    None: away, or from anywhere)."""

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
    warning: Literal["none", "soon", "up"] = "none"


class LeagueLamp(msgspec.Struct, frozen=True):
    """How this table stands to its league: whether the server is there, how many entries wait to be
    sent, and why something is not."""

    connected: bool
    waiting: int = 0
    trouble: Text | None = None


class Snapshot(msgspec.Struct, frozen=True):
    """Everything a view needs. `number` grows by one with every change.

    `last` is the text of the last accepted act; `refusal` the last refusal since then, if any.
    `moves` are real cards to move or check (after an undo, a correction or a resume), until
    confirmed; `unasked` those of which only keys have told: listed for whoever asks. `keeping`
    tells whether the journal is on disk, or why not; `waiting`: how many entries no disk has taken
    yet. `rounds`: what each player won in each round
    so far. `can_count`: whether the deck can be counted before it is
    played. `decided`: whose decision is sealed until all have decided. `people`: who sits where;
    `view` and texts call everybody as at the start. `paused`: the table has stopped for a while.
    `resolved`: the act that stands last has resolved something (a round, a trick, a challenge),
    which `report` tells; `gained`: the points that it changed, as text. `odds`: the chance that
    onlookers wished to see. `league`: None where the table is in none.
    """

    number: int
    setup: Setup
    view: View
    awaited: Text
    report: tuple[Reason, ...]
    last: Text | None
    refusal: Refusal | None
    log: Lines
    questions: tuple[ShownQuestion, ...]
    moves: tuple[CardMove, ...]
    health: tuple[Health, ...]
    clock: ClockFace | None
    keeping: Text | None
    can_undo: bool
    can_redo: bool
    notice: Text | None = None
    rounds: tuple[RoundRow, ...] = ()
    can_count: bool = False
    unasked: tuple[CardMove, ...] = ()
    waiting: int = 0
    decided: tuple[str, ...] = ()
    people: People = People(())
    paused: bool = False
    odds: Odds | None = None
    resolved: bool = False
    league: LeagueLamp | None = None
    gained: Mapping[str, str] = {}
