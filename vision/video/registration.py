"""Find where the camera looks now, by registering each frame to the picture of the settled table.

A camera in a hand, on a book or on a boom sways by a pixel or two a frame. The stored pictures of
the table are mapped to where the new frame shows it before anything is compared block by block.

Each frame is fitted from the last view, by the points of `vision.video.landmarks`. If too few
points fit, the camera may have been pushed: phase correlation then finds a large shift, and the fit
makes it exact. A fit alone is not trusted, because a hand that slides over a plain cloth, or pushes
a card, explains many points by a movement of the camera. A new view is accepted only if the cells
that fit better by it clearly outnumber those that fit worse, and lie all over the picture. And as
cameras mostly stand still, the original view is preferred whenever it fits nearly as well.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.video.landmarks import CELL, Landmarks, blur_thumb
from vision.video.view_transform import Mask, Matrix, Thumb, is_identity, max_corner_displacement

COARSE = 4
"""Factor by which the picture is shrunk in which a large push is looked for first."""

STILL = 0.12
"""Displacement in small pixels of the picture's corners below which the camera has not moved:
sensor noise alone makes up to 0.05, and 0.12 of a card's steepest edge are under two grey levels a
block."""

UNMOVED = 0.3
"""Mean grey levels by which the points may be off under the original view, beyond what the best
view leaves, if the camera stands still: noise and the folds of a sleeve then make less."""

CALMER = 0.25
"""Amount by which each still frame lessens the count of those in which the camera moved."""

BETTER = 0.5
"""Grey levels by which a cell's points must fit better, or worse, to count for or against a
movement of the camera."""

SPREAD = 0.3
"""Part of the picture's width or height that the cells in favour of a move must span: a card that
is pushed along with the hand on it spans less, and would otherwise be taken for the table."""

JUMP = 3.0
"""Displacement in small pixels of the picture's corners in one frame from which it counts as a
push: a trembling camera moves by less. In other people's videos from a hand a third of the steps
are larger, and the whole table then shows them."""

ALL_OVER, APART, AGAINST = 0.5, 3, 0.4
"""What a push must show beyond that, because an arm that lies elsewhere than when it was last
settled fits as well: cells in favour over this part of the width and of the height, or in this many
separate places (cards that all moved alike), and cells against at most in this ratio to those in
favour (0.32 in a video from a hand, 0.45 where an arm carried a table away)."""

AT_HOME = 0.62
"""Part of the points that fit without a push from which no push is looked for: a table pushed by
eight small pixels fits at 0.58 of the points of its grain; an arm over a plain cloth left 0.71 and
was taken for a push of 370 pixels, and for the rest of the session cards lay in the wrong zones."""

EXPLAINED, WELL = 0.55, 0.8
"""`EXPLAINED`: part of the points that must fit for a frame to show the same table. `WELL`: below
it, a push is looked for (a table pushed by eight small pixels fits at 0.58 of the points of its
grain, and at 0.98 once the push is known)."""

TURN = 0.06
"""Greatest turn (radians) and zoom (parts) of a camera since the table's picture was taken for
which a fit is believed: on a table with hardly a scratch, a video of a moving card was once
explained by a zoom to a fifth."""


class CameraRegistration:
    """Follows the camera: `view` maps small pixels of the settled table's picture to
    those of the newest frame.

    It is a similarity (shift, turn, zoom); while the camera stands still it does not change at all.
    `is_swaying`: the camera moved in many of the last frames, even where the table shows too little
    to say exactly how.
    """

    def __init__(self, settled: Thumb) -> None:
        self.view: Matrix = np.eye(3)
        self._sway = 0.0
        self.set_anchor(settled)

    def set_anchor(self, settled: Thumb) -> None:
        """Take the points to follow from the picture of the settled table."""
        self._landmarks = Landmarks.from_thumb(settled)
        self._size = np.array(settled.shape[::-1], dtype=np.float64)
        self._small = _shrink_thumb(settled)

    def rebase(self, settled: Thumb) -> None:
        """Register all later frames to the newest one, of which `settled` is the picture."""
        self.view = np.eye(3)
        self.set_anchor(settled)

    @property
    def is_swaying(self) -> bool:
        """Whether the camera moves."""
        return self._sway >= 3

    def track_view(self, thumb: Thumb, busy: Mask) -> bool:
        """Find the view of a new frame, and return whether it shows the same table at all. `busy`:
        small pixels to ignore."""
        landmarks = self._landmarks
        # a table without a visible point: no view can be found, and the last one is kept
        if len(landmarks) < 8:
            return True
        soft = blur_thumb(thumb)
        before = np.abs(landmarks.measure_residuals(soft, self.view))
        if is_identity(self.view) and _mean_misfit(before) <= UNMOVED:
            # even the best view could not be so much better (below)
            self._sway = max(self._sway - CALMER, 0.0)
            return True
        x, y = (landmarks.points @ self.view[:2, :2].T + self.view[:2, 2]).T
        rows = np.clip(np.round(y), 0, busy.shape[0] - 1).astype(int)
        columns = np.clip(np.round(x), 0, busy.shape[1] - 1).astype(int)
        counts = ~busy[rows, columns]
        if counts.mean() < 0.4:
            # Too few points are at rest: all are used, and the fit weighs them.
            counts[:] = True
        fitted, push = landmarks.refine_view(soft, self.view, counts), False
        after = np.abs(landmarks.measure_residuals(soft, fitted))
        if landmarks.inlier_share(after) < WELL and landmarks.inlier_share(before) < AT_HOME:
            # A push: phase correlation finds it whatever its size, and the fit makes it exact.
            pushed = landmarks.refine_view(soft, self._phase_correlate(thumb))
            misfit = np.abs(landmarks.measure_residuals(soft, pushed))
            better = (
                landmarks.inlier_share(misfit)
                > max(landmarks.inlier_share(after), landmarks.inlier_share(before)) + 0.1
            )
            # Not only better, but well: two hands over a table of backs once fitted 0.75 of the
            # points by a jump of 45 small pixels (0.65 without), and cards lay in the wrong zones
            # for the rest of the session.
            if better and landmarks.inlier_share(misfit) >= WELL:
                fitted, after, counts, push = pushed, misfit, np.ones_like(counts), True
        home = before if is_identity(self.view) else np.abs(landmarks.measure_residuals(soft, np.eye(3)))
        if _mean_misfit(home) <= 1.05 * _mean_misfit(after) + UNMOVED:
            # A camera mostly stands still: hands that covered much of the table once made it seem
            # zoomed for a whole session.
            fitted, after, counts = np.eye(3), home, np.ones_like(counts)
            if not is_identity(self.view):
                self.view, before = fitted, after
        far = max_corner_displacement(fitted @ np.linalg.inv(self.view), self._size)
        moved = far >= STILL
        self._sway = float(np.clip(self._sway + (1.0 if moved else -CALMER), 0, 15))
        off = before[counts], after[counts]
        if moved and self._is_convincing_view(*off, landmarks.cells[counts], fitted, push or far > JUMP):
            self.view, before = fitted, after
        return landmarks.inlier_share(before) >= EXPLAINED

    def _is_convincing_view(
        self,
        before: NDArray[np.float32],
        after: NDArray[np.float32],
        cells: NDArray[np.int64],
        view: Matrix,
        push: bool,
    ) -> bool:
        """Check whether the cells that fit better under a view outnumber those that fit worse, and
        lie all over the picture."""
        if max(abs(view[0, 0] - 1), abs(view[1, 0])) > TURN:
            return False
        count = np.bincount(cells)
        there = count > 0
        # limited, so that one covered point does not decide for its cell
        gained = np.bincount(cells, np.minimum(before, 40) - np.minimum(after, 40))[there] / count[there]
        better, worse = gained > BETTER, gained < -BETTER
        if better.sum() < 4 or better.sum() < 2 * worse.sum():
            return False
        columns = int(self._size[0]) // CELL + 1
        down, along = np.divmod(np.flatnonzero(there)[better], columns)
        # without the outermost tenth: one cell that fits by chance shall not widen the span
        across = float(np.ptp(np.percentile(along, [10, 90]))) * CELL / self._size[0]
        high = float(np.ptp(np.percentile(down, [10, 90]))) * CELL / self._size[1]
        if not push:
            return bool(max(across, high) > SPREAD)
        if worse.sum() > AGAINST * better.sum():
            return False
        return bool(min(across, high) > ALL_OVER) or _count_cell_clusters(down, along) >= APART

    def _phase_correlate(self, thumb: Thumb) -> Matrix:
        """Return the shift that phase correlation finds between the settled table and a frame."""
        small = _shrink_thumb(thumb)
        window = cv2.createHanningWindow((small.shape[1], small.shape[0]), cv2.CV_32F)
        # Copies: OpenCV applies the window in place if a picture already has a size that suits the
        # transform.
        (dx, dy), _ = cv2.phaseCorrelate(self._small.copy(), small.copy(), window)
        return np.array([[1, 0, dx * COARSE], [0, 1, dy * COARSE], [0, 0, 1.0]])


def _count_cell_clusters(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> int:
    """Count the separate places in which cells lie. Cells with at most two cells between them count
    as one place (the two edges of an arm, say), and single cells do not count."""
    grid = np.zeros((int(rows.max()) + 3, int(columns.max()) + 3), dtype=np.uint8)
    grid[rows + 1, columns + 1] = 1
    count, names = cv2.connectedComponents(cv2.dilate(grid, np.ones((3, 3), np.uint8)))
    return sum(int((grid * (names == place)).sum()) > 1 for place in range(1, count))


def _mean_misfit(residuals: NDArray[np.float32]) -> float:
    """Return the mean grey levels by which points are off, each limited to 40 so that covered
    points do not dominate."""
    return float(np.minimum(residuals, 40).mean())


def _shrink_thumb(thumb: Thumb) -> Thumb:
    size = (max(8, thumb.shape[1] // COARSE), max(8, thumb.shape[0] // COARSE))
    return np.asarray(cv2.resize(thumb, size, interpolation=cv2.INTER_AREA), dtype=np.float32)
