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
from numpy.typing import NDArray

from bench import vision_cards
from bench.vision_cloth import CLOTHS, FRAME, lay
from bench.vision_shot import (
    Change,
    Picture,
    Shot,
    cut_off,
    laid_on,
    mask_of,
    mean_beside,
    pair_alone,
    touching,
)
from bench.vision_tables import SHARED, reader_of
from vision import photo
from vision.decks import labels
from vision.decks.labels import LabelledPhoto
from vision.geometry import NEXT, Quad, area, clockwise, contains, is_convex, overlap, sides, transform
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


def slanted(ratio: float, shot: Shot) -> Shot:
    """The table seen by a camera that is tilted until all is `ratio` times less high than wide.

    It turns about the picture's middle, at the same distance, with a lens of 62 degrees: what was
    far is smaller. The picture shows the cards and a little beside them. Each pixel is the mean
    of nine, as a sensor's is.
    """
    height, width = shot.picture.shape[:2]
    away, tilt, fine = 1.2 * max(height, width), float(np.arccos(1 / ratio)), 3
    middle = np.array([[1, 0, -width / 2], [0, 1, -height / 2], [0, 0, 1]])
    turn = np.array([[away, 0, 0], [0, away * np.cos(tilt), 0], [0, -np.sin(tilt), away]])
    seen = turn @ middle
    corners = np.concatenate([transform(seen, quad) for quad in shot.quads])
    edge = 0.06 * max(height, width)
    left, top = corners.min(axis=0) - edge
    wide, high = np.ceil(np.ptp(corners, axis=0) + 2 * edge).astype(int)
    matrix = np.array([[1, 0, -left], [0, 1, -top], [0, 0, 1]]) @ seen
    large = cv2.warpPerspective(
        shot.picture,
        np.diag([fine, fine, 1.0]) @ matrix,
        (wide * fine, high * fine),
        borderMode=cv2.BORDER_REPLICATE,
    )
    small = cv2.resize(large, (wide, high), interpolation=cv2.INTER_AREA)
    return Shot(np.asarray(small, np.uint8), tuple(transform(matrix, quad) for quad in shot.quads))


def on_pale_cloth(contrast: float, shot: Shot) -> Shot | None:
    """The cloth brought up to the cards' own white less `contrast` grey levels.

    Only what the camera saw of the cloth is shifted, so its weave, its noise and the shade along
    the edges of the cards stay as they were. None where the cards have no white border.
    """
    image = shot.picture.astype(np.float32)
    luma = image.mean(axis=2)
    near, inside = (mask_of(shot, grown) for grown in (1.06, 0.94))
    border = (mask_of(shot, 0.97) > 0) & (mask_of(shot, 0.9) == 0)
    white = np.median(image[border], axis=0)
    cloth = mean_beside(image, near == 0, 60)
    span = np.maximum(white.mean() - cloth.mean(axis=2), 1)
    if np.median(span) < 60 or luma[border].std() > 60:
        return None
    # beside a card all is cloth, within it all is card, along the edge what the pixel shows
    card = np.clip((luma - cloth.mean(axis=2)) / (mean_beside(luma, border, 30) - cloth.mean(axis=2)), 0, 1)
    card = np.where(inside > 0, 1.0, np.where(near > 0, card, 0.0))[:, :, None]
    target = mean_beside(image, border, 90) - contrast
    pale = image + (1 - card) * (target - cloth)
    return Shot(np.asarray(np.clip(np.round(pale), 0, 255), np.uint8), shot.quads)


def under_cables(width: int, shot: Shot) -> Shot:
    """A dark cable and a pale one, `width` pixels wide, wind over the cards, with a shadow."""
    image = shot.picture.astype(np.float32)
    order = sorted(shot.quads, key=lambda quad: float(quad.mean(axis=0) @ (0.2, 1.0)))
    for number, (ink, shine) in enumerate(((32.0, 30.0), (205.0, 30.0))):
        through = [_third(quad, number + i) for i, quad in enumerate(order[number::2])]
        path = _curve([np.array([-20.0, through[0][1] - 60]), *through, through[-1] + (400, 300)])
        for shift, thick, colour, soft, depth in (
            (0.5 * width + 1, width, 0.0, 0.5 * width, 0.45),
            (0.0, width, ink, 0.6, 1.0),
            (-0.15 * width, max(width // 3, 1), ink + shine, 0.6, 0.7),
        ):
            layer = np.zeros(image.shape[:2], np.float32)
            cv2.polylines(
                layer, [np.round((path + shift) * 8).astype(np.int32)], False, 1.0, thick, cv2.LINE_AA, 3
            )
            part = depth * np.asarray(cv2.GaussianBlur(layer, (0, 0), soft))[:, :, None]
            image = image * (1 - part) + colour * part
    return Shot(np.asarray(np.clip(image, 0, 255), np.uint8), shot.quads)


def _third(quad: Quad, number: int) -> NDArray[np.float64]:
    """A point a third of the way along a side of the card: `number` tells which."""
    side = number % 4
    return np.asarray(quad[side] + (quad[NEXT][side] - quad[side]) / 3, np.float64)


def _curve(points: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """A smooth line through the points (Catmull and Rom)."""
    p = np.array([points[0], *points, points[-1]])
    t = np.linspace(0, 1, 24)[:, None]
    parts = [
        0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3)
        for a, b, c, d in zip(p, p[1:], p[2:], p[3:], strict=False)
    ]
    return np.concatenate(parts)


def on_mat(shot: Shot) -> Shot | None:
    """The cards on a stranger's painted mat, on which cards of another deck lie."""
    return laid_on(photo.load(MAT), shot) if MAT.exists() else None


def under_glare(size: float, shot: Shot) -> Shot:
    """A lamp mirrored across one side of each card: saturated over `size` widths of a card."""
    light = np.zeros(shot.picture.shape[:2], np.float32)
    for number, quad in enumerate(shot.quads):
        side = number % 4
        middle = (quad[side] + quad[NEXT][side]) / 2
        spot = np.zeros_like(light)
        reach = size * float(sides(quad).min()) / 2
        axes = (max(round(1.3 * reach), 1), max(round(reach), 1))
        cv2.ellipse(spot, np.round(middle).astype(int).tolist(), axes, 30.0 * number, 0, 360, 1.0, -1)
        light = np.maximum(light, np.asarray(cv2.GaussianBlur(spot, (0, 0), max(0.25 * reach, 1.0))))
    lit = shot.picture + 330 * light[:, :, None]
    return Shot(np.asarray(np.clip(lit, 0, 255), np.uint8), shot.quads)


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
        _, scene = lay(CLOTHS[name](*FRAME), vision_cards.deck())
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
    for deck in {one.deck for one in photos} if not options.fast else ():
        readers[deck] = reader_of([one for one in every if one.deck == deck and one.use == "reference"])
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
