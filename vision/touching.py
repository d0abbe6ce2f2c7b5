"""Two cards laid edge to edge: one outline goes round both, and a card's proportions tell where the
seam must be."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from vision.geometry import Quad, to_quad, transform
from vision.outlines import quads
from vision.outlines.shape import of_card_shape
from vision.reading import Reading

DOUBTFUL = 0.6
"""Confidence below which an outline may hold two cards instead of the one it was read as: two cards
of one sign each were taken for one of two signs with 0.53."""

REACH = 4.0
"""Pixels within which an edge of a half is sought; white cards that touch may show none."""

WHOLE = np.array([[0, 0], [2, 0], [2, 2], [0, 2]], np.float32)
LEFT, UPPER = WHOLE * np.array([0.5, 1], np.float32), WHOLE * np.array([1, 0.5], np.float32)
RIGHT, LOWER = LEFT + np.array([1, 0], np.float32), UPPER + np.array([0, 1], np.float32)
"""A square, and its halves."""


def parted(
    image: NDArray[np.uint8],
    quad: Quad,
    sure: list[Quad],
    wanted: float,
    read: Callable[[NDArray[np.uint8], Quad], Reading],
) -> list[Reading]:
    """The two touching cards in an outline; none unless both halves have a card's shape and are
    sure: half a card looks like no design.

    `sure`: cards that tell a card's shape and size; `wanted`: its long by its short side; `read`
    names what is in a quad.
    """
    for cut in halves(image, quad):
        if all(of_card_shape(half, sure, wanted) for half in cut):
            pair = []
            for half in cut:
                pair.append(read(image, half))
                if not pair[-1].sure:
                    break
            else:
                return pair
    return []


def halves(image: NDArray[np.uint8], quad: Quad) -> list[list[Quad]]:
    """The two halves of a quad, cut down and cut across as seen in perspective, moved onto their
    edges where they show."""
    square = to_quad(WHOLE, quad)
    cuts = [[transform(square, half) for half in cut] for cut in ((LEFT, RIGHT), (UPPER, LOWER))]
    return [quads.sharpen(image, cut, REACH)[0] for cut in cuts]
