"""Cards that something lies across, or a lamp is mirrored in: found by the corners that show, or by
the pieces of their border, read by what shows."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from vision.further import sure_in
from vision.geometry import Quad, rectangle
from vision.outlines import joined
from vision.outlines.covers import beyond, over
from vision.outlines.occlusion import seeking
from vision.outlines.shape import of_card_shape
from vision.reading import Reading, is_piece
from vision.same_print import verified_part
from vision.steps import finish

Picture = NDArray[np.uint8]


def crossed(
    image: Picture,
    found: Sequence[Reading],
    wanted: float,
    across: Callable[[Picture, Quad], Reading | None],
) -> list[Reading]:
    """The cards whose border is crossed so that no outline was found, and those that are sure when
    they are read again without what lies across them.

    `found`: what was read in the picture. `wanted`: a card's long by its short side. `across` reads
    a card without what lies across it, None if nothing does. What shows beside a cable or a lamp is
    a part of a card and must show its print as certainly as one: half burnt away, empty signs
    passed for striped ones.
    """

    def read(quad: Quad) -> Reading | None:
        reading = across(image, quad)
        return None if reading is None else verified_part(reading)

    sure = [r.quad for r in found if r.sure]
    fits = partial(of_card_shape, sure=sure, wanted=wanted)
    unsure = [r.quad for r in found if not r.sure and fits(r.quad)]
    known = [*found, *(one for quad in unsure if (one := read(quad)) is not None and one.sure)]
    known += sure_in(_completed(image, known, wanted), known, fits, read)
    borders = (one.quad for one in joined.outlines(image, [r.quad for r in known if r.sure], wanted))
    known += sure_in(borders, known, fits, read)
    return known[len(found) :]


def _completed(image: Picture, known: Sequence[Reading], wanted: float) -> Iterator[Quad]:
    """Cards completed from a corner that shows, on which no known one lies and which the edge of
    the picture does not cut off: those are read as parts, by what is in sight of them."""
    frame = rectangle(image.shape[1], image.shape[0])
    for one in finish(seeking(image, [r.quad for r in known if r.sure], wanted)):
        lying = [r.quad for r in known if not is_piece(r, one.quad)]
        if not over(one.quad, [*lying, *beyond(one.quad, frame)]):
            yield one.quad
