"""The welcome: all that one can do, each under a key; chosen by arrows, key or mouse."""

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
from companion.views.bigtext import fitting
from companion.views.dashboard.themed import ThemedApp

_WIDEST, _MARGIN = 110, 10
"""Columns of the door at most (`door.tcss`), and those beside a line: paddings, a bar to scroll."""


class DoorEntry(msgspec.Struct, frozen=True):
    """One thing to do: its key, its words with what is said beside them, the heading that it stands
    under, and what it opens: an evening, or a command or page by its name."""

    key: str
    words: str
    beside: str
    heading: str
    opens: Plan | str


class Door(ThemedApp[DoorEntry | None]):
    """Shows the doings; ends with the one chosen, None when left. `said`: what to know first."""

    CSS_PATH = "door.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("q,escape", "leave", "Quit")]

    def __init__(self, doings: Sequence[DoorEntry], say: Translator, theme: str, said: str = "") -> None:
        super().__init__(say, theme)
        self._doings = doings
        self._said = said

    def compose(self) -> ComposeResult:
        """Lay out title, list, the last doings in short, and keys."""
        with Vertical(id="door"):
            yield Static(id="door-title")
            yield Static(Content(self._said), id="door-said")
            yield OptionList(*self._rows(), id="door-list")
            yield Static(self._in_short(), id="door-short")
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        """Begin at the first thing to do."""
        self.title = self.say("door.title")
        for key in ("q", "escape"):
            named = Binding(key, "leave", self.say("key.short.quit"), show=key == "q")
            self._bindings.key_to_bindings[key] = [named]
        self.query_one("#door-said").display = bool(self._said)
        listing = self.query_one(OptionList)
        listing.highlighted = next(i for i, row in enumerate(listing.options) if not row.disabled)
        listing.focus()

    def on_resize(self, event: events.Resize) -> None:
        """Write the title as large as there is room."""
        room = min(event.size.width, _WIDEST) - _MARGIN
        sizes = (9, 5, 3) if event.size.height > 44 else (5, 3) if event.size.height > 30 else (3,)
        self.query_one("#door-title", Static).update(
            Content("\n").join(Content(line) for line in fitting(self.say("door.title"), room, sizes))
        )

        self.call_after_refresh(self._show_what_is_below)

    def _show_what_is_below(self) -> None:
        """Name the last doings in short while the list is longer than its room."""
        door = self.query_one("#door")
        above = sum(door.query_one(one).outer_size.height for one in ("#door-title", "#door-said"))
        below = self.query_one(Footer).outer_size.height + door.gutter.height
        room = self.size.height - above - below
        door.set_class(self.query_one(OptionList).virtual_size.height > room, "-full")

    def _in_short(self) -> Content:
        """Say the doings under the last heading in a line or two, each for the mouse too."""
        last = self._doings[-1].heading if self._doings else ""
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
        """Do what was clicked."""
        self.exit(self._doings[number])

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Do what was chosen."""
        self.exit(self._doings[int(event.option.id or 0)])

    def on_key(self, event: events.Key) -> None:
        """Do what the key stands for."""
        found = [doing for doing in self._doings if doing.key == event.character]
        if found:
            event.stop()
            self.exit(found[0])

    def action_leave(self) -> None:
        """Leave."""
        self.exit(None)

    def _rows(self) -> list[Option]:
        rows: list[Option] = []
        heading = ""
        room = min(self.app.size.width, _WIDEST) - _MARGIN
        beside = max((len(doing.beside) for doing in self._doings if _fits(doing, room)), default=0)
        wide = min(max((len(doing.words) for doing in self._doings), default=0), 30, room - beside - 7)
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


def _fits(doing: DoorEntry, room: int) -> bool:
    """Tell whether the words and what stands beside them fit in one line of `room` columns."""
    return len(doing.words) + 7 + len(doing.beside) <= room
