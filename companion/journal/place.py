"""The place on disk where a journal lies: whether it is one of ours, whether it is still there, and
where to go when it is not."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import stat
from itertools import count
from pathlib import Path

from companion.folders import private_folder
from companion.journal import schema
from companion.journal.storage_faults import StorageFault, in_words
from companion.rules.contract import Text

_LOG = "-wal"
_Inode = tuple[int, int] | None


def real_path(path: Path | str) -> Path:
    """Return where the file really lies: links change no lock. Raises `StorageFault`."""
    path = Path(path)
    with in_words(path):
        return path.absolute().resolve()  # `absolute` first: it is what fails in a folder that was deleted


def make(path: Path) -> None:
    """Make the file, for its owner alone, unless it is there; close it to others if an older
    program made it. Raises `OSError`."""
    private_folder(path.parent)
    path.touch(mode=0o600)
    path.chmod(0o600)  # its -wal and -shm follow it


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """Open a connection; `mode`: `ro` or `rw`."""
    # `isolation_level=None`: each statement is a transaction of its own, on disk when it returns.
    # `rw` and never `rwc`: a file that SQLite makes has the rights of the umask, not 0600.
    connection = sqlite3.connect(
        f"{path.as_uri()}?mode={mode}", uri=True, isolation_level=None, timeout=2.0, check_same_thread=False
    )
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def set_for_writing(connection: sqlite3.Connection) -> None:
    """Let every commit be on the disk when it returns."""
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    # macOS: through the drive's own cache too; elsewhere it changes nothing
    connection.execute("PRAGMA fullfsync = ON")


def recognise(path: Path, *, to_write: bool = False) -> None:
    """Raise `StorageFault` unless `path` is missing, empty or, by its header, a journal; changes
    nothing, and makes nothing beside it.

    With `to_write` a file of several names is refused: SQLite keeps its log beside one of them, and
    whoever comes by another writes past it (https://sqlite.org/howtocorrupt.html, 2.4).
    """
    where = {"file": str(path)}
    try:
        found = path.stat()
    except FileNotFoundError:
        found = None
    if found is not None and stat.S_ISDIR(found.st_mode):
        raise StorageFault(Text("journal.folder", where))
    if found is not None and not stat.S_ISREG(found.st_mode):
        raise StorageFault(Text("journal.no_file", where))
    if found is not None and to_write and found.st_nlink > 1:
        raise StorageFault(Text("journal.several_names", where))
    if found is None or found.st_size == 0:
        log = path.with_name(path.name + _LOG)
        if log.exists() and log.stat().st_size:  # SQLite would throw away what the log still holds
            raise StorageFault(Text("journal.damaged", where))
        return
    with path.open("rb") as file:
        # 100 bytes: the whole header of a database file (https://sqlite.org/fileformat2.html, 1.3).
        header = file.read(100)
    if header[: len(schema.MAGIC)] != schema.MAGIC:
        raise StorageFault(Text("journal.foreign", where))
    if header[schema.APPLICATION_ID_AT] != schema.APPLICATION_ID.to_bytes(4, "big"):
        raise StorageFault(Text("journal.foreign", where))


def examine(path: Path) -> None:
    """Raise `StorageFault` unless the journal `path`, if there is anything in it, is whole and not
    newer than this program."""
    if not path.exists() or path.stat().st_size == 0:
        return
    where = {"file": str(path)}
    with contextlib.closing(connect(path, "ro")) as connection:
        # First: what a newer program wrote may look damaged to this one.
        if connection.execute("PRAGMA user_version").fetchone()[0] > schema.USER_VERSION:
            raise StorageFault(Text("journal.newer", where))
        # `quick_check` reads each page once; `integrity_check` also compares indices with their
        # tables. One fault is enough to know.
        if connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
            raise StorageFault(Text("journal.damaged", where))


class Whereabouts:
    """Whether the file opened at `path` still is the one that lies there, and its log too."""

    def __init__(self, path: Path) -> None:
        self._file = path
        self._log = path.with_name(path.name + _LOG)
        self._known: tuple[_Inode, _Inode] = (_inode(self._file), _inode(self._log))

    def lost(self) -> bool:
        """Tell whether the file or its log was deleted, moved or replaced: what is written then is
        in no file that anybody finds."""
        now = (_inode(self._file), _inode(self._log))
        if self._known[1] is None:
            self._known = (self._known[0], now[1])  # SQLite makes the log when it first needs it
        return now != self._known


def beside(path: Path) -> Path:
    """Return a name for a new journal beside `path`: `evening-2.sqlite3`, or the next free one."""
    names = (path.with_name(f"{path.stem}-{number}{path.suffix}") for number in count(2))
    return next(name for name in names if not os.path.lexists(name))


def _inode(path: Path) -> _Inode:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
