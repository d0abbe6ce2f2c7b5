"""Completing cards of which only a part shows: touching, overlapped, or with a finger on their edge.

Once some cards of a picture are whole, a card's size is known in every direction near them. Any right corner
with two straight sides can then be completed to the one or two cards it may belong to; a completion stands if
enough of its sides show an edge.
"""

from collections.abc import Iterable, Iterator, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision import quads
from vision.geometry import NEXT, Quad, area, clockwise, is_convex, upright

LEG = 0.3
"""Shortest straight side, in parts of a card's short side, from which a corner is trusted."""

SQUARE = 0.25
"""Greatest cosine of a corner's angle, measured on the table, for it to be a card's corner."""

Metric = NDArray[np.float64]


def metric(card: Quad) -> tuple[Metric, float]:
    """From a whole card: the map of pixel steps to card widths, and the card's height in widths.

    It takes up turn and tilt of the camera as far as they do not change from card to card.
    """
    a, b, c, d = upright(card).astype(float)
    short, long = ((b - a) + (c - d)) / 2, ((c - b) + (d - a)) / 2
    height = max(float(np.linalg.norm(long) / np.linalg.norm(short)), 1.0)
    return np.linalg.inv(np.stack([short, long / height], axis=1)), height


def completions(contours: Iterable[NDArray[np.int32]], whole: Sequence[Quad]) -> list[Quad]:
    """Cards that may stand behind the corners of the contours, given cards that are whole."""
    if not whole:
        return []
    middles = np.array([quad.mean(axis=0) for quad in whole])
    metrics = [metric(quad) for quad in whole]
    usual = float(np.median([area(quad) for quad in whole]))
    found: list[Quad] = []
    for contour in contours:
        if not 0.2 * usual < cv2.contourArea(contour) < 12 * usual:
            continue
        polygon = cv2.approxPolyDP(contour, 0.02 * float(np.sqrt(usual)), True).reshape(-1, 2).astype(float)
        if not 3 <= len(polygon) <= 40:
            continue
        for before, corner, after in zip(
            np.roll(polygon, 1, axis=0), polygon, np.roll(polygon, -1, axis=0), strict=True
        ):
            nearest = int(((middles - corner) ** 2).sum(axis=1).argmin())
            found += _from_corner(corner, before - corner, after - corner, *metrics[nearest])
    return found


def _from_corner(
    corner: NDArray[np.float64],
    one: NDArray[np.float64],
    other: NDArray[np.float64],
    to_widths: Metric,
    height: float,
) -> Iterator[Quad]:
    legs = [float(np.linalg.norm(to_widths @ leg)) for leg in (one, other)]
    if min(legs) < LEG or max(legs) < 0.6:
        return
    cosine = float((to_widths @ one) @ (to_widths @ other)) / (legs[0] * legs[1])
    if abs(cosine) > SQUARE:
        return
    for first, second in ((1.0, height), (height, 1.0)):
        a, b = one / legs[0] * first, other / legs[1] * second
        quad = clockwise(np.array([corner, corner + a, corner + a + b, corner + b]))
        if is_convex(quad):
            yield quad


def stands(lab: NDArray[np.uint8], quad: Quad) -> tuple[Quad, float] | None:
    """The completion moved onto its edges, with its support, if two adjacent sides and half of all show."""
    height, width = lab.shape[:2]
    if (quad < -2).any() or (quad > (width + 2, height + 2)).any():
        return None
    for reach in (4.0, 2.0):
        moved, support = quads.sharpen(lab, quad, reach)
        clear = support > 0.5
        if not (clear & clear[NEXT]).any():
            return None
        better = _squared(quad, moved, clear)
        if better is None or not 0.8 < area(better) / area(quad) < 1.25:
            return None
        quad = better
    return (quad, float(support.mean())) if support.mean() > 0.5 else None


def _squared(before: Quad, moved: Quad, clear: NDArray[np.bool_]) -> Quad | None:
    """The moved quad with the sides that show no edge put where the card's size has them: print may have drawn them off.

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
    lines = []
    for i, quad in enumerate(np.where(clear[:, None, None], moved, model)):
        start, end = quad[i], quad[(i + 1) % 4]
        x, y = (end - start) / max(float(np.linalg.norm(end - start)), 1e-6)
        lines.append((float(x), float(y), float(start[0]), float(start[1])))
    better = quads.meet(lines)
    return None if better is None or not is_convex(better) else clockwise(better)
