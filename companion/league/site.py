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
from collections.abc import AsyncIterator, Callable, Mapping
from fractions import Fraction
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
from companion.league.feed import notify_servers
from companion.league.pages import Pieces, translate_game_title
from companion.league.points import parse_points, restore_points
from companion.league.rounds import RoundPlace, RoundTable, TournamentRound
from companion.league.seating import LEAST, MOST
from companion.plan import load_game
from companion.rules import registry
from companion.rules.contract import Problem, format_points
from companion.rules.people import list_seat_labels
from companion.share import pages as table_pages
from companion.texts import Translator


class FormCommand(msgspec.Struct, frozen=True, tag_field="do"):
    """A command from the organiser, as sent by a form."""

    def run_in_transaction(self, db: Connection[Any], club: int) -> None:
        """Carry out the command and notify all pages. Raises `Problem` with the reason if it cannot
        be carried out."""
        with db.transaction():
            # The notification is part of the transaction, so pages change only when the command has
            # been committed.
            self.apply_to_club(db, club)
            notify_servers(db, club, "shown")

    def apply_to_club(self, db: Connection[Any], club: int) -> None:
        """Carry out the command within a transaction."""
        raise NotImplementedError


class DrawRound(FormCommand, frozen=True, tag="draw"):
    """Draw the next round, of the current tournament's game unless `game` names one."""

    game: str = ""
    seats: int = 0

    def apply_to_club(self, db: Connection[Any], club: int) -> None:
        """See `rounds.draw_round`."""
        rounds.draw_round(db, club, self.game or None, self.seats or None)


class BeginTournament(FormCommand, frozen=True, tag="begin"):
    """Begin a tournament of this game; people can then be entered and rounds drawn."""

    game: str

    def apply_to_club(self, db: Connection[Any], club: int) -> None:
        """See `rounds.find_or_begin_tournament`."""
        rounds.find_or_begin_tournament(db, club, self.game)


class Arrive(FormCommand, frozen=True, tag="arrive"):
    """Enter a person from the next round on, by name: a new person or one that the club knows."""

    name: str

    def apply_to_club(self, db: Connection[Any], club: int) -> None:
        """Enter the person in the current tournament."""
        _enter_participant(db, club, people.find_or_add_person(db, club, self.name), gone=False)


class Go(FormCommand, frozen=True, tag="go"):
    """Withdraw a person from the following rounds; their results remain."""

    person: UUID

    def apply_to_club(self, db: Connection[Any], club: int) -> None:
        """Withdraw the person from the current tournament."""
        _enter_participant(db, club, self.person, gone=True)


class EnterResult(FormCommand, frozen=True, tag="result"):
    """Enter or correct a table's result as it was typed: the points of each seat (`s1`, `s2`, ...),
    and what decides between equal points (`t1`, `t2`, ...; "" is 0)."""

    board: UUID
    s1: str = ""
    s2: str = ""
    s3: str = ""
    s4: str = ""
    s5: str = ""
    s6: str = ""
    s7: str = ""
    t1: str = ""
    t2: str = ""
    t3: str = ""
    t4: str = ""
    t5: str = ""
    t6: str = ""
    t7: str = ""

    def apply_to_club(self, db: Connection[Any], club: int) -> None:
        """See `rounds.enter_result`."""
        rounds.enter_result(db, club, self.board, self.scores)

    @property
    def scores(self) -> dict[str, tuple[Fraction, ...]]:
        """The points and the tie-break of each seat that has points."""
        return {
            label: tuple(
                parse_points(typed) for typed in (points, getattr(self, f"t{seat}")) if typed.strip()
            )
            for seat, label in enumerate(list_seat_labels(MOST), 1)
            if (points := getattr(self, label)).strip()
        }


class TakeResultBack(FormCommand, frozen=True, tag="unresult"):
    """Remove a manual result, so that the laptop's result counts again."""

    board: UUID

    def apply_to_club(self, db: Connection[Any], club: int) -> None:
        """See `rounds.enter_result`."""
        rounds.enter_result(db, club, self.board, None)


