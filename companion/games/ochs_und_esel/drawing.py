"""Ochs & Esel's cards: one to thirteen as crops to count, the joker, the donkey and the ox."""

from __future__ import annotations

from companion.decks.assets import Art
from companion.decks.faces import CardSide
from companion.decks.patterns import card_back, panel
from companion.decks.svg import PAPER, WHITE, both_ways, box, numeral, put, shade, tint
from companion.rules.claims import CardId
from companion.texts import Translator

_INKS = (
    "#b3261e", "#2a6f97", "#5f8d2e", "#c77800", "#7a3f98", "#0f8f80", "#c2447c",
    "#3c53b0", "#8a6d00", "#a0522d", "#277a3f", "#566072", "#d4471c",
)  # fmt: skip
_CROPS = ("carrot", "apple", "clover", "horseshoe", "wheat")

_COLUMNS: dict[int, tuple[int, ...]] = {
    1: (1,), 2: (2,), 3: (3,), 4: (2, 2), 5: (2, 1, 2), 6: (3, 3), 7: (3, 1, 3), 8: (3, 2, 3),
    9: (3, 3, 3), 10: (3, 4, 3), 11: (4, 3, 4), 12: (4, 4, 4), 13: (4, 5, 4),
}  # fmt: skip
"""The number of crops in each column, by the card's value."""


ART = Art(__file__)


def back() -> str:
    """Draw the back that all cards have."""
    return card_back("#8f1d1d", "#a52a2a", 6, ART("back"))


def face(card: CardId, _say: Translator) -> CardSide:
    """Draw a card; raise `LookupError` or `ValueError` for one that is not of ours."""
    if card.kind != "oe":
        raise LookupError(card)
    which = card.name
    return CardSide(_value(int(which)) if which.isdecimal() else ART(which))


def _value(v: int) -> str:
    """Draw the card of value 1 to 13."""
    ink = _INKS[v - 1]
    columns = _COLUMNS[v]
    wide, high = {1: 40, 2: 18, 3: 13.6}[len(columns)], 48 / max(columns)
    # A crop is about 20 by 25 units; it must fit between the columns and rows.
    size = min(high / 25.5, wide / 20)
    crop = ART(f"crops/{_CROPS[(v - 1) % len(_CROPS)]}")
    crops = "".join(
        put(
            crop,
            31.5 + wide * (x - (len(columns) - 1) / 2),
            44 + high * (y - (count - 1) / 2),
            size,
        )
        for x, count in enumerate(columns)
        for y in range(count)
    )
    field = box(10, 18.5, 43, 51, 3, PAPER, shade(ink, 0.2), 0.8)
    # Two digits are wider: smaller, and further from the edge.
    index = numeral(str(v), 10.4 if v < 10 else 12.8, 11.8, 12.6 if v < 10 else 12, WHITE)
    return panel(ink, tint(ink, 0.16), v) + field + crops + both_ways(index)
