"""Block letters that can be read from two metres: four sizes, drawn in half blocks, which every
terminal font has.

Two alphabets are stored as bitmaps, one five pixels high and one seven. A cell of the terminal
holds two pixels, one above the other, so a letter of five pixels takes three rows; the larger sizes
repeat each pixel. Accents are drawn in two rows above, a cedilla in one below; rows that no letter
of the word uses are left out.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache

from companion.texts import VULGAR_FRACTIONS

_SMALL = """
A ###/#.#/###/#.#/#.#  B ##./#.#/##./#.#/##.  C ###/#../#../#../###  D ##./#.#/#.#/#.#/##.
E ###/#../##./#../###  F ###/#../##./#../#..  G ####/#.../#.##/#..#/####  H #.#/#.#/###/#.#/#.#
I #/#/#/#/#  J ..#/..#/..#/#.#/###  K #..#/#.#./##../#.#./#..#  L #../#../#../#../###
M #...#/##.##/#.#.#/#...#/#...#  N #...#/##..#/#.#.#/#..##/#...#  O ####/#..#/#..#/#..#/####
P ###/#.#/###/#../#..  Q ####/#..#/#..#/#.##/####  R ###./#..#/###./#.#./#..#  S ###/#../###/..#/###
T ###/.#./.#./.#./.#.  U #..#/#..#/#..#/#..#/####  V #...#/#...#/.#.#./.#.#./..#..
W #...#/#...#/#.#.#/##.##/#...#  X #.#/#.#/.#./#.#/#.#  Y #.#/#.#/.#./.#./.#.  Z ####/..#./.#../#.../####
0 ###/#.#/#.#/#.#/###  1 ##/.#/.#/.#/.#  2 ###/..#/###/#../###  3 ###/..#/.##/..#/###
4 #.#/#.#/###/..#/..#  5 ###/#../###/..#/###  6 ###/#../###/#.#/###  7 ###/..#/..#/.#./.#.
8 ###/#.#/###/#.#/###  9 ###/#.#/###/..#/###  ! #/#/#/./#  ? ###/..#/.##/.../.#.  . ././././#
, ../../../.#/#.  : ./#/./#/.  ; ../.#/../.#/#.  ' #/#/././.  - .../.../###/.../...
+ .../.#./###/.#./...  × .../#.#/.#./#.#/...  / ..#/..#/.#./#../#..  = .../###/.../###/...
< ..#/.#./#../.#./..#  > #../.#./..#/.#./#..  ( .#/#./#./#./.#  ) #./.#/.#/.#/#.
% #..#/..#./.#../#..#/....  & ##../##../#.#./#.#./####  · ././#/./.  * #.#/.#./#.#/.../...
_ .../.../.../.../###
"""


def _read_bitmaps(text: str) -> dict[str, str]:
    """Return the bitmap of each sign; both stand in turn, with blanks between them."""
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


SMALL = _read_bitmaps(_SMALL)
"""The alphabet five pixels high, row by row. Letters are as wide as they must be (an N of three
columns would look like a Π)."""

_LARGE = """
A 7E 11 11 11 7E|B 7F 49 49 49 36|C 3E 41 41 41 22|D 7F 41 41 41 3E|E 7F 49 49 49 41|F 7F 09 09 09 01|G 3E 41 49 49 7A
H 7F 08 08 08 7F|I 41 7F 41|J 30 40 40 40 3F|K 7F 08 14 22 41|L 7F 40 40 40 40|M 7F 02 0C 02 7F|N 7F 04 08 10 7F|O 3E 41 41 41 3E
P 7F 09 09 09 06|Q 3E 41 51 21 5E|R 7F 09 19 29 46|S 26 49 49 49 32|T 01 01 7F 01 01|U 3F 40 40 40 3F|V 1F 20 40 20 1F|W 3F 40 38 40 3F
X 63 14 08 14 63|Y 07 08 70 08 07|Z 61 51 49 45 43|0 3E 41 41 41 3E|1 42 7F 40|2 62 51 49 49 46|3 22 41 49 49 36|4 18 14 12 7F 10
5 27 45 45 45 39|6 3C 4A 49 49 30|7 01 71 09 05 03|8 36 49 49 49 36|9 06 49 49 29 1E|! 5F|? 02 01 51 09 06|. 40|, 80 40|: 24|; 80 44
' 03|- 08 08 08 08|+ 08 08 3E 08 08|× 22 14 08 14 22|/ 60 10 0C 02 01|= 14 14 14 14|< 08 14 22 41|> 41 22 14 08|( 1C 22 41|) 41 22 1C
% 23 13 08 64 62|& 36 49 55 22 50|· 08|* 14 08 3E 08 14|_ 40 40 40 40
"""

LARGE: dict[str, tuple[int, ...]] = {
    entry[0]: tuple(int(column, 16) for column in entry[1:].split())
    for line in _LARGE.split("\n")
    for entry in line.split("|")
    if entry
}
"""The alphabet seven pixels high, by column, the lowest bit on top; the eighth bit is below the
line."""

ACCENTS = _read_bitmaps("""
\u0301 ..#/.#.  \u0300 #../.#.  \u0302 .#./#.#  \u0308 #.#/...  \u0303 ###/...  \u0327 .#./##.
\u030c #.#/.#.  \u030a ###/#.#  \u0304 ###/...
""")
"""Accents of two rows, by their Unicode combining character; the cedilla is drawn below."""


SIZES = {3: (SMALL, 1), 5: (LARGE, 1), 9: (LARGE, 2), 14: (LARGE, 3)}
"""Heights in rows, each with its alphabet and scale. A cell holds two pixels, one above the
other."""

_BLOCKS = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}
_CEDILLA = "\u0327"
_ALIKE = str.maketrans(
    {
        "Œ": "OE",
        "Æ": "AE",
        "’": "'",
        "‘": "'",
        "“": "'",
        "”": "'",
        "„": ",",
        "–": "-",
        "—": "-",
        "…": "...",
        "→": ">",
    }
    | {sign: f" {above}/{below}" for (above, below), sign in VULGAR_FRACTIONS.items()}
    | dict.fromkeys("\u202f\u00a0", " ")
)

Pixels = list[list[bool]]


@cache
def draw_block_letters(word: str, rows: int = 3) -> tuple[str, ...]:
    """Return `word` in block letters of at most `rows` rows (a size of `SIZES`), one string for
    each row, all equally wide.

    Letters that the alphabet lacks are left out; the strings are empty if nothing is left.
    """
    alphabet, scale = SIZES[rows]
    height = 5 if alphabet is SMALL else 7
    signs = [sign for sign in (_draw_letter(one, rows) for one in _split_letters(word)) if sign]
    if not any(any(any(row) for row in sign) for sign in signs):
        return ("",) * rows
    total = height + 3  # two rows of accents above, one for what hangs below
    lines: Pixels = [[] for _ in range(total)]
    for number, sign in enumerate(signs):
        for line, pixels in zip(lines, sign, strict=True):
            line += ([False] if number else []) + pixels
    return _draw_half_blocks(_drop_unused_accent_rows(lines, height), scale)


def fit_block_letters(word: str, columns: int, sizes: Sequence[int] = (5, 3)) -> tuple[str, ...]:
    """Return `word` in the largest of these sizes that fits in `columns`, or as a plain line."""
    for rows in sizes:
        lines = draw_block_letters(word, rows)
        if lines[0] and len(lines[0]) <= columns:
            return lines
    return (word,)


def can_draw_letters(word: str) -> bool:
    """Return whether every letter of the word exists in block letters of every size."""
    return all(_draw_letter(letter, rows) for letter in _split_letters(word) for rows in SIZES)


def _split_letters(word: str) -> list[str]:
    """Split the word into capital letters, each with its accents."""
    plain = word.upper().translate(_ALIKE)
    found: list[str] = []
    for sign in unicodedata.normalize("NFD", plain):
        if unicodedata.combining(sign) and found:
            found[-1] += sign
        else:
            found.append(sign)
    return found


@cache
def _draw_letter(letter: str, rows: int) -> Pixels | None:
    """Draw one letter with room for accents above and below; None if it is in no alphabet."""
    small = SIZES[rows][0] is SMALL
    base, accents = letter[0], letter[1:]
    if base == " ":
        return [[False, False]] * (8 if small else 10)
    body = _draw_small_letter(base) if small else _draw_large_letter(base)
    if body is None:
        return None
    width = len(body[0])
    above: Pixels = [[False] * width for _ in range(2)]
    below = [body.pop()] if not small else [[False] * width]
    for accent in accents:
        # A letter with an unknown accent is written without it.
        marks = [[pixel == "#" for pixel in row] for row in ACCENTS.get(accent, "./.").split("/")]
        left = max((width - len(marks[0])) // 2, 0)
        rows_of = below if accent == _CEDILLA else above
        for row, mark in zip(rows_of, marks, strict=False):
            for at, pixel in enumerate(mark):
                if pixel and left + at < width:
                    row[left + at] = True
    return [*above, *body, *below]


def _draw_small_letter(letter: str) -> Pixels | None:
    drawn = SMALL.get(letter)
    return None if drawn is None else [[pixel == "#" for pixel in row] for row in drawn.split("/")]


def _draw_large_letter(letter: str) -> Pixels | None:
    columns = LARGE.get(letter)
    return None if columns is None else [[bool(column >> row & 1) for column in columns] for row in range(8)]


def _drop_unused_accent_rows(lines: Pixels, letter_height: int) -> Pixels:
    """Remove the rows for accents, above and below, that no letter uses; the small size keeps one
    row of accents at most."""
    # The first two rows hold accents, each of which uses the upper one; then the letters begin.
    has_accents, is_small = any(lines[0]), letter_height == 5
    if not has_accents:
        lines = lines[2:]
    elif is_small:  # three rows are six pixels: both rows of marks are drawn as one
        lines = [[one or other for one, other in zip(lines[0], lines[1], strict=True)], *lines[2:]]
    return lines if any(lines[-1]) and not (is_small and has_accents) else lines[:-1]


def _draw_half_blocks(lines: Pixels, scale: int) -> tuple[str, ...]:
    tall = [line for line in lines for _ in range(scale)]
    # A cell is two pixels high: an odd number of lines gets an empty one on top.
    if len(tall) % 2:
        tall.insert(0, [False] * len(tall[0]))
    return tuple(
        "".join(_BLOCKS[pair] * scale for pair in zip(upper, lower, strict=True))
        for upper, lower in zip(tall[::2], tall[1::2], strict=True)
    )
