"""Letters that can be read from two metres: block letters of three or five rows, through pyfiglet."""

from __future__ import annotations

import unicodedata
from functools import cache

import pyfiglet

FONTS = {3: "pagga", 5: "ansi_regular"}
"""Rows to font: both are made of full and half blocks, which every terminal font has."""


@cache
def big(word: str, rows: int = 3) -> tuple[str, ...]:
    """Return `word` in block letters, one string a row, all of one width. Accents are dropped, as on old signs.

    The fonts' zeros are barred and read like eights from afar, so the letter O stands for them.
    """
    plain = unicodedata.normalize("NFKD", word).encode("ascii", "ignore").decode().replace("0", "O")
    if not plain.strip():
        return ("",) * rows
    drawn = pyfiglet.Figlet(font=FONTS[rows], width=10_000).renderText(plain.upper()).replace("░", " ")
    lines = [line.rstrip() for line in drawn.splitlines()][:rows]
    width = max(len(line) for line in lines)
    left = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return tuple(line.ljust(width)[left:] for line in lines)


def fitting(word: str, columns: int, sizes: tuple[int, ...] = (5, 3)) -> tuple[str, ...]:
    """Return `word` in the largest of these letter sizes that fits in `columns`, or as one plain line."""
    for rows in sizes:
        lines = big(word, rows)
        if lines and len(lines[0]) <= columns:
            return lines
    return (word,)
