"""The state of a game of Partners: the board, and the numbers of cards; hands are unknown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from companion.games.partners import cards
from companion.games.partners.board import BASE, PAWNS, Pawns, count_locked_pawns, find_moving_seat
from companion.rules.contract import Setup

Phase: TypeAlias = Literal["exchange", "play", "told", "game_over"]


TEAMS = ((0, 2), (1, 3))
"""The seats of the two teams: partners sit opposite."""


class State(msgspec.Struct, frozen=True):
    """The public state of the table. Seats count from 0.

    `pawns`: the places of all sixteen pawns, four for each seat, counted along their owner's way:
    -1 is the base, 0 the start, 1 to 56 the squares, 57 to 60 are goal 4 to goal 1, and -2 to -4
    the starts of the players 1 to 3 seats to the left (see `board`). `left`: cards in each hand.
    `played`: how many of each kind lie face up since the last shuffle (PA-5, PA-6). `last`: the
    events of the last card or fold, for the report. `done`: the player in turn has played or
    folded, and the turn has not passed yet. `told`: with `hands_only` (PA-19) the pawns that each
    player has home, None: not entered yet; else empty.
    """

    setup: Setup
    phase: Phase
    dealer: int
    deal: int
    turn: int
    left: tuple[int, ...]
    pawns: Pawns
    played: Mapping[str, int]
    last: tuple[Any, ...] = ()
    done: bool = False
    told: tuple[int | None, ...] = ()

    @property
    def players(self) -> tuple[str, ...]:
        """The players' names, by seat."""
        return self.setup.players

    @property
    def deck(self) -> Mapping[str, int]:
        """PA-4: each kind of card with its copies."""
        return cards.build_deck(self.setup.options["copies"])

    @property
    def acting_player(self) -> str | None:
        """The player in turn (PA-5); None: the table as a whole."""
        return self.players[self.turn] if self.phase == "play" else None

    @property
    def moving_seat(self) -> int:
        """The seat whose pawns the player in turn moves (PA-17)."""
        return find_moving_seat(self.pawns, self.turn)

    @property
    def first_seat(self) -> int:
        """The seat at the dealer's left (PA-5), which plays first."""
        return (self.dealer + 1) % 4

    def count_unplayed_copies(self, card: str) -> int:
        """Count the copies of `card` that have not been played since the last shuffle."""
        return self.deck[card] - self.played.get(card, 0)

    def count_locked_pawns(self, seat: int) -> int:
        """Return the number of locked pawns of `seat` (PA-18), which are the player's points."""
        return count_locked_pawns(self.pawns)[seat]

    @property
    def winning_seats(self) -> tuple[int, ...]:
        """The seats of the team whose eight pawns are locked (PA-18); empty before the end."""
        # Together: a player whose own four are locked goes on with the partner's.
        locked = count_locked_pawns(self.pawns)
        for one, other in TEAMS:
            if locked[one] + locked[other] == 2 * PAWNS:
                return one, other
        return ()


def build_first_state(setup: Setup) -> State:
    """Return the first state (PA-5): the fourth player deals first, and the first four cards each
    are dealt. With `hands_only` only the pawns home at the end will be known (PA-19)."""
    return State(
        setup=setup,
        phase="told" if setup.options["hands_only"] else "exchange",
        dealer=3,
        deal=1,
        turn=0,
        left=(cards.HAND,) * 4,
        pawns=(BASE,) * 16,
        played={},
        told=(None,) * 4 if setup.options["hands_only"] else (),
    )
