"""`companion league`: run the server of a club with many tables, draw its rounds, and let this
table join one."""

from __future__ import annotations

import argparse
import contextlib
import secrets
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import uvicorn

from companion import league
from companion import settings as kept_settings
from companion.commands.common import add_language
from companion.commands.running import leave_when_told
from companion.journal.export import NotFinished
from companion.journal.store import default_path
from companion.league import chain
from companion.league.protocol import NotReached, TableLine
from companion.rules.contract import Problem, Text
from companion.settings import Membership
from companion.share.address import LOOPBACK, local_address
from companion.texts import Translator, no_text, system_reason

if TYPE_CHECKING:
    from psycopg import Connection

    from companion.league.club import Club

PORT = 8650
EVERYWHERE = "0.0.0.0"
_LIBRARIES = {"psycopg", "openskill"}
"""Libraries of the extra `league`; a table that has joined needs none of them."""
_PAUSE = 1.0
"""Seconds to the next attempt while the database is down."""
_EACH = 10_000
"""Entries between two progress messages of a rebuild."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the subcommands of `companion league`."""
    todo = parser.add_subparsers(dest="todo", metavar="|".join(DEEDS), required=True)
    serving = todo.add_parser("serve", help="league.serve")
    serving.add_argument("--host", metavar="H", default=EVERYWHERE, help="league.serve.host")
    serving.add_argument("--port", type=int, default=PORT, help="league.serve.port")
    joining = todo.add_parser("join", help="league.join")
    joining.add_argument("url", metavar="URL", help="league.join.url")
    joining.add_argument("code", metavar="CODE", help="league.join.code")
    joining.add_argument("--table", metavar="NAME", help="league.join.table")
    leaving = todo.add_parser("leave", help="league.leave")
    status = todo.add_parser("status", help="league.status")
    rebuilding = todo.add_parser("rebuild", help="league.rebuild")
    exporting = todo.add_parser("export", help="league.export")
    exporting.add_argument(
        "--format", choices=("csv", "json", "bgstats"), default="csv", help="league.export.format"
    )
    pairing = todo.add_parser("pair", help="league.pair")
    pairing.add_argument("--game", metavar="ID", help="league.pair.game")
    pairing.add_argument("--seats", type=int, choices=range(2, 8), metavar="2-7", help="league.pair.seats")
    for command in (serving, rebuilding, exporting, pairing):
        where = command.add_mutually_exclusive_group()
        where.add_argument("--database", metavar="URL", help="league.database")
        if command is serving:
            where.add_argument("--demo", action="store_true", help="league.serve.demo")
        command.add_argument("--name", metavar="TEXT", help="league.club")
    for command in (serving, joining, leaving, status, rebuilding, exporting, pairing):
        add_language(command)


def run(arguments: argparse.Namespace) -> int:
    """Run the subcommand; return 0. Raises `Problem` if it cannot be done."""
    try:
        return DEEDS[arguments.todo](arguments, Translator(arguments.lang))
    except ModuleNotFoundError as fault:
        if (fault.name or "").partition(".")[0] in _LIBRARIES:
            raise Problem("league.no_extra") from None
        raise
    except UnicodeEncodeError as fault:  # in something that was typed
        raise no_text(fault) from None
    except Exception as fault:  # psycopg's is known by name: it is not loaded here
        if type(fault).__module__.partition(".")[0] != "psycopg":
            raise
        reason = [*str(fault).splitlines(), type(fault).__name__][0]
        raise Problem("league.no_database", reason=reason) from None


@contextlib.contextmanager
def database(named: str | None, *, beside: bool = False) -> Iterator[str]:
    """Yield the address of the named database, else of our own, which runs inside the block.

    `beside`: if a server of the league is already running our own, use that one.
    """
    if named is not None:
        yield named
        return
    folder = league.postgres.own_folder()
    running = league.postgres.running(folder) if beside else None
    if running is not None:
        yield running
        return
    with league.postgres.Postgres(folder) as own:
        yield own.url


