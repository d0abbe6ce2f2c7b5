"""Where the camera looks now: each frame is registered to the picture of the settled table.

A camera in a hand, on a book or on a boom sways by a pixel or two a frame. What was known of the table is brought
to where the new frame shows it, before anything is compared block by block.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import cv2
import numpy as np
from numpy.typing import NDArray

Thumb = NDArray[np.float32]
Matrix = NDArray[np.float64]
Mask = NDArray[np.bool_]

CELL = 16
"""Small pixels a side of the cells from each of which a few points are taken, so that the whole picture has a say."""

A_CELL = 6
"""Points a cell at most: those with the steepest gradient."""

STEEP = 1.2
"""Gradient, in grey levels a pixel of the softened picture, from which a point has something to follow: a scratch on a
pale table has 1.5 to 4, the noise of a webcam (2 grey levels) 0.5."""

SOFT = 1.2
"""Blur, in small pixels, under which frames are registered: it widens the reach of a step to about two pixels."""

COARSE = 4
"""How many times smaller the picture is in which a large push is looked for first."""

ROUNDS = 8
"""Steps of fitting at most; a sway of one pixel takes three."""

STILL = 0.12
"""Displacement in small pixels of the picture's corners below which the camera stands where it stood: sensor noise alone
makes up to 0.05, and 0.12 of a card's steepest edge are under two grey levels a block."""

BETTER = 0.5
"""Grey levels by which a cell's points must fit better, or worse, to say that the camera moved, or did not."""

SPREAD = 0.3
"""Part of the picture's width or height that the cells in favour of a move must span: a card that is pushed along with
the hand on it spans less, and would else be taken for the table."""

EXPLAINED, WELL = 0.55, 0.8
"""Part of the points that must fit for a frame to be taken for the same table; below the second a push is looked for (a table
pushed by eight small pixels fits at 0.58 of the points of its grain, and at 0.98 once the push is known)."""

NOISE, FITS = 2.5, 10.0
"""Grey levels by which a point may be off and fit: as much as a shift by one pixel makes there, within these bounds."""

TURN = 0.06
"""Turn (radians) and zoom (parts) of a camera since the table's picture was taken beyond which a fit is not believed: on a
table with hardly a scratch, a film of a moving card was once explained by a zoom to a fifth."""


