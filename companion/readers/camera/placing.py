"""Where on the table a card lies that the camera sees at some place of its picture."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.table.zones import Zones
from vision.geometry import Quad

Corners = tuple[tuple[float, float], tuple[float, float], tuple[float, float], tuple[float, float]]
"""Far left, far right, near right, near left, in parts of the picture's width and height."""
_STEADY = 0.012
"""Parts of the picture's diagonal that a card must move before its zone is asked for again: at a border it would flicker."""


class Placing:
    """Maps the places of pictures of one size (`width`, `height` in pixels) to the zones of a table.

    `corners`: the table's in the picture, where they are not those of the layout.
    """

    def __init__(self, zones: Zones, width: int, height: int, corners: Corners | None = None) -> None:
        self.zones = zones
        self.size = (width, height)
        self._known: dict[int, tuple[NDArray[np.float64], str]] = {}
        frame = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
        known = corners or zones.camera.corners
        seen = (frame if known is None else np.array(known, np.float32)) * np.array(self.size, np.float32)
        self._to_table = cv2.getPerspectiveTransform(seen, frame)
        self._to_picture = cv2.getPerspectiveTransform(frame, seen)

    def zone(self, track: int, quad: Quad, drift: tuple[float, float] = (0.0, 0.0)) -> str:
        """Return the zone that the middle of a card lies in. `drift`: pixels by which the camera has moved since the calibration."""
        middle = np.asarray(quad, np.float64).mean(axis=0)
        known = self._known.get(track)
        if known is not None and np.linalg.norm(middle - known[0]) < _STEADY * np.hypot(*self.size):
            return known[1]
        shift = np.array(drift) if np.all(np.isfinite(drift)) else np.zeros(2)
        point = (middle - shift).astype(np.float32).reshape(1, 1, 2)
        x, y = cv2.perspectiveTransform(point, self._to_table)[0, 0]
        zone = self.zones.zone_at(float(x), float(y))
        self._known[track] = (middle, zone)
        return zone

    def forget(self, track: int) -> None:
        """Forget a card that has gone."""
        self._known.pop(track, None)

    def outlines(self) -> list[NDArray[np.int32]]:
        """Return the zones' outlines in the picture, for the preview."""
        return [
            cv2.perspectiveTransform(self.zones.outline(name).reshape(-1, 1, 2), self._to_picture).astype(
                np.int32
            )
            for name in self.zones.names
        ]
