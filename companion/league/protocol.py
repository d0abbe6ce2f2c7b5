"""What a table says to a league server, and what it hears: msgpack over HTTP, one message a
request, over a connection that is kept (`Line`).

`POST /join`, `/leave`, `/sessions`, `/entries`, `/seats`. Whatever changes something is signed by
the table's key. The same bytes may be sent again at any time: after a timeout nobody knows whether
they arrived.
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
"""Bytes: five hundred entries of the largest that were seen are a tenth of it."""

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_NAME)]
SeatLabel = Annotated[str, msgspec.Meta(pattern=r"^[sg][1-9][0-9]?$")]
"""What a league session calls its players (`s1` is the first), and who joins or stands in (`g1`):
names stand in no entry, so that one can be forgotten."""


class Join(msgspec.Struct, frozen=True):
    """A table wants to join by the club's code; `name`: what it is called on the pages."""

    code: Annotated[str, msgspec.Meta(max_length=40)]
    key: Key
    name: Name
    signature: Signature

    @property
    def signed(self) -> bytes:
        """What the signature is of."""
        return chain.said("join", self.code.encode(), self.key, self.name.encode())


class Joined(msgspec.Struct, frozen=True):
    """It has; `club`: what goes into its digests, `name`: what the club is called."""

    club: UUID
    name: str
    table: int


class Leave(msgspec.Struct, frozen=True):
    """A table leaves; what it sent stays."""

    key: Key
    signature: Signature

    @property
    def signed(self) -> bytes:
        """What the signature is of."""
        return chain.said("leave", self.key)


class BeginSession(msgspec.Struct, frozen=True):
    """A session begins. `signature`: of its first digest, as the head of no entries."""

    key: Key
    session: ChainedSession
    signature: Signature


class SendEntries(msgspec.Struct, frozen=True):
    """Entries of a session from number `first` on. `before`: the digest of the one before them.
    `signature`: of the head after them."""

    key: Key
    session: UUID
    first: Count
    before: Digest
    entries: Annotated[list[ChainedEntry], msgspec.Meta(min_length=1, max_length=chain.MOST_ENTRIES)]
    signature: Signature


class TellSeats(msgspec.Struct, frozen=True):
    """Who sits where in a session, by names. `number`: greater than that of all that was told of it
    before, so that nobody who has heard it can tell it again."""

    key: Key
    session: UUID
    number: Micros
    seats: Annotated[dict[SeatLabel, Name], msgspec.Meta(max_length=40)]
    signature: Signature

    @property
    def signed(self) -> bytes:
        """What the signature is of."""
        seats = msgspec.json.encode(self.seats, order="sorted")
        return chain.said("seats", self.session.bytes, b"%d" % self.number, seats)


class Acknowledgement(msgspec.Struct, frozen=True):
    """What becomes of a session or of entries: they are durable (`ok`), or were so already (`had`).

    `gap`: the server has no more than `next`, which is wanted first; of seats, what was told last
    had the number `next`. `fork`: it holds something else at `next`; the session is frozen.
    `not_chained`: they do not follow from what it holds. `not_yours`: it is another table's.
    `conflict`: another set-up has this id, or its parent has one course only. `unknown`: no such
    session was begun. `refused`: `code` and `args` (a `Text`) say why.
    """

    answer: Literal["ok", "had", "gap", "fork", "not_chained", "not_yours", "conflict", "unknown", "refused"]
    next: int = 0
    code: str = ""
    args: dict[str, str | int] = {}

    @property
    def text(self) -> Text:
        """Why it was refused, in words."""
        return Text(self.code, self.args)


def encode(message: msgspec.Struct) -> bytes:
    """Return a message as it travels."""
    return msgspec.msgpack.encode(message)


TIMEOUT = 10.0
"""Seconds for an answer: a server that does its best for two hundred tables takes one."""
_LARGEST_ANSWER = 65_536

_Heard = TypeVar("_Heard", bound=msgspec.Struct)


class NotReached(Exception):
    """The server is not there, or not ready, or something else answers at its address: it is asked
    again later."""


class RefusedByServer(Problem):
    """The server refused what was asked, and says why."""


