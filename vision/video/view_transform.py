"""Map pictures of the table between views of the camera.

A view is a 3 x 3 matrix from small pixels to small pixels. `Mosaic` stores a picture of the table,
whatever part of it the camera shows; `Drift` sums up the camera's moves.
"""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

Thumb = NDArray[np.float32]
Matrix = NDArray[np.float64]
Mask = NDArray[np.bool_]


def is_identity(view: Matrix) -> bool:
    """Check whether a map is exactly the identity."""
    return bool((view == np.eye(3)).all())


def warp_thumb(thumb: Thumb, view: Matrix, border: float | None = None) -> Thumb:
    """Render a small picture under a view; outside it the border is repeated, or the value `border`
    is used."""
    size = (thumb.shape[1], thumb.shape[0])
    how = cv2.BORDER_REPLICATE if border is None else cv2.BORDER_CONSTANT
    # cubic would overshoot the limits of a mask; pictures keep their detail by it
    flags = cv2.INTER_CUBIC if border is None else cv2.INTER_LINEAR
    shown = cv2.warpAffine(thumb, view[:2], size, flags=flags, borderMode=how, borderValue=border or 0.0)
    return np.asarray(shown, dtype=np.float32)


def visible_mask(shape: tuple[int, ...], view: Matrix) -> Mask:
    """Mark where a picture of a shape (height, width) is visible under a view, to half a small
    pixel."""
    height, width = shape
    corners = np.array([[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]])
    there = np.zeros((height, width), dtype=np.uint8)
    cv2.fillConvexPoly(there, np.round(corners @ view[:2, :2].T + view[:2, 2]).astype(np.int32), 1)
    return np.asarray(there > 0, dtype=np.bool_)


def max_corner_displacement(view: Matrix, size: NDArray[np.float64]) -> float:
    """Return the farthest that a map moves a corner of a picture of a size (width, height), in its
    pixels."""
    corners = np.array([[0, 0], [size[0], 0], [size[0], size[1]], [0, size[1]]])
    return float(np.linalg.norm(corners @ view[:2, :2].T + view[:2, 2] - corners, axis=1).max())


def scale_view(view: Matrix, factor: float) -> Matrix:
    """Convert a map of small pixels into one of the pixels of the frame, `factor` times larger."""
    grow = np.array([[factor, 0, (factor - 1) / 2], [0, factor, (factor - 1) / 2], [0, 0, 1.0]])
    return np.asarray(grow @ view @ np.linalg.inv(grow), dtype=np.float64)


class Mosaic:
    """A picture of the table as the camera saw it at first, with a mask of what is `known` of it.

    It is written and read through the current view: nothing is resampled more than once each way,
    so that an hour of sway does not blur it.
    """

    def __init__(self, shape: Sequence[int]) -> None:
        self.picture: Thumb = np.zeros(shape, dtype=np.float32)
        self.known: Mask = np.zeros(shape[:2], dtype=np.bool_)

    def render_view(self, view: Matrix) -> tuple[Thumb, Mask]:
        """Return the picture as the camera shows it under a view, and the mask of what is known of
        it."""
        if is_identity(view):
            return self.picture, self.known
        if bool(self.known.all()):
            return warp_thumb(self.picture, view), visible_mask(self.known.shape, view)
        # A pixel mixed of known and unknown ones counts as unknown.
        known = warp_thumb(self.known.astype(np.float32), view, border=0.0) > 0.99
        return warp_thumb(self.picture, view), np.asarray(known, dtype=np.bool_)

    def missing_mask(self, view: Matrix) -> Mask:
        """Mark what the camera shows under a view of the part of the picture that is not known
        yet."""
        if bool(self.known.all()):
            return np.zeros(self.known.shape, dtype=np.bool_)
        lacks = np.asarray(~self.known, dtype=np.float32)
        return np.asarray(warp_thumb(lacks, view, border=0.0) > 0.5, dtype=np.bool_)

    def write_pixels(self, thumb: Thumb, where: Mask, view: Matrix) -> None:
        """Store the small pixels `where` of a frame seen under a view."""
        if not is_identity(view):
            back: Matrix = np.asarray(np.linalg.inv(view), dtype=np.float64)
            where = warp_thumb(where.astype(np.float32), back, border=0.0) > 0.5
            thumb = warp_thumb(thumb, back)
        cv2.copyTo(thumb, where.view(np.uint8), self.picture)
        self.known |= where

    def rebase(self, view: Matrix) -> None:
        """Store the picture again as seen under a view, from which later views then start."""
        self.picture, self.known = self.render_view(view)


class Drift:
    """The sum of a camera's moves, in pixels of the frame; infinite once the camera was lost."""

    def __init__(self) -> None:
        self._moved = np.eye(3)

    def add_motion(self, step: Matrix) -> None:
        """Add a move of the camera."""
        if np.isfinite(self._moved).all():
            self._moved = step @ self._moved

    def mark_lost(self) -> None:
        """Record that the camera has moved in an unknown way."""
        self._moved[:2, 2] = np.inf

    def centre_offset(self, frame: NDArray[np.uint8]) -> tuple[float, float]:
        """Return how far the middle of a frame has moved along x and y, in pixels; infinite if that
        was lost."""
        if not np.isfinite(self._moved).all():
            return np.inf, np.inf
        height, width = frame.shape[:2]
        middle = np.array([width / 2, height / 2, 1.0])
        dx, dy = (self._moved @ middle - middle)[:2]
        return float(dx), float(dy)
