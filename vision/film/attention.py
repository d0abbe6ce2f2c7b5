"""When and where the table is looked at: places that came to rest, and places that stay
unexplained."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.film.motion import BLOCK, Grid
from vision.geometry import Quad

REST = 0.1
"""Seconds that a place must be at rest before it is looked at."""

PAUSE = 0.2
"""Seconds between two looks at one place where something moves, or all does under a swaying camera:
what creeps, a hand above all, changes in every frame, and each look costs 20 to 60 ms. An arm over
13 cards was looked at fifteen times a second, its sleeve wherever it seemed to rest."""

WAITS = (0.3, 0.8, 2.0)
"""Seconds until a place where something lies that has no name is looked at again, time after
time."""

NEAR = 5
"""Blocks between what changed within which it is one place."""


@dataclass(frozen=True, eq=False)
class Later:
    """A place to be looked at again at `due` seconds, and, if need be, `then` so many seconds later
    each."""

    region: Grid
    due: float
    then: tuple[float, ...]


class Attention:
    """Which blocks of the picture moved when, and which are to be looked at once more.

    Cards that lie partly hidden are looked for apart, in places that must have rested the longer
    the more often nothing was found there: a hand that lingers over the cards is no reason to look
    for them over and over.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape
        self._moved_at: NDArray[np.float64] = np.full(shape, -np.inf)
        self._looked_at: NDArray[np.float64] = np.full(shape, -np.inf)
        self._again: list[Later] = []
        self._parts: list[Grid] = []
        self._in_vain: NDArray[np.int64] = np.zeros(shape, dtype=np.int64)

    def moved(self, where: Grid, t: float) -> None:
        """Note that the blocks `where` move at `t` seconds."""
        self._moved_at[where] = t

    def at_rest(self, t: float) -> Grid:
        """The blocks that have been at rest for `REST`."""
        return np.asarray(t - self._moved_at >= REST, dtype=np.bool_)

    def looked(self, region: Grid, t: float) -> None:
        """Note that a place is looked at."""
        self._looked_at[region] = t

    def rested_since(self, region: Grid, t: float, pause: float) -> bool:
        """Whether a place was looked at no less than `pause` seconds ago."""
        return bool(t - self._looked_at[region].max() >= pause)

    @property
    def open(self) -> Grid:
        """The blocks that will be looked at again: what lies there is no part of the bare table
        yet."""
        return _union(np.zeros(self.shape, dtype=np.bool_), [later.region for later in self._again])

    def look_later(self, region: Grid, t: float, waits: tuple[float, ...]) -> None:
        """Note that a place must be looked at again if nothing in it gets a name; places that it
        meets are joined to it.

        Of a place that waits for its last look the rest stays apart and gets no further ones: one
        card laid on a table just seen for the first time is no reason to look at all of it time
        after time.
        """
        kept, joined = [], []
        for later in self._again:
            if not bool((later.region & region).any()):
                kept.append(later)
            elif later.then:
                joined.append(later.region)
            else:
                due = max(later.due, t + waits[0])
                kept.append(replace(later, region=later.region & ~region, due=due))
        self._again = [*kept, Later(_union(region, joined), t + waits[0], waits[1:])]

    def due(self, t: float, busy: Grid | None = None) -> Later | None:
        """A place whose time to be looked at again has come; it is struck off. What reaches into
        `busy` must wait."""
        for later in self._again:
            if later.due <= t and (busy is None or not bool((later.region & busy).any())):
                self._again.remove(later)
                return later
        return None

    def seek_parts(self, region: Grid) -> None:
        """Note that a place must be searched for cards that are partly hidden."""
        joined = [other for other in self._parts if bool((other & region).any())]
        self._parts = [other for other in self._parts if not bool((other & region).any())]
        self._parts.append(_union(region, joined))

    def for_parts(self, t: float) -> list[Grid]:
        """The places to be searched for partly hidden cards that have rested long enough for it."""
        return [
            region for region in self._parts if t - self._moved_at[region].max() >= self._rest_needed(region)
        ]

    def search(self, region: Grid, strange: Grid | None = None) -> None:
        """Strike off a place of `for_parts`: its `strange` blocks are searched now, or there are
        none."""
        self._parts = [other for other in self._parts if other is not region]
        if strange is None:
            self._in_vain[region] = 0
        else:
            self._in_vain[strange] = self._in_vain[strange].max() + 1

    def settled(self, where: Grid) -> None:
        """Note that what was sought in vain in blocks was found, or is no longer there."""
        self._in_vain[where] = 0

    def _rest_needed(self, region: Grid) -> float:
        looks = int(self._in_vain[region].max())
        return REST if looks == 0 else WAITS[min(looks, len(WAITS)) - 1]


def _union(region: Grid, others: Sequence[Grid]) -> Grid:
    return np.asarray(np.logical_or.reduce([region, *others]), dtype=np.bool_)


def without_specks(grid: Grid) -> Grid:
    """The blocks of a grid that have another one near: what one block alone shows is noise, a scrap
    or a spot of light."""
    count = cv2.boxFilter(
        grid.astype(np.uint8), -1, (2 * NEAR + 1,) * 2, normalize=False, borderType=cv2.BORDER_CONSTANT
    )
    return np.asarray(grid & (count > 1), dtype=np.bool_)


def regions(dirty: Grid) -> list[Grid]:
    """Separate places that changed, each with its surroundings; specks are left out."""
    grown_dirty = cv2.dilate(without_specks(dirty).astype(np.uint8), np.ones((NEAR, NEAR), np.uint8))
    count, names = cv2.connectedComponents(grown_dirty)
    return [names == i for i in range(1, count)]


def touches(quad: Quad, grid: Grid, scale: int) -> bool:
    """Whether any of the blocks that a quad in pixels of the frame reaches is set; `scale`: frame
    to small picture."""
    if not grid.any():  # while all rests, most of a frame's time went into the corners
        return False
    # plain numbers: NumPy's own least and greatest of four corners take three times as long, and an
    # arm over 13 cards asks fifty times a frame
    xs, ys = zip(*quad.tolist(), strict=True)
    block = scale * BLOCK
    left, top = int(min(xs) // block), int(min(ys) // block)
    right, bottom = max(left + 1, ceil(max(xs) / block)), max(top + 1, ceil(max(ys) / block))
    return bool(grid[max(0, top) : max(0, bottom), max(0, left) : max(0, right)].any())
