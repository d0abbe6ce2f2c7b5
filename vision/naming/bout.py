"""The contests of the designs over one seen card."""

import numpy as np

from vision.fitting.compare import rim_weights
from vision.naming.contest import contest
from vision.naming.explain import Explanation, SeenCard
from vision.naming.overexposed import is_faded, lost

TELLING = 60.0
"""Misfit, summed over the card, by which two designs must differ in what is in sight to be told
apart."""

HARDLY = 0.3
"""Part of what the better design explains below which another one's explanation needs no contest:
over such the better one led by 0.33 and more in 863 contests of cards of set81 and SET, further
than any deck's margin on them."""

CROSSED_IN_SIGHT, PART_IN_SIGHT = 0.5, 0.05
"""Part of the difference between two designs that must show beside what lies across the card, and
beside cards that lie on it. With both its pips hidden the jack of clubs was taken for that of
spades; by the upper rim of its sign a full oval for an empty one. Of playing cards half hidden,
with an index in sight, three of seven have less than 0.1."""


UNBURNT = 0.5
"""Part of the difference between two designs that an overexposed card must still be able to
show."""


class Bout:
    """The contests of the designs over one seen card, each fought once."""

    def __init__(self, shown: SeenCard, crossed: bool) -> None:
        self.shown, self.crossed = shown, crossed
        self._leads: dict[tuple[int, int], tuple[float, Explanation, Explanation]] = {}

    def winner(self, explanations: list[Explanation]) -> tuple[Explanation, float, Explanation | None]:
        """Find the explanation that leads all others, its least lead and over whom.

        Of two only one can lead the other, so the first that leads everywhere is the only one that
        does.
        """
        if len(explanations) == 1:
            return explanations[0], 1.0, None
        best: tuple[Explanation, float, Explanation | None] = (explanations[0], -np.inf, None)
        in_order = sorted(explanations, key=lambda e: e.cost)
        for one in in_order:
            lead, rival = self._least_lead(one, in_order, best[1])
            if lead > best[1]:
                best = (one, lead, rival)
            if lead > 0:
                break
        return best

    def _least_lead(
        self, one: Explanation, all_of_them: list[Explanation], enough: float
    ) -> tuple[float, Explanation]:
        """The least lead over another design; what leads by no more than `enough` is beaten,
        whatever more would come."""
        rivals = [other for other in all_of_them if other is not one]
        least = (1.0, rivals[0])
        for other in rivals:
            if self.shown.whole and other.likeness < HARDLY * one.likeness:
                continue
            lead = self._lead(one, other)
            if lead < least[0]:
                least = (lead, other)
            if lead <= enough:
                break
        return least

    def _lead(self, one: Explanation, other: Explanation) -> float:
        """The lead of one design over another; 0 where what is in sight does not tell the two
        apart."""
        key = (id(one), id(other))
        if key not in self._leads:
            shown = self.shown
            weights = np.minimum(one.weights, other.weights)
            there = shown.to_explain if shown.whole else None
            result = contest(shown.view, one.laid, other.laid, weights, there)
            telling = result.evidence > TELLING and self._enough_shows(one, other, result.evidence)
            # the two are kept with their lead, so that no other can get their ids
            self._leads[key] = (result.lead if telling else 0.0, one, other)
        return self._leads[key][0]

    def _enough_shows(self, one: Explanation, other: Explanation, in_sight: float) -> bool:
        """Whether enough of what the two differ in is in sight: what is left of a club may be a
        spade's."""
        if self._is_burnt_away(one, other, in_sight):
            return False
        if self.shown.whole:
            return True
        rim = rim_weights(*self.shown.in_sight.shape)
        least = CROSSED_IN_SIGHT if self.crossed else PART_IN_SIGHT
        return in_sight >= least * contest(self.shown.view, one.laid, other.laid, rim, None).evidence

    def _is_burnt_away(self, one: Explanation, other: Explanation, in_sight: float) -> bool:
        """Whether the card is overexposed, and most of what the two differ in so pale that it would
        not show then."""
        shown = self.shown
        if shown.overexposed is None:
            return False
        if not any(is_faded(shown.pixels, e.pixels, shown.in_sight) for e in (one, other)):
            return False
        gone = lost(shown.pixels, shown.overexposed, (one.pixels, other.pixels))
        left = np.where(gone, np.float32(0), np.minimum(one.weights, other.weights))
        there = shown.to_explain if shown.whole else None
        return contest(shown.view, one.laid, other.laid, left, there).evidence < UNBURNT * in_sight
