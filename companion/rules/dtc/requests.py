"""What players of DTC can ask for; the checks are in `decide`."""

from __future__ import annotations

from companion.rules.contract import Request


class Offer(Request, frozen=True):
    """DTC-3: slide `count` cards to the left neighbour and say that they are of `value`."""

    player: str
    count: int
    value: int


class Accept(Request, frozen=True):
    """DTC-5: take the offered cards in hand."""

    player: str


class Challenge(Request, frozen=True):
    """DTC-7: doubt the offer; the cards are turned up next."""

    player: str


class Reveal(Request, frozen=True):
    """DTC-7: the offered cards as they are seen: names `1` to `6` and `joker`."""

    cards: tuple[str, ...]
