"""`companion league`: run the server of a club with many tables, draw its rounds, and let this
table join one."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import ipaddress
import secrets
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion import league
from companion import settings as saved_settings
from companion.commands.common import (
    add_json_option,
    add_language_option,
    add_sheet_options,
    print_json,
    read_sheet_style,
)
from companion.commands.running import exit_on_signals
from companion.journal.export import NoFinishedSession
from companion.journal.store import default_journal_path, journal_exists
from companion.league import chain
from companion.league.membership import Membership, load_membership, save_membership
from companion.league.protocol import JoinCode, ServerUnreachable, TableConnection
from companion.rules.contract import Problem, Text
from companion.texts import Translator, describe_os_error, make_encoding_problem
from companion.web.addresses import LOOPBACK, build_origin, find_local_address, is_loopback, listen_at
from companion.web.request_checks import SiteRules
from companion.web.server import GuardedServer

if TYPE_CHECKING:
    from psycopg import Connection

    from companion.league.club import Club
    from companion.league.server_identity import ServerIdentity

PORT = 8650
EVERYWHERE = "0.0.0.0"
_LIBRARIES = {"jinja2", "openskill", "psycopg"}
"""Libraries of the extra `league`; a table that has joined needs none of them."""
_PAUSE = 1.0
"""Seconds to the next attempt while the database is down."""
_EACH = 10_000
"""Entries between two progress messages of a rebuild."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the subcommands of `companion league`."""
    todo = parser.add_subparsers(dest="todo", metavar="|".join(ACTIONS), required=True)
    serving = todo.add_parser("serve", help="league.serve")
    serving.add_argument("--host", metavar="H", default=EVERYWHERE, help="league.serve.host")
    serving.add_argument("--port", type=int, default=PORT, help="league.serve.port")
    encryption = serving.add_mutually_exclusive_group()
    encryption.add_argument("--certificate", type=Path, metavar="FILE", help="league.serve.certificate")
    encryption.add_argument("--http", action="store_true", help="league.serve.http")
    serving.add_argument("--key", type=Path, metavar="FILE", help="league.serve.key")
    serving.add_argument(
        "--found-at", metavar="NAME|URL", action="append", default=[], help="league.serve.found_at"
    )
    serving.add_argument("--new-link", action="store_true", help="league.serve.new_link")
    joining = todo.add_parser("join", help="league.join")
    joining.add_argument("url", metavar="URL", help="league.join.url")
    joining.add_argument("code", metavar="CODE", help="league.join.code")
    joining.add_argument("--table", metavar="NAME", help="league.join.table")
    leaving = todo.add_parser("leave", help="league.leave")
    status = todo.add_parser("status", help="league.status")
    add_json_option(status)
    rebuilding = todo.add_parser("rebuild", help="league.rebuild")
    exporting = todo.add_parser("export", help="league.export")
    exporting.add_argument(
        "--format", choices=("csv", "json", "bgstats"), default="csv", help="league.export.format"
    )
    add_sheet_options(exporting)
    pairing = todo.add_parser("pair", help="league.pair")
    pairing.add_argument("--game", metavar="ID", help="league.pair.game")
    pairing.add_argument("--seats", type=int, choices=range(2, 8), metavar="2-7", help="league.pair.seats")
    pairing.add_argument("--again", action="store_true", help="league.pair.again")
    pairing.add_argument("--final", type=int, choices=range(2, 65), metavar="N", help="league.pair.final")
    for command in (serving, rebuilding, exporting, pairing):
        where = command.add_mutually_exclusive_group()
        where.add_argument("--database", metavar="URL", help="league.database")
        if command is serving:
            where.add_argument("--demo", action="store_true", help="league.serve.demo")
        command.add_argument("--name", metavar="TEXT", help="league.club")
    for command in (serving, joining, leaving, status, rebuilding, exporting, pairing):
        add_language_option(command)


