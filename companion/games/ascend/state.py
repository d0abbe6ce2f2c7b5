"""The state of a game of Ascend: the cards played and the sizes of the hands (the hands themselves
are unknown); and the points of a hand (AS-20, AS-21, AS-30), as exact fractions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

import msgspec

from companion.games.ascend.cards import DECKS, MOUNTAIN, Deck, compute_hand_size
from companion.games.ascend.combinations import Trick
from companion.rules.contract import Setup

Shares: TypeAlias = Literal["exact", "floor"]
"""AS-30, option `shares`: how opponents divide the worth of a broken promise."""

PLACES: Mapping[tuple[int, bool], tuple[int, ...]] = {
    (3, False): (9, 4, 0),
    (4, False): (7, 4, 2, 0),
    (3, True): (8, 4, 0),
    (4, True): (6, 4, 2, 0),
}
"""AS-20, AS-30: the points of each place, by number of players, and whether there is a promise."""


class StandingPromise(msgspec.Struct, frozen=True, gc=False):
    """AS-30: a promise to go out first: the seat (from 0), and the cards left in hand at that
    moment."""

    seat: int
    worth: int


class Bid(msgspec.Struct, frozen=True):
    """AS-30: the outcome of a promise: its worth to the promising player, or `share` to each
    opponent."""

    player: str
    worth: int
    kept: bool
    share: int | str


class ScoredHand(msgspec.Struct, frozen=True):
    """AS-20, AS-30: a scored hand: its number, the `order` of going out, the last player included,
    and in that order the worth of each place and the points of each player."""

    number: int
    order: tuple[str, ...]
    places: tuple[int, ...]
    points: tuple[int | str, ...]
    promise: Bid | None


def compute_promise_points(order: Sequence[int], promise: StandingPromise, shares: Shares) -> Fraction:
    """Return the value of a promise (AS-30): its worth if kept, else the share of each opponent."""
    if order[0] == promise.seat:
        return Fraction(promise.worth)
    # Among the opponents only: the promising player gets nothing.
    share = Fraction(promise.worth, len(order) - 1)
    return share if shares == "exact" else Fraction(int(share))


def compute_hand_points(
    order: Sequence[int], promise: StandingPromise | None, shares: Shares
) -> list[Fraction]:
    """Return the points that each seat of `order` (first out to last) wins in a hand."""
    places = PLACES[len(order), promise is not None]
    won = [Fraction(points) for points in places]
    if promise is None:
        return won
    bid, kept = compute_promise_points(order, promise, shares), order[0] == promise.seat
    return [points + bid * ((seat == promise.seat) == kept) for seat, points in zip(order, won, strict=True)]


Phase: TypeAlias = Literal["exchange", "play", "hands", "game_over"]


class State(msgspec.Struct, frozen=True):
    """The public state of the table. Seats count from 0.

    `leader` leads or led this trick. `passes`: passes in a row since the last combination. `fresh`:
    that combination was the last request, so that its player may promise. `order_out`: the seats
    without cards. `spent`: cards played in this hand, in alphabetical order. `hands_scored` and
    `last_trick` are for explanations: every scored hand, and the winner of the last trick with the
    leader of the next, unless a hand was scored since. With `hands_only` (AS-22) `hands` are as
    dealt, and 0 for players who are out.
    """

    setup: Setup
    phase: Phase
    hand_number: int
    leader: int
    turn: int
    hands: tuple[int, ...]
    points: tuple[Fraction, ...]
    trick: Trick | None = None
    passes: int = 0
    fresh: bool = False
    order_out: tuple[int, ...] = ()
    spent: tuple[str, ...] = ()
    promise: StandingPromise | None = None
    hands_scored: tuple[ScoredHand, ...] = ()
    last_trick: tuple[str, str] | None = None

    @property
    def players(self) -> tuple[str, ...]:
        """The players' names, by seat."""
        return self.setup.players

    @property
    def acting_player(self) -> str | None:
        """The player in turn (AS-4); None: the table as a whole."""
        return self.players[self.turn] if self.phase == "play" else None

    @property
    def play_sizes(self) -> tuple[int, int]:
        """The fewest and the most cards that the player in turn can play now (AS-14)."""
        hand = self.hands[self.turn]
        # A lead may be of any size.
        if self.trick is None:
            return 1, hand
        count = self.trick.last.count
        larger = self.trick.last.kind == "bomb" and self.setup.options["bomb_size"] == "larger"
        return count, max(count, hand) if larger else count

    @property
    def is_mountain_played(self) -> bool:
        """Whether the mountain has been played in this hand (AS-30)."""
        return MOUNTAIN in self.spent

    @property
    def dealer(self) -> int:
        """The seat that deals this hand (AS-3); in the first hand the player before the first."""
        return (self.hand_number - 2) % len(self.players)

    @property
    def seats_with_cards(self) -> list[int]:
        """The seats that have cards left."""
        return [seat for seat, hand in enumerate(self.hands) if hand]

    @property
    def players_with_cards(self) -> list[str]:
        """The players who have cards left."""
        return [self.players[seat] for seat in self.seats_with_cards]

    def list_unplayed_cards(self) -> list[str]:
        """List the cards of the deck that have not been played in this hand, ranks rising."""
        spent = {*self.spent}
        return [card for card in DECKS[self.setup.options["deck"]] if card not in spent]


def list_dealt_hand_sizes(deck: Deck, players: int) -> tuple[int, ...]:
    """Return the number of cards in each hand after the deal (AS-1)."""
    return (compute_hand_size(deck, players),) * players


def choose_first_phase(hands_only: bool) -> Phase:
    """Return the phase in which a hand begins (AS-2, AS-22)."""
    return "hands" if hands_only else "exchange"


def build_first_state(setup: Setup) -> State:
    """Return the state in which the first player leads the first hand (AS-3)."""
    count, options = len(setup.players), setup.options
    return State(
        setup=setup,
        phase=choose_first_phase(options["hands_only"]),
        hand_number=1,
        leader=0,
        turn=0,
        hands=list_dealt_hand_sizes(options["deck"], count),
        points=(Fraction(0),) * count,
    )
