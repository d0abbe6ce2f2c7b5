"""A hard shadow that lies over part of a card: where, and how deep.

A player's arm or the neighbour's card between the lamp and the table darkens a part of a card
evenly, up to the card's border, and hardly changes its colour. Ink does none of that: a sign lies
inside the card, a frame goes all round it.
"""

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.fitting.compare import over_channels
from vision.fitting.patch import Pixels

STEP = 4
"""The shadow is sought in pictures this many times smaller than the patch."""

SHALLOWEST, DEEPEST = 0.1, 1.3
"""Natural logarithm of the brightness lost that may be a shadow: a tenth to nearly three
quarters."""

LEAST, PATCH = 0.03, 0.015
"""Part of the card that must lie in the shadow, and in the light; and the smallest patch of either
that counts."""

NARROW = np.ones((5, 5), np.uint8)
"""What this does not fit into is no shadow: an uneven border, and a sign near it."""

TURNS = 3
"""Rounds in which step and slope are told apart."""

SPREAD = 0.3
"""Mean deviation within light and shadow, in parts of the step between them, beyond which there are
no two levels."""

COLOURED = 0.08, 0.25
"""How much the step may differ between colours: so much, and so much of the step itself (the sky
lights shadows blue)."""

DARK = 0.15
"""Brightness, in parts of full scale, below which nothing can be said of the light."""

FOLLOWS = 0.25
"""Part of a shadow's edge, beyond what chance would have, that may run along the print: what
follows the print is print."""

PRINT = 0.15
"""Change of brightness from pixel to pixel, in parts, that is an edge of the print."""

Map = NDArray[np.float32]


@dataclass(frozen=True)
class Shadow:
    """`gain`: brightness of each pixel in parts of that without shadow; `clear`: 1, and 0 along the
    shadow's edge."""

    gain: Map
    clear: Map


def find(seen: Pixels, laid: Pixels, weights: Map) -> Shadow | None:
    """The shadow on a seen card, given what it looks like without; None if there is none.

    `seen`, `laid`: height x width x 3 pixels of one frame; `weights`: what of them counts, 0..1.
    """
    height, width = weights.shape
    size = (width // STEP, height // STEP)
    few_seen, few_laid = (
        np.maximum(cv2.resize(p, size, interpolation=cv2.INTER_AREA), np.float32(0.02)) for p in (seen, laid)
    )
    counts = cv2.resize(weights, size, interpolation=cv2.INTER_AREA) > 0.3
    if LEAST * counts.sum() < 1:
        return None
    ratio = np.log(few_seen / few_laid).astype(np.float32)
    # NumPy takes ten times as long along three channels as OpenCV
    readable = (np.maximum.reduce(cv2.split(few_laid)) > DARK).astype(np.float32)
    brightness = over_channels(ratio) * np.float32(1 / 3)
    light = np.asarray(cv2.medianBlur(_filled(brightness, readable), 5), dtype=np.float32)
    dark, slope = _two_levels(light, counts)
    if dark is None:
        return None
    ratio -= slope[:, :, None]
    dark = _to_the_border(dark)
    in_shadow, in_light = counts & dark & (readable > 0), counts & ~dark & (readable > 0)
    if min(in_shadow.sum(), in_light.sum()) < LEAST * counts.sum():
        return None
    if _follows(dark, few_laid, counts):
        return None
    steps = np.median(ratio[in_light], axis=0) - np.median(ratio[in_shadow], axis=0)
    depth = float(steps.mean())
    if not SHALLOWEST < depth < DEEPEST or np.abs(steps - depth).max() > COLOURED[0] + COLOURED[1] * depth:
        return None
    edge = cv2.resize(dark.astype(np.float32), (width, height), interpolation=cv2.INTER_LINEAR)
    touched = cv2.dilate(((edge > 0.02) & (edge < 0.98)).astype(np.uint8), np.ones((13, 13), np.uint8))
    return Shadow(np.exp(-depth * edge).astype(np.float32), (1 - touched).astype(np.float32))


def _follows(dark: NDArray[np.bool_], laid: Pixels, counts: NDArray[np.bool_]) -> bool:
    """Whether the edge of what is dark runs along the print: then it is hatching or a paler ink,
    and no shadow."""
    edge = (
        cv2.morphologyEx(dark.astype(np.uint8), cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)) > 0
    ) & counts
    down, right = np.gradient(np.log(laid).mean(axis=2))
    printed = cv2.dilate((np.hypot(down, right) > PRINT).astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    if not edge.any():
        return False
    return float(printed[edge].mean()) > FOLLOWS + float(printed[counts].mean())


def _filled(ratio: Map, readable: Map) -> Map:
    """The ratio with what is too dark to be judged filled from around it."""
    if readable.all():
        return ratio
    around, known = (cv2.GaussianBlur(m, (0, 0), 2.0) for m in (ratio * readable, readable))
    return np.asarray(
        np.where(readable > 0, ratio, around / np.maximum(known, np.float32(1e-3))), dtype=np.float32
    )


def _two_levels(light: Map, counts: NDArray[np.bool_]) -> tuple[NDArray[np.bool_] | None, Map]:
    """Where it is dark, if the light comes in two levels, and the even slope over both.

    What was fitted before knew of no step and has taken a part of it for slope. A step is steep in
    few places, so the usual change from pixel to pixel gives the slope to begin with; then the two
    are fitted in turn.
    """
    height, width = light.shape
    x, y = _across_and_down(height, width)
    right, below = (float(np.median(change[counts])) for change in np.gradient(light)[::-1])
    along, down = right * width / 2, below * height / 2
    values = light[counts].astype(np.float64)
    columns = np.stack([x[counts], y[counts], np.zeros(values.size), np.ones(values.size)], axis=1)
    for _ in range(TURNS):
        before = along, down
        told = _told(values - columns[:, :2] @ before)
        level, _ = cv2.threshold(told.reshape(-1, 1), 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
        columns[:, 2] = told <= level
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
    return _told(light - np.float32(before[0]) * x - np.float32(before[1]) * y) <= level, slope


@lru_cache(maxsize=16)
def _across_and_down(height: int, width: int) -> tuple[Map, Map]:
    """The place of each pixel, -1..1."""
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j].astype(np.float32)
    return x, y


def _told(flat: NDArray[np.floating]) -> NDArray[np.uint8]:
    """Logarithms of brightness in 8 bits, as thresholds are found in."""
    return np.asarray(np.clip((flat + 1.5) * 85, 0, 255), dtype=np.uint8)


def _to_the_border(dark: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Only what is broad and reaches the card's border: neither a dark sign in the light nor a
    bright one in the shadow."""
    dark = cv2.morphologyEx(dark.astype(np.uint8), cv2.MORPH_OPEN, NARROW) > 0
    for level in (True, False):
        count, names = cv2.connectedComponents((dark == level).astype(np.uint8), connectivity=4)
        rim = np.concatenate(
            [names[:2].ravel(), names[-2:].ravel(), names[:, :2].ravel(), names[:, -2:].ravel()]
        )
        sizes = np.bincount(names.ravel(), minlength=count)
        broad = np.intersect1d(np.nonzero(sizes >= PATCH * dark.size)[0], rim)
        dark = np.where((dark == level) & ~np.isin(names, broad), not level, dark)
    return dark
