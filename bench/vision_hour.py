"""What a watcher keeps and costs over an hour of film at 1080p: cards come and go, hands pass, the
light jumps.

Six other things lie on the table too (phones, boxes, coasters) and are moved each time.

python -m bench.vision_hour [--minutes 60]
"""

import argparse
import gc
import resource
import statistics
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from simulated import scenes
from simulated.scenes import Faults, Placed, render, table
from vision.film.watch import Watcher
from vision.library import Library

Picture = NDArray[np.uint8]

RATE, CALM_RATE = 30, 2
"""Frames a second while something happens, and of a table that has lain still for `SETTLED`: an
idle frame costs what it costs, however many there are."""

TABLES, LASTS, SETTLED, PASSES, THINGS = 8, 74, 4, 1, 6
"""Tables that follow each other; seconds for which each lies there, and after how many of them it
lies still; seconds for which a hand passes before; other things on each."""


def main() -> None:
    """Print memory in use, tracks, readings and the cost of a calm frame for every tenth of the
    film."""
    parser = argparse.ArgumentParser(description="What a watcher keeps and costs over an hour of film.")
    parser.add_argument("--minutes", type=float, default=60.0)
    minutes = parser.parse_args().minutes
    watcher = Watcher(Library.from_drawings(scenes.deck()))
    print(
        f"{minutes:g} minutes of film, 1920x1080, {RATE} frames a second ({CALM_RATE} of a table that lies still); "
        f"{TABLES} tables of 6 to 14 cards and {THINGS} other things in turn, hands between them"
    )
    print(
        "| film minutes | memory in use, MB | most so far, MB | cards in sight | followed in all | readings begun "
        "| calm frame, ms of the processor (median) |\n|---|---:|---:|---:|---:|---:|---:|"
    )
    calm: deque[float] = deque(maxlen=60)
    row = minutes * 60 / 10
    told = row
    for t, picture in film():
        began = time.process_time()
        lying = watcher.see(picture, t)
        if not watcher.busy:
            calm.append(1000 * (time.process_time() - began))
        if t >= told:
            gc.collect()
            most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(
                f"| {t / 60:.1f} | {in_use():.0f} | {most:.0f} | {len(lying)} | {watcher.followed} "
                f"| {watcher.identified} | {statistics.median(calm or [0]):.1f} |",
                flush=True,
            )
            told += row
        if told > minutes * 60 + row / 2:
            return


def in_use() -> float:
    """Resident memory of this process in megabytes (Linux)."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 2**20


def film() -> Iterator[tuple[float, Picture]]:
    """Yield the frames, each with its seconds, without end."""
    t = 0.0
    rng = np.random.default_rng(11)
    tables = [_table(rng) for _ in range(TABLES)]
    noise = rng.normal(0, 2, (*tables[0].shape[:2], 1)).astype(np.int8)
    while True:
        for before, after in zip([tables[-1], *tables], tables, strict=False):
            light = float(rng.uniform(0.93, 1.07))
            for i in range(PASSES * RATE):
                yield t, _hand(before if i < PASSES * RATE // 2 else after, i / (PASSES * RATE))
                t += 1 / RATE
            shown = np.asarray(np.clip(after * light, 0, 255), dtype=np.uint8)
            variants = [_grainy(shown, noise), _grainy(shown, np.roll(noise, 7, axis=1))]
            for i in range(SETTLED * RATE + (LASTS - SETTLED) * CALM_RATE):
                yield t, variants[i % 2]
                t += 1 / (RATE if i < SETTLED * RATE else CALM_RATE)


def _table(rng: np.random.Generator) -> Picture:
    deck = scenes.deck()
    ids = rng.permutation(list(deck))[: rng.integers(6, 15)]
    cards = [
        Placed(
            str(c), deck[str(c)], 180 + 250 * (i % 7), 300 + 430 * (i // 7), 130, float(rng.uniform(0, 360))
        )
        for i, c in enumerate(ids)
    ]
    cards += [_thing(rng) for _ in range(THINGS)]
    return render(table("wood", 1920, 1080), cards, Faults(tilt=0.2, blur=0.5, noise=0, jpeg=100)).picture


def _thing(rng: np.random.Generator) -> Placed:
    """Something that is no card, somewhere on the table."""
    high, wide = (int(v) for v in rng.integers(60, 320, 2))
    picture = np.empty((high, wide, 3), dtype=np.uint8)
    picture[:] = rng.integers(0, 255, 3)
    picture[high // 4 : high // 2, wide // 4 : -wide // 4] = rng.integers(0, 255, 3)
    x, y = rng.uniform((100, 100), (1820, 980))
    return Placed(None, picture, float(x), float(y), wide, float(rng.uniform(0, 360)))


def _grainy(picture: Picture, noise: NDArray[np.int8]) -> Picture:
    return np.asarray(np.clip(picture.astype(np.int16) + noise, 0, 255), dtype=np.uint8)


def _hand(picture: Picture, along: float) -> Picture:
    """An arm that comes in from below, reaches over the table and goes."""
    shown = picture.copy()
    reach = int(1080 - 900 * np.sin(np.pi * along))
    cv2.line(shown, (900, 1200), (960, reach), (120, 150, 200), 110)
    cv2.circle(shown, (960, reach), 90, (125, 155, 205), -1)
    return shown


if __name__ == "__main__":
    main()
