"""The cards of Second Best as they are printed: the value on a silver medal."""

from __future__ import annotations

from companion.decks.assets import Art
from companion.decks.faces import CardSide
from companion.decks.patterns import card_back, panel
from companion.decks.svg import DARK, HEIGHT, WHITE, WIDTH, both_ways, numeral, put
from companion.rules.claims import CardId
from companion.texts import Translator

from . import CARDS

ART = Art(__file__)
_GROUNDS = ("#1f6fd0", "#2e8b3d", "#c77800", "#7a3f98")
_MARKS = ("#4a8bdc", "#55a263", "#d68f2d", "#925fae")


def face(card: CardId, _say: Translator) -> CardSide:
    """Draw a card; raise `LookupError` or `ValueError` for one that is not of ours."""
    if card.kind != "sb" or int(card.name) not in CARDS:
        raise LookupError(card)
    value = int(card.name)
    ground = panel(_GROUNDS[value % 4], _MARKS[value % 4], value)
    medal = put(ART("medal") + numeral(card.name, 0, 5.4, 9, DARK), WIDTH / 2, HEIGHT / 2, 1.5)
    return CardSide(ground + medal + both_ways(numeral(card.name, 11, 12, 9.5, WHITE)))


def back() -> str:
    """Draw the back that all cards have."""
    sign = put(ART("medal"), WIDTH / 2, 30)
    return card_back("#3c4a3f", "#4d5e50", 4, sign)
