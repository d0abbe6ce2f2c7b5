from collections.abc import Callable, Generator
from functools import cache, lru_cache

import cv2
import numpy as np
import pytest

from tests.simulated import scenes
from tests.simulated.scenes import Faults, Placed, Scene
from vision.library import Library
from vision.markers import Stickers
from vision.video.presence import Presence
from vision.video.watcher import Watcher

Lay = Callable[..., Scene]

# Half of 720p: enough for cards 90 pixels wide, and quick.
WIDTH, HEIGHT = 1280, 720
FPS = 30


BLACK = (14, 12, 12)


@pytest.fixture(scope="session")
def deck() -> dict[str, np.ndarray]:
    return scenes.deck()


@pytest.fixture(scope="session")
def library(deck: dict[str, np.ndarray]) -> Library:
    return Library.from_drawings(deck)


@pytest.fixture(scope="session")
def bare() -> np.ndarray:
    return scenes.table("wood", WIDTH, HEIGHT)


@pytest.fixture
def lay(deck: dict[str, np.ndarray], bare: np.ndarray) -> Lay:
    """Lay cards, given as (id or drawing, x, y, turn), on a table, 100 pixels wide, and take a
    picture."""

    def scene(
        *cards: tuple, faults: Faults | None = None, table: np.ndarray = bare, width: float = 100
    ) -> Scene:
        placed = [
            Placed(None, card, x, y, width, turn)
            if isinstance(card, np.ndarray)
            else Placed(card, deck[card], x, y, width, turn)
            for card, x, y, turn in cards
        ]
        return scenes.render(table, placed, faults or Faults(blur=0.6), np.random.default_rng(7))

    return scene


def painting(seed: int) -> np.ndarray:
    """A card of 300 x 420 pixels: a painting and a text box in a black frame."""
    rng = np.random.default_rng(seed)
    card = np.full((420, 300, 3), BLACK, np.uint8)
    blobs = cv2.resize(
        rng.integers(0, 256, (12, 14, 3)).astype(np.uint8), (250, 190), interpolation=cv2.INTER_CUBIC
    )
    card[30:220, 25:275] = blobs
    card[240:390, 25:275] = 215
    for row in range(255, 380, 16):
        for column in range(35, 260, 9):
            if rng.random() < 0.7:
                cv2.rectangle(
                    card,
                    (column, row),
                    (column + int(rng.integers(2, 8)), row + int(rng.integers(3, 9))),
                    (40, 40, 40),
                    -1,
                )
    return card


@pytest.fixture(scope="session")
def painted() -> dict[str, np.ndarray]:
    """A deck of six paintings in black frames."""
    return {f"painting {seed}": painting(seed) for seed in range(6)}


@lru_cache(maxsize=2)
def sensor_noise(shape: tuple[int, ...]) -> list[np.ndarray]:
    """Drawn once: making it anew for each frame took four times as long as watching the frame."""
    rng = np.random.default_rng(1)
    return [rng.integers(-2, 3, shape, dtype=np.int16) for _ in range(7)]


class Table:
    """A watcher that is shown pictures at thirty a second, with the sensor's noise."""

    def __init__(self, library: Library, stickers: Stickers | None = None) -> None:
        self.watcher = Watcher(library, stickers=stickers)
        self.t = 0.0
        self.frames = 0
        self.lying: list[Presence] = []

    def show(self, picture: np.ndarray, seconds: float, fps: float = FPS) -> list[str]:
        noise = sensor_noise(picture.shape)
        noisy = cache(lambda at: cv2.add(picture, noise[at], dtype=cv2.CV_8U))
        for _ in range(max(1, round(seconds * fps))):
            self.lying = self.watcher.update(noisy(self.frames % len(noise)), self.t)
            self.frames += 1
            self.t += 1 / fps
        return self.names()

    def names(self) -> list[str]:
        return sorted(p.card for p in self.lying if p.sure)

    def ids(self) -> dict[str, int]:
        return {p.card: p.id for p in self.lying if p.sure}


@pytest.fixture
def table(library: Library) -> Table:
    return Table(library)


@pytest.fixture
def table_with() -> Callable[..., Table]:
    return Table


@pytest.fixture
def hand() -> Callable[[np.ndarray, int, int], np.ndarray]:
    """Lay a hand with its arm over a picture."""

    def over(picture: np.ndarray, x: int, y: int) -> np.ndarray:
        covered = picture.copy()
        cv2.ellipse(covered, (x, y), (110, 85), 25, 0, 360, (125, 155, 205), -1)
        cv2.line(covered, (x, y), (x + 200, 900), (125, 155, 205), 90)
        return covered

    return over


@pytest.fixture
def counted() -> Callable[..., Callable[..., Generator]]:
    """Let a list grow by one with each step of a piece of work that is done in steps."""

    def wrapped(work: Callable[..., Generator], done: list[int]) -> Callable[..., Generator]:
        def steps(*arguments: object, **options: object) -> Generator:
            going = work(*arguments, **options)
            while True:
                done.append(1)
                try:
                    cost = next(going)
                except StopIteration as end:
                    return end.value
                yield cost

        return steps

    return wrapped
