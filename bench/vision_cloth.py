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

import cv2
import numpy as np
from numpy.typing import NDArray

from bench import vision_cards
from bench.vision_scene import Faults, Picture, Placed, Scene, corners, render, table
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

RED, WHITE, BLACK, CREAM, BLUE = (50, 45, 190), (235, 238, 238), (35, 30, 28), (190, 225, 240), (150, 90, 40)
Colour = tuple[int, int, int]
Result = TypeVar("Result")


def checks(size: int, one: Colour, other: Colour, width: int, height: int) -> Picture:
    """Squares of two colours, `size` pixels wide."""
    y, x = np.mgrid[0:height, 0:width] // size
    return _as_picture(np.where(((x + y) % 2)[:, :, None], np.array(one), np.array(other)), width, height)


def picnic(size: int, ink: Colour, width: int, height: int) -> Picture:
    """A picnic cloth: bands of one colour cross on white, and are full where they cross."""
    y, x = np.mgrid[0:height, 0:width] // size % 2
    deep = ((x + y) / 2)[:, :, None]
    return _as_picture(np.array(WHITE) * (1 - deep) + np.array(ink) * deep, width, height)


def stripes(size: int, one: Colour, other: Colour, width: int, height: int) -> Picture:
    """Upright stripes of two colours, `size` pixels wide."""
    x = np.mgrid[0:height, 0:width][1] // size % 2
    return _as_picture(np.where(x[:, :, None], np.array(one), np.array(other)), width, height)


def planks(width: int, height: int) -> Picture:
    """Wooden boards with dark seams, each of its own shade."""
    picture = table("wood", width, height)
    step, rng = height // 6, np.random.default_rng(3)
    for row in range(0, height, step):
        shade = rng.uniform(0.8, 1.15)
        picture[row : row + step] = np.clip(picture[row : row + step] * shade, 0, 255)
        for x in rng.uniform(0, width, 2).astype(int):
            cv2.line(picture, (x, row), (x, row + step), (20, 35, 50), 4)
        cv2.line(picture, (0, row), (width, row), (20, 35, 50), 4)
    return picture


