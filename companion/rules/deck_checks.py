"""Check cards that a request names against a deck: whether they exist, and in that number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any, TypeVar

N = TypeVar("N", str, int | str)


def find_excess_card(deck: Mapping[str, int], *card_groups: Iterable[str]) -> str | None:
    """Return a card that occurs more often in all of `card_groups` together than `deck` has copies,
    or None.

    `deck` maps each card's name to its number of copies. Used for the refusal `impossible_cards`.

    >>> find_excess_card({"7": 2, "joker": 1}, ["7"], ["7", "7"])
    '7'
    """
    total = Counter(chain.from_iterable(card_groups))
    return next((card for card, count in total.items() if count > deck[card]), None)


def find_unknown_card(deck: Mapping[N, Any], cards: Iterable[N]) -> N | None:
    """Return the first of `cards` that is not in `deck`, or None; for the refusal
    `unknown_card`."""
    return next((card for card in cards if card not in deck), None)
