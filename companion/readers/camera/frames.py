"""Reading frames in two threads: one takes them from a source, the other looks at them.

Only the first thread ever waits for a driver, because a driver may hang indefinitely. It puts each
frame into a `FrameSlot`, which keeps only the newest one. The second thread takes frames from the
slot, passes them to `process_frame`, and reports when no frame comes, so that people learn of a
driver that hangs, and the program can end without waiting for it.

Several watchdogs explain why a camera shows nothing useful: `BlindnessDetector` for pictures that
are black, tiny or frozen, `SilenceWatchdog` for none at all, `SkipCounter` for frames that cannot
be processed, and `AnalysisRate` for a computer that is too slow.
"""

from __future__ import annotations

import statistics
import threading
import time
from abc import abstractmethod
from collections import deque
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from companion.readers.camera.sources import Frame, PhotoFolder, Source, SourceError
from companion.readers.thread import SilenceWatchdog, ThreadReader
from companion.rules.contract import Text
from companion.rules.messages import describe_exception
from companion.table.sightings import Battery


class FrameSlot:
    """Buffer for at most one frame between two threads. `dropped` counts frames replaced by
    a newer one."""

    def __init__(self) -> None:
        self._frame: Frame | None = None
        self._busy = False
        self._closed = False
        self._changed = threading.Condition()
        self.dropped = 0

    def put_frame(self, frame: Frame, every: bool) -> None:
        """Store a frame. With `keeps_every_frame`, wait until the previous one has been processed;
        otherwise replace it."""
        with self._changed:
            # `_busy` too: every frame of a film counts, and one that was taken is still being
            # looked at.
            if every:
                self._changed.wait_for(lambda: self._closed or not (self._busy or self._frame))
            self.dropped += self._frame is not None
            self._frame = frame
            self._changed.notify_all()

    def take_frame(self, seconds: float | None = None) -> Frame | None:
        """Return the frame, waiting up to `seconds` for one (None: without limit); None if there is
        none, or the slot was closed. Calling it also says that the previous frame has been
        processed."""
        with self._changed:
            self._busy = False
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._closed or self._frame is not None, seconds)
            frame, self._frame = self._frame, None
            self._busy = frame is not None
            return None if self._closed else frame

    @property
    def is_closed(self) -> bool:
        """Whether no more frames will come."""
        return self._closed

    @property
    def is_ready(self) -> bool:
        """Whether a frame waits to be taken, or no more will come."""
        return self._closed or self._frame is not None

    def drain(self) -> None:
        """Wait until the last frame has been processed."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or not (self._busy or self._frame))

    def close(self) -> None:
        """Release the threads on both sides; no more frames pass."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()


BAD_FRAMES_DELAY = 1.0
"""Seconds from the first bad frame until players are told: a single bad frame does no harm."""


class SkipCounter:
    """Counter of frames that could not be processed (`skipped`), which decides when to
    report them. Times are the frames' own seconds."""

    def __init__(self) -> None:
        self.skipped = 0
        self._since: float | None = None
        self._last = 0.0
        self._good = False
        self._told = False

    def record_bad(self, at: float) -> bool:
        """Count a frame that could not be processed; return whether to report now that this
        persists."""
        self.skipped += 1
        self._last = at
        if self._since is None:
            self._since, self._good = at, False
        if self._told or at - self._since < BAD_FRAMES_DELAY:
            return False
        self._told = True
        return True

    def record_good(self, at: float) -> bool:
        """Note a frame that was processed; return whether a trouble that was reported is now
        over."""
        self._good = True
        if self._since is None or at - self._last < BAD_FRAMES_DELAY:
            return False
        was_reported, self._since, self._told = self._told, None, False
        return was_reported

    @property
    def is_blind(self) -> bool:
        """Whether no frame could be processed since the first bad one."""
        return self._since is not None and not self._good


RATE_SAMPLES = 12
"""Number of looks over which the median is taken."""
LOWEST_RATE = 5.0
"""Looks a second below which players are told that the computer is slow. A card must be seen at
rest in two looks a tenth of a second apart and read in two or three more, so with fewer it takes a
second or longer until a card is named."""


class AnalysisRate:
    """How many frames a second this computer can look at while there is something to recognise on
    the table.

    A slow computer takes so long over each look that the camera's other frames are dropped.
    """

    def __init__(self) -> None:
        self._seconds = deque[float](maxlen=RATE_SAMPLES)

    def record_duration(self, seconds: float) -> None:
        """Record how many seconds a look took."""
        self._seconds.append(seconds)

    @property
    def per_second(self) -> float | None:
        """Looks a second; None until `RATE_SAMPLES` of them were measured."""
        return None if len(self._seconds) < RATE_SAMPLES else 1 / max(statistics.median(self._seconds), 1e-6)

    @property
    def slow_notice(self) -> Text | None:
        """Message that the computer is so slow that names come late; None if it is fast enough."""
        rate = self.per_second
        if rate is None or rate >= LOWEST_RATE:
            return None
        return Text("reader.camera.slow_computer", n=max(round(rate), 1))


