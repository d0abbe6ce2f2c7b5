"""What all screens over the table have: each is left once."""

from __future__ import annotations

from typing import TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen

T = TypeVar("T")


class Sheet(ModalScreen[T]):
    """A screen over another. What was still typed into it when it was left, as in a paste, finds it
    gone: its parts are kept as attributes, since a look for them would fail."""

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        """Leave it, unless it is left already: a second time would take the screen below it."""
        stack = self.app.screen_stack
        left = not stack or stack[-1] is not self
        return AwaitComplete() if left else super().dismiss(result)
