"""Find things that lie across a card and extend beyond it: a cable, a pen, a strip of paper.

Such a thing is narrow, hides the card's border where it crosses it, and looks the same on the card
as on the cloth. Print has none of these properties: it ends within the border.
"""

from collections.abc import Iterator
from dataclasses import replace

import cv2
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from vision.fitting.compare import sum_channels
from vision.fitting.patch import (
    MARGIN,
    WIDTH,
    Patch,
    burnt_out_mask,
    crop_margin,
    cut_patch,
    cut_raw_patch,
    normalize_exposure,
)
from vision.geometry import Quad

Mask = NDArray[np.bool_]
Colours = NDArray[np.float32]

RIM_INSIDE, BESIDE = (3, 7), (4, 12)
"""Ranges of pixels of a patch: within the border, where nothing is printed, and outside it, where
the cloth shows."""

CORNER = 14
"""Pixels from both sides within which a corner may be rounded, and show the cloth."""

CHROMA = 1.5
"""Weight of a step of chroma in steps of lightness, for `ALIKE` and `UNLIKE`."""

UNLIKE, ALIKE = 14.0, 26.0
"""Steps of CIE Lab from the paper beyond which something lies on it, and up to which two places
show one thing: a round cable is lit from one side."""

ALONG, EVERY = 105, 4
"""Pixels along the border whose median is its usual colour, and the interval at which they are
sampled."""

NARROW, STANDS_OUT = 27, 9
"""Size in pixels, a sixth of a card's width, of a square that does not fit into a thing lying
across, and steps of Lab by which the thing stands out from both sides."""

LONG = 0.4
"""Part of a card's width beyond which something along its border is shade or a neighbouring
card."""

SMALLEST = 12
"""Least pixels of a crossing within the border."""

RUNS_ON = 8
"""Pixels of the same colour that must show outside the border, near the crossing."""

NEAR, HALO = np.ones((25, 25), np.uint8), cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (11, 11))
"""How near a crossing it must extend beyond the border, and by how much it is assumed wider, for
its shadow and blur."""

WIDER = 1.4
"""Ratio to its width at the border from which it is no longer the strip that entered there."""

FILLED_FROM = (21, 21)
"""Window in pixels round a hidden one whose mean replaces it: a cable is narrower."""

UNEVEN = 0.35
"""Part of the rim that may differ from its own colour; a painted border shows nothing."""

LEAST_LIT = 0.03
"""Least part of a card that a lamp's reflection, with its halo, must hide to be the reason why the
card is unsure: where it was, from 0.05 to 0.4; specks of gloss on sharp photographs have up to
0.023."""

MOST = 0.4
"""Part of a card beyond which the rest of it is not read."""


def cut_without_crossing(image: NDArray[np.uint8], quad: Quad, height: int) -> Patch | None:
    """Cut out the card in `quad` (as `cut_patch` does), with things lying across it and a mirrored
    lamp replaced by their surroundings and marked as `burnt`. Returns None if there are none, or if
    hardly anything else shows."""
    raw = cut_raw_patch(image, quad, height)
    crossing, hidden = find_crossing_object(raw), burnt_out_mask(raw)
    least = LEAST_LIT if crossing is None else 0.0
    hidden = hidden if crossing is None else hidden | crossing
    if not least < crop_margin(hidden).mean() <= MOST:
        return None
    return replace(
        cut_patch(image, quad, height),
        pixels=normalize_exposure(_inpaint_hidden(raw, hidden)),
        burnt=crop_margin(hidden),
    )


def find_crossing_object(patch: NDArray[np.uint8]) -> Mask | None:
    """Mark where something lies across a card, in a patch with its margin from `cut_raw_patch`;
    None if nothing does."""
    lab = cv2.cvtColor(patch, cv2.COLOR_BGR2LAB)
    colours = cv2.GaussianBlur(lab, (0, 0), 0.8).astype(np.float32) * np.array(
        [1, CHROMA, CHROMA], np.float32
    )
    depth, corner = _depth_and_corners(*patch.shape[:2])
    within = (depth >= RIM_INSIDE[0]) & (depth <= RIM_INSIDE[1]) & ~corner
    margin_band = (depth <= -BESIDE[0]) & (depth >= -BESIDE[1]) & ~corner
    off = _colour_distance(colours, _usual_border_colours(colours))
    unlike = (off > UNLIKE) & within & ~burnt_out_mask(patch)
    # on a painted border everything differs from paper, so nothing can be found
    crossings = list(_find_crossings(unlike)) if unlike.sum() < UNEVEN * within.sum() else []
    if not crossings:
        return None
    narrow = _narrow_feature_mask(lab)
    found = np.zeros(depth.shape, dtype=np.bool_)
    for crossing in crossings:
        # the half that differs most: pixels at the rim of a crossing mix its colour with the
        # paper's
        core = crossing & (off >= np.median(off[crossing]))
        alike = _colour_distance(colours, np.median(colours[core], axis=0)) < ALIKE
        near = cv2.dilate(crossing.astype(np.uint8), NEAR) > 0
        if (alike & margin_band & near).sum() >= RUNS_ON:
            strip = _keep_connected(alike & narrow, core)
            found |= crossing | _remove_wider_parts(strip, near & (depth >= 0))
    if not crop_margin(found).any():
        return None
    return np.asarray(cv2.dilate(found.astype(np.uint8), HALO) > 0)


