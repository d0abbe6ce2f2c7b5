"""Lock and checkpoint of a journal: one writer, and a minimum that the journal must contain.

Lock: there is one writer. It is held as long as the program lives; the system releases it however
the program ends.

Checkpoint: SQLite finds a damaged page, but it cannot know that the file was replaced by an older
copy, or that its end is missing. The checkpoint can: it records the session written last, its
number of entries and the head of their hash chain (`schema.compute_next_link`). It has a fixed
size, so a full disk does not stop it. A checkpoint that is missing or torn proves nothing and is
not an error: the next entry writes it again.
"""

from __future__ import annotations

import contextlib
import os
import zlib
from contextlib import suppress
from pathlib import Path

import msgspec

from companion.user_files import lock_open_file

_PROCESS_BYTES = 20
"""Bytes that hold the process number of the lock's owner."""


class LockHeld(OSError):
    """Raised if another program holds the lock; `owner` is its process number, "" if it cannot be
    read."""

    def __init__(self, owner: str) -> None:
        super().__init__(f"held by process {owner or 'unknown'}")
        self.owner = owner


class Lock:
    """Lock on the file `path` (created if missing, never deleted). Raises `LockHeld`, or `OSError`
    if the folder cannot be used."""

    @classmethod
    def for_journal(cls, journal: Path) -> Lock:
        """Take the lock of a journal."""
        return cls(journal.with_name(journal.name + ".lock"))

    def __init__(self, path: Path) -> None:
        self._path = path
        self._acquire_lock()

    def _acquire_lock(self) -> None:
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        try:
            lock_open_file(self._file)
        except (BlockingIOError, PermissionError) as fault:
            owner = os.read(self._file, _PROCESS_BYTES).decode("ascii", "ignore").strip()
            os.close(self._file)
            raise LockHeld(owner) from fault
        # Not essential on a full disk: the number is only shown to people who start a second
        # program.
        with suppress(OSError):
            # Padded to a fixed length, not truncated: truncating may wait until everything is
            # written to the disk.
            os.write(self._file, f"{os.getpid():<{_PROCESS_BYTES - 1}}\n".encode())

    def renew(self) -> None:
        """Take the lock again if its file was deleted, because other programs could not see any
        more that the journal is in use. Raises the same as the constructor."""
        with suppress(OSError):
            if os.path.samestat(self._path.stat(), os.fstat(self._file)):
                return
        old_file = self._file
        # The new lock is taken before the old one is released: the journal is never without one.
        self._acquire_lock()
        os.close(old_file)

    def release(self) -> None:
        """Release the journal for other programs; calling it again does nothing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


_CHECKPOINT_BYTES = 256
"""Size of a checkpoint: it replaces the previous one in a single write within one disk sector."""


class Checkpoint(msgspec.Struct, frozen=True):
    """Minimum content of the journal: `entries` of the session `session`, the last of which has the
    link `digest` (hexadecimal), and `total` entries of all sessions together."""

    session: int
    entries: int
    digest: str
    total: int


def checkpoint_path(journal: Path) -> Path:
    """Return the path of a journal's checkpoint."""
    return journal.with_name(journal.name + ".mark")


def read_checkpoint(journal: Path) -> Checkpoint | None:
    """Return the checkpoint of a journal; None if there is no valid one."""
    with suppress(OSError, ValueError, msgspec.DecodeError):
        # Not blocking: something else, such as a FIFO, may have that name.
        file = os.open(checkpoint_path(journal), os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with contextlib.closing(os.fdopen(file, "rb")) as opened:
            line, check = opened.read(_CHECKPOINT_BYTES).split(b" ")[:2]
        # A write that a power failure interrupted has a wrong checksum.
        if int(check, 16) == zlib.crc32(line):
            return msgspec.json.decode(line, type=Checkpoint)
    return None


def write_checkpoint(journal: Path, checkpoint: Checkpoint, *, synced: bool) -> None:
    """Write the checkpoint. `synced`: it is on the disk when this returns; otherwise the system
    writes it later, even if the program is killed.

    If the disk refuses, the previous checkpoint stays, and is still true: the journal never loses
    entries.
    """
    line = msgspec.json.encode(checkpoint)
    data = b"%s %08x " % (line, zlib.crc32(line))
    with suppress(OSError):
        # The path of `checkpoint_path`, as text: with every entry, `pathlib` would cost as much as
        # the opening.
        file = os.open(f"{journal}.mark", os.O_WRONLY | os.O_CREAT | getattr(os, "O_NONBLOCK", 0), 0o600)
        try:
            os.write(file, data.ljust(_CHECKPOINT_BYTES - 1) + b"\n")
            if synced:
                os.fsync(file)
        finally:
            os.close(file)
