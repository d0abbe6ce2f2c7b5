"""The pictures in `art/`: plain SVG that any drawing program opens, filled in here with colours and
words.

A colour that a card gives is `var(--ink, #c4161c)`, with the one to see when the file is opened by
itself; a shade of it is `color-mix(in srgb, var(--ink, #c4161c), #000000 30%)`. Words stand in
`<text>`, about `x` and on the base line `y`; `{name}` there is filled in, and `data-width` says how
wide they may be. Text becomes outlines (`letters`).
"""

from __future__ import annotations

import re
from functools import cache
from html import unescape
from pathlib import Path

from companion.decks.letters import CAPITALS, fitted
from companion.decks.svg import mix

_FOLDER = Path(__file__).parent / "art"
_FILES = {
    file.relative_to(_FOLDER).with_suffix("").as_posix(): file for file in sorted(_FOLDER.rglob("*.svg"))
}
"""The files by name. Names come from deck files that people write, so none is made into a path."""

_VARIABLE = re.compile(r"var\(--([a-z]+), (#[0-9a-f]{6})\)")
_MIX = re.compile(r"color-mix\(in srgb, (#[0-9a-f]{6}), (#[0-9a-f]{6}) ([\d.]+)%\)")
_TEXT = re.compile(r"<text ([^>]*)>([^<]*)</text>")


@cache
def _group(name: str) -> str:
    """Read a file as a group: what its outermost element says (round ends of lines, even-odd
    filling) holds for it alone."""
    head, _, art = _FILES[name].read_text(encoding="utf-8").partition(">")
    said = re.sub(r'<svg|xmlns="[^"]*"|viewBox="[^"]*"', "", head).split()
    inside = re.sub(r">\s+<", "><", art.strip()).removesuffix("</svg>")
    return f"<g {' '.join(said)}>{inside}</g>"


def picture(name: str, words: str = "", **colours: str) -> str:
    """Return the art of `art/<name>.svg`, its `{name}` replaced by `words` and its variables by
    `colours`.

    `colours`: `#rrggbb` by variable; those not given stay as they are in the file. Raises KeyError
    for a picture that is not there.
    """
    art = _VARIABLE.sub(lambda found: colours.get(found[1], found[2]), _group(name))
    art = _MIX.sub(lambda found: mix(found[1], found[2], float(found[3]) / 100), art)
    return _TEXT.sub(lambda found: _outlined(found[1], found[2].replace("{name}", words)), art)


def colour(name: str, variable: str) -> str:
    """Return the colour that a picture has for a variable by itself."""
    return next(found[2] for found in _VARIABLE.finditer(_group(name)) if found[1] == variable)


def _outlined(attributes: str, text: str) -> str:
    said = dict(re.findall(r'([\w-]+)="([^"]*)"', attributes))
    height = float(said["font-size"]) * CAPITALS
    middle = float(said["y"]) - height / 2
    width = float(said.get("data-width", "inf"))
    return fitted(unescape(text), float(said["x"]), middle, height, width, said["fill"])
