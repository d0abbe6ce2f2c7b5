"""What a view is given: an open evening, and what runs behind its table beside the live session
(the demo's hands, a folder of photos that is paged by key)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from companion.live.live import Live
from companion.plan import Plan
from companion.rules.contract import Choice, Request, Text
from companion.table.sightings import Post, TableReader, nobody
from companion.views.invitation import ShareSwitch
from companion.views.spoken import Speaker

if TYPE_CHECKING:
    from companion.readers.rfid.simulator import VirtualBoard
    from companion.views.dashboard.widgets.preview import EnlargedOf, LabelsOf, PreviewOf


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


POSE = 5.0
"""Seconds from the wish for a photo of the people to the photo: enough to join them."""

BARE: Final = Backstage()
"""A table behind which nothing runs."""


def nothing() -> None:
    """There is no card to look at."""


class Evening(msgspec.Struct, eq=False):
    """Everything that is open while people play.

    `plan`: what people chose. `readers`: what reports to `post` what lies on the table.
    `picture_of`: the camera's newest annotated picture, None where there is no camera; `labels_of`:
    the names of its cards; `enlarged_of`: the card that it looks at most closely; `photograph`:
    keeps a photo of the people, and says what came of it, None where there is no camera. `board`:
    the simulated card reader. `speaker`: hears every change. `sharing`: how other screens may join.
    `told`: what is said at the start (there is no voice). `closing`: what is to be closed, the last
    first.
    """

    plan: Plan
    live: Live
    backstage: Backstage = BARE
    readers: Sequence[TableReader] = ()
    post: Post = nobody
    picture_of: PreviewOf | None = None
    labels_of: LabelsOf = tuple
    enlarged_of: EnlargedOf = nothing
    photograph: Callable[[], Text] | None = None
    board: VirtualBoard | None = None
    speaker: Speaker | None = None
    sharing: ShareSwitch | None = None
    told: Sequence[Text] = ()
    closing: ExitStack = msgspec.field(default_factory=ExitStack)

    def start(self) -> None:
        """Let every reader begin to report."""
        for reader in self.readers:
            reader.start(self.post)

    def close(self) -> None:
        """Stop hands and readers, write what was learnt, then close recording and journal."""
        self.closing.close()
