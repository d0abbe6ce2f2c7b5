"""The league: from an act at a table to the feed and to the club's page, how much one server takes,
how long it takes to project it anew, and standings over many results."""

from __future__ import annotations

import http.client
import json
import multiprocessing
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
import uvicorn
from psycopg import Connection as Database

from bench.harness import Figure, Options, megabytes, quantile, timed
from companion.demo.actions import players_of
from companion.journal import schema
from companion.league import chain, club, postgres
from companion.league.chain import ChainedEntry, ChainedSession
from companion.league.demo import SimulatedTable
from companion.league.people import named
from companion.league.postgres import Postgres
from companion.league.projections import rebuild
from companion.league.protocol import TableLine
from companion.league.ratings import follow
from companion.league.rounds import standings
from companion.league.server import LeagueServer
from companion.league.site import Site
from companion.rules import registry
from companion.rules.acts import Entry
from companion.rules.commitments import HiddenSeed
from companion.rules.contract import Setup
from companion.rules.people import seat_labels
from companion.rules.session import Session
from companion.settings import Membership
from companion.share.address import LOOPBACK, here
from companion.texts import Translator
from tests.simulated.network import Network

TABLES, SECONDS = 200, 20.0
"""Tables that play, an act a second each; how long they are watched."""
WATCHERS = 3
"""Browsers that follow the page of all tables."""
SESSIONS, REBUILT = 40, 100
"""Sessions of four hundred entries that catch up, and that are projected anew."""
PEOPLE = 300
PROGRAMS, OUTAGE, ACTS, KILLS = 10, 30.0, 200, 15
"""Tables that are programs; seconds for which they have no network; what each keeps at least; how
many of them are killed meanwhile."""
SPAWN = multiprocessing.get_context("spawn")


@contextmanager
def _database(*settings: str) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="league", ignore_cleanup_errors=True) as above:
        Path(above).chmod(0o755)  # as root, PostgreSQL is another user
        with Postgres(Path(above) / "data", settings) as own:
            yield own.url


def serve_pages(url: str, told: Connection) -> None:
    """Be a club's server with its pages, until killed; tell the port and the code."""
    of = club.opened(url, "Club")
    site = Site(url, of, Translator("en"), "key")
    server = LeagueServer(url, of, site.routes)
    site.news = server.next_news
    place = here(0)
    told.send((place.port, of.code))
    config = uvicorn.Config(server.app, http="h11", ws="none", lifespan="off", log_config=None)
    uvicorn.Server(config).run([place.listener])


@contextmanager
def _serving(url: str) -> Iterator[tuple[str, str]]:
    ours, theirs = SPAWN.Pipe()
    process = SPAWN.Process(target=serve_pages, args=(url, theirs), daemon=True)
    process.start()
    try:
        port, code = ours.recv()
        yield f"http://{LOOPBACK}:{port}", code
    finally:
        process.kill()
        process.join()


class _Watcher(threading.Thread):
    """A browser at the page of all tables: notes when the piece of each table came."""

    def __init__(self, url: str) -> None:
        super().__init__(daemon=True)
        self.came: dict[str, deque[float]] = defaultdict(deque)
        self._line = http.client.HTTPConnection(urlsplit(url).netloc)
        self._line.request("GET", "/live?page=/")
        self._answer = self._line.getresponse()
        self.start()

    def run(self) -> None:
        """Read until the server goes."""
        for line in self._answer:
            now = time.monotonic()
            if line.startswith(b"data: "):
                for name in json.loads(line[6:])["pieces"]:
                    self.came[name].append(now)


