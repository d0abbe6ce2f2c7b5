"""What lies beside a journal's file: the lock, that there is one writer, and the mark of what the
journal held when it was last written, so that a loss shows.

The lock is held for as long as the program lives; the system frees it however the program ends.

SQLite finds a page that is damaged; that a whole, older copy lies in the file's place, or that the
file's end is gone, it cannot know. The mark can: the session written last, how many entries it had
and the head of their chain (`schema.linked`). It never grows, so a full disk does not stop it; a
mark that is missing or torn proves nothing and is no fault: the next entry writes it anew.
"""

from __future__ import annotations

import contextlib
import os
import sys
import zlib
from pathlib import Path

import msgspec

if sys.platform == "win32":
    import msvcrt
with contextlib.suppress(ImportError):  # Windows has another
    import fcntl

_FAR = 1 << 20
"""The byte that is locked on Windows, where a locked byte cannot be read: far behind the process
number, and it need not exist."""


class Held(OSError):
    """Another program holds the lock; `owner` is its process number, "" when it cannot be read."""

    def __init__(self, owner: str) -> None:
        super().__init__(f"held by process {owner or 'unknown'}")
        self.owner = owner


class Lock:
    """A held lock on the file `path` (made when missing, and left there). Raises `Held`, or
    `OSError` when the folder is unusable."""

    @classmethod
    def beside(cls, journal: Path) -> Lock:
        """Take the lock of the journal `journal`."""
        return cls(journal.with_name(journal.name + ".lock"))

    def __init__(self, path: Path) -> None:
        self._path = path
        self._take()

    def _take(self) -> None:
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        try:
            _grab(self._file)
        except (BlockingIOError, PermissionError) as fault:
            owner = os.read(self._file, 20).decode("ascii", "ignore").strip()
            os.close(self._file)
            raise Held(owner) from fault
        with contextlib.suppress(
            OSError
        ):  # a full disk: the number is only for the message to a second program
            os.ftruncate(self._file, 0)
            os.lseek(self._file, 0, os.SEEK_SET)
            os.write(self._file, f"{os.getpid()}\n".encode())

    def renew(self) -> None:
        """Take the lock again if its file was deleted: nobody could tell any more that the journal
        is in use. Raises as at first."""
        with contextlib.suppress(OSError):
            if os.path.samestat(self._path.stat(), os.fstat(self._file)):
                return
        lost = self._file
        self._take()
        os.close(lost)

    def release(self) -> None:
        """Let another program have the journal; nothing happens the second time."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def _grab(file: int) -> None:
    """Lock the file for this program, or raise: `BlockingIOError`, on Windows `PermissionError`."""
    if sys.platform == "win32":
        os.lseek(file, _FAR, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        os.lseek(file, 0, os.SEEK_SET)
    else:
        # `flock`, not `lockf`: a POSIX record lock is lost as soon as this program closes any
        # descriptor of the file, as `renew` does with the old one.
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


_BYTES = 256
"""Of every mark: it is written over the one before in a single write, within one sector."""


class HighWaterMark(msgspec.Struct, frozen=True):
    """What the journal holds at least: `entries` of the session `session`, the last of which has
    the link `digest` (hexadecimal), and `total` entries of all sessions together."""

    session: int
    entries: int
    digest: str
    total: int


def mark_path(journal: Path) -> Path:
    """Return where the mark of the journal `journal` lies."""
    return journal.with_name(journal.name + ".mark")


def read_mark(journal: Path) -> HighWaterMark | None:
    """Return the mark of the journal `journal`; None without one that can be read."""
    with contextlib.suppress(OSError, ValueError, msgspec.DecodeError):
        file = os.open(mark_path(journal), os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with contextlib.closing(os.fdopen(file, "rb")) as opened:
            line, check = opened.read(_BYTES).split(b" ")[:2]
        if int(check, 16) == zlib.crc32(line):
            return msgspec.json.decode(line, type=HighWaterMark)
    return None


def write_mark(journal: Path, mark: HighWaterMark, *, synced: bool) -> None:
    """Write the mark; `synced`: it is on the disk when this returns, else when the system writes
    it, which a killed program does not hinder.

    A disk that refuses leaves the one before, which still holds: what is kept is kept.
    """
    line = msgspec.json.encode(mark)
    data = b"%s %08x " % (line, zlib.crc32(line))
    with contextlib.suppress(OSError):
        file = os.open(mark_path(journal), os.O_WRONLY | os.O_CREAT | getattr(os, "O_NONBLOCK", 0), 0o600)
        try:
            os.write(file, data.ljust(_BYTES - 1) + b"\n")
            if synced:
                os.fsync(file)
        finally:
            os.close(file)
