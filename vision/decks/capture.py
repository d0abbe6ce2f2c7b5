"""Finding cards that lie for enrolment: a grid of them in reading order, or one new card that has
come to rest."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.geometry import Quad, area, aspect, centre, is_gap
from vision.outlines.detect import outlines
from vision.outlines.shape import of_card_shape

CLEAR = 0.75
"""Least support of an outline that is enrolled without anyone pointing at it."""


def in_reading_order(image: NDArray[np.uint8]) -> list[Quad]:
    """The outlines of the cards in a BGR picture, row by row as they lie in it, from the top
    left."""
    return [quad for row in grid(clear(image)) for quad in row]


def grid(quads: Sequence[Quad]) -> list[list[Quad]]:
    """Rows of cards from top to bottom, each from left to right; a new row starts below the last
    one's middles."""
    rows: list[list[Quad]] = []
    for quad in sorted(quads, key=lambda q: float(centre(q)[1])):
        tall = float(np.ptp(quad[:, 1]))
        if rows and float(centre(quad)[1]) - np.mean([centre(q)[1] for q in rows[-1]]) < 0.5 * tall:
            rows[-1].append(quad)
        else:
            rows.append([quad])
    return [sorted(row, key=lambda q: float(centre(q)[0])) for row in rows]


def clear(image: NDArray[np.uint8]) -> list[Quad]:
    """The clear outlines of the usual shape and size: a phone beside the cards, a grain in the wood
    are left out."""
    found = sorted((o.quad for o in outlines(image) if o.support > CLEAR), key=area)
    if not found:
        return []
    usual = found[len(found) // 2]
    alike = [quad for quad in found if of_card_shape(quad, [usual], aspect(usual))]
    return [quad for quad in alike if not is_gap(quad, alike)]


class Shutter:
    """Releases by itself when one new card has lain still for `REST` seconds, once for each card
    that is laid.

    The next card must lie somewhere else, or come after the table was empty.
    """

    REST = 0.4

    def __init__(self) -> None:
        self._last: Quad | None = None
        self._since = 0.0
        self._taken = False

    def see(self, frame: NDArray[np.uint8], t_seconds: float) -> Quad | None:
        """Take in a BGR frame; the outline of the card that has just come to rest, or None."""
        found = clear(frame)
        if len(found) != 1:
            self._last, self._taken = None, self._taken and bool(found)
            return None
        shift = np.inf if self._last is None else float(np.abs(centre(found[0]) - centre(self._last)).max())
        if shift > 4.0:
            self._taken = self._taken and shift < 40.0
            self._last, self._since = found[0], t_seconds
        if self._taken or t_seconds - self._since < self.REST:
            return None
        self._taken = True
        return found[0]
