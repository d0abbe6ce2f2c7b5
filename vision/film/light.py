"""The light of the whole picture, followed from frame to frame, so that only what happens on the
table counts as a change.

Cheap webcams never leave it alone: exposure and white balance wander for as long as the camera
runs. Each channel is then brighter or darker by a factor, which is found against the table as it
was known under the first light, and taken out before the picture turns grey: a red cloth and a
blue card of one grey part when red grows, and no light of a grey picture explains that.

Nothing is ever relit for good: what is kept stays as the first light showed it. Where a channel is
burnt out now, the picture tells only how bright it is at least; what lies there is taken to be as
bright as it was known to be.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.film.view import Mask, Matrix, Mosaic, Thumb

Colours = NDArray[np.float32]
Gains = NDArray[np.float32]

GREY = np.array([0.114, 0.587, 0.299], dtype=np.float32)
"""What blue, green and red weigh in a grey picture (ITU-R BT.601)."""

DARK, BURNT = 16, 250
"""Levels of a channel below which noise, and above which the sensor's end, hides a factor."""

STEADY = 0.01
"""Change of a channel that is within what noise and rounding make."""

CLOSE = 4.0
"""Levels within which a block is the same under the light found; half of them must be."""


class ChannelGains:
    """How much brighter the camera shows each channel than it did at first; the first light is that
    of what is known first.

    `places`, here and below: the mean colour of each block; `shape`: theirs.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.gains: Gains = np.ones(3, dtype=np.float32)
        self._known = Mosaic(shape)

    def follow(self, places: Colours, view: Matrix) -> None:
        """Find the light of a frame that is seen under a view of blocks; another table tells
        none."""
        known, there = self._known.seen(view)
        burnt = known * self.gains >= BURNT
        tells = there[..., None] & ~burnt & _between(known) & _between(places)
        gains = np.array(
            [_gain(known[..., c], places[..., c], tells[..., c]) for c in range(3)], dtype=np.float32
        )
        if bool((np.abs(gains - 1) < STEADY).all()):
            gains = np.ones(3, dtype=np.float32)
        if bool((gains == self.gains).all()):
            return
        as_found = _alike(known[there] * gains, places[there])
        if as_found >= max(0.5, _alike(known[there] * self.gains, places[there])):
            self.gains = gains

    def know(self, places: Colours, where: Mask, view: Matrix) -> None:
        """Take in what the blocks `where` look like, seen under a view."""
        self._known.write(places / self.gains, where, view)

    def carry(self, view: Matrix) -> None:
        """Keep what is known as it is seen under a view from now on."""
        self._known.carry(view)

    def at_first(self, colours: NDArray[np.uint8]) -> Thumb:
        """The grey picture as the first light would have shown it, 0 to 255."""
        if bool((self.gains == 1).all()):
            return np.asarray(cv2.cvtColor(colours, cv2.COLOR_BGR2GRAY), dtype=np.float32)
        first = np.minimum(colours.astype(np.float32) / self.gains, 255)
        return np.asarray(cv2.transform(first, GREY[None]), dtype=np.float32)

    def burnt(self, colours: NDArray[np.uint8]) -> Mask:
        """Where the picture would have been brighter under the first light, for all that it
        tells."""
        mask = np.zeros(colours.shape[:2], dtype=np.bool_)
        for channel in np.flatnonzero(self.gains > 1 + STEADY):
            mask |= colours[..., channel] >= BURNT
        return mask


def _gain(known: Colours, seen: Colours, tells: Mask) -> float:
    """The factor that most blocks of a channel agree on."""
    return float(np.median(seen[tells] / known[tells])) if tells.any() else 1.0


def _between(colours: Colours) -> Mask:
    return np.asarray((colours > DARK) & (colours < BURNT), dtype=np.bool_)


def _alike(expected: Colours, seen: Colours) -> float:
    """The part of blocks that look as expected."""
    off = np.abs(np.minimum(expected, 255) - seen).max(axis=-1)
    return float(np.mean(off < CLOSE))
