"""The players: a block each, as tall as there is room, with the points in block figures if they
fit."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

from textual import events
from textual.content import Content

from companion.texts import Translator, clean_text
from companion.views.block_letters import draw_block_letters, fit_block_letters
from companion.views.dashboard.widgets.banner import centre_line, list_letter_sizes
from companion.views.dashboard.widgets.screen_part import ScreenPart, ScreenState, align_right
from companion.views.panel import FACTS, NOTHING, Badge, Seat
from companion.views.themes import STYLES, mark_for_seat

_GAP = 3
"""Columns between two badges."""


class Seats(ScreenPart):
    """All players in table order; the one whose turn it is has an arrow, a bar and a word. A click
    on a player opens the entry panel there, as the seat's key does."""

    async def on_click(self, event: events.Click) -> None:
        """Open the panel at the seat that was clicked; in the glance a click leads back instead."""
        if self.screen_state is None or self.screen.has_class("-glance"):
            return
        event.stop()
        at = event.get_content_offset_capture(self)
        seats, columns = len(self.screen_state.face.seats), self._count_columns()
        row = at.y // self._rows_per_seat() + at.x * columns // max(self.content_size.width, 1) * -(
            -seats // columns
        )
        if 0 <= row < seats:
            await self.app.run_action(f"seat({row + 1})")

    def _rows_per_seat(self) -> int:
        seats = self.screen_state.face.seats if self.screen_state is not None else ()
        return max(min(self.content_size.height // max(len(seats), 1), 8), 1)

    def _count_columns(self) -> int:
        """Return the columns of players: several where even one row for each is too much."""
        seats = self.screen_state.face.seats if self.screen_state is not None else ()
        return max(-(-len(seats) // max(self.content_size.height, 1)), 1)

    def draw_lines(self, screen_state: ScreenState, width: int, height: int) -> list[Content]:
        """Draw every seat with the same number of rows."""
        seats = screen_state.face.seats
        if self.screen.has_class("-glance"):
            return draw_seats_across(seats, width, height)
        if (columns := self._count_columns()) > 1:
            return _draw_seat_columns(seats, width, columns)
        rows = self._rows_per_seat()
        widest = max((_draw_points(seat, rows, width)[0].cell_length for seat in seats), default=0)
        room = width - (_compute_name_width(width) + 12 if rows == 1 else widest + 4)
        points = max((len(seat.points) for seat in seats), default=0)
        badges = _draw_badge_rows(seats, room, room if rows == 1 else width - points - 3, rows)
        # Names are all large or all small.
        large = rows >= 5 and all(len(draw_block_letters(seat.name)[0]) <= width // 2 for seat in seats)
        drawn: list[Content] = []
        for number, (seat, row) in enumerate(zip(seats, badges, strict=True), 1):
            drawn += (
                _draw_seat_line(seat, number, row[0], width)
                if rows == 1
                else _draw_seat_block(seat, number, row, rows, width, screen_state.translator, large=large)
            )
        return drawn


def _draw_seat_block(
    seat: Seat,
    number: int,
    badges: Sequence[Content],
    rows: int,
    width: int,
    translator: Translator,
    *,
    large: bool,
) -> list[Content]:
    points = _draw_points(seat, rows, width)
    room = width - 3 - max(line.cell_length for line in points)
    title = _draw_title(seat, number, translator, room, large=large)
    # With two rows, badges and facts share the second.
    beside = badges[0] + " " * _GAP if rows == 2 else Content("")
    detail = beside + _fit_facts(seat.detail, room - beside.cell_length)
    body = [title[0], detail] if rows == 2 else [*title, *badges, *([detail] if seat.detail else [])]
    bar = Content.styled("▌ ", "bold $accent") if seat.awaited else Content("  ")
    filled = zip_longest([bar + line for line in body], points, fillvalue=Content(""))
    drawn = [align_right(line if line.plain else bar, end, width) for line, end in filled][:rows]
    return drawn + [Content("")] * (rows - len(drawn))


def _draw_points(seat: Seat, rows: int, width: int) -> list[Content]:
    """Draw the points in the largest figures that fit."""
    sizes = (5, 3) if rows > 5 else (3,) if rows > 2 and width >= 60 else ()
    return [
        Content.styled(line, "bold $primary") for line in fit_block_letters(seat.points, width // 3, sizes)
    ]


def _draw_title(seat: Seat, number: int, translator: Translator, room: int, *, large: bool) -> list[Content]:
    """Draw name and marks; if they are wider than `room`, the marks lose their words."""
    worded = _draw_title_with_marks(seat, number, _draw_marks(seat, translator), large=large)
    if max(line.cell_length for line in worded) <= room:
        return worded
    return _draw_title_with_marks(seat, number, _draw_marks(seat, None), large=large)


def _fit_facts(detail: str, room: int) -> Content:
    """Draw as many of the facts as fit completely in `room` columns: half a list of cards would
    mislead."""
    facts = detail.split(FACTS)
    # The most important facts come first.
    while facts and Content(FACTS.join(facts)).cell_length > room:
        facts.pop()
    return Content.styled(FACTS.join(facts), "$foreground-muted")


def _draw_marks(seat: Seat, translator: Translator | None) -> list[Content]:
    """Draw the state of a seat; without words if `translator` is None."""
    found = ((seat.first, "①", "seat.first", "$primary"), (seat.awaited, "◀", "seat.awaited", "bold $accent"))
    return [
        Content.styled(sign if translator is None else f"{sign} {translator(code)}", style)
        for there, sign, code, style in found
        if there
    ]


def _draw_title_with_marks(seat: Seat, number: int, marks: list[Content], *, large: bool) -> list[Content]:
    style = f"bold {mark_for_seat(number).style}"
    letters = draw_block_letters(seat.name) if large else ()
    if letters and letters[0]:
        lines = [Content.styled(line, style) for line in letters]
        beside = Content("  ").join(
            [Content(""), Content.styled(f"{number}{mark_for_seat(number).shape}", f"bold {style}"), *marks]
        )
        return [lines[0], lines[1] + beside, *lines[2:]]
    shape, style = mark_for_seat(number)
    name = Content.styled(f"{shape} {clean_text(seat.name, 40)}", f"bold {style}")
    return [Content("  ").join([Content.styled(str(number), "bold reverse"), name, *marks])]


def _draw_seat_line(seat: Seat, number: int, badges: Content, width: int) -> list[Content]:
    room = _compute_name_width(width)
    bar = Content.styled("▶", "bold $accent") if seat.awaited else Content(" ")
    shape, style = mark_for_seat(number)
    name = Content.styled(f"{shape} {clean_text(seat.name, room - 2).ljust(room - 2)}", f"bold {style}")
    first = Content.styled("①" if seat.first else " ", "$primary")
    left = Content.assemble(bar, f"{number} ", name, " ", first, "  ", badges)
    return [align_right(left, Content.styled(seat.points.rjust(4), "bold $primary"), width)]


def _draw_seat_columns(seats: Sequence[Seat], width: int, columns: int) -> list[Content]:
    """Draw one row for each player in so many columns, with as many signs as fit."""
    rows, room = -(-len(seats) // columns), width // columns
    cells = []
    for number, seat in enumerate(seats, 1):
        signs = [badge for badge in seat.badges if badge.sign]
        name = _compute_name_width(room)
        while signs and name + 14 + sum(len(one.sign) + 2 for one in signs) > room:
            signs.pop()
        badges = Content("  ").join(_draw_badge(one, worded=False) for one in signs)
        cells += [
            line.pad_right(max(room - line.cell_length, 0))
            for line in _draw_seat_line(seat, number, badges, room - 2)
        ]
    return [Content("").join(cells[row::rows]) for row in range(rows)]


def _compute_name_width(width: int) -> int:
    """Return the columns for mark and name in a row of `width`."""
    return max(min(width // 4, 20), 4)


def _draw_badge_rows(seats: Sequence[Seat], room: int, bare: int, rows: int) -> list[tuple[Content, ...]]:
    """Draw every seat's badges. Those that do not fit in a line of `room` columns go to a second
    line, if no seat needs it for facts."""
    all_columns = zip_longest(*(seat.badges for seat in seats), fillvalue=NOTHING)
    # Badges that a game has only at times must not take room that nobody sees.
    columns = [column for column in all_columns if _measure_columns([column], 1)]
    fit = next(
        (count for count in range(len(columns), 0, -1) if _measure_columns(columns[:count], count) <= room), 0
    )
    # A second line of badges must not push out the facts, such as the cards before a player.
    spare = rows > 2 and not any(seat.detail for seat in seats)
    lines = [columns[:fit], columns[fit:]] if spare and 0 < fit < len(columns) else [columns]
    return list(zip(*(_draw_badge_columns(line, len(seats), room, bare) for line in lines), strict=True))


def _draw_badge_columns(columns: list[tuple[Badge, ...]], seats: int, room: int, bare: int) -> list[Content]:
    """Draw a line of badges for each of so many seats, aligned in columns.

    From the right, badges lose their words until the line fits in `room` columns; the last ones
    that do not fit in `bare` columns either are left out.
    """
    worded = len(columns)
    while worded and _measure_columns(columns, worded) > room:
        worded -= 1
    while columns and not worded and _measure_columns(columns, 0) > bare:
        columns.pop()
    drawn = [
        [_draw_badge(badge, number < worded) for badge in column] for number, column in enumerate(columns)
    ]
    wide = [max(cell.cell_length for cell in column) for column in drawn]
    return [
        Content(" " * _GAP).join(
            column[at] + " " * (width - column[at].cell_length)
            for column, width in zip(drawn, wide, strict=True)
        )
        for at in range(seats)
    ]


def _measure_columns(columns: Sequence[tuple[Badge, ...]], worded: int) -> int:
    """Return the width of these columns side by side, the first `worded` of them with words."""
    wide = [
        max(_draw_badge(badge, number < worded).cell_length for badge in column)
        for number, column in enumerate(columns)
    ]
    return sum(wide) + _GAP * (len(wide) - 1)


def _draw_badge(badge: Badge, worded: bool) -> Content:
    """Draw sign and word, or the sign alone."""
    return Content.styled(
        f"{badge.sign} {badge.word}".strip() if worded or not badge.sign else badge.sign, STYLES[badge.tone]
    )


_NARROW = 16
"""Least columns for a player's points in block letters."""


class _Sizes(NamedTuple):
    """Letter sizes, in rows, that fit for all players: names and points; 0: plain. `name_rows`: the
    rows of the highest name, because of accents."""

    name: int
    name_rows: int
    points: int


def draw_seats_across(seats: Sequence[Seat], width: int, height: int) -> list[Content]:
    """Draw the players side by side in as many rows as needed, all in letters of one size."""
    if not seats:
        return []
    most = max(width // _NARROW, 1)
    rows = -(-len(seats) // most)
    each = -(-len(seats) // rows)
    room, tall = width // each, max(height // rows, 1)
    name = _find_common_size([seat.name for seat in seats], room - 2, (tall - 1) // 3)
    name_rows = max(len(draw_block_letters(seat.name, name)) for seat in seats) if name else 0
    points = _find_common_size([seat.points for seat in seats], room - 2, tall - 2 - (name or 1))
    drawn: list[Content] = []
    for first in range(0, len(seats), each):
        some = seats[first : first + each]
        cells = [
            _draw_seat_cell(seat, number, room, tall, _Sizes(name, name_rows, points))
            for number, seat in enumerate(some, first + 1)
        ]
        drawn += [Content("").join(line) for line in zip(*cells, strict=True)]
    return drawn


def _find_common_size(words: Sequence[str], width: int, height: int) -> int:
    """Return the largest size in which every word fits, 0 if none does."""
    fit = (
        size
        for size in list_letter_sizes(height)
        if all(0 < len(draw_block_letters(word, size)[0]) <= width for word in words)
    )
    return next(fit, 0)


def _draw_seat_cell(seat: Seat, number: int, width: int, height: int, letters: _Sizes) -> list[Content]:
    """Draw one player in exactly `height` rows of `width` columns."""
    shape, style = mark_for_seat(number)
    signs = Content("  ").join(
        Content.styled(badge.sign, f"bold {STYLES[badge.tone]}") for badge in seat.badges if badge.sign
    )
    arrow = "▶ " if seat.awaited else ""
    lines = [Content.styled(f"{arrow}{shape}" + ("" if letters.name else f" {seat.name}"), f"bold {style}")]
    if letters.name:
        drawn = draw_block_letters(seat.name, letters.name)
        # Below each other's names, the points stand in one row.
        lines += [Content("")] * (letters.name_rows - len(drawn))
        lines += [Content.styled(line, f"bold {style}") for line in drawn]
    points = draw_block_letters(seat.points, letters.points) if letters.points else (seat.points,)
    lines += [Content.styled(line, "bold $primary") for line in points]
    lines = [*lines, signs][:height]
    lines += [Content("")] * (height - len(lines))
    cut = [centre_line(line.truncate(width - 1, ellipsis=True), width - 1) for line in lines]
    full = [line.pad_right(width - line.cell_length) for line in cut]
    return [line.stylize("on $panel") for line in full] if seat.awaited else full
