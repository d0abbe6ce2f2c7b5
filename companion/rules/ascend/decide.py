"""What a request leads to: events, or the reason why not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from companion.rules.ascend import events as fact
from companion.rules.ascend import requests as ask
from companion.rules.ascend.cards import CARDS, DECKS, MOUNTAIN
from companion.rules.ascend.combinations import LEAST_RUN, Combination, recognise
from companion.rules.ascend.score import PLACES, gains, promised, shown
from companion.rules.ascend.state import State
from companion.rules.ascend.trick import Fault, Trick, fault
from companion.rules.ascend.words import awaited, card_word, combination_word, needed
from companion.rules.common import not_your_turn, replaced, stranger, wrong_phase
from companion.rules.contract import Event, Refusal, Request, refuse

Decision = Sequence[Event] | Refusal


def decide(state: State, request: Any) -> Decision:
    """Check the phase and the turn, then the request's own rule."""
    if state.phase != ("exchange" if isinstance(request, ask.Exchanged) else "play"):
        return wrong_phase(awaited(state), "AS-2")
    if isinstance(request, ask.Play | ask.Pass) and request.player != state.players[state.turn]:
        return not_your_turn(request.player, awaited(state), "AS-4")
    return _RULES[type(request)](state, request)


def _exchanged(state: State, _request: ask.Exchanged) -> Decision:
    return (fact.CardsExchanged(state.players[state.leader]),)


def _play(state: State, request: ask.Play) -> Decision:
    refusal = _bad_cards(state, request)
    if refusal is not None:
        return refusal
    cards = [CARDS[name] for name in request.cards]
    combination = recognise(cards, state.bombs)
    if combination is None:
        words = tuple(card_word(name) for name in request.cards)
        clause = "AS-12" if len({card.rank for card in cards}) >= LEAST_RUN else "AS-11"
        return refuse("not_a_combination", clause, cards=words, needed=needed(state))
    if state.trick is not None:
        found = fault(state.trick, combination, state.bomb_size)
        if found is not None:
            return _not_beaten(state, state.trick, combination, found)
    return _played(state, request, combination)


def _bad_cards(state: State, request: ask.Play) -> Refusal | None:
    cards, hand = request.cards, state.hands[state.turn]
    unknown = stranger(DECKS[state.deck], cards)
    if unknown is not None:
        return refuse("unknown_card", "AS-1", card=repr(unknown[:30]), deck=state.deck)
    if not cards:
        return refuse("not_a_combination", "AS-4", say="no_cards", needed=needed(state))
    twice = next((name for name in cards if cards.count(name) > 1), None)
    if twice is not None:
        return refuse("not_a_combination", "AS-1", say="card_twice", card=card_word(twice))
    spent = next((name for name in cards if name in state.spent), None)
    if spent is not None:
        return refuse("card_spent", "AS-1", card=card_word(spent))
    if len(cards) > hand:
        return refuse("not_enough_cards", "AS-4", player=request.player, count=len(cards), hand=hand)
    return None


_FAULT_CLAUSE: Mapping[Fault, str] = {
    "wrong_count": "AS-4",
    "sets_and_runs": "AS-14",
    "does_not_beat": "AS-4",
    "wrong_suit": "AS-10",
}
_KIND_CLAUSE: Mapping[str, str] = {"single": "AS-10", "set": "AS-11", "run": "AS-12", "bomb": "AS-14"}


def _not_beaten(state: State, trick: Trick, combination: Combination, found: Fault) -> Refusal:
    """Say why the trick is not beaten, and what would beat it."""
    mixed = "bomb" in (trick.last.kind, combination.kind)
    clause = _FAULT_CLAUSE[found]
    if found == "does_not_beat":
        clause = _KIND_CLAUSE["bomb" if mixed else combination.kind]
    elif found == "wrong_suit" and trick.before_excuse is not None:
        clause = "AS-16"
    return refuse(
        found,
        clause,
        played=combination_word(combination),
        last=combination_word(trick.last),
        needed=needed(state),
    )


def _played(state: State, request: ask.Play, combination: Combination) -> Decision:
    player, cards = request.player, request.cards
    hands = replaced(state.hands, state.turn, state.hands[state.turn] - len(cards))
    led = state.trick is None
    events: list[Event] = [
        fact.CombinationPlayed(player, cards, combination.kind, combination.rank_name, led)
    ]
    if state.bidding and MOUNTAIN in cards:
        events.append(fact.MountainPlayed(player))
    order = state.order_out
    if hands[state.turn] == 0:
        order = (*order, state.turn)
        events.append(fact.PlayerWentOut(player, len(order)))
    if sum(hand > 0 for hand in hands) == 1:
        return (*events, *_hand_over(state, order))
    return (*events, fact.TurnPassed(state.players[state.after(state.turn, hands)]))


def _hand_over(state: State, order_out: tuple[int, ...]) -> tuple[Event, ...]:
    """AS-20, AS-21, AS-30: score the hand; then the game is won, or the next hand begins."""
    names = state.players
    order = (*order_out, *(seat for seat in range(len(names)) if seat not in order_out))
    won = gains(order, state.promise, state.shares)
    bid = None
    if state.promise is not None:
        share = shown(promised(order, state.promise, state.shares))
        kept = order[0] == state.promise.seat
        bid = fact.Bid(names[state.promise.seat], state.promise.worth, kept, share)
    scored = fact.HandScored(
        state.hand_number,
        tuple(names[seat] for seat in order),
        PLACES[len(names), bid is not None],
        tuple(map(shown, won)),
        bid,
    )
    totals = list(state.points)
    for seat, gain in zip(order, won, strict=True):
        totals[seat] += gain
    best = max(totals)
    # A tie for the lead is played off by another hand (AS-21).
    if best >= state.target and totals.count(best) == 1:
        return (scored, fact.GameWon(names[totals.index(best)], shown(Fraction(best))))
    return (scored, fact.HandBegan(state.hand_number + 1, names[state.hand_number % len(names)]))


def _pass(state: State, request: ask.Pass) -> Decision:
    trick = state.trick
    if trick is None:
        return refuse("must_lead", "AS-4", player=request.player)
    passed = fact.PlayerPassed(request.player)
    # All others with cards must have passed (AS-4); the last player may hold none any more.
    others = len(state.hands) - state.hands.count(0) - (state.hands[trick.seat] > 0)
    if state.passes + 1 < others:
        return (passed, fact.TurnPassed(state.players[state.after(state.turn, state.hands)]))
    leader = trick.seat if state.hands[trick.seat] else state.after(trick.seat, state.hands)
    return (passed, fact.TrickEnded(state.players[trick.seat], state.players[leader]))


def no_promise(state: State, player: str) -> str | None:
    """AS-30: the reason (end of a message code) why `player` cannot promise now in the phase
    `play`; None when they can."""
    trick = state.trick
    if not state.bidding:
        return "off"
    if trick is None or not state.fresh or state.players[trick.seat] != player:
        return "not_after_play"
    if state.promise is not None:
        return "stands"
    if state.mountain_played:
        return "mountain"
    return "player_out" if state.order_out else None


def _promise(state: State, request: ask.Promise) -> Decision:
    reason = no_promise(state, request.player)
    if reason is not None:
        return refuse("no_promise", "AS-30", say=f"no_promise.{reason}", player=request.player)
    return (fact.PromiseMade(request.player, state.hands[state.players.index(request.player)]),)


_RULES: Mapping[type[Request], Callable[[State, Any], Decision]] = {
    ask.Exchanged: _exchanged,
    ask.Play: _play,
    ask.Pass: _pass,
    ask.Promise: _promise,
}
