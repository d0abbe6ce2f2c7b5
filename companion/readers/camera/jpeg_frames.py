"""Decode single JPEG frames of cameras in the network, which may send anything.

A JPEG of two megabytes can stand for a hundred million pixels, and take two gigabytes to decode. So
its size is read from its header first.
"""

from __future__ import annotations

import struct
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

MAX_FRAME_PIXELS = 2**24
"""Most pixels of a frame (4096 x 4096). Cameras for meetings have up to 8 million, phones 16."""
_FRAME_MARKERS = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""Markers of the segment that holds the size (ITU-T T.81, table B.1)."""


class FrameTooLarge(Exception):
    """Raised for a frame of more than `MAX_FRAME_PIXELS`; `width`, `height`: pixels."""

    def __init__(self, width: int, height: int) -> None:
        super().__init__(f"{width} x {height}")
        self.width = width
        self.height = height


def check_frame_size(width: int, height: int) -> None:
    """Raise `FrameTooLarge` if a frame of this size (pixels) must not be decoded."""
    if width * height > MAX_FRAME_PIXELS:
        raise FrameTooLarge(width, height)


def read_jpeg_size(jpeg: bytes) -> tuple[int, int] | None:
    """Return width and height of a JPEG without decoding it; None if its header is damaged.

    >>> read_jpeg_size(bytes.fromhex("ffd8 ffc0 000b 08 0010 0020 01 011100"))
    (32, 16)
    """
    if jpeg[:2] != b"\xff\xd8":
        return None
    at = 2
    # Marker, length, precision, height, width (ITU-T T.81, B.2.2).
    while at + 9 <= len(jpeg) and jpeg[at] == 0xFF:
        marker, length = struct.unpack_from(">BH", jpeg, at + 1)
        if marker in _FRAME_MARKERS:
            height, width = struct.unpack_from(">HH", jpeg, at + 5)
            return width, height
        # A marker may be preceded by any number of bytes 0xFF (B.1.1.2).
        at += 1 if marker == 0xFF else 2 + length
    return None


def decode_jpeg_frame(jpeg: NDArray[np.uint8]) -> NDArray[np.uint8] | None:
    """Return the picture as BGR; None if it is damaged. Raises `FrameTooLarge` before anything is
    decoded."""
    size = read_jpeg_size(jpeg.tobytes())
    if size is None:
        return None
    check_frame_size(*size)
    try:
        image: Any = cv2.imdecode(jpeg, cv2.IMREAD_COLOR)
    except cv2.error:
        return None
    return None if image is None or not image.size else np.asarray(image, dtype=np.uint8)
