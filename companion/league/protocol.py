"""Define the messages between a table and a league server, and the table's connection.

Messages are msgpack over HTTP, one per request: `POST /join`, `/leave`, `/sessions`, `/entries`,
`/seats`. Every message that changes something is signed with the table's key. All requests are
idempotent: after a timeout the sender cannot know whether a message arrived, so it sends the same
bytes again. `TableLine` keeps one HTTP connection open between requests.
"""

from __future__ import annotations

import http.client
import ssl
from typing import Annotated, Literal, TypeVar
from urllib.parse import urlsplit
from uuid import UUID

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from companion.league import chain
from companion.league.chain import ChainedEntry, ChainedSession, Count, Digest, Key, Micros, Signature
from companion.rules.contract import LONGEST_NAME, Problem, Text
from companion.settings import Membership

MEDIA_TYPE = "application/msgpack"
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
    def signed(self) -> bytes:
        """The bytes that the signature covers."""
        return chain.said("join", self.code.encode(), self.key, self.name.encode())


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
    def signed(self) -> bytes:
        """The bytes that the signature covers."""
        return chain.said("leave", self.key)


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
    def signed(self) -> bytes:
        """The bytes that the signature covers."""
        # Sorted: both sides must sign and verify the same bytes, whatever order the map arrives in.
        seats = msgspec.json.encode(self.seats, order="sorted")
        return chain.said("seats", self.session.bytes, b"%d" % self.number, seats)


class Acknowledgement(msgspec.Struct, frozen=True):
    """The server's reply about a session or entries.

    `ok`: stored durably. `had`: already stored. `gap`: the server has fewer entries; send from
    `next` first (for seats: the last accepted `number` was `next`). `fork`: the server has a
    different entry at `next`; the session is frozen. `not_chained`: the entries do not follow the
    stored head. `not_yours`: the session belongs to another table. `conflict`: this id has another
    setup, or the parent session has not forked. `unknown`: no such session was announced.
    `refused`: `code` and `args` (a `Text`) give the reason.
    """

    answer: Literal["ok", "had", "gap", "fork", "not_chained", "not_yours", "conflict", "unknown", "refused"]
    next: int = 0
    code: str = ""
    args: dict[str, str | int] = {}

    @property
    def text(self) -> Text:
        """The reason for a refusal, as a translatable text."""
        return Text(self.code, self.args)


def encode(message: msgspec.Struct) -> bytes:
    """Encode a message as msgpack."""
    return msgspec.msgpack.encode(message)


TIMEOUT = 10.0
"""Seconds to wait for a reply; a server at full load with two hundred tables takes one."""
_LARGEST_ANSWER = 65_536

_Heard = TypeVar("_Heard", bound=msgspec.Struct)


class NotReached(Exception):
    """The server cannot be reached, is not ready, or is not a league server; try again later."""


class RefusedByServer(Problem):
    """The server refused the request and gave a reason."""


