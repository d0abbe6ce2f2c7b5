"""Where a card comes to lie in a zone: free of its neighbours, as people lay it: a little askew."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

CARD = (63.0, 88.0)
"""Width and height of a card in millimetres."""
_GAP = 13.0
_STEP = 8.0
_EDGE = 50.0
_INSIDE = (38.0, 14.0)
_Rectangle = tuple[tuple[float, float], tuple[float, float], float]


class Spot(NamedTuple):
    """A place for a card: its middle in millimetres from the table's far left corner.

    `angle`: its turn in degrees, 0 with its foot to the near edge.
    """

    x: float
    y: float
    angle: float


def facing(zone: NDArray[np.float64], table: tuple[float, float]) -> float:
    """Return the turn of cards before the player of this zone: a multiple of 90 degrees, the foot
    to the nearest edge."""
    middle = zone.mean(axis=0) / np.array(table) - 0.5
    if abs(middle[1]) * table[1] >= abs(middle[0]) * table[1] - 1e-6:
        return 0.0 if middle[1] > 0 else 180.0
    return 90.0 if middle[0] < 0 else -90.0


def find(
    zone: NDArray[np.float64],
    turn: float,
    table: tuple[float, float],
    taken: Iterable[Spot],
    random: np.random.Generator,
) -> Spot:
    """Return a free spot in a zone's outline (millimetres, shape (n, 2)), near its middle; on top
    of others when it is full.

    `turn`: of the card, in degrees. `table`: width and depth in millimetres. `taken`: where cards
    lie already, of whatever zone.
    """
    outline = zone.astype(np.float32).reshape(-1, 1, 2)
    moments = cv2.moments(outline)
    middle = np.array([moments["m10"], moments["m01"]]) / max(moments["m00"], 1e-9)
    low = np.maximum(zone.min(axis=0), _EDGE)
    high = np.minimum(zone.max(axis=0), np.array(table) - _EDGE)
    grid = [
        (float(x), float(y))
        for x in np.arange(low[0], high[0], _STEP)
        for y in np.arange(low[1], high[1], _STEP)
    ]
    grid.sort(key=lambda point: (point[0] - middle[0]) ** 2 + (point[1] - middle[1]) ** 2)
    depths = [cv2.pointPolygonTest(outline, point, True) for point in grid]
    others = [_rectangle(spot, 0.0) for spot in taken]
    for inside in _INSIDE:
        for depth, point in zip(depths, grid, strict=True):
            spot = Spot(*point, turn)
            wide = _rectangle(spot, _GAP)
            if depth >= inside and not any(_meet(wide, other) for other in others):
                return untidy(spot, random)
    return untidy(Spot(float(middle[0]), float(middle[1]), turn), random)


def _meet(one: _Rectangle, other: _Rectangle) -> bool:
    return cv2.rotatedRectangleIntersection(one, other)[0] != cv2.INTERSECT_NONE


def untidy(spot: Spot, random: np.random.Generator) -> Spot:
    """Shift and turn a spot a little, as a hand does."""
    dx, dy = random.normal(0, 3, 2)
    return Spot(
        spot.x + float(np.clip(dx, -4.4, 4.4)),
        spot.y + float(np.clip(dy, -4.4, 4.4)),
        spot.angle + float(np.clip(random.normal(0, 3.5), -7, 7)),
    )


def corners(spot: Spot) -> NDArray[np.float64]:
    """Return a card's corners in millimetres, shape (4, 2): its upper left, then clockwise."""
    half = np.array(CARD) / 2
    own = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half
    turn = np.radians(spot.angle)
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    return np.asarray(own @ rotation.T + [spot.x, spot.y], dtype=np.float64)


def _rectangle(spot: Spot, gap: float) -> _Rectangle:
    return (spot.x, spot.y), (CARD[0] + 2 * gap, CARD[1] + 2 * gap), spot.angle
