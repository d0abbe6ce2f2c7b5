"""The real cards to move, ticked off one by one: after an undo, a correction, a restart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Label, OptionList
from textual.widgets.option_list import Option

from companion.texts import Translator
from companion.views.dashboard.screens.sheet import Sheet


class MovesScreen(Sheet[bool]):
    """Dismissed with True once every card is ticked, or all by `m`; with False when left."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back"),
        Binding("m", "all_done", "Moved"),
    ]

    def __init__(self, moves: Sequence[str], say: Translator) -> None:
        super().__init__()
        self._moves = moves
        self._say = say
        self._done: set[int] = set()

    def compose(self) -> ComposeResult:
        """Lay out the list."""
        with Vertical(id="choose"):
            yield Label(Content(self._say("moves.tick")), id="choose-title")
            yield OptionList(
                *(Option(self._row(number)) for number in range(len(self._moves))), id="choose-list"
            )

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Tick a card, or take the tick back; the next open one is offered."""
        number = event.option_index
        self._done ^= {number}
        event.option_list.replace_option_prompt_at_index(number, self._row(number))
        left = [one for one in range(len(self._moves)) if one not in self._done]
        if not left:
            self.dismiss(True)
        elif number in self._done:
            event.option_list.highlighted = next((one for one in left if one > number), left[0])

    def on_click(self, event: events.Click) -> None:
        """Leave it by a click beside it."""
        if event.widget is self:
            self.dismiss(False)

    def action_all_done(self) -> None:
        """All cards lie right."""
        self.dismiss(True)

    def action_leave(self) -> None:
        """Some cards still lie wrong."""
        self.dismiss(False)

    def _row(self, number: int) -> Content:
        ticked = number in self._done
        sign = ("☑ ", "bold $success") if ticked else ("☐ ", "bold")
        return Content.assemble(sign, (self._moves[number], "$foreground-muted" if ticked else ""))
