"""What a supply loses in its copper: the tracks of one net as resistors, the parts as loads, solved
for the voltages.

Pure: straight pieces of track in, volts out. Copper of 35 um has half a milliohm a square (17.2
nanoohm metres over 35 um).
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Mapping

SQUARE, VIA_OHM = 0.0005, 0.001
_STEPS, _ENOUGH, _OVERSHOOT = 4000, 1e-9, 1.85

Point = tuple[int, float, float]
"""Layer (0 front, 1 back), x and y in millimetres."""
Piece = tuple[Point, Point, float]
"""A straight track: its ends on one layer, and its width in millimetres; a via: its two sides,
width 0."""


def drops(
    pieces: Iterable[Piece], pins: Mapping[str, Iterable[Point]], source: str, loads: Mapping[str, float]
) -> dict[str, float]:
    """Return how many volts each of `pins` is below `source` when `loads` draw their amperes;
    `pins`: the points of tracks on each."""
    joined: dict[object, dict[object, float]] = defaultdict(dict)

    def join(a: object, b: object, ohms: float) -> None:
        for one, other in ((a, b), (b, a)):
            joined[one][other] = joined[one].get(other, 0.0) + 1.0 / ohms

    pieces = list(pieces)
    points = {end for a, b, _ in pieces for end in (a, b)}
    for a, b, width in pieces:
        if width == 0.0:
            join(a, b, VIA_OHM)
            continue
        inner = sorted(point for point in points if _on(point, a, b))
        for one, other in itertools.pairwise(inner):
            join(one, other, SQUARE * (abs(one[1] - other[1]) + abs(one[2] - other[2])) / width)
    for pin, ends in pins.items():
        for end in ends:
            join(pin, end, VIA_OHM)
    below = dict.fromkeys(joined, 0.0)
    for _ in range(_STEPS):
        moved = 0.0
        for node, others in joined.items():
            if node == source:
                continue
            ampere = loads.get(node, 0.0) if isinstance(node, str) else 0.0
            wanted = (ampere + sum(siemens * below[other] for other, siemens in others.items())) / sum(
                others.values()
            )
            step = _OVERSHOOT * (wanted - below[node])
            below[node] += step
            moved = max(moved, abs(step))
        if moved < _ENOUGH:
            break
    return {pin: below[pin] for pin in pins if pin in below}


def _on(point: Point, a: Point, b: Point) -> bool:
    """Tell whether a point lies on a track, which runs along x or y or is a short slanting piece
    within a hole's copper."""
    if point[0] != a[0]:
        return False
    (x0, x1), (y0, y1) = sorted((a[1], b[1])), sorted((a[2], b[2]))
    straight = x1 - x0 < 0.01 or y1 - y0 < 0.01
    return point in (a, b) or (
        straight and x0 - 0.01 <= point[1] <= x1 + 0.01 and y0 - 0.01 <= point[2] <= y1 + 0.01
    )
