"""Frames in two threads: one takes them from a source, keeping only the newest; another looks at
them. Whoever looks says what for.

Only the first ever waits for a driver, which may hang for ever: the other tells of that, and ends
without it.
"""

from __future__ import annotations

import math
import threading
import time
from abc import abstractmethod
from collections.abc import Callable

from companion.readers.camera.blindness import Blindness
from companion.readers.camera.skip_count import SkipCount
from companion.readers.camera.slot import Slot
from companion.readers.camera.sources import Frame, Photos, Source, SourceError
from companion.readers.thread import ThreadReader, what_happened
from companion.rules.contract import Text
from companion.table.sightings import Battery

RETRY = (0.5, 1.0, 2.0, 3.0)
"""Seconds between attempts to open a device that is not there; the last for all further ones."""
LET_GO = 2.0
"""Seconds that a source may take to let its device go; who hangs in a driver is left behind."""
OPENING = 3
"""How many times as long as between two pictures a source may be silent at its opening."""
_WATCH = 0.1
"""Seconds between two looks at the time, while no frame comes."""
_NAMED = 3
"""Damaged photos in a row that are named; more make no better sentence."""


class FrameReader(ThreadReader):
    """Opens a source, waits for a device that is unplugged, and calls `look_at` with its frames.

    `looked` counts the frames that were looked at.
    """

    def __init__(self, source: Source, name: str = "camera") -> None:
        super().__init__(name)
        self.source = source
        self.looked = 0
        self._slot = Slot()
        self._using = threading.Lock()
        self._unread = False
        self._fault: Exception | None = None
        self._due = math.inf
        self._blindness = Blindness(source.same)
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
        """Look at frames until the source ends; a device that is unplugged is waited for."""
        self._slot, self._fault, self._said = Slot(), None, None
        self._begin_waiting(OPENING)
        taker = threading.Thread(
            target=self._take_all, args=(self._slot, self._ending), name=f"{self.name} takes", daemon=True
        )
        self.tell("starting", Text("reader.camera.starting", {"device": self.source.name}))
        taker.start()
        try:
            self._look()
        finally:
            self._slot.close()
            taker.join(LET_GO)
        if self._fault is not None:
            raise self._fault

    def _take_all(self, slot: Slot, ending: threading.Event) -> None:
        """Take frames until the source ends or nobody looks any more; in a thread of its own."""
        try:
            # Who was left behind in a driver that hangs may still hold the device.
            while not self._using.acquire(timeout=_WATCH):
                if ending.is_set():
                    return
            try:
                attempt = 0
                while not ending.is_set() and not self._taken(slot, ending):
                    ending.wait(RETRY[min(attempt, len(RETRY) - 1)])
                    attempt += 1
            finally:
                self._using.release()
        except Exception as error:  # raised again by `run`
            if not ending.is_set():
                self._fault = error
        finally:
            slot.close()

    def _taken(self, slot: Slot, ending: threading.Event) -> bool:
        """Open the source and take its frames; tell whether there is nothing more to take."""
        try:
            self._begin_waiting(OPENING)
            self.source.open()
            left_out = self._take(slot, ending)
        except SourceError as error:
            if not ending.is_set():
                if not self.source.returns:  # of what has ended each frame counts, the last too
                    slot.drain()
                self._say_lost(error.text)
            return not self.source.returns
        finally:
            self._due = math.inf
            self.source.close()
        if not ending.is_set():
            slot.drain()
            told = {"device": self.source.name}
            if left_out:
                told["file"] = _names(left_out)
                self.tell("lost", Text("reader.camera.ended_damaged", told))
            else:
                self.tell("off", Text("reader.camera.ended", told))
        return True

    def _take(self, slot: Slot, ending: threading.Event) -> list[str]:
        """Take the frames of a source that is open, until it ends; return the names of the photos
        that were left out just before the end."""
        left_out: list[str] = []
        begun = standing = False
        while not ending.is_set():
            try:
                self._begin_waiting(1 if begun else OPENING)
                frame = self.source.read(lambda seconds: ending.wait(max(seconds, 0.0)))
            except SourceError as error:
                if not error.skip:
                    raise
                left_out.append(str(error.text.args["file"]))
                self.tell("look", Text("reader.camera.bad_photo", {"file": _names(left_out)}))
                continue
            finally:
                self._due = math.inf
            if frame is None:
                break
            wrong = self._blindness.wrong(frame)
            if wrong is not None:
                self._say_blind(wrong, frame)
                continue
            fresh = not begun or self._said is not None
            if fresh:
                self._begin(frame)
                begun = True
            charged = self.source.battery != self._battery and not self._skipping.blind
            # That a photo was left out stands as long as the next good one is shown: that one comes
            # at once.
            if not left_out and (fresh or standing or charged):
                self._say_well()
            standing, left_out = bool(left_out), []
            slot.put(frame, self.source.every)
        return left_out

    def _begin_waiting(self, times: float) -> None:
        """Say how long the source may be silent from now on."""
        self._due = time.monotonic() + times * self.source.silent

    def _begin(self, frame: Frame) -> None:
        """Take note that there is a picture, at first or again."""
        height, width = frame.image.shape[:2]
        self._size = (width, height)
        self._said = None
        self.begun()

    def _say_blind(self, wrong: str, frame: Frame) -> None:
        """Say what is wrong with a picture that shows nothing. One that is frozen raises
        `SourceError`: opened anew a device often moves again."""
        if wrong == "frozen":
            raise SourceError("frozen", device=self.source.name)
        if wrong:
            height, width = frame.image.shape[:2]
            told = {"device": self.source.name, "width": width, "height": height}
            self._say_lost(Text(f"reader.camera.{wrong}", told))

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
        while not slot.closed:
            frame = slot.take(_WATCH)
            if frame is None:
                self._mind_silence()
                continue
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
                elif self._unread:
                    self._say_well()
                self._unread = False
            rest = self.rest_after(frame)
            if rest:
                self.wait(rest)

    def _mind_silence(self) -> None:
        """Say when the source has been silent for too long."""
        if time.monotonic() > self._due and not self.ending:
            told = {"device": self.source.name, "seconds": round(self.source.silent)}
            self._say_lost(Text("reader.camera.silent", told))

    def _skip(self, frame: Frame, what: str) -> None:
        """Leave out a frame that could not be looked at; a photo is said at once, of a film what
        goes on."""
        goes_on = self._skipping.bad(frame.at)
        if frame.alone:
            self._unread = True
            self.tell("look", Text("reader.camera.unread_photo", {"file": frame.name, "what": what}))
        elif goes_on:
            told = {"device": self.source.name, "what": what, "count": self.skipped}
            self.tell(
                "lost" if self._skipping.blind else "look", Text("reader.camera.unreadable_frames", told)
            )


def _names(files: list[str]) -> str:
    """Name the last few."""
    return ", ".join(files[-_NAMED:])


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
