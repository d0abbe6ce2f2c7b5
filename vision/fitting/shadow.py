"""Find a hard shadow over part of a card: where it lies, and how deep it is.

A player's arm or the neighbour's card between the lamp and the table darkens a part of a card
evenly, up to the card's border, and hardly changes its colour. Ink does not: a sign lies inside the
card, a frame goes all round it. So the logarithm of the brightness, relative to a reference fitted
to the card, is split into two levels and an even slope. The dark part is a shadow if it is broad,
reaches the border, has one depth in all colours, and its edge does not follow the print.
"""

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.fitting.compare import sum_channels
from vision.fitting.patch import Pixels

STEP = 4
"""Factor by which the pictures are shrunk in which the shadow is sought."""

SHALLOWEST, DEEPEST = 0.1, 1.3
"""Natural logarithm of the brightness lost in a shadow, least and most: a tenth to nearly three
quarters."""

LEAST, PATCH = 0.03, 0.015
"""Part of the card that must lie in the shadow, and in the light; and the smallest patch of either
that counts."""

NARROW = np.ones((5, 5), np.uint8)
"""Square that must fit into a shadow; narrower parts are an uneven border, or a sign near it."""

TURNS = 3
"""Rounds in which step and slope are estimated in turn."""

SPREAD = 0.3
"""Mean deviation within light and shadow, in parts of the step between them, beyond which there are
not two levels."""

COLOURED = 0.08, 0.25
"""How much the step may differ between colours: a fixed part, and a part of the step itself (the
sky lights shadows blue)."""

DARK = 0.15
"""Brightness, in parts of full scale, below which the light cannot be estimated."""

FOLLOWS = 0.25
"""Part of a shadow's edge, beyond what chance would have, that may follow the print; a dark area
that follows it more is print."""

PRINT = 0.15
"""Relative change of brightness from pixel to pixel that is an edge of the print."""

Map = NDArray[np.float32]


@dataclass(frozen=True)
class Shadow:
    """A shadow on a card. `gain`: brightness of each pixel in parts of that without shadow;
    `clear`: 1, and 0 along the shadow's edge."""

    gain: Map
    clear: Map


