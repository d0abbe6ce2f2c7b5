"""Base classes of readers that run in a thread, and the timeouts after which a device counts as
silent.

A `ThreadReader` runs in one thread until `close`. If its `run` fails, the failure is reported to
the players and the reader is started again after a pause, because the cause (a loose cable, a
device that was asleep) has often gone a moment later. A `ReconnectingReader` also owns a connection
(serial port, PC/SC service, input device), which it opens again whenever it breaks.

`SilenceWatchdog` measures how long a device has said nothing. It reads no clock: times are passed
in, as seconds of one monotonic clock.
"""

from __future__ import annotations

import math
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Final

from companion.rules.contract import Problem, Text
from companion.rules.messages import describe_exception
from companion.table.sightings import Battery, Health, HealthState, Post, Sense, discard_report

# Seconds of silence before players are told. A broken connection is reported at once.
BOARD_TIMEOUT: Final = 2.0
"""An RFID board: four of its BEAT frames, one every 500 ms, are missing (firmware/PROTOCOL.md)."""
PN532_TIMEOUT: Final = 1.0
"""A PN532 that was sent a command: its three attempts to find a card take 0.1 s."""
CAMERA_TIMEOUT: Final = 5.0
"""A camera at this computer, which sends pictures all the time."""
NETWORK_CAMERA_TIMEOUT: Final = 10.0
"""A camera in the network, which buffers and reconnects by itself."""
PHONE_TIMEOUT: Final = 4.0
"""A phone that was sending pictures: its screen was locked, or it left the network."""


class SilenceWatchdog:
    """The time since one device was last heard, with a limit of `timeout` seconds. No silence is
    counted before `feed` is called for the first time."""

    def __init__(self, timeout: float) -> None:
        self.timeout = timeout
        self.since = math.inf
        """When the device was last heard; infinite while nothing is expected of it."""

    def feed(self, now: float, times: float = 1.0) -> None:
        """Note that the device was heard, or that it is expected to speak from `now` on. For the
        next silence the limit is `times` as long."""
        self.since = now + (times - 1.0) * self.timeout if math.isfinite(self.timeout) else math.inf

    def pause(self) -> None:
        """Stop expecting anything: it is not the device's turn to speak."""
        self.since = math.inf

    def expire(self) -> None:
        """Discard what was heard so far, because the connection was opened again."""
        self.since = -math.inf

    def measure_silence(self, now: float) -> float:
        """Return the seconds since the device was last heard."""
        return now - self.since

    def has_expired(self, now: float) -> bool:
        """Check whether the device has been silent for longer than allowed."""
        return self.measure_silence(now) > self.timeout


RESTART_DELAYS = (1.0, 2.0, 5.0, 10.0, 30.0)
"""Seconds until a failed reader is started again, for each failure in a row; the last one repeats.
"""
STABLE_AFTER = 60.0
"""Seconds after which a restarted reader counts as healthy, so that its next failure counts as the
first."""


class ThreadReader(ABC):
    """A reader that runs in a thread of its own. `close` returns only when `run` has ended, so that
    its devices are really free again."""

    sense: ClassVar[Sense | None] = None
    """How it recognises cards: `camera` or `tag`; None for a reader that recognises none itself."""

    @property
    def can_restart(self) -> bool:
        """Whether the reader is started again after it failed."""
        return True

    def __init__(self, name: str) -> None:
        self.name = name
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None
        self._post: Post = discard_report
        self._last_text: Text | None = None

    def start(self, post: Post) -> None:
        """Start the thread and report to `post`; returns at once."""
        if self._thread is not None:
            return
        self.attach(post)
        # A new event: a thread abandoned by an earlier start must not continue.
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run_with_restarts, name=self.name, daemon=True)
        self._thread.start()

    def attach(self, post: Post) -> None:
        """Set the receiver of reports without starting a thread."""
        self._post = post

    def close(self) -> None:
        """Stop the reader, and return when its thread has ended."""
        self._ending.set()
        self.interrupt_wait()
        # A reader that closes itself cannot wait for its own thread: Python raises RuntimeError.
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
            self._thread = None

    def interrupt_wait(self) -> None:
        """Interrupt whatever `run` may be waiting for; called once `is_ending` is true. Does
        nothing by default."""
        return

    def wait(self, seconds: float) -> bool:
        """Sleep for at most `seconds`; return whether the reader is to end."""
        return self._ending.wait(max(seconds, 0.0))

    @property
    def has_ended(self) -> bool:
        """Whether it was started and has ended for good."""
        return self._thread is not None and not self._thread.is_alive()

    @property
    def is_ending(self) -> bool:
        """Whether the reader is to end."""
        return self._ending.is_set()

    def report_health(
        self, state: HealthState, text: Text, battery: Battery | None = None, at: float | None = None
    ) -> None:
        """Report the state of the reader itself at the moment `at` (None: now)."""
        self._last_text = text
        at = time.monotonic() if at is None else at
        self._post(Health(self.name, state, text, at, battery, self.sense))

    def report_changed_health(self, state: HealthState, text: Text) -> None:
        """Report the state of the reader itself, unless the same text was reported last."""
        if text != self._last_text:
            self.report_health(state, text)

    @abstractmethod
    def run(self) -> None:
        """Read and report until `is_ending` is true."""

    def _run_with_restarts(self) -> None:
        attempt = 0
        while not self.is_ending:
            began = time.monotonic()
            try:
                self.run()
                return
            except Exception as error:
                args: dict[str, object] = {"reader": self.name, "what": self.describe_fault(error)}
                if not self.can_restart:
                    self.report_health("lost", Text("reader.failed", args))
                    return
                # A reader that ran well for a while begins again with the shortest pause.
                attempt = 0 if time.monotonic() - began > STABLE_AFTER else attempt
                pause = RESTART_DELAYS[min(attempt, len(RESTART_DELAYS) - 1)]
                attempt += 1
                self.report_health("lost", Text("reader.restarting", {**args, "seconds": round(pause)}))
            self.wait(pause)

    def describe_fault(self, error: Exception) -> str:
        """Describe an exception that ended `run`, in the words that players read."""
        return describe_exception(error)


class ReconnectingReader(ThreadReader):
    """A reader of tags that owns a connection: a serial port, the PC/SC service, input devices. The
    connection is opened again whenever it breaks, however often: a device that is unplugged, silent
    or used by another program is a state to report, never the end of the reader."""

    retry_delays: ClassVar[Sequence[float]] = (1.0,)
    """Seconds until the connection is opened again, for each failure since the device was last
    `heard`; the last one repeats."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._tries = 0

    @abstractmethod
    def serve_connection(self) -> None:
        """Open the connection and use it until `is_ending`; raise a `Problem` that says why it
        could not be opened, or why it ended."""

    @abstractmethod
    def handle_disconnect(self, reason: Text) -> None:
        """Report that there is no connection, and why."""

    def reset_retries(self) -> None:
        """Note that the device has answered, so that the next failure counts as the first."""
        self._tries = 0

    def run(self) -> None:
        """Open the connection again and again until the reader is to end."""
        while not self.is_ending:
            try:
                self.serve_connection()
            except Problem as why:
                self.handle_disconnect(why.text)
            # A board that resets is back in a moment; one unplugged for hours need not be looked
            # for four times a second.
            self.wait(self.retry_delays[min(self._tries, len(self.retry_delays) - 1)])
            self._tries += 1

    def describe_fault(self, error: Exception) -> str:
        """Describe only the type of an exception: its message might contain the tag of a face-down
        card."""
        return type(error).__name__
