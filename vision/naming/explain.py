"""Explain a seen card by a design: align it, light it as the card is lit, and measure what then
does not fit."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.fitting import shadow
from vision.fitting.align import Matrix, align_reference
from vision.fitting.bending import bend_reference, to_bending_resolution
from vision.fitting.compare import (
    Map,
    Places,
    PreparedPicture,
    blank_card_misfit,
    compute_likeness,
    compute_misfit,
    downscale_by_few,
    match_blur,
    prepare_pixels,
    render_reference,
    rim_weights,
    rim_weights_at,
)
from vision.fitting.patch import MARGIN, WITHOUT_MARGIN, Pixels, crop_margin, source_coordinates
from vision.fitting.shadow import Shadow
from vision.fitting.template import extract_structure, reduce_picture
from vision.naming.candidates import ROUNDS, Candidate, CardQuery

SHADOW_ROUNDS = 2
"""Times that a hard shadow is estimated: its depth is right only once the light is."""


@dataclass(frozen=True)
class LitReference:
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

    `pixels`: the expected picture of the card, `laid`: the same prepared for comparing;
    `misfit` and `weights` of each pixel; `cost`: their mean; `likeness`: the part
    of the card that the design explains, at most 1.
    """

    card: str
    placed: Candidate
    lit: LitReference
    pixels: Pixels
    laid: PreparedPicture
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
class ObservedCard:
    """The data of a seen card with which all explanations are compared.

    `to_explain`: the misfit of a blank card; `whole`: whether the card is uncovered, as far as is
    known; `overexposed`: where its paper is saturated, if much of it is.
    """

    pixels: Pixels
    view: PreparedPicture
    in_sight: Map
    to_explain: Map
    whole: bool
    overexposed: NDArray[np.bool_] | None = None

    @cached_property
    def bending_picture(self) -> Pixels:
        """The picture onto which the designs are bent."""
        return to_bending_resolution(self.pixels)

    @cached_property
    def reduced_pixels(self) -> Pixels:
        """The small picture from which the light on the designs is estimated."""
        return downscale_by_few(self.pixels)

    @cached_property
    def reduced_mask(self) -> Map:
        """The weights of that picture."""
        return downscale_by_few(self.in_sight)

    @classmethod
    def from_query(cls, query: CardQuery) -> Self:
        """Prepare a seen card for comparing."""
        pixels = crop_margin(query.patch.pixels)
        in_sight = rim_weights(*pixels.shape[:2])
        if query.visible is not None:
            in_sight = in_sight * crop_margin(query.visible)
        shown = prepare_pixels(pixels)
        whole, burnt = query.visible is None, query.patch.overexposed
        return cls(pixels, shown, in_sight, blank_card_misfit(shown, in_sight), whole, burnt)


def explain_without_shadow(query: CardQuery, shown: ObservedCard, candidate: Candidate) -> Explanation:
    """Light a design as the card is lit, without any shadow, and measure what does not fit."""
    matrix = candidate.aligned.matrix
    places = _map_to_reference(shown, matrix)
    pixels = render_reference(
        shown.reduced_pixels, query.library.prepare_view(candidate.index), places, shown.reduced_mask
    )
    return _build_explanation(query, shown, candidate, LitReference(pixels, matrix, places, shown.in_sight))


def explain_with_shadow(query: CardQuery, shown: ObservedCard, unshaded: Explanation) -> Explanation:
    """Return the same explanation with a hard shadow, if there is one and it explains more."""
    lit = unshaded.lit
    for _ in range(SHADOW_ROUNDS):
        cast = shadow.find_shadow(shown.pixels, lit.pixels, shown.in_sight)
        if cast is None:
            break
        lit = _render_under_shadow(cast, query, shown, unshaded.placed.index, [lit.matrix])
    if lit.cast is None:
        return unshaded
    under_shadow = _build_explanation(query, shown, unshaded.placed, lit)
    return under_shadow if under_shadow.cost < WORTH_A_SHADOW * unshaded.cost else unshaded


def improve_by_shadow_of_best(
    query: CardQuery, shown: ObservedCard, candidate: Explanation, best: Explanation
) -> Explanation:
    """Explain the card again under the hard shadow that the best explanation has found, if that
    fits better.

    A shadow is a property of the scene, not of a design: the design for which it was found first
    must not win by that.
    """
    if best.lit.cast is None:
        return candidate
    starts = [candidate.lit.matrix]
    # the best design's place is as good a start, if both lie the same way up
    if candidate.placed.upside == best.placed.upside:
        starts.append(best.lit.matrix)
    lit = _render_under_shadow(best.lit.cast, query, shown, candidate.placed.index, starts)
    return min(candidate, _build_explanation(query, shown, candidate.placed, lit), key=lambda e: e.cost)


def _render_under_shadow(
    cast: Shadow, query: CardQuery, shown: ObservedCard, index: int, starts: list[Matrix]
) -> LitReference:
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
    small = extract_structure(plain)
    visible = reduce_picture(clear if query.visible is None else clear * query.visible)
    laid = min(
        (align_reference(small, library.get_template(index), start, ROUNDS, visible) for start in starts),
        key=lambda a: a.rest,
    )
    in_sight = shown.in_sight * cast.clear
    places = _map_to_reference(shown, laid.matrix)
    few = (
        downscale_by_few(crop_margin(plain)),
        library.prepare_view(index),
        places,
        downscale_by_few(in_sight),
    )
    pixels = render_reference(*few) * cast.gain[:, :, None]
    # nothing is compared along the shadow's edge, so nothing there may affect its neighbours
    pixels = np.where(cast.clear[:, :, None] > 0, pixels, shown.pixels)
    return LitReference(pixels, laid.matrix, places, in_sight, cast)


def _map_to_reference(shown: ObservedCard, matrix: Matrix) -> Places:
    return source_coordinates(WITHOUT_MARGIN @ matrix, *shown.in_sight.shape)


def _build_explanation(
    query: CardQuery, shown: ObservedCard, candidate: Candidate, lit: LitReference
) -> Explanation:
    pixels = bend_reference(shown.bending_picture, lit.pixels, lit.in_sight)
    laid = prepare_pixels(pixels)
    # the rim fades in both: without the root it would fade twice where design and card coincide
    weights = np.sqrt(lit.in_sight * rim_weights_at(lit.places))
    off = compute_misfit(*match_blur(shown.view, laid), weights)
    return Explanation(
        query.library.references[candidate.index].card,
        replace(candidate, aligned=replace(candidate.aligned, matrix=lit.matrix)),
        lit,
        pixels,
        laid,
        off,
        weights,
        float(np.vdot(off, weights)) / max(float(weights.sum()), 1.0),
        compute_likeness(shown.to_explain, off, weights),
    )
