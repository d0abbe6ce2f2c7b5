"""Whether a play is legal, and if not, why in words (PA-10 to PA-17); and what it does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from companion.rules.contract import Event, Refusal, refuse
from companion.rules.options import chosen
from companion.rules.partners.board import (
    BASE,
    INNER,
    OUTER,
    PAWNS,
    START,
    Pawns,
    locked,
    mover,
    name_of,
    own,
    place_of,
)
from companion.rules.partners.cards import BACK, LEAVING, SPLIT, STEPS, SWAP
from companion.rules.partners.events import PawnLocked, PawnMoved, PawnSentHome, PawnsSwapped
from companion.rules.partners.plays import SEVEN
from companion.rules.partners.requests import Move
from companion.rules.partners.state import State
from companion.rules.partners.walk import Obstacle, back_four, forward, free_to_swap, land, leave, swapped
from companion.rules.partners.words import card_word, place_word

_STACK: Literal["stack"] = "stack"
_CAPTURED: Literal["captured"] = "captured"


class Effect(msgspec.Struct, frozen=True):
    """What a legal play does: the pawns after it and the facts in their order."""

    pawns: Pawns
    events: tuple[Event, ...]


def judge(state: State, card: str, moves: Sequence[Move]) -> Effect | Refusal:
    """Check a `play` of `card` by the player in turn; `illegal_move` with why, or what it does."""
    entries = [_entry(state, move) for move in moves]
    for entry in entries:
        if isinstance(entry, Refusal):
            return entry
    steps = [entry for entry in entries if not isinstance(entry, Refusal)]
    if not steps:
        return _illegal("PA-7", "no_moves", card=card_word(card))
    if card == SWAP:
        return _swap(state, steps)
    if card == SPLIT:
        return _split(state, steps)
    return _one_pawn(state, card, steps)


def _illegal(clause: str, why: str, **args: object) -> Refusal:
    return refuse("illegal_move", clause, say=f"illegal.{why}", **args)


def _entry(state: State, move: Move) -> tuple[int, int] | Refusal:
    seat = state.players.index(move.owner)
    if not 1 <= move.pawn <= PAWNS:
        return _illegal("PA-2", "no_such_pawn", pawn=move.pawn)
    place = place_of(seat, move.to)
    if place is None:
        return _illegal("PA-3", "no_such_place", to=repr(move.to[:20]))
    return 4 * seat + move.pawn - 1, place


def _pawn(state: State, at: int) -> dict[str, object]:
    return {"owner": state.players[at // 4], "pawn": at % 4 + 1}


def _not_movable(state: State, pawns: Pawns, at: int) -> Refusal | None:
    """PA-15, PA-17: only own pawns, or the partner's once the own four are locked."""
    whose = mover(pawns, state.turn)
    if at // 4 == whose:
        return None
    player, owner = state.players[state.turn], state.players[at // 4]
    if whose != state.turn:
        return _illegal("PA-17", "move_partner", player=player, partner=state.players[whose])
    if at // 4 == (state.turn + 2) % 4:
        return _illegal("PA-17", "not_yet_partner", player=player, partner=owner)
    return _illegal("PA-17", "not_your_pawn", player=player, owner=owner)


def _blocked(state: State, at: int, obstacle: Obstacle) -> Refusal:
    clause, why = {
        "wall": ("PA-11", "wall"),
        "own_wall": ("PA-11", "own_wall"),
        "bounce": ("PA-15", "bounce"),
        "own_pawn_in_goal": ("PA-13", "own_pawn_in_goal"),
        "locked": ("PA-13", "locked"),
        "in_base": ("PA-10", "in_base"),
        "not_in_base": ("PA-10", "not_in_base"),
        "no_way_back": ("PA-14", "no_way_back"),
    }[obstacle.what]
    more: Mapping[str, Mapping[str, object]] = {
        "wall": {"wall": state.players[obstacle.seat]},
        "own_wall": {"ruling": chosen("own_wall", "bars")},
        "bounce": {"ruling": chosen("seven_bounce", "never")},
    }
    return _illegal(clause, why, **_pawn(state, at), **more.get(obstacle.what, {}))


def _one_pawn(state: State, card: str, entries: list[tuple[int, int]]) -> Effect | Refusal:
    at, to = entries[0]
    if len(entries) > 1:
        return _illegal("PA-4", "one_pawn", card=card_word(card))
    refusal = _not_movable(state, state.pawns, at)
    if refusal is not None:
        return refusal
    ways = [forward(state.pawns, at, steps, state.rulings) for steps in STEPS.get(card, ())]
    if card == BACK:
        ways.append(back_four(state.pawns, at))
    if card in LEAVING and (to == START or state.pawns[at] == BASE or card == "heart"):
        ways = [leave(state.pawns, at)]
    if to in ways:
        return _moved(state, ((at, to),))
    for way in ways:
        if isinstance(way, Obstacle):
            return _blocked(state, at, way)
    ends = [way for way in ways if isinstance(way, int)]
    return _illegal(
        "PA-14" if card == BACK else "PA-13" if to >= OUTER or ends[0] >= OUTER else "PA-4",
        "other_place",
        card=card_word(card),
        **_pawn(state, at),
        to=place_word(state, at // 4, to),
        ends=tuple(place_word(state, at // 4, end) for end in ends),
    )


def _split(state: State, entries: list[tuple[int, int]]) -> Effect | Refusal:
    """PA-15: walk the entries in order, keeping which sums of steps they may have taken."""
    pawns, moved, sums = state.pawns, 0, {0}
    walked: list[tuple[int, int]] = []
    for at, to in entries:
        refusal = _not_movable(state, pawns, at)
        if refusal is not None:
            return refusal
        fresh = _unmoved(pawns, moved, at)
        if fresh is None:
            return _illegal("PA-15", "moved_twice", **_pawn(state, at))
        ways = {steps: forward(pawns, at, steps, state.rulings, split=True) for steps in range(1, SEVEN + 1)}
        fitting = [steps for steps, end in ways.items() if end == to]
        if not fitting:
            return _out_of_reach(state, at, to, list(ways.values()))
        sums = {before + steps for before in sums for steps in fitting}
        moved |= (
            1 << fresh | 1 << at
        )  # the pawn named goes; if it had moved, the fresh one stays in its stead
        walked.append((at, to))
        pawns = land(pawns, at, to, state.rulings).pawns
    if SEVEN not in sums:
        return _illegal("PA-15", "not_seven", sums=tuple(sorted(sums)))
    return _moved(state, tuple(walked))


def _unmoved(pawns: Pawns, moved: int, at: int) -> int | None:
    """PA-15: the pawn named, or one of its colour there that has not moved; None: there is none."""
    first = 4 * (at // 4)
    same = [at, *(other for other in range(first, first + PAWNS) if pawns[other] == pawns[at])]
    return next((one for one in same if not moved >> one & 1), None)


def _out_of_reach(state: State, at: int, to: int, ways: list[int | Obstacle]) -> Refusal:
    ends = [way for way in ways if isinstance(way, int)]
    obstacles = [way for way in ways if isinstance(way, Obstacle)]
    if obstacles and (not ends or to < OUTER):
        return _blocked(state, at, obstacles[0])
    return _illegal(
        "PA-15",
        "out_of_reach",
        **_pawn(state, at),
        to=place_word(state, at // 4, to),
        ends=tuple(place_word(state, at // 4, end) for end in dict.fromkeys(ends)),
    )


def _moved(state: State, play: tuple[tuple[int, int], ...]) -> Effect:
    """Carry out legal steps: each lands, sends home, and locks what it locks."""
    pawns = state.pawns
    events: list[Event] = []
    for at, to in play:
        seat = at // 4
        owner = state.players[seat]
        events.append(PawnMoved(owner, at % 4 + 1, name_of(seat, pawns[at]), name_of(seat, to)))
        fixed = locked(pawns, seat)
        landing = land(pawns, at, to, state.rulings)
        pawns = landing.pawns
        for one, place, by in landing.sent:
            name, reason = state.players[one // 4], _STACK if one == at else _CAPTURED
            events.append(
                PawnSentHome(name, one % 4 + 1, name_of(one // 4, place), reason, state.players[by])
            )
        # From the innermost: a pawn is locked once all squares below its own are filled (PA-13).
        for place in sorted(locked(pawns, seat) - fixed, reverse=True):
            pawn = pawns.index(place, 4 * seat, 4 * seat + PAWNS) % 4 + 1
            events.append(PawnLocked(owner, pawn, name_of(seat, place)))
    return Effect(pawns, tuple(events))


def _swap(state: State, entries: list[tuple[int, int]]) -> Effect | Refusal:
    # Whose pawns they are does not matter here (PA-16), so `_not_movable` is not asked.
    if len(entries) != 2 or entries[0][0] == entries[1][0]:
        return _illegal("PA-16", "two_pawns")
    (one, to), (two, other_to) = entries
    for at in (one, two):
        if not free_to_swap(state.pawns, at, state.rulings):
            return _illegal("PA-16", _unswappable(state, at), **_pawn(state, at))
    after = swapped(state.pawns, one, two)
    if (after[one], after[two]) != (to, other_to):
        places = (place_word(state, one // 4, after[one]), place_word(state, two // 4, after[two]))
        return _illegal("PA-16", "not_exchanged", places=places)
    first, second = state.players[one // 4], state.players[two // 4]
    event = PawnsSwapped(
        first, one % 4 + 1, name_of(one // 4, to), second, two % 4 + 1, name_of(two // 4, other_to)
    )
    return Effect(after, (event,))


def _unswappable(state: State, at: int) -> str:
    place = state.pawns[at]
    if place == BASE:
        return "swap_base"
    if OUTER <= place <= INNER:
        return "swap_goal"
    return "swap_shared" if own(state.pawns, at // 4).count(place) > 1 else "swap_start"
