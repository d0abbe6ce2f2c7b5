"""Base of all our full-screen apps: themes, the players' language, a message for Ctrl-C, shutdown,
and a driver that accepts any bytes.

A terminal may send any bytes: an é from one that uses Latin-1, an old mouse report, a pasted file.
Textual decodes them strictly, and its parser fails on numbers that are not characters; both end the
program. Our driver puts a thread and a pipe in front of Textual's: invalid UTF-8 becomes
replacement characters (`�`), one for each byte, and input on which the parser fails is skipped.
Pasted text is never taken for keys. A terminal may also resume a program that was not paused, which
starts Textual's driver twice.

Textual has no option for any of this. We use only public parts: its driver class with the methods
`run_input_thread`, `suspend_application_mode` and `resume_application_mode` and the attributes
`fileno` and `exit_event`. If these change, `tests/views/test_any_bytes.py` or
`test_in_a_terminal.py` fails.
"""

from __future__ import annotations

import asyncio
import codecs
import os
import re
import select
import signal
import sys
import time
from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from threading import Event, Thread
from typing import Any, ClassVar, TypeVar

from rich.segment import Segment, Segments
from textual import events, on
from textual.app import App
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.message import Message

from companion import crash
from companion.rules.contract import Problem, Text
from companion.texts import Translator
from companion.views.dashboard import screens
from companion.views.dashboard.screens.dialog import ChoiceScreen
from companion.views.table_session import ShareSwitch
from companion.views.themes import THEMES

T = TypeVar("T")


