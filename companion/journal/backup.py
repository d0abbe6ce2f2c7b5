"""Backups of a journal: a whole copy, with notes and pictures, even while another program writes.

A copy made by other means may be taken in the middle of a write, and is then refused as damaged.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from msgspec.structs import replace

from companion.folders import make_private_folder
from companion.journal.sidecar_files import copy_sidecar_files
from companion.journal.store import Store
from companion.rules.contract import Problem, Text
from companion.texts import describe_os_error
from companion.user_files import open_atomically


def save_backup(store: Store, target: Path) -> list[Text]:
    """Copy a journal to the new file `target`, with the notes and pictures beside it, and verify
    the copy; return a message about each session that is damaged in it, as in the journal.

    Raises `StorageFault` if the journal or the copy cannot be read, and `Problem` if the copy
    cannot be written: there is no file `target` then, unless the reason says that this is
    uncertain.
    """
    where = {"file": str(target)}
    try:
        make_private_folder(target.parent)
        # The journal last: where it is, everything else is.
        for row in store.list_sessions():
            copy_sidecar_files(store.path, row.number, target, row.number, row.begun)
        with open_atomically(target, is_private=True) as file:
            copy = Path(file.name)
            store.copy_database(copy)
            with Store.open_read_only(copy) as copied:
                damaged = copied.list_damaged_sessions()
    except OSError as fault:
        raise Problem("backup.not_written", **where, reason=describe_os_error(fault)) from fault
    except sqlite3.Error as fault:
        raise Problem("backup.not_written", **where, reason=_name_error(fault)) from fault
    return [replace(one, args={**one.args, "file": str(store.path)}) for one in damaged]


def _name_error(fault: sqlite3.Error) -> str:
    return getattr(fault, "sqlite_errorname", "SQLITE_CORRUPT")