class TableLine:
    """A table's connection to the league server at `url` (`http://host:port`), signing with `key`.

    `club`: None before the table has joined. Every request raises `NotReached` or
    `RefusedByServer`; the constructor raises `Problem` for an address that cannot be used.
    """

    def __init__(
        self, url: str, key: Ed25519PrivateKey, club: UUID | None = None, timeout: float = TIMEOUT
    ) -> None:
        try:
            self.url = (url if "//" in url else f"http://{url}").rstrip("/")
            parts = urlsplit(self.url)
            # Fails here, not at the first request, if the host or the path cannot be encoded.
            (parts.hostname or "").encode("idna"), parts.path.encode("ascii")
            known = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
            self._line = known[parts.scheme](parts.hostname or "", parts.port, timeout=timeout)
            self._path = parts.path
        except (ValueError, KeyError, http.client.InvalidURL):
            raise Problem("league.bad_address", url=url) from None
        # `http:///path` parses without an error.
        if not parts.hostname:
            raise Problem("league.bad_address", url=url)
        self._key, self.public, self._club = key, chain.public(key), club or UUID(int=0)

    @classmethod
    def of(cls, member: Membership, timeout: float = TIMEOUT) -> TableLine:
        """Open the connection of a table that has joined. Raises `Problem` if its stored key or
        club id is invalid (the settings file was edited)."""
        try:
            key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(member.key))
            club = UUID(hex=member.club)
        except ValueError:
            raise Problem("league.bad_membership") from None
        return cls(member.url, key, club, timeout)

    def close(self) -> None:
        """Close the connection."""
        self._line.close()

    def ask(self, path: str, message: msgspec.Struct, kind: type[_Heard]) -> _Heard:
        """Send a message and return the reply, decoded as `kind`."""
        try:
            reply = self._reply(path, encode(message))
            # Bounded: another program may answer at this address, with any amount of data.
            said = reply.read(_LARGEST_ANSWER)
            if reply.status == http.client.UNPROCESSABLE_ENTITY:
                raise RefusedByServer(msgspec.msgpack.decode(said, type=Acknowledgement).text)
            if reply.status != http.client.OK:
                raise NotReached(str(reply.status))
            return msgspec.msgpack.decode(said, type=kind)
        except (OSError, http.client.HTTPException, msgspec.MsgspecError) as fault:
            # A late reply must not be read as the answer to the next request.
            self._line.close()
            why = type(fault).__name__ if isinstance(fault, ssl.SSLError) else str(fault)
            raise NotReached(why) from None

    def _reply(self, path: str, said: bytes) -> http.client.HTTPResponse:
        """Send a request, reconnecting once if the server has closed an idle connection.

        The server closes connections after some seconds without a request. Sending twice is safe
        because requests are idempotent.
        """
        # Only a connection that was open before can have been closed while idle; a new one that
        # fails means that the server is away.
        kept = self._line.sock is not None
        try:
            return self._sent(path, said)
        except ConnectionError:
            if not kept:
                raise
            self._line.close()
            return self._sent(path, said)

    def _sent(self, path: str, said: bytes) -> http.client.HTTPResponse:
        self._line.request("POST", self._path + path, said, {"content-type": MEDIA_TYPE})
        reply: http.client.HTTPResponse = self._line.getresponse()
        return reply

    def join(self, code: str, name: str) -> Joined:
        """Join the club with its code, under this name."""
        # Signed in two steps: the message computes its own signed bytes, so it is made with an
        # empty signature first.
        wanted = Join(code, self.public, name, bytes(64))
        joined = self.ask("/join", self._signed(wanted, wanted.signed), Joined)
        self._club = joined.club
        return joined

    def leave(self) -> None:
        """Leave the club."""
        wanted = Leave(self.public, bytes(64))
        self.ask("/leave", self._signed(wanted, wanted.signed), Acknowledgement)

    def genesis(self, session: ChainedSession) -> bytes:
        """Return the genesis digest of a session of this table."""
        return session.genesis(self._club, self.public)

    def begin(self, session: ChainedSession) -> Acknowledgement:
        """Announce a session."""
        what = chain.head(self._club, session.session, 0, self.genesis(session))
        return self.ask(
            "/sessions", BeginSession(self.public, session, self._key.sign(what)), Acknowledgement
        )

    def send(
        self, session: UUID, first: int, digests: list[bytes], entries: list[ChainedEntry]
    ) -> Acknowledgement:
        """Send entries numbered from `first`; `digests`: the digest preceding them, then theirs."""
        what = chain.head(self._club, session, first + len(entries), digests[-1])
        message = SendEntries(self.public, session, first, digests[0], entries, self._key.sign(what))
        return self.ask("/entries", message, Acknowledgement)

    def seat(self, session: UUID, names: dict[str, str], number: int = 1) -> Acknowledgement:
        """Send the players' names by seat; `number`: see `TellSeats`."""
        wanted = TellSeats(self.public, session, number, names, bytes(64))
        return self.ask("/seats", self._signed(wanted, wanted.signed), Acknowledgement)

    def _signed(self, message: _Heard, what: bytes) -> _Heard:
        return msgspec.structs.replace(message, signature=self._key.sign(what))
