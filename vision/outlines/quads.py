"""Fit contours by the four straight sides of cards, and refine these to sub-pixel corners."""

from collections.abc import Sequence
from functools import reduce
from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import NEXT, Quad, order_clockwise, quad_areas
from vision.outlines import lines

STRAIGHT = 0.02
"""How far, in parts of the short side, a contour may run from a straight side."""

AROUND = 160
"""Points at which a contour is compared with its quad: 3 pixels apart round a card 100 wide. With
96, a tenth of a first look was saved, and a card of Magic lost in a video."""

ROUND = 1.52
"""Area of a contour's hull, in parts of that of its four corners, from which it is not a card: a
disc has 1.57. Of 4,702 contours that traced a quad 0.4 % had more, of 6,287 others two thirds."""

SHORTEST = 6.0
"""Pixels of the shortest side that can be fitted."""

SAMPLES = 28
"""Points at which the edge is sought along each side."""

CLEAR = 8
"""Grey levels by which a channel must change over two pixels at an edge."""

LEAST_IN_SIGHT = 0.25
"""Part of a side that must show beside a reflection for its edge to be judged."""

AT_ONCE = 200
"""Quads that are sharpened at once; OpenCV maps at most 32767 rows."""


def fit_quads(
    contours: Sequence[NDArray[np.int32]],
) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """Return the indices of the contours that trace four straight sides, and their quads (n x 4 x
    2, in pixels).

    Rounded corners are allowed: the sides are fitted to their middle parts and extended until they
    meet. All are fitted as one array: one by one they took most of the time of a first look.
    """
    # a hull runs clockwise in the image, and so do its four corners
    hulls = cast(list[NDArray[np.int32]], [cv2.convexHull(contour) for contour in contours])
    cornered = [_approximate_corners(hull) for hull in hulls]
    places = np.array([i for i, quad in enumerate(cornered) if quad is not None], dtype=np.intp)
    rough = np.array([quad for quad in cornered if quad is not None], np.float32).reshape(-1, 4, 2)
    enclosed = np.array([cv2.contourArea(hulls[i]) for i in places])
    bulge = enclosed / np.maximum(quad_areas(rough), 1e-6)
    good = (bulge < ROUND) & (np.linalg.norm(rough[:, NEXT] - rough, axis=2).min(axis=1) >= SHORTEST)
    # a quad whose sides cannot bulge by more than `STRAIGHT` needs no fit
    bent = np.flatnonzero(good & (bulge >= 1 + STRAIGHT / 2))
    if len(bent):
        rough[bent], good[bent] = _fit_sides([hulls[places[i]] for i in bent], rough[bent], enclosed[bent])
    return places[good], rough[good]


def _approximate_corners(hull: NDArray[np.int32]) -> cv2.typing.MatLike | None:
    length = cv2.arcLength(hull, True)
    # rounded corners need a coarser polygon than sharp ones: the finest with four corners is taken
    for part in (0.015, 0.03, 0.05, 0.08):
        corners = cv2.approxPolyDP(hull, part * length, True)
        if len(corners) == 4:
            return corners
        if len(corners) < 4:
            return None
    return None


