"""Tables, servers and the database are programs of their own, and are killed while people play:
nothing is lost, nothing is there twice, and every digest is the one that the table has."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import msgspec
import psycopg
import pytest

from companion.league import chain, club
from companion.league.membership import Membership
from companion.league.postgres import Postgres, _accepts_connections
from companion.league.protocol import ServerUnreachable, TableConnection
from tests.league.conftest import NO_WAIT
from tests.league.tables import PlayedTable, until
from tests.league.test_league_commands import free_port

ACTS = 250
KILLS = int(os.environ.get("LEAGUE_KILLS", "2"))
"""Of each kind. Fifty take some minutes."""


class Killed:
    """A program that is killed, and begun again."""

    def __init__(self, *words):
        self.words = [sys.executable, "-m", *words]
        self.begin()

    def begin(self):
        self.program = subprocess.Popen(self.words, stdout=subprocess.DEVNULL)

    def kill(self):
        if self.program.poll() != 0:  # a table that has played to its end stays ended
            self.end()
            self.begin()

    def end(self):
        self.program.kill()
        self.program.wait()


@pytest.mark.slow
def test_whoever_is_killed_nothing_is_lost_and_nothing_twice(tmp_path):
    chance = random.Random(KILLS)
    above = Path(tempfile.mkdtemp(prefix="league"))
    above.chmod(0o755)
    with contextlib.ExitStack() as ends:
        ends.callback(shutil.rmtree, above, ignore_errors=True)
        own = ends.enter_context(Postgres(above / "data", NO_WAIT))
        found = club.open_club(own.url)
        ports = [free_port(), free_port()]
        words = ["companion", "league", "serve", "--database", own.url, "--host", "127.0.0.1", "--port"]
        servers = [Killed(*words, port) for port in ports]
        lines, tables = [], []
        for server in servers:
            ends.callback(server.end)
        for number, port in enumerate(ports):
            lines.append(_joined(found, f"http://127.0.0.1:{port}", ends))
            member = Membership(
                lines[-1].url,
                found.uid.hex,
                found.name,
                str(number),
                lines[-1]._key.private_bytes_raw().hex(),
                0.0,
            )
            journal = str(tmp_path / f"{number}.sqlite3")
            told = msgspec.json.encode(member).decode()
            tables.append(
                Killed(
                    "tests.league.table_program",
                    journal,
                    told,
                    str(ACTS * max(1, KILLS // 10)),
                    str(KILLS / 1000),
                )
            )
            ends.callback(tables[-1].end)
        for _ in range(KILLS):
            for one in (chance.choice(tables), chance.choice(servers), own):
                time.sleep(chance.uniform(0.2, 0.8))
                if one is own:
                    os.kill(own.process_id, signal.SIGKILL)
                else:
                    one.kill()
        assert until(lambda: _accepts_connections(own.url), 60)
        for table in tables:
            assert table.program.wait(150) == 0, "the league has all that the table has"
        with psycopg.connect(own.url, autocommit=True) as db:
            for number, line in enumerate(lines):
                table = PlayedTable(tmp_path / f"{number}.sqlite3", "partners", 4)
                told = table.digests(line)[: len(table.entries) + 1]
                session = (table.head.session,)
                kept = "SELECT digest FROM entries WHERE session = %s ORDER BY sequence"
                digests = [row[0] for row in db.execute(kept, session)]
                # Taken up, it has committed to another seed since.
                assert digests == told[1 : len(digests) + 1]
                assert len(digests) >= ACTS
                assert db.execute(
                    "SELECT next, head FROM sessions WHERE session = %s", session
                ).fetchone() == (
                    len(digests),
                    digests[-1],
                )
                table.store.close()
            feed = [row[0] for row in db.execute("SELECT feed FROM entries ORDER BY feed")]
            assert feed == [*range(1, len(feed) + 1)]
            assert db.execute("SELECT last FROM feed").fetchone() == (len(feed),)
            assert not db.execute("SELECT 1 FROM forks").fetchone()
            projected = "SELECT feed FROM projected WHERE name = %s"
            assert until(
                lambda: db.execute(projected, (f"tables of {found.number}",)).fetchone() == (len(feed),)
            )


def _joined(found, url, ends):
    line = TableConnection(url, chain.generate_key())
    ends.callback(line.close)

    def join():
        with contextlib.suppress(ServerUnreachable):
            return line.join_club(found.code, url[-1])

    assert until(join)
    return line
