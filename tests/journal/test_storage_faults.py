"""Every fault of the journal's place has its own words."""

from __future__ import annotations

import errno
import sqlite3
from pathlib import Path

import pytest

from companion.journal.checkpoint import LockHeld
from companion.journal.database_file import StorageFault, convert_to_storage_faults, is_damage
from companion.journal.schema import UnreadableRow
from companion.rules.contract import Text
from companion.rules.registry import GameUnavailable
from companion.texts import Translator, describe_os_error

SAID = [
    ("SQLITE_FULL", "full", False),
    ("SQLITE_IOERR_WRITE", "full", True),
    ("SQLITE_IOERR_READ", "unusable", True),
    ("SQLITE_READONLY_DBMOVED", "read_only", False),
    ("SQLITE_CANTOPEN", "read_only", False),
    ("SQLITE_PERM", "read_only", False),
    ("SQLITE_BUSY_TIMEOUT", "locked_file", False),
    ("SQLITE_LOCKED", "locked_file", False),
    ("SQLITE_CONSTRAINT_PRIMARYKEY", "race", False),
    ("SQLITE_CORRUPT_INDEX", "damaged", True),
    ("SQLITE_NOTADB", "foreign", True),
    *((f"SQLITE_{one}", "read_only", False) for one in ("READONLY", "CANTOPEN", "PERM")),
    *((f"SQLITE_{one}", "locked_file", False) for one in ("BUSY", "LOCKED")),
    ("SQLITE_IOERR", "unusable", True),
    ("SQLITE_CONSTRAINT", "race", False),
    ("SQLITE_CORRUPT", "damaged", True),
    ("SQLITE_MISUSE", "unusable", False),
    ("", "unusable", True),
    (errno.ENOSPC, "full", None),
    (errno.EDQUOT, "full", None),
    (errno.EFBIG, "full", None),
    (errno.EACCES, "read_only", None),
    (errno.EPERM, "read_only", None),
    (errno.EROFS, "read_only", None),
    (errno.ENOTDIR, "read_only", None),
    (errno.ENOENT, "read_only", None),
    (errno.EEXIST, "read_only", None),
    (errno.ELOOP, "loop", None),
    (errno.EIO, "unusable", None),
    (None, "unusable", None),
]


@pytest.mark.parametrize(("fault", "code", "damage"), SAID)
def test_what_sqlite_and_the_system_say_is_put_in_words(fault, code, damage):
    raised: Exception
    if isinstance(fault, str):
        raised = sqlite3.DatabaseError("the words of SQLite")
        if fault:
            raised.sqlite_errorname = fault
        assert is_damage(raised) is damage
    else:
        os_words = "the words of the system"
        raised = OSError(os_words) if fault is None else OSError(fault, os_words)
        assert os_words in str(raised)
    with pytest.raises(StorageFault) as caught, convert_to_storage_faults(Path("journal.sqlite3")):
        raise raised
    assert caught.value.text.code == f"journal.{code}"
    assert caught.value.text.args["file"] == "journal.sqlite3"
    if isinstance(fault, str):
        assert caught.value.text.args["reason"] == (fault or "SQLITE_ERROR")


@pytest.mark.parametrize(
    ("raised", "code", "args"),
    [
        (LockHeld("77"), "locked", {"process": "77"}),
        (LockHeld(""), "locked", {"process": "?"}),
        (GameUnavailable("chess"), "no_game", {"game": "chess"}),
        (UnreadableRow("row 3"), "unreadable", {"reason": "row 3"}),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid"), "damaged", {}),
        (
            OSError(errno.EIO, "broken"),
            "unusable",
            {"reason": describe_os_error(OSError(errno.EIO, "broken"))},
        ),
    ],
)
def test_what_others_say_is_put_in_words_with_what_people_must_know(raised, code, args):
    with pytest.raises(StorageFault) as caught, convert_to_storage_faults(Path("journal.sqlite3")):
        raise raised
    assert caught.value.text == Text(f"journal.{code}", {"file": "journal.sqlite3", **args})
    assert Translator("en").translate(caught.value.text)
