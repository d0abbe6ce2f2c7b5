"""Art of a game: SVG files in its folder `art`, filled in with colours and words, and small
portraits of cards for screens.

The files are plain SVG that any drawing program opens. A colour set by the card is written
`var(--ink, #c4161c)`, with the default to show when the file is opened by itself; a shade of it is
`color-mix(in srgb, var(--ink, #c4161c), #000000 30%)`. Words are in `<text>`, centred at `x` on the
base line `y`; `{name}` in them is replaced, and `data-width` is their largest width. Text becomes
outlines (`svg.write`).
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

from companion import libraries
from companion.decks.svg import CAPITALS, draw_fitted_text, mix_colours
from companion.rules import registry
from companion.texts import find_game_folder

if TYPE_CHECKING:
    from PIL.Image import Image

_VARIABLE = re.compile(r"var\(--([a-z]+), (#[0-9a-f]{6})\)")
_MIX = re.compile(r"color-mix\(in srgb, (#[0-9a-f]{6}), (#[0-9a-f]{6}) ([\d.]+)%\)")
_TEXT = re.compile(r"<text ([^>]*)>([^<]*)</text>")


@cache
def _load_group(file: Path) -> str:
    """Return the content of a file as a group with the attributes of its outermost element (round
    ends of lines, even-odd filling)."""
    head, _, art = file.read_text(encoding="utf-8").partition(">")
    # These two attributes belong to a whole document, not to a group inside one.
    attributes = re.sub(r'<svg|xmlns="[^"]*"|viewBox="[^"]*"', "", head).split()
    inside = re.sub(r">\s+<", "><", art.strip()).removesuffix("</svg>")
    return f"<g {' '.join(attributes)}>{inside}</g>"


class GameArt:
    """The SVG files of one game, by their names in its folder `art`.

    `module`: the `__file__` of the game's drawing, which is beside that folder. Names come from
    deck files that people write, so they are only looked up and never turned into paths.
    """

    def __init__(self, module: str) -> None:
        folder = Path(module).parent / "art"
        self.files = {
            file.relative_to(folder).with_suffix("").as_posix(): file for file in folder.rglob("*.svg")
        }

    def __call__(self, name: str, words: str = "", **colours: str) -> str:
        """Return the art of `art/<name>.svg` with `{name}` replaced by `words` and variables by
        `colours`.

        `colours`: `#rrggbb` by variable; others keep the file's defaults. Raises KeyError for an
        unknown picture.
        """
        art = _VARIABLE.sub(lambda found: colours.get(found[1], found[2]), _load_group(self.files[name]))
        # After the variables: a shade is mixed from the colour that was filled in.
        art = _MIX.sub(lambda found: mix_colours(found[1], found[2], float(found[3]) / 100), art)
        return _TEXT.sub(
            lambda found: _outline_text_element(found[1], found[2].replace("{name}", words)), art
        )

    def default_colour(self, name: str, variable: str) -> str:
        """Return the default of a colour variable in a picture."""
        matches = _VARIABLE.finditer(_load_group(self.files[name]))
        return next(one[2] for one in matches if one[1] == variable)


def _outline_text_element(attributes: str, text: str) -> str:
    values = dict(re.findall(r'([\w-]+)="([^"]*)"', attributes))
    height = float(values["font-size"]) * CAPITALS
    middle = float(values["y"]) - height / 2
    width = float(values.get("data-width", "inf"))
    return draw_fitted_text(unescape(text), float(values["x"]), middle, height, width, values["fill"])


@lru_cache(maxsize=4)
def load_portrait(game: str, card: str) -> Image | None:
    """Return the small picture of a card (its id) that screens show, as RGB; None for a card
    without one.

    Drawing a card needs the printing libraries, and takes a small computer seconds. So portraits
    are stored as PNG in the game's folder `portraits`, `donkey_giant.png` for `donkey:giant` (`make
    portraits`). A test draws them again and compares.
    """
    try:
        files = (find_game_folder(registry.load_game(game)) / "portraits").glob("*.png")
    except registry.GameUnavailable:
        return None
    file = next((one for one in files if one.stem == card.replace(":", "_")), None)
    if file is None:
        return None
    with libraries.Image.open(file) as image:
        return image.convert("RGB")
