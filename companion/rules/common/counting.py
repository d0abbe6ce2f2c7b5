"""Counting cards: what a deck cannot hold, and what follows for hands that nobody sees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain

from companion.rules.contract import Step, Text


def beyond_deck(deck: Mapping[str, int], *seen: Iterable[str]) -> str | None:
    """Return a card that occurs more often in all of `seen` together than `deck` has copies, or
    None.

    `deck` maps each card's name to its number of copies. Used for the refusal `impossible_cards`.

    >>> beyond_deck({"7": 2, "joker": 1}, ["7"], ["7", "7"])
    '7'
    """
    total = Counter(chain.from_iterable(seen))
    return next((card for card, count in total.items() if count > deck[card]), None)


def stranger(deck: Mapping[str, int], cards: Iterable[str]) -> str | None:
    """Return the first of `cards` that is none of `deck`, or None: for refusal `unknown_card`."""
    return next((card for card in cards if card not in deck), None)


def deck_step(prefix: str, deck: Mapping[str, int], clause: str) -> Step:
    """Return the step that counts the cards of a deck, none missing; `prefix` is what comes before
    a card's name in its id.

    >>> step = deck_step("oe:", {"7": 2, "joker": 1}, "OE-1")
    >>> step.done([], {"oe:7": 1, "oe:joker": 1}), step.done([], {"oe:7": 2, "oe:joker": 1})
    (False, True)
    """
    count = tuple((prefix + card, copies) for card, copies in deck.items() if copies)
    return Step(Text("step.complete", {"cards": sum(deck.values())}), clause, count=count)
