"""Where other threads leave what the table's thread is to say or do."""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue

from companion.rules.contract import Text

REMARK = 12.0
"""Seconds for which a remark is shown."""


class Letterbox:
    """Remarks to be shown and errands to be run. `woken`: called when something was put in, from
    the thread that put it in."""

    def __init__(self, woken: Callable[[], object]) -> None:
        self._woken = woken
        self._remarks: SimpleQueue[Text] = SimpleQueue()
        self._errands: SimpleQueue[Callable[[], object]] = SimpleQueue()
        self._remark: tuple[Text, float] | None = None

    def remark(self, text: Text) -> None:
        """Let `text` be shown for a while. Safe from any thread; never blocks."""
        # Queues, and no lock: who remarks may be the reader's own thread, which must never wait for
        # the screen.
        self._remarks.put(text)
        self._woken()

    def errand(self, run: Callable[[], object]) -> None:
        """Let `run` be called when the box is opened. Safe from any thread; never blocks."""
        self._errands.put(run)
        self._woken()

    def open(self, now: float) -> None:
        """Run errands, take the newest remark: those here now, so that many hold no game up."""
        # Counted before: an errand may put in another, which has its turn in the next tick.
        for _ in range(self._errands.qsize()):
            self._errands.get()()
        while not self._remarks.empty():
            self._remark = (self._remarks.get(), now + REMARK)

    def said(self, now: float) -> Text | None:
        """Return the remark that is to be shown at `now`."""
        return self._remark[0] if self._remark is not None and now < self._remark[1] else None

    def due(self, now: float) -> float | None:
        """Return when the remark has been shown long enough; None: there is none."""
        return self._remark[1] if self._remark is not None and self._remark[1] > now else None
