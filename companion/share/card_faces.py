"""Pictures of the cards for the pages: the printed sides that the program draws, as SVG.

All come in one response, because a seat shows up to 45 at once and several phones may share an
address (requests are limited by address).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from companion import decks
from companion.rules.claims import CardId
from companion.table.deck_file import DeckError
from companion.table.decks import Deck, Design


@cache
def load_designs(game: str) -> Mapping[str, Design]:
    """Return the designs of the game's own deck by the card names that requests use; cards that
    exist in several colours are left out."""
    try:
        every = Deck.load_builtin(game).designs
    except DeckError:  # a plug-in's game without a deck
        return {}
    named = ((CardId.from_text(design.name), design) for design in every)
    return {card.name: design for card, design in named if not card.colour}


@cache
def draw_printed_sides(game: str, language: str) -> Mapping[str, str]:
    """Return the printed side of each design in `load_designs` that the program can draw, as
    SVG."""
    drawn = {
        # Without the marker: it is there for the camera.
        name: decks.faces.draw_face(game, replace(design, marker=None), language)
        for name, design in load_designs(game).items()
    }
    return {name: side.svg for name, side in drawn.items() if side is not None}
