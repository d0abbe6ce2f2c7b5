"""Strangers' photographs shown as films: what the watcher names of still tables, whole cards, and
cards nobody enrolled.

python -m bench.vision_shown [--tables DIR] [--photos DIR] [--only NAME]

Each photograph is a film of up to six seconds, ten frames a second, with a sensor's noise of its
own in every frame; it ends when nothing is left to be read. Every fourth design is then left out
once more, as in `bench.vision_tables`: whatever of those cards gets a sure name is named as
another.
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from bench import vision_tables
from bench.vision_tables import SHARED
from vision import photo
from vision.decks.labels import LabelledPhoto
from vision.decks.measure import AccuracyRow, score
from vision.film.presence import Presence
from vision.film.watch import Watcher
from vision.geometry import contains
from vision.reading import Reading

FPS, LONGEST, NOISE = 10, 60, 2.0
"""Frames a second, frames of a film at most, and grey levels of noise."""
STEPS = 200
"""Steps of reading a frame: as many as a camera gives time for while it shows the table for some
seconds."""


def main() -> None:
    """Print a row for each table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=Path, default=SHARED / "tables")
    parser.add_argument("--photos", type=Path, default=SHARED / "photos")
    parser.add_argument("--only", metavar="NAME", default="", help="only tables whose name holds this")
    parser.add_argument("--most", type=int, default=99, help="photographs of a table at most")
    options = parser.parse_args()
    # all at once: what is missing is said before the table's head is
    found = list(vision_tables.decks(options.photos, options.tables, options.only))
    cv2.setNumThreads(1)
    print(
        "| table, shown as films | cards | right, sure | right, unsure | wrong, sure | wrong, unsure | missed "
        "| not enrolled: named | readings a card | ms of the processor a reading |\n|---|" + "---:|" * 9
    )
    for of_deck, tests in found:
        references = [one for one in of_deck if one.use == "reference"]
        for name, photos in tests.items():
            print(_row(name, references, photos[: options.most]), flush=True)


def _row(name: str, references: Sequence[LabelledPhoto], photos: Sequence[LabelledPhoto]) -> str:
    tally, readings, spent, strangers, named = AccuracyRow(), 0, 0.0, 0, 0
    whole, less = (vision_tables.reader_of(references, leave_out) for leave_out in (None, 0))
    for one in photos:
        watcher = Watcher(whole.library, whole.margins, STEPS)
        began = time.process_time()
        seen = shown(watcher, one)
        spent += time.process_time() - began
        readings += watcher.identified
        score(tally, one.name, one.cards, [_reading(card) for card in seen])
        unknown = [c for c in one.cards if c.card not in less.library.designs and c.whole]
        if unknown:
            sure = [card for card in shown(Watcher(less.library, less.margins, STEPS), one) if card.sure]
            strangers += len(unknown)
            named += sum(any(contains(card.quad, (c.x, c.y)) for card in sure) for c in unknown)
    counts = (
        f"{tally.right_sure} ({100 * tally.right_sure / max(tally.cards, 1):.1f} %) | {tally.right_unsure}"
    )
    counts += f" | {tally.wrong_sure} | {tally.wrong_unsure} | {tally.missed} | {named} of {strangers}"
    each = f"{readings / max(tally.cards, 1):.1f} | {1000 * spent / max(readings, 1):.0f}"
    return f"| {name} | {tally.cards} | {counts} | {each} |"


def shown(watcher: Watcher, one: LabelledPhoto) -> list[Presence]:
    """What the watcher sees at the end of a photograph's film."""
    image, noise = photo.load(one.path), np.random.default_rng(1)
    seen: list[Presence] = []
    for i in range(LONGEST):
        grain = (NOISE * noise.standard_normal(image.shape[:2], np.float32)).astype(np.int16)
        frame = np.clip(image + grain[:, :, None], 0, 255).astype(np.uint8)
        seen = watcher.see(frame, i / FPS)
        if i and not watcher.busy:
            break
    return seen


def _reading(card: Presence) -> Reading:
    return Reading(card.card, card.sure, card.confidence, card.quad, card.candidates)


if __name__ == "__main__":
    main()
