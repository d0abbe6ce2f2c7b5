"""Cards that something lies across, or a lamp is mirrored in: found by the corners that show, or by
the pieces of their border, read by what shows."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from vision.further import promising_in
from vision.geometry import Quad, rectangle
from vision.outlines import joined
from vision.outlines.covers import beyond, over
from vision.outlines.occlusion import seeking
from vision.outlines.shape import of_card_shape
from vision.reading import Reading, is_piece
from vision.same_print import is_promising, verified_part
from vision.steps import finish

Picture = NDArray[np.uint8]


def crossed(
    image: Picture,
    found: Sequence[Reading],
    wanted: float,
    across: Callable[[Picture, Quad], Reading | None],
) -> list[Reading]:
    """The cards whose border is crossed so that no outline was found, and those that are promising
    when they are read again without what lies across them.

    `found`: what was read in the picture. `wanted`: a card's long by its short side. `across` reads
    a card without what lies across it, None if nothing does. Their print is still to be asked for,
    but does not decide alone: of what shows beside a cable the verifier took a green card for the
    purple one. A completed card may lie under more than a cable: it must show its print as
    certainly as one of which only a part is in sight.
    """
    sure = [r.quad for r in found if r.sure]
    unsure = [r for r in found if not r.sure and of_card_shape(r.quad, sure, wanted)]
    again = [one for r in unsure if (one := across(image, r.quad)) is not None and is_promising(one)]
    fits = partial(of_card_shape, sure=sure, wanted=wanted)

    def part(quad: Quad) -> Reading | None:
        reading = across(image, quad)
        return None if reading is None else verified_part(reading)

    known = [*found, *again]
    completed = promising_in(_completed(image, known, wanted), known, fits, part)
    known += completed
    borders = (one.quad for one in joined.outlines(image, [r.quad for r in known if r.sure], wanted))
    return [*again, *completed, *promising_in(borders, known, fits, partial(across, image))]


def _completed(image: Picture, known: Sequence[Reading], wanted: float) -> Iterator[Quad]:
    """Cards completed from a corner that shows, on which no known one lies and which the edge of
    the picture does not cut off: those are read as parts, by what is in sight of them."""
    frame = rectangle(image.shape[1], image.shape[0])
    for one in finish(seeking(image, [r.quad for r in known if r.sure], wanted)):
        lying = [r.quad for r in known if not is_piece(r, one.quad)]
        if not over(one.quad, [*lying, *beyond(one.quad, frame)]):
            yield one.quad