def flowers(width: int, height: int) -> Picture:
    """A cloth full of flowers and leaves."""
    rng = np.random.default_rng(4)
    picture = np.full((height, width, 3), CREAM, dtype=np.uint8)
    for _ in range(width * height // 2500):
        x, y, size = int(rng.uniform(0, width)), int(rng.uniform(0, height)), int(rng.uniform(8, 30))
        ink = tuple(int(v) for v in rng.uniform(30, 220, 3))
        turn = float(rng.uniform(0, 360))
        cv2.ellipse(picture, (x, y), (size, size // 2), turn, 0, 360, ink, -1, cv2.LINE_AA)
    return picture


def newspaper(width: int, height: int) -> Picture:
    """Columns of print with headlines and framed pictures."""
    rng = np.random.default_rng(5)
    picture = np.full((height, width, 3), (215, 225, 226), dtype=np.uint8)
    column = 300
    for left in range(20, width - column + 40, column):
        y = 30
        while y < height:
            if rng.random() < 0.06:
                deep = int(rng.uniform(90, 260))
                shade = tuple(int(v) for v in rng.uniform(90, 190, 3))
                cv2.rectangle(picture, (left, y), (left + column - 30, y + deep), shade, -1)
                cv2.rectangle(picture, (left, y), (left + column - 30, y + deep), BLACK, 2)
                y += deep + 16
            words = "".join(chr(97 + int(v)) if v < 26 else " " for v in rng.integers(0, 31, 26))
            cv2.putText(picture, words, (left, y), cv2.FONT_HERSHEY_SIMPLEX, 0.55, BLACK, 1, cv2.LINE_AA)
            y += 21
    return picture


def things(width: int, height: int) -> Picture:
    """Wood with a sheet of A4, tokens, two telephones, a box and a book on it."""
    picture = table("wood", width, height)
    unit = width / 1920

    def turned(x: float, y: float, w: float, h: float, turn: float, ink: Colour) -> None:
        box = cv2.boxPoints(((x * unit, y * unit), (w * unit, h * unit), turn))
        cv2.fillConvexPoly(picture, np.round(box).astype(np.int32), ink, cv2.LINE_AA)

    turned(960, 540, 560, 790, 8, (232, 234, 235))
    turned(130, 240, 150, 310, -6, (24, 22, 22))
    turned(1800, 830, 140, 290, 17, (30, 26, 25))
    turned(1790, 200, 210, 260, -12, (60, 120, 60))
    turned(200, 860, 170, 120, 30, (90, 60, 150))
    for i in range(9):
        spot = (round((420 + 150 * i) * unit), round((70 + 940 * (i % 2)) * unit))
        cv2.circle(picture, spot, round(38 * unit), ((60, 160, 60), BLUE, RED)[i % 3], -1, cv2.LINE_AA)
    return picture


def printed_mat(width: int, height: int) -> Picture:
    """A glossy mat with a printed frame, places for cards, a logo and the glare of a lamp."""
    picture = np.full((height, width, 3), (70, 50, 30), dtype=np.uint8)
    unit = width / 1920
    inset = round(40 * unit)
    cv2.rectangle(picture, (inset, inset), (width - inset, height - inset), (90, 180, 210), round(6 * unit))
    for i in range(5):
        corner = (round((330 + 270 * i) * unit), round(420 * unit))
        far = (corner[0] + round(170 * unit), corner[1] + round(238 * unit))
        cv2.rectangle(picture, corner, far, (120, 160, 180), round(3 * unit))
    spot = (round(960 * unit), round(860 * unit))
    cv2.putText(picture, "LOGO", spot, cv2.FONT_HERSHEY_DUPLEX, 3 * unit, (200, 210, 220), round(8 * unit))
    glare = np.zeros((height, width), dtype=np.float32)
    cv2.circle(glare, (round(1500 * unit), round(200 * unit)), round(120 * unit), 150.0, -1)
    glare = np.asarray(cv2.GaussianBlur(glare, (0, 0), 50 * unit), dtype=np.float32)
    return np.asarray(np.clip(picture + glare[:, :, None], 0, 255), dtype=np.uint8)


CLOTHS: dict[str, Callable[[int, int], Picture]] = {
    **{name: partial(table, name) for name in ("pale", "dark", "wood", "mat")},
    "picnic 30": partial(picnic, 30, RED),
    "picnic 60": partial(picnic, 60, RED),
    "picnic 120": partial(picnic, 120, RED),
    "picnic 240": partial(picnic, 240, RED),
    "red checks 60": partial(checks, 60, RED, WHITE),
    "red checks 120": partial(checks, 120, RED, WHITE),
    "red checks 240": partial(checks, 240, RED, WHITE),
    "chess 75": partial(checks, 75, BLACK, CREAM),
    "chess 130": partial(checks, 130, BLACK, CREAM),
    "faint checks 130": partial(checks, 130, (150, 140, 130), (175, 165, 155)),
    "stripes 50": partial(stripes, 50, BLUE, WHITE),
    "stripes 150": partial(stripes, 150, BLUE, WHITE),
    "planks": planks,
    "flowers": flowers,
    "newspaper": newspaper,
    "things": things,
    "printed mat": printed_mat,
}
"""Bare tables by name, each drawn to a width and height in pixels."""


def _as_picture(colours: NDArray[np.floating] | NDArray[np.integer], width: int, height: int) -> Picture:
    """Give flat colours the weave of a cloth."""
    rng = np.random.default_rng(0)
    weave = cv2.GaussianBlur(rng.normal(0, 1, (height, width)).astype(np.float32), (0, 0), 1.5)
    picture = colours + (weave / weave.std() * 3)[:, :, None]
    return np.asarray(np.clip(picture, 0, 255), dtype=np.uint8)


def lay(
    bare: Picture, deck: dict[str, Picture], wide: float = 110, number: int = 12, seed: int = 11
) -> tuple[list[Placed], Scene]:
    """Lay cards apart from one another on a bare table, half of them turned; the last two are of no
    design."""
    height, width = bare.shape[:2]
    unit, rng = width / FRAME[0], np.random.default_rng(seed)
    ids = [str(card) for card in rng.permutation(list(deck))][: number - 2]
    drawings = {**deck, "": vision_cards.back(), "stranger": vision_cards.stranger(2)}
    placed: list[Placed] = []
    size = wide * unit
    for card in [*ids, "", "stranger"]:
        while True:
            x, y = rng.uniform(0.9 * size, (width - 0.9 * size, height - 0.9 * size))
            turn = float(rng.uniform(0, 360)) if rng.random() < 0.5 else float(rng.choice((0, 90, 180, 270)))
            new = Placed(card if card in deck else None, drawings[card], x, y, size, turn)
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
    deck = vision_cards.deck()
    library = Library.from_drawings(deck)
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
            placed, scene = lay(bare, deck, wide, seed=seed)
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
