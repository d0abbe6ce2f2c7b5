"""Serve the club's pages to browsers, updated live, and the organiser's page.

Everybody in the club's network can read the pages. The organiser's page (participants, the next
round, results of tables without a laptop, people) requires the key printed by `serve`.

A browser that follows a page receives only the pieces that have changed. However many browsers
follow a page, it is rendered once per change and not more often than `LIVE_INTERVAL` or
`SEASON_INTERVAL` allow. The organiser's key is in the URL's fragment (after `#`), which browsers
never send; the page's script sends it in a header, which no other site can make a browser send.
"""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
import psycopg
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from companion.league import pages, postgres
from companion.league.club import Club
from companion.league.organiser import ReportResult, decode_command
from companion.league.pages import Pieces
from companion.league.pages.organiser import render_organiser_page
from companion.rules.contract import Problem
from companion.share import pages as table_pages
from companion.texts import Translator

LIVE_INTERVAL, SEASON_INTERVAL = 0.05, 1.0
"""Minimum seconds between two renderings of a page: of pages that follow each act, and of the
others, which sum up a whole season."""
MOST_PAGES = 1000
"""Number of rendered pages kept; the one least recently requested is dropped first."""
HEARTBEAT = 5.0
"""Seconds without a change after which a comment is sent, so that a dead connection is noticed."""
_ONE = re.compile(r"/(table|person)/([0-9a-f-]{1,36})")

_RENDERERS: dict[str, Callable[[psycopg.Connection[Any], int, Translator], Pieces]] = {
    "/": pages.render_all_tables,
    "/tv": pages.render_all_tables,
    "/round": pages.render_round,
    "/standings": pages.render_standings,
    "/people": pages.render_people,
    "/organise": render_organiser_page,
}


class _CachedPage(NamedTuple):
    """A rendered page: when it was rendered, the event of the next change, and its pieces (None: no
    such page)."""

    at: float
    news: asyncio.Event
    pieces: asyncio.Future[Pieces | None]


def _make_ready_event() -> asyncio.Event:
    """Return an event that is already set: without a server, anything may have changed at any
    time."""
    news = asyncio.Event()
    news.set()
    return news


