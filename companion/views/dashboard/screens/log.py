"""The evening's log: every act that stands; choose one to correct it or to take it out, and the rest is recomputed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Label, OptionList
from textual.widgets.option_list import Option

from companion.journal.lines import Line
from companion.texts import Translator


class Log(ModalScreen[int | None]):
    """Dismissed with the number of the act to correct, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss_none", "Back")]

    def __init__(self, log: Sequence[Line], say: Translator) -> None:
        super().__init__()
        self._log = log
        self._say = say

    def compose(self) -> ComposeResult:
        """Lay out the list, the newest act at the end and chosen."""
        with Vertical(id="choose"):
            yield Label(Content(self._say("log.title")), id="choose-title")
            yield OptionList(*(self._option(line) for line in self._log), id="choose-list")

    def on_mount(self) -> None:
        """Begin at the newest act."""
        listing = self.query_one(OptionList)
        listing.highlighted = max(len(self._log) - 1, 0)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Take the act that was chosen."""
        self.dismiss(int(event.option.id or -1))

    def action_dismiss_none(self) -> None:
        """Leave everything as it is."""
        self.dismiss(None)

    def _option(self, line: Line) -> Option:
        words = self._say.say(line.text)
        content = (
            Content(f"{line.act + 1:>4}  {words}")
            if line.stands
            else Content.styled(f"   –  {words}", "strike $foreground-muted")
        )
        return Option(content, id=str(line.act) if line.stands else None, disabled=not line.stands)
