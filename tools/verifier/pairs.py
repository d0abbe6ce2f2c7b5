"""Make pairs for training: a card as a camera saw it, and an enrolled view aligned with it, of the
same design or of its twin.

Both are rendered by a simulated press, lens, lamp and camera, and aligned by `vision` itself, so
that the remaining misalignment, light and blur are those that the reader really has to handle.
"""

import argparse
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from tools.verifier.cards import CardGenerator
from tools.verifier.things import ACROSS, DOWN, Card, Mark, Picture, Points, render_card
from vision.fitting.align import align_reference, initial_transform
from vision.fitting.bending import bend_reference, to_bending_resolution
from vision.fitting.compare import Map, downscale_by_few, render_reference, rim_weights
from vision.fitting.patch import (
    WIDTH,
    WITHOUT_MARGIN,
    Pixels,
    crop_margin,
    cut_patch,
    height_for_aspect,
    source_coordinates,
)
from vision.fitting.template import Template, extract_structure, make_template, reduce_picture
from vision.geometry import Quad

HEIGHT = height_for_aspect(DOWN / ACROSS)
ROUNDS = 16
SEEN, GROUPS = 2, 64

PARTLY = 0.3
"""Share of the seen cards that lie partly under another."""


@dataclass(frozen=True)
class PrintRun:
    """How a print run differs: the strength of its ink for each channel, how wide its lines are
    (`gain`), how far apart and how broad those of its hatching (`pitch`, `part`), and its shapes:
    `stretch` of their width and height, `waves` round them."""

    strength: NDArray[np.float64]
    gain: float
    pitch: float
    part: float
    stretch: NDArray[np.float64]
    waves: NDArray[np.float64]

    @classmethod
    def random_run(cls, rng: np.random.Generator, spread: float) -> "PrintRun":
        """Draw a random press; with `spread` 0 it prints exactly what is drawn."""
        common = np.exp(rng.normal(0, 0.3 * spread))
        strength = np.clip(common * np.exp(rng.normal(0, 0.12 * spread, 3)), 0.4, 2.5)
        gain = float(rng.normal(0, 0.7 * spread))
        # another edition draws the same outlines slightly differently, and hatches them finer or
        # coarser
        other = spread if rng.random() < 0.5 else 0.0
        pitch, part = np.exp(rng.normal(0, [0.1 * spread + 0.2 * other, 0.2 * other]))
        stretch = np.exp(rng.normal(0, 0.04 * other, 2))
        return cls(strength, gain, float(pitch), float(part), stretch, rng.normal(0, 0.025 * other, 2))

    def print_card(self, card: Card) -> Picture:
        """Print a card."""
        things = tuple(
            replace(thing, shape=self._distort_shape(thing.shape)) if isinstance(thing, Mark) else thing
            for thing in card.things
        )
        picture = render_card(replace(card, things=things), self.gain, self.pitch, self.part)
        # a dark card is taken relative to white: its ground is ink as well
        paper = card.paper.astype(np.float32) if card.paper.min() > 0.5 else np.ones(3, dtype=np.float32)
        # ink takes light away by a factor, so a stronger ink multiplies the logarithm
        dark = -np.log(np.maximum(np.minimum(picture / paper, 1), 0.02))
        return np.asarray(paper * np.exp(-dark * self.strength.astype(np.float32)), dtype=np.float32)

    def _distort_shape(self, shape: Points) -> Points:
        angle = np.arctan2(shape[:, 1], shape[:, 0])
        wide = 1 + self.waves[0] * np.cos(2 * angle + 1) + self.waves[1] * np.cos(3 * angle)
        return np.asarray(shape * self.stretch * wide[:, None])


