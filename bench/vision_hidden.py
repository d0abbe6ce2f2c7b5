"""Cards that lie partly under others, in films: how many are named, and whether any is named
wrongly.

    python -m bench.vision_hidden [--films 24] [--drawings FOLDER]

Each film: two whole cards on a table, then a fan, a card slid under another, a loose pile or
touching cards are laid within a tenth of a second, and lie for two seconds. Counted are cards with
at least a third of the face and an index in sight; beside the film the last picture is read as a
photo.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from simulated import scenes
from simulated.scenes import Faults, Placed, render, table
from vision.film.watch import Watcher
from vision.geometry import Quad, area, overlap
from vision.library import Library
from vision.reader import Reader

WIDE, HIGH, CARD, FAN = 1280, 720, 110, 220
TABLES = ("pale", "dark", "wood")
LIGHT = Faults(tilt=0.2, blur=0.6)
FPS, SECONDS = 30, 2.0
INDEX = ((0.04, 0.03, 0.27, 0.29), (0.73, 0.71, 0.96, 0.97))
"""The two indices of a card, in parts of its width and height: left, top, right, bottom."""

Deck = dict[str, NDArray[np.uint8]]
Named = tuple[str | None, Quad]
Laying = Callable[[list[str], Deck, np.random.Generator], list[Placed]]


def fan(ids: list[str], deck: Deck, rng: np.random.Generator) -> list[Placed]:
    """Three to five cards in a hand, each showing the index of its left edge and more than a third
    of its face."""
    turn, step = rng.uniform(0, 360), rng.uniform(13, 20)
    cards = ids[: rng.integers(3, 6)]
    grip = np.array([640, 360]) - FAN * _up(turn)
    placed = []
    for i, card in enumerate(cards):
        angle = turn + step * (i - (len(cards) - 1) / 2)
        x, y = grip + FAN * _up(angle) + rng.normal(0, 1.5, 2)
        placed.append(Placed(card, deck[card], x, y, CARD, angle))
    return placed


def slid(ids: list[str], deck: Deck, rng: np.random.Generator) -> list[Placed]:
    """One card half under another, any way round."""
    turn, side = rng.uniform(0, 360), rng.uniform(0, 360)
    x, y = (640, 360) + rng.uniform(0.55, 0.9) * CARD * _up(side)
    under = Placed(ids[0], deck[ids[0]], x, y, CARD, turn)
    return [under, Placed(ids[1], deck[ids[1]], 640, 360, CARD, turn + rng.uniform(-60, 60))]


def pile(ids: list[str], deck: Deck, rng: np.random.Generator) -> list[Placed]:
    """Four cards thrown loosely together."""
    placed = []
    for card in ids[:4]:
        x, y = rng.uniform((550, 270), (730, 450))
        placed.append(Placed(card, deck[card], x, y, CARD, rng.uniform(0, 360)))
    return placed


def touching(ids: list[str], deck: Deck, rng: np.random.Generator) -> list[Placed]:
    """Two or three cards side by side, edge to edge or a little over one another."""
    turn = rng.uniform(0, 360)
    step = CARD * rng.uniform(0.93, 1.0) * _up(turn + 90)
    placed = []
    for i, card in enumerate(ids[: rng.integers(2, 4)]):
        x, y = (560, 360) + i * step
        placed.append(Placed(card, deck[card], x, y, CARD, turn))
    return placed


LAYINGS: dict[str, Laying] = {
    "fan": fan,
    "one slid under another": slid,
    "loose pile": pile,
    "touching": touching,
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Partly hidden cards in films.")
    parser.add_argument("--films", type=int, default=24, help="films of each kind")
    parser.add_argument("--drawings", type=Path, help="a folder of card drawings instead of the bench's own")
    options = parser.parse_args()
    hidden(scenes.from_folder(options.drawings) if options.drawings else scenes.deck(), options.films)


@dataclass
class Count:
    """Cards that were to be named; of them right and sure in the film and in a photo; wrong and
    sure in both.

    `waits`: seconds of film from laying to naming.
    """

    cards: int = 0
    right: int = 0
    wrong: int = 0
    right_in_photo: int = 0
    wrong_in_photo: int = 0
    waits: list[float] = field(default_factory=list)

    def row(self, name: str) -> str:
        """Return the line of the table."""
        waits = f"{np.median(self.waits):.2f}, {np.percentile(self.waits, 95):.2f}" if self.waits else "–"
        share = self.right / max(self.cards, 1)
        return (
            f"| {name} | {self.cards} | {self.right} ({share:.0%}) | {self.cards - self.right} | {self.wrong} | {waits} "
            f"| {self.right_in_photo} | {self.wrong_in_photo} |"
        )


def hidden(deck: Deck, films: int) -> None:
    """Right and sure, unsure or unnamed, wrong and sure, by how the cards are laid."""
    library = Library.from_drawings(deck)
    print(
        f"Partly hidden cards, a third of the face and an index in sight; {films} films a row, {len(deck)} designs"
    )
    print(
        "| laid | cards | right, sure | unsure | wrong, sure | named after s (median, p95) | photo: right | photo: wrong |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for name, laying in LAYINGS.items():
        rng, count = np.random.default_rng(2026), Count()
        for _ in range(films):
            film(deck, library, laying, rng, count)
        print(count.row(name), flush=True)
    print()


def film(deck: Deck, library: Library, laying: Laying, rng: np.random.Generator, count: Count) -> None:
    """Show one film, and its last picture as a photo, and count."""
    ids = [str(card) for card in rng.permutation(list(deck))]
    bare = table(TABLES[rng.integers(3)], WIDE, HIGH, int(rng.integers(1000)))
    whole = [
        Placed(c, deck[c], x, 360, CARD, rng.uniform(0, 360)) for c, x in ((ids[-1], 180), (ids[-2], 1100))
    ]
    placed = [*whole, *laying(ids, deck, rng)]
    after = render(bare, placed, LIGHT)
    wanted = [i for i, seen in enumerate(in_sight(after.quads)) if seen]
    watcher, t = Watcher(library), 0.0
    for cards, seconds in (([], 0.5), (whole, 0.8)):
        before = render(bare, cards, LIGHT).picture
        for _ in range(round(seconds * FPS)):
            watcher.see(_noisy(before, rng), t)
            t += 1 / FPS
    named: dict[int, float] = {}
    sure: list[Named] = []
    for frame in range(round(SECONDS * FPS)):
        sure = [(p.card, p.quad) for p in watcher.see(_noisy(after.picture, rng), t) if p.sure]
        t += 1 / FPS
        for i in right(wanted, placed, after.quads, sure):
            named.setdefault(i, frame / FPS)
    photo: list[Named] = [(r.card, r.quad) for r in Reader(library).read(after.picture) if r.sure]
    count.cards += len(wanted)
    count.right += len(right(wanted, placed, after.quads, sure))
    count.wrong += wrong(placed, after.quads, sure)
    count.right_in_photo += len(right(wanted, placed, after.quads, photo))
    count.wrong_in_photo += wrong(placed, after.quads, photo)
    count.waits += named.values()


def in_sight(quads: list[Quad]) -> list[bool]:
    """Of each card, whether another lies on it or at its edge, with at least a third of its face
    and an index in sight."""
    return [
        _face_in_sight(quad, quads[i + 1 :])
        and any(overlap(_grown(quad), other) > 0 for other in quads[i + 1 :])
        for i, quad in enumerate(quads)
    ]


def _face_in_sight(quad: Quad, above: list[Quad]) -> bool:
    """Whether a third of a face and an index show beside the cards above."""
    flat = np.array([[0, 0], [100, 0], [100, 140], [0, 140]], dtype=np.float32)
    matrix = cv2.getPerspectiveTransform(quad, flat)
    face = np.ones((140, 100), dtype=np.uint8)
    for other in above:
        corners = cv2.perspectiveTransform(other.reshape(-1, 1, 2), matrix)
        cv2.fillConvexPoly(face, np.round(corners).astype(np.int32), 0)
    index = any(
        face[round(140 * top) : round(140 * bottom), round(100 * left) : round(100 * right)].all()
        for left, top, right, bottom in INDEX
    )
    return bool(index and face.mean() >= 1 / 3)


def _grown(quad: Quad) -> Quad:
    """A quad a little larger, to tell what touches it."""
    middle = quad.mean(axis=0)
    return np.asarray((quad - middle) * 1.03 + middle, dtype=np.float32)


def right(wanted: list[int], placed: list[Placed], quads: list[Quad], found: list[Named]) -> list[int]:
    """Which of the wanted cards were found in their place."""
    return [
        i for i in wanted if any(card == placed[i].card and _there(quad, quads[i]) for card, quad in found)
    ]


def wrong(placed: list[Placed], quads: list[Quad], found: list[Named]) -> int:
    """How many findings are of no card that lies there, or of one that was found already."""
    return len(found) - len(right(list(range(len(placed))), placed, quads, found))


def _there(quad: Quad, true: Quad) -> bool:
    return overlap(quad, true) > 0.5 * area(true)


def _up(degrees: float) -> NDArray[np.float64]:
    return np.array([np.sin(np.radians(degrees)), -np.cos(np.radians(degrees))])


def _noisy(picture: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    noise = rng.integers(-2, 3, picture.shape, dtype=np.int16)
    return np.asarray(np.clip(picture + noise, 0, 255), dtype=np.uint8)


if __name__ == "__main__":
    main()
