"""Decide which of the designs aligned with a seen card it is.

First a rough look (`RoughComparison`), at a sixteenth of the pixels and without bending, selects
the designs that are worth a close one. A design that explains hardly anything there explains hardly
anything at a close look either, which costs twenty times as much: of 2,080 designs aligned with
cards of four decks (`bench tables`), none that explained less than a fifth of what the best did
explained half as much as the best at the close look.

A `Comparison` measures how well each design explains the card. The best ones, and those most like
the winner, are then compared in pairs where the two differ (`run_contest`), because two designs may
explain most of a card equally well; `LeadTable` stores by how much one leads another. On an
overexposed card not all print counts: where the paper is saturated, print that is hardly darker is
white as well, and a hatched sign looks as empty as a blank one.
"""

import math
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.fitting.align import Matrix
from vision.fitting.compare import (
    BLANK,
    BLUR,
    FEW,
    LOUDEST,
    SHADE,
    Map,
    PreparedPicture,
    apply_gain_and_offset,
    constant_noise_map,
    downscale_by_few,
    estimate_shading,
    match_blur,
    prepare_colours,
    rim_weights,
    robust_loss,
    sum_channels,
    to_opponent_colours,
)
from vision.fitting.lighting import evaluate_lighting, fit_lighting_robustly
from vision.fitting.moments import evaluate_monomials
from vision.fitting.patch import WITHOUT_MARGIN, Pixels, gaussian_blur, warp_picture
from vision.fitting.template import Template
from vision.naming.candidates import Candidate, CardQuery, align_exactly, find_look_alikes
from vision.naming.evidence import Evidence, ExpectedLook, Verdict
from vision.naming.explain import (
    IN_THE_OPEN,
    Explanation,
    ObservedCard,
    explain_with_shadow,
    explain_without_shadow,
    improve_by_shadow_of_best,
)
from vision.naming.ink_response import ink_density

ASIDE = 1.0
"""Harmless displacement of an edge, in pixels of a sketch: four of a patch, because a card is bent
at the close look only."""

SMALLER = np.array([[FEW, 0, (FEW - 1) / 2], [0, FEW, (FEW - 1) / 2], [0, 0, 1.0]])
LARGER = np.linalg.inv(SMALLER)
"""Maps from pixels of a sketch to those of the card without margin, and back."""


def _scale_to_sketch(matrix: Matrix) -> Matrix:
    """Convert a map between cards without margin into one between their sketches."""
    return np.asarray(LARGER @ matrix @ SMALLER)


