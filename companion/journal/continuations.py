"""Files in which a session went on because its journal was removed or damaged.

A continuation lies beside the journal (`journal-2.sqlite3`) and names it in its table `continues`.
The next start looks for it: as soon as the journal is whole again, or a new one was begun, what it
lacks is copied from the continuation (`merge_sessions`); until then the continuation is used in its
place. A continuation that was merged is marked, and left where it is.
"""

from __future__ import annotations

import contextlib
import re
import sqlite3
from pathlib import Path
from typing import NamedTuple

from companion.journal import database_file, schema
from companion.journal.saved_session import Row, StoredRows

TABLE = """
    CREATE TABLE IF NOT EXISTS continues (
        file TEXT NOT NULL,
        doubtful BLOB NOT NULL,
        merged INTEGER NOT NULL
    ) STRICT
    """
"""The name of the journal that this file continues; the link of a row that was in doubt there, and
was taken back here (empty: none); and whether everything is in that journal again."""


def write_origin(connection: sqlite3.Connection, journal: Path, doubtful: bytes) -> None:
    """Record that this file continues `journal`, as part of the transaction that fills it."""
    connection.execute(TABLE)
    connection.execute("DELETE FROM continues")
    connection.execute("INSERT INTO continues VALUES (?, ?, 0)", (journal.name, doubtful))


def mark_merged(connection: sqlite3.Connection) -> None:
    """Record that the journal has everything that this file holds."""
    if _read_origin(connection) is not None:
        connection.execute("UPDATE continues SET merged = 1")


def read_doubtful_link(connection: sqlite3.Connection) -> bytes:
    """Return the link of the row that was taken back when the file was begun; b"" if there was
    none."""
    origin = _read_origin(connection)
    return b"" if origin is None else bytes(origin[1])


def find_continuations(journal: Path) -> list[Path]:
    """Return the files that continue `journal` and were not merged yet, oldest first."""
    pattern = re.compile(re.escape(journal.stem) + r"-(\d+)" + re.escape(journal.suffix))
    try:
        matches = [(pattern.fullmatch(file.name), file) for file in journal.parent.iterdir()]
    except OSError:
        return []
    numbered = sorted((int(match[1]), file) for match, file in matches if match)
    return [file for _number, file in numbered if _continues(file, journal)]


def _continues(file: Path, journal: Path) -> bool:
    with contextlib.suppress(OSError, sqlite3.Error, UnicodeDecodeError, database_file.StorageFault):
        database_file.check_file_type(file)
        with contextlib.closing(database_file.open_read_only(file)) as connection:
            origin = _read_origin(connection)
            return origin is not None and origin[0] == journal.name and not origin[2]
    return False


def _read_origin(connection: sqlite3.Connection) -> Row | None:
    if not schema.has_table(connection, "continues"):
        return None
    found: Row | None = connection.execute("SELECT * FROM continues").fetchone()
    return found


class MergeOutcome(NamedTuple):
    """Result of a merge: the number that each copied session of the source has in the target, and
    the numbers of those that are damaged in the source and not whole in the target either."""

    numbers: dict[int, int]
    damaged: list[int]


class _StoredSession(NamedTuple):
    """A session as it is in a file. `rows`: the valid ones, from the first on; `head`: the stored
    count and last link, None if there are none; `is_cut`: valid, but its end is missing."""

    rows: StoredRows
    head: Row | None
    is_whole: bool
    is_cut: bool

    def is_in(self, rows: StoredRows) -> bool:
        """Check whether `rows` have everything that this session had."""
        return self.head is not None and _contains(rows, *self.head)


def merge_sessions(source: sqlite3.Connection, target: sqlite3.Connection) -> MergeOutcome:
    """Copy what `target` lacks from `source`, in the open transaction of `target`.

    A session is known by the first link of its chain. One that went on differently in both files is
    kept twice. One that lost its end, or is damaged, is never copied: the part that is left would
    pass for all of it. In the target it gets its end, or a whole copy beside it. Raises
    `sqlite3.Error`.
    """
    doubtful, merge = read_doubtful_link(source), MergeOutcome({}, [])
    theirs_by_number = {number: _read_session(number, source) for number in _list_sessions(source)}
    ours_by_number = [_read_session(number, target) for number in _list_sessions(target)]
    # The whole ones last: a damaged session may have a whole copy already.
    known = {one.rows.compute_link(0): one for one in sorted(ours_by_number, key=lambda one: one.is_whole)}
    in_doubt = known.get(doubtful)
    if in_doubt is not None and not in_doubt.rows.rows:
        other = theirs_by_number.get(in_doubt.rows.number)
        if other is not None and other.rows.compute_link(0) != doubtful:
            # Another session was begun in its place.
            schema.delete_session(target, in_doubt.rows.number)
            del known[doubtful]
    for number, session in theirs_by_number.items():
        found = known.get(session.rows.compute_link(0))
        if session.is_whole:
            ours = None if found is None else _select_rows_to_extend(found, session.rows)
            merge.numbers[number] = _copy_session(session.rows, ours, doubtful, source, target)
        elif found is not None and found.is_whole and session.is_in(found.rows):
            merge.numbers[number] = found.rows.number
        else:
            merge.damaged.append(number)
    return merge