def run(arguments: argparse.Namespace) -> int:
    """Run the subcommand; return 0. Raises `Problem` if it cannot be done."""
    try:
        return ACTIONS[arguments.todo](arguments, Translator(arguments.lang))
    except ModuleNotFoundError as fault:
        if (fault.name or "").partition(".")[0] in _LIBRARIES:
            raise Problem("league.no_extra") from None
        raise
    except UnicodeEncodeError as fault:  # in something that was typed
        raise make_encoding_problem(fault) from None
    except Exception as fault:  # psycopg's is known by name: it is not loaded here
        if type(fault).__module__.partition(".")[0] != "psycopg":
            raise
        reason = [*str(fault).splitlines(), type(fault).__name__][0]
        raise Problem("league.no_database", reason=reason) from None


@contextlib.contextmanager
def open_database(url: str | None, *, reuse_running: bool = False) -> Iterator[str]:
    """Yield the address of the named database, else of our own, which runs inside the block.

    `reuse_running`: if a server of the league is already running our own, use that one.
    """
    if url is not None:
        yield url
        return
    folder = league.postgres.find_data_folder()
    running = league.postgres.find_running_server(folder) if reuse_running else None
    if running is not None:
        yield running
        return
    with league.postgres.Postgres(folder) as own:
        yield own.url


@contextlib.contextmanager
def _open_demo_database() -> Iterator[str]:
    """Yield the address of a database that is deleted afterwards."""
    above = Path(tempfile.gettempdir()) / f"league-demo-{secrets.token_hex(8)}"
    try:
        with league.postgres.Postgres(above / "data") as own:
            yield own.url
    finally:
        shutil.rmtree(above, ignore_errors=True)


def _run_serve(arguments: argparse.Namespace, translator: Translator) -> int:
    # Ends the database too, which runs as a process of its own.
    exit_on_signals()
    if arguments.key is not None and arguments.certificate is None:
        raise Problem("league.key_alone", file=str(arguments.key))
    _check_found_at(arguments.found_at)
    address_args = {"host": arguments.host, "port": str(arguments.port)}
    if arguments.port not in range(1 << 16):
        raise Problem("league.no_port", **address_args, reason=Text("league.no_number"))
    try:
        arguments.host.encode("idna")
        # Before the database is started: a busy port is reported at once.
        listener = listen_at(arguments.host, arguments.port)
    except OSError as fault:
        raise Problem("league.no_port", **address_args, reason=describe_os_error(fault)) from None
    except UnicodeError:
        raise Problem("league.no_port", **address_args, reason=Text("league.no_name")) from None
    data = _open_demo_database() if arguments.demo else open_database(arguments.database)
    with listener, data as url, contextlib.ExitStack() as open_things:
        report_availability = _make_away_reporter(translator)
        # A named database that is down at the start is waited for, as it is later.
        club = _open_club(url, arguments.name, report_availability)
        key = league.club.find_organiser_key(url, club.number, renew=arguments.new_link)
        pages = league.site.Site(url, club, translator, key)
        open_things.enter_context(contextlib.closing(pages))
        with contextlib.closing(
            league.server.LeagueServer(url, club, pages.routes, report_availability)
        ) as server:
            pages.next_news_event = server.next_news_event
            host = arguments.host if arguments.host != EVERYWHERE else _find_own_address()
            identity = _find_identity(arguments, host)
            check = identity.check if identity else ""
            rules = _make_site_rules(arguments.found_at, host, arguments.port, identity, translator)
            address = next(iter(rules.origins))
            print(translator("league.serves", club=club.name, address=address), flush=True)
            print(
                translator("league.join_by", address=address, code=str(JoinCode(club.code, check))),
                flush=True,
            )
            print(translator("league.organise_at", address=f"{address}/organise#{key}"), flush=True)
            if identity and check:
                fingerprint = identity.certificate.fingerprint
                print(translator("league.own_certificate", fingerprint=fingerprint), flush=True)
            guarded = GuardedServer(
                server.app, rules, league.server.LEAGUE_LIMITS, identity and identity.certificate.context
            )
            if arguments.demo:
                here = LOOPBACK if arguments.host == EVERYWHERE else arguments.host
                own = f"{'https' if identity else 'http'}://{here}:{arguments.port}"
                tables = league.demo.LeagueDemo(own, url, club, check)
                open_things.enter_context(contextlib.closing(tables))
            asyncio.run(guarded.serve(listener))
    return 0


