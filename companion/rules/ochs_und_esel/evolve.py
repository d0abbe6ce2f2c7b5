"""The state after an event. Nothing is checked here: what happened has happened."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from companion.rules.common import replaced
from companion.rules.contract import Event
from companion.rules.ochs_und_esel import events as fact
from companion.rules.ochs_und_esel.cards import ANIMALS, DONKEY, OX, set_value
from companion.rules.ochs_und_esel.state import Beast, Play, Score, State, Trick, dealt


def evolve(state: State, event: Any) -> State:
    """Return the state after `event`."""
    return _AFTER[type(event)](state, event)


def _cards_played(state: State, event: fact.CardsPlayed) -> State:
    seat, cards = state.players.index(event.player), event.cards
    state = replace(state, phase="follow", kind=event.trick_kind, plays=(*state.plays, Play(seat, cards)))
    if cards[0] in ANIMALS:
        return replace(state, **{cards[0]: Beast()})
    hands = replaced(state.cards, seat, state.cards[seat] - len(cards))
    to_beat = (len(cards), set_value(cards)) if event.trick_kind == "normal" else None
    return replace(state, cards=hands, to_beat=to_beat)


def _player_passed(state: State, event: fact.PlayerPassed) -> State:
    leader = state.leader if event.leader is None else state.players.index(event.leader)
    return replace(state, leader=leader, plays=(*state.plays, Play(state.players.index(event.player), ())))


def _trick_ended(state: State, event: fact.TrickEnded) -> State:
    winner = state.players.index(event.winner)
    trick = Trick(event.trick, event.trick_kind, winner, state.plays)
    state = replace(
        state,
        phase="lead",
        leader=winner,
        kind=None,
        plays=(),
        to_beat=None,
        tricks_done=event.trick,
        last_trick=trick,
    )
    match event.trick_kind:
        case "normal":
            return replace(state, gone=(*state.gone, *event.cards))
        case "donkey":
            # The animals are kept apart from the counted cards (`Beast`).
            back = sum(card != DONKEY for card in event.cards)
            return replace(state, cards=replaced(state.cards, winner, state.cards[winner] + back))
        case "ox":
            piles = (*state.piles[:winner], event.cards, *state.piles[winner + 1 :])
            return replace(state, piles=piles)


def _animal_taken(state: State, event: fact.AnimalTaken) -> State:
    beast = Beast(state.players.index(event.player), event.free_from)
    return replace(state, ox=beast) if event.animal == OX else replace(state, donkey=beast)


def _hand_ended(state: State, event: fact.HandEnded) -> State:
    counted = tuple(None if name in event.players else () for name in state.players)
    return replace(state, phase="hands", leader=state.players.index(event.leader), counted=counted)


def _hand_counted(state: State, event: fact.HandCounted) -> State:
    seat = state.players.index(event.player)
    state = replace(state, counted=(*state.counted[:seat], event.cards, *state.counted[seat + 1 :]))
    return _told(state, seat, event.cards) if state.hands_only else state


def _told(state: State, seat: int, cards: Sequence[str]) -> State:
    """OE-12: nothing was known of this hand but the deal: what was told is what it holds."""
    plain = sum(card not in ANIMALS for card in cards)
    animals = {
        animal: Beast(seat) if animal in cards else Beast()
        for animal in ANIMALS
        if animal in cards or state.beast(animal).at == seat
    }
    return replace(state, cards=replaced(state.cards, seat, plain), **animals)


def _pile_counted(state: State, event: fact.PileCounted) -> State:
    seat = state.players.index(event.player)
    piles = (*state.piles[:seat], event.cards, *state.piles[seat + 1 :])
    return replace(state, piles=piles, ox=Beast())


def _hand_scored(state: State, event: fact.HandScored) -> State:
    score = Score(tuple(cards or () for cards in state.counted), state.piles)
    points = tuple(map(sum, zip(state.points, event.penalties, strict=True)))
    leader = state.next_leader if state.hands_only else state.leader
    return replace(state, points=points, scores=(*state.scores, score), leader=leader)


def _hand_began(state: State, event: fact.HandBegan) -> State:
    return dealt(replace(state, leader=state.players.index(event.leader)))


def _game_ended(state: State, _event: fact.GameEnded) -> State:
    return replace(state, phase="game_over")


_AFTER: Mapping[type[Event], Callable[[State, Any], State]] = {
    fact.CardsPlayed: _cards_played,
    fact.PlayerPassed: _player_passed,
    fact.TrickEnded: _trick_ended,
    fact.AnimalTaken: _animal_taken,
    fact.HandEnded: _hand_ended,
    fact.HandCounted: _hand_counted,
    fact.PileCounted: _pile_counted,
    fact.HandScored: _hand_scored,
    fact.HandBegan: _hand_began,
    fact.GameEnded: _game_ended,
}
