"""Identify one card: compare the designs that come near, either way up if necessary."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.fitting.patch import WIDTH
from vision.geometry import NEXT, Quad, aspect_ratio, start_on_short_side
from vision.library import Library
from vision.naming.candidates import Candidate, CardQuery, align_candidates, reuse_candidates
from vision.naming.comparison import Comparison
from vision.naming.evidence import Evidence, Verdict
from vision.naming.ink_response import Response
from vision.steps import Steps, run_to_end

Picture = NDArray[np.uint8]


@dataclass(frozen=True)
class NamingTerms:
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


USUAL = NamingTerms()
"""Default: the card is fully visible, rendered as it was enrolled, and a full comparison is
wanted."""


def identify_card(image: Picture, quad: Quad, library: Library, terms: NamingTerms = USUAL) -> Verdict:
    """Compare the card in `quad` of a BGR picture with every design of the library."""
    return run_to_end(identify_in_steps(image, quad, library, terms))


def identify_in_steps(
    image: Picture, quad: Quad, library: Library, terms: NamingTerms = USUAL
) -> Steps[Verdict]:
    """Do the work of `identify_card` in small steps of some milliseconds each; `image` is used in
    the first only."""
    standing = start_on_short_side(quad)[NEXT] if terms.sideways else start_on_short_side(quad)
    queries = [
        CardQuery.from_picture(image, way, library, terms.hidden, terms.without, terms.response)
        for way in _list_orientations(standing, library)
    ]
    verdicts = yield from _compare_each(queries, terms.least)
    return max(verdicts, key=lambda verdict: verdict.likeness)


def identify_crossed_in_steps(
    image: Picture, quad: Quad, library: Library, least: float = 0.0
) -> Steps[Verdict | None]:
    """Do the same for a card hidden only by something that lies across it, which is found and
    ignored. Returns None if there is nothing."""
    cleared = [
        CardQuery.from_crossed_card(image, way, library)
        for way in _list_orientations(start_on_short_side(quad), library)
    ]
    # to find what lies across takes as long as to align candidates
    yield
    verdicts = yield from _compare_each([query for query in cleared if query is not None], least)
    return max(verdicts, key=lambda verdict: verdict.likeness, default=None)


def reidentify_in_steps(evidence: Evidence, response: Response) -> Steps[Verdict]:
    """Compare a card again with the designs that were aligned with it, now that it is known how the
    picture renders ink; their places are kept."""
    return (
        yield from _compare_candidates(
            evidence.query.with_response(response), reuse_candidates(evidence.laid), 0.0
        )
    )


def _compare_each(queries: Sequence[CardQuery], least: float) -> Steps[list[Verdict]]:
    verdicts = []
    for query in queries:
        laid = yield from align_candidates(query)
        verdicts.append((yield from _compare_candidates(query, laid, least)))
    return verdicts


def _compare_candidates(query: CardQuery, laid: list[Candidate], least: float) -> Steps[Verdict]:
    if not laid:
        return Verdict.no_match(query, 0.0)
    comparison = Comparison(query, laid)
    # preparing the card took some milliseconds: a step ends here
    yield
    return (yield from comparison.run_to_verdict(least))


def _list_orientations(quad: Quad, library: Library) -> list[Quad]:
    """Return the orientations to try: of a nearly square card, seen from the side or as printed,
    either side may be the short one."""
    square = aspect_ratio(quad) < 1.2 or library.patch_height < 1.2 * WIDTH
    return [quad, quad[NEXT]] if square else [quad]
