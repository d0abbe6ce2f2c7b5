"""Photograph cards of drawn packs, and other cards, to train and test the network that identifies
the cards of any pack."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.decks.collection import find_deck
from companion.decks.drawings import back_drawing, drawings
from tools.packs.cards import Packs
from tools.verifier.pairs import HEIGHT, photographed
from tools.verifier.things import ACROSS, DOWN, Picture, draw
from vision.fitting.patch import cut, inner

A_STYLE, OTHERS, LOOKS = 8, 3, 1
"""Numbers for each drawn pack: its cards used for training, other cards beside them, photographs of
each."""

GAMES = "ascend", "donkey_valley", "dtc", "ochs_und_esel", "partners"
OURS = 0.2
"""Share of the other cards that are from the decks that `companion` prints."""

HELD = 10_000
"""First seed that is never used for training."""


@dataclass(frozen=True)
class Photograph:
    """A patch (224 x 160 x 3, 0 to 255); its `rank` and `suit`, -1 if it is of no pack of 52."""

    patch: NDArray[np.uint8]
    rank: int
    suit: int


def photographs(
    seed: int, cards: int = A_STYLE, others: int = OTHERS, looks: int = LOOKS
) -> Iterator[Photograph]:
    """Yield photographs of some cards of one drawn pack, and of other cards beside it; always the
    same for the same seed."""
    rng = np.random.default_rng(seed)
    packs = Packs(rng)
    style = packs.style()
    # one print run: the same ink for all cards of a pack
    gain = float(rng.normal(0, 0.7))
    for number in rng.permutation(52)[:cards]:
        rank, suit = int(number) % 13, int(number) // 13
        yield from _looked_at(draw(packs.card(style, rank, suit), gain), rng, looks, rank, suit)
    for _ in range(others):
        ours = rng.random() < OURS
        picture = printed()[int(rng.integers(len(printed())))] if ours else draw(packs.other(), gain)
        yield from _looked_at(picture, rng, looks, -1, -1)


@lru_cache
def printed() -> list[Picture]:
    """Draw all cards that `companion` prints: faces and backs of its games' decks."""
    found = [back_drawing(game) for game in GAMES]
    for game in GAMES:
        found += drawings(find_deck(game)).values()
    return [cv2.resize(one, (ACROSS, DOWN)).astype(np.float32) / 255 for one in found]


def _looked_at(
    picture: Picture, rng: np.random.Generator, looks: int, rank: int, suit: int
) -> Iterator[Photograph]:
    for _ in range(looks):
        seen, quad = photographed(picture, rng, float(rng.choice([0.15, 0.5, 0.9])), 64)
        patch = inner(cut(seen, quad, HEIGHT).pixels)
        yield Photograph(np.clip(patch * 255, 0, 255).astype(np.uint8), rank, suit)
