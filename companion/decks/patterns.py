"""Backgrounds of cards (a panel with a pattern in two tints, so that cards differ as a whole and
not only by a numeral), backs, and the seven player colours.

Each colour has its own shape and pattern, so colour is never the only cue. The colours differ in
lightness as well: neighbours remain distinct with protanopia, deuteranopia and tritanopia, and in
grey (`tests/decks/test_palette.py` measures it); the shape tells for certain.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from companion.decks.svg import (
    HEIGHT,
    PAPER,
    WHITE,
    WIDTH,
    both_ways,
    box,
    box_d,
    line,
    n,
    path,
    regular,
    rgb,
    shade,
    star,
    tint,
)

_W, _H = WIDTH, HEIGHT


def rising(step: float, slope: float) -> str:
    """Return lines that rise from left to right by `slope`, `step` apart."""
    # Lines that begin outside the card may still cross it.
    return "".join(
        f"M0 {n(step * k)}L63 {n(step * k - 63 * slope)}" for k in range(-8, 26) if -70 < step * k < 180
    )


def dots(step: float) -> str:
    """Return dots in staggered rows, `step` apart (drawn as lines of no length)."""
    return "".join(
        f"M{n(step * (x + (y % 2) / 2))} {n(step * y)}h0.01"
        for y in range(1, round(_H / step) + 1)
        for x in range(1, round(_W / step) + 1)
    )


def rings(step: float) -> str:
    """Return rings around the card's middle, `step` apart."""
    return "".join(
        f"M{n(31.5 - r)} 44a{n(r)} {n(r)} 0 1 0 {n(2 * r)} 0a{n(r)} {n(r)} 0 1 0 {n(-2 * r)} 0"
        for r in (step * k for k in range(2, round(50 / step)))
    )


def rays(count: int) -> str:
    """Return rays from the card's middle."""
    turns = (2 * math.pi * k / count for k in range(count))
    return "".join(f"M31.5 44L{n(31.5 + 70 * math.cos(a))} {n(44 + 70 * math.sin(a))}" for a in turns)


def zigzag(step: float) -> str:
    """Return zigzag lines, `step` apart."""
    lines = range(round(_H / step) + 2)
    return "".join(f"M0 {n(step * k)}" + f"l5.25 {n(-step * 0.5)}l5.25 {n(step * 0.5)}" * 6 for k in lines)


def bricks(step: float) -> str:
    """Return a brick wall whose courses are `step` high."""
    courses = "".join(f"M0 {n(step * k)}H63" for k in range(round(_H / step) + 1))
    joints = "".join(
        f"M{n(9 * x + (4.5 if y % 2 else 0))} {n(step * y)}v{n(step)}"
        for y in range(round(_H / step))
        for x in range(8)
    )
    return courses + joints


def bars(step: float) -> str:
    """Return vertical lines, `step` apart."""
    return "".join(f"M{n(step * k)} 0V88" for k in range(1, round(_W / step)))


def rows(step: float) -> str:
    """Return horizontal lines, `step` apart."""
    return "".join(f"M0 {n(step * k)}H63" for k in range(1, round(_H / step)))


def waves(step: float) -> str:
    """Return wavy lines, `step` apart."""
    return "".join(f"M0 {n(step * k)}" + "c3 -4 6 -4 9 0s6 4 9 0" * 4 for k in range(1, round(_H / step) + 1))


def arcs(step: float) -> str:
    """Return arcs around the top left and bottom right corners, `step` apart."""
    radii = [step * k for k in range(2, round(64 / step))]
    one = "".join(f"M{n(r)} 0A{n(r)} {n(r)} 0 0 1 0 {n(r)}" for r in radii)
    return one + "".join(f"M{n(_W - r)} {n(_H)}A{n(r)} {n(r)} 0 0 1 {n(_W)} {n(_H - r)}" for r in radii)


PATTERNS: tuple[tuple[str, float], ...] = (
    (rising(8, 0.8), 2.6),
    (dots(9), 3.4),
    (rays(20), 1.6),
    (rows(8), 3),
    (rings(6), 1.8),
    (zigzag(9), 1.8),
    (bars(7), 2.6),
    (bricks(8), 1.2),
    (rising(8, -0.8), 2.6),
    (rising(12, 1.3) + rising(12, -1.3), 1.4),
    (bars(9) + rows(9), 1.2),
    (dots(5.5), 1.8),
)
"""Patterns over the whole card: a path of lines, and their width in millimetres."""


