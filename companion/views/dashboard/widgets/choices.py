"""The list that one chooses from, where it changes while people type and click."""

from __future__ import annotations

from textual import events
from textual.widgets import OptionList


class Choices(OptionList):
    """A list whose rows may have gone since they were clicked; Textual's looks for them and ends
    the program."""

    def on_click(self, event: events.Click) -> None:
        """Pass over a click on a row that is gone."""
        row = event.style.meta.get("option")
        if row is not None and row >= self.option_count:
            event.prevent_default()
