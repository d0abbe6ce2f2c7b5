"""The photographs as they might have been: each set of views in turn for reference, the others worn
by other cameras and light.

    python -m bench.vision_worn [--photos ../shared/photos] [--wear none blur ...] [--every 3]

Nothing was tuned on a single one of these pictures; they ask whether the figures of `bench.vision`
hold beside the very photographs that there are. Each row counts all photographs in the roles that
were not for reference.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision import photo
from vision.decks import enrol, labels, separation
from vision.decks.labels import Label, LabelledPhoto
from vision.decks.measure import Tally, score, table
from vision.library import Library
from vision.reader import Reader

Picture = NDArray[np.uint8]
Matrix = NDArray[np.float64]
Worn = tuple[Picture, Matrix]
"""A worn photograph, and the map from pixels of the photograph to pixels of it."""


def main() -> None:
    """Print the accuracy table, a row a way of wearing."""
    parser = argparse.ArgumentParser(description="Accuracy on the photographs in other roles, and worn.")
    parser.add_argument("--photos", type=Path, default=Path(__file__).parents[2] / "shared" / "photos")
    parser.add_argument("--wear", nargs="*", choices=list(WEARS), default=list(WEARS))
    parser.add_argument("--every", type=int, default=1, metavar="N", help="read every N-th photo only")
    options = parser.parse_args()
    file = options.photos / "labels.json"
    if not file.exists():
        raise SystemExit(f"No photographs in {options.photos}: name their folder with --photos.")
    cv2.setNumThreads(1)
    told = [(reader_of(references), shown) for references, shown in roles(labels.load(file))]
    for name in options.wear:
        tally = Tally()
        for reader, shown in told:
            rng = np.random.default_rng(1)
            for labelled in shown[:: options.every]:
                picture, matrix = WEARS[name](photo.load(labelled.path), rng)
                moved = [_moved(label, matrix) for label in labelled.cards]
                score(tally, labelled.name, moved, reader.read(picture))
        text = table({name: tally})
        print(text if name == options.wear[0] else text.splitlines()[-1], flush=True)


def roles(photos: Sequence[LabelledPhoto]) -> Iterator[tuple[list[LabelledPhoto], list[LabelledPhoto]]]:
    """Yield photographs for reference and photographs to be read: each set that shows every design
    of a deck in turn."""
    for deck in dict.fromkeys(p.deck for p in photos):
        sets: dict[str, list[LabelledPhoto]] = {}
        for one in (p for p in photos if p.deck == deck):
            evening = Path(one.name).name.partition("-")[0] if "game" in one.name else one.use
            sets.setdefault(evening, []).append(one)
        for name, references in sets.items():
            yield references, [p for other, shown in sets.items() if other != name for p in shown]


def reader_of(references: Sequence[LabelledPhoto]) -> Reader:
    """A reader that knows one view a design."""
    library = Library()
    enrol.from_photos(library, references)
    return Reader(library, separation.run(library).margins)


def _moved(label: Label, matrix: Matrix) -> Label:
    x, y, by = matrix @ (label.x, label.y, 1.0)
    return replace(label, x=float(x / by), y=float(y / by))


def _as_it_is(picture: Picture, rng: np.random.Generator) -> Worn:
    return picture, np.eye(3)


def _smaller(picture: Picture, rng: np.random.Generator) -> Worn:
    small = cv2.resize(picture, None, fx=0.4, fy=0.4, interpolation=cv2.INTER_AREA)
    return np.asarray(small, dtype=np.uint8), np.diag([0.4, 0.4, 1.0])


def _from_the_side(picture: Picture, rng: np.random.Generator) -> Worn:
    height, width = picture.shape[:2]
    pinch, top, bottom = 0.078 * width, 0.096 * height, 0.982 * height
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32)
    seen = np.array([[pinch, top], [width - pinch, top], [width, bottom], [0, bottom]], dtype=np.float32)
    matrix = cv2.getPerspectiveTransform(corners, seen)
    worn = cv2.warpPerspective(picture, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(worn, dtype=np.uint8), np.asarray(matrix, dtype=np.float64)


def _in_light(
    change: Callable[[NDArray[np.float32], np.random.Generator], NDArray[np.float32]],
) -> Callable[..., Worn]:
    """A way of wearing that leaves every pixel where it is."""

    def worn(picture: Picture, rng: np.random.Generator) -> Worn:
        changed = change(picture.astype(np.float32), rng)
        return np.asarray(np.clip(changed, 0, 255), dtype=np.uint8), np.eye(3)

    return worn


def _blurred(picture: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), max(picture.shape) / 1000), dtype=np.float32)


def _dark(picture: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    noise = rng.standard_normal(picture.shape, dtype=np.float32) * 5
    return np.asarray(255 * 0.7 * (picture / 255) ** 1.6 + noise, dtype=np.float32)


def _shaded(picture: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """Four hard shadows of all shapes across the table, nearly half of the light gone in them."""
    height, width = picture.shape[:2]
    layer = np.zeros((height, width), dtype=np.float32)
    for _ in range(4):
        points = rng.uniform(0, 1, 2) * (width, height) + rng.uniform(-0.3, 0.3, (5, 2)) * (width, height)
        cv2.fillConvexPoly(layer, cv2.convexHull(np.round(points).astype(np.int32)), 0.45)
    return picture * (1 - np.asarray(cv2.GaussianBlur(layer, (0, 0), 6.0))[:, :, None])


WEARS: dict[str, Callable[[Picture, np.random.Generator], Worn]] = {
    "none": _as_it_is,
    "four tenths of the size": _smaller,
    "from the side": _from_the_side,
    "blurred": _in_light(_blurred),
    "dark and noisy": _in_light(_dark),
    "lamplight": _in_light(lambda p, rng: p * np.array([0.72, 0.95, 1.1], dtype=np.float32)),
    "hard shadows": _in_light(_shaded),
}

if __name__ == "__main__":
    main()
