"""Each part of the table's screen at every width and height: it fits, its styles exist, and where
its layout changes is known. `WRITE=1 pytest` renews that; read the change.

A sum of everything that is drawn stands beside it. If only that changes, something is drawn
otherwise at some size: `test_parts_drawn` shows the same states at a few.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import pytest
from msgspec.structs import replace
from textual.content import Content
from textual.geometry import Size
from textual.style import Style

from companion.evening.home_screen_entries import PastSessions, list_home_entries
from companion.games.donkey_valley import moves as ask
from companion.plan import Plan
from companion.settings import Settings
from companion.texts import Translator
from companion.views.dashboard.enrol import EnrolmentApp, _format_columns
from companion.views.dashboard.screens.table_screen import Rounds, TableMessages, TopBar
from companion.views.dashboard.widgets.screen_part import ScreenPart, ScreenState
from companion.views.dashboard.widgets.seats import Seats
from companion.views.dashboard.widgets.stage import Stage
from companion.views.home_screen.home_screen import HomeScreen
from companion.views.moments import Gain, RevealMoment
from companion.views.themes import THEMES
from tests.letters import compare_with_row
from tests.views.looks import PICTURE
from tests.views.table import SEVEN, enter, live_session
from tests.views.test_apps_drawn import Enrolment
from tests.views.test_parts_drawn import STATES, draw, state_of

HEIGHTS = range(1, 33)


def with_gains(points: str, names: Sequence[str] = SEVEN) -> ScreenState:
    """A result of which nothing is taken from the table: `points` of each player in turn."""
    gains = [
        Gain(seat, name, won, "by chance")
        for seat, (name, won) in enumerate(zip(names, points.split(), strict=False), 1)
    ]
    return STATES["result"]()._replace(moment=RevealMoment("THE END", "9 of 12", "good", tuple(gains)))


def tied() -> ScreenState:
    """The end of a game of seven: two have won, five share the last place of the podium."""
    ranks = zip((3, 1, 3, 3, 1, 3, 3), SEVEN, strict=True)
    ranking = [
        {"player": name, "points": 40 - 5 * rank, "rank": rank}
        for rank, name in sorted(ranks, key=itemgetter(0))
    ]
    state = STATES["seven"]()
    won = {"winners": ["Bob", "Emil"], "ranking": ranking}
    return state._replace(snapshot=replace(state.snapshot, view={**state.snapshot.view, "result": won}))


LONG = (
    "Bartholomäus O", "Bartholomäus Od", "Maximilian Alexander", "Maximilian Alexander K", "Maximilian Alexander Konstantin Freiherr",
    "Maximilian Alexander Konstantin Freiherr v",
)  # fmt: skip
"""Names as long as some part of the screen draws, and longer ones."""


def long_names(*, won: bool) -> ScreenState:
    live = live_session(LONG)
    enter(live, ask.Donkey("giant"))
    view = live.snapshot().view
    ranking = [{"player": name, "points": 40 - rank, "rank": rank} for rank, name in enumerate(LONG, 1)]
    return state_of(
        live, view={**view, "result": {"winners": LONG[2:3], "ranking": ranking}} if won else view
    )


MORE = {
    "winners": lambda: with_gains("7 0 12"),
    "crowd": lambda: with_gains("7 0 12 3 1 5 8"),
    "tied": tied,
    "long names": lambda: long_names(won=False),
    "long names won": lambda: long_names(won=True),
    "long names moved": lambda: with_gains("7 0 12 3 1 5", LONG),
}
SWEPT: dict[str, tuple[type[ScreenPart], Sequence[int], Sequence[int], str]] = {
    "top": (TopBar, (), (1,), "donkey_valley, well, pictures, off, lost"),
    "stage": (
        Stage, (80,), (7, 8, 11, 16),
        "donkey_valley, overload, bluff, sent_home, result, winners, crowd, tied, won with fewest, refused, "
        "long names, long names won, long names moved",
    ),
    "seats": (Seats, (50, 100), (2, 8, 13), "donkey_valley, dtc, ochs_und_esel, partners, seven, long names"),
    "glance": (Seats, (120,), (9, 20), "donkey_valley, partners, seven, long names"),
    "messages": (TableMessages, (80,), (), "result that is over, moves, lost"),
    "rounds": (Rounds, (48, 100), (14, 32), "donkey_valley, ochs_und_esel, partners, result, won"),
}  # fmt: skip
"""Parts, the widths and heights at which each is drawn, and its states."""
CASES = [
    (part, name, size)
    for part, (_, widths, heights, names) in SWEPT.items()
    for name in names.split(", ")
    for size in (*(f"{width} x *" for width in widths), *(f"* x {height}" for height in heights))
]
GOLDEN = Path(__file__).with_name("letters") / "layout.txt"
REPEATED, CONFETTI = re.compile(r"(.)\1+"), re.compile(r"[✦✧·]")
VARIABLES = {**THEMES[0].to_color_system().generate(), **THEMES[0].variables}


def read_layout(lines: Sequence[Content]) -> str:
    """What is drawn, without blanks, the lengths of bars, and where lines end."""
    drawn = "\n".join(line.plain for line in lines)
    return " ".join(REPEATED.sub(r"\1", CONFETTI.sub("", drawn)).split())


def describe_line(line: Content) -> str:
    """A line with its styles, but not what a picture shows: art may change."""
    signs, styles = list(line.plain), []
    for start, end, style in line.spans:
        if PICTURE.search(str(style)):
            signs[start:end] = "▒" * (end - start)
        else:
            styles.append((start, end, str(style)))
    return f"{''.join(signs)} {styles}"


def describe_sweep(sizes: Iterable[int], draw_at: Callable[[int], list[Content]]) -> str:
    """Write the sizes from which it is laid out otherwise than in the size before, and the sum."""
    steps, before, total = list[int](), "", 0
    for size in sizes:
        lines = draw_at(size)
        total = zlib.crc32("\n".join(map(describe_line, lines)).encode(), total)
        now = read_layout(lines)
        if before not in ("", now):
            steps.append(size)
        before = now
    return f"{' '.join(_join_runs(steps)) or '-'} (sum {total:08x})"


def _join_runs(numbers: Sequence[int]) -> Iterator[str]:
    """`3-5 9` for 3, 4, 5, 9."""
    for _, run in groupby(enumerate(numbers), lambda one: one[1] - one[0]):
        same = [number for _, number in run]
        yield str(same[0]) if len(same) == 1 else f"{same[0]}-{same[-1]}"


@pytest.mark.parametrize(("part", "name", "size"), CASES)
def test_where_the_layout_changes(part: str, name: str, size: str) -> None:
    state, styles = {**STATES, **MORE}[name](), set[str]()
    drawn = SWEPT[part][0]

    def draw_checked(width: int, height: int) -> list[Content]:
        lines = draw(drawn, state, (width, height), glance=part == "glance")
        assert len(lines) <= height
        assert max((line.cell_length for line in lines), default=0) <= width
        styles.update(str(span.style) for line in lines for span in line.spans)
        return lines

    width, height = size.split(" x ")
    # the line at the top is as wide as the screen, of 80 columns at least
    told = (
        describe_sweep(range(80 if part == "top" else 50, 160), lambda w: draw_checked(w, int(height)))
        if width == "*"
        else describe_sweep(HEIGHTS, lambda h: draw_checked(int(width), h))
    )
    for style in styles:
        Style.parse(style, VARIABLES)  # raises if the theme does not know it
    compare_with_row(GOLDEN, f"{part}, {name}, {size}", told)


@pytest.mark.parametrize("rows", [1, 4, 13])
def test_where_names_in_columns_are_cut(rows: int) -> None:
    names = [*LONG, *SEVEN]
    told = describe_sweep(range(10, 110), lambda width: _format_columns(names, rows, width))
    compare_with_row(GOLDEN, f"names in columns, * x {rows}", told)


def test_where_the_letters_of_an_enrolment_grow(monkeypatch) -> None:
    enrolment = Enrolment()
    app = EnrolmentApp(
        enrolment, lambda: None, tuple, lambda: None, Translator.for_game("en", "donkey_valley")
    )

    def draw_at(height: int) -> list[Content]:
        monkeypatch.setattr(EnrolmentApp, "size", Size(100, height))
        return [app._draw_wanted_card(enrolment.enroller.progress, 98)]

    compare_with_row(GOLDEN, "enrolment, 98 x *", describe_sweep(range(20, 50), draw_at))


def test_where_the_rows_of_the_home_screen_change(monkeypatch) -> None:
    """In narrow terminals all remarks stand below their rows."""
    groups = tuple(Plan("donkey_valley", LONG[:count], cameras=("0",)) for count in (2, 6))
    entries = list_home_entries(Settings(groups=groups), PastSessions((), groups[0]), Translator("de"))
    screen = HomeScreen(entries, Translator("de"), "")

    def draw_at(width: int) -> list[Content]:
        monkeypatch.setattr(HomeScreen, "size", Size(width, 40))
        return [Content(str(row.prompt)) for row in screen._build_rows()]

    compare_with_row(GOLDEN, "home screen, rows", describe_sweep(range(20, 130), draw_at))
