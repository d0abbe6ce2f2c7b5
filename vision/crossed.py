"""Cards that something lies across, or a lamp is mirrored in: found by the pieces of their border,
read by what shows."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from vision.further import promising_in
from vision.geometry import Quad
from vision.outlines import joined
from vision.outlines.occlusion import seeking
from vision.outlines.shape import of_card_shape
from vision.reading import Reading
from vision.same_print import is_promising
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
    purple one.
    """
    sure = [r.quad for r in found if r.sure]
    unsure = [r for r in found if not r.sure and of_card_shape(r.quad, sure, wanted)]
    again = [one for r in unsure if (one := across(image, r.quad)) is not None and is_promising(one)]
    known = [*found, *again]
    quads = _outlines(image, [r.quad for r in known if r.sure], wanted)
    fits = partial(of_card_shape, sure=sure, wanted=wanted)
    return [*again, *promising_in(quads, known, fits, partial(across, image))]


def _outlines(image: Picture, known: Sequence[Quad], wanted: float) -> Iterator[Quad]:
    """Where cards may lie that are no `known` ones, the likeliest first: completed from a corner
    that shows, or joined from pieces of the border."""
    yield from (one.quad for one in finish(seeking(image, known, wanted)))
    yield from (one.quad for one in joined.outlines(image, known, wanted))
