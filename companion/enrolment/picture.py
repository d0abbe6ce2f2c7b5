"""The camera's picture for a person who enrols: outlines, and on a sheet the number of each card in
reading order."""

from __future__ import annotations

import cv2
import numpy as np

from companion.enrolment.look import Picture
from companion.enrolment.progress import Scene

_OUTLINE = (80, 230, 90)


def draw(scene: Scene, width: int = 480) -> Picture:
    """Draw the outlines over a copy of the picture that is `width` pixels wide."""
    height, full = scene.image.shape[:2]
    scale = width / full
    size = (width, max(round(height * scale), 1))
    image = np.asarray(cv2.resize(scene.image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    for quad in scene.quads:
        corners = (quad * scale).astype(np.int32).reshape(-1, 1, 2)
        cv2.polylines(image, [corners], True, _OUTLINE, max(width // 160, 2), cv2.LINE_AA)
    return image


def labels(scene: Scene) -> list[tuple[float, float, str]]:
    """Return what to write over the picture: x, y in parts of its width and height, and the number
    of each card of a sheet."""
    height, width = scene.image.shape[:2]
    middles = [quad.mean(axis=0) for quad in scene.quads] if scene.numbered else []
    return [(float(x) / width, float(y) / height, f" {number} ") for number, (x, y) in enumerate(middles, 1)]


def numbered(scene: Scene, width: int = 1440) -> Picture:
    """Draw outlines and numbers over a copy of the picture, to be looked at as a file."""
    image = draw(scene, width)
    for x, y, number in labels(scene):
        at = round(x * image.shape[1]) - 24, round(y * image.shape[0]) + 12
        for colour, thick in (((0, 0, 0), 9), (_OUTLINE, 3)):
            cv2.putText(image, number.strip(), at, cv2.FONT_HERSHEY_DUPLEX, 1.4, colour, thick, cv2.LINE_AA)
    return image
