"""A page to read and to choose a line from: the history, the decks, the settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Footer, Label, OptionList
from textual.widgets.option_list import Option

from companion.texts import Translator
from companion.views.dashboard.themed import ThemedApp


class Browse(ThemedApp[int | None]):
    """Shows lines under a title; ends with the chosen line's number, None when it was left."""

    CSS_PATH = "door.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("q,escape", "leave", "Back")]

    def __init__(self, title: str, lines: Sequence[str], say: Translator, theme: str, at: int = 0) -> None:
        super().__init__(say, theme)
        self._heading = title
        self._lines = lines
        self._at = at

    def compose(self) -> ComposeResult:
        """Lay out title and lines."""
        with Vertical(id="sheet"):
            yield Label(Content(self._heading), id="sheet-title")
            yield OptionList(*(Option(Content(line)) for line in self._lines), id="door-list")
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        """Name the key in the players' language, and begin where we were."""
        for key in ("q", "escape"):
            named = Binding(key, "leave", self.say("key.short.back"), show=key == "q")
            self._bindings.key_to_bindings[key] = [named]
        self.query_one(OptionList).focus()
        if self._lines:
            self.query_one(OptionList).highlighted = min(self._at, len(self._lines) - 1)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """End with the line."""
        self.exit(event.option_index)

    def action_leave(self) -> None:
        """Go back."""
        self.exit(None)
