"""Our own alphabet of round strokes: capitals, numerals and signs, drawn as paths, so that no font need be shipped.

A glyph is drawn in a box ten units high (a capital's height), y downwards; its width comes first.
"""

from __future__ import annotations

import unicodedata

from companion.decks.ink import line, n, put

_GLYPHS: dict[str, tuple[float, str]] = {
    "0": (6.4, "M0 3.2A3.2 3.2 0 0 1 6.4 3.2V6.8A3.2 3.2 0 0 1 0 6.8Z"),
    "1": (5.2, "M0.4 2.4L3 0V10M0.4 10H5.2"),
    "2": (6.2, "M0.1 3A3 3 0 0 1 6.1 3.1C6.1 5.2 3.6 6.8 0.1 10H6.3"),
    "3": (6.2, "M0.3 0H6L2.9 3.8A3.1 3.1 0 1 1 0.1 8.1"),
    "4": (6.8, "M4.9 10V0L0 7.1H6.8"),
    "5": (6.2, "M5.8 0H0.9L0.4 4.5A3.25 3.25 0 1 1 0.1 8.4"),
    "6": (6.4, "M5 0C2 1.4 0 3.8 0 6.8A3.2 3.2 0 1 0 6.4 6.8A3.2 3.2 0 0 0 0.3 5.4"),
    "7": (6.2, "M0 0H6.2L2.2 10"),
    "8": (
        6.2,
        "M3.1 4.6A2.3 2.3 0 1 1 3.1 0A2.3 2.3 0 1 1 3.1 4.6A2.7 2.7 0 1 1 3.1 10A2.7 2.7 0 1 1 3.1 4.6Z",
    ),
    "9": (6.4, "M1.4 10C4.4 8.6 6.4 6.2 6.4 3.2A3.2 3.2 0 1 0 0 3.2A3.2 3.2 0 0 0 6.1 4.6"),
    "A": (7, "M0 10L3.5 0L7 10M1.3 6.6H5.7"),
    "B": (6, "M0 5H3.6A2.5 2.5 0 1 0 3.6 0H0V10H3.5A2.5 2.5 0 1 0 3.5 5"),
    "C": (6.4, "M6.2 2.4A3.2 3.2 0 0 0 0 3.2V6.8A3.2 3.2 0 0 0 6.2 7.6"),
    "D": (6.4, "M0 0H2.4A4 4 0 0 1 6.4 4V6A4 4 0 0 1 2.4 10H0Z"),
    "E": (5.2, "M5.2 0H0V10H5.2M0 4.9H4.4"),
    "F": (5, "M5 0H0V10M0 5H4.2"),
    "G": (6.8, "M6.5 2.3A3.4 3.3 0 0 0 0 3.3V6.7A3.4 3.3 0 0 0 6.8 6.7V5.4H4"),
    "H": (6.4, "M0 0V10M6.4 0V10M0 5H6.4"),
    "I": (0.6, "M0.3 0V10"),
    "J": (4.4, "M4.4 0V7.4A2.4 2.4 0 0 1 0 8.2"),
    "K": (6, "M0 0V10M5.8 0L0 6M2.2 4L6 10"),
    "L": (5, "M0 0V10H5"),
    "M": (8, "M0 10V0L4 7L8 0V10"),
    "N": (6.6, "M0 10V0L6.6 10V0"),
    "O": (7, "M0 3.5A3.5 3.5 0 0 1 7 3.5V6.5A3.5 3.5 0 0 1 0 6.5Z"),
    "P": (5.8, "M0 10V0H3.2A2.8 2.8 0 0 1 3.2 5.6H0"),
    "Q": (7, "M0 3.5A3.5 3.5 0 0 1 7 3.5V6.5A3.5 3.5 0 0 1 0 6.5ZM4.4 7.4L7.2 10.4"),
    "R": (6, "M0 10V0H3.2A2.7 2.7 0 0 1 3.2 5.4H0M3 5.4L6 10"),
    "S": (6, "M5.7 1.8A3 2.5 0 1 0 3 5A3 2.5 0 1 1 0.1 8.2"),
    "T": (6.4, "M0 0H6.4M3.2 0V10"),
    "U": (6.4, "M0 0V6.8A3.2 3.2 0 0 0 6.4 6.8V0"),
    "V": (7, "M0 0L3.5 10L7 0"),
    "W": (9.6, "M0 0L2.6 10L4.8 2.6L7 10L9.6 0"),
    "X": (6.4, "M0 0L6.4 10M6.4 0L0 10"),
    "Y": (6.6, "M0 0L3.3 5V10M6.6 0L3.3 5"),
    "Z": (6.2, "M0 0H6.2L0 10H6.2"),
    "Œ": (
        9.4,
        "M9.4 0H3.5A3.5 3.5 0 0 0 0 3.5V6.5A3.5 3.5 0 0 0 3.5 10H9.4M4.9 0V10M4.9 4.9H8.6",
    ),
    " ": (2.6, ""),
    "×": (5, "M0 3L5 8M5 3L0 8"),
    "+": (5, "M0 5.5H5M2.5 3V8"),
    "-": (4.6, "M0 5.4H4.6"),
    "/": (4.4, "M0 10.6L4.4 -0.6"),
    "≤": (5, "M5 1.2L0 4.4L5 7.6M0 10H5"),
    "?": (5.6, "M0 2.6A2.8 2.6 0 0 1 5.6 2.7C5.6 4.4 2.9 4.6 2.9 7M2.9 9.95V10.05"),
    "!": (0.6, "M0.3 0V6.6M0.3 9.95V10.05"),
    "'": (0.6, "M0.3 0V2.4"),
    "&": (7, "M7 10L1.6 3.6A2 2 0 1 1 5 3.2C4.6 4.6 0 5 0 7.6A2.6 2.6 0 0 0 5 8.6L6.8 5.6"),
    ".": (0.6, "M0.3 9.95V10.05"),
}
_ACCENTS = {
    "\u0300": "M{a} -3.6L{b} -1.9",  # grave
    "\u0301": "M{b} -3.6L{a} -1.9",  # acute
    "\u0302": "M{a} -1.8L{m} -3.5L{b} -1.8",  # circumflex
    "\u0308": "M{a} -2.5V-2.4M{b} -2.5V-2.4",  # diaeresis
    "\u0327": "M{m} 10C{b} 12 {m} 13 {a} 12.4",  # cedilla
}
_GAP = 2.6


