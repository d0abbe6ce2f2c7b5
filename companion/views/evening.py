"""What runs behind the table beside the live session: the demo's hands, a folder of photos that is
paged by key; and the keys of its own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final, NamedTuple

from companion.rules.contract import Choice, Request, Text


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


class Backstage:
    """What runs behind the table: here nothing.

    `commands`: its keys. `people`: the players whose seats at the demo table a person has taken
    over; hands then do with the drawn cards what the person chooses.
    """

    commands: Sequence[Command] = ()
    people: Collection[str] = ()

    def tick(self, now: float) -> None:
        """Take the next small step; called as often as the live session's `tick`."""

    def pause(self, paused: bool) -> None:
        """Stand still, or go on."""

    def wishes(self, _player: str) -> Sequence[Choice]:
        """List what the person at this seat may do now with the cards there."""
        return ()

    def enact(self, _wish: Request) -> Text | None:
        """Let hands do it; return what only this person sees by it."""
        return None


BARE: Final = Backstage()
"""A table behind which nothing runs."""
