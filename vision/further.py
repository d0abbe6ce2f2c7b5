"""Further outlines of a picture, found where the first look found none: which of them are read."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from vision.geometry import Quad, area, overlap
from vision.outlines.detect import RIVAL, SAME, similarity
from vision.reading import Reading

MOST, BESIDE = 24, 0.3
"""Further outlines of one picture that are read, and the part of one that may lie on a card found
so: nine cards under cables gave 110 outlines, a dozen of them of a card's shape and size."""

IN_VAIN = 2
"""Further outlines of one place that are read without any being sure: the clearest is the card's if
a card lies there, and the gaps between cards of one table were read six times. With 3 not one card
more of 76 was named under cables or glare."""

Picture = NDArray[np.uint8]


def sure_in(
    quads: Iterable[Quad],
    known: Sequence[Reading],
    fits: Callable[[Quad], bool],
    read: Callable[[Quad], Reading | None],
) -> list[Reading]:
    """The sure readings of those quads, the likeliest first, that are no `known` ones.

    `fits` says of a quad whether it has a card's shape and size. `read` tells what is in it, None
    if it has nothing to tell.
    """
    new: list[Reading] = []
    in_vain: list[Quad] = []
    looks = 0
    for quad in quads:
        if (
            any(overlap(quad, r.quad) > BESIDE * area(quad) for r in new)
            or not fits(quad)
            or any(similarity(quad, r.quad) > SAME for r in known)
            or sum(similarity(quad, q) > RIVAL for q in in_vain) >= IN_VAIN
        ):
            continue
        reading = read(quad)
        if reading is not None and reading.sure:
            new.append(reading)
        elif reading is not None:
            in_vain.append(quad)
        looks += 1
        if looks == MOST:
            break
    return new
