"""Simulated players of DTC: they offer what they have, bluff when they must, and doubt what is unlikely."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from companion.demo.deeds import Deed, Gesture
from companion.demo.wishes import with_hand
from companion.rules.contract import Choice, Event, Request, Setup, View
from companion.rules.dtc import events as fact
from companion.rules.dtc import requests as ask
from companion.rules.dtc.cards import DECK, HAND, JOKER, PREFIX, SIZE, VALUES, beats
from companion.rules.session import Act


def fitting(hand: Sequence[str], value: int) -> int:
    """Count the cards of `hand` that fit an offer of `value`, jokers included."""
    return hand.count(str(value)) + hand.count(JOKER)


def slid(hand: Sequence[str], count: int, value: int) -> list[str]:
    """Choose the real cards for an offer, as true as the hand allows: the value itself, jokers, then what is left over."""
    first = {str(value): 0, JOKER: 1}
    return sorted(hand, key=lambda card: (first.get(card, 2), card))[:count]


class _Table:
    """The real cards after the acts so far."""

    def __init__(self, setup: Setup) -> None:
        self.players = setup.players
        deck = [card for card, copies in DECK.items() for _ in range(copies)]
        setup.rng("demo", "dtc", "deck").shuffle(deck)
        self.hands = [deck[HAND * seat : HAND * (seat + 1)] for seat in range(len(self.players))]
        self.pile = deck[HAND * len(self.players) :]
        self.offered: list[str] = []
        self.zone = ""
        self.lying = False
        self.seen: list[str] = []

    def follow(self, event: Event) -> None:
        """Move the real cards as `event` says."""
        move = _MOVES.get(type(event))
        if move is not None:
            move(self, event)

    def offer_made(self, event: fact.OfferMade) -> None:
        hand = self.hands[self.players.index(event.giver)]
        self.offered = slid(hand, event.count, event.value)
        for card in self.offered:
            hand.remove(card)
        self.zone, self.lying = f"seat:{self.players.index(event.challenger) + 1}", True

    def cards_drawn(self, event: fact.CardsDrawn) -> None:
        self.hands[self.players.index(event.player)] += self.pile[: event.count]
        del self.pile[: event.count]

    def offer_accepted(self, event: fact.OfferAccepted) -> None:
        self.hands[self.players.index(event.player)] += self.offered
        self.offered, self.lying = [], False

    def cards_revealed(self, event: fact.CardsRevealed) -> None:
        self.seen += event.cards
        self.offered = []


_MOVES: Mapping[type[Event], Callable[[_Table, Any], None]] = {
    fact.OfferMade: _Table.offer_made,
    fact.CardsDrawn: _Table.cards_drawn,
    fact.OfferAccepted: _Table.offer_accepted,
    fact.CardsRevealed: _Table.cards_revealed,
}


class Players:
    """All players of one game of DTC. See `companion.demo.deeds.Players`."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.chosen: dict[int, Request] = {}

    def next(self, acts: Sequence[Act], view: View) -> Deed | None:
        """Return the next deed, or None when the game is over."""
        if not view["waiting_for"]:
            return None
        table = self._table(acts)
        rng = self.setup.rng("demo", "dtc", len(acts))
        player = view["waiting_for"][0]["player"]
        match view["phase"]:
            case "offer":
                return self._offer(table, view, player, rng)
            case "answer":
                return self._answer(table, view, player, rng)
            case _:
                turned = tuple(Gesture("turn", table.zone, f"{PREFIX}{card}") for card in table.offered)
                return Deed(None, ask.Reveal(tuple(table.offered)), turned, seen=True)

    def hand(self, acts: Sequence[Act], player: str) -> tuple[str, ...]:
        """Return the card ids in `player`'s hand."""
        hand = self._table(acts).hands[self.setup.players.index(player)]
        return tuple(sorted(f"{PREFIX}{card}" for card in hand))

    def wishes(
        self, acts: Sequence[Act], view: View, player: str, choices: Sequence[Choice]
    ) -> Sequence[Choice]:
        """Offer the menu, less what this hand cannot do. See `companion.demo.deeds.Players`."""
        return with_hand(choices, [card.removeprefix(PREFIX) for card in self.hand(acts, player)])

    def deed(self, acts: Sequence[Act], view: View, wish: Request) -> Deed:
        """Return what the hand does for a person's wish. See `companion.demo.deeds.Players`."""
        table = self._table(acts)
        match wish:
            case ask.Offer():
                return self._offered(table, wish)
            case ask.Accept(player):
                return Deed(player, wish, (Gesture("clear", table.zone),))
            case _:
                return Deed(getattr(wish, "player", None), wish)

    def _table(self, acts: Sequence[Act]) -> _Table:
        table = _Table(self.setup)
        for act in acts:
            for event in act.events:
                table.follow(event)
        return table

    def _offer(self, table: _Table, view: View, player: str, rng: random.Random) -> Deed:
        hand = table.hands[self.setup.players.index(player)]
        count, value = choose_offer(hand, view["to_beat"], rng)
        return self._offered(table, ask.Offer(player, count, value))

    def _offered(self, table: _Table, offer: ask.Offer) -> Deed:
        """Slide the cards that come nearest to what is said."""
        player, count, value = offer.player, offer.count, offer.value
        hand = table.hands[self.setup.players.index(player)]
        challenger = (self.setup.players.index(player) + 1) % len(self.setup.players) + 1
        lay = [
            Gesture("lay", f"seat:{challenger}", f"{PREFIX}{card}", "down")
            for card in slid(hand, count, value)
        ]
        tidy = [Gesture("clear", table.zone)] if table.lying else []
        return Deed(player, offer, (*tidy, *lay))

    def _answer(self, table: _Table, view: View, player: str, rng: random.Random) -> Deed:
        offer, may = view["offer"], {entry["do"] for entry in view["waiting_for"]}
        own = table.hands[self.setup.players.index(player)]
        doubt = offer["count"] - _likely(own, table.seen, offer["value"], max(HAND, offer["count"]))
        if "accept" in may and doubt < rng.uniform(0.2, 1.8):
            return Deed(player, ask.Accept(player), (Gesture("clear", table.zone),))
        return Deed(player, ask.Challenge(player))


def choose_offer(hand: Sequence[str], to_beat: View | None, rng: random.Random) -> tuple[int, int]:
    """Choose count and value: what is true rather than not, few cards rather than many; now and then a bluff for its own sake."""
    offers = [
        (count, value)
        for count in range(1, len(hand) + 1)
        for value in VALUES
        if to_beat is None or beats(count, value, to_beat["count"], to_beat["value"])
    ]
    bold = rng.random() < 0.2

    def cost(offer: tuple[int, int]) -> tuple[float, float]:
        count, value = offer
        lie = max(count - fitting(hand, value), 0)
        wanted = 2 if to_beat is None else 1
        return (abs(lie - bold), abs(count - wanted) + rng.random())

    return min(offers, key=cost)


def _likely(own: Sequence[str], seen: Sequence[str], value: int, hand: int) -> float:
    """Estimate how many cards fit `value` among `hand` cards that are neither one's own nor shown."""
    known = [*own, *seen]
    unseen = SIZE - len(known)
    fits = DECK[str(value)] + DECK[JOKER] - fitting(known, value)
    return hand * fits / unseen if unseen else 0.0
