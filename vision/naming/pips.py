"""Count the pips of a playing card on its rectified picture.

The number cards of all French-suited packs have as many suit signs as their rank says, of one size
and colour, in a left and a right column with equal heights and one in the middle. The numbers in
the columns alone tell the rank, so nothing depends on the printer's exact places. Whatever else is
seen between the indices (a figure, a frame, a reflection) makes the count unknown: a count is given
only where everything fits.
"""

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.fitting.patch import Pixels

COLUMNS = {
    (0, 2): 2, (0, 3): 3, (2, 0): 4, (2, 1): 5, (3, 0): 6, (3, 1): 7, (3, 2): 8, (4, 1): 9, (4, 2): 10,
    (2, 3): 7, (4, 0): 8, (3, 3): 9, (5, 0): 10,
}  # fmt: skip
"""Rank by the number of pips in each of the outer columns, and in the middle one."""

INSIDE = 0.17, 0.08
"""Parts of width and height along the edges in which the indices are."""
SMALLEST, LARGEST = 0.004, 0.06
"""Area of a pip as a part of the card's."""
ALIKE = 1.6
"""Factor by which areas of pips of one card may differ, as they are seen."""
LINE = 0.06
"""Part of the card's width or height by which pips of one column or row may be off it."""
INK = 0.25
"""Least distance from the paper's colour of what is printed, as a part of the largest."""


class _Blob(NamedTuple):
    """A connected printed area: its middle in parts of the card, and its area likewise."""

    x: float
    y: float
    area: float


def count_pips(card: Pixels) -> int | None:
    """Return how many pips a card shows, 2 to 10; None if it may not be a number card. `card`:
    upright without margin, BGR, 0 to 1."""
    blobs = _find_blobs(card)
    if blobs is None or not 2 <= len(blobs) <= 10:
        return None
    areas = [one.area for one in blobs]
    if max(areas) > ALIKE * min(areas):
        return None
    left = sorted(one.y for one in blobs if one.x < 0.5 - LINE)
    right = sorted(one.y for one in blobs if one.x > 0.5 + LINE)
    middle = sorted(one.y for one in blobs if abs(one.x - 0.5) <= LINE)
    if len(left) != len(right) or not _are_in_columns(blobs) or not _are_level(left, right):
        return None
    # The outer columns and, but for the seven, the middle one look the same upside down.
    outer = np.array(left)
    if not _are_level(outer, np.sort(1 - outer)):
        return None
    count = COLUMNS.get((len(left), len(middle)))
    if count == 7 or count is None:
        return count
    return count if _are_level(middle, np.sort(1 - np.array(middle))) else None


def _find_blobs(card: Pixels) -> list[_Blob] | None:
    """Return the printed areas between the indices; None if one of them is too small or too large
    for a pip."""
    height, width = card.shape[:2]
    ink = _mark_ink(card)
    ink[: round(INSIDE[1] * height)] = ink[height - round(INSIDE[1] * height) :] = 0
    number, _, stats, middles = cv2.connectedComponentsWithStats(ink, connectivity=4)
    blobs = []
    for at in range(1, number):
        area = stats[at, cv2.CC_STAT_AREA] / (width * height)
        x, y = middles[at] / (width, height)
        # Rank and suit in the corners, with what may touch them.
        if not INSIDE[0] < x < 1 - INSIDE[0] or area < SMALLEST / 4:
            continue
        if not SMALLEST <= area <= LARGEST:
            return None
        blobs.append(_Blob(float(x), float(y), float(area)))
    return blobs


def _mark_ink(card: Pixels) -> NDArray[np.uint8]:
    """Mark what has another colour than the paper, which is the most frequent one."""
    lab = cv2.cvtColor(np.ascontiguousarray(card, np.float32), cv2.COLOR_BGR2LAB)
    height, width = card.shape[:2]
    x, y = INSIDE
    rows = slice(round(y * height), round((1 - y) * height))
    inner = lab[rows, round(x * width) : round((1 - x) * width)]
    bright = inner[..., 0]
    paper = np.median(inner[bright >= np.quantile(bright, 0.6)], axis=0)
    away = np.linalg.norm(lab - paper, axis=2)
    scaled = away * (255 / max(float(np.quantile(away[rows], 0.97)), 1.0))
    level, _ = cv2.threshold(np.asarray(np.clip(scaled, 0, 255), np.uint8), 0, 255, cv2.THRESH_OTSU)
    return np.asarray(scaled > max(level, 255 * INK), np.uint8)


def _are_in_columns(blobs: Sequence[_Blob]) -> bool:
    """Check whether the outer pips have one distance from the middle."""
    away = [abs(one.x - 0.5) for one in blobs if abs(one.x - 0.5) > LINE]
    return not away or max(away) - min(away) <= LINE


def _are_level(
    one: Sequence[float] | NDArray[np.float64], other: Sequence[float] | NDArray[np.float64]
) -> bool:
    return bool(np.abs(np.asarray(one) - np.asarray(other)).max(initial=0.0) <= LINE)
