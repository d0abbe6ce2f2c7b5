"""What can be entered by hand: a menu's entries, their keys, and the cards still to be named."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from companion.rules.messages import Request, Text


class Pick(msgspec.Struct, frozen=True):
    """Cards that are still to be named before a choice is a request: `least` to `most` of them go
    into the request's `field`.

    `cards` are the names of the wire in the menu's order, each with how often it can be named; the
    message `card.<name>` of the game's catalogue says it in words. `keys`: one key for each of
    `cards`, of one or two characters, the same all evening whatever else can still be named; empty
    where a name of one character is its own key.
    """

    cards: tuple[tuple[str, int], ...]
    least: int
    most: int
    field: str = "cards"
    keys: tuple[str, ...] = ()


class Part(msgspec.Struct, frozen=True):
    """One part of a choice that can be entered part by part: its key, its words, and how much of
    the whole it is (steps of a seven)."""

    key: str
    label: Text
    size: int


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

    def with_cards(self, cards: Sequence[str]) -> Request:
        """Return the request with the cards that were picked; as it is when nothing is picked."""
        if self.pick is None:
            return self.request
        return msgspec.structs.replace(self.request, **{self.pick.field: tuple(cards)})
