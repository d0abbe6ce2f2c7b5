"""Decide when and where the table is looked at: places that came to rest, and places that stay
unexplained."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import Quad
from vision.video.motion import BLOCK, Grid

REST_SECONDS = 0.1
"""Seconds for which a place must be at rest before it is looked at."""

PAUSE = 0.2
"""Seconds between two looks at one place where something moves, or where everything does under a
swaying camera: something that creeps, a hand above all, changes in every frame, and each look costs
20 to 60 ms. An arm over 13 cards was looked at fifteen times a second, its sleeve wherever it
seemed to rest."""

LOOK_DELAYS = (0.3, 0.8, 2.0)
"""Seconds until a place with something unidentified is looked at again, for the first, second and
third time."""

NEAR = 5
"""Blocks between changes within which they count as one place."""


@dataclass(frozen=True, eq=False)
class ScheduledLook:
    """A place to be looked at again at `due` seconds and then, if still necessary, after
    each delay in `then`."""

    region: Grid
    due: float
    then: tuple[float, ...]


class RegionSchedule:
    """The blocks of the picture that moved, with the time, and those to be looked at again.

    Partly hidden cards are searched for separately, in places that must have rested the longer the
    more often nothing was found there: a hand that lingers over the cards is not a reason to search
    again and again.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape
        self._moved_at: NDArray[np.float64] = np.full(shape, -np.inf)
        self._looked_at: NDArray[np.float64] = np.full(shape, -np.inf)
        self._again: list[ScheduledLook] = []
        self._parts: list[Grid] = []
        self._in_vain: NDArray[np.int64] = np.zeros(shape, dtype=np.int64)

    def record_motion(self, where: Grid, t: float) -> None:
        """Record that the blocks `where` move at `t` seconds."""
        self._moved_at[where] = t

    def find_resting_blocks(self, t: float) -> Grid:
        """Return the blocks that have been at rest for `REST_SECONDS`."""
        return np.asarray(t - self._moved_at >= REST_SECONDS, dtype=np.bool_)

    def record_look(self, region: Grid, t: float) -> None:
        """Record that a place is looked at, at `t` seconds."""
        self._looked_at[region] = t

    def is_look_older_than(self, region: Grid, t: float, pause: float) -> bool:
        """Check whether a place was last looked at at least `pause` seconds ago."""
        return bool(t - self._looked_at[region].max() >= pause)

    @property
    def pending_blocks(self) -> Grid:
        """The blocks that will be looked at again: nothing there counts as bare table yet."""
        return _merge_regions(np.zeros(self.shape, dtype=np.bool_), [later.region for later in self._again])

    def schedule_look(self, region: Grid, t: float, delays: tuple[float, ...]) -> None:
        """Schedule another look at a place in case nothing in it is identified; overlapping places
        are joined to it.

        The rest of a place that waits for its last look stays separate and gets no further looks:
        one card laid on a table just seen for the first time is not a reason to look at all of it
        again and again.
        """
        remaining, joined = [], []
        for later in self._again:
            if not bool((later.region & region).any()):
                remaining.append(later)
            elif later.then:
                joined.append(later.region)
            else:
                # without the new region, which is looked at by itself
                due = max(later.due, t + delays[0])
                remaining.append(replace(later, region=later.region & ~region, due=due))
        self._again = [*remaining, ScheduledLook(_merge_regions(region, joined), t + delays[0], delays[1:])]

    def pop_due_look(self, t: float, busy: Grid | None = None) -> ScheduledLook | None:
        """Take out a place whose time to be looked at again has come, or None. Places that reach
        into `busy` must wait."""
        for later in self._again:
            # not while a search overlaps it: a look would drop the search
            if later.due <= t and (busy is None or not bool((later.region & busy).any())):
                self._again.remove(later)
                return later
        return None

    def schedule_second_look(self, region: Grid) -> None:
        """Schedule a search for partly hidden cards in a place."""
        joined = [other for other in self._parts if bool((other & region).any())]
        self._parts = [other for other in self._parts if not bool((other & region).any())]
        self._parts.append(_merge_regions(region, joined))

    def list_second_look_regions(self, t: float) -> list[Grid]:
        """Return the places to be searched for partly hidden cards that have rested long enough."""
        return [
            region
            for region in self._parts
            if t - self._moved_at[region].max() >= self._required_rest(region)
        ]

    def is_new_to_second_looks(self, region: Grid) -> bool:
        """Check whether no second look at a place has failed yet."""
        return not self._in_vain[region].any()

    def mark_second_look(self, region: Grid, unexplained: Grid | None = None) -> None:
        """Remove a place of `list_second_look_regions`: its `unexplained` blocks are looked at now,
        or there are none."""
        self._parts = [other for other in self._parts if other is not region]
        if unexplained is None:
            self._in_vain[region] = 0
        else:
            # counts as a failure from the start; `clear_failed_searches` takes it back if something
            # is found
            self._in_vain[unexplained] = self._in_vain[unexplained].max() + 1

    def clear_failed_searches(self, where: Grid) -> None:
        """Reset the count of failed searches in blocks: a card was found there, or has gone."""
        self._in_vain[where] = 0

    def _required_rest(self, region: Grid) -> float:
        looks = int(self._in_vain[region].max())
        return REST_SECONDS if looks == 0 else LOOK_DELAYS[min(looks, len(LOOK_DELAYS)) - 1]


def _merge_regions(region: Grid, others: Sequence[Grid]) -> Grid:
    return np.asarray(np.logical_or.reduce([region, *others]), dtype=np.bool_)


def remove_specks(grid: Grid) -> Grid:
    """Return the blocks of a grid that have another one near; a single block shows noise, a scrap
    or a spot of light."""
    count = cv2.boxFilter(
        grid.astype(np.uint8), -1, (2 * NEAR + 1,) * 2, normalize=False, borderType=cv2.BORDER_CONSTANT
    )
    return np.asarray(grid & (count > 1), dtype=np.bool_)


def split_into_regions(changed: Grid) -> list[Grid]:
    """Separate the places that changed, each with its surroundings; specks are left out."""
    # the margin joins what one card changes: its middle may look like the table
    grown_dirty = cv2.dilate(remove_specks(changed).astype(np.uint8), np.ones((NEAR, NEAR), np.uint8))
    count, names = cv2.connectedComponents(grown_dirty)
    return [names == i for i in range(1, count)]


def quad_touches_grid(quad: Quad, grid: Grid, scale: int) -> bool:
    """Check whether a quad in pixels of the frame reaches any block that is set. `scale`: frame to
    small picture."""
    if not grid.any():  # in a still picture, most of a frame's time was spent on the corners
        return False
    # plain numbers: NumPy's minimum and maximum of four corners take three times as long, and with
    # an arm over 13 cards this is called fifty times a frame
    xs, ys = zip(*quad.tolist(), strict=True)
    block = scale * BLOCK
    left, top = int(min(xs) // block), int(min(ys) // block)
    right, bottom = max(left + 1, ceil(max(xs) / block)), max(top + 1, ceil(max(ys) / block))
    return bool(grid[max(0, top) : max(0, bottom), max(0, left) : max(0, right)].any())
