"""The state after an event. Nothing is checked here: what happened has happened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from companion.rules.common.turns import replaced
from companion.rules.contract import Event
from companion.rules.dtc import events as fact
from companion.rules.dtc.state import Challenge, StandingOffer, State


def evolve(state: State, event: Any) -> State:
    """Return the state after `event`."""
    return _AFTER[type(event)](state, event)


def _offer_made(state: State, event: fact.OfferMade) -> State:
    giver = state.players.index(event.giver)
    offer = StandingOffer(giver, state.players.index(event.challenger), event.count, event.value)
    hands = replaced(state.hands, giver, state.hands[giver] - event.count)
    return replace(state, phase="answer", hands=hands, offer=offer, to_beat=None)


def _cards_drawn(state: State, event: fact.CardsDrawn) -> State:
    seat = state.players.index(event.player)
    hands = replaced(state.hands, seat, state.hands[seat] + event.count)
    return replace(state, hands=hands, draw_pile=event.left)


def _offer_accepted(state: State, event: fact.OfferAccepted) -> State:
    seat = state.players.index(event.player)
    hands = replaced(state.hands, seat, state.hands[seat] + event.count)
    beaten = (event.count, event.value)
    return replace(state, phase="offer", giver=seat, hands=hands, offer=None, to_beat=beaten)


def _offer_challenged(state: State, _event: fact.OfferChallenged) -> State:
    return replace(state, phase="reveal")


def _cards_revealed(state: State, event: fact.CardsRevealed) -> State:
    taker = state.players.index(event.taker)
    challenge = Challenge(state.pending, event.cards, event.verdict, taker)
    return replace(
        state,
        phase="offer",
        giver=taker,
        offer=None,
        piles=replaced(state.piles, taker, state.piles[taker] + len(event.cards)),
        challenges=(*state.challenges, challenge),
    )


def _game_ended(state: State, event: fact.GameEnded) -> State:
    return replace(state, phase="game_over", left=event.hands, hands=(0,) * len(state.players))


_AFTER: Mapping[type[Event], Callable[[State, Any], State]] = {
    fact.OfferMade: _offer_made,
    fact.CardsDrawn: _cards_drawn,
    fact.OfferAccepted: _offer_accepted,
    fact.OfferChallenged: _offer_challenged,
    fact.CardsRevealed: _cards_revealed,
    fact.GameEnded: _game_ended,
}
