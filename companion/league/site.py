"""Serve the club's pages to browsers, updated live, and the organiser's page.

Everybody in the club's network can read the pages. The organiser's page (participants, the next
round, results of tables without a laptop, people) requires the key printed by `serve`.

A browser that follows a page receives only the pieces that have changed. However many browsers
follow a page, it is rendered once per change and not more often than `LIVE` or `CALM` allow. The
organiser's key is in the URL's fragment (after `#`), which browsers never send; the page's script
sends it in a header, which no other site can make a browser send.
"""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping
from html import escape
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
import psycopg
from psycopg import Connection
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from companion.league import pages, people, postgres, rounds
from companion.league.club import Club
from companion.league.log import notify
from companion.league.pages import Pieces, game_title
from companion.league.rounds import RoundShown, RoundTable
from companion.league.seating import LEAST, MOST
from companion.rules import registry
from companion.rules.contract import Problem
from companion.share import pages as table_pages
from companion.share.guard import HEADERS, LARGEST_BODY
from companion.texts import Translator


class Wish(msgspec.Struct, frozen=True, tag_field="do"):
    """A command from the organiser, as sent by a form."""

    def fulfil(self, db: Connection[Any], club: int) -> None:
        """Carry out the command and notify all pages. Raises `Problem` with the reason if it cannot
        be carried out."""
        with db.transaction():
            # The notification is part of the transaction, so pages change only when the command has
            # been committed.
            self.done(db, club)
            notify(db, club, "shown")

    def done(self, db: Connection[Any], club: int) -> None:
        """Carry out the command within a transaction."""
        raise NotImplementedError


class DrawRound(Wish, frozen=True, tag="draw"):
    """Draw the next round, of the current tournament's game unless `game` names one."""

    game: str = ""
    seats: int = 0

    def done(self, db: Connection[Any], club: int) -> None:
        """See `rounds.pair`."""
        rounds.pair(db, club, self.game or None, self.seats or None)


class BeginTournament(Wish, frozen=True, tag="begin"):
    """Begin a tournament of this game; people can then be entered and rounds drawn."""

    game: str

    def done(self, db: Connection[Any], club: int) -> None:
        """See `rounds.tournament`."""
        rounds.tournament(db, club, self.game)


class Arrive(Wish, frozen=True, tag="arrive"):
    """Enter a person from the next round on, by name: a new person or one that the club knows."""

    name: str

    def done(self, db: Connection[Any], club: int) -> None:
        """Enter the person in the current tournament."""
        _enter(db, club, people.named(db, club, self.name), gone=False)


class Go(Wish, frozen=True, tag="go"):
    """Withdraw a person from the following rounds; their results remain."""

    person: UUID

    def done(self, db: Connection[Any], club: int) -> None:
        """Withdraw the person from the current tournament."""
        _enter(db, club, self.person, gone=True)


class EnterResult(Wish, frozen=True, tag="result"):
    """Enter or correct a table's result: the points of each seat (`s1`, `s2`, ...)."""

    board: UUID
    s1: float
    s2: float
    s3: float | None = None
    s4: float | None = None
    s5: float | None = None
    s6: float | None = None
    s7: float | None = None

    def done(self, db: Connection[Any], club: int) -> None:
        """See `rounds.by_hand`."""
        points = {f"s{seat}": getattr(self, f"s{seat}") for seat in range(1, MOST + 1)}
        told = {seat: won for seat, won in points.items() if won is not None}
        rounds.by_hand(db, club, self.board, told)


class TakeResultBack(Wish, frozen=True, tag="unresult"):
    """Remove a manual result, so that the laptop's result counts again."""

    board: UUID

    def done(self, db: Connection[Any], club: int) -> None:
        """See `rounds.by_hand`."""
        rounds.by_hand(db, club, self.board, None)


class KeepApart(Wish, frozen=True, tag="apart"):
    """Never seat two people together, or (`apart` 0) lift that restriction."""

    one: UUID
    other: UUID
    apart: int = 1

    def done(self, db: Connection[Any], club: int) -> None:
        """See `people.keep_apart`."""
        # A form could hold ids of another club's people in the same database.
        _two(db, club, self.one, self.other)
        people.keep_apart(db, self.one, self.other, apart=bool(self.apart))