def find_shadow(observed: Pixels, unshaded: Pixels, weights: Map) -> Shadow | None:
    """Find the shadow on a seen card, given what it looks like without; None if there is none.

    `observed`, `unshaded`: height x width x 3 pixels in one frame; `weights`: how much each pixel
    counts, 0 to 1.
    """
    height, width = weights.shape
    size = (width // STEP, height // STEP)
    few_seen, few_laid = (
        # never zero: logarithms follow
        np.maximum(cv2.resize(p, size, interpolation=cv2.INTER_AREA), np.float32(0.02))
        for p in (observed, unshaded)
    )
    counts = cv2.resize(weights, size, interpolation=cv2.INTER_AREA) > 0.3
    if LEAST * counts.sum() < 1:
        return None
    # as logarithms, a shadow is a step and the fall-off of a lamp nearly a slope
    ratio = np.log(few_seen / few_laid).astype(np.float32)
    # NumPy takes ten times as long along three channels as OpenCV
    readable = (np.maximum.reduce(cv2.split(few_laid)) > DARK).astype(np.float32)
    brightness = sum_channels(ratio) * np.float32(1 / 3)
    # print that is not exactly aligned leaves thin lines, which the median removes
    light = np.asarray(cv2.medianBlur(_inpaint_unreadable(brightness, readable), 5), dtype=np.float32)
    dark, slope = _split_light_levels(light, counts)
    if dark is None:
        return None
    # the slope is the lamp's: only steps may remain
    ratio -= slope[:, :, None]
    dark = _keep_border_regions(dark)
    in_shadow, in_light = counts & dark & (readable > 0), counts & ~dark & (readable > 0)
    if min(in_shadow.sum(), in_light.sum()) < LEAST * counts.sum():
        return None
    if _follows_print(dark, few_laid, counts):
        return None
    steps = np.median(ratio[in_light], axis=0) - np.median(ratio[in_shadow], axis=0)
    depth = float(steps.mean())
    if not SHALLOWEST < depth < DEEPEST or np.abs(steps - depth).max() > COLOURED[0] + COLOURED[1] * depth:
        return None
    edge = cv2.resize(dark.astype(np.float32), (width, height), interpolation=cv2.INTER_LINEAR)
    # the edge is soft and its place not exact: pixels along it decide nothing
    touched = cv2.dilate(((edge > 0.02) & (edge < 0.98)).astype(np.uint8), np.ones((13, 13), np.uint8))
    return Shadow(np.exp(-depth * edge).astype(np.float32), (1 - touched).astype(np.float32))


def _follows_print(dark: NDArray[np.bool_], laid: Pixels, counts: NDArray[np.bool_]) -> bool:
    """Check whether the edge of a dark area follows the print: then it is hatching or a paler
    ink."""
    edge = (
        cv2.morphologyEx(dark.astype(np.uint8), cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)) > 0
    ) & counts
    down, right = np.gradient(np.log(laid).mean(axis=2))
    printed = cv2.dilate((np.hypot(down, right) > PRINT).astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    if not edge.any():
        return False
    return float(printed[edge].mean()) > FOLLOWS + float(printed[counts].mean())


def _inpaint_unreadable(ratio: Map, readable: Map) -> Map:
    """Fill the ratio, where the card is too dark to be judged, from its surroundings."""
    if readable.all():
        return ratio
    around, known = (cv2.GaussianBlur(m, (0, 0), 2.0) for m in (ratio * readable, readable))
    return np.asarray(
        np.where(readable > 0, ratio, around / np.maximum(known, np.float32(1e-3))), dtype=np.float32
    )


def _split_light_levels(light: Map, counts: NDArray[np.bool_]) -> tuple[NDArray[np.bool_] | None, Map]:
    """Mark the dark part, if the light comes in two levels, and return the even slope over both.

    The light fitted before assumed no step and has taken a part of it for slope. A step is steep in
    few places, so the median change from pixel to pixel gives the slope to begin with; then the two
    are fitted in turn.
    """
    height, width = light.shape
    x, y = _normalized_coordinates(height, width)
    right, below = (float(np.median(change[counts])) for change in np.gradient(light)[::-1])
    along, down = right * width / 2, below * height / 2
    values = light[counts].astype(np.float64)
    columns = np.stack([x[counts], y[counts], np.zeros(values.size), np.ones(values.size)], axis=1)
    for _ in range(TURNS):
        before = along, down
        quantized = _quantize_log_brightness(values - columns[:, :2] @ before)
        level, _ = cv2.threshold(quantized.reshape(-1, 1), 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
        columns[:, 2] = quantized <= level
        (along, down, *_), *_ = np.linalg.lstsq(columns.T @ columns, columns.T @ values, rcond=None)
    flat, in_dark = values - columns[:, :2] @ (along, down), columns[:, 2] > 0
    slope = np.asarray(along * x + down * y, dtype=np.float32)
    low, high = flat[in_dark], flat[~in_dark]
    if min(low.size, high.size) == 0:
        return None, slope
    of_dark, of_light = np.median(low), np.median(high)
    step = float(of_light - of_dark)
    spread = float(np.abs(low - of_dark).sum() + np.abs(high - of_light).sum()) / values.size
    if step <= SHALLOWEST or spread >= SPREAD * step:
        return None, slope
    return _quantize_log_brightness(
        light - np.float32(before[0]) * x - np.float32(before[1]) * y
    ) <= level, slope


@lru_cache(maxsize=16)
def _normalized_coordinates(height: int, width: int) -> tuple[Map, Map]:
    """Return the place of each pixel, -1 to 1."""
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j].astype(np.float32)
    return x, y


def _quantize_log_brightness(flat: NDArray[np.floating]) -> NDArray[np.uint8]:
    """Scale logarithms of brightness to 8 bits, in which OpenCV finds thresholds."""
    return np.asarray(np.clip((flat + 1.5) * 85, 0, 255), dtype=np.uint8)


def _keep_border_regions(dark: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Keep only dark areas that are broad and reach the card's border, removing dark signs in the
    light and bright ones in the shadow."""
    dark = cv2.morphologyEx(dark.astype(np.uint8), cv2.MORPH_OPEN, NARROW) > 0
    for level in (True, False):
        count, names = cv2.connectedComponents((dark == level).astype(np.uint8), connectivity=4)
        rim = np.concatenate(
            [names[:2].ravel(), names[-2:].ravel(), names[:, :2].ravel(), names[:, -2:].ravel()]
        )
        sizes = np.bincount(names.ravel(), minlength=count)
        # areas that are small or do not reach the border take the other level
        broad = np.intersect1d(np.nonzero(sizes >= PATCH * dark.size)[0], rim)
        dark = np.where((dark == level) & ~np.isin(names, broad), not level, dark)
    return dark
