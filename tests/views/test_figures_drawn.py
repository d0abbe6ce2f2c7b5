"""The page of figures: every table, with its bars and colours, and its sections by keys.
`pytest tests/views --snapshot-update` renews it; read the difference."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion
from textual.content import Content

from companion.figures.rendering import FiguresWording
from companion.figures.tables import Column, FiguresTable
from companion.rules.contract import Text
from companion.views.home_screen.figures_page import (
    FiguresPage,
    TableRoom,
    count_screen_rows,
    draw_table,
    number_players,
)
from tests.letters import compare_with_row
from tests.views.looks import Inks, describe_lines
from tests.views.table import Characters
from tests.views.test_every_width import GOLDEN, describe_sweep
from tests.views.test_figures_bars import everything  # noqa: F401 - a fixture


@pytest.mark.parametrize(
    ("width", "rows", "language"), [(76, 1, "de"), (116, 2, "en"), (96, 3, "fr"), (76, 4, "en")]
)
def test_every_table(everything, width, rows, language, snapshot: SnapshotAssertion) -> None:  # noqa: F811
    inks, seats, told = Inks(), number_players(everything), []
    for table in everything[:: 1 if rows == 1 else 3]:
        drawn = draw_table(table, FiguresWording(language), seats, TableRoom(width, rows))
        told.append(describe_lines(list(drawn.split("\n")), inks))
    assert "\n\n".join([*told, inks.list_styles()]) == snapshot(extension_class=Characters)


def test_tables_of_extreme_values(snapshot: SnapshotAssertion) -> None:
    inks, told = Inks(), []
    for kind, values in (
        ("share", (0.0, 1.0, 0.5)),
        ("number", (0, 0, 0)),
        ("number", (-3, 9, 1)),
        ("number", (-30, -1, -7)),
        ("number", (1, 100000, 3)),
    ):
        columns = (Column(Text("figures.player"), "words"), Column(Text("figures.rate"), kind))
        rows = tuple(zip(("Ann", "Bartholomäus der Lange", "李"), values, strict=True))
        table = FiguresTable(Text("figures.standings"), columns, rows, bars=1)
        for width in (30, 60):
            drawn = draw_table(table, FiguresWording("en"), number_players([table]), TableRoom(width))
            told.append(describe_lines(list(drawn.split("\n")), inks))
    assert "\n\n".join([*told, inks.list_styles()]) == snapshot(extension_class=Characters)


def test_tables_at_more_widths(everything) -> None:  # noqa: F811
    """Only their sum: `test_every_table` shows the same ones."""
    wording, seats = FiguresWording("de"), number_players(everything)

    def draw_at(width: int) -> list[Content]:
        return [draw_table(table, wording, seats, TableRoom(width)) for table in everything]

    compare_with_row(GOLDEN, "figures", describe_sweep(range(40, 124, 7), draw_at).rpartition(" ")[2])


def test_rows_are_as_thick_as_there_is_room(everything) -> None:  # noqa: F811
    table = max(everything, key=lambda one: len(one.rows))
    count = len(table.rows)
    for rows in (1, 2, 3, 4):
        assert count_screen_rows([table], 4 + count * rows) == rows
        assert count_screen_rows([table, table], 8 + 2 * count * rows) == rows
    assert count_screen_rows([table], 3 + 2 * count) == 1
    assert count_screen_rows([table], 0) == 1
    assert count_screen_rows([table], 4 + 9 * count) == 4


@pytest.mark.parametrize("size", [(80, 24), (149, 30), (150, 24)], ids=str)
async def test_sections_by_keys(everything, size, drawn) -> None:  # noqa: F811
    app = FiguresPage(everything, FiguresWording("en"), "", ["One evening is left out.", "Another, too."])
    steps = [("begun", ()), *((f"section {number}", ("right",)) for number in range(2, 6))]
    await drawn(app, size, *steps, ("back beyond the first", ("left",) * 5), ("left", ("q",)))