def photograph_card(
    picture: Picture, rng: np.random.Generator, poorness: float, min_width: float
) -> tuple[NDArray[np.uint8], Quad]:
    """Photograph a printed card; return the picture and the outline found in it. `poorness`: 0 for
    a good photograph, 1 for a bad one; `min_width`: smallest width of the card in pixels."""
    # logarithmic, so that small cards are as frequent as large ones
    width = float(np.exp(rng.uniform(np.log(min_width), np.log(230))))
    room = int(width * 0.25) + 8
    size = (int(width) + 2 * room, int(width * DOWN / ACROSS) + 2 * room)
    quad = np.array([[0, 0], [width, 0], [width, width * DOWN / ACROSS], [0, width * DOWN / ACROSS]]) + room
    quad = quad + rng.normal(0, 0.02 * width * (0.5 + poorness), (4, 2))
    angle = float(rng.normal(0, 0.05))
    middle = quad.mean(axis=0)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    quad = ((quad - middle) @ turn.T + middle).astype(np.float32)
    table = _random_table(size, rng)
    whole = np.array([[0, 0], [ACROSS, 0], [ACROSS, DOWN], [0, DOWN]], dtype=np.float32)
    # the lens averages over a pixel: blurred before the picture is made smaller
    soft = cv2.GaussianBlur(picture, (0, 0), max(0.3, 0.45 * ACROSS / width * float(rng.uniform(0.7, 1.2))))
    matrix = cv2.getPerspectiveTransform(whole - 0.5, quad)
    shown = cv2.warpPerspective(soft, matrix, size, table, cv2.INTER_LINEAR, cv2.BORDER_TRANSPARENT)
    if rng.random() < 0.2 * poorness:
        _add_cover(shown, quad, rng)
    seen = _apply_camera(_apply_lighting(np.asarray(shown, dtype=np.float32), rng, poorness), rng, poorness)
    # found outlines are never exact, and worse in poor pictures
    return seen, (quad + rng.normal(0, 0.006 * width * (0.4 + poorness), (4, 2))).astype(np.float32)


def _add_cover(shown: Picture, quad: Quad, rng: np.random.Generator) -> None:
    """Put something on the card's border that is not print: a finger, a thing, another card's
    corner."""
    corner = quad[int(rng.integers(4))] if rng.random() < 0.6 else quad[:2].mean(axis=0)
    middle = quad.mean(axis=0)
    width = float(np.linalg.norm(quad[1] - quad[0]))
    tip = middle + (corner - middle) * rng.uniform(0.65, 1.0)
    what, colour = rng.random(), rng.uniform(0, 1, 3) if rng.random() < 0.5 else np.array([0.5, 0.62, 0.83])
    ends = [tuple(np.round(p).astype(int).tolist()) for p in (tip, tip + (corner - middle))]
    if what < 0.6:
        cv2.line(
            shown,
            ends[0],
            ends[1],
            colour.tolist(),
            max(2, round(width * rng.uniform(0.1, 0.25))),
            cv2.LINE_AA,
        )
    elif what < 0.8:
        cv2.circle(shown, ends[0], round(width * rng.uniform(0.06, 0.18)), colour.tolist(), -1, cv2.LINE_AA)
    else:
        turn = float(rng.uniform(0, 6.3))
        square = np.array([[np.cos(turn + a), np.sin(turn + a)] for a in (0, 1.6, 3.1, 4.7)]) * width * 0.8
        away = (corner - middle) / max(float(np.linalg.norm(corner - middle)), 1.0) * width * 0.6
        cv2.fillPoly(
            shown,
            [np.round(tip + away + square).astype(np.int32)],
            rng.uniform(0.7, 1, 3).tolist(),
            cv2.LINE_AA,
        )


def _random_table(size: tuple[int, int], rng: np.random.Generator) -> Picture:
    table = np.empty((size[1], size[0], 3), dtype=np.float32)
    table[:] = rng.uniform(0, 0.9, 3)
    table += cv2.GaussianBlur(
        rng.standard_normal(table.shape, dtype=np.float32) * np.float32(0.3),
        (0, 0),
        float(rng.uniform(0.5, 4)),
    )
    return np.clip(table, 0, 1)


def _apply_lighting(picture: Picture, rng: np.random.Generator, poor: float) -> Picture:
    """Light a picture by a lamp: colour, slope, shadow, reflection, haze."""
    height, width = picture.shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    x, y = x / width - 0.5, y / height - 0.5
    slope = rng.normal(0, 0.15 * (0.4 + poor), 2)
    light = np.exp(slope[0] * x + slope[1] * y).astype(np.float32)
    if rng.random() < 0.25 * poor:
        side = x * np.cos(a := rng.uniform(0, 6.3)) + y * np.sin(a) + rng.uniform(-0.5, 0.5)
        edge = np.clip(side / float(rng.uniform(0.02, 0.3)) + 0.5, 0, 1)
        light *= 1 - np.float32(rng.uniform(0.1, 0.5)) * edge
    white = np.exp(rng.normal(0, 0.13 * (0.3 + poor), 3))
    lit = picture * light[:, :, None] * white.astype(np.float32)
    if rng.random() < 0.2 * poor:
        wide = float(rng.uniform(0.08, 0.3))
        spot = np.exp(-((x - rng.uniform(-0.6, 0.6)) ** 2 + (y - rng.uniform(-0.6, 0.6)) ** 2) / wide**2)
        lit = lit + np.float32(rng.uniform(0.1, 0.7)) * spot[:, :, None]
    return np.asarray(lit + np.float32(abs(rng.normal(0, 0.04 * poor))), dtype=np.float32)