def club_live(options: Options) -> Iterator[Figure]:
    """Two hundred simulated tables, an act a second each: from the act at a table to the line of
    the feed that tells it, and to its piece in a browser that shows all tables; server, database,
    tables, reader and browsers on this machine."""
    tables = options.many(TABLES)
    with _database() as url, _serving(url) as (address, code):
        players = [SimulatedTable(address, code, f"Table {number}") for number in range(1, tables + 1)]
        session = {table: str(table.begin("partners", 4, time.time())) for table in players}
        reader, watchers = _FeedReader(address), [_Watcher(address) for _ in range(WATCHERS)]
        time.sleep(2.0)  # the first, whole page is no figure
        sent: dict[str, dict[tuple[str, int], float]] = defaultdict(dict)

        def note(table: SimulatedTable, now: float) -> None:
            sent[f"t{table.number}"][session[table], table.sent] = now

        _play(players, options.seed, note)
        time.sleep(2.0)
        for table in players:
            table.line.close()
    made = {entry: when for acts in sent.values() for entry, when in acts.items()}
    fed = [reader.came[entry] - when for entry, when in made.items() if entry in reader.came]
    shown = [
        wait
        for one in watchers
        for name, acts in sent.items()
        for wait in _waits([*acts.values()], one.came[name])
    ]
    told = f"{tables} tables, {len(made) / SECONDS:.0f} acts/s, {WATCHERS} browsers"
    missing = len(made) - len(fed)
    for where, waits, more, whole in (
        ("the feed", fed, f"{missing} of {len(made)} missing", not missing),
        ("the page of all tables", shown, f"{len(shown)} pieces", True),
    ):
        p95 = quantile(waits, 0.95)
        yield Figure(
            f"act at a table to {where}: median, 95 of 100",
            f"{1000 * quantile(waits, 0.5):.0f}, {1000 * p95:.0f} ms",
            "250 ms (95 of 100)",
            f"{told}, {more}",
            p95 <= 0.25 and whole,
        )


def _play(players: list[SimulatedTable], seed: int, note: Callable[[SimulatedTable, float], object]) -> None:
    """Let each table act once a second; `note` hears of each act, and when it is made."""
    ends = time.monotonic() + SECONDS

    def hand(own: list[SimulatedTable]) -> None:
        dice = random.Random(seed + own[0].number)
        due = {table: time.monotonic() + dice.random() for table in own}
        while (now := time.monotonic()) < ends:
            table = min(due, key=lambda one: due[one])
            time.sleep(max(0.0, due[table] - now))
            due[table] += 1.0
            if table.over:
                table.begin("dtc", 4, time.time())
            else:
                note(table, time.monotonic())
                table.act()

    hands = [
        threading.Thread(target=hand, args=(players[number::10],)) for number in range(min(10, len(players)))
    ]
    for one in hands:
        one.start()
    for one in hands:
        one.join()


class _FeedReader(threading.Thread):
    """Who follows the feed: notes when each entry came, by session and number."""

    def __init__(self, url: str) -> None:
        super().__init__(daemon=True)
        self.came: dict[tuple[str, int], float] = {}
        self._line = http.client.HTTPConnection(urlsplit(url).netloc)
        self._line.request("GET", "/feed?after=0")
        self._answer = self._line.getresponse()
        self.start()

    def run(self) -> None:
        """Read until the server goes."""
        for line in self._answer:
            if line.startswith(b"data: "):
                told = json.loads(line[6:])
                self.came[told["session"], told["sequence"]] = time.monotonic()


def _evening(entries: int) -> tuple[bytes, list[ChainedEntry]]:
    """One set-up, and so many entries of a real game of Partners."""
    game = registry.load("partners")
    setup = Setup(game.id, seat_labels(4), dict(game.defaults({})), HiddenSeed())
    log: list[Entry] = []
    session = Session(game, setup, log.append, tells=False)
    players = players_of(setup)
    while len(log) < entries and (action := players.next(session.acts(), session.view())) is not None:
        session.act(action.request)
    told = [(one.kind, one.at, schema.encode_entry(one)) for one in log]
    return schema.encode_setup(setup), [
        ChainedEntry(1_700_000_000_000_000 + number, kind, at, schema.FORMAT, acts)
        for number, (kind, at, acts) in enumerate(told)
    ]


def club_entries(options: Options) -> Iterator[Figure]:
    """How many entries a second one server takes from tables that catch up, beside a bare loop of
    INSERTs and COPY into the same database; signing included."""
    setup, entries = _evening(400)
    sessions = options.many(SESSIONS)
    with _database() as url, _serving(url) as (address, code):
        told = f"{sessions} sessions of {len(entries)} entries, {sum(len(one.acts) for one in entries) // len(entries)} B each"
        spent = _catch_up(address, code, setup, entries, sessions)
        with closing(postgres.connect(url)) as db:
            (kept,) = db.execute("SELECT count(*) FROM entries").fetchone() or (0,)
            rate = kept / spent
            rows = [(one.kind, one.at, one.written, one.format, one.acts, bytes(32)) for one in entries]
            db.execute(
                "CREATE TABLE bare (kind text, at int, written bigint, format int, acts bytea, digest bytea)"
            )
            insert = "INSERT INTO bare VALUES (%s, %s, %s, %s, %s, %s)"
            one_by_one, _ = timed(lambda: [db.execute(insert, row) for row in rows])

            def copied() -> None:
                with db.cursor() as cursor, cursor.copy("COPY bare FROM STDIN") as target:
                    for row in rows * sessions:
                        target.write_row(row)

            copying, _ = timed(copied)
        beside = f"INSERTs {len(rows) / one_by_one:,.0f}/s, COPY {len(rows) * sessions / copying:,.0f}/s"
        whole = kept == sessions * len(entries)
        yield Figure(
            "entries into one server", f"{rate:,.0f}/s", beside, told, whole and rate > len(rows) / one_by_one
        )


