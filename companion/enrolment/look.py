"""What enrolment sees in one picture (the cards in reading order, one new card that lies still, a
card that is known already), and what is shown of it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from companion.rules.contract import Text
from vision.decks import capture
from vision.geometry import Quad, begun_as
from vision.library import USUAL, Library
from vision.outline_reader import OutlineReader
from vision.same_print import verified
from vision.steps import finish

Picture = NDArray[np.uint8]

MOST_CARDS = 60
"""Cards of one sheet; where more outlines are found, the cloth has a pattern."""
_SLACK = 0.1
"""Steps by which a card may lie further from the last one than it should before the place between
them is taken to be empty: that is from 1.6 steps on."""
_JUST_SO = 0.95
"""Confidence from which a card is the very one that was shown in the same light: of a pack of 52
the same one reaches 0.98, one with a pip more 0.91."""
_UNTOUCHED = 2.0
"""Pixels by which no corner of a card may have moved that nobody has touched."""


class Shot(NamedTuple):
    """A card in a picture: BGR, and its outline in pixels."""

    image: Picture
    quad: Quad


def cards_in(image: Picture, tall: float = USUAL) -> list[Quad]:
    """Return the cards' outlines in reading order; none where there are more than a sheet has.
    `tall`: a card's long by its short side."""
    quads = capture.in_reading_order(image, tall)
    return quads if len(quads) <= MOST_CARDS else []


class CardRow(NamedTuple):
    """A row of cards: in which of its places, from 0 on, they were found, and how many places it
    has."""

    found: tuple[int, ...]
    places: int


def rows_in(quads: Sequence[Quad]) -> list[CardRow]:
    """Return the rows in which cards lie; all but the last have as many places as the longest.

    Only the end of the last row may be short: a card that was laid there but not found would give
    all that follow the wrong names.
    """
    rows = [[float(quad[:, 0].mean()) for quad in row] for row in capture.grid(quads)]
    steps = sorted(right - left for row in rows for left, right in pairwise(row))
    if not steps:
        return [CardRow((0,), 1) for _ in rows]
    step, begin = steps[(len(steps) - 1) // 2], min(row[0] for row in rows)
    found = []
    for row in rows:
        places = [round((row[0] - begin) / step - _SLACK)]
        for left, right in pairwise(row):
            places.append(places[-1] + max(round((right - left) / step - _SLACK), 1))
        found.append(tuple(places))
    longest = max(row[-1] for row in found) + 1
    return [*(CardRow(row, longest) for row in found[:-1]), CardRow(found[-1], found[-1][-1] + 1)]


def gap_after(quads: Sequence[Quad]) -> int | None:
    """Return the number (from 1; 0: before the first) of the card after which the rows have an
    empty place; None for whole rows."""
    number = 0
    for row in rows_in(quads):
        for place in range(row.places):
            if place not in row.found:
                return number
            number += 1
    return None


def rows_of(quads: Sequence[Quad]) -> list[Text]:
    """Say how many cards were found in each row, and of how many places where that is fewer."""
    return [
        Text(
            "enrol.row" if len(row.found) == row.places else "enrol.row.short",
            {"found": len(row.found), "places": row.places},
        )
        for row in rows_in(quads)
    ]


def known_as(shot: Shot, library: Library, wanted: str | None = None) -> str | None:
    """Return the design that the card in `shot` surely shows, to a reader of the library; None when
    none is sure.

    While the design that is `wanted` has no view, what looks much like another may be it: then only
    what looks just as another did is that one.
    """
    if not library.references:
        return None
    reading = finish(OutlineReader(library).naming(shot.image, shot.quad))
    least = 0.0 if wanted is None or library.views(wanted) else _JUST_SO
    return next((one.card for one in verified([reading]) if one.sure and one.confidence >= least), None)


def still_there(shot: Shot, before: Shot) -> bool:
    """Tell whether the card of the last capture lies still, and a hand has been over it."""
    apart = np.abs(shot.quad - begun_as(shot.quad, before.quad)).max(axis=1)
    if apart.max() > 0.5 * float(np.ptp(before.quad, axis=0).min()):
        return False
    last = Library()
    last.add("last", before.image, before.quad)
    return known_as(shot, last, None if apart.max() < _UNTOUCHED else "") is not None


Mode: TypeAlias = Literal["one", "sheet", "pack"]
"""One card at a time, many in the deck's order, or a pack in any order."""


class Progress(msgspec.Struct, frozen=True):
    """What is to be shown of an enrolment.

    `wanted`: the card to lay down, None when all are there. `seen`: its copies seen and owned.
    `sheet`: in sheet mode the names of the cards in sight, in reading order. `note`: what came of
    the last card or key, `trouble` whether that needs somebody. `hint`: what is to be seen now.
    `captures` grows with every card that was taken. `laid`: cards of a pack laid out that have no
    name yet.
    """

    wanted: Text | None
    done: int
    total: int
    views: int
    seen: tuple[int, int]
    mode: Mode
    sheet: tuple[Text, ...] = ()
    note: Text | None = None
    trouble: bool = False
    hint: Text | None = None
    captures: int = 0
    laid: int = 0


class OutlinedPicture(NamedTuple):
    """A picture (BGR) with the cards' outlines in reading order."""

    image: Picture
    quads: tuple[Quad, ...]


def hint(quads: Sequence[Quad] | None, mode: Mode, left: int) -> Text | None:
    """Say what is to be seen now: where cards lie (None: no picture has come yet), `left` are still
    asked for."""
    if quads is None:
        return Text("enrol.no_picture")
    if mode == "pack" and quads:
        return Text("enrol.pack.sight", {"count": len(quads)})
    if mode != "one":
        seen = {"count": len(quads), "rows": rows_of(quads), "left": left}
        return Text("enrol.sheet_sight", seen) if quads else Text("enrol.nothing")
    return Text("enrol.several", {"count": len(quads)}) if len(quads) > 1 else None