def _apply_camera(picture: Picture, rng: np.random.Generator, poor: float) -> NDArray[np.uint8]:
    """Simulate a camera: blur, exposure, tone curve, saturation, noise, sharpening and JPEG."""
    seen = cv2.GaussianBlur(picture, (0, 0), 0.25 + abs(float(rng.normal(0, 0.6 * (0.3 + poor)))))
    if rng.random() < 0.15:
        # a hand that shakes
        way = rng.integers(-3, 4, 2)
        moved = np.array([[1, 0, way[0]], [0, 1, way[1]]], dtype=np.float32)
        seen = 0.5 * (seen + cv2.warpAffine(seen, moved, seen.shape[1::-1], borderMode=cv2.BORDER_REPLICATE))
    if rng.random() < 0.25:
        seen = _apply_bayer_mosaic(np.asarray(seen, dtype=np.float32))
    exposure = float(np.exp(rng.normal(-0.1, 0.15 + 0.4 * poor)))
    seen = np.clip(seen * np.float32(np.clip(exposure, 0.2, 1.35)), 0, None)
    seen = seen ** np.float32(np.exp(rng.normal(0, 0.12 + 0.22 * poor)))
    grey = seen.mean(axis=2, keepdims=True)
    seen = grey + np.float32(np.clip(rng.normal(1, 0.12 + 0.15 * poor), 0.5, 1.6)) * (seen - grey)
    if rng.random() < 0.4:
        seen = seen + np.float32(rng.uniform(0.2, 1.0)) * (seen - cv2.GaussianBlur(seen, (0, 0), 1.2))
    noise = float(rng.uniform(0.002, 0.01 + 0.025 * poor))
    seen = seen + rng.standard_normal(seen.shape, dtype=np.float32) * np.float32(noise)
    if rng.random() < 0.3 * poor:
        seen = seen + cv2.GaussianBlur(
            rng.standard_normal(seen.shape, dtype=np.float32) * np.float32(4 * noise), (0, 0), 1.2
        )
    bits = np.clip(seen * 255, 0, 255).astype(np.uint8)
    quality = int(rng.integers(40 if poor else 80, 97))
    ok, data = cv2.imencode(".jpg", bits, [cv2.IMWRITE_JPEG_QUALITY, quality])
    assert ok
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), dtype=np.uint8)


def _apply_bayer_mosaic(picture: Picture) -> Picture:
    """Simulate a sensor: each pixel has one colour, the others are interpolated from its
    neighbours, so that fine hatching takes on colours that no ink has."""
    bits = np.clip(picture * 2**14, 0, 2**16 - 1).astype(np.uint16)
    sensor = bits[:, :, 1].copy()
    sensor[0::2, 0::2], sensor[1::2, 1::2] = bits[0::2, 0::2, 2], bits[1::2, 1::2, 0]
    return cv2.cvtColor(sensor, cv2.COLOR_BayerRGGB2BGR).astype(np.float32) / np.float32(2**14)


def render_enrolled(seen: Pixels, enrolled: Template, visible: Map | None) -> Pixels:
    """Align an enrolled view with a seen card (with margin) as `vision` does, lit and bent to match
    its part that is `visible` (None: all)."""
    small = None if visible is None else reduce_picture(visible)
    found = align_reference(extract_structure(seen), enrolled, initial_transform(HEIGHT), ROUNDS, small)
    weights = rim_weights(HEIGHT, WIDTH)
    if visible is not None:
        weights = weights * crop_margin(visible)
    places = source_coordinates(WITHOUT_MARGIN @ found.matrix, HEIGHT, WIDTH)
    lit = render_reference(downscale_by_few(crop_margin(seen)), enrolled, places, downscale_by_few(weights))
    return bend_reference(to_bending_resolution(crop_margin(seen)), lit, weights)


