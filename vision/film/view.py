"""Where the camera looks: maps (3 x 3) of small pixels to small pixels, and pictures seen through
them."""

import cv2
import numpy as np
from numpy.typing import NDArray

Thumb = NDArray[np.float32]
Matrix = NDArray[np.float64]
Mask = NDArray[np.bool_]


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


def framed(shape: tuple[int, ...], view: Matrix) -> Mask:
    """Where a picture of a shape (height, width) is seen under a view; to half a small pixel."""
    height, width = shape
    corners = np.array([[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]])
    there = np.zeros((height, width), dtype=np.uint8)
    cv2.fillConvexPoly(there, np.round(corners @ view[:2, :2].T + view[:2, 2]).astype(np.int32), 1)
    return np.asarray(there > 0, dtype=np.bool_)


def displacement(view: Matrix, size: NDArray[np.float64]) -> float:
    """How far a map moves the corners of a picture of a size (width, height), in its pixels."""
    corners = np.array([[0, 0], [size[0], 0], [size[0], size[1]], [0, size[1]]])
    return float(np.linalg.norm(corners @ view[:2, :2].T + view[:2, 2] - corners, axis=1).max())


def enlarged(view: Matrix, factor: int) -> Matrix:
    """A map of small pixels as one of the pixels of the frame, `factor` times larger."""
    grow = np.array([[factor, 0, (factor - 1) / 2], [0, factor, (factor - 1) / 2], [0, 0, 1.0]])
    return np.asarray(grow @ view @ np.linalg.inv(grow), dtype=np.float64)
