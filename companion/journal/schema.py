"""The journal's file: an SQLite database with two tables, and the marks by which it is known.

`sessions`: one row a session, the set-up as JSON; `salt` was the key of older programs' seals and
is empty now. `entries`: one row an entry; the primary key (session, sequence) makes a race of two
writers an error. `acts` is JSON under the format number `format` (see `codec`); `digest` is a
CRC-32 over the row and the row before it, so that damage that SQLite itself cannot see (a changed
byte inside a value) is found on reading. Times are UTC, seconds since 1970.
"""

from __future__ import annotations

import zlib

APPLICATION_ID = int.from_bytes(b"CTCj", "big")
"""In the file's header at byte 68: what tells a journal from any other SQLite file."""
APPLICATION_ID_AT = slice(68, 72)
MAGIC = b"SQLite format 3\0"
USER_VERSION = 3
"""Counts changes of what is in the tables. A file with a greater one was written by a newer program
and is left alone.

1: seals under a salt that stood beside them. 2: commitments; entries have notes. 3: notes of who
sits where.
"""

TABLES = (
    """
    CREATE TABLE sessions (
        session INTEGER PRIMARY KEY,
        begun REAL NOT NULL,
        game TEXT NOT NULL,
        setup BLOB NOT NULL,
        salt BLOB NOT NULL,
        digest INTEGER NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE entries (
        session INTEGER NOT NULL REFERENCES sessions,
        sequence INTEGER NOT NULL,
        written REAL NOT NULL,
        kind TEXT NOT NULL,
        at INTEGER NOT NULL,
        format INTEGER NOT NULL,
        acts BLOB NOT NULL,
        digest INTEGER NOT NULL,
        PRIMARY KEY (session, sequence)
    ) STRICT, WITHOUT ROWID
    """,
)


def digest(before: int, *fields: object) -> int:
    """Return the CRC-32 that a row carries; `before` is the digest of the row before it, so that a
    lost row shows too."""
    # `repr` tells 1 from "1", and text from a blob of the same letters.
    return zlib.crc32(repr(fields).encode(), before)
