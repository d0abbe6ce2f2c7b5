"""How cards are found where it is hard to: real photographs, slanted, on pale cloths and a painted
mat, under cables and glare, touching, cut off by the picture's edge.

    python -m bench.vision_outlines [--photos ../shared/photos] [--tables ../shared/tables] [--fast]
                                    [CONDITION...]

Five photographs of three decks (38 cards), each 1440 pixels on its longer side, are changed as told
beside each condition. *Found*: an outline shares more than 0.8 of its joint area with the labelled
corners. *False*: outlines beside the cards. The peer is the way that tutorials go: Otsu's threshold
after a blur, `findContours`, `approxPolyDP`. `--fast` names no cards. The second table is the first
look at a table: outlines alone, in a picture as a 1080p camera gives it.
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import cv2
import numpy as np

from bench.vision_cloth import FRAME, lay
from bench.vision_tables import SHARED, reader_of
from simulated.scenes import CLOTHS, deck
from simulated.shots import (
    Change,
    Picture,
    Shot,
    cut_off,
    laid_on,
    on_pale_cloth,
    pair_alone,
    slanted,
    touching,
    under_cables,
    under_glare,
)
from vision import photo
from vision.decks import labels
from vision.decks.labels import LabelledPhoto
from vision.geometry import Quad, area, clockwise, contains, is_convex, overlap
from vision.outlines.detect import everything, outlines, similarity
from vision.reader import Reader

PHOTOS = (
    "epfl52/game2-1.jpg",
    "epfl52/game2-5.jpg",
    "set81/green-1-20161231_114506.jpg",
    "set81/purple-1-20170101_164026.jpg",
    "set-table/set-rotem-1.jpg",
)
"""Whole cards on three tables; the photographs from which their decks are enrolled are others."""

MAT = SHARED / "tables" / "mtg-mat" / "mtg-mat-test25.jpg"
"""A painted mat with ten cards of Magic, seen from the side."""

LONGER_SIDE = 1440
"""Pixels: that of the photographs of other people's tables."""

FOUND, BESIDE = 0.8, 0.3
"""Part of the joint area from which an outline is the card's, and part of an outline that may lie
on cards if it is beside them."""

LIMIT = 60
"""Milliseconds of one core that the first look at a table may take."""


@dataclass
class Count:
    """What came of one condition."""

    cards: int = 0
    found: int = 0
    right: int = 0
    wrong: int = 0
    false: int = 0
    peer: int = 0
    peer_false: int = 0


def as_photographed(shot: Shot) -> Shot:
    """The photograph itself."""
    return shot


def on_mat(shot: Shot) -> Shot | None:
    """The cards on a stranger's painted mat, on which cards of another deck lie."""
    return laid_on(photo.load(MAT), shot) if MAT.exists() else None


CONDITIONS: dict[str, Change] = {
    "as photographed": as_photographed,
    **{f"slanted {ratio} : 1": partial(slanted, ratio) for ratio in (1.5, 2.0, 2.5, 3.0)},
    **{f"cloth {by} grey levels below the cards": partial(on_pale_cloth, by) for by in (16, 8, 4, 2)},
    **{f"cables of {width} px": partial(under_cables, width) for width in (3, 6, 12)},
    "pairs touching along long sides": partial(touching, 0),
    "pairs touching along short sides": partial(touching, 1),
    "a touching pair, alone": pair_alone,
    "on a painted mat, among others' cards": on_mat,
    **{f"first card cut off by {part}": partial(cut_off, part) for part in (0.1, 0.3)},
    **{f"glare of {size} card widths": partial(under_glare, size) for size in (0.3, 0.6, 0.9)},
}
"""What is done to the photographs, by name."""


def tutorial(image: Picture) -> list[Quad]:
    """The quads that the usual way finds."""
    grey = cv2.GaussianBlur(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), (5, 5), 0)
    _, mask = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    found = []
    for contour in cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)[0]:
        corners = cv2.approxPolyDP(contour, 0.04 * cv2.arcLength(contour, True), True)
        if len(corners) == 4 and 1500 < cv2.contourArea(corners) < 0.5 * grey.size:
            quad = clockwise(corners)
            if is_convex(quad):
                found.append(quad)
    return found


def matched(quads: Sequence[Quad], cards: Sequence[Quad]) -> int:
    """How many of the cards one of the quads is the outline of."""
    return sum(any(similarity(quad, card) > FOUND for quad in quads) for card in cards)


def beside(quads: Sequence[Quad], cards: Sequence[Quad]) -> int:
    """How many of the quads lie beside the cards."""
    return sum(sum(overlap(quad, card) for card in cards) < BESIDE * area(quad) for quad in quads)


