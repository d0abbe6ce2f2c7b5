"""Printed sides of cards: the face of each design, as its game draws it, and the common back of
each game's cards.

A game draws its cards in the module `drawing` of its folder: `face(card, say) -> CardSide`, which
raises `LookupError` or `ValueError` for a card that it does not draw, and `back() -> str`. For
decks whose designs are too similar, or that are seen in poor light, an ArUco marker can be added to
each card.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count

from companion.decks.patterns import draw_patterned_back
from companion.decks.svg import DARK, WHITE, WIDTH, box_path, draw_box, draw_path, place_art, wrap_card_svg
from companion.rules import registry
from companion.rules.claims import CardId
from companion.table.decks import MARKERS, Deck, Design
from companion.texts import Translator
from vision.printed_markers import marker_cells

_SIDE = 9.0
_QUIET = 1.0
_TOP = 4.6


def draw_marker(marker: int) -> str:
    """Draw the marker with its quiet zone in the middle of the card's top edge, 11 mm square."""
    cells = marker_cells(marker, MARKERS)  # 5 x 5 bits and a black border
    size = _SIDE / 7
    dark = "".join(
        box_path(size * x, size * y, size, size) for y in range(7) for x in range(7) if cells[y, x]
    )
    paper = draw_box(-_QUIET, -_QUIET, _SIDE + 2 * _QUIET, _SIDE + 2 * _QUIET, 0.8, WHITE)
    return place_art(paper + draw_path(dark, "#000000"), (WIDTH - _SIDE) / 2, _TOP)


def assign_markers(deck: Deck) -> Deck:
    """Return the deck with a marker for every design with a meaning: its own one, or the lowest
    free id."""
    taken = {design.marker for design in deck.designs}
    free = (number for number in count() if number not in taken)
    wanted = [design for design in deck.designs if design.card is not None or design.marker is not None]
    return deck.with_markers(
        {design.name: next(free) if design.marker is None else design.marker for design in wanted}
    )


@dataclass(frozen=True)
class PrintLine:
    """One line of small print: its left end and base line in millimetres, its size in points, and
    whether it is bold."""

    x: float
    y: float
    points: float
    text: str
    bold: bool = False
    colour: str = DARK


@dataclass(frozen=True)
class CardSide:
    """One printed side of a card.

    `art`: fragments of SVG, 63 x 88 mm. `words`: its small print. `other_side`: the design on the
    other side of the same card, if that is not a back.
    """

    art: str
    words: tuple[PrintLine, ...] = ()
    other_side: str = ""

    @property
    def svg(self) -> str:
        """The art as a complete SVG document."""
        return wrap_card_svg(self.art)


def draw_face(game: str, design: Design, lang: str = "en") -> CardSide | None:
    """Return the printed side of a design, with its marker if it has one; None for a card that the
    game does not draw.

    A word that is missing in the language is printed in English.
    """
    draw: Callable[[CardId, Translator], CardSide] | None = registry.load_part(game, "drawing:draw_card_face")
    if draw is None:
        return None
    try:
        side = draw(CardId.from_text(design.name), Translator.for_game(lang, game))
    except (LookupError, ValueError):
        # A design with a name of the owner's own, such as "7S", is a card that exists already.
        return None
    return side if design.marker is None else replace(side, art=side.art + draw_marker(design.marker))


def draw_faces(deck: Deck, lang: str = "en") -> dict[str, CardSide]:
    """Return the printed sides of every design of `deck` that the program draws, by its name."""
    sides = {design.name: draw_face(deck.game, design, lang) for design in deck.designs}
    return {name: one for name, one in sides.items() if one is not None}


def draw_back(game: str) -> CardSide:
    """Return the back of the cards of `game`; a plain one if the game draws none."""
    draw: Callable[[], str] | None = registry.load_part(game, "drawing:draw_card_back")
    return CardSide(draw() if draw else draw_patterned_back("#14406b", "#1b5288", 9))
