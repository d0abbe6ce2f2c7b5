from __future__ import annotations

import queue
import time

from companion.table.sightings import Health

TIMEOUT = 20.0


class Told:
    """What a reader said, read in order: the next word of a kind is waited for."""

    def __init__(self):
        self._reports = queue.SimpleQueue()
        self.put = self._reports.put

    def next(self, kind):
        until = time.monotonic() + TIMEOUT
        while True:
            report = self._reports.get(timeout=max(until - time.monotonic(), 0.01))
            if isinstance(report, kind):
                return report

    def health(self, code):
        while (found := self.next(Health)).text.code != code:
            pass
        return found