class TableLine:
    """The line of the table that signs with `key` to the server at `url` (`http://host:port`).
    `club`: None before it has joined.

    Everything raises `NotReached` and `RefusedByServer`; the line itself `Problem` for what is no
    such address.
    """

    def __init__(
        self, url: str, key: Ed25519PrivateKey, club: UUID | None = None, timeout: float = TIMEOUT
    ) -> None:
        try:
            self.url = (url if "//" in url else f"http://{url}").rstrip("/")
            parts = urlsplit(self.url)
            # What no name server and no request can take would be found only when it is asked.
            (parts.hostname or "").encode("idna"), parts.path.encode("ascii")
            known = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
            self._line = known[parts.scheme](parts.hostname or "", parts.port, timeout=timeout)
            self._path = parts.path
        except (ValueError, KeyError, http.client.InvalidURL):
            raise Problem("league.bad_address", url=url) from None
        if not parts.hostname:
            raise Problem("league.bad_address", url=url)
        self._key, self.public, self._club = key, chain.public(key), club or UUID(int=0)

    @classmethod
    def of(cls, member: Membership, timeout: float = TIMEOUT) -> TableLine:
        """Return the line of the table that has joined. Raises `Problem` where the settings were
        changed by hand."""
        try:
            key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(member.key))
            club = UUID(hex=member.club)
        except ValueError:
            raise Problem("league.bad_membership") from None
        return cls(member.url, key, club, timeout)

    def close(self) -> None:
        """Hang up."""
        self._line.close()

    def ask(self, path: str, message: msgspec.Struct, kind: type[_Heard]) -> _Heard:
        """Send a message and return the answer."""
        try:
            reply = self._reply(path, encode(message))
            said = reply.read(_LARGEST_ANSWER)
            if reply.status == http.client.UNPROCESSABLE_ENTITY:
                raise RefusedByServer(msgspec.msgpack.decode(said, type=Acknowledgement).text)
            if reply.status != http.client.OK:
                raise NotReached(str(reply.status))
            return msgspec.msgpack.decode(said, type=kind)
        except (OSError, http.client.HTTPException, msgspec.MsgspecError) as fault:
            # What is in the line belongs to no question any more.
            self._line.close()
            why = type(fault).__name__ if isinstance(fault, ssl.SSLError) else str(fault)
            raise NotReached(why) from None

    def _reply(self, path: str, said: bytes) -> http.client.HTTPResponse:
        """Send this; once more where the server has hung up since the last, as it does after some
        seconds in which nothing was said. (The same may be said twice.)"""
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
        """Join by the club's code, under this name."""
        wanted = Join(code, self.public, name, bytes(64))
        joined = self.ask("/join", self._signed(wanted, wanted.signed), Joined)
        self._club = joined.club
        return joined

    def leave(self) -> None:
        """Leave the club."""
        wanted = Leave(self.public, bytes(64))
        self.ask("/leave", self._signed(wanted, wanted.signed), Acknowledgement)

    def genesis(self, session: ChainedSession) -> bytes:
        """Return the first digest of a session here."""
        return session.genesis(self._club, self.public)

    def begin(self, session: ChainedSession) -> Acknowledgement:
        """Tell that a session has begun."""
        what = chain.head(self._club, session.session, 0, self.genesis(session))
        return self.ask(
            "/sessions", BeginSession(self.public, session, self._key.sign(what)), Acknowledgement
        )

    def send(
        self, session: UUID, first: int, digests: list[bytes], entries: list[ChainedEntry]
    ) -> Acknowledgement:
        """Send entries from number `first` on; `digests`: that of the one before them, and
        theirs."""
        what = chain.head(self._club, session, first + len(entries), digests[-1])
        message = SendEntries(self.public, session, first, digests[0], entries, self._key.sign(what))
        return self.ask("/entries", message, Acknowledgement)

    def seat(self, session: UUID, names: dict[str, str], number: int = 1) -> Acknowledgement:
        """Tell who sits where; `number`: see `TellSeats`."""
        wanted = TellSeats(self.public, session, number, names, bytes(64))
        return self.ask("/seats", self._signed(wanted, wanted.signed), Acknowledgement)

    def _signed(self, message: _Heard, what: bytes) -> _Heard:
        return msgspec.structs.replace(message, signature=self._key.sign(what))
