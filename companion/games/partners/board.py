"""The board of Partners (PA-1 to PA-3): places, their names, and their positions on the drawn
board.

In the code a pawn's place is one number, counted along the way of its own owner. All moves are then
additions, the same for all four players, and only the question whether two pawns share a square
needs a conversion (`square_for_place`, `place_for_square`). PA-2 makes this possible: a pawn's way
depends only on its place.

-1 is the base, 0 the start, 1..56 the squares from the first after the pawn's own start to the last
before it, and 57..60 are goal 4..1. -2..-4 are the starts of the players 1..3 seats to the left,
where only an exchange can bring a pawn (PA-16).

Seats count from 0 here, in the order of the start; names of places on the wire count players from
1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

SEATS = range(4)
COLOURS = ("red", "blue", "green", "yellow")
"""The colours of the four players' pawns, in the order of the start."""
PAWNS = 4
"""PA-2: the number of pawns of each player, equal to that of the goal squares."""
STRETCH = 14
"""PA-1: the number of squares between one start and the next."""
BASE, START, FIRST, LAST = -1, 0, 1, 56
"""PA-2: places before the goal, as described above; the sheet does not number the squares
(PA-1)."""
OUTER, INNER = 57, 60
"""PA-2: the places of goal 4, entered from `LAST`, and of goal 1."""

FOREIGN_START = -2
"""PA-16: the start of the next player to the left; those of the other players follow downwards."""

Pawns: TypeAlias = tuple[int, ...]
"""The places of all sixteen pawns: pawn p (0..3) of seat s stands at index 4 * s + p."""


def square_for_place(seat: int, place: int) -> int:
    """Return the square 0..55 of a pawn of `seat` at `place` (1..56); 0 is `1:1`."""
    return (place - 1 + STRETCH * seat) % LAST


def place_for_square(seat: int, number: int) -> int:
    """Return the place 1..56 of square `number` (0..55) for a pawn of `seat`; the inverse of
    `square_for_place`."""
    return (number - STRETCH * seat) % LAST + 1


def format_square(number: int) -> str:
    """Return the name `K:S` of square `number` (0..55; PA-3)."""
    return f"{number // STRETCH + 1}:{number % STRETCH + 1}"


def find_start_owner(seat: int, place: int) -> int | None:
    """Return the seat on whose start a pawn of `seat` stands; None if it stands on no start."""
    if place == START:
        return seat
    return (seat + FOREIGN_START + 1 - place) % 4 if place <= FOREIGN_START else None


def place_for_start(seat: int, owner: int) -> int:
    """Return the place of `owner`'s start for a pawn of `seat` (PA-16); the inverse of
    `find_start_owner`."""
    return FOREIGN_START + 1 - (owner - seat) % 4 if owner != seat else START


def measure_progress(place: int) -> int:
    """Return how far along its way a pawn on the track is. Another player's start counts like the
    square before it (PA-1)."""
    return STRETCH * (FOREIGN_START + 1 - place) if place <= FOREIGN_START else place


def _build_place_names(seat: int) -> dict[int, str]:
    # Up to `LAST`, which is one before `OUTER`.
    squares = {place: format_square(square_for_place(seat, place)) for place in range(FIRST, OUTER)}
    goals = {place: f"goal:{INNER + 1 - place}" for place in range(OUTER, INNER + 1)}
    starts = {place_for_start(seat, owner): f"{owner + 1}:0" for owner in SEATS if owner != seat}
    return {BASE: "base", START: "start"} | squares | goals | starts


_NAMES = tuple(_build_place_names(seat) for seat in SEATS)
_PLACES = tuple({name: place for place, name in names.items()} for names in _NAMES)


def format_place(seat: int, place: int) -> str:
    """Return the name of a place on the wire (PA-3, PA-16): `base`, `start`, `K:S`,
    `goal:1`..`goal:4`, or `K:0` for another player's start.

    >>> [format_place(1, place) for place in (BASE, START, 1, 15, OUTER, INNER, FOREIGN_START)]
    ['base', 'start', '2:1', '3:1', 'goal:4', 'goal:1', '3:0']
    """
    return _NAMES[seat][place]


def format_places(seat: int, pawns: Pawns) -> list[str]:
    """Return the names of the places of the four pawns of `seat`."""
    return [*_format_own_places(seat, pawns[4 * seat : 4 * seat + 4])]


@lru_cache(maxsize=4096)
def _format_own_places(seat: int, mine: Pawns) -> tuple[str, ...]:
    return tuple(map(_NAMES[seat].__getitem__, mine))


def parse_place(seat: int, name: str) -> int | None:
    """Return the place named `name` for a pawn of `seat`; None if there is no such place."""
    return _PLACES[seat].get(name)


def pawns_of_seat(pawns: Pawns, seat: int) -> Pawns:
    """Return the four places of the pawns of `seat`."""
    return pawns[4 * seat : 4 * seat + 4]


def find_locked_places(pawns: Pawns, seat: int) -> frozenset[int]:
    """Return the goal places of `seat` with locked pawns (PA-13), which are filled without a gap
    from goal 1 outwards."""
    return _find_filled_goal(pawns[4 * seat : 4 * seat + 4])


