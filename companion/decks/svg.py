"""Fragments of SVG, of which all card art is made. Units are millimetres on the card, y downwards.

Only features that fpdf2 draws faithfully are used: paths, circles, ellipses, groups with
transforms; no clipping, text or gradients. Words and numerals are outlines of the font in `fonts/`,
so that they look the same in every PDF reader and on every screen, and the camera's reference views
cannot differ from the print by a font.
"""

from __future__ import annotations

import math
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any

from companion import libraries

WIDTH, HEIGHT = 63.0, 88.0
"""A card in millimetres: poker size."""

DARK, PAPER, WHITE = "#23262b", "#fffdf6", "#ffffff"


def fmt(value: float) -> str:
    """Format a number for SVG, to a thousandth of a millimetre."""
    return f"{value:.3f}".rstrip("0").rstrip(".")


def draw_path(
    d: str, fill: str = "none", stroke: str = "none", width: float = 0.0, opacity: float = 1.0
) -> str:
    """Draw the SVG path `d`; lines are `width` millimetres wide, with round ends and corners."""
    see = "" if opacity == 1.0 else f' opacity="{fmt(opacity)}"'
    line = (
        ""
        if stroke == "none"
        else f' stroke="{stroke}" stroke-width="{fmt(width)}" stroke-linecap="round" stroke-linejoin="round"'
    )
    # Even-odd: a path inside another is a hole, whichever way round it was drawn.
    return f'<path d="{d}" fill="{fill}" fill-rule="evenodd"{line}{see}/>'


def draw_line(d: str, stroke: str, width: float) -> str:
    """Draw the path `d` as a line only."""
    return draw_path(d, stroke=stroke, width=width)


def draw_circle(
    x: float, y: float, r: float, fill: str = "none", stroke: str = "none", width: float = 0.0
) -> str:
    """Draw a circle around (x, y)."""
    return draw_ellipse(x, y, r, r, fill, stroke, width)


def draw_ellipse(
    x: float,
    y: float,
    rx: float,
    ry: float,
    fill: str = "none",
    stroke: str = "none",
    width: float = 0.0,
    opacity: float = 1.0,
) -> str:
    """Draw an ellipse around (x, y) with half axes rx and ry."""
    return draw_path(ellipse_path(rx, ry, x, y), fill, stroke, width, opacity)


def ellipse_path(rx: float, ry: float, x: float = 0.0, y: float = 0.0) -> str:
    """Return the path of an ellipse."""
    half = f"a{fmt(rx)} {fmt(ry)} 0 1 0"
    return f"M{fmt(x - rx)} {fmt(y)}{half} {fmt(2 * rx)} 0{half} {fmt(-2 * rx)} 0Z"


def draw_box(
    x: float,
    y: float,
    w: float,
    h: float,
    r: float = 0.0,
    fill: str = "none",
    stroke: str = "none",
    width: float = 0.0,
) -> str:
    """Draw a box with its upper left corner at (x, y), corners rounded by r."""
    return draw_path(box_path(x, y, w, h, r), fill, stroke, width)


def box_path(x: float, y: float, w: float, h: float, r: float = 0.0) -> str:
    """Return the path of a box, for cutting it out of another."""
    if not r:
        return f"M{fmt(x)} {fmt(y)}h{fmt(w)}v{fmt(h)}h{fmt(-w)}Z"
    arc = f"a{fmt(r)} {fmt(r)} 0 0 1"
    return (
        f"M{fmt(x + r)} {fmt(y)}h{fmt(w - 2 * r)}{arc} {fmt(r)} {fmt(r)}v{fmt(h - 2 * r)}{arc} {fmt(-r)} {fmt(r)}"
        f"h{fmt(2 * r - w)}{arc} {fmt(-r)} {fmt(-r)}v{fmt(2 * r - h)}{arc} {fmt(r)} {fmt(-r)}Z"
    )


def polygon_path(points: list[tuple[float, float]]) -> str:
    """Return the path of a polygon."""
    return "M" + "L".join(f"{fmt(x)} {fmt(y)}" for x, y in points) + "Z"


def star_path(points: int, outer: float, inner: float, x: float = 0.0, y: float = 0.0) -> str:
    """Return the path of a star around (x, y) with a point upwards."""
    return polygon_path(
        [
            (x + r * math.sin(a), y - r * math.cos(a))
            for k in range(2 * points)
            for r, a in [(outer if k % 2 == 0 else inner, math.pi * k / points)]
        ]
    )


def regular_polygon_path(corners: int, r: float, x: float = 0.0, y: float = 0.0, turn: float = 0.0) -> str:
    """Return the path of a regular polygon around (x, y) with a corner upwards; `turn` in degrees
    clockwise."""
    angles = [2 * math.pi * k / corners + math.radians(turn) for k in range(corners)]
    return polygon_path([(x + r * math.sin(a), y - r * math.cos(a)) for a in angles])


