"""What changed between frames, found on a small grey picture: which blocks move, which look new.

The light may jump (auto-exposure) and the camera may shake: both are taken out before anything is called a
change. All times are seconds as given by the caller; there is no clock in here.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

THUMB = 480
"""About the width in pixels of the small picture."""

BLOCK = 8
"""Blocks of this many small pixels are judged together."""

CHANGED, MOVING = 7.0, 6.0
"""Mean difference in grey levels from which a block looks new, or moves."""

TEXTURE = 6.0
"""Spread in grey levels from which a block has something to follow."""

Thumb = NDArray[np.float32]
Grid = NDArray[np.bool_]


@dataclass(frozen=True)
class Change:
    """One frame against the frames before it.

    `thumb`: the small picture. `changed`: blocks that differ from the settled picture; `moving`: blocks that
    differ from the frame before; `shift`: how the camera is off from the settled picture, in small pixels;
    `upheaval`: nearly everything differs and no shift explains it.
    """

    thumb: Thumb
    changed: Grid
    moving: Grid
    shift: tuple[float, float]
    upheaval: bool


class Motion:
    """Compares each frame with a settled picture of the table, which its owner updates."""

    def __init__(self) -> None:
        self.factor = 1
        self._settled: Thumb | None = None
        self._last: Thumb | None = None

    def observe(self, frame: NDArray[np.uint8]) -> Change:
        """Take in a BGR frame. The first frame, or one of another size, changes everywhere."""
        self.factor = max(1, round(frame.shape[1] / THUMB))
        thumb = small(frame, self.factor)
        if self._settled is None or self._last is None or self._settled.shape != thumb.shape:
            self._settled, self._last = thumb.copy(), thumb
            everywhere = np.ones(blocks(thumb).shape, dtype=np.bool_)
            return Change(thumb, everywhere, ~everywhere, (0.0, 0.0), False)
        self._settled = _in_light_of(self._settled, thumb)
        moving = blocks(np.abs(thumb - _in_light_of(self._last, thumb))) > MOVING
        self._last = thumb
        changed = blocks(np.abs(thumb - self._settled)) > CHANGED
        shift, upheaval = (0.0, 0.0), False
        spread = _spread(self._settled)
        textured = spread > max(TEXTURE, float(np.percentile(spread, 80)))
        if textured.sum() >= 8 and changed[textured].mean() > 0.5:
            shift, upheaval, changed = self._follow(thumb, changed, textured)
        return Change(thumb, changed, moving, shift, upheaval)

    def _follow(self, thumb: Thumb, changed: Grid, textured: Grid) -> tuple[tuple[float, float], bool, Grid]:
        assert self._settled is not None
        window = cv2.createHanningWindow((thumb.shape[1], thumb.shape[0]), cv2.CV_32F)
        # Copies: where a picture has the size that the transform likes (480 x 270, as of 1080p), OpenCV windows it in place.
        (dx, dy), _ = cv2.phaseCorrelate(self._settled.copy(), thumb.copy(), window)
        moved = translate(self._settled, dx, dy)
        rest = blocks(np.abs(thumb - moved)) > CHANGED
        if rest[textured].mean() < 0.5 * changed[textured].mean():
            return (dx, dy), False, rest
        return (0.0, 0.0), bool(changed.mean() > 0.6), changed

    def settle(self, thumb: Thumb, where: Grid) -> None:
        """Take the blocks `where` of `thumb` as the new normal."""
        assert self._settled is not None
        full = grown(where, thumb.shape)
        self._settled = np.where(full, thumb, self._settled)

    def carry(self, shift: tuple[float, float]) -> None:
        """The camera stays where it is now: the settled picture moves along."""
        assert self._settled is not None
        self._settled = translate(self._settled, *shift)


def small(frame: NDArray[np.uint8], factor: int) -> Thumb:
    """The frame in grey, `factor` times smaller, float32 0..255."""
    height, width = frame.shape[0] // factor, frame.shape[1] // factor
    reduced = cv2.resize(
        frame[: height * factor, : width * factor], (width, height), interpolation=cv2.INTER_AREA
    )
    return np.asarray(cv2.cvtColor(reduced, cv2.COLOR_BGR2GRAY), dtype=np.float32)


def translate(thumb: Thumb, dx: float, dy: float) -> Thumb:
    """The picture moved by (dx, dy) pixels, its border repeated."""
    matrix = np.array([[1, 0, dx], [0, 1, dy]], dtype=np.float64)
    size = (thumb.shape[1], thumb.shape[0])
    moved = cv2.warpAffine(thumb, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, dtype=np.float32)


def grown(grid: Grid, shape: tuple[int, ...]) -> Grid:
    """A grid of blocks as a mask of pixels."""
    big = np.repeat(np.repeat(grid, BLOCK, axis=0), BLOCK, axis=1)
    return np.asarray(big[: shape[0], : shape[1]], dtype=np.bool_)


def blocks(values: Thumb) -> Thumb:
    """The mean of each block; the last row and column of blocks may be cut."""
    rows, columns = -(-values.shape[0] // BLOCK), -(-values.shape[1] // BLOCK)
    padded = cv2.copyMakeBorder(
        values, 0, rows * BLOCK - values.shape[0], 0, columns * BLOCK - values.shape[1], cv2.BORDER_REFLECT
    )
    return np.asarray(cv2.resize(padded, (columns, rows), interpolation=cv2.INTER_AREA), dtype=np.float32)


def _spread(values: Thumb) -> Thumb:
    mean = blocks(values)
    return np.asarray(np.sqrt(np.maximum(blocks(values * values) - mean * mean, 0)), dtype=np.float32)


def _in_light_of(old: Thumb, new: Thumb) -> Thumb:
    """The old picture under the new one's exposure: gain and offset that fit most blocks, if any do."""
    a, b = blocks(old).ravel(), blocks(new).ravel()
    gain, offset = 1.0, 0.0
    for _ in range(3):
        off = np.abs(gain * a + offset - b)
        close = off <= max(3.0, float(np.median(off)))
        x, y = a[close], b[close]
        spread = float(x.var())
        if spread < 4.0:
            gain, offset = 1.0, float(np.median(y - x))
        else:
            gain = float(np.clip(((x - x.mean()) * (y - y.mean())).mean() / spread, 0.25, 4.0))
            offset = float(y.mean() - gain * x.mean())
    if abs(gain - 1) < 0.01 and abs(offset) < 1.0:
        return old
    # a camera that moved is no change of light
    if float(np.mean(np.abs(gain * a + offset - b) < 4.0)) < max(0.5, float(np.mean(np.abs(a - b) < 4.0))):
        return old
    return np.asarray(np.clip(gain * old + offset, 0, 255), dtype=np.float32)
