"""Half-hidden real cards in photographs: how many are named, and whether any is named wrongly.

    python -m bench.vision_laid_over [--cards 60] [--only NAME] [--keep FOLDER]

Each picture is a part of a photograph of a real table, untouched but for one card of the same table
that is cut out with its own light and laid, any way round, over a card that lies there whole.
Counted is the card below, if a third of its face shows and what people tell it by: an index of a
playing card, the title of a card that has one, the middle of any other. Any other sure reading that
is of no card in its place counts as wrong.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from bench import vision_tables
from bench.vision_hidden import INDEX
from vision import photo
from vision.decks.labels import LabelledPhoto
from vision.geometry import Quad, area, contains, overlap, rectangle, to_quad, transform
from vision.reader import Reader

Image = NDArray[np.uint8]

TOLD_BY = {"epfl52": INDEX, "mtg-mat": ((0.05, 0.03, 0.75, 0.1),)}
MIDDLE = ((0.1, 0.3, 0.9, 0.7),)
"""What a card is told by, one of them: left, top, right, bottom in parts of its width and height.
"""

AROUND = 1.9
"""Pixels kept round the middle of a card, in parts of its height: its neighbours tell how large
cards are."""


@dataclass(frozen=True)
class Lying:
    """A card that lies whole in a photograph: where it is known to lie since it was read."""

    card: str
    quad: Quad
    image: Image
    photo: LabelledPhoto


@dataclass(frozen=True)
class Picture:
    """A picture made for the bench: the card that is half hidden, and a point of every other."""

    image: Image
    below: tuple[str, Quad]
    others: tuple[tuple[str, NDArray[np.float32]], ...]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Half-hidden real cards in photographs.")
    parser.add_argument("--tables", type=Path, default=vision_tables.SHARED / "tables")
    parser.add_argument("--photos", type=Path, default=vision_tables.SHARED / "photos")
    parser.add_argument("--cards", type=int, default=60, help="half-hidden cards a table")
    parser.add_argument("--only", metavar="NAME", help="only tables whose name holds this")
    parser.add_argument("--keep", type=Path, help="a folder for the pictures of cards that were not named")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    print("| table | half hidden | right, sure | unsure | wrong, sure |\n|---|---:|---:|---:|---:|")
    for deck, tests in vision_tables.decks(options.photos, options.tables, options.only):
        reader = vision_tables.reader_of([p for p in deck if p.use == "reference"])
        for name, photos in tests.items():
            print(row(name, photos, reader, options.cards, options.keep), flush=True)


def row(name: str, photos: Sequence[LabelledPhoto], reader: Reader, count: int, keep: Path | None) -> str:
    """One row: `count` pictures of one table, always the same."""
    rng = np.random.default_rng(2026)
    lying = [found for one in photos for found in whole(one, reader)]
    right, wrong, made = 0, 0, 0
    for _ in range(4 * count if len(lying) > 1 else 0):
        picture = made < count and laid(lying, rng, photos[0].deck)
        if not picture:
            continue
        made += 1
        named, others = judged(picture, reader)
        right, wrong = right + named, wrong + others
        if keep is not None and (others or not named):
            keep.mkdir(parents=True, exist_ok=True)
            file = f"{name}-{made}-{picture.below[0]}{'-wrong' * bool(others)}.png".replace(" ", "-")
            cv2.imwrite(str(keep / file), picture.image)
    return f"| {name} | {made} | {right} ({100 * right / max(made, 1):.0f} %) | {made - right} | {wrong} |"


def whole(labelled: LabelledPhoto, reader: Reader) -> list[Lying]:
    """The cards of a photograph that are read rightly: their corners are known."""
    image = photo.load(labelled.path)
    there = [c for c in labelled.cards if not (c.hidden or c.ignore)]
    return [
        Lying(c.card, r.quad, image, labelled)
        for r in reader.read(image)
        for c in there
        if r.sure and r.card == c.card and contains(r.quad, (c.x, c.y))
    ]


def laid(lying: Sequence[Lying], rng: np.random.Generator, deck: str) -> Picture | None:
    """A card laid over another at random; nothing if too little or nearly all of that shows."""
    below, above = (lying[i] for i in rng.choice(len(lying), 2, replace=False))
    if below.card == above.card:
        return None
    unit = rectangle(1, float(np.sqrt(2))) + 0.5
    side = rng.uniform(0, 2 * np.pi)
    away = rng.uniform(0.45, 1.1) * np.array([np.cos(side), np.sin(side)])
    turn = rng.choice([0, np.pi / 2, np.pi, 1.5 * np.pi]) + rng.normal(0, 0.3)
    middle = unit.mean(axis=0)
    turned = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    cover = ((unit - middle) @ turned.T + middle + away).astype(np.float32)
    face = _in_sight(cover, unit)
    if not 0.34 < face.mean() < 0.9 or not any(_shows(face, box) for box in TOLD_BY.get(deck, MIDDLE)):
        return None
    place = transform(to_quad(unit, below.quad), cover)
    height, width = below.image.shape[:2]
    if (place < 2).any() or (place > (width - 3, height - 3)).any():
        return None
    image = _pasted(below.image, above, place)
    points = [(above.card, place.mean(axis=0))]
    points += [(c.card, np.array([c.x, c.y], dtype=np.float32)) for c in below.photo.cards]
    return _cropped(image, (below.card, below.quad), points)


def _in_sight(cover: Quad, unit: Quad) -> NDArray[np.bool_]:
    """Which points of a card, 141 down and 100 across, show beside what covers it."""
    hidden = np.zeros((141, 100), dtype=np.uint8)
    cv2.fillConvexPoly(
        hidden, np.round(transform(to_quad(unit, rectangle(100, 141)), cover)).astype(np.int32), 1
    )
    return np.asarray(hidden == 0)


def _shows(face: NDArray[np.bool_], box: tuple[float, float, float, float]) -> bool:
    left, top, right, low = box
    return bool(face[round(141 * top) : round(141 * low), round(100 * left) : round(100 * right)].all())


def _pasted(image: Image, above: Lying, place: Quad) -> Image:
    """The picture with a card laid over it: its own pixels, softly cut at the corners, with a
    narrow shadow round it."""
    size = (image.shape[1], image.shape[0])
    card = cv2.warpPerspective(above.image, to_quad(above.quad, place), size, flags=cv2.INTER_AREA)
    flat = np.zeros((141, 100), dtype=np.uint8)
    for x, y in ((8, 8), (91, 8), (8, 132), (91, 132)):
        cv2.circle(flat, (x, y), 7, 255, -1)
    cv2.rectangle(flat, (8, 1), (91, 139), 255, -1)
    cv2.rectangle(flat, (1, 8), (98, 132), 255, -1)
    mask = cv2.warpPerspective(flat, to_quad(rectangle(100, 141), place), size)
    alpha = cv2.GaussianBlur(mask, (0, 0), 0.7)[:, :, None].astype(np.float32) / 255
    near = (
        cv2.GaussianBlur(mask, (0, 0), 0.02 * float(np.sqrt(area(place))))[:, :, None].astype(np.float32)
        / 255
    )
    return np.asarray(card * alpha + image * (1 - 0.35 * near) * (1 - alpha), dtype=np.uint8)


def _cropped(
    image: Image, below: tuple[str, Quad], others: Sequence[tuple[str, NDArray[np.float32]]]
) -> Picture:
    """The part of a picture round a card."""
    reach = AROUND * 1.41 * float(np.sqrt(area(below[1]) / 1.41))
    middle = below[1].mean(axis=0)
    left, top = np.maximum(0, np.round(middle - reach)).astype(int)
    right, low = np.round(middle + reach).astype(int)
    part = np.ascontiguousarray(image[top:low, left:right])
    shift = np.array([left, top], dtype=np.float32)
    return Picture(part, (below[0], below[1] - shift), tuple((card, at - shift) for card, at in others))


def judged(picture: Picture, reader: Reader) -> tuple[bool, int]:
    """Whether the card below is named, and how many sure readings are of no card in its place."""
    right, wrong = False, 0
    for reading in (r for r in reader.read(picture.image) if r.sure):
        if reading.card == picture.below[0] and _there(reading.quad, picture.below[1]):
            right = True
        else:
            wrong += not any(
                reading.card == card and contains(reading.quad, at) for card, at in picture.others
            )
    return right, wrong


def _there(quad: Quad, true: Quad) -> bool:
    return overlap(quad, true) > 0.5 * area(true)


if __name__ == "__main__":
    main()