def shot_of(labelled: LabelledPhoto) -> Shot:
    """The photograph in the size of the bench, with its labelled corners."""
    image = photo.load(labelled.path)
    scale = LONGER_SIDE / max(image.shape[:2])
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    quads = tuple(
        (c.quad + 0.5) * np.float32(scale) - np.float32(0.5) for c in labelled.cards if c.quad is not None
    )
    return Shot(np.asarray(small, np.uint8), quads)


def count(change: Change, photos: Sequence[LabelledPhoto], readers: dict[str, Reader]) -> Count:
    """Find, and with `readers` name, the cards of the photographs that can be changed so."""
    total = Count()
    for labelled in photos:
        shot = change(shot_of(labelled))
        if shot is None:
            continue
        found, usual = outlines(shot.picture), tutorial(shot.picture)
        total.cards += len(shot.quads)
        total.found += matched([quad for quad, _ in everything(found)], shot.quads)
        total.false += beside([one.quad for one in found], shot.quads)
        total.peer += matched(usual, shot.quads)
        total.peer_false += beside(usual, shot.quads)
        if readers:
            sure = [r for r in readers[labelled.deck].read(shot.picture) if r.sure]
            # a change may leave the first cards only
            for label, quad in zip(labelled.cards, shot.quads, strict=False):
                named = {r.card for r in sure if contains(r.quad, quad.mean(axis=0))}
                total.right += label.card in named
                total.wrong += bool(named - {label.card})
    return total


def in_frame(image: Picture) -> Picture:
    """The photograph in the size of a 1080p camera's picture, upright if it is; what it is too
    narrow for shows its own table, mirrored."""
    height, width = image.shape[:2]
    frame = FRAME if width > height else FRAME[::-1]
    scale = min(frame[0] / width, frame[1] / height)
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_LINEAR)
    wide, high = frame[0] - small.shape[1], frame[1] - small.shape[0]
    left, top = wide // 2, high // 2
    filled = cv2.copyMakeBorder(small, top, high - top, left, wide - left, cv2.BORDER_REFLECT_101)
    return np.asarray(filled, np.uint8)


def first_look(photos: Sequence[LabelledPhoto]) -> Iterator[tuple[str, float]]:
    """Milliseconds of the processor, the least of three, for each photograph and a drawn table."""
    pictures = {}
    for labelled in photos:
        name = f"{Path(labelled.name).stem}, {len(labelled.cards)} cards"
        pictures[name] = in_frame(photo.load(labelled.path))
    for name in ("pale", "wood", "picnic 60"):
        _, scene = lay(CLOTHS[name](*FRAME), deck())
        pictures[f"drawn table, {name}, 12 cards"] = scene.picture
    for name, picture in pictures.items():
        taken = []
        for _ in range(3):
            began = time.process_time()
            outlines(picture)
            taken.append(1000 * (time.process_time() - began))
        yield name, min(taken)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description="Finding cards where it is hard.")
    parser.add_argument("--photos", type=Path, default=SHARED / "photos")
    parser.add_argument("--tables", type=Path, default=SHARED / "tables")
    parser.add_argument("--fast", action="store_true", help="do not name the cards")
    parser.add_argument("conditions", nargs="*", metavar="CONDITION", help=f"of {', '.join(CONDITIONS)}")
    options = parser.parse_args()
    files = [f / "labels.json" for f in (options.photos, options.tables) if (f / "labels.json").exists()]
    every = [one for file in files for one in labels.load(file)]
    photos = [one for one in every if one.name in PHOTOS]
    if not photos:
        raise SystemExit(f"No photographs in {options.photos}: name their folder with --photos.")
    cv2.setNumThreads(1)
    readers = {}
    for of_deck in {one.deck for one in photos} if not options.fast else ():
        readers[of_deck] = reader_of([one for one in every if one.deck == of_deck and one.use == "reference"])
    print(
        "| condition | cards | found | right, sure | wrong, sure | false | peer: found, false |\n|---|"
        + "---:|" * 6
    )
    for name in options.conditions or CONDITIONS:
        c = count(CONDITIONS[name], photos, readers)
        named = (c.right, c.wrong) if readers else ("–", "–")
        cells = [name, c.cards, c.found, *named, c.false, f"{c.peer}, {c.peer_false}"]
        print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)
    if not options.conditions:
        print(f"\nThe first look at 1080p:\n\n| picture | ms | limit |\n|---|{'---:|' * 2}")
        for name, ms in first_look(photos):
            print(f"| {name} | {ms:.0f} | {LIMIT} |", flush=True)


if __name__ == "__main__":
    main()
