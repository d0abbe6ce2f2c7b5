"""What each event changes in the state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from msgspec.structs import replace

from companion.rules.ascend import events as fact
from companion.rules.ascend.cards import CARDS
from companion.rules.ascend.combinations import recognise
from companion.rules.ascend.score import Promise
from companion.rules.ascend.state import State, dealt
from companion.rules.ascend.trick import followed, led
from companion.rules.common import replaced
from companion.rules.contract import GAME_OVER, Event


def evolve(state: State, event: Any) -> State:
    """Return the state after `event`."""
    return _AFTER[type(event)](state, event)


def _exchanged(state: State, _event: fact.CardsExchanged) -> State:
    return replace(state, phase="play")


def _combination_played(state: State, event: fact.CombinationPlayed) -> State:
    seat, cards = state.players.index(event.player), event.cards
    combination = recognise([CARDS[name] for name in cards], state.bombs)
    assert combination is not None, cards
    trick = state.trick
    return replace(
        state,
        hands=replaced(state.hands, seat, state.hands[seat] - len(cards)),
        trick=led(combination, seat, cards) if trick is None else followed(trick, combination, seat, cards),
        passes=0,
        fresh=True,
        spent=state.spent.union(cards),
    )


def _player_passed(state: State, _event: fact.PlayerPassed) -> State:
    return replace(state, passes=state.passes + 1, fresh=False)


def _promise_made(state: State, event: fact.PromiseMade) -> State:
    return replace(state, promise=Promise(state.players.index(event.player), event.worth))


def _went_out(state: State, event: fact.PlayerWentOut) -> State:
    return replace(state, order_out=(*state.order_out, state.players.index(event.player)))


def _turn_passed(state: State, event: fact.TurnPassed) -> State:
    return replace(state, turn=state.players.index(event.player))


def _trick_ended(state: State, event: fact.TrickEnded) -> State:
    leader = state.players.index(event.leader)
    return replace(state, leader=leader, turn=leader, trick=None, passes=0, last=(event,))


def _hand_scored(state: State, event: fact.HandScored) -> State:
    points = list(state.points)
    for player, gain in zip(event.order, event.points, strict=True):
        # A share may be `7/3` (AS-30), and the event holds it as text: JSON has no fractions.
        points[state.players.index(player)] += Fraction(gain)
    return replace(
        state, points=tuple(points), hands_scored=(*state.hands_scored, event), fresh=False, last=(event,)
    )


def _hand_began(state: State, event: fact.HandBegan) -> State:
    leader = state.players.index(event.leader)
    return replace(
        state,
        phase="exchange",
        hand_number=event.hand_number,
        leader=leader,
        turn=leader,
        hands=dealt(state.deck, len(state.players)),
        trick=None,
        order_out=(),
        spent=frozenset(),
        promise=None,
    )


def _game_won(state: State, event: fact.GameWon) -> State:
    return replace(state, phase=GAME_OVER, last=(*state.last, event))


_AFTER: Mapping[type[Event], Callable[[State, Any], State]] = {
    fact.CardsExchanged: _exchanged,
    fact.CombinationPlayed: _combination_played,
    fact.MountainPlayed: lambda state, _event: state,
    fact.PlayerPassed: _player_passed,
    fact.PromiseMade: _promise_made,
    fact.PlayerWentOut: _went_out,
    fact.TurnPassed: _turn_passed,
    fact.TrickEnded: _trick_ended,
    fact.HandScored: _hand_scored,
    fact.HandBegan: _hand_began,
    fact.GameWon: _game_won,
}
