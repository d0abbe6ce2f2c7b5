"""An evening at the club, as people have it: a server, three tables that join it and are played by
keys, a round, a table that is cut off and back. The standings are what the journals say."""

from __future__ import annotations

import contextlib
import json
import random
import re
import urllib.request
from collections import defaultdict

import pytest

from companion.journal.store import Store
from companion.journal.summaries import load_summaries
from tests.league.tables import until
from tests.league.test_league_commands import free_port, serving, typed  # noqa: F401 - a fixture
from tests.simulated.network import Network
from tests.simulated.terminal import play

PEOPLE = ("Ann", "Ben", "Chloé", "Dora", "Emil", "Fanny", "Gus", "Hans", "Ida")
UNKNOWN = "zz"
"""What is no key: that it is refused says that all before it was read."""


class PlayedByKeys:
    """A `companion play` at which somebody enters whatever can be entered."""

    def __init__(self, folder, people, ends, seed):
        words = ("--plain", "--by-hand", "--game", "dtc", "--players", ",".join(people), "--new")
        self.terminal = ends.enter_context(play(folder, *words, "--lang", "en"))
        self.dice = random.Random(seed)
        self.terminal.until("makes an offer")

    def to_the_end(self):
        """Enter whatever can be, until the game is over."""
        key = said = ""
        while "The game is over" not in said:
            keys = re.findall(r"^([0-9a-z]+): ", said, re.MULTILINE)
            asked = re.search(r"Type (\d+) of these cards.*?: (.*?)\. An empty", said)
            if keys:
                key = self.dice.choice(keys)
                self.terminal.type(f"{key}\n")
            elif asked:  # where fewer lie there than somebody says, others are said
                cards = [one.split()[0] for one in asked[2].split(", ")] * 6
                self.terminal.type(f"{key}\n{' '.join(self.dice.sample(cards, int(asked[1])))}\n")
            self.terminal.type(f"\n{UNKNOWN}\n")
            self.terminal.until(f"{UNKNOWN} can't be entered here")
            said = self.terminal.before.decode()

    def leave(self):
        self.terminal.type("quit\n")
        assert self.terminal.end() == 0


def points_by(folders):
    """The standings as the tables' journals tell them."""
    points = defaultdict(float)
    for folder in folders:
        (journal,) = folder.rglob("journal.sqlite3")
        with Store.open_read_only(journal) as store:
            (game,) = load_summaries(store, store.list_sessions())
        ranks = list(game.ranks.values())
        for name, rank in game.ranks.items():
            points[name] += 100 * (3 - rank - (ranks.count(rank) - 1) / 2) / 2
    return points


@pytest.mark.slow
def test_a_round_is_paired_played_and_shown_and_the_standings_are_the_journals(
    database,
    db,
    typed,  # noqa: F811
    tmp_path,
    monkeypatch,
):
    with contextlib.ExitStack() as ends:
        port = free_port()
        network = ends.enter_context(contextlib.closing(Network(int(port))))
        # The third table reaches the league through its club's network, by another port.
        where = ("--host", "127.0.0.1", "--port", port, "--found-at", f"http://127.0.0.1:{network.port}")
        server = ends.enter_context(serving("--database", database, *where))
        found_at, url = server.stdout.readline().split()[-1], f"http://127.0.0.1:{port}"
        code, key = server.stdout.readline().split()[-1], server.stdout.readline().split("#")[-1].strip()

        def organise(**wish):
            headers = {"authorization": f"Bearer {key}", "origin": url}
            asked = urllib.request.Request(f"{url}/organise", json.dumps(wish).encode(), headers)
            with urllib.request.urlopen(asked) as reply:
                assert json.load(reply) == {"told": ""}

        def page(path):
            with urllib.request.urlopen(url + path) as reply:
                return reply.read().decode()

        folders = [tmp_path / str(number) for number in (1, 2, 3)]
        for folder, through in zip(folders, (url, url, found_at), strict=True):
            for home in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
                monkeypatch.setenv(home, str(folder))
            status, said = typed("join", through, code, "--table", folder.name)
            assert status == 0, said
        organise(do="begin", game="dtc")
        for name in PEOPLE:
            organise(do="arrive", names=name)
        status, said = typed("pair", "--database", database, "--seats", "3")
        drawn = re.findall(r"^Table \d \((\d)\): (.*)$", said, re.MULTILINE)
        assert (status, [table for table, _ in drawn]) == (0, ["1", "2", "3"])
        tables = [
            PlayedByKeys(tmp_path / table, names.split(", "), ends, int(table)) for table, names in drawn
        ]
        ended = "SELECT count(*) FROM results"
        begun = "SELECT count(*) FROM boards WHERE session IS NOT NULL"
        assert until(lambda: db.execute(begun).fetchone() == (3,)), "the games are the round's"
        network.cut()
        for table in tables:
            table.to_the_end()
        assert until(lambda: db.execute(ended).fetchone() == (6,))
        network.there = True
        assert until(lambda: db.execute(ended).fetchone() == (9,))
        for table in tables:
            table.leave()
        for folder in folders:
            for home in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
                monkeypatch.setenv(home, str(folder))
            for known in folder.rglob("*.sent"):
                known.unlink()  # what the last program knew of it
            assert typed("status")[1].splitlines()[1:] == ["The league has received everything."]

        points = points_by(folders)
        assert set(points) == set(PEOPLE)
        status, said = typed("export", "--database", database, "--format", "json")
        (listed,) = json.loads(said)["standings"].values()
        assert {row["name"]: row["points"] for row in listed} == points
        for path in ("/", "/round", "/standings"):
            assert all(name in page(path) for name in PEOPLE)
