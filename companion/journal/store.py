"""The journal on disk: one writer, append only, each entry durable when the call returns, and read
back.

An entry is written in a transaction of its own, together with its session's new count and head of
the chain, and synced. An error does not tell whether that happened: if the last sync of a commit
fails, the entry is in the file. So after an error the file is read, and that decides (`_commit`).

What was written is read back through a second connection, because the one that wrote it would
answer from its cache, and compared with the rows in memory (`StoredRows`). If the file was moved or
replaced, or does not hold what was written, the session goes on in a new file beside it
(`_relocate`), copied from the old one or written from memory. The checkpoint beside the journal
(`companion.journal.checkpoint`) tells the next start whether anything is missing.

Every problem with the file is a `StorageFault` in plain words. A file that is damaged, foreign,
newer or incomplete is left as it is.
"""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, cast

from companion.folders import make_private_folder, user_data_folder
from companion.journal import continuations, database_file, schema
from companion.journal.checkpoint import (
    Checkpoint,
    Lock,
    checkpoint_path,
    read_checkpoint,
    write_checkpoint,
)
from companion.journal.database_file import (
    StorageFault,
    WriteInDoubt,
    convert_to_storage_faults,
    is_damage,
)
from companion.journal.saved_session import Row, SavedSession, SessionRow, StoredRows
from companion.journal.sidecar_files import copy_sidecar_files
from companion.rules import registry
from companion.rules.acts import Entry
from companion.rules.contract import Setup, Text
from companion.user_files import sync_folder

FILE = "journal.sqlite3"
_NUMBERS = range(1, 2**63)
"""Session numbers that SQLite can hold; the first session has 1."""
_NO_SALT = b""
"""Value of the column in which older programs kept the key of their seals."""


class _RowWrite(NamedTuple):
    """A row to be written, with the head of its session before it and after it (None: there is no
    session)."""

    table: str
    row: Row
    head_before: Row | None
    head_after: Row
    names: Mapping[str, str] = {}

    def insert_into(self, connection: sqlite3.Connection) -> None:
        """Insert the row, and replace the head."""
        schema.insert_row(connection, self.table, self.row)
        schema.write_head(connection, self.row[0], self.head_after)
        schema.insert_names(connection, self.row[0], self.names)

    def is_in(self, connection: sqlite3.Connection) -> bool:
        """Check whether the file holds exactly this row."""
        return _select_row(connection, self.table, self.row) == self.row

    def delete_from(self, connection: sqlite3.Connection) -> None:
        """Take the row back."""
        number = self.row[0]
        if self.head_before is None:
            schema.delete_session(connection, number)
        else:
            connection.execute("DELETE FROM entries WHERE session = ? AND sequence = ?", self.row[:2])
            schema.write_head(connection, number, self.head_before)


def default_journal_path() -> Path:
    """Return the path of the journal if no file is named."""
    return user_data_folder() / FILE


