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

from companion.journal.database_file import StorageFault
from companion.journal.saved_session import SavedSession, SessionRow
from companion.journal.store import Store
from companion.journal.summaries import SessionSummary, list_unfinished
from companion.rules.acts import Entry
from companion.rules.contract import Setup, Text

_Write: TypeAlias = Callable[[Store], object]
_Result = TypeVar("_Result")


CHECK_INTERVAL = 2.0
"""Seconds between two checks of the file: how long a loss may go unnoticed."""


class Journal:
    """Log of the sessions on one disk. `Journal()` saves nothing, for tests and demos."""

    def __init__(self, file: Path | str | None = None) -> None:
        self.trouble: Text | None = None
        self.relocation_notice: Text | None = None
        """Message to players if the file was removed or damaged, and the session is now saved in
        another."""
        self.on_entry_written: Callable[[Entry], object] | None = None
        """Called with each further entry when it is on disk; must not raise."""
        self._file = file
        self._store: Store | None = None
        self._last_check = -math.inf
        self._pending_writes: list[_Write] = []
        self.stays_open = False
        """Whether another game of this run may follow: then `close` only writes what waits."""

    @classmethod
    def open(cls, path: Path | str) -> Journal:
        """Open or create the journal `path`. Never raises because of the file: see `trouble`."""
        journal = cls(path)
        journal._open_store()
        return journal

    @property
    def path(self) -> Path | None:
        """File in which the session is saved; None if it is not."""
        return None if self._store is None else self._store.path

    @property
    def pending_count(self) -> int:
        """How many entries (and session starts) are only in memory, although there is a file for
        them."""
        return len(self._pending_writes)

    def start_session(self, setup: Setup, names: Mapping[str, str] | None = None) -> None:
        """Start a new session, to which further entries belong. `names`: see
        `Store.start_session`."""
        now = time.time()
        self._queue_write(lambda store: store.start_session(setup, now, names))

    def rename_player(self, seat: str, name: str) -> None:
        """Set the name of a seat or guest, without an entry."""
        self._queue_write(lambda store: store.rename_player(seat, name))

    def append(self, entry: Entry) -> None:
        """Save one entry: on disk when this returns, or in memory with `trouble` set."""
        # The time of the act, read now: the disk may accept the entry only minutes later, and
        # perhaps during the next session, whose followers it does not concern.
        now, notify = time.time(), self.on_entry_written

        def write_entry(store: Store) -> None:
            store.append(entry, now)
            if notify is not None:
                notify(entry)

        self._queue_write(write_entry)

    def run_maintenance(self, now: float) -> None:
        """Check that the file still holds everything that was saved, and write waiting entries,
        if it is time; `now` in monotonic seconds. Usually this only reads the file's size and
        times."""
        if self._file is not None and now >= self._last_check + CHECK_INTERVAL:
            self._last_check = now
            self._open_store()
            self._flush_writes(sync=True)

    def continue_session(self, saved: SavedSession) -> None:
        """Continue a session that this journal has read; further entries belong to it."""
        # Behind what waits: those entries belong to the session before.
        self._queue_write(lambda store: store.continue_session(saved))

    def list_unfinished(self, discarded: Collection[float] = ()) -> list[SessionSummary]:
        """Return the sessions that can be continued (see `load_summaries.list_unfinished`)."""
        return self._read_from_store(lambda store: list_unfinished(store, discarded)) or []

    def list_sessions(self) -> list[SessionRow]:
        """List the sessions on disk, oldest first."""
        return self._read_from_store(Store.list_sessions) or []

    def read_session(self, number: int) -> SavedSession | None:
        """Return session `number`; None, with `trouble` set, if it cannot be read."""
        return self._read_from_store(lambda store: store.read_session(number))

    def read_current_session(self) -> SavedSession | None:
        """Return the session that is being saved; None if there is none or, with `trouble` set, it
        cannot be read."""
        return self._read_from_store(Store.read_current_session)

    def close(self) -> None:
        """Write waiting entries if the disk allows it, and release the file for other programs."""
        # A last attempt: what cannot be written now is lost with the program.
        if self._pending_writes:
            self._open_store()
        self._flush_writes()
        if self.stays_open:
            return
        if self._store is not None:
            self._store.close()
        self._store = self._file = None

    def _open_store(self) -> None:
        """Open the file if it is not open: the obstacle may have gone."""
        if self._store is None and self._file is not None:
            try:
                self._store = Store.open(self._file)
            except StorageFault as fault:
                self.trouble = fault.text
            else:
                self._store.on_relocation, self.relocation_notice = self._note_relocation, self._store.notice

    def _note_relocation(self, text: Text) -> None:
        self.relocation_notice = text

    def _queue_write(self, write: _Write) -> None:
        if self._file is not None:
            self._pending_writes.append(write)
            self._flush_writes()

    def _flush_writes(self, *, sync: bool = False) -> None:
        store = self._store
        if store is None:
            return
        try:
            while self._pending_writes:
                # Removed only after it was written: if that fails, it and all entries behind it
                # stay in order.
                self._pending_writes[0](store)
                del self._pending_writes[0]
            # Even if nothing was waiting: the file may have been damaged since.
            store.ensure_saved()
            if sync:
                store.sync_checkpoint()
            self.trouble = None
        except StorageFault as fault:
            self.trouble = fault.text

    def _read_from_store(self, read: Callable[[Store], _Result | None]) -> _Result | None:
        if self._store is None:
            return None
        try:
            return read(self._store)
        except StorageFault as fault:
            self.trouble = fault.text
            return None
