"""`make bench-evening`: three games with everything that happens to families
(`simulated/long_evening.py`): what was told wrongly, and for how long.

`python -m bench.evening short` is the evening of the tests; with the name of a game that one alone.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.__main__ import printed
from simulated.long_evening import LONG, SHORT, Game, evening


def run(games: Sequence[Game] = LONG) -> Iterator[tuple[str, str, str, str]]:
    """Play the long evening; yield its rows."""
    began = time.monotonic()

    def tell(what: str) -> None:
        print(f"{time.monotonic() - began:6.0f} s  {what}", file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory() as folder:
        one = evening(games, Path(folder), tell=tell)
    for row in one.rows():
        yield row.name, row.figure + ("" if row.well else " !"), row.conditions, row.limit
    for what, times in Counter(one.faults).items():
        print(f"  {times} x {what}", file=sys.stderr)


def main() -> None:
    """Play the evening, or what is named of it, and print its rows."""
    parts = {game.game: (game,) for game in LONG} | {"short": SHORT, "long": LONG}
    parser = argparse.ArgumentParser(
        prog="python -m bench.evening", description="Three games with everything that happens to families."
    )
    parser.add_argument(
        "part", nargs="?", choices=parts, default="long", help="short: the evening of the tests"
    )
    printed(run(parts[parser.parse_args().part]))


if __name__ == "__main__":
    main()