def _inpaint_hidden(patch: NDArray[np.uint8], hidden: Mask) -> NDArray[np.uint8]:
    """Replace hidden pixels of a patch by the mean of the visible ones nearby, or of all visible
    ones if none is near."""
    shows = 1 - hidden.astype(np.float32)
    around, share = (cv2.blur(one, FILLED_FROM) for one in (patch * shows[:, :, None], shows))
    near = around / np.maximum(share, np.float32(1e-3))[:, :, None]
    mean = np.where((share > 0)[:, :, None], near, patch[~hidden].mean(axis=0))
    return np.where(hidden[:, :, None], mean, patch).astype(np.uint8)


def _depth_and_corners(height: int, width: int) -> tuple[NDArray[np.intp], Mask]:
    """Return the depth of each pixel of a patch within the card, negative outside, and the mask of
    the corners."""
    down, along = (np.minimum(np.arange(n), np.arange(n)[::-1]) - MARGIN for n in (height, width))
    depth = np.minimum(down[:, None], along[None])
    return depth, (down[:, None] < CORNER) & (along[None] < CORNER)


def _colour_distance(colours: Colours, colour: Colours) -> Colours:
    off = colours - colour
    return np.asarray(np.sqrt(sum_channels(off * off)), np.float32)


def _usual_border_colours(colours: Colours) -> Colours:
    """Return the usual colour along each side of the border, separately for each depth, and
    elsewhere the colour itself. Paper is shaded, and where an outline lies a little off its card, a
    strip of the cloth shows."""
    usual = colours.copy()
    first, last = (MARGIN + depth for depth in RIM_INSIDE)
    # each side is turned to the top, so that the same slices serve all four
    for turn in range(4):
        rim, side = (np.rot90(one, turn)[first : last + 1, MARGIN:-MARGIN] for one in (usual, colours))
        ends = np.pad(side, ((0, 0), (ALONG // 2, ALONG // 2), (0, 0)), mode="reflect")
        near = sliding_window_view(ends, ALONG, axis=1)[..., ::EVERY]
        rim[:] = np.median(near, axis=-1)
    return usual


def _find_crossings(unlike: Mask) -> Iterator[Mask]:
    """Yield the places where something other than paper lies just within the border, except what
    extends along it."""
    _, names, stats, _ = cv2.connectedComponentsWithStats(unlike.astype(np.uint8), connectivity=8)
    for name, (_, _, wide, high, size) in enumerate(stats.tolist()):
        if name and size >= SMALLEST and max(wide, high) <= LONG * WIDTH:
            yield names == name


def _narrow_feature_mask(lab: cv2.typing.MatLike) -> Mask:
    """Mark where the picture is lighter, darker or of another colour than on two sides nearby."""
    window = np.ones((NARROW, NARROW), np.uint8)
    hats = [cv2.morphologyEx(lab, kind, window) for kind in (cv2.MORPH_BLACKHAT, cv2.MORPH_TOPHAT)]
    return np.asarray(np.maximum(*hats).max(axis=2) > STANDS_OUT)


def _keep_connected(where: Mask, core: Mask) -> Mask:
    """Return the part of a mask that is connected with any of its `core`."""
    _, names = cv2.connectedComponents(where.astype(np.uint8), connectivity=8)
    begun = np.unique(names[core & where])
    return np.asarray(np.isin(names, begun[begun > 0]))


def _remove_wider_parts(strip: Mask, reference: Mask) -> Mask:
    """Remove from a strip the parts much wider than it is `reference`: print that it touches."""
    half = cv2.distanceTransform(strip.astype(np.uint8), cv2.DIST_L2, 3)
    most = round(WIDER * float(half[strip & reference].max(initial=1.0))) + 1
    window = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * most + 1, 2 * most + 1))
    wide = cv2.morphologyEx(strip.astype(np.uint8), cv2.MORPH_OPEN, window) > 0
    return np.asarray(strip & ~wide, dtype=np.bool_)
