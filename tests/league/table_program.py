"""A table as a program of its own, to be killed: `table_program JOURNAL MEMBERSHIP ACTS` plays
until its evening has so many entries, sends them, and ends when the league has all of them."""

import sys
import time
from pathlib import Path

import msgspec

from companion.league.outbox import Outbox
from companion.settings import Membership
from tests.league.tables import PlayedTable, until

PACE = 0.004
"""Seconds between two acts."""


def main(journal: str, membership: str, acts: str) -> int:
    member = msgspec.json.decode(membership, type=Membership)
    box = Outbox(member, lambda: Path(journal), lambda _lamp: None)
    table = PlayedTable(journal, "partners", 4)
    box.start()
    while len(table.entries) < int(acts):
        table.play(1)
        box.wake()
        time.sleep(PACE)
    done = until(lambda: box.lamp.connected and not box.lamp.waiting, 60)
    box.close()
    table.store.close()
    return 0 if done else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
