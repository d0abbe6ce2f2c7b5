"""Screen that shows the program where the table is: four corners are moved by arrow keys or clicks,
over the camera's live picture."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, TypeAlias

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Footer, Label, Static

from companion.table.sightings import Health
from companion.texts import Translator
from companion.views.dashboard.themed_app import ThemedApp
from companion.views.dashboard.widgets.camera_preview import PictureSource, Preview

Corners: TypeAlias = tuple[tuple[float, float], ...]
"""The table's corners as fractions of the picture: far left, far right, near right, near left."""

WHOLE: Corners = ((0.04, 0.06), (0.96, 0.06), (0.96, 0.94), (0.04, 0.94))
_FINE, _COARSE = 0.005, 0.03
_PICTURE_SECONDS = 0.15
"""Seconds between two pictures."""


class CalibrationApp(ThemedApp[Corners | None]):
    """Screen for calibration; its result is the corners, or None if it was left.

    `check_corners` is called with the corners after every change and returns what is wrong, or "".
    `health`: the state of the camera, shown while there is no picture, and when there will be none.
    """

    CSS = """
    #title { width: 1fr; text-style: bold; padding: 0 1; background: $primary; color: $background; }
    #hint { width: 1fr; padding: 0 1; }
    #health { width: 1fr; padding: 0 1; display: none; }
    #health.told { display: block; }
    #health.trouble { background: $warning; color: $background; text-style: bold; }
    Preview { height: 1fr; }
    """
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "next_corner", "Next corner", id="next", priority=True),
        *(Binding(f"{shift}{key}", f"move({dx * step}, {dy * step})")
          for key, dx, dy in (("left", -1, 0), ("right", 1, 0), ("up", 0, -1), ("down", 0, 1))
          for shift, step in (("", _FINE), ("shift+", _COARSE))),
        Binding("enter", "done", "Done", id="done"),
        Binding("escape,q", "leave", "Leave", id="leave"),
    ]  # fmt: skip

    def __init__(
        self,
        picture_of: PictureSource,
        check_corners: Callable[[Corners], str],
        translator: Translator,
        corners: Corners = WHOLE,
        health: Callable[[], Health | None] = lambda: None,
    ) -> None:
        super().__init__(translator)
        self.corners = list(corners)
        self.at = 0
        self._picture_of = picture_of
        self._place = check_corners
        self._wrong = ""
        self._health = health

    def compose(self) -> ComposeResult:
        """Lay out the sentence, the picture and the keys."""
        yield Label(self.translator("calibrate.title"), id="title")
        yield Preview(self._picture_of, id="preview")
        yield Static(id="health", markup=False)
        yield Static(id="hint", markup=False)
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Start the live picture."""
        self.label_keys("calibrate.key.", ("next", "done", "leave"))
        self.set_interval(_PICTURE_SECONDS, self._update_picture)
        self._update_picture()
        self._update_hint()

    def on_click(self, event: events.Click) -> None:
        """Move the selected corner to where the picture was clicked, and select the next."""
        preview = self.query_one(Preview)
        # A click anywhere else is not a corner.
        if event.widget is preview:
            self.corners[self.at] = (event.x / preview.size.width, event.y / preview.size.height)
            self.action_next_corner()

    def action_next_corner(self) -> None:
        """Select the next corner, clockwise from the far left."""
        self.at = (self.at + 1) % 4
        self._update_hint()

    def action_move(self, dx: float, dy: float) -> None:
        """Move the selected corner."""
        x, y = self.corners[self.at]
        # A corner outside the picture could not be seen.
        self.corners[self.at] = (min(max(x + dx, 0.0), 1.0), min(max(y + dy, 0.0), 1.0))
        self._update_hint()

    def action_done(self) -> None:
        """Return the corners, unless they do not form a table."""
        if self._wrong:
            self.notify(self._wrong, severity="warning", markup=False)
        else:
            self.exit(tuple(self.corners))

    def action_leave(self) -> None:
        """Leave without corners."""
        self.exit(None)

    def _update_picture(self) -> None:
        """Show the newest picture, or why there is none."""
        if self.is_taken_down:
            return
        self.query_one(Preview).update_picture()
        health = self._health()
        line = self.query_one("#health", Static)
        line.set_class(health is not None and health.state != "ok", "told")
        line.set_class(health is not None and health.state == "lost", "trouble")
        if health is not None:
            line.update(("! " if health.state == "lost" else "") + self.translator.translate(health.text))

    def _update_hint(self) -> None:
        # Tried at each move, so that what is wrong is shown while it can be put right.
        self._wrong = self._place(tuple(self.corners))
        x, y = self.corners[self.at]
        where = self.translator(f"calibrate.corner.{self.at}", x=round(100 * x), y=round(100 * y))
        self.query_one("#hint", Static).update(
            f"{where}   {self._wrong or self.translator('calibrate.keys')}"
        )
