"""The entry panel: what can be entered now, beside the table. It stays open until it is closed, so
that a round needs few keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from companion.rules.contract import Pick
from companion.texts import Translator
from companion.views.conversations import AGREE_KEY, Cards, Menu, PartsProgress, Reply, TextPrompt
from companion.views.dashboard.menu_drawing import (
    ChoiceList,
    draw_menu_texts,
    draw_sentence,
    hang_words,
)
from companion.views.dashboard.widgets.screen_part import truncate_rows, wrap_text
from companion.views.entry_options import KeyMatch, assign_keys, list_card_keys, match_key

_TOLD = 10
"""Most keys that are listed after a wrong one: two lines of the narrowest panel."""
_HINT_ROWS = 6
"""Rows that a hint has in any panel: what to do and its clause in the narrowest one."""
_ROWS_BESIDE_HINT = 6
"""Rows of the panel, its title among them, that stay beside a longer hint."""
_CLAUSE = re.compile(r"\([^()]+\)$")
_PAUSE = 0.7
"""Seconds after which a key that could go on (`1`, or `10`) counts as complete."""


class EntryPanel(Vertical):
    """Panel of rows with keys of one or a few characters; typing narrows the rows. While cards are
    being chosen they are the rows; for free text there is an input line in their place.

    Keys of rows that are not shown (`Menu.attempts`) can be typed as well: the rules say why not.
    What does not fit is discarded whole, so that no part of it begins another entry.

    No row is selected until an arrow or the mouse selects one, so that an extra Enter chooses
    nothing. `ready` returns whether the rows have been visible long enough for a key to be meant
    for them.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close"),
        Binding("backspace", "take_back"),
        Binding("tab", "next"),
        Binding("enter", "done", priority=True),
    ]

    class Closed(Message):
        """Message: the panel was left."""

    class TakenBack(Message):
        """Message: take back the previous answer; the panel itself has nothing to take back."""

    class Next(Message):
        """Message: show the next player's choices."""

    def __init__(self, translator: Translator) -> None:
        super().__init__(id="entry")
        self.translator = translator
        self.ready: Callable[[], bool] = lambda: True
        self._keys: Sequence[str] = ()
        """The keys of the rows that are shown."""
        self._aliases: Sequence[tuple[str, ...]] = ()
        """Other keys for these rows."""
        self._list_hidden: Callable[[], Sequence[tuple[str, ...]]] = tuple
        """Return the keys of the rows that are not shown; they are numbered after the others."""
        self._awaited = ""
        """What is to be done, with its clause; said after a key that means nothing."""
        self._at_table = True
        """Whether Esc leads to the table, whose keys then work."""
        self._words: Sequence[Content] = ()
        self._then: Callable[[int], object] = lambda _: None
        self._typed = ""
        self.doubted_key = ""
        """A row's key that may be meant otherwise: it counts the second time."""
        self._hint = ""
        """The message below the rows, "" if none is shown."""
        self._pause: Timer | None = None
        """Runs while a longer key might follow what is typed."""
        self._drawn: tuple[Sequence[int], int] | None = None
        """The rows that are shown, and the columns for which they were wrapped."""
        self._pick: Pick | None = None
        self._picked: list[str] = []
        self._at_once = True
        self._line = Input()
        self._take: Callable[[tuple[str, ...]], object] = lambda _: None

    @property
    def has_chosen_row(self) -> bool:
        """Whether an arrow or the mouse has selected a row."""
        return self.query_one(OptionList).highlighted is not None

    @property
    def has_typed(self) -> bool:
        """Whether the beginning of a key was typed, which the next key continues or Enter ends."""
        return bool(self._typed)

    def uses_key(self, key: str) -> bool:
        """Return whether a key means something here: text is typed, or it begins a row's key."""
        return self._line.display or self._match(key) != KeyMatch(None, False)

    def compose(self) -> ComposeResult:
        """Lay out title, chosen cards, rows, and a line for messages about wrong keys."""
        yield Static(id="entry-title")
        yield Static(id="entry-picked")
        yield self._line
        yield ChoiceList(id="entry-list")
        yield Static(id="entry-wrong")

    def on_mount(self) -> None:
        """Hide the line for free text, and name the key that closes the panel."""
        self._line.display = False
        self.set_translator(self.translator)

    def set_translator(self, translator: Translator) -> None:
        """Use this translator from now on, also for the name of the key that closes the panel."""
        self.translator = translator
        self._bindings.key_to_bindings["escape"] = [Binding("escape", "close", translator("key.short.back"))]

    @property
    def is_picking(self) -> bool:
        """Whether cards are being chosen or text typed."""
        return self._pick is not None or self._line.display

    def show_menu(self, menu: Menu, answer: Callable[[Reply, Cards], object]) -> None:
        """Show a conversation's menu; `answer` receives the reply, with the cards chosen for it. A
        reply that confirms is given by Enter."""
        # Where nothing is possible, what may be typed is shown all the same, each with its reason.
        replies = menu.replies or list(menu.attempts())
        keys = assign_keys(["⏎" if reply.key == AGREE_KEY else reply.key for reply in replies])
        words = [draw_sentence(reply) for reply in replies]
        if any(isinstance(one, PartsProgress) for one in menu.texts):
            # For the mouse; Backspace does the same.
            keys.append("⌫")
            words.append(Content(self.translator("parts.back")))
        shown = len(keys)

        @cache
        def list_hidden() -> Sequence[Reply]:
            return menu.attempts() if menu.replies else ()

        def handle_row(row: int) -> None:
            if row == len(replies) < shown:
                self.post_message(self.TakenBack())
                return
            reply = replies[row] if row < shown else list_hidden()[row - shown]
            self._take = lambda cards: answer(reply, cards)
            if reply.pick is None:
                answer(reply, None)
            elif isinstance(reply.pick, TextPrompt):
                self._prompt_for_text(draw_sentence(reply), reply.pick)
            else:
                # Elsewhere the Enter that ends the choice would also confirm what comes next.
                self._prompt_for_cards(draw_sentence(reply), reply.pick, at_once=menu.entry_turn is not None)

        self._awaited, self._at_table = menu.awaited, menu.entry_turn is not None
        self._show_rows(
            draw_menu_texts(menu.texts, self.translator, menu.entry_turn),
            keys,
            words,
            handle_row,
            [reply.aliases for reply in replies],
            lambda: [(one.key, *one.aliases) for one in list_hidden()],
        )

    def _show_rows(
        self,
        title: Content,
        keys: Sequence[str],
        words: Sequence[Content],
        then: Callable[[int], object],
        aliases: Sequence[tuple[str, ...]] = (),
        list_hidden: Callable[[], Sequence[tuple[str, ...]]] = tuple,
    ) -> None:
        """Show these rows; `then` receives the number of the chosen one, counted on over those that
        are not shown."""
        self._stop_pause()
        self._hide_hint()
        self._keys, self._words, self._then = keys, words, then
        self._aliases = [*aliases, *((),) * (len(keys) - len(aliases))]
        self._list_hidden = list_hidden
        self._pick, self._picked, self._typed, self._drawn = None, [], "", None
        self._at_once = True
        self._line.display = False
        listing = self.query_one(OptionList)
        listing.display = True
        self.query_one("#entry-title", Static).update(title)
        self.query_one("#entry-picked").display = False
        self._draw_rows()

    def _prompt_for_text(self, title: Content, prompt: TextPrompt) -> None:
        """Let text be typed, until Enter."""
        self._show_rows(title, (), (), lambda _: None)
        self.query_one(OptionList).display = False
        self._line.value, self._line.placeholder, self._line.max_length = "", prompt.ask, prompt.most
        self._line.display = True
        self._line.focus()

    def _prompt_for_cards(self, title: Content, pick: Pick, *, at_once: bool) -> None:
        """Let cards be chosen one after the other; with `at_once` the last one completes the choice
        if their number is fixed, else Enter does."""
        words = [self._draw_card_row(row, pick) for row in range(len(pick.cards))]
        done = [Content(self.translator("pick.done")), Content(self.translator("parts.back"))]
        keys = [*list_card_keys(pick), "⏎", "⌫"]
        self._show_rows(
            title,
            keys,
            [*words, *done],
            self._add_card,
            list_hidden=lambda: [(key,) for _, key in pick.others],
        )
        self._pick = pick
        self._at_once = at_once and pick.least == pick.most
        self.query_one("#entry-picked").display = True
        self._draw_picked_cards()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Choose the selected row, unless the rows have changed since."""
        event.stop()
        if event.option in event.option_list.options:
            self._choose_row(int(str(event.option.id)))

    def on_click(self, event: events.Click) -> None:
        """Switch to the next player on a click on the line that names who else is awaited."""
        if event.widget is self.query_one("#entry-title"):
            event.stop()
            self.action_next()

    def on_key(self, event: events.Key) -> None:
        """Choose the row whose key was typed, or narrow the rows to those that begin with it."""
        if not event.character or not event.is_printable or not self.is_attached or self._line.display:
            return
        self._stop_pause()
        self._hide_hint()
        doubted, self.doubted_key = self.doubted_key, ""
        if event.character == doubted:
            event.stop()
            self.show_hint(self.translator("entry.redo_or_row", key=doubted))
            return
        typed = self._typed + event.character
        found = self._match(typed)
        if found == (None, False) and self._match(self._typed).row is not None:
            # What was typed before is complete without this key, which belongs to what follows.
            self._complete_typed()
            typed = event.character
            found = self._match(typed)
        if found != (None, False):
            event.stop()
            self._typed = typed
            self._draw_rows()
            if not found.may_continue:
                self._complete_typed()
            elif found.row is not None:
                self.show_hint(self.translator("entry.or_more", typed=typed))
                # Among cards the next key tells: however slowly it is typed, `10` is no `1`.
                if self._at_once:
                    self._pause = self.set_timer(_PAUSE, self._complete_typed)
            return
        self._typed = ""
        self._draw_rows()
        # A key that neither a row nor a binding uses was meant for a row.
        if event.key not in self.screen.active_bindings:
            more = ["…"] if len(self._keys) > _TOLD else []
            keys = " ".join([*self._keys[:_TOLD], *more])
            # In other conversations Esc leads elsewhere.
            code = "entry.no_key" if self._at_table else "entry.no_key_here"
            told = self.translator(code, key=typed, keys=keys)
            # An ellipsis ends the sentence by itself.
            self.show_hint(f"{told}{'' if told.endswith('…') else '.'} {self._awaited}".strip())

    def _match(self, typed: str) -> KeyMatch:
        """Return what the typed characters mean, among all rows."""
        shown = [(key, *more) for key, more in zip(self._keys, self._aliases, strict=True)]
        return match_key(typed, [*shown, *self._list_hidden()]) if typed else KeyMatch(None, False)

    def _stop_pause(self) -> None:
        """Complete nothing by itself any more: another key or other rows came."""
        if self._pause is not None:
            self._pause.stop()

    def _complete_typed(self) -> None:
        """Choose the row that is typed completely, if the panel is still open."""
        row = self._match(self._typed).row
        if row is None or not self.display:
            return
        self._typed = ""
        self._hide_hint()
        self._draw_rows()
        self._choose_row(row)

    def on_resize(self) -> None:
        """Wrap rows and hint again."""
        listing = self.query_one(OptionList)
        chosen = listing.highlighted
        self._draw_rows()
        listing.highlighted = chosen
        if self._hint:
            self.show_hint(self._hint)

    def show_hint(self, words: str) -> None:
        """Show a message about the last key, below the rows, until the next key."""
        self._hint = words
        room = max(self.content_size.height - _ROWS_BESIDE_HINT, _HINT_ROWS)
        line = self.query_one("#entry-wrong", Static)
        line.update(Content("\n").join(_fit_hint(words, self.content_size.width or len(words), room)))
        line.display = True

    def _hide_hint(self) -> None:
        self._hint = ""
        self.query_one("#entry-wrong").display = False

    def action_done(self) -> None:
        """Hand over the cards or text; else choose the selected row."""
        if self._line.display:
            self._take((self._line.value.strip(),))
        elif self._match(self._typed).row is not None:
            picking = self._pick is not None
            self._complete_typed()
            # The cards are complete, too: a `1` that might become a `10` is the last of them.
            if picking and self._pick is not None:
                self._take(tuple(self._picked))
        elif self._pick is None and self.has_chosen_row:
            self.query_one(OptionList).action_select()
        elif self._pick is None and "⏎" in self._keys:
            self._choose_row(self._keys.index("⏎"))
        elif self._pick is None:
            self.show_hint(self.translator("entry.choose"))
        else:
            self._take(tuple(self._picked))

    def _choose_row(self, row: int) -> None:
        """Choose a row, unless the key was meant for the rows before."""
        if self.ready():
            self._then(row)
        else:
            self.show_hint(self.translator("entry.changed"))

    def action_take_back(self) -> None:
        """Take back the last character, or the last card."""
        if self._typed:
            self._typed = self._typed[:-1]
            self._hide_hint()
            self._draw_rows()
        elif self._picked:
            self._picked.pop()
            self._draw_picked_cards()
        elif not self.is_picking:
            self.post_message(self.TakenBack())

    def action_next(self) -> None:
        """Switch to the next awaited player."""
        self.post_message(self.Next())

    def action_close(self) -> None:
        """Leave the panel."""
        self.post_message(self.Closed())

    def _draw_rows(self) -> None:
        if self._pick is not None:
            self._draw_picked_cards()
        listing = self.query_one(OptionList)
        listing.highlighted = None
        wide = max(map(len, self._keys), default=1)
        room = listing.scrollable_content_region.width - wide - 3
        rows = [
            number
            for number, (key, more) in enumerate(zip(self._keys, self._aliases, strict=True))
            if any(one.startswith(self._typed) for one in (key, *more))
        ]
        # A key that changes no row must not lay out the list again.
        if (rows, room) == self._drawn:
            return
        self._drawn = rows, room
        options = []
        for number in rows:
            key = Content.assemble((f" {self._keys[number].ljust(wide)} ", "bold reverse"), " ")
            options.append(Option(hang_words(key, self._words[number], room), id=str(number)))
        listing.clear_options()
        listing.add_options(options)  # all at once: the list asks for a layout each time

    def _draw_card_row(self, row: int, pick: Pick) -> Content:
        name, copies = pick.cards[row]
        return Content(self.translator(f"card.{name}") + (f"  ({copies})" if copies > 1 else ""))

    def _add_card(self, row: int) -> None:
        assert self._pick is not None
        beyond = row - len(self._pick.cards)
        if beyond in (0, 1):  # the two rows for the mouse below the cards
            (self.action_done, self.action_take_back)[beyond]()
            return
        # Too many, too few and cards that cannot be there are judged by the rules, which say why.
        self._picked.append(self._pick.cards[row][0] if beyond < 0 else self._pick.others[beyond - 2][0])
        if self._at_once and len(self._picked) == self._pick.most:
            self._take(tuple(self._picked))  # nothing else can follow
        else:
            self._draw_picked_cards()

    def _draw_picked_cards(self) -> None:
        assert self._pick is not None
        named = [self.translator(f"card.{name}") for name in self._picked]
        # The beginning of a key, or a `1` that may become a `10`.
        cards = "  ".join([*named, *[f"{self._typed}…"] * bool(self._typed)]) or "…"
        self.query_one("#entry-picked", Static).update(
            Content.assemble(
                (f"{len(self._picked)}/{self._pick.most}  ", "bold"),
                (cards, "bold $primary"),
                "\n",
                (self.translator("pick.help_at_once" if self._at_once else "pick.help"), "$foreground-muted"),
            )
        )


def _fit_hint(words: str, width: int, most: int) -> list[Content]:
    """Wrap a hint into at most so many rows; of one that is cut, the clause at its end stays."""
    rows, clause = wrap_text(words, width), _CLAUSE.search(words)
    if len(rows) <= most or clause is None:
        return truncate_rows(rows, most)
    end = f"… {clause[0]}"
    return [*rows[: most - 1], rows[most - 1].truncate(width - len(end)) + end]
