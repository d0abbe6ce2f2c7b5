"""Readers that are one pad each, looked over: which are there, and what those lack that are not."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from queue import SimpleQueue

from companion.equipment.findings import Finding
from companion.readers.rfid.problems import ReaderProblem
from companion.rules.contract import Text
from companion.table.identification import Pad
from companion.table.pads import PadsError, load
from companion.table.sightings import Health, Reader, Report

WATCHED = 2.5
"""Seconds for which they are watched: they look for devices once a second."""


def look(make: Callable[[Mapping[str, Pad]], Reader], kind: str, places: Path) -> list[Finding]:
    """Let the readers run for a moment and find what they say of themselves and of each device;
    `places`: the file of their places."""
    part = Text("check.part.board", {"where": kind})
    try:
        reader = make(load(places) if places.exists() else {})
    except (ReaderProblem, PadsError) as fault:
        return [Finding(part, "fault", fault.text)]
    told: SimpleQueue[Report] = SimpleQueue()
    reader.start(told.put)
    time.sleep(WATCHED)
    reader.close()
    last: dict[str, Health] = {}
    while not told.empty():
        report = told.get()
        if isinstance(report, Health):
            last[report.reader] = report
    return [Finding(part, "ok" if one.state == "ok" else "fault", one.text) for one in last.values()]
