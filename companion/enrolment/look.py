"""What enrolment sees in one picture: the cards in reading order, one new card that lies still, a
card that is known already."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vision.decks import capture
from vision.geometry import Quad
from vision.library import USUAL, Library
from vision.naming.identify import identify

Picture = NDArray[np.uint8]

MOST_CARDS = 60
"""Cards of one sheet; where more outlines are found, the cloth has a pattern."""
_GAP = 1.6
"""Steps from one card to the next from which a place between them is empty."""


class Shot(NamedTuple):
    """A card in a picture: BGR, and its outline in pixels."""

    image: Picture
    quad: Quad


def cards_in(image: Picture, tall: float = USUAL) -> list[Quad]:
    """Return the cards' outlines in reading order; none where there are more than a sheet has.
    `tall`: a card's long by its short side."""
    quads = capture.in_reading_order(image, tall)
    return quads if len(quads) <= MOST_CARDS else []


def gap_after(quads: Sequence[Quad]) -> int | None:
    """Return the number (from 1; 0: before the first) of the card after which the rows have an
    empty place; None for whole rows.

    A card that was laid there but not found would give all that follow the wrong names. Only the
    end of the last row may be short.
    """
    rows = [[float(quad[:, 0].mean()) for quad in row] for row in capture.grid(quads)]
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


def known_as(shot: Shot, library: Library) -> str | None:
    """Return the design that the card in `shot` surely shows; None when none is sure."""
    if not library.references:
        return None
    verdict, margins = identify(shot.image, shot.quad, library), library.margins
    sure = verdict.likeness >= margins.likeness and verdict.lead >= margins.lead
    return verdict.card if sure else None


def still_there(shot: Shot, before: Shot) -> bool:
    """Tell whether the card of the last capture lies still, and a hand has been over it."""
    apart = float(np.abs(shot.quad.mean(axis=0) - before.quad.mean(axis=0)).max())
    if apart > 0.5 * float(np.ptp(before.quad, axis=0).min()):
        return False
    last = Library()
    last.add("last", before.image, before.quad)
    return identify(shot.image, shot.quad, last).likeness >= last.margins.likeness
