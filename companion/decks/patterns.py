"""Backgrounds of cards (a panel with a pattern in two tints, so that cards differ as a whole and
not only by a numeral), backs, and the seven player colours.

Each colour has its own shape and pattern, so colour is never the only cue. The colours differ in
lightness as well: neighbours remain distinct with protanopia, deuteranopia and tritanopia, and in
grey (`tests/decks/test_palette.py` measures it); the shape tells for certain.

The `..._pattern` functions return SVG path data for a whole card; `spacing` is in millimetres.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from companion.decks.svg import (
    HEIGHT,
    PAPER,
    WHITE,
    WIDTH,
    box_path,
    colour_to_rgb,
    darken_colour,
    draw_both_ways,
    draw_box,
    draw_line,
    draw_path,
    fmt,
    lighten_colour,
    regular_polygon_path,
    star_path,
)

_W, _H = WIDTH, HEIGHT


def rising_pattern(spacing: float, slope: float) -> str:
    """Return lines that rise from left to right by `slope`, `spacing` apart."""
    # Lines that begin outside the card may still cross it.
    return "".join(
        f"M0 {fmt(spacing * k)}L63 {fmt(spacing * k - 63 * slope)}"
        for k in range(-8, 26)
        if -70 < spacing * k < 180
    )


def dot_pattern(spacing: float) -> str:
    """Return dots in staggered rows, `spacing` apart (drawn as lines of no length)."""
    return "".join(
        f"M{fmt(spacing * (x + (y % 2) / 2))} {fmt(spacing * y)}h0.01"
        for y in range(1, round(_H / spacing) + 1)
        for x in range(1, round(_W / spacing) + 1)
    )


def ring_pattern(spacing: float) -> str:
    """Return rings around the card's middle, `spacing` apart."""
    return "".join(
        f"M{fmt(31.5 - r)} 44a{fmt(r)} {fmt(r)} 0 1 0 {fmt(2 * r)} 0a{fmt(r)} {fmt(r)} 0 1 0 {fmt(-2 * r)} 0"
        for r in (spacing * k for k in range(2, round(50 / spacing)))
    )


def ray_pattern(count: int) -> str:
    """Return rays from the card's middle."""
    turns = (2 * math.pi * k / count for k in range(count))
    return "".join(f"M31.5 44L{fmt(31.5 + 70 * math.cos(a))} {fmt(44 + 70 * math.sin(a))}" for a in turns)


def zigzag_pattern(spacing: float) -> str:
    """Return zigzag lines, `spacing` apart."""
    lines = range(round(_H / spacing) + 2)
    return "".join(
        f"M0 {fmt(spacing * k)}" + f"l5.25 {fmt(-spacing * 0.5)}l5.25 {fmt(spacing * 0.5)}" * 6 for k in lines
    )


def brick_pattern(spacing: float) -> str:
    """Return a brick wall whose courses are `spacing` high."""
    courses = "".join(f"M0 {fmt(spacing * k)}H63" for k in range(round(_H / spacing) + 1))
    joints = "".join(
        f"M{fmt(9 * x + (4.5 if y % 2 else 0))} {fmt(spacing * y)}v{fmt(spacing)}"
        for y in range(round(_H / spacing))
        for x in range(8)
    )
    return courses + joints


def vertical_pattern(spacing: float) -> str:
    """Return vertical lines, `spacing` apart."""
    return "".join(f"M{fmt(spacing * k)} 0V88" for k in range(1, round(_W / spacing)))


def horizontal_pattern(spacing: float) -> str:
    """Return horizontal lines, `spacing` apart."""
    return "".join(f"M0 {fmt(spacing * k)}H63" for k in range(1, round(_H / spacing)))


def wave_pattern(spacing: float) -> str:
    """Return wavy lines, `spacing` apart."""
    return "".join(
        f"M0 {fmt(spacing * k)}" + "c3 -4 6 -4 9 0s6 4 9 0" * 4 for k in range(1, round(_H / spacing) + 1)
    )


def arc_pattern(spacing: float) -> str:
    """Return arcs around the top left and bottom right corners, `spacing` apart."""
    radii = [spacing * k for k in range(2, round(64 / spacing))]
    one = "".join(f"M{fmt(r)} 0A{fmt(r)} {fmt(r)} 0 0 1 0 {fmt(r)}" for r in radii)
    return one + "".join(
        f"M{fmt(_W - r)} {fmt(_H)}A{fmt(r)} {fmt(r)} 0 0 1 {fmt(_W)} {fmt(_H - r)}" for r in radii
    )


