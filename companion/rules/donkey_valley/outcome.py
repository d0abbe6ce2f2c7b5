"""What follows by itself: from one player's act to the next moment at which somebody is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from companion.rules.contract import GAME_OVER, Event, ranked
from companion.rules.donkey_valley import phases
from companion.rules.donkey_valley.cards import Card
from companion.rules.donkey_valley.events import (
    DonkeyRefused,
    DonkeyRemoved,
    DonkeyReturned,
    DonkeySetAside,
    Draft,
    FirstPlayerMoved,
    GameEnded,
    Haul,
    LoadsDrawn,
    LoadsWeighed,
    PhaseBegan,
    RoundResolved,
)
from companion.rules.donkey_valley.evolve import evolve
from companion.rules.donkey_valley.state import Round, State


def unfold(state: State, event: Event) -> list[Event]:
    """List `event` and all that follows from it without anybody being asked."""
    events: list[Event] = []
    following: Event | None = event
    while following is not None:
        events.append(following)
        state = evolve(state, following)
        following = _consequence(state)
    return events


def _consequence(state: State) -> Event | None:
    """Return the event that follows when nobody has a part in the phase any more, else None."""
    if state.todo or state.phase == GAME_OVER:
        return None
    return _AFTER[state.phase](state)


def _next_phase(state: State) -> Event | None:
    """Begin the next phase in which somebody has a part; None when the round has none left."""
    later = phases.PHASES[phases.PHASES.index(state.phase) + 1 :]
    return next((PhaseBegan(phase) for phase in later if phases.todo(state, phase)), None)


def _after_revealing(state: State) -> Event:
    """DV-38: with a double the last donkey of the pile leaves; then the loads are played."""
    return DonkeyRemoved() if state.now.doubled else PhaseBegan("loads")


def _after_removing(_state: State) -> Event:
    """DV-11 follows."""
    return PhaseBegan("loads")


def _after_loads(state: State) -> Event | None:
    """DV-37: a lost donkey goes aside, but for the very last one when no other waits."""
    now = state.now
    if now.donkey == "lost" and not now.returned and (state.left or state.aside):
        return DonkeySetAside(now.number)
    return _next_phase(state)


def _after_decisions(state: State) -> Event | None:
    """DV-39, checked right after the last decision."""
    refused = sum(stake.decision is False for stake in state.now.stakes)
    if state.now.donkey == "stubborn" and 2 * refused > len(state.players):
        return DonkeyRefused(refused)
    return _next_phase(state)


def _after_reveal(state: State) -> Event | None:
    """DV-17: what the donkey removes, then the total; then favour 8 and the draws."""
    now = state.now
    # The loads are weighed already: this is the second time round.
    if now.total is not None:
        return _after_claims(state)
    cards = [
        Card(player.name, value)
        for player, stake in zip(state.players, now.stakes, strict=True)
        for value in stake.up
    ]
    removed = _removed(now, cards)
    values = [card.value for card in cards if card not in removed]
    spread = max(values, default=0) - min(values, default=0)
    total = sum(values)
    overloaded = spread > now.spread_limit if now.spread_limit is not None else total > (now.capacity or 0)
    return LoadsWeighed(removed, total, spread, overloaded)


def _removed(now: Round, cards: list[Card]) -> tuple[Card, ...]:
    """Return the loads the donkey removes: the highest (DV-36), or those of equal value (DV-41)."""
    if now.donkey == "attacked":
        highest = max(card.value for card in cards)
        return tuple(card for card in cards if card.value == highest)
    if now.donkey == "hand_picked":
        times = Counter(card.value for card in cards)
        return tuple(card for card in cards if times[card.value] > 1)
    return ()


def _after_claims(state: State) -> Event:
    """DV-20, then DV-19, then the loads are won (DV-18)."""
    if phases.todo(state, "claims"):
        return PhaseBegan("claims")
    now = state.now
    due = state.draws_due()
    if due:
        # Sorted: the same seed must draw the same cards, whatever the order of laying was.
        pool = sorted(now.pool(), key=lambda card: (state.seat(card.owner), card.value))
        drawn = state.setup.rng("draw", now.number).sample(pool, len(due))
        return LoadsDrawn(
            tuple(Draft(state.players[seat].name, card) for seat, card in zip(due, drawn, strict=True))
        )
    won = [(state.players[seat].name, _won(now, seat)) for seat in state.clockwise()]
    return RoundResolved(now.number, tuple(Haul(name, cards) for name, cards in won if cards))


def _won(now: Round, seat: int) -> tuple[Card, ...]:
    """Return what a seat wins: its own or exchanged loads when it accepted, those taken when it
    refused, nothing when it was wrong."""
    if not now.right(seat):
        return ()
    return now.stakes[seat].taken if now.overloaded else now.stakes[seat].held


def _after_round(state: State) -> Event:
    """DV-21: the first-player card moves on."""
    following = (state.first + 1) % len(state.players)
    return FirstPlayerMoved(state.players[following].name)


def _after_moving(state: State) -> Event:
    """DV-37, DV-22: with the pile empty, lost donkeys follow one by one; then the game ends."""
    if state.aside:
        return DonkeyReturned(state.aside[0].number)
    return GameEnded(tuple(ranked(standing(state))["winners"]))


def standing(state: State) -> list[tuple[str, tuple[int, int]]]:
    """List every player with points and, for ties, the number of loads won (DV-22)."""
    return [(player.name, (player.points, len(player.won))) for player in state.players]


_AFTER: dict[str, Callable[[State], Event | None]] = {
    "revealed": _after_revealing,
    "removed": _after_removing,
    "loads": _after_loads,
    "favours": _next_phase,
    "peeks": _next_phase,
    "decisions": _after_decisions,
    "adjustments": _next_phase,
    "reveal": _after_reveal,
    "claims": _after_claims,
    "ended": _after_round,
    "between": _after_moving,
}
"""What follows when a phase is done.

`revealed`, `removed`, `ended` and `between` are moments in which nobody is asked: no view shows
them.
"""
