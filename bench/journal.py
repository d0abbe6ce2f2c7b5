"""The journal: what one durable entry costs, how long it takes to open, read and resume a very
long evening, and what a thousand evenings cost who looks at them."""

from __future__ import annotations

import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from companion.journal import codec, schema
from companion.journal.store import Store
from companion.journal.written import Written
from companion.rules import registry
from companion.rules.acts import Act, Entry
from companion.rules.contract import Setup
from companion.rules.session import Session

GAME = "donkey_valley"
ENTRIES = 2_000
SESSIONS = 1_000
_Done = TypeVar("_Done")
PLAYERS = ("Ann", "Ben", "Cleo", "Dan")


def acts_of_an_evening() -> tuple[Setup, list[Act]]:
    """Play one game at random through the menus, for acts as they really are."""
    game = registry.load(GAME)
    setup = Setup(GAME, PLAYERS, {option.name: option.default for option in game.options}, 1)
    session, dice = Session(game, setup), setup.rng("bench")
    while not session.over:
        offered = [choice for who in (None, *PLAYERS) for choice in game.choices(session.state, who)]
        session.act(dice.choice(offered).request)
    return setup, session.acts()


def run() -> list[tuple[str, str, str, str]]:
    """Return the rows (name, figure, conditions, limit)."""
    setup, acts = acts_of_an_evening()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "bench.sqlite3"
        costs = _write(file, setup, acts)
        bare = _bare(Path(folder) / "bare")
        opened, store = _timed(lambda: Store.open(file))
        numbers = [row.number for row in store.sessions()]
        read, kept = _timed(lambda: [store.read(number) for number in numbers])
        resumed, _ = _timed(lambda: [one.session() for one in kept])
        store.close()
        size = file.stat().st_size / len(costs)
    disk = f"{len(costs)} entries of {GAME}, kept in the file, marked and read back, in the folder for temporary files"
    rows = f"{len(costs)} entries, {len(numbers)} whole games of {GAME}, {size:.0f} bytes an entry"
    median, slow = statistics.median(costs) * 1e3, statistics.quantiles(costs, n=100)[98] * 1e3
    synced = f"{bare * 1e3:.2f} ms: a bare 4 kB write with fsync, median of 300, same disk and run"
    return [
        ("journal: commit, median", f"{median:.2f} ms", disk, "6 x a synced write"),
        ("journal: commit, 99th of 100", f"{slow:.2f} ms", disk, "50 ms (unnoticed)"),
        ("journal: commit against the bare disk", f"{median / bare / 1e3:.2f} x", synced, "6 x"),
        ("journal: open and examine", f"{opened * 1e3:.1f} ms", rows, "100 ms"),
        ("journal: read and decode", f"{read * 1e3:.1f} ms", rows, "100 ms"),
        ("journal: replay", f"{resumed * 1e3:.1f} ms", rows, "200 ms"),
        *_looked_back(setup, acts),
    ]


def _looked_back(setup: Setup, acts: Sequence[Act]) -> list[tuple[str, str, str, str]]:
    """Let the commands look at a thousand sessions: processor seconds and memory of each."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "thousand.sqlite3"
        with Store.open(file) as store:
            store.begin(setup)
        with sqlite3.connect(file) as connection:  # all at once: the disk was measured above
            for number in range(2, SESSIONS + 1):
                _insert(connection, number, setup, acts)
        os.environ["XDG_CACHE_HOME"] = folder
        counted = _command("figures", file)
        found = {
            "list, the first time": (*counted, "each session is counted once"),
            "list": (*_command("history", file), "0.5 s"),
            "figures": (*_command("figures", file), "0.5 s"),
            "JSON export": (*_command("export", file, "--session", "all", "--format", "json"), "100 MB"),
        }
    conditions = f"{SESSIONS} sessions of {len(acts)} acts; a process of its own, its start counted"
    return [
        (f"journal: {name}", f"{seconds:.2f} s, {memory:.0f} MB", conditions, limit)
        for name, (seconds, memory, limit) in found.items()
    ]


def _insert(connection: sqlite3.Connection, number: int, setup: Setup, acts: Sequence[Act]) -> None:
    begun, data = 1.7e9 + 7200 * number, codec.encode_setup(setup)
    head = (begun, setup.game, data, b"", schema.digest(0, setup.game, data, b"", begun))
    written = Written(number, head)
    for at, act in enumerate(acts):
        written.add(written.next(Entry("act", (act,)), begun + 20 * at))
    connection.execute("INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?)", (number, *head))
    connection.executemany("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?)", written.rows)


def _command(name: str, file: Path, *options: str) -> tuple[float, float]:
    """Return the processor seconds of a command and its peak of memory, in MB."""
    words = (sys.executable, "-m", "companion", name, "--journal", str(file), *options)
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    _pid, status, used = os.wait4(child.pid, 0)
    assert status == 0
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def _write(file: Path, setup: Setup, acts: Sequence[Act]) -> list[float]:
    """Write whole games until there are `ENTRIES` entries; return the seconds that each took."""
    costs: list[float] = []
    with Store.open(file) as store:
        while len(costs) < ENTRIES:
            store.begin(setup)
            costs += [_timed(partial(store.append, Entry("act", (act,))))[0] for act in acts]
    return costs


def _bare(file: Path) -> float:
    """Return the median seconds of a write that is on disk when the call returns: what no journal
    can beat."""
    handle = os.open(file, os.O_WRONLY | os.O_CREAT)
    try:
        return statistics.median(_timed(lambda: _synced_write(handle))[0] for _ in range(300))
    finally:
        os.close(handle)


def _synced_write(handle: int) -> None:
    os.write(handle, bytes(4096))
    os.fsync(handle)


def _timed(do: Callable[[], _Done]) -> tuple[float, _Done]:
    before = time.perf_counter()
    done = do()
    return time.perf_counter() - before, done


if __name__ == "__main__":
    from bench.__main__ import main

    main(sys.argv[1:], "journal")
