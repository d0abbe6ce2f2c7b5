"""Work that takes a while, with a page that says how far it is and a key that breaks it off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, TypeAlias

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Footer, Label, ProgressBar, Static

from companion import crash
from companion.rules.contract import Problem
from companion.texts import Translator
from companion.views.dashboard.themed import ThemedApp

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
