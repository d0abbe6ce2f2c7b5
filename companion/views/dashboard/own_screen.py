"""Keeps the screen for the dashboard: what libraries write to standard error meanwhile goes to a
file instead.

A camera's picture decoder writes "Corrupt JPEG data" straight to file descriptor 2, where it would
stand in the middle of the screen. Textual draws through `sys.__stderr__`, so it is given the
terminal itself.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

FILE = "messages.log"
"""Beside the journal; begun anew each time."""


@contextmanager
def own_screen(folder: Path) -> Iterator[None]:
    """Send file descriptor 2 to `folder`/`FILE`, or nowhere when that cannot be written, and let
    Textual have the terminal."""
    sys.stderr.flush()
    terminal = os.dup(2)
    before = sys.__stderr__, sys.stderr
    screen = os.fdopen(terminal, "w", encoding="utf-8", errors="replace")
    # A second copy, to be put back: the first is closed with the screen.
    kept = os.dup(2)
    aside = _aside(folder)
    os.dup2(aside, 2)
    os.close(aside)
    sys.__stderr__ = sys.stderr = screen  # type: ignore[misc]
    try:
        yield
    finally:
        sys.__stderr__, sys.stderr = before  # type: ignore[misc]
        os.dup2(kept, 2)
        os.close(kept)
        # What was still to be drawn on a terminal that is gone is of no use; why it ends is.
        with suppress(OSError):
            screen.close()


def _aside(folder: Path) -> int:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return os.open(folder / FILE, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    except OSError:
        return os.open(os.devnull, os.O_WRONLY)
