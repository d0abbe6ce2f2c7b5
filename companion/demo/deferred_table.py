"""Start the demo table in the background, without importing OpenCV first.

Rendering the cards and the cloth takes a second or more, so the table is created only after its
screen has been painted. Also here: the demo's keys (speed, single step, taking over a seat), and
stickers for its cards, because the simulated reader needs a tag on each physical card.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

from companion.rules.contract import Choice, Request, Text
from companion.table.decks import Deck
from companion.table.sightings import Post
from companion.views.table_session import Backstage, Command

if TYPE_CHECKING:
    from companion.demo.table import DemoTable
    from companion.live.live_session import LiveSession
    from companion.readers.camera.pictures import CardLabel, EnlargedCard, PreviewPicture
    from companion.readers.camera.reader import CameraReader
    from companion.readers.camera.sources import Source


def make_demo_commands(table: Callable[[], DemoTable | None]) -> Sequence[Command]:
    """Return the demo's key commands; they do nothing until there is a table."""
    rows: Sequence[tuple[str, str, str, Callable[[DemoTable], object]]] = (
        ("plus", "+", "demo.faster", lambda there: there.change_speed(1)),
        ("minus", "-", "demo.slower", lambda there: there.change_speed(-1)),
        ("s", "s", "demo.step", lambda there: there.stage.step()),
        ("o", "o", "demo.take_over", lambda there: there.toggle_human_seat()),
    )
    return tuple(
        Command(key, Text(label), _bind_command(table, act), typed) for key, typed, label, act in rows
    )


def _bind_command(
    table: Callable[[], DemoTable | None], act: Callable[[DemoTable], object]
) -> Callable[[], object]:
    def run_command() -> object:
        demo_table = table()
        return None if demo_table is None else act(demo_table)

    return run_command


class DeferredTable(Backstage):
    """Stand-in for the demo table and its camera, before and after the table exists.

    At the first `tick`, which the screen sends once it has been painted, `make` is called with the
    live session in a thread of its own; an exception it raises is raised by a later `tick`.
    `camera` reads the drawn table as soon as it exists.
    """

    name = "camera"

    def __init__(self, make: Callable[[LiveSession], DemoTable]) -> None:
        self._make = make
        self._table: DemoTable | None = None
        self._making: Future[DemoTable] | None = None
        self._live: LiveSession | None = None
        self._post: Post | None = None
        self._paused = False
        self.commands = make_demo_commands(lambda: self._table)

    @property
    def camera(self) -> DeferredTable:
        """The reader that sees the drawn table."""
        return self

    @property
    def source(self) -> Source | None:
        """The source of the pictures, once the table exists."""
        return None if self._camera_reader is None else self._camera_reader.source

    @property
    def _camera_reader(self) -> CameraReader | None:
        return None if self._table is None else self._table.camera

    def attach_session(self, live: LiveSession) -> None:
        """Play the session `live_session` from its current state."""
        self._live = live

    def start(self, post: Post) -> None:
        """Remember `post`, to which the camera reports once the table exists."""
        self._post = post

    def tick(self, now: float) -> None:
        """Create the table, or let its players continue."""
        if self._table is not None:
            self._table.tick(now)
        elif self._making is None:
            hands = ThreadPoolExecutor(1, "demo table")
            assert self._live is not None
            self._making = hands.submit(self._make, self._live)
            # Takes no further jobs; the submitted one is finished.
            hands.shutdown(wait=False)
        elif self._making.done():
            self._attach_table(self._making.result())

    def _attach_table(self, table: DemoTable) -> None:
        assert self._live is not None
        table.attach_session(self._live)
        # The user may have paused or resumed while the table was being created.
        table.set_paused(self._paused)
        if table.camera is not None and self._post is not None:
            table.camera.start(self._post)
        self._table, self.people = table, table.people

    def set_paused(self, paused: bool) -> None:
        """Pause or resume the hands."""
        self._paused = paused
        if self._table is not None:
            self._table.set_paused(paused)

    def draw_preview(self, width: int) -> PreviewPicture | None:
        """Return the newest picture with the cards' outlines."""
        return None if self._camera_reader is None else self._camera_reader.draw_preview(width)

    def list_labels(self) -> list[CardLabel]:
        """Return the identified cards and their places in the picture."""
        return [] if self._camera_reader is None else self._camera_reader.list_labels()

    def enlarge_card(self) -> EnlargedCard | None:
        """Return the card being examined most closely."""
        return None if self._camera_reader is None else self._camera_reader.enlarge_card()

    def list_playable_choices(self, player: str) -> Sequence[Choice]:
        """List what a person at this seat can do now."""
        return () if self._table is None else self._table.list_playable_choices(player)

    def perform_request(self, wish: Request) -> Text | None:
        """Let hands perform a person's choice."""
        return None if self._table is None else self._table.perform_request(wish)

    def close(self) -> None:
        """Close the table and its camera; waits for a table that is still being created."""
        if self._table is None and self._making is not None:
            # Waits, and ignores a failure: the program is closing.
            self._making.exception()
            return
        if self._table is not None:
            self._table.close()
            if self._table.camera is not None:
                self._table.camera.close()


_MAKER = 0x04
"""First byte of a tag's id: the chip's manufacturer (ISO/IEC 7816-6), as on NTAG213."""


SPARE_TAGS = 7
"""Additional tags of each design, one for each seat where a card may be face down: see
`VirtualTrays.lay_card`."""


def assign_tags(deck: Deck, spare: int = 0) -> Deck:
    """Return a deck in which every physical card has a tag, plus `spare` more per design; existing
    tags are kept.

    The made-up ids are the same each time.
    """
    number = 0
    for design in deck.designs:
        for copy in range(len(design.tags), design.copies + spare):
            # Counted without the spares, so that these change no other card's id.
            number += copy < design.copies
            deck = deck.with_tag(design.name, f"{_MAKER:02x}{number:04x}{copy:02x}c0ffee")
    return deck
