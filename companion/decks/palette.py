"""The seven colours of Donkey Valley, each with a shape and a pattern of its own, so that colour is
never the only cue.

The hues are spread in lightness as well: also with protanopia, deuteranopia and tritanopia, or in
grey, neighbours differ (`tests/decks/test_palette.py` measures it); the shape tells for certain.
"""

from __future__ import annotations

from dataclasses import dataclass

from companion.decks.ink import regular, rgb, shade, star, tint
from companion.decks.patterns import arcs, bars, rays, rising, rows, waves


@dataclass(frozen=True)
class Colour:
    """One player's colour.

    `id`: its name in card ids. `shape`: a path in a ten-unit box about the origin. `pattern`: a
    path of lines over the whole card. `words`: colour and shape by language.
    """

    id: str
    ink: str
    shape: str
    pattern: str
    words: dict[str, str]

    @property
    def deep(self) -> str:
        """The ink darkened until white paper sets it off: for numerals."""
        r, g, b = rgb(self.ink)
        return shade(self.ink, 0.0 if 0.3 * r + 0.59 * g + 0.11 * b < 120 else 0.34)

    @property
    def ground(self) -> str:
        """The light tint that cards of this colour are printed on."""
        return tint(self.ink, 0.84)

    @property
    def mark(self) -> str:
        """The middle tint of the pattern on that ground."""
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
