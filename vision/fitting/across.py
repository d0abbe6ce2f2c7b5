"""What lies across a card and runs on beside it: a cable, a pen, a strip of paper.

It is narrow, it hides the border where it crosses it, and it looks the same on the card as on the
cloth. Print does none of that: it ends within the border.
"""

from collections.abc import Iterator
from dataclasses import replace

import cv2
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from vision.fitting.patch import MARGIN, WIDTH, Patch, burnt_out, cut, cut_raw, expose, inner
from vision.geometry import Quad

Mask = NDArray[np.bool_]
Colours = NDArray[np.float32]

RIM_INSIDE, BESIDE = (3, 7), (4, 12)
"""Pixels of a patch within the border where nothing is printed, and outside it where cloth
shows."""

CORNER = 14
"""Pixels from both sides within which a corner may be rounded, and show the cloth."""

CHROMA = 1.5
"""What a step of chroma counts in steps of luma, as `ALIKE` and `UNLIKE` are told."""

UNLIKE, ALIKE = 14.0, 26.0
"""Steps of CIE Lab from the paper beyond which something lies on it, and up to which two places
show one thing: a round cable is lit from one side."""

ALONG, EVERY = 105, 4
"""Pixels along the border whose median is its usual colour, and of how many one is asked."""

NARROW, STANDS_OUT = 27, 9
"""Pixels into which what lies across must not fit, a sixth of a card's width, and steps of Lab by
which it stands out from both sides."""

LONG = 0.4
"""Part of a card's width beyond which what runs along its border is shade or a card beside it."""

SMALLEST = 12
"""Pixels of a crossing within the border."""

RUNS_ON = 8
"""Pixels of the same colour that must show outside the border, near the crossing."""

NEAR, HALO = np.ones((25, 25), np.uint8), cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (11, 11))
"""How near a crossing it must run on, and by how much it is taken to be wider: its shadow and its
blur."""

WIDER = 1.4
"""Times its width at the border from which it is no longer the strip that came in there."""

FILLED_FROM = (21, 21)
"""Pixels round a hidden one whose mean is put there: a cable is narrower."""

UNEVEN = 0.35
"""Part of the rim that may differ from its own colour: a painted border tells nothing."""

LEAST_LIT = 0.03
"""Part of a card that a lamp's reflection hides, with its halo, if it is why the card is unsure:
where it was, from 0.05 to 0.4; specks of gloss on sharp photographs have up to 0.023."""

MOST = 0.4
"""Part of a card beyond which what is left of it is not read."""


def cleared(image: NDArray[np.uint8], quad: Quad, height: int) -> Patch | None:
    """The card in `quad` (as for `cut`) without what lies across it, or a lamp that is mirrored in
    it: filled from its sides, and told as `burnt`. None if nothing does, or if hardly anything else
    shows."""
    raw = cut_raw(image, quad, height)
    lying, hidden = across(raw), burnt_out(raw)
    least = LEAST_LIT if lying is None else 0.0
    hidden = hidden if lying is None else hidden | lying
    if not least < inner(hidden).mean() <= MOST:
        return None
    return replace(cut(image, quad, height), pixels=expose(_filled(raw, hidden)), burnt=inner(hidden))


def across(raw: NDArray[np.uint8]) -> Mask | None:
    """Where something lies across a card, in a patch with its margin as `cut_raw` gives it; None if
    nothing does."""
    lab = cv2.cvtColor(raw, cv2.COLOR_BGR2LAB)
    colours = cv2.GaussianBlur(lab, (0, 0), 0.8).astype(np.float32) * np.array(
        [1, CHROMA, CHROMA], np.float32
    )
    depth, corner = _depth(*raw.shape[:2])
    within = (depth >= RIM_INSIDE[0]) & (depth <= RIM_INSIDE[1]) & ~corner
    beside = (depth <= -BESIDE[0]) & (depth >= -BESIDE[1]) & ~corner
    off = _apart(colours, _along_border(colours))
    unlike = (off > UNLIKE) & within & ~burnt_out(raw)
    crossings = list(_crossings(unlike)) if unlike.sum() < UNEVEN * within.sum() else []
    if not crossings:
        return None
    narrow = _narrow(lab)
    found = np.zeros(depth.shape, dtype=np.bool_)
    for crossing in crossings:
        core = crossing & (off >= np.median(off[crossing]))
        alike = _apart(colours, np.median(colours[core], axis=0)) < ALIKE
        near = cv2.dilate(crossing.astype(np.uint8), NEAR) > 0
        if (alike & beside & near).sum() >= RUNS_ON:
            strip = _connected(alike & narrow, core)
            found |= crossing | _as_wide(strip, near & (depth >= 0))
    if not inner(found).any():
        return None
    return np.asarray(cv2.dilate(found.astype(np.uint8), HALO) > 0)


