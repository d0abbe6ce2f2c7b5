"""What follows from an act: the trick's end, an animal taken, the hand's end, the score."""

from __future__ import annotations

from companion.rules.contract import Event
from companion.rules.ochs_und_esel.cards import (
    ANIMALS,
    DONKEY,
    OX,
    Animal,
    left_penalty,
    pile_penalty,
    value_in_animal_trick,
)
from companion.rules.ochs_und_esel.events import (
    AnimalTaken,
    CardsPlayed,
    GameEnded,
    HandBegan,
    HandCounted,
    HandEnded,
    HandScored,
    PileCounted,
    PlayerPassed,
    TrickEnded,
)
from companion.rules.ochs_und_esel.evolve import evolve
from companion.rules.ochs_und_esel.state import MIDDLE, State

_TAKEN_FROM_MIDDLE: dict[int, Animal] = {1: OX, 2: DONKEY}
"""OE-20: the trick whose winner takes the animal from the middle."""


class _Story:
    """Events in the order they follow from each other, and the state they have led to."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.events: list[Event] = []

    def add(self, event: Event) -> State:
        self.events.append(event)
        self.state = evolve(self.state, event)
        return self.state


def after_act(state: State, act: CardsPlayed | PlayerPassed) -> list[Event]:
    """OE-6, OE-9: the act, and the end of the trick and of the hand if it brings them."""
    story = _Story(state)
    if len(story.add(act).plays) == len(state.players):
        _end_trick(story)
    return story.events


def _end_trick(story: _Story) -> None:
    state = story.state
    trick, kind = state.trick, state.kind
    assert kind is not None, "somebody led: two animals cannot bar three players (OE-11)"
    winner = state.players[winner_of(state)]
    cards = tuple(card for play in state.plays for card in play.cards)
    story.add(TrickEnded(trick, kind, winner, cards))
    taken = DONKEY if kind == DONKEY else _TAKEN_FROM_MIDDLE.get(trick)
    if taken is not None and (kind == DONKEY or state.beast(taken).at == MIDDLE):
        story.add(AnimalTaken(winner, taken, trick + 2))  # OE-8, OE-20
    # After what was taken: OE-9 counts what the trick's end brings into a hand.
    _end_hand_if_due(story)


def winner_of(state: State) -> int:
    """OE-6: the seat that played last in a normal trick; OE-7, OE-21: the highest card's in an
    animal trick, the last of equals."""
    played = [play for play in state.plays if play.cards]
    if state.kind not in ANIMALS:
        return played[-1].seat
    return max(enumerate(played), key=lambda entry: (value_in_animal_trick(entry[1].cards[0]), entry[0]))[
        1
    ].seat


def _end_hand_if_due(story: _Story) -> None:
    state = story.state
    holding = [seat for seat in range(len(state.players)) if state.hand(seat)]
    if len(holding) == len(state.players):
        return
    leader = state.next_leader
    # Somebody always has cards to count: the donkey is in a hand, or the ox has just been taken
    # from the middle.
    names = tuple(state.players[seat] for seat in holding)
    story.add(HandEnded(state.hand_number, names, state.players[leader]))


def after_count(state: State, counted: HandCounted | PileCounted) -> list[Event]:
    """OE-9, OE-12: the hand or the ox's trick that was told; when nothing is awaited any more, the
    score, and the next hand or the end of the game."""
    story = _Story(state)
    after = story.add(counted)
    if after.asked() or after.pile_awaited():
        return story.events
    penalties = tuple(
        left_penalty(left or ()) + pile_penalty(pile)
        for left, pile in zip(after.counted, after.piles, strict=True)
    )
    after = story.add(HandScored(after.hand_number, penalties))
    if after.hand_number < after.rounds:
        story.add(HandBegan(after.hand_number + 1, after.players[after.leader]))
    else:
        story.add(GameEnded(after.points))
    return story.events