def _catch_up(address: str, code: str, setup: bytes, entries: list[ChainedEntry], sessions: int) -> float:
    """Let four lines send so many sessions; return how many seconds that took."""
    key = chain.new_key()
    with closing(TableLine(address, key)) as line:
        joined = line.join(code, "One")

    def send(numbers: range) -> None:
        with closing(TableLine(address, key, joined.club, 60.0)) as line:
            for number in numbers:
                head = ChainedSession.of(1.6e9 + number, "partners", setup)
                assert line.begin(head).answer == "ok"
                first = line.genesis(head)
                digests = [first, *chain.digests(first, 0, entries)]
                assert line.send(head.session, 0, digests, entries).answer == "ok"

    def all_send() -> None:
        hands = [threading.Thread(target=send, args=(range(at, sessions, 4),)) for at in range(4)]
        for one in hands:
            one.start()
        for one in hands:
            one.join()

    return timed(all_send)[0]


def club_rebuild(options: Options) -> Iterator[Figure]:
    """Projections made anew, every act decided anew: entries a second of the processor, and how
    much memory grows from a quarter of them to all; then standings, ratings and intake beside them
    (a million: `--times 40`)."""
    setup, entries = _evening(400)
    with _database("fsync=off") as url, closing(postgres.connect(url)) as db:
        number = club.opened(url, "Club").number
        db.execute("INSERT INTO tables (club, key, name) VALUES (%s, %s, 'One')", (number, bytes(32)))
        done, memory = 0, None
        for sessions in (options.many(REBUILT / 4), options.many(REBUILT)):
            _copy_sessions(db, number, setup, entries, range(done, sessions))
            done = sessions
            spent, count = timed(lambda: rebuild(url, number), time.process_time)
            before, memory = memory, megabytes(os.getpid())
            told = f"{sessions} sessions of Partners, {count} entries; a million: {1e6 * spent / count:.0f} s"
            told += f"; memory {memory:.0f} MB" + ("" if before is None else f", {memory - before:+.0f} MB")
            yield Figure(
                "entries projected anew, a second of the processor", f"{count / spent:,.0f}", "–", told
            )
        beside = f"{count} entries, {done} games, {PEOPLE} people"
        spent = _standings_spent(db, number, "partners")
        yield Figure(
            "standings, the database's processor", f"{1000 * spent:.0f} ms", "50 ms", beside, spent <= 0.05
        )
        rated, _ = timed(lambda: follow(db, number))
        yield Figure("all ratings folded anew", f"{rated:.2f} s", "–", beside)
        with _serving(url) as (address, code):
            spent = _catch_up(address, code, setup, entries, SESSIONS)
            rate = f"{SESSIONS * len(entries) / spent:,.0f}/s"
            yield Figure("entries into one server that holds so many", rate, "–", beside)


