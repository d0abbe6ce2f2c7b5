"""Straight pieces of edges, and the lines on which they lie."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

SHORTEST = 10.0
"""Pixels of the working picture from which a straight piece counts."""

TURNED, OFF = float(np.cos(np.radians(4))), 2.0
"""Cosine of the turn, and pixels, by which pieces on one line may be off each other."""

MOST_PIECES, MOST_LINES = 500, 140
"""Pieces of one picture that are joined, the longest, and lines of them that are looked at, those
of which most shows: twelve cards have 48 sides, and the grain of a wooden table has hundreds of
lines. With 100 lines three of 38 cards under cables were lost."""

Mask = NDArray[np.uint8]


@dataclass(frozen=True)
class Line:
    """Pieces on one directed line, brighter on its right: point, direction, and from where to where
    along it, in pixels, each piece runs, and each stretch that a lamp's reflection hides."""

    at: NDArray[np.float64]
    along: NDArray[np.float64]
    pieces: NDArray[np.float64]
    hidden: NDArray[np.float64]

    def in_sight(self, start: float, end: float) -> float:
        """The pixels of the line between two places that no reflection hides."""
        if not len(self.hidden):
            return max(end - start, 0.0)
        return max(end - start - _within(self.hidden, start, end), 0.0)

    def all_in_sight(self, starts: NDArray[np.float64], ends: NDArray[np.float64]) -> NDArray[np.float64]:
        """The same of n stretches."""
        shared = np.minimum(self.hidden[:, 1], ends[:, None]) - np.maximum(self.hidden[:, 0], starts[:, None])
        return np.asarray(np.maximum(ends - starts - np.maximum(shared, 0).sum(axis=1), 0.0))

    def shows(self, start: float, end: float) -> float:
        """The part of what is in sight of the line between two places that pieces cover, 0..1."""
        covered = _within(self.pieces, start, end)
        return min(covered / max(self.in_sight(start, end), 1e-6), 1.0)


def pieces_of(luma: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Straight pieces of edges (von Gioi and others, LSD, IPOL 2012): n x 2 x 2, start and end,
    brighter on the right."""
    found: object = cv2.createLineSegmentDetector(cv2.LSD_REFINE_NONE).detect(luma)[0]
    # OpenCV's stubs do not tell that it is None where there is no piece
    pieces = np.asarray([] if found is None else found, dtype=np.float64).reshape(-1, 2, 2)
    span = pieces[:, 1] - pieces[:, 0]
    length = np.linalg.norm(span, axis=1)
    pieces, span, length = (one[length >= SHORTEST] for one in (pieces, span, length))
    right = np.stack([-span[:, 1], span[:, 0]], axis=1) / length[:, None]
    middle, edge = pieces.mean(axis=1), np.array(luma.shape[::-1]) - 1
    beside = [
        luma[tuple(np.clip(np.round(middle + by * right).astype(int), 0, edge).T[::-1])].astype(int)
        for by in (2.0, -2.0)
    ]
    swap = beside[0] < beside[1]
    pieces[swap] = pieces[swap][:, ::-1]
    return np.asarray(pieces[np.argsort(-length)][:MOST_PIECES], dtype=np.float64)


def lines_of(pieces: NDArray[np.float64], glare: Mask | None) -> list[Line]:
    """The pieces gathered by the line on which they lie; the longest piece tells where it runs.

    `glare`: where a lamp is mirrored, not 0, in the picture that the pieces are of; None if
    nowhere.
    """
    span = pieces[:, 1] - pieces[:, 0]
    length = np.linalg.norm(span, axis=1)
    along = span / np.maximum(length, 1e-6)[:, None]
    free = np.ones(len(pieces), dtype=bool)
    found = []
    for i in range(len(pieces)):
        if not free[i]:
            continue
        apart = pieces - pieces[i, 0]
        off = np.abs(apart[..., 1] * along[i, 0] - apart[..., 0] * along[i, 1]).max(axis=1)
        # far along the line a small turn leads far off it
        where = apart @ along[i]
        far = np.maximum(np.abs(where).max(axis=1) / max(length[i], 1.0) - 1, 0)
        mine = free & (along @ along[i] > TURNED) & (off < OFF + np.minimum(far, 2.0))
        free &= ~mine
        hidden = np.zeros((0, 2)) if glare is None else _hidden(glare, pieces[i, 0], along[i])
        found.append(Line(pieces[i, 0], along[i], np.sort(where[mine], axis=1), hidden))
    return sorted(found, key=lambda line: -float(np.ptp(line.pieces, axis=1).sum()))[:MOST_LINES]


def _hidden(glare: Mask, at: NDArray[np.float64], along: NDArray[np.float64]) -> NDArray[np.float64]:
    """From where to where a line runs through the mask: n x 2."""
    height, width = glare.shape
    far = np.arange(-height - width, height + width)
    column, row = np.round(at + far[:, None] * along).astype(int).T
    there = (column >= 0) & (column < width) & (row >= 0) & (row < height)
    there[there] = glare[row[there], column[there]] > 0
    change = np.diff(there.astype(np.int8), prepend=0, append=0)
    return np.stack([far[change[:-1] > 0], far[change[1:] < 0] + 1], axis=1).astype(np.float64)


def _within(stretches: NDArray[np.float64], start: float, end: float) -> float:
    """How many pixels of the stretches (n x 2) lie between two places."""
    shared = np.minimum(stretches[:, 1], end) - np.maximum(stretches[:, 0], start)
    return float(np.maximum(shared, 0).sum())
