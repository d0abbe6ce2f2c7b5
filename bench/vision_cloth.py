"""How the camera's reading bears patterned cloths, and things on the table that have four straight
sides but are no cards.

    python -m bench.vision_cloth [--photo] [CLOTH...]

Three pictures a cloth, of twelve cards each: ten of the deck, a back and a card of another deck,
which must be listed without a name. The frame is 1080p; with `--photo` it is a photo of 12 million
pixels. `ms` is the processor's time in the slowest of the three for `outlines` and for the whole of
`Reader.read`.
"""

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import numpy as np

from simulated.scenes import CLOTHS, Faults, Picture, Placed, Scene, back, corners, deck, render, stranger
from vision.decks import separation
from vision.geometry import area, contains, overlap
from vision.library import Library
from vision.outlines.detect import outlines
from vision.reader import Reader
from vision.reading import Reading

FRAME, PHOTO = (1920, 1080), (4000, 3000)
WIDTHS = (80, 110, 150)
"""Widths of the cards of each picture in pixels, in a frame 1920 wide; in a larger picture they
grow with it."""

Result = TypeVar("Result")


def lay(
    bare: Picture, cards: dict[str, Picture], wide: float = 110, number: int = 12, seed: int = 11
) -> tuple[list[Placed], Scene]:
    """Lay cards apart from one another on a bare table, half of them turned; the last two are of no
    design."""
    height, width = bare.shape[:2]
    unit, rng = width / FRAME[0], np.random.default_rng(seed)
    ids = [str(card) for card in rng.permutation(list(cards))][: number - 2]
    drawings = {**cards, "": back(), "stranger": stranger(2)}
    placed: list[Placed] = []
    size = wide * unit
    for card in [*ids, "", "stranger"]:
        while True:
            x, y = rng.uniform(0.9 * size, (width - 0.9 * size, height - 0.9 * size))
            turn = float(rng.uniform(0, 360)) if rng.random() < 0.5 else float(rng.choice((0, 90, 180, 270)))
            new = Placed(card if card in cards else None, drawings[card], x, y, size, turn)
            if not any(overlap(corners(_grown(new)), corners(_grown(other))) for other in placed):
                break
        placed.append(new)
    return placed, render(bare, placed, Faults(tilt=0.3, blur=0.6 * unit, noise=2.5), rng)


def _grown(card: Placed) -> Placed:
    return Placed(card.card, card.drawing, card.x, card.y, card.width * 1.08, card.turn)


def count(placed: list[Placed], scene: Scene, readings: list[Reading]) -> list[int]:
    """Count right and sure, unsure, wrong and sure, missed, and cards listed where none lies.

    A card without a design is right if it is listed and not sure; it counts as right and sure.
    """
    right = unsure = wrong = missed = 0
    left = list(readings)
    for card, quad in zip(placed, scene.quads, strict=True):
        holding = [r for r in left if contains(r.quad, quad.mean(axis=0)) and area(r.quad) < 2.5 * area(quad)]
        if not holding:
            missed += 1
            continue
        reading = max(holding, key=lambda r: overlap(r.quad, quad) / (area(r.quad) + area(quad)))
        left = [r for r in left if r is not reading]
        right += not reading.sure if card.card is None else reading.sure and reading.card == card.card
        wrong += reading.sure and reading.card != card.card
        unsure += not reading.sure and card.card is not None
    return [right, unsure, wrong, missed, len(left)]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="The camera's reading on patterned cloths.")
    parser.add_argument("--photo", action="store_true", help="photos of 12 million pixels instead of 1080p")
    parser.add_argument("cloths", nargs="*", metavar="CLOTH", help=f"of {', '.join(CLOTHS)}")
    options = parser.parse_args()
    cards = deck()
    library = Library.from_drawings(cards)
    reader = Reader(library, separation.run(library).margins)
    width, height = PHOTO if options.photo else FRAME
    columns = (
        "cloth",
        "cards",
        "right, sure",
        "unsure",
        "wrong, sure",
        "missed",
        "false cards",
        "ms outlines",
        "ms read",
    )
    print("| " + " | ".join(columns) + " |\n|---|" + "---:|" * (len(columns) - 1))
    for name in options.cloths or CLOTHS:
        bare = CLOTHS[name](width, height)
        counts, slowest = np.zeros(5, dtype=int), np.zeros(2)
        for seed, wide in enumerate(WIDTHS):
            placed, scene = lay(bare, cards, wide, seed=seed)
            outlining, _ = _timed(partial(outlines, scene.picture))
            reading, found = _timed(partial(reader.read, scene.picture))
            counts += count(placed, scene, found)
            slowest = np.maximum(slowest, (outlining, reading))
        cells = [name, int(counts[:4].sum()), *counts, *(round(ms) for ms in slowest)]
        print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def _timed(work: Callable[[], Result]) -> tuple[float, Result]:
    """Milliseconds of the processor, and what came of the work."""
    began = time.process_time()
    result = work()
    return (time.process_time() - began) * 1000, result


if __name__ == "__main__":
    main()
