"""What enrolment sees in one picture: the cards in reading order, one new card that lies still, a card that is known already."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, repeat
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vision import enrol
from vision.errors import LibraryError
from vision.geometry import Quad
from vision.identify import identify
from vision.library import Library

Picture = NDArray[np.uint8]

MOST_CARDS = 60
"""Cards of one sheet; where more outlines are found, the cloth has a pattern."""
_ENDLESS = 10_000
_GAP = 1.6
"""Steps from one card to the next from which a place between them is empty."""


class Shot(NamedTuple):
    """A card in a picture: BGR, and its outline in pixels."""

    image: Picture
    quad: Quad


class Basket(Library):
    """Takes what `vision.enrol` would add to a deck, so that it can be looked at and named before it is added."""

    def __init__(self) -> None:
        super().__init__()
        self.shots: list[Shot] = []

    def add(self, card: str, image: Picture, quad: Quad | None = None) -> None:
        """Put a card into the basket, whatever its name."""
        if quad is not None:
            self.shots.append(Shot(image, quad))


def cards_in(image: Picture) -> list[Quad]:
    """Return the outlines of the cards in a picture in reading order: row by row, each from left to right."""
    basket = Basket()
    numbers = [str(number) for number in range(MOST_CARDS)]
    try:
        enrol.sheet(basket, image, numbers[0], numbers)
    except LibraryError:  # none, or more than a sheet has
        return []
    return [shot.quad for shot in basket.shots]


def gap_after(quads: Sequence[Quad]) -> int | None:
    """Return the number (from 1; 0: before the first) of the card after which the rows have an empty place; None for whole rows.

    A card that was laid there but not found would give all that follow the wrong names. Only the end of the last row may be short.
    """
    rows = [[float(quad[:, 0].mean()) for quad in row] for row in enrol.grid(quads)]
    steps = [right - left for row in rows for left, right in pairwise(row)]
    if not steps:
        return None
    step = sorted(steps)[(len(steps) - 1) // 2]
    reach, begin, number = _GAP * step, min(row[0] for row in rows), 0
    for place, row in enumerate(rows):
        if row[0] - begin > reach - step:
            return number
        for left, right in pairwise(row):
            number += 1
            if right - left > reach:
                return number
        number += 1
        if place < len(rows) - 1 and len(row) < max(map(len, rows)):
            return number
    return None


class Shutter:
    """Releases by itself when one new card lies still."""

    def __init__(self) -> None:
        self._basket = Basket()
        self._capture = enrol.Capture(self._basket, repeat("card", _ENDLESS))

    def see(self, image: Picture, at: float) -> Shot | None:
        """Take in a frame; return the card that has just come to rest, once for each card that is laid. `at`: seconds."""
        caught = self._capture.see(image, at)
        return None if caught is None else self._basket.shots.pop()


def known_as(shot: Shot, library: Library) -> str | None:
    """Return the design that the card in `shot` surely shows, None when it is not surely a known one."""
    if not library.references:
        return None
    verdict, margins = identify(shot.image, shot.quad, library), library.margins
    sure = verdict.likeness >= margins.likeness and verdict.lead >= margins.lead
    return verdict.card if sure else None


def still_there(shot: Shot, before: Shot) -> bool:
    """Tell whether the card of the last capture lies where it lay: a hand went over it, and it looks new."""
    apart = float(np.abs(shot.quad.mean(axis=0) - before.quad.mean(axis=0)).max())
    if apart > 0.5 * float(np.ptp(before.quad, axis=0).min()):
        return False
    last = Library()
    last.add("last", before.image, before.quad)
    return identify(shot.image, shot.quad, last).likeness >= last.margins.likeness