def _find_identity(arguments: argparse.Namespace, host: str) -> ServerIdentity | None:
    """Return the server's certificate; None for HTTP: if so asked, or if nobody else can reach
    it."""
    if arguments.certificate is not None:
        return league.server_identity.load_given_identity(arguments.certificate, arguments.key)
    # Nobody can listen on loopback but this computer itself, and browsers trust it without TLS.
    if arguments.http or is_loopback(host):
        return None
    try:
        address = str(ipaddress.ip_address(host))
    except ValueError:  # a name of this computer
        address = LOOPBACK
    return league.server_identity.ensure_own_identity(address)


def _make_site_rules(
    found_at: Sequence[str], host: str, port: int, identity: ServerIdentity | None, translator: Translator
) -> SiteRules:
    """Return the addresses by which the server may be asked: those given (the first of all is
    printed), those of a given certificate, its host, and those at which it listens."""
    given = identity.certificate.names if identity and not identity.check else ()
    secure = identity is not None
    names = [*found_at, *(one for one in given if "*" not in one), host, "localhost"]
    origins = [build_origin(_bracket(one), secure=secure, port=port) for one in names]
    return SiteRules(
        origins,
        secure,
        own_addresses=True,
        for_programs=league.server.PROGRAM_PATHS,
        describe_misdirection=lambda address: translator("league.other_address", address=address),
    )


def _check_found_at(names: Sequence[str]) -> None:
    for name in names:
        try:
            build_origin(_bracket(name), secure=True, port=PORT)
        except ValueError:
            raise Problem("league.no_address", name=name) from None


def _bracket(host: str) -> str:
    """Return an IPv6 address in brackets, as addresses of pages have it; anything else as it is."""
    try:
        return f"[{ipaddress.IPv6Address(host)}]"
    except ValueError:
        return host


def _make_away_reporter(translator: Translator) -> Callable[[Text | None], None]:
    """Return a function that reports once that the database is down, and once that it is back
    (None)."""
    known: list[Text] = []

    def report_availability(problem: Text | None) -> None:
        if (problem is None) == (not known):
            return
        message = (
            translator("league.there_again")
            if problem is None
            else f"{translator.translate(problem).rstrip('.')}. {translator('league.waits')}"
        )
        known[:] = [] if problem is None else [problem]
        print(f"companion league: {message}", file=sys.stderr, flush=True)

    return report_availability


def _open_club(url: str, name: str | None, report_availability: Callable[[Text | None], None]) -> Club:
    """Find the club or create it, waiting for the database."""
    while True:
        try:
            found = league.club.open_club(url, name)
        except league.postgres.DatabaseUnavailable as fault:
            report_availability(fault.text)
            time.sleep(_PAUSE)
        else:
            report_availability(None)
            return found


def _find_own_address() -> str:
    with contextlib.suppress(OSError):
        return find_local_address()
    return LOOPBACK


def _run_join(arguments: argparse.Namespace, translator: Translator) -> int:
    member = load_membership()
    if member is not None:
        raise Problem("league.joined_already", club=member.club_name)
    # Before the code is used up: without the key that it is for it is lost.
    saved_settings.change_settings(lambda before: before)
    key, name = chain.generate_key(), arguments.table or socket.gethostname()
    typed = JoinCode.from_text(arguments.code)
    with contextlib.closing(TableConnection(arguments.url, key, check=typed.check)) as line:
        try:
            joined = line.join_club(typed.code, name)
        except ServerUnreachable as fault:
            raise Problem("league.not_reached", url=line.url, reason=str(fault)) from None
    membership = Membership(
        line.url,
        joined.club.hex,
        joined.name,
        name,
        key.private_bytes_raw().hex(),
        time.time(),
        line.server_key.hex(),
    )
    save_membership(membership)
    print(translator("league.joined", club=joined.name, table=name))
    return 0


def _require_membership() -> Membership:
    found = load_membership()
    if found is None:
        raise Problem("league.none")
    return found


