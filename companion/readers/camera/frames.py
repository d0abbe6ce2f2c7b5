"""Frames in two threads: one takes them from a source, keeping only the newest; another looks at
them. Whoever looks says what for."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Callable

from companion.readers.camera.skip_count import SkipCount
from companion.readers.camera.slot import Slot
from companion.readers.camera.sources import Frame, Photos, Source, SourceError
from companion.readers.thread import ThreadReader, what_happened
from companion.rules.contract import Text
from companion.table.sightings import Battery

RETRY = (0.5, 1.0, 2.0, 3.0)
"""Seconds between attempts to open a device that is not there; the last for all further ones."""


class FrameReader(ThreadReader):
    """Opens a source, waits for a device that is unplugged, and calls `look_at` with its frames.

    `looked` counts the frames that were looked at.
    """

    def __init__(self, source: Source, name: str = "camera") -> None:
        super().__init__(name)
        self.source = source
        self.looked = 0
        self._slot = Slot()
        self._size: tuple[int, int] | None = None
        self._said: Text | None = None
        self._skipping = SkipCount()
        self._battery: Battery | None = None

    @property
    def restarts(self) -> bool:
        """Only a device: a film that began anew would show the evening a second time."""
        return self.source.returns

    @property
    def skipped(self) -> int:
        """How many frames could not be looked at."""
        return self._skipping.skipped

    @property
    def dropped(self) -> int:
        """How many frames a newer one replaced before they were looked at."""
        return self._slot.dropped

    @property
    def size(self) -> tuple[int, int] | None:
        """Width and height of the camera's picture, once there is one."""
        return self._size

    @abstractmethod
    def look_at(self, frame: Frame) -> None:
        """Look at a frame. The reader's thread calls it; so may whoever has their own clock."""

    def go_on(self) -> bool:
        """Do a little more, some milliseconds, of what the frames so far gave to do, and tell
        whether there was any; called while no newer frame waits. None by default."""
        return False

    def begun(self) -> None:
        """Get ready for frames: the source was opened, at first or anew. Nothing by default."""
        return

    def rest_after(self, frame: Frame) -> float:
        """Return the seconds for which no frame is looked at after this one; 0 by default."""
        return 0.0

    def wake(self) -> None:
        """Let the threads go that wait for a frame."""
        self._slot.close()

    def run(self) -> None:
        """Take frames until the source ends; a device that is unplugged is waited for."""
        self._slot = Slot()
        looker = threading.Thread(target=self._look, name=f"{self.name} looks", daemon=True)
        looker.start()
        self.tell("starting", Text("reader.camera.starting", {"device": self.source.name}))
        try:
            attempt = 0
            while not self.ending and not self._taken():
                self.wait(RETRY[min(attempt, len(RETRY) - 1)])
                attempt += 1
        finally:
            self._slot.close()
            looker.join()

    def _taken(self) -> bool:
        """Open the source and take its frames; tell whether there is nothing more to take."""
        try:
            self.source.open()
            self._take()
        except SourceError as error:
            self._say_lost(error.text)
            return not self.source.returns
        finally:
            self.source.close()
        if not self.ending:
            self._slot.drain()
            self.tell("off", Text("reader.camera.ended", {"device": self.source.name}))
        return True

    def _take(self) -> None:
        first = True
        while not self.ending:
            try:
                frame = self.source.read(self.wait)
            except SourceError as error:
                if not error.skip:
                    raise
                self.tell("ok", error.text)
                continue
            if frame is None:
                return
            if first:
                self._begin(frame)
                first = False
            if self.source.battery != self._battery and not self._skipping.blind:
                self._say_well()
            self._slot.put(frame, self.source.every)

    def _begin(self, frame: Frame) -> None:
        """Say that there is a picture."""
        height, width = frame.image.shape[:2]
        self._size = (width, height)
        self._said = None
        self.begun()
        self._say_well()

    def _say_well(self) -> None:
        """Say that pictures come in."""
        width, height = self._size or (0, 0)
        self._battery = battery = self.source.battery
        told = {"device": self.source.name, "width": width, "height": height}
        code = "ok"
        if battery is not None:
            told["level"] = battery.level
            code = "battery_low" if battery.low else "ok_battery"
        self.tell("ok", Text(f"reader.camera.{code}", told), battery)

    def _say_lost(self, text: Text) -> None:
        """Say once what is wrong, however often it is tried again."""
        if text != self._said:
            self._said = text
            self.tell("lost", text)

    def _look(self) -> None:
        # This run's own: a camera that is started again gets another.
        slot = self._slot
        while (frame := slot.take()) is not None:
            try:
                self.look_at(frame)
                while not slot.waiting and self.go_on():
                    pass
            except Exception as error:  # one bad picture must not end the camera
                self._skip(frame, what_happened(error))
            else:
                # Cards may have come or gone in the frames that were left out: all is reported
                # anew.
                if self._skipping.good(frame.at):
                    self.begun()
                    self._say_well()
            rest = self.rest_after(frame)
            if rest:
                self.wait(rest)

    def _skip(self, frame: Frame, what: str) -> None:
        """Leave out a frame that could not be looked at; a photo is said at once, of a film what
        goes on."""
        goes_on = self._skipping.bad(frame.at)
        if frame.alone:
            self.tell("ok", Text("reader.camera.unread_photo", {"file": frame.name, "what": what}))
        elif goes_on:
            told = {"device": self.source.name, "what": what, "count": self.skipped}
            self.tell("lost" if self._skipping.blind else "ok", Text("reader.camera.unreadable_frames", told))


class Onlooker(FrameReader):
    """Passes every frame to `see`, which tells of a photo whether the next may come."""

    def __init__(self, source: Source, see: Callable[[Frame], bool], name: str = "camera") -> None:
        super().__init__(source, name)
        self._see = see

    def look_at(self, frame: Frame) -> None:
        """Pass the frame on."""
        done = self._see(frame)
        self.looked += 1
        if done and isinstance(self.source, Photos):
            self.source.next()
