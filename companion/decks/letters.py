"""Words and numerals on cards, as outlines of the font in `fonts/`: what is drawn is alike in every
PDF reader and on every screen.

The outlines go into the drawing itself, so that the camera's reference views and the print cannot
differ by a font.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from pathlib import Path
from typing import Any

from companion import libraries
from companion.decks.svg import line, n, put

FONT = Path(__file__).parent / "fonts" / "Quicksand-Bold.ttf"
CAPITALS = 0.7
"""How high the font's capitals are, in parts of its size (`sCapHeight` 700 of 1000 units)."""


@cache
def _font() -> tuple[Any, dict[int, str], float]:
    """Read the font: its glyphs, their names by character, and tenths of a capital's height in a
    unit of the font."""
    font = libraries.ttLib.TTFont(FONT)
    return font.getGlyphSet(), font.getBestCmap(), 10 / (CAPITALS * font["head"].unitsPerEm)


@cache
def _outline(text: str) -> tuple[float, str]:
    """Return width and path of a text in tenths of a capital's height, its base line on y = 10; `?`
    for a sign the font lacks."""
    glyphs, names, scale = _font()
    pen, at = libraries.svgPathPen.SVGPathPen(glyphs, ntos=n), 0.0
    for sign in unicodedata.normalize("NFC", text):
        glyph = glyphs[names.get(ord(sign), names[ord("?")])]
        glyph.draw(libraries.transformPen.TransformPen(pen, (scale, 0, 0, -scale, at, 10)))
        at += glyph.width * scale
    return at, pen.getCommands()


def drawn(sign: str) -> bool:
    """Tell whether the font has a sign, its accents included."""
    return all(ord(one) in _font()[1] for one in unicodedata.normalize("NFC", sign))


def width_of(text: str, height: float) -> float:
    """Return how wide the text is in millimetres at this height of capitals."""
    return _outline(text)[0] * height / 10


def write(text: str, x: float, y: float, height: float, colour: str, halo: str = "") -> str:
    """Write `text` with its middle at (x, y), its capitals `height` millimetres high; `halo`: the
    colour of an outline."""
    wide, d = _outline(text)
    under = (
        f'<path d="{d}" fill="{halo}" stroke="{halo}" stroke-width="1.4" stroke-linejoin="round"/>'
        if halo
        else ""
    )
    # not by ink.path: a glyph's outlines overlap, and even-odd filling would leave holes there
    return put(f'{under}<path d="{d}" fill="{colour}"/>', x - wide * height / 20, y - height / 2, height / 10)


def fitted(text: str, x: float, y: float, height: float, most: float, colour: str) -> str:
    """Write `text` as `write` does, smaller where it would be wider than `most`."""
    wide = width_of(text, height)
    return write(text, x, y, height if wide <= most else height * most / wide, colour)


def numeral(text: str, x: float, y: float, height: float, colour: str, halo: str = "") -> str:
    """Write a card's value; 6 and 9 are underlined, so that they are told apart either way up."""
    art = write(text, x, y, height, colour, halo)
    if text not in ("6", "9"):
        return art
    half, under, thick = 0.28 * height, y + 0.7 * height, 0.15 * height
    d = f"M{n(x - half)} {n(under)}H{n(x + half)}"
    return (line(d, halo, thick + 0.14 * height) if halo else "") + art + line(d, colour, thick)
