"""The state of a game of DTC: counts only, for nobody at the table knows the hands."""

from __future__ import annotations

from collections import Counter
from typing import Literal, TypeAlias

import msgspec

from companion.rules.contract import Setup
from companion.rules.dtc.cards import HAND, SIZE, Variant, Verdict

Phase: TypeAlias = Literal["offer", "answer", "reveal", "game_over"]


class StandingOffer(msgspec.Struct, frozen=True, gc=False):
    """DTC-3: an offer that lies on the table. Seats count from 0."""

    giver: int
    challenger: int
    count: int
    value: int


class Challenge(msgspec.Struct, frozen=True):
    """DTC-7: a resolved challenge: the offer, the cards as turned up, what they came to, and the
    seat that took them."""

    offer: StandingOffer
    cards: tuple[str, ...]
    verdict: Verdict
    taker: int


class State(msgspec.Struct, frozen=True):
    """Everything that the table knows. Rows hold one number a seat.

    `giver` makes the next offer or made the one that lies there. `piles` are the penalty cards from
    challenges; `left` the cards in hand that joined them at the end (DTC-10). `to_beat` is (count,
    value) of the offer just accepted.
    """

    players: tuple[str, ...]
    variant: Variant
    phase: Phase
    giver: int
    hands: tuple[int, ...]
    piles: tuple[int, ...]
    left: tuple[int, ...]
    draw_pile: int
    offer: StandingOffer | None = None
    to_beat: tuple[int, int] | None = None
    challenges: tuple[Challenge, ...] = ()

    @property
    def challenger(self) -> int:
        """The seat to the giver's left (DTC-3)."""
        return (self.giver + 1) % len(self.players)

    @property
    def acting(self) -> str | None:
        """Whose turn it is; None: the table's."""
        seat = {"offer": self.giver, "answer": self.challenger}.get(self.phase)
        return None if seat is None else self.players[seat]

    @property
    def pending(self) -> StandingOffer:
        """The offer that lies on the table; there is one in the phases `answer` and `reveal`."""
        assert self.offer is not None
        return self.offer

    @property
    def last_challenge(self) -> bool:
        """DTC-9: whether the pile has run out, so that the next challenge ends the game."""
        return self.draw_pile == 0

    def points(self, seat: int) -> int:
        """DTC-10: the cards in the penalty pile of `seat`, at the end with those in hand."""
        return self.piles[seat] + self.left[seat]

    def shown(self) -> Counter[str]:
        """Count the cards that were turned up so far; they lie in penalty piles for good."""
        return Counter(card for challenge in self.challenges for card in challenge.cards)

    def must_challenge(self) -> bool:
        """DTC-6: value six, and the challenger holds nothing else: no stronger offer can follow."""
        return self.pending.value == 6 and self.hands[self.pending.challenger] == 0


def first_state(setup: Setup) -> State:
    """DTC-1, DTC-2: deal six cards to each player; the first player named is the first giver."""
    seats = len(setup.players)
    none = (0,) * seats
    return State(
        players=setup.players,
        variant=setup.options["variant"],
        phase="offer",
        giver=0,
        hands=(HAND,) * seats,
        piles=none,
        left=none,
        draw_pile=SIZE - HAND * seats,
    )
