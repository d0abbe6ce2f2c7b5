"""Possible inputs: menu entries with their keys and the cards still to be named; and, for programs,
complete requests and requests with free fields."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

import msgspec

from companion.rules.messages import Request, Text


class Shortcut(msgspec.Struct, frozen=True):
    """Cards that are often picked, under a key or two: either `cards`, or the shortcuts to choose
    from next (`then`), where the key alone does not determine them.

    `aliases`: other keys that people type for it (`10`, where the key of a ten is one character).
    """

    key: str
    label: Text
    cards: tuple[str, ...] = ()
    then: tuple[Shortcut, ...] = ()
    aliases: tuple[str, ...] = ()

    def limit_to_hand(self, hand: Mapping[str, int]) -> Iterator[Shortcut]:
        """Generate the part of this shortcut that is possible with these cards: all of it, some, or
        none."""
        # A shortcut with choices goes where none of them is left.
        then = tuple(left for one in self.then for left in one.limit_to_hand(hand))
        if then or (self.cards and not Counter(self.cards) - Counter(hand)):
            yield msgspec.structs.replace(self, then=then)


class Pick(msgspec.Struct, frozen=True):
    """Cards that must be named before a choice becomes a request: `least` to `most` of them go into
    the request's `field`.

    `cards` are names on the wire in the menu's order, each with how often it can be named; the
    message `card.<name>` of the game's catalogue is its text. `keys`: one key for each of `cards`,
    of one or two characters, the same all evening whatever else can be named; empty where a name of
    one character is its own key. `likely`: the usual picks, offered before the single cards; no
    other choice uses their keys.

    What people may type although the rules will refuse it: `others`, the deck's other cards, each
    with its key, and `attempts`, picks of the usual shapes whether or not they are `likely`.
    """

    cards: tuple[tuple[str, int], ...]
    least: int
    most: int
    field: str = "cards"
    keys: tuple[str, ...] = ()
    likely: tuple[Shortcut, ...] = ()
    others: tuple[tuple[str, str], ...] = ()
    attempts: tuple[Shortcut, ...] = ()

    @property
    def domain(self) -> Domain:
        """The same as a domain, for programs."""
        named = tuple(card for card, copies in self.cards for _ in range(copies))
        # No more than there are, even where the pick would allow more.
        return Domain(named, self.least, min(self.most, len(named)))

    def accepts(self, cards: Sequence[str]) -> bool:
        """Tell whether the number of `cards` is allowed, and none is named more often than
        possible."""
        known = dict(self.cards)
        # A card that is not listed has no copies, so that it is refused as well.
        there = all(cards.count(card) <= known.get(card, 0) for card in {*cards})
        return there and self.least <= len(cards) <= self.most


Named: TypeAlias = int | str
"""A card's name on the wire."""


class Domain(msgspec.Struct, frozen=True, omit_defaults=True):
    """The possible values of a free field: one of `of`, or, with `least` and `most`, a list of that
    many, none more often than `of` has it, in any order.

    `optional`: the field may also be left out.
    """

    of: tuple[Named | bool, ...]
    least: int | None = None
    most: int | None = None
    optional: bool = False


class OpenRequest(msgspec.Struct, frozen=True):
    """A request with too many forms to list: `free` gives the domain of each free field; the values
    of these fields in `request` itself have no meaning.

    `held`: the free field that takes cards from the asking player's hand; "" where none does.
    """

    request: Request
    free: Mapping[str, Domain]
    held: str = ""


class LegalRequests(msgspec.Struct, frozen=True):
    """The requests that a player may make: complete ones, each of which would be accepted, and
    those with free fields. Every acceptable request is covered by one of them."""

    legal: Sequence[Request] = ()
    open: Sequence[OpenRequest] = ()


def generate_card_subsets(cards: Sequence[Named], least: int, most: int) -> Iterator[tuple[Named, ...]]:
    """Generate every way to take `least` to `most` of these cards, each combination once.

    >>> list(generate_card_subsets(("7", "7", "joker"), 2, 3))
    [('7', 'joker'), ('7', '7'), ('7', '7', 'joker')]
    """
    kinds = list(Counter(cards).items())

    def generate_rest(at: int, size: int, left: int) -> Iterator[tuple[Named, ...]]:
        if not size:
            yield ()
            return
        card, copies = kinds[at]
        # Of the later kinds no more can be taken than there are: this one must make up for the
        # rest.
        left -= copies
        for count in range(max(size - left, 0), min(copies, size) + 1):
            for rest in generate_rest(at + 1, size - count, left):
                yield (card,) * count + rest

    for size in range(least, min(most, len(cards)) + 1):
        yield from generate_rest(0, size, len(cards))


Spots: TypeAlias = tuple[tuple[str, str], ...]
"""The places on a game's board that stand for a choice: pairs of spots, from and to, as the game
names them. Players who enter it by tapping the board name one pair."""


class ChoicePart(msgspec.Struct, frozen=True):
    """One part of a choice that can be entered in parts: its key, its words, and its share of the
    whole (steps of a seven)."""

    key: str
    label: Text
    size: int
    spots: Spots = ()


class ChoiceParts(msgspec.Struct, frozen=True):
    """The parts of a choice, entered one after the other in any order, and what all choices made of
    such parts have in common.

    `label` and `key` open them all; `size` is the total of each choice's parts.
    """

    label: Text
    key: str
    size: int
    parts: tuple[ChoicePart, ...]


class Choice(msgspec.Struct, frozen=True):
    """One entry of the manual menu: the words, the request it makes, and its key, if it has one.

    `key` is one character, or a few that are typed one after the other (`34`: three cards, said to
    be fours). It means the same all evening, whatever else can be entered. With a `pick`, `request`
    is complete only when its cards have been picked: see `with_cards`. With `generate_card_subsets`
    it can also be entered part by part: a view may show the parts instead of all their
    combinations. `aliases`: other keys that people type for it (`10`, where a ten's key is `0`).
    """

    label: Text
    request: Request
    key: str = ""
    pick: Pick | None = None
    parts: ChoiceParts | None = None
    spots: Spots = ()
    aliases: tuple[str, ...] = ()

    def with_cards(self, cards: Sequence[str]) -> Request:
        """Return the request with the picked cards; unchanged where no cards are picked."""
        if self.pick is None:
            return self.request
        kind = _get_field_type(type(self.request), self.pick.field)
        # A card's name is text in every menu; where it is a number on the wire, `7` becomes 7.
        picked = msgspec.convert(tuple(cards), kind, strict=False)
        return msgspec.structs.replace(self.request, **{self.pick.field: picked})


@cache  # menus try thousands of picks, and a class resolves its annotations each time
def _get_field_type(request: type[Request], field: str) -> Any:
    return next(one.type for one in msgspec.structs.fields(request) if one.name == field)
