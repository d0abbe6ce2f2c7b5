"""The file of a journal: recognise and open it, notice when it was moved or changed, and describe
every storage fault in words for players."""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import stat
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import IO

from companion.journal import schema
from companion.journal.checkpoint import LockHeld
from companion.rules import registry
from companion.rules.acts import EntryNotSaved
from companion.rules.contract import Text
from companion.texts import describe_os_error
from companion.user_files import refuse_read_only, sync_folder

_LOG = "-wal"
"""Suffix of the file with the last changes of an older program, if it crashed."""
DURABLE = ("PRAGMA synchronous = FULL", "PRAGMA fullfsync = ON")
"""Make a commit be on the disk when it returns. The second setting, effective on macOS only,
includes the drive's own cache."""


def resolve_path(path: Path | str) -> Path:
    """Return the path with links resolved, so that all names of a file have one lock. Raises
    `StorageFault`."""
    path = Path(path)
    with convert_to_storage_faults(path):
        try:
            # `make_links_absolute` first, because it raises an error in a folder that was deleted.
            resolved = path.absolute().resolve()
        except RuntimeError:
            # Python before 3.13 raises this for links that form a circle.
            resolved = path
        if resolved.is_symlink():
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
        return resolved


def create_file(path: Path) -> None:
    """Create the file, accessible to its owner only, unless it exists; correct the permissions of
    one that an older program made. Raises `OSError`."""
    path.touch(mode=0o600)
    # SQLite gives its own files beside the journal the same permissions. The owner may have made
    # the journal read-only: only the rights of others are taken away.
    path.chmod(path.stat().st_mode & stat.S_IRWXU)


def open_connection(path: Path, mode: str) -> sqlite3.Connection:
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
def write_transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Run the statements of the block as one transaction."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # An interrupt (Ctrl-C) too: an open transaction would lock the file.
        with contextlib.suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


