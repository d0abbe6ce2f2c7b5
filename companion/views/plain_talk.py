"""What takes several lines in the plain view, and cards to be named.

What every view has, `plain_conversation` holds line by line.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from companion.rules.contract import Pick, Request
from companion.texts import Translator
from companion.views.entry import Way
from companion.views.menu_keys import card_keys

Out = Callable[[str], object]


class Talk(Protocol):
    """What is typed goes to a talk until it is over."""

    def hear(self, words: str) -> Talk | None:
        """Take one line; return what hears the next one, None when the talk is over."""


class PickCards:
    """Cards to be named for a choice: by their keys or their names, with spaces between them."""

    def __init__(self, way: Way, submit: Callable[[Request], object], say: Translator, out: Out) -> None:
        assert way.choice.pick is not None
        self._choice = way.choice
        self._pick: Pick = way.choice.pick
        self._submit = submit
        self._say = say
        self._out = out
        self._keys = card_keys(self._pick)

    def begin(self) -> Talk:
        """Say which cards can be named, and by which keys."""
        cards = ", ".join(
            f"{key} {self._say(f'card.{name}')}"
            for key, (name, _) in zip(self._keys, self._pick.cards, strict=True)
        )
        what = self._say.say(self._choice.label)
        least, most = self._pick.least, self._pick.most
        code = "plain.pick" if least < most else "plain.pick_exactly"
        self._out(self._say(code, what=what, least=least, most=most, cards=cards))
        return self

    def hear(self, words: str) -> Talk | None:
        """Hand the cards over, or say what is wrong; an empty line leaves it."""
        if not words:
            self._out(self._say("plain.left"))
            return None
        cards = named(self._pick, words, self._say)
        if cards is None:
            self._out(self._say("plain.unfit", typed=words))
            return self.begin()
        self._submit(self._choice.with_cards(cards))
        return None


def named(pick: Pick, words: str, say: Translator) -> tuple[str, ...] | None:
    """Read cards typed by keys or names; None when they are not what the pick asks for."""
    known: dict[str, str] = {}
    for key, (name, _) in zip(card_keys(pick), pick.cards, strict=True):
        known |= dict.fromkeys((say(f"card.{name}").casefold(), name, key), name)
    cards = [known.get(word.casefold(), "") for word in words.split()]
    copies = dict(pick.cards)
    there = all(cards.count(card) <= copies.get(card, 0) for card in cards)
    return tuple(cards) if there and pick.least <= len(cards) <= pick.most else None
