"""Partners on the dashboard: the player in turn, the pawns home, and the board in characters, a
ring of 16 by 16 cells with the starts in the corners, drawn as large as fits."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from textual.content import Content

from companion.games.partners.board import CELLS, PAWNS, SIDE, list_base_spots, map_occupants
from companion.rules.contract import View
from companion.texts import Translator, clean_text
from companion.views.panel import Badge, BoardPicture, Face, Piece, Seat, find_awaited_players
from companion.views.themes import mark_for_seat

SIZES = ((6, 2), (5, 2), (4, 2), (3, 1), (2, 1))
"""Columns and rows of a cell, the largest first."""
COLOURS = tuple(mark_for_seat(seat).style for seat in range(1, 5))
"""The styles of the four players; the number on a pawn says the same without colour."""
_STACK = ("", "", "²", "³", "⁴")


class BaseLabel(NamedTuple):
    """The words at a player's base: the name and, where the list of players has no room beside the
    board, what it says ("": nothing)."""

    name: str
    facts: str = ""


class Cell(NamedTuple):
    """The contents of a cell: its sign, the faint sign below (if two rows high), its style."""

    sign: str
    below: str = ""
    style: str = ""


def draw_board(
    pawns: Sequence[Sequence[str]], labels: Sequence[BaseLabel], width: int, height: int
) -> Content:
    """Draw the board in at most `width` columns and `height` rows; empty where even the smallest
    does not fit. `pawns`: the four lists of places of a view."""
    # The largest that fits; none of the sizes may be cut off.
    size = next((one for one in SIZES if one[0] * SIDE <= width and one[1] * SIDE <= height), None)
    if size is None:
        return Content("")
    cells = _build_cells(pawns)
    lines = [line for row in range(SIDE) for line in _draw_row(cells, row, size, labels)]
    return Content("\n").join(lines)


def _build_cells(pawns: Sequence[Sequence[str]]) -> dict[tuple[int, int], Cell]:
    standing = map_occupants(pawns)
    cells = {}
    for name, at in CELLS.items():
        kind, _, number = name.rpartition(" ")
        if kind != "base":
            cells[at] = _build_cell(name, standing.get(name, []))
            continue
        owner, place = map(int, number.split(":"))
        # Pawns in a base have no places of their own: they fill it from the first spot.
        home = place <= len(standing.get(f"base {owner}", []))
        cells[at] = _build_pawn_cell(owner, 1) if home else Cell("○", "", f"{COLOURS[owner - 1]} 60%")
    return cells


def _build_cell(name: str, there: Sequence[tuple[int, int]]) -> Cell:
    kind, _, number = name.rpartition(" ")
    if there:
        # A pawn on its own start is a wall (PA-11).
        walled = kind == "start"
        pawn = _build_pawn_cell(there[0][0], len(there))
        return pawn._replace(below="▩" if walled else "")
    if kind == "start":
        return Cell("◇", number, f"bold {COLOURS[int(number) - 1]} on $panel")
    if kind == "goal":
        owner, depth = number.split(":")
        return Cell(depth, "◎", f"{COLOURS[int(owner) - 1]} on $surface")
    return Cell(
        "·", number.split(":")[1] if ":" in number else name.split(":")[1], "$foreground-muted on $panel"
    )


def _build_pawn_cell(player: int, count: int) -> Cell:
    return Cell(f"{player}{_STACK[count]}", "", f"bold #10231c on {COLOURS[player - 1]}")


def _draw_row(
    cells: Mapping[tuple[int, int], Cell], row: int, size: tuple[int, int], labels: Sequence[BaseLabel]
) -> list[Content]:
    columns, rows = size
    blank = Cell("", "", "")
    line = [cells.get((column, row), blank) for column in range(SIDE)]
    drawn = [_draw_tiles([cell.sign for cell in line], line, columns)]
    if rows > 1:
        drawn.append(_draw_tiles([cell.below for cell in line], line, columns))
    # Words go into the first line of a cell; the second holds the faint signs.
    return [_add_labels(drawn[0], row, columns, labels), *drawn[1:]]


def _draw_tiles(words: Sequence[str], line: Sequence[Cell], columns: int) -> Content:
    """Draw the tiles of one row of characters, with a free column between two of them where cells
    have three or more columns."""
    tile = columns - 1 if columns > 2 else columns
    gap = " " * (columns - tile)
    parts: list[str | tuple[str, str]] = []
    for word, cell in zip(words, line, strict=True):
        parts += [(word.center(tile)[:tile], cell.style), gap]
    return Content.assemble(*parts)


def _add_labels(line: Content, row: int, columns: int, labels: Sequence[BaseLabel]) -> Content:
    """Write the players' names into the free row beyond their bases, and the facts beyond that."""
    for number, label in enumerate(labels):
        column, top = CELLS[list_base_spots(number + 1)[0]]
        # Towards the middle of the board, where the rows beside a base are free.
        rows = (top - 1, top - 2) if top > SIDE // 2 else (top + 2, top + 3)
        words = {rows[0]: f"{number + 1} {label.name}", rows[1]: label.facts}
        if row in words:
            left = column * columns if column < SIDE // 2 else (column - 2) * columns
            said = clean_text(words[row], _LABEL * columns - 1)
            style = f"bold {COLOURS[number]}"
            line = Content.assemble(line[:left], (said, style), line[left + len(said) :])
    return line