@contextlib.contextmanager
def read_transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Let all statements of the block read the file as it is at one moment, while another program
    writes."""
    is_outer = not connection.in_transaction
    if is_outer:
        connection.execute("BEGIN")
    try:
        yield
    finally:
        # SQLite itself ends it after some errors.
        if is_outer and connection.in_transaction:
            connection.execute("ROLLBACK")


def open_read_only(path: Path) -> sqlite3.Connection:
    """Open a connection that changes nothing, and leaves nothing beside the file."""
    if not _uses_wal(path):
        # `rw`, because only a connection that may write can roll back the half-written changes of a
        # killed program.
        return _set(open_connection(path, "rw"), "PRAGMA query_only = ON")
    if path.with_name(path.name + _LOG).exists():
        return open_connection(path, "ro")
    # Without a log nobody is writing, and without `immutable` SQLite would leave an empty log
    # behind.
    return open_connection(path, "ro&immutable=1")


def configure_for_writing(connection: sqlite3.Connection) -> None:
    """Make every commit be in the file itself, on the disk, when it returns.

    WAL is not used: it would keep a session in a second file until the program ends, where one
    changed byte hides all entries behind it silently, and anyone who copies only the main file
    would have none of them.
    """
    # PERSIST: the rollback file stays for the next commit. Deleting it is slower, and after a power
    # failure the deletion may not be on the disk: the last entry would be rolled back.
    if connection.execute("PRAGMA journal_mode = PERSIST").fetchone()[0] != "persist":
        raise StorageFault(Text("journal.locked_file", {"file": _find_database_path(connection)}))
    for pragma in DURABLE:
        connection.execute(pragma)


def delete_rollback_file(connection: sqlite3.Connection) -> None:
    """Delete the files beside the journal that are no longer needed."""
    # Another program is reading: the file stays, and is empty.
    with contextlib.suppress(sqlite3.Error):
        connection.execute("PRAGMA journal_mode = DELETE")


def delete_finished_rollback_file(path: Path) -> None:
    """Delete what a removed journal left beside it, if no change is half written: SQLite cannot
    read the removed file as long as it is there. Raises `OSError`."""
    rollback = _rollback_path(path)
    if not path.exists() and rollback.exists():
        with rollback.open("rb") as file:
            is_finished = _is_finished(file)
        if is_finished:
            rollback.unlink()


def sync_finished_rollback_file(path: Path) -> None:
    """Make durable that the last change is not to be rolled back, after a sync of the rollback file
    failed. Raises `OSError`."""
    try:
        file = _rollback_path(path).open("r+b")
    except FileNotFoundError:
        sync_folder(path.parent)
        return
    with file:
        if _is_finished(file):
            file.seek(0)
            # Once more, because the system takes what it failed to sync for written.
            file.write(bytes(_ROLLBACK_HEADER_BYTES))
            file.flush()
            os.fsync(file.fileno())


def _rollback_path(path: Path) -> Path:
    return path.with_name(path.name + "-journal")


def _is_finished(rollback: IO[bytes]) -> bool:
    # A commit ends by overwriting the header (https://sqlite.org/fileformat2.html, 3).
    return not any(rollback.read(_ROLLBACK_HEADER_BYTES))


_ROLLBACK_HEADER_BYTES = 28


def check_file_type(path: Path, *, to_write: bool = False) -> None:
    """Raise `StorageFault` unless `path` is missing, empty or, by its header, a journal; changes
    and creates nothing.

    With `to_write` a file with several names (hard links) is refused: SQLite keeps its log beside
    one of them, and a program that uses another name would ignore it
    (https://sqlite.org/howtocorrupt.html, 2.4). Raises `PermissionError` for one that its owner
    made read-only.
    """
    file_arg = {"file": str(path)}
    try:
        found = path.stat()
    except FileNotFoundError:
        found = None
    if found is not None and stat.S_ISDIR(found.st_mode):
        raise StorageFault(Text("journal.folder", file_arg))
    if found is not None and not stat.S_ISREG(found.st_mode):
        raise StorageFault(Text("journal.no_file", file_arg))
    if found is not None and to_write and found.st_nlink > 1:
        raise StorageFault(Text("journal.several_names", file_arg))
    if found is not None and to_write:
        refuse_read_only(path)
    if found is None or found.st_size == 0:
        log = path.with_name(path.name + _LOG)
        # Left by an older program: SQLite would discard the entries in that log.
        if log.exists() and log.stat().st_size:
            raise StorageFault(Text("journal.damaged", file_arg))
        return
    with path.open("rb") as file:
        # 100 bytes: the whole header of a database file (https://sqlite.org/fileformat2.html, 1.3).
        header = file.read(100)
    if header[: len(schema.MAGIC)] != schema.MAGIC:
        raise StorageFault(Text("journal.foreign", file_arg))
    if header[schema.APPLICATION_ID_AT] != schema.APPLICATION_ID.to_bytes(4, "big"):
        raise StorageFault(Text("journal.foreign", file_arg))


def check_integrity(path: Path) -> None:
    """Raise `StorageFault` unless the journal, if it is not empty, is intact and not newer than
    this program."""
    if not path.exists() or path.stat().st_size == 0:
        return
    file_arg = {"file": str(path)}
    with contextlib.closing(open_read_only(path)) as connection:
        # First, because a newer program's file may look damaged to this one.
        if connection.execute("PRAGMA user_version").fetchone()[0] > schema.USER_VERSION:
            raise StorageFault(Text("journal.newer", file_arg))
        if not is_intact(connection):
            raise StorageFault(Text("journal.damaged", file_arg))


def is_intact(connection: sqlite3.Connection) -> bool:
    """Check whether SQLite finds no damage."""
    # Not `quick_check`, which takes as long and does not see rows that are in the wrong order, and
    # so are not found. One fault is enough to know.
    return bool(connection.execute("PRAGMA integrity_check(1)").fetchone()[0] == "ok")


class FileState:
    """Watch on the file opened at `path`: whether it is still there, and unchanged by others."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._recorded_stat = _stat_or_none(path)

    def is_lost(self) -> bool:
        """Check whether the file was deleted, moved or replaced, so that further entries would be
        lost."""
        return _file_identity(_stat_or_none(self._path)) != _file_identity(self._recorded_stat)

    def find_changes(self) -> tuple[bool, bool]:
        """Check whether the file is lost, and whether somebody else may have written to it: its
        size or times have changed since `record_state`."""
        now, recorded = _stat_or_none(self._path), self._recorded_stat
        is_lost = _file_identity(now) != _file_identity(recorded)
        return is_lost, _content_stamp(now) != _content_stamp(recorded)

    def record_state(self) -> None:
        """Remember the file's present state as the one we left it in."""
        self._recorded_stat = _stat_or_none(self._path)


def find_free_path(path: Path) -> Path:
    """Return the name of a new journal beside `path`: `evening-2.sqlite3`, or the next free one."""
    names = (path.with_name(f"{path.stem}-{number}{path.suffix}") for number in count(2))
    return next(name for name in names if not os.path.lexists(name))


def _uses_wal(path: Path) -> bool:
    """Check whether the file uses a write-ahead log, as older programs left it: byte 19 of its
    header (https://sqlite.org/fileformat2.html, 1.3.3)."""
    with path.open("rb") as file:
        return file.read(20)[18:] == b"\2\2"


def _find_database_path(connection: sqlite3.Connection) -> str:
    return str(connection.execute("PRAGMA database_list").fetchone()[2])


def _stat_or_none(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None


def _file_identity(status: os.stat_result | None) -> tuple[int, int] | None:
    return status and (status.st_dev, status.st_ino)


def _content_stamp(status: os.stat_result | None) -> tuple[int, int, int] | None:
    return status and (status.st_size, status.st_mtime_ns, status.st_ctime_ns)


class StorageFault(EntryNotSaved):
    """Raised if the journal or an entry cannot be used or saved: what is wrong and what to do."""


class WriteInDoubt(StorageFault):
    """Raised if an error leaves open whether an entry was saved, and the file cannot be read to
    find out."""

    is_in_doubt = True


@contextlib.contextmanager
def convert_to_storage_faults(path: Path) -> Iterator[None]:
    """Convert exceptions of SQLite, the system and the decoder into `StorageFault`; the original
    reason is named only if the cause is unknown."""
    file_arg = {"file": str(path)}
    try:
        yield
    except LockHeld as fault:
        raise StorageFault(Text("journal.locked", {**file_arg, "process": fault.owner or "?"})) from None
    except registry.GameUnavailable as fault:
        raise StorageFault(Text("journal.no_game", {**file_arg, "game": fault.game_id})) from None
    except schema.UnreadableRow as fault:
        raise StorageFault(Text("journal.unreadable", {**file_arg, "reason": str(fault)})) from None
    except UnicodeDecodeError:
        # SQLite quotes damaged bytes in its error message.
        raise StorageFault(Text("journal.damaged", file_arg)) from None
    except OSError as fault:
        code = _OS_FAULTS.get(fault.errno or 0, "journal.unusable")
        raise StorageFault(Text(code, {**file_arg, "reason": describe_os_error(fault)})) from None
    except sqlite3.Error as fault:
        name = getattr(fault, "sqlite_errorname", "SQLITE_ERROR")
        code = next(
            (message_code for start, message_code in _SQLITE_FAULTS if name.startswith(start)),
            "journal.unusable",
        )
        raise StorageFault(Text(code, {**file_arg, "reason": name})) from None


def is_damage(fault: sqlite3.Error) -> bool:
    """Check whether an SQLite error means damage of the file itself, not a problem with its place
    or another program."""
    name = getattr(fault, "sqlite_errorname", "SQLITE_ERROR")
    return name == "SQLITE_ERROR" or name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_IOERR"))


_SQLITE_FAULTS = (
    ("SQLITE_FULL", "journal.full"),
    # SQLite reports a file-size limit or a quota in this way.
    ("SQLITE_IOERR_WRITE", "journal.full"),
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
    # A file is where the folder should be.
    errno.EEXIST: "journal.read_only",
    errno.ELOOP: "journal.loop",
}
