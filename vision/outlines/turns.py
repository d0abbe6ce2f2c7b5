"""Lines of one picture, and how one turns into another: where four close, a card may lie."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from vision.geometry import Quad, clockwise, is_convex
from vision.outlines import detect
from vision.outlines.straight import Line

AT_CORNER = 1.5
"""Gap at a corner, in lengths of the piece that ends there: corners are round, or covered."""

SIDE, ROUND = 0.3, 0.6
"""Part of a side, and of all four together, that must show."""

Corner = tuple[int, float, float]
"""The line that is entered, where on the line left the corner is, and where on the one entered."""

Bounds = Sequence[tuple[float, float]]
"""From where to where each line is a side."""


def turning(lines: Sequence[Line]) -> Iterator["Turns"]:
    """The lines turning clockwise, and turning the other way."""
    if len(lines) < 3:
        return
    at, along = np.stack([one.at for one in lines]), np.stack([one.along for one in lines])
    cross = along[:, None, 0] * along[None, :, 1] - along[:, None, 1] * along[None, :, 0]
    apart = at[None] - at[:, None]
    slanted = np.where(np.abs(cross) < 0.35, np.nan, cross)
    on_one = (apart[..., 0] * along[None, :, 1] - apart[..., 1] * along[None, :, 0]) / slanted
    on_other = (apart[..., 0] * along[:, None, 1] - apart[..., 1] * along[:, None, 0]) / slanted
    for way in (1, -1):
        yield Turns(lines, np.where(way * cross > 0, on_one, np.nan), on_other)


class Turns:
    """Lines and the corners at which one leaves for another, all turning the same way round."""

    def __init__(
        self, lines: Sequence[Line], leaves: NDArray[np.float64], enters: NDArray[np.float64]
    ) -> None:
        """`leaves` and `enters` tell where each corner is on the line left and on the line entered,
        NaN where there is none."""
        self.lines = lines
        self.corners: dict[int, list[Corner]] = defaultdict(list)
        self._ends: dict[tuple[int, float], list[Corner]] = {}
        near = np.stack([_left_near(line, out) for line, out in zip(lines, leaves, strict=True)])
        near &= np.stack([_entered_near(line, into) for line, into in zip(lines, enters.T, strict=True)]).T
        for i, j in np.argwhere(near).tolist():
            self.corners[i].append((j, float(leaves[i, j]), float(enters[i, j])))

    def sides_from(self, line: int, start: float) -> list[Corner]:
        """The corners at which a side that starts there may end."""
        if (line, start) not in self._ends:
            self._ends[line, start] = [
                corner
                for corner in self.corners.get(line, ())
                if corner[1] - start > detect.MIN_SIDE and self.lines[line].shows(start, corner[1]) > SIDE
            ]
        return self._ends[line, start]

    def closed(self) -> list[Quad]:
        """The quads that four lines close."""
        found: list[tuple[list[Line], Bounds]] = []
        for first, leaving in list(self.corners.items()):
            for second, out, start in leaving:
                for third, end, start_3 in self.sides_from(second, start):
                    for fourth, end_3, start_4 in self.sides_from(third, start_3) if third > first else ():
                        # the fourth side ends on the first line, before the corner begun with
                        for fifth, end_4, start_1 in (
                            self.sides_from(fourth, start_4) if fourth > first else ()
                        ):
                            if fifth == first < second and start_1 < out:
                                bounds = [(start_1, out), (start, end), (start_3, end_3), (start_4, end_4)]
                                order = [self.lines[i] for i in (first, second, third, fourth)]
                                found.append((order, bounds))
        return [quad for order, bounds in found if (quad := _quad(order, bounds)) is not None]


def _left_near(line: Line, out: NDArray[np.float64]) -> NDArray[np.bool_]:
    """At which of some corners, NaN for none, a line is left near a piece of it, for its length;
    what a reflection hides is no gap."""
    before = line.pieces[:, 0] < out[:, None] + 3
    start, end = line.pieces[np.where(before, line.pieces[:, 1], -np.inf).argmax(axis=1)].T
    gap = line.all_in_sight(end, out)
    return np.asarray(before.any(axis=1) & (gap < np.maximum(6.0, AT_CORNER * (end - start))))


def _entered_near(line: Line, into: NDArray[np.float64]) -> NDArray[np.bool_]:
    """The same of corners at which it is entered."""
    after = line.pieces[:, 1] > into[:, None] - 3
    begin, stop = line.pieces[np.where(after, line.pieces[:, 0], np.inf).argmin(axis=1)].T
    gap = line.all_in_sight(into, begin)
    return np.asarray(after.any(axis=1) & (gap < np.maximum(6.0, AT_CORNER * (stop - begin))))


def _quad(order: Sequence[Line], bounds: Bounds) -> Quad | None:
    """The quad whose sides run on four lines within those bounds, if enough of what is in sight of
    them shows."""
    sides = [(line, start, end) for line, (start, end) in zip(order, bounds, strict=True)]
    shown = [line.shows(start, end) for line, start, end in sides]
    in_sight = [line.in_sight(start, end) / (end - start) for line, start, end in sides]
    if min(shown) < SIDE or np.dot(shown, in_sight) < ROUND * sum(in_sight):
        return None
    quad = clockwise(np.array([line.at + start * line.along for line, start, _ in sides]))
    return quad if is_convex(quad) else None
