"""A table as a program of its own, to be killed: `table_program JOURNAL MEMBERSHIP ACTS PAUSE`
plays until its evening has so many entries or is over, a pause after each act, sends
them, and ends when the league has all of them."""

import sys
import time
from pathlib import Path

import msgspec

from companion.league.membership import Membership
from companion.league.outbox import Outbox
from tests.league.tables import PlayedTable, until


def main(journal: str, membership: str, acts: str, pause: str) -> int:
    member = msgspec.json.decode(membership, type=Membership)
    box = Outbox(member, lambda: Path(journal), lambda _lamp: None)
    table = PlayedTable(journal, "partners", 4)
    box.start()
    while len(table.entries) < int(acts) and not table.session.is_over:
        table.play(1)
        box.wake()
        time.sleep(float(pause))
    done = until(lambda: box.status.connected and not box.status.waiting, 60)
    box.close()
    table.store.close()
    return 0 if done else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
