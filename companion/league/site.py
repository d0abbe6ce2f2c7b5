"""The club's pages in browsers: read by everybody in the club's network, live as the feed grows;
and the organiser's page with what they do on it (who takes part, the next round, results without a
laptop, people), which needs the key that `serve` prints.

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
    """Something that the organiser wants done, as a form sends it."""

    def fulfil(self, db: Connection[Any], club: int) -> None:
        """Do it, and tell all pages; raise `Problem` in words where it cannot be."""
        with db.transaction():
            self.done(db, club)
            notify(db, club, "shown")

    def done(self, db: Connection[Any], club: int) -> None:
        """Do it."""
        raise NotImplementedError


class DrawRound(Wish, frozen=True, tag="draw"):
    """Draw the next round, of the game that goes on where none is named."""

    game: str = ""
    seats: int = 0

    def done(self, db: Connection[Any], club: int) -> None:
        """See `rounds.pair`."""
        rounds.pair(db, club, self.game or None, self.seats or None)


class BeginTournament(Wish, frozen=True, tag="begin"):
    """A tournament of this game begins: who is there can be entered, then a round drawn."""

    game: str

    def done(self, db: Connection[Any], club: int) -> None:
        """See `rounds.tournament`."""
        rounds.tournament(db, club, self.game)


class Arrive(Wish, frozen=True, tag="arrive"):
    """Somebody takes part from the next round on: by a new name, or one that the club knows."""

    name: str

    def done(self, db: Connection[Any], club: int) -> None:
        """Enter them in the tournament that goes on, if one does."""
        _enter(db, club, people.named(db, club, self.name), gone=False)


class Go(Wish, frozen=True, tag="go"):
    """Somebody is seated no more; what they played stands."""

    person: UUID

    def done(self, db: Connection[Any], club: int) -> None:
        """Leave them out from the next round on."""
        _enter(db, club, self.person, gone=True)


class EnterResult(Wish, frozen=True, tag="result"):
    """How a table without a laptop ended, or one ended that was told wrongly: the points at each
    seat, `s1` and so on."""

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
    """What was entered by hand for this table was not so: what its laptop says counts again."""

    board: UUID

    def done(self, db: Connection[Any], club: int) -> None:
        """See `rounds.by_hand`."""
        rounds.by_hand(db, club, self.board, None)


class KeepApart(Wish, frozen=True, tag="apart"):
    """Two people are never seated together, or (`apart` 0) as it comes."""

    one: UUID
    other: UUID
    apart: int = 1

    def done(self, db: Connection[Any], club: int) -> None:
        """See `people.keep_apart`."""
        _two(db, club, self.one, self.other)
        people.keep_apart(db, self.one, self.other, apart=bool(self.apart))


class Merge(Wish, frozen=True, tag="merge"):
    """Two names are one person's: `person` is `into` from now on."""

    person: UUID
    into: UUID

    def done(self, db: Connection[Any], club: int) -> None:
        """See `people.merge`."""
        _two(db, club, self.person, self.into)
        people.merge(db, club, self.person, self.into)


class Forget(Wish, frozen=True, tag="forget"):
    """Somebody's name is forgotten; their results stay."""

    person: UUID

    def done(self, db: Connection[Any], club: int) -> None:
        """See `people.forget`."""
        people.forget(db, club, self.person)


AnyWish = (
    DrawRound | BeginTournament | Arrive | Go | EnterResult | TakeResultBack | KeepApart | Merge | Forget
)
_DECODER: msgspec.json.Decoder[AnyWish] = msgspec.json.Decoder(
    AnyWish, strict=False
)  # what a form holds is text


def read(body: bytes) -> AnyWish:
    """Read what a form sent. Raises `msgspec.MsgspecError`, `UnicodeDecodeError`,
    `RecursionError`."""
    return _DECODER.decode(body)


def _two(db: Connection[Any], club: int, one: UUID, other: UUID) -> None:
    """Raise `Problem` where these are not two of the club's people."""
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
    """Return the organiser's page."""
    going, known = rounds.newest(db, club), people.everybody(db, club)
    last = rounds.shown(db, club, going[0]) if going else None
    pieces = {"draw": _draw(say, going[1], last)} if going else {}  # one step after the other
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
    """List games of which a table has told two courses, for somebody to ask there."""
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
    """A form that the page's script sends: until that is there, it cannot be."""
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
    opened = "" if one.over or one.laptop is not None else " open"  # a laptop tells it by itself
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
    "/organise": organise,
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
