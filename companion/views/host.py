"""What a view is given: the live session to read and to pass keys on to, and the extra commands of
what runs behind it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from companion.live.correcting import Correction
from companion.live.snapshot import Snapshot
from companion.rules.contract import Choice, Game, Reason, Refusal, Request, Text
from companion.rules.people import Seated


class Host(Protocol):
    """The live session as a view sees it. No call raises for what a player enters; refusals are in
    the next snapshot too."""

    @property
    def game(self) -> Game[Any]:
        """The game that is played."""

    def snapshot(self) -> Snapshot:
        """Return what is to be shown now."""

    def tick(self, now: float) -> bool:
        """Take in what the readers reported and let the clock run to `now` (monotonic seconds);
        tell whether anything changed."""

    def submit(self, request: Request) -> Refusal | None:
        """Make a request by hand."""

    def undo(self, by: str | None = None) -> Refusal | None:
        """Take back the last step. `by`: the player who does it on a phone; all are told."""

    def redo(self, by: str | None = None) -> Refusal | None:
        """Take back the last undo. `by`: as in `undo`."""

    def correction(self, at: int, request: Request | None, *, insert: bool = False) -> Correction:
        """Think through what it would change to replace act number `at`, to take it out, or to
        insert one before it."""

    def apply(self, correction: Correction, by: str | None = None) -> Refusal | None:
        """Make a correction that has been thought through. `by`: as in `undo`."""

    def choices(self, player: str | None) -> Sequence[Choice]:
        """List what can be entered by hand for `player` now (None: the table)."""

    def choices_at(self, at: int) -> Sequence[Choice]:
        """List what could have been entered instead of act number `at`."""

    def request_at(self, at: int) -> Request | None:
        """Return the request of act number `at`; None where there is none."""

    def shown_elsewhere(self, at: int) -> Sequence[tuple[int, int]]:
        """List the values that the player of act number `at` has shown elsewhere, with the numbers
        of these acts."""

    def choices_before(self, at: int) -> Sequence[tuple[str | None, Choice]]:
        """List what could have been entered before act number `at`, with whose it would be (None:
        the table's)."""

    def seat(self, change: Seated) -> Refusal | None:
        """Let people come and go; it is kept, and no undo takes it back."""

    def answer(self, question: int, choice: int | None) -> None:
        """Answer a question by the number of its choice; None puts it aside."""

    def explain(self, player: str) -> Sequence[Reason]:
        """Say why `player` has the points that they have."""

    def count_cards(self) -> None:
        """Let people lay out the deck to be counted, before the first act."""

    def confirm_moves(self) -> None:
        """Take it that the real cards have been moved, or checked."""

    def pause(self, paused: bool) -> None:
        """Stop or restart the clock."""

    @property
    def tells_odds(self) -> bool:
        """Whether the chance of what is about to be turned up is told."""

    def tell_odds(self, told: bool) -> None:
        """Tell it from now on, or no more."""


class Backstage(Protocol):
    """What runs behind the table beside the live session: the demo's players, a folder of photos
    that is paged by key."""

    @property
    def commands(self) -> Sequence[Command]:
        """Its keys."""

    def tick(self, now: float) -> None:
        """Take the next small step; called as often as the live session's `tick`."""

    def pause(self, paused: bool) -> None:
        """Stand still, or go on."""


@runtime_checkable
class DemoSeats(Protocol):
    """Seats at the demo table that a person may take over: hands then do with the drawn cards what
    the person chooses."""

    @property
    def people(self) -> Collection[str]:
        """The players whose seats are taken over."""

    def wishes(self, player: str) -> Sequence[Choice]:
        """List what the person at this seat may do now with the cards there."""

    def enact(self, wish: Request) -> Text | None:
        """Let hands do it; return what only this person sees by it."""


class Command(NamedTuple):
    """A key of what runs behind the table (the demo's speed, the camera's next photo): shown in the
    footer and the palette.

    What `act` returns, if it is a `Text`, is said to whoever pressed the key. `key`: Textual's name
    of the key (`plus`); `typed`: what is printed on it, and typed in the plain view.
    """

    key: str
    label: Text
    act: Callable[[], object]
    typed: str
