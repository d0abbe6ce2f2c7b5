"""The printed mat: four ArUco marks that show the camera where the table is, wherever the camera hangs.

The marks are of OpenCV's dictionary 4x4_50, numbers 0 to 3, at the mat's far left, far right, near right and near left; their
outer corners are the table's. (The marks that may be printed on cards are of another dictionary.)
"""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.readers.camera.placing import Corners, Placing
from companion.readers.camera.sources import Frame
from companion.table.zones import Zones

DICTIONARY = cv2.aruco.DICT_4X4_50
MARKS = 4
AGAIN = 2.0
"""Seconds after which the marks are looked for once more: the mat or the camera may have been moved."""
_MOVED = 0.004


@lru_cache(maxsize=1)
def _detector() -> cv2.aruco.ArucoDetector:
    settings = cv2.aruco.DetectorParameters()
    settings.minMarkerDistanceRate = (
        0.03  # a mark's white edge is no second mark in its way, which by default hides it
    )
    return cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(DICTIONARY), settings)


def corners(image: NDArray[np.uint8]) -> Corners | None:
    """Find the table's four corners, in parts of the picture's width and height; None unless all four marks are in sight."""
    outlines, numbers, _ = _detector().detectMarkers(image)
    if numbers is None:
        return None
    found = {
        int(number): outline.reshape(4, 2)
        for number, outline in zip(np.ravel(numbers), outlines, strict=True)
    }
    if not all(number in found for number in range(MARKS)):
        return None
    middle = np.mean([found[number].mean(axis=0) for number in range(MARKS)], axis=0)
    height, width = image.shape[:2]
    outer = [max(found[n], key=lambda point: float(np.linalg.norm(point - middle))) for n in range(MARKS)]
    far_left, far_right, near_right, near_left = ((float(x) / width, float(y) / height) for x, y in outer)
    return far_left, far_right, near_right, near_left


class Survey:
    """Keeps the way from the picture to the table up to date: fixed as it was calibrated, or by the marks of the mat.

    `blind`: the layout goes by the mat, and its marks have not been in sight yet.
    """

    def __init__(self, zones: Zones) -> None:
        self.zones = zones
        self.blind = False
        self._placing: Placing | None = None
        self._corners: Corners | None = None
        self._due = 0.0

    @property
    def by_mat(self) -> bool:
        """Whether the marks of the mat are followed."""
        return self.zones.camera.method == "mat"

    def placing(self, frame: Frame) -> Placing:
        """Return the way from this frame to the table."""
        height, width = frame.image.shape[:2]
        if self._placing is None or self._placing.size != (width, height):
            self._placing, self._due = Placing(self.zones, width, height, self._corners), -np.inf
        if self.by_mat and (frame.alone or frame.at >= self._due):
            self._due = frame.at + AGAIN
            seen = corners(frame.image)
            if seen is not None and (self._corners is None or _apart(seen, self._corners) > _MOVED):
                self._corners = seen
                self._placing = Placing(self.zones, width, height, seen)
            self.blind = self._corners is None
        return self._placing

    def forget(self) -> None:
        """Ask every card's zone again: the camera has been moved."""
        self._placing = None


def _apart(one: Corners, other: Corners) -> float:
    return float(np.abs(np.array(one) - np.array(other)).max())
