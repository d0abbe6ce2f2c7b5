"""What a request leads to: events, or why not. Whether a play is legal is said in `judge`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from companion.rules.common import not_your_turn, stranger, wrong_phase
from companion.rules.contract import Event, Refusal, Request, refuse
from companion.rules.partners import requests as ask
from companion.rules.partners.board import PAWNS, Pawns, locked, name_of
from companion.rules.partners.cards import DEALS, HAND
from companion.rules.partners.events import (
    CardPlayed,
    CardsDealt,
    CardsExchanged,
    GameWon,
    PlayerFolded,
    TurnPassed,
)
from companion.rules.partners.judge import judge
from companion.rules.partners.plays import Play, can_play, plays
from companion.rules.partners.state import State
from companion.rules.partners.words import awaited, card_word

Decision = Sequence[Event] | Refusal


def decide(state: State, request: Any) -> Decision:
    """Check the names, the phase and the turn, then the request's own rule."""
    # A stranger comes before the phase, as with the `player` of every request (docs/referee.md).
    for move in getattr(request, "moves", ()):
        if move.owner not in state.players:
            return refuse("unknown_player", player=move.owner)
    if isinstance(request, ask.Exchanged):
        if state.phase != "exchange":
            return wrong_phase(awaited(state), "PA-5")
        return (CardsExchanged(state.players[state.first]),)
    return _not_now(state, request.player) or _RULES[type(request)](state, request)


def answer(state: State, question: ask.Moves) -> Mapping[str, Any] | Refusal:
    """List every legal play of a card by the player in turn, each as the list that `play` takes."""
    refusal = _not_now(state, question.player) or _no_such_card(state, question.card)
    if refusal is not None:
        return refusal
    found = plays(state.pawns, state.turn, question.card, state.rulings)
    return {"moves": [as_moves(state, play) for play in found]}


def as_moves(state: State, play: Play) -> tuple[ask.Move, ...]:
    """Return a play as the entries of a request."""
    return tuple(ask.Move(state.players[at // 4], at % 4 + 1, name_of(at // 4, to)) for at, to in play)


def _not_now(state: State, player: str) -> Refusal | None:
    if state.phase != "play":
        return wrong_phase(awaited(state), "PA-5")
    if player != state.players[state.turn]:
        return not_your_turn(player, awaited(state), "PA-5")
    return None


def _no_such_card(state: State, *cards: str) -> Refusal | None:
    """Refuse a card that Partners does not have, or one of which every copy has been played since
    the last shuffle (PA-5)."""
    unknown = stranger(state.deck, cards)
    if unknown is not None:
        return refuse("unknown_card", "PA-4", card=repr(unknown[:20]))
    spent = next((card for card in cards if cards.count(card) > state.unplayed(card)), None)
    if spent is not None:
        return refuse("no_such_card", "PA-5", card=card_word(spent), copies=state.deck[spent])
    return None


def _play(state: State, request: ask.Play) -> Decision:
    refusal = _no_such_card(state, request.card)
    if refusal is not None:
        return refusal
    effect = judge(state, request.card, request.moves)
    if isinstance(effect, Refusal):
        return effect
    left = _less(state.left, state.turn, 1)
    played = (CardPlayed(request.player, request.card), *effect.events)
    return (*played, *_after(state, left, effect.pawns))


def _fold(state: State, request: ask.Fold) -> Decision:
    """PA-6: shown cards are checked, unless they were not shown."""
    count = state.left[state.turn]
    if request.cards is not None:
        refusal = _bad_fold(state, request.cards, count)
        if refusal is not None:
            return refusal
    folded = PlayerFolded(request.player, count, request.cards)
    return (folded, *_after(state, _less(state.left, state.turn, count), state.pawns))


def _bad_fold(state: State, cards: tuple[str, ...], count: int) -> Refusal | None:
    unknown = stranger(state.deck, cards)
    if unknown is not None:
        return refuse("unknown_card", "PA-4", card=repr(unknown[:20]))
    if len(cards) != count:
        return refuse("bad_count", "PA-6", shown=len(cards), count=count)
    refusal = _no_such_card(state, *cards)
    if refusal is not None:
        return refusal
    for card in cards:
        if can_play(state.pawns, state.turn, card, state.rulings):
            return refuse("could_play", "PA-7" if card == "swap" else "PA-6", card=card_word(card))
    return None


def _less(left: tuple[int, ...], seat: int, count: int) -> tuple[int, ...]:
    return (*left[:seat], left[seat] - count, *left[seat + 1 :])


def _after(state: State, left: tuple[int, ...], pawns: Pawns) -> tuple[Event, ...]:
    """PA-5, PA-18: the game is won, or the next with cards is in turn, or cards are dealt."""
    names = state.players
    for team in ((0, 2), (1, 3)):
        if all(len(locked(pawns, seat)) == PAWNS for seat in team):
            return (GameWon((names[team[0]], names[team[1]])),)
    # The fourth ahead is the player again, who may be the last one with cards.
    for ahead in range(1, HAND + 1):
        seat = (state.turn + ahead) % 4
        if left[seat]:
            return (TurnPassed(names[seat]),)
    if state.deal < DEALS:
        return (CardsDealt(names[state.dealer], state.deal + 1, shuffled=False),)
    return (CardsDealt(names[(state.dealer + 1) % 4], 1, shuffled=True),)


_RULES: Mapping[type[Request], Callable[[State, Any], Decision]] = {ask.Play: _play, ask.Fold: _fold}
