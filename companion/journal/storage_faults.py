"""What can be wrong with the journal's place, in words for players: what it is, what to do."""

from __future__ import annotations

import contextlib
import errno
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from companion.journal import codec
from companion.journal.beside import Held
from companion.rules import registry
from companion.rules.acts import NotKept
from companion.rules.contract import Text
from companion.texts import system_reason


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
    except codec.Unreadable as fault:
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
