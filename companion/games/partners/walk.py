"""Moves of pawns (PA-10 to PA-17): where a step ends or what blocks it, what a landing does, and
every legal play of a card, complete and without repetition.

Everything here is arithmetic on places (see `board`); the tests walk the same moves square by
square. A play is a tuple of steps (index of the pawn, place it lands on).

The number of plays of a seven is large: it may be split among all four pawns in any order, and each
landing can change what the next may do. So splits are searched breadth first by the steps left, and
partial plays that lead to the same board by the same steps are merged. Pawns of one colour on one
place are interchangeable, and only the first is named.
"""

from __future__ import annotations

from itertools import combinations
from typing import Literal, TypeAlias

import msgspec

from companion.games.partners.board import (
    BASE,
    FIRST,
    INNER,
    LAST,
    OUTER,
    PAWNS,
    START,
    STRETCH,
    Pawns,
    along,
    locked,
    mover,
    on_start,
    own,
    place_on,
    square,
    start_owner,
    with_pawn,
)
from companion.games.partners.cards import BACK, LEAVING, SPLIT, STEPS, SWAP, Rulings


class Obstacle(msgspec.Struct, frozen=True, gc=False):
    """The reason why a pawn cannot move that way: `what` names it; `seat` is the owner of a
    wall."""

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
"""The last place before each foreign start on a pawn's way, and the number of seats from the pawn's
owner to that start's owner, to the left."""


_NEVER_SWAPPED = (BASE, *range(OUTER, INNER + 1))


def _wall(pawns: Pawns, seat: int, low: int, high: int) -> Obstacle | None:
    """Return the first foreign wall between places `low` and `high`, in either direction
    (PA-11)."""
    for gate, left in _GATES:
        if low <= gate < high:
            owner = (seat + left) % 4
            if START in own(pawns, owner):
                return Obstacle("wall", owner)
    return None


def leave(pawns: Pawns, at: int) -> int | Obstacle:
    """Return the start as the destination of a pawn in its base (PA-10)."""
    return START if pawns[at] == BASE else NOT_IN_BASE


