"""What happens in DTC; the table in `docs/events/dtc.md` lists these for other programs."""

from __future__ import annotations

from companion.rules.contract import Event
from companion.rules.dtc.cards import Verdict


class OfferMade(Event, frozen=True):
    """DTC-3: `count` cards left the giver's hand, face down before the challenger, as `value`."""

    giver: str
    challenger: str
    count: int
    value: int


class CardsDrawn(Event, frozen=True):
    """DTC-4: the giver drew `count` cards; `left` remain in the draw pile."""

    player: str
    count: int
    left: int


class OfferAccepted(Event, frozen=True):
    """DTC-5: the challenger took the offered cards in hand and is the next giver."""

    player: str
    count: int
    value: int


class OfferChallenged(Event, frozen=True):
    """DTC-7: the challenger doubts the offer. `last`: the pile is out, the game ends (DTC-9)."""

    player: str
    last: bool


class CardsRevealed(Event, frozen=True):
    """DTC-7, DTC-8: the offer was turned up and judged; `taker` has it, and gives next."""

    cards: tuple[str, ...]
    verdict: Verdict
    taker: str


class GameEnded(Event, frozen=True):
    """DTC-9, DTC-10: after the last challenge each player's hand, by seat, joins the penalties."""

    hands: tuple[int, ...]
