"""Standard input read line by line while the program goes on: a thread reads it into a queue.

`select` works on files on Linux and macOS only, hence the thread. It must not take input that the
next listener should get: lines that were typed ahead stay in the queue, and where the system can
tell whether something can be read, the thread never blocks in a `read` that would take the first
key of a later screen.
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
"""Function that waits at most so many seconds until something can be read, and returns whether it
can.
"""

_TICK = 0.1
"""Seconds within which the thread notices that it should stop."""
_LONGEST_LINE = 10_000
"""Most bytes of an unfinished line that are kept."""
_AHEAD = 1_000
"""Lines in the queue at which reading pauses: `yes | companion play` is endless."""


class TypedLines:
    """The lines of one input, in the order in which they came.

    `waits`: how the thread waits for input (default: the best that this system has for it).
    """

    def __init__(self, source: TextIO, waits: Waits | None = None) -> None:
        self._source = source
        self._waits = waits or _choose_wait(source)
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        self._partial_line = b""
        self._is_at_end = False
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def next_line(self, seconds: float) -> str | None:
        """Return the next line without its ending, or None if none comes within `seconds`.

        Raises `EOFError` at the end of the input, each time.
        """
        if self._is_at_end:
            raise EOFError
        try:
            line = self._lines.get(timeout=seconds) if seconds else self._lines.get_nowait()
        except Empty:
            return None
        if line is None:
            self._is_at_end = True
            raise EOFError
        return line

    def start(self) -> None:
        """Start or resume reading."""
        self._stopping.clear()
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._read_loop, name="typed lines", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Stop reading; lines that came already are kept for the next listener."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(5 * _TICK)  # on Windows the thread may be blocked reading a pipe

    def _read_loop(self) -> None:
        while not self._stopping.is_set():
            if self._lines.qsize() > _AHEAD:
                self._stopping.wait(_TICK)
            elif self._waits(_TICK) and not self._read_chunk():
                return

    def _read_chunk(self) -> bool:
        """Read what is available into the queue; return whether more may come."""
        data = b""
        with suppress(OSError, ValueError):  # a terminal that was closed, a file that was: the end
            # Unbuffered: a thread inside the buffered reader at exit ends Python with a fatal
            # error; and not `os.read`, which returns other characters on Windows.
            data = self._source.buffer.raw.read(65536) or b""  # type: ignore[attr-defined]
        *complete_lines, self._partial_line = (self._partial_line + data).split(b"\n")
        if not data:
            complete_lines, self._partial_line = [self._partial_line] * bool(self._partial_line), b""
        self._partial_line = self._partial_line[-_LONGEST_LINE:]
        for line in complete_lines:
            self._lines.put(line.decode(errors="replace").removesuffix("\r"))
        if not data:
            self._lines.put(None)
        return bool(data)


@contextmanager
def open_typed_lines(source: TextIO | None = None) -> Iterator[TypedLines]:
    """Yield the lines of `source` (default: standard input), reading only inside the block."""
    lines = _find_shared_lines(sys.stdin if source is None else source)
    lines.start()
    try:
        yield lines
    finally:
        lines.stop()


@lru_cache(maxsize=1)
def _find_shared_lines(source: TextIO) -> TypedLines:
    """Return the one listener of an input, so that lines typed ahead of one conversation go to the
    next.
    """
    return TypedLines(source)


def _choose_wait(source: TextIO) -> Waits:
    """Return the best way in which this system can wait for such an input."""
    if os.name == "nt":
        return _wait_for_key if source.isatty() else _wait_in_read
    return partial(_wait_until_readable, source)


def _wait_until_readable(source: TextIO, seconds: float) -> bool:
    try:
        return bool(select.select([source], [], [], seconds)[0])
    except (OSError, ValueError):  # it was closed: reading says so
        return True


def _wait_in_read(_seconds: float) -> bool:
    """Report at once that input can be read: this thread is the only reader of a pipe and may block
    in `read`.
    """
    return True


def _wait_for_key(seconds: float) -> bool:
    """Wait until a key is pressed at a Windows console."""
    if sys.platform == "win32" and msvcrt.kbhit():
        return True
    time.sleep(seconds)
    return False
