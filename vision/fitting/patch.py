"""Cut a card out of a picture: from a quad to a small upright picture with a margin round it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import Quad, find_homography, make_rectangle, mean_side_lengths, transform_points

WIDTH = 160
"""Pixels to which the short side of every card is scaled for comparing."""

MARGIN = 16
"""Pixels kept round the card, so that an outline a little off can be corrected."""

WITHOUT_MARGIN = np.array([[1.0, 0, -MARGIN], [0, 1.0, -MARGIN], [0, 0, 1.0]])
"""Map from pixels of a patch to those of the card without its margin."""

BRIGHT = 0.85
"""Brightness, in parts of full scale, to which a card's lightest tenth is scaled."""

BURNT = 252
"""Level of all three channels from which a pixel shows the lamp and not the print."""

HALO, MOST_BURNT = 17, 0.25
"""`HALO`: pixels of a patch by which a reflection is assumed wider, because its rim lightens the
print. `MOST_BURNT`: part of a card from which saturated pixels are the paper of an overexposed
picture."""

WHITE, OVER = 250, 0.35
"""`WHITE`: level of two of the three channels from which paper may be saturated, a little under
`BURNT` because of JPEG compression. `OVER`: part of a card that must be so for it to be
overexposed."""

Pixels = NDArray[np.float32]
"""Float picture: height x width x 3, blue-green-red, 0 to 1."""

Map = NDArray[np.float32]
"""A number for each pixel: height x width."""

Level = TypeVar("Level", bound=np.generic)


@dataclass(frozen=True)
class Patch:
    """One card cut out upright.

    `pixels`: (height + 2 MARGIN) x (WIDTH + 2 MARGIN) x 3, float32, 0 to 1. `detail`: picture
    pixels for each patch pixel, at most 1: the sharpness to expect. `burnt`: mask of the print
    hidden by a lamp's reflection, height x width without the margin; None if there is none.
    `overexposed`: mask of the saturated paper, likewise, if that is much of the card.
    """

    pixels: Pixels
    detail: float
    burnt: NDArray[np.bool_] | None = None
    overexposed: NDArray[np.bool_] | None = None

    @property
    def height(self) -> int:
        """Height of the card itself in patch pixels."""
        return int(self.pixels.shape[0]) - 2 * MARGIN


def height_for_aspect(aspect: float) -> int:
    """Return the patch height in pixels for a card whose long side is `aspect` times its short one
    (a multiple of 4)."""
    return max(WIDTH, 4 * round(WIDTH * aspect / 4))


def cut_raw_patch(image: NDArray[np.uint8], quad: Quad, height: int) -> NDArray[np.uint8]:
    """Cut out the card in `quad` (corner 0 its top left) upright, `height` pixels high plus the
    margin, with levels unchanged."""
    w, h = mean_side_lengths(quad)
    # Of a card shown larger, a linear warp would skip pixels: warped twice as fine, then averaged.
    fine = 2 if min(w / WIDTH, h / height) > 1.3 else 1
    # pixel centres have whole coordinates: edges lie half a pixel further out
    target = (make_rectangle(WIDTH, height) + 0.5 + MARGIN) * fine - 0.5
    size = (WIDTH + 2 * MARGIN, height + 2 * MARGIN)
    x, y = source_coordinates(find_homography(quad, target), size[1] * fine, size[0] * fine)
    pixels = cv2.remap(image, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    if fine > 1:
        pixels = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)
    return np.asarray(pixels, dtype=np.uint8)


def normalize_exposure(picture: NDArray[np.uint8]) -> Pixels:
    """Convert to float and scale so that the card's lightest tenth is about `BRIGHT`, for dim
    corners of a table."""
    # one pixel in sixteen is enough for a percentile
    lightest = np.maximum.reduce(cv2.split(np.ascontiguousarray(crop_margin(picture)[::4, ::4])))
    bright = float(np.percentile(lightest, 90)) / 255
    return np.asarray(picture * np.float32(BRIGHT / 255 / max(bright, 0.1)), dtype=np.float32)


def cut_patch(image: NDArray[np.uint8], quad: Quad, height: int) -> Patch:
    """Cut out the card in `quad` (corner 0 its top left) upright, `height` pixels high without the
    margin."""
    w, h = mean_side_lengths(quad)
    raw = cut_raw_patch(image, quad, height)
    card = crop_margin(raw)
    return Patch(
        normalize_exposure(raw),
        min(1.0, w / WIDTH, h / height),
        reflection_mask(card),
        overexposed_mask(card),
    )


