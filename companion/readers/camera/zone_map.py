"""Where on the table a card lies that the camera sees at some place of its picture."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from companion.table.zones import Zones
from vision.geometry import Quad
from vision.homography import TablePlane

_STEADY = 0.012
"""Parts of the picture's diagonal that a card must move before its zone is asked for again: at a
border it would flicker."""


class ZoneMap:
    """Maps the places of pictures of one size (`width`, `height` in pixels) to the zones of a
    table.

    `plane`: from the picture to table units (0..1), where it is not the one that the layout was
    calibrated with.
    """

    def __init__(self, zones: Zones, width: int, height: int, plane: TablePlane | None = None) -> None:
        self.zones = zones
        self.size = (width, height)
        corners = np.array(zones.camera.corners or ((0, 0), (1, 0), (1, 1), (0, 1)))
        self._plane = plane or TablePlane.from_corners(corners * self.size)
        self._known: dict[int, tuple[NDArray[np.float64], str]] = {}

    def zone(self, track: int, quad: Quad, drift: tuple[float, float] = (0.0, 0.0)) -> str:
        """Return the zone that the middle of a card lies in. `drift`: pixels by which the camera
        has moved since the calibration."""
        middle = np.asarray(quad, np.float64).mean(axis=0)
        known = self._known.get(track)
        if known is not None and np.linalg.norm(middle - known[0]) < _STEADY * np.hypot(*self.size):
            return known[1]
        shift = np.array(drift) if np.all(np.isfinite(drift)) else np.zeros(2)
        x, y = self._plane.to_table([middle - shift])[0]
        zone = self.zones.zone_at(float(x), float(y))
        self._known[track] = (middle, zone)
        return zone

    def forget(self, track: int) -> None:
        """Forget a card that has gone."""
        self._known.pop(track, None)

    def outlines(self) -> list[NDArray[np.int32]]:
        """Return the zones' outlines in the picture, for the preview."""
        return [self._plane.to_image(self.zones.outline(name)).astype(np.int32) for name in self.zones.names]
