"""Where words can stand on a board: beside what they name, on nothing that would swallow them.

Pure: rectangles in, places out, the same each time. Lengths are millimetres, x to the right, y
down.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

MARGIN = 0.2
"""Between words and whatever is there."""
WIDE, HIGH = 0.95, 1.35
"""The room of a letter in KiCad's stroke font, for a size of 1."""
GRID, REACH, TURNED = 0.25, 9.0, 2.0
"""How finely places are tried, how far from the middle of what is named, and how much nearer a
place must be to be worth another turn."""


@dataclass(frozen=True)
class Box:
    """A rectangle."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box, margin: float = MARGIN) -> bool:
        """Return whether they are nearer to each other than the margin."""
        return (
            self.left < other.right + margin
            and other.left < self.right + margin
            and self.top < other.bottom + margin
            and other.top < self.bottom + margin
        )

    def within(self, other: Box) -> bool:
        """Return whether this one lies wholly in the other."""
        return (
            other.left <= self.left
            and self.right <= other.right
            and other.top <= self.top
            and self.bottom <= other.bottom
        )


@dataclass(frozen=True)
class Words:
    """Words to be written: near which point, in which size, in which turns (degrees, the best
    first), and how far from the point."""

    text: str
    x: float
    y: float
    size: float = 0.9
    turns: tuple[int, ...] = (0, 90)
    reach: float = REACH

    def box(self, x: float, y: float, turn: int) -> Box:
        """Return the ground that they cover with their middle there."""
        along, across = len(self.text) * WIDE * self.size / 2, HIGH * self.size / 2
        half_w, half_h = (across, along) if turn else (along, across)
        return Box(x - half_w, y - half_h, x + half_w, y + half_h)


class NoRoom(Exception):
    """Words found no place; `args` holds them."""


@dataclass
class Lettering:
    """One side of a board. `hard`: where no words may stand (holes, print); `soft`: where they
    stand if there is nowhere else (vias, under parts)."""

    board: Box
    hard: list[Box] = field(default_factory=list)
    soft: list[Box] = field(default_factory=list)

    def place(self, words: Words) -> tuple[float, float, int]:
        """Find the nearest free place, and keep it free; return its middle and its turn in
        degrees."""
        near = [box for box in self.hard if box.meets(_round(words))]
        for shunned in ([box for box in self.soft if box.meets(_round(words))], []):
            for x, y, turn in _tried(words):
                box = words.box(x, y, turn)
                if box.within(self.board) and _free(box, near) and _free(box, shunned):
                    self.hard.append(box)
                    return x, y, turn
        raise NoRoom(words.text)


def _round(words: Words) -> Box:
    most = words.reach + len(words.text) * words.size
    return Box(words.x - most, words.y - most, words.x + most, words.y + most)


def _free(box: Box, others: Iterable[Box]) -> bool:
    return not any(box.meets(other) for other in others)


def _tried(words: Words) -> Iterator[tuple[float, float, int]]:
    steps = int(words.reach / GRID)
    places = [
        (away + worse * TURNED, turn, dy * GRID, dx * GRID)
        for dx in range(-steps, steps + 1)
        for dy in range(-steps, steps + 1)
        if (away := math.hypot(dx, dy) * GRID) <= words.reach
        for worse, turn in enumerate(words.turns)
    ]
    for _, turn, dy, dx in sorted(places):
        yield words.x + dx, words.y + dy, turn