@dataclass(frozen=True)
class Sketch:
    """A seen card without margin in a picture `FEW` times smaller: `pixels`, their opponent
    `colours`, the squared `slope` of these, and the weight of each pixel (`in_sight`)."""

    pixels: Pixels
    colours: Map
    slope: Map
    in_sight: Map

    @classmethod
    def from_pixels(cls, reduced_pixels: Pixels, in_sight: Map) -> Self:
        """Build a sketch from a card's pixels and their weights in a picture of that size
        (`downscale_by_few`)."""
        colours = to_opponent_colours(reduced_pixels)
        return cls(reduced_pixels, colours, prepare_colours(colours).slope, in_sight)

    def score_views(self, views: Sequence[Template], matrices: Sequence[Matrix]) -> NDArray[np.float32]:
        """Return the part of the card that each view explains when placed by its matrix, at most 1.

        The matrices map pixels of the view to those of the patch, margin included, as
        `align_reference` returns them.
        """
        laid = np.stack(
            [
                warp_picture(view.few, _scale_to_sketch(WITHOUT_MARGIN @ matrix), cv2.BORDER_REPLICATE)
                for view, matrix in zip(views, matrices, strict=True)
            ]
        )
        off = self._sum_misfits([to_opponent_colours(one) for one in self._relight_views(laid)])
        return np.asarray(1 - np.array(off) / max(self._blank_misfit, 1.0), dtype=np.float32)

    @cached_property
    def _blank_misfit(self) -> float:
        """The misfit of a blank card."""
        # never exactly zero: the blurred weights are divided by
        heed = self.in_sight + np.float32(1e-3)
        around = gaussian_blur(self.colours * heed[:, :, None], BLANK / FEW)
        blank = np.asarray(around / gaussian_blur(heed, BLANK / FEW)[:, :, None], dtype=np.float32)
        (misfit,) = self._sum_misfits([blank])
        return misfit

    def _relight_views(self, laid: Pixels) -> Pixels:
        """Light the aligned views as the card is lit."""
        count, height, width, _ = laid.shape
        wanted = np.ascontiguousarray(laid.reshape(count, -1, 3).transpose(0, 2, 1))
        seen = np.broadcast_to(self.pixels.reshape(-1, 3).T, wanted.shape)
        where = evaluate_monomials(height, width)
        weights = np.tile(self.in_sight.ravel() + np.float32(1e-3), (count, 1))
        gain, veil = evaluate_lighting(fit_lighting_robustly(seen, wanted, weights, where), where)
        return np.ascontiguousarray((gain * wanted + veil).transpose(0, 2, 1)).reshape(laid.shape)

    def _sum_misfits(self, others: Sequence[Map]) -> list[float]:
        """Compute the robust misfit of the card against each picture in opponent colours, summed
        over the visible part."""
        wide = SHADE / FEW
        # never near zero: it is divided by
        heed = np.maximum(gaussian_blur(self.in_sight, wide), np.float32(0.02))
        sums = []
        for other in others:
            off = self.colours - other
            off[:, :, 0] -= gaussian_blur(off[:, :, 0] * self.in_sight, wide) / heed
            harmless = constant_noise_map(*self.in_sight.shape) + np.float32(ASIDE**2) * (
                self.slope + prepare_colours(other).slope
            )
            over = np.maximum(sum_channels(np.asarray(off * off / harmless, dtype=np.float32)) - 1, 0)
            sums.append(float((over / (1 + over / LOUDEST) * self.in_sight).sum()))
        return sums


FAR, SOMETHING = 0.2, 0.3
"""`FAR`: part of what the best design explains at a rough look below which another is not explained
closely. `SOMETHING`: what the best must explain for that rule to hold
(`vision.naming.comparison`)."""

CLOSELY = 3
"""Designs that are explained closely: the winner and the two rivals nearest at a rough look. Of 566
cards of `bench tables`, whose rivals were all explained, two would have been decided differently by
these two rivals alone, and of neither was anything explained."""


class RoughComparison:
    """The part of a seen card that each aligned design explains at a rough look; each design is
    returned once."""

    def __init__(self, query: CardQuery, shown: ObservedCard) -> None:
        self._query, self._shown = query, shown
        self._scored: list[tuple[float, Candidate]] = []
        self._taken_ids: set[int] = set()

    @cached_property
    def _sketch(self) -> Sketch:
        return Sketch.from_pixels(self._shown.reduced_pixels, self._shown.reduced_mask)

    def take_nearest(self, laid: Sequence[Candidate], most: int) -> list[Candidate]:
        """Return the new ones among the `limit` nearest of these designs and of those passed
        before, the nearest first; all of them if something lies on the card."""
        # with a part hidden, the smallest detail may decide, and a sketch does not show it
        if not self._shown.whole:
            self._scored += [(0.0, one) for one in laid]
            return self.take_remaining()
        parts = self._score_designs(laid) if laid else []
        self._scored = sorted([*self._scored, *zip(parts, laid, strict=True)], key=lambda seen: -seen[0])
        best = self._scored[0][0] if self._scored else 0.0
        # a rough look does not find a hard shadow: designs may explain nothing of the card then
        least = FAR * best if best >= SOMETHING else -math.inf
        return self._take_new(one for part, one in self._scored[:most] if part >= least)

    def explains_anything(self, laid: Sequence[Candidate]) -> bool:
        """Check whether any of these designs, at least one, explains more of the card than a blank
        card does. For each of 482 partly hidden cards that became sure (`bench covered`), the best
        design explained 0.17 or more; for two thirds of the outlines in photographs that held no
        card, no design explained anything."""
        return max(self._score_designs(laid)) > 0

    def _score_designs(self, laid: Sequence[Candidate]) -> list[float]:
        views = [self._query.library.get_template(one.index) for one in laid]
        scores = self._sketch.score_views(views, [one.aligned.matrix for one in laid])
        return [float(score) for score in scores]

    def take_remaining(self) -> list[Candidate]:
        """Return the designs that were not returned yet."""
        return self._take_new(one for _, one in self._scored)

    def _take_new(self, designs: Iterable[Candidate]) -> list[Candidate]:
        new = [one for one in designs if id(one) not in self._taken_ids]
        self._taken_ids.update(id(one) for one in new)
        return new


