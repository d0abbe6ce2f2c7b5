"""The journal as a live session uses it: whatever is wrong with the disk, the game goes on.

`Journal` holds a `Store`, or none. Entries that could not be written wait in memory and are
written, in order, as soon as the disk allows it or the file can be opened; `trouble` says what is
wrong and what to do. A file that is damaged, foreign or in use is left untouched.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TypeAlias, TypeVar

from companion.journal.kept import Kept, SessionRow
from companion.journal.place import StorageFault
from companion.journal.store import Store
from companion.journal.summaries import SessionSummary, unfinished
from companion.rules.acts import Entry
from companion.rules.contract import Setup, Text

_Write: TypeAlias = Callable[[Store], object]
_Found = TypeVar("_Found")


EACH = 2.0
"""Seconds between two checks of the file: how long a loss may go unnoticed."""


class Journal:
    """Log of the sessions on one disk. `Journal()` saves nothing, for tests and demos."""

    def __init__(self, file: Path | str | None = None) -> None:
        self.trouble: Text | None = None
        self.moved: Text | None = None
        """Message to players if the file was removed or damaged, and the session is now saved in
        another."""
        self._file = file
        self._store: Store | None = None
        self._looked = -math.inf
        self._waiting: list[_Write] = []

    @classmethod
    def open(cls, path: Path | str) -> Journal:
        """Open or create the journal `path`. Never raises because of the file: see `trouble`."""
        journal = cls(path)
        journal._open()
        return journal

    @property
    def path(self) -> Path | None:
        """File in which the session is saved; None if it is not."""
        return None if self._store is None else self._store.path

    @property
    def waiting(self) -> int:
        """How many entries (and session starts) are only in memory, although there is a file for
        them."""
        return len(self._waiting)

    def begin(self, setup: Setup, names: Mapping[str, str] | None = None) -> None:
        """Start a new session, to which further entries belong. `names`: see `Store.begin`."""
        now = time.time()
        self._write(lambda store: store.begin(setup, now, names))

    def call(self, seat: str, name: str) -> None:
        """Set the name of a seat or guest, without an entry."""
        self._write(lambda store: store.call(seat, name))

    def append(self, entry: Entry) -> None:
        """Save one entry: on disk when this returns, or in memory with `trouble` set."""
        now = time.time()
        # The time of the act, read now: the disk may accept the entry only minutes later.
        self._write(lambda store: store.append(entry, now))

    def look_after(self, now: float) -> None:
        """Check that the file still holds everything that was saved, and write waiting entries,
        if it is time; `now` in monotonic seconds. Usually this only reads the file's size and
        times."""
        if self._file is not None and now >= self._looked + EACH:
            self._looked = now
            self._open()
            self._flush(looks=True)

    def go_on(self, kept: Kept) -> None:
        """Continue a session that this journal has read; further entries belong to it."""
        if self._store is not None:
            self._store.go_on(kept)

    def unfinished(self, thrown: Collection[float] = ()) -> list[SessionSummary]:
        """Return the sessions that can be continued (see `summaries.unfinished`)."""
        return self._read(lambda store: unfinished(store, thrown)) or []

    def sessions(self) -> list[SessionRow]:
        """List the sessions on disk, oldest first."""
        return self._read(Store.sessions) or []

    def read(self, number: int) -> Kept | None:
        """Return session `number`; None, with `trouble` set, if it cannot be read."""
        return self._read(lambda store: store.read(number))

    def evening(self) -> Kept | None:
        """Return the session that is being saved; None if there is none or, with `trouble` set, it
        cannot be read."""
        return self._read(Store.current)

    def close(self) -> None:
        """Write waiting entries if the disk allows it, and release the file for other programs."""
        # A last attempt: what cannot be written now is lost with the program.
        if self._waiting:
            self._open()
        self._flush()
        if self._store is not None:
            self._store.close()
        self._store = self._file = None

    def _open(self) -> None:
        """Open the file if it is not open: the obstacle may have gone."""
        if self._store is None and self._file is not None:
            try:
                self._store = Store.open(self._file)
            except StorageFault as fault:
                self.trouble = fault.text
            else:
                self._store.moved, self.moved = self._moved, self._store.notice

    def _moved(self, text: Text) -> None:
        self.moved = text

    def _write(self, write: _Write) -> None:
        if self._file is not None:
            self._waiting.append(write)
            self._flush()

    def _flush(self, *, looks: bool = False) -> None:
        store = self._store
        if store is None:
            return
        try:
            while self._waiting:
                # Removed only after it was written: if that fails, it and all entries behind it
                # stay in order.
                self._waiting[0](store)
                del self._waiting[0]
            # Even if nothing was waiting: the file may have been damaged since.
            store.prove()
            if looks:
                store.sync()
            self.trouble = None
        except StorageFault as fault:
            self.trouble = fault.text

    def _read(self, read: Callable[[Store], _Found | None]) -> _Found | None:
        if self._store is None:
            return None
        try:
            return read(self._store)
        except StorageFault as fault:
            self.trouble = fault.text
            return None
