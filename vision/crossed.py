"""Cards that something lies across, or a lamp is mirrored in: found by the pieces of their border,
read by what shows."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from vision.further import sure_in
from vision.geometry import Quad
from vision.outlines import joined
from vision.outlines.shape import of_card_shape
from vision.reading import Reading

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
    a card without what lies across it, None if nothing does. Only sure ones are believed: of what
    shows beside a cable the verifier alone took a green card for the purple one.
    """
    sure = [r.quad for r in found if r.sure]
    unsure = [r for r in found if not r.sure and of_card_shape(r.quad, sure, wanted)]
    again = [one for r in unsure if (one := across(image, r.quad)) is not None and one.sure]
    known = [*found, *again]
    quads = (one.quad for one in joined.outlines(image, [r.quad for r in known if r.sure], wanted))
    fits = partial(of_card_shape, sure=sure, wanted=wanted)
    return [*again, *sure_in(quads, known, fits, partial(across, image))]
