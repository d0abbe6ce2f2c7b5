"""Run a demo of the league: eight simulated tables of a club.

Six tables play a tournament of Donkey Valley, round after round; two play other games. They are
tables like any other: each has its own key, chain and connection to the server. The first round is
played at once.
"""

from __future__ import annotations

import heapq
import threading
import time
from contextlib import suppress
from itertools import count
from random import Random
from uuid import UUID

import psycopg

from companion.demo.actions import make_players
from companion.journal import schema
from companion.journal.saved_session import Row, StoredRows
from companion.league import chain, people, postgres, rounds
from companion.league.chain import ChainedEntry, ChainedSession
from companion.league.club import Club
from companion.league.protocol import JoinCode, ServerUnreachable, TableConnection
from companion.league.tournaments import begin_tournament
from companion.rules import registry
from companion.rules.acts import Entry
from companion.rules.commitments import HiddenSeed
from companion.rules.contract import Problem, Setup
from companion.rules.people import list_seat_labels
from companion.rules.session import Session

TOURNAMENT = "donkey_valley"
OTHERS = ("partners", "ascend")
"""Games of the two tables that are not in the tournament."""
TABLES = 8
AT_A_TABLE = 5
NAMES = (
    *("Ann", "Ben", "Chloé", "Dora", "Emil", "Fanny", "Gaël", "Hanna", "Igor"),
    *("Jana", "Karim", "Léa", "Milo", "Nora", "Oscar", "Petra", "Quentin", "Rosa"),
    *("Sami", "Tilda", "Ugo", "Vera", "Wim", "Xenia", "Yann", "Zoé", "Anselm"),
    *("Béatrice", "Cosimo", "Delphine", "Edgar", "Frida", "Goran", "Hélène"),
)
THOUGHT = (0.8, 2.6)
"""Seconds between two acts at a table: minimum and maximum."""
BREAK = 15.0
"""Seconds between the end of a round and the draw of the next."""


class SimulatedTable:
    """A table without cards: simulated players, and a connection to the server."""

    def __init__(self, url: str, code: str, name: str) -> None:
        typed = JoinCode.from_text(code)
        self.connection = TableConnection(url, chain.generate_key(), check=typed.check)
        self.number = self.connection.join_club(typed.code, name).table
        self.is_over = True

    def begin_session(self, game_id: str, seats: int, begun: float) -> UUID:
        """Begin a session with this number of seats; return its id."""
        game = registry.load_game(game_id)
        setup = Setup(game.id, list_seat_labels(seats), dict(game.default_options({})), HiddenSeed())
        data = schema.encode_setup(setup)
        digest = schema.compute_row_digest(0, game.id, data, b"", begun)
        self._written = StoredRows(1, (begun, game.id, data, b"", digest))
        self._head = ChainedSession.from_head(begun, game.id, data)
        self._last_digest, self._sent = self.connection.compute_genesis(self._head), 0
        self.connection.announce_session(self._head)
        self._session = Session(game, setup, self._store_entry)
        self._players = make_players(setup)
        self.is_over = False
        return self._head.session

    @property
    def sent_count(self) -> int:
        """Number of entries of the current session that the server has."""
        return self._sent

    def _store_entry(self, entry: Entry) -> None:
        self._written.add_row(self._written.build_row(entry, time.time()))

    def play_acts(self, acts: int = 1) -> None:
        """Let the players perform this number of acts (fewer if the game ends), and send them."""
        for _ in range(acts):
            action = self._players.next_action(self._session.list_acts(), self._session.view())
            if action is None:
                self.is_over = True
                break
            self._session.act(action.request)
            self.is_over = self._session.is_over
        rows: list[Row] = self._written.rows[self._sent :]
        for first in range(0, len(rows), chain.MOST_ENTRIES):
            self._send_batch([ChainedEntry.from_row(row) for row in rows[first : first + chain.MOST_ENTRIES]])

    def _send_batch(self, entries: list[ChainedEntry]) -> None:
        digests = chain.compute_digests(self._last_digest, self._sent, entries)
        first, known = self._sent, [self._last_digest, *digests]
        self.connection.send_entries(self._head.session, first, known, entries)
        self._last_digest, self._sent = digests[-1], self._sent + len(entries)


