"""Letters that can be read from two metres: block letters of three or five rows, through pyfiglet, with figures of our own."""

from __future__ import annotations

import unicodedata
from functools import cache

import pyfiglet

FONTS = {3: "pagga", 5: "ansi_regular"}
"""Rows to font: both are made of full and half blocks, which every terminal font has."""

_FIGURES = dict(
    zip(
        "0123456789",
        zip(
            ("█▀█", "▀█ ", "▀▀█", "▀▀█", "█ █", "█▀▀", "█▀▀", "▀▀█", "█▀█", "█▀█"),
            ("█ █", " █ ", "█▀▀", " ▀█", "▀▀█", "▀▀█", "█▀█", "  █", "█▀█", "▀▀█"),
            ("▀▀▀", "▀▀▀", "▀▀▀", "▀▀▀", "  ▀", "▀▀▀", "▀▀▀", "  ▀", "▀▀▀", "▀▀▀"),
            strict=True,
        ),
        strict=True,
    )
)
"""The font's own figures of three rows are diamonds and cannot be told apart from afar."""


@cache
def big(word: str, rows: int = 3) -> tuple[str, ...]:
    """Return `word` in block letters, one string a row, all of one width. Accents are dropped, as on old signs."""
    plain = unicodedata.normalize("NFKD", word).encode("ascii", "ignore").decode().upper()
    if not plain.strip():
        return ("",) * rows
    signs = [_sign(character, rows) for character in plain]
    return tuple(" ".join(sign[row] for sign in signs) for row in range(rows))


def fitting(word: str, columns: int, sizes: tuple[int, ...] = (5, 3)) -> tuple[str, ...]:
    """Return `word` in the largest of these letter sizes that fits in `columns`, or as one plain line."""
    for rows in sizes:
        lines = big(word, rows)
        if len(lines[0]) <= columns:
            return lines
    return (word,)


@cache
def _sign(character: str, rows: int) -> tuple[str, ...]:
    if rows == 3 and character in _FIGURES:
        return _FIGURES[character]
    # The fonts' zero is barred and reads like an eight from afar.
    drawn = _figlet(rows).renderText(character.replace("0", "O")).replace("░", " ")
    lines = [*(line.rstrip() for line in drawn.splitlines()), *[""] * rows][:rows]
    left = min((len(line) - len(line.lstrip()) for line in lines if line), default=0)
    width = max(max(map(len, lines)) - left, 1)
    return tuple(line[left:].ljust(width) for line in lines)


@cache
def _figlet(rows: int) -> pyfiglet.Figlet:
    return pyfiglet.Figlet(font=FONTS[rows], width=10_000)
