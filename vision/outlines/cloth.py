"""Recognise the pattern of a cloth among outlines: blank squares that meet corner to corner, again
and again."""

from collections.abc import Iterable, Sequence
from itertools import compress

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import Quad, pair_ranges_with_values, quad_areas
from vision.outlines import segment

ACROSS = 12
"""Number of points along each side of the grid at which a quad's inside is sampled."""

FLAT = (6.0, 3.0, 3.0)
"""Spread (standard deviation in 8-bit Lab levels) up to which lightness and chroma are those of a
plain surface."""

REPEATED = 8
"""Number of blank squares meeting corner to corner from which they are a pattern, not cards' backs
laid side by side."""

MEETING, DILATED = 0.12, 8.0
"""Distance of two corners up to which they meet, in parts of the side and in pixels, because lines
between squares are dilated."""

DRIFT = 3
"""Pixels by which the squares shown by one map may lie off, on each side, those of another: lines
between them are dilated by up to two more."""

FULL = 0.85
"""Part of the smallest rectangle round a contour that it must fill to be a rectangle."""


def sample_points(picture: NDArray[np.uint8], quads: Sequence[Quad]) -> NDArray[np.uint8]:
    """Sample a picture at `ACROSS` by `ACROSS` points inside each quad: n x points (x channels)."""
    if not len(quads):
        return np.zeros((0, ACROSS**2, *picture.shape[2:]), dtype=np.uint8)
    # points between the corners, by bilinear interpolation
    a, b, c, d = (corner[:, None, None] for corner in np.moveaxis(np.stack(quads), 1, 0))
    t = np.linspace(0.14, 0.86, ACROSS, dtype=np.float32)
    u, v = t[:, None, None], t[None, :, None]
    at = ((a * (1 - u) + b * u) * (1 - v) + (d * (1 - u) + c * u) * v).reshape(len(quads), -1, 2)
    x, y = at[..., 0], at[..., 1]
    shown = cv2.remap(picture, x, y, cv2.INTER_NEAREST, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(shown, dtype=np.uint8)


def find_blank_quads(lab: NDArray[np.uint8], quads: Sequence[Quad]) -> NDArray[np.bool_]:
    """Check which quads show only one plain colour inside; `lab` as from
    `segment.to_smoothed_lab`."""
    if not len(quads):
        return np.zeros(0, dtype=bool)
    shown = sample_points(lab, quads)
    # OpenCV sums along an axis that is not the last ten times as fast as NumPy
    mean = cv2.reduce(shown, 1, cv2.REDUCE_AVG, dtype=cv2.CV_32F)
    squares = cv2.reduce(shown, 1, cv2.REDUCE_SUM2, dtype=cv2.CV_32F)
    return np.asarray((squares / ACROSS**2 - mean * mean < np.square(FLAT)).all(axis=(1, 2)))


def find_bare_table_quads(
    lab: NDArray[np.uint8], quads: Sequence[Quad], cards: Iterable[Quad]
) -> NDArray[np.bool_]:
    """Check which quads show only plain table beside the `cards` that lie on them; `lab` as from
    `segment.to_smoothed_lab`.

    A grain rougher than `FLAT` does not count as plain: with a limit half as large again, two empty
    signs of a card cut off by the picture's edge were plain, too.
    """
    shown = sample_points(lab, quads).astype(np.float32)
    outside_cards = sample_points(_draw_quad_mask(lab.shape[:2], cards), quads)[:, :, None] == 0
    number = np.maximum(outside_cards.sum(axis=1), 1)
    mean = (shown * outside_cards).sum(axis=1) / number
    squares = (shown * shown * outside_cards).sum(axis=1) / number
    return np.asarray((squares - mean * mean < np.square(FLAT)).all(axis=1))


def find_checks(blank_quads: Sequence[Quad]) -> NDArray[np.bool_]:
    """Check which of the blank quads are checks of a cloth: they meet others of their size at two
    corners or more."""
    if len(blank_quads) < REPEATED:
        return np.zeros(len(blank_quads), dtype=bool)
    corners = np.stack(blank_quads)
    side = np.sqrt(quad_areas(corners))
    x, y = corners.mean(axis=1).T
    other, one = pair_ranges_with_values(x, x - 1.8 * side, x + 1.8 * side)
    apart = np.hypot(x[one] - x[other], y[one] - y[other]) / side[other]
    ratio = side[one] / side[other]
    near = (apart > 0.6) & (apart < 1.8) & (ratio > 0.7) & (ratio < 1.4)
    one, other = one[near], other[near]
    gaps = [axis[one][:, :, None] - axis[other][:, None] for axis in (corners[..., 0], corners[..., 1])]
    reach = np.maximum(DILATED, MEETING * side[one])[:, None, None]
    at, corner, _ = np.nonzero(gaps[0] ** 2 + gaps[1] ** 2 < reach**2)
    meets = np.zeros((len(blank_quads), 4), dtype=bool)
    meets[one[at], corner] = True
    repeated = meets.sum(axis=1) >= 2
    return np.asarray(repeated & (repeated.sum() >= REPEATED))


class ClothChecks:
    """The checks of a cloth, collected map by map: a square of one map appears a little smaller in
    another."""

    def __init__(self, lab: NDArray[np.uint8]) -> None:
        self._lab = lab
        self._found: list[Quad] = []
        self._boxes = np.zeros((0, 4), dtype=np.float32)

    def match_known_checks(self, boxes: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Check which contours of a map, by their bounding boxes (n x 4), trace checks found in an
        earlier one."""
        return segment.match_boxes(boxes, self._boxes, DRIFT)

    def remove_checks(
        self, contours: Sequence[NDArray[np.int32]], boxes: NDArray[np.float32]
    ) -> Sequence[NDArray[np.int32]]:
        """Return the contours of one map, given with their bounding boxes, without those that trace
        checks; these are stored."""
        found = fit_rectangles(contours, boxes)
        if len(found) < REPEATED:
            return contours
        found = _keep_blank_rectangles(self._lab, found)
        checks = dict(compress(found.items(), find_checks(list(found.values()))))
        self._found += checks.values()
        self._boxes = np.concatenate([self._boxes, boxes[list(checks)]])
        return [contour for i, contour in enumerate(contours) if i not in checks]

    def find_check_quads(self, quads: Sequence[Quad]) -> NDArray[np.bool_]:
        """Check which quads are checks: blank, and in one pattern with those found, or in their
        place."""
        checks = find_blank_quads(self._lab, quads)
        plain = list(compress(quads, checks))
        # on a check that was found in an earlier map
        covered = sample_points(_draw_quad_mask(self._lab.shape[:2], self._found), plain).mean(axis=1) > 0.5
        checks[checks] = find_checks([*plain, *self._found])[: len(plain)] | covered
        return checks


def _draw_quad_mask(shape: Sequence[int], quads: Iterable[Quad]) -> NDArray[np.uint8]:
    """Build a mask of a shape (rows, columns), 1 inside the quads."""
    mask = np.zeros(shape, dtype=np.uint8)
    for quad in quads:
        cv2.fillConvexPoly(mask, np.round(quad).astype(np.int32), 1)
    return mask


def find_blank_rectangles(lab: NDArray[np.uint8], polygons: Sequence[NDArray[np.float64]]) -> dict[int, Quad]:
    """Return the smallest rectangle round each polygon that fills it and is blank inside, by the
    polygon's index."""
    contours = [polygon.astype(np.float32) for polygon in polygons]
    return _keep_blank_rectangles(lab, fit_rectangles(contours, segment.contour_boxes(contours)))


def fit_rectangles(
    contours: Sequence[NDArray[np.int32]] | Sequence[NDArray[np.float32]], boxes: NDArray[np.float32]
) -> dict[int, Quad]:
    """Return the smallest rectangle round each contour that fills it, by the contour's index.
    `boxes`: their bounding boxes."""
    size = np.array([cv2.contourArea(contour) for contour in contours])
    # most contours enclose hardly any area: a rectangle is sought only for the others
    filled = size >= FULL / 2 * (boxes[:, 2:] - boxes[:, :2]).prod(axis=1)
    found = {}
    for i in np.flatnonzero(filled).tolist():
        rectangle = cv2.minAreaRect(contours[i])
        if size[i] > FULL * rectangle[1][0] * rectangle[1][1]:
            found[i] = np.asarray(cv2.boxPoints(rectangle), dtype=np.float32)
    return found


def _keep_blank_rectangles(lab: NDArray[np.uint8], rectangles: dict[int, Quad]) -> dict[int, Quad]:
    return dict(compress(rectangles.items(), find_blank_quads(lab, list(rectangles.values()))))
