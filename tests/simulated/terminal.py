"""A program in a pseudo-terminal of its own, as a player has it."""

import math
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from fcntl import ioctl
from pathlib import Path


class Terminal:
    """A running program and all that it has written. `status`: its exit status once it has ended,
    negative for a signal."""

    def __init__(self, process: int, handle: int) -> None:
        self.process = process
        self.handle = handle
        self.written = b""
        self.before = b""
        self.status: int | None = None

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size."""
        ioctl(self.handle, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self.handle, keys.encode())

    def send(self, typed: bytes) -> None:
        """Type any bytes, as fast as the program takes them; stop where it has ended."""
        os.set_blocking(self.handle, False)  # what it writes must be read meanwhile, or both wait
        while typed and self.running():
            select.select([self.handle], [self.handle], [], 0.1)
            self.read(0)
            with suppress(BlockingIOError):
                typed = typed[os.write(self.handle, typed[:1024]) :]

    def running(self) -> bool:
        """Whether the program has not ended yet."""
        if self.status is None:
            done, status = os.waitpid(self.process, os.WNOHANG)
            self.status = os.waitstatus_to_exitcode(status) if done else None
        return self.status is None

    def still(self) -> None:
        """Read until the program, with nothing left to do, writes nothing any more, or only what it
        wrote before: a cursor that blinks, in pieces that are cut now here and now there."""
        new: list[bytes] = []
        while self.running():
            new.append(self._at_once(0.7))
            if not new[-1] or set(new[-2:]) <= set(new[:-2]):
                return

    def _at_once(self, seconds: float) -> bytes:
        """Return what the program writes within `seconds` and without a pause from then on: a line
        of text that blinks comes in pieces, now one and now two."""
        written = len(self.written)
        while True:
            before = len(self.written)
            self.read(seconds)
            if len(self.written) == before:
                return self.written[written:]
            seconds = 0.1

    def read(self, seconds: float = 0.1) -> bool:
        """Take what the program writes; tell whether it may write more."""
        if not select.select([self.handle], [], [], seconds)[0]:
            return True
        with suppress(OSError):
            new = os.read(self.handle, 65536)
            self.written += new
            return bool(new)
        return False

    def until(self, what: str, seconds: float = 40.0) -> None:
        """Read until `what` has been written since the last time; what came before it is in
        `before`."""
        deadline = time.monotonic() + seconds
        while what.encode() not in self.written:
            assert time.monotonic() < deadline, f"never wrote {what!r}: {self.written[-2000:]!r}"
            assert self.read(), f"ended without {what!r}: {self.written[-2000:]!r}"
        self.before, _, self.written = self.written.partition(what.encode())

    def end(self, seconds: float = 120.0, *, pressing: str = "") -> int:
        """Wait until the program has ended; return its exit status, negative for a signal.
        `pressing`: a key to press until then, again and again: one is lost while a screen gives the
        terminal back and the next takes it."""
        deadline = time.monotonic() + seconds
        pressed = -math.inf
        while self.running():
            if pressing and time.monotonic() > pressed + 3:
                pressed = time.monotonic()
                self.type(pressing)
            self.read()
            assert time.monotonic() < deadline, f"does not end: {self.written[-2000:]!r}"
        self.read(0)
        assert self.status is not None
        return self.status

    def kill(self) -> None:
        """Let the program die at once, if it has not ended."""
        if self.status is None:
            with suppress(ProcessLookupError):
                os.kill(self.process, signal.SIGKILL)
            self.status = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])

    def close(self) -> None:
        """Put the terminal away: nothing is written or read any more."""
        with suppress(OSError):
            os.close(self.handle)


def started(
    command: Sequence[str], *, columns: int = 120, rows: int = 40, where: Path | None = None, **env: str
) -> Terminal:
    """Run any command in the folder `where`, with these variables beside those there are."""
    # A size that Python's readline, or a shell, has left there is that of another terminal.
    around = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    process, handle = pty.fork()
    if process == 0:
        if where is not None:
            os.chdir(where)
        ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        # a shell that runs the tests in the background ignores it, and so would the program
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        # said whole: without it the program has what readline itself has written beside Python
        os.execvpe(command[0], list(command), {**around, "TERM": "xterm-256color", **env})
    return Terminal(process, handle)


@contextmanager
def run(
    command: Sequence[str], *, columns: int = 120, rows: int = 40, where: Path | None = None, **env: str
) -> Iterator[Terminal]:
    """Run a command as `started` does; it is ended at the end."""
    terminal = started(command, columns=columns, rows=rows, where=where, **env)
    try:
        yield terminal
    finally:
        terminal.kill()
        terminal.close()


def play(
    folder: Path, *words: str, columns: int = 120, rows: int = 40, **env: str
) -> AbstractContextManager[Terminal]:
    """Run `companion play` of this source tree with its data in `folder`; it is ended at the
    end."""
    return companion(folder, "play", *words, columns=columns, rows=rows, **env)


def companion(
    folder: Path, *words: str, columns: int = 120, rows: int = 40, **env: str
) -> AbstractContextManager[Terminal]:
    """Run `companion` of this source tree with these words and its data in `folder`; it is ended at
    the end."""
    command = [sys.executable, "-m", "companion", *words]
    home = {"XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder), **env}
    return run(command, columns=columns, rows=rows, where=None, **home)
