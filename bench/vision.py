"""A torture table of drawn cards, by width and fault, and what a frame of a film costs.

    python -m bench.vision [--cards 10000] [--drawings FOLDER]

A quick run reads 300 cards on the torture table. Photographs: `bench.vision_tables`.
"""

import argparse
import math
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from simulated import scenes
from simulated.scenes import Faults, Placed, render, table
from vision import markers
from vision.decks import separation
from vision.film.watch import Watcher
from vision.geometry import contains
from vision.library import Library, Margins
from vision.reader import Reader

WIDTHS = (50, 70, 100, 140, 200)
FAULTS = {
    "none": Faults(tilt=0.2, blur=0.5),
    "perspective": Faults(tilt=1.0, blur=0.5),
    "blur": Faults(tilt=0.2, blur=1.6),
    "noise": Faults(tilt=0.2, blur=0.5, noise=10),
    "jpeg": Faults(tilt=0.2, blur=0.5, jpeg=35),
    "glare": Faults(tilt=0.2, blur=0.5, glare=1.0),
    "shadow": Faults(tilt=0.2, blur=0.5, shadow=0.5),
    "occlusion": Faults(tilt=0.2, blur=0.5, cover=0.16),
    "tint": Faults(tilt=0.2, blur=0.5, tint=(0.8, 0.97, 1.06), gain=0.75),
}
TABLES = ("pale", "dark", "wood")


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description="Accuracy and speed of the camera's reading.")
    parser.add_argument("--cards", type=int, default=300, help="cards on the torture table (full: 10000)")
    parser.add_argument("--jobs", type=int, help="processes for the torture table (one a core)")
    parser.add_argument("--drawings", type=Path, help="a folder of card drawings instead of the bench's own")
    options = parser.parse_args()
    deck = scenes.from_folder(options.drawings) if options.drawings else scenes.deck()
    torture(deck, options.cards, options.jobs)
    speed(deck)


def torture(deck: dict[str, NDArray[np.uint8]], cards: int, jobs: int | None = None) -> None:
    """Right and sure, and wrong and sure, by card width and by fault; `jobs`: processes, None for
    one a core."""
    library = Library.from_drawings(deck)
    library.margins = separation.run(library).margins
    each = max(1, math.ceil(cards / (len(WIDTHS) * len(FAULTS) * 12)))
    print(
        f"Torture table, {each * len(WIDTHS) * len(FAULTS) * 12} cards of {len(deck)} designs: right and sure (wrong and sure)"
    )
    print("| fault | " + " | ".join(f"{w} px" for w in WIDTHS) + " |\n|---|" + "---:|" * len(WIDTHS))
    # spawned, for a fork would inherit the locks of OpenCV's threads but not the threads
    spawn = get_context("spawn")
    with ProcessPoolExecutor(jobs, spawn, initializer=cv2.setNumThreads, initargs=(1,)) as pool:
        for name in FAULTS:
            cells = pool.map(partial(_cell, deck, library.margins, name, each), WIDTHS)
            print(
                f"| {name} | "
                + " | ".join(f"{100 * right / of:.1f} % ({wrong})" for right, wrong, of in cells)
                + " |",
                flush=True,
            )
    print()


def _cell(
    deck: dict[str, NDArray[np.uint8]], margins: Margins, fault: str, tables: int, width: int
) -> NDArray[np.int64]:
    """One cell of the torture table, the same whatever else is run: right and sure, wrong and sure,
    cards."""
    reader = Reader(Library.from_drawings(deck), margins)
    rng = np.random.default_rng([2026, list(FAULTS).index(fault), width])
    counts = [_one_table(reader, deck, width, FAULTS[fault], rng) for _ in range(tables)]
    return np.asarray(np.sum(counts, axis=0), dtype=np.int64)


