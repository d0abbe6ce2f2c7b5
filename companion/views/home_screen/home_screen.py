"""The home screen: every entry with its key, chosen by arrows, key or mouse."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import ClassVar

import msgspec
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Footer, OptionList, Static
from textual.widgets.option_list import Option

from companion.plan import Plan
from companion.texts import Translator
from companion.views.block_letters import fit_block_letters
from companion.views.dashboard.themed_app import ThemedApp

_WIDEST, _MARGIN = 110, 10
"""Most columns of the home screen (`home_screen.tcss`), and the columns beside a line: paddings and
a scroll bar."""


class HomeScreenEntry(msgspec.Struct, frozen=True):
    """One entry: its key, its words and the remark beside them, its heading, and what it opens: an
    evening, or a command or page by name."""

    key: str
    words: str
    beside: str
    heading: str
    opens: Plan | str


class HomeScreen(ThemedApp[HomeScreenEntry | None]):
    """Screen that lists the entries; its result is the one chosen, None if it was left. `message`:
    a message shown first."""

    CSS_PATH = "home_screen.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("q,escape", "leave", "Quit")]

    def __init__(
        self, entries: Sequence[HomeScreenEntry], translator: Translator, theme: str, message: str = ""
    ) -> None:
        super().__init__(translator, theme)
        self._doings = entries
        self._said = message

    def compose(self) -> ComposeResult:
        """Lay out title, list, the last entries in short, and keys."""
        with Vertical(id="home"):
            yield Static(id="home-title")
            yield Static(Content(self._said), id="home-message")
            yield OptionList(*self._build_rows(), id="home-list")
            yield Static(self._draw_short_list(), id="home-short")
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Select the first entry."""
        self.title = self.translator("home_screen.title")
        for key in ("q", "escape"):
            named = Binding(key, "leave", self.translator("key.short.quit"), show=key == "q")
            self._bindings.key_to_bindings[key] = [named]
        self.query_one("#home-message").display = bool(self._said)
        listing = self.query_one(OptionList)
        listing.highlighted = next(i for i, row in enumerate(listing.options) if not row.disabled)
        listing.focus()

    def on_resize(self, event: events.Resize) -> None:
        """Draw the title as large as there is room."""
        # Measured by the box, not the terminal: on a wide terminal the title would be folded.
        room = min(event.size.width, _WIDEST) - _MARGIN
        sizes = (5, 3) if event.size.height > 30 else (3,)
        self.query_one("#home-title", Static).update(
            Content("\n").join(
                Content(line) for line in fit_block_letters(self.translator("home_screen.title"), room, sizes)
            )
        )

        # The height of the list is only known once it is laid out.
        self.call_after_refresh(self._update_short_list)

    def _update_short_list(self) -> None:
        """Show the last entries in short while the list does not fit on the screen."""
        home = self.query_one("#home")
        # At 80x24 the list is longer than its room, and its end would be out of sight.
        above = sum(home.query_one(one).outer_size.height for one in ("#home-title", "#home-message"))
        below = self.query_one(Footer).outer_size.height + home.gutter.height
        room = self.size.height - above - below
        home.set_class(self.query_one(OptionList).virtual_size.height > room, "-full")

    def _draw_short_list(self) -> Content:
        """Return the entries under the last heading in a line or two, clickable."""
        last = self._doings[-1].heading
        return Content("  ").join(
            Content.from_markup(
                f"[@click=app.do({number})][bold reverse]$key[/] $words[/]",
                key=doing.key,
                words=doing.words,
            )
            for number, doing in enumerate(self._doings)
            if doing.heading == last
        )

    def action_do(self, number: int) -> None:
        """Open the entry that was clicked."""
        self.exit(self._doings[number])

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Open the entry that was chosen."""
        self.exit(self._doings[int(str(event.option.id))])

    def on_key(self, event: events.Key) -> None:
        """Open the entry whose key was pressed."""
        found = [doing for doing in self._doings if doing.key == event.character]
        if found:
            event.stop()
            self.exit(found[0])

    def action_leave(self) -> None:
        """Leave the home screen."""
        self.exit(None)

    def _build_rows(self) -> list[Option]:
        rows: list[Option] = []
        heading = ""
        room = min(self.app.size.width, _WIDEST) - _MARGIN
        beside = max((len(doing.beside) for doing in self._doings if _fits_one_line(doing, room)), default=0)
        # One column for all remarks, unless that would push them off the line.
        wide = min(max(len(doing.words) for doing in self._doings), 30, room - beside - 7)
        for number, doing in enumerate(self._doings):
            if doing.heading != heading:
                heading = doing.heading
                rows.append(Option(Content.styled(f"\n{heading.upper()}", "bold $primary"), disabled=True))
            row = Content.assemble(
                (f" {doing.key} ", "bold reverse"), "  ", (doing.words.ljust(wide), "bold"), "  "
            )
            if row.cell_length + Content(doing.beside).cell_length > room:
                below = "".join(f"\n     {line}" for line in wrap(doing.beside, room - 5))
                rows.append(Option(row.rstrip() + Content(below), id=str(number)))
            else:
                rows.append(Option(row + Content(doing.beside), id=str(number)))
        return rows


def _fits_one_line(entry: HomeScreenEntry, room: int) -> bool:
    """Return whether the words and the remark beside them fit in one line of `room` columns."""
    return len(entry.words) + 7 + len(entry.beside) <= room
