"""The journal: what one durable entry costs, and how long it takes to open, read and resume a very
long evening."""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from companion.journal.store import Store
from companion.rules import registry
from companion.rules.acts import Act, Entry
from companion.rules.contract import Setup
from companion.rules.session import Session

GAME = "donkey_valley"
ENTRIES = 2_000
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
    ]


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