class Merge(Wish, frozen=True, tag="merge"):
    """Merge two names of one person: `person` becomes `into`."""

    person: UUID
    into: UUID

    def done(self, db: Connection[Any], club: int) -> None:
        """See `people.merge`."""
        _two(db, club, self.person, self.into)
        people.merge(db, club, self.person, self.into)


class Forget(Wish, frozen=True, tag="forget"):
    """Delete a person's name; the results remain."""

    person: UUID

    def done(self, db: Connection[Any], club: int) -> None:
        """See `people.forget`."""
        people.forget(db, club, self.person)


AnyWish = (
    DrawRound | BeginTournament | Arrive | Go | EnterResult | TakeResultBack | KeepApart | Merge | Forget
)
_DECODER: msgspec.json.Decoder[AnyWish] = msgspec.json.Decoder(
    AnyWish, strict=False
)  # forms send numbers as text


def read(body: bytes) -> AnyWish:
    """Decode a form. Raises `msgspec.MsgspecError`, `UnicodeDecodeError`, `RecursionError`."""
    return _DECODER.decode(body)


def _two(db: Connection[Any], club: int, one: UUID, other: UUID) -> None:
    """Raise `Problem` unless these are two different people of this club."""
    if one == other or not {one, other} <= people.everybody(db, club).keys():
        raise Problem("league.not_two")


def _enter(db: Connection[Any], club: int, person: UUID, *, gone: bool) -> None:
    going = rounds.newest(db, club)
    if going is None:
        raise Problem("league.no_tournament")
    if person not in people.everybody(db, club):
        raise Problem("league.not_filled")
    if not rounds.enter(db, going[0], person, gone=gone) and not gone:
        raise Problem("league.there_already", name=people.everybody(db, club)[person])


def organise(db: Connection[Any], club: int, say: Translator) -> Pieces:
    """Render the organiser's page."""
    going, known = rounds.newest(db, club), people.everybody(db, club)
    last = rounds.shown(db, club, going[0]) if going else None
    pieces = {"draw": _draw(say, going[1], last)} if going else {}  # drawing needs a tournament first
    for one in last.boards if last else ():
        if one.number:
            pieces[f"b{one.board}"] = _result(one, say)
    if forks := _forks(db, club, say):
        pieces["forks"] = _section("forks", say("league.forks"), f'<ol class="listed plain">{forks}</ol>')
    pieces["there"] = _there(db, going[0] if going else None, known, say)
    if len(known) > 1:
        pieces["apart"] = _apart(db, club, known, say)
        pair = _pair("merge", ("person", "into"), known, say("league.merge"), say)
        pieces["same"] = _section("same", say("league.same"), pair)
    return pieces


_FORKS = """
SELECT t.name, s.game, COALESCE(b.forked_at, (SELECT min(sequence) FROM forks f WHERE f.session = s.session)),
    b.session IS NOT NULL
FROM sessions s JOIN tables t USING (tbl) LEFT JOIN sessions b ON b.parent = s.session
WHERE s.club = %s AND s.state = 'forked' ORDER BY s.begun, 3
"""


def _forks(db: Connection[Any], club: int, say: Translator) -> str:
    """List the games for which a table has sent two different versions, so that the organiser can
    ask there."""
    return "".join(
        "<li>"
        + escape(
            say(
                "league.forked_on" if goes_on else "league.forked",
                table=table,
                game=game_title(game, say),
                entry=0 if at is None else at + 1,
            )
        )
        + "</li>"
        for table, game, at, goes_on in db.execute(_FORKS, (club,)).fetchall()
    )


def _section(name: str, head: str, body: str) -> str:
    return f'<section id="{name}"><h2>{escape(head)}</h2>{body}</section>'


def _form(do: str, body: str, button: str, *, hidden: Mapping[str, object] = {}, sure: str = "") -> str:
    """Render a form. Its button is disabled until the page's script, which sends it, has loaded."""
    fields = "".join(f'<input type="hidden" name="{name}" value="{value}">' for name, value in hidden.items())
    asks = f' data-sure="{escape(sure)}"' if sure else ""
    return f'<form data-do="{do}"{asks}>{fields}{body}<button disabled>{escape(button)}</button></form>'


