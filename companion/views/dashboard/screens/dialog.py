"""Base of all screens over the table, which can be left only once; and the screen that asks to
choose one of several, by keys of one or two characters, arrows or mouse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen, Screen
from textual.widgets import Label, OptionList
from textual.widgets.option_list import Option

from companion.views.entry_options import assign_keys

T = TypeVar("T")


class Dialog(ModalScreen[T]):
    """A screen over another one. Keys typed after it was left (as in a paste) may still arrive; its
    parts are kept as attributes, because querying for them would fail then."""

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        """Leave the screen, unless that is not possible now."""
        return super().dismiss(result) if can_leave(self) else AwaitComplete()


def can_leave(screen: Screen[Any]) -> bool:
    """Return whether a screen can be left. It cannot if it was left already, which would close the
    screen below it, nor before it is mounted, since its `on_mount` would find nothing."""
    stack = screen.app.screen_stack
    return screen.is_mounted and bool(stack) and stack[-1] is screen


class ChoiceScreen(Dialog[int | None]):
    """Screen that asks to choose one of several. Its result is the number of the choice, or
    None."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "Back")]

    def __init__(self, title: str, labels: Sequence[str], keys: Sequence[str] | None = None) -> None:
        super().__init__()
        self._title = title
        self._keys = assign_keys(keys if keys is not None else [""] * len(labels))
        self._typed = ""
        width = max((len(key) for key in self._keys), default=1)
        rows = (
            Option(Content.assemble((f" {key.ljust(width)} ", "bold reverse"), "  ", label))
            for key, label in zip(self._keys, labels, strict=True)
        )
        self._list = OptionList(*rows, id="choose-list")

    def compose(self) -> ComposeResult:
        """Lay out title and list."""
        with Vertical(id="choose"):
            yield Label(Content(self._title), id="choose-title")
            yield self._list

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Return the choice that was entered or clicked."""
        self.dismiss(event.option_index)

    def on_key(self, event: events.Key) -> None:
        """Return the choice whose key was typed; a first character selects the first choice that
        begins with it."""
        if not event.character or not event.is_printable:
            return
        typed = self._typed + event.character
        # What does not continue a key may begin another.
        if not any(key.startswith(typed) for key in self._keys if key):
            typed = event.character
        starting = [number for number, key in enumerate(self._keys) if key and key.startswith(typed)]
        self._typed = typed if starting else ""
        if not starting:
            return
        event.stop()
        if self._keys[starting[0]] == typed:
            self.dismiss(starting[0])
        else:
            # Several keys begin so: the next character decides.
            self._list.highlighted = starting[0]
