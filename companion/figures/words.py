"""Tables in words: every cell as it is shown, and a whole table as lines for a terminal, with a bar
beside the figure that counts most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len

from companion.figures.tables import Cell, Column, Table, Title
from companion.rules.contract import Text
from companion.texts import Translator, clean

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_BAR = 8
"""Characters of the longest bar: with it a table of six columns still fits a page of 80."""
_NAME = 24
"""The most characters of a player's name or of words in a table."""


class Wording:
    """Says the cells of tables in one language; each game's words by its own catalogue."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.common = Translator(language)
        self._games: dict[str | None, Translator] = {None: self.common}

    def translator(self, game: str | None) -> Translator:
        """Return the translator of a game; the common one where it is not installed any more."""
        if game not in self._games:
            self._games[game] = Translator.of(self.language, game)
        return self._games[game]

    def title(self, table: Table) -> str:
        """Return a table's heading, with its game."""
        words = self.heading(table.title, table)
        return (
            words
            if table.game is None
            else self.common("of_whom", who=self.translator(table.game)("game.title"), what=words)
        )

    def heading(self, what: Text | str, table: Table) -> str:
        """Return a heading or a row's words."""
        return clean(what, _NAME) if isinstance(what, str) else self.translator(table.game).say(what)

    def cell(self, value: Cell, column: Column, table: Table) -> str:
        """Return a cell as it is shown: a share in percent, a mean with one decimal."""
        match value:
            case None:
                return "–"
            case Title(game=game):
                return self.translator(game)("game.title")
            case Text() | str():
                return self.heading(value, table)
        match column.kind:
            case "share":
                return self.common("figures.percent", percent=round(100 * value))
            case "mean" | "change":
                sign = "−" if value < 0 else "+" if column.kind == "change" else ""
                whole, tenth = f"{abs(value):.1f}".split(".")
                return sign + self.common("figures.decimal", whole=whole, tenth=tenth)
            case _:
                return str(value)


def in_lines(tables: Sequence[Table], wording: Wording) -> Iterator[str]:
    """Give the lines of all tables, an empty one between two."""
    for number, table in enumerate(tables):
        if number:
            yield ""
        yield from table_lines(table, wording)


def table_lines(table: Table, wording: Wording) -> Iterator[str]:
    """Give a heading, the columns' names, and a line a row; numbers stand right, words left."""
    yield wording.title(table)
    head = [wording.heading(column.heading, table) for column in table.columns]
    body = [
        [wording.cell(value, column, table) for value, column in zip(row, table.columns, strict=True)]
        for row in table.rows
    ]
    widths = [max(map(cell_len, column)) for column in zip(head, *body, strict=True)]
    bars = _bars(table)
    for cells, bar in zip([head, *body], ["", *bars], strict=True):
        aligned = [
            (cell + _space(cell, width)) if column.kind == "words" else (_space(cell, width) + cell)
            for cell, width, column in zip(cells, widths, table.columns, strict=True)
        ]
        yield f"  {'  '.join(aligned)}  {bar}".rstrip()


def _bars(table: Table) -> list[str]:
    """Return a bar a row, longest for the largest value; none for the negative or unknown."""
    if table.bars is None:
        return [""] * len(table.rows)
    values = [row[table.bars] for row in table.rows]
    numbers = [float(value) if isinstance(value, int | float) else 0.0 for value in values]
    most = max(*numbers, 0.0) or 1.0
    return [bar(number / most) for number in numbers]


def bar(share: float, width: int = _BAR) -> str:
    """Return a bar, in eighths of a character; the longest has `width` characters.

    >>> bar(0.5)
    '████'
    >>> bar(0.04)
    '▍'
    """
    eighths = max(round(share * width * 8), 0)
    return (_EIGHTHS[8] * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()


def _space(cell: str, width: int) -> str:
    return " " * (width - cell_len(cell))