class Store:
    """An open journal. Use `Store.open` for the only writer, `Store.open_read_only` for readers."""

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: Lock | None = None) -> None:
        self.path = path
        self._db = connection
        self._lock = lock
        self._session_rows: StoredRows | None = None
        self._names: dict[str, str] = {}
        self._verified_count = 0
        """How many entries of the session were read back."""
        self._reader: Store | None = None
        """The file as a second connection reads it."""
        self._total = 0
        self._synced = True
        self._doubtful_write: _RowWrite | None = None
        """The write that is being made, or whose outcome could not be found out."""
        self._verified_rows: dict[int, StoredRows] = {}
        self._file_state = database_file.FileState(path)
        self.notice: Text | None = None
        """Message about the file that was opened: it replaces a missing one or, for a reader, it
        lacks entries that were saved."""
        self.on_relocation: Callable[[Text], object] = _ignore_text
        """Called with a message if the file was removed or damaged and the session goes on in
        another."""

    @classmethod
    def open(cls, path: Path | str) -> Store:
        """Open or create the journal `path` and its folder for writing; raise `StorageFault`.

        If an evening went on in a file beside it, what is there is copied into the journal; a
        journal that cannot take it is replaced by that file (`companion.journal.continuations`).
        """
        return cls._open_or_replace(path, cls._open_and_merge)

    @classmethod
    def _open_or_replace(cls, path: Path | str, open_file: Callable[[Path], Store]) -> Store:
        """Open the journal, or the newest file in which it went on if it is not to be used."""
        path = database_file.resolve_path(path)
        try:
            return open_file(path)
        except StorageFault as fault:
            beside = _find_replacement(path, fault)
            if beside is None:
                raise
        store = cls._open_or_replace(beside, open_file)
        store.notice = Text("journal.continued", {"file": str(path), "new": str(store.path)})
        return store

    @classmethod
    def _open_and_merge(cls, path: Path) -> Store:
        """Open the journal itself, complete with what was saved beside it."""
        sources, notices = [], []
        with contextlib.ExitStack() as cleanup:
            for beside in continuations.find_continuations(path):
                try:
                    sources.append(cleanup.enter_context(cls.open(beside)))
                except StorageFault as fault:
                    # What is damaged stays as it is; another program may still be playing there.
                    if fault.text.code not in _UNUSABLE:
                        raise
                    notices.append(fault.text)
            store = cls._open_file(path, sources)
            try:
                for source in sources:
                    with convert_to_storage_faults(path):
                        notices += store._merge(source)
            except BaseException:
                store.close()
                raise
        if notices:
            store.notice = notices[-1]
        return store

    @classmethod
    def _open_file(cls, path: Path, sources: Sequence[Store]) -> Store:
        with convert_to_storage_faults(path):
            # Before the lock: no lock file is left beside a file that is not a journal.
            database_file.check_file_type(path, to_write=True)
            make_private_folder(path.parent)
            lock = Lock.for_journal(path)
            try:
                database_file.check_integrity(path)
                checked, notice = _inspect_file(path, sources)
                database_file.create_file(path)
                return cls._open_writable(path, lock, checked, notice)
            except BaseException:
                lock.release()
                raise

    @classmethod
    def _open_writable(
        cls, path: Path, lock: Lock, checked: dict[int, StoredRows], notice: Text | None
    ) -> Store:
        """Open the file that was checked, for writing."""
        connection = database_file.open_connection(path, "rw")
        try:
            store = cls(path, connection, lock)
            store._prepare_tables()
        except BaseException:
            connection.close()
            raise
        store._verified_rows, store.notice = checked, notice
        return store

    def _merge(self, source: Store) -> list[Text]:
        """Copy what this file lacks from one in which an evening went on; return a message about
        each session that is damaged there, for which it is looked through again at the next start.
        """
        with database_file.write_transaction(self._db):
            numbers, damaged = continuations.merge_sessions(source._db, self._db)
        # Before it is marked as merged: what cannot be copied is tried again at the next start.
        for number, new in numbers.items():
            row = source._read_session_row(number)
            assert row is not None
            copy_sidecar_files(source.path, number, self.path, new, row[0])
        self._total = self._count_all_entries()
        self._verified_rows.clear()
        last = max(numbers.values(), default=None)
        if last is not None:
            self._session_rows = self._read_intact_rows(last)
            self._write_checkpoint(synced=True)
            self._session_rows = None
        self._file_state.record_state()
        if not damaged:
            continuations.mark_merged(source._db)
            self.notice = Text("journal.merged", {"file": str(self.path), "new": str(source.path)})
        return [Text("journal.damaged_session", {"number": one, "file": str(source.path)}) for one in damaged]

    @classmethod
    def open_read_only(cls, path: Path | str) -> Store:
        """Open the journal `path` for reading, even while another program writes to it, or the file
        in which it went on if it cannot be read; raise `StorageFault`, also if there is none."""
        return cls._open_or_replace(path, cls._open_file_read_only)

    @classmethod
    def _open_file_read_only(cls, path: Path) -> Store:
        with convert_to_storage_faults(path):
            database_file.check_file_type(path)
            # The checkpoint before the file: a writer may add entries meanwhile, and the file must
            # hold at least the checkpoint's.
            checkpoint = read_checkpoint(path)
            if not path.exists() or not path.stat().st_size:
                raise StorageFault(
                    _describe_loss(path, checkpoint, 0)
                    if checkpoint
                    else Text("journal.none", {"file": str(path)})
                )
            database_file.check_integrity(path)
            store = cls(path, database_file.open_read_only(path))
            try:
                store.notice = store._describe_missing(checkpoint)
            except BaseException:
                store.close()
                raise
            return store

    def close(self) -> None:
        """Close the file and release it for other programs."""
        # A file that was replaced may be another program's: nothing beside it is deleted.
        if self._lock is not None and not self._file_state.is_lost():
            database_file.delete_rollback_file(self._db)
            self.sync_checkpoint()
        self._release_file()

    def _release_file(self) -> None:
        self._close_reader()
        with contextlib.suppress(sqlite3.Error):
            self._db.close()
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_fault: object) -> None:
        self.close()

    def start_session(
        self, setup: Setup, now: float | None = None, names: Mapping[str, str] | None = None
    ) -> None:
        """Start a new session, to which further entries belong. Raises `StorageFault` if it cannot
        be made durable. `read_names`: what people are called, if the set-up has only seats."""
        begun = time.time() if now is None else now
        data = schema.encode_setup(setup)
        digest = schema.compute_row_digest(0, setup.game, data, _NO_SALT, begun)
        head = (begun, setup.game, data, _NO_SALT, digest)
        with convert_to_storage_faults(self.path):
            self._verify_or_relocate()
            number = self._choose_number(head)
            fresh = StoredRows(number, head)
            self._commit(
                _RowWrite("sessions", (number, *head), None, fresh.compute_head(), dict(names or {}))
            )
            self._session_rows, self._verified_count, self._names = fresh, 0, dict(names or {})
            # Sessions verified before a write may be outdated now.
            self._verified_rows.clear()
            self._file_state.record_state()

    def _choose_number(self, head: Row) -> int:
        """Return the number of a new session: the next one, or that of the same session if it is
        in doubt whether it was written."""
        doubtful = self._doubtful_write
        if doubtful is not None and doubtful.table == "sessions":
            if doubtful.row[1:] == head:
                return cast(int, doubtful.row[0])
            self._settle_doubt(None)
        return (self.find_last_session() or 0) + 1

    def rename_player(self, seat: str, name: str) -> None:
        """Set the name of a seat or guest of the open session, without an entry. Raises
        `StorageFault`."""
        with convert_to_storage_faults(self.path):
            if self._session_rows is None:
                raise StorageFault(Text("journal.no_session", {"number": 0, "file": str(self.path)}))
            self._verify_or_relocate()
            with database_file.write_transaction(self._db):
                schema.insert_names(self._db, self._session_rows.number, {seat: name})
            self._names[seat] = name
            self._file_state.record_state()

    def read_names(self, number: int) -> Mapping[str, str]:
        """Return the names of people in a session, by seat; {} if the log itself has them. Raises
        `sqlite3.Error`."""
        if not schema.has_table(self._db, "seats"):
            return {}
        return dict(self._db.execute("SELECT seat, name FROM seats WHERE session = ?", (number,)))

    def append(self, entry: Entry, now: float | None = None) -> None:
        """Make one entry of the open session durable, and read it back. Raises `StorageFault`: the
        entry was not written then, and can be tried again. Raises `WriteInDoubt` if the disk does
        not even tell whether it was: it can be tried again too, and the next write decides.

        An entry that was written but cannot be read back raises nothing, and must not be written
        again: see `ensure_saved`.
        """
        with convert_to_storage_faults(self.path):
            if self._session_rows is None:
                raise StorageFault(Text("journal.no_session", {"number": 0, "file": str(self.path)}))
            row = self._session_rows.build_row(entry, time.time() if now is None else now)
            self._verify_or_relocate()
            before, after = self._session_rows.compute_head(), self._session_rows.compute_head(row)
            self._commit(_RowWrite("entries", row, before, after))
            # Only after it was written: an entry that failed is tried again with the same number
            # and digest.
            self._session_rows.add_row(row, after[1])
            self._total += 1
            self._verified_rows.clear()
            self._file_state.record_state()
            self._write_checkpoint(synced=False)
        with contextlib.suppress(StorageFault):
            self.ensure_saved()

    def _commit(self, write: _RowWrite) -> None:
        """Write one row durably. Raises `sqlite3.Error` if it was not written, and `WriteInDoubt`
        if that cannot be found out."""
        if self._settle_doubt(write):
            return
        # Before the attempt: an interrupt (Ctrl-C) leaves the outcome open, too.
        self._doubtful_write = write
        try:
            with database_file.write_transaction(self._db):
                write.insert_into(self._db)
        except sqlite3.Error as fault:
            if not self._is_written(write, fault):
                self._doubtful_write = None
                raise
        self._doubtful_write = None

    def _settle_doubt(self, write: _RowWrite | None) -> bool:
        """Find out what became of the write in doubt. Return whether it is `write`, and is in the
        file; another one is taken back, because nobody was told that it was saved. Raises
        `StorageFault` or `sqlite3.Error`."""
        doubtful = self._doubtful_write
        if doubtful is None:
            return False
        with convert_to_storage_faults(self.path):
            found = self._is_in_file(doubtful)
            if found and doubtful != write:
                with database_file.write_transaction(self._db):
                    doubtful.delete_from(self._db)
                found = False
        self._doubtful_write = None
        return found

    def _is_written(self, write: _RowWrite, fault: sqlite3.Error) -> bool:
        """Check after an error whether the row is in the file. Raises `WriteInDoubt`."""
        try:
            return self._is_in_file(write)
        except (sqlite3.Error, OSError, UnicodeDecodeError):
            reason = getattr(fault, "sqlite_errorname", "SQLITE_ERROR")
            in_doubt = Text("journal.in_doubt", {"file": str(self.path), "reason": reason})
            raise WriteInDoubt(in_doubt) from None

    def _is_in_file(self, write: _RowWrite) -> bool:
        """Check whether the row is in the file, and make that durable: it, or its absence."""
        # A new connection: the one that failed may answer from its cache. It first rolls back what
        # was left half written.
        with contextlib.closing(database_file.open_connection(self.path, "rw")) as connection:
            found = write.is_in(connection)
        # Not left to the next commit: it writes over the records of a rollback file whose old
        # header would still be on the disk.
        database_file.sync_finished_rollback_file(self.path)
        return found

    def ensure_saved(self) -> None:
        """Check that the file holds everything that was saved, and go on in a file beside it if
        not. Raises `StorageFault` if that fails, so that entries are only in memory, or if the file
        cannot be checked now."""
        with convert_to_storage_faults(self.path):
            self._verify_or_relocate()

    def sync_checkpoint(self) -> None:
        """Make the checkpoint durable too."""
        if not self._synced:
            self._write_checkpoint(synced=True)

    def resume_session(self, number: int) -> SavedSession:
        """Read session `number` and continue it: further entries belong to it. Raises
        `StorageFault`."""
        saved = self.read_session(number)
        self.continue_session(saved)
        return saved

    def continue_session(self, saved: SavedSession) -> None:
        """Continue a session that this store has read: further entries belong to it."""
        assert saved.written is not None
        self._session_rows = StoredRows(saved.number, saved.written.head, saved.written.rows)
        self._names = dict(saved.names)
        self._verified_count = len(self._session_rows.rows)

    def list_sessions(self) -> list[SessionRow]:
        """List the sessions, oldest first. Raises `StorageFault`."""
        with convert_to_storage_faults(self.path):
            with database_file.read_transaction(self._db):
                # From the last entry alone: counting them would read the whole file.
                rows = self._db.execute(
                    "SELECT s.session, game, setup, begun, s.digest, e.sequence, e.written, e.digest"
                    " FROM sessions AS s LEFT JOIN entries AS e ON e.session = s.session AND e.sequence ="
                    " (SELECT max(sequence) FROM entries WHERE session = s.session) ORDER BY s.session"
                ).fetchall()
                counts = self._read_counts()
            listed = []
            for number, game, data, begun, head, sequence, written, digest in rows:
                schema.decode_setup(data)
                one = schema.compute_session_id(game, data, begun)
                last, found, digest = (
                    (begun, 0, head) if sequence is None else (written, sequence + 1, digest)
                )
                # A session whose end is missing keeps its length, and is refused when it is read.
                listed.append(SessionRow(number, one, game, begun, last, counts.get(number, found), digest))
            return listed

    def _read_counts(self) -> dict[int, int]:
        """Return the stored number of entries of each session; {} in an older program's file."""
        if not schema.has_table(self._db, "heads"):
            return {}
        return dict(self._db.execute("SELECT session, entries FROM heads"))

    def list_damaged_sessions(self) -> list[Text]:
        """Read every session whole; return a message about each that is damaged. Raises
        `StorageFault` if the file cannot be read."""
        damaged = []
        for row in self.list_sessions():
            with convert_to_storage_faults(self.path):
                try:
                    self._read_intact_rows(row.number)
                except (StorageFault, UnicodeDecodeError):
                    error_args = {"number": row.number, "file": str(self.path)}
                    damaged.append(Text("journal.damaged_session", error_args))
        return damaged

    def copy_database(self, target: Path) -> None:
        """Copy everything into the empty file `target`, as it is at one moment, even while another
        program writes, and check the copy; it is not synced. Raises `sqlite3.Error`."""
        with contextlib.closing(sqlite3.connect(target, isolation_level=None)) as copy:
            # The writer waits meanwhile: not for the disk, too. The copy is of no use until it is
            # whole, so it needs no rollback file.
            for pragma in ("journal_mode = OFF", "synchronous = OFF"):
                copy.execute(f"PRAGMA {pragma}")
            self._db.backup(copy)
            if not database_file.is_intact(copy):
                raise sqlite3.DatabaseError("the copy is damaged")

    def find_last_session(self) -> int | None:
        """Return the number of the newest session; None if there is none. Raises `StorageFault`."""
        with convert_to_storage_faults(self.path):
            return cast("int | None", self._db.execute("SELECT max(session) FROM sessions").fetchone()[0])

    def read_session(self, number: int) -> SavedSession:
        """Return session `number` with its entries. Raises `StorageFault` if it does not exist, is
        damaged, or its game is not installed."""
        with convert_to_storage_faults(self.path):
            written = self._verified_rows.pop(number, None) or self._read_intact_rows(number)
            begun, game_id, data, _salt, _digest = written.head
            setup, commitment = schema.decode_setup(data)
            game = registry.load_game(game_id)
            entries, times = [], []
            for _session, _sequence, time_of, kind, at, written_as, acts, _row_digest in written.rows:
                entries.append(schema.decode_entry(game, kind, at, acts, written_as))
                times.append(time_of)
            own = schema.compute_session_id(game_id, data, begun)
            names = self.read_names(number)
            return SavedSession(
                number, setup, begun, tuple(entries), tuple(times), commitment, own, written, names
            )

    def read_current_session(self) -> SavedSession | None:
        """Return the session to which entries are added; None before there is one. Raises
        `StorageFault`."""
        return self.read_session(self._session_rows.number) if self._session_rows else None

    def _read_session_row(self, number: int) -> Row | None:
        found = self._db.execute(
            "SELECT begun, game, setup, salt, digest FROM sessions WHERE session = ?",
            (number if number in _NUMBERS else 0,),
        ).fetchone()
        return cast("Row | None", found)

    def _select_rows(self, number: int, first: int = 0, limit: int = -1) -> Iterator[Row]:
        query = "SELECT * FROM entries WHERE session = ? AND sequence >= ? ORDER BY sequence LIMIT ?"
        return self._db.execute(query, (number, first, limit))

    def read_rows(self, number: int, first: int, limit: int) -> list[Row]:
        """Return at most `limit` rows of `count_entries` from `first` on, even while another
        program writes; they are not verified. Raises `sqlite3.Error`."""
        return [*self._select_rows(number, first, limit)]

    def list_heads(self, since: float) -> list[tuple[int, Row]]:
        """List the sessions begun since then (seconds since 1970) by number, with their rows of
        `list_sessions`; not verified, as for `read_rows`."""
        query = (
            "SELECT session, begun, game, setup, salt, digest FROM sessions WHERE begun >= ? ORDER BY session"
        )
        return [(row[0], row[1:]) for row in self._db.execute(query, (since,))]

    def count_entries(self, number: int) -> int:
        """Count the entries of a session; as `read_rows`."""
        query = "SELECT coalesce(max(sequence) + 1, 0) FROM entries WHERE session = ?"
        return cast(int, self._db.execute(query, (number,)).fetchone()[0])

    def _read_intact_rows(self, number: int) -> StoredRows:
        """Return the session's rows; raise `StorageFault` if one is missing or damaged, or there is
        no such session."""
        error_args = {"number": number, "file": str(self.path)}
        with database_file.read_transaction(self._db):
            head = self._read_session_row(number)
            if head is None:
                raise StorageFault(Text("journal.no_session", error_args))
            written = StoredRows(number, head)
            if not (written.add_verified_rows(self._select_rows(number)) and self._matches_head(written)):
                raise StorageFault(Text("journal.damaged_session", error_args))
        return written

    def _matches_head(self, written: StoredRows) -> bool:
        """Check the rows of a session against its stored count and head of the chain, which notice
        that its end is missing. Files of older programs have none, until they are opened to play.
        """
        if not schema.has_table(self._db, "heads"):
            return True
        return schema.read_head(self._db, written.number) == written.compute_head()

    def _read_valid_rows(self, number: int) -> StoredRows | None:
        """Return the intact rows of a session, up to the first damaged one; None if there is no
        such session."""
        head = self._read_session_row(number)
        if head is None:
            return None
        written = StoredRows(number, head)
        written.add_verified_rows(self._select_rows(number))
        return written

    def _count_all_entries(self) -> int:
        return cast(int, self._db.execute("SELECT count(*) FROM entries").fetchone()[0])

    def _describe_missing(self, checkpoint: Checkpoint | None) -> Text | None:
        """Return a message about what the file lacks according to `checkpoint`; None if nothing.
        The file may hold more than the checkpoint says."""
        if checkpoint is None:
            return None
        found, total = (
            self._verified_rows.get(checkpoint.session) or self._read_valid_rows(checkpoint.session),
            self._count_all_entries(),
        )
        rows_found = 0 if found is None else len(found.rows)
        if rows_found < checkpoint.entries or total < checkpoint.total:
            missing = max(checkpoint.entries - rows_found, checkpoint.total - total)
            return _describe_loss(self.path, checkpoint, checkpoint.total - missing)
        assert found is not None
        if found.compute_link(checkpoint.entries).hex() != checkpoint.digest:
            error_args = {"file": str(self.path), "mark": str(checkpoint_path(self.path))}
            return Text("journal.other", {**error_args, "number": checkpoint.session})
        return None

    def _write_checkpoint(self, *, synced: bool) -> None:
        """Write the checkpoint of what the file holds now.

        It is not synced with each entry: the entry itself is on the disk, and a checkpoint that is
        outdated after a power failure only proves less. A sync costs as much as a quarter of the
        entry.
        """
        if self._session_rows is not None and self._session_rows.rows:
            number, entries, self._synced = self._session_rows.number, len(self._session_rows.rows), synced
            now = Checkpoint(number, entries, self._session_rows.compute_link(entries).hex(), self._total)
            write_checkpoint(self.path, now, synced=synced)

    def _verify_or_relocate(self) -> None:
        """Go on in a new file if this one was deleted, moved or replaced, or does not hold what was
        saved. If somebody else changed the file, everything is compared, otherwise only the rows
        that were not read back yet."""
        if self._lock is None:
            return
        rows = 0 if self._session_rows is None else len(self._session_rows.rows)
        is_lost, touched = self._file_state.find_changes()
        if is_lost:
            self._relocate("journal.moved")
        elif (touched or self._verified_count < rows) and not self._verify_file(
            0 if touched else self._verified_count
        ):
            self._relocate("journal.hurt")
        else:
            self._verified_count = rows
            if touched:
                self._file_state.record_state()
            self._lock.renew()

    def _verify_file(self, first: int = 0) -> bool:
        """Read the file back as any other program would, and return whether it holds the session's
        rows from `first` on; with 0 also whether the whole file is intact."""
        # Twice, because a disk may stumble once.
        for _attempt in range(2):
            if not first:
                # Even pages that SQLite takes for unchanged are to be read again.
                self._close_reader()
            try:
                if self._is_contained_in(self._open_reader(), first):
                    return True
            except UnicodeDecodeError:
                pass
            except sqlite3.Error as fault:
                if not is_damage(fault):
                    raise
            self._close_reader()
        return False

    def _open_reader(self) -> Store:
        """Return the file as a second connection reads it: the one that writes would answer from
        its cache. It rolls back what a failed write has left behind. After each write it reads what
        is in the file, since every commit counts up a number in its header."""
        if self._reader is None:
            self._reader = Store(self.path, database_file.open_read_only(self.path))
        return self._reader

    def _close_reader(self) -> None:
        if self._reader is not None:
            with contextlib.suppress(sqlite3.Error):
                self._reader._db.close()
            self._reader = None

    def _is_contained_in(self, file: Store, first: int = 0) -> bool:
        if not first and not (database_file.is_intact(file._db) and file._count_all_entries() >= self._total):
            return False
        if self._session_rows is None:
            return True
        rows = self._session_rows.rows
        if not first and file._read_session_row(self._session_rows.number) != self._session_rows.head:
            return False
        # More rows may be there: that another program has written is found out when we write, and a
        # write in doubt too.
        return [*file._select_rows(self._session_rows.number, first)][: len(rows) - first] == rows[
            first:
        ] and self._is_head_current(schema.read_head(file._db, self._session_rows.number))

    def _is_head_current(self, stored: Row | None) -> bool:
        """Check the stored head of the open session; one that counts more may be in doubt."""
        assert self._session_rows is not None
        now = self._session_rows.compute_head()
        return stored is not None and (stored == now or stored[0] > now[0])

    def _relocate(self, code: str) -> None:
        """Go on in a new file: with everything from the old one if that was only removed, or with
        this session from memory if it is damaged."""
        old, new = self.path, database_file.find_free_path(self.path)
        make_private_folder(new.parent)
        # The lock first: no other program may find the file without one.
        lock = Lock.for_journal(new)
        try:
            fresh = self._copy_database(new, old) if code == "journal.moved" else None
            if fresh is None:
                fresh = self._rewrite_session(new, old)
            # SQLite goes on if it cannot open the folder; a power failure may then lose the name.
            sync_folder(new.parent)
        except BaseException:
            new.unlink(missing_ok=True)
            lock.release()
            raise
        self._release_file()
        self.path, self._db, self._lock = new, fresh, lock
        self._total = self._count_all_entries()
        self._file_state = database_file.FileState(new)
        self._write_checkpoint(synced=True)
        self.on_relocation(Text(code, {"file": str(old), "new": str(new)}))

    def _copy_database(self, new: Path, old: Path) -> sqlite3.Connection | None:
        """Copy the removed file, which our connection can still read; return None if that is
        incomplete."""
        database_file.create_file(new)
        fresh = database_file.open_connection(new, "rw")
        try:
            database_file.delete_finished_rollback_file(old)
            self._db.backup(fresh)
            if self._is_contained_in(Store(new, fresh)):
                # After the copy, for the reason given in `_prepare_tables`.
                database_file.configure_for_writing(fresh)
                with database_file.write_transaction(fresh):
                    continuations.write_origin(fresh, old, self._compute_doubtful_link())
                return fresh
        except BaseException as fault:
            if not (isinstance(fault, sqlite3.DatabaseError) and is_damage(fault)):
                fresh.close()
                raise
        fresh.close()
        new.unlink()
        return None

    def _compute_doubtful_link(self) -> bytes:
        """Return the last link of a write in doubt; b"" if there is none."""
        return b"" if self._doubtful_write is None else cast(bytes, self._doubtful_write.head_after[1])

    def _rewrite_session(self, new: Path, old: Path) -> sqlite3.Connection:
        """Write this session from memory."""
        database_file.create_file(new)
        fresh = database_file.open_connection(new, "rw")
        try:
            fresh.execute("BEGIN IMMEDIATE")
            _create_tables(fresh)
            if self._session_rows is not None:
                head, rows = self._session_rows.head, self._session_rows.rows
                fresh.execute(
                    "INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?)", (self._session_rows.number, *head)
                )
                fresh.executemany("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
                schema.write_head(fresh, self._session_rows.number, self._session_rows.compute_head())
                schema.insert_names(fresh, self._session_rows.number, self._names)
            continuations.write_origin(fresh, old, self._compute_doubtful_link())
            fresh.execute("COMMIT")
            database_file.configure_for_writing(fresh)
        except BaseException:
            fresh.close()
            raise
        return fresh

    def _prepare_tables(self) -> None:
        """Create the tables of a new file, and find out now whether it can be written."""
        # IMMEDIATE locks for writing now; a plain BEGIN would do so at the first change, and a
        # read-only file would be noticed only in the middle of the session.
        self._db.execute("BEGIN IMMEDIATE")
        if not self._db.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
            _create_tables(self._db)
        elif self._db.execute("PRAGMA user_version").fetchone()[0] < schema.USER_VERSION:
            self._add_heads()
            self._db.execute(f"PRAGMA user_version = {schema.USER_VERSION}")
        self._db.execute("COMMIT")
        # Only after the transaction: an older program's file may have a log, which it used for the
        # last time.
        database_file.configure_for_writing(self._db)
        self._file_state.record_state()
        self._total = self._count_all_entries()

    def _add_heads(self) -> None:
        """Store the heads of the sessions of an older program's file. A damaged session gets none,
        and stays damaged."""
        self._db.execute(schema.HEADS)
        for (number,) in self._db.execute("SELECT session FROM sessions").fetchall():
            row = self._read_session_row(number)
            assert row is not None
            written = StoredRows(number, row)
            if written.add_verified_rows(self._select_rows(number)):
                schema.write_head(self._db, number, written.compute_head())


def _describe_loss(path: Path, checkpoint: Checkpoint, total: int) -> Text:
    loss_args = {
        "file": str(path),
        "mark": str(checkpoint_path(path)),
        "held": checkpoint.total,
        "here": total,
    }
    return Text("journal.lacks", loss_args)


def journal_exists(path: Path) -> bool:
    """Check whether there is a journal, or a file in which it went on."""
    return path.exists() or bool(continuations.find_continuations(path))


_UNUSABLE = frozenset(
    f"journal.{one}"
    for one in ("damaged", "damaged_session", "unreadable", "foreign", "lacks", "other", "none", "unusable")
)
"""What may be wrong with a journal in whose place a continuation is used, or with a continuation
without which the journal is opened."""


def _find_replacement(path: Path, fault: StorageFault) -> Path | None:
    """Return the newest file in which this journal went on, if the journal is not to be used."""
    beside = continuations.find_continuations(path) if fault.text.code in _UNUSABLE else []
    return beside[-1] if beside else None


def _inspect_file(path: Path, sources: Sequence[Store] = ()) -> tuple[dict[int, StoredRows], Text | None]:
    """Return the last session's rows, and a message about the file, before it is written to. Raises
    `StorageFault` if that session is damaged, or the file lacks saved entries that none of
    `sources` has, from which they are to be copied."""
    checkpoint = read_checkpoint(path)
    if not path.exists() or path.stat().st_size == 0:
        if checkpoint is None or (sources and not path.exists()):
            return {}, None
        # A file that was emptied is damaged; a missing one is replaced by a new journal, with a
        # notice.
        if path.exists():
            raise StorageFault(_describe_loss(path, checkpoint, 0))
        return {}, Text("journal.gone", {"file": str(path), "held": checkpoint.total})
    with contextlib.closing(database_file.open_read_only(path)) as connection:
        if not connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
            return {}, None
        store = Store(path, connection)
        # Only the last session, because it will be continued. Older ones are verified when they are
        # read.
        last = store.find_last_session()
        if last is not None:
            store._verified_rows = {last: store._read_intact_rows(last)}
        elif checkpoint is not None:
            # Begun in place of a missing one, and nothing was saved in it yet.
            return {}, Text("journal.gone", {"file": str(path), "held": checkpoint.total})
        loss = store._describe_missing(checkpoint)
        if loss is not None and all(source._describe_missing(checkpoint) for source in sources):
            raise StorageFault(loss)
        return store._verified_rows, None


def _select_row(connection: sqlite3.Connection, table: str, row: Row) -> Row | None:
    """Return the row with the key of `row`."""
    key = "session = ? AND sequence = ?" if table == "entries" else "session = ?"
    values = row[:2] if table == "entries" else row[:1]
    return cast("Row | None", connection.execute(f"SELECT * FROM {table} WHERE {key}", values).fetchone())


def _create_tables(connection: sqlite3.Connection) -> None:
    connection.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {schema.USER_VERSION}")
    for table in schema.TABLES:
        connection.execute(table)


def _ignore_text(_text: Text) -> None:
    """Ignore the message."""