class Site:
    """The pages of one club. `key`: the organiser's. `next_news_event`: returns the event set by
    the club's next change; called in the server's loop."""

    def __init__(self, url: str, club: Club, translator: Translator, key: str) -> None:
        self._url, self._club, self._translator, self._key = url, club, translator, key
        self.next_news_event: Callable[[], asyncio.Event] = _make_ready_event
        self._db: psycopg.Connection[Any] | None = None
        self._asking = asyncio.Lock()
        self._cached_pages: OrderedDict[str, _CachedPage] = OrderedDict()
        paths = [*_RENDERERS, "/table/{one:int}", "/person/{one:uuid}"]
        self.routes: list[BaseRoute] = [
            *(Route(path, self._handle_page, methods=["GET"]) for path in paths),
            Route("/organise", self._handle_command, methods=["POST"]),
            Route("/live", self._stream_page, methods=["GET"]),
            Mount("/parts", StaticFiles(directory=table_pages.PARTS)),
            Mount("/league", StaticFiles(directory=pages.PARTS)),
        ]

    def close(self) -> None:
        """Close the database connection."""
        if self._db is not None:
            self._db.close()

    async def _handle_page(self, request: HttpRequest) -> Response:
        status = 200
        try:
            pieces = await self._load_pieces(request.url.path)
        except (Problem, psycopg.Error):
            status, pieces = 503, pages.render_away_page(self._translator)
        if pieces is None:
            return Response(status_code=404)
        name = request.url.path.split("/")[1] or "tables"
        html = pages.render_page(name, self._club.name, self._translator, pieces)
        return Response(html, status, media_type="text/html")

    async def _stream_page(self, request: HttpRequest) -> Response:
        path = request.query_params.get("page", "")
        if path not in _RENDERERS and _ONE.fullmatch(path) is None:
            return Response(status_code=404)
        # `x-accel-buffering`: a proxy such as nginx would gather events before it passes them on.
        headers = {"x-accel-buffering": "no"}
        return StreamingResponse(
            self._iter_page_events(path), headers=headers, media_type="text/event-stream"
        )

    async def _iter_page_events(self, path: str) -> AsyncIterator[bytes]:
        """Stream a page's changes without end, beginning with the whole page."""
        sent: Pieces = {}
        number = 0
        while True:
            made = self._refresh_page(path)
            wait = HEARTBEAT
            try:
                # Shielded: a browser that leaves must not cancel a rendering that others wait for.
                pieces = await asyncio.shield(made.pieces) or {}
            except (Problem, psycopg.Error):
                wait = SEASON_INTERVAL  # database unavailable: keep the page and try again
            else:
                fresh = {name: str(html) for name, html in pieces.items() if sent.get(name) != html}
                # The order is compared, too: a piece may only have moved or disappeared. The first
                # message is always sent, even for a page without pieces.
                if fresh or [*pieces] != [*sent] or not number:
                    number += 1
                    # `now`: clocks of televisions and phones are wrong by minutes.
                    data = msgspec.json.encode({"pieces": fresh, "order": [*pieces], "now": time.time()})
                    yield b"id: %d\ndata: %b\n\n" % (number, data)
                    sent = pieces
            try:
                await asyncio.wait_for(made.news.wait(), wait)
            except TimeoutError:
                yield b": here\n\n"
            # Rate limit: acts may follow each other faster than pages should be rendered.
            await asyncio.sleep(max(0.0, made.at + _refresh_interval(path) - time.monotonic()))

    async def _load_pieces(self, path: str) -> Pieces | None:
        return await asyncio.shield(self._refresh_page(path).pieces)

    def _refresh_page(self, path: str) -> _CachedPage:
        """Return a page, rendered again if there was news since; all who request it share one
        rendering."""
        made, now = self._cached_pages.pop(path, None), time.monotonic()
        # A failed rendering is not kept, or the page would stay unavailable until the next change.
        failed = made is not None and made.pieces.done() and made.pieces.exception() is not None
        if made is None or failed or (made.news.is_set() and now - made.at >= _refresh_interval(path)):
            # Before the query: a change during it sets this event, and the page is rendered again.
            news = self.next_news_event()
            asked = asyncio.ensure_future(self._run_query(lambda db: self._render_pieces(db, path)))
            made = _CachedPage(now, news, asked)
        self._cached_pages[path] = made
        if len(self._cached_pages) > MOST_PAGES:
            self._cached_pages.popitem(last=False)
        return made

    def _render_pieces(self, db: psycopg.Connection[Any], path: str) -> Pieces | None:
        club, one = self._club.number, _ONE.fullmatch(path)
        if one is None:
            return _RENDERERS[path](db, club, self._translator)
        try:
            if one[1] == "table":
                return pages.render_table(db, club, int(one[2]), self._translator)
            return pages.render_person(db, club, UUID(one[2]), self._translator)
        except (ValueError, psycopg.DataError):  # not a number, or out of range
            return None

    async def _run_query(self, query: Callable[[psycopg.Connection[Any]], Any]) -> Any:
        """Run a database query in a worker thread; one at a time, over one connection."""

        def run_in_thread() -> Any:
            # Connected on first use: the database may be unavailable when the server starts.
            if self._db is None or self._db.closed:
                self._db = postgres.connect_database(self._url)
            try:
                return query(self._db)
            except (psycopg.OperationalError, psycopg.InterfaceError):
                self._db.close()
                raise

        async with self._asking:
            return await asyncio.to_thread(run_in_thread)

    async def _handle_command(self, request: HttpRequest) -> Response:
        """Carry out an organiser's command, or a player's report, and reply with what to tell them:
        nothing, or the reason for a refusal."""
        authorization = request.headers.get("authorization", "")
        # A constant-time comparison, so that response times reveal nothing about the key.
        is_organiser = secrets.compare_digest(authorization.encode(), f"Bearer {self._key}".encode())
        try:
            command = decode_command(await request.body())
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            status = 422 if is_organiser else 403
            return self._make_message_response("league.not_filled", status=status)
        if not is_organiser and not isinstance(command, ReportResult):
            return self._make_message_response("league.not_organiser", status=403)
        try:
            message = await self._run_query(lambda db: command.run_in_transaction(db, self._club.number))
        except Problem as fault:
            return JSONResponse({"told": fault.describe(self._translator.translate)}, 422)
        except psycopg.Error:
            return self._make_message_response("league.page_away", status=503)
        return JSONResponse({"told": self._translator.translate(message) if message else ""})

    def _make_message_response(self, code: str, *, status: int) -> Response:
        return JSONResponse({"told": self._translator(code)}, status)


def _refresh_interval(path: str) -> float:
    return LIVE_INTERVAL if path in ("/", "/tv") or path.startswith("/table/") else SEASON_INTERVAL
