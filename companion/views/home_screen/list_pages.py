"""Pages behind the home screen: lists to read, to search and to choose a line from (history, decks,
settings), and a page with the progress of long work."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, TypeAlias

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Footer, Input, Label, OptionList, ProgressBar, Static
from textual.widgets.option_list import Option

from companion import crash
from companion.rules.contract import Problem
from companion.texts import Translator, search_lines
from companion.views.dashboard.themed_app import ThemedApp


class ListPage(ThemedApp[int | None]):
    """Screen with lines under a title; its result is the number of the chosen line, None if it was
    left.

    `photo`: draws a photo above them, in at most so many columns and rows.
    """

    CSS_PATH = "home_screen.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("q,escape", "leave", "Back")]
    _first: ClassVar[type[Widget]] = OptionList

    def __init__(
        self,
        title: str,
        lines: Sequence[str],
        translator: Translator,
        theme: str,
        at: int = 0,
        photo: Callable[[int, int], Content] | None = None,
    ) -> None:
        super().__init__(translator, theme)
        self._photo = photo
        self._heading = title
        self._lines = lines
        self._found: Sequence[int] = range(len(lines))
        self._at = at

    def compose(self) -> ComposeResult:
        """Lay out title and lines."""
        with Vertical(id="sheet"):
            yield Label(Content(self._heading), id="sheet-title")
            if self._photo is not None:
                yield Static(id="sheet-photo")
            yield OptionList(*(Option(Content(line)) for line in self._lines), id="home-list")
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Name the keys in the players' language, and select the line of the last visit."""
        for key, (action, code, shown) in self._list_keys().items():
            # Before the search field, which would take these two for itself.
            named = Binding(
                key, action, self.translator(code), show=shown, priority=key in ("delete", "enter")
            )
            self._bindings.key_to_bindings[key] = [named]
        self.query_one(self._first).focus()
        if self._lines:
            # The list takes its last line where there are fewer than at the last visit.
            self.query_one(OptionList).highlighted = self._at

    def on_resize(self, event: events.Resize) -> None:
        """Draw the photo in a third of the rows."""
        if self._photo is not None:
            room = self.query_one("#sheet").content_size.width or event.size.width - 4
            self.query_one("#sheet-photo", Static).update(self._photo(room, event.size.height // 3))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Return the line."""
        # The list shows the lines that were found only: its index is not the line's number.
        self.exit(self._found[event.option_index])

    def _list_keys(self) -> Mapping[str, tuple[str, str, bool]]:
        """Return the action of each key, its message code, and whether it is shown."""
        back = {key: ("leave", "key.short.back", key == "q") for key in ("q", "escape")}
        return {"enter": ("choose", "key.short.choose", True), **back}

    def action_choose(self) -> None:
        """Return the selected line."""
        at = self.query_one(OptionList).highlighted
        if at is not None and self._found:
            self.exit(self._found[at])

    def action_leave(self) -> None:
        """Go back."""
        self.exit(None)


_MOVES = {"up": "cursor_up", "down": "cursor_down", "pageup": "page_up", "pagedown": "page_down"}


class SearchPage(ListPage):
    """A list with a search field: the lines that contain all its words are shown, and chosen from
    with arrows and Enter.

    `chosen_for_removal`: it was left by Delete, so the resulting line is to be removed;
    `can_remove`: that key exists here. `typed`: the text in the field, if no line matched and new
    text is allowed (`free`); the result is -1 then.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("delete", "choose_for_removal", "Throw away", priority=True)
    ]
    _first = Input

    def __init__(
        self,
        title: str,
        lines: Sequence[str],
        translator: Translator,
        theme: str,
        at: int = 0,
        *,
        can_remove: bool = False,
        free: bool = False,
    ) -> None:
        super().__init__(title, lines, translator, theme, at)
        self.chosen_for_removal = False
        self.typed = ""
        self._can_remove, self._free = can_remove, free

    def compose(self) -> ComposeResult:
        """Lay out title, the line to type in and the lines."""
        with Vertical(id="sheet"):
            yield Label(Content(self._heading), id="sheet-title")
            yield Input(placeholder=self.translator("home_screen.search"), compact=True, id="search")
            yield OptionList(*(Option(Content(line)) for line in self._lines), id="home-list")
            none = Static(
                Content(
                    self.translator("home_screen.search.new" if self._free else "home_screen.search.none")
                ),
                id="search-none",
            )
            none.display = not self._lines
            yield none
        yield Footer(compact=True)

    def _list_keys(self) -> Mapping[str, tuple[str, str, bool]]:
        return {
            "enter": ("choose", "key.short.choose", True),
            "q": ("leave", "key.short.back", False),  # where nothing is typed
            "escape": ("leave", "key.short.back", True),
            "delete": ("choose_for_removal", "key.short.throw_away", self._can_remove),
        }

    def on_key(self, event: events.Key) -> None:
        """Move in the list by the arrow keys while the search field has the focus."""
        if event.key in _MOVES and self.focused is self.query_one(Input):
            event.stop()
            getattr(self.query_one(OptionList), f"action_{_MOVES[event.key]}")()

    def on_input_changed(self, event: Input.Changed) -> None:
        """List the lines that contain all the words."""
        if not event.input.is_attached:
            return  # the page was left meanwhile, and is taken down
        self._found = search_lines(event.value, self._lines)
        listing = self.query_one(OptionList)
        listing.clear_options()
        listing.add_options(Option(Content(self._lines[number])) for number in self._found)
        listing.highlighted = 0 if self._found else None
        self.query_one("#search-none").display = not self._found

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer Delete only if a line can be removed, and while it would not delete a letter."""
        if action == "choose_for_removal":
            typing = any(line.cursor_position < len(line.value) for line in self.query(Input))
            return self._can_remove and bool(self._found) and not typing
        return super().check_action(action, parameters)

    def action_choose_for_removal(self) -> None:
        """Return the selected line, to be removed."""
        self.chosen_for_removal = True
        self.action_choose()

    def action_choose(self) -> None:
        """Return the selected line or, if none matches, the typed text."""
        super().action_choose()
        if not self._found and self._free and (typed := self.query_one(Input).value.strip()):
            self.typed = typed
            self.exit(-1)


def choose_line(
    title: str, lines: Sequence[str], translator: Translator, theme: str, *, plain: bool
) -> int | None:
    """Let one of the lines be chosen, on a page or, in the plain view, by its number or by words;
    None if it was left."""
    if not plain:
        return SearchPage(title, lines, translator, theme).run()
    found = list(range(len(lines)))
    while True:
        for number in found:
            print(f"{number + 1}: {lines[number]}")
        typed = input(f"{title} ").strip()
        if not typed:
            return None
        # Compared as text: `int` refuses numbers of thousands of digits.
        if typed in map(str, range(1, len(lines) + 1)):
            return int(typed) - 1
        found = search_lines(typed, lines)
        if len(found) == 1:
            return found[0]
        if not found:
            print(translator("home_screen.search.none"))
            found = list(range(len(lines)))


ProgressCallback: TypeAlias = Callable[[int, int], object]
"""Callback with the number of the current step, from 1, and the number of steps."""


class _CancelledError(Exception):
    """The user has cancelled; raised inside the work, at its next step."""


class ProgressPage(ThemedApp[Sequence[str] | None]):
    """Screen that runs `work` in a thread; its result is what the work returns, or the message of
    the `Problem` that it raised, or None if it was cancelled.

    `step`: message for a step, with `done` and `count`.
    """

    CSS_PATH = "home_screen.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,escape", "leave", "Break off", id="break_off", key_display="q")
    ]

    def __init__(
        self,
        title: str,
        work: Callable[[ProgressCallback], Sequence[str]],
        step: str,
        translator: Translator,
        theme: str,
    ) -> None:
        super().__init__(translator, theme)
        self._heading = title
        self._work = work
        self._step = step
        self._is_cancelled = False

    def compose(self) -> ComposeResult:
        """Lay out title, bar and the step in words."""
        with Vertical(id="sheet"):
            yield Label(Content(self._heading), id="sheet-title")
            yield ProgressBar(id="work-bar", show_eta=False)
            yield Static(id="work-step")
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Start the work."""
        self.label_keys("key.short.", ("break_off",))
        self.run_worker(self._run_work, thread=True)

    def _run_work(self) -> None:
        try:
            said: Sequence[str] | None = self._work(self._report_progress)
        except _CancelledError:
            said = None
        except Problem as fault:
            said = [fault.describe(self.translator.translate)]
        except ImportError as fault:
            # OpenCV may lack a library of the system, which people can install.
            lacking = crash.describe_missing_library(fault)
            if lacking is None:
                raise
            said = [self.translator.translate(lacking)]
        self.call_from_thread(self.exit, said)

    def _report_progress(self, done: int, count: int) -> None:
        if self._is_cancelled:
            # A thread cannot be stopped from outside: the work ends itself where it reports a step.
            raise _CancelledError
        self.call_from_thread(self._show_progress, done, count)

    def _show_progress(self, done: int, count: int) -> None:
        self.query_one(ProgressBar).update(total=count, progress=done)
        self.query_one("#work-step", Static).update(
            Content(self.translator(self._step, done=done, count=count))
        )

    def action_leave(self) -> None:
        """Cancel at the next step, so that every file is written completely or not at all."""
        self._is_cancelled = True
