"""Naming one card: a contest of the designs that explain it best."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vision.fitting.compare import rim_weights
from vision.fitting.patch import WIDTH
from vision.geometry import NEXT, Quad, aspect, upright
from vision.library import Library
from vision.naming.candidates import Candidate, Query, align_candidates, realign, twins
from vision.naming.case import Case
from vision.naming.contest import contest
from vision.naming.explain import IN_THE_OPEN, Explanation, SeenCard, explain, explain_alike, shaded
from vision.naming.response import Response
from vision.naming.rough_look import CLOSELY, RoughLook
from vision.steps import finish

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

UNDER_SHADOW = 0.7
"""Lead that a design needs when a hard shadow had to be explained too: laying it over the card is
less exact then."""


@dataclass(frozen=True)
class Verdict:
    """What the comparison says of one card, before any margin is applied.

    `card`: the best explanation, None if nothing comes near; `likeness`: how much of the card it
    explains, at most 1; `lead`: the least lead over any other design, -1..1; `rival`: that design;
    `candidates`: designs with their likeness, best first; `quad`: corner 0 is the card's own top
    left; `case`: what it rests on, if something comes near.
    """

    card: str | None
    likeness: float
    lead: float
    rival: str | None
    candidates: tuple[tuple[str, float], ...]
    quad: Quad
    detail: float
    case: Case | None = field(default=None, repr=False, compare=False)


Steps = Generator[None, None, Verdict]
"""Work that can be put down and taken up again: some milliseconds a step, and at the end the
verdict."""


def identify(
    image: NDArray[np.uint8],
    quad: Quad,
    library: Library,
    hidden: Sequence[Quad] = (),
    without: str | None = None,
    response: Response | None = None,
) -> Verdict:
    """Compare the card in `quad` of a BGR picture with every design of the library.

    `hidden`: quads of things that lie on the card; what they cover is left out of account.
    `without`: a design to leave out, for asking what its card would be taken for. `response`: how
    the picture renders the ink.
    """
    return finish(identifying(image, quad, library, hidden, without, response))


def identifying(
    image: NDArray[np.uint8],
    quad: Quad,
    library: Library,
    hidden: Sequence[Quad] = (),
    without: str | None = None,
    response: Response | None = None,
    least: float = 0.0,
    sideways: bool = False,
) -> Steps:
    """Do the work of `identify` in small steps, some milliseconds each; `image` is used in the
    first only.

    `least`: likeness below which nobody wants to know more: neither look-alikes nor shadows are
    tried then. `sideways`: the longer sides in the picture are the card's shorter ones, as of a
    card that is seen from a great slant.
    """
    standing = upright(quad)[NEXT] if sideways else upright(quad)
    ways = _ways_up(standing, library)
    verdicts = []
    for query in [Query.take(image, way, library, hidden, without, response) for way in ways]:
        verdicts.append((yield from _judge(query, least)))
    return max(verdicts, key=lambda v: v.likeness)


def identifying_crossed(
    image: NDArray[np.uint8], quad: Quad, library: Library, least: float = 0.0
) -> Generator[None, None, Verdict | None]:
    """As `identifying`, for a card of which only what lies across it is hidden: it is looked for
    and left out of account. None if nothing does."""
    verdicts = []
    for query in [Query.cleared(image, way, library) for way in _ways_up(upright(quad), library)]:
        if query is not None:
            verdicts.append((yield from _judge(query, least)))
    return max(verdicts, key=lambda v: v.likeness, default=None)


def _ways_up(standing: Quad, library: Library) -> list[Quad]:
    """Nearly square, seen from the side or as printed, either side may be the short one."""
    square = aspect(standing) < 1.2 or library.height < 1.2 * WIDTH
    return [standing, standing[NEXT]] if square else [standing]


def identifying_again(case: Case, response: Response) -> Steps:
    """Ask the designs that were laid over a card again, now that it is known how the picture
    renders ink: where they lie is known already."""
    query = case.query.rendered(response)
    return (yield from _compare(query, realign(query, case.laid), 0.0))


def _judge(query: Query, least: float) -> Steps:
    return (yield from _compare(query, (yield from align_candidates(query)), least))


def _compare(query: Query, laid: list[Candidate], least: float) -> Steps:
    if not laid:
        return Verdict(None, 0.0, -1.0, None, (), query.quad, query.patch.detail)
    shown = SeenCard.of(query)
    bout = _Bout(shown, query.crossed)
    yield
    rough = RoughLook(query, shown)
    explanations = []
    for one in rough.nearest(laid, CLOSELY - 1):
        explanations.append(explain(query, shown, one))
        yield
    best = min(explanations, key=lambda e: e.cost)
    if max(e.likeness for e in explanations) < least:
        return Verdict(None, best.likeness, -1.0, None, (), query.quad, query.patch.detail)
    best, lead, rival = bout.winner(explanations)
    found = twins(query, best.placed, {query.library.references[one.index].card for one in laid})
    fought = len(explanations)
    for one in rough.nearest(found, CLOSELY):
        explanations.append(explain(query, shown, one))
        yield
    # Held again only where a look-alike has joined; the leads fought before are kept.
    if len(explanations) > fought:
        best, lead, rival = bout.winner(explanations)
    if max(e.likeness for e in explanations) < IN_THE_OPEN:
        yield from _shade(query, shown, bout, explanations, rough)
        best, lead, rival = bout.winner(explanations)
    if best.lit.cast is not None and lead < UNDER_SHADOW:
        lead = min(lead, 0.0)
    others = sorted((e for e in explanations if e is not best), key=lambda e: -e.likeness)
    candidates = tuple((e.card, round(max(0.0, e.likeness), 4)) for e in [best, *others])
    placed = np.ascontiguousarray(np.roll(query.quad, -2, axis=0)) if best.placed.upside else query.quad
    case = Case(
        query, (*laid, *found), best.placed, best.pixels, best.lit.pixels, best.weights, best.lit.in_sight
    )
    return Verdict(best.card, best.likeness, lead, rival, candidates, placed, query.patch.detail, case)


def _shade(
    query: Query, shown: SeenCard, bout: "_Bout", explanations: list[Explanation], rough: RoughLook
) -> Generator[None, None, None]:
    """Explain the card anew with the hard shadow that lies on it, all designs with the same one, if
    there is any: those too that the shadow had made look far off."""
    most = max(e.likeness for e in explanations)
    for i, one in enumerate(explanations):
        if one.likeness < HARDLY * most:
            continue
        explanations[i] = shaded(query, shown, one)
        if explanations[i].lit.cast is not None:
            yield  # where there is no shadow, that is seen at once
    best, _, _ = bout.winner(explanations)
    if best.lit.cast is None:
        return
    explanations += [explain(query, shown, one) for one in rough.rest()]
    for i, other in enumerate(explanations):
        if other is not best:
            explanations[i] = explain_alike(query, shown, other, best)
            yield


class _Bout:
    """The contests of the designs over one seen card, each fought once."""

    def __init__(self, shown: SeenCard, crossed: bool) -> None:
        self.shown, self.crossed = shown, crossed
        self._leads: dict[tuple[int, int], tuple[float, Explanation, Explanation]] = {}

    def winner(self, explanations: list[Explanation]) -> tuple[Explanation, float, str | None]:
        """Find the explanation that leads all others, its least lead and over whom.

        Of two only one can lead the other, so the first that leads everywhere is the only one that
        does.
        """
        if len(explanations) == 1:
            return explanations[0], 1.0, None
        best: tuple[Explanation, float, str | None] = (explanations[0], -np.inf, None)
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
    ) -> tuple[float, str | None]:
        """The least lead over another design; what leads by no more than `enough` is beaten,
        whatever more would come."""
        rivals = [other for other in all_of_them if other is not one]
        least: tuple[float, str | None] = (1.0, rivals[0].card)
        for other in rivals:
            if self.shown.whole and other.likeness < HARDLY * one.likeness:
                continue
            lead = self._lead(one, other)
            if lead < least[0]:
                least = (lead, other.card)
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
        if self.shown.whole:
            return True
        rim = rim_weights(*self.shown.in_sight.shape)
        least = CROSSED_IN_SIGHT if self.crossed else PART_IN_SIGHT
        return in_sight >= least * contest(self.shown.view, one.laid, other.laid, rim, None).evidence