_LABEL = 6
"""Cells of a label: two of them share the inside of the board."""
_DEALS = 3
"""A dealer deals three times (PA-5)."""
_TEAMS = "◨◧"


def build_panel(view: View, translator: Translator) -> Face:
    """Draw the view of `partners`."""
    awaited, told = find_awaited_players(view), view["phase"] == "told"
    pawns = [row["pawns"] for row in view["players"]]
    labels = [
        BaseLabel(
            translator.display_name(row["name"], 16),
            f"{'▶' if row['name'] in awaited else ' '}{_TEAMS[number % 2]} {'▮' * row['cards_left']} {row['locked']}/{PAWNS}",
        )
        for number, row in enumerate(view["players"])
    ]
    seats = tuple(
        Seat(
            name=translator.display_name(row["name"]),
            points=f"{row['locked']}/{PAWNS}",
            awaited=row["name"] in awaited,
            badges=(
                Badge(_TEAMS[number % 2], translator("panel.team", team="AB"[number % 2]), "accent"),
                *((Badge("", ""), Badge("", "")) if told else _build_hand_badges(row, view, translator)),
            ),
            detail=""
            if told
            else translator("panel.pawns", pawns="  ".join(map(_format_place, row["pawns"]))),
        )
        for number, row in enumerate(view["players"])
    )
    return Face(
        progress=None if told else (view["deal"], _DEALS),
        progress_label="" if told else translator("panel.deal", deal=view["deal"], deals=_DEALS),
        headline=translator(f"panel.phase.{view['phase']}"),
        meaning=translator(f"panel.phase.{view['phase']}.meaning"),
        seats=seats,
        board=None if told else partial(draw_board, pawns, [BaseLabel(one.name) for one in labels]),
        board_alone=None if told else partial(draw_board, pawns, labels),
        board_picture=None if told else BoardPicture(tuple(_place_pieces(pawns)), _MIDDLES),
    )


_MIDDLES = {name: ((column + 0.5) / SIDE, (row + 0.5) / SIDE) for name, (column, row) in CELLS.items()}
_ASIDE = 0.2 / SIDE
"""The distance of pawns that share a spot from its middle, as a fraction of the board's side."""


def _place_pieces(pawns: Sequence[Sequence[str]]) -> Iterator[Piece]:
    """Place every pawn: those in a base on places of their own, several on one square side by
    side."""
    for name, there in map_occupants(pawns).items():
        for place, (number, pawn) in enumerate(there):
            if name.startswith("base"):
                x, y = _MIDDLES[list_base_spots(number)[place]]
            else:
                # Around the middle of the spot, so that each of them can be seen and tapped.
                turn = 2 * math.pi * place / len(there)
                away = _ASIDE if len(there) > 1 else 0
                x, y = _MIDDLES[name]
                x, y = x + away * math.cos(turn), y + away * math.sin(turn)
            yield Piece(number, pawn, name, round(x, 4), round(y, 4))


def _build_hand_badges(row: View, view: View, translator: Translator) -> tuple[Badge, Badge]:
    """Return badges for a player's number of cards, and for the dealer."""
    cards = translator("panel.cards", row["cards_left"])
    deals = (
        Badge("⌂", translator("panel.dealer"), "quiet") if row["name"] == view["dealer"] else Badge("", "")
    )
    return Badge("▮" * row["cards_left"], cards), deals


_SIGNS = {"base": "○", "start": "◇"}


def _format_place(name: str) -> str:
    """Return a place by the board's signs: base, start, goal; a square by the mark of the player
    whose start it follows, and its number."""
    owner, _, number = name.partition(":")
    if owner.isdecimal():
        return f"{mark_for_seat(int(owner)).shape}{'◇' if number == '0' else number}"
    return _SIGNS.get(name, name.replace("goal:", "◎"))