def overexposed_mask(card: NDArray[np.uint8]) -> NDArray[np.bool_] | None:
    """Mark the saturated paper of an overexposed card, a patch in BGR: print hardly darker does not
    show there. None if the card is not overexposed."""
    blue, green, red = cv2.split(card)
    # NumPy's median of the three takes thirty times as long
    middle = np.maximum(np.minimum(blue, green), np.minimum(np.maximum(blue, green), red))
    burnt = np.asarray(middle >= WHITE)
    return burnt if np.count_nonzero(burnt) > OVER * burnt.size else None


def reflection_mask(card: NDArray[np.uint8]) -> NDArray[np.bool_] | None:
    """Mark where a lamp's reflection has saturated a card that is not overexposed itself; None if
    nowhere."""
    burnt = burnt_out_mask(card)
    return burnt if 0 < np.count_nonzero(burnt) <= MOST_BURNT * burnt.size else None


def burnt_out_mask(picture: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Mark where a patch in BGR is fully saturated, in more than single pixels, and the halo of
    such places."""
    burnt = cv2.inRange(picture, np.full(3, BURNT), np.full(3, 255))
    burnt = cv2.morphologyEx(burnt, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    if not burnt.any():
        return burnt > 0
    return cv2.dilate(burnt, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (HALO, HALO))) > 0


def crop_margin(pixels: NDArray[Level]) -> NDArray[Level]:
    """Cut off the margin."""
    return pixels[MARGIN:-MARGIN, MARGIN:-MARGIN]


def estimate_paper_colour(
    colours: NDArray[np.float32], brightness: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the colour of the paper, given n x 3 pixels and the brightness of each: the median of
    the brighter half."""
    half = len(brightness) // 2
    bright = colours.take(np.argpartition(brightness, half)[half:], axis=0)
    return np.asarray(np.partition(bright, len(bright) // 2, axis=0)[len(bright) // 2], dtype=np.float32)


def gaussian_blur(picture: Map, sigma: float) -> Map:
    """Blur a picture by a Gaussian of `sigma` pixels, cut off at three times that.

    OpenCV's own choice for float pictures, four times, takes a third longer for a difference of one
    part in 400.
    """
    across = 2 * round(3 * sigma) + 1
    return np.asarray(cv2.GaussianBlur(picture, (across, across), sigma), dtype=np.float32)


def warp_picture(pixels: Pixels, matrix: NDArray[np.float64], border: int) -> Pixels:
    """Warp a float picture of one or three channels by a homography, keeping its size; `border` is
    one of OpenCV's border modes."""
    x, y = source_coordinates(matrix, *pixels.shape[:2])
    return np.asarray(cv2.remap(pixels, x, y, cv2.INTER_LINEAR, borderMode=border), dtype=np.float32)


def source_coordinates(matrix: NDArray[np.float64], height: int, width: int) -> tuple[Map, Map]:
    """Return the x and y from which each pixel of a picture comes when it is warped by a
    homography.

    `cv2.warpPerspective` computes each place in doubles, and takes up to twice as long.
    """
    # OpenCV's inverse does not raise for a matrix of NaN
    x, y, far = cv2.invert(matrix)[1].astype(np.float32) @ homogeneous_coordinates(height, width)
    with np.errstate(divide="ignore", invalid="ignore"):  # for such a matrix, or on its horizon
        x /= far
        y /= far
    return x.reshape(height, width), y.reshape(height, width)


@lru_cache(maxsize=16)
def homogeneous_coordinates(height: int, width: int) -> NDArray[np.float32]:
    """Return the x and y of each pixel of a picture, row by row, and 1: 3 x n."""
    y, x = np.mgrid[0:height, 0:width].reshape(2, -1)
    return np.stack([x, y, np.ones_like(x)]).astype(np.float32)


def visible_mask(quad: Quad, height: int, covers: Sequence[Quad]) -> NDArray[np.float32]:
    """Mark the visible pixels of the patch of `quad` when things lie over the card in the quads
    `covers`.

    Returns height x width with margin, 1 visible, 0 hidden; covers are assumed a little larger than
    they are.
    """
    mask = np.ones((height + 2 * MARGIN, WIDTH + 2 * MARGIN), dtype=np.float32)
    matrix = find_homography(quad, make_rectangle(WIDTH, height) + MARGIN)
    for cover in covers:
        corners = transform_points(matrix, cover)
        cv2.fillConvexPoly(mask, np.round(corners).astype(np.int32), 0.0)
    return np.asarray(cv2.erode(mask, np.ones((9, 9), np.uint8)), dtype=np.float32)
