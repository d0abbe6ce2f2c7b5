"""DTC's cards: six values, each a rosette of as many petals, and the joker."""

from __future__ import annotations

from companion.decks.assets import GameArt
from companion.decks.faces import CardSide
from companion.decks.patterns import draw_panel, draw_patterned_back
from companion.decks.svg import (
    HEIGHT,
    PAPER,
    WHITE,
    WIDTH,
    darken_colour,
    draw_both_ways,
    draw_circle,
    draw_numeral,
    draw_path,
    lighten_colour,
    place_art,
    star_path,
)
from companion.rules.claims import CardId
from companion.texts import Translator

_INKS = ("#0b7d86", "#e39a00", "#c21f3a", "#6b3fa0", "#2e8b3d", "#1f3f86")


ART = GameArt(__file__)


def draw_card_back() -> str:
    """Draw the back that all cards have."""
    middle = draw_path(star_path(5, 4, 1.7, WIDTH / 2, HEIGHT / 2), "#e39a00")
    return draw_patterned_back("#2a1038", "#421c57", 0, ART("back"), middle)


def draw_card_face(card: CardId, _translator: Translator) -> CardSide:
    """Draw a card; raise `LookupError` or `ValueError` for one that is not of ours."""
    if card.kind != "dtc":
        raise LookupError(card)
    which = card.name
    return CardSide(_draw_value(int(which)) if which.isdecimal() else ART(which))


def _draw_value(v: int) -> str:
    """Draw the card of value 1 to 6."""
    ink = _INKS[v - 1]
    rim = lighten_colour(ink, 0.55)
    petal = draw_path("M0 -11C-9 -15 -9 -26 0 -30C9 -26 9 -15 0 -11Z", rim, WHITE, 0.8) + draw_circle(
        0, -22, 2.4, PAPER
    )
    # Four petals are turned by half a right angle, to lie in the corners.
    rosette = "".join(place_art(petal, turn=360 * k / v + (45 if v == 4 else 0)) for k in range(v))
    # Smaller and higher, for the line under the 6.
    high, drop = (12.5, 1.8) if v == 6 else (15.0, 0.0)
    middle = (
        place_art(rosette, scale=0.94)
        + draw_circle(0, 0, 13.5, PAPER, WHITE, 1)
        + draw_numeral(str(v), 0, -drop, 1.22 * high, darken_colour(ink, 0.25))
    )
    index = draw_numeral(str(v), 11, 12.5, 13.4, WHITE)
    return (
        draw_panel(ink, darken_colour(ink, 0.14), 2 * v + 1)
        + place_art(middle, WIDTH / 2, HEIGHT / 2)
        + draw_both_ways(index)
    )
