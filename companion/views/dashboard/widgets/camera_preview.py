"""What the camera that is named in the form shows, small, so that people see whether it is the
right one; or why it shows nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.timer import Timer
from textual.widgets import Static

from companion.rules.contract import Text
from companion.texts import Translator
from companion.views.dashboard.widgets.preview import Preview

if TYPE_CHECKING:
    from companion.views.dashboard.widgets.preview import Picture

_PICTURE = 0.2
"""Seconds between two pictures: enough to see a hand come in."""
_TYPED = 0.8
"""Seconds without a key after which a name counts as typed: no camera opens at every letter."""


class CameraLook(NamedTuple):
    """The newest picture, BGR; and what the camera says of itself, for when there is none."""

    picture: Picture | None
    told: Text | None


LookThrough: TypeAlias = Callable[[str], CameraLook]


class CameraPreview(Vertical):
    """Shows what the camera of one name, `camera` or what was chosen since, shows just now; stands
    there only while there is something to show or to say.

    `look_through`: looks through the camera of this name (`""`: through none) from now on, and
    returns at once what it shows.
    """

    DEFAULT_CSS = """
    CameraPreview { width: 28; height: 8; display: none; margin: 0 0 0 1; }
    CameraPreview.chosen { display: block; }
    CameraPreview > Preview { height: 1fr; }
    CameraPreview > Static { height: 1fr; color: $foreground-muted; }
    """

    def __init__(self, look_through: LookThrough, camera: str, say: Translator) -> None:
        super().__init__()
        self._look_through = look_through
        self._camera = camera
        self._seen = CameraLook(None, None)
        self._say = say
        self._typing: Timer | None = None

    def compose(self) -> ComposeResult:
        """Lay out the picture, and the words that may stand in its place."""
        yield Preview(lambda: self._seen.picture)
        yield Static(markup=False)

    def on_mount(self) -> None:
        """Begin to look."""
        self.set_interval(_PICTURE, self._look)

    def choose(self, what: str) -> None:
        """Look through this camera once no more is typed."""
        if self._typing is not None:
            self._typing.stop()
        self._typing = self.set_timer(_TYPED, lambda: setattr(self, "_camera", what))

    def _look(self) -> None:
        """Show the newest picture, or why there is none."""
        self._seen = seen = self._look_through(self._camera)
        shown = seen.picture is not None or seen.told is not None
        self.set_class(shown, "chosen")
        preview, words = self.query_one(Preview), self.query_one(Static)
        preview.display = seen.picture is not None
        words.display = not preview.display
        words.update("" if seen.told is None else self._say.say(seen.told))
        preview.look()
