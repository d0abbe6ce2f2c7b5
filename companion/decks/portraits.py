"""The small pictures of cards that screens show: the donkey of the round, from its card, without
the edge and the plate with its name.

Drawing a card takes the libraries of printing, seconds of a small computer's time; so these are
kept as PNG beside the art they are made from (`make portraits`). A test draws them anew and
compares.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from companion import libraries

if TYPE_CHECKING:
    from PIL.Image import Image

FOLDER = Path(__file__).parent / "portraits"
_FILES = {file.stem: file for file in sorted(FOLDER.glob("*.png"))}
"""The files by name: no card id that people write in a deck file is made into a path."""

CUT = {"donkey": (3.5, 3.5, 59.5, 75.0), "oe": (3.5, 3.5, 59.5, 84.5)}
"""What is shown of each kind of card, in millimetres: left, top, right, bottom."""
PIXELS = 3
"""Pixels of a millimetre: the largest terminal draws a donkey 70 pixels wide."""


def file_name(card: str) -> str:
    """Return the stem of a card's file: `donkey_giant` of `donkey:giant`."""
    return card.replace(":", "_")


@lru_cache(maxsize=4)
def portrait(card: str) -> Image | None:
    """Return the picture of a card (its id), red, green, blue; None for a card that has none."""
    file = _FILES.get(file_name(card))
    if file is None:
        return None
    with libraries.Image.open(file) as found:
        return found.convert("RGB")
