"""Track points of a picture to find it again, shifted, turned and zoomed, in another.

A picture's points with a steep gradient are stored with their grey levels and with how these change
under a small shift, zoom or turn. In a new picture the differences at these points then give the
step that reduces them most, by inverse compositional Gauss-Newton: as the slopes belong to the
first picture, they are computed only once. Tukey's weights ignore the points that do not fit,
because a hand or a moving card covers them.
"""

from dataclasses import dataclass
from typing import Any, Self

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.video.view_transform import Mask, Matrix, Thumb

CELL = 16
"""Side in small pixels of the cells from which a few points each are taken, so that the whole
picture is represented."""

A_CELL = 6
"""Most points in a cell: those with the steepest gradient."""

STEEP = 1.2
"""Gradient, in grey levels a pixel of the softened picture, from which a point can be followed: a
scratch on a pale table has 1.5 to 4, the noise of a webcam (2 grey levels) 0.5."""

SOFT = 1.2
"""Blur, in small pixels, under which frames are registered: it widens the reach of a step to about
two pixels."""

ROUNDS, FITTED = 8, 0.03
"""`ROUNDS`: most steps of fitting (a sway of one pixel takes three). `FITTED`: small pixels by
which a step must move the outermost points for another one to follow: what remains is a part of
that. With a limit of a hundredth of a pixel and a turn too small for any card to show, a camera
that had not moved took all eight."""

NOISE, FITS = 2.5, 10.0
"""Grey levels by which a point that fits may be off: as much as a shift by one pixel makes there,
within these bounds."""

OUTSIDE = np.float32(255)
"""Grey levels by which a point outside the picture is off: it is not found again. When compared
with the picture's edge instead, the grain of a plain cloth fitted under any view that led far
enough away: 99 of 100 points once, by a jump of half the picture."""


