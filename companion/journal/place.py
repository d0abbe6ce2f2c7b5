"""The place on disk where a journal lies: whether it is one of ours, whether it is still there,
where to go when it is not; and what can be wrong with it, in words for players: what it is, what to
do."""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import stat
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from companion.folders import private_folder
from companion.given_files import refuse_read_only
from companion.journal import schema
from companion.journal.beside import Held
from companion.rules import registry
from companion.rules.acts import NotKept
from companion.rules.contract import Text
from companion.texts import system_reason

_LOG = "-wal"
"""What an older program wrote last lies in this file beside the journal, after a crash."""
DURABLE = ("PRAGMA synchronous = FULL", "PRAGMA fullfsync = ON")
"""A commit is on the disk when it returns; the second is heeded on macOS only: through the drive's
own cache too."""


def real_path(path: Path | str) -> Path:
    """Return where the file really lies: links change no lock. Raises `StorageFault`."""
    path = Path(path)
    with in_words(path):
        try:
            found = (
                path.absolute().resolve()
            )  # `absolute` first: it is what fails in a folder that was deleted
        except RuntimeError:  # what Python before 3.13 says of links that lead in a circle
            found = path
        if found.is_symlink():
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
        return found


def make(path: Path) -> None:
    """Make the file, for its owner alone, unless it is there; close it to others if an older
    program made it. Raises `OSError`."""
    private_folder(path.parent)
    path.touch(mode=0o600)
    # What SQLite makes beside it follows it. The owner's own rights are the owner's to give.
    path.chmod(path.stat().st_mode & stat.S_IRWXU)


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """Open a connection; `mode`: `ro` or `rw`."""
    # `isolation_level=None`: each statement is a transaction of its own, on disk when it returns.
    # `rw` and never `rwc`: a file that SQLite makes has the rights of the umask, not 0600.
    connection = sqlite3.connect(
        f"{path.as_uri()}?mode={mode}", uri=True, isolation_level=None, timeout=2.0, check_same_thread=False
    )
    return _set(connection, "PRAGMA foreign_keys = ON")


def _set(connection: sqlite3.Connection, pragma: str) -> sqlite3.Connection:
    try:
        connection.execute(pragma)
    except BaseException:  # the file is damaged, or another program's: nobody else could close it
        connection.close()
        raise
    return connection


