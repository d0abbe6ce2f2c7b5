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
from functools import partial
from typing import Any, NamedTuple, TypeAlias
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
from companion.league.pages import Page
from companion.league.pages.games import render_free_game
from companion.league.pages.organiser import render_organiser_page
from companion.league.pages.tournament import render_current_round, render_tournament_page
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

_Renderer: TypeAlias = Callable[[psycopg.Connection[Any], int, Translator], Page | None]
_RENDERERS: dict[str, _Renderer] = {
    "/": pages.render_all_tables,
    "/tv": pages.render_all_tables,
    "/round": render_current_round,
    "/standings": pages.render_standings,
    "/people": pages.render_people,
    "/organise": render_organiser_page,
}
# At most nine digits fit the database's numbers.
_TABLE = re.compile(r"/table/(\d{1,9})", re.ASCII)
_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_PERSON = re.compile(rf"/person/({_UUID})")
_GAME = re.compile(rf"/game/({_UUID})(?:/entry/(\d{{1,9}}))?", re.ASCII)
_ROUND = re.compile(
    r"/tournament/(?P<tournament>\d{1,9})/round/(?P<round_number>\d{1,9})"
    r"(?:/table/(?P<table>\d{1,9})(?:/entry/(?P<entry>\d{1,9}))?)?",
    re.ASCII,
)


def _find_renderer(path: str) -> _Renderer | None:
    """Return what renders the page at this path; None if there are no pages at such paths."""
    if path in _RENDERERS:
        return _RENDERERS[path]
    if found := _TABLE.fullmatch(path):
        return partial(pages.render_table, table=int(found[1]))
    if found := _PERSON.fullmatch(path):
        return partial(pages.render_person, person=UUID(found[1]))
    if found := _GAME.fullmatch(path):
        entry = int(found[2]) if found[2] else None
        return partial(render_free_game, session=UUID(found[1]), entry=entry)
    if found := _ROUND.fullmatch(path):
        numbers: dict[str, Any] = {name: int(number) for name, number in found.groupdict().items() if number}
        return partial(render_tournament_page, **numbers)
    return None


class _CachedPage(NamedTuple):
    """A rendered page: when it was rendered, the event of the next change, and its content (None:
    no such page)."""

    at: float
    news: asyncio.Event
    page: asyncio.Future[Page | None]


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
        paths = [*_RENDERERS, "/table/{one}", "/person/{one}", "/game/{one:path}", "/tournament/{one:path}"]
        self.routes: list[BaseRoute] = [
            *(Route(path, self._handle_page) for path in paths),
            Route("/organise", self._handle_command, methods=["POST"]),
            Route("/live", self._stream_page),
            Mount("/parts", StaticFiles(directory=table_pages.PARTS)),
            Mount("/league", StaticFiles(directory=pages.PARTS)),
        ]

    def close(self) -> None:
        """Close the database connection."""
        if self._db is not None:
            self._db.close()

    async def _handle_page(self, request: HttpRequest) -> Response:
        status, path = 200, request.url.path
        if _find_renderer(path) is None:
            return Response(status_code=404)
        try:
            page = await self._load_page(path)
        except (Problem, psycopg.Error):
            status, page = 503, pages.render_away_page(self._translator)
        if page is None:
            status, page = 404, pages.render_missing_page(self._translator)
        html = pages.render_page(path.split("/")[1] or "tables", self._club.name, self._translator, page)
        return Response(html, status, media_type="text/html")

    async def _stream_page(self, request: HttpRequest) -> Response:
        path = request.query_params.get("page", "")
        if _find_renderer(path) is None:
            return Response(status_code=404)
        # `x-accel-buffering`: a proxy such as nginx would gather events before it passes them on.
        headers = {"x-accel-buffering": "no"}
        return StreamingResponse(
            self._iter_page_events(path), headers=headers, media_type="text/event-stream"
        )

    async def _iter_page_events(self, path: str) -> AsyncIterator[bytes]:
        """Stream a page's changes without end, beginning with the whole page."""
        sent = Page("", {})
        number = 0
        while True:
            made = self._refresh_page(path)
            wait = HEARTBEAT
            try:
                # Shielded: a browser that leaves must not cancel a rendering that others wait for.
                page = await asyncio.shield(made.page) or pages.render_missing_page(self._translator)
            except (Problem, psycopg.Error):
                wait = SEASON_INTERVAL  # database unavailable: keep the page and try again
            else:
                fresh = {
                    name: str(html) for name, html in page.pieces.items() if sent.pieces.get(name) != html
                }
                # The order is compared, too: a piece may only have moved or disappeared. The first
                # message is always sent, even for a page without pieces.
                if fresh or [*page.pieces] != [*sent.pieces] or page.title != sent.title or not number:
                    number += 1
                    message = {
                        "title": pages.format_title(page, self._club.name),
                        "pieces": fresh,
                        "order": [*page.pieces],
                        "now": time.time(),  # clocks of televisions and phones are wrong by minutes
                    }
                    yield b"id: %d\ndata: %b\n\n" % (number, msgspec.json.encode(message))
                    sent = page
            try:
                await asyncio.wait_for(made.news.wait(), wait)
            except TimeoutError:
                yield b": here\n\n"
            # Rate limit: acts may follow each other faster than pages should be rendered.
            await asyncio.sleep(max(0.0, made.at + _refresh_interval(path) - time.monotonic()))

    async def _load_page(self, path: str) -> Page | None:
        return await asyncio.shield(self._refresh_page(path).page)

    def _refresh_page(self, path: str) -> _CachedPage:
        """Return a page, rendered again if there was news since; all who request it share one
        rendering."""
        made, now = self._cached_pages.pop(path, None), time.monotonic()
        # A failed rendering is not kept, or the page would stay unavailable until the next change.
        failed = made is not None and made.page.done() and made.page.exception() is not None
        if made is None or failed or (made.news.is_set() and now - made.at >= _refresh_interval(path)):
            # Before the query: a change during it sets this event, and the page is rendered again.
            news = self.next_news_event()
            asked = asyncio.ensure_future(self._run_query(lambda db: self._render_content(db, path)))
            made = _CachedPage(now, news, asked)
        self._cached_pages[path] = made
        if len(self._cached_pages) > MOST_PAGES:
            self._cached_pages.popitem(last=False)
        return made

    def _render_content(self, db: psycopg.Connection[Any], path: str) -> Page | None:
        render = _find_renderer(path)
        return render(db, self._club.number, self._translator) if render else None

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