@dataclass(frozen=True, eq=False)
class Pattern:
    """Points of a picture that can be found again in another.

    Places (x, y), grey levels, and how these change with
    a shift along x and y, a zoom and a turn about `middle`. `cells`: which part of the picture each point is from.
    """

    points: NDArray[np.float32]
    values: NDArray[np.float32]
    slopes: NDArray[np.float64]
    middle: NDArray[np.float64]
    cells: NDArray[np.int64]

    @classmethod
    def of(cls, thumb: Thumb, where: Mask | None = None, corner: tuple[int, int] = (0, 0)) -> Self:
        """Take the steepest points of each cell, only from `where` if that is given; `corner`: where the cut `thumb` begins."""
        soft = softened(thumb)
        along = np.asarray(cv2.Scharr(soft, cv2.CV_32F, 1, 0, scale=1 / 32))
        down = np.asarray(cv2.Scharr(soft, cv2.CV_32F, 0, 1, scale=1 / 32))
        steep = np.asarray(np.hypot(along, down), dtype=np.float32)
        steep[:2], steep[-2:], steep[:, :2], steep[:, -2:] = 0, 0, 0, 0
        if where is not None:
            steep[~where] = 0
        ys, xs, cells = _steepest(steep)
        points = np.stack([xs, ys], axis=1) + np.array(corner)
        middle = np.array([(thumb.shape[1] - 1) / 2, (thumb.shape[0] - 1) / 2]) + corner
        x, y = (points - middle).T
        gx, gy = along[ys, xs].astype(np.float64), down[ys, xs].astype(np.float64)
        slopes = np.stack([gx, gy, gx * x + gy * y, gy * x - gx * y], axis=1)
        return cls(points.astype(np.float32), soft[ys, xs], slopes, middle, cells)

    def __len__(self) -> int:
        return len(self.points)

    def off(self, soft: Thumb, view: Matrix) -> NDArray[np.float32]:
        """By how many grey levels each point is off in a softened picture under a view, after the light has been fitted."""
        x, y = (self.points @ view[:2, :2].T + view[:2, 2]).astype(np.float32).T
        seen = cv2.remap(soft, x[None], y[None], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)[0]
        gain, offset = _light(self.values, seen)
        return np.asarray(seen - (gain * self.values + offset), dtype=np.float32)

    def explained(self, off: NDArray[np.float32]) -> float:
        """The part of the points that fit."""
        steep = np.hypot(self.slopes[:, 0], self.slopes[:, 1])
        return float(np.mean(np.abs(off) < np.clip(steep, NOISE, FITS)))

    def fit(self, soft: Thumb, view: Matrix, counts: Mask | None = None) -> Matrix:
        """Improve a view of a softened picture step by step: inverse compositional Gauss-Newton with Tukey's weights.

        What moves by itself fits badly and has no say; neither have points outside `counts`.
        """
        for _ in range(ROUNDS):
            off = self.off(soft, view).astype(np.float64)
            usual = off if counts is None else off[counts]
            limit = 4.685 * max(1.0, 1.4826 * float(np.median(np.abs(usual))))
            weights = np.square(np.clip(1 - np.square(off / limit), 0, None))
            if counts is not None:
                weights *= counts
            weighed = self.slopes * weights[:, None]
            normal = weighed.T @ self.slopes
            normal[np.diag_indices(4)] += 1e-6 * np.diag(normal) + 1e-3
            step = np.linalg.solve(normal, weighed.T @ off)
            view = view @ np.linalg.inv(self._similarity(step))
            if float(np.abs(step[:2]).max()) < 0.01 and float(np.abs(step[2:]).max()) < 5e-5:
                break
        return view

    def _similarity(self, step: NDArray[np.float64]) -> Matrix:
        """Shift, zoom and turn about the middle as a matrix."""
        dx, dy, zoom, turn = np.clip(step, (-8, -8, -0.05, -0.05), (8, 8, 0.05, 0.05))
        matrix = np.array([[1 + zoom, -turn, 0], [turn, 1 + zoom, 0], [0, 0, 1.0]])
        matrix[:2, 2] = self.middle - matrix[:2, :2] @ self.middle + (dx, dy)
        return matrix


def _misfit(off: NDArray[np.float32]) -> float:
    """Grey levels by which the points are off in the mean; what is covered counts for no more than 40."""
    return float(np.minimum(off, 40).mean())


