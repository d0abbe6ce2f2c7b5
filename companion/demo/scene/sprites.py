"""What the table's picture is made of: cloth lit by a lamp at one side, cards and hands with soft
edges and how they are put into it, and the noise of the camera's sensor."""

from __future__ import annotations

from functools import lru_cache

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


Matrix = NDArray[np.float64]
"""A 3 x 3 map from one plane to another."""
Box = tuple[int, int, int, int]
"""A part of a picture: x0, y0, x1, y1 in pixels, x1 and y1 excluded."""

CORNER = 0.05
"""Radius of a card's corners, in parts of its width."""
_FINE = 2

HAND_LENGTH = 900
HAND_WIDTH = 260
"""A hand's picture in millimetres: the fingertips at the top, the arm running out at the bottom."""
GRIP = (130.0, 62.0)
"""The point of a hand's picture that is over the card: where fingers and thumb meet."""
_SKINS = (
    (140, 172, 214),
    (96, 132, 186),
    (62, 90, 138),
    (120, 155, 205),
    (44, 66, 104),
    (150, 180, 222),
    (80, 112, 166),
)
_SLEEVES = (
    (120, 60, 40),
    (50, 50, 140),
    (60, 110, 60),
    (40, 120, 170),
    (110, 50, 100),
    (40, 40, 44),
    (150, 140, 130),
)


def rounded(card: Picture) -> NDArray[np.float32]:
    """Return the mask of a card with round corners, 0..1, of the size of its picture."""
    height, width = card.shape[:2]
    mask = np.zeros((height, width), np.uint8)
    r = max(int(CORNER * width), 1)
    cv2.rectangle(mask, (r, 0), (width - 1 - r, height - 1), 255, -1)
    cv2.rectangle(mask, (0, r), (width - 1, height - 1 - r), 255, -1)
    for x in (r, width - 1 - r):
        for y in (r, height - 1 - r):
            cv2.circle(mask, (x, y), r, 255, -1, cv2.LINE_AA)
    return np.asarray(mask / np.float32(255), dtype=np.float32)


def bounds(quad: NDArray[np.float64], size: tuple[int, int], margin: int = 0) -> Box:
    """Return the part of a picture of `size` (width, height) that holds the quad, with a margin."""
    (x0, y0), (x1, y1) = quad.min(axis=0) - margin, quad.max(axis=0) + margin
    width, height = size
    clipped = [
        int(np.clip(v, 0, limit))
        for v, limit in ((x0, width), (y0, height), (x1 + 1, width), (y1 + 1, height))
    ]
    return clipped[0], clipped[1], clipped[2], clipped[3]


