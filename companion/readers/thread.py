"""What every reader with a thread of its own has in common: one thread, ended by `close`, whose
failure is said and harms nothing; and what those have in common that hold a conversation over a
line (`LineReader`); and one watch over silence: since when a device has said nothing, and whether
that is too long. Time is a value there: seconds of one monotonic clock.

A reader that died is started again, for what killed it is often gone in a moment: a cable that was
touched, a device that woke up.
"""

from __future__ import annotations

import math
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Final

from companion.rules.contract import Problem, Text
from companion.table.sightings import Battery, Health, HealthState, Post, Sense, nobody

# How long each may be silent before people are told; a line that has broken is told at once.
BOARD: Final = 2.0
"""A reader board: four BEATs of 500 ms have not come (firmware/PROTOCOL.md)."""
PN532: Final = 1.0
"""A PN532 that was asked: three looks for a card take 0.1."""
CAMERA: Final = 5.0
"""A camera at this computer, which sends pictures all the time."""
NETWORK_CAMERA: Final = 10.0
"""A camera in the network, which buffers and reconnects by itself."""
PHONE: Final = 4.0
"""A phone that was sending pictures: a screen that was locked, a phone that left the network."""


class Silence:
    """The silence of one device, which may last for `most` seconds. Nobody waits before it is
    `heard` for the first time."""

    def __init__(self, most: float) -> None:
        self.most = most
        self.since = math.inf
        """When it was heard last; infinite while nobody waits for it."""

    def heard(self, now: float, times: float = 1.0) -> None:
        """Take it that the device was heard, or is waited for from now on; it may be silent for so
        many `times` as long from here."""
        self.since = now + (times - 1.0) * self.most if math.isfinite(self.most) else math.inf

    def rest(self) -> None:
        """Wait for nothing: it is not its turn to say something."""
        self.since = math.inf

    def lost(self) -> None:
        """Take it that what was heard counts no more: the line was opened anew."""
        self.since = -math.inf

    def lasts(self, now: float) -> float:
        """Return for how many seconds it has said nothing."""
        return now - self.since

    def over(self, now: float) -> bool:
        """Tell whether that is too long."""
        return self.lasts(now) > self.most


RESTARTS = (1.0, 2.0, 5.0, 10.0, 30.0)
"""Seconds until a reader that died is started again, time after time; the last one repeats."""
SETTLED = 60.0
"""Seconds after which a reader started again counts as well, its next fault as its first."""


class ThreadReader(ABC):
    """A reader whose `run` is called in a thread. `close` returns when `run` has, so that devices
    are really free again."""

    sense: ClassVar[Sense | None] = None
    """By what it knows cards: `camera`, `tag`; None of a reader that knows none by itself."""

    @property
    def restarts(self) -> bool:
        """Whether it is started again when it died."""
        return True

    def __init__(self, name: str) -> None:
        self.name = name
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None
        self._post: Post = nobody
        self._told: Text | None = None

    def start(self, post: Post) -> None:
        """Begin to report to `post`; returns at once."""
        if self._thread is not None:
            return
        self.attach(post)
        # Its own: who was left behind by an earlier start must not take up again.
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._guarded, name=self.name, daemon=True)
        self._thread.start()

    def attach(self, post: Post) -> None:
        """Report to `post`, without a thread."""
        self._post = post

    def close(self) -> None:
        """Stop, and return when the thread has ended."""
        self._ending.set()
        self.wake()
        # A reader that closes itself cannot wait for its own thread: Python raises RuntimeError.
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
            self._thread = None

    def wake(self) -> None:
        """Interrupt what `run` may be waiting for; called after the end has been announced. Nothing
        by default."""
        return

    def wait(self, seconds: float) -> bool:
        """Sleep for at most `seconds`; tell whether the reader is to end."""
        return self._ending.wait(max(seconds, 0.0))

    @property
    def over(self) -> bool:
        """Whether it was started and has ended for good."""
        return self._thread is not None and not self._thread.is_alive()

    @property
    def ending(self) -> bool:
        """Whether the reader is to end."""
        return self._ending.is_set()

    def tell(
        self, state: HealthState, text: Text, battery: Battery | None = None, at: float | None = None
    ) -> None:
        """Report on the reader itself, as it is `at` that moment (None: now)."""
        self._told = text
        at = time.monotonic() if at is None else at
        self._post(Health(self.name, state, text, at, battery, self.sense))

    def tell_news(self, state: HealthState, text: Text) -> None:
        """Report on the reader itself, if that is not what was told last."""
        if text != self._told:
            self.tell(state, text)

    @abstractmethod
    def run(self) -> None:
        """Read and report until `ending`."""

    def _guarded(self) -> None:
        attempt = 0
        while not self.ending:
            began = time.monotonic()
            try:
                self.run()
                return
            except Exception as error:
                told: dict[str, object] = {"reader": self.name, "what": self.fault_words(error)}
                if not self.restarts:
                    self.tell("lost", Text("reader.failed", told))
                    return
                attempt = 0 if time.monotonic() - began > SETTLED else attempt
                pause = RESTARTS[min(attempt, len(RESTARTS) - 1)]
                attempt += 1
                self.tell("lost", Text("reader.restarting", {**told, "seconds": round(pause)}))
            self.wait(pause)

    def fault_words(self, error: Exception) -> str:
        """Say what is told of a fault that ended `run`."""
        return what_happened(error)


def what_happened(error: Exception) -> str:
    """Return a fault in one short line, for a sentence that tells of it."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:200]


class LineReader(ThreadReader):
    """A reader of tags that talks with what is at the other end of a line: a serial port, the PC/SC
    service, input devices. The line is opened again, for ever, whenever it breaks: what is
    unplugged, held by another program or silent is a state that is said, and ends nothing."""

    again: ClassVar[Sequence[float]] = (1.0,)
    """Seconds until the line is opened again, time after time since it was last heard (`heard`);
    the last one repeats."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._tries = 0

    @abstractmethod
    def talk(self) -> None:
        """Open the line and talk over it until `ending`; raise a `Problem` that says why that
        cannot be, or why it ended."""

    @abstractmethod
    def broken(self, why: Text) -> None:
        """Take it that there is no line now, and say why."""

    def heard(self) -> None:
        """Take it that the other end has answered: the next break is the first."""
        self._tries = 0

    def run(self) -> None:
        """Talk until the end."""
        while not self.ending:
            try:
                self.talk()
            except Problem as why:
                self.broken(why.text)
            # What resets is back in a moment; what is unplugged for hours need not be looked for
            # four times a second.
            self.wait(self.again[min(self._tries, len(self.again) - 1)])
            self._tries += 1

    def fault_words(self, error: Exception) -> str:
        """Say the kind of a fault only: its words might name a card that lies face down."""
        return type(error).__name__
