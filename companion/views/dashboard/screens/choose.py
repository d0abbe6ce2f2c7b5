"""The menu: every choice has a key; arrows and Enter work too, and typing more narrows a long list."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Label, OptionList
from textual.widgets.option_list import Option

_KEYS = "1234567890" + string.ascii_lowercase


def keyed(keys: Sequence[str]) -> list[str]:
    """Give every choice a key: its own where it asks for one, then the first that is free; "" past the last."""
    taken = {key for key in keys if key}
    free = iter([key for key in _KEYS if key not in taken])
    used: set[str] = set()
    given = []
    for key in keys:
        given.append(key if key and key not in used else next(free, ""))
        used.add(key)
    return given


class Choose(ModalScreen[int | None]):
    """Ask for one of several. Dismissed with the number of the choice, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss_none", "Back")]

    def __init__(self, title: str, labels: Sequence[str], keys: Sequence[str] | None = None) -> None:
        super().__init__()
        self._title = title
        self._labels = labels
        self._keys = keyed(keys if keys is not None else [""] * len(labels))

    def compose(self) -> ComposeResult:
        """Lay out title and list."""
        with Vertical(id="choose"):
            yield Label(Content(self._title), id="choose-title")
            yield OptionList(
                *(
                    Option(Content.assemble((f" {key or ' '} ", "bold reverse"), "  ", label))
                    for key, label in zip(self._keys, self._labels, strict=True)
                ),
                id="choose-list",
            )

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Take the choice that was entered or clicked."""
        self.dismiss(event.option_index)

    def on_key(self, event: events.Key) -> None:
        """Take the choice whose key was pressed."""
        if event.character and event.character in self._keys:
            event.stop()
            self.dismiss(self._keys.index(event.character))

    def action_dismiss_none(self) -> None:
        """Leave without a choice."""
        self.dismiss(None)
