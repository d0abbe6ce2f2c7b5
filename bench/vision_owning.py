"""Owning a deck: whether enrolment finds all cards of a photograph and nothing else, before it
knows one of them.

    python -m bench.vision_owning [--photos DIR] [--tables DIR] [--packs 3] [--seed 1] [--fast]
                                  [CONDITION...]

Strangers' photographs are those whose labels tell of every card that lies in them, a row a table.
The drawn ones are Debian's packs (`bench.vision_drawn`) laid one alone, thirteen in three rows and
in a bow, fifty-two in four rows, thirteen as a fan of which the uppermost alone is in sight as a
whole: on felt, a pale table, wood and a chequered cloth, and on a mat, a tray, a sheet of paper and
a small table of which all edges are in the picture. A photograph counts if each card that is in
sight as a whole has one outline (labelled corners: `OF_THE_CARD` of the joint area; else the point
that is labelled) and no further one is taken. The peer is the reader that was shown the whole deck
before: what it says lies there, named or not. `--fast` leaves it out.
"""

import argparse
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np

from bench.vision_drawn import PACKAGES, PACKS, SIZE, drawings, enrolled, packs
from bench.vision_tables import SHARED, reader_of, tables
from simulated.scenes import Faults, Picture, Placed, render, table
from vision import photo
from vision.decks import capture, labels
from vision.decks.labels import Label
from vision.geometry import Quad, contains
from vision.outlines.detect import similarity
from vision.reader import Reader

OF_THE_CARD = 0.6
"""Part of the joint area from which an outline is the labelled card's: corners that were marked are
off by more than a frame in places, and a picture printed on a card shares 0.35 to 0.52."""

PARTLY_LABELLED = (
    "reference-test8", "reference-test14", "reference-test12", "reference-test10",
    "mtg-mat-test23", "mtg-mat-test1", "mtg-mat-test11", "reference-20180611_105419",
)  # fmt: skip
"""Photographs in which further cards lie that nobody labelled."""

WIDE = 4 / 3
"""Photographs of 52 cards are so many times larger than the others."""


class Photograph(NamedTuple):
    """What came of one photograph: the cards in sight as a whole, those of them found, what else
    was taken, whether the peer gets it right, and seconds."""

    name: str
    cards: int
    found: int
    others: int
    peer: bool
    seconds: float

    @property
    def good(self) -> bool:
        """Whether all cards were found, and nothing else."""
        return (self.found, self.others) == (self.cards, 0)


def photograph(name: str, image: Picture, cards: Sequence[Label], reader: Reader | None) -> Photograph:
    """What comes of a photograph, with what the reader says if there is one."""
    began = time.process_time()
    taken = capture.in_reading_order(image)
    seconds = time.process_time() - began
    wanted = sum(card.whole for card in cards)
    peer = reader is not None and compared([r.quad for r in reader.read(image)], cards) == (wanted, 0)
    return Photograph(name, wanted, *compared(taken, cards), peer, seconds)


def compared(taken: Sequence[Quad], cards: Sequence[Label]) -> tuple[int, int]:
    """How many of the cards that are in sight as a whole were taken, and how many outlines were
    that are of none; those hidden in part and cut off may be taken or not."""
    left = list(taken)
    found = 0
    for card in cards:
        mine = next((i for i, quad in enumerate(left) if _is_of(quad, card)), None)
        if mine is not None:
            del left[mine]
            found += card.whole
    return found, len(left)


def _is_of(quad: Quad, card: Label) -> bool:
    if card.quad is None:
        return contains(quad, (card.x, card.y))
    return similarity(quad, card.quad) >= OF_THE_CARD


# grounds


def on(kind: str, width: int, height: int, seed: int) -> Picture:
    """A table that fills the picture."""
    if kind == "felt":
        felt = table("dark", width, height, seed).astype(np.float32)
        return np.asarray(np.clip(felt * (0.6, 2.2, 0.7), 0, 255), np.uint8)
    return table(kind, width, height, seed)


def playmat(width: int, height: int, seed: int) -> Picture:
    """A mat with a stitched edge and a picture, on wood."""
    bare = on("wood", width, height, seed)
    mat = table("mat", width, height, seed).astype(np.float32)
    rng = np.random.default_rng(seed)
    for _ in range(6):
        ink = rng.uniform(-35, 35, 3)
        middle = [int(rng.uniform(0, limit)) for limit in (width, height)]
        axes = [int(rng.uniform(0.05, 0.3) * width) for _ in range(2)]
        layer = np.zeros((height, width), np.float32)
        cv2.ellipse(layer, middle, axes, float(rng.uniform(0, 180)), 0, 360, 1.0, -1)
        mat += cv2.GaussianBlur(layer, (0, 0), width / 150)[:, :, None] * ink
    return laid(bare, np.asarray(np.clip(mat, 0, 255), np.uint8), 0.05, rim=(30, 30, 34), thick=0.004)


