from collections.abc import Callable

import numpy as np
import pytest

from bench import vision_cards, vision_scene
from bench.vision_scene import Faults, Placed, Scene
from vision.library import Library

Lay = Callable[..., Scene]

# Half of 720p: enough for cards 90 pixels wide, and quick.
WIDTH, HEIGHT = 1280, 720


@pytest.fixture(scope="session")
def deck() -> dict[str, np.ndarray]:
    return vision_cards.deck()


@pytest.fixture(scope="session")
def library(deck: dict[str, np.ndarray]) -> Library:
    return Library.from_drawings(deck)


@pytest.fixture(scope="session")
def bare() -> np.ndarray:
    return vision_scene.table("wood", WIDTH, HEIGHT)


@pytest.fixture
def lay(deck: dict[str, np.ndarray], bare: np.ndarray) -> Lay:
    """Lay cards, given as (id or drawing, x, y, turn), on a table, 100 pixels wide, and take a picture."""

    def scene(
        *cards: tuple, faults: Faults | None = None, table: np.ndarray = bare, width: float = 100
    ) -> Scene:
        placed = [
            Placed(None, card, x, y, width, turn)
            if isinstance(card, np.ndarray)
            else Placed(card, deck[card], x, y, width, turn)
            for card, x, y, turn in cards
        ]
        return vision_scene.render(table, placed, faults or Faults(blur=0.6), np.random.default_rng(7))

    return scene
