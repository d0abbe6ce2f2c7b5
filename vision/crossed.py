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
    """The readings, the unsure ones read again without what lies across them, and the cards whose
    border is crossed so that no outline was found.

    `wanted`: a card's long by its short side. `across` reads a card without what lies across it,
    None if nothing does. Only sure ones are believed: of what shows beside a cable the verifier
    alone took a green card for the purple one.
    """
    sure = [r.quad for r in found if r.sure]
    result = []
    for reading in found:
        unsure = not reading.sure and of_card_shape(reading.quad, sure, wanted)
        again = across(image, reading.quad) if unsure else None
        result.append(again if again is not None and again.sure else reading)
    quads = (one.quad for one in joined.outlines(image, [r.quad for r in result if r.sure], wanted))
    fits = partial(of_card_shape, sure=sure, wanted=wanted)
    return [*result, *sure_in(quads, result, fits, partial(across, image))]
