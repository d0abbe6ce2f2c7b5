"""Serve a club's league: check and store what tables send, and publish the feed.

The server keeps no state of its own: several servers can run on one database, accepting and showing
the same data, and when one is killed the tables continue with another. Nothing that a table sends
is trusted: digests are recomputed, the signature on the head is checked, sizes are limited, and
addresses that guess join codes are soon blocked for a while.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import msgspec
import psycopg
from starlette.applications import Starlette
from starlette.requests import Request as HttpRequest
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from companion.journal import schema
from companion.league import chain, club, postgres
from companion.league.club import Club
from companion.league.log import FeedReader, NoDatabase, Writer
from companion.league.projections import Projector
from companion.league.protocol import (
    LARGEST_REQUEST,
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
from companion.rules.contract import Problem, Text
from companion.rules.people import seat_labels
from companion.rules.start import bad_names

MOST_WRONG, WITHIN = 5, 60.0
"""Number of wrong join codes that one address may send in this many seconds."""
_ADDRESSES = 1000
"""Number of addresses remembered for that limit; the one longest silent is dropped first."""
HEARTBEAT = 15.0
"""Seconds without an entry after which the feed sends a comment to show that the connection is
alive."""
_TABLES = 20_000
"""Number of tables whose database number is cached."""

_Message = TypeVar("_Message", bound=msgspec.Struct)


class Attempts:
    """Counts wrong join codes by address."""

    def __init__(self) -> None:
        self._wrong: OrderedDict[str, deque[float]] = OrderedDict()

    def wait(self, address: str) -> int:
        """Return the seconds until this address may try again; 0 if it may try now."""
        wrong = self._wrong.get(address) or deque[float]()
        # A sliding window: blocked while the oldest of the last five failures is within it.
        left = wrong[0] + WITHIN - time.monotonic() if len(wrong) == MOST_WRONG else 0.0
        # Rounded up, so that waiting the announced seconds is always enough.
        return max(0, -int(-left // 1))

    def note(self, address: str) -> None:
        """Record a wrong code from this address."""
        self._wrong.setdefault(address, deque(maxlen=MOST_WRONG)).append(time.monotonic())
        self._wrong.move_to_end(address)
        if len(self._wrong) > _ADDRESSES:
            self._wrong.popitem(last=False)


class LeagueServer:
    """One club's server on the database at `url`, which may be unavailable; `app` is the ASGI
    application.

    `more`: routes of the pages. `away`: see `FeedReader`. `news` is an event in the server's own
    loop that is set, and replaced by a new one, when the feed or the projections have changed.
    """

    def __init__(
        self,
        url: str,
        club: Club,
        more: Sequence[BaseRoute] = (),
        away: Callable[[Text | None], object] = lambda _why: None,
    ) -> None:
        self.url, self.club = url, club
        self.attempts = Attempts()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.news: asyncio.Event | None = None
        self._tables: OrderedDict[bytes, int] = OrderedDict()
        self.writer = Writer(url, club.number)
        self._projector = Projector(url, club.number)
        self.feed = FeedReader(url, club.number, self._woken, away)
        routes = [
            Route("/join", self._hears(Join, self._join), methods=["POST"]),
            Route("/leave", self._hears(Leave, self._leave), methods=["POST"]),
            Route("/sessions", self._hears(BeginSession, self._begin), methods=["POST"]),
            Route("/entries", self._hears(SendEntries, self._entries), methods=["POST"]),
            Route("/seats", self._hears(TellSeats, self._seats), methods=["POST"]),
            Route("/feed", self._follow, methods=["GET"]),
            *more,
        ]
        self.app = Starlette(routes=routes)

    def close(self) -> None:
        """Store all pending requests, then stop."""
        self.writer.close()
        self.feed.close()
        self._projector.close()

    def _woken(self, what: str) -> None:
        """Wake the tasks that wait for news; called from the feed's thread."""
        if what == "entries":
            self._projector.wake()
        if what == "left":
            self._tables = OrderedDict()  # a new one: the loop may be using the old one
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop is closing
                self._loop.call_soon_threadsafe(self._tell)

    def _tell(self) -> None:
        if self.news is not None:
            self.news.set()
        # Tasks that wait hold the old event.
        self.news = asyncio.Event()

    def next_news(self) -> asyncio.Event:
        """Return the event set by the next change. Get it before reading the data, so that no
        change is missed."""
        if self.news is None:
            self._loop, self.news = asyncio.get_running_loop(), asyncio.Event()
        return self.news

    def _hears(
        self, kind: type[_Message], answer: Callable[[_Message, str], Awaitable[msgspec.Struct]]
    ) -> Callable[[HttpRequest], Awaitable[Response]]:
        """Return a handler that decodes a message of type `kind` and replies: 200, 422 if refused,
        503 while the database is unavailable."""
        decoder = msgspec.msgpack.Decoder(kind)

        async def hear(request: HttpRequest) -> Response:
            address = request.client.host if request.client else ""
            try:
                said = decoder.decode(await _body(request))
            except _TooLarge:
                return _reply(_refused("league.too_large"))
            # msgspec raises the last two for invalid UTF-8 and for data nested too deeply.
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                return _reply(_refused("league.not_understood"))
            try:
                return _reply(await answer(said, address))
            except Problem as fault:
                return _reply(_refused(fault.text.code, **fault.text.args))
            except (NoDatabase, psycopg.OperationalError):
                return Response(status_code=503, headers={"retry-after": "1"})

        return hear

    async def _join(self, said: Join, address: str) -> msgspec.Struct:
        if wait := self.attempts.wait(address):
            return _refused("league.too_many_codes", seconds=wait)
        if bad_names([said.name]) is not None:
            return _refused("league.bad_name")
        if not chain.verified(said.key, said.signature, said.signed):
            return _refused("league.bad_signature")
        table = await self._ask(club.join, self.club, said.code, said.key, said.name)
        if table is None:
            self.attempts.note(address)
            return _refused("league.wrong_code")
        return Joined(self.club.uid, self.club.name, table)

    async def _leave(self, said: Leave, _address: str) -> msgspec.Struct:
        if not chain.verified(said.key, said.signature, said.signed):
            return _refused("league.bad_signature")
        await self._ask(club.leave, self.club, said.key)
        self._tables.pop(said.key, None)
        return Acknowledgement("ok")

    async def _begin(self, said: BeginSession, _address: str) -> msgspec.Struct:
        table = await self._table(said.key)
        if table is None:
            return _refused("league.not_joined", club=self.club.name)
        one = said.session
        genesis = one.genesis(self.club.uid, said.key)
        if not chain.verified(said.key, said.signature, chain.head(self.club.uid, one.session, 0, genesis)):
            return _refused("league.bad_signature")
        # Otherwise a table could announce a session under the id of a session that another table
        # will begin.
        if not one.honest:
            return _refused("league.bad_session")
        try:
            start, _commitment = schema.decode_setup(one.setup)
        except (schema.Unreadable, RecursionError):
            return _refused("league.newer_entry")
        if start.game != one.game:
            return _refused("league.bad_session")
        # Names inside the signed log could never be deleted again (`people.forget`).
        if start.players != seat_labels(len(start.players)):
            return _refused("league.names_inside")
        parent = (None, None) if one.fork is None else (one.fork.session, one.fork.sequence)
        values = (table, one.session, one.game, one.begun, one.setup, genesis, said.signature, *parent)
        return await asyncio.wrap_future(self.writer.begin(*values))

    async def _entries(self, said: SendEntries, _address: str) -> msgspec.Struct:
        table = await self._table(said.key)
        if table is None:
            return _refused("league.not_joined", club=self.club.name)
        entries = said.entries
        # Refused, not stored unread: this server could not judge entries of a newer format.
        if any(one.format > schema.FORMAT for one in entries):
            return _refused("league.newer_entry")
        digests = chain.digests(said.before, said.first, entries)
        head = chain.head(self.club.uid, said.session, said.first + len(entries), digests[-1])
        if not chain.verified(said.key, said.signature, head):
            return _refused("league.bad_signature")
        # One array for each column: `append` inserts the whole batch in one statement.
        columns = [[getattr(one, name) for one in entries] for name in entries[0].__struct_fields__]
        values = (table, said.session, said.first, said.before, *columns, digests, said.signature)
        return await asyncio.wrap_future(self.writer.append(*values))

    async def _seats(self, said: TellSeats, _address: str) -> msgspec.Struct:
        table = await self._table(said.key)
        if table is None:
            return _refused("league.not_joined", club=self.club.name)
        if not chain.verified(said.key, said.signature, said.signed):
            return _refused("league.bad_signature")
        last = await self._ask(club.seat, self.club, table, said.session, said.number, said.seats)
        if last is None:
            return Acknowledgement("unknown")
        return Acknowledgement("ok" if last < said.number else "gap", last)

    async def _table(self, key: bytes) -> int | None:
        known = self._tables
        if key not in known:
            found: int | None = await self._ask(club.table_of, self.club, key)
            if found is None:
                return None
            # Only found keys are cached: an unknown one may join at any moment.
            known[key] = found
            if len(known) > _TABLES:
                known.popitem(last=False)
            return found
        return known[key]

    async def _ask(self, question: Callable[..., Any], *arguments: Any) -> Any:
        """Run a database query in a worker thread, so that it does not block the loop."""

        def ask() -> Any:
            try:
                db = postgres.connect(self.url)
            except Problem as fault:
                raise NoDatabase from fault
            with db:
                return question(db, *arguments)

        return await asyncio.to_thread(ask)

    async def _follow(self, request: HttpRequest) -> Response:
        """Stream the feed from a position on, and continue as it grows."""
        asked = request.headers.get("last-event-id") or request.query_params.get("after", "")
        # At most 18 digits, which fit a bigint; `isascii` because `isdigit` accepts digits such as
        # `²`, which `int` does not.
        after = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 19 else 0
        # `x-accel-buffering`: a proxy such as nginx would gather events before it passes them on.
        headers = {"x-accel-buffering": "no", "cache-control": "no-store"}
        return StreamingResponse(self._lines(after), headers=headers, media_type="text/event-stream")

    async def _lines(self, after: int) -> AsyncIterator[bytes]:
        while True:
            news = self.next_news()
            lines = self.feed.since(after)
            if lines is None:
                # A reader that is far behind reads from the database until memory covers the rest.
                lines = await asyncio.to_thread(self.feed.older, after)
            if lines:
                after = lines[-1].feed
                yield b"".join(b"id: %d\ndata: %b\n\n" % one for one in lines)
                continue
            try:
                await asyncio.wait_for(news.wait(), HEARTBEAT)
            except TimeoutError:
                yield b": here\n\n"


class _TooLarge(Exception):
    pass


async def _body(request: HttpRequest) -> bytes:
    """Read a request's body. Raises `_TooLarge` as soon as it exceeds `LARGEST_REQUEST`."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > LARGEST_REQUEST:
            raise _TooLarge
        parts.append(part)
    return b"".join(parts)


def _refused(code: str, **args: str | int) -> Acknowledgement:
    return Acknowledgement("refused", code=code, args=args)


def _reply(message: msgspec.Struct) -> Response:
    refused = isinstance(message, Acknowledgement) and message.answer == "refused"
    return Response(encode(message), 422 if refused else 200, media_type=MEDIA_TYPE)
