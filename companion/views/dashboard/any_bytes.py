"""A terminal may send any bytes: an é from one that speaks Latin-1, a mouse report of an old kind,
a file that was pasted. Textual decodes them strictly, and its parser stumbles over numbers that are
no character; either ends the program.

Bytes that are no UTF-8 come in as replacement characters (`�`), one for each; what the parser
cannot take is passed over. What is pasted is text, never keys.

A terminal may also wake its program where nobody paused it, which begins Textual's driver twice.

Textual has no switch for either. What is used here of it is public: the class of its driver, the
methods `run_input_thread`, `suspend_application_mode` and `resume_application_mode` and the
attributes `fileno` and `exit_event` of that. Should they change, `tests/views/test_any_bytes.py`
or `test_in_a_terminal.py` fails.
"""

from __future__ import annotations

import codecs
import os
import re
import select
import signal
from contextlib import suppress
from threading import Event, Thread

from textual import events
from textual.driver import Driver
from textual.message import Message

_TERMINAL = 0
"""The terminal's file descriptor: while it is read, the driver's own `fileno` is the pipe's."""
_AT_ONCE = 4096
"""Bytes taken at a time, as Textual does; a pipe holds at least as many."""
_LOOK = 0.1
"""Seconds between two looks at whether the screen is left."""
_LARGEST = 400_000
"""Characters of the largest window: a wall of screens has fewer."""


def forgiving(driver: type[Driver]) -> type[Driver]:
    """Return this driver, made to take any bytes where it reads a Unix terminal; another as it
    is."""
    return _forgiving_linux() if driver.__name__ == "LinuxDriver" else driver


def _forgiving_linux() -> type[Driver]:
    from textual.drivers.linux_driver import LinuxDriver  # noqa: PLC0415 - not importable on Windows

    class ForgivingDriver(LinuxDriver):
        """Reads the terminal through a pipe, on which everything is UTF-8."""

        _suspended = False

        def suspend_application_mode(self) -> None:
            """Give the terminal back for a while: Ctrl+Z."""
            super().suspend_application_mode()
            self._suspended = True

        def resume_application_mode(self) -> None:
            """Take the terminal again, once, after any pause.

            Textual does so at every SIGCONT. That comes after a SIGSTOP, which nobody hears, and
            with the SIGHUP of a terminal that is closed: a second reader and writer would begin
            beside the first, and the program would never end.
            """
            if not os.isatty(_TERMINAL):
                return
            if not self._suspended:
                super().suspend_application_mode()
            self._suspended = False
            super().resume_application_mode()

        def run_input_thread(self) -> None:
            """Read until the screen is left, whatever the parser stumbles over."""
            terminal = self.fileno
            self.fileno, clean = os.pipe()
            pump = Thread(target=self._pump, args=(terminal, clean), name="typed-bytes")
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

        def _pump(self, terminal: int, clean: int) -> None:
            if not _pump(terminal, clean, self.exit_event):
                # The kernel tells the first program of a terminal that is closed, not all. All
                # end by it: an app that merely left would give way to the door behind it.
                os.kill(os.getpid(), signal.Signals["SIGHUP"])

        def process_message(self, message: Message) -> None:
            """Leave out what no terminal means: a key that is half a character, which can be
            neither kept nor drawn; a window larger than any."""
            match message:
                case events.Key(character=str(typed)) if "\ud800" <= typed < "\ue000":
                    return
                case events.Resize(size=size) if size.area > _LARGEST:
                    return
            super().process_message(message)

    return ForgivingDriver


def _pump(terminal: int, clean: int, over: Event) -> bool:
    """Hand on as UTF-8 what the terminal sends; return whether it was still there when all was
    over."""
    decode, told = codecs.getincrementaldecoder("utf-8")("replace").decode, _Pastes()
    while not over.is_set():
        if not select.select([terminal], [], [], _LOOK)[0]:
            continue
        try:
            typed = os.read(terminal, _AT_ONCE)
        except OSError:
            typed = b""
        if not typed:
            return False
        words = told(decode(typed)).encode()
        while words and not over.is_set():
            if select.select([], [clean], [], _LOOK)[1]:
                words = words[os.write(clean, words[:_AT_ONCE]) :]
    return True


class _Pastes:
    """Takes the escapes out of what is pasted: Textual's parser takes them, and what follows, for
    keys, and a paste would play."""

    _MARKS = ("\x1b[200~", "\x1b[201~")
    _SPLIT = re.compile("(\x1b\\[20[01]~)")
    _HALF = (re.compile("\x1b\\[2(0[01]?)?$"), re.compile("\x1b(\\[(2(0[01]?)?)?)?$"))
    """What may be half a mark, at the end of what was read: outside a paste, and in one."""

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
            told += piece if piece in self._MARKS else self._plain(piece)
        half = self._HALF[self._pasting].search(last)
        self._half = half[0] if half else ""
        return told + self._plain(last.removesuffix(self._half))

    def _plain(self, piece: str) -> str:
        return piece.replace("\x1b", "") if self._pasting else piece
