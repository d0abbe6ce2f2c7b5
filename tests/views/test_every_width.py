"""Each part of the table's screen at every width and height: it fits, its styles exist, and where
its layout changes is known. `pytest tests/views --snapshot-update` renews that; read the change."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

import pytest
from syrupy.assertion import SnapshotAssertion
from textual.content import Content
from textual.style import Style

from companion.views.dashboard.screens.table_screen import Rounds, TableMessages, TopBar
from companion.views.dashboard.widgets.screen_part import ScreenPart
from companion.views.dashboard.widgets.seats import Seats
from companion.views.dashboard.widgets.stage import Stage
from companion.views.themes import THEMES
from tests.views.table import Characters
from tests.views.test_parts_drawn import STATES, draw

HEIGHTS = range(1, 33)
SWEPT: dict[type[ScreenPart], tuple[Sequence[int], Sequence[int], str]] = {
    TopBar: ((), (1,), "donkey_valley, well, pictures, off, lost"),
    Stage: (
        (80,), (7, 8, 11, 16),
        "donkey_valley, overload, bluff, sent_home, result, won, won with fewest, seven, refused, moves",
    ),
    Seats: ((50, 100), (8, 13, 26), "donkey_valley, dtc, ochs_und_esel, partners, ascend, seven"),
    TableMessages: ((80,), (), "result that is over, moves, lost"),
    Rounds: ((48, 100), (14, 32), "donkey_valley, ochs_und_esel, partners, result, won"),
}  # fmt: skip
"""Widths and heights at which a part is drawn, and in which states."""
CASES = [(part, name) for part, (_, _, names) in SWEPT.items() for name in names.split(", ")]
REPEATED, CONFETTI = re.compile(r"(.)\1+"), re.compile(r"[✦✧·]")
VARIABLES = {**THEMES[0].to_color_system().generate(), **THEMES[0].variables}


def read_layout(lines: Sequence[Content]) -> str:
    """What is drawn, without blanks, the lengths of bars, and where lines end."""
    drawn = "\n".join(line.plain for line in lines)
    return " ".join(REPEATED.sub(r"\1", CONFETTI.sub("", drawn)).split())


def list_steps(layouts: dict[int, str]) -> str:
    """Write the sizes from which it is laid out otherwise than in the size before."""
    steps = [size for size in layouts if size - 1 in layouts and layouts[size] != layouts[size - 1]]
    return " ".join(_join_runs(steps)) or "-"


def _join_runs(numbers: Sequence[int]) -> Iterator[str]:
    """`3-5 9` for 3, 4, 5, 9."""
    for _, run in groupby(enumerate(numbers), lambda one: one[1] - one[0]):
        same = [number for _, number in run]
        yield str(same[0]) if len(same) == 1 else f"{same[0]}-{same[-1]}"


@pytest.mark.parametrize(("part", "name"), CASES, ids=lambda one: getattr(one, "__name__", one))
def test_where_the_layout_changes(part: type[ScreenPart], name: str, snapshot: SnapshotAssertion) -> None:
    state, styles = STATES[name](), set[str]()

    def look(width: int, height: int) -> str:
        lines = draw(part, state, (width, height))
        assert len(lines) <= height
        assert max((line.cell_length for line in lines), default=0) <= width
        styles.update(str(span.style) for line in lines for span in line.spans)
        return read_layout(lines)

    widths, heights, _ = SWEPT[part]
    # the line at the top is as wide as the screen, of 80 columns at least
    wide = range(80 if part is TopBar else 50, 160)
    told = [f"* x {height}: {list_steps({w: look(w, height) for w in wide})}" for height in heights]
    told += [f"{width} x *: {list_steps({h: look(width, h) for h in HEIGHTS})}" for width in widths]
    for style in styles:
        Style.parse(style, VARIABLES)  # raises if the theme does not know it
    assert "\n".join(told) + "\n" == snapshot(extension_class=Characters)
