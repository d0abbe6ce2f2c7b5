"""Playing cards that strangers drew: Debian's own card games come with some thirty packs, English,
French, Russian, Swiss and others, and no line of `vision` was written with one of them in sight.

    python -m bench.vision_drawn [--only NAME] [--photos 3] [--seed 1]

Needs Debian's `gnome-cards-data` (the packs) and `librsvg2-bin` (which draws them). Each pack is
enrolled from one photograph a design, 220 pixels wide, and read on other tables: cards, table,
camera and lamp are put together by `simulated/scenes.py`, so only the packs are strangers'. A
quarter of each pack's designs is left out once more, to count how often their cards are named as
another. Aims: 98 % right and sure of playing cards as a webcam shows them, one wrong and sure in a
thousand, one of no enrolled design named in two hundred.
"""

import argparse
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.vision_tables import LEFT_OUT, strangers_in, without
from simulated.scenes import Faults, Picture, Placed, Scene, render, table
from vision.decks import separation
from vision.decks.labels import Label
from vision.decks.measure import AccuracyRow, score
from vision.library import Library
from vision.reader import Reader

PACKS = Path("/usr/share/aisleriot/cards")
PACKAGES = "gnome-cards-data", "librsvg2-bin"

SUITS = "club", "diamond", "heart", "spade"
RANKS = "ace", *map(str, range(2, 11)), "jack", "queen", "king"
"""Rows and columns of a pack's sheet; below them it shows jokers and the back."""

WIDTH, SIZE = 320, (1440, 1080)
"""Pixels across a drawing, and of a photograph."""

A_PHOTO, A_ROW = 12, 4
"""Cards of a photograph, and of a row of it."""


@dataclass(frozen=True)
class Camera:
    """What lies between the table and its photographs, each fault anywhere in its range; `width`:
    pixels across a card."""

    width: float
    tilt: tuple[float, float]
    blur: tuple[float, float]
    noise: tuple[float, float]
    jpeg: tuple[int, int]
    gain: tuple[float, float]
    tint: tuple[float, float]
    glare: float = 0.0
    shadow: float = 0.0
    """Half of the photographs have the glare, a quarter the shadow."""

    def faults(self, rng: np.random.Generator) -> Faults:
        """One photograph's."""
        tint = rng.uniform(*self.tint, 3)
        blue, green, red = (float(one) for one in tint / tint.max())
        return Faults(
            tilt=float(rng.uniform(*self.tilt)),
            blur=float(rng.uniform(*self.blur)),
            noise=float(rng.uniform(*self.noise)),
            jpeg=int(rng.integers(*self.jpeg)),
            gain=float(rng.uniform(*self.gain)),
            tint=(blue, green, red),
            glare=self.glare * float(rng.random() < 0.5),
            shadow=self.shadow * float(rng.random() < 0.25),
        )


CAMERAS = {
    "a webcam's, cards of 130 pixels": Camera(
        130, (0, 0.6), (0.3, 0.9), (1.5, 4), (70, 96), (0.55, 1.05), (0.8, 1.15)
    ),
    "dim and poor, cards of 85 pixels, lamps and hard shadows": Camera(
        85, (0, 0.9), (0.4, 1.1), (2, 6), (50, 90), (0.4, 1.15), (0.75, 1.2), glare=0.5, shadow=0.4
    ),
}


def packs(only: str = "") -> list[Path]:
    """The sheets of the packs whose name holds `only`; none where the package is not installed."""
    return sorted(file for file in PACKS.glob("*.svgz") if only in file.stem)


def drawings(sheet: Path) -> dict[str, Picture]:
    """The 52 cards of a sheet; raises `CalledProcessError` where it cannot be drawn."""
    grid = cells(sheet)
    return {
        f"{rank}-{suit}": grid[row][column]
        for row, suit in enumerate(SUITS)
        for column, rank in enumerate(RANKS)
    }


def cells(sheet: Path) -> list[list[Picture]]:
    """All pictures of a sheet, row by row; the last row begins with two jokers and the back."""
    across = WIDTH * len(RANKS)
    command = ["rsvg-convert", "--background-color", "white", "--width", str(across), str(sheet)]
    drawn = subprocess.run(command, check=True, capture_output=True).stdout
    picture = np.asarray(cv2.imdecode(np.frombuffer(drawn, np.uint8), cv2.IMREAD_COLOR), np.uint8)
    edges = [round(row * picture.shape[0] / (len(SUITS) + 1)) for row in range(len(SUITS) + 2)]
    return [
        [picture[top:bottom, column * WIDTH :][:, :WIDTH] for column in range(len(RANKS))]
        for top, bottom in pairwise(edges)
    ]