def _filled(raw: NDArray[np.uint8], hidden: Mask) -> NDArray[np.uint8]:
    """The patch with the mean of what shows near by where something is hidden; where all near by
    is, with the mean of all that shows."""
    shows = 1 - hidden.astype(np.float32)
    around, share = (cv2.blur(one, FILLED_FROM) for one in (raw * shows[:, :, None], shows))
    near = around / np.maximum(share, np.float32(1e-3))[:, :, None]
    mean = np.where((share > 0)[:, :, None], near, raw[~hidden].mean(axis=0))
    return np.where(hidden[:, :, None], mean, raw).astype(np.uint8)


def _depth(height: int, width: int) -> tuple[NDArray[np.intp], Mask]:
    """How deep within the card each pixel of a patch lies, negative outside; where corners are."""
    down, along = (np.minimum(np.arange(n), np.arange(n)[::-1]) - MARGIN for n in (height, width))
    depth = np.minimum(down[:, None], along[None])
    return depth, (down[:, None] < CORNER) & (along[None] < CORNER)


def _apart(colours: Colours, colour: Colours) -> Colours:
    return np.asarray(np.sqrt(((colours - colour) ** 2).sum(axis=2)), np.float32)


def _along_border(colours: Colours) -> Colours:
    """The usual colour along each side of the border, at each depth within it for itself: paper is
    shaded, and where an outline lies a little off its card, a strip of the cloth shows. Elsewhere
    what is there."""
    usual = colours.copy()
    first, last = (MARGIN + depth for depth in RIM_INSIDE)
    for turn in range(4):
        rim, side = (np.rot90(one, turn)[first : last + 1, MARGIN:-MARGIN] for one in (usual, colours))
        ends = np.pad(side, ((0, 0), (ALONG // 2, ALONG // 2), (0, 0)), mode="reflect")
        near = sliding_window_view(ends, ALONG, axis=1)[..., ::EVERY]
        rim[:] = np.median(near, axis=-1)
    return usual


def _crossings(unlike: Mask) -> Iterator[Mask]:
    """The places where something other than paper lies just within the border, less what runs along
    it."""
    _, names, stats, _ = cv2.connectedComponentsWithStats(unlike.astype(np.uint8), connectivity=8)
    for name, (_, _, wide, high, size) in enumerate(stats.tolist()):
        if name and size >= SMALLEST and max(wide, high) <= LONG * WIDTH:
            yield names == name


def _narrow(lab: cv2.typing.MatLike) -> Mask:
    """Where the picture is lighter or darker, or another colour, than on two sides near by."""
    window = np.ones((NARROW, NARROW), np.uint8)
    hats = [cv2.morphologyEx(lab, kind, window) for kind in (cv2.MORPH_BLACKHAT, cv2.MORPH_TOPHAT)]
    return np.asarray(np.maximum(*hats).max(axis=2) > STANDS_OUT)


def _connected(where: Mask, core: Mask) -> Mask:
    """What of a mask hangs together with any of its `core`."""
    _, names = cv2.connectedComponents(where.astype(np.uint8), connectivity=8)
    begun = np.unique(names[core & where])
    return np.asarray(np.isin(names, begun[begun > 0]))


def _as_wide(strip: Mask, there: Mask) -> Mask:
    """The strip less what is much wider than it is `there`: print that it touches."""
    half = cv2.distanceTransform(strip.astype(np.uint8), cv2.DIST_L2, 3)
    most = round(WIDER * float(half[strip & there].max(initial=1.0))) + 1
    window = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * most + 1, 2 * most + 1))
    wide = cv2.morphologyEx(strip.astype(np.uint8), cv2.MORPH_OPEN, window) > 0
    return np.asarray(strip & ~wide, dtype=np.bool_)