@contextlib.contextmanager
def _demo_database() -> Iterator[str]:
    """Yield the address of a database that is deleted afterwards."""
    above = Path(tempfile.gettempdir()) / f"league-demo-{secrets.token_hex(8)}"
    try:
        with league.postgres.Postgres(above / "data") as own:
            yield own.url
    finally:
        shutil.rmtree(above, ignore_errors=True)


def _serve(arguments: argparse.Namespace, say: Translator) -> int:
    # Ends the database too, which runs as a process of its own.
    leave_when_told()
    where = {"host": arguments.host, "port": str(arguments.port)}
    if arguments.port not in range(1 << 16):
        raise Problem("league.no_port", **where, reason=Text("league.no_number"))
    try:
        arguments.host.encode("idna")
        # Before the database is started: a busy port is reported at once.
        listener = socket.create_server((arguments.host, arguments.port))
    except OSError as fault:
        raise Problem("league.no_port", **where, reason=system_reason(fault)) from None
    except UnicodeError:
        raise Problem("league.no_port", **where, reason=Text("league.no_name")) from None
    # A new one at each start: the organiser's link ends with the server.
    key = secrets.token_urlsafe(16)
    data = _demo_database() if arguments.demo else database(arguments.database)
    with listener, data as url, contextlib.ExitStack() as open_things:
        away = _away(say)
        # A named database that is down at the start is waited for, as it is later.
        club = _opened(url, arguments.name, away)
        pages = league.site.Site(url, club, say, key)
        open_things.enter_context(contextlib.closing(pages))
        with contextlib.closing(league.server.LeagueServer(url, club, pages.routes, away)) as server:
            pages.news = server.next_news
            host = arguments.host if arguments.host != EVERYWHERE else _own_address()
            address = f"http://{host}:{arguments.port}"
            print(say("league.serves", club=club.name, address=address), flush=True)
            print(say("league.join_by", address=address, code=club.code), flush=True)
            print(say("league.organise_at", address=f"{address}/organise#{key}"), flush=True)
            config = uvicorn.Config(
                server.app,
                http="h11",
                ws="none",
                lifespan="off",
                log_config=None,
                # It tells with a traceback that pages which listened were not waited for.
                log_level="critical",
                access_log=False,
                server_header=False,
                proxy_headers=False,
                # Open pages never disconnect: without a limit the server would wait for them.
                timeout_graceful_shutdown=1,
            )
            if arguments.demo:
                here = LOOPBACK if arguments.host == EVERYWHERE else arguments.host
                tables = league.demo.LeagueDemo(f"http://{here}:{arguments.port}", url, club)
                open_things.enter_context(contextlib.closing(tables))
            uvicorn.Server(config).run([listener])
    return 0


def _away(say: Translator) -> Callable[[Text | None], None]:
    """Return a function that reports once that the database is down, and once that it is back
    (None)."""
    known: list[Text] = []

    def tell(why: Text | None) -> None:
        if (why is None) == (not known):
            return
        told = (
            say("league.there_again") if why is None else f"{say.say(why).rstrip('.')}. {say('league.waits')}"
        )
        known[:] = [] if why is None else [why]
        print(f"companion league: {told}", file=sys.stderr, flush=True)

    return tell


def _opened(url: str, name: str | None, away: Callable[[Text | None], None]) -> Club:
    """Find the club or create it, waiting for the database."""
    while True:
        try:
            found = league.club.opened(url, name)
        except league.postgres.DatabaseAway as fault:
            away(fault.text)
            time.sleep(_PAUSE)
        else:
            away(None)
            return found


def _own_address() -> str:
    with contextlib.suppress(OSError):
        return local_address()
    return LOOPBACK


