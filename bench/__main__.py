"""`make bench`: every figure of the whole program, with its conditions and the limit or peer beside
it.

A benchmark is a module of this folder with a function `run()` that returns rows
`(name, figure, conditions, limit)`. `python -m bench NAME...` runs some of them only; with
`--record` they write their part of `docs/figures.md`.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import platform
import sys
from pathlib import Path

from bench import figures

OWN_COMMANDS = {"vision", "reader", "reliability", "evening", "first"}
"""First words of the long ones, with a target or command of their own."""


def main(arguments: list[str]) -> None:
    """Run the benchmarks named, or all but the long ones."""
    names = [argument for argument in arguments if argument != "--record"]
    here = Path(__file__).parent
    found = [module.name for module in pkgutil.iter_modules([str(here)]) if not module.name.startswith("_")]
    chosen = names or [name for name in found if name.split("_")[0] not in OWN_COMMANDS]
    print(
        f"{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}\n"
    )
    for name in chosen:
        module = importlib.import_module(f"bench.{name}")
        if not hasattr(module, "run"):
            continue
        rows = []
        for row in module.run():
            figure_name, figure, conditions, limit = row
            print(f"{figure_name:<44} {figure:>18}   limit: {limit:<22} {conditions}", flush=True)
            rows.append(row)
        if "--record" in arguments:
            figures.record(name, f"python -m bench {name}", figures.plain(rows))


if __name__ == "__main__":
    main(sys.argv[1:])
