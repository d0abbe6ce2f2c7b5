"""Simulated players of DTC: offer what they have, bluff when they must, doubt the unlikely."""

from __future__ import annotations

import random
from collections.abc import Sequence

from companion.demo.actions import DealtHands, Gesture, HandPlayers, PlayerAction
from companion.games.dtc import moves as ask
from companion.games.dtc import moves as fact
from companion.games.dtc.state import DECK, HAND, JOKER, PREFIX, SIZE, VALUES, beats_offer
from companion.rules.acts import Act
from companion.rules.claims import format_seat_zone
from companion.rules.contract import Request, Setup, View


def count_fitting_cards(hand: Sequence[str], value: int) -> int:
    """Count the cards of `find_hand` that fit an offer of `value`, jokers included."""
    return hand.count(str(value)) + hand.count(JOKER)


def choose_offered_cards(hand: Sequence[str], count: int, value: int) -> list[str]:
    """Choose the real cards for an offer, as true as the hand allows: the value itself, jokers,
    then other cards."""
    first = {str(value): 0, JOKER: 1}
    return sorted(hand, key=lambda card: (first.get(card, 2), card))[:count]


class RealCards(DealtHands):
    """The real cards after the acts so far."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        deck = [card for card, copies in DECK.items() for _ in range(copies)]
        setup.make_rng("demo", "dtc", "deck").shuffle(deck)
        self.hands = [deck[HAND * seat : HAND * (seat + 1)] for seat in range(len(self.players))]
        self.pile = deck[HAND * len(self.players) :]
        self.offered: list[str] = []
        self.offered_at = ""
        self.lying = False
        self.seen: list[str] = []

    def _on_offer_made(self, event: fact.OfferMade) -> None:
        self.offered = choose_offered_cards(self.find_hand(event.giver), event.count, event.value)
        self.remove_cards(event.giver, self.offered)
        # The offer stays on the table until the next one: a challenge leaves it lying.
        self.offered_at, self.lying = self.find_zone(event.challenger), True

    def _on_cards_drawn(self, event: fact.CardsDrawn) -> None:
        self.hands[self.find_seat_index(event.player)] += self.pile[: event.count]
        del self.pile[: event.count]

    def _on_offer_accepted(self, event: fact.OfferAccepted) -> None:
        self.hands[self.find_seat_index(event.player)] += self.offered
        self.offered, self.lying = [], False

    def _on_cards_revealed(self, event: fact.CardsRevealed) -> None:
        self.seen += event.cards
        self.offered = []

    moves = {
        fact.OfferMade: _on_offer_made,
        fact.CardsDrawn: _on_cards_drawn,
        fact.OfferAccepted: _on_offer_accepted,
        fact.CardsRevealed: _on_cards_revealed,
    }


class Players(HandPlayers[RealCards]):
    """All players of one game of DTC. See `companion.demo.actions.SimulatedPlayers`."""

    cards = RealCards
    prefix = PREFIX

    def choose_action(self, table: RealCards, acts: Sequence[Act], view: View) -> PlayerAction:
        """Offer, answer, or turn up the offered cards."""
        # By the number of acts: asked once more (`director.retrace_gestures`), a player does the
        # same.
        rng = self.setup.make_rng("demo", "dtc", len(acts))
        player = view["waiting_for"][0]["player"]
        match view["phase"]:
            case "offer":
                return self._choose_offer_action(table, view, player, rng)
            case "answer":
                return self._choose_answer_action(table, view, player, rng)
            case "told":
                return PlayerAction(player, ask.Count(player, self._choose_final_count(player)))
            case _:
                turned = tuple(Gesture("turn", table.offered_at, f"{PREFIX}{card}") for card in table.offered)
                return PlayerAction(None, ask.Reveal(tuple(table.offered)), turned, seen_by_readers=True)

    def _choose_final_count(self, player: str) -> int:
        """Return a random share of the deck for this player (DTC-11)."""
        # The same generator for every player, so that their numbers add up to 66.
        rng = self.setup.make_rng("demo", "dtc", "told")
        owners = [rng.choice(self.setup.players) for _ in range(SIZE)]
        return owners.count(player)

    def plan_action(self, acts: Sequence[Act], view: View, wish: Request) -> PlayerAction:
        """Return the gestures for a person's choice."""
        table = self.rebuild_table(acts)
        match wish:
            case ask.Offer():
                return self._build_offer_action(table, wish)
            case ask.Accept(player):
                return PlayerAction(player, wish, (Gesture("clear", table.offered_at),))
            case _:
                return super().plan_action(acts, view, wish)

    def _choose_offer_action(
        self, table: RealCards, view: View, player: str, rng: random.Random
    ) -> PlayerAction:
        count, value = choose_offer(table.find_hand(player), view["to_beat"], rng)
        return self._build_offer_action(table, ask.Offer(player, count, value))

    def _build_offer_action(self, table: RealCards, offer: ask.Offer) -> PlayerAction:
        """Slide the cards that come nearest to the offer."""
        player, count, value = offer.player, offer.count, offer.value
        challenger = (table.find_seat_index(player) + 1) % len(table.players) + 1
        lay = [
            Gesture("lay", format_seat_zone(challenger), f"{PREFIX}{card}", "down")
            for card in choose_offered_cards(table.find_hand(player), count, value)
        ]
        # Cards of the last challenge still lie there and would be read as part of this offer.
        tidy = [Gesture("clear", table.offered_at)] if table.lying else []
        return PlayerAction(player, offer, (*tidy, *lay))

    def _choose_answer_action(
        self, table: RealCards, view: View, player: str, rng: random.Random
    ) -> PlayerAction:
        offer, may = view["offer"], {entry["do"] for entry in view["waiting_for"]}
        own = table.find_hand(player)
        # How many of the offered cards are likely to be false; the more, the likelier the
        # challenge.
        doubt = offer["count"] - _estimate_fitting_cards(
            own, table.seen, offer["value"], max(HAND, offer["count"])
        )
        if "accept" in may and doubt < rng.uniform(0.2, 1.8):
            return PlayerAction(player, ask.Accept(player), (Gesture("clear", table.offered_at),))
        return PlayerAction(player, ask.Challenge(player))


def choose_offer(hand: Sequence[str], to_beat: View | None, rng: random.Random) -> tuple[int, int]:
    """Choose count and value: preferably true, and few cards; sometimes bluff on purpose."""
    offers = [
        (count, value)
        for count in range(1, len(hand) + 1)
        for value in VALUES
        if to_beat is None or beats_offer(count, value, to_beat["count"], to_beat["value"])
    ]
    bold = rng.random() < 0.2

    def rate_offer(offer: tuple[int, int]) -> tuple[float, float]:
        count, value = offer
        lie = max(count - count_fitting_cards(hand, value), 0)
        wanted = 2 if to_beat is None else 1
        return (abs(lie - bold), abs(count - wanted) + rng.random())

    return min(offers, key=rate_offer)


def _estimate_fitting_cards(own: Sequence[str], revealed: Sequence[str], value: int, hand: int) -> float:
    """Estimate how many of `find_hand` unseen cards fit `value`; `own` and `seen` are known."""
    known = [*own, *revealed]
    unseen = SIZE - len(known)
    fits = DECK[str(value)] + DECK[JOKER] - count_fitting_cards(known, value)
    return hand * fits / unseen if unseen else 0.0