def _run_leave(_arguments: argparse.Namespace, translator: Translator) -> int:
    try:
        member = _require_membership()
    except Problem:
        # Settings that cannot be used are removed all the same, so that the table can join again.
        save_membership(None)
        raise
    save_membership(None)
    try:
        with contextlib.closing(TableConnection.from_membership(member)) as line:
            line.leave_club()
    except (ServerUnreachable, Problem) as fault:  # left all the same: it sends nothing more
        refusal = fault.text if isinstance(fault, Problem) else None
        reason = (
            translator.translate(refusal)
            if refusal
            else translator("league.not_reached", url=member.url, reason=str(fault))
        )
        print(f"companion league: {reason}", file=sys.stderr)
    print(translator("league.left", club=member.club_name))
    return 0


def _run_status(arguments: argparse.Namespace, translator: Translator) -> int:
    member = _require_membership()
    if not arguments.json:
        print(translator("league.member", club=member.club_name, table=member.table, url=member.url))
    outbox = league.outbox.Outbox(member, default_journal_path, lambda _lamp: None)
    status = outbox.send_pending()
    outbox.close()
    reachable = status.connected or not journal_exists(
        default_journal_path()
    )  # before the first game the server is not asked
    texts = [Text("league.there" if reachable and not status.waiting else "league.away"), status.trouble]
    # After the attempt to send, so that it says how things stand now.
    if arguments.json:
        print_json(
            {
                "club": member.club_name,
                "table": member.table,
                "url": member.url,
                "connected": reachable,
                "waiting": status.waiting,
                "trouble": translator.translate(status.trouble) if status.trouble else None,
            }
        )
        return 0
    if status.waiting:
        texts.insert(0, Text("league.lamp.waiting", {"n": status.waiting}))
    for text in texts:
        if text is not None:
            print(translator.translate(text))
    return 0


def _run_rebuild(arguments: argparse.Namespace, translator: Translator) -> int:
    last_shown = 0

    def print_progress(entries: int) -> None:
        nonlocal last_shown
        if entries >= last_shown + _EACH and sys.stderr.isatty():
            last_shown = entries
            print(translator("league.rebuilding", n=entries), end="\r", file=sys.stderr, flush=True)

    with open_database(arguments.database, reuse_running=True) as url:
        club = league.club.open_club(url, arguments.name)
        entries = league.projections.rebuild_projections(url, club.number, print_progress)
        with contextlib.closing(league.postgres.connect_database(url)) as db:
            league.ratings.update_ratings(db, club.number)
    print(translator("league.rebuilt", n=entries, club=club.name))
    return 0


def _run_export(arguments: argparse.Namespace, _translator: Translator) -> int:
    with _connect_club(arguments) as (db, club):
        try:
            export = league.export.FORMATS[arguments.format]
            if arguments.format == "csv":
                export = partial(league.export.format_csv, style=read_sheet_style(arguments))
            exported = export(db, club.number, arguments.lang)
        except NoFinishedSession as fault:
            raise Problem("export.not_finished") from fault
    sys.stdout.buffer.write(exported.encode())  # UTF-8, whatever the terminal shows
    sys.stdout.buffer.flush()
    return 0


def _run_pair(arguments: argparse.Namespace, translator: Translator) -> int:
    with _connect_club(arguments) as (db, club):
        round_drawn = league.rounds.draw_round(
            db,
            club.number,
            arguments.game,
            arguments.seats,
            again=arguments.again,
            finalists=arguments.final,
        )
    for line in league.rounds.format_round(round_drawn, translator):
        print(line)
    return 0


@contextlib.contextmanager
def _connect_club(arguments: argparse.Namespace) -> Iterator[tuple[Connection[Any], Club]]:
    with open_database(arguments.database, reuse_running=True) as url:
        club = league.club.open_club(url, arguments.name)
        with contextlib.closing(league.postgres.connect_database(url)) as db:
            yield db, club


ACTIONS: Mapping[str, Callable[[argparse.Namespace, Translator], int]] = {
    "serve": _run_serve,
    "join": _run_join,
    "leave": _run_leave,
    "status": _run_status,
    "rebuild": _run_rebuild,
    "export": _run_export,
    "pair": _run_pair,
}
