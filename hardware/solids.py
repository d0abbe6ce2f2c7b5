"""Draw solids without a screen: from STL files to a shaded line drawing. OpenSCAD's own pictures
need a display."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

Colour = tuple[int, int, int]
"""Red, green, blue, 0 to 255."""
SUN = np.array([-0.35, -0.5, 0.8]) / math.sqrt(0.35**2 + 0.5**2 + 0.8**2)
PAPER: Colour = (255, 255, 255)
INK: Colour = (38, 42, 50)
FINE = 2
"""Factor by which pixels are drawn finer, and then averaged."""


@dataclass(frozen=True)
class Solid:
    """One solid: triangles (n, 3, 3) in millimetres, and its colour."""

    triangles: NDArray[np.float64]
    colour: Colour


@dataclass(frozen=True)
class Label:
    """A number in a circle, `away` (right, up) parts of the picture's height from the point it
    marks."""

    text: str
    at: tuple[float, float, float]
    away: tuple[float, float]


def load_stl(path: Path) -> NDArray[np.float64]:
    """Read an ASCII STL file, as OpenSCAD writes it: triangles (n, 3, 3)."""
    rows = (line.split() for line in path.read_text(encoding="ascii").splitlines())
    corners = [[float(value) for value in row[1:]] for row in rows if row and row[0] == "vertex"]
    return np.array(corners).reshape(-1, 3, 3)


def view_rotation(azimuth: float, elevation: float) -> NDArray[np.float64]:
    """Return the rotation, in degrees, that turns space to right, up and towards the eye."""
    a, e = math.radians(azimuth), math.radians(elevation)
    right = [math.cos(a), math.sin(a), 0.0]
    up = [-math.sin(a) * math.sin(e), math.cos(a) * math.sin(e), math.cos(e)]
    return np.array([right, up, np.cross(right, up)])


def draw_solids(
    solids: Sequence[Solid],
    labels: Sequence[Label] = (),
    azimuth: float = 30.0,
    elevation: float = 35.0,
    size: tuple[int, int] = (1200, 900),
) -> NDArray[np.uint8]:
    """Draw solids as seen from afar, with numbers that point at them; returns a BGR picture of
    `size` (width, height)."""
    turn = view_rotation(azimuth, elevation)
    width, height = size[0] * FINE, size[1] * FINE
    points = np.concatenate([solid.triangles.reshape(-1, 3) for solid in solids]) @ turn.T
    low, high = points[:, :2].min(axis=0), points[:, :2].max(axis=0)
    # leaves room for the numbers
    scale = min(width / (high[0] - low[0]), height / (high[1] - low[1])) * (0.72 if labels else 0.86)
    middle = (low + high) / 2

    def project_points(at: NDArray[np.float64]) -> NDArray[np.float64]:
        seen = at @ turn.T
        x, y = width / 2 + (seen[..., 0] - middle[0]) * scale, height / 2 - (seen[..., 1] - middle[1]) * scale
        return np.stack([x, y, seen[..., 2] * scale], axis=-1)

    depth, shade, normals, owner = _make_canvas(width, height)
    for number, solid in enumerate(solids):
        _draw_solid(project_points(solid.triangles), solid, number, (depth, shade, normals, owner))
    edges = _find_edges(depth, normals, owner)
    shade[edges] = INK
    picture = np.asarray(
        cv2.resize(shade[..., ::-1].astype(np.uint8), size, interpolation=cv2.INTER_AREA), np.uint8
    )
    for label in labels:
        _draw_label(picture, label, project_points(np.array(label.at))[:2] / FINE)
    return picture


def _make_canvas(
    width: int, height: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]:
    depth = np.full((height, width), -1e9)
    shade = np.empty((height, width, 3))
    shade[:] = PAPER
    return depth, shade, np.zeros((height, width, 3)), np.full((height, width), -1, np.int32)


def _draw_solid(
    placed: NDArray[np.float64],
    solid: Solid,
    number: int,
    canvas: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]],
) -> None:
    """Draw the triangles of one solid into the depth buffer."""
    depth, shade, normals, owner = canvas
    across = np.cross(
        solid.triangles[:, 1] - solid.triangles[:, 0], solid.triangles[:, 2] - solid.triangles[:, 0]
    )
    length = np.linalg.norm(across, axis=1)
    for triangle, normal, area in zip(placed, across, length, strict=True):
        (x0, y0, z0), (x1, y1, z1), (x2, y2, z2) = triangle
        det = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
        if area == 0 or det >= -1e-9:  # faces away; y runs downwards
            continue
        left, right = max(0, math.floor(min(x0, x1, x2))), min(depth.shape[1], math.ceil(max(x0, x1, x2)) + 1)
        top, bottom = max(0, math.floor(min(y0, y1, y2))), min(depth.shape[0], math.ceil(max(y0, y1, y2)) + 1)
        x, y = np.meshgrid(np.arange(left, right), np.arange(top, bottom))
        b = ((x - x0) * (y2 - y0) - (x2 - x0) * (y - y0)) / det
        c = ((x1 - x0) * (y - y0) - (x - x0) * (y1 - y0)) / det
        z = z0 + b * (z1 - z0) + c * (z2 - z0)
        part = (slice(top, bottom), slice(left, right))
        # with a small tolerance, so that no pixel between two triangles is left out
        inside = (b >= -1e-6) & (c >= -1e-6) & (b + c <= 1 + 1e-6) & (z > depth[part])
        unit = normal / area
        light = 0.62 + 0.38 * max(0.0, float(unit @ SUN))
        depth[part][inside] = z[inside]
        shade[part][inside] = np.array(solid.colour) * light
        normals[part][inside] = unit
        owner[part][inside] = number


def _find_edges(
    depth: NDArray[np.float64], normals: NDArray[np.float64], owner: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """Mark where neighbouring pixels belong to different solids, faces or depths."""
    found = np.zeros(depth.shape, bool)
    for axis in (0, 1):
        here = [slice(None)] * 2
        there = [slice(None)] * 2
        here[axis], there[axis] = slice(None, -1), slice(1, None)
        a, b = tuple(here), tuple(there)
        faces = (normals[a] * normals[b]).sum(axis=-1)
        change = (owner[a] != owner[b]) | (
            (owner[a] >= 0) & ((faces < 0.86) | (np.abs(depth[a] - depth[b]) > 14))
        )
        found[a] |= change
    return found


def _draw_label(picture: NDArray[np.uint8], label: Label, at: NDArray[np.float64]) -> None:
    height = picture.shape[0]
    tip = (round(at[0]), round(at[1]))
    radius = round(height * 0.028)
    wanted = np.array([at[0] + label.away[0] * height, at[1] - label.away[1] * height])
    end = tuple(
        np.clip(wanted, radius + 4, np.array(picture.shape[1::-1]) - radius - 4).round().astype(int).tolist()
    )
    cv2.line(picture, tip, end, INK[::-1], 2, cv2.LINE_AA)
    cv2.circle(picture, tip, 5, INK[::-1], -1, cv2.LINE_AA)
    cv2.circle(picture, end, radius, (255, 255, 255), -1, cv2.LINE_AA)
    cv2.circle(picture, end, radius, INK[::-1], 2, cv2.LINE_AA)
    (wide, high), _ = cv2.getTextSize(label.text, cv2.FONT_HERSHEY_DUPLEX, radius / 28, 2)
    corner = (end[0] - wide // 2, end[1] + high // 2)
    cv2.putText(picture, label.text, corner, cv2.FONT_HERSHEY_DUPLEX, radius / 28, INK[::-1], 2, cv2.LINE_AA)
