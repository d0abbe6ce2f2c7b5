"""Pictures that come in and show nothing: black, too small, or the same again and again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from companion.readers.camera.sources import Frame

DARK = 24
"""Brightness, 0 to 255, that a hundredth of a black picture's pixels may exceed: a covered lens
still has its noise, and a few pixels that glow."""
DARK_FOR = 2.0
"""Seconds of black pictures that are worth telling: a camera begins with some, and a hand may cover
it for a moment."""
SMALLEST = 32
"""Pixels of a picture's shorter side below which no card can be in it; a broken driver gives 1."""
_STEP = 8
"""Of so many rows and columns one is looked at first."""


class Blindness:
    """Watches the pictures of one source. Times are the frames' own seconds.

    `same`: seconds for which pictures may be the same to the last bit. A real camera's never are,
    for its noise; one that is repeats itself. Infinite for what was recorded or drawn, which may
    well stand still.
    """

    def __init__(self, same: float) -> None:
        self._same = same
        self._dark_since: float | None = None
        self._before: NDArray[np.uint8] | None = None
        self._same_since = 0.0

    def wrong(self, frame: Frame) -> str | None:
        """Return what is wrong with a frame (`small`, `black`, `frozen`; "" for what is black, but
        not for long enough to tell), None if it can be looked at."""
        if frame.alone:
            return None
        if min(frame.image.shape[:2]) < SMALLEST:
            return "small"
        few = frame.image[::_STEP, ::_STEP]
        stuck = self._stuck(frame, few)
        if np.count_nonzero(few > DARK) * 100 <= few.size:
            if self._dark_since is None:
                self._dark_since = frame.at
            return "black" if frame.at - self._dark_since >= DARK_FOR else ""
        self._dark_since = None
        return "frozen" if stuck else None

    def _stuck(self, frame: Frame, few: NDArray[np.uint8]) -> bool:
        before, self._before = self._before, frame.image
        # The few first: that they are the same is rare, and the whole takes a millisecond.
        if (
            before is None
            or before.shape != frame.image.shape
            or not np.array_equal(before[::_STEP, ::_STEP], few)
            or not np.array_equal(before, frame.image)
        ):
            self._same_since = frame.at
        return frame.at - self._same_since >= self._same
