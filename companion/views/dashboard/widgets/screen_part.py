"""Base of the parts of the screen: they receive a value and draw it at their own size."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from textual.content import Content
from textual.widget import Widget

from companion.live.snapshot import Snapshot
from companion.texts import Translator
from companion.views.moments import RevealMoment
from companion.views.panel import Face


class ScreenState(NamedTuple):
    """State of the screen: the snapshot, the game's face for it, the translator, the moment.

    `demo`: simulated players play. `pictures`: pictures of the reveals are saved.
    """

    snapshot: Snapshot
    face: Face
    translator: Translator
    demo: bool = False
    moment: RevealMoment | None = None
    pictures: bool = False


class ScreenPart(Widget):
    """Widget that draws `ScreenState` as lines. It repaints only if its own lines have changed."""

    # Lines made for a larger size are shown until they are redrawn: cut, never wrapped.
    DEFAULT_CSS = "ScreenPart { text-wrap: nowrap; text-overflow: clip; }"

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, classes=classes)
        self.screen_state: ScreenState | None = None
        self._drawn: tuple[Content, ...] = ()

    def show_state(self, screen_state: ScreenState) -> None:
        """Show a new value."""
        self.screen_state = screen_state
        drawn = self._draw_fitting_lines()
        # A snapshot may change nothing of this part, and painting is what costs.
        if drawn != self._drawn:
            self._drawn = drawn
            self.refresh()

    def on_resize(self) -> None:
        """Redraw at the new size."""
        self._drawn = self._draw_fitting_lines()
        self.refresh()

    def render(self) -> Content:
        """Join the lines."""
        return Content("\n").join(self._drawn)

    def draw_lines(self, screen_state: ScreenState, width: int, height: int) -> list[Content]:
        """Return the lines to draw in at most `width` columns and `height` rows."""
        raise LookupError(f"{type(self).__name__} draws nothing")

    def _draw_fitting_lines(self) -> tuple[Content, ...]:
        width, height = self.content_size if self.is_attached else (0, 0)
        if self.screen_state is None or width < 1 or height < 1:
            return ()
        return tuple(
            line.truncate(width, ellipsis=True)
            for line in self.draw_lines(self.screen_state, width, height)[:height]
        )


_NO_BREAK, _STAND_IN = "\u00a0", "\ue000"
"""The no-break space, and what stands in for it: Textual (8.x) breaks lines at any white space, so
that in French a line began with a colon."""


def wrap_text(text: str, width: int, style: str = "") -> list[Content]:
    """Wrap a sentence to lines of at most `width` columns."""
    return wrap_content(Content.styled(text, style) if style else Content(text), width)


def wrap_content(content: Content, width: int) -> list[Content]:
    """Wrap styled words to lines of at most `width` columns, but not at no-break spaces."""
    lines = _replace_sign(content, _NO_BREAK, _STAND_IN).wrap(max(width, 1))
    return [_replace_sign(line, _STAND_IN, _NO_BREAK) for line in lines]


def _replace_sign(content: Content, old: str, new: str) -> Content:
    return Content(content.plain.replace(old, new), list(content.spans)) if old in content.plain else content


def truncate_rows(lines: list[Content], rows: int) -> list[Content]:
    """Keep so many rows of a sentence, with an ellipsis if some are left out."""
    if len(lines) <= rows or rows < 1:
        return lines[: max(rows, 0)]
    return [*lines[: rows - 1], lines[rows - 1].truncate(lines[rows - 1].cell_length - 1) + "…"]


def cut_lines(
    paragraphs: Sequence[Sequence[Content]], height: int, translator: Translator, key: str = "e"
) -> list[Content]:
    """Keep as many lines as fit; the last says how much more there is, and which key shows it."""
    lines = [line for one in paragraphs for line in one]
    if len(lines) <= height:
        return lines
    room = max(height - 1, 0)
    # An item that is cut in the middle counts among those left out.
    ends = accumulate(map(len, paragraphs))
    more = translator("reasons.more", number=str(sum(end > room for end in ends)), key=key)
    return [*lines[:room], Content.styled(more, "bold")]


def align_right(left: Content, end: Content, width: int) -> Content:
    """Align `end` to the right edge of a line of `width` columns that begins with `left`, which is
    cut where they would meet."""
    room = max(width - end.cell_length - 1, 0)
    if left.cell_length > room:
        left = left.rstrip()  # no ellipsis where only blanks are cut
    return Content.assemble(left.truncate(room, ellipsis=True, pad=True), " ", end)