class Registration:
    """Follows the camera: `view` maps small pixels of the settled table's picture to those of the newest frame.

    It is a similarity (shift, turn, zoom); while the camera stands still it does not change at all. `swaying`: the camera
    moved in many of the last frames, even where the table shows too little to say exactly how.
    """

    def __init__(self, settled: Thumb) -> None:
        self.view: Matrix = np.eye(3)
        self._sway = 0.0
        self.anchor(settled)

    def anchor(self, settled: Thumb) -> None:
        """Take the points to follow from the picture of the settled table."""
        self._pattern = Pattern.of(settled)
        self._size = np.array(settled.shape[::-1], dtype=np.float64)
        self._small = _shrunk(settled)

    def carry(self, settled: Thumb) -> None:
        """The newest frame is what all others are registered to from now on."""
        self.view = np.eye(3)
        self.anchor(settled)

    @property
    def swaying(self) -> bool:
        """Whether the camera moves."""
        return self._sway >= 3

    def follow(self, thumb: Thumb, busy: Mask) -> bool:
        """Find the view of a new frame; say whether it shows the same table at all. `busy`: small pixels not to go by."""
        pattern = self._pattern
        if len(pattern) < 8:
            return True
        soft = softened(thumb)
        x, y = (pattern.points @ self.view[:2, :2].T + self.view[:2, 2]).T
        rows = np.clip(np.round(y), 0, busy.shape[0] - 1).astype(int)
        columns = np.clip(np.round(x), 0, busy.shape[1] - 1).astype(int)
        counts = ~busy[rows, columns]
        if counts.mean() < 0.4:
            counts[:] = True
        before = np.abs(pattern.off(soft, self.view))
        fitted = pattern.fit(soft, self.view, counts)
        after = np.abs(pattern.off(soft, fitted))
        if pattern.explained(after) < WELL:
            # A push: phase correlation finds it whatever its size, and the fit makes it exact.
            pushed = pattern.fit(soft, self._pushed(thumb))
            misfit = np.abs(pattern.off(soft, pushed))
            better = (
                pattern.explained(misfit) > max(pattern.explained(after), pattern.explained(before)) + 0.1
            )
            # Well, and not only better: two hands over a table of backs once fitted 0.75 of the points by a jump of 45 small
            # pixels (0.65 without), and for the rest of the evening cards lay in the wrong zones.
            if better and pattern.explained(misfit) >= WELL:
                fitted, after, counts = pushed, misfit, np.ones_like(counts)
        home = np.abs(pattern.off(soft, np.eye(3)))
        if _misfit(home) <= 1.05 * _misfit(after) + 0.3:
            # A camera that stands still is the rule: hands that cover much of the table once let it seem zoomed for a whole evening.
            fitted, after, counts = np.eye(3), home, np.ones_like(counts)
            if not is_still(self.view):
                self.view, before = fitted, after
        moved = displacement(fitted @ np.linalg.inv(self.view), self._size) >= STILL
        self._sway = float(np.clip(self._sway + (1.0 if moved else -0.25), 0, 15))
        if moved and self._convincing(before[counts], after[counts], pattern.cells[counts], fitted):
            self.view, before = fitted, after
        return pattern.explained(before) >= EXPLAINED

    def _convincing(
        self, before: NDArray[np.float32], after: NDArray[np.float32], cells: NDArray[np.int64], view: Matrix
    ) -> bool:
        """Whether the cells that fit better under a view outnumber those that fit worse, and lie all over the picture."""
        if max(abs(view[0, 0] - 1), abs(view[1, 0])) > TURN:
            return False
        count = np.bincount(cells)
        there = count > 0
        gained = np.bincount(cells, np.minimum(before, 40) - np.minimum(after, 40))[there] / count[there]
        better, worse = gained > BETTER, gained < -BETTER
        if better.sum() < 4 or better.sum() < 2 * worse.sum():
            return False
        down, along = np.divmod(np.flatnonzero(there)[better], int(self._size[0]) // CELL + 1)
        across = float(np.ptp(np.percentile(along, [10, 90]))) * CELL / self._size[0]
        high = float(np.ptp(np.percentile(down, [10, 90]))) * CELL / self._size[1]
        return bool(max(across, high) > SPREAD)

    def _pushed(self, thumb: Thumb) -> Matrix:
        """The shift that phase correlation finds between the settled table and a frame."""
        small = _shrunk(thumb)
        window = cv2.createHanningWindow((small.shape[1], small.shape[0]), cv2.CV_32F)
        # Copies: where a picture has a size that the transform likes, OpenCV windows it in place.
        (dx, dy), _ = cv2.phaseCorrelate(self._small.copy(), small.copy(), window)
        return np.array([[1, 0, dx * COARSE], [0, 1, dy * COARSE], [0, 0, 1.0]])


class Mosaic:
    """A picture of the table, kept as the camera saw it at first, with what of it is `known`.

    It is written and shown through the view of the moment: nothing is resampled more than once each way, so that an hour
    of sway does not blur it.
    """

    def __init__(self, shape: Sequence[int]) -> None:
        self.picture: Thumb = np.zeros(shape, dtype=np.float32)
        self.known: Mask = np.zeros(shape, dtype=np.bool_)

    def seen(self, view: Matrix) -> tuple[Thumb, Mask]:
        """The picture as the camera shows it under a view, and what of it is known."""
        if is_still(view):
            return self.picture, self.known
        known = warped(self.known.astype(np.float32), view, border=0.0) > 0.99
        return warped(self.picture, view), np.asarray(known, dtype=np.bool_)

    def missing(self, view: Matrix) -> Mask:
        """What the camera shows under a view of the part that is kept and is not known yet."""
        if bool(self.known.all()):
            return np.zeros(self.known.shape, dtype=np.bool_)
        lacks = np.asarray(~self.known, dtype=np.float32)
        return np.asarray(warped(lacks, view, border=0.0) > 0.5, dtype=np.bool_)

    def write(self, thumb: Thumb, where: Mask, view: Matrix) -> None:
        """Take in the small pixels `where` of a frame that is seen under a view."""
        if not is_still(view):
            back: Matrix = np.asarray(np.linalg.inv(view), dtype=np.float64)
            where = warped(where.astype(np.float32), back, border=0.0) > 0.5
            thumb = warped(thumb, back)
        self.picture[where] = thumb[where]
        self.known |= where

    def relight(self, gain: float, offset: float) -> None:
        """The light has changed for all of the table: gain and offset in grey levels."""
        self.picture = np.asarray(np.clip(gain * self.picture + offset, 0, 255), dtype=np.float32)

    def carry(self, view: Matrix) -> None:
        """Keep the picture as it is seen under a view from now on."""
        self.picture, self.known = self.seen(view)


def softened(thumb: Thumb) -> Thumb:
    """A picture under the blur in which points are followed."""
    return np.asarray(cv2.GaussianBlur(thumb, (0, 0), SOFT), dtype=np.float32)


def is_still(view: Matrix) -> bool:
    """Whether a map changes nothing at all."""
    return bool((view == np.eye(3)).all())


def warped(thumb: Thumb, view: Matrix, border: float | None = None) -> Thumb:
    """A small picture as seen under a view; beyond its border it is repeated, or `border`."""
    size = (thumb.shape[1], thumb.shape[0])
    how = cv2.BORDER_REPLICATE if border is None else cv2.BORDER_CONSTANT
    flags = cv2.INTER_CUBIC if border is None else cv2.INTER_LINEAR
    shown = cv2.warpAffine(thumb, view[:2], size, flags=flags, borderMode=how, borderValue=border or 0.0)
    return np.asarray(shown, dtype=np.float32)


def displacement(view: Matrix, size: NDArray[np.float64]) -> float:
    """How far a map moves the corners of a picture of a size (width, height), in its pixels."""
    corners = np.array([[0, 0], [size[0], 0], [size[0], size[1]], [0, size[1]]])
    return float(np.linalg.norm(corners @ view[:2, :2].T + view[:2, 2] - corners, axis=1).max())


def enlarged(view: Matrix, factor: int) -> Matrix:
    """A map of small pixels as one of the pixels of the frame, `factor` times larger."""
    grow = np.array([[factor, 0, (factor - 1) / 2], [0, factor, (factor - 1) / 2], [0, 0, 1.0]])
    return np.asarray(grow @ view @ np.linalg.inv(grow), dtype=np.float64)


def _steepest(steep: Thumb) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Rows, columns and cell numbers of the steepest points of each cell."""
    rows, columns = -(-steep.shape[0] // CELL), steep.shape[1] // CELL + 1
    padded = np.zeros((rows * CELL, columns * CELL), dtype=np.float32)
    padded[: steep.shape[0], : steep.shape[1]] = steep
    by_cell = padded.reshape(rows, CELL, columns, CELL).swapaxes(1, 2).reshape(rows * columns, CELL * CELL)
    best = np.argpartition(-by_cell, A_CELL, axis=1)[:, :A_CELL]
    cell, place = np.nonzero(np.take_along_axis(by_cell, best, axis=1) > STEEP)
    inside = best[cell, place]
    ys = (cell // columns) * CELL + inside // CELL
    xs = (cell % columns) * CELL + inside % CELL
    return ys, xs, cell


def _light(old: NDArray[np.float32], new: NDArray[np.float32]) -> tuple[float, float]:
    """Gain and offset under which the old values come nearest to most of the new ones."""
    usual = float(np.median(new - old))
    off = np.abs(old + usual - new)
    close = off <= max(8.0, 2 * float(np.median(off)))
    x, y = old[close], new[close]
    mean = float(x.mean())
    spread = float(np.square(x - mean).mean())
    if spread < 25.0:
        return 1.0, usual
    gain = float(np.clip(((x - mean) * y).mean() / spread, 0.25, 4.0))
    return gain, float(y.mean()) - gain * mean


def _shrunk(thumb: Thumb) -> Thumb:
    size = (max(8, thumb.shape[1] // COARSE), max(8, thumb.shape[0] // COARSE))
    return np.asarray(cv2.resize(thumb, size, interpolation=cv2.INTER_AREA), dtype=np.float32)
