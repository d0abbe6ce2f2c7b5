"""Photograph cards of drawn packs, and other cards, to train and test the network that identifies
the cards of any pack."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.decks.collection import find_deck
from companion.decks.drawings import render_back, render_drawings
from tools.packs.cards import PackGenerator
from tools.verifier.pairs import HEIGHT, photograph_card
from tools.verifier.things import ACROSS, DOWN, Picture, render_card
from vision.fitting.patch import crop_margin, cut_patch

A_STYLE, OTHERS, LOOKS = 8, 3, 1
"""Numbers for each drawn pack: its cards used for training, other cards beside them, photographs of
each."""

GAMES = "ascend", "donkey_valley", "dtc", "ochs_und_esel", "partners"
OURS = 0.2
"""Share of the other cards that are from the decks that `companion` prints."""

HELD = 1_000_000
"""First seed that is never used for training."""


@dataclass(frozen=True)
class Photograph:
    """A card with what lies around it (`patch`: 256 x 192 x 3, 0 to 255, with the margin of
    `cut_patch`); its `rank` and `suit`, -1 if it is of no pack of 52."""

    patch: NDArray[np.uint8]
    rank: int
    suit: int

    @property
    def card(self) -> NDArray[np.uint8]:
        """The card alone: 224 x 160 x 3."""
        return crop_margin(self.patch)


def make_photographs(
    seed: int, cards: int = A_STYLE, unknown_cards: int = OTHERS, views_per_card: int = LOOKS
) -> Iterator[Photograph]:
    """Yield photographs of some cards of one drawn pack, and of other cards beside it; always the
    same for the same seed."""
    rng = np.random.default_rng(seed)
    packs = PackGenerator(rng)
    style = packs.random_style()
    # one print run: the same ink for all cards of a pack
    gain = float(rng.normal(0, 0.7))
    for number in rng.permutation(52)[:cards]:
        rank, suit = int(number) % 13, int(number) // 13
        yield from _photograph_card(
            render_card(packs.draw_card(style, rank, suit), gain), rng, views_per_card, rank, suit
        )
    for _ in range(unknown_cards):
        ours = rng.random() < OURS
        picture = (
            load_printed_cards()[int(rng.integers(len(load_printed_cards())))]
            if ours
            else render_card(packs.draw_other_card(), gain)
        )
        yield from _photograph_card(picture, rng, views_per_card, -1, -1)


@lru_cache
def load_printed_cards() -> list[Picture]:
    """Draw all cards that `companion` prints: faces and backs of its games' decks."""
    found = [render_back(game) for game in GAMES]
    for game in GAMES:
        found += render_drawings(find_deck(game)).values()
    return [cv2.resize(one, (ACROSS, DOWN)).astype(np.float32) / 255 for one in found]


def _photograph_card(
    picture: Picture, rng: np.random.Generator, views: int, rank: int, suit: int
) -> Iterator[Photograph]:
    for _ in range(views):
        seen, quad = photograph_card(picture, rng, float(rng.choice([0.15, 0.5, 0.9])), 64)
        patch = cut_patch(seen, quad, HEIGHT).pixels
        yield Photograph(np.clip(patch * 255, 0, 255).astype(np.uint8), rank, suit)