DOUBT = 1.3
"""Weight of a misfit of the first design against one of the second: where both fit badly, something
else may lie there."""

WIDE = 4.0
"""Scale in patch pixels at which the mean colour of a region is compared: of hatching, only the
mean of ink and paper remains."""

LEAST_WIDE, MOST_WIDE = (
    np.array(levels, dtype=np.float32) ** 2 for levels in ((0.03, 0.035, 0.035), (0.06, 0.08, 0.08))
)
"""Harmless differences of the mean colour of a region, in brightness and two colours: the least and
the most, squared."""

MORE_INK, UNLIKE = (-0.4, 0.5), 0.15**2
"""`MORE_INK`: how much less and more ink a card may show than the enrolled one, in parts. `UNLIKE`:
squared difference that no ink explains."""

GRAIN, GRAIN_PART = 0.012, 0.35
"""Harmless difference of roughness: a fixed part, and a part of the roughness itself, because
sharpness and ink differ."""


@dataclass(frozen=True)
class Contest:
    """Result of comparing two explanations where they differ.

    `lead`: 1 when the card looks exactly as the first predicts, 0 and below when undecided,
    `-DOUBT` when as the second. `evidence`: how much the two differ at all, in misfit units summed
    over the card.
    """

    lead: float
    evidence: float


def run_contest(
    observed: PreparedPicture,
    first: PreparedPicture,
    second: PreparedPicture,
    weights: Map,
    to_explain: Map | None,
) -> Contest:
    """Compare the seen card with two designs where these differ.

    `to_explain`: map of the print (`blank_card_misfit`); None leaves the regions out, for a card
    that is partly hidden: its covers would influence the means around them.

    All three are compared with one tolerance a pixel. Were each design judged by its own, hatching,
    which is all edges, would be allowed to be anything, and fit a blank card as well as a hatched
    one.
    """
    first, second = match_blur(first, second)
    observed, _ = match_blur(observed, first)
    if to_explain is not None:
        first, second = (_match_ink_strength(observed, one, weights) for one in (first, second))
    harmless = np.maximum(first.slope, second.slope)
    harmless += observed.slope
    harmless *= np.float32(BLUR**2)
    harmless += constant_noise_map(*weights.shape)
    between = first.colours - second.colours
    apart = _scaled_square(between, harmless)
    grains = None if to_explain is None else _texture_differences(observed, first, second)
    regions = None if to_explain is None else [local_mean_difference(between)]
    expected = _combined_loss(apart, regions, 0, MOST_WIDE, grains) * weights
    # the light is fitted where the two designs agree: elsewhere, it would absorb their difference
    agreed = weights / (1 + expected)
    off = [_remove_shading(observed.colours - one.colours, agreed) for one in (first, second)]
    noise = MOST_WIDE
    if regions is not None and to_explain is not None:
        regions += [local_mean_difference(one) for one in off]
        noise = estimate_noise(
            # the regions' noise could only be measured now: where the designs agree had to be known
            # first
            regions[1],
            regions[2],
            downscale_by_few(np.asarray(agreed * to_explain, dtype=np.float32)),
        )
        expected = _combined_loss(apart, regions, 0, noise, grains) * weights
    norm = float(np.vdot(expected, expected))
    if norm < 1e-6:
        return Contest(0.0, 0.0)
    first_off, second_off = (
        _combined_loss(_scaled_square(off[i - 1], harmless), regions, i, noise, grains) for i in (1, 2)
    )
    lead = float(np.vdot(expected, second_off) - DOUBT * np.vdot(expected, first_off)) / norm
    return Contest(lead, float(expected.sum()))


