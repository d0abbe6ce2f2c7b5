"""Handle covers of a card: find the quads that lie over it, the edge of the picture among them,
measure how much they hide, and blank them."""

from collections.abc import Iterable, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import (
    Quad,
    find_homography,
    make_box,
    make_rectangle,
    overlap_area,
    quad_area,
    transform_points,
)

RIM = 0.01
"""Part of a card that others may share without lying on it, because outlines are not exact."""

BESIDE = 0.3
"""Distance beyond a card, in parts of its size, up to which covers extend, because a patch has a
margin."""

COARSE = 48
"""Number of points across and down a card from which its hidden part is estimated."""


def find_covers(quad: Quad, others: Iterable[Quad]) -> list[Quad]:
    """Return the quads that share more than a rim with this one."""
    return [other for other in others if overlap_area(other, quad) > RIM * quad_area(quad)]


def find_frame_covers(quad: Quad, frame: Quad) -> list[Quad]:
    """Return the areas beyond the edges of the picture, an upright `frame`, as covers of a quad
    that they cut: one for each edge."""
    (left, top), (right, bottom) = frame.min(axis=0), frame.max(axis=0)
    rim = BESIDE * float(np.ptp(quad, axis=0).max())
    (x0, y0), (x1, y1) = quad.min(axis=0) - rim, quad.max(axis=0) + rim
    strips = ((x0, y0, left, y1), (x0, y0, x1, top), (right, y0, x1, y1), (x0, bottom, x1, y1))
    return [make_box(a, b, c, d) for a, b, c, d in strips if c - a > rim and d - b > rim]


def hidden_share(quad: Quad, covers: Iterable[Quad]) -> float:
    """Return the part of a quad that lies under others, 0 to 1."""
    covers = list(covers)
    if not covers:
        return 0.0
    return float(mark_hidden(quad, covers, (COARSE, COARSE)).mean())


def mark_hidden(quad: Quad, covers: Iterable[Quad], shape: tuple[int, int]) -> NDArray[np.uint8]:
    """Mark by 1 the part of a quad under others, the quad stretched to `shape`, rows and columns;
    corner 0 is its upper left."""
    matrix = find_homography(quad, make_rectangle(shape[1], shape[0]))
    hidden = np.zeros(shape, dtype=np.uint8)
    for cover in covers:
        cv2.fillConvexPoly(hidden, np.round(transform_points(matrix, cover)).astype(np.int32), 1)
    return hidden


def blank_covers(image: NDArray[np.uint8], covers: Sequence[Quad]) -> NDArray[np.uint8]:
    """Return the picture with the covers filled with grey."""
    if not covers:
        return image
    blank = image.copy()
    for cover in covers:
        cv2.fillConvexPoly(blank, np.round(cover).astype(np.int32), (128, 128, 128))
    return blank
