"""Run modules of the tests on a failing disk; as a command, print a table of what was explored.

    python -m tests.faults.run [--every N] [WRITER...]

The table has a row for each writer: how many faults of each call were tried, in how many states the
program was killed or the power failed, and in how many the answer, the file and the next start
disagreed. All faults of all writers take ten minutes; the tests take each twentieth.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from tests.faults.disk import CALLS
from tests.faults.writers import WRITERS

MEMORY = Path("/dev/shm")
"""Folder in memory: the disk that fails is the shim's, and nobody waits for the real one."""
SOURCE = Path(__file__).with_name("disk_shim.c")
ROOT = Path(__file__).resolve().parents[2]
_COLUMNS = (*CALLS, "faults", "kills", "power failures", "disagreements")


def compile_shim(folder: Path) -> Path:
    """Compile the shim into a folder, and return its path."""
    shim = folder / "disk_shim.so"
    flags = ("-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-fvisibility=hidden")
    subprocess.run(["gcc", *flags, "-o", shim, SOURCE, "-ldl"], check=True)
    return shim


def run_with_shim(shim: Path, module: str, *arguments: object) -> str:
    """Run a module in a process of its own, with the shim, and return what it prints."""
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        done = subprocess.run(
            [sys.executable, "-m", module, *map(str, arguments)],
            env=os.environ | {"LD_PRELOAD": str(shim), "PYTHONPATH": str(ROOT), "TMPDIR": folder},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    return done.stdout


def print_table(every: int, names: list[str]) -> int:
    """Explore the writers named, or all; return how many disagreements there were."""
    total: Counter[str] = Counter()
    print(_format_line("writer", *_COLUMNS), _format_line(*["---"] * (len(_COLUMNS) + 1)), sep="\n")
    with tempfile.TemporaryDirectory() as folder:
        shim = compile_shim(Path(folder))
        for name in names or [kind.__name__ for kind in WRITERS]:
            arguments = ("tests.faults.explore", "--every", every, name)
            found: dict[str, Any] = json.loads(run_with_shim(shim, *arguments))[name]
            disagreements = found.pop("disagreements")
            counts = Counter(found, disagreements=len(disagreements))
            total += counts
            print(_format_line(name, *(counts[one] or "" for one in _COLUMNS)), flush=True)
            for one in disagreements:
                print(one, file=sys.stderr)
    print(_format_line("all", *(total[one] for one in _COLUMNS)))
    return total["disagreements"]


def _format_line(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    sys.exit(1 if print_table(given.every, given.names) else 0)
