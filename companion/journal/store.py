"""The journal on disk: one writer, append only, each entry durable (WAL, synchronous FULL) when the
call returns.

Everything that can go wrong with the place is a `StorageFault` with plain words; a file that is
damaged, foreign or newer is left as it is.
"""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, cast

from companion.folders import private_folder, user_data
from companion.journal import codec, place, schema
from companion.journal.kept import Kept, SessionSummary
from companion.journal.lock import Lock
from companion.journal.storage_faults import StorageFault, in_words
from companion.rules import registry
from companion.rules.acts import Entry
from companion.rules.contract import Setup, Text

FILE = "journal.sqlite3"
_NUMBERS = range(1, 2**63)
"""What SQLite can hold as a session's number; it gives 1 to the first."""
_NO_SALT = b""
"""Older programs kept the key of their seals here."""


def default_path() -> Path:
    """Return where the journal lies when no file is named; its folder is made when missing."""
    return user_data() / FILE


class Store:
    """An open journal. `Store.open` for the one writer, `Store.look` for reading beside it."""

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: Lock | None = None) -> None:
        self.path = path
        self._db = connection
        self._lock = lock
        self._session = 0
        self._sequence = 0
        self._digest = 0
        self._checked: dict[int, list[tuple[Any, ...]]] = {}
        self._whereabouts = place.Whereabouts(path)
        self.moved: Callable[[Text], object] = _nobody
        """Hears in words that the file was taken away, and where the evening is kept now."""

    @classmethod
    def open(cls, path: Path | str) -> Store:
        """Open or make the journal `path` and its folder to write; raise `StorageFault`."""
        path = place.real_path(path)
        with in_words(path):
            place.recognise(path, to_write=True)  # before the lock: nothing is left beside what is no journal
            private_folder(path.parent)
            lock = Lock.beside(path)
            try:
                place.examine(path)
                place.make(path)
                store = cls(path, place.connect(path, "rw"), lock)
                store._prepare()
            except BaseException:
                lock.release()
                raise
            return store

    @classmethod
    def look(cls, path: Path | str) -> Store:
        """Open the journal `path` to read in it, also while another program writes; raise
        `StorageFault`, also when there is none."""
        path = place.real_path(path)
        with in_words(path):
            if not path.exists():
                raise StorageFault(Text("journal.none", {"file": str(path)}))
            place.recognise(path)
            place.examine(path)
            return cls(path, place.connect(path, "ro"))

    def close(self) -> None:
        """Close the file and let other programs have it."""
        with contextlib.suppress(sqlite3.Error):
            self._db.close()
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_fault: object) -> None:
        self.close()

    def begin(self, setup: Setup, now: float | None = None) -> None:
        """Open a new session; entries go there from now on. Raises `StorageFault` when it cannot be
        made durable."""
        begun = time.time() if now is None else now
        data = codec.encode_setup(setup)
        digest = schema.digest(0, setup.game, data, _NO_SALT, begun)
        with in_words(self.path):
            self._stay_found()
            done = self._db.execute(
                "INSERT INTO sessions (begun, game, setup, salt, digest) VALUES (?, ?, ?, ?, ?)",
                (begun, setup.game, data, _NO_SALT, digest),
            )
        self._session, self._sequence, self._digest = cast(int, done.lastrowid), 0, digest
        self._checked.clear()

    def append(self, entry: Entry, now: float | None = None) -> None:
        """Make one entry of the open session durable. Raises `StorageFault`: the entry is not there
        then, and can be tried again."""
        row = (
            self._session,
            self._sequence,
            time.time() if now is None else now,
            entry.kind,
            entry.at,
            codec.FORMAT,
            codec.encode_entry(entry),
        )
        digest = schema.digest(self._digest, *row)
        with in_words(self.path):
            self._stay_found()
            self._db.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*row, digest))
        # Only now: an entry that failed is tried again under the same number and digest.
        self._sequence, self._digest = self._sequence + 1, digest
        self._checked.clear()

    def take_up(self, number: int) -> Kept:
        """Go on with session `number`: entries go there from now on. Raises `StorageFault`."""
        kept = self.read(number)
        self.go_on(kept)
        return kept

    def go_on(self, kept: Kept) -> None:
        """Go on with a session that this store has read: entries go there from now on."""
        self._session, (self._sequence, self._digest) = kept.number, kept.tail

    def sessions(self) -> list[SessionSummary]:
        """List the sessions, oldest first. Raises `StorageFault`."""
        with in_words(self.path):
            rows = self._db.execute(
                "SELECT session, setup, begun, (SELECT max(written) FROM entries WHERE session = s.session),"
                " (SELECT count(*) FROM entries WHERE session = s.session) FROM sessions AS s ORDER BY session"
            ).fetchall()
            listed = []
            for number, data, begun, last, count in rows:
                setup, _commitment = codec.decode_setup(data)
                listed.append(SessionSummary(number, setup.game, begun, last or begun, count))
            return listed

    def last(self) -> int | None:
        """Return the number of the newest session, None without one. Raises `StorageFault`."""
        with in_words(self.path):
            return cast("int | None", self._db.execute("SELECT max(session) FROM sessions").fetchone()[0])

    def read(self, number: int) -> Kept:
        """Return session `number` with its entries. Raises `StorageFault`: there is none, it is
        damaged, its game is not installed."""
        with in_words(self.path):
            game_id, data, _salt, begun, digest = self._head(number)
            setup, commitment = codec.decode_setup(data)
            game = registry.load(game_id)
            entries, times = [], []
            for _session, _sequence, written, kind, at, written_as, acts, last in self._rows(number):
                entries.append(codec.decode_entry(game, kind, at, acts, written_as))
                times.append(written)
                digest = last
            return Kept(
                number, setup, begun, tuple(entries), tuple(times), commitment, (len(entries), digest)
            )

    def current(self) -> Kept | None:
        """Return the session entries go to; None before there is one. Raises `StorageFault`."""
        return self.read(self._session) if self._session else None

    def _rows(self, number: int) -> Iterable[tuple[Any, ...]]:
        """Return the session's rows; those checked when the file was opened are not read again."""
        return self._checked.pop(number, None) or self._whole(number)

    def _head(self, number: int) -> tuple[Any, ...]:
        head = self._db.execute(
            "SELECT game, setup, salt, begun, digest FROM sessions WHERE session = ?",
            (number if number in _NUMBERS else 0,),
        ).fetchone()
        if head is None:
            raise StorageFault(Text("journal.no_session", {"number": number, "file": str(self.path)}))
        return cast(tuple[Any, ...], head)

    def _whole(self, number: int) -> Iterator[tuple[Any, ...]]:
        """Yield the session's rows in order; raise `StorageFault` at the first that is missing or
        not as it was written."""
        *head, digest = self._head(number)
        game_id, data, salt, begun = head
        sound = schema.digest(0, game_id, data, salt, begun) == digest
        rows = self._db.execute("SELECT * FROM entries WHERE session = ? ORDER BY sequence", (number,))
        for number_there, row in enumerate(rows):
            digest = schema.digest(digest, *row[:-1])
            if not sound or row[-1] != digest or row[1] != number_there:
                break
            yield row
        else:
            if sound:
                return
        raise StorageFault(Text("journal.damaged_session", {"number": number, "file": str(self.path)}))

    def _stay_found(self) -> None:
        """Write on in a new file beside, with all that the lost one still holds for us, when the
        file was deleted, moved or replaced."""
        if self._lock is None:
            return
        if not self._whereabouts.lost():
            self._lock.renew()
            return
        lost, new = self.path, place.beside(self.path)
        private_folder(new.parent)
        # The lock before the file: no other program may find it without one.
        lock = Lock.beside(new)
        try:
            place.make(new)
            fresh = place.connect(new, "rw")
            self._db.backup(fresh)
            # After the copy, for the reason given in `_prepare`.
            place.set_for_writing(fresh)
        except BaseException:
            lock.release()
            raise
        self.close()  # SQLite touches nothing at the old place: it sees that its file is not there any more
        self.path, self._db, self._lock = new, fresh, lock
        self._whereabouts = place.Whereabouts(new)
        self.moved(Text("journal.moved", {"file": str(lost), "new": str(new)}))

    def _prepare(self) -> None:
        """Make the tables of a new file; find out now whether it can be written, and whether the
        last session is whole."""
        # IMMEDIATE takes the right to write now; a plain BEGIN would ask for it at the first
        # change, and a file that is read-only would be found out in the middle of the evening.
        self._db.execute("BEGIN IMMEDIATE")
        if not self._db.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
            self._db.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
            self._db.execute(f"PRAGMA user_version = {schema.USER_VERSION}")
            for table in schema.TABLES:
                self._db.execute(table)
        elif self._db.execute("PRAGMA user_version").fetchone()[0] < schema.USER_VERSION:
            self._db.execute(f"PRAGMA user_version = {schema.USER_VERSION}")
        self._db.execute("COMMIT")
        # Only now: the marks are in the file itself and not in its write-ahead log, where
        # `recognise` would not see them.
        place.set_for_writing(self._db)
        self._whereabouts = place.Whereabouts(self.path)
        # Only the last session: it is the one that goes on. Older ones are checked when they are
        # asked for.
        last = self.last()
        if last is not None:
            self._checked = {last: list(self._whole(last))}


def _nobody(_text: Text) -> None:
    """Tell nobody."""
