"""What people type, line by line, while the program goes on: standard input, read on a thread into
a queue.

`select` knows files on Linux and macOS only, so that whoever asks for lines comes here. The thread
never holds what the next listener should have: lines that were typed ahead stay in the queue, and
where it can be told that something is there to be read, the thread stands in no `read` that would
take a later screen's first key.
"""

from __future__ import annotations

import os
import select
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from queue import Empty, SimpleQueue
from typing import TextIO, TypeAlias

if sys.platform == "win32":
    import msvcrt

Waits: TypeAlias = Callable[[float], bool]
"""Waits so many seconds at most until something can be read; tells whether it can."""

_TICK = 0.1
"""Seconds within which the thread hears that nobody listens any more."""
_LONGEST_LINE = 10_000
"""Bytes of a line that are kept while its end has not come."""
_AHEAD = 1_000
"""Lines that wait to be taken before no more are read: `yes | companion play` is endless."""


class TypedLines:
    """The lines of one input, in the order in which they came; `waits` (default: what this system
    has for such an input) is how the thread waits."""

    def __init__(self, source: TextIO, waits: Waits | None = None) -> None:
        self._source = source
        self._waits = waits or _waiting(source)
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        self._rest = b""
        self._over = False
        self._leaving = threading.Event()
        self._thread: threading.Thread | None = None

    def next(self, seconds: float) -> str | None:
        """Return the next line without its end; None when none has come within `seconds`. Raises
        `EOFError` at the end of the input, each time."""
        if self._over:
            raise EOFError
        try:
            line = self._lines.get(timeout=seconds) if seconds else self._lines.get_nowait()
        except Empty:
            return None
        if line is None:
            self._over = True
            raise EOFError
        return line

    def start(self) -> None:
        """Begin to listen, or go on."""
        self._leaving.clear()
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._read, name="typed lines", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Listen no more; what came already is kept for who listens next."""
        self._leaving.set()
        if self._thread is not None:
            self._thread.join(5 * _TICK)  # a pipe on Windows cannot be asked: its thread stands in `read`

    def _read(self) -> None:
        while not self._leaving.is_set():
            if self._lines.qsize() > _AHEAD:
                self._leaving.wait(_TICK)
            elif self._waits(_TICK) and not self._take():
                return

    def _take(self) -> bool:
        """Take what can be read; tell whether more may come."""
        data = b""
        with suppress(OSError, ValueError):  # a terminal that was closed, a file that was: the end
            # without the buffer above: a thread that stands in that one at the program's end ends
            # Python with a fatal error; and not `os.read`, which on Windows gives other letters
            data = self._source.buffer.raw.read(65536) or b""  # type: ignore[attr-defined]
        *whole, self._rest = (self._rest + data).split(b"\n")
        if not data:
            whole, self._rest = [self._rest] * bool(self._rest), b""
        self._rest = self._rest[-_LONGEST_LINE:]
        for line in whole:
            self._lines.put(line.decode(errors="replace").removesuffix("\r"))
        if not data:
            self._lines.put(None)
        return bool(data)


@contextmanager
def listening(source: TextIO | None = None) -> Iterator[TypedLines]:
    """Give the lines of `source` (default: standard input) for as long as they are wanted."""
    lines = _of(sys.stdin if source is None else source)
    lines.start()
    try:
        yield lines
    finally:
        lines.stop()


@lru_cache(maxsize=1)
def _of(source: TextIO) -> TypedLines:
    """Return the one listener of an input: lines typed ahead of one conversation are for the
    next."""
    return TypedLines(source)


def _waiting(source: TextIO) -> Waits:
    """Return how this system waits for such an input."""
    if os.name == "nt":
        return _key_pressed if source.isatty() else _in_the_read
    return partial(_readable, source)


def _readable(source: TextIO, seconds: float) -> bool:
    try:
        return bool(select.select([source], [], [], seconds)[0])
    except (OSError, ValueError):  # it was closed: reading says so
        return True


def _in_the_read(_seconds: float) -> bool:
    """Wait in `read` itself: nobody but this thread reads a pipe."""
    return True


def _key_pressed(seconds: float) -> bool:
    """Wait until a line is begun at a console of Windows."""
    if sys.platform == "win32" and msvcrt.kbhit():
        return True
    time.sleep(seconds)
    return False