def _glyph(character: str) -> tuple[float, str]:
    """Return width and path of a character, accents included; for a sign that is not drawn a question mark."""
    base, *marks = list(unicodedata.normalize("NFD", character))
    width, d = _GLYPHS.get(base, _GLYPHS["?"])
    a, m, b = (n(width / 2 + shift) for shift in (-1.3, 0.0, 1.3))
    return width, d + "".join(_ACCENTS[mark].format(a=a, m=m, b=b) for mark in marks if mark in _ACCENTS)


def drawn(sign: str) -> bool:
    """Tell whether a sign, its accents included, has a shape of its own."""
    base, *marks = list(unicodedata.normalize("NFD", sign))
    return base in _GLYPHS and all(mark in _ACCENTS for mark in marks)


def width_of(text: str, height: float) -> float:
    """Return how wide the text is in millimetres at this height of capitals, without the stroke's half width at each end."""
    return (sum(_glyph(c)[0] for c in text) + _GAP * (len(text) - 1)) * height / 10


def write(
    text: str, x: float, y: float, height: float, colour: str, weight: float = 1.7, halo: str = ""
) -> str:
    """Write `text` with its middle at `x` and the top of its capitals at `y`, `height` millimetres high.

    `weight`: the stroke's width in tenths of the height. `halo`: the colour of an outline, none if empty.
    """
    scale = height / 10
    at = x - width_of(text, height) / 2
    under, over = [], []
    for character in text:
        width, d = _glyph(character)
        if d:
            if halo:
                under.append(put(line(d, halo, weight + 1.6), at, y, scale))
            over.append(put(line(d, colour, weight), at, y, scale))
        at += (width + _GAP) * scale
    return "".join(under + over)


def fitted(
    text: str, x: float, y: float, height: float, most: float, colour: str, weight: float = 1.7
) -> str:
    """Write `text` as `write` does, smaller where it would be wider than `most`, on the same middle line."""
    wide = width_of(text, height)
    small = height if wide <= most else height * most / wide
    return write(text, x, y + (height - small) / 2, small, colour, weight)


def numeral(
    text: str, x: float, y: float, height: float, colour: str, weight: float = 2.1, halo: str = ""
) -> str:
    """Write a card's value; 6 and 9 are underlined, so that they are told apart either way up."""
    art = write(text, x, y, height, colour, weight, halo)
    if text not in ("6", "9"):
        return art
    half, under = 0.33 * height, y + 1.34 * height
    d = f"M{n(x - half)} {n(under)}H{n(x + half)}"
    thick = weight * 0.8 * height / 10
    return (line(d, halo, thick + 0.16 * height) if halo else "") + art + line(d, colour, thick)
