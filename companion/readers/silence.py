"""One watch over silence, for every device that is read: since when it has said nothing, and
whether that is too long. Time is a value: seconds of one monotonic clock.

How long each may be silent before people are told (a line that has broken is told at once):
"""

from __future__ import annotations

import math
from typing import Final

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