DARK = 24
"""Brightness (0 to 255) that at most a hundredth of a black picture's pixels exceed: a covered lens
still shows noise and a few hot pixels."""
DARK_DELAY = 2.0
"""Seconds of black pictures before players are told: a camera starts with some, and a hand may
cover it for a moment."""
SMALLEST = 32
"""Pixels of a picture's shorter side below which it cannot show a card; a broken driver gives 1."""
_STEP = 8
"""Only every such row and column is examined at first."""


class BlindnessDetector:
    """Watchdog for pictures that show nothing. Times are the frames' own seconds.

    `frozen_timeout`: seconds for which pictures may be identical to the last bit. Pictures of a
    real camera never are, because of noise; if they are, the camera repeats an old one. Infinite
    for recorded or drawn pictures, which may well stand still.
    """

    def __init__(self, same: float) -> None:
        self._same = same
        self._dark_since: float | None = None
        self._before: NDArray[np.uint8] | None = None
        self._same_since = 0.0

    def find_problem(self, frame: Frame) -> str | None:
        """Return what is wrong with a frame: `small`, `black` or `frozen`, "" for one that is black
        but not for long enough to report, None if it can be used."""
        if frame.alone:
            return None
        if min(frame.image.shape[:2]) < SMALLEST:
            return "small"
        few = frame.image[::_STEP, ::_STEP]
        # Before the test for black: the frame must be remembered whichever result is returned.
        stuck = self._is_frozen(frame, few)
        if np.count_nonzero(few > DARK) * 100 <= few.size:
            if self._dark_since is None:
                self._dark_since = frame.at
            return "black" if frame.at - self._dark_since >= DARK_DELAY else ""
        self._dark_since = None
        return "frozen" if stuck else None

    def _is_frozen(self, frame: Frame, few: NDArray[np.uint8]) -> bool:
        before, self._before = self._before, frame.image
        # The sample first: it is rarely identical, and comparing all pixels takes a millisecond.
        if (
            before is None
            or before.shape != frame.image.shape
            or not np.array_equal(before[::_STEP, ::_STEP], few)
            or not np.array_equal(before, frame.image)
        ):
            self._same_since = frame.at
        return frame.at - self._same_since >= self._same


RETRY_DELAYS = (0.5, 1.0, 2.0, 3.0)
"""Seconds between attempts to open a missing device; the last one repeats."""
RELEASE_TIMEOUT = 2.0
"""Seconds that a source may take to release its device; a thread that hangs in a driver is
abandoned."""
_POLL_INTERVAL = 0.1
"""Seconds between two checks of the time while no frame comes."""
RECOVERY_TIME = 3.0
"""Seconds without a late frame or slow look after which the warning is withdrawn."""
_NAMED = 3
"""Damaged photos in a row that are named in one message."""