@lru_cache(maxsize=4096)  # the view, the points and the end of the game ask for the same board
def count_locked_pawns(pawns: Pawns) -> tuple[int, ...]:
    """Return the number of locked pawns of each seat (PA-13)."""
    return tuple([len(find_locked_places(pawns, seat)) for seat in SEATS])


@lru_cache(maxsize=4096)  # four pawns stand in few ways, and every step asks
def _find_filled_goal(mine: Pawns) -> frozenset[int]:
    filled = INNER
    # From inside: a gap leaves room, and pawns beyond it can still move.
    while filled >= OUTER and filled in mine:
        filled -= 1
    return frozenset(range(filled + 1, INNER + 1))


def find_moving_seat(pawns: Pawns, seat: int) -> int:
    """Return the seat whose pawns `seat` moves (PA-17): its own, or its partner's once its own are
    locked."""
    return (seat + 2) % 4 if len(find_locked_places(pawns, seat)) == PAWNS else seat


def with_pawn(pawns: Pawns, at: int, place: int) -> Pawns:
    """Return `pawns` with the one at index `at` moved to `place`."""
    return (*pawns[:at], place, *pawns[at + 1 :])


TRACK: tuple[str, ...] = tuple(
    f"start {seat + 1}" if step == 0 else f"{seat + 1}:{step}"
    for seat in SEATS
    for step in range(STRETCH + 1)
)
"""PA-1: the sixty spots around the board in clockwise order: each player's start (`start K`), then
the squares `K:1` to `K:14` after it."""


def list_goal_spots(number: int) -> tuple[str, ...]:
    """Return the four goal spots of player `number` (1..4) from the outermost, `goal K:4`, which
    follows square 14 before start K."""
    return tuple(f"goal {number}:{at}" for at in range(4, 0, -1))


def format_spot(number: int, place: str) -> str:
    """Return the spot on the board of `place` of a pawn of player `number` (1..4): a square
    unchanged, else `start K`, `goal K:S` or `base K`."""
    if place.startswith("goal:"):
        return f"goal {number}:{place[5:]}"
    # `K:0` is another player's start (PA-16).
    if place.endswith(":0"):
        return f"start {place[0]}"
    return place if place[0].isdigit() else f"{place} {number}"


def map_occupants(pawns: Sequence[Sequence[str]]) -> dict[str, list[tuple[int, int]]]:
    """Return the pawns on each spot of the board as (player 1..4, pawn 1..4), from the four `pawns`
    lists of a view."""
    found: dict[str, list[tuple[int, int]]] = {}
    for number, places in enumerate(pawns, 1):
        for pawn, place in enumerate(places, 1):
            found.setdefault(format_spot(number, place), []).append((number, pawn))
    return found


SIDE = 16
"""The number of cells along each side of the board, as it is drawn everywhere: 4 x 15 of them make
the ring of `TRACK`, with the starts in its corners."""
_CORNERS = ((0, SIDE - 1), (0, 0), (SIDE - 1, 0), (SIDE - 1, SIDE - 1))
"""The cells of the four starts: from lower left clockwise."""
_AHEAD = ((0, -1), (1, 0), (0, 1), (-1, 0))
"""The direction of the track after each start; a player's goal runs in that of the next start."""
_BASES = ((3, 11), (3, 3), (11, 3), (11, 11))
"""The upper left cell of each base's two by two places, inside the player's corner."""


def _build_cells() -> dict[str, tuple[int, int]]:
    found = {}
    for step, name in enumerate(TRACK):
        # Each side has fifteen spots: its start in the corner, and fourteen squares.
        side, far = divmod(step, SIDE - 1)
        (column, row), (right, down) = _CORNERS[side], _AHEAD[side]
        found[name] = (column + far * right, row + far * down)
    for number in range(1, 5):
        # The goal leaves the ring at the square before the start.
        column, row = found[TRACK[(number - 1) * (STRETCH + 1) - 1]]
        right, down = _AHEAD[number - 1]
        for depth, name in enumerate(list_goal_spots(number), 1):
            found[name] = (column + depth * right, row + depth * down)
        left, top = _BASES[number - 1]
        for place, name in enumerate(list_base_spots(number)):
            found[name] = (left + place % 2, top + place // 2)
    return found


def list_base_spots(number: int) -> tuple[str, ...]:
    """Return the four places of the base of player `number` (1..4): `base K:1` to `base K:4`."""
    return tuple(f"base {number}:{at}" for at in range(1, 5))


CELLS: Mapping[str, tuple[int, int]] = _build_cells()
"""The position of every spot of the board, as (column, row) of `SIDE` by `SIDE` cells from the
upper left; the single source for the screens, the pages, the print and the camera."""
SIZE = (23.0, 16.2)
"""The width and height of the printed board in cells: the ring in its middle, marks beside it."""
_MARK, _INSET = 2.4, 0.5
MARKS: Mapping[int, tuple[float, float, float]] = {
    number: (
        SIZE[0] - _INSET - _MARK if right else _INSET,
        SIZE[1] - _INSET - _MARK if down else _INSET,
        _MARK,
    )
    for number, (right, down) in zip(range(4, 8), ((0, 0), (1, 0), (1, 1), (0, 1)), strict=True)
}
"""The printed board's ArUco marks (those of the table's mat are 0 to 3): the left and upper edge
and the side of each, in cells from the print's upper left; from there clockwise."""
