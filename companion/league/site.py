"""The club's pages in browsers: read by everybody in the club's network, live as the feed grows;
what the organiser does needs the key that `serve` prints.

A browser that watches is sent the pieces of its page that have changed. However many watch a page,
it is made once for what has come in, and not too often (`LIVE`, `CALM`). The key comes behind a
`#`, which browsers never send, and then in a header, which no other site can make them send.
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

from companion.league import organising, pages, postgres
from companion.league.club import Club
from companion.league.pages import Pieces
from companion.rules.contract import Problem
from companion.share import pages as table_pages
from companion.share.guard import HEADERS, LARGEST_BODY
from companion.texts import Translator

LIVE, CALM = 0.05, 1.0
"""Seconds from one making of a page to the next: of those that follow each act, and of the others,
which add up a season."""
MOST_PAGES = 1000
"""Pages that are remembered as they were last made; the one that was longest unasked for goes
first."""
HEARTBEAT = 5.0
"""Seconds of silence after which a comment is sent: a line that is dead is noticed."""
_ONE = re.compile(r"/(table|person)/([0-9a-f-]{1,36})")

_MAKE: dict[str, Callable[[psycopg.Connection[Any], int, Translator], Pieces]] = {
    "/": pages.all_tables,
    "/tv": pages.all_tables,
    "/round": pages.this_round,
    "/standings": pages.all_standings,
    "/people": pages.all_people,
    "/organise": organising.organise,
}


class _MadePage(NamedTuple):
    """A page as it was made: when, before which news, and its pieces, None for one that there is
    not."""

    at: float
    news: asyncio.Event
    pieces: asyncio.Future[Pieces | None]


def _always() -> asyncio.Event:
    """Without a server there may be news at any time."""
    news = asyncio.Event()
    news.set()
    return news


class Site:
    """The pages of one club. `key`: the organiser's. `news`: returns what is set by the next news
    of the club, asked in the server's loop."""

    def __init__(self, url: str, club: Club, say: Translator, key: str) -> None:
        self._url, self._club, self._say, self._key = url, club, say, key
        self.news: Callable[[], asyncio.Event] = _always
        self._db: psycopg.Connection[Any] | None = None
        self._asking = asyncio.Lock()
        self._made: OrderedDict[str, _MadePage] = OrderedDict()
        paths = [*_MAKE, "/table/{one:int}", "/person/{one:uuid}"]
        self.routes: list[BaseRoute] = [
            *(Route(path, self._page, methods=["GET"]) for path in paths),
            Route("/organise", self._organise, methods=["POST"]),
            Route("/live", self._follow, methods=["GET"]),
            Mount("/parts", StaticFiles(directory=table_pages.PARTS)),
            Mount("/league", StaticFiles(directory=pages.PARTS)),
        ]

    def close(self) -> None:
        """Hang up."""
        if self._db is not None:
            self._db.close()

    async def _page(self, request: HttpRequest) -> Response:
        status = 200
        try:
            pieces = await self._pieces(request.url.path)
        except (Problem, psycopg.Error):
            status, pieces = 503, pages.away(self._say)
        if pieces is None:
            return Response(status_code=404)
        name = request.url.path.split("/")[1] or "tables"
        told = pages.page(name, self._club.name, self._say, pieces)
        return Response(told, status, HEADERS, "text/html")

    async def _follow(self, request: HttpRequest) -> Response:
        path = request.query_params.get("page", "")
        if path not in _MAKE and _ONE.fullmatch(path) is None:
            return Response(status_code=404)
        # `x-accel-buffering`: a proxy such as nginx would gather events before it passes them on.
        headers = {**HEADERS, "x-accel-buffering": "no"}
        return StreamingResponse(self._lines(path), headers=headers, media_type="text/event-stream")

    async def _lines(self, path: str) -> AsyncIterator[bytes]:
        """Tell what changes on a page, for ever: first all of it."""
        sent: Pieces = {}
        number = 0
        while True:
            made = self._page_made(path)
            wait = HEARTBEAT
            try:
                pieces = await asyncio.shield(made.pieces) or {}
            except (Problem, psycopg.Error):
                wait = CALM  # the database is away: what is shown stays, and it is asked again
            else:
                fresh = {name: html for name, html in pieces.items() if sent.get(name) != html}
                if fresh or [*pieces] != [*sent] or not number:
                    number += 1
                    data = msgspec.json.encode({"pieces": fresh, "order": [*pieces]})
                    yield b"id: %d\ndata: %b\n\n" % (number, data)
                    sent = pieces
            try:
                await asyncio.wait_for(made.news.wait(), wait)
            except TimeoutError:
                yield b": here\n\n"
            await asyncio.sleep(max(0.0, made.at + _pause(path) - time.monotonic()))

    async def _pieces(self, path: str) -> Pieces | None:
        return await asyncio.shield(self._page_made(path).pieces)

    def _page_made(self, path: str) -> _MadePage:
        """Return a page as of the last news, or as it was made just now; once for all who ask."""
        made, now = self._made.pop(path, None), time.monotonic()
        failed = made is not None and made.pieces.done() and made.pieces.exception() is not None
        if made is None or failed or (made.news.is_set() and now - made.at >= _pause(path)):
            news = self.news()
            asked = asyncio.ensure_future(self._ask(lambda db: self._make(db, path)))
            made = _MadePage(now, news, asked)
        self._made[path] = made
        if len(self._made) > MOST_PAGES:
            self._made.popitem(last=False)
        return made

    def _make(self, db: psycopg.Connection[Any], path: str) -> Pieces | None:
        club, one = self._club.number, _ONE.fullmatch(path)
        if one is None:
            return _MAKE[path](db, club, self._say)
        try:
            if one[1] == "table":
                return pages.one_table(db, club, int(one[2]), self._say)
            return pages.person(db, club, UUID(one[2]), self._say)
        except (ValueError, psycopg.DataError):  # no number, or none that there can be
            return None

    async def _ask(self, question: Callable[[psycopg.Connection[Any]], Any]) -> Any:
        """Ask the database, in a thread that may wait for it; one at a time, over one line."""

        def ask() -> Any:
            if self._db is None or self._db.closed:
                self._db = postgres.connect(self._url)
            try:
                return question(self._db)
            except (psycopg.OperationalError, psycopg.InterfaceError):
                self._db.close()
                raise

        async with self._asking:
            return await asyncio.to_thread(ask)

    async def _organise(self, request: HttpRequest) -> Response:
        """Do what the organiser wishes; tell it, or why it cannot be, in a sentence."""
        given = request.headers.get("authorization", "")
        if not secrets.compare_digest(given.encode(), f"Bearer {self._key}".encode()):
            return self._told("league.not_organiser", status=403)
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > LARGEST_BODY:
                return Response(status_code=413)
        try:
            wish = organising.read(body)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return self._told("league.not_filled", status=422)
        try:
            await self._ask(lambda db: wish.fulfil(db, self._club.number))
        except Problem as fault:
            return JSONResponse({"told": fault.said(self._say.say)}, 422, HEADERS)
        except psycopg.Error:
            return self._told("league.page_away", status=503)
        return JSONResponse({"told": ""}, headers=HEADERS)

    def _told(self, code: str, *, status: int) -> Response:
        return JSONResponse({"told": self._say(code)}, status, HEADERS)


def _pause(path: str) -> float:
    return LIVE if path in ("/", "/tv") or path.startswith("/table/") else CALM
