"""What makes a table's log its own: a chain of SHA-256 digests over the entries of each session,
and the table's Ed25519 signature under the newest.

The first digest holds the club and the table's key, so that nobody can bring the log to another
club, or claim another's. Who rewrites an entry has another digest at a place that is held. The head
of each batch is signed, which says the same of all before it: entry by entry would cost five times
what folding them does. Times are whole microseconds since 1970; bodies are the journal's bytes as
they are, in whichever format. Numbers are unsigned and big-endian, a time is signed.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable
from typing import Annotated, Literal
from uuid import UUID

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from companion.journal import schema
from companion.journal.kept import Row
from companion.rules.acts import Kind

_PURPOSE = b"companion-league/1 "
LARGEST_BODY = 65_536
"""Bytes of one entry's acts, and of a set-up: a hundred times what the largest ones have."""
MOST_ENTRIES = 500
"""Entries of one batch."""

Key = Annotated[bytes, msgspec.Meta(min_length=32, max_length=32)]
Digest = Annotated[bytes, msgspec.Meta(min_length=32, max_length=32)]
Signature = Annotated[bytes, msgspec.Meta(min_length=64, max_length=64)]
Micros = Annotated[int, msgspec.Meta(ge=-(2**62), le=2**62)]
Count = Annotated[int, msgspec.Meta(ge=0, lt=2**31)]
Body = Annotated[bytes, msgspec.Meta(max_length=LARGEST_BODY)]


class ChainedEntry(msgspec.Struct, frozen=True, array_like=True):
    """One entry as it travels: the row of the journal, its time in microseconds."""

    written: Micros
    kind: Kind
    at: Count
    format: Annotated[int, msgspec.Meta(ge=1, lt=2**15)]
    acts: Body

    @classmethod
    def of(cls, row: Row) -> ChainedEntry:
        """Take a row of `companion.journal.schema`."""
        _session, _sequence, written, kind, at, acts_format, acts, _digest = row
        return cls(micros(written), kind, at, acts_format, acts)


class Fork(msgspec.Struct, frozen=True):
    """Where a session parted from what the league holds of it: at entry `sequence` of `session`,
    where this table has an entry of this digest."""

    session: UUID
    sequence: Count
    digest: Digest

    @property
    def id(self) -> UUID:
        """The id of the session as which it goes on; the same whenever it is asked."""
        told = _digest("fork", self.session.bytes, struct.pack(">I", self.sequence), self.digest)
        parent = self.session.bytes
        # The parent's time and version, and its variant.
        return UUID(bytes=parent[:7] + told[:1] + bytes([parent[8]]) + told[1:8])


class ChainedSession(msgspec.Struct, frozen=True):
    """How a session begins, as it travels. `begun`: microseconds since 1970; `setup`: the journal's
    bytes; `fork`: it was another session until there, whose entries it has, too."""

    session: UUID
    game: Annotated[str, msgspec.Meta(pattern=r"^[\w.-]{1,60}$")]
    begun: Micros
    setup: Body
    fork: Fork | None = None

    @classmethod
    def of(cls, begun: float, game: str, setup: bytes) -> ChainedSession:
        """Take the head of a session in the journal."""
        return cls(schema.session_id(game, setup, begun), game, micros(begun), setup)

    @property
    def honest(self) -> bool:
        """Whether its id is the one that follows from the rest."""
        if self.fork is not None:
            return self.session == self.fork.id
        # But for the millisecond: what was a fraction of a second may be a microsecond beside it.
        derived = schema.session_id(self.game, self.setup, self.begun / 1_000_000)
        return self.session.bytes[6:] == derived.bytes[6:] and abs(self._time - (derived.int >> 80)) <= 1

    @property
    def _time(self) -> int:
        return self.session.int >> 80

    def genesis(self, club: UUID, key: bytes) -> bytes:
        """Return the digest before the first entry, in this club and at the table of this key."""
        return _digest(
            "session", club.bytes, key, self.session.bytes, struct.pack(">q", self.begun), _long(self.setup)
        )


def micros(seconds: float) -> int:
    """Return a time of the journal (seconds) in microseconds."""
    return round(seconds * 1_000_000)


def digests(before: bytes, first: int, entries: Iterable[ChainedEntry]) -> list[bytes]:
    """Return the digest of each entry, from number `first` (0: the session's first) on; `before`:
    that of the one before."""
    found = []
    for sequence, one in enumerate(entries, first):
        kind = one.kind.encode()
        before = _digest(
            "entry",
            before,
            struct.pack(">IqB", sequence, one.written, len(kind)),
            kind,
            struct.pack(">IH", one.at, one.format),
            _long(one.acts),
        )
        found.append(before)
    return found


def head(club: UUID, session: UUID, entries: int, digest: bytes) -> bytes:
    """Return what is signed of a session's first so many entries; of none, the first digest."""
    return _signed("head", club.bytes, session.bytes, struct.pack(">I", entries), digest)


def said(what: Literal["join", "leave", "seats"], *fields: bytes) -> bytes:
    """Return what is signed of anything else that a table says."""
    return _signed(what, *map(_long, fields))


def new_key() -> Ed25519PrivateKey:
    """Make a table's key."""
    return Ed25519PrivateKey.generate()


def public(key: Ed25519PrivateKey) -> bytes:
    """Return the half of it by which everybody knows the table."""
    return key.public_key().public_bytes_raw()


def verified(key: bytes, signature: bytes, what: bytes) -> bool:
    """Tell whether the table of this (public) key signed `what`."""
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, what)
    except (InvalidSignature, ValueError):
        return False
    return True


def _long(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data


def _signed(purpose: str, *fields: bytes) -> bytes:
    return b"".join((_PURPOSE, purpose.encode(), b"\0", *fields))


def _digest(purpose: str, *fields: bytes) -> bytes:
    return hashlib.sha256(_signed(purpose, *fields)).digest()
