"""What players of Ochs & Esel can ask for; the checks are in `decide`."""

from __future__ import annotations

from companion.rules.contract import Request


class Play(Request, frozen=True):
    """OE-4, OE-7: play cards: names `1` to `13`, `joker`, `donkey`, `ox`."""

    player: str
    cards: tuple[str, ...]


class Pass(Request, frozen=True):
    """OE-4, OE-11: play nothing in this trick."""

    player: str


class Hand(Request, frozen=True):
    """OE-9: the cards left in a player's hand, laid out at the end of the hand."""

    player: str
    cards: tuple[str, ...]


class Pile(Request, frozen=True):
    """OE-12, OE-21: the cards of the ox trick, ox included, in front of the player who took them;
    only with `hands_only`."""

    player: str
    cards: tuple[str, ...]
