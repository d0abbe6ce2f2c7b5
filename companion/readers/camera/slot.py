"""One frame between two threads: the newest, or each in its turn."""

from __future__ import annotations

import threading

from companion.readers.camera.sources import Frame


class Slot:
    """Holds at most one frame. `dropped` counts the frames that a newer one replaced."""

    def __init__(self) -> None:
        self._frame: Frame | None = None
        self._busy = False
        self._closed = False
        self._changed = threading.Condition()
        self.dropped = 0

    def put(self, frame: Frame, every: bool) -> None:
        """Leave a frame; with `every`, wait until the one before is dealt with, else replace it."""
        with self._changed:
            # `_busy` too: of a film each frame counts, and one that was taken has not been looked
            # at yet.
            if every:
                self._changed.wait_for(lambda: self._closed or not (self._busy or self._frame))
            self.dropped += self._frame is not None
            self._frame = frame
            self._changed.notify_all()

    def take(self, seconds: float | None = None) -> Frame | None:
        """Return the frame, waiting so long for one, or for ever; None when there is none, or the
        slot was closed. Taking says that the one before is dealt with."""
        with self._changed:
            self._busy = False
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._closed or self._frame is not None, seconds)
            frame, self._frame = self._frame, None
            self._busy = frame is not None
            return None if self._closed else frame

    @property
    def closed(self) -> bool:
        """Whether no frame will come any more."""
        return self._closed

    @property
    def waiting(self) -> bool:
        """Whether a frame waits to be taken, or none will come any more."""
        return self._closed or self._frame is not None

    def drain(self) -> None:
        """Wait until the last frame has been dealt with."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or not (self._busy or self._frame))

    def close(self) -> None:
        """Let both sides go."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
