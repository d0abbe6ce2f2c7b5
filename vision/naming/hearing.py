"""A card's hearing: the designs that were laid over it explain it, and which does best."""

from collections.abc import Generator

import numpy as np

from vision.naming.bout import HARDLY, Bout
from vision.naming.candidates import Candidate, Query, laid_well, twins
from vision.naming.case import Case, Look, Verdict
from vision.naming.explain import IN_THE_OPEN, Explanation, SeenCard, explain, explain_alike, shaded
from vision.naming.rough_look import CLOSELY, RoughLook

UNDER_SHADOW = 0.7
"""Lead that a design needs when a hard shadow had to be explained too: laying it over the card is
less exact then."""

CLEAR_LEAD = 0.8
"""Lead over the nearest rival that is enough for a design that explains nearly all of the card. Of
703 verdicts on cards of `bench.vision_tables`, on half of them without the card's own design, 186
were told so from two designs, none otherwise than from three; by the lead alone one would have
been."""

Work = Generator[None, None, None]
"""Work in small steps, some milliseconds each."""


class Hearing:
    """The designs laid over one seen card, one at least, and how they explain it."""

    def __init__(self, query: Query, laid: list[Candidate]) -> None:
        self._query, self._laid = query, laid
        self._shown = SeenCard.of(query)
        self._bout = Bout(self._shown, query.crossed)
        self._rough = RoughLook(query, self._shown)
        self._explanations: list[Explanation] = []
        references = query.library.references
        self._thought_of = {references[one.index].card for one in laid}

    def held(self, least: float = 0.0) -> Generator[None, None, Verdict]:
        """Hear the design that comes nearest, then its rivals, and all under the hard shadow that
        lies on the card; tell which explains it best.

        `least`: likeness below which nobody wants to know more: only the nearest is heard then.
        """
        yield from self._explain(self._rough.nearest(self._laid, 1))
        if self._likeness < least:
            return Verdict.nobody(self._query, self._likeness)
        yield from self._explain_rivals(2)
        if not self._is_clear() and self._shown.whole:  # else all that come near were asked at once
            yield from self._explain_rivals(CLOSELY)
        if self._likeness < IN_THE_OPEN:
            yield from self._shade()
        return self._verdict()

    @property
    def _likeness(self) -> float:
        """How much of the card the design that explains most of it explains."""
        return max(e.likeness for e in self._explanations)

    def _verdict(self) -> Verdict:
        query = self._query
        # leads are fought once each: what was told before is not fought again
        best, lead, rival = self._bout.winner(self._explanations)
        if best.lit.cast is not None and lead < UNDER_SHADOW:
            lead = min(lead, 0.0)
        others = sorted((e for e in self._explanations if e is not best), key=lambda e: -e.likeness)
        candidates = tuple((e.card, round(max(0.0, e.likeness), 4)) for e in [best, *others])
        placed = np.ascontiguousarray(np.roll(query.quad, -2, axis=0)) if best.placed.upside else query.quad
        case = Case(query, placed, self._all_laid(), _look(best), tuple(_look(one) for one in others))
        beaten = None if rival is None else rival.card
        return Verdict(best.card, best.likeness, lead, beaten, candidates, placed, query.patch.detail, case)

    def _all_laid(self) -> tuple[Candidate, ...]:
        known = {one.index for one in self._laid}
        return (*self._laid, *(e.placed for e in self._explanations if e.placed.index not in known))

    def _is_clear(self) -> bool:
        """Whether one design explains nearly all of the card, and leads its nearest rival by so
        much that no further one is asked for."""
        best, lead, rival = self._bout.winner(self._explanations)
        return rival is not None and best.likeness >= IN_THE_OPEN and lead >= CLEAR_LEAD

    def _explain_rivals(self, most: int) -> Work:
        """Explain what comes near, at most so many designs in all, now with the look-alikes of the
        best so far."""
        best, _, _ = self._bout.winner(self._explanations)
        found = twins(self._query, best.placed, self._thought_of)
        self._thought_of |= {self._query.library.references[one.index].card for one in found}
        yield from self._explain(self._rough.nearest(found, most))

    def _explain(self, designs: list[Candidate]) -> Work:
        for one in laid_well(self._query, designs):
            self._explanations.append(explain(self._query, self._shown, one))
            yield

    def _shade(self) -> Work:
        """Explain the card anew with the hard shadow that lies on it, all designs with the same
        one, if there is any: those too that the shadow had made look far off."""
        query, shown, explanations, most = self._query, self._shown, self._explanations, self._likeness
        for i, one in enumerate(explanations):
            if one.likeness < HARDLY * most:
                continue
            explanations[i] = shaded(query, shown, one)
            if explanations[i].lit.cast is not None:
                yield  # where there is no shadow, that is seen at once
        best, _, _ = self._bout.winner(explanations)
        if best.lit.cast is None:
            return
        explanations += [explain(query, shown, one) for one in laid_well(query, self._rough.rest())]
        for i, other in enumerate(explanations):
            if other is not best:
                explanations[i] = explain_alike(query, shown, other, best)
                yield


def _look(of: Explanation) -> Look:
    return Look(of.placed, of.pixels, of.lit.pixels, of.weights, of.lit.in_sight)
