"""The row of keys at the foot of the table."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Footer
from textual.widgets._footer import FooterKey


class KeysRow(Footer):
    """A footer that is drawn anew all evening long, whenever other keys are offered, and holds only
    the keys of now."""

    class Drawn(Message):
        """The keys stand there: they come last on a screen that opens."""

    _offered: object = None
    """What was offered when the row was drawn last."""
    _width = 0
    """The columns it was drawn for."""

    def bindings_changed(self, screen: Screen[object]) -> None:
        """Draw the keys anew where they are others: Textual asks for it five times before the first
        screen alone."""
        if not self._ready(screen):
            return
        offered = [
            (key, one.binding.description, one.binding.key_display, one.enabled)
            for key, one in screen.active_bindings.items()
            if one.binding.show
        ]
        if offered != self._offered:
            self._offered = offered
            super().bindings_changed(screen)

    def _ready(self, screen: Screen[object]) -> bool:
        """Tell whether Textual's footer draws now: not while another window has the keys, nor under
        another screen."""
        return screen.app.app_focus and self.is_attached and screen is self.screen

    def compose(self) -> ComposeResult:
        """Show the keys that stand there whole; those that find no room are in the list of keys,
        whose own key always finds some."""
        self._width = room = self.app.size.width
        keys = list(super().compose())
        room -= sum(_columns(key) for key in keys if _stays(key))
        for key in keys:
            if _stays(key) or (room := room - _columns(key)) >= 0:
                yield key

    def on_resize(self) -> None:
        """Show those that fit now."""
        if self.app.size.width != self._width:
            self.refresh(recompose=True)

    async def recompose(self) -> None:
        """Draw the keys anew and let those of before go.

        Textual (8.x) drops what watches a value when that value is set, and the footer's never is:
        14 widgets stayed each time, 350 a minute in the demo at speed 4.
        """
        await super().recompose()
        self.mutate_reactive(Footer.compact)
        self.post_message(self.Drawn())


def _stays(key: Widget) -> bool:
    return isinstance(key, FooterKey) and key.action in ("help", "leave", "quit")


def _columns(key: Widget) -> int:
    """How wide a key is in the compact row: what is printed on it, a blank, its word, a blank."""
    if not isinstance(key, FooterKey):
        return 0
    return Content(key.key_display).cell_length + Content(key.description).cell_length + 2
