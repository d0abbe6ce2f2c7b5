"""From a contour to the four straight sides of a card, and from there to sub-pixel corners."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import NEXT, Quad, clockwise, is_convex, sides

STRAIGHT = 0.02
"""How far, in parts of the short side, a contour may run from a straight side."""

SAMPLES = 28
"""Points at which the edge is sought along each side."""

AT_ONCE = 200
"""Quads that are sharpened in one go; OpenCV maps at most 32767 rows."""


def from_contour(contour: NDArray[np.int32]) -> Quad | None:
    """The quad that a contour traces, or None if it has no four straight sides.

    Rounded corners are allowed for: the sides are fitted to their middle parts and made to meet.
    """
    hull = np.asarray(cv2.convexHull(contour), dtype=np.int32)
    rough = _four_corners(hull)
    if rough is None:
        return None
    hull_area = cv2.contourArea(hull)
    if hull_area < (1 + STRAIGHT / 2) * cv2.contourArea(rough) and sides(rough).min() >= 6:
        return clockwise(rough)  # no side can bulge by more than STRAIGHT: there is nothing to fit
    points = _resample(hull.reshape(-1, 2).astype(np.float32))
    quad = _fit_sides(points, rough)
    if quad is None or not is_convex(quad):
        return None
    quad = clockwise(quad)
    quad_area = cv2.contourArea(quad)
    if not 0.9 * quad_area < hull_area < 1.08 * quad_area:
        return None
    return quad if _straightness(points, quad) >= 0.8 else None


def _four_corners(hull: NDArray[np.int32]) -> Quad | None:
    length = cv2.arcLength(hull, True)
    for part in (0.015, 0.03, 0.05, 0.08):
        corners = cv2.approxPolyDP(hull, part * length, True)
        if len(corners) == 4:
            return np.asarray(corners.reshape(4, 2), dtype=np.float32)
        if len(corners) < 4:
            return None
    return None


def _resample(polygon: NDArray[np.float32], step: float = 1.5) -> NDArray[np.float32]:
    ends = np.roll(polygon, -1, axis=0)
    counts = np.maximum(1, np.linalg.norm(ends - polygon, axis=1) / step).astype(int)
    starts = np.repeat(polygon, counts, axis=0)
    spans = np.repeat(ends - polygon, counts, axis=0)
    index = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.asarray(starts + spans * (index / np.repeat(counts, counts))[:, None], dtype=np.float32)


def _fit_sides(points: NDArray[np.float32], rough: Quad) -> Quad | None:
    short = float(sides(rough).min())
    lines = []
    for start, end in zip(rough, rough[NEXT], strict=True):
        span = end - start
        length = float(np.linalg.norm(span))
        if length < 6:
            return None
        along = (points - start) @ span / length**2
        off = np.abs((points - start) @ np.array([-span[1], span[0]]) / length)
        near = points[(along > 0.12) & (along < 0.88) & (off < max(2.0, 0.06 * short))]
        if len(near) < 4:
            return None
        vx, vy, x, y = (float(v) for v in cv2.fitLine(near, cv2.DIST_HUBER, 0, 0.01, 0.01).ravel())
        lines.append((vx, vy, x, y))
    return meet(lines)


def meet(lines: Sequence[Sequence[float]]) -> Quad | None:
    """The corners in which four lines (direction x, y, point x, y), in order round the quad,
    meet."""
    corners = []
    for (ax, ay, px, py), (bx, by, qx, qy) in zip([lines[-1], *lines[:-1]], lines, strict=True):
        cross = ax * by - ay * bx
        if abs(cross) < 0.2:
            return None
        s = ((qx - px) * by - (qy - py) * bx) / cross
        corners.append((px + s * ax, py + s * ay))
    return np.array(corners, dtype=np.float32)


def _straightness(points: NDArray[np.float32], quad: Quad) -> float:
    """Share of contour points that lie on the quad's sides."""
    tolerance = max(1.5, STRAIGHT * float(sides(quad).min()))
    nearest = np.full(len(points), np.inf, dtype=np.float32)
    for start, end in zip(quad, quad[NEXT], strict=True):
        span = end - start
        off = np.abs((points - start) @ np.array([-span[1], span[0]]) / np.linalg.norm(span))
        nearest = np.minimum(nearest, off)
    return float(np.mean(nearest < tolerance))


