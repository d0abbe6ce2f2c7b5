"""What lies over a card: the quads that cover it, the edge of the picture among them, how much of
it they hide, the picture without them."""

from collections.abc import Iterable, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import Quad, area, box, overlap, rectangle, to_quad, transform

RIM = 0.01
"""Part of a card that others may share without lying on it: outlines are not exact."""

BESIDE = 0.3
"""How far beyond a card what hides it is told, in parts of its size: a patch has a margin."""

COARSE = 48
"""Across and down, the points of a card by which it is told how much of it is hidden."""


def over(quad: Quad, others: Iterable[Quad]) -> list[Quad]:
    """Those of the other quads that share more than a rim with this one."""
    return [other for other in others if overlap(other, quad) > RIM * area(quad)]


def beyond(quad: Quad, frame: Quad) -> list[Quad]:
    """What lies beyond the edges of the picture, an upright `frame`, of a quad that they cut: as
    good as things that lie on it, one an edge."""
    (left, top), (right, bottom) = frame.min(axis=0), frame.max(axis=0)
    rim = BESIDE * float(np.ptp(quad, axis=0).max())
    (x0, y0), (x1, y1) = quad.min(axis=0) - rim, quad.max(axis=0) + rim
    strips = ((x0, y0, left, y1), (x0, y0, x1, top), (right, y0, x1, y1), (x0, bottom, x1, y1))
    return [box(a, b, c, d) for a, b, c, d in strips if c - a > rim and d - b > rim]


def hidden_part(quad: Quad, covers: Iterable[Quad]) -> float:
    """How much of a quad lies under others, in parts of it."""
    covers = list(covers)
    if not covers:
        return 0.0
    square = rectangle(COARSE, COARSE)
    matrix = to_quad(quad, square)
    hidden = np.zeros((COARSE, COARSE), dtype=np.uint8)
    for cover in covers:
        cv2.fillConvexPoly(hidden, np.round(transform(matrix, cover)).astype(np.int32), 1)
    return float(hidden.mean())


def blanked(image: NDArray[np.uint8], covers: Sequence[Quad]) -> NDArray[np.uint8]:
    """The picture with what lies in the covers blanked out."""
    if not covers:
        return image
    blank = image.copy()
    for cover in covers:
        cv2.fillConvexPoly(blank, np.round(cover).astype(np.int32), (128, 128, 128))
    return blank
