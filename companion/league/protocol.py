"""Define the messages between a table and a league server, and the table's connection.

Messages are msgpack over HTTP, one per request: `POST /join`, `/leave`, `/sessions`, `/entries`,
`/seats`. Every message that changes something is signed with the table's key. All requests are
idempotent: after a timeout the sender cannot know whether a message arrived, so it sends the same
bytes again. `TableConnection` keeps one HTTP connection open between requests.

A server with a certificate of its own is recognized by its public key: the join code ends with
eight characters of the key's digest (`JoinCode`), and the table then remembers the digest.
"""

from __future__ import annotations

import http.client
import ssl
from collections.abc import Callable
from typing import Annotated, Literal, NamedTuple, TypeVar
from urllib.parse import urlsplit
from uuid import UUID

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from companion.league import chain
from companion.league.chain import ChainedEntry, ChainedSession, Count, Digest, Key, Micros, Signature
from companion.league.membership import Membership
from companion.rules.contract import LONGEST_NAME, Problem, Text
from companion.web.addresses import is_loopback
from companion.web.certificates import CHECK_LENGTH, compute_key_digest, encode_key_check

MEDIA_TYPE = "application/msgpack"
CODE_LENGTH = 6
"""Characters in a join code: about a thousand million codes, against five guesses a minute
(`CodeAttempts`)."""
LARGEST_REQUEST = 4_000_000
"""Maximum request size in bytes: ten times five hundred entries of the largest size seen."""

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_NAME)]
SeatLabel = Annotated[str, msgspec.Meta(pattern=r"^[sg][1-9][0-9]?$")]
"""A player's label in a league session: `s1` is the first seat, `g1` the first who joins later or
stands in. Entries contain labels only, so that a person's name can be deleted."""


class Join(msgspec.Struct, frozen=True):
    """Request to join with the club's code; `name` is the table's name on the pages."""

    code: Annotated[str, msgspec.Meta(max_length=40)]
    key: Key
    name: Name
    signature: Signature

    @property
    def signed_bytes(self) -> bytes:
        """The bytes that the signature covers."""
        return chain.build_signed_message("join", self.code.encode(), self.key, self.name.encode())


class Joined(msgspec.Struct, frozen=True):
    """Reply to `Join`.

    `club`: the id that goes into the table's digests. `name`: the club's display name. `table`: the
    table's number in the database.
    """

    club: UUID
    name: str
    table: int


class Leave(msgspec.Struct, frozen=True):
    """Request to leave the club; everything already sent remains."""

    key: Key
    signature: Signature

    @property
    def signed_bytes(self) -> bytes:
        """The bytes that the signature covers."""
        return chain.build_signed_message("leave", self.key)


class BeginSession(msgspec.Struct, frozen=True):
    """Announcement of a new session; `signature` covers its genesis (the head of zero entries)."""

    key: Key
    session: ChainedSession
    signature: Signature


class SendEntries(msgspec.Struct, frozen=True):
    """Entries of a session, numbered from `first`.

    `before`: the digest of the entry preceding them. `signature`: over the head after the last one.
    """

    key: Key
    session: UUID
    first: Count
    before: Digest
    entries: Annotated[list[ChainedEntry], msgspec.Meta(min_length=1, max_length=chain.MOST_ENTRIES)]
    signature: Signature


class TellSeats(msgspec.Struct, frozen=True):
    """The names of the players in a session, by seat.

    `number` must be greater than that of every earlier such message for the session, so that a
    recorded message cannot be replayed.
    """

    key: Key
    session: UUID
    number: Micros
    seats: Annotated[dict[SeatLabel, Name], msgspec.Meta(max_length=40)]
    signature: Signature

    @property
    def signed_bytes(self) -> bytes:
        """The bytes that the signature covers."""
        # Sorted: both sides must sign and verify the same bytes, whatever order the map arrives in.
        seats = msgspec.json.encode(self.seats, order="sorted")
        return chain.build_signed_message("seats", self.session.bytes, b"%d" % self.number, seats)


class Acknowledgement(msgspec.Struct, frozen=True):
    """The server's reply about a session or entries.

    `ok`: stored durably. `had`: already stored. `gap`: the server has fewer entries; send from
    `next` first (for seats: the last accepted `number` was `next`). `fork`: the server has a
    different entry at `next`; the session is frozen. `not_chained`: the entries do not follow the
    stored head. `check_turn`: the session belongs to another table. `conflict`: this id has another
    setup, or the parent session has not forked. `unknown`: no such session was announced.
    `refused`: `code` and `args` (a `Text`) give the reason.
    """

    answer: Literal["ok", "had", "gap", "fork", "not_chained", "not_yours", "conflict", "unknown", "refused"]
    next: int = 0
    code: str = ""
    args: dict[str, str | int] = {}

    @property
    def refusal_text(self) -> Text:
        """The reason for a refusal, as a translatable text."""
        return Text(self.code, self.args)


