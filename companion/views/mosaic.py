"""Pictures in characters: quadrant blocks, which hold two by two pixels in two colours and stand in
every terminal's font."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from textual.content import Content

from companion.decks.portraits import portrait

if TYPE_CHECKING:
    from collections.abc import Sequence

Colour: TypeAlias = tuple[int, ...]
"""Red, green and blue, 0 to 255."""

_QUADRANTS = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"
"""By bits: 1 upper left, 2 upper right, 4 lower left, 8 lower right."""
_CELL = 2
"""A character cell is about twice as high as it is wide."""


def columns_of(card: str, rows: int) -> int:
    """Return how many columns a card's picture takes at `rows` high; 0 where it has none."""
    picture = portrait(card) if card else None
    return 0 if picture is None else round(rows * _CELL * picture.width / picture.height)


@lru_cache(maxsize=8)
def mosaic(card: str, columns: int, rows: int) -> tuple[Content, ...]:
    """Draw a card's picture in so many character cells; nothing where it has none."""
    picture = portrait(card)
    if picture is None or columns < 1 or rows < 1:
        return ()
    from PIL.Image import Resampling  # noqa: PLC0415 - the first screen does not wait for it

    width = 2 * columns
    small = picture.resize((width, 2 * rows), Resampling.BOX)
    data = small.tobytes()
    pixels = [tuple(data[at : at + 3]) for at in range(0, len(data), 3)]
    lines = []
    for row in range(rows):
        upper, lower = pixels[2 * row * width :][:width], pixels[(2 * row + 1) * width :][:width]
        cells = [_cell([*upper[at : at + 2], *lower[at : at + 2]]) for at in range(0, width, 2)]
        lines.append(Content.assemble(*cells))
    return tuple(lines)


def _cell(four: Sequence[Colour]) -> tuple[str, str]:
    """Draw four pixels in two colours: those that differ most, each joined by the nearer."""
    pairs = [(one, other) for at, one in enumerate(four) for other in four[at + 1 :]]
    ink, ground = max(pairs, key=lambda pair: _apart(*pair))
    inked = [_apart(pixel, ink) < _apart(pixel, ground) for pixel in four]
    sign = _QUADRANTS[sum(1 << at for at, one in enumerate(inked) if one)]
    on = _mean([pixel for pixel, one in zip(four, inked, strict=True) if not one])
    if sign == " ":
        return sign, f"on {on}"
    return sign, f"{_mean([pixel for pixel, one in zip(four, inked, strict=True) if one])} on {on}"


def _apart(one: Colour, other: Colour) -> int:
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))


def _mean(colours: Sequence[Colour]) -> str:
    red, green, blue = (sum(channel) // len(colours) for channel in zip(*colours, strict=True))
    return f"#{red:02x}{green:02x}{blue:02x}"
