"""Identify one card: compare the designs that come near, either way up if necessary."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.fitting.patch import WIDTH
from vision.geometry import NEXT, Quad, aspect, upright
from vision.library import Library
from vision.naming.candidates import Candidate, Query, align_candidates, laid_before
from vision.naming.contest import Comparison
from vision.naming.evidence import Evidence, Verdict
from vision.naming.response import Response
from vision.steps import finish

Picture = NDArray[np.uint8]

Steps = Generator[None, None, Verdict]
"""Work that can be interrupted and continued, some milliseconds a step; returns the verdict."""


@dataclass(frozen=True)
class Terms:
    """Conditions under which a card is compared with the designs.

    `hidden`: quads of things that lie on the card; what they cover is ignored. `without`: a design
    to leave out, to find what its card would be taken for. `response`: how the picture renders the
    ink. `least`: likeness below which the caller needs no more: neither look-alikes nor shadows are
    tried then. `sideways`: the longer sides in the picture are the card's shorter ones, as of a
    card seen at a great slant.
    """

    hidden: Sequence[Quad] = ()
    without: str | None = None
    response: Response | None = None
    least: float = 0.0
    sideways: bool = False


USUAL = Terms()
"""Default: the card is fully visible, rendered as it was enrolled, and a full comparison is
wanted."""


def identify(image: Picture, quad: Quad, library: Library, terms: Terms = USUAL) -> Verdict:
    """Compare the card in `quad` of a BGR picture with every design of the library."""
    return finish(identifying(image, quad, library, terms))


def identifying(image: Picture, quad: Quad, library: Library, terms: Terms = USUAL) -> Steps:
    """Do the work of `identify` in small steps of some milliseconds each; `image` is used in the
    first only."""
    standing = upright(quad)[NEXT] if terms.sideways else upright(quad)
    queries = [
        Query.take(image, way, library, terms.hidden, terms.without, terms.response)
        for way in _ways_up(standing, library)
    ]
    verdicts = yield from _each_compared(queries, terms.least)
    return max(verdicts, key=lambda verdict: verdict.likeness)


def identifying_occluded(
    image: Picture, quad: Quad, library: Library, least: float = 0.0
) -> Generator[None, None, Verdict | None]:
    """Do the same for a card hidden only by something that lies across it, which is found and
    ignored. Returns None if there is nothing."""
    cleared = [Query.cleared(image, way, library) for way in _ways_up(upright(quad), library)]
    verdicts = yield from _each_compared([query for query in cleared if query is not None], least)
    return max(verdicts, key=lambda verdict: verdict.likeness, default=None)


def identifying_again(evidence: Evidence, response: Response) -> Steps:
    """Compare a card again with the designs that were aligned with it, now that it is known how the
    picture renders ink; their places are kept."""
    return (yield from _compared(evidence.query.rendered(response), laid_before(evidence.laid), 0.0))


def _each_compared(queries: Sequence[Query], least: float) -> Generator[None, None, list[Verdict]]:
    verdicts = []
    for query in queries:
        laid = yield from align_candidates(query)
        verdicts.append((yield from _compared(query, laid, least)))
    return verdicts


def _compared(query: Query, laid: list[Candidate], least: float) -> Steps:
    if not laid:
        return Verdict.nobody(query, 0.0)
    comparison = Comparison(query, laid)
    # preparing the card took some milliseconds: a step ends here
    yield
    return (yield from comparison.verdict(least))


def _ways_up(standing: Quad, library: Library) -> list[Quad]:
    """Return the orientations to try: of a nearly square card, seen from the side or as printed,
    either side may be the short one."""
    square = aspect(standing) < 1.2 or library.height < 1.2 * WIDTH
    return [standing, standing[NEXT]] if square else [standing]