def _copy_sessions(
    db: Database[Any], number: int, setup: bytes, entries: list[ChainedEntry], which: range
) -> None:
    heads = [ChainedSession.of(1.7e9 + one, "partners", setup) for one in which]
    columns = "sessions (club, session, tbl, game, begun, setup, next, head, signature)"
    with db.cursor() as cursor:
        with cursor.copy(f"COPY {columns} FROM STDIN") as rows:
            for head in heads:
                rows.write_row(
                    (
                        number,
                        head.session,
                        1,
                        head.game,
                        head.begun,
                        setup,
                        len(entries),
                        bytes(32),
                        bytes(64),
                    )
                )
        with cursor.copy("COPY entries FROM STDIN") as rows:
            for at, head in zip(which, heads, strict=True):
                for sequence, one in enumerate(entries):
                    feed = at * len(entries) + sequence + 1
                    row = (
                        head.session,
                        sequence,
                        feed,
                        one.written,
                        one.kind,
                        one.at,
                        one.format,
                        one.acts,
                        bytes(32),
                    )
                    rows.write_row(row)
        people = [named(db, number, f"Person {one}") for one in range(PEOPLE)]
        with cursor.copy("COPY seats FROM STDIN") as rows:
            for at, head in zip(which, heads, strict=True):
                for seat in range(4):
                    rows.write_row((head.session, f"s{seat + 1}", people[(7 * at + seat) % PEOPLE]))
    db.execute("UPDATE feed SET last = %s WHERE club = %s", (which.stop * len(entries), number))
    db.execute("ANALYZE")


def _waits(acts: list[float], came: deque[float]) -> Iterator[float]:
    """Give how long each piece waited: since the last act before it, if that was no other's."""
    for at, act in enumerate(acts):
        until = acts[at + 1] if at + 1 < len(acts) else act + 2.0
        found = next((when for when in came if act < when <= until), None)
        if found is not None:
            yield found - act


def _standings_spent(db: Database[Any], number: int, game: str) -> float:
    standings(db, number, game)
    return timed(lambda: [standings(db, number, game) for _ in range(10)], lambda: _processor(db))[0] / 10


def _processor(db: Database[Any]) -> float:
    """Seconds of the processor that the database has spent on this connection (Linux tells it);
    elsewhere the time."""
    own = Path(f"/proc/{db.info.backend_pid}/schedstat")
    return int(own.read_text().split()[0]) / 1e9 if own.exists() else time.perf_counter()


def club_outage(options: Options) -> Iterator[Figure]:
    """Ten tables, each a program, without network for a while (ten minutes: `--times 20`); all the
    time one or another is killed and begun anew: what they kept that the league then has."""
    seconds = OUTAGE * options.times
    dice = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder, _database() as url, ExitStack() as ends:
        address, code = ends.enter_context(_serving(url))
        network = ends.enter_context(closing(Network(urlsplit(address).port or 0)))
        through = f"http://{LOOPBACK}:{network.port}"
        journals = [f"{folder}/{number}.sqlite3" for number in range(1, PROGRAMS + 1)]
        commands = []
        for journal in journals:
            key = chain.new_key()
            with closing(TableLine(through, key)) as line:
                joined = line.join(code, Path(journal).stem)
            secret = key.private_bytes_raw().hex()
            member = Membership(through, joined.club.hex, joined.name, Path(journal).stem, secret, 0.0)
            told = msgspec.json.encode(member).decode()
            words = ["-m", "tests.league.table_program", journal, told, str(ACTS), str(seconds / ACTS)]
            commands.append([sys.executable, *words])
        tables = [subprocess.Popen(one, stdout=subprocess.DEVNULL) for one in commands]

        def end() -> None:
            for one in tables:
                one.kill()

        ends.callback(end)
        db = ends.enter_context(closing(postgres.connect(url)))

        def held() -> int:
            row = db.execute("SELECT count(*) FROM entries").fetchone()
            return int(row[0]) if row else 0

        while held() < 10 * PROGRAMS:
            time.sleep(0.1)
        network.cut()
        again = time.monotonic() + seconds
        kills = 0
        while time.monotonic() < again:
            time.sleep(seconds / KILLS)
            at = dice.randrange(PROGRAMS)
            if tables[at].poll() is None:
                tables[at].kill()
                tables[at].wait()
                tables[at] = subprocess.Popen(commands[at], stdout=subprocess.DEVNULL)
                kills += 1
        before, network.there = held(), True
        failed = sum(table.wait() for table in tables)
        kept = 0
        for journal in journals:
            with closing(sqlite3.connect(journal)) as own:
                kept += own.execute("SELECT count(*) FROM entries").fetchone()[0]
        (different,) = db.execute("SELECT count(DISTINCT digest) FROM entries").fetchone() or (0,)
        yield Figure(
            f"{seconds:.0f} s without network: entries kept at the tables, held by the league, twice",
            f"{kept}, {different}, {held() - different}",
            "all, none twice",
            f"{PROGRAMS} programs, {kills} kills; {kept - before} came after it",
            kept == different == held() and not failed,
        )