def tray(width: int, height: int, seed: int) -> Picture:
    """A dark tray with a pale rim, on a pale table."""
    return laid(
        on("pale", width, height, seed), on("dark", width, height, seed), 0.06, (130, 150, 165), 0.016
    )


def paper(width: int, height: int, seed: int) -> Picture:
    """A large sheet of white paper, on wood."""
    white = np.full((height, width, 3), (226, 230, 228), np.uint8)
    return laid(on("wood", width, height, seed), white, 0.05)


def small_table(width: int, height: int, seed: int) -> Picture:
    """A small wooden table, all of it, on a dark floor."""
    return laid(on("dark", width, height, seed), on("wood", width, height, seed), 0.05, (40, 70, 105), 0.006)


def laid(
    bare: Picture, top: Picture, edge: float, rim: tuple[int, int, int] | None = None, thick: float = 0.0
) -> Picture:
    """`top` upon `bare`, `edge` picture widths from the picture's sides, a little turned; its rim
    is `thick` wide."""
    height, width = bare.shape[:2]
    in_by = edge * width
    flat = np.array(
        [[in_by, in_by], [width - in_by, in_by], [width - in_by, height - in_by], [in_by, height - in_by]]
    )
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), 1.2, 1.0)
    quad = np.round(flat @ turn[:, :2].T + turn[:, 2]).astype(np.int32)
    mask = np.zeros((height, width), np.uint8)
    cv2.fillConvexPoly(mask, quad, 255, cv2.LINE_AA)
    shade = np.asarray(cv2.GaussianBlur(mask, (0, 0), width / 160), np.float32)[:, :, None] / 255
    part = np.asarray(mask, np.float32)[:, :, None] / 255
    picture = (1 - part) * bare * (1 - 0.5 * shade) + part * top
    done = np.asarray(np.clip(picture, 0, 255), np.uint8)
    if rim is not None:
        cv2.polylines(done, [quad], True, rim, max(round(thick * width), 2), cv2.LINE_AA)
    return done


GROUNDS: dict[str, Callable[[int, int, int], Picture]] = {
    "felt": partial(on, "felt"),
    "pale": partial(on, "pale"),
    "wood": partial(on, "wood"),
    "chequered": partial(on, "mat"),
    "mat seen whole": playmat,
    "tray": tray,
    "sheet of paper": paper,
    "small table seen whole": small_table,
}


# how cards are laid: x, y, width in parts of the picture's width, and the turn in degrees


def alone(rng: np.random.Generator) -> list[tuple[float, float, float, float]]:
    """One card somewhere in the middle."""
    x, y = rng.uniform(0.3, 0.7), rng.uniform(0.3, 0.45)
    return [(float(x), float(y), 0.12, float(rng.uniform(-30, 30)))]


def rows(
    counts: Sequence[int], width: float, beside: float, rng: np.random.Generator
) -> list[tuple[float, float, float, float]]:
    """Rows of so many cards, laid by hand, `beside` card widths from one to the next."""
    step, down = width * (1 + beside), width * 1.42 * (1 + 0.7 * beside)
    left, upper = 0.5 - step * (max(counts) - 1) / 2, 0.375 - down * (len(counts) - 1) / 2
    return [
        (
            left + step * i + float(rng.normal(0, 0.02)) * width,
            upper + down * row + float(rng.normal(0, 0.02)) * width,
            width,
            float(rng.normal(0, 1.2)),
        )
        for row, count in enumerate(counts)
        for i in range(count)
    ]


def bow(
    turn: float, radius: float, width: float, rng: np.random.Generator
) -> list[tuple[float, float, float, float]]:
    """Thirteen cards along a bow, `turn` degrees from one to the next; later ones on top."""
    angles = np.radians(turn) * (np.arange(13) - 6)
    return [
        (
            0.5 + radius * float(np.sin(a)),
            0.36 + radius * (1 - float(np.cos(a))) - 0.08,
            width,
            float(np.degrees(a) + rng.normal(0, 1)),
        )
        for a in angles
    ]


LAYOUTS: dict[str, Callable[[np.random.Generator], list[tuple[float, float, float, float]]]] = {
    "one": alone,
    "13 in rows": partial(rows, (5, 5, 3), 0.12, 0.25),
    "13 close by": partial(rows, (5, 5, 3), 0.13, 0.04),
    "13 in a bow": partial(bow, 11.0, 0.42, 0.062),
    "52 in rows": partial(rows, (13, 13, 13, 13), 0.056, 0.16),
    "a fan of 13": partial(bow, 5.0, 0.4, 0.14),
}