class KeepApart(FormCommand, frozen=True, tag="apart"):
    """Never seat two people together, or (`apart` 0) lift that restriction."""

    one: UUID
    other: UUID
    apart: int = 1

    def apply_to_club(self, db: Connection[Any], club: int) -> None:
        """See `people.keep_apart`."""
        # A form could hold ids of another club's people in the same database.
        _require_two_people(db, club, self.one, self.other)
        people.keep_apart(db, self.one, self.other, apart=bool(self.apart))


class Merge(FormCommand, frozen=True, tag="merge"):
    """Merge two names of one person: `render_person` becomes `into`."""

    person: UUID
    into: UUID

    def apply_to_club(self, db: Connection[Any], club: int) -> None:
        """See `people.merge_people`."""
        _require_two_people(db, club, self.person, self.into)
        people.merge_people(db, club, self.person, self.into)


class Forget(FormCommand, frozen=True, tag="forget"):
    """Delete a person's name; the results remain."""

    person: UUID

    def apply_to_club(self, db: Connection[Any], club: int) -> None:
        """See `people.forget_person`."""
        people.forget_person(db, club, self.person)


AnyCommand = (
    DrawRound | BeginTournament | Arrive | Go | EnterResult | TakeResultBack | KeepApart | Merge | Forget
)
_DECODER: msgspec.json.Decoder[AnyCommand] = msgspec.json.Decoder(
    AnyCommand, strict=False
)  # forms send numbers as text


def decode_command(body: bytes) -> AnyCommand:
    """Decode a form. Raises `msgspec.MsgspecError`, `UnicodeDecodeError`, `RecursionError`."""
    return _DECODER.decode(body)


def _require_two_people(db: Connection[Any], club: int, one: UUID, other: UUID) -> None:
    """Raise `Problem` unless these are two different people of this club."""
    if one == other or not {one, other} <= people.list_people(db, club).keys():
        raise Problem("league.not_two")


def _enter_participant(db: Connection[Any], club: int, person: UUID, *, gone: bool) -> None:
    current = rounds.find_current_tournament(db, club)
    if current is None:
        raise Problem("league.no_tournament")
    if person not in people.list_people(db, club):
        raise Problem("league.not_filled")
    if not rounds.enter_person(db, current[0], person, gone=gone) and not gone:
        raise Problem("league.there_already", name=people.list_people(db, club)[person])


def render_organiser_page(db: Connection[Any], club: int, translator: Translator) -> Pieces:
    """Render the organiser's page."""
    current, known_people = rounds.find_current_tournament(db, club), people.list_people(db, club)
    last = rounds.read_round(db, club, current[0]) if current else None
    pieces = (
        {"draw": _render_draw_form(translator, current[1], last)} if current else {}
    )  # drawing needs a tournament first
    for one in last.boards if last else ():
        if one.number:
            tie_break = _find_tie_break(current[1], translator) if current else ""
            pieces[f"b{one.board}"] = _render_result_form(one, tie_break, translator)
    if forks := _render_forks(db, club, translator):
        pieces["forks"] = _render_section(
            "forks", translator("league.forks"), f'<ol class="listed plain">{forks}</ol>'
        )
    pieces["there"] = _render_participants_section(
        db, current[0] if current else None, known_people, translator
    )
    if len(known_people) > 1:
        pieces["apart"] = _render_kept_apart(db, club, known_people, translator)
        pair = _render_pair_form(
            "merge", ("person", "into"), known_people, translator("league.merge"), translator
        )
        pieces["same"] = _render_section("same", translator("league.same"), pair)
    return pieces


_FORKS = """
SELECT t.name, s.game, COALESCE(b.forked_at, (SELECT min(sequence) FROM forks f WHERE f.session = s.session)),
    b.session IS NOT NULL
FROM sessions s JOIN tables t USING (tbl) LEFT JOIN sessions b ON b.parent = s.session
WHERE s.club = %s AND s.state = 'forked' ORDER BY s.begun, 3
"""


