"""File format of the journal: an SQLite database with two tables, the numbers that identify it, and
acts to and from JSON. Entries of older programs are converted while they are read; the file is
never rewritten.

`list_sessions`: one row for each session, the set-up as JSON; `salt` was the key of older programs'
seals and is now empty. `entries`: one row for each entry; the primary key (session, sequence) makes
a race of two writers an error. `acts` is JSON in the format number `format` (see `FORMAT`).
`compute_row_digest` is a CRC-32 over the row and the row before it, so that damage which SQLite
cannot see (a changed byte inside a value) is found when reading. Times are UTC, seconds since 1970.

Face-down cards are never stored: the session replaces them by seals before the game sees them
(`companion.rules.session.sealed`).

A hash chain over the entries of a session (`compute_next_link`) finds what is missing: its head and
its length are stored in `heads`. That the file is an intact but older copy cannot be seen in the
file itself: for that the head of the session written last is stored beside the file, too
(`companion.journal.checkpoint`).
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
import zlib
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeAlias, Union
from uuid import UUID

import msgspec

from companion.rules.acts import Act, Entry, Kind
from companion.rules.commitments import HiddenSeed, Note
from companion.rules.contract import Game, Setup
from companion.rules.people import SeatChange

APPLICATION_ID = int.from_bytes(b"CTCj", "big")
"""Number at byte 68 of the file's header that distinguishes a journal from any other SQLite
file."""
APPLICATION_ID_AT = slice(68, 72)
MAGIC = b"SQLite format 3\0"
USER_VERSION = 4
"""Schema version of the database. A file with a greater one was written by a newer program and is
left alone.

1: seals under a salt that stood beside them. 2: commitments; entries have notes. 3: notes of who
sits where. 4: the head of each session.
"""

HEADS = """
    CREATE TABLE IF NOT EXISTS heads (
        session INTEGER PRIMARY KEY REFERENCES sessions,
        entries INTEGER NOT NULL,
        link BLOB NOT NULL
    ) STRICT
    """
"""How many entries a session has, and the last link of their chain (`compute_next_link`). Written
with every entry, in its transaction: rows alone do not tell that the last of them are missing."""

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
    HEADS,
)

SEATS = """
    CREATE TABLE IF NOT EXISTS seats (
        session INTEGER NOT NULL REFERENCES sessions,
        seat TEXT NOT NULL,
        name TEXT NOT NULL,
        PRIMARY KEY (session, seat)
    ) STRICT, WITHOUT ROWID
    """
"""Names of people in a session whose players are called `s1` and so on. They are outside the log,
so that a name can be changed and deleted. Created with the first such session; an older program
ignores it."""


def has_table(connection: sqlite3.Connection, name: str) -> bool:
    """Check whether the file has a table that older programs did not create."""
    return connection.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (name,)).fetchone() is not None


def insert_row(connection: sqlite3.Connection, table: str, row: tuple[Any, ...]) -> None:
    """Insert a row that has all columns of the table."""
    connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)


def write_head(connection: sqlite3.Connection, number: int, head: tuple[Any, ...]) -> None:
    """Replace the head of a session: its number of entries and its last link."""
    connection.execute("INSERT OR REPLACE INTO heads VALUES (?, ?, ?)", (number, *head))


def read_head(connection: sqlite3.Connection, number: int) -> tuple[int, bytes] | None:
    """Return the stored count of a session's entries, and the head of their chain; None if there
    are none, as of a session that was damaged before heads were stored."""
    query = "SELECT entries, link FROM heads WHERE session = ?"
    found: tuple[int, bytes] | None = connection.execute(query, (number,)).fetchone()
    return found


def insert_names(connection: sqlite3.Connection, number: int, names: Mapping[str, str]) -> None:
    """Store names of people in a session, by seat."""
    if names:
        connection.execute(SEATS)
        rows = [(number, seat, name) for seat, name in names.items()]
        connection.executemany("INSERT OR REPLACE INTO seats VALUES (?, ?, ?)", rows)


def delete_session(connection: sqlite3.Connection, number: int) -> None:
    """Delete a session that has no entries, with its head and its names."""
    for table in ("seats", "heads", "sessions"):
        if has_table(connection, table):
            connection.execute(f"DELETE FROM {table} WHERE session = ?", (number,))


def compute_row_digest(before: int, *fields: object) -> int:
    """Return the CRC-32 of a row; `before` is the digest of the row before it, so that a missing
    row is noticed too."""
    # `repr` tells 1 from "1", and text from a blob of the same letters.
    return zlib.crc32(repr(fields).encode(), before)


def compute_session_id(game: str, setup: bytes, begun: float) -> UUID:
    """Return a session's id (a UUID of version 7, RFC 9562): its start in milliseconds, and the
    first bits of its chain's first link in place of random ones. It is computed, not stored, so
    that journals of every version have it, and a copy has the same.

    >>> compute_session_id("dtc", b"{}", 1.7e9).version
    7
    """
    milliseconds = int(begun * 1000).to_bytes(6, "big", signed=True)
    data = bytearray(milliseconds + compute_first_link(game, setup, begun)[:10])
    # Version 7 (RFC 9562, 5.7).
    data[6] = 0x70 | data[6] & 0x0F
    # Variant (RFC 9562, 4.1).
    data[8] = 0x80 | data[8] & 0x3F
    return UUID(bytes=bytes(data))


def compute_first_link(game: str, setup: bytes, begun: float) -> bytes:
    """Return the first link of a session's chain (SHA-256); `begun`: seconds since 1970."""
    return _hash_fields("card-table-companion session", _to_microseconds(begun), game, setup)


