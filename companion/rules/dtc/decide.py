"""What a request leads to: events, or the reason why not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from companion.rules.common.counting import beyond_deck, stranger
from companion.rules.common.turns import not_your_turn, wrong_phase
from companion.rules.contract import Event, Refusal, Request, refuse
from companion.rules.dtc import requests as ask
from companion.rules.dtc.cards import DECK, HAND, VALUES, beats, judge
from companion.rules.dtc.events import (
    CardsDrawn,
    CardsRevealed,
    GameEnded,
    OfferAccepted,
    OfferChallenged,
    OfferMade,
)
from companion.rules.dtc.state import Phase, State
from companion.rules.dtc.words import awaited, card_word, offer_words

Decision = Sequence[Event] | Refusal

_PHASE: Mapping[type[Request], Phase] = {
    ask.Offer: "offer",
    ask.Accept: "answer",
    ask.Challenge: "answer",
    ask.Reveal: "reveal",
}


def decide(state: State, request: Any) -> Decision:
    """Check the phase and the turn, then the request's own rule."""
    if state.phase != _PHASE[type(request)]:
        return wrong_phase(awaited(state))
    turn = state.giver if state.phase == "offer" else state.challenger
    if state.phase != "reveal" and request.player != state.players[turn]:
        return not_your_turn(request.player, awaited(state), "DTC-3")
    return _RULES[type(request)](state, request)


def _offer(state: State, request: ask.Offer) -> Decision:
    count, value, hand = request.count, request.value, state.hands[state.giver]
    if count < 1 or value not in VALUES:
        return refuse("bad_value", "DTC-3", count=count, value=value)
    if count > hand:
        return refuse("too_many_cards", "DTC-3", count=count, hand=hand)
    if state.to_beat is not None and not beats(count, value, *state.to_beat):
        return refuse(
            "offer_too_low", "DTC-5", offer=offer_words(count, value), to_beat=offer_words(*state.to_beat)
        )
    made = OfferMade(request.player, state.players[state.challenger], count, value)
    drawn = min(max(HAND - (hand - count), 0), state.draw_pile)  # DTC-4
    if not drawn:
        return (made,)
    return (made, CardsDrawn(request.player, drawn, state.draw_pile - drawn))


def _accept(state: State, request: ask.Accept) -> Decision:
    if state.must_challenge():
        return refuse("cannot_accept", "DTC-6", player=request.player, count=state.pending.count)
    return (OfferAccepted(request.player, state.pending.count, state.pending.value),)


def _challenge(state: State, request: ask.Challenge) -> Decision:
    return (OfferChallenged(request.player, state.last_challenge),)


def _reveal(state: State, request: ask.Reveal) -> Decision:
    cards, offer = request.cards, state.pending
    unknown = stranger(DECK, cards)
    if unknown is not None:
        return refuse("unknown_card", "DTC-1", card=unknown[:20])
    if len(cards) != offer.count:
        return refuse("bad_count", "DTC-3", count=len(cards), offered=offer.count)
    shown = state.shown()
    beyond = beyond_deck(DECK, shown.elements(), cards)
    if beyond is not None:
        return refuse(
            "impossible_cards",
            "DTC-1",
            card=card_word(beyond),
            copies=DECK[beyond],
            shown=shown[beyond],
            count=cards.count(beyond),
        )
    verdict = judge(cards, offer.value, state.variant)
    taker = offer.giver if verdict == "false" else offer.challenger
    revealed = CardsRevealed(cards, verdict, state.players[taker])
    return (revealed, GameEnded(state.hands)) if state.last_challenge else (revealed,)


_RULES: Mapping[type[Request], Callable[[State, Any], Decision]] = {
    ask.Offer: _offer,
    ask.Accept: _accept,
    ask.Challenge: _challenge,
    ask.Reveal: _reveal,
}