def _join(arguments: argparse.Namespace, say: Translator) -> int:
    settings = kept_settings.load()
    if settings.league is not None:
        raise Problem("league.joined_already", club=settings.league.club_name)
    kept_settings.keep(settings)  # before the code is used up: without the key that it is for it is lost
    key, name = chain.new_key(), arguments.table or socket.gethostname()
    with contextlib.closing(TableLine(arguments.url, key)) as line:
        try:
            joined = line.join(arguments.code, name)
        except NotReached as fault:
            raise Problem("league.not_reached", url=line.url, reason=str(fault)) from None
    kept = Membership(
        line.url, joined.club.hex, joined.name, name, key.private_bytes_raw().hex(), time.time()
    )
    kept_settings.keep(msgspec.structs.replace(settings, league=kept))
    print(say("league.joined", club=joined.name, table=name))
    return 0


def _member() -> Membership:
    found = kept_settings.load().league
    if found is None:
        raise Problem("league.none")
    return found


def _leave(_arguments: argparse.Namespace, say: Translator) -> int:
    member = _member()
    kept_settings.keep(msgspec.structs.replace(kept_settings.load(), league=None))
    try:
        with contextlib.closing(TableLine.of(member)) as line:
            line.leave()
    except (NotReached, Problem) as fault:  # left all the same: it sends nothing more
        told = fault.text if isinstance(fault, Problem) else None
        why = say.say(told) if told else say("league.not_reached", url=member.url, reason=str(fault))
        print(f"companion league: {why}", file=sys.stderr)
    print(say("league.left", club=member.club_name))
    return 0


def _status(_arguments: argparse.Namespace, say: Translator) -> int:
    member = _member()
    print(say("league.member", club=member.club_name, table=member.table, url=member.url))
    outbox = league.outbox.Outbox(member, default_path, lambda _lamp: None)
    lamp = outbox.look()
    outbox.close()
    there = lamp.connected or not default_path().exists()  # before the first game the server is not asked
    told = [Text("league.there" if there and not lamp.waiting else "league.away"), lamp.trouble]
    if lamp.waiting:
        told.insert(0, Text("league.lamp.waiting", {"n": lamp.waiting}))
    for text in told:
        if text is not None:
            print(say.say(text))
    return 0


def _rebuild(arguments: argparse.Namespace, say: Translator) -> int:
    told = 0

    def tell(entries: int) -> None:
        nonlocal told
        if entries >= told + _EACH and sys.stderr.isatty():
            told = entries
            print(say("league.rebuilding", n=entries), end="\r", file=sys.stderr, flush=True)

    with database(arguments.database, beside=True) as url:
        club = league.club.opened(url, arguments.name)
        entries = league.projections.rebuild(url, club.number, tell)
        with contextlib.closing(league.postgres.connect(url)) as db:
            league.ratings.follow(db, club.number)
    print(say("league.rebuilt", n=entries, club=club.name))
    return 0


def _export(arguments: argparse.Namespace, _say: Translator) -> int:
    with _club(arguments) as (db, club):
        try:
            told = league.export.FORMATS[arguments.format](db, club.number, arguments.lang)
        except NotFinished as fault:
            raise Problem("export.not_finished") from fault
    sys.stdout.buffer.write(told.encode())  # UTF-8, whatever the terminal shows
    sys.stdout.buffer.flush()
    return 0


def _pair(arguments: argparse.Namespace, say: Translator) -> int:
    with _club(arguments) as (db, club):
        drawn = league.rounds.pair(db, club.number, arguments.game, arguments.seats)
    for line in league.rounds.told(drawn, say):
        print(line)
    return 0


@contextlib.contextmanager
def _club(arguments: argparse.Namespace) -> Iterator[tuple[Connection[Any], Club]]:
    with database(arguments.database, beside=True) as url:
        club = league.club.opened(url, arguments.name)
        with contextlib.closing(league.postgres.connect(url)) as db:
            yield db, club


DEEDS: Mapping[str, Callable[[argparse.Namespace, Translator], int]] = {
    "serve": _serve,
    "join": _join,
    "leave": _leave,
    "status": _status,
    "rebuild": _rebuild,
    "export": _export,
    "pair": _pair,
}
