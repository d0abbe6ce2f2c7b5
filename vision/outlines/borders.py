"""Join straight pieces of a border that is crossed by a cable, glare or another card.

A contour runs off along whatever crosses it. The straight pieces of a border stay where they are:
pieces on one line make a side, however far apart they lie (`group_into_lines`). Four sides that
turn in the same direction make an outline if enough of it shows (`split_by_turning`); a side hidden
by a mirrored lamp is placed by the three others (`find_open_quads`).
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import Quad, is_convex, order_clockwise, scale_quad
from vision.outlines import detect
from vision.outlines.shape import Metric, card_metric
from vision.outlines.working_picture import WorkingPicture
from vision.steps import Steps

SHORTEST = 10.0
"""Pixels of the working picture from which a straight piece counts."""

TURNED, OFF = float(np.cos(np.radians(4))), 2.0
"""Cosine of the turn, and pixels, by which pieces on one line may be off each other."""

MOST_PIECES, MOST_LINES = 500, 140
"""Most pieces of one picture that are joined, the longest first, and most lines of them that are
examined, those of which most shows first: twelve cards have 48 sides, and the grain of a wooden
table has hundreds of lines. With 100 lines three of 38 cards under cables were lost."""

Mask = NDArray[np.uint8]


@dataclass(frozen=True)
class BorderLine:
    """Pieces on one directed line, brighter on its right. `at`: a point; `along`: the
    direction; `pieces`: start and end of each piece along it, in pixels; `hidden`: those of each
    stretch hidden by a lamp's reflection."""

    at: NDArray[np.float64]
    along: NDArray[np.float64]
    pieces: NDArray[np.float64]
    hidden: NDArray[np.float64]

    def visible_length(self, start: float, end: float) -> float:
        """Return the pixels of the line between two places that no reflection hides."""
        if not len(self.hidden):
            return max(end - start, 0.0)
        return max(end - start - _overlap_length(self.hidden, start, end), 0.0)

    def visible_lengths(self, starts: NDArray[np.float64], ends: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the same for n stretches."""
        shared = np.minimum(self.hidden[:, 1], ends[:, None]) - np.maximum(self.hidden[:, 0], starts[:, None])
        return np.asarray(np.maximum(ends - starts - np.maximum(shared, 0).sum(axis=1), 0.0))

    def covered_share(self, start: float, end: float) -> float:
        """Return the part of the visible line between two places that pieces cover, 0 to 1."""
        covered = _overlap_length(self.pieces, start, end)
        return min(covered / max(self.visible_length(start, end), 1e-6), 1.0)


def detect_segments(luma: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Find straight pieces of edges (von Gioi and others, LSD, IPOL 2012): n x 2 x 2, start and
    end, brighter on the right."""
    found: object = cv2.createLineSegmentDetector(cv2.LSD_REFINE_NONE).detect(luma)[0]
    # None where there are no pieces, which OpenCV's stubs do not mention
    pieces = np.asarray([] if found is None else found, dtype=np.float64).reshape(-1, 2, 2)
    span = pieces[:, 1] - pieces[:, 0]
    length = np.linalg.norm(span, axis=1)
    pieces, span, length = (one[length >= SHORTEST] for one in (pieces, span, length))
    right = np.stack([-span[:, 1], span[:, 0]], axis=1) / length[:, None]
    middle, edge = pieces.mean(axis=1), np.array(luma.shape[::-1]) - 1
    side_levels = [
        luma[tuple(np.clip(np.round(middle + by * right).astype(int), 0, edge).T[::-1])].astype(int)
        for by in (2.0, -2.0)
    ]
    # all directed in the same way, so that a card's four sides turn in one direction
    swap = side_levels[0] < side_levels[1]
    pieces[swap] = pieces[swap][:, ::-1]
    return np.asarray(pieces[np.argsort(-length)][:MOST_PIECES], dtype=np.float64)


def group_into_lines(segments: NDArray[np.float64], glare: Mask | None) -> list[BorderLine]:
    """Group the pieces by the line on which they lie; the longest piece defines the line.

    `glare`: not 0 where a lamp is mirrored, in the picture of the pieces; None if nowhere.
    """
    span = segments[:, 1] - segments[:, 0]
    length = np.linalg.norm(span, axis=1)
    along = span / np.maximum(length, 1e-6)[:, None]
    free = np.ones(len(segments), dtype=bool)
    found = []
    for i in range(len(segments)):
        if not free[i]:
            continue
        apart = segments - segments[i, 0]
        off = np.abs(apart[..., 1] * along[i, 0] - apart[..., 0] * along[i, 1]).max(axis=1)
        # far along the line, a small turn leads far off it
        where = apart @ along[i]
        far = np.maximum(np.abs(where).max(axis=1) / max(length[i], 1.0) - 1, 0)
        mine = free & (along @ along[i] > TURNED) & (off < OFF + np.minimum(far, 2.0))
        free &= ~mine
        hidden = np.zeros((0, 2)) if glare is None else _find_hidden_spans(glare, segments[i, 0], along[i])
        found.append(BorderLine(segments[i, 0], along[i], np.sort(where[mine], axis=1), hidden))
    return sorted(found, key=lambda line: -float(np.ptp(line.pieces, axis=1).sum()))[:MOST_LINES]


def _find_hidden_spans(
    glare: Mask, at: NDArray[np.float64], direction: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return start and end of each stretch in which a line runs through the mask: n x 2."""
    height, width = glare.shape
    far = np.arange(-height - width, height + width)
    column, row = np.round(at + far[:, None] * direction).astype(int).T
    there = (column >= 0) & (column < width) & (row >= 0) & (row < height)
    there[there] = glare[row[there], column[there]] > 0
    change = np.diff(there.astype(np.int8), prepend=0, append=0)
    return np.stack([far[change[:-1] > 0], far[change[1:] < 0] + 1], axis=1).astype(np.float64)


def _overlap_length(stretches: NDArray[np.float64], start: float, end: float) -> float:
    """Return how many pixels of the stretches (n x 2) lie between two places."""
    shared = np.minimum(stretches[:, 1], end) - np.maximum(stretches[:, 0], start)
    return float(np.maximum(shared, 0).sum())


AT_CORNER = 1.5
"""Greatest gap at a corner, in lengths of the piece that ends there: corners are round, or
covered."""

SIDE, ROUND = 0.3, 0.6
"""Part of a side, and of all four together, that must show."""

Corner = tuple[int, float, float]
"""A corner: the line that is entered, its place on the line left, and its place on the line
entered."""

Bounds = Sequence[tuple[float, float]]
"""Start and end of each line's part that is a side."""


def split_by_turning(lines: Sequence[BorderLine]) -> Iterator["TurnGraph"]:
    """Yield the lines turning clockwise, and turning the other way."""
    if len(lines) < 3:
        return
    at, along = np.stack([one.at for one in lines]), np.stack([one.along for one in lines])
    cross = along[:, None, 0] * along[None, :, 1] - along[:, None, 1] * along[None, :, 0]
    apart = at[None] - at[:, None]
    # nearly parallel lines meet anywhere
    slanted = np.where(np.abs(cross) < 0.35, np.nan, cross)
    on_one = (apart[..., 0] * along[None, :, 1] - apart[..., 1] * along[None, :, 0]) / slanted
    on_other = (apart[..., 0] * along[:, None, 1] - apart[..., 1] * along[:, None, 0]) / slanted
    for way in (1, -1):
        yield TurnGraph(lines, np.where(way * cross > 0, on_one, np.nan), on_other)


class TurnGraph:
    """Lines and the corners at which one leaves for another, all turning in the same direction."""

    def __init__(
        self, lines: Sequence[BorderLine], leaves: NDArray[np.float64], enters: NDArray[np.float64]
    ) -> None:
        """`leaves` and `enters`: place of each corner on the line left and on the line entered, NaN
        where there is none."""
        self.lines = lines
        self.corners: dict[int, list[Corner]] = defaultdict(list)
        self._ends: dict[tuple[int, float], list[Corner]] = {}
        near = np.stack([_is_left_near_piece(line, out) for line, out in zip(lines, leaves, strict=True)])
        near &= np.stack(
            [_is_entered_near_piece(line, into) for line, into in zip(lines, enters.T, strict=True)]
        ).T
        for i, j in np.argwhere(near).tolist():
            self.corners[i].append((j, float(leaves[i, j]), float(enters[i, j])))

    def find_next_corners(self, line: int, start: float) -> list[Corner]:
        """Return the corners at which a side that starts at `start` may end."""
        # stored: the same side is reached from many first sides
        if (line, start) not in self._ends:
            self._ends[line, start] = [
                corner
                for corner in self.corners.get(line, ())
                if corner[1] - start > detect.MIN_SIDE
                and self.lines[line].covered_share(start, corner[1]) > SIDE
            ]
        return self._ends[line, start]

    def find_closed_quads(self) -> list[Quad]:
        """Return the quads that four lines close."""
        found: list[tuple[list[BorderLine], Bounds]] = []
        for first, leaving in list(self.corners.items()):
            for second, out, start in leaving:
                for third, end, start_3 in self.find_next_corners(second, start):
                    # each quad is found once: from its line with the lowest number
                    for fourth, end_3, start_4 in (
                        self.find_next_corners(third, start_3) if third > first else ()
                    ):
                        # the fourth side must end on the first line, before the first corner
                        for fifth, end_4, start_1 in (
                            self.find_next_corners(fourth, start_4) if fourth > first else ()
                        ):
                            if fifth == first < second and start_1 < out:
                                bounds = [(start_1, out), (start, end), (start_3, end_3), (start_4, end_4)]
                                order = [self.lines[i] for i in (first, second, third, fourth)]
                                found.append((order, bounds))
        return [quad for order, bounds in found if (quad := _build_quad(order, bounds)) is not None]


def _is_left_near_piece(line: BorderLine, out: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Check at which corners (NaN for none) a line is left near a piece of it, relative to the
    piece's length; parts hidden by a reflection do not count as gaps."""
    # a piece may begin a little past the corner
    before = line.pieces[:, 0] < out[:, None] + 3
    start, end = line.pieces[np.where(before, line.pieces[:, 1], -np.inf).argmax(axis=1)].T
    gap = line.visible_lengths(end, out)
    return np.asarray(before.any(axis=1) & (gap < np.maximum(6.0, AT_CORNER * (end - start))))


def _is_entered_near_piece(line: BorderLine, into: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Check at which corners a line is entered near a piece of it."""
    after = line.pieces[:, 1] > into[:, None] - 3
    begin, stop = line.pieces[np.where(after, line.pieces[:, 0], np.inf).argmin(axis=1)].T
    gap = line.visible_lengths(into, begin)
    return np.asarray(after.any(axis=1) & (gap < np.maximum(6.0, AT_CORNER * (stop - begin))))


def _build_quad(order: Sequence[BorderLine], bounds: Bounds) -> Quad | None:
    """Return the quad whose sides run on four lines within those bounds, if enough of their visible
    part shows."""
    sides = [(line, start, end) for line, (start, end) in zip(order, bounds, strict=True)]
    # each side counts by the part of it that no reflection hides
    shown = [line.covered_share(start, end) for line, start, end in sides]
    in_sight = [line.visible_length(start, end) / (end - start) for line, start, end in sides]
    if min(shown) < SIDE or np.dot(shown, in_sight) < ROUND * sum(in_sight):
        return None
    quad = order_clockwise(np.array([line.at + start * line.along for line, start, _ in sides]))
    return quad if is_convex(quad) else None


BURNT, COLOUR = 252, 4
"""Lightness of CIE Lab from which, and steps of chroma from grey up to which, a pixel shows the
lamp."""

HALO = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (17, 17))
"""How much wider a reflection is assumed, in pixels of the working picture, because its rim is an
edge, too."""

MOST_BURNT = 0.35
"""Part of a picture from which saturated areas are the paper of an overexposed one: reflections
nearly as wide as the cards, one on each of nine, take up to 0.34 of it with their halos."""

FITS = 0.2
"""Part by which a side may be longer or shorter than that of the nearest known card."""

HIDDEN = 0.5
"""Part of a side that must lie in reflections for it to be placed by the other three."""

ARMS = 0.6
"""Part of the visible length of the two sides beside it that must show."""


def find_reflections(lab: NDArray[np.uint8]) -> Mask | None:
    """Mark where a lamp is mirrored, and its surroundings, in a picture from
    `segment.to_smoothed_lab`; None if nowhere, or if the whole picture is overexposed."""
    least, most = (BURNT, 128 - COLOUR, 128 - COLOUR), (255, 128 + COLOUR, 128 + COLOUR)
    burnt = cv2.morphologyEx(cv2.inRange(lab, least, most), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    wide = np.asarray(cv2.dilate(burnt, HALO), np.uint8)
    return wide if 0 < cv2.countNonZero(wide) <= MOST_BURNT * wide.size else None


def find_open_quads(
    turns: TurnGraph, reflection_mask: Mask, known: Sequence[Quad], card_aspect: float
) -> list[Quad]:
    """Return quads of three sides that show, and a fourth that `reflection_mask` hides, placed by a
    card's proportions.

    `known`: cards of the picture, which define the size of others near them; without any they are
    assumed to be seen from above. `card_aspect`: a card's long side by its short one.
    """
    found = []
    metrics = [(quad.mean(axis=0), *card_metric(quad)) for quad in known]
    for first, leaving in turns.corners.items():
        for second, out, start in leaving:
            for third, end, start_3 in turns.find_next_corners(second, start):
                one, base, other = (turns.lines[i] for i in (first, second, third))
                a, b = base.at + start * base.along, base.at + end * base.along
                for back, on in _list_arm_lengths(
                    one.along, b - a, other.along, (a + b) / 2, metrics, card_aspect
                ):
                    arms = [(one, out - back, out), (other, start_3, start_3 + on)]
                    quad = np.array([a - back * one.along, a, b, b + on * other.along], np.float32)
                    # three sides alone are weak evidence: the fourth must really be hidden by a
                    # lamp
                    if _are_arms_visible(arms) and _share_in_mask(reflection_mask, quad[3], quad[0]) > HIDDEN:
                        found.append(order_clockwise(quad))
    return found


def _list_arm_lengths(
    one: NDArray[np.float64],
    base: NDArray[np.float64],
    other: NDArray[np.float64],
    at: NDArray[np.float64],
    metrics: Sequence[tuple[NDArray[np.float32], Metric, float]],
    card_aspect: float,
) -> Iterator[tuple[float, float]]:
    """Yield the lengths, in pixels, of the sides beside a base: if that is a short side, and if it
    is a long one."""
    if not metrics:
        length = float(np.linalg.norm(base))
        yield length * card_aspect, length * card_aspect
        yield length / card_aspect, length / card_aspect
        return
    _, to_widths, height = min(metrics, key=lambda known: float(((known[0] - at) ** 2).sum()))
    wide = float(np.linalg.norm(to_widths @ base))
    for expected, length in ((1.0, height), (height, 1.0)):
        if abs(wide / expected - 1) < FITS:
            back, on = (length / float(np.linalg.norm(to_widths @ arm)) for arm in (one, other))
            yield back, on


def _are_arms_visible(arms: Sequence[tuple[BorderLine, float, float]]) -> bool:
    """Check whether enough of both sides shows."""
    return all(line.covered_share(start, end) > ARMS for line, start, end in arms)


def _share_in_mask(mask: Mask, start: Quad, end: Quad) -> float:
    """Return the part of a side that lies in the mask."""
    at = np.round(np.linspace(start, end, 24)).astype(int)
    column, row = np.clip(at, 0, np.array(mask.shape[::-1]) - 1).T
    return float((mask[row, column] > 0).mean())


def find_joined_outlines_in_steps(
    picture: WorkingPicture, known: Sequence[Quad], card_aspect: float
) -> Steps[list[detect.Outline]]:
    """Return outlines, in pixels of the BGR picture, whose sides show in pieces, outside all
    `known` quads, the clearest first; in small steps.

    `card_aspect`: a card's long side by its short one, by which a side hidden by a lamp's
    reflection is placed.
    """
    lab, scale = picture.lab, picture.scale
    if min(lab.shape[:2]) < detect.MIN_SIDE:
        return []
    small = [scale_quad(quad, scale) for quad in known]
    pieces = _drop_masked_pieces(
        _draw_quad_mask(small, lab.shape), detect_segments(np.ascontiguousarray(lab[:, :, 0]))
    )
    yield
    lamp = find_reflections(lab)
    # the rim of a reflection has edges that belong to no card
    if lamp is not None:
        pieces = _drop_masked_pieces(lamp, pieces)
    found = []
    for turns in split_by_turning(group_into_lines(pieces, lamp)):
        yield
        found += turns.find_closed_quads()
        if lamp is not None:
            found += find_open_quads(turns, lamp, small, card_aspect)
    yield
    height, width = lab.shape[:2]
    quads = list(compress(found, detect.find_plausible_quads(found, width, height)))
    clear = detect.refine_quads(picture, detect.remove_duplicate_quads(quads, detect.SAME), lamp)
    return sorted(clear, key=lambda one: -one.support)


def _draw_quad_mask(known: Sequence[Quad], shape: tuple[int, ...]) -> Mask:
    """Build a mask that is 1 in the quads and a little beyond."""
    mask = np.zeros(shape[:2], np.uint8)
    for quad in known:
        middle = quad.mean(axis=0)
        cv2.fillConvexPoly(mask, np.round(middle + 1.04 * (quad - middle)).astype(np.int32), 1)
    return mask


def _drop_masked_pieces(mask: Mask, pieces: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the pieces whose middle does not lie in the mask."""
    column, row = np.round(pieces.mean(axis=1)).astype(int).T
    return np.asarray(pieces[mask[row, column] == 0], dtype=np.float64)
