"""Cards that something lies across, or a lamp is mirrored in: found by the pieces of their border,
read by what shows."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from vision.geometry import Quad, area, overlap
from vision.outlines import joined
from vision.outlines.detect import RIVAL, SAME, similarity
from vision.outlines.shape import of_card_shape
from vision.reading import Reading

MOST, BESIDE = 24, 0.3
"""Joined outlines of one picture that are read, and the part of one that may lie on a card found
so: nine cards under cables gave 110 outlines, a dozen of them of a card's shape and size."""

IN_VAIN = 2
"""Joined outlines of one place that are read without any being sure: the clearest is the card's if
a card lies there, and the gaps between cards of one table were read six times. With 3 not one card
more of 76 was named under cables or glare."""

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
    new: list[Reading] = []
    in_vain: list[Quad] = []
    known = [r.quad for r in result]
    looks = 0
    for quad in (one.quad for one in joined.outlines(image, [r.quad for r in result if r.sure], wanted)):
        if (
            any(overlap(quad, r.quad) > BESIDE * area(quad) for r in new)
            or not of_card_shape(quad, sure, wanted)
            or any(similarity(quad, q) > SAME for q in known)
            or sum(similarity(quad, q) > RIVAL for q in in_vain) >= IN_VAIN
        ):
            continue
        again = across(image, quad)
        if again is not None and again.sure:
            new.append(again)
        elif again is not None:
            in_vain.append(quad)
        looks += 1
        if looks == MOST:
            break
    return [*result, *new]
