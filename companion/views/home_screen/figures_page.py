"""Page of figures: the statistics of all evenings, one section at a time, as bars in the players'
colours. Colour never carries the meaning alone: a player's symbol stands before each name, and the
number beside each bar."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import ClassVar, NamedTuple

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Footer, Static

from companion.figures.rendering import FiguresWording, format_bar
from companion.figures.tables import Cell, FiguresTable
from companion.rules.contract import Text
from companion.views.dashboard.themed_app import ThemedApp
from companion.views.themes import mark_for_seat

_GAP = 2
"""Columns between two columns of a table."""
_LEAST = 8
"""The shortest bar in which two values can still be told apart; names are cut before bars get
shorter."""
_THICK = 4
"""Most screen rows for a row of a table: three of bar and an empty one."""


class TableRoom(NamedTuple):
    """Space for a table: columns of the screen, and screen rows for each row of the table (1 to
    4)."""

    width: int
    rows: int = 1


def number_players(tables: Sequence[FiguresTable]) -> dict[str, int]:
    """Return a number for each player, in the order of the tables, so that each has one mark on all
    pages; over many evenings people change seats."""
    names: dict[str, int] = {}
    for table in tables:
        said = [row[0] for row in table.rows] + [column.heading for column in table.columns[1:]]
        for name in said:
            if isinstance(name, str):
                names.setdefault(name, len(names) + 1)
    return names


def count_screen_rows(tables: Sequence[FiguresTable], height: int) -> int:
    """Return how many screen rows each row of these tables gets, with the tables one below the
    other."""
    rows = sum(len(table.rows) for table in tables)
    heads = 4 * len(tables)  # title, a heading of two lines, and an empty line
    return max(1, min(_THICK, (height - heads) // max(rows, 1)))


def draw_table(
    table: FiguresTable, wording: FiguresWording, seats: Mapping[str, int], room: TableRoom
) -> Content:
    """Draw a table under its title."""
    if table.title.code == "figures.head_to_head":
        draw = _draw_tug_of_war
    elif table.bars is None:
        draw = _draw_small_bars
    else:
        draw = _draw_long_bars
    lines = [Content.styled(wording.format_title(table), "bold"), *draw(table, wording, seats, room)]
    return Content("\n").join(lines)


def _draw_long_bars(
    table: FiguresTable, wording: FiguresWording, seats: Mapping[str, int], room: TableRoom
) -> list[Content]:
    """Draw one bar for each row with its number, then the other columns; negative bars go to the
    left."""
    at = table.bars or 0
    order = [at, *(number for number in range(1, len(table.columns)) if number != at)]
    columns = [_format_column(table, wording, number) for number in order]
    taken = sum(cell_len(column[0]) + _GAP for column in columns)
    names = [wording.format_cell(row[0], table.columns[0], table) for row in table.rows]
    wide = max(_LEAST, min(max(map(cell_len, names)) + 2, room.width - taken - _LEAST - _GAP))
    values = [_read_number(row[at]) for row in table.rows]
    scale = _make_scale(values, table.columns[at].kind, room.width - taken - wide - _GAP)
    blank = " " * (wide + _GAP + scale.left + scale.right)
    heads = len(columns[0]) - len(table.rows)
    lines = [
        Content.styled(blank + "".join(" " * _GAP + column[line] for column in columns), "$foreground-muted")
        for line in range(heads)
    ]
    for number, (row, value) in enumerate(zip(table.rows, values, strict=True)):
        figures = [column[heads + number] for column in columns]
        style = _choose_style(row[0], seats)
        drawing = scale.draw_bar(value)
        first = Content.assemble(
            _draw_label(row[0], names[number], seats, wide), " " * _GAP,
            (drawing, "$error" if value < 0 else style), (" " * _GAP + figures[0], "bold"),
            "".join(" " * _GAP + one for one in figures[1:]),
        )  # fmt: skip
        under = Content.assemble(" " * (wide + _GAP), (drawing, "$error" if value < 0 else style))
        lines += _repeat_rows(first, under, room.rows)
    return lines


def _draw_small_bars(
    table: FiguresTable, wording: FiguresWording, seats: Mapping[str, int], room: TableRoom
) -> list[Content]:
    """Draw one column for each player; each cell has a number, and a small bar where there is
    room."""
    names = [wording.format_cell(row[0], table.columns[0], table) for row in table.rows]
    people = table.columns[1:]
    cells = [
        [wording.format_cell(one, column, table) for one, column in zip(row[1:], people, strict=True)]
        for row in table.rows
    ]
    figure = max(cell_len(cell) for row in cells for cell in row)
    wide = max(_LEAST, min(max(map(cell_len, names)) + 2, room.width - len(people) * (max(figure, 6) + _GAP)))
    each = (room.width - wide) // len(people) - _GAP
    scale = _make_scale(
        [_read_number(one) for row in table.rows for one in row[1:]], people[0].kind, each - figure - 1
    )
    heads = [
        _draw_label(one.heading, wording.format_heading(one.heading, table), seats, each) for one in people
    ]  # each player's mark stands above the bars in that player's colour
    lines = [Content.assemble(" " * wide, *(part for head in heads for part in (" " * _GAP, head)))]
    for row, name, shown in zip(table.rows, names, cells, strict=True):
        first, under = [_draw_label(row[0], name, seats, wide)], [Content(" " * wide)]
        for one, words, column in zip(row[1:], shown, people, strict=True):
            value = _read_number(one)
            drawing = _align_left(scale.draw_bar(value), each - figure - 1) if each > figure else ""
            style = "$error" if value < 0 else _choose_style(column.heading, seats)
            gap = Content(" " * _GAP)
            first += [gap, Content(_align_right(words, figure) + " "), Content.styled(drawing, style)]
            under += [gap, Content(" " * (figure + 1)), Content.styled(drawing, style)]
        lines += _repeat_rows(Content.assemble(*first), Content.assemble(*under), room.rows)
    return lines


def _draw_tug_of_war(
    table: FiguresTable, wording: FiguresWording, seats: Mapping[str, int], room: TableRoom
) -> list[Content]:
    """Draw two players in each row: the one's wins over the other from the left, the other's from
    the right."""
    pairs = [row[0].args for row in table.rows if isinstance(row[0], Text)]
    ends = [(str(pair["one"]), str(pair["other"])) for pair in pairs]
    columns = [
        _format_column(table, wording, number) for number in (2, 3, 4, 1)
    ]  # ahead, ahead, level, together
    heads = len(columns[0]) - len(table.rows)
    taken = sum(cell_len(column[0]) + _GAP for column in columns)
    longest = max(cell_len(wording.common.display_name(name)) + 2 for pair in ends for name in pair)
    wide = max(_LEAST, min(longest, (room.width - taken - _LEAST - 2 * _GAP) // 2))
    length = room.width - taken - 2 * wide - 2 * _GAP
    first, second, *others = columns
    lines = [
        Content.styled(
            " " * (wide + _GAP) + first[line] + " " * (length + 2 * _GAP) + second[line]
            + " " * (wide + _GAP) + "".join(" " * _GAP + other[line] for other in others),
            "$foreground-muted",
        )
        for line in range(heads)
    ]  # fmt: skip
    for number, (row, (one, other)) in enumerate(zip(table.rows, ends, strict=True)):
        at = heads + number
        ahead, behind, level, together = (_read_number(row[column]) for column in (2, 3, 4, 1))
        mine, theirs = (round(length * wins / (together or 1)) for wins in (ahead, behind))
        # Without draws the two bars meet, whatever was rounded.
        middle = "·" * (length - mine - theirs) if level else ""
        theirs = length - mine - len(middle)
        pull = [
            Content.styled("█" * mine, _choose_style(one, seats)),
            Content.styled(middle, "$foreground-muted"),
            Content.styled("▒" * theirs, _choose_style(other, seats)),
        ]
        line = Content.assemble(
            _draw_label(one, wording.common.display_name(one), seats, wide), " " * _GAP, (first[at], "bold"), " " * _GAP, *pull,
            " " * _GAP, (_align_left(second[at].strip(), len(second[at])), "bold"), " " * _GAP,
            _draw_label(other, wording.common.display_name(other), seats, wide),
            "".join(" " * _GAP + column[at] for column in others),
        )  # fmt: skip
        under = Content.assemble(" " * (wide + 2 * _GAP + len(first[at])), *pull)
        lines += _repeat_rows(line, under, room.rows)
    return lines


class _Scale(NamedTuple):
    """Scale for bars: columns left and right of the axis, the value of the longest bar, and whether
    each bar is shown in a full-width track."""

    left: int
    right: int
    most: float
    track: bool

    def draw_bar(self, value: float) -> str:
        """Return the bar of a value over the whole width; a share is drawn in a track."""
        length = abs(value) / self.most
        if value < 0:  # block characters fill from the left, so bars to the left use whole characters
            return _align_right("█" * max(round(length * self.right), 1), self.left) + " " * self.right
        shown = format_bar(length, self.right)
        return " " * self.left + shown + ("░" if self.track else " ") * (self.right - cell_len(shown))


def _make_scale(values: Sequence[float], kind: str, width: int) -> _Scale:
    """Return the scale on which all values fit; shares are measured against 1."""
    width = max(width, 0)
    most, least = 1.0 if kind == "share" else max(*values, 0.0), -min(*values, 0.0)
    # The axis stands where both the longest positive and the longest negative bar fit.
    left = round(width * least / (most + least)) if least else 0
    right = width - left
    # One unit is as long on both sides; rounding must not push either bar over its end.
    longest = max(most, least * right / left if left else 0.0)
    return _Scale(left, right, longest or 1.0, kind == "share")


def _format_column(table: FiguresTable, wording: FiguresWording, number: int) -> list[str]:
    """Return a column's heading, broken into as many lines as the table's longest heading, and its
    cells, all equally wide."""
    heads = [
        wrap(words, max(_LEAST, *map(len, words.split())))
        for column in table.columns[1:]
        for words in [wording.format_heading(column.heading, table)]
    ]
    head = heads[number - 1]
    lines = max(map(len, heads))
    cells = [wording.format_cell(row[number], table.columns[number], table) for row in table.rows]
    said = [*[""] * (lines - len(head)), *head, *cells]
    wide = max(map(cell_len, said))
    return [_align_right(one, wide) for one in said]


def _draw_label(cell: Cell, words: str, seats: Mapping[str, int], width: int) -> Content:
    """Return the name of a row or column over the whole width, cut if necessary, with the mark if
    it is a player."""
    if isinstance(cell, str):
        words = f"{mark_for_seat(seats[cell]).shape} {words}"
    if cell_len(words) > width:
        words = words[: width - 1] + "…"
    return Content.styled(
        _align_left(words, width), f"bold {_choose_style(cell, seats)}" if isinstance(cell, str) else ""
    )


def _choose_style(cell: Cell, seats: Mapping[str, int]) -> str:
    return mark_for_seat(seats[cell]).style if isinstance(cell, str) else "$primary"


def _repeat_rows(line: Content, under: Content, rows: int) -> list[Content]:
    """Return a table row over this many screen rows: its line, its bar repeated around it, and an
    empty line."""
    return [[line], [line], [line, under], [under, line, under]][rows - 1] + [Content("")] * (rows > 1)


def _read_number(cell: Cell) -> float:
    return float(cell) if isinstance(cell, int | float) else 0.0


def _align_left(words: str, width: int) -> str:
    return words + " " * (width - cell_len(words))


def _align_right(words: str, width: int) -> str:
    return " " * (width - cell_len(words)) + words


_WIDE = 150
"""Columns from which two tables that are too high may stand side by side, each with nearly as many
as a small terminal has."""
_MARGIN = 4
"""Columns that the page leaves free: two on the left, two on the right for the scroll bar."""
_AROUND = 5
"""Rows outside the tables: games, sections, an empty one below each, and the footer."""


class FiguresPage(ThemedApp[None]):
    """Screen with one section of tables at a time: a table, together with the one that has the same
    figures for each player."""

    CSS_PATH = "home_screen.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        # Before the page's own: it scrolls up and down only, and its arrows would hide these in the
        # footer.
        Binding("left", "turn(-1)", "Previous", id="previous", key_display="←", priority=True),
        Binding("right", "turn(1)", "Next", id="next", key_display="→", priority=True),
        Binding("q", "leave", "Back", id="back"),
        Binding("escape", "leave"),
    ]

    def __init__(
        self,
        tables: Sequence[FiguresTable],
        wording: FiguresWording,
        theme: str,
        messages: Sequence[str] = (),
    ) -> None:
        super().__init__(wording.common, theme)
        self._wording = wording
        self._said = messages
        self._seats = number_players(tables)
        self._sections = _group_sections(tables)
        self._at = 0

    def compose(self) -> ComposeResult:
        """Lay out games, sections, and the tables of one section."""
        with Vertical(id="figures"):
            yield Static(Content("\n".join(self._said)), id="home-message")
            yield Static(id="figures-games")
            yield Static(id="figures-sections")
            with VerticalScroll(id="figures-page"):
                yield Static(classes="figures-table")
                yield Static(classes="figures-table")
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Name the keys in the players' language."""
        self.label_keys("key.short.", ("previous", "next", "back"))
        self.query_one("#home-message").display = bool(self._said)
        self.query_one(VerticalScroll).focus()

    def on_resize(self, event: events.Resize) -> None:
        """Draw the bars as long and as thick as there is room."""
        self._draw_section()

    def action_turn(self, by: int) -> None:
        """Show the next or the previous section; a game's last section is followed by the next
        game."""
        self.action_section((self._at + by) % len(self._sections))

    def action_section(self, number: int) -> None:
        """Show one section."""
        self._at = number
        self._draw_section()
        self.query_one(VerticalScroll).scroll_home(animate=False)

    def action_leave(self) -> None:
        """Go back."""
        self.exit(None)

    def _draw_section(self) -> None:
        shown = self._sections[self._at]
        game = shown[0].game
        firsts = {one[0].game: number for number, one in reversed(list(enumerate(self._sections)))}
        games = [(firsts[one], self._format_game_title(one), one == game) for one in reversed(firsts)]
        own = [
            (number, self._wording.format_heading(one[0].title, one[0]), one is shown)
            for number, one in enumerate(self._sections)
            if one[0].game == game
        ]
        self.query_one("#figures-games", Static).update(_draw_section_links(games))
        self.query_one("#figures-sections", Static).update(_draw_section_links(own))
        self._draw_tables(shown)

    def _draw_tables(self, tables: Sequence[FiguresTable]) -> None:
        height = self.size.height - _AROUND - len(self._said)
        beside = self.size.width >= _WIDE and len(tables) > 1 and count_screen_rows(tables, height) == 1
        width = self.size.width - _MARGIN
        width = width // 2 - _MARGIN if beside else width
        rows = count_screen_rows(tables[:1] if beside else tables, height)
        self.query_one(VerticalScroll).set_class(beside, "-beside")
        for number, place in enumerate(self.query(".figures-table").results(Static)):
            place.display = number < len(tables)
            if place.display:
                place.update(draw_table(tables[number], self._wording, self._seats, TableRoom(width, rows)))

    def _format_game_title(self, game: str | None) -> str:
        return (
            self.translator("figures.all_games")
            if game is None
            else self._wording.find_translator(game)("game.title")
        )


def _group_sections(tables: Sequence[FiguresTable]) -> list[list[FiguresTable]]:
    """Group each table with the one that has the same figures for each player, which follows it and
    has no bars."""
    found: list[list[FiguresTable]] = []
    for table in tables:
        # The tables over all games stand alone.
        if table.bars is None and table.game is not None and found:
            found[-1].append(table)
        else:
            found.append([table])
    return found


def _draw_section_links(sections: Sequence[tuple[int, str, bool]]) -> Content:
    """Return clickable words for the sections; the present one is shown in reverse."""
    parts: list[Content] = []
    for number, words, here in sections:
        link = Content.from_markup(
            f"[@click=app.section({number})]$words[/]", words=f"▸{words}◂" if here else f" {words} "
        )
        parts.append(link.stylize("bold reverse") if here else link)
    return Content(" ").join(parts)
