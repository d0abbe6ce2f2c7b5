"""Evenings of Donkey Valley by film, the camera alone, under other light and other cameras
(`simulated/film_evening.py`).

python -m bench.film_evening [--condition NAME] [--seed 1] [--players 3]

What the table asked, and what had to be entered for the camera, is told below the rows with what
the camera was unsure of.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from companion.rules.contract import GAME_OVER
from simulated.film_evening import CONDITIONS, LONGEST, FilmEvening


def run(name: str, seed: int, players: int) -> Iterator[str]:
    """Play one evening; yield its row, then what was asked, entered or wrong, a line each."""
    with tempfile.TemporaryDirectory() as folder:
        evening = FilmEvening(CONDITIONS[name], Path(folder), seed, players)
        while evening.live.snapshot().view["phase"] != GAME_OVER and evening.now < LONGEST:
            evening.step()
        view = evening.live.snapshot().view
        over = view["phase"] == GAME_OVER
        score = ", ".join(f"{row['name']} {row['points']}" for row in view["players"])
        p50, p95 = np.percentile(evening.cost, [50, 95])
        yield (
            f"| {name} | {'yes' if over else 'no'} | {score} | {len(evening.read)} | {len(evening.asked)} | {evening.entered} "
            f"| {len(evening.wrong)} | {evening.now:.0f} | {p50:.0f}, {p95:.0f} |"
        )
        yield from (f"  asked: {question!r}" for question in sorted(map(str, evening.asked)))
        yield from (f"  entered at {missed}" for missed in evening.missed)
        yield from (f"  wrong and sure: {wrong}" for wrong in evening.wrong)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Evenings of Donkey Valley by film, the camera alone.")
    parser.add_argument("--condition", choices=list(CONDITIONS), action="append")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--players", type=int, default=3)
    options = parser.parse_args()
    print(
        "| condition | to the final score | score | cards read | questions | entered for the camera | wrong and sure "
        "| film seconds | ms of the processor a frame (median, p95) |\n|---|---|---|---:|---:|---:|---:|---:|---:|"
    )
    told = []
    for name in options.condition or CONDITIONS:
        row, *more = run(name, options.seed, options.players)
        print(row, flush=True)
        told += [f"{name}: {line.strip()}" for line in more]
    # after the table: a line between two rows would end it (`bench.figures`)
    print("\n" + "\n".join(told))


if __name__ == "__main__":
    main()
