"""The cards of Ochs & Esel: their values in a trick, and their penalties when left in hand (OE-1,
OE-5, OE-7, OE-9, OE-21, OE-22)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

Animal: TypeAlias = Literal["donkey", "ox"]
Kind: TypeAlias = Literal["normal", "donkey", "ox"]

JOKER = "joker"
DONKEY: Animal = "donkey"
OX: Animal = "ox"
ANIMALS: tuple[Animal, ...] = (DONKEY, OX)
NUMBERS = tuple(str(value) for value in range(1, 14))
DECK = {**dict.fromkeys(NUMBERS, 8), JOKER: 4, DONKEY: 1, OX: 1}
"""OE-1: each card's name on the wire and its copies."""
DEALABLE = 8 * len(NUMBERS) + DECK[JOKER]
"""OE-2: the number of cards that are shuffled and dealt."""
JOKERS_ALONE = 14
"""OE-5: the value of jokers played without another card; nothing beats them."""
CARD_KEYS = dict(zip(DECK, "123456789abcdjeo", strict=True))
"""Each card's key: its value, letters from 10 on; joker j, donkey (Esel) e, ox o."""
CARD_ALIASES = {card: (card,) for card in NUMBERS if len(card) > 1}
"""What else is typed for a card: `10`, where its key is a letter."""
PREFIX = "oe:"
"""The prefix of a card's name in its id: `oe:13`."""

_LEFT = {**{name: int(name) for name in NUMBERS}, JOKER: 14, DONKEY: 20, OX: 15}
"""OE-9: the penalty of each card that is left in hand (donkey 20, joker 14)."""
_IN_ANIMAL_TRICK = {**{name: int(name) for name in NUMBERS}, JOKER: 1, DONKEY: 0, OX: 0}
"""OE-7: the value of each card in a trick that an animal led (joker 1, animals 0)."""


def compute_hand_size(players: int) -> int:
    """Return the number of cards dealt to each of 3 to 12 players (OE-2)."""
    return {9: 12, 10: 10, 11: 9, 12: 9}.get(players, 13)


def find_animal(cards: Sequence[str]) -> Animal | None:
    """Return the animal among `cards`, the donkey before the ox; None if there is none."""
    return next((animal for animal in ANIMALS if animal in cards), None)


def is_set(cards: Sequence[str]) -> bool:
    """Tell whether these are one or more cards of one value, jokers fitting any, without animals
    (OE-4, OE-5)."""
    return bool(cards) and len({card for card in cards if card != JOKER}) <= 1


def compute_set_value(cards: Sequence[str]) -> int:
    """Return the value of a set (OE-5); jokers alone are 14.

    >>> compute_set_value(["7", "joker"]), compute_set_value(["joker", "joker"])
    (7, 14)
    """
    return next((int(card) for card in cards if card != JOKER), JOKERS_ALONE)


def animal_trick_value(card: str) -> int:
    """Return a card's value in an animal's trick (OE-7, OE-21): a number its value, a joker 1, an
    animal 0. In the ox's pile these are penalties."""
    return _IN_ANIMAL_TRICK[card]


def compute_pile_penalty(cards: Iterable[str]) -> int:
    """Return the penalty for the cards of an ox trick (OE-21), paid by the player who took them."""
    return sum(_IN_ANIMAL_TRICK[card] for card in cards)


def compute_hand_penalty(cards: Iterable[str]) -> int:
    """Return the penalty for the cards left in hand (OE-9, OE-22): their value, joker 14, ox 15,
    donkey 20.

    >>> compute_hand_penalty(["5", "joker", "donkey"])
    39
    """
    return sum(_LEFT[card] for card in cards)


def sort_cards(cards: Iterable[str]) -> tuple[str, ...]:
    """Sort cards for people: numbers upwards, then jokers, donkey, ox."""
    return tuple(sorted(cards, key=list(DECK).index))