def forward(pawns: Pawns, at: int, steps: int, rulings: Rulings, *, split: bool = False) -> int | Obstacle:
    """Return the place where the pawn at index `at` ends after `steps` (1 or more) forward, or what
    blocks it (PA-2, PA-11, PA-13).

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
    # Only its own pawns can stand in its goal.
    goals = [other for other in own(pawns, seat) if other >= OUTER and other != place]
    # The deepest goal square it can reach: the one before the next pawn inside.
    deepest = min((other for other in goals if other > place), default=INNER + 1) - 1
    end = place + steps
    enters = place <= LAST < min(end, deepest)
    if enters and rulings.own_wall == "bars" and START in own(pawns, seat):
        return OWN_WALL
    if end <= deepest:
        return _wall(pawns, seat, place, end) or end
    # Here it would have to bounce: there is no room for all steps.
    if split and rulings.seven_bounce == "never":
        return BOUNCE
    # Reflected at the deepest square: what is left is walked back out.
    end = 2 * deepest - end
    # On the way back out it would meet its own pawn (PA-13).
    if any(end <= other < place for other in goals):
        return OWN_PAWN
    return _wall(pawns, seat, min(place, end), deepest) or end


def back_four(pawns: Pawns, at: int, rulings: Rulings) -> int | Obstacle:
    """Return the place four squares back from a start or a square (PA-14), or what blocks it; the
    pawn's own start, a wall or not, is passed and not counted. From the goal only by an option."""
    place = pawns[at]
    if place == BASE:
        return IN_BASE
    if place >= OUTER:
        return _back_out(pawns, at, rulings)
    if start_owner(at // 4, place) is not None:
        place = along(place) + 1  # from a start as from the square after it
    # Past its own start the way goes on with the last square before it.
    end = place - 4
    return _wall(pawns, at // 4, end, place) or (end if end >= FIRST else end + LAST)


def _back_out(pawns: Pawns, at: int, rulings: Rulings) -> int | Obstacle:
    """Return the place four squares back from the goal, over its outer squares, or what blocks it
    (PA-14, option `back_from_goal`)."""
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
    """The result of a move: all pawns after it, and the pawns sent home: (index, the place it was
    sent from, the seat whose pawns did it)."""

    pawns: Pawns
    sent: tuple[tuple[int, int, int], ...] = ()


def land(pawns: Pawns, at: int, place: int, rulings: Rulings) -> Landing:
    """Put the pawn at index `at` on `place` (PA-12): it captures a single pawn there, or is sent
    home by two or more of another player."""
    moved = with_pawn(pawns, at, place)
    seat = at // 4
    if place == START:
        return _come_out(moved, seat)
    # Nobody else can stand in a goal, and a foreign start is reached by exchange only.
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
    """Put a pawn on its own start (PA-10, PA-12): it sends home a foreign pawn exchanged there; own
    pawns share it."""
    for owner in range(4):
        there = on_start(owner, seat)
        if owner != seat and there in own(moved, owner):
            # Of one owner only one can be there: only single pawns are exchanged (PA-16).
            one = moved.index(there, 4 * owner, 4 * owner + 4)
            return Landing(with_pawn(moved, one, BASE), ((one, there, seat),))
    return Landing(moved)


def free_to_swap(pawns: Pawns, at: int, rulings: Rulings) -> bool:
    """Tell whether the pawn stands on a square, or on a start, alone of its colour (PA-16)."""
    place = pawns[at]
    on_track = FIRST <= place <= LAST or (rulings.swap_start == "allowed" and place not in _NEVER_SWAPPED)
    return on_track and own(pawns, at // 4).count(place) == 1


def swapped(pawns: Pawns, one: int, two: int) -> Pawns:
    """Exchange the places of two pawns that stand on squares or starts (PA-16)."""
    ends = exchanged(pawns, one, two)
    return with_pawn(with_pawn(pawns, one, ends[0]), two, ends[1])


def exchanged(pawns: Pawns, one: int, two: int) -> tuple[int, int]:
    """Return the places of two pawns after an exchange, each counted along its own way (PA-16)."""
    return _seen_from(one // 4, two // 4, pawns[two]), _seen_from(two // 4, one // 4, pawns[one])


def _seen_from(seat: int, owner: int, place: int) -> int:
    """Return the place for a pawn of `seat` that `place` is for one of `owner`."""
    start = start_owner(owner, place)
    return place_on(seat, square(owner, place)) if start is None else on_start(seat, start)


Steps: TypeAlias = tuple[tuple[int, int], ...]
SEVEN = 7


def plays(pawns: Pawns, seat: int, card: str, rulings: Rulings) -> list[Steps]:
    """List every legal play of `card` by the player of `seat`; empty if it cannot be used."""
    if card == SWAP:
        return _swaps(pawns, rulings)
    if card == SPLIT:
        return _splits(pawns, seat, rulings)
    return [((at, end),) for at, end in _single(pawns, mover(pawns, seat), card, rulings)]


def can_play(pawns: Pawns, seat: int, card: str, rulings: Rulings) -> bool:
    """Tell whether `card` can be used at all (PA-6, PA-7)."""
    return bool(plays(pawns, seat, card, rulings))


def result(pawns: Pawns, play: Steps, card: str, rulings: Rulings) -> Pawns:
    """Return the pawns after a legal play of `card`."""
    if card == SWAP:
        return swapped(pawns, play[0][0], play[1][0])
    for at, place in play:
        pawns = land(pawns, at, place, rulings).pawns
    return pawns


def reach(pawns: Pawns, at: int, card: str, rulings: Rulings) -> set[int]:
    """Return the places where one pawn can end by `card`, any card but `7` and `swap`."""
    ends = [forward(pawns, at, steps, rulings) for steps in STEPS.get(card, ())]
    if card in LEAVING:
        ends.append(leave(pawns, at))
    if card == BACK:
        ends.append(back_four(pawns, at, rulings))
    return {end for end in ends if isinstance(end, int)}


def _distinct(pawns: Pawns, seat: int, moved: int = 0) -> list[int]:
    """Return one pawn index per place where `seat` has a pawn whose bit in `moved` is not set."""
    found: dict[int, int] = {}
    for at in range(4 * seat, 4 * seat + PAWNS):
        if not moved >> at & 1:
            found.setdefault(pawns[at], at)
    return list(found.values())


def _single(pawns: Pawns, seat: int, card: str, rulings: Rulings) -> list[tuple[int, int]]:
    return [(at, end) for at in _distinct(pawns, seat) for end in sorted(reach(pawns, at, card, rulings))]


def _swaps(pawns: Pawns, rulings: Rulings) -> list[Steps]:
    """List every pair of pawns that may be exchanged (PA-16)."""
    pairs = combinations([at for at in range(16) if free_to_swap(pawns, at, rulings)], 2)
    return [tuple(zip(pair, exchanged(pawns, *pair), strict=True)) for pair in pairs]


def _splits(pawns: Pawns, seat: int, rulings: Rulings) -> list[Steps]:
    """List every split of seven steps (PA-15), breadth first; equivalent partial splits are merged.

    A node is (pawns, bits of those that have moved); its key holds what matters about it: the steps
    taken, from where to where, in any order and by any of interchangeable pawns, and the present
    board.
    """
    found: dict[object, Steps] = {}
    layer: dict[object, tuple[Pawns, int, Steps, int, tuple[int, ...]]] = {(): (pawns, 0, (), SEVEN, ())}
    for _ in range(SEVEN):
        deeper: dict[object, tuple[Pawns, int, Steps, int, tuple[int, ...]]] = {}
        for board, moved, play, left, taken in layer.values():
            # Asked of each board: a pawn may lock during the seven, and the partner's go on with
            # the rest.
            whose = mover(board, seat)
            for at in _distinct(board, whose, moved):
                # No seven takes a pawn out of its base; one sent home goes no further (PA-15).
                if board[at] == BASE:
                    continue
                for steps in range(1, left + 1):
                    end = forward(board, at, steps, rulings, split=True)
                    if not isinstance(end, int):
                        continue
                    after = land(board, at, end, rulings).pawns
                    entries = tuple(sorted((*taken, (at // 4 << 16) + (board[at] << 8) + end)))
                    flags = moved | 1 << at
                    longer = (*play, (at, end))
                    if steps == left:
                        # Who has moved no longer matters once all seven are used.
                        found.setdefault((entries, _signature(after, seat, 0)), longer)
                    else:
                        key = (left - steps, entries, _signature(after, seat, flags))
                        deeper.setdefault(key, (after, flags, longer, left - steps, entries))
        layer = deeper
    return list(found.values())


def _signature(pawns: Pawns, seat: int, moved: int) -> tuple[object, ...]:
    """Return the board with the team's pawns sorted, since like pawns are interchangeable, marking
    those that have moved."""
    partner = (seat + 2) % 4
    team = [
        tuple(sorted([2 * pawns[at] + (moved >> at & 1) for at in range(4 * one, 4 * one + PAWNS)]))
        for one in (seat, partner)
    ]
    return (*team, own(pawns, (seat + 1) % 4), own(pawns, (seat + 3) % 4))
