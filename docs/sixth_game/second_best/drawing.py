"""The cards of Second Best as they are printed: the value on a silver medal."""

from __future__ import annotations

from companion.decks.assets import GameArt
from companion.decks.faces import CardSide
from companion.decks.patterns import COLOURS, draw_panel, draw_patterned_back
from companion.decks.svg import DARK, WHITE, WIDTH, darken_colour, draw_both_ways, draw_numeral, place_art
from companion.rules.claims import CardId
from companion.texts import Translator

from . import CARDS

ART = GameArt(__file__)
_INKS = tuple(colour.ink for colour in COLOURS.values())


def draw_card_face(card: CardId, _translator: Translator) -> CardSide:
    """Draw a card; raise `LookupError` or `ValueError` for one that is not of ours."""
    if card.kind != "sb" or int(card.name) not in CARDS:
        raise LookupError(card)
    value = int(card.name)
    # More cards than inks: neighbours in value differ all the same.
    ink = _INKS[value % len(_INKS)]
    ground = draw_panel(ink, darken_colour(ink, 0.25), value)
    medal = place_art(ART("medal"), WIDTH / 2, 32) + draw_numeral(
        card.name, WIDTH / 2, 62, 20, WHITE, halo=DARK
    )
    return CardSide(ground + medal + draw_both_ways(draw_numeral(card.name, 12, 12, 8, WHITE, halo=DARK)))


def draw_card_back() -> str:
    """Draw the back that all cards have."""
    sign = place_art(ART("medal"), WIDTH / 2, 30)
    return draw_patterned_back("#3c4a3f", "#4d5e50", 4, sign)
