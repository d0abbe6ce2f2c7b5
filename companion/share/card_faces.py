"""The cards of the game as pages show them: the printed sides that the program draws, as SVG."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from companion import decks
from companion.rules.claims import CardId
from companion.table.deckfile import DeckError
from companion.table.decks import Deck, Design


@lru_cache(4)
def designs(game: str) -> Mapping[str, str]:
    """Return for each name of a card, as requests have it, the id of its design; none for a card
    that comes in several colours, or that the program does not draw."""
    found = {name: CardId.of(name) for name in _builtin(game)}
    return {card.name: name for name, card in found.items() if not card.colour}


@lru_cache(128)
def card_svg(game: str, name: str, language: str) -> str | None:
    """Return the printed side of a card of the game's own deck, by its design's id or as requests
    name it; None for any other name."""
    design = _builtin(game).get(designs(game).get(name, name))
    drawn = None if design is None else decks.faces.face(game, replace(design, marker=None), language)
    return None if drawn is None else drawn.svg


@lru_cache(4)
def _builtin(game: str) -> Mapping[str, Design]:
    try:
        return {design.name: design for design in Deck.builtin(game).designs}
    except DeckError:  # a game of somebody else's, without a deck
        return {}
