"""Where a card's outline may run: binary maps of one picture, each by another cue.

No single cue finds every card on every table: a white card on a pale table shows only by a thin
line of shade, a black-bordered one on black cloth only by chroma or by its inner frame. So several
maps are made and the shapes of all of them compete (`vision.detect`).
"""

from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.uint8]


def opponent(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """CIE Lab in 8 bits, slightly smoothed: luma and two chroma channels."""
    return np.asarray(cv2.GaussianBlur(cv2.cvtColor(image, cv2.COLOR_BGR2LAB), (3, 3), 0), dtype=np.uint8)


def edges(lab: NDArray[np.uint8], strength: float) -> Mask:
    """Closed-up edge lines of luma and chroma together.

    `strength` scales the threshold, which follows the picture's own noise (the median of its
    gradient).
    """
    found = np.zeros(lab.shape[:2], np.uint8)
    for channel, floor in zip(cv2.split(lab), (24.0, 14.0, 14.0), strict=True):
        dx = cv2.Sobel(channel, cv2.CV_16S, 1, 0)
        dy = cv2.Sobel(channel, cv2.CV_16S, 0, 1)
        noise = float(np.median(np.abs(dx[::4, ::4])) + np.median(np.abs(dy[::4, ::4])))
        high = max(floor, 3.0 * noise) * strength
        lines = cv2.Canny(dx, dy, high * 0.5, high * 1.5, L2gradient=True)
        found = np.maximum(found, np.asarray(lines, dtype=np.uint8))
    return found


def thicken(mask: Mask, size: int) -> Mask:
    """The mask grown by a square of `size` pixels, which closes gaps of that width."""
    return np.asarray(cv2.dilate(mask, np.ones((size, size), np.uint8)), dtype=np.uint8)


def local(channel: NDArray[np.uint8], window: int, offset: float) -> tuple[Mask, Mask]:
    """What is brighter, and what is darker, than its surroundings by `offset` grey levels."""
    difference = channel.astype(np.int16) - cv2.blur(channel, (window, window)).astype(np.int16)
    return (difference > offset).astype(np.uint8) * 255, (difference < -offset).astype(np.uint8) * 255


def maps(lab: NDArray[np.uint8]) -> Iterator[Mask]:
    """Yield the maps in which outlines are looked for; `lab` as from `opponent`."""
    for strength in (1.0, 2.5):
        lines = edges(lab, strength)
        yield thicken(lines, 3)
        yield 255 - thicken(lines, 3)
        yield 255 - thicken(lines, 5)
    luma = np.ascontiguousarray(lab[:, :, 0])
    level, light = _otsu(luma)
    yield light
    yield 255 - light
    bright = luma[luma > level]
    if bright.size > 100:
        upper, _ = _otsu(bright.reshape(-1, 1))
        yield np.asarray((luma > upper) * np.uint8(255), dtype=np.uint8)
    window = max(lab.shape[:2]) // 5 | 1
    yield from local(luma, window, 10)
    table = np.median(lab[::4, ::4].reshape(-1, 3), axis=0)
    chroma = np.hypot(lab[:, :, 1] - table[1], lab[:, :, 2] - table[2])
    _, coloured = _otsu(np.asarray(np.clip(chroma * 4, 0, 255), dtype=np.uint8))
    yield coloured
    yield 255 - coloured


def contours(mask: Mask) -> list[NDArray[np.int32]]:
    """The outer and inner borders of what a map shows."""
    found, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    return [np.asarray(contour, dtype=np.int32) for contour in found]


def _otsu(channel: NDArray[np.uint8]) -> tuple[float, Mask]:
    level, mask = cv2.threshold(channel, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    return level, np.asarray(mask, dtype=np.uint8)