def _options(rows: dict[Any, str], chosen: object = None) -> str:
    return "".join(
        f'<option value="{escape(str(value))}"{" selected" if value == chosen else ""}>{escape(words)}</option>'
        for value, words in rows.items()
    )


def _games(say: Translator, game: str | None = None) -> str:
    games = {one: game_title(one, say) for one in registry.game_ids()}
    return f'<select name="game" aria-label="{escape(say("league.column.game"))}">{_options(games, game)}</select>'


def _draw(say: Translator, game: str, last: RoundShown | None) -> str:
    usual = max((len(one.places) for one in last.boards if one.number), default=0) if last else 0
    sizes = {number: say("league.at_most", people=number) for number in range(LEAST, MOST + 1)}
    body = (
        _games(say, game)
        + f'<select name="seats" aria-label="{escape(say("league.people_at_table"))}">{_options(sizes, usual or rounds.USUAL)}</select>'
    )
    return _section("draw", say("league.next_round"), _form("draw", body, say("league.draw")))


def _result(one: RoundTable, say: Translator) -> str:
    fields = "".join(
        f"<label>{escape(place.name or say('league.somebody'))}"
        f' <input type="number" step="any" name="{place.seat}"{_value(place.points)} required></label>'
        for place in one.places
    )
    form = _form("result", fields, say("league.enter_result"), hidden={"board": one.board})
    if one.by_hand:
        form += _form("unresult", "", say("league.take_back"), hidden={"board": one.board})
    head = escape(say("league.result_right" if one.over else "league.result_of", table=one.number))
    for place in one.places:
        if place.instead is not None:
            name = place.name or say("league.somebody")
            told = say("league.sits_instead", seat=place.seat[1:], who=place.instead, name=name)
            head += f'<br><strong class="bad">{escape(told)}</strong>'
    opened = "" if one.over or one.laptop is not None else " open"  # a laptop sends its result itself
    return f'<details id="b{one.board}"{opened}><summary>{head}</summary>{form}</details>'


def _value(points: float | None) -> str:
    return "" if points is None else f' value="{points:g}"'


def _there(db: Connection[Any], tournament: int | None, known: dict[UUID, str], say: Translator) -> str:
    rows = db.execute("SELECT person, gone FROM entrants WHERE tournament = %s", (tournament,))
    gone = dict(rows.fetchall())
    going = tournament is not None
    listed = "".join(_person(one, name, gone.get(one), say, going=going) for one, name in known.items())
    label = escape(say("league.name_of"))
    add = f'<input name="name" required maxlength="40" placeholder="{label}" aria-label="{label}">'
    there = sum(not one for one in gone.values())
    words = "league.begin_tournament"
    head, form = say(words), _form("begin", _games(say), say(words))
    if going:
        head, form = say("league.taking_part", n=there), _form("arrive", add, say("league.arrive"))
    return _section("there", head, f'{form}<ol class="listed plain">{listed}</ol>')


def _person(one: UUID, name: str, gone: bool | None, say: Translator, *, going: bool) -> str:
    here = gone is False
    form = (
        _form("go", "", say("league.go"), hidden={"person": one})
        if here
        else _form("arrive", "", say("league.arrive"), hidden={"name": escape(name)})
        if going
        else ""
    )
    sure = say("league.forget_sure", name=name)
    forms = form + _form("forget", "", say("league.forget"), hidden={"person": one}, sure=sure)
    return (
        f'<li><span class="{"name" if here else "name gone"}">{escape(name)}</span><span>{forms}</span></li>'
    )


def _apart(db: Connection[Any], club: int, known: dict[UUID, str], say: Translator) -> str:
    listed = "".join(
        f"<li><span class=name>{escape(known[one])} – {escape(known[other])}</span>"
        + _form("apart", "", say("league.together"), hidden={"one": one, "other": other, "apart": 0})
        + "</li>"
        for one, other in db.execute("SELECT one, other FROM apart").fetchall()
        if one in known and other in known
    )
    form = _pair("apart", ("one", "other"), known, say("league.keep_apart"), say)
    return _section("apart", say("league.kept_apart"), f'{form}<ol class="listed plain">{listed}</ol>')


