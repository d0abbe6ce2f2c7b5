"""What the camera that is named in the form shows, small, so that people see whether it is the
right one; or why it shows nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

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


class CameraChooser(Protocol):
    """Who looks through a camera for the form."""

    def look_through(self, what: str) -> None:
        """Look through the camera of this name from now on; "": through none. Returns at once."""

    def seen(self) -> CameraLook:
        """Return what it shows just now."""


class CameraPreview(Vertical):
    """Shows what `looking` sees of the camera named by `choose`; stands there only while there is
    something to show or to say."""

    DEFAULT_CSS = """
    CameraPreview { width: 28; height: 8; display: none; margin: 0 0 0 1; }
    CameraPreview.chosen { display: block; }
    CameraPreview > Preview { height: 1fr; }
    CameraPreview > Static { height: 1fr; color: $foreground-muted; }
    """

    def __init__(self, looking: CameraChooser, say: Translator) -> None:
        super().__init__()
        self._looking = looking
        self._say = say
        self._typing: Timer | None = None

    def compose(self) -> ComposeResult:
        """Lay out the picture, and the words that may stand in its place."""
        yield Preview(lambda: self._looking.seen().picture)
        yield Static(markup=False)

    def on_mount(self) -> None:
        """Begin to look."""
        self.set_interval(_PICTURE, self._look)

    def choose(self, what: str, *, typing: bool = False) -> None:
        """Look through this camera; `typing`: once no more is typed."""
        if self._typing is not None:
            self._typing.stop()
        if typing:
            self._typing = self.set_timer(_TYPED, lambda: self._looking.look_through(what))
        else:
            self._looking.look_through(what)

    def _look(self) -> None:
        """Show the newest picture, or why there is none."""
        seen = self._looking.seen()
        shown = seen.picture is not None or seen.told is not None
        self.set_class(shown, "chosen")
        preview, words = self.query_one(Preview), self.query_one(Static)
        preview.display = seen.picture is not None
        words.display = not preview.display
        words.update("" if seen.told is None else self._say.say(seen.told))
        preview.look()
