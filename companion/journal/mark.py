"""The mark beside a journal: what it held when it was last written, so that a loss shows.

SQLite finds a page that is damaged; that a whole, older copy lies in the file's place, or that the
file's end is gone, it cannot know. The mark can: the session written last, how many entries it had
and the head of their chain (`schema.linked`). It never grows, so a full disk does not stop it; a
mark that is missing or torn proves nothing and is no fault: the next entry writes it anew.
"""

from __future__ import annotations

import contextlib
import os
import zlib
from pathlib import Path

import msgspec

_BYTES = 256
"""Of every mark: it is written over the one before in a single write, within one sector."""


class Mark(msgspec.Struct, frozen=True):
    """What the journal holds at least: `entries` of the session `session`, the last of which has
    the link `digest` (hexadecimal), and `total` entries of all sessions together."""

    session: int
    entries: int
    digest: str
    total: int


def path_of(journal: Path) -> Path:
    """Return where the mark of the journal `journal` lies."""
    return journal.with_name(journal.name + ".mark")


def read(journal: Path) -> Mark | None:
    """Return the mark of the journal `journal`; None without one that can be read."""
    with contextlib.suppress(OSError, ValueError, msgspec.DecodeError):
        file = os.open(path_of(journal), os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with contextlib.closing(os.fdopen(file, "rb")) as opened:
            line, check = opened.read(_BYTES).split(b" ")[:2]
        if int(check, 16) == zlib.crc32(line):
            return msgspec.json.decode(line, type=Mark)
    return None


def write(journal: Path, mark: Mark, *, synced: bool) -> None:
    """Write the mark; `synced`: it is on the disk when this returns, else when the system writes
    it, which a killed program does not hinder.

    A disk that refuses leaves the one before, which still holds: what is kept is kept.
    """
    line = msgspec.json.encode(mark)
    data = b"%s %08x " % (line, zlib.crc32(line))
    with contextlib.suppress(OSError):
        file = os.open(path_of(journal), os.O_WRONLY | os.O_CREAT | getattr(os, "O_NONBLOCK", 0), 0o600)
        try:
            os.write(file, data.ljust(_BYTES - 1) + b"\n")
            if synced:
                os.fsync(file)
        finally:
            os.close(file)
