"""Who sits where, clockwise, in a row of names: one is dragged or carried to another place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from textual import events
from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget

from companion.texts import clean

_LINE = "┃"
_LONGEST = 20
"""Cells of a name; the rest of a longer one is cut, for four to stand in a line at 80 columns."""


class NamePlace(NamedTuple):
    """Where a name stands: its line, its first cell, and how many cells it takes."""

    line: int
    left: int
    width: int


class SeatRow(Widget, can_focus=True):
    """Shows `names`, each with the number of its seat. Posts `Moved` when one was taken to another
    place; drawn again by `show`."""

    class Moved(Message):
        """The names as they sit now."""

        def __init__(self, names: tuple[str, ...]) -> None:
            super().__init__()
            self.names = names

    ALLOW_SELECT = False
    """The mouse carries names here, and marks no text."""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "choose(-1)", show=False),
        Binding("right", "choose(1)", show=False),
        Binding("shift+left", "carry(-1)", show=False),
        Binding("shift+right", "carry(1)", show=False),
        Binding("escape", "let_go", show=False),
    ]

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._names: tuple[str, ...] = ()
        self._at = 0
        self._dragged: int | None = None
        self._gap = 0

    def show(self, names: Sequence[str]) -> None:
        """Show these names; one being dragged is let go, for it may be another's by now."""
        self._names = tuple(names)
        self._at = min(self._at, max(len(names) - 1, 0))
        self._let_go()
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Take as many lines as the names need."""
        places = laid(self._badges(), width)
        return places[-1].line + 1 if places else 1

    def render(self) -> Content:
        """Draw the names, and a line where the dragged one would land."""
        badges = self._badges()
        places = laid(badges, self.size.width)
        landing = self._landing()
        parts: list[Content | str | tuple[str, str]] = []
        for number, (badge, place) in enumerate(zip(badges, places, strict=True)):
            if number and place.left == 0:
                parts.append("\n")
            parts.append((_LINE, "bold $accent") if landing == number else " ")
            parts.append(badge.stylize(self._style(number)))
        if landing == len(badges):
            parts.append((_LINE, "bold $accent"))
        return Content.assemble(*parts)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take the name that the mouse is on."""
        places = laid(self._badges(), self.size.width)
        taken = next((i for i, place in enumerate(places) if _on(place, event.x, event.y)), None)
        if taken is None:
            return
        event.stop()
        self._at = self._dragged = self._gap = taken
        self.capture_mouse()
        self.refresh()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Show where the dragged name would land."""
        if self._dragged is None:
            return
        event.stop()
        self._gap = gap_at(laid(self._badges(), self.size.width), event.x, event.y)
        self.refresh()

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Let the name land where the line is."""
        if self._dragged is None:
            return
        event.stop()
        landing, taken = self._landing(), self._dragged
        self._let_go()
        if landing is not None:
            self._land(taken, landing)

    def action_choose(self, step: int) -> None:
        """Go to the next name, or the one before."""
        self._at = min(max(self._at + step, 0), max(len(self._names) - 1, 0))
        self.refresh()

    def action_carry(self, step: int) -> None:
        """Carry the chosen name a place on, or back."""
        if 0 <= self._at + step < len(self._names):
            self._land(self._at, self._at + (2 if step > 0 else -1))

    def action_let_go(self) -> None:
        """Leave a dragged name where it was; otherwise the form decides what the key means."""
        if self._dragged is None:
            raise SkipAction
        self._let_go()

    def _land(self, taken: int, gap: int) -> None:
        names = moved(self._names, taken, gap)
        self._at = _seat(taken, gap)
        self._names = names
        self.refresh(layout=True)
        self.post_message(self.Moved(names))

    def _let_go(self) -> None:
        if self._dragged is not None:
            self._dragged = None
            self.release_mouse()
            self.refresh()

    def _landing(self) -> int | None:
        """Return the gap where the dragged name would land; None beside its own place, where
        nothing would change."""
        if self._dragged is None or self._gap in (self._dragged, self._dragged + 1):
            return None
        return self._gap

    def _badges(self) -> list[Content]:
        return [
            Content(f" {number} {clean(name)}").truncate(_LONGEST, ellipsis=True) + " "
            for number, name in enumerate(self._names, 1)
        ]

    def _style(self, number: int) -> str:
        if number == self._dragged:
            return "dim italic on $panel"
        return "reverse bold" if self.has_focus and number == self._at else "on $panel"


def laid(badges: Sequence[Content], width: int) -> list[NamePlace]:
    """Lay the names in lines of `width` cells; before each name is a gap of one cell, and one
    behind the last of a line."""
    places: list[NamePlace] = []
    line = left = 0
    for badge in badges:
        wide = badge.cell_length
        if left and left + wide + 2 > width:
            line, left = line + 1, 0
        places.append(NamePlace(line, left, wide + 1))
        left += wide + 1
    return places


def gap_at(places: Sequence[NamePlace], x: int, y: int) -> int:
    """Return the number of the name before which one would land that is let go at this cell; their
    count behind the last."""
    line = min(max(y, 0), places[-1].line)
    here = [number for number, place in enumerate(places) if place.line == line]
    return next((i for i in here if x < places[i].left + 1 + places[i].width // 2), here[-1] + 1)


def moved(names: Sequence[str], taken: int, gap: int) -> tuple[str, ...]:
    """Return the names with the one at `taken` in the gap before the name at `gap`, both counted
    before it was taken away."""
    rest = [name for number, name in enumerate(names) if number != taken]
    rest.insert(_seat(taken, gap), names[taken])
    return tuple(rest)


def _seat(taken: int, gap: int) -> int:
    """Return where the one from `taken` sits after landing in `gap`: its own leaving closes a gap
    before those behind it."""
    return gap if gap <= taken else gap - 1


def _on(place: NamePlace, x: int, y: int) -> bool:
    return place.line == y and place.left < x < place.left + place.width