def _match_ink_strength(observed: PreparedPicture, one: PreparedPicture, weights: Map) -> PreparedPicture:
    """Give the design as much ink as the seen card has: another print, lens or exposure has more or
    less of it everywhere.

    The two designs are then distinguished by where ink is, not by how dark its lines are.
    """
    ink = apply_gain_and_offset(one.reduced_colours, 1.0, -one.paper_colour)
    off, heed = observed.reduced_colours - one.reduced_colours, downscale_by_few(weights)
    # the squared remainder after adding ink, as three terms of a polynomial in its amount
    without, both, all_ink = (sum_channels(a * b) for a, b in ((off, off), (ink, off), (ink, ink)))
    by = 0.0
    # twice: the second time without the pixels that no amount of ink explains
    for _ in range(2):
        left = without - np.float32(2 * by) * both + np.float32(by * by) * all_ink
        heavy = heed / (1 + left / np.float32(UNLIKE))
        by = float(np.vdot(heavy, both)) / max(float(np.vdot(heavy, all_ink)), 1e-6)
        by = float(np.clip(by, *MORE_INK))
    colours = apply_gain_and_offset(one.colours, 1 + by, -by * one.paper_colour)
    return PreparedPicture(colours, one.slope * np.float32((1 + by) ** 2))


def _scaled_square(difference: Map, tolerance: Map) -> Map:
    return sum_channels(np.asarray(difference * difference / tolerance, dtype=np.float32))


def _combined_loss(
    fine: Map, regions: list[Map] | None, design: int, noise: Map, textures: list[Map] | None
) -> Map:
    """Combine the pixels' difference with that of the regions round them, and make it robust."""
    if regions is None or textures is None:
        return robust_loss(fine)
    region = regions[design]
    broad = cv2.transform(region * region, (1 / noise)[None]) + textures[design]
    return robust_loss(fine + cv2.resize(broad, fine.shape[::-1], interpolation=cv2.INTER_LINEAR))


def _texture_differences(
    observed: PreparedPicture, first: PreparedPicture, second: PreparedPicture
) -> list[Map]:
    """Return how much the two designs differ in roughness, and the seen card from each, squared, in
    units of the harmless."""
    rough = [one.texture_strength for one in (first, second, observed)]
    harmless = np.float32(GRAIN**2) + np.float32(GRAIN_PART**2) * np.maximum(rough[0], rough[1]) ** 2
    return [
        (a - b) ** 2 / harmless for a, b in ((rough[0], rough[1]), (rough[2], rough[0]), (rough[2], rough[1]))
    ]


def _remove_shading(difference: Map, weights: Map) -> Map:
    difference[:, :, 0] -= estimate_shading(difference[:, :, 0], weights)
    return difference


def local_mean_difference(difference: Map) -> Map:
    """Return the mean difference around each pixel relative to that further around: wider
    differences are light and wear, not print.

    The result is `FEW` times smaller: means have no finer detail.
    """
    few = downscale_by_few(difference)
    near, far = (gaussian_blur(few, width / FEW) for width in (WIDE, SHADE))
    return np.asarray(near - far, dtype=np.float32)


def estimate_noise(first: Map, second: Map, weights: Map) -> Map:
    """Measure how much the mean colour of a region may differ harmlessly on this card, for each
    channel, squared, where both designs predict the same.

    `first`, `second`: the region means of the seen card against each. `weights` is large where
    there is print: paper fits well in any light, and the print shows how well the print is known.
    """
    # the smaller of the two, because only one design can be right
    least = np.minimum(first * first, second * second).reshape(-1, 3)
    mean = weights.ravel() @ np.minimum(least, MOST_WIDE) / max(float(weights.sum()), 1.0)
    return np.asarray(np.clip(3 * mean, LEAST_WIDE, MOST_WIDE), dtype=np.float32)


