"""`docs/figures.md`: the one page of figures. A bench writes its own part of it and touches no
other.

    from bench import figures
    figures.record("reader", "make bench-reader", figures.plain(rows))

`python -m bench NAME --record` does it for every module that has `run()`; one that prints tables of
its own is run by `python -m bench.figures vision_hidden --films 8`, which shows what it prints and
takes the tables down; with another OpenCV than the locked one, in a part beside it
(`PYTHONPATH=out/opencv5`: `vision_tables_opencv5`). Another page that tells a figure links to its
row, and repeats it to the letter:
`[13.15 ms](../docs/figures.md#reader-card-put-to-host-event-p95)`;
`tests/shipping/test_figures_page.py` compares them.
"""

from __future__ import annotations

import itertools
import os
import platform
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "figures.md"

LOCKED = "4.14"
"""OpenCV in `requirements.lock`, without its last numbers; a test compares them."""

Row = tuple[str, str, str, str]
"""What was measured, the figure with its unit, the conditions, the limit or peer beside it."""


@dataclass(frozen=True)
class Table:
    """One table of a bench's part: `head` names the columns; the first column names the row."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""


def plain(rows: Iterable[Row]) -> Table:
    """Make the usual table of rows as `run()` returns them."""
    head = ("what", "figure", "limit or peer", "conditions")
    return Table(head, [(name, figure, limit, conditions) for name, figure, conditions, limit in rows])


def record(bench: str, command: str, *tables: Table, page: Path = PAGE) -> None:
    """Write the part of `bench` (a module of this folder) anew: today's date, this machine, its
    command and tables.

    The parts of other benches stay as they are; parts stand in the order of their names.
    """
    text = page.read_text(encoding="utf-8") if page.exists() else "# Figures\n"
    intro, *parts = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    kept = [part for part in parts if part.splitlines()[0] != f"## {bench}"]
    fresh = f"## {bench}\n\n`{command}`; {_here()}.\n\n" + "\n".join(_lines(bench, tables)) + "\n"
    page.write_text(
        intro.rstrip() + "\n\n" + "\n".join(sorted(part.rstrip() + "\n" for part in [*kept, fresh])),
        encoding="utf-8",
    )


def _here() -> str:
    """Tell when and where: a figure without its conditions belongs nowhere."""
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return (
        f"{datetime.now(UTC):%Y-%m-%d}, {python}, OpenCV {version('opencv-python')}, "
        f"{os.cpu_count()} cores, {platform.machine()}{load}"
    )


def _lines(bench: str, tables: Iterable[Table]) -> list[str]:
    lines: list[str] = []
    used: set[str] = set()
    for table in tables:
        lines += [table.title, ""] if table.title else []
        lines += [_row(table.head), "|---" * len(table.head) + "|"]
        for name, *cells in table.rows:
            lines.append(_row([f'<a id="{_anchor(f"{bench} {name}", used)}"></a>{name}', *cells]))
        lines.append("")
    return lines


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "/").replace("\n", " ").strip() for cell in cells) + " |"


def _anchor(words: str, used: set[str]) -> str:
    """Make the words an address on the page; a second row of the same name gets a number."""
    first = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")
    anchor, number = first, 1
    while anchor in used:
        number += 1
        anchor = f"{first}-{number}"
    used.add(anchor)
    return anchor


def tables_in(printed: str) -> list[Table]:
    """Find the tables in what a bench printed; the line before one is its title."""
    found: list[Table] = []
    lines = [line.strip() for line in printed.splitlines()]
    for place, line in enumerate(lines):
        if re.fullmatch(r"\|[-:| ]+\|", line):
            head = _cells(lines[place - 1])
            rows = list(map(_cells, itertools.takewhile(lambda row: row.startswith("|"), lines[place + 1 :])))
            before = next((text for text in reversed(lines[: place - 1]) if text), "")
            found.append(Table(head, rows, "" if before.startswith("|") else before))
    return found


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip("|").split("|")]


def main(bench: str, *options: str) -> int:
    """Run `python -m bench.NAME`, show what it prints, and take its tables down when it ends
    well."""
    command = [sys.executable, "-m", f"bench.{bench}", *options]
    printed = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as run:
        for line in run.stdout or ():
            print(line, end="", flush=True)
            printed.append(line)
    tables = tables_in("".join(printed))
    if run.returncode == 0 and tables:
        record(part_of(bench), shlex.join(["python", *command[1:]]), *tables)
    return run.returncode


def part_of(bench: str, opencv: str = version("opencv-python")) -> str:
    """The part that a bench writes with this version of OpenCV: any but the locked one has its
    own."""
    locked, used = LOCKED.split(".")[:2], opencv.split(".")[:2]
    if used == locked:
        return bench
    return f"{bench}_opencv{used[0]}" if used[0] != locked[0] else f"{bench}_opencv{'_'.join(used)}"


if __name__ == "__main__":
    if sys.argv[1:2] in ([], ["-h"], ["--help"]):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
