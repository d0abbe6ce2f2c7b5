"""The cards of DTC and what an offer of them is worth (DTC-1, DTC-3, DTC-5, DTC-8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

JOKER = "joker"
VALUES = range(1, 7)
"""DTC-1."""
DECK = {**{str(value): 9 for value in VALUES}, JOKER: 12}
"""DTC-1: each card's name on the wire and its copies; 66 cards."""
SIZE = sum(DECK.values())
HAND = 6
"""DTC-1, DTC-4: cards dealt to each player, and what a giver draws up to."""
PREFIX = "dtc:"
"""What the deck puts before a card's name: `dtc:4`."""

Variant: TypeAlias = Literal["off", "all_higher", "at_least"]
Verdict: TypeAlias = Literal["true", "variant", "false"]
"""`variant`: not all of the named value, yet counted as true because of the option (DTC-8)."""


def beats(count: int, value: int, old_count: int, old_value: int) -> bool:
    """DTC-5: as many cards of a higher value, or more cards of any value."""
    return count > old_count or (count == old_count and value > old_value)


def judge(cards: Sequence[str], value: int, variant: Variant) -> Verdict:
    """DTC-7, DTC-8: tell whether `cards`, turned up, are what was named; jokers always fit."""
    plain = [int(card) for card in cards if card != JOKER]
    if all(card == value for card in plain):
        return "true"
    if variant == "all_higher" and all(card > value for card in plain):
        return "variant"
    if variant == "at_least" and all(card >= value for card in plain):
        return "variant"
    return "false"
