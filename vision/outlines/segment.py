"""Make binary maps of a picture in which card outlines may run, each by another cue.

No single cue finds every card on every table: a white card on a pale table shows only by a thin
line of shade, a black-bordered one on black cloth only by chroma or by its inner frame. So several
maps are made, and the shapes of all of them compete (`vision.outlines.detect`).

A network trained to mark cards was tried instead, and is not used. (Commit a3664ba7 has its
training; 6,400 steps of 8 drawn tables took 42 minutes of a core; 20 ms a picture, 2.3 MB.) Of 332
cards of other people's tables, of which the cues find 327, it finds 327 after 2,400 steps and 311
after all: what it learns last holds for drawn tables only. As a judge it keeps 99 % of the cards on
the photographs, and 15 % of the other things; but on patterned cloths it rejects a tenth of the
drawn cards, it rejects plain backs, and no other step became superfluous: with its maps instead of
the joined pieces of borders, 26 of 38 cards under cables were identified and not 28, under a lamp
12 and not 22. Only enrolment, where every card shows its face on few grounds, could lose 330 lines
by it; but it took all cards and nothing else from 116 of 126 pictures, and takes them from 120 as
it is.
"""

from collections.abc import Iterator, Sequence
from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import pair_ranges_with_values

Mask = NDArray[np.uint8]

STRENGTHS = (1.0, 2.5)
"""Factors of the edges' threshold, one map each: faint edges must neither run into clear ones nor
be lost beside them."""

NOISE_EVERY = 8
"""Interval of the rows and columns sampled for a median: 10,000 points of a first look."""


def to_smoothed_lab(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Convert to CIE Lab in 8 bits, slightly smoothed: lightness and two chroma channels."""
    return np.asarray(cv2.GaussianBlur(cv2.cvtColor(image, cv2.COLOR_BGR2LAB), (3, 3), 0), dtype=np.uint8)


def find_edge_maps(lab: NDArray[np.uint8], strengths: Sequence[float]) -> list[Mask]:
    """Find closed-up edge lines of lightness and chroma together, one map for each strength.

    A strength scales the threshold, which follows the picture's own noise (the median of its
    gradient).
    """
    found = [np.zeros(lab.shape[:2], np.uint8) for _ in strengths]
    for channel, floor in zip(cv2.split(lab), (24.0, 14.0, 14.0), strict=True):
        dx = cv2.Sobel(channel, cv2.CV_16S, 1, 0)
        dy = cv2.Sobel(channel, cv2.CV_16S, 0, 1)
        noise = sum(float(np.median(np.abs(slope[::NOISE_EVERY, ::NOISE_EVERY]))) for slope in (dx, dy))
        for lines, strength in zip(found, strengths, strict=True):
            high = max(floor, 3.0 * noise) * strength
            cv2.max(lines, cv2.Canny(dx, dy, high * 0.5, high * 1.5, L2gradient=True), dst=lines)
    return found


def dilate_mask(mask: Mask, size: int) -> Mask:
    """Dilate a mask by a square of `size` pixels, which closes gaps of that width."""
    return np.asarray(cv2.dilate(mask, np.ones((size, size), np.uint8)), dtype=np.uint8)


def threshold_locally(channel: NDArray[np.uint8], window: int, offset: int) -> tuple[Mask, Mask]:
    """Return the masks of pixels brighter, and darker, than the mean of the `window` pixels across
    round them, by more than `offset` grey levels."""
    usual = cv2.blur(channel, (window, window))
    return _threshold_above(cv2.subtract(channel, usual), offset), _threshold_above(
        cv2.subtract(usual, channel), offset
    )


def iterate_maps(lab: NDArray[np.uint8]) -> Iterator[Mask]:
    """Yield the maps (0 and 255, of the picture's size) in which outlines are sought; `lab` as from
    `to_smoothed_lab`.

    Borders of holes are traced, too: the negative of a map adds only what the picture's edge cuts
    off and what touches at a corner. Of 872 cards in 141 photographs, as taken and changed, none
    was lost without the negative of the lines of clear edges; without these lines themselves, two
    of 72 cards on another person's table were outlined less exactly, and unsure. There is no map of
    light areas: of 2,770 cards in 284 pictures, photographed, changed and drawn, none was lost
    without it.
    """
    every, clear = find_edge_maps(lab, STRENGTHS)
    thick = dilate_mask(every, 3)
    yield thick
    yield ~thick
    yield ~dilate_mask(every, 5)
    yield dilate_mask(clear, 3)
    yield ~dilate_mask(clear, 5)
    luma, *chroma = cv2.split(lab)
    level, _ = _threshold_otsu(np.asarray(luma, np.uint8))
    bright = luma[luma > level]
    if bright.size > 100:
        # the brightest of the bright: white cards on a table that is itself bright
        upper, _ = _threshold_otsu(np.asarray(bright.reshape(-1, 1), np.uint8))
        yield _threshold_above(luma, upper)
    yield from threshold_locally(np.asarray(luma, np.uint8), max(lab.shape[:2]) // 5 | 1, 10)
    _, coloured = _threshold_otsu(_chroma_distance_from_table(chroma))
    yield coloured
    yield ~coloured


def _chroma_distance_from_table(chroma: Sequence[cv2.typing.MatLike]) -> NDArray[np.uint8]:
    """Return how far each pixel's chroma is from the table's (the median), times four."""
    steps = [
        np.asarray(one, np.float32) - np.float32(np.median(one[::NOISE_EVERY, ::NOISE_EVERY]))
        for one in chroma
    ]
    return np.asarray(cv2.convertScaleAbs(cv2.magnitude(*steps), alpha=4), dtype=np.uint8)


def _threshold_above(channel: cv2.typing.MatLike, level: float) -> Mask:
    return np.asarray(cv2.threshold(channel, level, 255, cv2.THRESH_BINARY)[1], dtype=np.uint8)


def find_contours(mask: Mask) -> list[NDArray[np.int32]]:
    """Trace the outer and inner borders of the areas of a map."""
    found, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    return cast(list[NDArray[np.int32]], list(found))


def contour_boxes(contours: Sequence[NDArray[np.generic]]) -> NDArray[np.float32]:
    """Return the upright bounding boxes of contours: n x 4, least x and y, greatest x and y."""
    if not contours:
        return np.zeros((0, 4), dtype=np.float32)
    corners = np.concatenate(contours).reshape(-1, 2)
    number = np.fromiter(map(len, contours), np.intp, len(contours))
    first = np.cumsum(number) - number
    least, most = np.minimum.reduceat(corners, first), np.maximum.reduceat(corners, first)
    return np.concatenate([least, most], axis=1, dtype=np.float32, casting="unsafe")


def match_boxes(
    boxes: NDArray[np.float32], known: NDArray[np.float32], tolerance: float
) -> NDArray[np.bool_]:
    """Check which of n boxes lie, on each side, at most `tolerance` pixels off one of the m `known`
    ones."""
    found = np.zeros(len(boxes), dtype=bool)
    # squares of a cloth share their left edges, but not a slanted sum of all four
    slant = np.array([1, 0.37, 0.61, 0.23], dtype=np.float32)
    here, reach = boxes @ slant, tolerance * float(slant.sum()) + 0.01
    one, other = pair_ranges_with_values(known @ slant, here - reach, here + reach)
    found[one[(np.abs(boxes[one] - known[other]) <= tolerance).all(axis=1)]] = True
    return found


def _threshold_otsu(channel: NDArray[np.uint8]) -> tuple[float, Mask]:
    level, mask = cv2.threshold(channel, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    return level, np.asarray(mask, dtype=np.uint8)
