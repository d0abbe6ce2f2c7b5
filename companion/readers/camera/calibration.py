"""Map places in the camera's picture to zones of the table.

The mapping is a homography between picture and table. It comes either from the four corners that
people marked at calibration, or from markers printed on a mat, which are found again every few
seconds, so that the camera may be moved.

The mat has four ArUco markers of the family `aruco4x4` of `vision.markers`, numbers 0 to
3, upright in its far left, far right, near right and near left corner. The side of a marker is
`SIDE` of the mat's depth. (Markers on cards are of another family.)
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from companion.readers.camera.sources import Frame
from companion.table.zones import Zones
from vision.errors import PlaneError
from vision.geometry import Quad
from vision.homography import TablePlane
from vision.markers import find_markers

_STEADY = 0.012
"""Part of the picture's diagonal that a card must move before its zone is determined again: at a
border its zone would otherwise flicker."""


class ZoneMap:
    """Mapping from pictures of one size (`width`, `height` in pixels) to the zones of a table.

    `plane`: mapping from the picture to table units (0..1), if it is not the one of the
    layout's calibration.
    """

    def __init__(self, zones: Zones, width: int, height: int, plane: TablePlane | None = None) -> None:
        self.zones = zones
        self.size = (width, height)
        corners = np.array(zones.camera.corners or ((0, 0), (1, 0), (1, 1), (0, 1)))
        self._plane = plane or TablePlane.from_corners(corners * self.size)
        self._known: dict[int, tuple[NDArray[np.float64], str]] = {}

    def find_zone(self, track: int, quad: Quad, drift: tuple[float, float] = (0.0, 0.0)) -> str:
        """Return the zone that contains the middle of a card. `drift`: pixels by which the camera
        has moved since calibration."""
        middle = np.asarray(quad, np.float64).mean(axis=0)
        known = self._known.get(track)
        if known is not None and np.linalg.norm(middle - known[0]) < _STEADY * np.hypot(*self.size):
            return known[1]
        # If the drift is unknown, zones stay where they were; `CameraReader` tells the players.
        shift = np.array(drift) if np.all(np.isfinite(drift)) else np.zeros(2)
        x, y = self._plane.to_table([middle - shift])[0]
        zone = self.zones.find_zone_at(float(x), float(y))
        self._known[track] = (middle, zone)
        return zone

    def forget_track(self, track: int) -> None:
        """Forget a card that has gone."""
        self._known.pop(track, None)

    def list_outlines(self) -> list[NDArray[np.int32]]:
        """Return the zones' outlines in the picture, for the preview."""
        return [
            self._plane.to_image(self.zones.find_outline(name)).astype(np.int32)
            for name in self.zones.zone_names
        ]


SIDE = 0.1
"""Side of a marker, its black border included, as a part of the mat's depth."""
EDGE = 0.025
"""White margin between a marker and the mat's edges, as a part of the mat's depth: without it a
marker merges with a dark table."""
NEEDED_MARKS = 3
"""Markers that must be in sight: with fewer, the far side of the table would be guessed."""
MARKS_INTERVAL = 2.0
"""Seconds until the markers are looked for again, because mat or camera may have moved."""


def list_mark_corners(aspect: float) -> dict[int, NDArray[np.float32]]:
    """Return each marker's corners in table units, shape (4, 2), clockwise from its upper left.
    `aspect`: width of the mat divided by its depth."""
    wide, high, left, top = SIDE / aspect, SIDE, EDGE / aspect, EDGE
    right, bottom = 1 - left - wide, 1 - top - high
    own = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], np.float32)
    places = ((left, top), (right, top), (right, bottom), (left, bottom))
    return {number: own + np.array(place, np.float32) for number, place in enumerate(places)}


def find_plane(image: NDArray[np.uint8], aspect: float) -> TablePlane | None:
    """Locate the table by the mat's markers; return None unless `NEEDED_MARKS` of them are in
    sight."""
    visible_marks = [mark for mark in find_markers(image) if mark.id in list_mark_corners(aspect)]
    if len({mark.id for mark in visible_marks}) < NEEDED_MARKS:
        return None
    try:
        return TablePlane.from_markers(visible_marks, list_mark_corners(aspect))
    except PlaneError:
        return None


class CalibrationTracker:
    """The current mapping from picture to table: fixed at calibration, or by the markers of the
    mat.

    `is_blind`: the layout uses the mat, and its markers have not been in sight yet.
    """

    def __init__(self, zones: Zones) -> None:
        self.zones = zones
        self.is_blind = False
        self._zone_map: ZoneMap | None = None
        self._mat: TablePlane | None = None
        self._due = -math.inf

    @property
    def uses_mat(self) -> bool:
        """Whether the mapping follows the markers of the mat."""
        return self.zones.camera.method == "mat"

    def find_zone_map(self, frame: Frame) -> ZoneMap:
        """Return the mapping for this frame, updated from the mat's markers when that is due."""
        height, width = frame.image.shape[:2]
        if self._zone_map is None or self._zone_map.size != (width, height):
            # With another picture size, look for the markers at once.
            self._zone_map, self._due = ZoneMap(self.zones, width, height, self._mat), -math.inf
        if self.uses_mat and (frame.alone or frame.at >= self._due):
            self._due = frame.at + MARKS_INTERVAL
            plane = find_plane(frame.image, self.zones.aspect)
            # Small differences are measurement noise; following them would make cards change zones
            # at borders.
            if plane is not None and (self._mat is None or plane.has_drifted(self._mat, width, height)):
                self._mat = plane
                self._zone_map = ZoneMap(self.zones, width, height, plane)
            self.is_blind = self._mat is None
        return self._zone_map

    def reset_zone_map(self) -> None:
        """Determine every card's zone again, because the camera has moved."""
        self._zone_map = None
