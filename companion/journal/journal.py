"""The journal as a live session uses it: whatever is wrong with the disk, the game goes on.

`Journal` holds a `Store`, or none. What could not be written waits in memory and is written, in
order, as soon as the disk lets it, or the file can be opened at last; `trouble` says what is wrong
and what to do. A file that is damaged, foreign or in use is not touched.
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
"""Seconds between two looks at the file: nobody believes in *kept* for longer when it is not."""


class Journal:
    """The log of the sessions on one disk; `Journal()` keeps nothing, for tests and for a demo."""

    def __init__(self, file: Path | str | None = None) -> None:
        self.trouble: Text | None = None
        self.moved: Text | None = None
        """What to tell the players when the file was taken away or damaged, and the evening is kept
        in another."""
        self._file = file
        self._store: Store | None = None
        self._looked = -math.inf
        self._waiting: list[_Write] = []

    @classmethod
    def open(cls, path: Path | str) -> Journal:
        """Open or make the journal `path`. Never raises for what is there: see `trouble`."""
        journal = cls(path)
        journal._open()
        return journal

    @property
    def path(self) -> Path | None:
        """Where the evening is kept; None where nowhere."""
        return None if self._store is None else self._store.path

    @property
    def waiting(self) -> int:
        """How many entries (and session starts) are in memory only, though a file was named that
        they belong in."""
        return len(self._waiting)

    def begin(self, setup: Setup, names: Mapping[str, str] | None = None) -> None:
        """Open a new session; entries go there from now on. `names`: see `Store.begin`."""
        now = time.time()
        self._write(lambda store: store.begin(setup, now, names))

    def call(self, seat: str, name: str) -> None:
        """Let a seat, or a guest, be called so, in no entry."""
        self._write(lambda store: store.call(seat, name))

    def append(self, entry: Entry) -> None:
        """Keep one entry: on disk when this returns, or in memory with `trouble` set."""
        now = time.time()
        # `now` is the time of the act; the disk may take it only minutes later.
        self._write(lambda store: store.append(entry, now))

    def look_after(self, now: float) -> None:
        """Look whether the file still holds all that was kept, and write what waits, if it is time:
        `now` in monotonic seconds. One question for the file's size and time, mostly."""
        if self._file is not None and now >= self._looked + EACH:
            self._looked = now
            self._open()
            self._flush(looks=True)

    def go_on(self, kept: Kept) -> None:
        """Go on with a session that this journal has read; entries go there from now on."""
        if self._store is not None:
            self._store.go_on(kept)

    def unfinished(self, thrown: Collection[float] = ()) -> list[SessionSummary]:
        """Return the sessions to go on with (see `unfinished`), for the offer to resume."""
        return self._read(lambda store: unfinished(store, thrown)) or []

    def sessions(self) -> list[SessionRow]:
        """List the sessions on disk, oldest first."""
        return self._read(Store.sessions) or []

    def read(self, number: int) -> Kept | None:
        """Return session `number`; None, with `trouble` set, when it cannot be read."""
        return self._read(lambda store: store.read(number))

    def evening(self) -> Kept | None:
        """Return the session that is being kept; None where none is, or, with `trouble` set, it
        cannot be read."""
        return self._read(Store.current)

    def close(self) -> None:
        """Write what waits, if the disk lets it, and let other programs have the file."""
        if self._waiting:
            self._open()
        self._flush()
        if self._store is not None:
            self._store.close()
        self._store = self._file = None

    def _open(self) -> None:
        """Open the file, if it is not: what made that impossible may have passed."""
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
                # Taken off only once it is written: a fault leaves it, and all behind it, in order.
                self._waiting[0](store)
                del self._waiting[0]
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
