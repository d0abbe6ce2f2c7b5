"""Simulated players of DTC: offer what they have, bluff when they must, doubt the unlikely."""

from __future__ import annotations

import random
from collections.abc import Sequence

from companion.demo.actions import Gesture, HandPlayers, Hands, PlayerAction
from companion.games.dtc import moves as ask
from companion.games.dtc import moves as fact
from companion.games.dtc.state import DECK, HAND, JOKER, PREFIX, SIZE, VALUES, beats
from companion.rules.acts import Act
from companion.rules.claims import seat_zone
from companion.rules.contract import Request, Setup, View


def fitting(hand: Sequence[str], value: int) -> int:
    """Count the cards of `hand` that fit an offer of `value`, jokers included."""
    return hand.count(str(value)) + hand.count(JOKER)


def slid(hand: Sequence[str], count: int, value: int) -> list[str]:
    """Choose the real cards for an offer, as true as the hand allows: the value itself, jokers,
    then other cards."""
    first = {str(value): 0, JOKER: 1}
    return sorted(hand, key=lambda card: (first.get(card, 2), card))[:count]


class _Table(Hands):
    """The real cards after the acts so far."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        deck = [card for card, copies in DECK.items() for _ in range(copies)]
        setup.rng("demo", "dtc", "deck").shuffle(deck)
        self.hands = [deck[HAND * seat : HAND * (seat + 1)] for seat in range(len(self.players))]
        self.pile = deck[HAND * len(self.players) :]
        self.offered: list[str] = []
        self.offered_at = ""
        self.lying = False
        self.seen: list[str] = []

    def offer_made(self, event: fact.OfferMade) -> None:
        self.offered = slid(self.hand(event.giver), event.count, event.value)
        self.leave(event.giver, self.offered)
        # The offer stays on the table until the next one: a challenge leaves it lying.
        self.offered_at, self.lying = self.zone(event.challenger), True

    def cards_drawn(self, event: fact.CardsDrawn) -> None:
        self.hands[self.seat(event.player)] += self.pile[: event.count]
        del self.pile[: event.count]

    def offer_accepted(self, event: fact.OfferAccepted) -> None:
        self.hands[self.seat(event.player)] += self.offered
        self.offered, self.lying = [], False

    def cards_revealed(self, event: fact.CardsRevealed) -> None:
        self.seen += event.cards
        self.offered = []

    moves = {
        fact.OfferMade: offer_made,
        fact.CardsDrawn: cards_drawn,
        fact.OfferAccepted: offer_accepted,
        fact.CardsRevealed: cards_revealed,
    }


class Players(HandPlayers[_Table]):
    """All players of one game of DTC. See `companion.demo.actions.SimulatedPlayers`."""

    cards = _Table
    prefix = PREFIX

    def turn(self, table: _Table, acts: Sequence[Act], view: View) -> PlayerAction:
        """Offer, answer, or turn up the offered cards."""
        # By the number of acts: asked once more (`director.retraced`), a player does the same.
        rng = self.setup.rng("demo", "dtc", len(acts))
        player = view["waiting_for"][0]["player"]
        match view["phase"]:
            case "offer":
                return self._offer(table, view, player, rng)
            case "answer":
                return self._answer(table, view, player, rng)
            case "told":
                return PlayerAction(player, ask.Count(player, self._told(player)))
            case _:
                turned = tuple(Gesture("turn", table.offered_at, f"{PREFIX}{card}") for card in table.offered)
                return PlayerAction(None, ask.Reveal(tuple(table.offered)), turned, seen=True)

    def _told(self, player: str) -> int:
        """Return a random share of the 66 cards for this player (DTC-11)."""
        # The same generator for every player, so that their numbers add up to 66.
        rng = self.setup.rng("demo", "dtc", "told")
        owners = [rng.choice(self.setup.players) for _ in range(SIZE)]
        return owners.count(player)

    def action(self, acts: Sequence[Act], view: View, wish: Request) -> PlayerAction:
        """Return the gestures for a person's choice."""
        table = self.table(acts)
        match wish:
            case ask.Offer():
                return self._offered(table, wish)
            case ask.Accept(player):
                return PlayerAction(player, wish, (Gesture("clear", table.offered_at),))
            case _:
                return super().action(acts, view, wish)

    def _offer(self, table: _Table, view: View, player: str, rng: random.Random) -> PlayerAction:
        count, value = choose_offer(table.hand(player), view["to_beat"], rng)
        return self._offered(table, ask.Offer(player, count, value))

    def _offered(self, table: _Table, offer: ask.Offer) -> PlayerAction:
        """Slide the cards that come nearest to the offer."""
        player, count, value = offer.player, offer.count, offer.value
        challenger = (table.seat(player) + 1) % len(table.players) + 1
        lay = [
            Gesture("lay", seat_zone(challenger), f"{PREFIX}{card}", "down")
            for card in slid(table.hand(player), count, value)
        ]
        # Cards of the last challenge still lie there and would be read as part of this offer.
        tidy = [Gesture("clear", table.offered_at)] if table.lying else []
        return PlayerAction(player, offer, (*tidy, *lay))

    def _answer(self, table: _Table, view: View, player: str, rng: random.Random) -> PlayerAction:
        offer, may = view["offer"], {entry["do"] for entry in view["waiting_for"]}
        own = table.hand(player)
        # How many of the offered cards are likely to be false; the more, the likelier the
        # challenge.
        doubt = offer["count"] - _likely(own, table.seen, offer["value"], max(HAND, offer["count"]))
        if "accept" in may and doubt < rng.uniform(0.2, 1.8):
            return PlayerAction(player, ask.Accept(player), (Gesture("clear", table.offered_at),))
        return PlayerAction(player, ask.Challenge(player))


def choose_offer(hand: Sequence[str], to_beat: View | None, rng: random.Random) -> tuple[int, int]:
    """Choose count and value: preferably true, and few cards; sometimes bluff on purpose."""
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
    """Estimate how many of `hand` unseen cards fit `value`; `own` and `seen` are known."""
    known = [*own, *seen]
    unseen = SIZE - len(known)
    fits = DECK[str(value)] + DECK[JOKER] - fitting(known, value)
    return hand * fits / unseen if unseen else 0.0