def sharpen(
    channels: NDArray[np.uint8], quads: Sequence[Quad], reach: float
) -> tuple[list[Quad], NDArray[np.float32]]:
    """Move the sides of each quad onto the strongest edge within `reach` pixels, to sub-pixel.

    `channels` is any uint8 picture of three channels. Returns the quads and, for each side (n x 4),
    the share of its length that shows an edge there (0..1): a true card side shows one nearly
    everywhere.
    """
    moved: list[Quad] = []
    support = np.zeros((len(quads), 4), dtype=np.float32)
    for first in range(0, len(quads), AT_ONCE):
        some = list(quads[first : first + AT_ONCE])
        base, normals, at, clear = _edge_points(channels, np.stack(some), reach)
        points = base + normals[:, :, None, :] * at[:, :, :, None]
        enough = clear.sum(axis=2) >= SAMPLES // 3
        lines = np.empty((len(some), 4, 4))
        for i, side in np.ndindex(len(some), 4):
            fitted = points[i, side][clear[i, side]] if enough[i, side] else base[i, side]
            lines[i, side] = cv2.fitLine(fitted, cv2.DIST_HUBER, 0, 0.01, 0.01).ravel()
        across = np.stack([-lines[:, :, 1], lines[:, :, 0]], axis=2)
        off = np.abs(((points - lines[:, :, None, 2:]) * across[:, :, None]).sum(axis=3))
        support[first : first + len(some)] = (clear & (off < 1.5)).mean(axis=2)
        moved += [_met(quad, line, reach) for quad, line in zip(some, lines.tolist(), strict=True)]
    return moved, support


def _met(quad: Quad, lines: Sequence[Sequence[float]], reach: float) -> Quad:
    """The quad that the lines make, or the one given if they make none near it."""
    better = meet(lines)
    if better is None or not is_convex(better) or np.abs(better - quad).max() > 3 * reach + 2:
        return quad
    return clockwise(better)


def _edge_points(
    channels: NDArray[np.uint8], quads: NDArray[np.float32], reach: float
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_]]:
    """Points along each side, the side's normal, how far off along it the strongest edge is, and
    whether it is one."""
    steps = np.arange(-np.ceil(reach) - 1, np.ceil(reach) + 2, dtype=np.float32)
    t = np.linspace(0.1, 0.9, SAMPLES, dtype=np.float32)
    spans = quads[:, NEXT] - quads
    normals = np.stack([-spans[:, :, 1], spans[:, :, 0]], axis=2) / np.linalg.norm(spans, axis=2)[:, :, None]
    base = quads[:, :, None, :] + spans[:, :, None, :] * t[:, None]
    grid = base[:, :, :, None, :] + normals[:, :, None, None, :] * steps[:, None]
    flat = grid.reshape(-1, len(steps), 2).astype(np.float32)
    profile = cv2.remap(
        channels, flat[:, :, 0], flat[:, :, 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    ).astype(np.int16)
    slope = np.abs(profile[:, 2:] - profile[:, :-2]).max(axis=2).astype(np.float32)
    offsets = steps[1:-1]
    weighted = slope * np.exp(-0.5 * (offsets / max(1.5, reach)) ** 2)
    peak = weighted.argmax(axis=1)
    clear = slope[np.arange(len(peak)), peak] > 8
    at = offsets[peak] + _parabola(weighted, peak)
    shape = (len(quads), 4, SAMPLES)
    return base, normals, at.reshape(shape), clear.reshape(shape)


def _parabola(values: NDArray[np.float32], peak: NDArray[np.intp]) -> NDArray[np.float32]:
    """Offset in -0.5..0.5 of the true maximum of each row from the sampled one."""
    rows, last = np.arange(len(peak)), values.shape[1] - 1
    left = values[rows, np.maximum(peak - 1, 0)]
    here = values[rows, peak]
    right = values[rows, np.minimum(peak + 1, last)]
    bend = left - 2 * here + right
    shift = np.where(np.abs(bend) > 1e-3, 0.5 * (left - right) / np.where(bend == 0, 1, bend), 0)
    return np.asarray(np.clip(shift, -0.5, 0.5), dtype=np.float32)
