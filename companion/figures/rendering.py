"""Format tables of statistics: cells in words, whole tables as lines for a terminal with a bar
beside the main figure, or as a picture (SVG or PNG).

Pictures need matplotlib, which is an optional dependency.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len

from companion.figures.tables import Cell, Column, FiguresTable, Title
from companion.rules.contract import Problem, Text
from companion.texts import Translator, clean_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_EIGHTHS = " ▏▎▍▌▋▊▉█"
_BAR = 8
"""Characters of the longest bar: with it a table of six columns still fits 80 columns."""
_NAME = 24
"""Longest name of a player or heading in a table, in characters."""


class FiguresWording:
    """Formatter of table cells in one language, with each game's own catalogue."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.common = Translator(language)
        self._games: dict[str | None, Translator] = {None: self.common}

    def find_translator(self, game: str | None) -> Translator:
        """Return the translator of a game; the common one if the game is no longer installed."""
        if game not in self._games:
            self._games[game] = Translator.for_game(self.language, game)
        return self._games[game]

    def format_title(self, table: FiguresTable) -> str:
        """Return a table's heading, with its game."""
        words = self.format_heading(table.title, table)
        return (
            words
            if table.game is None
            else self.common("of_whom", who=self.find_translator(table.game)("game.title"), what=words)
        )

    def format_heading(self, heading: Text | str, table: FiguresTable) -> str:
        """Return a heading or a row's name."""
        return (
            clean_text(heading, _NAME)
            if isinstance(heading, str)
            else self.find_translator(table.game).translate(heading)
        )

    def format_cell(self, value: Cell, column: Column, table: FiguresTable) -> str:
        """Return a formatted cell: a share in percent, a mean with one decimal."""
        match value:
            case None:
                return "–"
            case Title(game=game):
                return self.find_translator(game)("game.title")
            case Text() | str():
                return self.format_heading(value, table)
        match column.kind:
            case "share":
                return self.common("figures.percent", percent=round(100 * value))
            case "mean" | "change":
                sign = "−" if value < 0 else "+" if column.kind == "change" else ""
                integer, tenth = f"{abs(value):.1f}".split(".")
                return sign + self.common("figures.decimal", whole=integer, tenth=tenth)
            case _:
                return str(value)


def format_tables(tables: Sequence[FiguresTable], wording: FiguresWording) -> Iterator[str]:
    """Yield the lines of all tables, with an empty one between two."""
    for number, table in enumerate(tables):
        if number:
            yield ""
        yield from format_table(table, wording)


def format_table(table: FiguresTable, wording: FiguresWording) -> Iterator[str]:
    """Yield a heading, the columns' names, and a line for each row; numbers are right-aligned,
    words left-aligned."""
    yield wording.format_title(table)
    head = [wording.format_heading(column.heading, table) for column in table.columns]
    body = [
        [wording.format_cell(value, column, table) for value, column in zip(row, table.columns, strict=True)]
        for row in table.rows
    ]
    # `cell_len`, not `len`: some characters take two columns in a terminal.
    widths = [max(map(cell_len, column)) for column in zip(head, *body, strict=True)]
    bars = _format_bars(table)
    for cells, bar in zip([head, *body], ["", *bars], strict=True):
        aligned = [
            (cell + _make_padding(cell, width))
            if column.kind == "words"
            else (_make_padding(cell, width) + cell)
            for cell, width, column in zip(cells, widths, table.columns, strict=True)
        ]
        yield f"  {'  '.join(aligned)}  {bar}".rstrip()


def _format_bars(table: FiguresTable) -> list[str]:
    """Return a bar for each row, longest for the largest value; empty for negative or unknown
    ones."""
    if table.bars is None:
        return [""] * len(table.rows)
    values = [row[table.bars] for row in table.rows]
    numbers = [float(value) if isinstance(value, int | float) else 0.0 for value in values]
    # Not 0, by which the bars are divided.
    most = max(*numbers, 0.0) or 1.0
    return [format_bar(number / most) for number in numbers]


def format_bar(share: float, width: int = _BAR) -> str:
    """Return a bar, in eighths of a character; `share` 1 has `width` characters.

    >>> format_bar(0.5)
    '████'
    >>> format_bar(0.04)
    '▍'
    """
    eighths = max(round(share * width * 8), 0)
    return (_EIGHTHS[8] * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()


def _make_padding(cell: str, width: int) -> str:
    return " " * (width - cell_len(cell))


KINDS = ("svg", "png")
"""Kinds of pictures, by the extension of the file's name."""
_COLOURS = ("#2f6f4f", "#b3541e", "#3b5b92", "#8a5a9e", "#7a6a1f")
"""Colours used by one table after another, all at least 4.5 : 1 against white."""
_WIDTH, _HEAD, _ROW = 8.0, 0.9, 0.3
"""Inches: the picture's width, a table's heading with its margins, and a row."""
_DPI = 110


def draw_chart(tables: Sequence[FiguresTable], wording: FiguresWording, kind: str) -> bytes:
    """Return a picture of all tables that have bars, one below the other; raise `Problem` if
    matplotlib is missing.

    The same figures give the same bytes of SVG: no date, no random ids.
    """
    try:
        from matplotlib import figure, rc_context  # noqa: PLC0415 - an extra, and most of a second
    except ImportError as fault:
        raise Problem("figures.no_matplotlib") from fault
    charted = [table for table in tables if table.bars is not None]
    heights = [_HEAD + _ROW * len(table.rows) for table in charted]
    with rc_context({"svg.hashsalt": "figures", "svg.fonttype": "none", "font.family": "sans-serif"}):
        picture = figure.Figure(figsize=(_WIDTH, sum(heights)), layout="constrained")
        axes = picture.subplots(len(charted), 1, squeeze=False, height_ratios=heights)[:, 0]
        for number, (table, axis) in enumerate(zip(charted, axes, strict=True)):
            _draw_bars(axis, table, wording, _COLOURS[number % len(_COLOURS)])
        out = io.BytesIO()
        picture.savefig(out, format=kind, dpi=_DPI, metadata={"Date": None} if kind == "svg" else None)
    return out.getvalue()


def _draw_bars(axis: Axes, table: FiguresTable, wording: FiguresWording, colour: str) -> None:
    """Draw one table: a bar for each row, from the top, labelled as in the table."""
    at = table.bars or 0
    column = table.columns[at]
    rows = [row for row in table.rows if isinstance(row[at], int | float)]
    names = [wording.format_cell(row[0], table.columns[0], table) for row in rows]
    values = [float(row[at]) for row in rows]  # type: ignore[arg-type]
    places = range(len(rows))
    drawn = axis.barh(places, values, color=colour)
    axis.bar_label(drawn, [wording.format_cell(row[at], column, table) for row in rows], padding=4)
    axis.set_yticks(places, [_escape_dollars(name) for name in names])
    axis.invert_yaxis()
    axis.set_title(
        _escape_dollars(f"{wording.format_title(table)} · {wording.format_heading(column.heading, table)}"),
        loc="left",
    )
    # Room for the figures beside the bars.
    axis.margins(x=0.12)
    axis.spines[["top", "right", "bottom"]].set_visible(False)
    # No axis: every bar is labelled with its figure.
    axis.xaxis.set_visible(False)
    axis.tick_params(left=False)


def _escape_dollars(words: str) -> str:
    """Return words escaped for matplotlib, where a dollar sign would begin a formula."""
    return words.replace("$", r"\$")
