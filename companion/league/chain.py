"""Make a table's log tamper-evident with chained SHA-256 digests and an Ed25519 signature.

Every entry of a session is hashed together with the digest of the entry before it, as in any hash
chain, so changing one entry changes every later digest. The first digest (the genesis) also covers
the club and the table's public key: a log cannot be moved to another club or presented as another
table's. A table signs only the newest digest (the head) of each batch, because a signed head
vouches for everything before it; signing each entry would cost five times what replaying the
entries costs.

Byte layout: numbers are unsigned and big-endian, times are signed whole microseconds since 1970,
and variable-length fields are prefixed with their length (4 bytes). Bodies are the journal's bytes,
unchanged, in whichever journal format they were written.
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

# Domain separation: bytes signed for one purpose are never valid for another.
_PURPOSE = b"companion-league/1 "
LARGEST_BODY = 65_536
"""Maximum size in bytes of one entry's acts, or of a setup: a hundred times the largest seen."""
MOST_ENTRIES = 500
"""Maximum number of entries in one batch."""

Key = Annotated[bytes, msgspec.Meta(min_length=32, max_length=32)]
Digest = Annotated[bytes, msgspec.Meta(min_length=32, max_length=32)]
Signature = Annotated[bytes, msgspec.Meta(min_length=64, max_length=64)]
Micros = Annotated[int, msgspec.Meta(ge=-(2**62), le=2**62)]
Count = Annotated[int, msgspec.Meta(ge=0, lt=2**31)]
Body = Annotated[bytes, msgspec.Meta(max_length=LARGEST_BODY)]


class ChainedEntry(msgspec.Struct, frozen=True, array_like=True):
    """A journal entry as sent to the league: the row, with its time in microseconds."""

    written: Micros
    kind: Kind
    at: Count
    format: Annotated[int, msgspec.Meta(ge=1, lt=2**15)]
    acts: Body

    @classmethod
    def of(cls, row: Row) -> ChainedEntry:
        """Convert a row of `companion.journal.schema`."""
        _session, _sequence, written, kind, at, acts_format, acts, _digest = row
        return cls(micros(written), kind, at, acts_format, acts)


class Fork(msgspec.Struct, frozen=True):
    """The point where a table's session diverges from the league's copy of it.

    The copies agree up to entry `sequence` of `session`; there this table has an entry with
    `digest`.
    """

    session: UUID
    sequence: Count
    digest: Digest

    @property
    def id(self) -> UUID:
        """Id of the session in which the table's version continues; always the same for the same
        fork."""
        # Derived, not random: a table that retries after a lost reply must arrive at the same
        # session.
        told = _digest("fork", self.session.bytes, struct.pack(">I", self.sequence), self.digest)
        parent = self.session.bytes
        # Keeps the parent's time, and the version and variant bits of its UUID.
        return UUID(bytes=parent[:7] + told[:1] + bytes([parent[8]]) + told[1:8])


class ChainedSession(msgspec.Struct, frozen=True):
    """A session's header as sent to the league.

    `begun`: microseconds since 1970. `setup`: the journal's bytes. `fork`: set when this session
    continues another one after a fork; it then repeats the entries of that session up to the fork.
    """

    session: UUID
    game: Annotated[str, msgspec.Meta(pattern=r"^[\w.-]{1,60}$")]
    begun: Micros
    setup: Body
    fork: Fork | None = None

    @classmethod
    def of(cls, begun: float, game: str, setup: bytes) -> ChainedSession:
        """Convert the header of a session in the journal; `begun` is in seconds since 1970."""
        return cls(schema.session_id(game, setup, begun), game, micros(begun), setup)

    @property
    def honest(self) -> bool:
        """Whether the session id is the one derived from the other fields."""
        if self.fork is not None:
            return self.session == self.fork.id
        # Except for the millisecond: converting a fraction of a second can be off by a microsecond.
        derived = schema.session_id(self.game, self.setup, self.begun / 1_000_000)
        return self.session.bytes[6:] == derived.bytes[6:] and abs(self._time - (derived.int >> 80)) <= 1

    @property
    def _time(self) -> int:
        return self.session.int >> 80

    def genesis(self, club: UUID, key: bytes) -> bytes:
        """Return the digest that precedes the first entry, for this club and the table with public
        `key`."""
        return _digest(
            "session", club.bytes, key, self.session.bytes, struct.pack(">q", self.begun), _long(self.setup)
        )


def micros(seconds: float) -> int:
    """Convert a journal time from seconds to microseconds."""
    return round(seconds * 1_000_000)


def digests(before: bytes, first: int, entries: Iterable[ChainedEntry]) -> list[bytes]:
    """Return the digest of each entry; `before` is the digest preceding number `first` (0: the
    session's first)."""
    found = []
    for sequence, one in enumerate(entries, first):
        # `kind` has no fixed length, so its length is packed before it: without that, bytes could
        # move between two fields and leave the digest the same.
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
    """Return the bytes to sign for the first `entries` entries of a session; 0 signs the
    genesis."""
    return _signed("head", club.bytes, session.bytes, struct.pack(">I", entries), digest)


def said(what: Literal["join", "leave", "seats"], *fields: bytes) -> bytes:
    """Return the bytes to sign for any other message of a table."""
    return _signed(what, *map(_long, fields))


def new_key() -> Ed25519PrivateKey:
    """Generate a private key for a table."""
    return Ed25519PrivateKey.generate()


def public(key: Ed25519PrivateKey) -> bytes:
    """Return the public key (32 bytes) that identifies the table."""
    return key.public_key().public_bytes_raw()


def verified(key: bytes, signature: bytes, what: bytes) -> bool:
    """Check that `signature` over `what` was made with the private key belonging to public
    `key`."""
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, what)
    except (InvalidSignature, ValueError):
        return False
    return True


def _long(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data


def _signed(purpose: str, *fields: bytes) -> bytes:
    # The zero byte ends the purpose, which contains none: no purpose is a prefix of another.
    return b"".join((_PURPOSE, purpose.encode(), b"\0", *fields))


def _digest(purpose: str, *fields: bytes) -> bytes:
    return hashlib.sha256(_signed(purpose, *fields)).digest()
