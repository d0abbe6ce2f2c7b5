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


def moves(debt: Owed) -> tuple[Move, ...]:
    """Put it as moves: each card from a place where it is too many to a place where it is missing,
    in alphabetical order."""
    cards = sorted({card for card, _ in debt})
    return tuple(move for card in cards for move in _moves_of(card, debt))


def checks(layout: Layout) -> tuple[Move, ...]:
    """List every known card with the place where it should lie."""
    return tuple(Move(card, None, place) for place, cards in layout.items() for card in cards)


class Lying:
    """What readers have told of where the cards lie: how many of each lie in a place, at least and
    at most.

    A place that no reader has told of may hold anything: nothing is asked about it. What is entered
    by keys is either done by hands as well, or was so already; what is undone or corrected moves no
    card.
    """

    def __init__(self) -> None:
        self._told_of: set[str] = set()
        self._between: dict[tuple[str, str], tuple[int, int]] = {}

    def seen(self, before: Layout, after: Layout) -> None:
        """Take it that the cards moved so: a reader has told it."""
        change, then, now = owed(before, after), _counted(before), _counted(after)
        new = {place for _, place in change} - self._told_of
        self._told_of |= new
        self._between |= {where: (0, count) for where, count in then.items() if where[1] in new}
        for where, count in change.items():
            least, most = (max(one + count, 0) for one in self._between.get(where, (0, 0)))
            agreed = least <= now[where] <= most
            self._between[where] = (now[where], now[where]) if agreed else (least, most)

    def entered(self, before: Layout, after: Layout) -> None:
        """Take it that the cards may have moved so: only keys have told it. Of a card that lies
        wrong they tell what was so already."""
        now, wrong = _counted(after), {card for card, _ in self.asked(before)}
        for where in owed(before, after):
            card, place = where
            if place in self._told_of and card not in wrong:
                least, most = self._between.get(where, (0, 0))
                self._between[where] = (min(least, now[where]), max(most, now[where]))

    def put_right(self, layout: Layout) -> None:
        """Take it that hands have done what `asked` says."""
        now = _counted(layout)
        self._between |= {where: (now[where], now[where]) for where in self.asked(layout)}

    def asked(self, layout: Layout) -> Owed:
        """Return what hands must do so that the cards lie as in `layout`."""
        now = _counted(layout)
        debt: Owed = Counter()
        for where in now.keys() | self._between.keys():
            if where[1] in self._told_of:
                least, most = self._between.get(where, (0, 0))
                debt[where] = max(now[where] - most, 0) - max(least - now[where], 0)
        return Counter({where: count for where, count in debt.items() if count})


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