def cover_partly(seen: Pixels, difference: Map, rng: np.random.Generator) -> tuple[Pixels, Map | None]:
    """Cover a part of the seen card with another, and return it with the mask of its visible part
    (None: all).

    `difference`: where the card and its twin differ; at least half of that stays visible.
    """
    if rng.random() >= PARTLY:
        return seen, None
    height, width = seen.shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    for _ in range(5):
        turn = float(rng.choice([0, 0.5, 1, 1.5])) * np.pi + float(rng.normal(0, 0.25))
        across = (x / width - 0.5) * np.cos(turn) + (y / height - 0.5) * np.sin(turn)
        beyond = across > rng.uniform(-0.15, 0.4)
        kept = cv2.resize(1 - crop_margin(beyond.astype(np.float32)), difference.shape[1::-1])
        # enough of the difference must remain visible to be learned
        if float((difference * kept).sum()) > 0.5 * float(difference.sum()):
            break
    else:
        return seen, None
    texture = rng.standard_normal((height // 8 + 1, width // 8 + 1, 3), dtype=np.float32)
    over = cv2.resize(texture, (width, height)) * np.float32(0.2) + rng.uniform(0.1, 1, 3).astype(np.float32)
    return np.where(beyond[:, :, None], np.clip(over, 0, 1), seen), 1 - beyond.astype(np.float32)


def blank_hidden(pixels: Pixels, visible: Map) -> Pixels:
    """Return a card with its hidden part (`visible` 0) in grey, as in both pictures of a pair: the
    network is not asked about it."""
    return np.where(visible[:, :, None] > 0, pixels, np.float32(0.5))


def make_pairs(rng: np.random.Generator) -> list[tuple[NDArray[np.uint8], bool]]:
    """Draw pairs of a card and its twin (height x width x 6: seen, aligned; 0 to 255), each with
    whether both show the same design.

    Each is enrolled once and seen `SEEN` times, from another print half of the time.
    """
    cards = CardGenerator(rng).make_pair()
    enrolling = PrintRun.random_run(rng, 0.3)
    playing = enrolling if rng.random() < 0.5 else PrintRun.random_run(rng, 1.0)
    views = []
    for card in cards:
        picture, quad = photograph_card(enrolling.print_card(card), rng, float(rng.choice([0, 0.3])), 110)
        views.append(make_template(crop_margin(cut_patch(picture, quad, HEIGHT).pixels)))
    printed = [playing.print_card(card) for card in cards]
    differs = np.asarray(np.abs(printed[0] - printed[1]).sum(axis=2), dtype=np.float32)
    found = []
    for i, print_of_it in enumerate(printed):
        for _ in range(SEEN):
            picture, quad = photograph_card(print_of_it, rng, float(rng.choice([0.15, 0.5, 1.0])), 60)
            seen, visible = cover_partly(cut_patch(picture, quad, HEIGHT).pixels, differs, rng)
            for j, view in enumerate(views):
                both = (crop_margin(seen), render_enrolled(seen, view, visible))
                pair = np.dstack(
                    [one if visible is None else blank_hidden(one, crop_margin(visible)) for one in both]
                )
                found.append((np.clip(pair * 255, 0, 255).astype(np.uint8), i == j))
    return found


def make_chunk(seed: int) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Draw `GROUPS` cards and their twins, always the same for the same seed."""
    rng = np.random.default_rng(seed)
    pairs = [pair for _ in range(GROUPS) for pair in make_pairs(rng)]
    return np.stack([p for p, _ in pairs]), np.array([same for _, same in pairs])


def main() -> None:
    """Write the chunks `first` to `last` into a folder, except those that exist already."""
    parser = argparse.ArgumentParser(description="Draw pairs of cards to learn from.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--last", type=int, default=80)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    options.folder.mkdir(parents=True, exist_ok=True)
    for seed in range(options.first, options.last):
        file = options.folder / f"{seed:04d}.npy"
        if not file.exists():
            pairs, same = make_chunk(seed)
            np.save(options.folder / f"{seed:04d}-same.npy", same)
            # renamed only when complete, so that an interrupted chunk is drawn again
            np.save(options.folder / f"{seed:04d}.new.npy", pairs)
            (options.folder / f"{seed:04d}.new.npy").rename(file)


if __name__ == "__main__":
    main()
