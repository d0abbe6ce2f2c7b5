"""The main screen: everything that a player looks for, in the same place all evening."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.screen import Screen
from textual.widgets import OptionList

from companion.texts import Translator
from companion.views.dashboard.widgets.entry_panel import EntryPanel
from companion.views.dashboard.widgets.keys_row import KeysRow
from companion.views.dashboard.widgets.part import Part, ScreenState
from companion.views.dashboard.widgets.preview import LabelsOf, Preview, PreviewOf
from companion.views.dashboard.widgets.reasons import Reasons
from companion.views.dashboard.widgets.rounds import Rounds
from companion.views.dashboard.widgets.seats import Seats
from companion.views.dashboard.widgets.stage import Stage
from companion.views.dashboard.widgets.top_bar import TopBar


class TableScreen(Screen[None]):
    """Top bar; the stage; the seats, with board, rounds, picture or the entry panel beside them;
    the reasons; keys."""

    AUTO_FOCUS = ""
    HORIZONTAL_BREAKPOINTS = [
        (0, "-narrow"),
        (100, "-normal"),
        (160, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [
        (0, "-tiny"),
        (16, "-short"),
        (24, "-usual"),
        (32, "-tall"),
        (52, "-high"),
    ]

    def __init__(self, picture_of: PreviewOf | None, labels_of: LabelsOf, say: Translator) -> None:
        super().__init__()
        self._picture_of = picture_of
        self._labels_of = labels_of
        self._entry = EntryPanel(say)

    def fit(self, size: Size) -> None:
        """Take the classes of this size at once: without them all parts are styled, laid out and
        painted for none, and then once more."""
        for length, steps in (
            (size.width, self.HORIZONTAL_BREAKPOINTS),
            (size.height, self.VERTICAL_BREAKPOINTS),
        ):
            self.add_class(max(step for step in steps if step[0] <= length)[1], update=False)

    class Ready(Message):
        """Every part is there, and nothing is drawn yet."""

    def on_mount(self) -> None:
        """Ask for what is to be shown: drawn first without it, all would be laid out twice."""
        self.post_message(self.Ready())

    @property
    def entry(self) -> EntryPanel | None:
        """The entry panel, once it is there."""
        return self._entry if self._entry.is_mounted else None

    def compose(self) -> ComposeResult:
        """Lay out the parts; the style sheet places them for each size of terminal."""
        yield TopBar(id="top")
        yield Stage(id="stage")
        with Horizontal(id="middle"):
            with Vertical(id="left"):
                yield Seats(id="seats")
                if self._picture_of is not None:
                    yield Preview(self._picture_of, self._labels_of, id="preview-below")
            yield self._entry
            with Vertical(id="side"):
                yield Board(id="board")
                if self._picture_of is not None:
                    yield Preview(self._picture_of, self._labels_of, id="preview")
                yield Rounds(id="rounds")
        yield Reasons(id="reasons")
        yield KeysRow(show_command_palette=False, compact=True)

    async def on_click(self) -> None:
        """Lead back from the glance, where no keys are shown, to everything."""
        if self.has_class("-glance") and not self.has_class("has-entry"):
            await self.app.run_action("glance")

    def show(self, shown: ScreenState) -> None:
        """Show a new value in every part."""
        self.set_class(shown.face.board is not None, "has-board")
        self.set_class(self._picture_of is not None, "has-preview")
        self.set_class(shown.moment is not None, "has-moment")
        self.set_class(shown.snapshot.view["result"] is not None, "has-won")
        for part in self.query(Part):
            part.show(shown)

    def show_entry(self, shown: bool) -> None:
        """Open or close the entry panel; open it takes what is typed."""
        self.set_class(shown, "has-entry")
        self._entry.display = shown
        if shown:
            self._entry.query_one(OptionList).focus()
        else:
            self.set_focus(None)

    def look(self) -> None:
        """Renew the camera's picture."""
        for preview in self.query(Preview):
            preview.look()


class Board(Part):
    """Hidden by the screen where the game has no board."""

    def lines(self, shown: ScreenState, width: int, height: int) -> list[Content]:
        """Draw the board."""
        draw = shown.face.board
        return [] if draw is None else list(draw(width, height).split("\n"))
