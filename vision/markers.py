"""ArUco and AprilTag markers: stickers on cards, and the mat."""

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.errors import VisionError
from vision.geometry import Quad, contains
from vision.reader import Reading

FAMILIES = {
    "aruco4x4": cv2.aruco.DICT_4X4_100,
    "aruco5x5": cv2.aruco.DICT_5X5_250,
    "apriltag16h5": cv2.aruco.DICT_APRILTAG_16h5,
    "apriltag36h11": cv2.aruco.DICT_APRILTAG_36h11,
}
"""Families by name. `aruco4x4` suits stickers of 8 mm; `apriltag36h11` never errs but needs 12 mm."""

DEFAULT = "aruco4x4"


@dataclass(frozen=True)
class Seen:
    """A marker in a picture: its number, and its corners clockwise from its own top left, in pixels."""

    id: int
    quad: Quad


def find(image: NDArray[np.uint8], family: str = DEFAULT) -> list[Seen]:
    """All markers of a family in a BGR picture, corners to sub-pixel, in order of id."""
    corners, ids, _ = _detector(family).detectMarkers(image)
    if not len(corners):
        return []
    # OpenCV 4 gives ids as (n, 1), OpenCV 5 as (n,)
    seen = [
        Seen(int(number), np.asarray(quad, dtype=np.float32).reshape(4, 2))
        for number, quad in zip(np.asarray(ids).ravel(), corners, strict=True)
    ]
    return sorted(seen, key=lambda marker: marker.id)


def draw(number: int, pixels: int = 80, family: str = DEFAULT) -> NDArray[np.uint8]:
    """The picture of a marker with its white border, grey, about `pixels` wide: for printing."""
    dictionary = cv2.aruco.getPredefinedDictionary(_family(family))
    if not 0 <= number < len(dictionary.bytesList):
        raise VisionError(f"{family} has markers 0 to {len(dictionary.bytesList) - 1}, not {number}.")
    marker = cv2.aruco.generateImageMarker(dictionary, number, pixels)
    border = max(1, pixels // 6)
    framed = cv2.copyMakeBorder(marker, border, border, border, border, cv2.BORDER_CONSTANT, value=255)
    return np.asarray(framed, dtype=np.uint8)


def named(readings: list[Reading], seen: list[Seen], cards: Mapping[int, str]) -> list[Reading]:
    """Let stickers name the cards they are on, for decks in which some cards carry one.

    `cards`: marker number to card id; other markers (the mat's) are passed over. A sticker outside every
    outline still stands for its card, with the marker's own quad.
    """
    result = list(readings)
    for marker in seen:
        card = cards.get(marker.id)
        if card is None:
            continue
        holder = next((i for i, r in enumerate(result) if contains(r.quad, marker.quad.mean(axis=0))), None)
        quad = marker.quad if holder is None else result[holder].quad
        reading = Reading(card, True, 1.0, quad, ((card, 1.0),))
        if holder is None:
            result.append(reading)
        else:
            result[holder] = reading
    return result


def _family(name: str) -> int:
    if name not in FAMILIES:
        raise VisionError(f"There is no marker family {name}; choose one of {', '.join(FAMILIES)}.")
    return FAMILIES[name]


def _detector(family: str) -> cv2.aruco.ArucoDetector:
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    return cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(_family(family)), parameters)