def _select_rows_to_extend(found: _StoredSession, theirs: StoredRows) -> StoredRows | None:
    """Return the rows of the target's session if it is whole, or if `theirs` have the end that it
    lost; else None."""
    return found.rows if found.is_whole or (found.is_cut and found.is_in(theirs)) else None


def _copy_session(
    theirs: StoredRows,
    ours: StoredRows | None,
    doubtful: bytes,
    source: sqlite3.Connection,
    target: sqlite3.Connection,
) -> int:
    """Copy the rows that `ours` lack, or a whole session; return its number in the target."""
    if ours is not None:
        ours = _take_back(ours, theirs, doubtful, target)
        if _is_beginning(theirs, ours):
            return ours.number
    if ours is None or not _is_beginning(ours, theirs):
        taken = set(_list_sessions(target))
        new = max(taken) + 1 if theirs.number in taken else theirs.number
        ours = StoredRows(new, theirs.head)
        schema.insert_row(target, "sessions", (ours.number, *ours.head))
        _copy_names(source, theirs.number, target, ours.number)
    _append_rows(ours, theirs, target)
    return ours.number


def _list_sessions(connection: sqlite3.Connection) -> list[int]:
    return [number for (number,) in connection.execute("SELECT session FROM sessions ORDER BY session")]


def _read_session(number: int, connection: sqlite3.Connection) -> _StoredSession:
    columns = connection.execute(
        "SELECT begun, game, setup, salt, digest FROM sessions WHERE session = ?", (number,)
    ).fetchone()
    rows = StoredRows(number, columns)
    query = "SELECT * FROM entries WHERE session = ? ORDER BY sequence"
    are_valid = rows.add_verified_rows(connection.execute(query, (number,)))
    # Both files were opened to be written, so that older programs' sessions have heads too.
    head = schema.read_head(connection, number)
    is_whole = are_valid and head == rows.compute_head()
    is_cut = are_valid and head is not None and head[0] > len(rows.rows)
    return _StoredSession(rows, head, is_whole, is_cut)


def _is_beginning(rows: StoredRows, longer: StoredRows) -> bool:
    return _contains(longer, *rows.compute_head())


def _contains(rows: StoredRows, count: int, link: bytes) -> bool:
    return count <= len(rows.rows) and rows.compute_link(count) == link


def _take_back(
    ours: StoredRows, theirs: StoredRows, doubtful: bytes, target: sqlite3.Connection
) -> StoredRows:
    """Delete the last row of `ours` if it was in doubt when the continuation was begun, in which
    another one was saved in its place."""
    count = len(ours.rows)
    in_doubt = 0 < count <= len(theirs.rows) and ours.compute_link(count) == doubtful
    if not in_doubt or _is_beginning(ours, theirs):
        return ours
    target.execute("DELETE FROM entries WHERE session = ? AND sequence = ?", (ours.number, count - 1))
    shorter = StoredRows(ours.number, ours.head, ours.rows[:-1])
    schema.write_head(target, ours.number, shorter.compute_head())
    return shorter


def _append_rows(ours: StoredRows, theirs: StoredRows, target: sqlite3.Connection) -> None:
    for row in theirs.rows[len(ours.rows) :]:
        # The number is part of a row's checksum, not of its link.
        renumbered = ours.renumber_row(row)
        schema.insert_row(target, "entries", renumbered)
        ours.add_row(renumbered)
    schema.write_head(target, ours.number, ours.compute_head())


def _copy_names(source: sqlite3.Connection, number: int, target: sqlite3.Connection, new: int) -> None:
    if schema.has_table(source, "seats"):
        rows = source.execute("SELECT seat, name FROM seats WHERE session = ?", (number,))
        schema.insert_names(target, new, dict(rows.fetchall()))