class ThemedApp(App[T]):
    """App in one of our themes; an unknown name gives the first. `translator`: may be
    replaced by the app."""

    LEAVING: ClassVar[Text] = Text("leaving", {"key": "q"})
    """Message on how to leave. Ctrl-C only shows it: it is close to other keys, and Textual's own
    message is English."""
    # What is typed at the shell meanwhile must not reach the game.
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+z", "suspend_process", priority=True)]
    ALLOW_SELECT = False
    """Selecting by mouse is off: Ctrl-C could not copy the text, and Textual crashes if a row
    disappears while it is pressed."""

    def __init__(self, translator: Translator, theme: str = THEMES[0].name) -> None:
        super().__init__()
        # Textual copies the class's map of keys for each app, but not the lists in it: a key of one
        # table, and the language in which its keys are named, stayed for all tables that the home
        # screen opened afterwards.
        self._bindings.key_to_bindings = {
            key: list(own) for key, own in self._bindings.key_to_bindings.items()
        }
        self.translator = translator
        self.sharing: ShareSwitch | None = None
        self._told_to_leave: int | None = None
        self._before: dict[int, Any] = {}
        """Previous handlers of shutdown signals, by signal number."""
        self._active_notices: dict[str, float] = {}
        """Messages shown in the corner, and until when."""
        for one in THEMES:
            self.register_theme(one)
        self.theme = theme if theme in self.available_themes else THEMES[0].name
        self._coloured = self.get_css_variables()
        self.stylesheet.set_variables(self._coloured)

    def get_driver_class(self) -> type[Driver]:
        """Return a driver that accepts any bytes from the terminal."""
        return make_forgiving_driver(super().get_driver_class())

    def refresh_css(self, animate: bool = True) -> None:
        """Apply the styles again if a theme has changed the colours.

        Textual also calls this right after the start, when everything is drawn in this theme
        already: 30 ms for nothing.
        """
        if self._coloured != (colours := self.get_css_variables()):
            self._coloured = colours
            super().refresh_css(animate)

    def label_keys(self, prefix: str, ids: Collection[str]) -> None:
        """Show the keys with these ids in the players' language; the message is `prefix` + id."""
        for own in self._bindings.key_to_bindings.values():
            own[:] = [
                replace(one, description=self.translator(f"{prefix}{one.id}")) if one.id in ids else one
                for one in own
            ]
        self.refresh_bindings()

    def on_mount(self) -> None:
        """Handle shutdown and a closed terminal, so that the terminal is restored before the
        program ends.

        Textual calls this in addition to an app's own `on_mount`.
        """
        loop = asyncio.get_running_loop()

        def handle_signal(number: int, _frame: object) -> None:
            # Not the loop's own add_signal_handler: it hears of a signal through the socket that
            # wakes it; that is full where hundreds of keys wait, and the signal would be lost.
            loop.call_soon_threadsafe(self._exit_on_signal, number)

        for name in ("SIGTERM", "SIGHUP"):
            # Windows has no SIGHUP; in tests the loop may run outside the main thread.
            with suppress(ValueError, AttributeError):
                number = getattr(signal, name)
                self._before[number] = signal.signal(number, handle_signal)

    def on_unmount(self) -> None:
        """Restore the previous signal handlers."""
        while self._before:
            signal.signal(*self._before.popitem())

    def _exit_on_signal(self, number: int) -> None:
        self._told_to_leave = number
        self.exit(None, 128 + number)

    def run(self, **options: Any) -> T | None:
        """Run the app; raises SystemExit after a shutdown or a closed terminal, so that no other
        screen opens."""
        result = super().run(**options)
        if self._told_to_leave is not None:
            sys.exit(128 + self._told_to_leave)
        return result

    def enable_sharing(self, sharing: ShareSwitch | None) -> None:
        """Bind the key `j`, which shows how to join with other screens; None: there is nothing to
        join."""
        if sharing is not None:
            self.sharing = sharing
            self.bind("j", "join", description=self.translator("key.share"), key_display="j")

    def action_join(self) -> None:
        """Show codes to scan and links to type; if nothing is shared yet, ask who may join
        first."""
        sharing = self.sharing
        if sharing is None:
            return
        if sharing.invitation is not None:
            self.push_screen(
                screens.share.ShareDialog(lambda: sharing.invitation, self.translator, sharing.end_sharing)
            )
            return

        def start_sharing(chosen: int | None) -> None:
            if chosen is None:
                return
            try:
                sharing.start_sharing(network=chosen == 1)
            except Problem as problem:
                self.notify(self.translator.translate(problem.text), severity="error", markup=False)
            else:
                self.push_screen(
                    screens.share.ShareDialog(
                        lambda: sharing.invitation, self.translator, sharing.end_sharing
                    )
                )

        who = [self.translator("share.who_here"), self.translator("share.who_network")]
        self.push_screen(ChoiceScreen(self.translator("share.who"), who), start_sharing)

    def notify(self, message: str, *, timeout: float | None = None, **options: Any) -> None:
        """Show a message in a corner, unless the same message is still there."""
        now = time.monotonic()
        self._active_notices = {said: end for said, end in self._active_notices.items() if end > now}
        if message not in self._active_notices:
            self._active_notices[message] = now + (timeout or self.NOTIFICATION_TIMEOUT)
            super().notify(message, timeout=timeout, **options)

    @property
    def is_taken_down(self) -> bool:
        """Whether nothing may be drawn any more: timers still fire while widgets are being
        removed."""
        return not self.is_running or not self.screen_stack or not self.screen.children

    def _fatal_error(self) -> None:
        """End after an internal error with one sentence and a report in a file. Textual's own
        report shows local variables, which may contain hidden cards."""
        fault = sys.exc_info()[1]
        self.bell()
        if fault is not None and not self._exit_renderables:  # errors that follow from the first add nothing
            self._exit_renderables.append(
                Segments([Segment(self.translator.translate(crash.report_crash(fault)) + "\n")])
            )
        self._close_messages_no_wait()

    @on(Driver.SignalResume)
    def redraw_screen(self) -> None:
        """Draw everything again after a pause: Textual draws only what changes, on a terminal that
        meanwhile showed the shell."""
        self.refresh(layout=True)

    def action_help_quit(self) -> None:
        """Show how to leave (on Ctrl-C)."""
        self.notify(self.translator.translate(self.LEAVING), markup=False)


_TERMINAL = 0
"""The terminal's file descriptor; while it is read, the driver's own `fileno` is the pipe's."""
_READ_BYTES = 4096
"""Bytes read at a time, as in Textual; a pipe holds at least as many."""
_POLL_SECONDS = 0.1
"""Seconds between two checks whether the screen was left."""
_MAX_WINDOW_CELLS = 400_000
"""Most characters of a window; a wall of screens has fewer."""


def make_forgiving_driver(driver: type[Driver]) -> type[Driver]:
    """Return this driver, extended to accept any bytes if it reads a Unix terminal; other drivers
    unchanged."""
    return _make_linux_driver() if driver.__name__ == "LinuxDriver" else driver


