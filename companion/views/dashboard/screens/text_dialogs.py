"""Sheets to read over the table: the score sheet with the reasons for every player's points, the
list of keys, and the real cards to move, ticked off one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Label, OptionList, Static
from textual.widgets.option_list import Option

from companion.live.snapshot import Snapshot
from companion.rules import registry
from companion.rules.contract import GAME_OVER, Reason
from companion.texts import Translator, format_score
from companion.views.dashboard.screens.dialog import Dialog
from companion.views.dashboard.screens.table_screen import list_warnings
from companion.views.victory import describe_tie_break


class ExplanationScreen(Dialog[None]):
    """Score sheet. First comes what has little room on the main screen: problems, the final
    ranking, and what to set up before the first act; then each player's reasons with clauses and
    points."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,e,enter,q", "dismiss", "Back"),
    ]

    def __init__(
        self, snapshot: Snapshot, reasons: Sequence[tuple[str, Sequence[Reason]]], translator: Translator
    ) -> None:
        super().__init__()
        self._snapshot = snapshot
        self._reasons = reasons
        self._translator = translator

    def compose(self) -> ComposeResult:
        """Lay out the sheet."""
        with VerticalScroll(id="sheet"):
            yield Label(Content.styled(self._translator("sheet.title"), "bold"), id="sheet-title")
            # At 80x24 the main screen shows half a sentence of these.
            for text in list_warnings(self._snapshot):
                yield Static(
                    Content.styled(f"⚠ {self._translator.translate(text)}", "bold $warning"),
                    classes="sheet-player",
                )
            if self._snapshot.view["result"] is not None:
                yield Static(self._draw_ranking(), classes="sheet-ranking")
            # At 80x24 three of the five lines to set up find no room on the main screen.
            if not self._snapshot.can_undo and self._snapshot.report:
                yield Static(
                    Content("\n").join(map(self._draw_reason, self._snapshot.report)), classes="sheet-player"
                )
            for player, reasons in self._reasons:
                yield Static(self._draw_player_reasons(player, reasons), classes="sheet-player")

    def _draw_ranking(self) -> Content:
        lines = []
        for row in self._snapshot.view["result"]["ranking"]:
            line = f"{row['rank']}.  {self._translator.display_name(row['player'], 40)}  {format_score(row['points'])}"
            lines.append(
                Content.styled(
                    ("★ " if row["rank"] == 1 else "  ") + line, "bold $primary" if row["rank"] == 1 else ""
                )
            )
        if words := describe_tie_break(self._snapshot.view, self._translator):
            clause = registry.load_game(self._snapshot.setup.game).clauses.get(GAME_OVER, "")
            lines.append(Content.assemble(words, (f"  [{clause}]" if clause else "", "$foreground-muted")))
        return Content("\n").join(lines)

    def _draw_player_reasons(self, player: str, reasons: Sequence[Reason]) -> Content:
        points = format_score(
            next(row["points"] for row in self._snapshot.view["players"] if row["name"] == player)
        )
        lines = [
            Content.styled(
                self._translator("of_whom", who=self._translator.display_name(player, 40), what=points),
                "bold $primary",
            )
        ]
        for reason in reasons:
            worth = f"{format_score(reason.points):>4} " if reason.points else "   · "
            lines.append(Content.assemble((worth, "bold"), self._draw_reason(reason)))
        return Content("\n").join(lines)

    def _draw_reason(self, reason: Reason) -> Content:
        clauses = f"  [{' '.join(reason.clauses)}]" if reason.clauses else ""
        return Content.assemble(self._translator.translate(reason.text), (clauses, "$foreground-muted"))

    def on_click(self) -> None:
        """Go back to the table: there is nothing to click on."""
        self.dismiss(None)


class HelpScreen(Dialog[str | None]):
    """List of all keys and what they do. Its result is the key whose line was clicked, None for any
    other click."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,question_mark,enter,q", "dismiss", "Back")]

    def __init__(self, keys: Sequence[tuple[str, str]], translator: Translator) -> None:
        super().__init__()
        self._keys = keys
        self._translator = translator

    def compose(self) -> ComposeResult:
        """Lay out the list."""
        with VerticalScroll(id="sheet"):
            yield Label(Content.styled(self._translator("help.title"), "bold"), id="sheet-title")
            for key, words in self._keys:
                yield _KeyLine(key, words)

    def on_click(self) -> None:
        """Go back to the table."""
        self.dismiss(None)


class _KeyLine(Static):
    """A key that can be pressed by clicking on its line."""

    def __init__(self, typed: str, words: str) -> None:
        super().__init__(Content.assemble((f"{typed:>8}", "bold $primary"), "   ", words), classes="help-key")
        self._typed = typed

    def on_click(self, event: events.Click) -> None:
        """Press the key."""
        # Otherwise the sheet would take the click as one that only closes it.
        event.stop()
        self.screen.dismiss(self._typed)


class MovesScreen(Dialog[bool]):
    """List of cards to move. Its result is True once every card is ticked, or all are by `m`; False
    if it was left."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back"),
        Binding("m", "all_done", "Moved"),
    ]

    def __init__(self, moves: Sequence[str], translator: Translator) -> None:
        super().__init__()
        self._moves = moves
        self._translator = translator
        self._done: set[int] = set()

    def compose(self) -> ComposeResult:
        """Lay out the list."""
        with Vertical(id="choose"):
            yield Label(Content(self._translator("moves.tick")), id="choose-title")
            yield OptionList(
                *(Option(self._draw_move(number)) for number in range(len(self._moves))), id="choose-list"
            )

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Tick a card or remove the tick, and select the next open one."""
        number = event.option_index
        self._done ^= {number}
        event.option_list.replace_option_prompt_at_index(number, self._draw_move(number))
        left = [one for one in range(len(self._moves)) if one not in self._done]
        if not left:
            self.dismiss(True)
        elif number in self._done:
            event.option_list.highlighted = next((one for one in left if one > number), left[0])

    def on_click(self, event: events.Click) -> None:
        """Leave on a click outside the list."""
        if event.widget is self:
            self.dismiss(False)

    def action_all_done(self) -> None:
        """Confirm that all cards are in their places."""
        self.dismiss(True)

    def action_leave(self) -> None:
        """Leave while some cards are still in the wrong place."""
        self.dismiss(False)

    def _draw_move(self, number: int) -> Content:
        ticked = number in self._done
        sign = ("☑ ", "bold $success") if ticked else ("☐ ", "bold")
        return Content.assemble(sign, (self._moves[number], "$foreground-muted" if ticked else ""))