@dataclass(frozen=True, eq=False)
class Landmarks:
    """Points of a picture that can be found again in another.

    `points`: places (x, y); `values`: grey levels; `slopes`: how these change with a shift along x
    and y, a zoom and a turn about `middle`; `cells`: the part of the picture from which each point
    is.
    """

    points: NDArray[np.float32]
    values: NDArray[np.float32]
    slopes: NDArray[np.float64]
    middle: NDArray[np.float64]
    cells: NDArray[np.int64]

    @classmethod
    def from_thumb(cls, thumb: Thumb, where: Mask | None = None, corner: tuple[int, int] = (0, 0)) -> Self:
        """Take the steepest points of each cell, only from `where` if that is given. `corner`:
        where the cut `thumb` begins."""
        soft = blur_thumb(thumb)
        along = np.asarray(cv2.Scharr(soft, cv2.CV_32F, 1, 0, scale=1 / 32))
        down = np.asarray(cv2.Scharr(soft, cv2.CV_32F, 0, 1, scale=1 / 32))
        steep = np.asarray(np.hypot(along, down), dtype=np.float32)
        # at the rim, the gradient is an artefact of the border
        steep[:2], steep[-2:], steep[:, :2], steep[:, -2:] = 0, 0, 0, 0
        if where is not None:
            steep[~where] = 0
        ys, xs, cells = _find_steepest_points(steep)
        points = np.stack([xs, ys], axis=1) + np.array(corner)
        middle = np.array([(thumb.shape[1] - 1) / 2, (thumb.shape[0] - 1) / 2]) + corner
        x, y = (points - middle).T
        gx, gy = along[ys, xs].astype(np.float64), down[ys, xs].astype(np.float64)
        slopes = np.stack([gx, gy, gx * x + gy * y, gy * x - gx * y], axis=1)
        return cls(points.astype(np.float32), soft[ys, xs], slopes, middle, cells)

    def __len__(self) -> int:
        return len(self.points)

    def measure_residuals(self, blurred: Thumb, view: Matrix) -> NDArray[np.float32]:
        """Return by how many grey levels each point is off in a softened picture under a view,
        after the light has been fitted; a point outside the picture is off by `OUTSIDE`."""
        x, y = (self.points @ view[:2, :2].T + view[:2, 2]).astype(np.float32).T
        sampled = cv2.remap(blurred, x[None], y[None], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)[0]
        gain, offset = _fit_gain_offset(self.values, sampled)
        height, width = blurred.shape
        inside = (x > -1) & (y > -1) & (x < width) & (y < height)
        return np.where(inside, sampled - (gain * self.values + offset), OUTSIDE)

    def inlier_share(self, residuals: NDArray[np.float32]) -> float:
        """Return the part of the points that fit, from 0 to 1."""
        steep = np.hypot(self.slopes[:, 0], self.slopes[:, 1])
        return float(np.mean(np.abs(residuals) < np.clip(steep, NOISE, FITS)))

    def refine_view(
        self, blurred: Thumb, view: Matrix, counts: Mask | None = None, rounds: int = ROUNDS
    ) -> Matrix:
        """Improve a view of a softened picture step by step: inverse compositional Gauss-Newton
        with Tukey's weights.

        Whatever moves by itself fits badly and has no influence; neither have points outside
        `counts`.
        """
        reach = float(np.abs(self.points - self.middle).max())
        for _ in range(rounds):
            off = self.measure_residuals(blurred, view).astype(np.float64)
            usual = off if counts is None else off[counts]
            # 4.685 is Tukey's constant (95 % as efficient as least squares); 1.4826 makes a
            # standard deviation of a median of what is off.
            limit = 4.685 * max(1.0, 1.4826 * _upper_median(np.abs(usual)))
            weights = np.square(np.clip(1 - np.square(off / limit), 0, None))
            if counts is not None:
                weights *= counts
            weighed = self.slopes * weights[:, None]
            normal = weighed.T @ self.slopes
            # a plain table leaves some direction undetermined: damping keeps the step small there
            normal[np.diag_indices(4)] += 1e-6 * np.diag(normal) + 1e-3
            step = np.linalg.solve(normal, weighed.T @ off)
            view = view @ np.linalg.inv(self._similarity_matrix(step))
            if float(np.abs(step[:2]).max() + reach * np.abs(step[2:]).max()) < FITTED:
                break
        return view

    def _similarity_matrix(self, step: NDArray[np.float64]) -> Matrix:
        """Build the matrix of a shift, zoom and turn about the middle."""
        # the slopes hold for small steps only: a larger one is a bad fit running away
        dx, dy, zoom, turn = np.clip(step, (-8, -8, -0.05, -0.05), (8, 8, 0.05, 0.05))
        matrix = np.array([[1 + zoom, -turn, 0], [turn, 1 + zoom, 0], [0, 0, 1.0]])
        # turned about the middle of the points, for which the slopes were computed
        matrix[:2, 2] = self.middle - matrix[:2, :2] @ self.middle + (dx, dy)
        return matrix


def blur_thumb(thumb: Thumb) -> Thumb:
    """Blur a picture as needed to follow points in it."""
    return np.asarray(cv2.GaussianBlur(thumb, (0, 0), SOFT), dtype=np.float32)


def _find_steepest_points(steep: Thumb) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return rows, columns and cell numbers of the steepest points of each cell."""
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


def _fit_gain_offset(old: NDArray[np.float32], new: NDArray[np.float32]) -> tuple[float, float]:
    """Return gain and offset under which the old values come nearest to most of the new ones."""
    usual = _upper_median(new - old)
    # points that disagree about the light show something else by now
    off = np.abs(old + usual - new)
    close = off <= max(8.0, 2 * _upper_median(off))
    x, y = old[close], new[close]
    mean = float(x.sum()) / len(x)
    centred = x - mean
    spread = float(centred @ centred) / len(x)
    # nearly one grey level throughout: a gain could not be told from an offset
    if spread < 25.0:
        return 1.0, usual
    gain = min(max(float(centred @ y) / len(x) / spread, 0.25), 4.0)
    return gain, float(y.sum()) / len(y) - gain * mean


def _upper_median(values: NDArray[np.floating[Any]]) -> float:
    """Return the upper median: of some hundred values, forty times a frame, NumPy's own takes twice
    as long."""
    middle = len(values) // 2
    return float(np.partition(values, middle)[middle])
