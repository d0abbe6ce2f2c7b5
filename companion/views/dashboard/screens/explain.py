"""The score sheet with its reasons: for every player, why they have the points that they have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Label, Static

from companion.live.snapshot import Snapshot
from companion.rules.contract import Reason
from companion.texts import Translator
from companion.views.dashboard.screens.sheet import Sheet


class ExplanationScreen(Sheet[None]):
    """Ranking first, when the game is over; then each player's reasons with clauses and points."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,e,enter,q", "dismiss_sheet", "Back"),
    ]

    def __init__(
        self, snapshot: Snapshot, reasons: Sequence[tuple[str, Sequence[Reason]]], say: Translator
    ) -> None:
        super().__init__()
        self._snapshot = snapshot
        self._reasons = reasons
        self._say = say

    def compose(self) -> ComposeResult:
        """Lay out the sheet."""
        with VerticalScroll(id="sheet"):
            yield Label(Content.styled(self._say("sheet.title"), "bold"), id="sheet-title")
            if self._snapshot.view["result"] is not None:
                yield Static(self._ranking(), classes="sheet-ranking")
            for player, reasons in self._reasons:
                yield Static(self._player(player, reasons), classes="sheet-player")

    def _ranking(self) -> Content:
        lines = []
        for row in self._snapshot.view["result"]["ranking"]:
            line = f"{row['rank']}.  {self._say.name(row['player'], 40)}  {row['points']}"
            lines.append(
                Content.styled(
                    ("★ " if row["rank"] == 1 else "  ") + line, "bold $primary" if row["rank"] == 1 else ""
                )
            )
        return Content("\n").join(lines)

    def _player(self, player: str, reasons: Sequence[Reason]) -> Content:
        points = next(row["points"] for row in self._snapshot.view["players"] if row["name"] == player)
        lines = [
            Content.styled(self._say("of_whom", who=self._say.name(player, 40), what=points), "bold $primary")
        ]
        for reason in reasons:
            worth = f"{reason.points:>4} " if reason.points else "   · "
            clauses = f"  [{' '.join(reason.clauses)}]" if reason.clauses else ""
            lines.append(
                Content.assemble((worth, "bold"), self._say.say(reason.text), (clauses, "$foreground-muted"))
            )
        return Content("\n").join(lines)

    def on_click(self) -> None:
        """Back to the table: there is nothing to click on."""
        self.dismiss(None)

    def action_dismiss_sheet(self) -> None:
        """Back to the table."""
        self.dismiss(None)
