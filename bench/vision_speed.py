"""What reading costs of the processor: a card of which the reader is sure, one of which it is not,
a photograph of many cards.

    OPENBLAS_NUM_THREADS=1 python -m bench.vision_speed [--tables DIR] [--photos DIR] [--only NAME]

A *card* is one outline read once, alone, by all designs of its deck; outlines of the photograph,
and the small network that is asked last, count for the photograph. Each is the best of `TIMES`
times of one core: what else the machine does only ever adds.
"""

import argparse
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.vision_tables import SHARED, decks, reader_of
from vision import photo
from vision.naming.identify import identify
from vision.reader import Reader

TIMES = 3

SURE_CARD, UNSURE_CARD, PHOTO = 20, 100, 2000
"""Milliseconds that are aimed at, the last for a photograph of 27 cards."""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="What reading a photograph costs of one core.")
    parser.add_argument("--tables", type=Path, default=SHARED / "tables")
    parser.add_argument("--photos", type=Path, default=SHARED / "photos")
    parser.add_argument("--only", metavar="NAME", help="only tables whose name holds this")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    costs: dict[bool, list[float]] = {True: [], False: []}
    photos = {}
    for deck, tests in decks(options.photos, options.tables, options.only):
        reader = reader_of([one for one in deck if one.use == "reference"])
        for name, labelled in tests.items():
            # of the larger tables, the first photograph stands for its likes
            image = photo.load(labelled[0].path)
            photos[f"{name}, {len(labelled[0].cards)} cards"] = _least(partial(reader.read, image))
            for sure, cost in _of_cards(reader, image):
                costs[sure].append(cost)
    print("| what | median, ms | 95 of 100 within, ms | limit, ms | how many |\n|---|---:|---:|---:|---:|")
    for sure, limit in ((True, SURE_CARD), (False, UNSURE_CARD)):
        print(_line(f"{'a sure' if sure else 'an unsure'} card", costs[sure], limit))
    for name, cost in photos.items():
        print(_line(f"photograph: {name}", [cost], PHOTO if "27 cards" in name else None))


def _of_cards(reader: Reader, image: NDArray[np.uint8]) -> Iterable[tuple[bool, float]]:
    """Whether the reader is sure of each card of a photograph when it reads it alone, and what that
    costs."""
    for reading in reader.read(image):
        alone = partial(identify, image, reading.quad, reader.library)
        yield reader.weigh(alone()).sure, _least(alone)


def _least(work: Callable[[], object]) -> float:
    """Milliseconds of the processor that the work takes, the best of some times."""
    taken = []
    for _ in range(TIMES):
        began = time.process_time()
        work()
        taken.append(1000 * (time.process_time() - began))
    return min(taken)


def _line(name: str, costs: list[float], limit: int | None) -> str:
    if not costs:
        return f"| {name} | – | – | {limit} | 0 |"
    middle, most = np.percentile(costs, (50, 95))
    return f"| {name} | {middle:.0f} | {most:.0f} | {limit or '–'} | {len(costs)} |"


if __name__ == "__main__":
    main()
