"""`companion league`: the server of a club's many tables, and this table's membership in one."""

from __future__ import annotations

import argparse
import contextlib
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping

import msgspec
import uvicorn

from companion import league
from companion import settings as kept_settings
from companion.commands.common import add_language
from companion.commands.running import leave_when_told
from companion.league import chain
from companion.league.line import NotReached, TableLine
from companion.rules.contract import Problem
from companion.settings import Membership
from companion.share.address import LOOPBACK, local_address
from companion.texts import Translator, system_reason

PORT = 8650
EVERYWHERE = "0.0.0.0"
_LIBRARIES = {"psycopg", "openskill"}
"""What the extra `league` brings; a table that has joined needs none of it."""
_EACH = 10_000
"""Entries between two words of how far a rebuilding is."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `companion league` can do."""
    todo = parser.add_subparsers(dest="todo", metavar="serve|join|leave|status|rebuild", required=True)
    serving = todo.add_parser("serve", help="run the league's server, until Ctrl-C")
    serving.add_argument(
        "--host", metavar="H", default=EVERYWHERE, help="where it listens: this address only"
    )
    serving.add_argument("--port", type=int, default=PORT, help="the port (default: %(default)s)")
    joining = todo.add_parser("join", help="let this laptop's table join a league")
    joining.add_argument("url", metavar="URL", help="the address that the server prints")
    joining.add_argument("code", metavar="CODE", help="the code that the server prints")
    joining.add_argument(
        "--table", metavar="NAME", help="what the table is called (default: the laptop's name)"
    )
    leaving = todo.add_parser("leave", help="leave the league; what was sent stays there")
    status = todo.add_parser("status", help="say which league the table is in, and what waits to be sent")
    rebuilding = todo.add_parser("rebuild", help="make tables, results and ratings anew from the entries")
    for command in (serving, rebuilding):
        command.add_argument(
            "--database", metavar="URL", help="a PostgreSQL of yours (default: one of the program's own)"
        )
        command.add_argument("--name", metavar="TEXT", help="the club (default: the only one)")
    for command in (serving, joining, leaving, status, rebuilding):
        add_language(command)


def run(arguments: argparse.Namespace) -> int:
    """Do it; 0 when it is done, 2 with a sentence where it cannot be."""
    try:
        return DEEDS[arguments.todo](arguments, Translator(arguments.lang))
    except ModuleNotFoundError as fault:
        if (fault.name or "").partition(".")[0] in _LIBRARIES:
            raise Problem("league.no_extra") from None
        raise


@contextlib.contextmanager
def database(named: str | None) -> Iterator[str]:
    """Give the address of the database that was named, else of our own, which runs meanwhile."""
    if named is not None:
        yield named
        return
    with league.postgres.Postgres(league.postgres.own_folder()) as own:
        yield own.url


def _serve(arguments: argparse.Namespace, say: Translator) -> int:
    leave_when_told()
    try:
        listener = socket.create_server((arguments.host, arguments.port))
    except (OSError, OverflowError) as fault:
        reason = system_reason(fault) if isinstance(fault, OSError) else ""
        raise Problem("league.no_port", port=arguments.port, reason=reason) from None
    with listener, database(arguments.database) as url:
        club = league.club.opened(url, arguments.name)
        with contextlib.closing(league.server.LeagueServer(url, club)) as server:
            host = arguments.host if arguments.host != EVERYWHERE else _own_address()
            address = f"http://{host}:{arguments.port}"
            print(say("league.serves", club=club.name, address=address), flush=True)
            print(say("league.join_by", address=address, code=club.code), flush=True)
            config = uvicorn.Config(
                server.app,
                http="h11",
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                # Pages listen for ever: without a limit the end would wait for each of them.
                timeout_graceful_shutdown=1,
            )
            uvicorn.Server(config).run([listener])
    return 0


def _own_address() -> str:
    with contextlib.suppress(OSError):
        return local_address()
    return LOOPBACK


def _join(arguments: argparse.Namespace, say: Translator) -> int:
    settings = kept_settings.load()
    if settings.league is not None:
        raise Problem("league.joined_already", club=settings.league.club_name)
    key, name = chain.new_key(), arguments.table or socket.gethostname()
    with contextlib.closing(TableLine(arguments.url, key)) as line:
        try:
            joined = line.join(arguments.code, name)
        except NotReached as fault:
            raise Problem("league.not_reached", url=line.url, reason=str(fault)) from None
    kept = Membership(
        line.url, joined.club.hex, joined.name, name, key.private_bytes_raw().hex(), time.time()
    )
    kept_settings.save(msgspec.structs.replace(settings, league=kept))
    print(say("league.joined", club=joined.name, table=name))
    return 0


def _member() -> Membership:
    found = kept_settings.load().league
    if found is None:
        raise Problem("league.none")
    return found


def _leave(_arguments: argparse.Namespace, say: Translator) -> int:
    member = _member()
    try:
        with contextlib.closing(TableLine.of(member)) as line:
            line.leave()
    except (NotReached, Problem) as fault:  # left all the same: it sends nothing more
        told = fault.text if isinstance(fault, Problem) else None
        why = say.say(told) if told else say("league.not_reached", url=member.url, reason=str(fault))
        print(f"companion league: {why}", file=sys.stderr)
    kept_settings.save(msgspec.structs.replace(kept_settings.load(), league=None))
    print(say("league.left", club=member.club_name))
    return 0


def _status(_arguments: argparse.Namespace, say: Translator) -> int:
    member = _member()
    print(say("league.member", club=member.club_name, table=member.table, url=member.url))
    return 0


def _rebuild(arguments: argparse.Namespace, say: Translator) -> int:
    told = 0

    def tell(entries: int) -> None:
        nonlocal told
        if entries >= told + _EACH and sys.stderr.isatty():
            told = entries
            print(say("league.rebuilding", n=entries), end="\r", file=sys.stderr, flush=True)

    with database(arguments.database) as url:
        club = league.club.opened(url, arguments.name)
        entries = league.projections.rebuild(url, club.number, tell)
    print(say("league.rebuilt", n=entries, club=club.name))
    return 0


DEEDS: Mapping[str, Callable[[argparse.Namespace, Translator], int]] = {
    "serve": _serve,
    "join": _join,
    "leave": _leave,
    "status": _status,
    "rebuild": _rebuild,
}
