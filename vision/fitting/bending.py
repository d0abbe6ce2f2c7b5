"""Bend an aligned reference onto a seen card, part by part, because cards bend."""

from functools import lru_cache

import cv2
import numpy as np

from vision.fitting.compare import Map, downscale_by_mean, sum_channels
from vision.fitting.patch import Pixels, gaussian_blur
from vision.fitting.template import reduce_picture

STRETCH, STIFF, HOLD = 3.0, 14.0, 5e-4
"""`STRETCH`: farthest that a part of a card is moved; `STIFF`: width of the parts (both in patch
pixels); `HOLD`: weight that holds them in place."""

COARSE = 2.5
"""Factor by which the pictures are shrunk on which the field of shifts is computed."""


def to_bending_resolution(observed: Pixels) -> Pixels:
    """Shrink a seen card for `bend_reference`."""
    return reduce_picture(observed, COARSE)


def bend_reference(target: Pixels, laid: Pixels, in_sight: Map) -> Pixels:
    """Move parts of an aligned reference by up to `STRETCH` pixels onto the seen card, of which
    `target` is the `to_bending_resolution` picture.

    Cards bend, and their borders are cut unevenly; a smooth field of shifts (Lucas-Kanade in a wide
    window) follows that but is too stiff to turn one sign into another.
    """
    start = to_bending_resolution(laid)
    height, width = target.shape[:2]
    heed = np.where(cv2.resize(in_sight, (width, height)) > 0, np.float32(1), np.float32(0.3))
    heed = cv2.merge([heed] * 3)
    field = np.zeros((height, width, 2), dtype=np.float32)
    # twice: a shift is only as exact as the slopes in the place that it starts from
    for again in (False, True):
        small = _remap_pixels(start, field) if again else start
        field += _solve_shift(small, (target - small) * heed)
        np.clip(field, -STRETCH / COARSE, STRETCH / COARSE, out=field)
    full = cv2.resize(field * np.float32(COARSE), laid.shape[1::-1], interpolation=cv2.INTER_LINEAR)
    return _remap_pixels(laid, np.asarray(full, dtype=np.float32))


def _solve_shift(small: Pixels, off: Map) -> Map:
    """Return the shifts along x and y that reduce the difference `off` round each pixel, given the
    picture's slopes.

    The sums are as smooth as the parts are wide, so they are computed in a picture half as large.
    """
    height, width = off.shape[:2]
    gx, gy = (
        np.asarray(cv2.Sobel(small, cv2.CV_32F, *along, scale=1 / 8), dtype=np.float32)
        for along in ((1, 0), (0, 1))
    )
    pairs = ((gx, gx), (gx, gy), (gy, gy), (gx, off), (gy, off))
    few = np.dstack([downscale_by_mean(sum_channels(one * other), 2) for one, other in pairs])
    xx, xy, yy, xo, yo = cv2.split(gaussian_blur(few, STIFF / COARSE / 2))
    xx, yy = xx + HOLD, yy + HOLD
    det = xx * yy - xy * xy
    shift = cv2.merge([(yy * xo - xy * yo) / det, (xx * yo - xy * xo) / det])
    return np.asarray(cv2.resize(shift, (width, height), interpolation=cv2.INTER_LINEAR), dtype=np.float32)


def _remap_pixels(pixels: Pixels, field: Map) -> Pixels:
    """Move each pixel from where the field of shifts points."""
    x, y = _pixel_coordinates(*pixels.shape[:2])
    moved = cv2.remap(
        pixels, x + field[:, :, 0], y + field[:, :, 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(moved, dtype=np.float32)


@lru_cache(maxsize=16)
def _pixel_coordinates(height: int, width: int) -> tuple[Map, Map]:
    """Return the x and the y coordinate of each pixel."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    return x, y
