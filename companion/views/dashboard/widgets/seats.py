"""The players: one row each, as tall as there is room, with the points in block figures where they fit."""

from __future__ import annotations

from textual.content import Content

from companion.texts import Translator, clean
from companion.views.bigtext import big
from companion.views.dashboard.widgets.part import Part, Shown, right
from companion.views.panel import Badge, Seat
from companion.views.themes import STYLES


class Seats(Part):
    """All players in the order of the table; the one whose turn it is has an arrow, a bar and a word."""

    def lines(self, shown: Shown, width: int, height: int) -> list[Content]:
        """Draw every seat with the same number of rows."""
        seats = shown.face.seats
        rows = max(min(height // max(len(seats), 1), 5), 1)
        drawn: list[Content] = []
        for number, seat in enumerate(seats, 1):
            drawn += self._seat(seat, number, rows, width, shown.say)
        return drawn

    def _seat(self, seat: Seat, number: int, rows: int, width: int, say: Translator) -> list[Content]:
        bar = Content.styled("▌" if rows > 1 else "▶", "bold $accent") if seat.awaited else Content(" ")
        if rows == 1:
            return [self._one_line(seat, number, bar, width)]
        points = self._points(seat, rows, width)
        body = self._body(seat, number, rows, say)
        lines = [Content.assemble(bar, " ", line) for line in body[: rows if rows < 4 else 4]]
        drawn = [right(line, end, width) for line, end in zip(lines, points, strict=False)]
        return (drawn + [Content("")] * rows)[:rows]

    def _one_line(self, seat: Seat, number: int, bar: Content, width: int) -> Content:
        room = max(min(width // 4, 20), 4)
        name = Content.styled(clean(seat.name, room).ljust(room), "bold" if seat.awaited else "")
        first = Content.styled("①" if seat.first else " ", "$primary")
        badges = Content(" ").join(badge_text(badge, short=width < 110) for badge in seat.badges)
        left = Content.assemble(bar, f"{number} ", name, " ", first, " ", badges)
        return right(left, Content.styled(seat.points.rjust(4), "bold $primary"), width)

    def _body(self, seat: Seat, number: int, rows: int, say: Translator) -> list[Content]:
        marks = []
        if seat.first:
            marks.append(Content.styled(f"① {say('seat.first')}", "$primary"))
        if seat.awaited:
            marks.append(Content.styled(f"◀ {say('seat.awaited')}", "bold $accent"))
        title = Content.styled(f"{number} {clean(seat.name, 40)}", "bold reverse" if seat.awaited else "bold")
        head = Content("  ").join([title, *marks])
        badges = Content("   ").join(badge_text(badge) for badge in seat.badges)
        detail = Content.styled(seat.detail, "$foreground-muted")
        return (
            [Content.assemble(head, "   ", badges), detail]
            if rows == 2
            else [head, badges, detail, Content("")]
        )

    def _points(self, seat: Seat, rows: int, width: int) -> list[Content]:
        if rows < 3 or width < 60:
            return [Content.styled(seat.points, "bold $primary"), *[Content("")] * (rows - 1)]
        figures = [Content.styled(line, "bold $primary") for line in big(seat.points)]
        return figures + [Content("")] * (rows - len(figures))


def badge_text(badge: Badge, short: bool = False) -> Content:
    """Draw a badge: sign and word, or the sign alone where there is no room for more."""
    word = badge.sign if short and badge.sign else f"{badge.sign} {badge.word}".strip()
    return Content.styled(word, STYLES[badge.tone])
