"""Naming one card: coarse look, alignment, and a contest of the best explanations."""

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision import screen
from vision.align import Aligned, align, begin, structure
from vision.compare import (
    Contest,
    Map,
    View,
    bend,
    contest,
    equally_soft,
    lay_over,
    likeness,
    misfit,
    rim_weights,
    view,
)
from vision.geometry import Quad, aspect, upright
from vision.library import Library
from vision.patch import MARGIN, WIDTH, Patch, cut, inner

CANDIDATES = 8
"""Designs that are looked at closely."""

CLOSE = 5
"""Designs that are compared pixel by pixel, and each with each where they differ."""

GLANCE, PROMISING = 0.1, 0.3
"""Correlation of thumbnails below which no design comes near: at a first glance, and with shifts tried."""

ROUGH, ROUNDS = 4, 12
"""Steps of alignment at most, at first and then."""

HOPELESS = 4.0
"""A design that fits this many times worse than the best after rough alignment is not looked at closely."""


@dataclass(frozen=True)
class Verdict:
    """What the comparison says of one card, before any margin is applied.

    `card`: the best explanation, None if nothing comes near; `likeness`: how much of the card it explains, at most 1;
    `lead`: the least lead over any other design, -1..1; `rival`: that design;
    `candidates`: designs with their likeness, best first; `quad`: corner 0 is the card's own top left.
    """

    card: str | None
    likeness: float
    lead: float
    rival: str | None
    candidates: tuple[tuple[str, float], ...]
    quad: Quad
    detail: float


@dataclass(frozen=True)
class _Explanation:
    card: str
    laid: View
    misfit: Map
    weights: Map
    cost: float
    likeness: float
    upside: bool


def identify(image: NDArray[np.uint8], quad: Quad, library: Library) -> Verdict:
    """Compare the card in `quad` of a BGR picture with every design of the library."""
    standing = upright(quad)
    quads = [standing]
    if aspect(quad) < 1.2 or library.height < 1.2 * WIDTH:
        quads.append(np.ascontiguousarray(np.roll(standing, -1, axis=0)))
    verdicts = [_judge(cut(image, q, library.height), q, library) for q in quads]
    return max(verdicts, key=lambda v: v.likeness)


def _judge(patch: Patch, quad: Quad, library: Library) -> Verdict:
    explanations = [_explain(patch, library, laid) for laid in _aligned(patch, library)]
    if not explanations:
        return Verdict(None, 0.0, -1.0, None, (), quad, patch.detail)
    explanations.sort(key=lambda e: e.cost)
    best, (lead, rival) = explanations[0], (1.0, None)
    if len(explanations) > 1:
        best, lead, rival = max(
            ((e, *_least_lead(e, explanations)) for e in explanations), key=lambda r: r[1]
        )
    others = sorted((e for e in explanations if e is not best), key=lambda e: -e.likeness)
    candidates = tuple((e.card, round(max(0.0, e.likeness), 4)) for e in [best, *others])
    placed = np.ascontiguousarray(np.roll(quad, -2, axis=0)) if best.upside else quad
    return Verdict(best.card, best.likeness, lead, rival, candidates, placed, patch.detail)


def _shortlist(patch: Patch, library: Library) -> list[tuple[int, int]]:
    """The best view of each promising design, with the start that suits it."""
    trusting = [begin(library.height), begin(library.height, upside=True)]
    glance = screen.descriptors(patch.pixels, library.height, trusting) @ library.descriptors.T
    if float(glance.max()) < GLANCE:
        return []
    starts = screen.starts(library.height)
    scores = screen.descriptors(patch.pixels, library.height, starts) @ library.descriptors.T
    best = scores.max(axis=0)
    if float(best.max()) < PROMISING:
        return []
    chosen: dict[str, int] = {}
    for index in np.argsort(-best):
        card = library.references[index].card
        if card not in chosen:
            chosen[card] = int(index)
        if len(chosen) == CANDIDATES:
            break
    return [(index, int(scores[:, index].argmax())) for index in chosen.values()]


@dataclass(frozen=True)
class _Laid:
    index: int
    upside: bool
    aligned: Aligned


def _aligned(patch: Patch, library: Library) -> list[_Laid]:
    """Align the promising views roughly, and those that come to fit best well."""
    small = structure(patch.pixels)
    starts = screen.starts(library.height)
    rough = [
        _Laid(index, start >= len(screen.JITTER), align(small, library.template(index), starts[start], ROUGH))
        for index, start in _shortlist(patch, library)
    ]
    rough.sort(key=lambda one: one.aligned.rest)
    worth = [one for one in rough[:CLOSE] if one.aligned.rest < HOPELESS * rough[0].aligned.rest]
    return [
        replace(one, aligned=align(small, library.template(one.index), one.aligned.matrix, ROUNDS))
        for one in (worth if len(worth) > 1 else rough[:2])
    ]


def _explain(patch: Patch, library: Library, one: _Laid) -> _Explanation:
    reference, matrix = library.template(one.index), one.aligned.matrix
    seen_pixels = inner(patch.pixels)
    height, width = seen_pixels.shape[:2]
    laid = view(bend(seen_pixels, lay_over(patch.pixels, reference, matrix)))
    seen = view(seen_pixels)
    off = misfit(*equally_soft(seen, laid))
    without_margin = np.array([[1.0, 0, -MARGIN], [0, 1.0, -MARGIN], [0, 0, 1.0]])
    rim = rim_weights(height, width)
    weights = np.sqrt(rim * cv2.warpPerspective(rim, without_margin @ matrix, (width, height)))
    return _Explanation(
        library.references[one.index].card,
        laid,
        off,
        weights,
        float((off * weights).sum() / max(float(weights.sum()), 1.0)),
        likeness(seen, off, weights),
        upside=one.upside,
    )


def _least_lead(one: _Explanation, all_of_them: list[_Explanation]) -> tuple[float, str | None]:
    leads = [(_contest(one, other).lead, other.card) for other in all_of_them if other is not one]
    return min(leads, key=lambda r: r[0])


def _contest(a: _Explanation, b: _Explanation) -> Contest:
    return contest(a.laid, b.laid, a.misfit, b.misfit, np.minimum(a.weights, b.weights))
