"""Colour themes, and the mark of each player: the shape and colour printed on their cards, the same
on every screen. Signs and words carry every meaning; colours only help."""

from __future__ import annotations

from typing import NamedTuple

from textual.content import Content
from textual.theme import Theme

from companion.texts import Translator
from companion.views.panel import Tone


class SeatMark(NamedTuple):
    """A shape and the style of its colour (`$seat-1`, ...: each theme has its own shades)."""

    shape: str
    style: str


SHAPES = "▲●■★◆☾✚▼◐✦♣♠"
"""Shapes of the seats clockwise, as on the printed decks: triangle, drop, square, star, diamond,
moon, cross; then further ones."""

INKS = ("#ff7a70", "#6fb5ff", "#4cd29a", "#f7de1e", "#c79bff", "#ff9f45", "#c8ccd4")
"""Colours on dark ground: the inks of the printed cards, lightened to be readable."""
DEEP_INKS = ("#b01217", "#1a5fb4", "#08704a", "#7d6a00", "#6a2c91", "#a84a00", "#2b2d31")
"""Colours on paper: the inks as printed, with a darker yellow."""

SAFE_INKS = ("#e69f00", "#56b4e9", "#2fb594", "#f0e442", "#7fa8d8", "#e5763a", "#cc9fb8")
"""Colours for people who confuse red and green: the palette of Okabe and Ito (2008), its darkest
shades lightened for dark ground."""


def mark_for_seat(seat: int) -> SeatMark:
    """Return the mark of a seat (from 1)."""
    # There are more shapes than colours: two seats may share a colour, never both.
    return SeatMark(SHAPES[(seat - 1) % len(SHAPES)], f"$seat-{(seat - 1) % len(INKS) + 1}")


def draw_marked_name(name: str, seat: int, translator: Translator, width: int) -> Content:
    """Return a player's current name, after the mark of the seat."""
    shape, style = mark_for_seat(seat)
    return Content.styled(f"{shape} {translator.display_name(name, width)}", f"bold {style}")


def make_theme_variables(inks: tuple[str, ...]) -> dict[str, str]:
    """Return the theme's variables for the marks."""
    return {f"seat-{number}": ink for number, ink in enumerate(inks, 1)}


THEMES = (
    Theme(
        name="baize", dark=True, primary="#f2c14e", secondary="#7fb685", accent="#f78154", foreground="#f4f1e8",
        background="#10231c", surface="#173229", panel="#1f4236", success="#8fd694", warning="#f2c14e", error="#ff8a80",
        variables=make_theme_variables(INKS),
    ),
    Theme(
        name="paper", dark=False, primary="#7a4b00", secondary="#2c6e49", accent="#b33c00", foreground="#1d1a14",
        background="#faf6ec", surface="#f0e9d8", panel="#e4dac3", success="#1b6b2f", warning="#8a5a00", error="#a4161a",
        variables=make_theme_variables(DEEP_INKS),
    ),
    Theme(
        name="high-contrast", dark=True, primary="#ffff00", secondary="#00ffff", accent="#ffffff", foreground="#ffffff",
        background="#000000", surface="#000000", panel="#1c1c1c", success="#00ff66", warning="#ffff00", error="#ff9090",
        variables=make_theme_variables(INKS),
    ),
    Theme(
        name="colour-safe", dark=True, primary="#f0e442", secondary="#56b4e9", accent="#e69f00", foreground="#ffffff",
        background="#0b1622", surface="#122233", panel="#1d344b", success="#56b4e9", warning="#f0e442", error="#e69f00",
        variables=make_theme_variables(SAFE_INKS),
    ),
)  # fmt: skip

STYLES: dict[Tone, str] = {
    "plain": "",
    "good": "$success",
    "bad": "$error",
    "warn": "$warning",
    "quiet": "$foreground-muted",
    "accent": "bold $primary",
}
