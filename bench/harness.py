"""Share what all benches need: their options, the two shapes of a row, the printer, and the clock.

A figure is printed beside its conditions and a limit or peer; one that exceeds its limit has a `!`,
and ends the command with 1.
"""

from __future__ import annotations

import os
import platform
import re
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple, TypeAlias, TypeVar

SHARED = Path(__file__).parents[2] / "shared"
WAYS = ("video", "photo")
"""The ways in which a picture is read: as a video of a still table, as at the table, and alone."""
_Done = TypeVar("_Done")


class Options(NamedTuple):
    """The options of the command line."""

    only: str = ""
    """Only rows whose name contains this; some benches read other parts of a name, too."""
    times: float = 1.0
    """Factor for the number of pictures, games or hours."""
    seed: int = 1
    ways: Sequence[str] = ()
    """How pictures are read: as `video` or as `photo`; empty for what is usual for the bench."""
    record: bool = False
    """Whether to record the verdict on each card (`bench.verdicts`)."""
    shared: Path = SHARED
    """Folder of other people's photographs and videos, in `photos` and `tables`."""
    keep: Path | None = None
    """Folder for tables, and for the results of a long bench that was interrupted."""

    def scale_count(self, usual: float) -> int:
        """Return the usual number times `times`, at least one."""
        return max(1, round(usual * self.times))

    def wants_row(self, name: str) -> bool:
        """Check whether a row of that name is wanted."""
        return self.only in name


class Figure(NamedTuple):
    """One figure: what was measured, the figure with its unit, the limit or peer beside it, the
    conditions, and whether the limit was kept."""

    what: str
    figure: str
    limit: str
    conditions: str
    kept: bool = True


Row: TypeAlias = Figure | Mapping[str, object]
"""A figure, or the cells of a table by their columns."""


def print_rows(
    name: str, arguments: Sequence[str], about: str, rows: Iterable[Row], folder: Path | None
) -> bool:
    """Print the rows of a bench as they come, below its command and conditions; with `folder` also
    write them to `NAME.md` in that folder. Return whether every limit was kept."""
    kept = True
    lines = [
        f"## {name}",
        "",
        f"`python -m bench {' '.join(arguments)}`; {describe_conditions()}.",
        "",
        about,
        "",
    ]
    print("\n".join(lines), flush=True)
    columns: tuple[str, ...] = ()
    for row in rows:
        cells = _row_cells(row)
        # another kind of row begins a new table
        if tuple(cells) != columns:
            fresh = [""] * bool(columns) + [_format_line(cells), "|---" * len(cells) + "|"]
            columns = tuple(cells)
            lines += fresh
            print("\n".join(fresh))
        lines.append(_format_line(cells.values()))
        print(lines[-1], flush=True)
        kept = kept and (not isinstance(row, Figure) or row.kept)
    print()
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return kept


def _row_cells(row: Row) -> Mapping[str, object]:
    if not isinstance(row, Figure):
        return row
    figure = row.figure if row.kept else f"{row.figure} !"
    return {"what": row.what, "figure": figure, "limit or peer": row.limit, "conditions": row.conditions}


def _format_line(cells: Iterable[object]) -> str:
    # bars and line breaks would end a cell
    return "| " + " | ".join(str(cell).replace("|", "/").replace("\n", " ") for cell in cells) + " |"


def describe_conditions() -> str:
    """Describe date and machine, because a figure means nothing without its conditions."""
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return (
        f"{datetime.now(UTC):%Y-%m-%d}, {python}, OpenCV {version('opencv-python-headless')}, "
        f"{os.cpu_count()} cores, {platform.machine()}{load}"
    )


def time_call(
    work: Callable[[], _Done], clock: Callable[[], float] = time.perf_counter
) -> tuple[float, _Done]:
    """Return the seconds that the work took, and its result."""
    began = clock()
    done = work()
    return clock() - began, done


def best_milliseconds(work: Callable[[], object]) -> float:
    """Return milliseconds of the processor, the best of three, because whatever else the machine
    does only adds."""
    return 1000 * min(time_call(work, time.process_time)[0] for _ in range(3))


def quantile(values: Iterable[float], part: float) -> float:
    """Return the value that this part of them does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def format_spread(values: Sequence[float], form: str = ".1f", scale: float = 1.0) -> str:
    """Format the median, and the value that 95 of 100 do not exceed; – if there are none."""
    if not values:
        return "–"
    return f"{scale * statistics.median(values):{form}}, {scale * quantile(values, 0.95):{form}}"


def format_share(part: float, of: float) -> str:
    """Format how many of all, with the percentage."""
    return f"{part:g} of {of:g} ({100 * part / of:.1f} %)" if of else "–"


def resident_megabytes(process: int, counter: str = "VmRSS") -> float:
    """Return the memory that the process has resident now, or another of the kernel's counts
    (Linux), in MiB."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return int(re.search(rf"{counter}:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]