class LeagueDemo:
    """The simulated tables, playing in their own thread until `close`. `url`: the server's, already
    listening; `database`: the club's; `check`: see `JoinCode`."""

    def __init__(self, url: str, database: str, club: Club, check: str = "") -> None:
        # A fixed seed, so that the pace of the tables is the same each time.
        self._dice, self._club, self._url = Random(1), club.number, url
        self._code = str(JoinCode(club.code, check))
        self._db = postgres.connect_database(database)
        self.tables: list[SimulatedTable] = []
        self._others: dict[SimulatedTable, str] = {}
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run_demo, name="league demo", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop playing and close all connections."""
        self._ending.set()
        self._thread.join()
        for table in self.tables:
            table.connection.close()
        self._db.close()

    def _run_demo(self) -> None:
        # The demo ends when the server goes away; a traceback would help nobody.
        with suppress(ServerUnreachable, Problem, psycopg.Error):
            self._open_tables()
            self._draw_round()
            for table in self.tables[: -len(OTHERS)]:
                while not table.is_over and not self._ending.is_set():
                    table.play_acts(50)
            self._play_loop()

    def _open_tables(self) -> None:
        for number in range(1, TABLES + 1):
            self.tables.append(SimulatedTable(self._url, self._code, f"Table {number}"))
        self._others = dict(zip(self.tables[-len(OTHERS) :], OTHERS, strict=True))
        number = begin_tournament(self._db, self._club, TOURNAMENT).number
        alone = 4 * len(OTHERS)
        # The last eight names play at the two other tables.
        for name in NAMES[:-alone]:
            rounds.enter_person(self._db, number, people.find_or_add_person(self._db, self._club, name))
        for table in self._others:
            self._begin_side_game(table)

    def _begin_side_game(self, table: SimulatedTable) -> None:
        first = 4 * [*self._others].index(table)
        names = NAMES[len(NAMES) - 4 * len(OTHERS) :][first : first + 4]
        session = table.begin_session(self._others[table], 4, time.time())
        seats = dict(zip(list_seat_labels(4), names, strict=True))
        table.connection.send_seats(session, seats)

    def _draw_round(self) -> None:
        round_drawn = rounds.draw_round(self._db, self._club, TOURNAMENT, AT_A_TABLE)
        by_name = {f"Table {number}": table for number, table in enumerate(self.tables, 1)}
        for board in round_drawn.boards:
            if board.laptop is not None:
                by_name[board.laptop].begin_session(TOURNAMENT, len(board.places), time.time())

    def _play_loop(self) -> None:
        # Breaks ties in the heap: tables themselves cannot be compared.
        order = count()
        due = [(time.monotonic(), next(order), table) for table in self.tables]
        finished: float | None = None
        while not self._ending.is_set():
            when, _, table = heapq.heappop(due)
            self._ending.wait(max(0.0, when - time.monotonic()))
            if not table.is_over:
                table.play_acts()
            elif table in self._others:
                self._begin_side_game(table)
            heapq.heappush(due, (time.monotonic() + self._dice.uniform(*THOUGHT), next(order), table))
            finished = self._draw_next_round(finished)

    def _draw_next_round(self, finished: float | None) -> float | None:
        """Draw the next round `BREAK` seconds after the last one has ended."""
        now = time.monotonic()
        if not all(table.is_over for table in self.tables if table not in self._others):
            return None
        if finished is not None and now - finished > BREAK:
            with suppress(Problem):  # a result has not arrived yet
                self._draw_round()
                return None
        return finished or now
