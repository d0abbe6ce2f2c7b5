"""One question before the table opens: on the screen, or as a line in the plain view."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import ClassVar

from textual.app import App
from textual.binding import Binding, BindingType

from companion.views.dashboard.screens.choose import Choose
from companion.views.themes import THEMES


class Ask(App[int | None]):
    """Shows one menu and ends with the number of the choice."""

    CSS_PATH = "dashboard.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c", "quit", "Quit", show=False)]

    def __init__(self, title: str, labels: Sequence[str]) -> None:
        super().__init__()
        self._question = Choose(title, labels)
        self.register_theme(THEMES[0])
        self.theme = THEMES[0].name

    def on_mount(self) -> None:
        """Ask at once."""
        self.push_screen(self._question, self.exit)


def ask(title: str, labels: Sequence[str], *, plain: bool = False) -> int | None:
    """Ask; return the number of the choice, None when it was left. Without a terminal the first
    choice is taken."""
    if not sys.stdin.isatty() or not sys.stdout.isatty():
        return 0
    if not plain:
        return Ask(title, labels).run()
    for number, label in enumerate(labels, 1):
        print(f"{number}: {label}")
    typed = input(f"{title} ").strip()
    return int(typed) - 1 if typed.isdecimal() and 1 <= int(typed) <= len(labels) else None
