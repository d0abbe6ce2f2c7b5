"""What leaving the table would lose: entries that no disk has taken yet."""

from __future__ import annotations

from companion.live.snapshot import Snapshot
from companion.rules.contract import Text


def would_be_lost(snapshot: Snapshot) -> Text | None:
    """Say how many steps are in memory only, the last of them and why; None where all is kept, or
    nothing was played."""
    if not snapshot.waiting or snapshot.last is None:
        return None
    why = snapshot.keeping or Text("leaving.why")
    return Text("leaving.lost", {"why": why, "last": snapshot.last}, snapshot.waiting)