def edge(colour: str = WHITE) -> str:
    """Return a border around the panel: it covers whatever extends beyond it, and separates the
    card from the table."""
    return path(box_d(-1, -1, _W + 2, _H + 2) + box_d(3, 3, _W - 6, _H - 6, 3.5), colour)


def panel(ground: str, mark: str, pattern: int, frame: str = "") -> str:
    """Draw a card's panel: the ground, one of `PATTERNS` (modulo their number) in `mark`, a white
    border, and a frame."""
    d, thick = PATTERNS[pattern % len(PATTERNS)]
    border = box(3, 3, _W - 6, _H - 6, 3.5, "none", frame, 1.2) if frame else ""
    return box(2, 2, _W - 4, _H - 4, 0, ground) + line(d, mark, thick) + edge() + border


def card_back(ground: str, mark: str, pattern: int, sign: str = "", middle: str = "") -> str:
    """Draw the back of a game's cards, symmetric under half a turn, so that it reveals nothing.

    `ground`, `mark`: colours of the ground and of the pattern on it; `pattern`: index in
    `PATTERNS`; `sign`: drawn once for each way up; `middle`: drawn once.
    """
    d, thick = PATTERNS[pattern]
    panel = box(2, 2, _W - 4, _H - 4, 0, ground) + both_ways(line(d, mark, thick)) + edge()
    frame = box(6.5, 6.5, _W - 13, _H - 13, 2.5, "none", PAPER, 0.9)
    return panel + frame + both_ways(sign) + middle


@dataclass(frozen=True)
class Colour:
    """One player's colour.

    `id`: its name in card ids. `shape`: a path in a ten-unit box around the origin. `pattern`: a
    path of lines over the whole card. `words`: colour and shape by language.
    """

    id: str
    ink: str
    shape: str
    pattern: str
    words: dict[str, str]

    @property
    def deep(self) -> str:
        """The ink, darkened until it contrasts with white paper: for numerals."""
        # Luma of the ink, 0 to 255 (weights of ITU-R BT.601): only light inks must be darkened.
        r, g, b = rgb(self.ink)
        return shade(self.ink, 0.0 if 0.3 * r + 0.59 * g + 0.11 * b < 120 else 0.34)

    @property
    def ground(self) -> str:
        """Light tint that cards of this colour are printed on."""
        return tint(self.ink, 0.84)

    @property
    def mark(self) -> str:
        """Medium tint of the pattern on that ground."""
        return tint(self.ink, 0.62)


_CROSS = "M-1.6 -5H1.6V-1.6H5V1.6H1.6V5H-1.6V1.6H-5V-1.6H-1.6Z"
_MOON = "M1.8 -5A5.2 5.2 0 1 0 1.8 5A6.2 6.2 0 0 1 1.8 -5Z"
_DROP = "M0 -5.6C1.6 -2.4 4 -0.6 4 1.8A4 3.9 0 0 1 -4 1.8C-4 -0.6 -1.6 -2.4 0 -5.6Z"


COLOURS: dict[str, Colour] = {
    colour.id: colour
    for colour in (
        Colour(
            "red",
            "#c4161c",
            regular(3, 5.8, 0, 1),
            rising(8, 0.8),
            {"en": "red, triangle", "fr": "rouge, triangle"},
        ),
        Colour("blue", "#1f6fd0", _DROP, waves(8), {"en": "blue, drop", "fr": "bleu, goutte"}),
        Colour(
            "green",
            "#0a8f5b",
            regular(4, 6.2, turn=45),
            bars(7) + rows(7),
            {"en": "green, square", "fr": "vert, carré"},
        ),
        Colour(
            "yellow",
            "#f7de1e",
            star(5, 6, 2.6, 0, 0.5),
            rays(24),
            {"en": "yellow, star", "fr": "jaune, étoile"},
        ),
        Colour(
            "purple",
            "#6a2c91",
            regular(4, 5.8),
            rising(11, 1.5) + rising(11, -1.5),
            {"en": "purple, diamond", "fr": "violet, losange"},
        ),
        Colour("orange", "#ec6f0c", _MOON, arcs(8), {"en": "orange, moon", "fr": "orange, lune"}),
        Colour("black", "#2b2d31", _CROSS, rows(6), {"en": "black, cross", "fr": "noir, croix"}),
    )
}