def drawn(
    cards: Mapping[str, Picture], ground: str, layout: str, rng: np.random.Generator
) -> tuple[Picture, list[Label]]:
    """A photograph of cards laid so on such a ground, and where they lie."""
    scale = WIDE if layout.startswith("52") else 1
    width, height = (round(side * scale) for side in SIZE)
    spots = LAYOUTS[layout](rng)
    names = [str(one) for one in rng.permutation(sorted(cards))[: len(spots)]]
    placed = [
        Placed(name, cards[name], x * width, y * width, wide * width, turn)
        for name, (x, y, wide, turn) in zip(names, spots, strict=True)
    ]
    faults = Faults(
        tilt=float(rng.uniform(0, 0.25)),
        blur=float(rng.uniform(0.3, 0.9)),
        noise=float(rng.uniform(1.5, 4)),
        jpeg=int(rng.integers(75, 96)),
        gain=float(rng.uniform(0.7, 1.05)),
    )
    shot = render(GROUNDS[ground](width, height, int(rng.integers(1000))), placed, faults, rng)
    hidden = [layout == "a fan of 13"] * (len(spots) - 1) + [False]
    return shot.picture, [
        Label(name, float(quad[:, 0].mean()), float(quad[:, 1].mean()), quad, hidden=under)
        for name, quad, under in zip(names, shot.quads, hidden, strict=True)
    ]


def strangers(files: Sequence[Path], fast: bool) -> Iterator[tuple[str, list[Photograph]]]:
    """A row a table of strangers' photographs."""
    everything = [one for file in files for one in labels.load(file)]
    told = [one for one in everything if Path(one.name).stem not in PARTLY_LABELLED]
    for deck in dict.fromkeys(one.deck for one in told):
        of_deck = [one for one in everything if one.deck == deck]
        reader = None if fast else reader_of([one for one in of_deck if one.use == "reference"])
        for name, photos in tables([one for one in told if one.deck == deck]).items():
            yield (
                f"strangers': {name}",
                [photograph(one.name, photo.load(one.path), one.cards, reader) for one in photos],
            )


def line(name: str, row: Sequence[Photograph], fast: bool) -> str:
    """One row of the table."""
    good = sum(one.good for one in row)
    cells = [
        name,
        f"{good} of {len(row)} ({100 * good / max(len(row), 1):.0f} %)",
        f"{sum(one.found for one in row)} of {sum(one.cards for one in row)}",
        sum(one.others for one in row),
        "–" if fast else f"{sum(one.peer for one in row)} of {len(row)}",
        f"{np.median([one.seconds for one in row]):.2f}",
    ]
    return "| " + " | ".join(map(str, cells)) + " |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Cards found by enrolment before it knows one of them.")
    parser.add_argument("--photos", type=Path, default=SHARED / "photos")
    parser.add_argument("--tables", type=Path, default=SHARED / "tables")
    parser.add_argument("--packs", type=int, default=3, help="drawn packs, of some thirty")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fast", action="store_true", help="without the peer")
    parser.add_argument("conditions", nargs="*", metavar="CONDITION", help="parts of the names of rows")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    wrong: list[str] = []

    def say(name: str, row: Sequence[Photograph]) -> None:
        print(line(name, row, options.fast), flush=True)
        wrong.extend(
            f"{name}: {one.name}: {one.found} of {one.cards}, {one.others} others"
            for one in row
            if not one.good
        )

    print(
        "| cards | photographs with all and nothing else | cards found | others taken "
        "| the reader that knows the deck: photographs | s a photo |\n|---|" + "---:|" * 5
    )
    files = [f / "labels.json" for f in (options.photos, options.tables) if (f / "labels.json").exists()]
    if not options.conditions or any("strangers".startswith(c[:9]) for c in options.conditions):
        for name, row in strangers(files, options.fast):
            say(name, row)
    sheets = packs()[:: max(len(packs()) // max(options.packs, 1), 1)][: options.packs]
    if not sheets:
        print(f"\nNo packs in {PACKS}: apt-get install {' '.join(PACKAGES)}")
    decks = [drawings(sheet) for sheet in sheets]
    readers = [None if options.fast else Reader(enrolled(one, np.random.default_rng(7))) for one in decks]
    for ground in GROUNDS:
        for layout in LAYOUTS:
            name = f"{ground}, {layout}"
            if options.conditions and not any(part in name for part in options.conditions):
                continue
            row = []
            for number, (cards, reader) in enumerate(zip(decks, readers, strict=True)):
                rng = np.random.default_rng([options.seed, number, list(LAYOUTS).index(layout)])
                image, lying = drawn(cards, ground, layout, rng)
                row.append(photograph(sheets[number].stem, image, lying, reader))
            say(name, row)
    print("\n" + "\n".join(wrong))


if __name__ == "__main__":
    main()
