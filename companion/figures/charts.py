"""Tables as a picture, SVG or PNG, by matplotlib: an extra for whoever wants pictures."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from companion.figures.tables import Table
from companion.figures.words import Wording
from companion.rules.contract import Problem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KINDS = ("svg", "png")
"""What a picture can be, by the ending of its file's name."""
_COLOURS = ("#2f6f4f", "#b3541e", "#3b5b92", "#8a5a9e", "#7a6a1f")
"""One a table in turn, all at least 4.5 : 1 against white."""
_WIDTH, _HEAD, _ROW = 8.0, 0.9, 0.3
"""Inches: the picture's width, a table's heading with its margins, and a row."""
_DPI = 110


def draw(tables: Sequence[Table], wording: Wording, kind: str) -> bytes:
    """Return the picture of all tables that have bars, one below the other; raise `Problem` where
    matplotlib is missing.

    The same figures give the same bytes of SVG: no date, no random ids.
    """
    try:
        import matplotlib as mpl  # noqa: PLC0415 - an extra, and most of a second
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ImportError as fault:
        raise Problem("figures.no_matplotlib") from fault
    drawn = [table for table in tables if table.bars is not None]
    heights = [_HEAD + _ROW * len(table.rows) for table in drawn]
    with mpl.rc_context({"svg.hashsalt": "figures", "svg.fonttype": "none", "font.family": "sans-serif"}):
        figure = Figure(figsize=(_WIDTH, sum(heights)), layout="constrained")
        axes = figure.subplots(len(drawn), 1, squeeze=False, height_ratios=heights)[:, 0]
        for number, (table, axis) in enumerate(zip(drawn, axes, strict=True)):
            _bars(axis, table, wording, _COLOURS[number % len(_COLOURS)])
        out = io.BytesIO()
        figure.savefig(out, format=kind, dpi=_DPI, metadata={"Date": None} if kind == "svg" else None)
    return out.getvalue()


def _bars(axis: Axes, table: Table, wording: Wording, colour: str) -> None:
    """Draw one table: a bar a row, from the top, with its figure as it stands in the table."""
    at = table.bars or 0
    column = table.columns[at]
    rows = [row for row in table.rows if isinstance(row[at], int | float)]
    names = [wording.cell(row[0], table.columns[0], table) for row in rows]
    values = [float(row[at]) for row in rows]  # type: ignore[arg-type]
    places = range(len(rows))
    drawn = axis.barh(places, values, color=colour)
    axis.bar_label(drawn, [wording.cell(row[at], column, table) for row in rows], padding=4)
    axis.set_yticks(places, [_literal(name) for name in names])
    axis.invert_yaxis()
    axis.set_title(_literal(f"{wording.title(table)} · {wording.heading(column.heading, table)}"), loc="left")
    axis.margins(x=0.12)
    axis.spines[["top", "right", "bottom"]].set_visible(False)
    axis.xaxis.set_visible(False)  # every bar says its figure
    axis.tick_params(left=False)


def _literal(words: str) -> str:
    """Return words as matplotlib shows them: a dollar would begin a formula."""
    return words.replace("$", r"\$")