@contextlib.contextmanager
def together(connection: sqlite3.Connection) -> Iterator[None]:
    """Write the statements of the block as one, or none of them."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def looking(path: Path) -> sqlite3.Connection:
    """Open a connection that changes nothing, and leaves nothing beside the file."""
    if not _logged(path):
        # `rw`: what a killed program left half-written only one that may write can take back
        return _set(connect(path, "rw"), "PRAGMA query_only = ON")
    if path.with_name(path.name + _LOG).exists():
        return connect(path, "ro")
    # No log: nobody writes in it, and SQLite would leave an empty log behind.
    return connect(path, "ro&immutable=1")


def set_for_writing(connection: sqlite3.Connection) -> None:
    """Let every commit be in the file itself, on the disk, when it returns.

    Not WAL: that keeps an evening in a second file until the program ends, where one changed byte
    hides all entries behind it without a word, and whoever copies the one file has none of them.
    """
    # PERSIST: the file for taking back stays for the next commit. To delete it is slower, and its
    # deletion need not be on the disk yet: a power failure would take the last entry back.
    if connection.execute("PRAGMA journal_mode = PERSIST").fetchone()[0] != "persist":
        raise StorageFault(Text("journal.locked_file", {"file": _name(connection)}))
    for pragma in DURABLE:
        connection.execute(pragma)


def tidy(connection: sqlite3.Connection) -> None:
    """Leave nothing beside the file that nobody needs any more."""
    with contextlib.suppress(sqlite3.Error):  # a reader is at it: it stays, and is empty
        connection.execute("PRAGMA journal_mode = DELETE")


def recognise(path: Path, *, to_write: bool = False) -> None:
    """Raise `StorageFault` unless `path` is missing, empty or, by its header, a journal; changes
    nothing, and makes nothing beside it.

    With `to_write` a file of several names is refused: SQLite keeps its log beside one of them, and
    whoever comes by another writes past it (https://sqlite.org/howtocorrupt.html, 2.4); so is, with
    `PermissionError`, one that its owner made read-only.
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
    if found is not None and to_write:
        refuse_read_only(path)
    if found is None or found.st_size == 0:
        log = path.with_name(path.name + _LOG)
        # An older program's: SQLite would throw away what the log still holds.
        if log.exists() and log.stat().st_size:
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
    with contextlib.closing(looking(path)) as connection:
        # First: what a newer program wrote may look damaged to this one.
        if connection.execute("PRAGMA user_version").fetchone()[0] > schema.USER_VERSION:
            raise StorageFault(Text("journal.newer", where))
        if not whole(connection):
            raise StorageFault(Text("journal.damaged", where))


def whole(connection: sqlite3.Connection) -> bool:
    """Tell whether SQLite finds no damage."""
    # `quick_check` reads each page once; `integrity_check` also compares indices with their tables.
    # One fault is enough to know.
    return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")


class Whereabouts:
    """The file opened at `path`: whether it still is the one that lies there, and as we left it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._left = _status(path)

    def lost(self) -> bool:
        """Tell whether the file was deleted, moved or replaced: what is written then is in no file
        that anybody finds."""
        return _inode(_status(self._path)) != _inode(self._left)

    def touched(self) -> bool:
        """Tell whether somebody else may have written in the file: its size or times are others
        than when we left it (`left`)."""
        return _content(_status(self._path)) != _content(self._left)

    def left(self) -> None:
        """Take the file to be as it should."""
        self._left = _status(self._path)


def beside(path: Path) -> Path:
    """Return a name for a new journal beside `path`: `evening-2.sqlite3`, or the next free one."""
    names = (path.with_name(f"{path.stem}-{number}{path.suffix}") for number in count(2))
    return next(name for name in names if not os.path.lexists(name))


def _logged(path: Path) -> bool:
    """Tell whether the file is read with a write-ahead log, as older programs left it: byte 19 of
    its header (https://sqlite.org/fileformat2.html, 1.3.3)."""
    with path.open("rb") as file:
        return file.read(20)[18:] == b"\2\2"


def _name(connection: sqlite3.Connection) -> str:
    return str(connection.execute("PRAGMA database_list").fetchone()[2])


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None


def _inode(found: os.stat_result | None) -> tuple[int, int] | None:
    return found and (found.st_dev, found.st_ino)


def _content(found: os.stat_result | None) -> tuple[int, int, int] | None:
    return found and (found.st_size, found.st_mtime_ns, found.st_ctime_ns)


class StorageFault(NotKept):
    """Why the journal or an entry cannot be used or kept: what is wrong and what to do."""


@contextlib.contextmanager
def in_words(path: Path) -> Iterator[None]:
    """Put what SQLite, the system and the codec say into a `StorageFault`; theirs is only named
    where nothing is known of it."""
    where = {"file": str(path)}
    try:
        yield
    except Held as fault:
        raise StorageFault(Text("journal.locked", {**where, "process": fault.owner or "?"})) from None
    except registry.GameUnavailable as fault:
        raise StorageFault(Text("journal.no_game", {**where, "game": fault.game_id})) from None
    except schema.Unreadable as fault:
        raise StorageFault(Text("journal.unreadable", {**where, "reason": str(fault)})) from None
    except UnicodeDecodeError:  # SQLite quotes damaged bytes in its own words
        raise StorageFault(Text("journal.damaged", where)) from None
    except OSError as fault:
        code = _OS_FAULTS.get(fault.errno or 0, "journal.unusable")
        raise StorageFault(Text(code, {**where, "reason": system_reason(fault)})) from None
    except sqlite3.Error as fault:
        name = getattr(fault, "sqlite_errorname", "SQLITE_ERROR")
        code = next((say for start, say in _SQLITE_FAULTS if name.startswith(start)), "journal.unusable")
        raise StorageFault(Text(code, {**where, "reason": name})) from None


def is_damage(fault: sqlite3.Error) -> bool:
    """Tell whether SQLite found the file itself to be at fault, and not its place or who has it."""
    name = getattr(fault, "sqlite_errorname", "SQLITE_ERROR")
    return name == "SQLITE_ERROR" or name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_IOERR"))


_SQLITE_FAULTS = (
    ("SQLITE_FULL", "journal.full"),
    ("SQLITE_IOERR_WRITE", "journal.full"),  # what SQLite says of a file-size limit or a quota
    ("SQLITE_READONLY", "journal.read_only"),
    ("SQLITE_CANTOPEN", "journal.read_only"),
    ("SQLITE_PERM", "journal.read_only"),
    ("SQLITE_BUSY", "journal.locked_file"),
    ("SQLITE_LOCKED", "journal.locked_file"),
    ("SQLITE_CONSTRAINT", "journal.race"),
    ("SQLITE_CORRUPT", "journal.damaged"),
    ("SQLITE_NOTADB", "journal.foreign"),
)

_OS_FAULTS = {
    errno.ENOSPC: "journal.full",
    errno.EDQUOT: "journal.full",
    errno.EFBIG: "journal.full",
    errno.EACCES: "journal.read_only",
    errno.EPERM: "journal.read_only",
    errno.EROFS: "journal.read_only",
    errno.ENOTDIR: "journal.read_only",
    errno.ENOENT: "journal.read_only",
    errno.EEXIST: "journal.read_only",  # a file where the folder should be
    errno.ELOOP: "journal.loop",
}
