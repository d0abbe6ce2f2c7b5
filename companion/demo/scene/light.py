"""What a camera adds to a table: cloth lit by a lamp at one side, and its sensor's noise."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
"""Height x width x 3, blue-green-red, 0..255."""

CLOTH = (74, 92, 52)
"""The cloth's colour, blue-green-red: a dull green."""
WARM = np.array([0.97, 1.0, 1.03], np.float32)
"""The lamp's tint, blue-green-red."""
NOISE = 2.6
"""Standard deviation of the sensor's noise, in grey levels, as of a fair webcam in a lit room."""
_MARGIN = 48
_BANK = 2


def lamp(width: int, height: int) -> NDArray[np.float32]:
    """Return how bright each pixel is lit, shape (height, width, 1): a lamp to the upper left,
    darker corners. See `WARM`."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    x, y = x / width - 0.5, y / height - 0.5
    towards = 1.0 - 0.22 * (x * 0.8 + y * 0.5)
    corners = 1.0 - 0.28 * (x**2 + y**2)
    return np.asarray((towards * corners)[:, :, None], dtype=np.float32)


def cloth(width: int, height: int, random: np.random.Generator) -> Picture:
    """Return woven cloth under the lamp: fine threads, and broad stains as every cloth has."""
    grain = random.standard_normal((height, width), np.float32)
    warp = cv2.GaussianBlur(grain, (0, 0), sigmaX=0.6, sigmaY=2.2)
    weft = cv2.GaussianBlur(grain[::-1], (0, 0), sigmaX=2.2, sigmaY=0.6)
    small = random.standard_normal((height // 40 + 2, width // 40 + 2), np.float32)
    stains = cv2.resize(cv2.GaussianBlur(small, (0, 0), 1.5), (width, height), interpolation=cv2.INTER_CUBIC)
    relief = 1.0 + 0.09 * (warp + weft) + 0.05 * stains
    relief *= lamp(width, height)[:, :, 0]
    channels = [np.clip(relief * shade, 0, 255).astype(np.uint8) for shade in CLOTH * WARM]
    return np.asarray(cv2.merge(channels), dtype=np.uint8)


class Sensor:
    """Adds noise to a picture from a few noise pictures made in advance, shifted at random."""

    def __init__(self, width: int, height: int, random: np.random.Generator) -> None:
        self._size = (height, width)
        self._random = random
        self._bank = [self._noise() for _ in range(_BANK)]

    def _noise(self) -> tuple[Picture, Picture]:
        height, width = self._size
        shape = (height + _MARGIN, width + _MARGIN)
        noise = self._random.standard_normal((*shape, 3), np.float32)
        noise *= 0.5
        noise += self._random.standard_normal((*shape, 1), np.float32)
        noise = np.round(cv2.GaussianBlur(noise, (0, 0), 0.5) * np.float32(1.4 * NOISE))
        # Two pictures of bytes: OpenCV's `add` and `subtract` stop at 255 and 0 without a wider
        # copy.
        brighter = np.clip(noise, 0, 255).astype(np.uint8)
        darker = np.clip(-noise, 0, 255).astype(np.uint8)
        return brighter, darker

    def expose(self, picture: Picture) -> Picture:
        """Return the picture with noise, as a new picture."""
        height, width = self._size
        brighter, darker = self._bank[int(self._random.integers(_BANK))]
        x, y = self._random.integers(0, _MARGIN, 2)
        window = np.s_[y : y + height, x : x + width]
        exposed = cv2.add(picture, brighter[window])
        return np.asarray(cv2.subtract(exposed, darker[window], dst=exposed), dtype=np.uint8)
