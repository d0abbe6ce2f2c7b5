"""The result of a game as a picture to share: who won and by how much, and everybody's points, in
the letters of the screens."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from companion import libraries
from companion.views.block_letters import can_draw_letters, draw_block_letters
from companion.views.themes import INKS

if TYPE_CHECKING:
    from PIL.Image import Image

_WIDTH, _HEIGHT, _MARGIN = 1200, 630, 60
"""Size in pixels, as messengers show pictures whole."""
_GROUND, _INK, _GOLD, _QUIET = "#10231c", "#f4f1e8", "#f2c14e", "#a9bdb2"
_LETTERS = 5
"""Size of the block letters of which all words are made."""


class Standing(NamedTuple):
    """One player of the ranking: seat (from 1), rank, name and points as shown."""

    seat: int
    rank: int
    name: str
    points: str


def draw_result_card(title: str, headline: str, lines: Sequence[str], standings: Sequence[Standing]) -> bytes:
    """Return the picture as PNG. `lines`: what stands below the headline, in small letters."""
    picture = libraries.Image.new("RGB", (_WIDTH, _HEIGHT), _GROUND)
    room = _WIDTH - 2 * _MARGIN
    top = _draw_words(picture, title, (_MARGIN, 40), (room, 4), _QUIET) + 26
    top = _draw_words(picture, headline, (_MARGIN, top), (room, 11), _GOLD) + 24
    for line in lines:
        top = _draw_words(picture, line, (_MARGIN, top), (room, 4), _INK) + 16
    top += 20
    if standings:
        row = min((_HEIGHT - 40 - top) // len(standings), 84)
        dot = max(min(row // 9, 6), 1)
        for number, one in enumerate(standings):
            _draw_standing(picture, one, top + number * row, dot)
    out = io.BytesIO()
    picture.save(out, "PNG", optimize=True)
    return out.getvalue()


def _draw_standing(picture: Image, one: Standing, top: int, dot: int) -> None:
    """Draw a row: rank and name in the player's colour, points at the right edge."""
    ink = INKS[(one.seat - 1) % len(INKS)]
    points = _list_pixels(one.points)
    wide = len(points[0]) * dot
    name = one.name if can_draw_letters(one.name) else str(one.seat)
    place = (_MARGIN, top)
    _draw_words(picture, f"{one.rank}. {name}", place, (_WIDTH - 2 * _MARGIN - wide - 40, dot), ink)
    _draw_pixels(picture, points, (_WIDTH - _MARGIN - wide, top), dot, ink)


def _draw_words(picture: Image, words: str, at: tuple[int, int], most: tuple[int, int], ink: str) -> int:
    """Draw words as large as they fit into `most` (pixels of width, and of a dot); return their
    lower edge. Words that are too long are cut."""
    room, dot = most
    pixels = _list_pixels(words)
    while words and len(pixels[0]) > room:
        words = words[:-2].rstrip() + "…"
        pixels = _list_pixels(words)
    if pixels[0]:
        dot = min(dot, room // len(pixels[0]))
    _draw_pixels(picture, pixels, at, dot, ink)
    return at[1] + len(pixels) * dot


def _list_pixels(words: str) -> list[list[bool]]:
    """Return the dots of the words, by row; a cell of a block letter is two of them."""
    rows: list[list[bool]] = []
    for line in draw_block_letters(words, _LETTERS):
        rows += [[sign in "▀█" for sign in line], [sign in "▄█" for sign in line]]
    return rows


def _draw_pixels(
    picture: Image, pixels: Sequence[Sequence[bool]], at: tuple[int, int], dot: int, ink: str
) -> None:
    left, top = at
    for y, row in enumerate(pixels):
        for x, is_set in enumerate(row):
            if is_set:
                corner = (left + x * dot, top + y * dot)
                picture.paste(ink, (*corner, corner[0] + dot, corner[1] + dot))
