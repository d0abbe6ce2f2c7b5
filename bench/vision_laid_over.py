"""Half-hidden real cards in photographs: how many are named, and whether any is named wrongly.

    python -m bench.vision_laid_over [--cards 12] [--only NAME] [--seed 2026]
                                   [--keep FOLDER]

Each picture is a part of a stranger's photograph, untouched but for one card of the same photograph
that is cut out with its own light and laid over another that lies there whole, with a soft edge and
a narrow shadow. It hides a third or half of that card, from a side or from a corner. Counted is the
card below; of playing cards, if an index of it is in sight. Any other sure reading that is of no
card in its place counts as wrong. Each picture is read once more by a reader that was not told the
design of the card below, nor others of its quarter of the deck: so much is named wrongly then.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from bench import vision_tables
from bench.vision_hidden import INDEX
from vision import photo
from vision.decks.labels import LabelledPhoto
from vision.fitting.patch import WIDTH
from vision.geometry import Quad, area, contains, overlap, rectangle, sides, to_quad, transform
from vision.reader import Reader
from vision.reading import Reading

Image = NDArray[np.uint8]

TOLD_BY = {"epfl52": INDEX}
"""What people tell a card by, one of them: left, top, right, bottom in parts of its width and
height. Of any other deck half a card is enough."""

SHARES = {"a third": (0.3, 0.36), "half": (0.44, 0.5)}
"""Part of the card below that is hidden, least and most."""

ASKEW = 0.1
"""Radians by which a card laid over a side is off a right angle, usually."""

TRIES = 40
"""Throws at most, for each picture that is wanted."""

AROUND = 1.9
"""Pixels kept round the middle of a card, in parts of its height: its neighbours tell how large
cards are."""

FACE = 100
"""Points across a card by which it is told what of it shows, and where its corners are round."""


@dataclass(frozen=True)
class Lying:
    """A card that lies whole in a photograph: where it is known to lie since it was read."""

    card: str
    quad: Quad


@dataclass(frozen=True)
class Picture:
    """A picture made for the bench: the card that is half hidden, and a point of every other."""

    image: Image
    below: tuple[str, Quad]
    others: tuple[tuple[str, NDArray[np.float32]], ...]


def main() -> None:
    """Print the table."""
    report(
        Table,
        "half hidden",
        "Cards of strangers' photographs, a third or half under another of the same photograph",
    )


def report(kind: type["Table"], hidden: str, about: str) -> None:
    """Print a table of pictures in which cards are hidden as that kind hides them; `hidden`: the
    words for it."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--tables", type=Path, default=vision_tables.SHARED / "tables")
    parser.add_argument("--photos", type=Path, default=vision_tables.SHARED / "photos")
    parser.add_argument("--cards", type=int, default=12, help=f"cards a row that are {hidden}")
    parser.add_argument("--only", metavar="NAME", help="only tables whose name holds this")
    parser.add_argument("--keep", type=Path, help="a folder for the pictures of cards that were not named")
    parser.add_argument("--seed", type=int, default=2026, help="another one throws the cards otherwise")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    print(f"{about}\n")
    print(f"| table, hidden | {hidden} | right, sure | unsure | wrong, sure | not enrolled: wrong, sure |")
    print("|---" + "|---:" * 5 + "|")
    for deck, tests in vision_tables.decks(options.photos, options.tables, options.only):
        references = [p for p in deck if p.use == "reference"]
        reader = vision_tables.reader_of(references)
        without = [
            vision_tables.reader_of(references, leave_out=first) for first in range(vision_tables.LEFT_OUT)
        ]
        for name, photos in tests.items():
            table = kind(photos, reader, options.seed)
            for share in SHARES:
                made = list(islice(table.pictures(share, TRIES * options.cards), options.cards))
                print(row(f"{name}, {share}", made, reader, without, options.keep), flush=True)