def _make_linux_driver() -> type[Driver]:
    from textual.drivers.linux_driver import LinuxDriver  # noqa: PLC0415 - not importable on Windows

    class ForgivingDriver(LinuxDriver):
        """Driver that reads the terminal through a pipe, on which everything is valid UTF-8."""

        _suspended = False

        def _sigtstp_application(self, *_: object) -> None:
            """Give the terminal back, stop, and take it again at once where nothing stops."""
            self.suspend_application_mode()
            self._must_signal_resume = True
            _stop_job()
            # At SIGCONT it has resumed already.
            if self._suspended:
                self.resume_application_mode()

        def suspend_application_mode(self) -> None:
            """Give the terminal back for a while (Ctrl+Z)."""
            super().suspend_application_mode()
            self._suspended = True

        def resume_application_mode(self) -> None:
            """Take the terminal again, once after each pause.

            Textual does so at every SIGCONT. That also comes after a SIGSTOP, which cannot be
            handled, and with the SIGHUP of a terminal that is closed: a second reader and writer
            would start beside the first, and the program would never end.
            """
            if not os.isatty(_TERMINAL):
                return
            if not self._suspended:
                super().suspend_application_mode()
            self._suspended = False
            super().resume_application_mode()

        def run_input_thread(self) -> None:
            """Read until the screen is left, skipping input on which the parser fails."""
            terminal = self.fileno
            self.fileno, clean = os.pipe()
            pump = Thread(target=_pump_or_hang_up, args=(terminal, clean, self.exit_event))
            pump.start()
            try:
                while not self.exit_event.is_set():
                    with suppress(Exception):
                        super().run_input_thread()
            finally:
                pump.join()
                os.close(self.fileno)
                os.close(clean)
                self.fileno = terminal

        def process_message(self, message: Message) -> None:
            """Drop impossible input."""
            if not _is_impossible_input(message):
                super().process_message(message)

    return ForgivingDriver


def _is_impossible_input(message: Message) -> bool:
    """Return whether this is a key that is half a character (a surrogate), which can be neither
    stored nor drawn, or a window larger than any."""
    match message:
        case events.Key(character=str(typed)):
            return "\ud800" <= typed < "\ue000"
        case events.Resize(size=size):
            return size.area > _MAX_WINDOW_CELLS
    return False


def _stop_job() -> None:
    """Stop this process and the others of its job, until a shell continues them.

    Textual stops its own process alone. The shell then went on waiting for `make`, which had
    started it; and where no shell could continue it (a terminal that runs nothing else), it stopped
    for good. There the default action of SIGTSTP does nothing.
    """
    stop, everybody = signal.Signals["SIGTSTP"], 0
    handler = signal.signal(stop, signal.SIG_DFL)
    os.kill(everybody, stop)
    signal.signal(stop, handler)


def _pump_or_hang_up(terminal: int, clean: int, over: Event) -> None:
    if not _pump_terminal(terminal, clean, over):
        # The kernel tells the first program of a terminal that is closed, not all. All end by it:
        # an app that merely left would give way to the home screen behind it.
        os.kill(os.getpid(), signal.Signals["SIGHUP"])


def _pump_terminal(terminal: int, clean: int, over: Event) -> bool:
    """Pass on as UTF-8 what the terminal sends; return whether the terminal was still there at the
    end."""
    # Incremental: a character may be split between two reads.
    decode, told = codecs.getincrementaldecoder("utf-8")("replace").decode, _PasteFilter()
    while not over.is_set():
        if not select.select([terminal], [], [], _POLL_SECONDS)[0]:
            continue
        try:
            typed = os.read(terminal, _READ_BYTES)
        except OSError:
            typed = b""
        if not typed:
            return False
        words = told(decode(typed)).encode()
        while words and not over.is_set():
            if select.select([], [clean], [], _POLL_SECONDS)[1]:
                words = words[os.write(clean, words[:_READ_BYTES]) :]
    return True


class _PasteFilter:
    """Filter that removes escapes from pasted text: Textual's parser would take them, and what
    follows, for keys, and a paste would play cards."""

    _MARKS = ("\x1b[200~", "\x1b[201~")
    _SPLIT = re.compile("(\x1b\\[20[01]~)")
    _HALF = (re.compile("\x1b\\[2(0[01]?)?$"), re.compile("\x1b(\\[(2(0[01]?)?)?)?$"))
    """Parts of a mark that may end what was read so far: outside a paste, and inside one."""

    def __init__(self) -> None:
        self._pasting = False
        self._half = ""

    def __call__(self, words: str) -> str:
        words = self._half + words
        told = ""
        *pieces, last = self._SPLIT.split(words)
        for piece in pieces:
            if piece in self._MARKS:
                self._pasting = piece == self._MARKS[0]
            told += piece if piece in self._MARKS else self._strip_escapes(piece)
        # Kept for the next read: a mark may be split between two reads.
        half = self._HALF[self._pasting].search(last)
        self._half = half[0] if half else ""
        return told + self._strip_escapes(last.removesuffix(self._half))

    def _strip_escapes(self, piece: str) -> str:
        return piece.replace("\x1b", "") if self._pasting else piece
