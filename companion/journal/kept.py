"""A session as the journal holds it: its rows as they stand in the file, which memory holds until
the evening is over, so that the file can be compared with them and written anew in another place;
and the session read once, and replayed once, however many ask for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias
from uuid import UUID

import msgspec

from companion.journal import schema
from companion.journal.narration import Narration
from companion.rules import registry
from companion.rules.acts import Commit, Entry
from companion.rules.contract import Setup
from companion.rules.people import People
from companion.rules.session import Session

Row: TypeAlias = tuple[Any, ...]
"""A row of `entries`, in the order of its columns (`companion.journal.schema`)."""


class Written:
    """A session's row of `sessions` without its number (`head`), and its rows of `entries`.

    It holds what is sound only: see `sound`.
    """

    def __init__(self, number: int, head: Row, rows: Iterable[Row] = ()) -> None:
        begun, game, setup, _salt, digest = head
        self.number = number
        self.head = head
        self.rows: list[Row] = []
        self._links = [schema.begun_with(game, setup, begun)]
        self._digest: int = digest
        for row in rows:
            self.add(row)

    def link(self, entries: int) -> bytes:
        """Return the link of the first so many rows in the chain. It is made when it is asked for:
        most sessions are only read."""
        for row in self.rows[len(self._links) - 1 : entries]:
            self._links.append(schema.linked(self._links[-1], *row[1:-1]))
        return self._links[entries]

    def next(self, entry: Entry, now: float) -> Row:
        """Return the row that `entry` will be; `now`: seconds since 1970."""
        acts = schema.encode_entry(entry)
        row = (self.number, len(self.rows), now, entry.kind, entry.at, schema.FORMAT, acts)
        return (*row, schema.digest(self._digest, *row))

    def add(self, row: Row) -> None:
        """Take in the row that was written."""
        self.rows.append(row)
        self._digest = row[-1]

    def sound(self, rows: Iterable[Row]) -> bool:
        """Take in rows that were read, up to the first that is missing or not as it was written;
        tell whether there was none such."""
        begun, game, setup, salt, digest = self.head
        if schema.digest(0, game, setup, salt, begun) != digest:
            return False
        for row in rows:
            if row[-1] != schema.digest(self._digest, *row[:-1]) or row[1] != len(self.rows):
                return False
            self.add(row)
        return True


class SessionRow(msgspec.Struct, frozen=True):
    """One line of the list of sessions.

    `id`: see `schema.session_id`; `begun`, `last`: seconds since 1970; `entries`: acts, undos,
    redos and corrections; `digest`: that of the last of them.
    """

    number: int
    id: UUID
    game: str
    begun: float
    last: float
    entries: int
    digest: int


class Kept(msgspec.Struct, frozen=True):
    """One session as the journal holds it; `times` has one entry's time each, `commitment` that to
    a seed that the program chose, `id` its id (`schema.session_id`)."""

    number: int
    setup: Setup
    begun: float
    entries: tuple[Entry, ...]
    times: tuple[float, ...]
    commitment: str = ""
    id: UUID | None = None
    written: Written | None = None
    """Its rows, for who goes on with it."""
    names: Mapping[str, str] = {}
    """What people are called by seat, where the log says seats only (`schema.SEATS`)."""
    _replayed: list[Narration] = msgspec.field(default_factory=list)

    def narration(self) -> Narration:
        """Return the session in words, replayed once, however often it is asked for."""
        if not self._replayed:
            narration = Narration(Session(registry.load(self.setup.game), self.setup), self.names)
            for entry in self.entries:
                narration.replay(entry)
            self._replayed.append(narration)
        return self._replayed[0]

    @property
    def over(self) -> bool:
        """Whether it was played to its end."""
        return self.session().over

    @property
    def people(self) -> People:
        """Who sat where, and what everybody is called after all that was put right: the one place
        that says which names an evening has."""
        return self.narration().people

    def session(self, commit: Commit | None = None) -> Session:
        """Return the same session, with what can be undone and redone. Whoever goes on with it
        gives a `commit`."""
        session = self.narration().session
        if commit is not None:
            session.commit = commit
        return session
