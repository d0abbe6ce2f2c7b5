"""Simulated players of Second Best: they stay below the best card, as close to it as they can."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from companion.demo.actions import Gesture, HandPlayers, Hands, PlayerAction
from companion.rules.acts import Act
from companion.rules.contract import Request, Setup, View

from . import CARDS, TRICKS, CardPlayed, Play


class _Table(Hands):
    """The real cards after the acts so far."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        deck = [str(card) for card in CARDS]
        # From the session's seed, so that a demo can be repeated card by card.
        setup.rng("demo", "second_best").shuffle(deck)
        self.hands = [deck[TRICKS * seat : TRICKS * (seat + 1)] for seat in range(len(self.players))]

    def card_played(self, event: CardPlayed) -> None:
        self.leave(event.player, [str(event.card)])

    moves = {CardPlayed: card_played}


class Players(HandPlayers[_Table]):
    """All players of one game. See `companion.demo.actions.SimulatedPlayers`."""

    cards = _Table
    prefix = "sb:"

    def in_order(self, hand: Sequence[str]) -> Iterable[str]:
        """Sort a hand by value."""
        return sorted(hand, key=int)

    def turn(self, table: _Table, acts: Sequence[Act], view: View) -> PlayerAction:
        """Play the highest card below the best one on the table, else the lowest."""
        player = view["waiting_for"][0]["player"]
        hand = [int(card) for card in self.in_order(table.hand(player))]
        best = max((one["card"] for one in view["trick"]), default=0)
        below = [card for card in hand if card < best]
        return self.action(acts, view, Play(player, below[-1] if below else hand[0]))

    def action(self, acts: Sequence[Act], view: View, wish: Request) -> PlayerAction:
        """Lay the card in front of its player, after clearing the cards of the last trick."""
        assert isinstance(wish, Play)
        table = self.table(acts)
        tidy = [
            Gesture("clear", table.zone(name)) for name in self.setup.players if acts and not view["trick"]
        ]
        lay = Gesture("lay", table.zone(wish.player), f"{self.prefix}{wish.card}")
        # `seen`: the camera reads the card; the request is not entered besides.
        return PlayerAction(wish.player, wish, (*tidy, lay), seen=True)
