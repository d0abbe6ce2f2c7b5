"""Completing cards of which only a part shows: touching, overlapped, or with a finger on their
edge.

Once some cards of a picture are whole, a card's size is known in every direction near them. Any
right corner with two straight sides can then be completed to the one or two cards it may belong to;
a completion stands if enough of its sides show an edge.
"""

from collections.abc import Iterable, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import NEXT, Quad, area, clockwise, is_convex
from vision.outlines import quads
from vision.outlines.lines import meet
from vision.outlines.shape import metric

LEG = 0.3
"""Shortest straight side, in parts of a card's short side, from which a corner is trusted."""

SQUARE = 0.25
"""Greatest cosine of a corner's angle, measured on the table, for it to be a card's corner."""


def completions(polygons: Sequence[NDArray[np.float64]], whole: Sequence[Quad]) -> list[Quad]:
    """Cards that may stand behind the corners of the polygons, given cards that are whole.

    A corner is trusted if its sides are long and meet square, as measured by the nearest whole
    card, and if it does not lie so deep inside a whole card that it is of its print.
    """
    if not len(polygons):
        return []
    corners = np.concatenate(polygons)
    one = np.concatenate([np.roll(p, 1, axis=0) for p in polygons]) - corners
    other = np.concatenate([np.roll(p, -1, axis=0) for p in polygons]) - corners
    middles = np.array([quad.mean(axis=0) for quad in whole], dtype=float)
    nearest = ((corners[:, None] - middles) ** 2).sum(axis=2).argmin(axis=1)
    metrics = [metric(quad) for quad in whole]
    to_widths, height = np.stack([m for m, _ in metrics])[nearest], np.array([h for _, h in metrics])[nearest]
    on_table = [np.einsum("nij,nj->ni", to_widths, leg) for leg in (one, other)]
    legs = [np.linalg.norm(leg, axis=1) for leg in on_table]
    shorter, longer = np.minimum(*legs), np.maximum(*legs)
    square = np.abs((on_table[0] * on_table[1]).sum(axis=1)) <= SQUARE * shorter * longer
    found: list[Quad] = []
    for i in np.flatnonzero((shorter >= LEG) & (longer >= 0.6) & square):
        if _deep_inside(corners[i], whole[nearest[i]]):
            continue
        for first, second in ((1.0, height[i]), (height[i], 1.0)):
            a, b = one[i] / legs[0][i] * first, other[i] / legs[1][i] * second
            quad = clockwise(corners[i] + np.array([0 * a, a, a + b, b]))
            if is_convex(quad):
                found.append(quad)
    return found


def _deep_inside(point: NDArray[np.float64], card: Quad) -> bool:
    deep = 0.08 * float(np.sqrt(area(card)))
    return cv2.pointPolygonTest(card.reshape(-1, 1, 2), point.tolist(), True) > deep


def polygons(contours: Iterable[NDArray[np.int32]], usual: float) -> list[NDArray[np.float64]]:
    """The contours of a mask that may be of cards of which a part shows, with few corners; `usual`:
    a card's area."""
    found = []
    for contour in contours:
        if 0.2 * usual < cv2.contourArea(contour) < 12 * usual:
            polygon = cv2.approxPolyDP(contour, 0.02 * float(np.sqrt(usual)), True).reshape(-1, 2)
            if 3 <= len(polygon) <= 40:
                found.append(polygon.astype(float))
    return found


def standing(lab: NDArray[np.uint8], found: Sequence[Quad]) -> list[tuple[Quad, float]]:
    """The completions moved onto their edges, with their support, if two adjacent sides and half of
    all show."""
    height, width = lab.shape[:2]
    left = [q for q in found if (q >= -2).all() and (q <= (width + 2, height + 2)).all()]
    shares: list[float] = []
    for reach in (4.0, 2.0):
        moved, support = quads.sharpen(lab, left, reach)
        shares, before, left = support.mean(axis=1).tolist(), left, []
        kept = []
        for quad, better, clear, share in zip(before, moved, support > 0.5, shares, strict=True):
            squared = _squared(quad, better, clear) if (clear & clear[NEXT]).any() else None
            if squared is not None and 0.8 < area(squared) / area(quad) < 1.25:
                left.append(squared)
                kept.append(share)
        shares = kept
    return [(quad, share) for quad, share in zip(left, shares, strict=True) if share > 0.5]


def _squared(before: Quad, moved: Quad, clear: NDArray[np.bool_]) -> Quad | None:
    """The moved quad with the sides that show no edge put where the card's size has them: print may
    have drawn them off.

    `clear`: which sides show an edge; two that meet do.
    """
    if clear.all():
        return moved
    corner = next(i for i in range(4) if clear[i] and clear[i - 1])
    steps = []
    for neighbour in (corner + 1) % 4, corner - 1:
        along = moved[neighbour] - moved[corner]
        length = float(np.linalg.norm(before[neighbour] - before[corner]))
        steps.append(along * length / max(float(np.linalg.norm(along)), 1e-6))
    model = moved[corner] + np.array([[0, 0], steps[0], steps[0] + steps[1], steps[1]])
    model = np.roll(model, corner, axis=0)
    sides_of = []
    for i, quad in enumerate(np.where(clear[:, None, None], moved, model)):
        start, end = quad[i], quad[(i + 1) % 4]
        x, y = (end - start) / max(float(np.linalg.norm(end - start)), 1e-6)
        sides_of.append((float(x), float(y), float(start[0]), float(start[1])))
    better = meet(np.array(sides_of))
    return clockwise(better) if is_convex(better) else None
