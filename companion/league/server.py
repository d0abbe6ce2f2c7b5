"""Serve a club's league: check and store what tables send, and publish the feed.

The server keeps no state of its own: several servers can run on one database, accepting and showing
the same data, and when one is killed the tables continue with another. Nothing that a table sends
is trusted: digests are recomputed, the signature on the head is checked, sizes are limited, and
addresses that guess join codes are soon blocked for a while.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
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
from companion.league.feed import FeedReader, LogWriter, NoDatabase
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
    encode_message,
)
from companion.rules.contract import Problem, Text
from companion.rules.people import list_seat_labels
from companion.rules.start import check_names
from companion.web.limits import CodeAttempts, Limits

PROGRAM_PATHS = ("/join", "/leave", "/sessions", "/entries", "/seats")
"""Paths to which tables post."""
LEAGUE_LIMITS = Limits(
    connections=800, body_bytes_at={"/sessions": LARGEST_REQUEST, "/entries": LARGEST_REQUEST}
)
"""Limits of the league's server: two hundred tables with one connection each, and the browsers of a
hundred people. What a table sends may be large."""
HEARTBEAT = 15.0
"""Seconds without an entry after which the feed sends a comment to show that the connection is
alive."""
_TABLES = 20_000
"""Number of tables whose database number is cached."""

_Message = TypeVar("_Message", bound=msgspec.Struct)


class LeagueServer:
    """One club's server on the database at `url`, which may be unavailable; `app` is the ASGI
    application.

    `extra_routes`: routes of the pages. `on_availability`: see `FeedReader`. `news` is an event in
    the server's own loop that is set, and replaced by a new one, when the feed or the projections
    have changed.
    """

    def __init__(
        self,
        url: str,
        club: Club,
        extra_routes: Sequence[BaseRoute] = (),
        on_availability: Callable[[Text | None], object] = lambda _why: None,
    ) -> None:
        self.url, self.club = url, club
        self.attempts = CodeAttempts()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.news: asyncio.Event | None = None
        self._tables: OrderedDict[bytes, int] = OrderedDict()
        self.writer = LogWriter(url, club.number)
        self._projector = Projector(url, club.number)
        self.feed = FeedReader(url, club.number, self._on_notice, on_availability)
        routes = [
            Route("/join", self._make_handler(Join, self._handle_join), methods=["POST"]),
            Route("/leave", self._make_handler(Leave, self._handle_leave), methods=["POST"]),
            Route("/sessions", self._make_handler(BeginSession, self._handle_begin), methods=["POST"]),
            Route("/entries", self._make_handler(SendEntries, self._handle_entries), methods=["POST"]),
            Route("/seats", self._make_handler(TellSeats, self._handle_seats), methods=["POST"]),
            Route("/feed", self._stream_feed),
            *extra_routes,
        ]
        self.app = Starlette(routes=routes)

    def close(self) -> None:
        """Store all pending requests, then stop."""
        self.writer.close()
        self.feed.close()
        self._projector.close()

    def _on_notice(self, notice: str) -> None:
        """Wake the tasks that wait for news; called from the feed's thread."""
        if notice == "entries":
            self._projector.wake()
        if notice == "left":
            self._tables = OrderedDict()  # a new one: the loop may be using the old one
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop is closing
                self._loop.call_soon_threadsafe(self._signal_news)

    def _signal_news(self) -> None:
        if self.news is not None:
            self.news.set()
        # Tasks that wait hold the old event.
        self.news = asyncio.Event()

    def next_news_event(self) -> asyncio.Event:
        """Return the event set by the next change. Get it before reading the data, so that no
        change is missed."""
        if self.news is None:
            self._loop, self.news = asyncio.get_running_loop(), asyncio.Event()
        return self.news

    def _make_handler(
        self, message_type: type[_Message], handle: Callable[[_Message, str], Awaitable[msgspec.Struct]]
    ) -> Callable[[HttpRequest], Awaitable[Response]]:
        """Return a handler that decodes a message of type `message_type` and replies: 200, 422 if
        refused, 503 while the database is unavailable."""
        decoder = msgspec.msgpack.Decoder(message_type)

        async def handle_request(request: HttpRequest) -> Response:
            address = request.client.host if request.client else ""
            try:
                message = decoder.decode(await request.body())
            # msgspec raises the last two for invalid UTF-8 and for data nested too deeply.
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                return _make_response(_make_refusal("league.not_understood"))
            try:
                return _make_response(await handle(message, address))
            except Problem as fault:
                return _make_response(_make_refusal(fault.text.code, **fault.text.args))
            except (NoDatabase, psycopg.OperationalError):
                return Response(status_code=503, headers={"retry-after": "1"})

        return handle_request

    async def _handle_join(self, message: Join, address: str) -> msgspec.Struct:
        if wait := self.attempts.seconds_to_wait(address):
            return _make_refusal("league.too_many_codes", seconds=wait)
        if check_names([message.name]) is not None:
            return _make_refusal("league.bad_name")
        if not chain.verify_signature(message.key, message.signature, message.signed_bytes):
            return _make_refusal("league.bad_signature")
        table = await self._run_query(club.join_club, self.club, message.code, message.key, message.name)
        if table is None:
            self.attempts.record_wrong_code(address)
            return _make_refusal("league.wrong_code")
        return Joined(self.club.uid, self.club.name, table)

    async def _handle_leave(self, message: Leave, _address: str) -> msgspec.Struct:
        if not chain.verify_signature(message.key, message.signature, message.signed_bytes):
            return _make_refusal("league.bad_signature")
        await self._run_query(club.leave_club, self.club, message.key)
        self._tables.pop(message.key, None)
        return Acknowledgement("ok")

    async def _handle_begin(self, message: BeginSession, _address: str) -> msgspec.Struct:
        table = await self._find_table(message.key)
        if table is None:
            return _make_refusal("league.not_joined", club=self.club.name)
        session = message.session
        genesis = session.compute_genesis(self.club.uid, message.key)
        if not chain.verify_signature(
            message.key,
            message.signature,
            chain.build_signed_head(self.club.uid, session.session, 0, genesis),
        ):
            return _make_refusal("league.bad_signature")
        # Otherwise a table could announce a session under the id of a session that another table
        # will begin.
        if not session.has_valid_id:
            return _make_refusal("league.bad_session")
        try:
            start, _commitment = schema.decode_setup(session.setup)
        except (schema.UnreadableRow, RecursionError):
            return _make_refusal("league.newer_entry")
        if start.game != session.game:
            return _make_refusal("league.bad_session")
        # Names inside the signed log could never be deleted again (`people.forget`).
        if start.players != list_seat_labels(len(start.players)):
            return _make_refusal("league.names_inside")
        parent = (None, None) if session.fork is None else (session.fork.session, session.fork.sequence)
        values = (
            table,
            session.session,
            session.game,
            session.begun,
            session.setup,
            genesis,
            message.signature,
            *parent,
        )
        return await asyncio.wrap_future(self.writer.write_session(*values))

    async def _handle_entries(self, message: SendEntries, _address: str) -> msgspec.Struct:
        table = await self._find_table(message.key)
        if table is None:
            return _make_refusal("league.not_joined", club=self.club.name)
        entries = message.entries
        # Refused, not stored unread: this server could not judge entries of a newer format.
        if any(one.format > schema.FORMAT for one in entries):
            return _make_refusal("league.newer_entry")
        digests = chain.compute_digests(message.before, message.first, entries)
        head = chain.build_signed_head(
            self.club.uid, message.session, message.first + len(entries), digests[-1]
        )
        if not chain.verify_signature(message.key, message.signature, head):
            return _make_refusal("league.bad_signature")
        # One array for each column: `write_entries` inserts the whole batch in one statement.
        columns = [[getattr(one, name) for one in entries] for name in entries[0].__struct_fields__]
        values = (table, message.session, message.first, message.before, *columns, digests, message.signature)
        return await asyncio.wrap_future(self.writer.write_entries(*values))

    async def _handle_seats(self, message: TellSeats, _address: str) -> msgspec.Struct:
        table = await self._find_table(message.key)
        if table is None:
            return _make_refusal("league.not_joined", club=self.club.name)
        if not chain.verify_signature(message.key, message.signature, message.signed_bytes):
            return _make_refusal("league.bad_signature")
        last = await self._run_query(
            club.record_seats, self.club, table, message.session, message.number, message.seats
        )
        if last is None:
            return Acknowledgement("unknown")
        return Acknowledgement("ok" if last < message.number else "gap", last)

    async def _find_table(self, key: bytes) -> int | None:
        known = self._tables
        if key not in known:
            found: int | None = await self._run_query(club.find_table, self.club, key)
            if found is None:
                return None
            # Only found keys are cached: an unknown one may join at any moment.
            known[key] = found
            if len(known) > _TABLES:
                known.popitem(last=False)
            return found
        return known[key]

    async def _run_query(self, query: Callable[..., Any], *arguments: Any) -> Any:
        """Run a database query in a worker thread, so that it does not block the loop."""

        def run_in_thread() -> Any:
            try:
                db = postgres.connect_database(self.url)
            except Problem as fault:
                raise NoDatabase from fault
            with db:
                return query(db, *arguments)

        return await asyncio.to_thread(run_in_thread)

    async def _stream_feed(self, request: HttpRequest) -> Response:
        """Stream the feed from a position on, and continue as it grows."""
        requested = request.headers.get("last-event-id") or request.query_params.get("after", "")
        # At most 18 digits, which fit a bigint; `isascii` because `isdigit` accepts digits such as
        # `²`, which `int` does not.
        after = int(requested) if requested.isascii() and requested.isdigit() and len(requested) < 19 else 0
        # `x-accel-buffering`: a proxy such as nginx would gather events before it passes them on.
        headers = {"x-accel-buffering": "no"}
        return StreamingResponse(
            self._iter_feed_events(after), headers=headers, media_type="text/event-stream"
        )

    async def _iter_feed_events(self, after: int) -> AsyncIterator[bytes]:
        while True:
            news = self.next_news_event()
            lines = self.feed.list_since(after)
            if lines is None:
                # A reader that is far behind reads from the database until memory covers the rest.
                lines = await asyncio.to_thread(self.feed.read_older, after)
            if lines:
                after = lines[-1].feed
                yield b"".join(b"id: %d\ndata: %b\n\n" % one for one in lines)
                continue
            try:
                await asyncio.wait_for(news.wait(), HEARTBEAT)
            except TimeoutError:
                yield b": here\n\n"


def _make_refusal(code: str, **args: str | int) -> Acknowledgement:
    return Acknowledgement("refused", code=code, args=args)


def _make_response(message: msgspec.Struct) -> Response:
    refused = isinstance(message, Acknowledgement) and message.answer == "refused"
    return Response(encode_message(message), 422 if refused else 200, media_type=MEDIA_TYPE)