BRIGHTER, AS_BRIGHT = 1.6, 0.96
"""`BRIGHTER`: how many times as bright as shown a print may be that the camera shows white: at one
and a half stops (sRGB). `AS_BRIGHT`: part of a seen pixel's brightness from which print, so much
brighter, is not darker."""

FADED = 0.093
"""Density, mean of the channels, that the darkest ink of a card must lack for paler print to have
vanished altogether. On all tables of `bench tables`, a stop brighter, six of 352 cards were wrong
and sure, hatched for empty or the other way round, and 337 right; with it none and 315; half a stop
brighter, none and 339 of 343; without this condition 297 and 323."""

DENSE = 0.5
"""Part of the density of a design's darkest hundredth from which its ink is dense."""

FEWEST = 8
"""Least pixels of dense ink from which its paleness is measured."""


def unreadable_mask(
    observed: Pixels, burnt_mask: NDArray[np.bool_], designs: tuple[Pixels, Pixels]
) -> NDArray[np.bool_]:
    """Mark where neither design needs to be visible, on a card without margin with the pixels
    `burnt_mask` saturated: height x width."""
    # print that stays darker even if brightened as much would have to show
    darker = np.minimum(*designs) * np.float32(BRIGHTER) < np.float32(AS_BRIGHT) * observed
    return burnt_mask & ~darker.any(axis=2)


def is_ink_faded(observed: Pixels, laid: Pixels, in_sight: Map) -> bool:
    """Check whether the dense ink of a card is so much paler than that of the aligned design that
    the camera may have saturated paler print."""
    dark_laid, dark_seen = (ink_density(_halve_resolution(one)).mean(axis=2) for one in (laid, observed))
    dense = (dark_laid > DENSE * np.percentile(dark_laid, 99)) & (_halve_resolution(in_sight) > 0)
    return dense.sum() >= FEWEST and float(np.median((dark_laid - dark_seen)[dense])) > FADED


