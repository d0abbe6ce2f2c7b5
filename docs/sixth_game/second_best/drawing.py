"""The cards of Second Best as they are printed: the value on a silver medal."""

from __future__ import annotations

from companion.decks.assets import Art
from companion.decks.faces import CardSide
from companion.decks.patterns import COLOURS, card_back, panel
from companion.decks.svg import DARK, WHITE, WIDTH, both_ways, numeral, put, shade
from companion.rules.claims import CardId
from companion.texts import Translator

from . import CARDS

ART = Art(__file__)
_INKS = tuple(colour.ink for colour in COLOURS.values())


def face(card: CardId, _say: Translator) -> CardSide:
    """Draw a card; raise `LookupError` or `ValueError` for one that is not of ours."""
    if card.kind != "sb" or int(card.name) not in CARDS:
        raise LookupError(card)
    value = int(card.name)
    # More cards than inks: neighbours in value differ all the same.
    ink = _INKS[value % len(_INKS)]
    ground = panel(ink, shade(ink, 0.25), value)
    medal = put(ART("medal"), WIDTH / 2, 32) + numeral(card.name, WIDTH / 2, 62, 20, WHITE, halo=DARK)
    return CardSide(ground + medal + both_ways(numeral(card.name, 12, 12, 8, WHITE, halo=DARK)))


def back() -> str:
    """Draw the back that all cards have."""
    sign = put(ART("medal"), WIDTH / 2, 30)
    return card_back("#3c4a3f", "#4d5e50", 4, sign)
