"""Measure what it costs to save an entry, on the disk of the current folder."""

from __future__ import annotations

import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import cycle, islice
from pathlib import Path

from bench.harness import Figure, Options, format_spread
from bench.program import FOUR, play_game
from companion.journal import database_file, schema
from companion.journal.saved_session import Row
from companion.journal.store import Store
from companion.rules.acts import Entry

ENTRIES = 400
"""Entries, as many as in three evenings."""
MOST_TIMES = 1.1
"""Greatest ratio of the time for an entry to bare SQLite's."""
MOST_PROCESSOR = 0.6
"""Most milliseconds of the processor for an entry."""


def bench_saving(options: Options) -> Iterator[Figure]:
    """Measure what saving an entry costs, and reading it back, beside SQLite alone that writes the
    same row in the same mode, in turn with it: the time until it is on the disk, and the
    processor's."""
    start, session = play_game("dtc", FOUR, options.seed, {})
    acts = session.list_acts()
    entries = [Entry("act", (act,)) for act in islice(cycle(acts), options.scale_count(ENTRIES))]
    ours, bare = _Times(), _Times()
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as name:
        path, other = Path(name) / "journal.sqlite3", Path(name) / "bare.sqlite3"
        with Store.open(path) as store, closing(_open_bare(other)) as connection:
            store.start_session(session.setup)
            for entry in entries:
                ours.measure(lambda entry=entry: store.append(entry))  # type: ignore[misc]
                (row,) = store.read_rows(1, store.count_entries(1) - 1, 1)
                bare.measure(lambda row=row: _insert_bare(connection, row))  # type: ignore[misc]
    conditions = f"{len(entries)} entries of {start.game}, in turn; median, 95 of 100"
    ratio = statistics.median(ours.elapsed) / statistics.median(bare.elapsed)
    peer = f"SQLite alone {format_spread(bare.elapsed, '.2f', 1000)} ms"
    figure = f"{format_spread(ours.elapsed, '.2f', 1000)} ms, {ratio:.2f} x"
    yield Figure("an entry on the disk", figure, f"{MOST_TIMES} x; {peer}", conditions, ratio <= MOST_TIMES)
    peer = f"SQLite alone {format_spread(bare.processor, '.2f', 1000)} ms"
    used = 1000 * statistics.median(ours.processor)
    figure = f"{format_spread(ours.processor, '.2f', 1000)} ms"
    limit = f"{MOST_PROCESSOR} ms; {peer}"
    yield Figure("the processor for it", figure, limit, conditions, used <= MOST_PROCESSOR)


class _Times:
    """Seconds that calls took, by the clock and of the processor."""

    def __init__(self) -> None:
        self.elapsed: list[float] = []
        self.processor: list[float] = []

    def measure(self, work: Callable[[], object]) -> None:
        began, used = time.perf_counter(), time.process_time()
        work()
        self.elapsed.append(time.perf_counter() - began)
        self.processor.append(time.process_time() - used)


def _open_bare(path: Path) -> sqlite3.Connection:
    """Open a file with the same table, in the same mode."""
    path.touch()
    connection = database_file.open_connection(path, "rw")
    connection.execute("PRAGMA foreign_keys = OFF")
    for table in schema.TABLES:
        connection.execute(table)
    database_file.configure_for_writing(connection)
    return connection


def _insert_bare(connection: sqlite3.Connection, row: Row) -> None:
    connection.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
