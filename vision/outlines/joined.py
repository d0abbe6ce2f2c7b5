"""Cards whose border is crossed by a cable, glare or another card: straight pieces of it, joined.

A contour runs off along whatever crosses it. The straight pieces of a border stay where they are:
pieces on one line make a side, however far apart they lie, and four sides that turn the same way
round make an outline if enough of it shows.
"""

from collections.abc import Sequence
from itertools import compress

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import Quad
from vision.outlines import detect, glare
from vision.outlines.straight import Mask, lines_of, pieces_of
from vision.outlines.turns import turning


def outlines(image: NDArray[np.uint8], known: Sequence[Quad], tall: float) -> list[detect.Outline]:
    """Outlines, in pixels of the BGR picture, whose sides show in pieces, where no `known` quad
    lies; the clearest first.

    `tall`: a card's long side by its short one; a side that a lamp's reflection hides is placed by
    it.
    """
    lab, scale = detect.working(image, None)
    if min(lab.shape[:2]) < detect.MIN_SIDE:
        return []
    small = [((quad + 0.5) * scale - 0.5).astype(np.float32) for quad in known]
    pieces = _outside(_filled(small, lab.shape), pieces_of(np.ascontiguousarray(lab[:, :, 0])))
    lamp = glare.reflections(lab)
    if lamp is not None:
        pieces = _outside(lamp, pieces)
    found = []
    for turns in turning(lines_of(pieces, lamp)):
        found += turns.closed()
        if lamp is not None:
            found += glare.open_ended(turns, lamp, small, tall)
    height, width = lab.shape[:2]
    quads = list(compress(found, detect.plausible(found, width, height)))
    clear = detect.refined(image, lab, detect.distinct(quads, detect.SAME), scale, lamp)
    return sorted(clear, key=lambda one: -one.support)


def _filled(known: Sequence[Quad], shape: tuple[int, ...]) -> Mask:
    """1 where the quads lie, and a little beside them."""
    mask = np.zeros(shape[:2], np.uint8)
    for quad in known:
        middle = quad.mean(axis=0)
        cv2.fillConvexPoly(mask, np.round(middle + 1.04 * (quad - middle)).astype(np.int32), 1)
    return mask


def _outside(mask: Mask, pieces: NDArray[np.float64]) -> NDArray[np.float64]:
    """The pieces whose middle does not lie in the mask."""
    column, row = np.round(pieces.mean(axis=1)).astype(int).T
    return np.asarray(pieces[mask[row, column] == 0], dtype=np.float64)
