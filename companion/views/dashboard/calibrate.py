"""Showing the program where the table is: four corners moved with the arrow keys or clicked, over the camera's live picture."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, TypeAlias

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Footer, Label, Static

from companion.texts import Translator
from companion.views.dashboard.themed import ThemedApp
from companion.views.dashboard.widgets.preview import Preview, PreviewOf

Corners: TypeAlias = tuple[tuple[float, float], ...]
"""The table's corners in parts of the picture: far left, far right, near right, near left."""

WHOLE: Corners = ((0.04, 0.06), (0.96, 0.06), (0.96, 0.94), (0.04, 0.94))
_FINE, _COARSE = 0.005, 0.03
_PICTURE = 0.15
"""Seconds between two pictures."""


class Calibrate(ThemedApp[Corners | None]):
    """Ends with the corners, or None when left. `place` is called with the corners after every change and returns what is wrong, or ""."""

    CSS = """
    #title { width: 1fr; text-style: bold; padding: 0 1; background: $primary; color: $background; }
    #hint { width: 1fr; padding: 0 1; }
    Preview { height: 1fr; }
    """
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "next_corner", "Next corner", priority=True),
        *(Binding(f"{shift}{key}", f"move({dx * step}, {dy * step})", show=False)
          for key, dx, dy in (("left", -1, 0), ("right", 1, 0), ("up", 0, -1), ("down", 0, 1))
          for shift, step in (("", _FINE), ("shift+", _COARSE))),
        Binding("enter", "done", "Done"),
        Binding("escape,q", "leave", "Leave"),
    ]  # fmt: skip

    def __init__(
        self,
        picture_of: PreviewOf,
        place: Callable[[Corners], str],
        say: Translator,
        corners: Corners = WHOLE,
    ) -> None:
        super().__init__(say)
        self.corners = list(corners)
        self.at = 0
        self._picture_of = picture_of
        self._place = place
        self._wrong = ""

    def compose(self) -> ComposeResult:
        """Lay out the sentence, the picture and the keys."""
        yield Label(self.say("calibrate.title"), id="title")
        yield Preview(self._picture_of, id="preview")
        yield Static(id="hint")
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Begin to look."""
        self.set_interval(_PICTURE, self.query_one(Preview).look)
        self._changed()

    def on_click(self, event: events.Click) -> None:
        """Put the corner that is chosen where the picture was clicked, and choose the next."""
        preview = self.query_one(Preview)
        if event.widget is preview:
            self.corners[self.at] = (event.x / preview.size.width, event.y / preview.size.height)
            self.action_next_corner()

    def action_next_corner(self) -> None:
        """Choose the next corner, clockwise from the far left."""
        self.at = (self.at + 1) % 4
        self._changed()

    def action_move(self, dx: float, dy: float) -> None:
        """Move the corner that is chosen."""
        x, y = self.corners[self.at]
        self.corners[self.at] = (min(max(x + dx, 0.0), 1.0), min(max(y + dy, 0.0), 1.0))
        self._changed()

    def action_done(self) -> None:
        """End with the corners, unless they are no table."""
        if self._wrong:
            self.notify(self._wrong, severity="warning")
        else:
            self.exit(tuple(self.corners))

    def action_leave(self) -> None:
        """End without corners."""
        self.exit(None)

    def _changed(self) -> None:
        self._wrong = self._place(tuple(self.corners))
        x, y = self.corners[self.at]
        where = self.say(f"calibrate.corner.{self.at}", x=round(100 * x), y=round(100 * y))
        self.query_one("#hint", Static).update(f"{where}   {self._wrong or self.say('calibrate.keys')}")