def _fit_sides(
    hulls: Sequence[NDArray[np.int32]], rough: NDArray[np.float32], enclosed: NDArray[np.float64]
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Fit lines to the middle parts of the sides of each hull, which has the area `enclosed`,
    starting with the `rough` quads; return the quads (n x 4 x 2) and which of them the hull
    traces."""
    points = _resample_hulls(hulls)
    spans = rough[:, NEXT] - rough
    lengths = np.linalg.norm(spans, axis=2)
    along = _distance_from_corners(spans / lengths[:, :, None] ** 2, rough, points)
    reach = np.maximum(2.0, 0.06 * lengths.min(axis=1)).astype(np.float32)
    near = (along > 0.12) & (along < 0.88) & (_distance_to_sides(rough, points) < reach[:, None, None])
    good = (near.sum(axis=2) >= 3).all(axis=1)
    quads = rough.copy()
    quads[good] = lines.intersect_lines(lines.fit_lines(*_select_nearby_points(near[good], points[good])))
    good &= find_convex_quads(quads)
    ratio = enclosed / np.maximum(quad_areas(quads), 1e-6)
    good &= (ratio > 0.9) & (ratio < 1.08)
    good[good] = _runs_along(points[good], quads[good])
    return quads, good


def _runs_along(points: NDArray[np.float32], quads: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Check whether four fifths of the points of each contour lie on the sides of its quad."""
    lengths = np.linalg.norm(quads[:, NEXT] - quads, axis=2)
    tolerance = np.maximum(1.5, STRAIGHT * lengths.min(axis=1)).astype(np.float32)
    on = (_distance_to_sides(quads, points) < tolerance[:, None, None]).any(axis=1)
    return np.asarray(on.mean(axis=1) >= 0.8)


def _distance_to_sides(quads: NDArray[np.float32], points: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return how many pixels points (n x 2 x m) lie off the line of each side of their quad: n x 4
    x m."""
    right, down = np.moveaxis(quads[:, NEXT] - quads, 2, 0)
    normals = np.stack([-down, right], axis=2) / np.maximum(np.hypot(right, down), 1e-6)[:, :, None]
    return np.abs(_distance_from_corners(normals, quads, points))


def _distance_from_corners(
    directions: NDArray[np.float32], quads: NDArray[np.float32], points: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return how far points (n x 2 x m) lie from each corner of their quad along a direction for
    each (n x 4 x 2): n x 4 x m."""
    # relative to a corner: near it, single precision is enough
    corners = quads - quads[:, :1]
    from_there = directions @ (points - quads[:, 0, :, None])
    return np.asarray(from_there - (directions * corners).sum(axis=2)[:, :, None], dtype=np.float32)


def _select_nearby_points(
    near: NDArray[np.bool_], points: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the points (of n x 2 x m) that are near a side (n x 4 x m, some near each): n x 4 x k
    x 2, the last one repeated where others have more, and their weights, 0 for repetitions (n x 4 x
    k)."""
    number = near.sum(axis=2)
    counted = np.arange(number.max(initial=1))
    which = np.nonzero(near)[2]
    first = (np.cumsum(number) - number.ravel()).reshape(number.shape)
    taken = which[first[:, :, None] + np.minimum(counted, number[:, :, None] - 1)]
    both = [points[np.arange(len(points))[:, None, None], axis, taken] for axis in (0, 1)]
    return np.stack(both, axis=3), (counted < number[:, :, None]).astype(np.float32)


def _resample_hulls(hulls: Sequence[NDArray[np.int32]]) -> NDArray[np.float32]:
    """Return `AROUND` evenly spaced points on each closed polygon: n x 2 x AROUND."""
    rings = [np.concatenate([hull, hull[:1]]).reshape(-1, 2) for hull in hulls]
    # all rings in one sequence, each scaled to length 1, so that one call measures them all
    corners = np.concatenate(rings)
    ends = np.cumsum([len(ring) for ring in rings])
    starts = np.concatenate([[0], ends[:-1]])
    steps = np.hypot(*np.diff(corners, axis=0, prepend=corners[:1]).T)
    steps[starts] = 0
    walked = np.cumsum(steps)
    long = np.diff(walked[ends - 1], prepend=0.0)
    number = np.repeat(np.arange(len(rings)), np.diff(ends, prepend=0))
    ring_at = number + (walked - walked[starts][number]) / long[number]
    where = (np.arange(len(rings))[:, None] + (np.arange(AROUND) + 0.5) / AROUND).ravel()
    both = [np.interp(where, ring_at, corners[:, axis]) for axis in (0, 1)]
    return np.stack([axis.reshape(-1, AROUND) for axis in both], axis=1).astype(np.float32)


def find_convex_quads(quads: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Check which of n quads are convex and have some size; NaN counts as neither."""
    edges = quads[:, NEXT] - quads
    after = edges[:, NEXT]
    cross = edges[..., 0] * after[..., 1] - edges[..., 1] * after[..., 0]
    return np.asarray((cross > 1e-3).all(axis=1) | (cross < -1e-3).all(axis=1))


def snap_to_edges(
    channels: NDArray[np.uint8], quads: Sequence[Quad], reach: float
) -> tuple[list[Quad], NDArray[np.float32]]:
    """Move the sides of each quad onto the strongest edge within `reach` pixels, to sub-pixel.

    `channels` is any uint8 picture of three channels. Returns the quads and, for each side (n x 4),
    the share of its length that shows an edge there (0 to 1): a true card side shows one nearly
    everywhere. A quad whose edges do not make a quad near it stays as it was.
    """
    moved: list[Quad] = []
    support = np.zeros((len(quads), 4), dtype=np.float32)
    for first in range(0, len(quads), AT_ONCE):
        some = np.stack(quads[first : first + AT_ONCE])
        base, normals, at, clear = _find_edge_points(channels, some, reach)
        points = base + normals[:, :, None, :] * at[:, :, :, None]
        enough = (clear.sum(axis=2) >= SAMPLES // 3)[:, :, None]
        # a side with too few edges keeps its place: it is fitted to its own points
        fitted = lines.fit_lines(np.where(enough[..., None], points, base), np.where(enough, clear, True))
        support[first : first + len(some)] = (clear & (lines.distance_to_lines(points, fitted) < 1.5)).mean(
            axis=2
        )
        better = lines.intersect_lines(fitted)
        # moved too far: it has caught another edge
        far = np.nan_to_num(np.abs(better - some), nan=np.inf).max(axis=(1, 2)) > 3 * reach + 2
        keep = far | ~find_convex_quads(better)
        moved += [order_clockwise(quad) for quad in np.where(keep[:, None, None], some, better)]
    return moved, support


def share_in_picture(size: tuple[int, int], quads: Sequence[Quad]) -> NDArray[np.float32]:
    """Return the part of each side (n x 4) that lies in a picture of that width and height."""
    at = _sample_sides(quads, 0.1, 0.9)
    inside = ((at >= 0) & (at <= np.subtract(size, 1))).all(axis=3)
    return np.asarray(inside.mean(axis=2), dtype=np.float32)


def adjust_support_for_glare(
    hidden: NDArray[np.uint8], quads: Sequence[Quad], support: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the support of each side (n x 4, as from `snap_to_edges`) judged only by its part that
    is not `hidden`; a side that is mostly hidden gets the mean of the others."""
    if not quads:
        return support
    at = _sample_sides(quads, 0, 1)
    column, row = np.moveaxis(np.clip(np.round(at).astype(int), 0, np.array(hidden.shape[::-1]) - 1), -1, 0)
    shows = (hidden[row, column] == 0).mean(axis=2)
    is_visible = shows >= LEAST_IN_SIGHT
    share = np.where(is_visible, np.minimum(support / np.maximum(shows, LEAST_IN_SIGHT), 1), 0)
    usual = share.sum(axis=1, keepdims=True) / np.maximum(is_visible.sum(axis=1, keepdims=True), 1)
    return np.asarray(np.where(is_visible, share, usual), dtype=np.float32)


def _sample_sides(quads: Sequence[Quad], first: float, last: float) -> NDArray[np.float32]:
    """Return `SAMPLES` points on each side, between these parts of it: n x 4 x SAMPLES x 2."""
    corners = np.stack(quads)
    t = np.linspace(first, last, SAMPLES, dtype=np.float32)[:, None]
    return np.asarray(corners[:, :, None] + (corners[:, NEXT] - corners)[:, :, None] * t, dtype=np.float32)


def _find_edge_points(
    channels: NDArray[np.uint8], quads: NDArray[np.float32], reach: float
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_]]:
    """Return points along each side, the side's normal, how far off along it the strongest edge is,
    and whether that is clear enough to be an edge."""
    steps = np.arange(-np.ceil(reach) - 1, np.ceil(reach) + 2, dtype=np.float32)
    t = np.linspace(0.1, 0.9, SAMPLES, dtype=np.float32)
    spans = quads[:, NEXT] - quads
    normals = np.stack([-spans[:, :, 1], spans[:, :, 0]], axis=2) / np.linalg.norm(spans, axis=2)[:, :, None]
    base = quads[:, :, None, :] + spans[:, :, None, :] * t[:, None]
    grid = base[:, :, :, None, :] + normals[:, :, None, None, :] * steps[:, None]
    flat = grid.reshape(-1, len(steps), 2).astype(np.float32)
    profile = cv2.remap(
        channels, flat[:, :, 0], flat[:, :, 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    # channel by channel: NumPy's maximum over a last axis of three takes ten times as long
    slope = reduce(cv2.max, cv2.split(cv2.absdiff(profile[:, 2:], profile[:, :-2]))).astype(np.float32)
    offsets = steps[1:-1]
    # of two edges of like strength, the nearer one
    weighted = slope * np.exp(-0.5 * (offsets / max(1.5, reach)) ** 2)
    peak = weighted.argmax(axis=1)
    clear = slope[np.arange(len(peak)), peak] > CLEAR
    at = offsets[peak] + _subpixel_peak_offset(weighted, peak)
    shape = (len(quads), 4, SAMPLES)
    return base, normals, at.reshape(shape), clear.reshape(shape)


def _subpixel_peak_offset(values: NDArray[np.float32], peak: NDArray[np.intp]) -> NDArray[np.float32]:
    """Return the offset, -0.5 to 0.5, of the true maximum of each row from the sampled one, by a
    parabola."""
    rows, last = np.arange(len(peak)), values.shape[1] - 1
    left = values[rows, np.maximum(peak - 1, 0)]
    here = values[rows, peak]
    right = values[rows, np.minimum(peak + 1, last)]
    bend = left - 2 * here + right
    shift = np.where(np.abs(bend) > 1e-3, 0.5 * (left - right) / np.where(bend == 0, 1, bend), 0)
    return np.asarray(np.clip(shift, -0.5, 0.5), dtype=np.float32)
