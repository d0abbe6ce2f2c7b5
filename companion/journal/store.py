"""The journal on disk: one writer, append only, each entry durable when the call returns, and read
back.

An entry is written in a transaction of its own and synced. Then the file is read back through a
second connection, because the one that wrote it would answer from its cache, and compared with the
rows in memory (`Written`). If the file was moved or replaced, or does not hold what was written,
the session goes on in a new file beside it (`_go_beside`), copied from the old one or written from
memory. The mark beside the journal (`companion.journal.beside`) tells the next start whether
anything is missing.

Every problem with the file is a `StorageFault` in plain words. A file that is damaged, foreign,
newer or incomplete is left as it is.
"""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import cast

from companion.folders import private_folder, user_data
from companion.journal import beside, place, schema
from companion.journal.beside import Lock
from companion.journal.kept import Kept, Row, SessionRow, Written
from companion.journal.place import StorageFault, in_words, is_damage
from companion.rules import registry
from companion.rules.acts import Entry
from companion.rules.contract import Setup, Text

FILE = "journal.sqlite3"
_NUMBERS = range(1, 2**63)
"""Session numbers that SQLite can hold; the first session has 1."""
_NO_SALT = b""
"""Value of the column in which older programs kept the key of their seals."""


def default_path() -> Path:
    """Return the path of the journal if no file is named."""
    return user_data() / FILE


