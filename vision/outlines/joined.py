"""Cards whose border is crossed by a cable, glare or another card: straight pieces of it, joined.

A contour runs off along whatever crosses it. The straight pieces of a border stay where they are:
pieces on one line make a side, however far apart they lie, and four sides that turn the same way
round make an outline if enough of it shows.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import Quad, clockwise, is_convex
from vision.outlines import detect

SHORTEST = 10.0
"""Pixels of the working picture from which a straight piece counts."""

TURNED, OFF = float(np.cos(np.radians(4))), 2.0
"""Cosine of the turn, and pixels, by which pieces on one line may be off each other."""

AT_CORNER = 1.5
"""Gap at a corner, in lengths of the piece that ends there: corners are round, or covered."""

SIDE, ROUND = 0.3, 0.6
"""Part of a side, and of all four together, that must show."""

MOST_PIECES, MOST_LINES = 500, 140
"""Pieces of one picture that are joined, the longest, and lines of them that are looked at, those
of which most shows: twelve cards have 48 sides, and the grain of a wooden table has hundreds of
lines. With 100 lines three of 38 cards under cables were lost."""


Corner = tuple[int, float, float]
"""The line that is entered, where on the line left the corner is, and where on the one entered."""


@dataclass(frozen=True)
class Line:
    """Pieces on one directed line, brighter on its right: point, direction, and from where to where
    each piece runs along it, in pixels."""

    at: NDArray[np.float64]
    along: NDArray[np.float64]
    pieces: NDArray[np.float64]

    def shows(self, start: float, end: float) -> float:
        """The part of the line between two places that pieces cover."""
        covered = np.minimum(self.pieces[:, 1], end) - np.maximum(self.pieces[:, 0], start)
        return float(np.maximum(covered, 0).sum() / max(end - start, 1e-6))


def outlines(image: NDArray[np.uint8], known: Sequence[Quad] = ()) -> list[detect.Outline]:
    """Outlines, in pixels of the BGR picture, whose sides show in pieces, where no `known` quad
    lies; the clearest first."""
    lab, scale = detect.working(image, None)
    if min(lab.shape[:2]) < detect.MIN_SIDE:
        return []
    pieces = _pieces(np.ascontiguousarray(lab[:, :, 0]))
    if known:
        mask = np.zeros(lab.shape[:2], np.uint8)
        for quad in known:
            middle = quad.mean(axis=0)
            cv2.fillConvexPoly(mask, np.round((middle + 1.04 * (quad - middle)) * scale).astype(np.int32), 1)
        column, row = np.round(pieces.mean(axis=1)).astype(int).T
        pieces = pieces[mask[row, column] == 0]
    height, width = lab.shape[:2]
    quads = [q for q in _closed(_lines(pieces)) if detect.plausible(q, width, height)]
    return detect.refined(image, lab, detect.distinct(quads, detect.SAME), scale)


def _pieces(luma: NDArray[np.uint8]) -> NDArray[np.float64]:
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


def _lines(pieces: NDArray[np.float64]) -> list[Line]:
    """The pieces gathered by the line on which they lie; the longest piece tells where it runs."""
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
        found.append(Line(pieces[i, 0], along[i], np.sort(where[mine], axis=1)))
    return sorted(found, key=lambda line: -float(np.ptp(line.pieces, axis=1).sum()))[:MOST_LINES]


def _closed(lines: Sequence[Line]) -> list[Quad]:
    """The quads that four lines, each turning to the next the same way round, close."""
    found: list[Quad] = []
    if len(lines) < 4:
        return found
    at, along = np.stack([one.at for one in lines]), np.stack([one.along for one in lines])
    cross = along[:, None, 0] * along[None, :, 1] - along[:, None, 1] * along[None, :, 0]
    apart = at[None] - at[:, None]
    slanted = np.where(np.abs(cross) < 0.35, np.nan, cross)
    on_one = (apart[..., 0] * along[None, :, 1] - apart[..., 1] * along[None, :, 0]) / slanted
    on_other = (apart[..., 0] * along[:, None, 1] - apart[..., 1] * along[:, None, 0]) / slanted
    for way in (1, -1):
        found += _cycles(lines, np.where(way * cross > 0, on_one, np.nan), on_other, at, along)
    return found


def _cycles(
    lines: Sequence[Line],
    leaves: NDArray[np.float64],
    enters: NDArray[np.float64],
    at: NDArray[np.float64],
    along: NDArray[np.float64],
) -> list[Quad]:
    """Quads of corners at which one line leaves for another; `leaves` and `enters` tell where each
    corner is on the line left and on the line entered, NaN where there is none."""
    corners: dict[int, list[Corner]] = defaultdict(list)
    for i, line in enumerate(lines):
        for j in np.flatnonzero(~np.isnan(leaves[i])).tolist():
            out, into = float(leaves[i, j]), float(enters[i, j])
            before = line.pieces[line.pieces[:, 0] < out + 3]
            after = lines[j].pieces[lines[j].pieces[:, 1] > into - 3]
            if len(before) and len(after) and _near(before, out, after, into):
                corners[i].append((j, out, into))
    ends: dict[tuple[int, float], list[Corner]] = {}

    def sides_from(line: int, start: float) -> list[Corner]:
        """The corners at which a side that starts there may end."""
        if (line, start) not in ends:
            ends[line, start] = [
                corner
                for corner in corners.get(line, ())
                if corner[1] - start > detect.MIN_SIDE and lines[line].shows(start, corner[1]) > SIDE
            ]
        return ends[line, start]

    found = []
    for first, leaving in list(corners.items()):
        for second, out, start in leaving:
            for third, end, start_3 in sides_from(second, start):
                for fourth, end_3, start_4 in sides_from(third, start_3) if third > first else ():
                    # the fourth side ends on the first line, before the corner begun with
                    for fifth, end_4, start_1 in sides_from(fourth, start_4) if fourth > first else ():
                        if fifth == first < second and start_1 < out:
                            bounds = [(start_1, out), (start, end), (start_3, end_3), (start_4, end_4)]
                            order = [lines[i] for i in (first, second, third, fourth)]
                            found.append((order, bounds))
    return [quad for order, bounds in found if (quad := _quad(order, bounds)) is not None]


def _near(before: NDArray[np.float64], out: float, after: NDArray[np.float64], into: float) -> bool:
    """Whether pieces of both lines come near a corner, for their length."""
    gap, other = out - before[:, 1].max(), after[:, 0].min() - into
    length = before[before[:, 1].argmax()]
    following = after[after[:, 0].argmin()]
    return bool(
        gap < max(6.0, AT_CORNER * (length[1] - length[0]))
        and other < max(6.0, AT_CORNER * (following[1] - following[0]))
    )


def _quad(order: Sequence[Line], bounds: Sequence[tuple[float, float]]) -> Quad | None:
    """The quad whose sides run on four lines within those bounds, if enough of it shows."""
    shown = [line.shows(start, end) for line, (start, end) in zip(order, bounds, strict=True)]
    if min(shown) < SIDE or np.mean(shown) < ROUND:
        return None
    corners = [line.at + start * line.along for line, (start, _) in zip(order, bounds, strict=True)]
    quad = clockwise(np.array(corners))
    return quad if is_convex(quad) else None
