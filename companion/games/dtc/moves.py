"""DTC by its rules: the phases, the requests of players, and the events.

Everything that moves the game is here. `PHASES` lists the phases and the event that follows in each
without a request. A request returns what it leads to (`decide`), an event changes the state
(`apply`) and is described (`describe`).

An `offer` is answered in `answer`: accepted, it leads to the next `offer`; challenged, to `reveal`
and then to the next `offer` or to `game_over`. With `hands_only` (DTC-11) the game is the one phase
`told`.
"""

from __future__ import annotations

from msgspec.structs import replace

from companion.games.dtc.state import (
    DECK,
    HAND,
    SIZE,
    VALUES,
    ResolvedChallenge,
    StandingOffer,
    State,
    Verdict,
    beats_offer,
    describe_card,
    describe_offer,
    judge_offer,
)
from companion.rules.contract import Decision, Event, Phase, Request, Text, refuse, replace_at_seat
from companion.rules.deck_checks import find_excess_card, find_unknown_card
from companion.rules.options import describe_option_value


def _event_after_reveal(state: State) -> Event | None:
    """End the game (DTC-9): with the pile empty, the resolved challenge was the last."""
    # After an accepted offer the new giver must raise: the game ends only after a challenge.
    raising = state.to_beat is not None
    return GameEnded(state.hands) if state.is_last_challenge and not raising else None


def _event_after_offer(state: State) -> Event | None:
    """Let the giver draw up to a full hand (DTC-4), as far as the pile goes."""
    drawn = min(max(HAND - state.hands[state.giver], 0), state.draw_pile)
    return CardsDrawn(state.players[state.giver], drawn, state.draw_pile - drawn) if drawn else None


def _event_after_reports(state: State) -> Event | None:
    """End the game when everybody has entered their cards (DTC-11)."""
    return None if state.unreported_seats else GameEnded(state.hands)


PHASES = {
    "offer": Phase("DTC-3", then=_event_after_reveal),
    "answer": Phase("DTC-5", then=_event_after_offer),
    "reveal": Phase("DTC-7"),
    "told": Phase("DTC-11", then=_event_after_reports),
    "game_over": Phase("DTC-10"),
}


# ---- an offer (DTC-3, DTC-4) ----


class Offer(Request):
    """DTC-3: slide `count` cards to the left neighbour and say that they are of `value`."""

    phase = "offer"
    player: str
    count: int
    value: int

    def decide(self, state: State) -> Decision:
        """Check the offer (DTC-3): it must exceed the one that was just accepted (DTC-5)."""
        count, value, hand = self.count, self.value, state.hands[state.giver]
        if count < 1 or value not in VALUES:
            least, most = VALUES[0], VALUES[-1]
            return refuse("bad_value", "DTC-3", count=count, value=value, least=least, most=most)
        if count > hand:
            return refuse("too_many_cards", "DTC-3", count=count, hand=hand)
        if state.to_beat is not None and not beats_offer(count, value, *state.to_beat):
            due = describe_offer(*state.to_beat)
            return refuse("offer_too_low", "DTC-5", offer=describe_offer(count, value), to_beat=due)
        return OfferMade(self.player, state.players[state.challenger], count, value)


class OfferMade(Event):
    """DTC-3: `count` cards left the giver's hand, face down in front of the challenger, named as
    `value`."""

    giver: str
    challenger: str
    count: int
    value: int

    def apply(self, state: State) -> State:
        giver, challenger = map(state.players.index, (self.giver, self.challenger))
        offer = StandingOffer(giver, challenger, self.count, self.value)
        hands = state.hands_after_adding(giver, -self.count)
        return replace(state, phase="answer", hands=hands, offer=offer, to_beat=None)

    def describe(self, state: State) -> Text:
        offer = describe_offer(self.count, self.value)
        return Text("said.offer", {"giver": self.giver, "challenger": self.challenger, "offer": offer})


class CardsDrawn(Event):
    """DTC-4: the giver drew `count` cards; `left` remain in the draw pile."""

    player: str
    count: int
    left: int

    def apply(self, state: State) -> State:
        hands = state.hands_after_adding(state.players.index(self.player), self.count)
        return replace(state, hands=hands, draw_pile=self.left)

    def describe(self, state: State) -> Text | None:
        # Only the last card drawn needs to be heard: from now on a challenge ends the game (DTC-9).
        return None if self.left else Text("said.pile_empty", {"player": self.player})


# ---- the answer (DTC-5 to DTC-7) ----


class Accept(Request):
    """DTC-5: take the offered cards in hand."""

    phase = "answer"
    player: str

    def decide(self, state: State) -> Decision:
        """Refuse where only a challenge could follow (DTC-6)."""
        if state.must_challenge():
            return refuse("cannot_accept", "DTC-6", player=self.player, count=state.pending_offer.count)
        return OfferAccepted(self.player, state.pending_offer.count, state.pending_offer.value)


class OfferAccepted(Event):
    """DTC-5: the challenger took the offered cards in hand and is the next giver."""

    player: str
    count: int
    value: int

    def apply(self, state: State) -> State:
        seat = state.players.index(self.player)
        hands, beaten = state.hands_after_adding(seat, self.count), (self.count, self.value)
        return replace(state, phase="offer", giver=seat, hands=hands, offer=None, to_beat=beaten)

    def describe(self, state: State) -> Text:
        return Text("said.accept", {"player": self.player}, self.count)


class Challenge(Request):
    """DTC-7: doubt the offer; the cards are turned up next."""

    phase = "answer"
    player: str

    def decide(self, state: State) -> Decision:
        """Challenge; with the pile empty it is the last time (DTC-9)."""
        return OfferChallenged(self.player, state.is_last_challenge)