def _render_forks(db: Connection[Any], club: int, translator: Translator) -> str:
    """List the games for which a table has sent two different versions, so that the organiser can
    ask there."""
    return "".join(
        "<li>"
        + escape(
            translator(
                "league.forked_on" if goes_on else "league.forked",
                table=table,
                game=translate_game_title(game, translator),
                entry=0 if at is None else at + 1,
            )
        )
        + "</li>"
        for table, game, at, goes_on in db.execute(_FORKS, (club,)).fetchall()
    )


def _render_section(name: str, head: str, body: str) -> str:
    return f'<section id="{name}"><h2>{escape(head)}</h2>{body}</section>'


def _render_form(
    do: str, body: str, button: str, *, hidden: Mapping[str, object] = {}, sure: str = ""
) -> str:
    """Render a form. Its button is disabled until the page's script, which sends it, has loaded."""
    fields = "".join(f'<input type="hidden" name="{name}" value="{value}">' for name, value in hidden.items())
    asks = f' data-sure="{escape(sure)}"' if sure else ""
    return f'<form data-do="{do}"{asks}>{fields}{body}<button disabled>{escape(button)}</button></form>'


def _render_options(rows: dict[Any, str], selected: object = None) -> str:
    return "".join(
        f'<option value="{escape(str(value))}"{" selected" if value == selected else ""}>{escape(words)}</option>'
        for value, words in rows.items()
    )


def _render_game_select(translator: Translator, game: str | None = None) -> str:
    games = {one: translate_game_title(one, translator) for one in registry.list_game_ids()}
    return f'<select name="game" aria-label="{escape(translator("league.column.game"))}">{_render_options(games, game)}</select>'


def _render_draw_form(translator: Translator, game: str, last: TournamentRound | None) -> str:
    usual = max((len(one.places) for one in last.boards if one.number), default=0) if last else 0
    sizes = {number: translator("league.at_most", people=number) for number in range(LEAST, MOST + 1)}
    options = _render_options(sizes, usual or rounds.USUAL)
    label = escape(translator("league.people_at_table"))
    body = (
        _render_game_select(translator, game)
        + f'<select name="seats" aria-label="{label}">{options}</select>'
    )
    return _render_section(
        "draw", translator("league.next_round"), _render_form("draw", body, translator("league.draw"))
    )


def _render_score_fields(place: RoundPlace, tie_break: str, translator: Translator) -> str:
    """Render the fields for a player's points and, if `tie_break` has a name for it, for what
    decides between equal points."""
    name = place.name or translator("league.somebody")
    number = 'inputmode="decimal" autocomplete="off" size="6"'
    fields = f'<input {number} name="{place.seat}"{_format_input_value(place.points)} required>'
    if tie_break:
        label = escape(f"{name}: {tie_break}")
        fields += (
            f' <input {number} name="t{place.seat[1:]}"{_format_input_value(place.tie_break)}'
            f' placeholder="{escape(tie_break)}" aria-label="{label}">'
        )
    return f"<label>{escape(name)} {fields}</label>"


def _render_result_form(one: RoundTable, tie_break: str, translator: Translator) -> str:
    fields = "".join(_render_score_fields(place, tie_break, translator) for place in one.places)
    form = _render_form("result", fields, translator("league.enter_result"), hidden={"board": one.board})
    if one.by_hand:
        form += _render_form("unresult", "", translator("league.take_back"), hidden={"board": one.board})
    head = escape(translator("league.result_right" if one.is_over else "league.result_of", table=one.number))
    for place in one.places:
        if place.instead is not None:
            name = place.name or translator("league.somebody")
            note = translator("league.sits_instead", seat=place.seat[1:], who=place.instead, name=name)
            head += f'<br><strong class="bad">{escape(note)}</strong>'
    opened = "" if one.is_over or one.laptop is not None else " open"  # a laptop sends its result itself
    return f'<details id="b{one.board}"{opened}><summary>{head}</summary>{form}</details>'


def _format_input_value(points: float | None) -> str:
    return "" if points is None else f' value="{format_points(restore_points(points))}"'


