"""Which real cards to move so that the table looks as the program thinks it does: after an undo, a
correction, a resume."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TypeAlias

from companion.live.snapshot import Move

Layout: TypeAlias = Mapping[str, tuple[str, ...]]
Owed: TypeAlias = "Counter[tuple[str, str]]"
"""(card, place) to how many are to come there (positive) or go from there (negative)."""


def owed(before: Layout, after: Layout) -> Owed:
    """Return what has to be moved to get from one layout to the other."""
    difference = _counted(after)
    difference.subtract(_counted(before))
    return Counter({where: count for where, count in difference.items() if count})


def added(one: Owed, other: Owed) -> Owed:
    """Return both, less what they undo of each other."""
    total = one.copy()
    for where, count in other.items():
        total[where] += count
    return Counter({where: count for where, count in total.items() if count})


def moves(debt: Owed) -> tuple[Move, ...]:
    """Put it as moves: each card from a place where it is too many to a place where it is missing,
    in alphabetical order."""
    cards = sorted({card for card, _ in debt})
    return tuple(move for card in cards for move in _moves_of(card, debt))


def checks(layout: Layout) -> tuple[Move, ...]:
    """List every known card with the place where it should lie."""
    return tuple(Move(card, None, place) for place, cards in layout.items() for card in cards)


def _moves_of(card: str, debt: Owed) -> list[Move]:
    sources = [place for (name, place), count in sorted(debt.items()) if name == card for _ in range(-count)]
    targets = [place for (name, place), count in sorted(debt.items()) if name == card for _ in range(count)]
    # Where only one side is known (the other is a hand, say), the move names that side alone.
    count = max(len(sources), len(targets))
    return [
        Move(card, source, target)
        for source, target in zip(
            sources + [None] * (count - len(sources)), targets + [None] * (count - len(targets)), strict=True
        )
    ]


def _counted(layout: Layout) -> Owed:
    return Counter((card, place) for place, cards in layout.items() for card in cards)