class Store:
    """An open journal. Use `Store.open` for the only writer, `Store.look` for readers."""

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: Lock | None = None) -> None:
        self.path = path
        self._db = connection
        self._lock = lock
        self._written: Written | None = None
        self._names: dict[str, str] = {}
        self._proved = 0
        """How many entries of the session were read back."""
        self._total = 0
        self._synced = True
        self._checked: dict[int, Written] = {}
        self._whereabouts = place.Whereabouts(path)
        self.notice: Text | None = None
        """Message about the file that was opened: it replaces a missing one or, for a reader, it
        lacks entries that were saved."""
        self.moved: Callable[[Text], object] = _nobody
        """Called with a message if the file was removed or damaged and the session goes on in
        another."""

    @classmethod
    def open(cls, path: Path | str) -> Store:
        """Open or create the journal `path` and its folder for writing; raise `StorageFault`."""
        path = place.real_path(path)
        with in_words(path):
            # Before the lock: no lock file is left beside a file that is not a journal.
            place.recognise(path, to_write=True)
            private_folder(path.parent)
            lock = Lock.beside(path)
            try:
                place.examine(path)
                checked, notice = _looked_over(path)
                place.make(path)
                return cls._opened(path, lock, checked, notice)
            except BaseException:
                lock.release()
                raise

    @classmethod
    def _opened(cls, path: Path, lock: Lock, checked: dict[int, Written], notice: Text | None) -> Store:
        """Open the file that was checked, for writing."""
        connection = place.connect(path, "rw")
        try:
            store = cls(path, connection, lock)
            store._prepare()
        except BaseException:
            connection.close()
            raise
        store._checked, store.notice = checked, notice
        return store

    @classmethod
    def look(cls, path: Path | str) -> Store:
        """Open the journal `path` for reading, even while another program writes to it; raise
        `StorageFault`, also if it does not exist."""
        path = place.real_path(path)
        with in_words(path):
            place.recognise(path)
            # The mark before the file: a writer may add entries meanwhile, and the file must hold
            # at least the mark's.
            kept = beside.read_mark(path)
            if not path.exists() or not path.stat().st_size:
                raise StorageFault(
                    _lacks(path, kept, 0) if kept else Text("journal.none", {"file": str(path)})
                )
            place.examine(path)
            store = cls(path, place.looking(path))
            try:
                store.notice = store._missing(kept)
            except BaseException:
                store.close()
                raise
            return store

    def close(self) -> None:
        """Close the file and release it for other programs."""
        # A file that was replaced may be another program's: nothing beside it is deleted.
        if self._lock is not None and not self._whereabouts.lost():
            place.tidy(self._db)
            self.sync()
        self._release()

    def _release(self) -> None:
        with contextlib.suppress(sqlite3.Error):
            self._db.close()
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_fault: object) -> None:
        self.close()

    def begin(self, setup: Setup, now: float | None = None, names: Mapping[str, str] | None = None) -> None:
        """Start a new session, to which further entries belong. Raises `StorageFault` if it cannot
        be made durable. `names`: what people are called, if the set-up has only seats."""
        begun = time.time() if now is None else now
        data = schema.encode_setup(setup)
        digest = schema.digest(0, setup.game, data, _NO_SALT, begun)
        head = (begun, setup.game, data, _NO_SALT, digest)
        with in_words(self.path):
            self._stay_kept()
            with place.together(self._db):
                done = self._db.execute(
                    "INSERT INTO sessions (begun, game, setup, salt, digest) VALUES (?, ?, ?, ?, ?)", head
                )
                number = cast(int, done.lastrowid)
                _put_names(self._db, number, names or {})
            self._written, self._proved, self._names = Written(number, head), 0, dict(names or {})
            # Sessions verified before a write may be outdated now.
            self._checked.clear()
            self._whereabouts.left()

    def call(self, seat: str, name: str) -> None:
        """Set the name of a seat or guest of the open session, without an entry. Raises
        `StorageFault`."""
        with in_words(self.path):
            if self._written is None:
                raise StorageFault(Text("journal.no_session", {"number": 0, "file": str(self.path)}))
            self._stay_kept()
            with place.together(self._db):
                _put_names(self._db, self._written.number, {seat: name})
            self._names[seat] = name
            self._whereabouts.left()

    def names(self, number: int) -> Mapping[str, str]:
        """Return the names of people in a session, by seat; {} if the log itself has them. Raises
        `sqlite3.Error`."""
        if not self._db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'seats'").fetchone():
            return {}
        return dict(self._db.execute("SELECT seat, name FROM seats WHERE session = ?", (number,)))

    def append(self, entry: Entry, now: float | None = None) -> None:
        """Make one entry of the open session durable, and read it back. Raises `StorageFault`: the
        entry was not written then, and can be tried again.

        An entry that was written but cannot be read back raises nothing, and must not be written
        again: see `prove`.
        """
        with in_words(self.path):
            if self._written is None:
                raise StorageFault(Text("journal.no_session", {"number": 0, "file": str(self.path)}))
            row = self._written.next(entry, time.time() if now is None else now)
            self._stay_kept()
            self._db.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
            # Only after it was written: an entry that failed is tried again with the same number
            # and digest.
            self._written.add(row)
            self._total += 1
            self._checked.clear()
            self._whereabouts.left()
            self._mark(synced=False)
        with contextlib.suppress(StorageFault):
            self.prove()

    def prove(self) -> None:
        """Check that the file holds everything that was saved, and go on in a file beside it if
        not. Raises `StorageFault` if that fails, so that entries are only in memory, or if the file
        cannot be checked now."""
        with in_words(self.path):
            self._stay_kept()

    def sync(self) -> None:
        """Make the mark durable too."""
        if not self._synced:
            self._mark(synced=True)

    def take_up(self, number: int) -> Kept:
        """Read session `number` and continue it: further entries belong to it. Raises
        `StorageFault`."""
        kept = self.read(number)
        self.go_on(kept)
        return kept

    def go_on(self, kept: Kept) -> None:
        """Continue a session that this store has read: further entries belong to it."""
        assert kept.written is not None
        self._written = Written(kept.number, kept.written.head, kept.written.rows)
        self._names = dict(kept.names)
        self._proved = len(self._written.rows)

    def sessions(self) -> list[SessionRow]:
        """List the sessions, oldest first. Raises `StorageFault`."""
        with in_words(self.path):
            # From the last entry alone: counting them would read the whole file.
            rows = self._db.execute(
                "SELECT s.session, game, setup, begun, s.digest, e.sequence, e.written, e.digest"
                " FROM sessions AS s LEFT JOIN entries AS e ON e.session = s.session AND e.sequence ="
                " (SELECT max(sequence) FROM entries WHERE session = s.session) ORDER BY s.session"
            )
            listed = []
            for number, game, data, begun, head, sequence, written, digest in rows:
                schema.decode_setup(data)
                one = schema.session_id(game, data, begun)
                last = (begun, 0, head) if sequence is None else (written, sequence + 1, digest)
                listed.append(SessionRow(number, one, game, begun, *last))
            return listed

    def last(self) -> int | None:
        """Return the number of the newest session; None if there is none. Raises `StorageFault`."""
        with in_words(self.path):
            return cast("int | None", self._db.execute("SELECT max(session) FROM sessions").fetchone()[0])

    def read(self, number: int) -> Kept:
        """Return session `number` with its entries. Raises `StorageFault` if it does not exist, is
        damaged, or its game is not installed."""
        with in_words(self.path):
            written = self._checked.pop(number, None) or self._whole(number)
            begun, game_id, data, _salt, _digest = written.head
            setup, commitment = schema.decode_setup(data)
            game = registry.load(game_id)
            entries, times = [], []
            for _session, _sequence, time_of, kind, at, written_as, acts, _row_digest in written.rows:
                entries.append(schema.decode_entry(game, kind, at, acts, written_as))
                times.append(time_of)
            own = schema.session_id(game_id, data, begun)
            names = self.names(number)
            return Kept(number, setup, begun, tuple(entries), tuple(times), commitment, own, written, names)

    def current(self) -> Kept | None:
        """Return the session to which entries are added; None before there is one. Raises
        `StorageFault`."""
        return self.read(self._written.number) if self._written else None

    def _head(self, number: int) -> Row | None:
        found = self._db.execute(
            "SELECT begun, game, setup, salt, digest FROM sessions WHERE session = ?",
            (number if number in _NUMBERS else 0,),
        ).fetchone()
        return cast("Row | None", found)

    def _rows(self, number: int, first: int = 0, most: int = -1) -> Iterator[Row]:
        asked = "SELECT * FROM entries WHERE session = ? AND sequence >= ? ORDER BY sequence LIMIT ?"
        return self._db.execute(asked, (number, first, most))

    def rows(self, number: int, first: int, most: int) -> list[Row]:
        """Return at most `most` rows of `entries` from `first` on, even while another program
        writes; they are not verified. Raises `sqlite3.Error`."""
        return [*self._rows(number, first, most)]

    def heads(self, since: float) -> list[tuple[int, Row]]:
        """List the sessions begun since then (seconds since 1970) by number, with their rows of
        `sessions`; not verified, as for `rows`."""
        asked = (
            "SELECT session, begun, game, setup, salt, digest FROM sessions WHERE begun >= ? ORDER BY session"
        )
        return [(row[0], row[1:]) for row in self._db.execute(asked, (since,))]

    def entries(self, number: int) -> int:
        """Count the entries of a session; as `rows`."""
        asked = "SELECT coalesce(max(sequence) + 1, 0) FROM entries WHERE session = ?"
        return cast(int, self._db.execute(asked, (number,)).fetchone()[0])

    def _whole(self, number: int) -> Written:
        """Return the session's rows; raise `StorageFault` if one is missing or damaged, or there is
        no such session."""
        where = {"number": number, "file": str(self.path)}
        head = self._head(number)
        if head is None:
            raise StorageFault(Text("journal.no_session", where))
        written = Written(number, head)
        if not written.sound(self._rows(number)):
            raise StorageFault(Text("journal.damaged_session", where))
        return written

    def _readable(self, number: int) -> Written | None:
        """Return the intact rows of a session, up to the first damaged one; None if there is no
        such session."""
        head = self._head(number)
        if head is None:
            return None
        written = Written(number, head)
        written.sound(self._rows(number))
        return written

    def _count(self) -> int:
        return cast(int, self._db.execute("SELECT count(*) FROM entries").fetchone()[0])

    def _missing(self, kept: beside.HighWaterMark | None) -> Text | None:
        """Return a message about what the file lacks according to the mark `kept`; None if nothing.
        The file may hold more than the mark says."""
        if kept is None:
            return None
        found, here = self._checked.get(kept.session) or self._readable(kept.session), self._count()
        have = 0 if found is None else len(found.rows)
        if have < kept.entries or here < kept.total:
            missing = max(kept.entries - have, kept.total - here)
            return _lacks(self.path, kept, kept.total - missing)
        assert found is not None
        if found.link(kept.entries).hex() != kept.digest:
            where = {"file": str(self.path), "mark": str(beside.mark_path(self.path))}
            return Text("journal.other", {**where, "number": kept.session})
        return None

    def _mark(self, *, synced: bool) -> None:
        """Write the mark of what the file holds now.

        It is not synced with each entry: the entry itself is on the disk, and a mark that is
        outdated after a power failure only proves less. A sync costs as much as a quarter of the
        entry.
        """
        if self._written is not None and self._written.rows:
            number, entries, self._synced = self._written.number, len(self._written.rows), synced
            now = beside.HighWaterMark(number, entries, self._written.link(entries).hex(), self._total)
            beside.write_mark(self.path, now, synced=synced)

    def _stay_kept(self) -> None:
        """Go on in a new file if this one was deleted, moved or replaced, or does not hold what was
        saved. If somebody else changed the file, everything is compared, otherwise only the rows
        that were not read back yet."""
        if self._lock is None:
            return
        rows = 0 if self._written is None else len(self._written.rows)
        touched = self._whereabouts.touched()
        if self._whereabouts.lost():
            self._go_beside("journal.moved")
        elif (touched or self._proved < rows) and not self._proves(0 if touched else self._proved):
            self._go_beside("journal.hurt")
        else:
            self._proved = rows
            self._whereabouts.left()
            self._lock.renew()

    def _proves(self, first: int = 0) -> bool:
        """Read the file back as any other program would, and return whether it holds the session's
        rows from `first` on; with 0 also whether the whole file is intact."""
        try:
            # A second connection: the one that writes would answer from its cache.
            with contextlib.closing(place.connect(self.path, "ro")) as connection:
                return self._held_by(Store(self.path, connection), first)
        except sqlite3.Error as fault:
            if is_damage(fault):
                return False
            raise
        except UnicodeDecodeError:
            return False

    def _held_by(self, file: Store, first: int = 0) -> bool:
        if not first and not (place.whole(file._db) and file._count() >= self._total):
            return False
        if self._written is None:
            return True
        head, rows = file._head(self._written.number), self._written.rows
        # More rows may be there: that another program has written is found out when we write.
        return head == self._written.head and (
            [*file._rows(self._written.number, first)][: len(rows) - first] == rows[first:]
        )

    def _go_beside(self, why: str) -> None:
        """Go on in a new file: with everything from the old one if that was only removed, or with
        this session from memory if it is damaged."""
        lost, new = self.path, place.beside(self.path)
        private_folder(new.parent)
        # The lock first: no other program may find the file without one.
        lock = Lock.beside(new)
        try:
            fresh = self._copied(new) if why == "journal.moved" else None
            if fresh is None:
                fresh = self._written_anew(new)
        except BaseException:
            new.unlink(missing_ok=True)
            lock.release()
            raise
        self._release()
        self.path, self._db, self._lock = new, fresh, lock
        self._total = self._count()
        self._whereabouts = place.Whereabouts(new)
        self._mark(synced=True)
        self.moved(Text(why, {"file": str(lost), "new": str(new)}))

    def _copied(self, new: Path) -> sqlite3.Connection | None:
        """Copy the removed file, which our connection can still read; return None if that is
        incomplete."""
        place.make(new)
        fresh = place.connect(new, "rw")
        try:
            self._db.backup(fresh)
            if self._held_by(Store(new, fresh)):
                # After the copy, for the reason given in `_prepare`.
                place.set_for_writing(fresh)
                return fresh
        except BaseException as fault:
            if not (isinstance(fault, sqlite3.DatabaseError) and is_damage(fault)):
                fresh.close()
                raise
        fresh.close()
        new.unlink()
        return None

    def _written_anew(self, new: Path) -> sqlite3.Connection:
        """Write this session from memory."""
        place.make(new)
        fresh = place.connect(new, "rw")
        try:
            fresh.execute("BEGIN IMMEDIATE")
            _make_tables(fresh)
            if self._written is not None:
                head, rows = self._written.head, self._written.rows
                fresh.execute("INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?)", (self._written.number, *head))
                fresh.executemany("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
                _put_names(fresh, self._written.number, self._names)
            fresh.execute("COMMIT")
            place.set_for_writing(fresh)
        except BaseException:
            fresh.close()
            raise
        return fresh

    def _prepare(self) -> None:
        """Create the tables of a new file, and find out now whether it can be written."""
        # IMMEDIATE locks for writing now; a plain BEGIN would do so at the first change, and a
        # read-only file would be noticed only in the middle of the session.
        self._db.execute("BEGIN IMMEDIATE")
        if not self._db.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
            _make_tables(self._db)
        elif self._db.execute("PRAGMA user_version").fetchone()[0] < schema.USER_VERSION:
            self._db.execute(f"PRAGMA user_version = {schema.USER_VERSION}")
        self._db.execute("COMMIT")
        # Only after the transaction: an older program's file may have a log, which it used for the
        # last time.
        place.set_for_writing(self._db)
        self._whereabouts.left()
        self._total = self._count()


def _lacks(path: Path, kept: beside.HighWaterMark, here: int) -> Text:
    told = {"file": str(path), "mark": str(beside.mark_path(path)), "held": kept.total, "here": here}
    return Text("journal.lacks", told)


def _looked_over(path: Path) -> tuple[dict[int, Written], Text | None]:
    """Return the last session's rows, and a message about the file, before it is written to. Raises
    `StorageFault` if that session is damaged, or the file lacks saved entries."""
    kept = beside.read_mark(path)
    if not path.exists() or path.stat().st_size == 0:
        if kept is None:
            return {}, None
        # A file that was emptied is damaged; a missing one is replaced by a new journal, with a
        # notice.
        if path.exists():
            raise StorageFault(_lacks(path, kept, 0))
        return {}, Text("journal.gone", {"file": str(path), "held": kept.total})
    with contextlib.closing(place.looking(path)) as connection:
        if not connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
            return {}, None
        store = Store(path, connection)
        # Only the last session, because it will be continued. Older ones are verified when they are
        # read.
        last = store.last()
        if last is not None:
            store._checked = {last: store._whole(last)}
        lacks = store._missing(kept)
        if lacks is not None:
            raise StorageFault(lacks)
        return store._checked, None


def _put_names(connection: sqlite3.Connection, number: int, names: Mapping[str, str]) -> None:
    if names:
        connection.execute(schema.SEATS)
        rows = [(number, seat, name) for seat, name in names.items()]
        connection.executemany("INSERT OR REPLACE INTO seats VALUES (?, ?, ?)", rows)


def _make_tables(connection: sqlite3.Connection) -> None:
    connection.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {schema.USER_VERSION}")
    for table in schema.TABLES:
        connection.execute(table)


def _nobody(_text: Text) -> None:
    """Ignore the message."""