class FrameReader(ThreadReader):
    """Reader that opens a source of frames and passes them to `process_frame`, waiting for a device
    that is unplugged.

    `processed_frames` counts the frames that were looked at. `busy` says whether the last one left
    something to recognise; by default every frame does.
    """

    def __init__(self, source: Source, name: str = "camera") -> None:
        super().__init__(name)
        self.source = source
        self.processed_frames = 0
        self.busy = True
        self._slot = FrameSlot()
        self._using = threading.Lock()
        self._unread = False
        self._fault: Exception | None = None
        self._silence = SilenceWatchdog(source.silence_timeout)
        self._blindness = BlindnessDetector(source.frozen_timeout)
        self._size: tuple[int, int] | None = None
        self._said: Text | None = None
        self._skipping = SkipCounter()
        self._battery: Battery | None = None
        self._well: Text | None = None
        self._rate = AnalysisRate()
        self._late: Text | None = None
        self._late_at = 0.0

    @property
    def can_restart(self) -> bool:
        """Only for a device: a film that started again would show the session a second time."""
        return self.source.can_reconnect

    @property
    def skipped_frames(self) -> int:
        """How many frames could not be processed."""
        return self._skipping.skipped

    @property
    def dropped_frames(self) -> int:
        """How many frames were replaced by a newer one before they were looked at."""
        return self._slot.dropped

    @property
    def frame_size(self) -> tuple[int, int] | None:
        """Width and height of the camera's picture in pixels, once there is one."""
        return self._size

    @abstractmethod
    def process_frame(self, frame: Frame) -> None:
        """Look at a frame. Called by the reader's thread, or by a caller with a clock of its
        own."""

    def continue_processing(self) -> bool:
        """Do a few more milliseconds of work that earlier frames left, and return whether there was
        any.

        Called while no newer frame is waiting. Does nothing by default.
        """
        return False

    def on_source_opened(self) -> None:
        """Prepare for frames: the source was opened, for the first time or again. Does nothing by
        default."""
        return

    def compute_pause(self, frame: Frame) -> float:
        """Return the seconds for which no frame is looked at after this one; 0 by default."""
        return 0.0

    @property
    def picture_notice(self) -> Text | None:
        """Message about what is wrong with all pictures; None, as by default, if they can be
        used."""
        return None

    def interrupt_wait(self) -> None:
        """Release the threads that wait for a frame."""
        self._slot.close()

    def run(self) -> None:
        """Look at frames until the source ends; an unplugged device is waited for."""
        self._slot, self._fault, self._said = FrameSlot(), None, None
        self._silence.feed(time.monotonic(), self.source.opening_factor)
        taker = threading.Thread(
            target=self._run_capture, args=(self._slot, self._ending), name=f"{self.name} takes", daemon=True
        )
        self.report_health("starting", Text("reader.camera.starting", {"device": self.source.name}))
        taker.start()
        try:
            self._process_frames()
        finally:
            self._slot.close()
            # With a limit: the driver may never return, and a daemon thread does not keep the
            # program alive.
            taker.join(RELEASE_TIMEOUT)
        if self._fault is not None:
            raise self._fault

    def _run_capture(self, slot: FrameSlot, ending: threading.Event) -> None:
        """Take frames until the source ends or nobody needs them; runs in a thread of its own."""
        try:
            # A thread that was abandoned in a hanging driver may still hold the device.
            while not self._using.acquire(timeout=_POLL_INTERVAL):
                if ending.is_set():
                    return
            try:
                attempt = 0
                while not ending.is_set() and not self._capture_from_source(slot, ending):
                    ending.wait(
                        min(RETRY_DELAYS[min(attempt, len(RETRY_DELAYS) - 1)], self.source.retry_delay)
                    )
                    attempt += 1
            finally:
                self._using.release()
        except Exception as error:
            # Raised again in the reader's thread, by `run`.
            if not ending.is_set():
                self._fault = error
        finally:
            slot.close()

    def _capture_from_source(self, slot: FrameSlot, ending: threading.Event) -> bool:
        """Open the source and take its frames; return whether there is nothing more to take."""
        try:
            self._silence.feed(time.monotonic(), self.source.opening_factor)
            self.source.open()
            left_out = self._capture_frames(slot, ending)
        except SourceError as error:
            if not ending.is_set():
                # Every frame of a film counts, the last one included.
                if not self.source.can_reconnect:
                    slot.drain()
                self._report_lost(error.text)
            return not self.source.can_reconnect
        finally:
            self._silence.pause()
            self.source.close()
        if not ending.is_set():
            slot.drain()
            args = {"device": self.source.name}
            if left_out:
                args["file"] = _join_names(left_out)
                self.report_health("lost", Text("reader.camera.ended_damaged", args))
            else:
                self.report_health("off", Text("reader.camera.ended", args))
        return True

    def _capture_frames(self, slot: FrameSlot, ending: threading.Event) -> list[str]:
        """Take the frames of an open source until it ends; return the names of the photos that were
        skipped just before the end."""
        left_out: list[str] = []
        begun = standing = False
        while not ending.is_set():
            try:
                self._silence.feed(time.monotonic(), 1 if begun else self.source.opening_factor)
                frame = self.source.read(lambda seconds: ending.wait(max(seconds, 0.0)))
            except SourceError as error:
                if not error.skip:
                    raise
                left_out.append(str(error.text.args["file"]))
                self.report_health("look", Text("reader.camera.bad_photo", {"file": _join_names(left_out)}))
                continue
            finally:
                self._silence.pause()
            if frame is None:
                break
            wrong = self._blindness.find_problem(frame)
            if wrong is not None:
                self._report_blind(wrong, frame)
                continue
            height, width = frame.image.shape[:2]
            turned = not frame.alone and self._size != (width, height)
            fresh = not begun or self._said is not None or turned
            if fresh:
                self._on_first_frame(frame)
                begun = True
            charged = self.source.battery != self._battery or self._describe_health() != self._well
            charged = charged and self._late is None and not self._skipping.is_blind
            # The message about a skipped photo stays while the next good one is shown, which comes
            # at once.
            if not left_out and (fresh or standing or charged):
                self._report_ok()
            standing, left_out = bool(left_out), []
            slot.put_frame(frame, self.source.keeps_every_frame)
        return left_out

    def _on_first_frame(self, frame: Frame) -> None:
        """Note that there is a picture, for the first time or again."""
        height, width = frame.image.shape[:2]
        self._size = (width, height)
        self._said = None
        self.on_source_opened()

    def _report_blind(self, wrong: str, frame: Frame) -> None:
        """Report what is wrong with a picture that shows nothing. A frozen one raises
        `SourceError`, because a device often recovers when it is opened again."""
        if wrong == "frozen":
            raise SourceError("frozen", device=self.source.name)
        if wrong:
            height, width = frame.image.shape[:2]
            args = {"device": self.source.name, "width": width, "height": height}
            self._report_lost(Text(f"reader.camera.{wrong}", args))

    def _describe_health(self) -> Text:
        return self.source.describe_ok(*(self._size or (0, 0)))

    def _report_ok(self) -> None:
        """Report that pictures come in."""
        self._battery, self._well = self.source.battery, self._describe_health()
        self.report_health("ok", self._well, self._battery)

    def _report_lost(self, text: Text) -> None:
        """Report what is wrong, once, however often opening is tried again."""
        if text != self._said:
            self._said = text
            self.report_health("lost", text)

    def _process_frames(self) -> None:
        # A slot for each run: a camera that is started again gets another one.
        slot = self._slot
        while not slot.is_closed:
            frame = slot.take_frame(_POLL_INTERVAL)
            self._check_lateness(time.monotonic())
            if frame is None:
                self._check_silence()
                continue
            try:
                began = time.monotonic()
                self.process_frame(frame)
                if self.busy and not self.source.keeps_every_frame:
                    self._rate.record_duration(time.monotonic() - began)
                while not slot.is_ready and self.continue_processing():
                    pass
            except Exception as error:
                # One bad picture must not end the camera.
                self._skip_frame(frame, describe_exception(error))
            else:
                # Cards may have come or gone in the frames that were skipped, so everything is
                # reported again.
                if self._skipping.record_good(frame.at):
                    self.on_source_opened()
                    self._report_ok()
                elif self._unread:
                    self._report_ok()
                self._unread = False
            rest = self.compute_pause(frame)
            if rest:
                self.wait(rest)

    def _check_lateness(self, now: float) -> None:
        """Report that frames are old, looked at too rarely or unusable as a whole, and later that
        this is over."""
        words = (
            self.source.describe_lateness(self._silence.measure_silence(now))
            or self._rate.slow_notice
            or self.picture_notice
        )
        if words is not None and self._said is None and not self.is_ending:
            # By its code: the numbers in the message change all the time.
            if self._late is None or self._late.code != words.code:
                self.report_health("look", words)
            self._late, self._late_at = words, now
        elif self._late is not None and (self._said is not None or now - self._late_at > RECOVERY_TIME):
            # A trouble that was reported meanwhile (`_said`) stands on the screen; it must not be
            # replaced by "all well".
            self._late = None
            if self._said is None:
                self._report_ok()

    def _check_silence(self) -> None:
        """Report that the source has been silent for too long."""
        if self._silence.has_expired(time.monotonic()) and not self.is_ending:
            self._report_lost(self.source.describe_silence())

    def _skip_frame(self, frame: Frame, reason: str) -> None:
        """Skip a frame that could not be processed. A photo is reported at once, frames of a film
        only when the trouble persists."""
        goes_on = self._skipping.record_bad(frame.at)
        if frame.alone:
            self._unread = True
            self.report_health(
                "look", Text("reader.camera.unread_photo", {"file": frame.name, "what": reason})
            )
        elif goes_on:
            args = {"device": self.source.name, "what": reason, "count": self.skipped_frames}
            self.report_health(
                "lost" if self._skipping.is_blind else "look", Text("reader.camera.unreadable_frames", args)
            )


def _join_names(files: list[str]) -> str:
    """Join the names of the last few files."""
    return ", ".join(files[-_NAMED:])


class FrameForwarder(FrameReader):
    """Reader that passes every frame to the function `handle_frame`, which returns whether the next
    photo may follow."""

    def __init__(self, source: Source, handle_frame: Callable[[Frame], bool]) -> None:
        super().__init__(source, "camera")
        self._handle_frame = handle_frame

    def process_frame(self, frame: Frame) -> None:
        """Pass the frame to `handle_frame`."""
        done = self._handle_frame(frame)
        self.processed_frames += 1
        if done and isinstance(self.source, PhotoFolder):
            self.source.show_next()
