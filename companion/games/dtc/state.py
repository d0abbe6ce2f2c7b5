"""The cards of DTC, the comparison of offers, and the state of the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec

from companion.rules.contract import Setup, Text, replace_at_seat

JOKER = "joker"
VALUES = range(1, 7)
"""DTC-1: the values of the cards."""
DECK = {**{str(value): 9 for value in VALUES}, JOKER: 12}
"""DTC-1: each card's name on the wire and its copies."""
SIZE = sum(DECK.values())
HAND = 6
"""DTC-1, DTC-4: cards dealt to each player, and what a giver draws up to."""
PREFIX = "dtc:"
"""The prefix of a card's name in its id: `dtc:4`."""

Phase: TypeAlias = Literal["offer", "answer", "reveal", "told", "game_over"]
Variant: TypeAlias = Literal["off", "all_higher", "at_least"]
Verdict: TypeAlias = Literal["true", "variant", "false"]
"""`variant`: not all cards have the named value, but the option counts them as true (DTC-8)."""


def beats_offer(count: int, value: int, old_count: int, old_value: int) -> bool:
    """Tell whether an offer beats another (DTC-5): as many cards of a higher value, or more
    cards."""
    return count > old_count or (count == old_count and value > old_value)


def judge_offer(cards: Sequence[str], value: int, variant: Variant) -> Verdict:
    """Judge whether `cards`, turned up, are as named (DTC-7, DTC-8); jokers always fit."""
    # Only jokers are always true: `all` of nothing holds.
    plain = [int(card) for card in cards if card != JOKER]
    if all(card == value for card in plain):
        return "true"
    if variant == "all_higher" and all(card > value for card in plain):
        return "variant"
    if variant == "at_least" and all(card >= value for card in plain):
        return "variant"
    return "false"


def describe_card(card: str) -> Text:
    """Return the words for one card."""
    return Text(f"card.{card}")


def describe_offer(count: int, value: int) -> Text:
    """Return the words for an offer."""
    return Text("offer", {"value": value}, count)


class StandingOffer(msgspec.Struct, frozen=True, gc=False):
    """DTC-3: an offer that lies on the table. Seats count from 0."""

    giver: int
    challenger: int
    count: int
    value: int


class ResolvedChallenge(msgspec.Struct, frozen=True):
    """DTC-7: a resolved challenge: the offer, the cards turned up, the verdict, and the seat that
    took them."""

    offer: StandingOffer
    cards: tuple[str, ...]
    verdict: Verdict
    taker: int


class State(msgspec.Struct, frozen=True):
    """The public state of the table: counts only, since hands are unknown. Rows hold one number per
    seat.

    `giver` makes the next offer or made the present one. `piles` are the penalty cards from
    challenges; `left` the cards in hand that joined them at the end (DTC-10). `to_beat` is (count,
    value) of the offer just accepted. With `hands_only` (DTC-11) `hands` are as dealt, then the
    numbers entered; `told`: which seats have entered theirs (else empty).
    """

    setup: Setup
    hands: tuple[int, ...]
    piles: tuple[int, ...]
    left: tuple[int, ...]
    draw_pile: int
    phase: Phase = "offer"
    giver: int = 0
    offer: StandingOffer | None = None
    to_beat: tuple[int, int] | None = None
    challenges: tuple[ResolvedChallenge, ...] = ()
    told: tuple[bool, ...] = ()

    @property
    def players(self) -> tuple[str, ...]:
        """The players' names, by seat."""
        return self.setup.players

    @property
    def unreported_seats(self) -> list[int]:
        """DTC-11: the seats that have not entered their cards yet."""
        return [seat for seat, told in enumerate(self.told) if not told]

    @property
    def unreported_card_count(self) -> int:
        """DTC-11: the number of cards that have not been entered yet."""
        return SIZE - sum(hand for hand, told in zip(self.hands, self.told, strict=True) if told)

    @property
    def challenger(self) -> int:
        """The seat to the giver's left (DTC-3)."""
        return (self.giver + 1) % len(self.players)

    @property
    def acting_player(self) -> str | None:
        """The player in turn; None: the table as a whole."""
        if self.phase == "offer":
            return self.players[self.giver]
        return self.players[self.challenger] if self.phase == "answer" else None

    @property
    def pending_offer(self) -> StandingOffer:
        """The offer on the table; only in the phases `answer` and `reveal`."""
        assert self.offer is not None
        return self.offer

    @property
    def is_last_challenge(self) -> bool:
        """DTC-9: whether the pile is empty, so that the next challenge ends the game."""
        return self.draw_pile == 0

    def count_points(self, seat: int) -> int:
        """Return the cards in the penalty pile of `seat`, at the end with those in hand
        (DTC-10)."""
        return self.piles[seat] + self.left[seat]

    def count_revealed_cards(self) -> Counter[str]:
        """Count the cards turned up so far; they stay in penalty piles."""
        # Only challenges turn cards up; accepted offers go into a hand unseen.
        return Counter(card for challenge in self.challenges for card in challenge.cards)

    def must_challenge(self) -> bool:
        """Tell whether the challenger must challenge (DTC-6): the value is six and they hold no
        card, so no stronger offer can follow."""
        # Nothing beats sixes but more cards, and the challenger will hold no more than these.
        return self.pending_offer.value == 6 and self.hands[self.pending_offer.challenger] == 0

    def hands_after_adding(self, seat: int, by: int) -> tuple[int, ...]:
        """Return the hands with `by` more cards in that of `seat`."""
        return replace_at_seat(self.hands, seat, self.hands[seat] + by)


def build_first_state(setup: Setup) -> State:
    """Deal a full hand to each player (DTC-1, DTC-2); the first player gives first. With
    `hands_only` only the numbers at the end will be known (DTC-11)."""
    # Counts only: the cards themselves are never known before they are turned up.
    none = (0,) * len(setup.players)
    hands = (HAND,) * len(setup.players)
    bare = State(setup, hands, none, none, SIZE - sum(hands))
    if not setup.options["hands_only"]:
        return bare
    return msgspec.structs.replace(bare, phase="told", told=(False,) * len(setup.players))