def _one_table(
    reader: Reader, deck: dict[str, NDArray[np.uint8]], width: int, faults: Faults, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Twelve cards on one table: right and sure, wrong and sure, cards."""
    ids = list(deck)
    placed = []
    for i in range(12):
        card = ids[rng.integers(len(ids))]
        x, y = 240 + 285 * (i % 6) + rng.uniform(-12, 12), 330 + 430 * (i // 6) + rng.uniform(-20, 20)
        placed.append(Placed(card, deck[card], x, y, width, rng.uniform(0, 360)))
    scene = render(table(TABLES[rng.integers(3)], 1920, 1080, int(rng.integers(1000))), placed, faults, rng)
    sure = [r for r in reader.read(scene.picture) if r.sure]
    right, wrong = 0, 0
    for reading in sure:
        under = [
            c.card for c, q in zip(placed, scene.quads, strict=True) if contains(reading.quad, q.mean(axis=0))
        ]
        right += reading.card in under
        wrong += reading.card not in under
    return np.array([right, wrong, len(placed)])


def speed(deck: dict[str, NDArray[np.uint8]]) -> None:
    """Milliseconds a frame at 1080p with 14 cards, beside decoding the frame and a full ArUco
    search."""
    watched = {new: watch(deck, new) for new in (1, 3)}
    after = watched[3].picture
    jpeg = cv2.imencode(".jpg", after, [cv2.IMWRITE_JPEG_QUALITY, 90])[1]
    decode = [_milliseconds(lambda: cv2.imdecode(jpeg, cv2.IMREAD_COLOR)) for _ in range(20)]
    aruco = [_milliseconds(lambda: markers.find(after)) for _ in range(10)]
    print("| milliseconds a frame, 1080p, 14 cards | median | p95 | greatest |\n|---|---:|---:|---:|")
    for name, times in (
        ("decode the MJPEG frame", decode),
        ("ArUco over the whole frame", aruco),
        ("steady", watched[3].steady),
        ("until one new card is named", watched[1].naming),
        ("until three new cards are named", watched[3].naming),
        ("the same in milliseconds of the processor", watched[3].processor),
    ):
        print(f"| {name} | {np.median(times):.1f} | {np.percentile(times, 95):.1f} | {max(times):.1f} |")
    for new, one in watched.items():
        told = ", ".join(f"{seconds:.2f}" for seconds in one.named)
        frames = ", ".join(f"{count / 30:.2f}" for count in one.frames)
        print(f"\nNew cards: {new}. Named after {told} s; by a machine that drops no frame after {frames} s")


@dataclass
class Watched:
    """One film: milliseconds of each call, and seconds and frames from laying to naming, a new card
    each."""

    picture: NDArray[np.uint8]
    naming: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    steady: list[float] = field(default_factory=list)
    named: list[float] = field(default_factory=list)
    frames: list[int] = field(default_factory=list)


def watch(deck: dict[str, NDArray[np.uint8]], new: int) -> Watched:
    """Lay `new` cards at once beside those that make fourteen with them, and watch."""
    rng = np.random.default_rng(5)
    ids = list(deck)[:14]
    placed = [
        Placed(c, deck[c], 180 + 250 * (i % 7), 300 + 430 * (i // 7), 130, rng.uniform(0, 360))
        for i, c in enumerate(ids)
    ]
    bare = table("wood", 1920, 1080)
    clean = replace(FAULTS["none"], noise=0, jpeg=100)
    before, after = render(bare, placed[:-new], clean).picture, render(bare, placed, clean).picture
    noise = [rng.normal(0, 2, after.shape).astype(np.int16) for _ in range(4)]

    def frame(picture: NDArray[np.uint8], i: int) -> NDArray[np.uint8]:
        return np.asarray(np.clip(picture + np.roll(noise[i % 4], i, 1), 0, 255), np.uint8)

    watched, t = Watched(after), 0.0
    library = Library.from_drawings(deck)
    dropping, patient = Watcher(library), Watcher(library)
    for i in range(60):
        dropping.see(frame(before, i), i / 30)
        patient.see(frame(before, i), i / 30)
    found: set[str] = set()
    t = 60 / 30
    for i in range(40):
        picture = frame(after, i)
        used, began = time.process_time(), time.perf_counter()
        lying = dropping.see(picture, t)
        took = (time.perf_counter() - began) * 1000
        if len(found) < new:
            watched.naming.append(took)
            watched.processor.append((time.process_time() - used) * 1000)
        # the camera keeps its thirty a second: frames that come while one is worked on are dropped
        t += max(1 / 30, took / 1000)
        fresh = {str(p.card) for p in lying if p.sure and p.card in ids[-new:]} - found
        watched.named += [t - 60 / 30] * len(fresh)
        found |= fresh
        sure = sum(p.sure and p.card in ids[-new:] for p in patient.see(picture, (60 + i) / 30))
        watched.frames += [i] * (sure - len(watched.frames))
    for i in range(90):
        picture = frame(after, i)
        watched.steady.append(_milliseconds(partial(dropping.see, picture, t)))
        t += 1 / 30
    return watched


def _milliseconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


if __name__ == "__main__":
    main()
