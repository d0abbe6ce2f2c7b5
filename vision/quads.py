"""From a contour to the four straight sides of a card, and from there to sub-pixel corners."""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import NEXT, Quad, clockwise, is_convex, sides

STRAIGHT = 0.02
"""How far, in parts of the short side, a contour may run from a straight side."""


def from_contour(contour: NDArray[np.int32]) -> Quad | None:
    """The quad that a contour traces, or None if it has no four straight sides.

    Rounded corners are allowed for: the sides are fitted to their middle parts and made to meet.
    """
    hull = np.asarray(cv2.convexHull(contour), dtype=np.int32)
    rough = _four_corners(hull)
    if rough is None:
        return None
    points = _resample(hull.reshape(-1, 2).astype(np.float32))
    quad = _fit_sides(points, rough)
    if quad is None or not is_convex(quad):
        return None
    quad = clockwise(quad)
    hull_area = cv2.contourArea(hull)
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


def meet(lines: list[tuple[float, float, float, float]]) -> Quad | None:
    """The corners in which four lines (direction x, y, point x, y), in order round the quad, meet."""
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


def sharpen(channels: NDArray[np.uint8], quad: Quad, reach: float) -> tuple[Quad, NDArray[np.float32]]:
    """Move the sides onto the strongest edge within `reach` pixels, to sub-pixel.

    `channels` is any uint8 picture of three channels. Returns the quad and, for each side, the share of its
    length that shows an edge there (0..1): a true card side shows one nearly everywhere.
    """
    samples = 28
    steps = np.arange(-np.ceil(reach) - 1, np.ceil(reach) + 2, dtype=np.float32)
    t = np.linspace(0.1, 0.9, samples, dtype=np.float32)
    starts, spans = quad, quad[NEXT] - quad
    lengths = np.linalg.norm(spans, axis=1)
    normals = np.stack([-spans[:, 1], spans[:, 0]], axis=1) / lengths[:, None]
    base = starts[:, None, :] + spans[:, None, :] * t[None, :, None]
    grid = base[:, :, None, :] + normals[:, None, None, :] * steps[None, None, :, None]
    flat = grid.reshape(4 * samples, len(steps), 2).astype(np.float32)
    profile = cv2.remap(
        channels, flat[:, :, 0], flat[:, :, 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    ).astype(np.float32)
    slope = np.abs(profile[:, 2:] - profile[:, :-2]).max(axis=2).reshape(4, samples, len(steps) - 2)
    offsets = steps[1:-1]
    weighted = slope * np.exp(-0.5 * (offsets / max(1.5, reach)) ** 2)
    peak = weighted.argmax(axis=2)
    strength = np.take_along_axis(slope, peak[:, :, None], axis=2)[:, :, 0]
    at = offsets[peak] + _parabola(weighted, peak)
    lines: list[tuple[float, float, float, float]] = []
    support = np.zeros(4, dtype=np.float32)
    for i in range(4):
        clear = strength[i] > 8
        found = (base[i] + normals[i] * at[i][:, None])[clear]
        points = base[i] if len(found) < samples // 3 else found
        vx, vy, x, y = (float(v) for v in cv2.fitLine(points, cv2.DIST_HUBER, 0, 0.01, 0.01).ravel())
        lines.append((vx, vy, x, y))
        off = np.abs((base[i] + normals[i] * at[i][:, None] - (x, y)) @ np.array([-vy, vx]))
        support[i] = float(np.mean(clear & (off < 1.5)))
    better = meet(lines)
    if better is None or not is_convex(better) or np.abs(better - quad).max() > 3 * reach + 2:
        return quad, support
    return clockwise(better), support


def _parabola(values: NDArray[np.float32], peak: NDArray[np.intp]) -> NDArray[np.float32]:
    """Offset in -0.5..0.5 of the true maximum from each sampled one."""
    last = values.shape[2] - 1
    left = np.take_along_axis(values, np.maximum(peak - 1, 0)[:, :, None], axis=2)[:, :, 0]
    here = np.take_along_axis(values, peak[:, :, None], axis=2)[:, :, 0]
    right = np.take_along_axis(values, np.minimum(peak + 1, last)[:, :, None], axis=2)[:, :, 0]
    bend = left - 2 * here + right
    shift = np.where(np.abs(bend) > 1e-3, 0.5 * (left - right) / np.where(bend == 0, 1, bend), 0)
    return np.asarray(np.clip(shift, -0.5, 0.5), dtype=np.float32)