def _pair(do: str, names: tuple[str, str], known: dict[UUID, str], button: str, say: Translator) -> str:
    lists = "".join(
        f'<select name="{name}" aria-label="{escape(say("league.name_of"))}">{_options(known, chosen)}</select>'
        for name, chosen in zip(names, known, strict=False)
    )
    return _form(do, lists, button)


LIVE, CALM = 0.05, 1.0
"""Minimum seconds between two renderings of a page: of pages that follow each act, and of the
others, which sum up a whole season."""
MOST_PAGES = 1000
"""Number of rendered pages kept; the one least recently requested is dropped first."""
HEARTBEAT = 5.0
"""Seconds without a change after which a comment is sent, so that a dead connection is noticed."""
_ONE = re.compile(r"/(table|person)/([0-9a-f-]{1,36})")

_MAKE: dict[str, Callable[[psycopg.Connection[Any], int, Translator], Pieces]] = {
    "/": pages.all_tables,
    "/tv": pages.all_tables,
    "/round": pages.this_round,
    "/standings": pages.all_standings,
    "/people": pages.all_people,
    "/organise": organise,
}


class _MadePage(NamedTuple):
    """A rendered page: when it was rendered, the event of the next change, and its pieces (None: no
    such page)."""

    at: float
    news: asyncio.Event
    pieces: asyncio.Future[Pieces | None]


def _always() -> asyncio.Event:
    """Return an event that is already set: without a server, anything may have changed at any
    time."""
    news = asyncio.Event()
    news.set()
    return news


class Site:
    """The pages of one club. `key`: the organiser's. `news`: returns the event set by the club's
    next change; called in the server's loop."""

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
        """Close the database connection."""
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
        """Stream a page's changes without end, beginning with the whole page."""
        sent: Pieces = {}
        number = 0
        while True:
            made = self._page_made(path)
            wait = HEARTBEAT
            try:
                # Shielded: a browser that leaves must not cancel a rendering that others wait for.
                pieces = await asyncio.shield(made.pieces) or {}
            except (Problem, psycopg.Error):
                wait = CALM  # database unavailable: keep the page and try again
            else:
                fresh = {name: html for name, html in pieces.items() if sent.get(name) != html}
                # The order is compared, too: a piece may only have moved or disappeared. The first
                # message is always sent, even for a page without pieces.
                if fresh or [*pieces] != [*sent] or not number:
                    number += 1
                    data = msgspec.json.encode({"pieces": fresh, "order": [*pieces]})
                    yield b"id: %d\ndata: %b\n\n" % (number, data)
                    sent = pieces
            try:
                await asyncio.wait_for(made.news.wait(), wait)
            except TimeoutError:
                yield b": here\n\n"
            # Rate limit: acts may follow each other faster than pages should be rendered.
            await asyncio.sleep(max(0.0, made.at + _pause(path) - time.monotonic()))

    async def _pieces(self, path: str) -> Pieces | None:
        return await asyncio.shield(self._page_made(path).pieces)

    def _page_made(self, path: str) -> _MadePage:
        """Return a page, rendered again if there was news since; all who request it share one
        rendering."""
        made, now = self._made.pop(path, None), time.monotonic()
        # A failed rendering is not kept, or the page would stay unavailable until the next change.
        failed = made is not None and made.pieces.done() and made.pieces.exception() is not None
        if made is None or failed or (made.news.is_set() and now - made.at >= _pause(path)):
            # Before the query: a change during it sets this event, and the page is rendered again.
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
        except (ValueError, psycopg.DataError):  # not a number, or out of range
            return None

    async def _ask(self, question: Callable[[psycopg.Connection[Any]], Any]) -> Any:
        """Run a database query in a worker thread; one at a time, over one connection."""

        def ask() -> Any:
            # Connected on first use: the database may be unavailable when the server starts.
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
        """Carry out an organiser's command and reply with an empty text, or with the reason for a
        refusal."""
        given = request.headers.get("authorization", "")
        # A constant-time comparison, so that response times reveal nothing about the key.
        if not secrets.compare_digest(given.encode(), f"Bearer {self._key}".encode()):
            return self._told("league.not_organiser", status=403)
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > LARGEST_BODY:
                return Response(status_code=413)
        try:
            wish = read(body)
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
