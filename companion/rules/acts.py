"""The history of a session: acts, the journal's entries, and the chain of moments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import msgspec

from companion.rules.commitments import Note
from companion.rules.contract import GAME_OVER, Event, Problem, Request, Text
from companion.rules.people import SeatChange


class Act(msgspec.Struct, frozen=True):
    """An accepted request with the events that it caused."""

    request: Request
    events: tuple[Event, ...]


Kind: TypeAlias = Literal["act", "undo", "redo", "correct", "note"]


class Entry(msgspec.Struct, frozen=True):
    """One entry of the journal. `act`: `acts` holds the one new act; `correct`: the acts from
    number `at` on are replaced by `acts`.

    `notes`: commitments and openings, stored together with the step, or a change of people. An
    entry `note` is not a step and holds only notes.
    """

    kind: Kind
    acts: tuple[Act, ...] = ()
    at: int = 0
    notes: tuple[Note | SeatChange, ...] = ()


class EntryNotSaved(Problem):
    """Raised by a `commit` that could not make an entry durable: the step is then not taken. `text`
    says what is wrong and what to do."""

    is_in_doubt = False
    """Whether the entry may be saved all the same: the next `commit` decides it, or, if none comes,
    the next start of the program."""


Commit = Callable[[Entry], None]


def discard_entry(_entry: Entry) -> None:
    """Discard the entry: the `commit` of a session without a journal."""


class Moment(msgspec.Struct, frozen=True, eq=False):
    """The session after one act: the moment before (None: this is the beginning), the act, its
    description, and the state.

    `number` is the number of acts up to here.
    """

    before: Moment | None
    act: Act | None
    words: tuple[Text, ...]
    state: Any
    number: int

    def moment_at(self, number: int) -> Moment:
        """Return the moment after act number `number` of this chain."""
        moment = self
        # Backwards: each moment knows the one before it only.
        while moment.number > number and moment.before is not None:
            moment = moment.before
        return moment

    def list_moments(self) -> list[Moment]:
        """List the moments of this chain from the first act to this one."""
        moments: list[Moment] = []
        moment = self
        # The beginning is a moment, too, but no act led to it.
        while moment.before is not None:
            moments.append(moment)
            moment = moment.before
        return moments[::-1]

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return bool(self.state.phase == GAME_OVER)


def list_acts_since(moment: Moment, at: int) -> tuple[Act, ...]:
    """List the acts of this chain from number `at` on."""
    acts: list[Act] = []
    while moment.number > at and moment.act is not None and moment.before is not None:
        acts.append(moment.act)
        moment = moment.before
    return tuple(reversed(acts))
