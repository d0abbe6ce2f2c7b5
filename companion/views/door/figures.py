"""The page of figures: what all evenings add up to, a section at a time, as bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Footer, Static

from companion.figures.shown import Wording
from companion.figures.tables import FiguresTable
from companion.views.dashboard.themed import ThemedApp
from companion.views.door.bars import Room, drawn, rows_each, seats_of

_WIDE = 150
"""Columns from which two tables that are too high may stand beside each other: each then has nearly
those of a small terminal."""
_MARGIN = 4
"""Columns the page leaves free: two on the left, two on the right for the scroll bar."""
_AROUND = 5
"""Rows that are no table: games, sections, an empty one below each, and the footer."""


class Figures(ThemedApp[None]):
    """Shows one section of the tables after the other: a table, with the one beside it that tells
    the same of each player."""

    CSS_PATH = "door.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        # Before the page's own: it scrolls up and down only, and its arrows would hide these in the
        # footer.
        Binding("left", "turn(-1)", "Previous", id="previous", key_display="←", priority=True),
        Binding("right", "turn(1)", "Next", id="next", key_display="→", priority=True),
        Binding("q", "leave", "Back", id="back"),
        Binding("escape", "leave", show=False),
    ]

    def __init__(
        self, tables: Sequence[FiguresTable], wording: Wording, theme: str, said: Sequence[str] = ()
    ) -> None:
        super().__init__(wording.common, theme)
        self._wording = wording
        self._said = said
        self._seats = seats_of(tables)
        self._sections = _sections(tables)
        self._at = 0

    def compose(self) -> ComposeResult:
        """Lay out games, sections, and the tables of one section."""
        with Vertical(id="figures"):
            yield Static(Content("\n".join(self._said)), id="door-said")
            yield Static(id="figures-games")
            yield Static(id="figures-sections")
            with VerticalScroll(id="figures-page"):
                yield Static(classes="figures-table")
                yield Static(classes="figures-table")
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        """Name the keys in the players' language."""
        self.name_keys("key.short.", ("previous", "next", "back"))
        self.query_one("#door-said").display = bool(self._said)
        self.query_one(VerticalScroll).focus()

    def on_resize(self, event: events.Resize) -> None:
        """Draw the bars as long, and as thick, as there is room."""
        self._draw()

    def action_turn(self, by: int) -> None:
        """Show the section after this one or before it, of the next game after a game's last."""
        self.action_section((self._at + by) % len(self._sections))

    def action_section(self, number: int) -> None:
        """Show one section."""
        self._at = number
        self._draw()
        self.query_one(VerticalScroll).scroll_home(animate=False)

    def action_leave(self) -> None:
        """Go back."""
        self.exit(None)

    def _draw(self) -> None:
        shown = self._sections[self._at]
        game = shown[0].game
        firsts = {one[0].game: number for number, one in reversed(list(enumerate(self._sections)))}
        games = [(firsts[one], self._game(one), one == game) for one in reversed(firsts)]
        own = [
            (number, self._wording.heading(one[0].title, one[0]), one is shown)
            for number, one in enumerate(self._sections)
            if one[0].game == game
        ]
        self.query_one("#figures-games", Static).update(_links(games))
        self.query_one("#figures-sections", Static).update(_links(own))
        self._draw_tables(shown)

    def _draw_tables(self, shown: Sequence[FiguresTable]) -> None:
        height = self.size.height - _AROUND - len(self._said)
        beside = self.size.width >= _WIDE and len(shown) > 1 and rows_each(shown, height) == 1
        width = self.size.width - _MARGIN
        width = width // 2 - _MARGIN if beside else width
        rows = rows_each(shown[:1] if beside else shown, height)
        self.query_one(VerticalScroll).set_class(beside, "-beside")
        for number, place in enumerate(self.query(".figures-table").results(Static)):
            place.display = number < len(shown)
            if place.display:
                place.update(drawn(shown[number], self._wording, self._seats, Room(width, rows)))

    def _game(self, game: str | None) -> str:
        return self.say("figures.all_games") if game is None else self._wording.translator(game)("game.title")


def _sections(tables: Sequence[FiguresTable]) -> list[list[FiguresTable]]:
    """Put each table together with the one that tells the same of each player, which follows it and
    has no bars."""
    found: list[list[FiguresTable]] = []
    for table in tables:
        if table.bars is None and table.game is not None and found:
            found[-1].append(table)
        else:
            found.append([table])
    return found


def _links(sections: Sequence[tuple[int, str, bool]]) -> Content:
    """Write words to click, each leading to a section; the present one stands in reverse."""
    parts: list[Content] = []
    for number, words, here in sections:
        link = Content.from_markup(
            f"[@click=app.section({number})]$words[/]", words=f"▸{words}◂" if here else f" {words} "
        )
        parts.append(link.stylize("bold reverse") if here else link)
    return Content(" ").join(parts)
