"""Naming one card: coarse look, alignment, and a contest of the best explanations."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Self, TypeVar, cast

import cv2
import numpy as np
from numpy.typing import NDArray

from vision import screen
from vision.align import Aligned, align, begin, reduce, structure
from vision.compare import (
    Contest,
    Map,
    View,
    bend,
    blankness,
    contest,
    equally_soft,
    lay_over,
    likeness,
    misfit,
    rim_weights,
    view,
)
from vision.geometry import NEXT, Quad, aspect, upright
from vision.library import Library
from vision.patch import MARGIN, WIDTH, Patch, Pixels, cut, inner, visible_part

CANDIDATES = 8
"""Designs that are looked at closely."""

VIEWS = 3
"""Views of one design that are aligned: by a thumbnail a view taken in another light can beat the design's own."""

CLOSE = 5
"""Designs that are compared pixel by pixel, and each with each where they differ."""

TELLING = 60.0
"""Misfit, summed over the card, by which two designs must differ in what is in sight to be told apart."""

GLANCE, PROMISING = 0.1, 0.3
"""Correlation of thumbnails below which no design comes near: at a first glance, and with shifts tried."""

ROUGH, ROUNDS = 4, 12
"""Steps of alignment at most, at first and then."""

ROUGH_A_STEP = 4
"""Rough alignments in one step of work."""

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


Steps = Generator[None, None, Verdict]
"""Work that can be put down and taken up again: some milliseconds a step, and at the end the verdict."""

Result = TypeVar("Result")


@dataclass(frozen=True)
class _Explanation:
    card: str
    laid: View
    misfit: Map
    weights: Map
    cost: float
    likeness: float
    upside: bool


def identify(
    image: NDArray[np.uint8],
    quad: Quad,
    library: Library,
    hidden: Sequence[Quad] = (),
    without: str | None = None,
) -> Verdict:
    """Compare the card in `quad` of a BGR picture with every design of the library.

    `hidden`: quads of things that lie on the card; what they cover is left out of account. `without`: a
    design to leave out, for asking what its card would be taken for.
    """
    return finish(identifying(image, quad, library, hidden, without))


def identifying(
    image: NDArray[np.uint8],
    quad: Quad,
    library: Library,
    hidden: Sequence[Quad] = (),
    without: str | None = None,
) -> Steps:
    """Do the work of `identify` in small steps, some milliseconds each; `image` is used in the first only."""
    standing = upright(quad)
    quads = [standing]
    if aspect(quad) < 1.2 or library.height < 1.2 * WIDTH:
        quads.append(standing[NEXT])
    verdicts = []
    for seen in [_Seen.take(image, q, library, hidden, without) for q in quads]:
        verdicts.append((yield from _judge(seen)))
    return max(verdicts, key=lambda v: v.likeness)


