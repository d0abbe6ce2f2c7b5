"""Run benchmarks: `python -m bench` prints every figure with its conditions and a limit or peer
beside it.

A bench is a function that yields rows, each a mapping of columns to cells; `BENCHES` lists them.
Its docstring says what is measured, and how; `harness` prints the rows as they come.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from textwrap import shorten

from bench.harness import SHARED, WAYS, Options, print_rows

BENCHES = {
    "program": ("referee", "keys", "memory", "house"),
    "share": ("home_screen", "demo", "pages", "server", "taps", "phone"),
    "vision": (
        "tables",
        "changed",
        "editions",
        "packs",
        "any_pack",
        "cloths",
        "outlines",
        "owning",
        "covered",
    ),
    "camera": ("films", "hour", "frames", "first_look", "cards", "pawns", "limits"),
    "readers": ("board", "pcsc"),
    "league": ("seating", "swiss"),
    "evenings": ("by_film", "by_photo", "long"),
    "saving": ("saving",),
}
"""The benches of each module."""
ONE_CORE = ("vision", "camera")
"""Modules whose seconds are those of one core: on a busy machine NumPy's threads wait for each
other, and that counts as work."""


def describe_bench(module: str, name: str) -> str:
    """Return what a bench measures, in a sentence, without importing it."""
    # parsed, because importing a bench takes seconds
    tree = ast.parse((Path(__file__).parent / f"{module}.py").read_text(encoding="utf-8"))
    (function,) = (
        one for one in tree.body if isinstance(one, ast.FunctionDef) and one.name == f"bench_{name}"
    )
    return " ".join((ast.get_docstring(function) or "").split("\n\n")[0].split())


def main(words: Sequence[str]) -> int:
    """Run the benches that are named; without a name list them all. Return 1 if a row reports that
    its limit is exceeded."""
    where = {name: module for module, names in BENCHES.items() for name in names}
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__.partition("\n")[0])
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="a bench, or all of a group; none: list them"
    )
    parser.add_argument("--only", default="", metavar="WORDS", help="only rows whose name holds this")
    parser.add_argument(
        "--times", type=float, default=1.0, metavar="X", help="X times as many pictures, games, hours"
    )
    parser.add_argument("--seed", type=int, default=1, help="another one draws everything otherwise")
    parser.add_argument(
        "--way", choices=WAYS, default="", help="read pictures only as videos of a still table, or as photos"
    )
    parser.add_argument(
        "--record",
        action="store_true",
        help="record the verdict on each card, for later runs to compare with",
    )
    parser.add_argument("--shared", type=Path, default=SHARED, help="where photos/ and tables/ lie")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="write each table there, too")
    given = parser.parse_args(words)
    unknown = [name for name in given.names if name not in where and name not in BENCHES]
    if unknown:
        parser.error(f"there is no bench {unknown[0]}: python -m bench lists them")
    if not given.names:
        for module, names in BENCHES.items():
            print(f"{module}")
            for name in names:
                print(f"  {name:<11} {shorten(describe_bench(module, name), 108, placeholder=' ...')}")
    ways = (given.way,) if given.way else ()
    options = Options(given.only, given.times, given.seed, ways, given.record, given.shared, given.keep)
    kept = True
    # a name may be that of a group
    for name in (name for one in given.names for name in ((one,) if one in where else BENCHES[one])):
        module = where[name]
        # read when NumPy is loaded, so before the bench is imported
        if module in ONE_CORE:
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        function = getattr(importlib.import_module(f"bench.{module}"), f"bench_{name}")
        kept &= print_rows(name, words, describe_bench(module, name), function(options), given.keep)
    return int(not kept)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
