"""A phone as camera: its browser sends one JPEG after another, of which only the newest counts;
lost and back again at any moment."""

from __future__ import annotations

import threading
import time
from contextlib import suppress

import numpy as np

from companion.readers.camera.sources import Frame, Source, SourceError, Wait
from companion.table.sightings import Battery
from vision.errors import PhotoError
from vision.photo import decode

SILENT = 4.0
"""Seconds without a picture after which the phone counts as lost: a screen that was locked, a phone
that left the network."""
_STEP = 0.1


class Phone(Source):
    """The newest picture that was handed to `take`, from whatever thread."""

    every = False
    returns = True
    same = 5.0

    def __init__(self) -> None:
        super().__init__("phone")
        self._changed = threading.Condition()
        self._newest: tuple[bytes, float] | None = None
        self._there = False
        self._blind = False

    def take(self, picture: bytes) -> None:
        """Take a picture as it came, stamped with the moment; one not looked at is forgotten."""
        with self._changed:
            self._newest = (picture, time.monotonic())
            self._there = True
            self._changed.notify_all()

    def charge(self, battery: Battery | None) -> None:
        """Take note of the phone's battery; None: its browser does not tell."""
        self.battery = battery

    def look(self, *, blind: bool) -> None:
        """Take note whether the phone's own camera has stopped, as a call or another program makes
        it; it then sends no pictures."""
        with self._changed:
            self._blind = blind
            self._changed.notify_all()

    @property
    def there(self) -> bool:
        """Whether a phone is sending."""
        return self._there

    def leave(self) -> None:
        """Take note that the phone has gone."""
        with self._changed:
            self._there = False
            self._blind = False
            self.battery = None
            self._changed.notify_all()

    def open(self) -> None:
        """Begin when a phone sends; raise `SourceError` until then."""
        with self._changed:
            if self._blind:
                raise SourceError("phone_blind")
            if not self._there:
                raise SourceError("no_phone")

    def read(self, wait: Wait) -> Frame | None:
        """Return the newest picture, once; raise `SourceError` when none that can be read has come
        for `SILENT` seconds, or when the phone says that its camera has stopped."""
        deadline = time.monotonic() + SILENT
        while True:
            with self._changed:
                newest, self._newest = self._newest, None
                if newest is None:
                    # In steps, so that the reader's end is noticed although no phone sends.
                    self._changed.wait(_STEP)
            if newest is not None:
                # Outside the lock: `take` runs in the server's thread, which must not wait for a
                # JPEG.
                with suppress(PhotoError):
                    return Frame(decode(np.frombuffer(newest[0], np.uint8)), newest[1])
            if wait(0.0):
                return None
            if self._blind:
                raise SourceError("phone_blind")
            if not self._there or time.monotonic() >= deadline:
                raise SourceError("phone_lost")
