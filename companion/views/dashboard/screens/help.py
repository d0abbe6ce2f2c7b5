"""The keys, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Label, Static

from companion.texts import Translator
from companion.views.dashboard.screens.sheet import Sheet


class Help(Sheet[str | None]):
    """Every key with what it does. Dismissed with what is printed on the key whose line was
    clicked, None by any other click."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,question_mark,enter,q", "dismiss_help", "Back")]

    def __init__(self, keys: Sequence[tuple[str, str]], say: Translator) -> None:
        super().__init__()
        self._keys = keys
        self._say = say

    def compose(self) -> ComposeResult:
        """Lay out the list."""
        with VerticalScroll(id="sheet"):
            yield Label(Content.styled(self._say("help.title"), "bold"), id="sheet-title")
            for key, words in self._keys:
                yield _KeyLine(key, words)

    def on_click(self) -> None:
        """Back to the table."""
        self.dismiss(None)

    def action_dismiss_help(self) -> None:
        """Back to the table."""
        self.dismiss(None)


class _KeyLine(Static):
    """A key that is pressed by a click on its line."""

    def __init__(self, typed: str, words: str) -> None:
        super().__init__(Content.assemble((f"{typed:>8}", "bold $primary"), "   ", words), classes="help-key")
        self._typed = typed

    def on_click(self, event: events.Click) -> None:
        """Press the key."""
        event.stop()
        self.screen.dismiss(self._typed)