def compute_next_link(
    before: bytes, sequence: int, written: float, kind: str, at: int, acts_format: int, acts: bytes
) -> bytes:
    """Return the link of an entry: the SHA-256 over it and the link before it.

    It is computed from what journals of every version contain; the last one of a session is stored
    in its head, and that of the session written last in the mark beside the journal too. The
    session's number is not part of it, so that a copy has the same chain.
    """
    return _hash_fields(
        "card-table-companion entry", before, sequence, _to_microseconds(written), kind, at, acts_format, acts
    )


def _to_microseconds(seconds: float) -> int:
    return round(seconds * 1_000_000)


def _hash_fields(*fields: bytes | str | int) -> bytes:
    """Hash each field as bytes (text in UTF-8, numbers in decimal) after its length in four bytes,
    so that different lists of fields cannot give the same hash."""
    hasher = hashlib.sha256()
    for field in fields:
        data = field if isinstance(field, bytes) else str(field).encode()
        hasher.update(len(data).to_bytes(4, "big") + data)
    return hasher.digest()


FORMAT = 2
"""Current format of entries: `{"acts": [{"request": {"do": ..., ...}, "events": [{"type": ...,
...}, ...]}, ...], "notes": [...]}`."""

Raw: TypeAlias = Any
UPCASTS: Mapping[int, Callable[[str, Raw], Raw]] = {1: lambda _game, acts: {"acts": acts}}
"""For each old format a function (game id, an entry as plain JSON values) -> the entry in the next
format. Format 1 had no notes."""


class UnreadableRow(ValueError):
    """Raised for a row that does not contain what the program wrote, or that no installed game
    understands. The message shows no values."""


_encode = msgspec.json.Encoder().encode


class _SavedSetup(msgspec.Struct, frozen=True):
    game: str
    players: tuple[str, ...]
    options: dict[str, Any]
    seed: int | str | None
    commitment: str = ""


def encode_setup(setup: Setup) -> bytes:
    """Return the set-up as JSON, with the commitment in place of a seed that the program chose."""
    fields = (setup.game, setup.players, dict(setup.options))
    seed = setup.seed
    return _encode(
        _SavedSetup(*fields, None, seed.commitment)
        if isinstance(seed, HiddenSeed)
        else _SavedSetup(*fields, seed)
    )


def decode_setup(data: bytes) -> tuple[Setup, str]:
    """Return the set-up and the commitment to its seed, "" if the seed is public; raise
    `UnreadableRow`."""
    try:
        saved = msgspec.json.decode(data, type=_SavedSetup)
    except msgspec.DecodeError as fault:
        raise UnreadableRow("a set-up does not hold what it should") from fault
    seed = HiddenSeed(fresh=False) if saved.seed is None else saved.seed
    return Setup(saved.game, saved.players, saved.options, seed), saved.commitment


def encode_entry(entry: Entry) -> bytes:
    """Return the entry's acts and notes as JSON in the format `FORMAT`."""
    return _encode({"acts": entry.acts, "notes": entry.notes} if entry.notes else {"acts": entry.acts})


def decode_entry(game: Game[Any], kind: Kind, at: int, data: bytes, written_as: int = FORMAT) -> Entry:
    """Return the entry that `encode_entry` wrote, in this or an older format; raise
    `UnreadableRow`."""
    try:
        decoder = _entry_decoder(game)
        if written_as == FORMAT:
            decoded = decoder.decode(data)
        else:
            raw = msgspec.json.decode(data)
            for number in range(written_as, FORMAT):
                raw = UPCASTS[number](game.id, raw)
            decoded = msgspec.convert(raw, _entry_type(game))
        # Converted to `Act`: the decoded struct is of a type made for this game.
        return Entry(kind, tuple(Act(act.request, act.events) for act in decoded.acts), at, decoded.notes)
    except (msgspec.DecodeError, LookupError, TypeError) as fault:
        # `from None`, because msgspec's message may quote the row.
        raise UnreadableRow(f"an act is not one of {game.id}'s ({type(fault).__name__})") from None


@cache
def _entry_type(game: Game[Any]) -> type[msgspec.Struct]:
    request: Any = Union[(*game.requests,)]
    event: Any = Union[(*game.events,)]
    fields: list[tuple[str, Any]] = [("request", request), ("events", tuple[event, ...])]
    act = msgspec.defstruct("KeptAct", fields, frozen=True)
    return msgspec.defstruct(
        "KeptEntry",
        [("acts", list[act]), ("notes", tuple[Note | SeatChange, ...], ())],  # type: ignore[valid-type]
        frozen=True,
    )


_BUILDING = threading.Lock()


def _entry_decoder(game: Game[Any]) -> msgspec.json.Decoder[Any]:
    # msgspec 0.22 crashes if two threads make decoders of the same types for the first time.
    with _BUILDING:
        return _build_entry_decoder(game)


@cache
def _build_entry_decoder(game: Game[Any]) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(_entry_type(game))
