"""Naming one card: a contest of the designs that explain it best."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from vision.candidates import Seen, aligned, twins
from vision.compare import Contest, contest
from vision.explain import Explanation, Shown, explain, explain_alike
from vision.geometry import NEXT, Quad, aspect, upright
from vision.library import Library
from vision.patch import WIDTH

TELLING = 60.0
"""Misfit, summed over the card, by which two designs must differ in what is in sight to be told apart."""


UNDER_SHADOW = 0.8
"""Lead that a design needs when a hard shadow had to be explained too: laying it over the card is less exact then."""


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
    for seen in [Seen.take(image, q, library, hidden, without) for q in quads]:
        verdicts.append((yield from _judge(seen)))
    return max(verdicts, key=lambda v: v.likeness)


def finish(steps: Generator[None, None, Result]) -> Result:
    """Do all steps of a piece of work and return what comes of it."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return cast(Result, end.value)


def _judge(seen: Seen) -> Steps:
    laid = yield from aligned(seen)
    if not laid:
        return Verdict(None, 0.0, -1.0, None, (), seen.quad, seen.patch.detail)
    shown = Shown.of(seen)
    yield
    explanations = []
    for one in laid:
        explanations.append(explain(seen, shown, one))
        yield
    best, lead, rival = _winner(explanations)
    for twin in twins(seen, best.placed, {e.card for e in explanations}):
        explanations.append(explain(seen, shown, twin))
        yield
    if len(explanations) > len(laid):
        best, lead, rival = _winner(explanations)
    if best.lit.cast is not None:
        for i, other in enumerate(explanations):
            if other is not best:
                explanations[i] = explain_alike(seen, shown, other, best)
                yield
        best, lead, rival = _winner(explanations)
    if best.lit.cast is not None and lead < UNDER_SHADOW:
        lead = min(lead, 0.0)
    others = sorted((e for e in explanations if e is not best), key=lambda e: -e.likeness)
    candidates = tuple((e.card, round(max(0.0, e.likeness), 4)) for e in [best, *others])
    placed = np.ascontiguousarray(np.roll(seen.quad, -2, axis=0)) if best.placed.upside else seen.quad
    return Verdict(best.card, best.likeness, lead, rival, candidates, placed, seen.patch.detail)


def _winner(explanations: list[Explanation]) -> tuple[Explanation, float, str | None]:
    """Find the explanation that leads all others, its least lead and over whom.

    Of two only one can lead the other, so the first that leads everywhere is the only one that does.
    """
    if len(explanations) == 1:
        return explanations[0], 1.0, None
    best: tuple[Explanation, float, str | None] | None = None
    for one in sorted(explanations, key=lambda e: e.cost):
        lead, rival = _least_lead(one, explanations)
        if best is None or lead > best[1]:
            best = (one, lead, rival)
        if lead > 0:
            break
    assert best is not None
    return best


def _least_lead(one: Explanation, all_of_them: list[Explanation]) -> tuple[float, str | None]:
    """The least lead over another design; none where what is in sight does not tell the two apart."""
    leads = []
    for other in all_of_them:
        if other is not one:
            result = _contest(one, other)
            leads.append((result.lead if result.evidence > TELLING else 0.0, other.card))
    return min(leads, key=lambda r: r[0])


def _contest(a: Explanation, b: Explanation) -> Contest:
    return contest(a.laid, b.laid, a.misfit, b.misfit, np.minimum(a.weights, b.weights))