class OfferChallenged(Event):
    """DTC-7: the challenger doubts the offer. `last`: the pile is out, the game ends (DTC-9)."""

    player: str
    last: bool

    def apply(self, state: State) -> State:
        return replace(state, phase="reveal")

    def describe(self, state: State) -> Text:
        return Text("said.last_challenge" if self.last else "said.challenge", {"player": self.player})


# ---- the cards are turned up (DTC-7, DTC-8) ----


class Reveal(Request):
    """DTC-7: the offered cards as they are seen: names `1` to `6` and `joker`."""

    phase = "reveal"
    cards: tuple[str, ...]

    def decide(self, state: State) -> Decision:
        """Check number and copies of the cards (DTC-1, DTC-3), and let the player who lied, or
        doubted the truth, take them (DTC-7, DTC-8)."""
        cards, offer, shown = self.cards, state.pending_offer, state.count_revealed_cards()
        if (unknown := find_unknown_card(DECK, cards)) is not None:
            return refuse("unknown_card", "DTC-1", card=unknown[:20], least=VALUES[0], most=VALUES[-1])
        if len(cards) != offer.count:
            return refuse("bad_count", "DTC-3", count=len(cards), offered=offer.count)
        # A misread card is noticed here at the latest: no card can turn up more often than it
        # exists.
        if (beyond := find_excess_card(DECK, shown.elements(), cards)) is not None:
            return refuse(
                "impossible_cards",
                "DTC-1",
                card=describe_card(beyond),
                copies=DECK[beyond],
                shown=shown[beyond],
                count=cards.count(beyond),
            )
        verdict = judge_offer(cards, offer.value, state.setup.options["variant"])
        # The taker also gives next (DTC-7).
        taker = offer.giver if verdict == "false" else offer.challenger
        return CardsRevealed(cards, verdict, state.players[taker])


class CardsRevealed(Event):
    """DTC-7, DTC-8: the offer was turned up and judged; `taker` gets it, and gives next."""

    cards: tuple[str, ...]
    verdict: Verdict
    taker: str

    def apply(self, state: State) -> State:
        taker = state.players.index(self.taker)
        challenge = ResolvedChallenge(state.pending_offer, self.cards, self.verdict, taker)
        return replace(
            state,
            phase="offer",
            giver=taker,
            offer=None,
            piles=replace_at_seat(state.piles, taker, state.piles[taker] + len(self.cards)),
            challenges=(*state.challenges, challenge),
        )

    def describe(self, state: State) -> Text:
        return describe_verdict(state, state.challenges[-1])


# ---- a game of which only the end is told (DTC-11) ----


class Count(Request):
    """DTC-11: the number of cards that `player` has at the end, hand and penalty pile together."""

    phase, clause, in_turn = "told", "DTC-11", False
    player: str
    cards: int

    def decide(self, state: State) -> Decision:
        """Check the number (DTC-1, DTC-9): the draw pile is empty, so every card is with a
        player."""
        seat, free = state.players.index(self.player), state.unreported_card_count
        args = {"player": self.player, "count": self.cards, "free": free, "all": SIZE}
        if state.told[seat]:
            return refuse(
                "already_done", "DTC-11", player=self.player, awaited=describe_awaited_reports(state)
            )
        if not 0 <= self.cards <= free:
            return refuse("bad_count", "DTC-11", message="too_many_told", **args)
        # The last number follows from the others, since every card is with a player.
        if state.unreported_seats == [seat] and self.cards != free:
            return refuse("bad_count", "DTC-11", message="too_few_told", **args)
        return CardsTold(self.player, self.cards)


class CardsTold(Event):
    """DTC-11: the number of cards that the player has at the end, hand and penalty pile
    together."""

    player: str
    cards: int

    def apply(self, state: State) -> State:
        seat = state.players.index(self.player)
        hands, told = replace_at_seat(state.hands, seat, self.cards), replace_at_seat(state.told, seat, True)
        return replace(state, hands=hands, told=told)

    def describe(self, state: State) -> Text:
        return Text("said.told", {"player": self.player}, self.cards)


def describe_awaited_reports(state: State) -> Text:
    """Describe who has still to enter their cards (DTC-11)."""
    return Text("awaited.told", {"players": tuple(state.players[seat] for seat in state.unreported_seats)})


# ---- the end (DTC-9, DTC-10) ----


class GameEnded(Event):
    """DTC-9, DTC-10: after the last challenge each player's hand, by seat, joins the penalties."""

    hands: tuple[int, ...]

    def apply(self, state: State) -> State:
        return replace(state, phase="game_over", left=self.hands, hands=(0,) * len(state.players))

    def describe(self, state: State) -> Text:
        return describe_winners(state)


def describe_verdict(state: State, challenge: ResolvedChallenge) -> Text:
    """Describe the result of a challenge."""
    offer = challenge.offer
    args = {
        "giver": state.players[offer.giver],
        "challenger": state.players[offer.challenger],
        "offer": describe_offer(offer.count, offer.value),
        "cards": tuple(map(describe_card, challenge.cards)),
        "taker": state.players[challenge.taker],
        "ruling": describe_option_value("variant", state.setup.options["variant"]),
    }
    return Text(f"judged.{challenge.verdict}", args, len(challenge.cards))


def describe_winners(state: State) -> Text:
    """Describe the winners (DTC-10): fewest cards win, a tie is shared."""
    totals = [state.count_points(seat) for seat in range(len(state.players))]
    names = tuple(name for name, total in zip(state.players, totals, strict=True) if total == min(totals))
    return Text("won", {"players": names, "points": min(totals)}, len(names))
