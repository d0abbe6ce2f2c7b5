"""What all screens over the table have: each is left once."""

from __future__ import annotations

from typing import Any, TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen, Screen

T = TypeVar("T")


class Sheet(ModalScreen[T]):
    """A screen over another. What was still typed into it when it was left, as in a paste, finds it
    gone: its parts are kept as attributes, since a look for them would fail."""

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        """Leave it, unless that cannot be now."""
        return super().dismiss(result) if may_leave(self) else AwaitComplete()


def may_leave(screen: Screen[Any]) -> bool:
    """Whether a screen can be left: not when it is left already, which would take the screen below
    it, nor when it does not stand there yet, where its beginning would find nothing."""
    stack = screen.app.screen_stack
    return screen.is_mounted and bool(stack) and stack[-1] is screen
