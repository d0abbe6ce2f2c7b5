"""Analyse one picture during enrolment: cards in reading order, a new card that lies still, a card
that is already known."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from companion.rules.contract import Text
from vision.decks import capture
from vision.geometry import Quad, match_corner_order
from vision.library import USUAL, Library
from vision.outline_reader import OutlineReader
from vision.print_check import verify_prints
from vision.steps import run_to_end

Picture = NDArray[np.uint8]

MOST_CARDS = 60
"""Most cards on one sheet; with more outlines than that, the tablecloth has a pattern."""
_SLACK = 0.1
"""Tolerance in steps: the place between two cards counts as empty from a distance of 1.6 steps
on."""
_JUST_SO = 0.95
"""Confidence from which a card is the same one, shown in the same light. In a pack of 52, the same
card reaches 0.98, one with a pip more 0.91."""
_UNTOUCHED = 2.0
"""Pixels by which no corner of an untouched card moves."""


class Shot(NamedTuple):
    """A card in a picture: BGR, and its outline in pixels."""

    image: Picture
    quad: Quad


def find_cards(
    image: Picture,
    tall: float = USUAL,
    size: capture.CardSize | None = None,
    outlined: Sequence[tuple[Quad, float]] | None = None,
) -> list[Quad]:
    """Return the cards' outlines in reading order; none if there are more than fit on a sheet.
    `tall`: a card's long side divided by its short side. `size` and `outlined`: as for
    `capture.detect_cards`."""
    quads = capture.detect_cards_in_reading_order(image, tall, size, outlined)
    return quads if len(quads) <= MOST_CARDS else []


class CardRow(NamedTuple):
    """A row of cards: the places (from 0) at which they were found, and the number of places."""

    found: tuple[int, ...]
    places: int


def find_row_places(quads: Sequence[Quad]) -> list[CardRow]:
    """Return the rows of cards; all but the last have as many places as the longest.

    Only the last row may be short: a card that lies there but was not found would shift the names
    of all that follow.
    """
    rows = [[float(quad[:, 0].mean()) for quad in row] for row in capture.group_into_rows(quads)]
    steps = sorted(right - left for row in rows for left, right in pairwise(row))
    if not steps:
        return [CardRow((0,), 1) for _ in rows]
    # The median: gaps make only a few of the steps longer.
    step, begin = steps[(len(steps) - 1) // 2], min(row[0] for row in rows)
    found = []
    for row in rows:
        places = [round((row[0] - begin) / step - _SLACK)]
        for left, right in pairwise(row):
            places.append(places[-1] + max(round((right - left) / step - _SLACK), 1))
        found.append(tuple(places))
    longest = max(row[-1] for row in found) + 1
    return [*(CardRow(row, longest) for row in found[:-1]), CardRow(found[-1], found[-1][-1] + 1)]


def find_gap(quads: Sequence[Quad]) -> int | None:
    """Return the number (from 1; 0: before the first) of the card after which the rows have an
    empty place; None if they are complete."""
    number = 0
    for row in find_row_places(quads):
        for place in range(row.places):
            if place not in row.found:
                return number
            number += 1
    return None


def describe_rows(quads: Sequence[Quad]) -> list[Text]:
    """Return messages that say how many cards were found in each row, and of how many places if
    that is fewer."""
    return [
        Text(
            "enrol.row" if len(row.found) == row.places else "enrol.row.short",
            {"found": len(row.found), "places": row.places},
        )
        for row in find_row_places(quads)
    ]


def identify_card(shot: Shot, library: Library, wanted: str | None = None) -> str | None:
    """Return the design that the card in `shot` certainly shows, by the views of the library; None
    if it is uncertain.

    While the design `wanted` has no view, a card similar to another design may be the wanted one;
    then only a nearly identical picture counts as recognised.
    """
    if not library.references:
        return None
    reading = run_to_end(OutlineReader(library).name_quad_in_steps(shot.image, shot.quad))
    # Without a view of the wanted design, a similar known one might be mistaken for it.
    least = 0.0 if wanted is None or library.count_views(wanted) else _JUST_SO
    return next((one.card for one in verify_prints([reading]) if one.sure and one.confidence >= least), None)


def is_same_card_unmoved(shot: Shot, before: Shot) -> bool:
    """Check whether the card of the last capture still lies there, after a hand has passed over
    it."""
    apart = np.abs(shot.quad - match_corner_order(shot.quad, before.quad)).max(axis=1)
    # Further away than half a card: another card, or the same one in another place.
    if apart.max() > 0.5 * float(np.ptp(before.quad, axis=0).min()):
        return False
    last = Library()
    last.add_view("last", before.image, before.quad)
    # `""` is a design without views: a card that has moved must look almost identical.
    return identify_card(shot, last, None if apart.max() < _UNTOUCHED else "") is not None


Mode: TypeAlias = Literal["one", "sheet", "pack"]
"""One card at a time, many in the deck's order, or a pack in any order."""


class Progress(msgspec.Struct, frozen=True):
    """State of an enrolment, to be shown.

    `wanted`: the card to lay down, None when all are done. `args`: its copies seen and owned.
    `sheet`: in sheet mode the names of the cards in sight, in reading order. `note`: the result of
    the last card or key, `trouble`: whether it needs attention. `describe_hint`: what the camera
    sees now. `captures` grows with every card taken. `laid`: cards of a laid-out pack that have no
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


def describe_hint(quads: Sequence[Quad] | None, mode: Mode, remaining: int) -> Text | None:
    """Return a message about what the camera sees: outlines `quads` (None: no picture yet), with
    `remaining` designs still to come."""
    if quads is None:
        return Text("enrol.no_picture")
    if mode == "pack" and quads:
        return Text("enrol.pack.sight", {"count": len(quads)})
    if mode != "one":
        args = {"count": len(quads), "rows": describe_rows(quads), "left": remaining}
        return Text("enrol.sheet_sight", args) if quads else Text("enrol.nothing")
    return Text("enrol.several", {"count": len(quads)}) if len(quads) > 1 else None
