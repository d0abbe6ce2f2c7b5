"""Naming one card: a contest of the designs that explain it best."""

from collections.abc import Generator, Sequence

import numpy as np
from numpy.typing import NDArray

from vision.fitting.patch import WIDTH
from vision.geometry import NEXT, Quad, aspect, upright
from vision.library import Library
from vision.naming.candidates import Query, align_candidates, realign
from vision.naming.case import Case, Verdict
from vision.naming.hearing import Hearing
from vision.naming.response import Response
from vision.steps import finish

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
    hearing = Hearing(query, realign(query, case.laid))
    yield from hearing.glance()
    yield from hearing.closely()
    return hearing.verdict()


def _judge(query: Query, least: float) -> Steps:
    hearing = Hearing(query, (yield from align_candidates(query)))
    yield from hearing.glance()
    if hearing.likeness < least:
        return Verdict.nobody(query, hearing.likeness)
    yield from hearing.closely()
    return hearing.verdict()
