"""Partners on the dashboard: the player in turn, the pawns home, and the board in characters, a
ring of 16 by 16 cells with the starts in the corners, drawn as large as fits."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from textual.content import Content

from companion.games.partners.board import CELLS, PAWNS, SIDE, base_spots, occupants
from companion.rules.contract import View
from companion.texts import Translator
from companion.views.panel import Badge, BoardPicture, Face, Piece, Seat, awaited_players
from companion.views.themes import mark

SIZES = ((6, 2), (5, 2), (4, 2), (3, 1), (2, 1))
"""Columns and rows of a cell, the largest first."""
COLOURS = tuple(mark(seat).style for seat in range(1, 5))
"""The styles of the four players; the number on a pawn says the same without colour."""
_STACK = ("", "", "²", "³", "⁴")


class Cell(NamedTuple):
    """The contents of a cell: its sign, the faint sign below (if two rows high), its style."""

    sign: str
    below: str = ""
    style: str = ""


def draw(pawns: Sequence[Sequence[str]], names: Sequence[str], width: int, height: int) -> Content:
    """Draw the board in at most `width` columns and `height` rows; empty where even the smallest
    does not fit.

    `pawns`: the four lists of places of a view; `names`: the players', shown at their bases where
    there is room.
    """
    # The largest that fits; none of the sizes may be cut off.
    size = next((one for one in SIZES if one[0] * SIDE <= width and one[1] * SIDE <= height), None)
    if size is None:
        return Content("")
    cells = _cells(pawns)
    lines = [line for row in range(SIDE) for line in _row(cells, row, size, names)]
    return Content("\n").join(lines)


def _cells(pawns: Sequence[Sequence[str]]) -> dict[tuple[int, int], Cell]:
    standing = occupants(pawns)
    cells = {}
    for name, at in CELLS.items():
        kind, _, number = name.rpartition(" ")
        if kind != "base":
            cells[at] = _cell(name, standing.get(name, []))
            continue
        owner, place = map(int, number.split(":"))
        # Pawns in a base have no places of their own: they fill it from the first spot.
        home = place <= len(standing.get(f"base {owner}", []))
        cells[at] = _pawn(owner, 1) if home else Cell("○", "", f"{COLOURS[owner - 1]} 60%")
    return cells


def _cell(name: str, there: Sequence[tuple[int, int]]) -> Cell:
    kind, _, number = name.rpartition(" ")
    if there:
        # A pawn on its own start is a wall (PA-11).
        walled = kind == "start"
        pawn = _pawn(there[0][0], len(there))
        return pawn._replace(below="▩" if walled else "")
    if kind == "start":
        return Cell("◇", number, f"bold {COLOURS[int(number) - 1]} on $panel")
    if kind == "goal":
        owner, depth = number.split(":")
        return Cell(depth, "◎", f"{COLOURS[int(owner) - 1]} on $surface")
    return Cell(
        "·", number.split(":")[1] if ":" in number else name.split(":")[1], "$foreground-muted on $panel"
    )


def _pawn(player: int, count: int) -> Cell:
    return Cell(f"{player}{_STACK[count]}", "", f"bold #10231c on {COLOURS[player - 1]}")


def _row(
    cells: Mapping[tuple[int, int], Cell], row: int, size: tuple[int, int], names: Sequence[str]
) -> list[Content]:
    columns, rows = size
    blank = Cell("", "", "")
    line = [cells.get((column, row), blank) for column in range(SIDE)]
    drawn = [_tiles([cell.sign for cell in line], line, columns)]
    if rows > 1:
        drawn.append(_tiles([cell.below for cell in line], line, columns))
    # Names go into the first line of a cell; the second holds the faint signs.
    return [_named(one, row, columns, names) if number == 0 else one for number, one in enumerate(drawn)]


def _tiles(words: Sequence[str], line: Sequence[Cell], columns: int) -> Content:
    """Draw the tiles of one row of characters, with a free column between two of them where cells
    have three or more columns."""
    tile = columns - 1 if columns > 2 else columns
    gap = " " * (columns - tile)
    parts: list[str | tuple[str, str]] = []
    for word, cell in zip(words, line, strict=True):
        parts += [(word.center(tile)[:tile], cell.style), gap]
    return Content.assemble(*parts)


def _named(line: Content, row: int, columns: int, names: Sequence[str]) -> Content:
    """Write the players' names into the free row beyond their bases."""
    for number in range(4):
        column, top = CELLS[base_spots(number + 1)[0]]
        # Towards the middle of the board, where the rows beside a base are free.
        if row == (top - 1 if top > SIDE // 2 else top + 2):
            left = column * columns if column < SIDE // 2 else (column - 2) * columns
            name = f"{number + 1} {names[number]}"[: 4 * columns]
            tail = line[left + len(name) :]
            line = Content.assemble(line[:left], (name, f"bold {COLOURS[number]}"), tail)
    return line


_DEALS = 3
"""A dealer deals three times (PA-5)."""


def face(view: View, say: Translator) -> Face:
    """Draw the view of `partners`."""
    awaited, told = awaited_players(view), view["phase"] == "told"
    pawns = [row["pawns"] for row in view["players"]]
    names = [say.name(row["name"], 16) for row in view["players"]]
    seats = tuple(
        Seat(
            name=say.name(row["name"]),
            points=f"{row['locked']}/{PAWNS}",
            awaited=row["name"] in awaited,
            badges=(
                Badge("◨◧"[number % 2], say("panel.team", team="AB"[number % 2]), "accent"),
                *((Badge("", ""), Badge("", "")) if told else _hand(row, view, say)),
            ),
            detail="" if told else say("panel.pawns", pawns="  ".join(map(_place, row["pawns"]))),
        )
        for number, row in enumerate(view["players"])
    )
    return Face(
        progress=None if told else (view["deal"], _DEALS),
        progress_label="" if told else say("panel.deal", deal=view["deal"], deals=_DEALS),
        headline=say(f"panel.phase.{view['phase']}"),
        meaning=say(f"panel.phase.{view['phase']}.meaning"),
        seats=seats,
        board=None if told else partial(draw, pawns, names),
        board_picture=None if told else BoardPicture(tuple(_pieces(pawns)), _MIDDLES),
    )


_MIDDLES = {name: ((column + 0.5) / SIDE, (row + 0.5) / SIDE) for name, (column, row) in CELLS.items()}
_ASIDE = 0.2 / SIDE
"""The distance of pawns that share a spot from its middle, as a fraction of the board's side."""


def _pieces(pawns: Sequence[Sequence[str]]) -> Iterator[Piece]:
    """Place every pawn: those in a base on places of their own, several on one square side by
    side."""
    for name, there in occupants(pawns).items():
        for place, (number, pawn) in enumerate(there):
            if name.startswith("base"):
                x, y = _MIDDLES[base_spots(number)[place]]
            else:
                # Around the middle of the spot, so that each of them can be seen and tapped.
                turn = 2 * math.pi * place / len(there)
                away = _ASIDE if len(there) > 1 else 0
                x, y = _MIDDLES[name]
                x, y = x + away * math.cos(turn), y + away * math.sin(turn)
            yield Piece(number, pawn, name, round(x, 4), round(y, 4))


def _hand(row: View, view: View, say: Translator) -> tuple[Badge, Badge]:
    """Return badges for a player's number of cards, and for the dealer."""
    cards = say("panel.cards", row["cards_left"])
    deals = Badge("⌂", say("panel.dealer"), "quiet") if row["name"] == view["dealer"] else Badge("", "")
    return Badge("▮" * row["cards_left"], cards), deals


_SIGNS = {"base": "○", "start": "◇"}


def _place(name: str) -> str:
    """Return a place by the board's signs: base, start, goal; squares by their numbers there."""
    return _SIGNS.get(name, name.replace("goal:", "◎").replace(":0", "◇"))
