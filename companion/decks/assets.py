"""The pictures in the folder `art` of a game: plain SVG that any drawing program opens, filled in
here with colours and words; and the small pictures beside it.

A colour that a card gives is `var(--ink, #c4161c)`, with the one to see when the file is opened by
itself; a shade of it is `color-mix(in srgb, var(--ink, #c4161c), #000000 30%)`. Words stand in
`<text>`, about `x` and on the base line `y`; `{name}` there is filled in, and `data-width` says how
wide they may be. Text becomes outlines (`svg.write`).
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

from companion import libraries
from companion.decks.svg import CAPITALS, fitted, mix
from companion.rules import registry
from companion.texts import folder_of

if TYPE_CHECKING:
    from PIL.Image import Image

_VARIABLE = re.compile(r"var\(--([a-z]+), (#[0-9a-f]{6})\)")
_MIX = re.compile(r"color-mix\(in srgb, (#[0-9a-f]{6}), (#[0-9a-f]{6}) ([\d.]+)%\)")
_TEXT = re.compile(r"<text ([^>]*)>([^<]*)</text>")


@cache
def _group(file: Path) -> str:
    """Read a file as a group: what its outermost element says (round ends of lines, even-odd
    filling) holds for it alone."""
    head, _, art = file.read_text(encoding="utf-8").partition(">")
    said = re.sub(r'<svg|xmlns="[^"]*"|viewBox="[^"]*"', "", head).split()
    inside = re.sub(r">\s+<", "><", art.strip()).removesuffix("</svg>")
    return f"<g {' '.join(said)}>{inside}</g>"


class Art:
    """The pictures of one game, by their names in its folder `art`.

    `module`: the `__file__` of the game's drawing, which lies beside that folder. Names come from
    deck files that people write, so none is made into a path.
    """

    def __init__(self, module: str) -> None:
        folder = Path(module).parent / "art"
        self.files = {
            file.relative_to(folder).with_suffix("").as_posix(): file for file in folder.rglob("*.svg")
        }

    def __call__(self, name: str, words: str = "", **colours: str) -> str:
        """Return the art of `art/<name>.svg`, its `{name}` replaced by `words` and its variables by
        `colours`.

        `colours`: `#rrggbb` by variable; those not given stay as they are in the file. Raises
        KeyError for a picture that is not there.
        """
        art = _VARIABLE.sub(lambda found: colours.get(found[1], found[2]), _group(self.files[name]))
        art = _MIX.sub(lambda found: mix(found[1], found[2], float(found[3]) / 100), art)
        return _TEXT.sub(lambda found: _outlined(found[1], found[2].replace("{name}", words)), art)

    def colour(self, name: str, variable: str) -> str:
        """Return the colour that a picture has for a variable by itself."""
        found = _VARIABLE.finditer(_group(self.files[name]))
        return next(one[2] for one in found if one[1] == variable)


def _outlined(attributes: str, text: str) -> str:
    said = dict(re.findall(r'([\w-]+)="([^"]*)"', attributes))
    height = float(said["font-size"]) * CAPITALS
    middle = float(said["y"]) - height / 2
    width = float(said.get("data-width", "inf"))
    return fitted(unescape(text), float(said["x"]), middle, height, width, said["fill"])


@lru_cache(maxsize=4)
def portrait(game: str, card: str) -> Image | None:
    """Return the small picture of a card (its id) that screens show, red, green, blue; None for a
    card that has none.

    Drawing a card takes the libraries of printing, seconds of a small computer's time; so these are
    kept as PNG in the game's folder `portraits`, `donkey_giant.png` of `donkey:giant` (`make
    portraits`). A test draws them anew and compares.
    """
    try:
        kept = (folder_of(registry.load(game)) / "portraits").glob("*.png")
    except registry.GameUnavailable:
        return None
    file = next((one for one in kept if one.stem == card.replace(":", "_")), None)
    if file is None:
        return None
    with libraries.Image.open(file) as found:
        return found.convert("RGB")
