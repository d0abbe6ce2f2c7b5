"""How one pawn goes (PA-10 to PA-14): where its steps end, or what stands in the way; and what its
landing does.

Everything here is arithmetic on places (see `board`); the tests walk the same moves square by
square.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from companion.games.partners.board import (
    BASE,
    FIRST,
    INNER,
    LAST,
    OUTER,
    START,
    STRETCH,
    Pawns,
    along,
    locked,
    on_start,
    own,
    place_on,
    square,
    start_owner,
    with_pawn,
)
from companion.games.partners.rulings import Rulings


class Obstacle(msgspec.Struct, frozen=True, gc=False):
    """Why a pawn cannot go so: `what` names the reason; `seat` is whose wall it is."""

    what: Literal[
        "wall",
        "own_wall",
        "own_wall_out",
        "own_pawn_in_goal",
        "locked",
        "in_base",
        "not_in_base",
        "no_way_back",
        "pawn_behind",
        "bounce",
    ]
    seat: int = -1


IN_BASE, NOT_IN_BASE = Obstacle("in_base"), Obstacle("not_in_base")
OWN_WALL, BOUNCE = Obstacle("own_wall"), Obstacle("bounce")
LOCKED, OWN_PAWN = Obstacle("locked"), Obstacle("own_pawn_in_goal")
NO_WAY_BACK, PAWN_BEHIND = Obstacle("no_way_back"), Obstacle("pawn_behind")
OWN_WALL_OUT = Obstacle("own_wall_out")
_GATES = ((STRETCH, 1), (2 * STRETCH, 2), (3 * STRETCH, 3))
"""The last place before each foreign start on a pawn's way, and how many seats to the left of the
pawn's that start's owner sits."""


_NEVER_SWAPPED = (BASE, *range(OUTER, INNER + 1))


def _wall(pawns: Pawns, seat: int, low: int, high: int) -> Obstacle | None:
    """PA-11: the first foreign wall between places `low` and `high`, in either direction."""
    for gate, left in _GATES:
        if low <= gate < high:
            owner = (seat + left) % 4
            if START in own(pawns, owner):
                return Obstacle("wall", owner)
    return None


def leave(pawns: Pawns, at: int) -> int | Obstacle:
    """PA-10: a pawn in its base goes to its start."""
    return START if pawns[at] == BASE else NOT_IN_BASE


def forward(pawns: Pawns, at: int, steps: int, rulings: Rulings, *, split: bool = False) -> int | Obstacle:
    """PA-2, PA-11, PA-13: the place where the pawn at index `at` ends after `steps` (1 or more)
    forward.

    It goes into the goal as far as there is room, then back out by the rest; in a `split` only
    where the table plays so (PA-15). The wall of another player stops it both ways, also on the way
    back out: nothing bounces off a wall. Its own wall stops it only before its own goal, and only
    where the table plays so (PA-11).

    PA-13's example, pawns on goal 2 and goal 4, a 5 for the latter: in to goal 3, back over 4 and
    square 14, 13, to 12.

    >>> from companion.games.partners.board import name_of
    >>> pawns = (59, 57, BASE, BASE, *(BASE,) * 12)
    >>> name_of(0, forward(pawns, 1, 5, Rulings()))
    '4:12'
    """
    if pawns[at] == BASE:
        return IN_BASE
    seat, place = at // 4, along(pawns[at])
    if place >= OUTER and place in locked(pawns, seat):
        return LOCKED
    goals = [other for other in own(pawns, seat) if other >= OUTER and other != place]
    deepest = min((other for other in goals if other > place), default=INNER + 1) - 1
    end = place + steps
    enters = place <= LAST < min(end, deepest)
    if enters and rulings.own_wall == "bars" and START in own(pawns, seat):
        return OWN_WALL
    if end <= deepest:
        return _wall(pawns, seat, place, end) or end
    if split and rulings.seven_bounce == "never":
        return BOUNCE
    end = 2 * deepest - end
    if any(end <= other < place for other in goals):
        return OWN_PAWN
    return _wall(pawns, seat, min(place, end), deepest) or end


def back_four(pawns: Pawns, at: int, rulings: Rulings) -> int | Obstacle:
    """PA-14: the place four squares back from a start or a square; the own start, a wall or not, is
    passed and not counted. From the goal only where the table plays so."""
    place = pawns[at]
    if place == BASE:
        return IN_BASE
    if place >= OUTER:
        return _back_out(pawns, at, rulings)
    if start_owner(at // 4, place) is not None:
        place = along(place) + 1  # from a start as from the square after it
    end = place - 4
    return _wall(pawns, at // 4, end, place) or (end if end >= FIRST else end + LAST)


def _back_out(pawns: Pawns, at: int, rulings: Rulings) -> int | Obstacle:
    """PA-14, option `back_from_goal`: four squares back from the goal, over its outer squares."""
    place, mine = pawns[at], own(pawns, at // 4)
    if rulings.back_from_goal == "never":
        return NO_WAY_BACK
    if place in locked(pawns, at // 4):
        return LOCKED
    if any(OUTER <= other < place for other in mine):
        return PAWN_BEHIND
    if rulings.own_wall == "bars" and START in mine:
        return OWN_WALL_OUT
    return place - 4


class Landing(msgspec.Struct, frozen=True):
    """What a move came to: all pawns after it, and who was sent home: (index, the place it was sent
    from, the seat whose pawns did it)."""

    pawns: Pawns
    sent: tuple[tuple[int, int, int], ...] = ()


def land(pawns: Pawns, at: int, place: int, rulings: Rulings) -> Landing:
    """PA-12: put the pawn at index `at` on `place`; capture a single pawn there, or be sent home by
    two or more of another player."""
    moved = with_pawn(pawns, at, place)
    seat = at // 4
    if place == START:
        return _come_out(moved, seat)
    if not FIRST <= place <= LAST:
        return Landing(moved)
    number = square(seat, place)
    for other in range(4):
        there = place_on(other, number)
        if there not in own(pawns, other):
            continue
        stands = [4 * other + pawn for pawn, spot in enumerate(own(pawns, other)) if spot == there]
        if other == seat:
            hit = [one for one in stands if one != at] if rulings.own_pawn == "capture" else []
        elif len(stands) > 1:
            return Landing(with_pawn(pawns, at, BASE), ((at, place, other),))
        else:
            hit = stands
        if hit:
            for one in hit:
                moved = with_pawn(moved, one, BASE)
            return Landing(moved, tuple((one, there, seat) for one in hit))
    return Landing(moved)


def _come_out(moved: Pawns, seat: int) -> Landing:
    """PA-10, PA-12: on its start a pawn sends home who was exchanged there; own pawns share it."""
    for owner in range(4):
        there = on_start(owner, seat)
        if owner != seat and there in own(moved, owner):
            one = moved.index(there, 4 * owner, 4 * owner + 4)
            return Landing(with_pawn(moved, one, BASE), ((one, there, seat),))
    return Landing(moved)


def free_to_swap(pawns: Pawns, at: int, rulings: Rulings) -> bool:
    """PA-16: whether the pawn stands on a square, or on a start, alone of its colour."""
    place = pawns[at]
    on_track = FIRST <= place <= LAST or (rulings.swap_start == "allowed" and place not in _NEVER_SWAPPED)
    return on_track and own(pawns, at // 4).count(place) == 1


def swapped(pawns: Pawns, one: int, two: int) -> Pawns:
    """PA-16: exchange the places of two pawns that stand on squares or starts."""
    ends = exchanged(pawns, one, two)
    return with_pawn(with_pawn(pawns, one, ends[0]), two, ends[1])


def exchanged(pawns: Pawns, one: int, two: int) -> tuple[int, int]:
    """PA-16: the places where two pawns stand after an exchange, each counted along its own way."""
    return _seen_from(one // 4, two // 4, pawns[two]), _seen_from(two // 4, one // 4, pawns[one])


def _seen_from(seat: int, owner: int, place: int) -> int:
    """Return the place that `place` of a pawn of `owner` is for a pawn of `seat`."""
    start = start_owner(owner, place)
    return place_on(seat, square(owner, place)) if start is None else on_start(seat, start)
