"""The main screen: everything that a player looks for, in the same place all evening."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widgets import Footer

from companion.views.dashboard.widgets.banner import Banner
from companion.views.dashboard.widgets.board import Board
from companion.views.dashboard.widgets.headline import GaugeView, Headline
from companion.views.dashboard.widgets.part import Part, Shown
from companion.views.dashboard.widgets.preview import LabelsOf, Preview, PreviewOf
from companion.views.dashboard.widgets.reasons import Reasons
from companion.views.dashboard.widgets.seats import Seats
from companion.views.dashboard.widgets.top_bar import TopBar


class TableScreen(Screen[None]):
    """Top bar; headline and gauge; banner; seats with board or preview and the reasons beside them; keys."""

    HORIZONTAL_BREAKPOINTS = [
        (0, "-narrow"),
        (100, "-normal"),
        (160, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [
        (0, "-tiny"),
        (16, "-short"),
        (32, "-tall"),
        (52, "-high"),
    ]

    def __init__(self, picture_of: PreviewOf | None, labels_of: LabelsOf = tuple) -> None:
        super().__init__()
        self._picture_of = picture_of
        self._labels_of = labels_of

    def compose(self) -> ComposeResult:
        """Lay out the parts; the style sheet places them for each size of terminal."""
        yield TopBar(id="top")
        with Horizontal(id="upper"):
            yield Headline(id="headline")
            yield GaugeView(id="gauge")
        yield Banner(id="banner")
        with Horizontal(id="middle"):
            with Vertical(id="left"):
                yield Seats(id="seats")
                if self._picture_of is not None:
                    yield Preview(self._picture_of, self._labels_of, id="preview-below")
            with Vertical(id="side"):
                yield Board(id="board")
                if self._picture_of is not None:
                    yield Preview(self._picture_of, self._labels_of, id="preview")
                yield Reasons(id="reasons")
        yield Reasons(id="reasons-below")
        yield Footer(show_command_palette=False, compact=True)

    def show(self, shown: Shown) -> None:
        """Show a new value in every part."""
        self.set_class(shown.face.board is not None, "has-board")
        self.set_class(self._picture_of is not None, "has-preview")
        for part in self.query(Part):
            part.show(shown)

    def look(self) -> None:
        """Renew the camera's picture."""
        for preview in self.query(Preview):
            preview.look()
