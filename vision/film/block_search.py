"""Searches for outlines in places of a film's frames, in small steps: at 1080p all at once would
hold up five frames."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.film.association import Tracks
from vision.film.attention import touches
from vision.film.background import Background
from vision.film.motion import BLOCK, Grid, KeptFrame
from vision.film.track import Track, mapped
from vision.film.view import Matrix, enlarged, is_still, warped
from vision.outlines.detect import WORKING_SIDE, outlining

LEAST, A_STEP = 0.1, 300_000
"""What a step of a look counts for beside one of reading (2 to 5 ms): so much, and one for so many
pixels of the working picture. Sixteen steps of 852 x 480 took 34 ms, of 1280 x 960 60 to 140."""


class BlockSearch:
    """A search in the blocks of `region`, and where the cards `known` there lie, in the frame of
    `began`, of which `picture` is a copy; each step counts for `cost` of those of reading."""

    def __init__(
        self, frame: NDArray[np.uint8], region: Grid, known: Sequence[Track], now: KeptFrame
    ) -> None:
        self.region, self.began = region, now
        self._known = known
        self._moved = np.eye(3)
        rows, columns = np.nonzero(region)
        size = now.factor * BLOCK
        reach = np.array([[columns.min() - 1, rows.min() - 1], [columns.max() + 2, rows.max() + 2]]) * size
        spread = np.concatenate([reach, *(track.quad for track in known)])
        left, top = np.maximum(spread.min(axis=0).astype(int) - size, 0)
        right, bottom = spread.max(axis=0).astype(int) + size
        self.picture = crop = frame[top:bottom, left:right].copy()
        self._corner = np.array([[1.0, 0, left], [0, 1.0, top], [0, 0, 1.0]])
        side = max(frame.shape[:2])
        scale = min(1.0, WORKING_SIDE / side)
        self.cost: float = LEAST + scale**2 * crop.shape[0] * crop.shape[1] / A_STEP
        self._work = outlining(crop, side)

    def step(self, tracks: Tracks, background: Background) -> bool:
        """Do some milliseconds of work, and at the end match what was found with the cards known
        there; say if that is done."""
        try:
            next(self._work)
        except StopIteration as end:
            found = [mapped(outline, self.there) for outline in end.value]
            tracks.meet(self._moment, found, self._known, background)
            return True
        return False

    @property
    def there(self) -> Matrix:
        """From pixels of the searched picture to those of the newest frame."""
        return np.asarray(enlarged(self._moved, self.began.factor) @ self._corner, dtype=np.float64)

    @property
    def _moment(self) -> KeptFrame:
        """The frame that is searched, as the camera would have shown it from where it looks now."""
        if is_still(self._moved):
            return self.began
        thumb = warped(self.began.thumb, self._moved)
        return replace(self.began, change=replace(self.began.change, thumb=thumb))

    def carry(self, step: Matrix) -> None:
        """The camera has moved: `step` in small pixels, from the frame before to the newest."""
        self._moved = step @ self._moved


class BlockSearches:
    """The looks that have been begun, the oldest first; no two of one place."""

    def __init__(self) -> None:
        self._begun: list[BlockSearch] = []

    def __bool__(self) -> bool:
        return bool(self._begun)

    @property
    def cost(self) -> float:
        """What the next step counts for."""
        return self._begun[0].cost

    @property
    def regions(self) -> list[Grid]:
        """The places that are looked at."""
        return [look.region for look in self._begun]

    def meet(self, region: Grid) -> bool:
        """Whether a place is being looked at, or a part of it."""
        return any(bool((look.region & region).any()) for look in self._begun)

    def begin(self, frame: NDArray[np.uint8], region: Grid, tracks: Tracks, now: KeptFrame) -> None:
        """Take up a place of the newest frame."""
        known = [track for track in tracks.all if touches(track.quad, region, now.factor)]
        self._begun.append(BlockSearch(frame, region, known, now))

    def carry(self, step: Matrix) -> None:
        """The camera has moved: `step` in small pixels."""
        for look in self._begun:
            look.carry(step)

    def step(self, tracks: Tracks, background: Background) -> BlockSearch | None:
        """Do one step of the first; return it if that ended it. One that raises is struck off,
        too."""
        look = self._begun.pop(0)
        if look.step(tracks, background):
            return look
        self._begun.insert(0, look)
        return None
