"""The camera's picture for a person who enrols: outlines, and on a sheet the number of each card in reading order."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.enrolling.enroller import Scene
from companion.enrolling.look import Picture

_OUTLINE, _NUMBER, _UNDER = (80, 230, 90), (255, 255, 255), (30, 30, 30)
_FONT = cv2.FONT_HERSHEY_DUPLEX


def draw(scene: Scene, width: int = 960) -> Picture:
    """Draw the outlines over a copy of the picture that is `width` pixels wide."""
    height, full = scene.image.shape[:2]
    scale = width / full
    size = (width, max(round(height * scale), 1))
    image = np.asarray(cv2.resize(scene.image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    thick = max(width // 240, 2)
    for number, quad in enumerate(scene.quads, 1):
        corners = (quad * scale).astype(np.int32)
        cv2.polylines(image, [corners.reshape(-1, 1, 2)], True, _OUTLINE, thick, cv2.LINE_AA)
        if scene.numbered:
            _number(image, corners, str(number), thick)
    return image


def _number(image: Picture, corners: NDArray[np.int32], words: str, thick: int) -> None:
    """Write a number as large as the card allows: a preview of a few dozen cells shall still show it."""
    room = 0.75 * float(np.linalg.norm(corners[1] - corners[0]))
    (wide, high), _ = cv2.getTextSize(words, _FONT, 1.0, 1)
    size = room / max(wide, high)
    x, y = corners.mean(axis=0)
    at = (int(x - wide * size / 2), int(y + high * size / 2))
    half = 0.62 * max(wide, high) * size
    box = [(int(x - half), int(y - half)), (int(x + half), int(y + half))]
    cv2.rectangle(image, box[0], box[1], _UNDER, -1)
    cv2.putText(image, words, at, _FONT, size, _NUMBER, max(2 * thick, int(2.5 * size)), cv2.LINE_AA)
