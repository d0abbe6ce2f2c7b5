"""`make bench`: every figure of the whole program, with its conditions and the limit or peer beside
it.

A benchmark is a module of this folder with a function `run()` that returns rows
`(name, figure, conditions, limit)`; `python -m bench NAME...` runs some of them, and
`python -m bench.NAME` that one. One that prints tables of its own has options of its own, too.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import os
import platform
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from bench import figures

OWN_COMMANDS = {"vision", "reader", "reliability", "evening", "first"}
"""First words of the long ones, with a target or command of their own."""


class Bench(NamedTuple):
    """What a bench measures, in a sentence, and whether it gives rows."""

    about: str
    rows: bool


def found() -> dict[str, Bench]:
    """Every bench; nothing is imported for it."""
    every = {}
    for file in sorted(Path(__file__).parent.glob("[a-z]*.py")):
        text = file.read_text(encoding="utf-8")
        if "\nif __name__ ==" in text:
            about = (ast.get_docstring(ast.parse(text)) or "").split("\n\n")[0]
            every[file.stem] = Bench(" ".join(about.split()), "\ndef run(" in text)
    return every


def show(*names: str, record: bool = False) -> None:
    """Run these benches, and print a row as it comes; with `record` write their parts of
    `docs/figures.md`."""
    print(
        f"{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}\n"
    )
    for name in names:
        rows = printed(importlib.import_module(f"bench.{name}").run())
        if record:
            figures.record(name, f"python -m bench {name}", figures.plain(rows))


def printed(rows: Iterable[figures.Row]) -> list[figures.Row]:
    """Print each row as it comes."""
    every = []
    for name, figure, conditions, limit in rows:
        print(f"{name:<44} {figure:>18}   limit: {limit:<22} {conditions}", flush=True)
        every.append((name, figure, conditions, limit))
    return every


def main(words: Sequence[str], only: str | None = None) -> None:
    """Run the benches that are named, or all but the long ones; `only`: the one whose command it
    is."""
    benches = found()
    listed = "\n".join(f"  {name:<18} {about[:110]}" for name, (about, _) in benches.items())
    parser = argparse.ArgumentParser(
        prog=f"python -m bench.{only}" if only else "python -m bench",
        description=benches[only].about if only else "Figures, with their conditions and a limit or peer.",
        epilog=None if only else f"benches (python -m bench.NAME --help tells of one):\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    if only is None:
        parser.add_argument(
            "names", nargs="*", metavar="NAME", help="those to run; else all but the long ones"
        )
    parser.add_argument("--record", action="store_true", help="write their part of docs/figures.md")
    options = parser.parse_args(words)
    rows = [name for name, one in benches.items() if one.rows]
    names = [only] if only else options.names
    for name in names:
        if name not in benches:
            parser.error(f"there is no bench {name}: python -m bench --help lists them")
        if name not in rows:
            parser.error(f"{name} prints tables of its own: python -m bench.{name}")
    show(*(names or [n for n in rows if n.split("_")[0] not in OWN_COMMANDS]), record=options.record)


if __name__ == "__main__":
    main(sys.argv[1:])
