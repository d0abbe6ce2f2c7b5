"""The demo before its table is there, without OpenCV: the pictures of the cards and the drawn cloth
take a second or more.

A table that is made once its screen is seen, its keys (speed, one step, a seat of one's own), and
stickers for its cards: the simulated reader needs a tag on each physical card.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

from companion.rules.contract import Choice, Request, Text
from companion.table.decks import Deck
from companion.table.sightings import Post
from companion.views.evening import Backstage, Command

if TYPE_CHECKING:
    from companion.demo.table import DemoTable
    from companion.live.live import Live
    from companion.readers.camera.pictures import CardLabel, Enlarged, PreviewPicture
    from companion.readers.camera.reader import CameraReader
    from companion.readers.camera.sources import Source


def demo_keys(table: Callable[[], DemoTable | None]) -> Sequence[Command]:
    """Return the keys; while there is no table yet they do nothing."""
    rows: Sequence[tuple[str, str, str, Callable[[DemoTable], object]]] = (
        ("plus", "+", "demo.faster", lambda there: there.change_speed(1)),
        ("minus", "-", "demo.slower", lambda there: there.change_speed(-1)),
        ("s", "s", "demo.step", lambda there: there.stage.step()),
        ("o", "o", "demo.take_over", lambda there: there.take_over()),
    )
    return tuple(Command(key, Text(label), _at(table, act), typed) for key, typed, label, act in rows)


def _at(table: Callable[[], DemoTable | None], act: Callable[[DemoTable], object]) -> Callable[[], object]:
    def press() -> object:
        there = table()
        return None if there is None else act(there)

    return press


class LaterTable(Backstage):
    """Stands for the demo table, as what runs behind the screen and as its camera, until it is made
    and ever after.

    `make` is called with the game that it is to play, in a thread of its own at the first `tick`,
    which the screen gives when it has been painted; what it raises is raised by a later `tick`.
    `camera` reads the drawn table as soon as there is one.
    """

    name = "camera"

    def __init__(self, make: Callable[[Live], DemoTable]) -> None:
        self._make = make
        self._table: DemoTable | None = None
        self._making: Future[DemoTable] | None = None
        self._live: Live | None = None
        self._post: Post | None = None
        self._paused = False
        self.commands = demo_keys(lambda: self._table)

    @property
    def camera(self) -> LaterTable:
        """The reader that sees the drawn table."""
        return self

    @property
    def source(self) -> Source | None:
        """Where the pictures come from, once the table is there."""
        return None if self._eyes is None else self._eyes.source

    @property
    def _eyes(self) -> CameraReader | None:
        return None if self._table is None else self._table.camera

    def join(self, live: Live) -> None:
        """Play `live`, from where it stands."""
        self._live = live

    def start(self, post: Post) -> None:
        """Let the camera report to `post`."""
        self._post = post

    def tick(self, now: float) -> None:
        """Make the table, or let its players go on."""
        if self._table is not None:
            self._table.tick(now)
        elif self._making is None:
            hands = ThreadPoolExecutor(1, "demo table")
            assert self._live is not None
            self._making = hands.submit(self._make, self._live)
            hands.shutdown(wait=False)
        elif self._making.done():
            self._begin(self._making.result())

    def _begin(self, table: DemoTable) -> None:
        assert self._live is not None
        table.join(self._live)
        table.pause(self._paused)
        if table.camera is not None and self._post is not None:
            table.camera.start(self._post)
        self._table, self.people = table, table.people

    def pause(self, paused: bool) -> None:
        """Let the hands stand still, or go on."""
        self._paused = paused
        if self._table is not None:
            self._table.pause(paused)

    def preview(self, width: int) -> PreviewPicture | None:
        """Return the newest picture with the outlines of the cards."""
        return None if self._eyes is None else self._eyes.preview(width)

    def labels(self) -> list[CardLabel]:
        """Return where in it which cards are."""
        return [] if self._eyes is None else self._eyes.labels()

    def enlarged(self) -> Enlarged | None:
        """Return the card that is looked at most closely."""
        return None if self._eyes is None else self._eyes.enlarged()

    def wishes(self, player: str) -> Sequence[Choice]:
        """List what a person at this seat may do now."""
        return () if self._table is None else self._table.wishes(player)

    def enact(self, wish: Request) -> Text | None:
        """Let hands do what a person has chosen."""
        return None if self._table is None else self._table.enact(wish)

    def close(self) -> None:
        """Let the hands and the camera go; a table that is being made is waited for."""
        if self._table is None and self._making is not None:
            self._making.exception()
            return
        if self._table is not None:
            self._table.close()
            if self._table.camera is not None:
                self._table.camera.close()


_MAKER = 0x04
"""First byte of a tag's id: the chip's maker (ISO/IEC 7816-6), as NTAG213 have it."""


SPARE = 7
"""Further tags of each design, one for each seat where a card may lie face down: see
`VirtualBoard.lay`."""


def stickered(deck: Deck, spare: int = 0) -> Deck:
    """Return the deck in which every physical card has a tag, and `spare` more; those that have one
    keep it.

    Made-up ids are the same each time.
    """
    number = 0
    for design in deck.designs:
        for copy in range(len(design.tags), design.copies + spare):
            # Counted without the spares, so that these change no other card's id.
            number += copy < design.copies
            deck = deck.with_tag(design.name, f"{_MAKER:02x}{number:04x}{copy:02x}c0ffee")
    return deck
