"""Detect and draw ArUco and AprilTag markers: stickers on cards, and the mat."""

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.errors import VisionError
from vision.geometry import Quad, find_homography, make_rectangle, mean_side_lengths, side_lengths

FAMILIES = {
    "aruco4x4": cv2.aruco.DICT_4X4_100,
    "aruco5x5": cv2.aruco.DICT_5X5_250,
    "apriltag16h5": cv2.aruco.DICT_APRILTAG_16h5,
    "apriltag36h11": cv2.aruco.DICT_APRILTAG_36h11,
}
"""Families by name. `aruco4x4` suits stickers of 8 mm; `apriltag36h11` never errs but needs 12
mm."""

DEFAULT = "aruco4x4"

WIDE = 400
"""Width in pixels to which a card is scaled to look for its sticker: 8 mm on a card of 63 are 50
pixels then."""

LEAST = 0.08
"""Least side of a sticker in parts of the card's width."""


@dataclass(frozen=True)
class Marker:
    """A marker in a picture: its number, and its corners clockwise from its own top left, in
    pixels."""

    id: int
    quad: Quad


def find_markers(image: NDArray[np.uint8], family: str = DEFAULT) -> list[Marker]:
    """Find all markers of a family in a BGR picture, corners to sub-pixel, in order of id."""
    corners, ids, _ = _make_detector(family).detectMarkers(image)
    if not len(corners):
        return []
    # OpenCV 4 gives ids as (n, 1), OpenCV 5 as (n,)
    markers = [
        Marker(int(number), np.asarray(quad, dtype=np.float32).reshape(4, 2))
        for number, quad in zip(np.asarray(ids).ravel(), corners, strict=True)
    ]
    return sorted(markers, key=lambda marker: marker.id)


def draw_marker(number: int, pixels: int = 80, family: str = DEFAULT) -> NDArray[np.uint8]:
    """Draw a marker with its white border for printing: grey, about `pixels` wide."""
    dictionary = cv2.aruco.getPredefinedDictionary(_dictionary_id(family))
    if not 0 <= number < len(dictionary.bytesList):
        raise VisionError(f"{family} has markers 0 to {len(dictionary.bytesList) - 1}, not {number}.")
    marker = cv2.aruco.generateImageMarker(dictionary, number, pixels)
    border = max(1, pixels // 6)
    framed = cv2.copyMakeBorder(marker, border, border, border, border, cv2.BORDER_CONSTANT, value=255)
    return np.asarray(framed, dtype=np.uint8)


@dataclass(frozen=True)
class Stickers:
    """The markers that some cards of a deck carry, upright: marker number to card id; other markers
    are ignored."""

    cards: Mapping[int, str]
    family: str = DEFAULT

    def find_stickers(self, image: NDArray[np.uint8]) -> list[Marker]:
        """Find the stickers in a BGR picture, in order of id."""
        return (
            [marker for marker in find_markers(image, self.family) if marker.id in self.cards]
            if self.cards
            else []
        )

    def find_on_quad(self, image: NDArray[np.uint8], quad: Quad) -> tuple[str, Quad] | None:
        """Return the card in `quad`, and its quad from its own top left, if it carries one sticker.

        None for several, because that is a sheet with cards on it; and for one too small to be a
        card's.
        """
        if not self.cards:
            return None
        # scaled in the card's proportions, so that its sticker stays square
        w, h = mean_side_lengths(quad)
        size = (WIDE, max(1, round(WIDE * h / w)))
        upright = find_homography(quad, make_rectangle(*size))
        markers = self.find_stickers(np.asarray(cv2.warpPerspective(image, upright, size), dtype=np.uint8))
        if len(markers) != 1 or float(side_lengths(markers[0].quad).mean()) < LEAST * min(size):
            return None
        across = markers[0].quad[1] - markers[0].quad[0]
        turns = round(float(np.arctan2(across[1], across[0])) / (np.pi / 2)) % 4
        return self.cards[markers[0].id], np.ascontiguousarray(np.roll(quad, -turns, axis=0))


def _dictionary_id(name: str) -> int:
    if name not in FAMILIES:
        raise VisionError(f"There is no marker family {name}; choose one of {', '.join(FAMILIES)}.")
    return FAMILIES[name]


def _make_detector(family: str) -> cv2.aruco.ArucoDetector:
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    return cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(_dictionary_id(family)), parameters)
