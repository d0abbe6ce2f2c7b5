"""What lies over a card: the quads that cover it, how much of it they hide, the picture without
them."""

from collections.abc import Iterable, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import Quad, area, overlap, rectangle, to_quad, transform

RIM = 0.01
"""Part of a card that others may share without lying on it: outlines are not exact."""

COARSE = 48
"""Across and down, the points of a card by which it is told how much of it is hidden."""


def over(quad: Quad, others: Iterable[Quad]) -> list[Quad]:
    """Those of the other quads that share more than a rim with this one."""
    return [other for other in others if overlap(other, quad) > RIM * area(quad)]


def hidden_part(quad: Quad, covers: Iterable[Quad]) -> float:
    """How much of a quad lies under others, in parts of it."""
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