def row(
    name: str, made: Sequence[Picture], reader: Reader, without: Sequence[Reader], keep: Path | None
) -> str:
    """One row; `without`: readers each of which lacks some designs."""
    right, wrong, strangers = 0, 0, 0
    for number, picture in enumerate(made):
        named, others = judged(picture, reader)
        right, wrong = right + named, wrong + others
        ignorant = next(r for r in without if picture.below[0] not in r.library.designs)
        unknown = judged(picture, ignorant)[1]
        strangers += unknown
        if keep is not None and (others or unknown or not named):
            keep.mkdir(parents=True, exist_ok=True)
            file = f"{name}-{number}-{picture.below[0]}{'-wrong' * bool(others or unknown)}.png"
            cv2.imwrite(str(keep / file.replace(", ", "-").replace(" ", "-")), picture.image)
    share = f"{right} ({100 * right / max(len(made), 1):.0f} %)"
    return f"| {name} | {len(made)} | {share} | {len(made) - right} | {wrong} | {strangers} |"


class Table:
    """The photographs of one table, and what is made of them."""

    def __init__(self, photos: Sequence[LabelledPhoto], reader: Reader, seed: int) -> None:
        self._photos, self._reader, self._seed = photos, reader, seed
        self.height = reader.library.height / WIDTH
        self.lying = lru_cache(maxsize=None)(self._whole)

    def pictures(self, share: str, tries: int) -> Iterator[Picture]:
        """Pictures in which a card is hidden by this share, the same ones for the same seed; from
        each photograph in turn."""
        rng = np.random.default_rng(self._seed)
        for number in range(tries):
            picture = self.made(self._photos[number % len(self._photos)], share, rng)
            if picture is not None:
                yield picture

    def _whole(self, path: Path) -> tuple[Image, list[Lying]]:
        """A photograph, and the cards in it that are read rightly: their corners are known."""
        labelled = next(one for one in self._photos if one.path == path)
        image = photo.load(path)
        there = [c for c in labelled.cards if c.whole]
        return image, [
            Lying(c.card, r.quad)
            for r in self._reader.read(image)
            for c in there
            if r.sure and r.card == c.card and contains(r.quad, (c.x, c.y))
        ]

    def made(self, labelled: LabelledPhoto, share: str, rng: np.random.Generator) -> Picture | None:
        """A card laid over another at random; nothing if what the card is told by does not show."""
        image, lying = self.lying(labelled.path)
        if len(lying) < 2:
            return None
        below, above = (lying[i] for i in rng.choice(len(lying), 2, replace=False))
        cover = _thrown(self.height, rng)
        place = transform(to_quad(unit(self.height), below.quad), cover)
        if (
            below.card == above.card
            or not self.shows(labelled, share, cover)
            or not _in_picture(place, image)
        ):
            return None
        points = [(above.card, np.asarray(place.mean(axis=0), dtype=np.float32)), *self.places(labelled)]
        return _cropped(_pasted(image, above, place, self.height), below, points)

    def shows(self, labelled: LabelledPhoto, share: str, cover: Quad) -> bool:
        """Whether what covers a card, on the unit one, hides this share of it, and not what it is
        told by."""
        face = _in_sight(cover, self.height)
        least, most = SHARES[share]
        told_by = TOLD_BY.get(labelled.deck, ())
        shows = not told_by or any(_shows(face, box) for box in told_by)
        return bool(least < 1 - face.mean() < most and shows)

    def places(self, labelled: LabelledPhoto) -> list[tuple[str, NDArray[np.float32]]]:
        """A point of every card of a photograph."""
        return [(c.card, np.array([c.x, c.y], dtype=np.float32)) for c in labelled.cards]


def _in_picture(quad: Quad, image: Image) -> bool:
    return bool((quad >= 2).all() and (quad <= np.array(image.shape[1::-1]) - 3).all())


def unit(height: float) -> Quad:
    """A card 1 wide, from the origin on."""
    return np.array([[0, 0], [1, 0], [1, height], [0, height]], dtype=np.float32)


