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
from companion.journal.saved_session import Row
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
    def from_row(cls, row: Row) -> ChainedEntry:
        """Convert a row of `companion.journal.build_schema`."""
        _session, _sequence, written, kind, at, acts_format, acts, _digest = row
        return cls(to_microseconds(written), kind, at, acts_format, acts)


class Fork(msgspec.Struct, frozen=True):
    """The point where a table's session diverges from the league's copy of it.

    The copies agree up to entry `sequence` of `session`; there this table has an entry with
    `digest`.
    """

    session: UUID
    sequence: Count
    digest: Digest

    @property
    def new_session_id(self) -> UUID:
        """Id of the session in which the table's version continues; always the same for the same
        fork."""
        # Derived, not random: a table that retries after a lost reply must arrive at the same
        # session.
        fork_digest = _compute_digest(
            "fork", self.session.bytes, struct.pack(">I", self.sequence), self.digest
        )
        parent = self.session.bytes
        # Keeps the parent's time, and the version and variant bits of its UUID.
        return UUID(bytes=parent[:7] + fork_digest[:1] + bytes([parent[8]]) + fork_digest[1:8])


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
    def from_head(cls, begun: float, game: str, setup: bytes) -> ChainedSession:
        """Convert the header of a session in the journal; `begun` is in seconds since 1970."""
        return cls(schema.compute_session_id(game, setup, begun), game, to_microseconds(begun), setup)

    @property
    def has_valid_id(self) -> bool:
        """Whether the session id is the one derived from the other fields."""
        if self.fork is not None:
            return self.session == self.fork.new_session_id
        # Except for the millisecond: converting a fraction of a second can be off by a microsecond.
        derived = schema.compute_session_id(self.game, self.setup, self.begun / 1_000_000)
        return (
            self.session.bytes[6:] == derived.bytes[6:]
            and abs(self._id_milliseconds - (derived.int >> 80)) <= 1
        )

    @property
    def _id_milliseconds(self) -> int:
        return self.session.int >> 80

    def compute_genesis(self, club: UUID, key: bytes) -> bytes:
        """Return the digest that precedes the first entry, for this club and the table with public
        `key`."""
        return _compute_digest(
            "session",
            club.bytes,
            key,
            self.session.bytes,
            struct.pack(">q", self.begun),
            _prefix_length(self.setup),
        )


def to_microseconds(seconds: float) -> int:
    """Convert a journal time from seconds to microseconds."""
    return round(seconds * 1_000_000)


def compute_digests(before: bytes, first: int, entries: Iterable[ChainedEntry]) -> list[bytes]:
    """Return the digest of each entry; `before` is the digest preceding number `first` (0: the
    session's first)."""
    found = []
    for sequence, one in enumerate(entries, first):
        # `kind` has no fixed length, so its length is packed before it: without that, bytes could
        # move between two fields and leave the digest the same.
        kind = one.kind.encode()
        before = _compute_digest(
            "entry",
            before,
            struct.pack(">IqB", sequence, one.written, len(kind)),
            kind,
            struct.pack(">IH", one.at, one.format),
            _prefix_length(one.acts),
        )
        found.append(before)
    return found


def build_signed_head(club: UUID, session: UUID, entries: int, digest: bytes) -> bytes:
    """Return the bytes to sign for the first `entries` entries of a session; 0 signs the
    genesis."""
    return _build_signed_bytes("head", club.bytes, session.bytes, struct.pack(">I", entries), digest)


def build_signed_message(purpose: Literal["join", "leave", "seats"], *fields: bytes) -> bytes:
    """Return the bytes to sign for any other message of a table."""
    return _build_signed_bytes(purpose, *map(_prefix_length, fields))


def generate_key() -> Ed25519PrivateKey:
    """Generate a private key for a table."""
    return Ed25519PrivateKey.generate()


def encode_public_key(key: Ed25519PrivateKey) -> bytes:
    """Return the public key (32 bytes) that identifies the table."""
    return key.public_key().public_bytes_raw()


def verify_signature(key: bytes, signature: bytes, message: bytes) -> bool:
    """Check that `signature` over `what` was made with the private key belonging to public
    `key`."""
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _prefix_length(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data


def _build_signed_bytes(purpose: str, *fields: bytes) -> bytes:
    # The zero byte ends the purpose, which contains none: no purpose is a prefix of another.
    return b"".join((_PURPOSE, purpose.encode(), b"\0", *fields))


def _compute_digest(purpose: str, *fields: bytes) -> bytes:
    return hashlib.sha256(_build_signed_bytes(purpose, *fields)).digest()
