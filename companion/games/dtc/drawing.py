"""DTC's cards: six values, each a rosette of as many petals, and the joker."""

from __future__ import annotations

from companion.decks.assets import Art
from companion.decks.faces import CardSide
from companion.decks.patterns import card_back, panel
from companion.decks.svg import (
    HEIGHT,
    PAPER,
    WHITE,
    WIDTH,
    both_ways,
    circle,
    numeral,
    path,
    put,
    shade,
    star,
    tint,
)
from companion.rules.claims import CardId
from companion.texts import Translator

_INKS = ("#0b7d86", "#e39a00", "#c21f3a", "#6b3fa0", "#2e8b3d", "#1f3f86")


ART = Art(__file__)


def back() -> str:
    """Draw the back that all cards have."""
    middle = path(star(5, 4, 1.7, WIDTH / 2, HEIGHT / 2), "#e39a00")
    return card_back("#2a1038", "#421c57", 0, ART("back"), middle)


def face(card: CardId, _say: Translator) -> CardSide:
    """Draw a card; raise `LookupError` or `ValueError` for one that is not of ours."""
    if card.kind != "dtc":
        raise LookupError(card)
    which = card.name
    return CardSide(_value(int(which)) if which.isdecimal() else ART(which))


def _value(v: int) -> str:
    """Draw the card of value 1 to 6."""
    ink = _INKS[v - 1]
    rim = tint(ink, 0.55)
    petal = path("M0 -11C-9 -15 -9 -26 0 -30C9 -26 9 -15 0 -11Z", rim, WHITE, 0.8) + circle(
        0, -22, 2.4, PAPER
    )
    # Four petals are turned by half a right angle, to lie in the corners.
    rosette = "".join(put(petal, turn=360 * k / v + (45 if v == 4 else 0)) for k in range(v))
    # Smaller and higher, for the line under the 6.
    high, drop = (12.5, 1.8) if v == 6 else (15.0, 0.0)
    middle = (
        put(rosette, scale=0.94)
        + circle(0, 0, 13.5, PAPER, WHITE, 1)
        + numeral(str(v), 0, -drop, 1.22 * high, shade(ink, 0.25))
    )
    index = numeral(str(v), 11, 12.5, 13.4, WHITE)
    return panel(ink, shade(ink, 0.14), 2 * v + 1) + put(middle, WIDTH / 2, HEIGHT / 2) + both_ways(index)
