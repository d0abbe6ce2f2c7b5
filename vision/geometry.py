"""Compute with quadrilaterals: order of corners, area, overlap, aspect, and maps between them.

A quad is a float32 array of shape (4, 2), in pixels, its corners clockwise as seen in the image (x
to the right, y downwards). For a rectified card corner 0 is the card's top left.
"""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

Quad = NDArray[np.float32]

NEXT = [1, 2, 3, 0]
"""Index of each corner's successor; `quad[NEXT]` is the quad started one corner later."""


def order_clockwise(corners: ArrayLike) -> Quad:
    """Return the same four corners clockwise in the image, corner 0 unchanged."""
    quad = np.asarray(corners, dtype=np.float32).reshape(4, 2)
    return quad if signed_area(quad) >= 0 else np.ascontiguousarray(quad[[0, 3, 2, 1]])


def signed_area(quad: Quad) -> float:
    """Return the area in square pixels; positive when the corners run clockwise in the image."""
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = quad.tolist()
    return float(0.5 * ((cx - ax) * (dy - by) - (cy - ay) * (dx - bx)))


def quad_area(quad: Quad) -> float:
    """Return the area in square pixels."""
    return abs(signed_area(quad))


def quad_areas(quads: Sequence[Quad] | NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the area in square pixels of each of n quads."""
    corners = np.asarray(quads, dtype=np.float32).reshape(-1, 4, 2)
    one, other = corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1]
    return np.asarray(np.abs(one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]) / 2, dtype=np.float32)


def scale_quad(quad: Quad, scale: float) -> Quad:
    """Map a quad into the picture resized by `scale`.

    Pixel centres have whole coordinates, so the picture's edge lies at -0.5.
    """
    return np.asarray((quad + 0.5) * scale - 0.5, dtype=np.float32)


def unscale_quad(quad: Quad, scale: float) -> Quad:
    """Map a quad of the picture resized by `scale` back into the original: undo `scale_quad`."""
    return np.asarray((quad + 0.5) / scale - 0.5, dtype=np.float32)


def quad_centre(quad: Quad) -> NDArray[np.float32]:
    """Return the point where the diagonals cross: the image of the card's middle under any
    perspective."""
    a, b, c, d = quad.astype(float)
    matrix = np.stack([c - a, b - d], axis=1)
    # of a degenerate quad, whose diagonals are parallel
    if abs(np.linalg.det(matrix)) < 1e-6:
        return np.asarray(quad.mean(axis=0), dtype=np.float32)
    s = np.linalg.solve(matrix, b - a)[0]
    return np.asarray(a + s * (c - a), dtype=np.float32)


def side_lengths(quad: Quad) -> NDArray[np.float32]:
    """Return the lengths in pixels of the sides 0-1, 1-2, 2-3, 3-0."""
    return np.asarray(np.linalg.norm(quad[NEXT] - quad, axis=1), dtype=np.float32)


def mean_side_lengths(quad: Quad) -> tuple[float, float]:
    """Return the mean length of the sides 0-1 and 2-3, and of the sides 1-2 and 3-0."""
    a, b, c, d = (float(v) for v in side_lengths(quad))
    return (a + c) / 2, (b + d) / 2


def start_on_short_side(quad: Quad) -> Quad:
    """Start the quad so that its side 0-1 is of the shorter pair (a card standing on its short
    side)."""
    w, h = mean_side_lengths(quad)
    return quad if w <= h else quad[NEXT]


def match_corner_order(reference: Quad, quad: Quad) -> Quad:
    """Start the quad at the corner that lies, seen from its middle, as corner 0 of `reference`
    does."""
    shape, wanted = quad - quad.mean(axis=0), reference - reference.mean(axis=0)
    turn = min(range(4), key=lambda first: float(((np.roll(shape, -first, axis=0) - wanted) ** 2).sum()))
    return np.roll(quad, -turn, axis=0)


def aspect_ratio(quad: Quad) -> float:
    """Return the long side divided by the short side as they appear in the image, at least 1."""
    w, h = mean_side_lengths(quad)
    return max(w, h) / max(min(w, h), 1e-6)


def is_convex(quad: Quad) -> bool:
    """Check whether the four corners make a convex quadrilateral of some size."""
    edges = quad[NEXT] - quad
    following = edges[NEXT]
    # all corners turn in one direction
    cross = edges[:, 0] * following[:, 1] - edges[:, 1] * following[:, 0]
    return bool(np.all(cross > 1e-3) or np.all(cross < -1e-3))


def overlap_area(a: Quad, b: Quad) -> float:
    """Return the area in square pixels that two convex quads share."""
    return float(cv2.intersectConvexConvex(a, b)[0])


def bounding_boxes(quads: Sequence[Quad]) -> NDArray[np.float32]:
    """Return the upright bounding boxes of quads: n x 4, least x and y, greatest x and y."""
    corners = np.asarray(quads, dtype=np.float32).reshape(-1, 4, 2)
    return np.concatenate([corners.min(axis=1), corners.max(axis=1)], axis=1)


def find_overlapping_boxes(box: NDArray[np.float32], others: NDArray[np.float32]) -> NDArray[np.intp]:
    """Return the indices of the boxes (n x 4) that meet `box`."""
    clear = (others[:, :2] > box[2:]).any(axis=1) | (others[:, 2:] < box[:2]).any(axis=1)
    return np.flatnonzero(~clear)


def pair_ranges_with_values(
    values: NDArray[np.floating], range_starts: NDArray[np.floating], range_ends: NDArray[np.floating]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return all pairs of a range, by its index among those from `range_starts` to `range_ends`,
    and a value in it, by its own index; ordered by ranges."""
    order = np.argsort(values, kind="stable")
    first = np.searchsorted(values, range_starts, "left", sorter=order)
    number = np.maximum(np.searchsorted(values, range_ends, "right", sorter=order) - first, 0)
    # counts up within each range, from its first value in sorted order
    counted = np.arange(number.sum()) - np.repeat(np.cumsum(number) - number - first, number)
    return np.repeat(np.arange(len(number)), number), order[counted]


def contains_point(quad: Quad, point: ArrayLike) -> bool:
    """Check whether a point lies in the quad or on its edge."""
    x, y = (float(v) for v in np.asarray(point, dtype=float).ravel()[:2])
    return cv2.pointPolygonTest(quad.reshape(-1, 1, 2), (x, y), False) >= 0


def make_rectangle(width: float, height: float) -> Quad:
    """Build the quad of a `width` x `height` picture, corner 0 at the top left, in pixel-centre
    coordinates."""
    return make_box(-0.5, -0.5, width - 0.5, height - 0.5)


def make_box(left: float, top: float, right: float, bottom: float) -> Quad:
    """Build the upright quad between these limits, corner 0 at the top left."""
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], dtype=np.float32)