def encode_message(message: msgspec.Struct) -> bytes:
    """Encode a message as msgpack."""
    return msgspec.msgpack.encode(message)


TIMEOUT = 10.0
"""Seconds to wait for a reply; a server at full load with two hundred tables takes one."""
_LARGEST_ANSWER = 65_536

_MessageType = TypeVar("_MessageType", bound=msgspec.Struct)


class ServerUnreachable(Exception):
    """The server cannot be reached, is not ready, or is not a league server; try again later."""


class RefusedByServer(Problem):
    """The server refused the request and gave a reason."""


class JoinCode(NamedTuple):
    """A join code as people type it: the code, and the characters by which the server's key is
    recognized ("": the server has a certificate that computers trust, or none)."""

    code: str
    check: str

    @classmethod
    def from_text(cls, text: str) -> JoinCode:
        """Read a code in whichever case, with or without hyphens."""
        # Whatever people put between the groups is no part of the code.
        typed = text.strip().upper().replace("-", "")
        return cls(typed[:CODE_LENGTH], typed[CODE_LENGTH:])

    def __str__(self) -> str:
        half = CHECK_LENGTH // 2
        return "-".join(part for part in (self.code, self.check[:half], self.check[half:]) if part)


class _PinnedConnection(http.client.HTTPSConnection):
    """HTTPS to a server that is recognized by its public key, whatever its certificate says.
    `accepts`: given the SHA-256 of the key, returns whether it is the right server."""

    def __init__(self, host: str, port: int | None, timeout: float, accepts: Callable[[bytes], bool]) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        # The key is compared instead, before anything is sent.
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        super().__init__(host, port, timeout=timeout, context=context)
        self._accepts = accepts

    def connect(self) -> None:
        """Connect, and compare the key. Raises `RefusedByServer` if it is another server's."""
        super().connect()
        certificate = self.sock.getpeercert(binary_form=True)
        if certificate is None or not self._accepts(compute_key_digest(certificate)):
            self.close()
            raise RefusedByServer("league.other_server")


