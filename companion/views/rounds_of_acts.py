"""The acts of an evening under the rounds that they belong to: the same in every list of them."""

from __future__ import annotations

from collections.abc import Iterator

from companion.journal.lines import Line
from companion.live.scores import RoundRow
from companion.live.snapshot import Snapshot


def rounds_of_acts(snapshot: Snapshot) -> Iterator[tuple[RoundRow | None, list[Line]]]:
    """List the lines of the log by rounds, each with its row of the table of rounds (None: what
    comes before the first)."""
    begins = {row.first: row for row in snapshot.rounds if row.label is not None}
    of: RoundRow | None = None
    lines: list[Line] = []
    for line in snapshot.log:
        # A line that was struck stands before the one in its place: it begins no round twice.
        row = begins.get(line.act) if line.stands else None
        if row is not None:
            if lines:
                yield of, lines
            of, lines = row, []
        lines.append(line)
    if lines:
        yield of, lines
