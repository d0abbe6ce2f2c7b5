"""A seven pawn by pawn (PA-15): the parts of a play, so that people can enter one pawn with its
steps after the other."""

from __future__ import annotations

from companion.rules.contract import Part, Parts, Text
from companion.rules.partners.board import Pawns
from companion.rules.partners.plays import SEVEN, Play
from companion.rules.partners.rulings import Rulings
from companion.rules.partners.state import State
from companion.rules.partners.walk import forward, land
from companion.rules.partners.words import place_word


def parts_of(state: State, play: Play) -> Parts:
    """Return a legal play of a seven as parts: each pawn with its steps and where they lead.

    Keys: pawn, steps (`23`: pawn 2, three).
    """
    steps = _steps(state.pawns, play, SEVEN, state.rulings)
    assert steps is not None, play
    parts = tuple(_part(state, at, end, taken) for (at, end), taken in zip(play, steps, strict=True))
    return Parts(Text("choice.split"), "7", SEVEN, parts)


def _steps(pawns: Pawns, play: Play, left: int, rulings: Rulings) -> tuple[int, ...] | None:
    """Find the steps of each pawn; where a pawn comes out at the same place by several, those that
    make seven altogether."""
    if not play:
        return () if left == 0 else None
    (at, end), rest = play[0], play[1:]
    for steps in range(1, left + 1):
        # Several numbers of steps may lead there, by way of a bounce: each is tried with the rest.
        if forward(pawns, at, steps, rulings, split=True) == end:
            others = _steps(land(pawns, at, end, rulings).pawns, rest, left - steps, rulings)
            if others is not None:
                return (steps, *others)
    return None


def _part(state: State, at: int, end: int, steps: int) -> Part:
    seat = at // 4
    own = seat == state.turn
    args = {"owner": state.players[seat], "pawn": at % 4 + 1, "to": place_word(state, seat, end)}
    label = Text("part.pawn" if own else "part.partners_pawn", args, steps)
    return Part(f"{'' if own else 'p'}{at % 4 + 1}{steps}", label, steps)