class TableConnection:
    """A table's connection to the league server at `url` (`https://host:port`), signing with `key`.

    `club`: None before the table has joined. `server_key`: SHA-256 of the server's public key, b""
    to trust whom this computer trusts. `check`: characters that stand for that key (`JoinCode`)
    before the table has joined. Every request raises `ServerUnreachable` or `RefusedByServer`; the
    constructor raises `Problem` for an address that cannot be used.
    """

    def __init__(
        self,
        url: str,
        key: Ed25519PrivateKey,
        club: UUID | None = None,
        timeout: float = TIMEOUT,
        *,
        server_key: bytes = b"",
        check: str = "",
    ) -> None:
        self.server_key, self._check = server_key, check
        try:
            self.url = _complete_url(url).rstrip("/")
            parts = urlsplit(self.url)
            # Fails here, not at the first request, if the host or the path cannot be encoded.
            (parts.hostname or "").encode("idna"), parts.path.encode("ascii")
            self._connection = self._make_connection(parts.scheme, parts.hostname or "", parts.port, timeout)
            self._path = parts.path
        except (ValueError, KeyError, http.client.InvalidURL):
            raise Problem("league.bad_address", url=url) from None
        # `http:///path` parses without an error.
        if not parts.hostname:
            raise Problem("league.bad_address", url=url)
        self._key, self.public, self._club = key, chain.encode_public_key(key), club or UUID(int=0)

    @classmethod
    def from_membership(cls, member: Membership, timeout: float = TIMEOUT) -> TableConnection:
        """Open the connection of a table that has joined. Raises `Problem` if its stored key or
        club id is invalid (the settings file was edited)."""
        try:
            key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(member.key))
            club, server_key = UUID(hex=member.club), bytes.fromhex(member.server_key)
        except ValueError:
            raise Problem("league.bad_membership") from None
        return cls(member.url, key, club, timeout, server_key=server_key)

    def _make_connection(
        self, scheme: str, host: str, port: int | None, timeout: float
    ) -> http.client.HTTPConnection:
        if scheme == "https" and (self.server_key or self._check):
            return _PinnedConnection(host, port, timeout, self._accept_server_key)
        known: dict[str, type[http.client.HTTPConnection]] = {
            "http": http.client.HTTPConnection,
            "https": http.client.HTTPSConnection,
        }
        return known[scheme](host, port, timeout=timeout)

    def _accept_server_key(self, digest: bytes) -> bool:
        # Before the table has joined it knows eight characters; from the first connection on it
        # keeps the whole digest.
        if not self.server_key and encode_key_check(digest) == self._check:
            self.server_key = digest
        return digest == self.server_key

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def send_message(
        self, path: str, message: msgspec.Struct, reply_type: type[_MessageType]
    ) -> _MessageType:
        """Send a message and return the reply, decoded as `reply_type`."""
        try:
            reply = self._post_with_retry(path, encode_message(message))
            # Bounded: another program may answer at this address, with any amount of data.
            body = reply.read(_LARGEST_ANSWER)
            if reply.status == http.client.UNPROCESSABLE_ENTITY:
                raise RefusedByServer(msgspec.msgpack.decode(body, type=Acknowledgement).refusal_text)
            if reply.status == http.client.REQUEST_ENTITY_TOO_LARGE:
                raise RefusedByServer("league.too_large")
            if reply.status == http.client.MISDIRECTED_REQUEST:
                raise RefusedByServer("league.other_address", address=self.url)
            if reply.status != http.client.OK:
                raise ServerUnreachable(str(reply.status))
            return msgspec.msgpack.decode(body, type=reply_type)
        except (OSError, http.client.HTTPException, msgspec.MsgspecError) as fault:
            # A late reply must not be read as the answer to the next request.
            self._connection.close()
            if isinstance(fault, ssl.SSLCertVerificationError):
                raise RefusedByServer("league.unknown_certificate") from None
            reason = type(fault).__name__ if isinstance(fault, ssl.SSLError) else str(fault)
            raise ServerUnreachable(reason) from None

    def _post_with_retry(self, path: str, body: bytes) -> http.client.HTTPResponse:
        """Send a request, reconnecting once if the server has closed an idle connection.

        The server closes connections after some seconds without a request. Sending twice is safe
        because requests are idempotent.
        """
        # Only a connection that was open before can have been closed while idle; a new one that
        # fails means that the server is away.
        was_connected = self._connection.sock is not None
        try:
            return self._post_message(path, body)
        except ConnectionError:
            if not was_connected:
                raise
            self._connection.close()
            return self._post_message(path, body)

    def _post_message(self, path: str, body: bytes) -> http.client.HTTPResponse:
        self._connection.request("POST", self._path + path, body, {"content-type": MEDIA_TYPE})
        reply: http.client.HTTPResponse = self._connection.getresponse()
        return reply

    def join_club(self, code: str, name: str) -> Joined:
        """Join the club with its code, under this name."""
        # Signed in two steps: the message computes its own signed bytes, so it is made with an
        # empty signature first.
        message = Join(code, self.public, name, bytes(64))
        joined = self.send_message("/join", self._sign_message(message, message.signed_bytes), Joined)
        self._club = joined.club
        return joined

    def leave_club(self) -> None:
        """Leave the club."""
        message = Leave(self.public, bytes(64))
        self.send_message("/leave", self._sign_message(message, message.signed_bytes), Acknowledgement)

    def compute_genesis(self, session: ChainedSession) -> bytes:
        """Return the genesis digest of a session of this table."""
        return session.compute_genesis(self._club, self.public)

    def announce_session(self, session: ChainedSession) -> Acknowledgement:
        """Announce a session."""
        signed = chain.build_signed_head(self._club, session.session, 0, self.compute_genesis(session))
        return self.send_message(
            "/sessions", BeginSession(self.public, session, self._key.sign(signed)), Acknowledgement
        )

    def send_entries(
        self, session: UUID, first: int, digests: list[bytes], entries: list[ChainedEntry]
    ) -> Acknowledgement:
        """Send entries numbered from `first`; `digests`: the digest preceding them, then theirs."""
        signed = chain.build_signed_head(self._club, session, first + len(entries), digests[-1])
        message = SendEntries(self.public, session, first, digests[0], entries, self._key.sign(signed))
        return self.send_message("/entries", message, Acknowledgement)

    def send_seats(self, session: UUID, names: dict[str, str], number: int = 1) -> Acknowledgement:
        """Send the players' names by seat; `number`: see `TellSeats`."""
        message = TellSeats(self.public, session, number, names, bytes(64))
        return self.send_message("/seats", self._sign_message(message, message.signed_bytes), Acknowledgement)

    def _sign_message(self, message: _MessageType, signed: bytes) -> _MessageType:
        return msgspec.structs.replace(message, signature=self._key.sign(signed))


def _complete_url(url: str) -> str:
    """Add the scheme to an address without one: HTTPS, except on this computer."""
    if "//" in url:
        return url
    host = urlsplit(f"//{url}").hostname or ""
    return f"{'http' if is_loopback(host) else 'https'}://{url}"
