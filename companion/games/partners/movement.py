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

from collections.abc import Mapping
from itertools import combinations
from typing import Any, Literal, TypeAlias

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
    find_locked_places,
    find_moving_seat,
    find_start_owner,
    measure_progress,
    pawns_of_seat,
    place_for_square,
    place_for_start,
    square_for_place,
    with_pawn,
)
from companion.games.partners.cards import BACK, LEAVING, SPLIT, STEPS, SWAP


class Obstacle(msgspec.Struct, frozen=True, gc=False):
    """The reason why a pawn cannot move that way: `what` names it; `seat` is the owner of a
    wall."""

    what: Literal[
        "wall",
        "own_wall",
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
_GATES = ((STRETCH, 1), (2 * STRETCH, 2), (3 * STRETCH, 3))
"""The last place before each foreign start on a pawn's way, and the number of seats from the pawn's
owner to that start's owner, to the left."""


_NEVER_SWAPPED = (BASE, *range(OUTER, INNER + 1))


def _find_wall(pawns: Pawns, seat: int, low: int, high: int) -> Obstacle | None:
    """Return the first foreign wall between places `low` and `high`, in either direction
    (PA-11)."""
    for gate, left in _GATES:
        if low <= gate < high:
            owner = (seat + left) % 4
            if START in pawns_of_seat(pawns, owner):
                return Obstacle("wall", owner)
    return None


def leave_base(pawns: Pawns, at: int) -> int | Obstacle:
    """Return the start as the destination of a pawn in its base (PA-10)."""
    return START if pawns[at] == BASE else NOT_IN_BASE


def move_forward(
    pawns: Pawns, at: int, steps: int, options: Mapping[str, Any], *, split: bool = False
) -> int | Obstacle:
    """Return the place where the pawn at index `at` ends after `steps` (1 or more) forward, or what
    blocks it (PA-2, PA-11, PA-13).

    It goes into the goal as far as there is room, then back out by the rest; in a `split` only
    where the table plays so (PA-15). The wall of another player stops it both ways, also on the way
    back out: nothing bounces off a wall. Its own wall stops it only before its own goal, and only
    where the table plays so (PA-11).

    PA-13's example, pawns on goal 2 and goal 4, a 5 for the latter: in to goal 3, back over 4 and
    square 14, 13, to 12.

    >>> from companion.games.partners import GAME
    >>> from companion.games.partners.board import format_place
    >>> pawns = (59, 57, BASE, BASE, *(BASE,) * 12)
    >>> format_place(0, move_forward(pawns, 1, 5, GAME.default_options({})))
    '4:12'
    """
    if pawns[at] == BASE:
        return IN_BASE
    seat, place = at // 4, measure_progress(pawns[at])
    # Most moves end before the goal, where only walls matter.
    if place + steps <= LAST:
        return _find_wall(pawns, seat, place, place + steps) or place + steps
    if place >= OUTER and place in find_locked_places(pawns, seat):
        return LOCKED
    # Only its own pawns can stand in its goal.
    goals = [other for other in pawns_of_seat(pawns, seat) if other >= OUTER and other != place]
    # The deepest goal square it can reach: the one before the next pawn inside.
    deepest = min((other for other in goals if other > place), default=INNER + 1) - 1
    end = place + steps
    enters = place <= LAST < min(end, deepest)
    if enters and options["own_wall"] == "bars" and START in pawns_of_seat(pawns, seat):
        return OWN_WALL
    if end <= deepest:
        return _find_wall(pawns, seat, place, end) or end
    # Here it would have to bounce: there is no room for all steps.
    if split and options["seven_bounce"] == "never":
        return BOUNCE
    # Reflected at the deepest square: what is left is walked back out.
    end = 2 * deepest - end
    # On the way back out it would meet its own pawn (PA-13).
    if any(end <= other < place for other in goals):
        return OWN_PAWN
    return _find_wall(pawns, seat, min(place, end), deepest) or end


def move_back_four(pawns: Pawns, at: int, options: Mapping[str, Any]) -> int | Obstacle:
    """Return the place four squares back from a start or a square (PA-14), or what blocks it; the
    pawn's own start, a wall or not, is passed and not counted. From the goal only by an option."""
    place = pawns[at]
    if place == BASE:
        return IN_BASE
    if place >= OUTER:
        return _move_out_of_goal(pawns, at, options)
    if find_start_owner(at // 4, place) is not None:
        place = measure_progress(place) + 1  # from a start as from the square after it
    # Past its own start the way goes on with the last square before it.
    end = place - 4
    return _find_wall(pawns, at // 4, end, place) or (end if end >= FIRST else end + LAST)


def _move_out_of_goal(pawns: Pawns, at: int, options: Mapping[str, Any]) -> int | Obstacle:
    """Return the place four squares back from the goal, over its outer squares, or what blocks it
    (PA-14, option `back_from_goal`)."""
    place, mine = pawns[at], pawns_of_seat(pawns, at // 4)
    if options["back_from_goal"] == "never":
        return NO_WAY_BACK
    if place in find_locked_places(pawns, at // 4):
        return LOCKED
    if any(OUTER <= other < place for other in mine):
        return PAWN_BEHIND
    # Its own wall never bars it: « … peuvent toutefois passer la maison en reculant » (PA-11).
    return place - 4


class Landing(msgspec.Struct, frozen=True):
    """The result of a move: all pawns after it, and the pawns sent home: (index, the place it was
    sent from, the seat whose pawns did it)."""

    pawns: Pawns
    sent: tuple[tuple[int, int, int], ...] = ()


def land_pawn(pawns: Pawns, at: int, place: int, options: Mapping[str, Any]) -> Landing:
    """Put the pawn at index `at` on `place` (PA-12): it captures a single pawn there, or is sent
    home by two or more of another player."""
    moved = with_pawn(pawns, at, place)
    seat = at // 4
    if place == START:
        return _land_on_start(moved, seat)
    # Nobody else can stand in a goal, and a foreign start is reached by exchange only.
    # Pawns are hit only on the squares that all players share.
    if not FIRST <= place <= LAST:
        return Landing(moved)
    number = square_for_place(seat, place)
    for other in range(4):
        there = place_for_square(other, number)
        # A slice here, not `pawns_of_seat`: every move asks this of all four players.
        if there not in pawns[4 * other : 4 * other + 4]:
            continue
        stands = [4 * other + pawn for pawn, spot in enumerate(pawns_of_seat(pawns, other)) if spot == there]
        if other == seat:
            hit = [one for one in stands if one != at] if options["own_pawn"] == "capture" else []
        elif len(stands) > 1:
            return Landing(with_pawn(pawns, at, BASE), ((at, place, other),))
        else:
            hit = stands
        if hit:
            for one in hit:
                moved = with_pawn(moved, one, BASE)
            return Landing(moved, tuple((one, there, seat) for one in hit))
    return Landing(moved)


def _land_on_start(moved: Pawns, seat: int) -> Landing:
    """Put a pawn on its own start (PA-10, PA-12): it sends home a foreign pawn exchanged there; own
    pawns share it."""
    for owner in range(4):
        there = place_for_start(owner, seat)
        if owner != seat and there in pawns_of_seat(moved, owner):
            # Of one owner only one can be there: only single pawns are exchanged (PA-16).
            one = moved.index(there, 4 * owner, 4 * owner + 4)
            return Landing(with_pawn(moved, one, BASE), ((one, there, seat),))
    return Landing(moved)


def can_swap(pawns: Pawns, at: int, options: Mapping[str, Any]) -> bool:
    """Tell whether the pawn stands on a square, or on a start, alone of its colour (PA-16)."""
    place = pawns[at]
    on_track = FIRST <= place <= LAST or (options["swap_start"] == "allowed" and place not in _NEVER_SWAPPED)
    return on_track and pawns_of_seat(pawns, at // 4).count(place) == 1


def swap_pawns(pawns: Pawns, one: int, two: int) -> Pawns:
    """Exchange the places of two pawns that stand on squares or starts (PA-16)."""
    ends = compute_swap_places(pawns, one, two)
    return with_pawn(with_pawn(pawns, one, ends[0]), two, ends[1])


def compute_swap_places(pawns: Pawns, one: int, two: int) -> tuple[int, int]:
    """Return the places of two pawns after an exchange, each counted along its own way (PA-16)."""
    return _convert_place(one // 4, two // 4, pawns[two]), _convert_place(two // 4, one // 4, pawns[one])


def _convert_place(seat: int, owner: int, place: int) -> int:
    """Return the place for a pawn of `seat` that `place` is for one of `owner`."""
    start = find_start_owner(owner, place)
    return (
        place_for_square(seat, square_for_place(owner, place))
        if start is None
        else place_for_start(seat, start)
    )


Steps: TypeAlias = tuple[tuple[int, int], ...]
SEVEN = 7


def list_plays(pawns: Pawns, seat: int, card: str, options: Mapping[str, Any]) -> list[Steps]:
    """List every legal play of `card` by the player of `seat`; empty if it cannot be used."""
    if card == SWAP:
        return _list_swaps(pawns, options)
    if card == SPLIT:
        return _list_splits(pawns, seat, options)
    return [
        ((at, end),) for at, end in _list_single_moves(pawns, find_moving_seat(pawns, seat), card, options)
    ]


def can_play(pawns: Pawns, seat: int, card: str, options: Mapping[str, Any]) -> bool:
    """Tell whether `card` can be used at all (PA-6, PA-7)."""
    if card == SWAP:
        return sum(can_swap(pawns, at, options) for at in range(len(pawns))) > 1
    if card == SPLIT:
        return bool(_list_splits(pawns, seat, options))
    # The first pawn that can move is enough: a fold asks this of each card.
    mine = _list_distinct_pawns(pawns, find_moving_seat(pawns, seat))
    return any(find_reachable_places(pawns, at, card, options) for at in mine)


def apply_play(pawns: Pawns, play: Steps, card: str, options: Mapping[str, Any]) -> Pawns:
    """Return the pawns after a legal play of `card`."""
    if card == SWAP:
        return swap_pawns(pawns, play[0][0], play[1][0])
    for at, place in play:
        pawns = land_pawn(pawns, at, place, options).pawns
    return pawns


def find_reachable_places(pawns: Pawns, at: int, card: str, options: Mapping[str, Any]) -> set[int]:
    """Return the places where one pawn can end by `card`, any card but `7` and `swap`."""
    ends = [move_forward(pawns, at, steps, options) for steps in STEPS.get(card, ())]
    if card in LEAVING:
        ends.append(leave_base(pawns, at))
    if card == BACK:
        ends.append(move_back_four(pawns, at, options))
    return {end for end in ends if isinstance(end, int)}


def _list_distinct_pawns(pawns: Pawns, seat: int, moved: int = 0) -> list[int]:
    """Return one pawn index per place where `seat` has a pawn whose bit in `moved` is not set."""
    found: dict[int, int] = {}
    for at in range(4 * seat, 4 * seat + PAWNS):
        if not moved >> at & 1:
            found.setdefault(pawns[at], at)
    return list(found.values())


def _list_single_moves(
    pawns: Pawns, seat: int, card: str, options: Mapping[str, Any]
) -> list[tuple[int, int]]:
    return [
        (at, end)
        for at in _list_distinct_pawns(pawns, seat)
        for end in sorted(find_reachable_places(pawns, at, card, options))
    ]


def _list_swaps(pawns: Pawns, options: Mapping[str, Any]) -> list[Steps]:
    """List every pair of pawns that may be exchanged (PA-16)."""
    pairs = combinations([at for at in range(16) if can_swap(pawns, at, options)], 2)
    return [tuple(zip(pair, compute_swap_places(pawns, *pair), strict=True)) for pair in pairs]


def _list_splits(pawns: Pawns, seat: int, options: Mapping[str, Any]) -> list[Steps]:
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
            whose = find_moving_seat(board, seat)
            for at in _list_distinct_pawns(board, whose, moved):
                # No seven takes a pawn out of its base; one sent home goes no further (PA-15).
                if board[at] == BASE:
                    continue
                for steps in range(1, left + 1):
                    end = move_forward(board, at, steps, options, split=True)
                    if not isinstance(end, int):
                        continue
                    after = land_pawn(board, at, end, options).pawns
                    entries = tuple(sorted((*taken, (at // 4 << 16) + (board[at] << 8) + end)))
                    flags = moved | 1 << at
                    longer = (*play, (at, end))
                    if steps == left:
                        # Who has moved no longer matters once all seven are used.
                        found.setdefault((entries, _build_board_key(after, seat, 0)), longer)
                    else:
                        key = (left - steps, entries, _build_board_key(after, seat, flags))
                        deeper.setdefault(key, (after, flags, longer, left - steps, entries))
        layer = deeper
    return list(found.values())


def _build_board_key(pawns: Pawns, seat: int, moved: int) -> tuple[object, ...]:
    """Return the board with the team's pawns sorted, since like pawns are interchangeable, marking
    those that have moved."""
    partner = (seat + 2) % 4
    team = [
        tuple(sorted([2 * pawns[at] + (moved >> at & 1) for at in range(4 * one, 4 * one + PAWNS)]))
        for one in (seat, partner)
    ]
    return (*team, pawns_of_seat(pawns, (seat + 1) % 4), pawns_of_seat(pawns, (seat + 3) % 4))
