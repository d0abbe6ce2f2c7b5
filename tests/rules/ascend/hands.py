"""Whole hands of Ascend in which nobody resists: a player leads single cards until out, then the
next."""

from __future__ import annotations

from companion.games.ascend.cards import CARDS


class Hand:
    """One hand, from the exchange to its end. Cards are taken from those not played yet, whoever
    may hold them."""

    def __init__(self, talk):
        self.talk = talk
        self.left = [name for name in CARDS if name not in ("mountain", "excuse")]
        talk.ok("exchanged")

    def count(self, player):
        """How many cards this player holds."""
        return next(row["hand"] for row in self.talk.view["players"] if row["name"] == player)

    def lead(self, player, number):
        """Lead so many cards, one after another, the others passing."""
        for _ in range(number):
            self.play(player, self.left[-1])
            self.pass_round()

    def play(self, player, card):
        self.left.remove(card)
        self.talk.ok("play", player=player, cards=[card])

    def pass_round(self):
        while self.talk.view["phase"] == "play" and self.talk.view["trick"] is not None:
            self.talk.ok("pass", player=self.talk.view["waiting_for"][0]["player"])

    def take_lead(self, player):
        """Whoever leads now leads a card that `player` answers; the others pass."""
        if self.talk.view["leader"] == player:
            return
        low, high = next(
            (low, high)
            for low in self.left
            for high in reversed(self.left)
            if low != high and CARDS[low].suits & CARDS[high].suits and CARDS[low].rank <= CARDS[high].rank
        )
        self.play(self.talk.view["leader"], low)
        while self.talk.view["waiting_for"][0]["player"] != player:
            self.talk.ok("pass", player=self.talk.view["waiting_for"][0]["player"])
        self.play(player, high)
        self.pass_round()

    def go_out(self, order):
        """End the hand with this order of going out."""
        for player in order[:-1]:
            self.take_lead(player)
            self.lead(player, self.count(player))


def one_hand(talk, order):
    """Play a hand in which the players go out in this order."""
    Hand(talk).go_out(order)


def bid_and_play(talk, order, after):
    """The leader promises after so many cards; then the hand goes out in this order."""
    hand, leader = Hand(talk), talk.view["leader"]
    hand.lead(leader, after - 1)
    hand.play(leader, hand.left[-1])
    talk.ok("promise", player=leader)
    hand.pass_round()
    hand.go_out(order)
