"""Every legal play of a card (PA-10 to PA-17): complete, and each only once.

A play is a tuple of steps (index of the pawn, place it lands on). Of pawns of one colour on one
place the first is named; of orders of a split that end alike one is listed.
"""

from __future__ import annotations

from itertools import combinations
from typing import TypeAlias

from companion.games.partners.board import BASE, PAWNS, Pawns, mover, own
from companion.games.partners.cards import BACK, LEAVING, SPLIT, STEPS, SWAP
from companion.games.partners.rulings import Rulings
from companion.games.partners.walk import back_four, exchanged, forward, free_to_swap, land, leave, swapped

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
    """PA-6, PA-7: tell whether `card` can be used at all."""
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
    """Return the index of a pawn a place where `seat` has one whose bit in `moved` is not set."""
    found: dict[int, int] = {}
    for at in range(4 * seat, 4 * seat + PAWNS):
        if not moved >> at & 1:
            found.setdefault(pawns[at], at)
    return list(found.values())


def _single(pawns: Pawns, seat: int, card: str, rulings: Rulings) -> list[tuple[int, int]]:
    return [(at, end) for at in _distinct(pawns, seat) for end in sorted(reach(pawns, at, card, rulings))]


def _swaps(pawns: Pawns, rulings: Rulings) -> list[Steps]:
    """PA-16: every pair of pawns that may be exchanged."""
    pairs = combinations([at for at in range(16) if free_to_swap(pawns, at, rulings)], 2)
    return [tuple(zip(pair, exchanged(pawns, *pair), strict=True)) for pair in pairs]


def _splits(pawns: Pawns, seat: int, rulings: Rulings) -> list[Steps]:
    """PA-15: every split of seven steps, walked breadth first; partial splits that come to the same
    are merged at once.

    A node is (pawns, bits of those that have moved); its key says what matters about it: the steps
    taken, from where to where, whatever their order and whichever of interchangeable pawns took
    them, and how the board looks now.
    """
    found: dict[object, Steps] = {}
    layer: dict[object, tuple[Pawns, int, Steps, int, tuple[int, ...]]] = {(): (pawns, 0, (), SEVEN, ())}
    for _ in range(SEVEN):
        deeper: dict[object, tuple[Pawns, int, Steps, int, tuple[int, ...]]] = {}
        for board, moved, play, left, taken in layer.values():
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
                        found.setdefault((entries, _signature(after, seat, 0)), longer)
                    else:
                        key = (left - steps, entries, _signature(after, seat, flags))
                        deeper.setdefault(key, (after, flags, longer, left - steps, entries))
        layer = deeper
    return list(found.values())


def _signature(pawns: Pawns, seat: int, moved: int) -> tuple[object, ...]:
    """Return the board with the team's like pawns in one order, marking those that have moved."""
    partner = (seat + 2) % 4
    team = [
        tuple(sorted([2 * pawns[at] + (moved >> at & 1) for at in range(4 * one, 4 * one + PAWNS)]))
        for one in (seat, partner)
    ]
    return (*team, own(pawns, (seat + 1) % 4), own(pawns, (seat + 3) % 4))
