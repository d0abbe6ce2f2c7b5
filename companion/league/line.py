"""A table's line to the league's server: a message, an answer, over a connection that is kept."""

from __future__ import annotations

import http.client
import ssl
from typing import TypeVar
from urllib.parse import urlsplit
from uuid import UUID

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from companion.league import chain
from companion.league.chain import ChainedEntry, ChainedSession
from companion.league.protocol import (
    MEDIA_TYPE,
    Acknowledgement,
    BeginSession,
    Join,
    Joined,
    Leave,
    SendEntries,
    TellSeats,
    encode,
)
from companion.rules.contract import Problem
from companion.settings import Membership

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
