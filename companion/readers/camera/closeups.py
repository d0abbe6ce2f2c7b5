"""Close-ups of the cards that the camera cannot name for sure: what it may learn from once the
table has said which they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vision.film.presence import Presence
from vision.geometry import Quad

_AROUND = 0.15
"""Parts of the card's width and height that are kept of what lies around it."""

CANDIDATES = 5
"""Designs that are told of an unsure card, the likeliest first."""


class Closeup(NamedTuple):
    """A card, cut out of the frame in which it was last read: BGR uint8, its outline in pixels of
    the cut, the designs it may be."""

    image: NDArray[np.uint8]
    quad: Quad
    candidates: tuple[str, ...]


class Closeups:
    """The close-ups of the unsure cards in sight now. One thread looks, another may ask."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[tuple[object, ...], Closeup]] = {}

    def look(self, image: NDArray[np.uint8], seen: Sequence[Presence]) -> None:
        """Keep the unsure cards of a frame newly read; never one over which something moves."""
        unsure = {one.id: one for one in seen if not one.sure and one.card is not None}
        for number in [number for number in self._kept if number not in unsure]:
            del self._kept[number]
        for one in unsure.values():
            reading = (one.card, one.confidence, one.quad.tobytes())
            before = self._kept.get(one.id)
            if one.still and (before is None or before[0] != reading):
                self._kept[one.id] = (reading, _cut(image, one))
            elif before is not None:
                # a reading that ends while a hand comes is of an earlier frame: what lies there
                # when the hand rests is not it
                self._kept[one.id] = (reading, before[1])

    def of(self, track: int) -> Closeup | None:
        """Return the close-up of a card by its track, None when it is not among the unsure ones."""
        kept = self._kept.get(track)
        return None if kept is None else kept[1]


def _cut(image: NDArray[np.uint8], one: Presence) -> Closeup:
    size = np.array(image.shape[1::-1])
    low, high = one.quad.min(axis=0), one.quad.max(axis=0)
    around = _AROUND * (high - low)
    left, top = (int(corner) for corner in np.clip(low - around, 0, size - 1))
    right, bottom = (int(corner) for corner in np.clip(high + around + 1, 1, size))
    quad = (one.quad - np.array([left, top])).astype(np.float32)
    return Closeup(
        image[top:bottom, left:right].copy(), quad, tuple(card for card, _ in one.candidates[:CANDIDATES])
    )