def put_card(
    ground: Picture, lit: NDArray[np.float32], card: Picture, to_picture: Matrix, box: Box, clip: Box
) -> None:
    """Draw a card with its soft shadow into `ground`, inside `clip`.

    `to_picture` maps the card's own pixels to the picture's, `box` is the part of the picture that
    card and shadow need, `lit` how bright each pixel of the picture is lit, shape (height, width,
    1).
    """
    x0, y0, x1, y1 = box
    width, height = x1 - x0, y1 - y0
    if width <= 0 or height <= 0:
        return
    fine = np.diag([_FINE, _FINE, 1.0]) @ np.array([[1, 0, -x0], [0, 1, -y0], [0, 0, 1.0]]) @ to_picture
    large = (width * _FINE, height * _FINE)
    colour = cv2.warpPerspective(card, fine, large, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    mask = cv2.warpPerspective(rounded(card), fine, large, flags=cv2.INTER_LINEAR)
    # Drawn larger and then reduced: a warp by itself leaves stairs along the card's edge.
    colour = cv2.resize(colour, (width, height), interpolation=cv2.INTER_AREA)
    mask = cv2.resize(mask, (width, height), interpolation=cv2.INTER_AREA)
    near = cv2.warpAffine(mask, np.array([[1, 0, 1.2], [0, 1, 1.8]]), (width, height))
    shadow = 0.4 * cv2.GaussianBlur(near, (0, 0), 2.4)
    cx0, cy0, cx1, cy1 = max(clip[0], x0), max(clip[1], y0), min(clip[2], x1), min(clip[3], y1)
    if cx0 >= cx1 or cy0 >= cy1:
        return
    part = np.s_[cy0 - y0 : cy1 - y0, cx0 - x0 : cx1 - x0]
    there = np.s_[cy0:cy1, cx0:cx1]
    cover = mask[part][:, :, None]
    under = ground[there] * (1 - shadow[part][:, :, None])
    over = colour[part] * (lit[there] * WARM) * 0.97
    ground[there] = np.clip(under * (1 - cover) + over * cover, 0, 255).astype(np.uint8)


@lru_cache(maxsize=16)
def hand(number: int) -> tuple[Picture, Picture]:
    """Return the picture of player `number`'s hand and arm on black, and how much of the table
    shows beside it (0..255, in 3 channels)."""
    skin, sleeve = _SKINS[number % len(_SKINS)], _SLEEVES[number % len(_SLEEVES)]
    solid = np.zeros((HAND_LENGTH, HAND_WIDTH), np.uint8)
    picture = np.zeros((HAND_LENGTH, HAND_WIDTH, 3), np.uint8)
    for start, end, thick in _FINGERS:
        for canvas, colour in ((picture, skin), (solid, 255)):
            cv2.line(canvas, start, end, colour, thick, cv2.LINE_AA)
    palm = np.array(
        [[86, 150], [108, 108], [160, 104], [182, 130], [178, 200], [166, 262], [100, 262], [88, 210]]
    )
    arm = np.array([[98, 250], [168, 250], [184, 430], [84, 430]])
    cuff = np.array([[80, 400], [188, 400], [206, HAND_LENGTH], [62, HAND_LENGTH]])
    for outline, colour in ((palm, skin), (arm, skin), (cuff, sleeve)):
        cv2.fillPoly(picture, [outline.astype(np.int32)], colour, cv2.LINE_AA)
        cv2.fillPoly(solid, [outline.astype(np.int32)], 255, cv2.LINE_AA)
    picture = _creases(picture, skin)
    mask = cv2.GaussianBlur(solid, (0, 0), 1.0) / np.float32(255)
    relief = cv2.GaussianBlur(solid, (0, 0), 16) / np.float32(255)
    shaded = picture * (0.45 + 0.6 * relief)[:, :, None]
    fallen = cv2.warpAffine(mask, np.array([[1, 0, 12.0], [0, 1, 16.0]]), (HAND_WIDTH, HAND_LENGTH))
    shadow = 0.45 * cv2.GaussianBlur(fallen, (0, 0), 9)
    beside = np.clip(255 * (1 - mask) * (1 - shadow), 0, 255).astype(np.uint8)
    over = np.clip(shaded * mask[:, :, None], 0, 255).astype(np.uint8)
    return over, np.asarray(cv2.merge([beside] * 3), np.uint8)


_FINGERS = (
    ((102, 128), (98, 44), 22),
    ((124, 112), (123, 22), 23),
    ((146, 112), (150, 28), 23),
    ((168, 126), (174, 56), 20),
    ((92, 188), (52, 132), 26),
    ((52, 132), (66, 96), 22),
)


def _creases(picture: Picture, skin: tuple[int, int, int]) -> Picture:
    """Draw knuckles and the lines between fingers, so that a hand does not look like a card."""
    dark = tuple(int(value * 0.78) for value in skin)
    for x, y in ((100, 92), (124, 76), (148, 80), (171, 96)):
        cv2.ellipse(picture, (x, y), (8, 3), 0, 0, 180, dark, 1, cv2.LINE_AA)
    for x, y in ((113, 118), (135, 112), (157, 118)):
        cv2.line(picture, (x, y), (x, y + 26), dark, 2, cv2.LINE_AA)
    return picture


def put_hand(ground: Picture, number: int, to_picture: Matrix) -> None:
    """Draw a hand over the table; `to_picture` maps its millimetres to the picture's pixels."""
    height, width = ground.shape[:2]
    frame = np.array([[0, 0], [HAND_WIDTH, 0], [HAND_WIDTH, HAND_LENGTH], [0, HAND_LENGTH]], np.float64)
    x0, y0, x1, y1 = bounds(apply(to_picture, frame), (width, height))
    if x1 - x0 < 2 or y1 - y0 < 2:
        return
    colour, beside = hand(number)
    local = np.array([[1, 0, -x0], [0, 1, -y0], [0, 0, 1.0]]) @ to_picture
    size = (x1 - x0, y1 - y0)
    over = cv2.warpPerspective(colour, local, size, flags=cv2.INTER_LINEAR)
    shows = cv2.warpPerspective(
        beside,
        local,
        size,
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_CONSTANT,
        # Beyond the hand's picture the whole table shows.
        borderValue=(255, 255, 255),
    )
    there = np.s_[y0:y1, x0:x1]
    ground[there] = cv2.add(cv2.multiply(ground[there], shows, scale=1 / 255), over)


def apply(matrix: Matrix, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Map points, shape (n, 2), by a 3 x 3 matrix."""
    mapped = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    return np.asarray(mapped[:, :2] / mapped[:, 2:], dtype=np.float64)
