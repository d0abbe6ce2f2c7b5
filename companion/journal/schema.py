"""The journal's file: an SQLite database with two tables, the marks by which it is known, and acts
to JSON and back. What an older program wrote is upcast while it is read; the file is never
rewritten.

`sessions`: one row a session, the set-up as JSON; `salt` was the key of older programs' seals and
is empty now. `entries`: one row an entry; the primary key (session, sequence) makes a race of two
writers an error. `acts` is JSON under the format number `format` (see `FORMAT`); `digest` is a
CRC-32 over the row and the row before it, so that damage that SQLite itself cannot see (a changed
byte inside a value) is found on reading. Times are UTC, seconds since 1970.

Cards that lie face down never get here: the session replaces them by seals before the game sees
them (`companion.rules.session.sealed`).

What nothing in the file can show, that it is a whole but older one, shows by a chain over the
entries (`linked`), whose head is kept beside the file (`companion.journal.beside`).
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeAlias, Union
from uuid import UUID

import msgspec

from companion.rules.acts import Act, Entry, Kind
from companion.rules.commitments import HiddenSeed, Note
from companion.rules.contract import Game, Setup
from companion.rules.people import Seated

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

SEATS = """
    CREATE TABLE IF NOT EXISTS seats (
        session INTEGER NOT NULL REFERENCES sessions,
        seat TEXT NOT NULL,
        name TEXT NOT NULL,
        PRIMARY KEY (session, seat)
    ) STRICT, WITHOUT ROWID
    """
"""What people are called in a session that calls its players `s1` and so on (a league's): beside
the log, so that a name can be changed, and forgotten. Made with the first such session; an older
program plays on without the names."""


def digest(before: int, *fields: object) -> int:
    """Return the CRC-32 that a row carries; `before` is the digest of the row before it, so that a
    lost row shows too."""
    # `repr` tells 1 from "1", and text from a blob of the same letters.
    return zlib.crc32(repr(fields).encode(), before)


def session_id(game: str, setup: bytes, begun: float) -> UUID:
    """Return a session's id (a UUID of version 7, RFC 9562): when it began, in milliseconds, and
    for its random bits the first of its chain's first link. So nothing stores it: every journal has
    it, of the first version too, and a copy has the same.

    >>> session_id("dtc", b"{}", 1.7e9).version
    7
    """
    milliseconds = int(begun * 1000).to_bytes(6, "big", signed=True)
    data = bytearray(milliseconds + begun_with(game, setup, begun)[:10])
    data[6] = 0x70 | data[6] & 0x0F  # the version
    data[8] = 0x80 | data[8] & 0x3F  # the variant
    return UUID(bytes=bytes(data))


def begun_with(game: str, setup: bytes, begun: float) -> bytes:
    """Return the first link of a session's chain (SHA-256); `begun`: seconds since 1970."""
    return _sha256("card-table-companion session", _micros(begun), game, setup)


def linked(
    before: bytes, sequence: int, written: float, kind: str, at: int, acts_format: int, acts: bytes
) -> bytes:
    """Return the link of an entry: the SHA-256 over it and the link before it.

    It is computed from what every journal holds, of the first version too, and stored nowhere but
    in the mark beside the journal. The session's number is not in it: a copy has the same chain.
    """
    return _sha256(
        "card-table-companion entry", before, sequence, _micros(written), kind, at, acts_format, acts
    )


def _micros(seconds: float) -> int:
    return round(seconds * 1_000_000)


def _sha256(*fields: bytes | str | int) -> bytes:
    """Hash each field as bytes (text in UTF-8, numbers in decimal), its length in four bytes before
    it, so that no two lists of fields give the same."""
    whole = hashlib.sha256()
    for field in fields:
        data = field if isinstance(field, bytes) else str(field).encode()
        whole.update(len(data).to_bytes(4, "big") + data)
    return whole.digest()


FORMAT = 2
"""The format of entries now: `{"acts": [{"request": {"do": ..., ...}, "events": [{"type": ...,
...}, ...]}, ...], "notes": [...]}`."""

Raw: TypeAlias = Any
UPCASTS: Mapping[int, Callable[[str, Raw], Raw]] = {1: lambda _game, acts: {"acts": acts}}
"""Per old format: a function (game id, an entry as plain JSON values) -> the entry in the next
format. Format 1 had no notes."""


class Unreadable(ValueError):
    """A row that does not hold what the program wrote, or that no installed game understands. Its
    words show no values."""


_encode = msgspec.json.Encoder(order=None).encode


class _KeptSetup(msgspec.Struct, frozen=True):
    game: str
    players: tuple[str, ...]
    options: dict[str, Any]
    seed: int | str | None
    commitment: str = ""


def encode_setup(setup: Setup) -> bytes:
    """Return the set-up as JSON, with the commitment in place of a seed that the program chose."""
    kept = (setup.game, setup.players, dict(setup.options))
    seed = setup.seed
    return _encode(
        _KeptSetup(*kept, None, seed.commitment) if isinstance(seed, HiddenSeed) else _KeptSetup(*kept, seed)
    )


def decode_setup(data: bytes) -> tuple[Setup, str]:
    """Return the set-up and the commitment to its seed, "" if public; raise `Unreadable`."""
    try:
        kept = msgspec.json.decode(data, type=_KeptSetup)
    except msgspec.DecodeError as fault:
        raise Unreadable("a set-up does not hold what it should") from fault
    seed = HiddenSeed(fresh=False) if kept.seed is None else kept.seed
    return Setup(kept.game, kept.players, kept.options, seed), kept.commitment


def encode_entry(entry: Entry) -> bytes:
    """Return the entry's acts and notes as JSON in the format `FORMAT`."""
    return _encode({"acts": entry.acts, "notes": entry.notes} if entry.notes else {"acts": entry.acts})


def decode_entry(game: Game[Any], kind: Kind, at: int, data: bytes, written_as: int = FORMAT) -> Entry:
    """Return the entry `encode_entry` wrote, in this or an older format; raise `Unreadable`."""
    try:
        if written_as == FORMAT:
            kept = _decoder(game).decode(data)
        else:
            raw = msgspec.json.decode(data)
            for number in range(written_as, FORMAT):
                raw = UPCASTS[number](game.id, raw)
            kept = msgspec.convert(raw, _kept_entry(game))
        # Made anew as `Act`: the struct that was decoded is one of this game's own.
        return Entry(kind, tuple(Act(act.request, act.events) for act in kept.acts), at, kept.notes)
    except (msgspec.DecodeError, LookupError, TypeError) as fault:
        # `from None`: msgspec's message may quote the row
        raise Unreadable(f"an act is not one of {game.id}'s ({type(fault).__name__})") from None


@cache
def _kept_entry(game: Game[Any]) -> type[msgspec.Struct]:
    request: Any = Union[(*game.requests,)]
    event: Any = Union[(*game.events,)]
    fields: list[tuple[str, Any]] = [("request", request), ("events", tuple[event, ...])]
    act = msgspec.defstruct("KeptAct", fields, frozen=True)
    return msgspec.defstruct(
        "KeptEntry",
        [("acts", list[act]), ("notes", tuple[Note | Seated, ...], ())],  # type: ignore[valid-type]
        frozen=True,
    )


@cache
def _decoder(game: Game[Any]) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(_kept_entry(game))
