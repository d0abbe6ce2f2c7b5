"""Naming cards one after the other: each card has a key, Backspace takes the last one back, Enter is done."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Label, OptionList, Static
from textual.widgets.option_list import Option

from companion.rules.contract import Pick
from companion.texts import Translator
from companion.views.menu_keys import card_keys


class PickCards(ModalScreen[tuple[str, ...] | None]):
    """Ask for `pick.least` to `pick.most` cards. Dismissed with their names in the order picked, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss_none", "Back"),
        Binding("backspace", "take_back", "Take back"),
        Binding("enter", "done", "Done", priority=True),
    ]

    def __init__(self, title: str, pick: Pick, say: Translator) -> None:
        super().__init__()
        self._title = title
        self._pick = pick
        self._say = say
        self._keys = card_keys(pick)
        self._picked: list[str] = []
        self._typed = ""

    def compose(self) -> ComposeResult:
        """Lay out title, what is picked so far, and the cards."""
        with Vertical(id="choose"):
            yield Label(Content(self._title), id="choose-title")
            yield Static(self._so_far(), id="picked")
            yield OptionList(*(self._option(row) for row in range(len(self._pick.cards))), id="choose-list")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Add the card that was clicked."""
        self._add(event.option_index)

    def on_key(self, event: events.Key) -> None:
        """Add the card whose key was typed."""
        if not event.character or not event.is_printable:
            return
        event.stop()
        for typed in (self._typed + event.character, event.character):
            starting = [row for row, key in enumerate(self._keys) if key and key.startswith(typed)]
            if starting:
                exact = self._keys[starting[0]] == typed
                self._typed = "" if exact else typed
                if exact:
                    self._add(starting[0])
                return
        self._typed = ""

    def action_take_back(self) -> None:
        """Take the last card back."""
        if self._picked:
            self._picked.pop()
            self._show()

    def action_done(self) -> None:
        """Hand the cards over, if there are enough."""
        if len(self._picked) >= self._pick.least:
            self.dismiss(tuple(self._picked))
        else:
            self.notify(self._say("pick.too_few", least=self._pick.least))

    def action_dismiss_none(self) -> None:
        """Leave without cards."""
        self.dismiss(None)

    def _add(self, row: int) -> None:
        name, copies = self._pick.cards[row]
        if len(self._picked) >= self._pick.most:
            self.notify(self._say("pick.too_many", most=self._pick.most))
        elif self._picked.count(name) >= copies:
            self.notify(self._say("pick.no_more", card=self._say(f"card.{name}")), markup=False)
        else:
            self._picked.append(name)
            self._show()

    def _show(self) -> None:
        self.query_one("#picked", Static).update(self._so_far())

    def _so_far(self) -> Content:
        cards = "  ".join(self._say(f"card.{name}") for name in self._picked) or "…"
        count = f"{len(self._picked)}/{self._pick.most}  " if self._pick.most else ""
        return Content.assemble(
            (count, "bold"), (cards, "bold $primary"), "   ", (self._say("pick.help"), "$foreground-muted")
        )

    def _option(self, row: int) -> Option:
        name, copies = self._pick.cards[row]
        words = self._say(f"card.{name}") + (f"  ({copies})" if copies > 1 else "")
        return Option(Content.assemble((f" {self._keys[row]} ", "bold reverse"), "  ", words))
