"""Cards on a table as pale as they are, found by edges that are faint, named by their print."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from vision.further import BESIDE, sure_in
from vision.geometry import Quad, area, aspect, overlap
from vision.outlines import faint
from vision.outlines.shape import of_card_shape
from vision.reading import Reading

Picture = NDArray[np.uint8]


def pale(
    image: Picture, found: Sequence[Reading], wanted: float, read: Callable[[Picture, Quad], Reading]
) -> list[Reading]:
    """The cards of which no outline was found because the table is as pale.

    `found`: what was read in the picture. `wanted`: a card's long by its short side. `read` tells
    what is in a quad. Only sure ones are believed: the weave of a cloth, amplified, has many
    outlines.
    """
    sure = [r.quad for r in found if r.sure]
    if not faint.may_hide(image, sure, [r.quad for r in found]):
        return []
    quads = [
        quad
        for quad in faint.outlines(image)
        if not any(overlap(quad, card) > BESIDE * area(quad) for card in sure)
    ]
    likely = sorted(quads, key=lambda quad: abs(float(np.log(aspect(quad) / wanted))))
    fits = partial(of_card_shape, sure=sure, wanted=wanted)
    return sure_in(likely, found, fits, partial(read, image))