def find_homography(source: Quad, target: Quad) -> NDArray[np.float64]:
    """Compute the 3x3 homography that maps the corners of `source` onto those of `target`."""
    return np.asarray(
        cv2.getPerspectiveTransform(source.astype(np.float32), target.astype(np.float32)), dtype=np.float64
    )


def transform_points(matrix: NDArray[np.float64], points: ArrayLike) -> NDArray[np.float32]:
    """Map (n, 2) points by a 3x3 homography."""
    xy = np.asarray(points, dtype=np.float64).reshape(-1, 1, 2)
    return np.asarray(cv2.perspectiveTransform(xy, matrix).reshape(-1, 2), dtype=np.float32)


def is_gap_between(quad: Quad, others: Sequence[Quad]) -> bool:
    """Check whether a quad is only the space between others: at least two of its sides run along
    sides of theirs."""
    near = 0.06 * float(side_lengths(quad).min())
    borrowed = 0
    for start, end in zip(quad.tolist(), quad[NEXT].tolist(), strict=True):
        middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        borrowed += any(
            # three points of the side: lines that only cross would be near at one
            all(abs(cv2.pointPolygonTest(o.reshape(-1, 1, 2), p, True)) < near for p in (start, middle, end))
            for o in others
            if o is not quad
        )
    return borrowed >= 2
