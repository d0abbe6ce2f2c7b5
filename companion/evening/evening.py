"""What is open while people play: the live session, its readers, and what runs behind the table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from companion.evening.sharing import phone_of
from companion.live.live import Live
from companion.plan import Plan
from companion.table.sightings import Post, Reader
from companion.views.host import Backstage

if TYPE_CHECKING:
    from companion.readers.camera.phone import Phone
    from companion.readers.camera.preview import Preview
    from companion.readers.camera.sources import Source
    from companion.readers.nfc.phone import PhonePads
    from companion.readers.rfid.virtual import VirtualBoard
    from companion.views.dashboard.widgets.preview import Picture

PREVIEW = 240
"""Pixels across the picture that the dashboard draws in half blocks; below 320 it carries outlines
but no names."""


class CameraView(Reader, Protocol):
    """A reader that looks: a camera."""

    @property
    def source(self) -> Source | None:
        """Where the pictures come from; None: from nowhere yet."""

    def preview(self, width: int) -> Preview | None:
        """Return the newest picture with the outlines of the cards."""

    def labels(self) -> list[tuple[float, float, str]]:
        """Return where in it which cards are."""


class Readers(NamedTuple):
    """Everything that reports what lies on the table: cameras, card readers, recordings."""

    cameras: Sequence[CameraView] = ()
    boards: Sequence[Reader] = ()
    replayed: Sequence[Reader] = ()

    @property
    def all(self) -> Sequence[Reader]:
        """Every one."""
        return (*self.cameras, *self.boards, *self.replayed)


class Closable(Protocol):
    """What is to be closed at the end."""

    def close(self) -> None:
        """Let go of everything."""


class Evening:
    """Everything that is open while people play. `start` sets the readers going, `close` releases
    every device.

    `plan`: what people chose. `post`: where the readers report to. `backstage`: what runs behind
    the table, with keys of its own. `around`: what is to be closed before the readers, and what
    after them, in this order.
    """

    def __init__(
        self,
        plan: Plan,
        live: Live,
        readers: Readers,
        *,
        post: Post,
        backstage: Backstage | None,
        around: tuple[Sequence[Closable], Sequence[Closable]],
    ) -> None:
        self.plan = plan
        self.live = live
        self.backstage = backstage
        self._readers = readers
        self._post = post
        self._before, self._after = around

    def start(self) -> None:
        """Let every reader begin to report."""
        for reader in self._readers.all:
            reader.start(self._post)

    def picture(self) -> Picture | None:
        """Return the first camera's newest picture with the outlines of the cards; None while there
        is none."""
        for reader in self._readers.cameras[:1]:
            preview = reader.preview(PREVIEW)
            return None if preview is None else preview.image
        return None

    def labels(self) -> list[tuple[float, float, str]]:
        """Return where in that picture which cards are."""
        return self._readers.cameras[0].labels() if self._readers.cameras else []

    @property
    def phone(self) -> Phone | None:
        """The phone that is to be a camera, if one was asked for."""
        sources = [reader.source for reader in self._readers.cameras]
        return next((phone for source in sources if (phone := phone_of(source))), None)

    @property
    def phone_pads(self) -> PhonePads | None:
        """The phones that read stickers, if that was asked for."""
        if not self._readers.boards:
            return None
        from companion.readers.nfc.phone import PhonePads  # noqa: PLC0415 - who has no card reader waits for none of its libraries

        return next((reader for reader in self._readers.boards if isinstance(reader, PhonePads)), None)

    @property
    def has_camera(self) -> bool:
        """Whether there is a picture to show."""
        return bool(self._readers.cameras)

    @property
    def board(self) -> VirtualBoard | None:
        """The simulated card reader, if there is one."""
        if not self._readers.boards:
            return None
        from companion.readers.rfid.board import SimulatedBoardReader  # noqa: PLC0415 - who has no card reader waits for none of its libraries

        return next(
            (one.board for one in self._readers.boards if isinstance(one, SimulatedBoardReader)), None
        )

    def close(self) -> None:
        """Stop hands and readers, write what was learnt, then close recording and journal."""
        for one in (*self._before, *self._readers.all, *self._after):
            one.close()
