"""Playing cards that strangers drew, on what people lay them on: Debian's own card games come with
some thirty packs, English, French, Russian, Swiss and others (`gnome-cards-data`, drawn by
`librsvg2-bin`), and no line of `vision` was written with one of them in sight.

Cards, tables, cameras and lamps are put together by `scenes`, so only the packs are strangers'.
"""

import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np

from tests.simulated.scenes import Faults, Picture, Placed, Scene, render, table
from vision.decks.labels import Label
from vision.geometry import Quad, contains_point
from vision.library import Library
from vision.outlines.detect import intersection_over_union

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


def labels_of(shot: Scene, cards: Sequence[str], hidden: Sequence[bool] = ()) -> list[Label]:
    """Say what lies where in a drawn picture; `hidden`: which of them others lie on."""
    under = hidden or [False] * len(cards)
    middles = [quad.mean(axis=0) for quad in shot.quads]
    return [
        Label(card, float(x), float(y), quad, hidden=below)
        for card, (x, y), quad, below in zip(cards, middles, shot.quads, under, strict=True)
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
            library.add_view(str(one.card), shot.picture, quad)
    return library


def photographs(
    cards: Mapping[str, Picture], camera: Camera, count: int, rng: np.random.Generator
) -> Iterator[tuple[Picture, list[Label]]]:
    """So many photographs, each of other cards on any of four tables, and what lies in each."""
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
        shot = render(table(kind, *SIZE, seed=first), placed, camera.faults(rng), rng)
        yield shot.picture, labels_of(shot, lying)


# cards that nobody knows yet

OF_THE_CARD = 0.6
"""Part of the joint area from which an outline is the labelled card's: corners that were marked are
off by more than a frame in places, and a picture printed on a card shares 0.35 to 0.52."""

WIDE = 4 / 3
"""Photographs of 52 cards are so many times larger than the others."""


def compared(taken: Sequence[Quad], cards: Sequence[Label]) -> tuple[int, int]:
    """How many of the cards that are in sight as a whole were taken, and how many outlines were
    that are of none; those hidden in part and cut off may be taken or not."""
    left = list(taken)
    found = 0
    for card in cards:
        mine = next((i for i, quad in enumerate(left) if _is_of(quad, card)), None)
        if mine is not None:
            del left[mine]
            found += card.is_whole
    return found, len(left)


def _is_of(quad: Quad, card: Label) -> bool:
    if card.quad is None:
        return contains_point(quad, (card.x, card.y))
    return intersection_over_union(quad, card.quad) >= OF_THE_CARD


# what cards are laid on


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
    return shot.picture, labels_of(shot, names, hidden)
