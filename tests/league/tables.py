"""Tables and servers for the tests: a table has a real journal and plays a real game; a server is a
real one, on a real port."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import random
import threading
import time
from collections.abc import Iterator

from companion.journal import schema
from companion.journal.store import Store
from companion.league import chain, club
from companion.league.chain import ChainedEntry, ChainedSession
from companion.league.protocol import TableConnection
from companion.league.server import LEAGUE_LIMITS, PROGRAM_PATHS, LeagueServer
from companion.rules import registry
from companion.rules.commitments import HiddenSeed
from companion.rules.contract import Refusal, Setup
from companion.rules.people import list_seat_labels
from companion.rules.session import Session
from companion.web.addresses import listen_at
from companion.web.request_checks import SiteRules
from companion.web.server import GuardedServer


class PlayedTable:
    """A table with a journal, where somebody plays at random through the menus."""

    def __init__(self, file, game="dtc", players=3, seed=1, public=None, game_name=""):
        self.game, self.chance = registry.load_game(game), random.Random(seed)
        self.name = game_name or game
        self.store = Store.open(file)
        self.public, self.players = public, players
        if self.store.find_last_session() is None:
            self.begin()
        else:
            self.session = self.store.resume_session(1).restore_session(self.store.append)
            self.session.commit_new_seed()

    def begin(self):
        options = dict(self.game.default_options({}))
        seed = HiddenSeed() if self.public is None else self.public
        self.setup = Setup(self.name, list_seat_labels(self.players), options, seed)
        self.store.start_session(self.setup)
        self.session = Session(self.game, self.setup, self.store.append)

    def play(self, acts):
        """Play so many acts, fewer where the game ends."""
        done = 0
        while done < acts and not self.session.is_over:
            wait = self.chance.choice(self.session.view()["waiting_for"])
            choice = self.chance.choice(list(self.game.list_choices(self.session.state, wait["player"])))
            wish = choice.request
            if choice.pick is not None:
                cards = [card for card, copies in choice.pick.cards for _ in range(copies)]
                wish = choice.with_cards(self.chance.sample(cards, max(choice.pick.least, 1)))
            done += not isinstance(self.session.act(wish), Refusal)
        return self

    def replay(self, log):
        """Take over a log that was made elsewhere."""
        for kind, at, written_as, body in log:
            entry = schema.decode_entry(self.game, kind, at, body, written_as)
            self.session.replay_entries([entry])
            self.store.append(entry)

    @property
    def head(self):
        begun, game, setup, _salt, _digest = self.store._session_rows.head
        return ChainedSession.from_head(begun, game, setup)

    @property
    def entries(self):
        return [*map(ChainedEntry.from_row, self.store._session_rows.rows)]

    def digests(self, line):
        first = line.compute_genesis(self.head)
        return [first, *chain.compute_digests(first, 0, self.entries)]

    def send(self, line, first=0, last=None):
        """Send entries by hand, as the outbox does by itself."""
        last = len(self.entries) if last is None else last
        told = self.digests(line)[first : last + 1]
        return line.send_entries(self.head.session, first, told, self.entries[first:last])

    def send_rows(self, line, rows):
        """Send rows as they stand, whatever they hold."""
        entries, first = [*map(ChainedEntry.from_row, rows)], line.compute_genesis(self.head)
        return line.send_entries(
            self.head.session, 0, [first, *chain.compute_digests(first, 0, entries)], entries
        )


def until(done, seconds=30.0):
    """Wait until `done` says so; tell whether it did."""
    ends = time.monotonic() + seconds
    while not done():
        if time.monotonic() > ends:
            return False
        time.sleep(0.02)
    return True


MANY = dataclasses.replace(LEAGUE_LIMITS, burst=100_000, connections_per_network=500)
"""All tables of a test share one address."""


@contextlib.contextmanager
def served(app, port=0, limits=MANY, identity=None) -> Iterator[str]:
    """Serve an application behind the guard on a free port, in a thread; give its address."""
    listener = listen_at("127.0.0.1", port)
    rules = SiteRules((), identity is not None, own_addresses=True, for_programs=PROGRAM_PATHS)
    server = GuardedServer(app, rules, limits, identity and identity.certificate.context)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(listener)))
    thread.start()
    try:
        yield f"{'https' if identity else 'http'}://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        while _LINES:
            _LINES.pop().close()
        server.stop()
        thread.join()
        listener.close()


@contextlib.contextmanager
def league_server(database, name=None, port=0) -> Iterator[tuple[LeagueServer, str]]:
    """A server of the club of this name; give it and its address."""
    server = LeagueServer(database, club.open_club(database, name))
    try:
        with served(server.app, port) as url:
            yield server, url
    finally:
        server.close()


_LINES: list[TableConnection] = []


def line_to(url, key=None, club_id=None):
    """The line of a table, which is closed with the server."""
    _LINES.append(TableConnection(url, key or chain.generate_key(), club_id))
    return _LINES[-1]


def joined(server, url, name="One", key=None):
    """The line of a table that has joined."""
    line = line_to(url, key)
    line.join_club(server.club.code, name)
    return line