def _thrown(height: float, rng: np.random.Generator) -> Quad:
    """A card laid over the unit one: over a side, nearly at right angles, or over a corner, any way
    round."""
    middle = np.array([0.5, height / 2])
    over_side = rng.random() < 0.5
    side = rng.integers(4) * np.pi / 2 if over_side else rng.uniform(0, 2 * np.pi)
    turn = rng.integers(4) * np.pi / 2 + rng.normal(0, ASKEW) if over_side else rng.uniform(0, 2 * np.pi)
    away = rng.uniform(0.3, height) * np.array([np.cos(side), np.sin(side)])
    turned = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    return np.asarray((unit(height) - middle) @ turned.T + middle + away, dtype=np.float32)


def _in_sight(cover: Quad, height: float) -> NDArray[np.bool_]:
    """Which points of a card show beside what covers it."""
    hidden = np.zeros((round(FACE * height), FACE), dtype=np.uint8)
    cv2.fillConvexPoly(hidden, np.round(cover * FACE).astype(np.int32), 1)
    return np.asarray(hidden == 0)


def _shows(face: NDArray[np.bool_], box: tuple[float, float, float, float]) -> bool:
    (left, top, right, low), (high, wide) = box, face.shape
    return bool(face[round(high * top) : round(high * low), round(wide * left) : round(wide * right)].all())


def _pasted(image: Image, above: Lying, place: Quad, height: float) -> Image:
    """The picture with a card laid over it: its own pixels, softly cut at the corners, with a
    narrow shadow round it."""
    size = (image.shape[1], image.shape[0])
    card = cv2.warpPerspective(image, to_quad(above.quad, place), size)
    high = round(FACE * height)
    flat = np.zeros((high, FACE), dtype=np.uint8)
    for x in (8, FACE - 9):
        for y in (8, high - 9):
            cv2.circle(flat, (x, y), 7, 255, -1)
    cv2.rectangle(flat, (8, 1), (FACE - 9, high - 2), 255, -1)
    cv2.rectangle(flat, (1, 8), (FACE - 2, high - 9), 255, -1)
    mask = cv2.warpPerspective(flat, to_quad(rectangle(FACE, high), place), size)
    sharp, wide = (
        np.asarray(cv2.GaussianBlur(mask, (0, 0), sigma), dtype=np.float32)[:, :, None] / 255
        for sigma in (0.7, 0.02 * float(np.sqrt(area(place))))
    )
    return np.asarray(card * sharp + image * (1 - 0.35 * wide) * (1 - sharp), dtype=np.uint8)


def _cropped(image: Image, below: Lying, others: Sequence[tuple[str, NDArray[np.float32]]]) -> Picture:
    """The part of a picture round a card."""
    reach = AROUND * 1.41 * float(np.sqrt(area(below.quad) / 1.41))
    middle = below.quad.mean(axis=0)
    left, top = np.maximum(0, np.round(middle - reach)).astype(int)
    right, low = np.round(middle + reach).astype(int)
    part = np.ascontiguousarray(image[top:low, left:right])
    shift = np.array([left, top], dtype=np.float32)
    return Picture(part, (below.card, below.quad - shift), tuple((card, at - shift) for card, at in others))


def judged(picture: Picture, reader: Reader) -> tuple[bool, int]:
    """Whether the card below is named, and how many sure readings are of no card in its place."""
    right, wrong = False, 0
    for reading in (r for r in reader.read(picture.image) if r.sure):
        if reading.card == picture.below[0] and overlap(reading.quad, picture.below[1]) > 0.5 * area(
            picture.below[1]
        ):
            right = True
        else:
            wrong += not _lies_there(reading, picture)
    return right, wrong


def _lies_there(reading: Reading, picture: Picture) -> bool:
    """Whether a reading is of another card than the one below, in its place: the middle of that
    card lies in it or near, as where one was read by the painting in its frame."""
    near = sides(reading.quad).max() / 2
    middle = reading.quad.mean(axis=0)
    return any(
        reading.card == card and (contains(reading.quad, at) or float(np.linalg.norm(middle - at)) < near)
        for card, at in picture.others
    )


if __name__ == "__main__":
    main()