def _find_tie_break(game: str, translator: Translator) -> str:
    """Return what the game calls the number that decides between equal points; "" for none."""
    name = load_game(game).tie_break
    return Translator(translator.language, load_game(game))(f"tie_break.{name}") if name else ""


def _render_participants_section(
    db: Connection[Any], tournament: int | None, known_people: dict[UUID, str], translator: Translator
) -> str:
    rows = db.execute("SELECT person, gone FROM entrants WHERE tournament = %s", (tournament,))
    gone = dict(rows.fetchall())
    has_tournament = tournament is not None
    listed = "".join(
        _render_participant(one, name, gone.get(one), translator, has_tournament=has_tournament)
        for one, name in known_people.items()
    )
    label = escape(translator("league.name_of"))
    add = f'<input name="name" required maxlength="40" placeholder="{label}" aria-label="{label}">'
    taking_part = sum(not one for one in gone.values())
    words = "league.begin_tournament"
    head, form = translator(words), _render_form("begin", _render_game_select(translator), translator(words))
    if has_tournament:
        head, form = (
            translator("league.taking_part", n=taking_part),
            _render_form("arrive", add, translator("league.arrive")),
        )
    return _render_section("there", head, f'{form}<ol class="listed plain">{listed}</ol>')


def _render_participant(
    one: UUID, name: str, gone: bool | None, translator: Translator, *, has_tournament: bool
) -> str:
    here = gone is False
    form = (
        _render_form("go", "", translator("league.go"), hidden={"person": one})
        if here
        else _render_form("arrive", "", translator("league.arrive"), hidden={"name": escape(name)})
        if has_tournament
        else ""
    )
    sure = translator("league.forget_sure", name=name)
    forms = form + _render_form("forget", "", translator("league.forget"), hidden={"person": one}, sure=sure)
    return (
        f'<li><span class="{"name" if here else "name gone"}">{escape(name)}</span><span>{forms}</span></li>'
    )


def _render_kept_apart(
    db: Connection[Any], club: int, known_people: dict[UUID, str], translator: Translator
) -> str:
    listed = "".join(
        f"<li><span class=name>{escape(known_people[one])} – {escape(known_people[other])}</span>"
        + _render_form(
            "apart", "", translator("league.together"), hidden={"one": one, "other": other, "apart": 0}
        )
        + "</li>"
        for one, other in db.execute("SELECT one, other FROM apart").fetchall()
        if one in known_people and other in known_people
    )
    form = _render_pair_form(
        "apart", ("one", "other"), known_people, translator("league.keep_apart"), translator
    )
    return _render_section(
        "apart", translator("league.kept_apart"), f'{form}<ol class="listed plain">{listed}</ol>'
    )


def _render_pair_form(
    do: str, names: tuple[str, str], known_people: dict[UUID, str], button: str, translator: Translator
) -> str:
    lists = "".join(
        f'<select name="{name}" aria-label="{escape(translator("league.name_of"))}">{_render_options(known_people, selected)}</select>'
        for name, selected in zip(names, known_people, strict=False)
    )
    return _render_form(do, lists, button)


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
        """Carry out an organiser's command and reply with an empty text, or with the reason for a
        refusal."""
        authorization = request.headers.get("authorization", "")
        # A constant-time comparison, so that response times reveal nothing about the key.
        if not secrets.compare_digest(authorization.encode(), f"Bearer {self._key}".encode()):
            return self._make_message_response("league.not_organiser", status=403)
        try:
            command = decode_command(await request.body())
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return self._make_message_response("league.not_filled", status=422)
        try:
            await self._run_query(lambda db: command.run_in_transaction(db, self._club.number))
        except Problem as fault:
            return JSONResponse({"told": fault.describe(self._translator.translate)}, 422)
        except psycopg.Error:
            return self._make_message_response("league.page_away", status=503)
        return JSONResponse({"told": ""})

    def _make_message_response(self, code: str, *, status: int) -> Response:
        return JSONResponse({"told": self._translator(code)}, status)


def _refresh_interval(path: str) -> float:
    return LIVE_INTERVAL if path in ("/", "/tv") or path.startswith("/table/") else SEASON_INTERVAL