def place_art(
    art: str, x: float = 0.0, y: float = 0.0, scale: float = 1.0, turn: float = 0.0, flip: bool = False
) -> str:
    """Place art drawn around its own origin at (x, y), scaled, turned clockwise in degrees,
    mirrored."""
    steps = [f"translate({fmt(x)} {fmt(y)})"]
    steps += [f"rotate({fmt(turn)})"] if turn else []
    steps += [f"scale({fmt(-scale if flip else scale)} {fmt(scale)})"] if flip or scale != 1.0 else []
    return f'<g transform="{" ".join(steps)}">{art}</g>'


def draw_both_ways(art: str) -> str:
    """Draw art twice, the second time turned by half around the card's middle, so that it reads
    either way up."""
    return art + place_art(art, WIDTH, HEIGHT, turn=180)


def mix_colours(colour: str, other: str, share: float) -> str:
    """Mix two `#rrggbb` colours: `share` 0 gives the first, 1 the other."""
    pairs = zip(colour_to_rgb(colour), colour_to_rgb(other), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def lighten_colour(colour: str, share: float) -> str:
    """Lighten a colour towards white paper: 0 the colour, 1 white."""
    return mix_colours(colour, WHITE, share)


def darken_colour(colour: str, share: float) -> str:
    """Darken a colour: 0 the colour, 1 black."""
    return mix_colours(colour, "#000000", share)


def colour_to_rgb(colour: str) -> tuple[int, int, int]:
    """Return red, green and blue, 0..255."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def wrap_card_svg(art: str) -> str:
    """Return a complete SVG document of one card."""
    size = f'width="{fmt(WIDTH)}mm" height="{fmt(HEIGHT)}mm" viewBox="0 0 {fmt(WIDTH)} {fmt(HEIGHT)}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{art}</svg>'


FONT = Path(__file__).parent / "fonts" / "Quicksand-Bold.ttf"
CAPITALS = 0.7
"""Height of the font's capitals as a part of its size (`sCapHeight` 700 of 1000 units)."""


@cache
def _load_font() -> tuple[Any, dict[int, str], float]:
    """Read the font: its glyphs, their names by character, and the factor from font units to tenths
    of a capital's height."""
    font = libraries.ttLib.TTFont(FONT)
    return font.getGlyphSet(), font.getBestCmap(), 10 / (CAPITALS * font["head"].unitsPerEm)


@cache
def _outline_text(text: str) -> tuple[float, str]:
    """Return width and path of a text in tenths of a capital's height, its base line on y = 10; `?`
    for a character the font lacks."""
    glyphs, names, scale = _load_font()
    pen, at = libraries.svgPathPen.SVGPathPen(glyphs, ntos=fmt), 0.0
    # The font has accented letters only as single, composed characters.
    for sign in unicodedata.normalize("NFC", text):
        glyph = glyphs[names.get(ord(sign), names[ord("?")])]
        glyph.draw(libraries.transformPen.TransformPen(pen, (scale, 0, 0, -scale, at, 10)))
        at += glyph.width * scale
    return at, pen.getCommands()


def has_glyph(character: str) -> bool:
    """Check whether the font has a character, its accents included."""
    return all(ord(one) in _load_font()[1] for one in unicodedata.normalize("NFC", character))


def measure_text(text: str, height: float) -> float:
    """Return the width of the text in millimetres at this height of capitals."""
    return _outline_text(text)[0] * height / 10


def draw_text(text: str, x: float, y: float, height: float, colour: str, halo: str = "") -> str:
    """Draw `text` with its middle at (x, y) and capitals `height` millimetres high; `halo`: the
    colour of an outline."""
    wide, d = _outline_text(text)
    under = (
        f'<path d="{d}" fill="{halo}" stroke="{halo}" stroke-width="1.4" stroke-linejoin="round"/>'
        if halo
        else ""
    )
    # Not by `draw_path`: the outlines of a glyph overlap, and even-odd filling would leave holes
    # there.
    return place_art(
        f'{under}<path d="{d}" fill="{colour}"/>', x - wide * height / 20, y - height / 2, height / 10
    )


def draw_fitted_text(text: str, x: float, y: float, height: float, most: float, colour: str) -> str:
    """Draw `text` as `draw_text` does, reduced if it would be wider than `most`."""
    wide = measure_text(text, height)
    return draw_text(text, x, y, height if wide <= most else height * most / wide, colour)


def draw_numeral(text: str, x: float, y: float, height: float, colour: str, halo: str = "") -> str:
    """Draw a card's value; 6 and 9 are underlined, so that they can be told apart either way up."""
    art = draw_text(text, x, y, height, colour, halo)
    if text not in ("6", "9"):
        return art
    half, under, thick = 0.28 * height, y + 0.7 * height, 0.15 * height
    d = f"M{fmt(x - half)} {fmt(under)}H{fmt(x + half)}"
    return (draw_line(d, halo, thick + 0.14 * height) if halo else "") + art + draw_line(d, colour, thick)
