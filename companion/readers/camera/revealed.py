"""A picture of cards that were turned up, to keep: these cards and nothing else of what the camera
saw.

A hand that somebody holds, a card that lies face down beside them, a face: all that is not an
outline of one of these cards is left out, so that no picture can tell what the table did not know.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import Quad

WIDEST = 1280
"""Pixels across at most: cards of a whole table stay legible, and a picture stays under 200 kB."""
QUALITY = 85
_AROUND = 0.25
"""Of the picture's longer side: the room around the cards."""


class FaceUpCards(NamedTuple):
    """Cards that lie face up in one frame: BGR uint8, and their outlines in its pixels."""

    image: NDArray[np.uint8]
    quads: Sequence[Quad]


def jpeg(turned: FaceUpCards) -> bytes:
    """Draw the cards, each in its place, on a plain ground of the table's colour, as JPEG."""
    corners = np.concatenate([np.asarray(quad, np.float32) for quad in turned.quads])
    low, high = corners.min(axis=0), corners.max(axis=0)
    around = _AROUND * float((high - low).max()) / 2
    size = np.array(turned.image.shape[1::-1])
    left, top = np.clip(low - around, 0, size - 1).astype(int)
    right, bottom = np.clip(high + around + 1, 1, size).astype(int)
    seen = turned.image[top:bottom, left:right]
    cards = np.zeros(seen.shape[:2], np.uint8)
    for quad in turned.quads:
        cv2.fillConvexPoly(cards, np.rint(np.asarray(quad) - (left, top)).astype(np.int32), 255)
    ground = np.median(turned.image[::8, ::8].reshape(-1, 3), axis=0)
    drawn = np.where(cards[..., None] > 0, seen, ground).astype(np.uint8)
    scale = min(1.0, WIDEST / max(drawn.shape[:2]))
    if scale < 1:
        drawn = np.asarray(
            cv2.resize(drawn, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8
        )
    return cv2.imencode(".jpg", drawn, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1].tobytes()