def enrolled(cards: Mapping[str, Picture], rng: np.random.Generator) -> Library:
    """A library that was shown each card once, under a quiet camera."""
    library, faults = Library(), Faults(tilt=0.1, blur=0.5, jpeg=92, tint=(0.95, 1, 1), gain=0.95)
    names = sorted(cards)
    for first in range(0, len(names), 8):
        placed = [
            Placed(
                card, cards[card], 200 + 340 * (i % 4), 280 + 520 * (i // 4), 220, float(rng.uniform(-4, 4))
            )
            for i, card in enumerate(names[first : first + 8])
        ]
        shot = render(table("wood", *SIZE, seed=first), placed, faults, rng)
        for one, quad in zip(placed, shot.quads, strict=True):
            library.add(str(one.card), shot.picture, quad)
    return library


def photographs(
    cards: Mapping[str, Picture], camera: Camera, count: int, rng: np.random.Generator
) -> Iterator[tuple[list[str], Scene]]:
    """So many photographs, each of other cards on any of four tables, and which lie in each."""
    names = rng.permutation(sorted(cards)).tolist()
    for first in range(0, A_PHOTO * count, A_PHOTO):
        lying = [names[i % len(names)] for i in range(first, first + A_PHOTO)]
        kind = ("pale", "dark", "wood", "mat")[int(rng.integers(4))]
        placed = []
        for i, card in enumerate(lying):
            x, y = (
                middle + float(rng.uniform(-25, 25))
                for middle in (180 + 360 * (i % A_ROW), 190 + 350 * (i // A_ROW))
            )
            turn = float(rng.choice([0, 90, 180, 270]) + rng.uniform(-25, 25))
            placed.append(Placed(card, cards[card], x, y, camera.width * float(rng.uniform(0.9, 1.1)), turn))
        yield lying, render(table(kind, *SIZE, seed=first), placed, camera.faults(rng), rng)


def read(
    reader: Reader, stranger: Reader, shots: Iterator[tuple[list[str], Scene]], tally: AccuracyRow
) -> NDArray[np.int64]:
    """Add what the reader says of photographs to the tally; return how many cards the `stranger`
    does not know, and how many of them it names."""
    counts = np.zeros(2, np.int64)
    for lying, shot in shots:
        middles = [quad.mean(axis=0) for quad in shot.quads]
        labels = [Label(card, float(x), float(y), None) for card, (x, y) in zip(lying, middles, strict=True)]
        score(tally, "", labels, reader.read(shot.picture))
        counts += strangers_in(stranger, labels, shot.picture)
    return counts


def main() -> None:
    """Print the table, a row a camera."""
    parser = argparse.ArgumentParser(description="Accuracy on packs of playing cards drawn by strangers.")
    parser.add_argument("--only", metavar="NAME", default="", help="only packs whose name holds this")
    parser.add_argument("--photos", type=int, default=3, help="photographs of each pack and camera")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    found = packs(options.only)
    if not found:
        print(f"No packs in {PACKS}: apt-get install {' '.join(PACKAGES)}\n")
        return
    cv2.setNumThreads(1)
    tallies = {name: AccuracyRow() for name in CAMERAS}
    strangers = {name: np.zeros(2, np.int64) for name in CAMERAS}
    for number, sheet in enumerate(found):
        rng = np.random.default_rng([options.seed, number])
        cards = drawings(sheet)
        library = enrolled(cards, rng)
        left = without(library, number % LEFT_OUT)
        readers = [Reader(one, separation.run(one).margins) for one in (library, left)]
        for name, camera in CAMERAS.items():
            shots = photographs(cards, camera, options.photos, rng)
            strangers[name] += read(readers[0], readers[1], shots, tallies[name])
    print(
        f"{len(found)} packs\n\n| camera | cards | right, sure | right, unsure | wrong, sure "
        "| wrong, unsure | missed | false, sure | not enrolled: named |\n|---|" + "---:|" * 8
    )
    for name, t in tallies.items():
        cells = [t.cards, f"{t.right_sure} ({100 * t.right_sure / max(t.cards, 1):.1f} %)", t.right_unsure]
        cells += [t.wrong_sure, t.wrong_unsure, t.missed, t.false_sure]
        unknown, named = strangers[name].tolist()
        print(f"| {name} | " + " | ".join(map(str, [*cells, f"{named} of {unknown}"])) + " |")


if __name__ == "__main__":
    main()