PATTERNS: tuple[tuple[str, float], ...] = (
    (rising_pattern(8, 0.8), 2.6),
    (dot_pattern(9), 3.4),
    (ray_pattern(20), 1.6),
    (horizontal_pattern(8), 3),
    (ring_pattern(6), 1.8),
    (zigzag_pattern(9), 1.8),
    (vertical_pattern(7), 2.6),
    (brick_pattern(8), 1.2),
    (rising_pattern(8, -0.8), 2.6),
    (rising_pattern(12, 1.3) + rising_pattern(12, -1.3), 1.4),
    (vertical_pattern(9) + horizontal_pattern(9), 1.2),
    (dot_pattern(5.5), 1.8),
)
"""Patterns over the whole card: a path of lines, and their width in millimetres."""


def draw_paper_edge(colour: str = WHITE) -> str:
    """Return a border around the panel: it covers whatever extends beyond it, and separates the
    card from the table."""
    return draw_path(box_path(-1, -1, _W + 2, _H + 2) + box_path(3, 3, _W - 6, _H - 6, 3.5), colour)


def draw_panel(ground: str, mark: str, pattern: int, frame: str = "") -> str:
    """Draw a card's panel: the ground, one of `PATTERNS` (modulo their number) in `mark`, a
    white border, and a frame."""
    d, thick = PATTERNS[pattern % len(PATTERNS)]
    border = draw_box(3, 3, _W - 6, _H - 6, 3.5, "none", frame, 1.2) if frame else ""
    return draw_box(2, 2, _W - 4, _H - 4, 0, ground) + draw_line(d, mark, thick) + draw_paper_edge() + border


def draw_patterned_back(ground: str, mark: str, pattern: int, sign: str = "", middle: str = "") -> str:
    """Draw the back of a game's cards, symmetric under half a turn, so that it reveals nothing.

    `ground`, `mark`: colours of the ground and of the pattern on it; `pattern`: index
    in `PATTERNS`; `sign`: drawn once for each way up; `middle`: drawn once.
    """
    d, thick = PATTERNS[pattern]
    panel = (
        draw_box(2, 2, _W - 4, _H - 4, 0, ground)
        + draw_both_ways(draw_line(d, mark, thick))
        + draw_paper_edge()
    )
    frame = draw_box(6.5, 6.5, _W - 13, _H - 13, 2.5, "none", PAPER, 0.9)
    return panel + frame + draw_both_ways(sign) + middle


@dataclass(frozen=True)
class PlayerColour:
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
    def numeral_ink(self) -> str:
        """The ink, darkened until it contrasts with white paper: for numerals."""
        # Luma of the ink, 0 to 255 (weights of ITU-R BT.601): only light inks must be darkened.
        r, g, b = colour_to_rgb(self.ink)
        return darken_colour(self.ink, 0.0 if 0.3 * r + 0.59 * g + 0.11 * b < 120 else 0.34)

    @property
    def ground_tint(self) -> str:
        """Light tint that cards of this colour are printed on."""
        return lighten_colour(self.ink, 0.84)

    @property
    def pattern_tint(self) -> str:
        """Medium tint of the pattern on that ground."""
        return lighten_colour(self.ink, 0.62)


_CROSS = "M-1.6 -5H1.6V-1.6H5V1.6H1.6V5H-1.6V1.6H-5V-1.6H-1.6Z"
_MOON = "M1.8 -5A5.2 5.2 0 1 0 1.8 5A6.2 6.2 0 0 1 1.8 -5Z"
_DROP = "M0 -5.6C1.6 -2.4 4 -0.6 4 1.8A4 3.9 0 0 1 -4 1.8C-4 -0.6 -1.6 -2.4 0 -5.6Z"


COLOURS: dict[str, PlayerColour] = {
    colour.id: colour
    for colour in (
        PlayerColour(
            "red",
            "#c4161c",
            regular_polygon_path(3, 5.8, 0, 1),
            rising_pattern(8, 0.8),
            {"en": "red, triangle", "fr": "rouge, triangle"},
        ),
        PlayerColour("blue", "#1f6fd0", _DROP, wave_pattern(8), {"en": "blue, drop", "fr": "bleu, goutte"}),
        PlayerColour(
            "green",
            "#0a8f5b",
            regular_polygon_path(4, 6.2, turn=45),
            vertical_pattern(7) + horizontal_pattern(7),
            {"en": "green, square", "fr": "vert, carré"},
        ),
        PlayerColour(
            "yellow",
            "#f7de1e",
            star_path(5, 6, 2.6, 0, 0.5),
            ray_pattern(24),
            {"en": "yellow, star", "fr": "jaune, étoile"},
        ),
        PlayerColour(
            "purple",
            "#6a2c91",
            regular_polygon_path(4, 5.8),
            rising_pattern(11, 1.5) + rising_pattern(11, -1.5),
            {"en": "purple, diamond", "fr": "violet, losange"},
        ),
        PlayerColour(
            "orange", "#ec6f0c", _MOON, arc_pattern(8), {"en": "orange, moon", "fr": "orange, lune"}
        ),
        PlayerColour(
            "black", "#2b2d31", _CROSS, horizontal_pattern(6), {"en": "black, cross", "fr": "noir, croix"}
        ),
    )
}