def _halve_resolution(of: Map) -> Map:
    size = (of.shape[1] // 2, of.shape[0] // 2)
    return np.asarray(cv2.resize(of, size, interpolation=cv2.INTER_AREA), dtype=np.float32)


TELLING = 60.0
"""Misfit, summed over the card, by which two designs must differ in its visible part to be
distinguished."""

HARDLY = 0.3
"""Part of what the better design explains below which another one needs no contest: over such
designs the better one led by 0.33 and more in 863 contests of cards of set81 and SET, further than
any deck's margin on them."""

OCCLUDED_IN_SIGHT, PART_IN_SIGHT = 0.5, 0.05
"""Part of the difference between two designs that must be visible beside things lying across the
card, and beside cards that lie on it. With both its pips hidden the jack of clubs was taken for
that of spades; by the upper rim of its sign a full oval for an empty one. Of playing cards half
hidden, with an index visible, three of seven have less than 0.1."""


UNBURNT = 0.5
"""Part of the difference between two designs that an overexposed card must still be able to
show."""


class LeadTable:
    """Leads of the designs on one seen card over each other; each contest is computed once."""

    def __init__(self, shown: ObservedCard, occluded: bool) -> None:
        self.shown, self.occluded = shown, occluded
        self._leads: dict[tuple[int, int], tuple[float, Explanation, Explanation]] = {}

    def find_winner(self, explanations: list[Explanation]) -> tuple[Explanation, float, Explanation | None]:
        """Find the explanation that leads all others; return it with its least lead and the rival
        of that lead.

        Of two designs only one can lead the other, so the first that leads everywhere is the only
        one that does.
        """
        if len(explanations) == 1:
            return explanations[0], 1.0, None
        best: tuple[Explanation, float, Explanation | None] = (explanations[0], -np.inf, None)
        # the one that fits best comes first, and mostly wins at once
        in_order = sorted(explanations, key=lambda e: e.cost)
        for one in in_order:
            lead, rival = self._least_lead(one, in_order, best[1])
            if lead > best[1]:
                best = (one, lead, rival)
            if lead > 0:
                break
        return best

    def _least_lead(
        self, explanation: Explanation, explanations: list[Explanation], enough: float
    ) -> tuple[float, Explanation]:
        """Return the least lead over another design. Stops at a lead of `enough` or less: the
        design is beaten then, whatever the others give."""
        rivals = [other for other in explanations if other is not explanation]
        least = (1.0, rivals[0])
        for other in rivals:
            if self.shown.whole and other.likeness < HARDLY * explanation.likeness:
                continue
            lead = self._lead_over(explanation, other)
            if lead < least[0]:
                least = (lead, other)
            if lead <= enough:
                break
        return least

    def _lead_over(self, explanation: Explanation, rival: Explanation) -> float:
        """Return the lead of one design over another; 0 where the visible part does not distinguish
        the two."""
        key = (id(explanation), id(rival))
        if key not in self._leads:
            shown = self.shown
            weights = np.minimum(explanation.weights, rival.weights)
            there = shown.to_explain if shown.whole else None
            result = run_contest(shown.view, explanation.laid, rival.laid, weights, there)
            telling = result.evidence > TELLING and self._has_enough_in_sight(
                explanation, rival, result.evidence
            )
            # both are stored with their lead, so that no other object can get their ids
            self._leads[key] = (result.lead if telling else 0.0, explanation, rival)
        return self._leads[key][0]

    def _has_enough_in_sight(self, one: Explanation, other: Explanation, in_sight: float) -> bool:
        """Check whether enough of the difference between two designs is visible: the visible part
        of a club may look like a spade's."""
        if self._is_burnt_away(one, other, in_sight):
            return False
        if self.shown.whole:
            return True
        rim = rim_weights(*self.shown.in_sight.shape)
        least = OCCLUDED_IN_SIGHT if self.occluded else PART_IN_SIGHT
        # the same contest with nothing hidden: how much they differ at all
        return in_sight >= least * run_contest(self.shown.view, one.laid, other.laid, rim, None).evidence

    def _is_burnt_away(self, one: Explanation, other: Explanation, in_sight: float) -> bool:
        """Check whether the card is overexposed, and most of the difference between two designs so
        pale that it would not show then."""
        shown = self.shown
        if shown.overexposed is None:
            return False
        if not any(is_ink_faded(shown.pixels, e.pixels, shown.in_sight) for e in (one, other)):
            return False
        gone = unreadable_mask(shown.pixels, shown.overexposed, (one.pixels, other.pixels))
        # without the print that may be saturated
        left = np.where(gone, np.float32(0), np.minimum(one.weights, other.weights))
        there = shown.to_explain if shown.whole else None
        return run_contest(shown.view, one.laid, other.laid, left, there).evidence < UNBURNT * in_sight


UNDER_SHADOW = 0.7
"""Lead that a design needs when a hard shadow had to be explained too, because alignment is less
exact then."""

CLEAR_LEAD = 0.8
"""Lead over the nearest rival that is enough for a design that explains nearly all of the card. Of
703 verdicts on cards of `bench tables`, on half of them without the card's own design, 186 were
reached from two designs, none different from those of three; by the lead alone one would have
been."""

Work = Generator[None, None, None]
"""Work in small steps of some milliseconds each."""


class Comparison:
    """The designs aligned with one seen card, at least one, and how well they explain it."""

    def __init__(self, query: CardQuery, laid: list[Candidate]) -> None:
        self._query, self._laid = query, laid
        self._shown = ObservedCard.from_query(query)
        self._leads = LeadTable(self._shown, query.occluded)
        self._rough = RoughComparison(query, self._shown)
        self._explanations: list[Explanation] = []
        references = query.library.references
        self._thought_of = {references[one.index].card for one in laid}

    def run_to_verdict(self, least_likeness: float = 0.0) -> Generator[None, None, Verdict]:
        """Explain the card by the nearest design, then by its rivals, and by all under a hard
        shadow if one lies on the card; return the best.

        `least_likeness`: likeness below which the caller needs no more: only the nearest design is
        explained then, and of a partly hidden card, of which the nearest is unknown, none if the
        rough look shows nothing.
        """
        if least_likeness and not self._shown.whole and not self._rough.explains_anything(self._laid):
            return Verdict.no_match(self._query, 0.0)
        yield from self._explain_designs(self._rough.take_nearest(self._laid, 1))
        if self._best_likeness < least_likeness:
            return Verdict.no_match(self._query, self._best_likeness)
        yield from self._explain_rivals(2)
        # of a partly hidden card, all that come near have been explained by now
        if not self._is_clear_winner() and self._shown.whole:
            yield from self._explain_rivals(CLOSELY)
        if self._best_likeness < IN_THE_OPEN:
            yield from self._explain_under_shadow()
        return self._build_verdict()

    @property
    def _best_likeness(self) -> float:
        """The greatest part of the card that a design explains."""
        return max(e.likeness for e in self._explanations)

    def _build_verdict(self) -> Verdict:
        query = self._query
        # leads computed before are reused
        best, lead, rival = self._leads.find_winner(self._explanations)
        if best.lit.cast is not None and lead < UNDER_SHADOW:
            lead = min(lead, 0.0)
        others = sorted((e for e in self._explanations if e is not best), key=lambda e: -e.likeness)
        candidates = tuple((e.card, round(max(0.0, e.likeness), 4)) for e in [best, *others])
        # corner 0 must be the card's own top left: turned if it lies upside down in its outline
        placed = np.ascontiguousarray(np.roll(query.quad, -2, axis=0)) if best.placed.upside else query.quad
        evidence = Evidence(
            query,
            placed,
            self._list_aligned(),
            _make_expected_look(best),
            tuple(_make_expected_look(one) for one in others),
        )
        beaten = None if rival is None else rival.card
        return Verdict(
            best.card, best.likeness, lead, beaten, candidates, placed, query.patch.detail, evidence
        )

    def _list_aligned(self) -> tuple[Candidate, ...]:
        known = {one.index for one in self._laid}
        return (*self._laid, *(e.placed for e in self._explanations if e.placed.index not in known))

    def _is_clear_winner(self) -> bool:
        """Check whether one design explains nearly all of the card, and leads its nearest rival by
        so much that no further one is needed."""
        best, lead, rival = self._leads.find_winner(self._explanations)
        return rival is not None and best.likeness >= IN_THE_OPEN and lead >= CLEAR_LEAD

    def _explain_rivals(self, limit: int) -> Work:
        """Explain the card by the nearest designs, at most `limit` in all, now including the
        look-alikes of the best so far."""
        best, _, _ = self._leads.find_winner(self._explanations)
        found = find_look_alikes(self._query, best.placed, self._thought_of)
        self._thought_of |= {self._query.library.references[one.index].card for one in found}
        yield from self._explain_designs(self._rough.take_nearest(found, limit))

    def _explain_designs(self, designs: list[Candidate]) -> Work:
        for one in align_exactly(self._query, designs):
            self._explanations.append(explain_without_shadow(self._query, self._shown, one))
            yield

    def _explain_under_shadow(self) -> Work:
        """Explain the card again with the hard shadow that lies on it, if there is one: all designs
        with the same shadow, including those that looked far off because of it."""
        query, shown, explanations, most = self._query, self._shown, self._explanations, self._best_likeness
        for i, one in enumerate(explanations):
            if one.likeness < HARDLY * most:
                continue
            explanations[i] = explain_with_shadow(query, shown, one)
            if explanations[i].lit.cast is not None:
                yield  # a card without a shadow is decided at once
        best, _, _ = self._leads.find_winner(explanations)
        if best.lit.cast is None:
            return
        explanations += [
            explain_without_shadow(query, shown, one)
            for one in align_exactly(query, self._rough.take_remaining())
        ]
        for i, other in enumerate(explanations):
            if other is not best:
                explanations[i] = improve_by_shadow_of_best(query, shown, other, best)
                yield


def _make_expected_look(of: Explanation) -> ExpectedLook:
    return ExpectedLook(of.placed, of.pixels, of.lit.pixels, of.weights, of.lit.in_sight)
