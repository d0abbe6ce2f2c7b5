"""What can be entered: a menu's entries with their keys and the cards still to be named; and, for
programs, whole requests beside those that have a field free."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import msgspec

from companion.rules.messages import Request, Text


class Shortcut(msgspec.Struct, frozen=True):
    """Cards that a pick often ends with, for a key or two: `cards`, or what to press `then`, where
    the key alone does not say which."""

    key: str
    label: Text
    cards: tuple[str, ...] = ()
    then: tuple[Shortcut, ...] = ()

    def within(self, hand: Mapping[str, int]) -> Iterator[Shortcut]:
        """Give what these cards leave of it: itself, less, or nothing."""
        then = tuple(left for one in self.then for left in one.within(hand))
        if then or (self.cards and not Counter(self.cards) - Counter(hand)):
            yield msgspec.structs.replace(self, then=then)


class Pick(msgspec.Struct, frozen=True):
    """Cards that are still to be named before a choice is a request: `least` to `most` of them go
    into the request's `field`.

    `cards` are the names of the wire in the menu's order, each with how often it can be named; the
    message `card.<name>` of the game's catalogue says it in words. `keys`: one key for each of
    `cards`, of one or two characters, the same all evening whatever else can still be named; empty
    where a name of one character is its own key. `likely`: what is usually meant, offered before
    the cards one by one; its keys are no other choice's.
    """

    cards: tuple[tuple[str, int], ...]
    least: int
    most: int
    field: str = "cards"
    keys: tuple[str, ...] = ()
    likely: tuple[Shortcut, ...] = ()

    @property
    def domain(self) -> Domain:
        """The same for programs."""
        named = tuple(card for card, copies in self.cards for _ in range(copies))
        return Domain(named, self.least, min(self.most, len(named)))

    def fits(self, cards: Sequence[str]) -> bool:
        """Tell whether these are as many as are asked for, and none more often than it can be."""
        known = dict(self.cards)
        there = all(cards.count(card) <= known.get(card, 0) for card in {*cards})
        return there and self.least <= len(cards) <= self.most


Named: TypeAlias = int | str
"""A card's name on the wire."""


class Domain(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a field that is free may hold: one of `of`, or, with `least` and `most`, a list of so
    many, none more often than `of` has it; their order is all the same.

    `optional`: the field may also be left out.
    """

    of: tuple[Named | bool, ...]
    least: int | None = None
    most: int | None = None
    optional: bool = False


class Open(msgspec.Struct, frozen=True):
    """A request of which no list can hold every form: `free` says of each field that is free what
    it may hold; what `request` itself has there means nothing.

    `held`: the one of them that takes cards from the hand of whoever asks; "" where none does.
    """

    request: Request
    free: Mapping[str, Domain]
    held: str = ""


class Legal(msgspec.Struct, frozen=True):
    """What a player may ask for: whole requests, each of which would be accepted, and those with
    fields that are free. What would be accepted is in one of them."""

    legal: Sequence[Request] = ()
    open: Sequence[Open] = ()


def parts(cards: Sequence[Named], least: int, most: int) -> Iterator[tuple[Named, ...]]:
    """Give every way to take `least` to `most` of these cards, each once, in whatever order.

    >>> list(parts(("7", "7", "joker"), 2, 3))
    [('7', 'joker'), ('7', '7'), ('7', '7', 'joker')]
    """
    kinds = list(Counter(cards).items())

    def taken(at: int, size: int, left: int) -> Iterator[tuple[Named, ...]]:
        if not size:
            yield ()
            return
        card, copies = kinds[at]
        left -= copies
        for count in range(max(size - left, 0), min(copies, size) + 1):
            for rest in taken(at + 1, size - count, left):
                yield (card,) * count + rest

    for size in range(least, min(most, len(cards)) + 1):
        yield from taken(0, size, len(cards))


Spots: TypeAlias = tuple[tuple[str, str], ...]
"""What on a game's board stands for a choice: pairs of spots, from where and to where a pawn goes
by it, as the game names them. Who enters by tapping the board names one pair."""


class Part(msgspec.Struct, frozen=True):
    """One part of a choice that can be entered part by part: its key, its words, and how much of
    the whole it is (steps of a seven)."""

    key: str
    label: Text
    size: int
    spots: Spots = ()


class Parts(msgspec.Struct, frozen=True):
    """The parts of a choice, which are named one after the other in any order, and what all choices
    made of such parts have in common.

    `label` and `key` open them all; `size` is what the parts of each come to.
    """

    label: Text
    key: str
    size: int
    parts: tuple[Part, ...]


class Choice(msgspec.Struct, frozen=True):
    """One entry of the manual menu: the words, the request it makes, and the key when the choice
    has one of its own.

    `key` is one character, or a few that are typed one after the other (`34`: three cards, said to
    be fours). It stands for the same act all evening: what can be done besides never changes it.
    With a `pick`, `request` is complete only when cards have been picked for it: see `with_cards`.
    With `parts` it can be entered part by part too: a view may show those parts instead of all the
    ways in which they can be put together.
    """

    label: Text
    request: Request
    key: str = ""
    pick: Pick | None = None
    parts: Parts | None = None
    spots: Spots = ()

    def with_cards(self, cards: Sequence[str]) -> Request:
        """Return the request with the cards that were picked; as it is when nothing is picked."""
        if self.pick is None:
            return self.request
        return msgspec.structs.replace(self.request, **{self.pick.field: tuple(cards)})
