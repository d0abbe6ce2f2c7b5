"""A phone as camera: its browser sends one JPEG after another, of which only the newest counts;
lost and back again at any moment."""

from __future__ import annotations

import threading
import time

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

    def __init__(self) -> None:
        super().__init__("phone")
        self._changed = threading.Condition()
        self._newest: tuple[bytes, float] | None = None
        self._there = False

    def take(self, picture: bytes) -> None:
        """Take a picture as it came, stamped with the moment; one not looked at is forgotten."""
        with self._changed:
            self._newest = (picture, time.monotonic())
            self._there = True
            self._changed.notify_all()

    def charge(self, battery: Battery | None) -> None:
        """Take note of the phone's battery; None: its browser does not tell."""
        self.battery = battery

    @property
    def there(self) -> bool:
        """Whether a phone is sending."""
        return self._there

    def leave(self) -> None:
        """Take note that the phone has gone."""
        with self._changed:
            self._there = False
            self.battery = None
            self._changed.notify_all()

    def open(self) -> None:
        """Begin when a phone sends; raise `SourceError` until then."""
        with self._changed:
            if not self._there:
                raise SourceError("no_phone")

    def read(self, wait: Wait) -> Frame | None:
        """Return the newest picture, once; raise `SourceError` when none has come for `SILENT`
        seconds, or to skip a damaged one."""
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
                return self._decoded(*newest)
            if wait(0.0):
                return None
            if not self._there or time.monotonic() >= deadline:
                raise SourceError("phone_lost")

    @staticmethod
    def _decoded(picture: bytes, at: float) -> Frame:
        try:
            return Frame(decode(np.frombuffer(picture, np.uint8), "the phone's picture"), at)
        except PhotoError as fault:
            raise SourceError("bad_photo", skip=True, file="phone", why=str(fault)) from fault
