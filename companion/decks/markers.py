"""ArUco markers to print on cards, for decks whose designs are too alike or for poor light."""

from __future__ import annotations

from itertools import count

import vision
from companion.decks.svg import WHITE, WIDTH, box, box_d, path, put
from companion.table.decks import MARKERS, Deck

_SIDE = 9.0
_QUIET = 1.0
_TOP = 4.6


def marker_art(marker: int) -> str:
    """Draw the marker with its quiet zone in the middle of the card's top edge, 11 mm square."""
    cells = vision.markers.draw(marker, 7, MARKERS)[
        1:-1, 1:-1
    ]  # 5 x 5 bits and a black border, without the white one
    size = _SIDE / 7
    dark = "".join(
        box_d(size * x, size * y, size, size) for y in range(7) for x in range(7) if not cells[y, x]
    )
    paper = box(-_QUIET, -_QUIET, _SIDE + 2 * _QUIET, _SIDE + 2 * _QUIET, 0.8, WHITE)
    return put(paper + path(dark, "#000000"), (WIDTH - _SIDE) / 2, _TOP)


def marked(deck: Deck) -> Deck:
    """Return the deck with a marker for every design that means something: the one it has, or the
    lowest free id."""
    taken = {design.marker for design in deck.designs}
    free = (number for number in count() if number not in taken)
    wanted = [design for design in deck.designs if design.card is not None or design.marker is not None]
    return deck.with_markers(
        {design.name: next(free) if design.marker is None else design.marker for design in wanted}
    )
