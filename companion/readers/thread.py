"""What every reader with a thread of its own has in common: one thread, ended by `close`, whose
failure is said and harms nothing.

A reader that died is started again, for what killed it is often gone in a moment: a cable that was
touched, a device that woke up.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from typing import ClassVar

from companion.rules.contract import Text
from companion.table.sightings import Battery, Health, HealthState, Post, Sense, nobody

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

    def tell(self, state: HealthState, text: Text, battery: Battery | None = None) -> None:
        """Report on the reader itself."""
        self._post(Health(self.name, state, text, time.monotonic(), battery, self.sense))

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
                told: dict[str, object] = {"reader": self.name, "what": what_happened(error)}
                if not self.restarts:
                    self.tell("lost", Text("reader.failed", told))
                    return
                attempt = 0 if time.monotonic() - began > SETTLED else attempt
                pause = RESTARTS[min(attempt, len(RESTARTS) - 1)]
                attempt += 1
                self.tell("lost", Text("reader.restarting", {**told, "seconds": round(pause)}))
            self.wait(pause)


def what_happened(error: Exception) -> str:
    """Return a fault in one short line, for a sentence that tells of it."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:200]
