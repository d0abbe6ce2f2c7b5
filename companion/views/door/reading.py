"""Pages behind the door: one to read and to choose a line from (the history, the decks, the
settings; where there may be many lines, to search in), and one that says how far a long work is."""

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
from companion.texts import Translator, found_in
from companion.views.dashboard.themed import ThemedApp


class Browse(ThemedApp[int | None]):
    """Shows lines under a title; ends with the chosen line's number, None when it was left.

    `photo`: draws one above them, in so many columns and rows at most.
    """

    CSS_PATH = "door.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("q,escape", "leave", "Back")]
    _first: ClassVar[type[Widget]] = OptionList

    def __init__(
        self,
        title: str,
        lines: Sequence[str],
        say: Translator,
        theme: str,
        at: int = 0,
        photo: Callable[[int, int], Content] | None = None,
    ) -> None:
        super().__init__(say, theme)
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
            yield OptionList(*(Option(Content(line)) for line in self._lines), id="door-list")
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        """Name the key in the players' language, and begin where we were."""
        for key, (action, code, shown) in self._keys().items():
            named = Binding(key, action, self.say(code), show=shown, priority=key in ("delete", "enter"))
            self._bindings.key_to_bindings[key] = [named]
        self.query_one(self._first).focus()
        if self._lines:
            self.query_one(OptionList).highlighted = min(self._at, len(self._lines) - 1)

    def on_resize(self, event: events.Resize) -> None:
        """Draw the photo in a third of the rows."""
        if self._photo is not None:
            room = self.query_one("#sheet").content_size.width or event.size.width - 4
            self.query_one("#sheet-photo", Static).update(self._photo(room, event.size.height // 3))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """End with the line."""
        self.exit(self._found[event.option_index])

    def _keys(self) -> Mapping[str, tuple[str, str, bool]]:
        """Return what the keys do, their words, and whether they are shown."""
        back = {key: ("leave", "key.short.back", key == "q") for key in ("q", "escape")}
        return {"enter": ("choose", "key.short.choose", True), **back}

    def action_choose(self) -> None:
        """End with the line that is marked."""
        at = self.query_one(OptionList).highlighted
        if at is not None and self._found:
            self.exit(self._found[at])

    def action_leave(self) -> None:
        """Go back."""
        self.exit(None)


_MOVES = {"up": "cursor_up", "down": "cursor_down", "pageup": "page_up", "pagedown": "page_down"}


class Search(Browse):
    """The same with a line to type in: the lines that have all its words are shown, and chosen from
    with arrows and Enter.

    `thrown_away`: it was left by Delete, which takes the line that it ends with away; `throws`
    tells whether there is such a key here. `typed`: the words with which it was left where no line
    has them and others are welcome (`free`): it ends with -1 then.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("delete", "throw_away", "Throw away", priority=True)]
    _first = Input

    def __init__(
        self,
        title: str,
        lines: Sequence[str],
        say: Translator,
        theme: str,
        at: int = 0,
        *,
        throws: bool = False,
        free: bool = False,
    ) -> None:
        super().__init__(title, lines, say, theme, at)
        self.thrown_away = False
        self.typed = ""
        self._throws, self._free = throws, free

    def compose(self) -> ComposeResult:
        """Lay out title, the line to type in and the lines."""
        with Vertical(id="sheet"):
            yield Label(Content(self._heading), id="sheet-title")
            yield Input(placeholder=self.say("door.search"), compact=True, id="search")
            yield OptionList(*(Option(Content(line)) for line in self._lines), id="door-list")
            none = Static(
                Content(self.say("door.search.new" if self._free else "door.search.none")), id="search-none"
            )
            none.display = not self._lines
            yield none
        yield Footer(show_command_palette=False, compact=True)

    def _keys(self) -> Mapping[str, tuple[str, str, bool]]:
        return {
            "enter": ("choose", "key.short.choose", True),
            "q": ("leave", "key.short.back", False),  # where nothing is typed
            "escape": ("leave", "key.short.back", True),
            "delete": ("throw_away", "key.short.throw_away", self._throws),
        }

    def on_key(self, event: events.Key) -> None:
        """Let the keys that move move in the list, from the line that is typed in."""
        if event.key in _MOVES and self.focused is self.query_one(Input):
            event.stop()
            getattr(self.query_one(OptionList), f"action_{_MOVES[event.key]}")()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show what has all the words."""
        self._found = found_in(event.value, self._lines)
        listing = self.query_one(OptionList)
        listing.clear_options()
        listing.add_options(Option(Content(self._lines[number])) for number in self._found)
        listing.highlighted = 0 if self._found else None
        self.query_one("#search-none").display = not self._found

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to throw away only where there is something that can be, and while no letter is to
        be deleted."""
        if action == "throw_away":
            typing = any(line.cursor_position < len(line.value) for line in self.query(Input))
            return self._throws and bool(self._found) and not typing
        return super().check_action(action, parameters)

    def action_throw_away(self) -> None:
        """End with the line that is marked, to be taken away."""
        self.thrown_away = True
        self.action_choose()

    def action_choose(self) -> None:
        """End with the line that is marked, or, where none has them, with the words."""
        super().action_choose()
        if not self._found and self._free and (typed := self.query_one(Input).value.strip()):
            self.typed = typed
            self.exit(-1)


def choose_line(title: str, lines: Sequence[str], say: Translator, theme: str, *, plain: bool) -> int | None:
    """Let one of the lines be chosen, on a page or, in the plain view, by its number or by words
    that it has; None when it was left."""
    if not plain:
        return Search(title, lines, say, theme).run()
    found = list(range(len(lines)))
    while True:
        for number in found:
            print(f"{number + 1}: {lines[number]}")
        typed = input(f"{title} ").strip()
        if not typed:
            return None
        if typed.isdecimal() and int(typed[:9]) - 1 in range(len(lines)):
            return int(typed[:9]) - 1
        found = found_in(typed, lines)
        if len(found) == 1:
            return found[0]
        if not found:
            print(say("door.search.none"))
            found = list(range(len(lines)))


Told: TypeAlias = Callable[[int, int], object]
"""Hears which step is being done, from 1, and of how many."""


class _BrokenOffError(Exception):
    """A person no longer wants it; raised inside the work, at its next step."""


class LongWork(ThemedApp[Sequence[str] | None]):
    """Does `work` on a thread; ends with the sentences that it returns, or with that of the
    `Problem` it raised; None when it was broken off.

    `step`: the message that tells a step, with `done` and `count`.
    """

    CSS_PATH = "door.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,escape", "leave", "Break off", id="break_off", key_display="q")
    ]

    def __init__(
        self, title: str, work: Callable[[Told], Sequence[str]], step: str, say: Translator, theme: str
    ) -> None:
        super().__init__(say, theme)
        self._heading = title
        self._work = work
        self._step = step
        self._unwanted = False

    def compose(self) -> ComposeResult:
        """Lay out title, bar and the step in words."""
        with Vertical(id="sheet"):
            yield Label(Content(self._heading), id="sheet-title")
            yield ProgressBar(id="work-bar", show_eta=False)
            yield Static(id="work-step")
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        """Begin."""
        self.name_keys("key.short.", ("break_off",))
        self.run_worker(self._do, thread=True)

    def _do(self) -> None:
        try:
            said: Sequence[str] | None = self._work(self._hear)
        except _BrokenOffError:
            said = None
        except Problem as fault:
            said = [fault.said(self.say.say)]
        except ImportError as fault:
            lacking = crash.wanting(fault)
            if lacking is None:
                raise
            said = [self.say.say(lacking)]
        self.call_from_thread(self.exit, said)

    def _hear(self, done: int, count: int) -> None:
        if self._unwanted:
            raise _BrokenOffError
        self.call_from_thread(self._show, done, count)

    def _show(self, done: int, count: int) -> None:
        self.query_one(ProgressBar).update(total=count, progress=done)
        self.query_one("#work-step", Static).update(Content(self.say(self._step, done=done, count=count)))

    def action_leave(self) -> None:
        """Break off at the next step: what is written is written whole or not at all."""
        self._unwanted = True
