"""The rows of one session as they stand in the file: what memory holds of it until the evening is
over, so that the file can be compared with it, and written anew in another place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from companion.journal import codec, schema
from companion.rules.acts import Entry

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
        acts = codec.encode_entry(entry)
        row = (self.number, len(self.rows), now, entry.kind, entry.at, codec.FORMAT, acts)
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
