"""The league: from an act at a table to the club's page, and standings over many results."""

from __future__ import annotations

import http.client
import json
import multiprocessing
import random
import tempfile
import threading
import time
from collections import defaultdict, deque
from collections.abc import Iterator
from contextlib import closing, contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import uvicorn
from psycopg import Connection as Database

from bench.harness import Figure, Options, quantile, timed
from companion.league import club, postgres
from companion.league.demo import SimulatedTable
from companion.league.people import named
from companion.league.postgres import Postgres
from companion.league.ratings import follow
from companion.league.seating import Played, draw
from companion.league.server import LeagueServer
from companion.league.site import Site
from companion.league.standings import standings
from companion.share.address import LOOPBACK, here
from companion.texts import Translator

TABLES, SECONDS = 200, 20.0
"""Tables that play, an act a second each; how long they are watched."""
WATCHERS = 3
"""Browsers that follow the page of all tables."""
RESULTS, PEOPLE = 20_000, 300
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


def club_pages(options: Options) -> Iterator[Figure]:
    """Two hundred simulated tables, an act a second each: from the act at a table to its piece in a
    browser that shows all of them; server, database, tables and browsers on this machine."""
    tables = options.many(TABLES)
    with _database() as url, _serving(url) as (address, code):
        players = [SimulatedTable(address, code, f"Table {number}") for number in range(1, tables + 1)]
        for table in players:
            table.begin("dtc", 4, time.time())
        watchers = [_Watcher(address) for _ in range(WATCHERS)]
        time.sleep(2.0)  # the first, whole page is no figure
        sent = _play(players, options.seed)
        time.sleep(2.0)
        waits = [
            wait for one in watchers for name, acts in sent.items() for wait in _waits(acts, one.came[name])
        ]
        p95 = quantile(waits, 0.95)
        acts = sum(map(len, sent.values()))
        yield Figure(
            "act at a table to the page of all tables: median, 95 of 100",
            f"{1000 * quantile(waits, 0.5):.0f}, {1000 * p95:.0f} ms",
            "250 ms (95 of 100)",
            f"{tables} tables, {acts / SECONDS:.0f} acts/s, {WATCHERS} browsers, {len(waits)} pieces",
            p95 <= 0.25,
        )
        for table in players:
            table.line.close()


def _play(players: list[SimulatedTable], seed: int) -> dict[str, list[float]]:
    """Let each table act once a second; return when each did, by the id of its piece."""
    sent: dict[str, list[float]] = {f"t{table.number}": [] for table in players}
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
                sent[f"t{table.number}"].append(time.monotonic())
                table.act()

    hands = [
        threading.Thread(target=hand, args=(players[number::10],)) for number in range(min(10, len(players)))
    ]
    for one in hands:
        one.start()
    for one in hands:
        one.join()
    return sent


def _waits(acts: list[float], came: deque[float]) -> Iterator[float]:
    """Give how long each piece waited: since the last act before it, if that was no other's."""
    for at, act in enumerate(acts):
        until = acts[at + 1] if at + 1 < len(acts) else act + 2.0
        found = next((when for when in came if act < when <= until), None)
        if found is not None:
            yield found - act


def club_standings(options: Options) -> Iterator[Figure]:
    """Standings and ratings over twenty thousand results of one game, and a round drawn for two
    hundred people."""
    with _database("fsync=off") as url, closing(postgres.connect(url)) as db:
        number = club.opened(url, "Club").number
        games = options.many(RESULTS / 4)
        _fill(db, number, games, options.seed)
        told = f"{4 * games} results, {PEOPLE} people"
        standings(db, number, "dtc")
        spent, _ = timed(lambda: [standings(db, number, "dtc") for _ in range(10)], lambda: _processor(db))
        yield Figure(
            "standings, the database's processor", f"{100 * spent:.0f} ms", "50 ms", told, spent <= 0.5
        )
        rated, _ = timed(lambda: follow(db, number))
        yield Figure("all ratings folded anew", f"{rated:.2f} s", "–", told)
    played = {str(one): Played(one % 40) for one in range(200)}
    spent, _ = timed(
        lambda: draw(played, {}, (), ("bench", 1), wanted=4, seats=range(3, 8)), time.process_time
    )
    yield Figure("a round drawn", f"{spent:.2f} s", "–", "200 people, tables of four; processor")


def _processor(db: Database[Any]) -> float:
    """Seconds of the processor that the database has spent on this connection (Linux tells it);
    elsewhere the time."""
    own = Path(f"/proc/{db.info.backend_pid}/schedstat")
    return int(own.read_text().split()[0]) / 1e9 if own.exists() else time.perf_counter()


def _fill(db: Database[Any], number: int, games: int, seed: int) -> None:
    dice = random.Random(seed)
    db.execute("INSERT INTO tables (club, key, name) VALUES (%s, %s, 'One')", (number, bytes(32)))
    people = [named(db, number, f"Person {one}") for one in range(PEOPLE)]
    sessions = [uuid4() for _ in range(games)]
    with db.cursor() as cursor:
        head = "COPY sessions (club, session, tbl, game, begun, setup, next, head, signature) FROM STDIN"
        with cursor.copy(head) as rows:
            for at, one in enumerate(sessions):
                rows.write_row((number, one, 1, "dtc", at, b"", 1, b"", b""))
        with cursor.copy("COPY entries FROM STDIN") as rows:
            for at, one in enumerate(sessions):
                rows.write_row((one, 0, at + 1, 0, "act", 0, 3, bytes(300), b""))
        with cursor.copy("COPY results FROM STDIN") as rows:
            for one in sessions:
                for place, person in enumerate(dice.sample(people, 4), 1):
                    rows.write_row((one, f"s{place}", number, person, place, place, "checked"))
    db.execute("ANALYZE")
