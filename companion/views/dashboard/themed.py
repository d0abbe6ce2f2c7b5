"""What all our full-screen apps have: our themes, the players' language, words for Ctrl-C."""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from typing import Any, ClassVar, TypeVar

from rich.segment import Segment, Segments
from textual.app import App
from textual.driver import Driver

from companion import crash
from companion.rules.contract import Problem, Text
from companion.texts import Translator
from companion.views.dashboard import screens
from companion.views.dashboard.any_bytes import forgiving
from companion.views.evening import ShareSwitch
from companion.views.themes import THEMES

T = TypeVar("T")


class ThemedApp(App[T]):
    """An app in one of our themes; an unknown name gives the first. `say`: the words, which the app
    may change for others."""

    LEAVING: ClassVar[Text] = Text("leaving", {"key": "q"})
    """How one leaves. Ctrl-C only says so: it is close to other keys, and Textual's is English."""

    def __init__(self, say: Translator, theme: str = THEMES[0].name) -> None:
        super().__init__()
        # Textual copies the class's map of keys for each app, but not the lists in it: a key of one
        # table, and the language in which its keys are named, stayed for all tables that the door
        # opened afterwards.
        self._bindings.key_to_bindings = {
            key: list(own) for key, own in self._bindings.key_to_bindings.items()
        }
        self.say = say
        self.sharing: ShareSwitch | None = None
        self._told_to_leave: int | None = None
        self._before: dict[int, Any] = {}
        """Who heard a shutdown before this screen, by the signal's number."""
        self._standing: dict[str, float] = {}
        """What is said in the corner, and until when."""
        for one in THEMES:
            self.register_theme(one)
        self.theme = theme if theme in self.available_themes else THEMES[0].name
        self._coloured = self.get_css_variables()
        self.stylesheet.set_variables(self._coloured)

    def get_driver_class(self) -> type[Driver]:
        """Take any bytes from the terminal."""
        return forgiving(super().get_driver_class())

    def refresh_css(self, animate: bool = True) -> None:
        """Style everything anew where a theme has changed the colours.

        Textual asks for it right after the start too, when all is drawn in this theme already: 30
        ms for nothing.
        """
        if self._coloured != (colours := self.get_css_variables()):
            self._coloured = colours
            super().refresh_css(animate)

    def name_keys(self, prefix: str, ids: Collection[str]) -> None:
        """Show the keys of these ids in the players' language; the message is `prefix` + id."""
        for own in self._bindings.key_to_bindings.values():
            own[:] = [
                replace(one, description=self.say(f"{prefix}{one.id}")) if one.id in ids else one
                for one in own
            ]
        self.refresh_bindings()

    def on_mount(self) -> None:
        """Give the terminal back before a shutdown or a closed terminal ends the program.

        Textual calls this beside an app's own `on_mount`.
        """
        loop = asyncio.get_running_loop()

        def told(number: int, _frame: object) -> None:
            # Not the loop's own add_signal_handler: it hears of a signal through the socket that
            # wakes it; that is full where hundreds of keys wait, and the signal would be lost.
            loop.call_soon_threadsafe(self._leave, number)

        for name in ("SIGTERM", "SIGHUP"):
            # Windows has no SIGHUP; in tests the loop may run outside the main thread.
            with suppress(ValueError, AttributeError):
                number = getattr(signal, name)
                self._before[number] = signal.signal(number, told)

    def on_unmount(self) -> None:
        """Let a shutdown be heard as it was before this screen."""
        while self._before:
            signal.signal(*self._before.popitem())

    def _leave(self, number: int) -> None:
        self._told_to_leave = number
        self.exit(None, 128 + number)

    def run(self, **options: Any) -> T | None:
        """Run the app; raises SystemExit after a shutdown or a closed terminal, so that no other
        screen follows this one."""
        result = super().run(**options)
        if self._told_to_leave is not None:
            sys.exit(128 + self._told_to_leave)
        return result

    def let_join(self, sharing: ShareSwitch | None) -> None:
        """Let the key `j` show how to join with other screens; None: there is nothing to join."""
        if sharing is not None:
            self.sharing = sharing
            self.bind("j", "join", description=self.say("key.share"), key_display="j")

    def action_join(self) -> None:
        """Show codes to scan and links to type; ask first who may join, while nothing is shared."""
        sharing = self.sharing
        if sharing is None:
            return
        if sharing.invitation is not None:
            self.push_screen(screens.ShareSheet(lambda: sharing.invitation, self.say, sharing.end))
            return

        def begin(chosen: int | None) -> None:
            if chosen is None:
                return
            try:
                sharing.open(network=chosen == 1)
            except Problem as problem:
                self.notify(self.say.say(problem.text), severity="error", markup=False)
            else:
                self.push_screen(screens.ShareSheet(lambda: sharing.invitation, self.say, sharing.end))

        who = [self.say("share.who_here"), self.say("share.who_network")]
        self.push_screen(screens.ChoiceScreen(self.say("share.who"), who), begin)

    def notify(self, message: str, *, timeout: float | None = None, **options: Any) -> None:
        """Say something in a corner; what stands there already is not said twice."""
        now = time.monotonic()
        self._standing = {said: end for said, end in self._standing.items() if end > now}
        if message not in self._standing:
            self._standing[message] = now + (timeout or self.NOTIFICATION_TIMEOUT)
            super().notify(message, timeout=timeout, **options)

    @property
    def taken_down(self) -> bool:
        """Whether nothing may be drawn any more: timers ring on while widgets go one by one."""
        return not self.is_running or not self.screen_stack or not self.screen.children

    def _fatal_error(self) -> None:
        """End after a mistake of ours: one sentence, and a report in a file. Textual's own shows
        local variables: cards among them."""
        fault = sys.exc_info()[1]
        self.bell()
        if fault is not None and not self._exit_renderables:  # what follows from it says no more
            self._exit_renderables.append(Segments([Segment(self.say.say(crash.report(fault)) + "\n")]))
        self._close_messages_no_wait()

    def action_help_quit(self) -> None:
        """Say how one leaves (Ctrl-C)."""
        self.notify(self.say.say(self.LEAVING), markup=False)
