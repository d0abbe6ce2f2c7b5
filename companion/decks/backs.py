"""The back of each game's cards: one for all, alike either way up, so that it tells nothing."""

from __future__ import annotations

from companion.decks.assets import picture
from companion.decks.ink import HEIGHT, PAPER, WIDTH, both_ways, box, line, path, star
from companion.decks.patterns import PATTERNS, edge

_PANELS: dict[str, tuple[str, str, int]] = {
    "donkey_valley": ("#14406b", "#1b5288", 9),
    "dtc": ("#2a1038", "#421c57", 0),
    "ochs_und_esel": ("#8f1d1d", "#a52a2a", 6),
    "partners": ("#1d3b2a", "#265038", 4),
    "ascend": ("#2b2348", "#3a3060", 11),
}
"""For each game the ground, the colour of the pattern on it, and which of `PATTERNS`."""

_STARS: dict[str, str] = {
    "donkey_valley": path(star(8, 4, 1.6, WIDTH / 2, HEIGHT / 2), "#f2c500"),
    "dtc": path(star(5, 4, 1.7, WIDTH / 2, HEIGHT / 2), "#e39a00"),
}
"""What stands in the middle of a back, drawn once."""


def back_art(game: str) -> str:
    """Draw the back of the cards of `game`; a game without one of its own has Donkey Valley's."""
    own = game if game in _PANELS else "donkey_valley"
    ground, mark, pattern = _PANELS[own]
    d, thick = PATTERNS[pattern]
    panel = box(2, 2, WIDTH - 4, HEIGHT - 4, 0, ground) + both_ways(line(d, mark, thick)) + edge()
    frame = box(6.5, 6.5, WIDTH - 13, HEIGHT - 13, 2.5, "none", PAPER, 0.9)
    return panel + frame + both_ways(picture(f"{own}/back")) + _STARS.get(own, "")
