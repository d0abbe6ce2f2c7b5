"""Screen for any conversation: a long menu stays on the left, the current question is to the right
of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Footer, Input, OptionList, Static
from textual.widgets.option_list import Option

from companion.rules.contract import LONGEST_NAME, Refusal
from companion.texts import Translator, search_lines
from companion.views.conversations import Cards, Conversation, Menu, Reply, Sentence, describe_refusal
from companion.views.dashboard.menu_drawing import ChoiceList, draw_menu_texts, draw_sentence, hang_words
from companion.views.dashboard.screens.dialog import Dialog
from companion.views.dashboard.widgets.camera_preview import PictureSource, Preview
from companion.views.dashboard.widgets.entry_panel import EntryPanel

_POLL_SECONDS = 0.12
"""Seconds between two looks at a picture of the card in question."""


class ConversationScreen(Dialog[None]):
    """Screen of a conversation. Backspace takes back the last answer; Esc goes to the long menu,
    else to the beginning, then leaves without any change.

    `again`: it starts again when it is over, below its outcome, until it is left. `picture_of`:
    returns a picture for the question, None if there is none.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back"),
        Binding("slash", "search", "Search", key_display="/"),
    ]

    def __init__(
        self,
        conversation: Conversation,
        translator: Translator,
        *,
        repeat: bool = False,
        picture_of: PictureSource | None = None,
    ) -> None:
        super().__init__(classes="-again" if repeat else "")
        self._now, self._translator, self._again = conversation, translator, repeat
        self._long = Menu((), ())
        self._typed = ""
        self._side = Vertical(id="long-side")
        self._title = Static(id="long-title")
        self._line = Input(
            placeholder=translator("correct.search"), id="long-search", max_length=LONGEST_NAME
        )
        self._listing = ChoiceList(id="long", compact=True)
        self._panel = EntryPanel(translator)
        self._beside = picture_of
        self._picture = Preview(picture_of or (lambda: None))

    def compose(self) -> ComposeResult:
        """Lay out the long menu and, beside it, the panel."""
        with Horizontal(id="conversation"):
            with self._side:
                yield self._title
                yield self._line
                yield self._listing
            with Vertical(id="panel-side"):
                yield self._panel
                yield self._picture
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Show the first menu."""
        back, search = self._translator("key.short.back"), self._translator("key.short.search")
        self._bindings.key_to_bindings["escape"] = [Binding("escape", "leave", back)]
        self._bindings.key_to_bindings["slash"] = [Binding("slash", "search", search, key_display="/")]
        self._line.display = False
        if self._beside is not None:
            self.set_interval(_POLL_SECONDS, self._picture.update_picture)
        self._show_menu()

    def action_leave(self) -> None:
        """Go back to the long menu; from there, to the table."""
        if self._now.return_to_list():
            self._show_menu()
        else:
            self.dismiss(None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer the search only if there is a long menu."""
        return action != "search" or bool(self._long.rows)

    def action_search(self) -> None:
        """Open the search field for the rows of the long menu."""
        if self._now.menu is not None and self._now.menu.long:
            self._line.display = True
            self._line.focus()

    def on_key(self, event: events.Key) -> None:
        """Go to the row of the long menu whose number is typed."""
        typed = str(event.character)
        if not typed.isdecimal() or self.focused is not self._listing:
            self._typed = ""
            return
        # A number that no row has begins anew with its last digit.
        numbers = {reply.key: row for row, reply in enumerate(self._long.rows) if isinstance(reply, Reply)}
        longer = self._typed + typed
        self._typed = longer if longer in numbers else typed
        row = str(numbers.get(self._typed))
        at = [number for number, option in enumerate(self._listing.options) if option.id == row]
        if at:
            event.stop()
            self._listing.highlighted = at[0]

    def on_resize(self) -> None:
        """Wrap the rows of the long menu again, once the list has its new width."""
        self.call_after_refresh(self._wrap_rows)

    def _wrap_rows(self) -> None:
        chosen = self._listing.highlighted
        self._list_matching_rows(self._line.value)
        self._listing.highlighted = chosen

    def on_input_changed(self, event: Input.Changed) -> None:
        """List the rows that contain the typed words."""
        self._list_matching_rows(event.value)

    def on_input_submitted(self) -> None:
        """Move to the rows that were found."""
        self._listing.focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Choose a row of the long menu, also in place of the one chosen before; ignore rows that
        have disappeared."""
        # The list may have been renewed between the click and this message.
        if event.option not in self._listing.options:
            return
        row = self._long.rows[int(str(event.option.id))]
        if isinstance(row, Reply):
            self._now.return_to_list()
            self._give_answer(row)

    def on_entry_panel_closed(self) -> None:
        """Go back to the long menu."""
        self.action_leave()

    def on_entry_panel_taken_back(self) -> None:
        """Take the last answer back."""
        self._now.take_back_answer()
        self._show_menu()

    def _give_answer(self, reply: Reply, cards: Cards = None) -> None:
        if self._now.menu is None:
            return  # left, while more was typed
        taken = self._now.give_answer(reply, cards)
        self._show_menu(
            [*self._describe_outcome()] if taken else [Sentence(self._translator("share.moved_on"), "warn")]
        )

    def _describe_outcome(self) -> Iterator[Sentence]:
        """Yield the outcome, and start again."""
        if self._now.menu is not None or not self._again:
            return
        outcome = self._now.outcome
        if isinstance(outcome, Refusal):
            yield Sentence(describe_refusal(outcome, self._translator), "bad")
        elif outcome is not None:
            yield Sentence(self._translator.translate(outcome), "done")
        self._now.restart(())

    def _show_menu(self, news: Sequence[Sentence] = ()) -> None:
        menu, panel = self._now.menu, self._panel
        if menu is None:
            self.dismiss(None)
            return
        if not self.is_attached:
            return  # left, while more was typed
        panel.display = not menu.long
        self._picture.display = self._beside is not None and self._beside() is not None
        self._picture.update_at_once()  # a question and the card before it would be misread
        # The long menu stays in sight beside the questions that follow from it.
        self._side.display = bool(menu.long or self._long.rows)
        if not menu.long:
            panel.show_menu(menu._replace(texts=[*news, *menu.texts]), self._give_answer)
            panel.query_one(OptionList).focus()
            return
        # Unchanged rows keep the search and the selection.
        if menu != self._long:
            self._long = menu
            self.refresh_bindings()
            self._list_matching_rows("")
        self._title.update(draw_menu_texts([*menu.texts, *news], self._translator))
        self._listing.focus()

    def _list_matching_rows(self, query: str) -> None:
        """List the long menu's rows that contain these words, under their headings, with the newest
        selected."""
        options, heading = list[Option](), None
        found = set(search_lines(query, [row.words for row in self._long.rows]))
        wide = max((len(reply.key) for reply in self._long.replies), default=1)
        room = self._listing.scrollable_content_region.width - wide - 3
        for number, row in enumerate(self._long.rows):
            if isinstance(row, Sentence) and row.tone == "title":
                heading = row
            elif number in found:
                if heading is not None:
                    options.append(Option(draw_sentence(heading), disabled=True))
                    heading = None
                key = row.key if isinstance(row, Reply) else "–"
                words = hang_words(Content(f"{key:>{wide + 1}}  "), draw_sentence(row), room)
                options.append(Option(words, id=str(number), disabled=isinstance(row, Sentence)))
        self._listing.clear_options()
        self._listing.add_options(options)  # all at once: the list asks for a layout each time
        self._listing.action_last()  # the last row that can be chosen: later ones may only be read