def finish(steps: Generator[None, None, Result]) -> Result:
    """Do all steps of a piece of work and return what comes of it."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return cast(Result, end.value)


@dataclass(frozen=True)
class _Seen:
    """A card brought upright, what of it is in sight (None: all), and the views it is compared with."""

    patch: Patch
    quad: Quad
    visible: Map | None
    library: Library
    allowed: NDArray[np.bool_]

    @classmethod
    def take(
        cls,
        image: NDArray[np.uint8],
        quad: Quad,
        library: Library,
        hidden: Sequence[Quad],
        without: str | None,
    ) -> Self:
        allowed = np.array([r.card != without for r in library.references])
        patch = cut(image, quad, library.height)
        visible = visible_part(quad, library.height, hidden) if len(hidden) else None
        return cls(patch, quad, visible, library, allowed)


def _judge(seen: _Seen) -> Steps:
    laid = yield from _aligned(seen)
    if not laid:
        return Verdict(None, 0.0, -1.0, None, (), seen.quad, seen.patch.detail)
    shown = _Shown.of(seen)
    yield
    explanations = []
    for one in laid:
        explanations.append(_explain(seen, shown, one))
        yield
    explanations.sort(key=lambda e: e.cost)
    best, lead, rival = _winner(explanations)
    others = sorted((e for e in explanations if e is not best), key=lambda e: -e.likeness)
    candidates = tuple((e.card, round(max(0.0, e.likeness), 4)) for e in [best, *others])
    placed = np.ascontiguousarray(np.roll(seen.quad, -2, axis=0)) if best.upside else seen.quad
    return Verdict(best.card, best.likeness, lead, rival, candidates, placed, seen.patch.detail)


def _winner(explanations: list[_Explanation]) -> tuple[_Explanation, float, str | None]:
    """Find the explanation that leads all others, its least lead and over whom.

    A contest is antisymmetric, so the first that leads everywhere is the only one that does.
    """
    if len(explanations) == 1:
        return explanations[0], 1.0, None
    best: tuple[_Explanation, float, str | None] | None = None
    for one in explanations:
        lead, rival = _least_lead(one, explanations)
        if best is None or lead > best[1]:
            best = (one, lead, rival)
        if lead > 0:
            break
    assert best is not None
    return best


def _shortlist(seen: _Seen) -> list[tuple[int, int]]:
    """The best views of each promising design, with the start that suits each."""
    height, pixels = seen.library.height, seen.patch.pixels
    known = seen.library.descriptors
    mask = None if seen.visible is None else screen.thumb_mask(seen.visible, height)
    trusting = [begin(height), begin(height, upside=True)]
    if float(screen.scores(pixels, height, trusting, known, mask).max()) < GLANCE:
        return []
    scores = screen.scores(pixels, height, screen.starts(height), known, mask)
    scores[:, ~seen.allowed] = -1.0
    best = scores.max(axis=0)
    if float(best.max()) < PROMISING:
        return []
    chosen: dict[str, list[int]] = {}
    for index in (int(i) for i in np.argsort(-best) if best[i] > -1.0):
        card = seen.library.references[index].card
        if len(chosen.get(card, ())) < VIEWS and (card in chosen or len(chosen) < CANDIDATES):
            chosen.setdefault(card, []).append(index)
    return [(index, int(scores[:, index].argmax())) for views in chosen.values() for index in views]


@dataclass(frozen=True)
class _Laid:
    index: int
    upside: bool
    aligned: Aligned


def _aligned(seen: _Seen) -> Generator[None, None, list[_Laid]]:
    """Align the promising views roughly, and those that come to fit best well."""
    small, library = structure(seen.patch.pixels), seen.library
    visible = None if seen.visible is None else reduce(seen.visible)
    starts = screen.starts(library.height)
    shortlist = _shortlist(seen)
    yield
    rough = []
    for i, (index, start) in enumerate(shortlist):
        aligned = align(small, library.template(index), starts[start], ROUGH, visible)
        rough.append(_Laid(index, start >= len(screen.JITTER), aligned))
        if i % ROUGH_A_STEP == ROUGH_A_STEP - 1:
            yield
    rough = _best_of_each(sorted(rough, key=lambda one: one.aligned.rest), library)
    worth = [one for one in rough[:CLOSE] if one.aligned.rest < HOPELESS * rough[0].aligned.rest]
    fine = []
    for one in worth if len(worth) > 1 else rough[:2]:
        better = align(small, library.template(one.index), one.aligned.matrix, ROUNDS, visible)
        fine.append(replace(one, aligned=better))
        yield
    return fine


def _best_of_each(laid: list[_Laid], library: Library) -> list[_Laid]:
    """Keep the first view of each design, in the order given."""
    first: dict[str, _Laid] = {}
    for one in laid:
        first.setdefault(library.references[one.index].card, one)
    return list(first.values())


@dataclass(frozen=True)
class _Shown:
    """What of a seen card all explanations are compared with."""

    pixels: Pixels
    view: View
    in_sight: Map
    to_explain: Map

    @classmethod
    def of(cls, seen: _Seen) -> Self:
        pixels = inner(seen.patch.pixels)
        in_sight = rim_weights(*pixels.shape[:2])
        if seen.visible is not None:
            in_sight = in_sight * inner(seen.visible)
        shown = view(pixels)
        return cls(pixels, shown, in_sight, blankness(shown))


def _explain(seen: _Seen, shown: _Shown, one: _Laid) -> _Explanation:
    reference, matrix = seen.library.template(one.index), one.aligned.matrix
    height, width = shown.pixels.shape[:2]
    lit = lay_over(seen.patch.pixels, reference, matrix, shown.in_sight)
    laid = view(bend(shown.pixels, lit, shown.in_sight))
    off = misfit(*equally_soft(shown.view, laid))
    without_margin = np.array([[1.0, 0, -MARGIN], [0, 1.0, -MARGIN], [0, 0, 1.0]])
    covered = cv2.warpPerspective(rim_weights(height, width), without_margin @ matrix, (width, height))
    weights = np.sqrt(shown.in_sight * covered)
    return _Explanation(
        seen.library.references[one.index].card,
        laid,
        off,
        weights,
        float((off * weights).sum() / max(float(weights.sum()), 1.0)),
        likeness(shown.to_explain, off, weights),
        upside=one.upside,
    )


def _least_lead(one: _Explanation, all_of_them: list[_Explanation]) -> tuple[float, str | None]:
    """The least lead over another design; none where what is in sight does not tell the two apart."""
    leads = []
    for other in all_of_them:
        if other is not one:
            result = _contest(one, other)
            leads.append((result.lead if result.evidence > TELLING else 0.0, other.card))
    return min(leads, key=lambda r: r[0])


def _contest(a: _Explanation, b: _Explanation) -> Contest:
    return contest(a.laid, b.laid, a.misfit, b.misfit, np.minimum(a.weights, b.weights))
