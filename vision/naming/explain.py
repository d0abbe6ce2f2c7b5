"""Explain a seen card by a design: align it, light it as the card is lit, and measure what then
does not fit."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.fitting import shadow
from vision.fitting.align import Matrix, align
from vision.fitting.bending import bend, coarse
from vision.fitting.compare import (
    Map,
    Places,
    View,
    blankness,
    equally_soft,
    lay_over,
    likeness,
    misfit,
    quarter,
    rim_at,
    rim_weights,
    view,
)
from vision.fitting.patch import MARGIN, WITHOUT_MARGIN, Pixels, inner, sources
from vision.fitting.shadow import Shadow
from vision.fitting.template import reduce, structure
from vision.naming.candidates import ROUNDS, Candidate, Query

SHADOW_ROUNDS = 2
"""Times that a hard shadow is estimated: its depth is right only once the light is."""


@dataclass(frozen=True)
class Lit:
    """A reference aligned with a seen card, in the light that falls on it.

    `places`: the place of each pixel of the card in the reference; `in_sight`: how much each pixel
    counts. `cast`: the hard shadow on the card, if there is one.
    """

    pixels: Pixels
    matrix: Matrix
    places: Places
    in_sight: Map
    cast: Shadow | None = None


@dataclass(frozen=True)
class Explanation:
    """A seen card as one design explains it.

    `pixels`: the expected picture of the card, `laid`: the same prepared for comparing; `misfit`
    and `weights` of each pixel; `cost`: their mean; `likeness`: the part of the card that the
    design explains, at most 1.
    """

    card: str
    placed: Candidate
    lit: Lit
    pixels: Pixels
    laid: View
    misfit: Map
    weights: Map
    cost: float
    likeness: float


IN_THE_OPEN = 0.9
"""Likeness of any design from which no shadow is looked for: a shadow that follows the print
explains hatching as well as a blank."""

WORTH_A_SHADOW = 0.7
"""Part of the cost without a shadow below which the cost with one must be; most cards lie in no
shadow."""


@dataclass(frozen=True)
class SeenCard:
    """The data of a seen card with which all explanations are compared.

    `to_explain`: the misfit of a blank card; `whole`: whether the card is uncovered, as far as is
    known; `overexposed`: where its paper is saturated, if much of it is.
    """

    pixels: Pixels
    view: View
    in_sight: Map
    to_explain: Map
    whole: bool
    overexposed: NDArray[np.bool_] | None = None

    @cached_property
    def coarse(self) -> Pixels:
        """The picture onto which the designs are bent."""
        return coarse(self.pixels)

    @cached_property
    def few(self) -> Pixels:
        """The small picture from which the light on the designs is estimated."""
        return quarter(self.pixels)

    @cached_property
    def few_in_sight(self) -> Map:
        """The weights of that picture."""
        return quarter(self.in_sight)

    @classmethod
    def of(cls, query: Query) -> Self:
        """Prepare a seen card for comparing."""
        pixels = inner(query.patch.pixels)
        in_sight = rim_weights(*pixels.shape[:2])
        if query.visible is not None:
            in_sight = in_sight * inner(query.visible)
        shown = view(pixels)
        whole, burnt = query.visible is None, query.patch.overexposed
        return cls(pixels, shown, in_sight, blankness(shown, in_sight), whole, burnt)


def explain(query: Query, shown: SeenCard, one: Candidate) -> Explanation:
    """Light a design as the card is lit, without any shadow, and measure what does not fit."""
    matrix = one.aligned.matrix
    places = _places(shown, matrix)
    pixels = lay_over(shown.few, query.library.prepared(one.index), places, shown.few_in_sight)
    return _weighed(query, shown, one, Lit(pixels, matrix, places, shown.in_sight))


def shaded(query: Query, shown: SeenCard, plain: Explanation) -> Explanation:
    """Return the same explanation with a hard shadow, if there is one and it explains more."""
    lit = plain.lit
    for _ in range(SHADOW_ROUNDS):
        cast = shadow.find(shown.pixels, lit.pixels, shown.in_sight)
        if cast is None:
            break
        lit = _under(cast, query, shown, plain.placed.index, [lit.matrix])
    if lit.cast is None:
        return plain
    under_shadow = _weighed(query, shown, plain.placed, lit)
    return under_shadow if under_shadow.cost < WORTH_A_SHADOW * plain.cost else plain


def explain_alike(query: Query, shown: SeenCard, one: Explanation, best: Explanation) -> Explanation:
    """Explain the card again under the hard shadow that the best explanation has found, if that
    fits better.

    A shadow is a property of the scene, not of a design: the design for which it was found first
    must not win by that.
    """
    if best.lit.cast is None:
        return one
    starts = [one.lit.matrix]
    # the best design's place is as good a start, if both lie the same way up
    if one.placed.upside == best.placed.upside:
        starts.append(best.lit.matrix)
    lit = _under(best.lit.cast, query, shown, one.placed.index, starts)
    return min(one, _weighed(query, shown, one.placed, lit), key=lambda e: e.cost)


def _under(cast: Shadow, query: Query, shown: SeenCard, index: int, starts: list[Matrix]) -> Lit:
    """Align a view again with the card as it would look without the shadow, and cast the shadow on
    it."""
    library = query.library
    gain, clear = (
        np.asarray(
            cv2.copyMakeBorder(m, MARGIN, MARGIN, MARGIN, MARGIN, cv2.BORDER_REPLICATE), dtype=np.float32
        )
        for m in (cast.gain, cast.clear)
    )
    plain = query.patch.pixels / gain[:, :, None]
    small = structure(plain)
    visible = reduce(clear if query.visible is None else clear * query.visible)
    laid = min(
        (align(small, library.template(index), start, ROUNDS, visible) for start in starts),
        key=lambda a: a.rest,
    )
    in_sight = shown.in_sight * cast.clear
    places = _places(shown, laid.matrix)
    few = quarter(inner(plain)), library.prepared(index), places, quarter(in_sight)
    pixels = lay_over(*few) * cast.gain[:, :, None]
    # nothing is compared along the shadow's edge, so nothing there may affect its neighbours
    pixels = np.where(cast.clear[:, :, None] > 0, pixels, shown.pixels)
    return Lit(pixels, laid.matrix, places, in_sight, cast)


def _places(shown: SeenCard, matrix: Matrix) -> Places:
    return sources(WITHOUT_MARGIN @ matrix, *shown.in_sight.shape)


def _weighed(query: Query, shown: SeenCard, one: Candidate, lit: Lit) -> Explanation:
    pixels = bend(shown.coarse, lit.pixels, lit.in_sight)
    laid = view(pixels)
    # the rim fades in both: without the root it would fade twice where design and card coincide
    weights = np.sqrt(lit.in_sight * rim_at(lit.places))
    off = misfit(*equally_soft(shown.view, laid), weights)
    return Explanation(
        query.library.references[one.index].card,
        replace(one, aligned=replace(one.aligned, matrix=lit.matrix)),
        lit,
        pixels,
        laid,
        off,
        weights,
        float(np.vdot(off, weights)) / max(float(weights.sum()), 1.0),
        likeness(shown.to_explain, off, weights),
    )
