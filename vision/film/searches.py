"""Search one frame of a video in small steps.

Two searches exist: `BlockSearch` finds the outlines in a place that came to rest; `OcclusionSearch`
then looks for partly hidden cards where nothing explains what is visible. At 1080p, each would hold
up five frames if done at once.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.film.association import Tracks
from vision.film.attention import touches
from vision.film.background import Background, fill
from vision.film.motion import BLOCK, Grid, KeptFrame, blocks
from vision.film.track import Track, mapped
from vision.film.view import Mask, Matrix, enlarged, is_still, warped
from vision.geometry import Quad, area, begun_as, sides, transform
from vision.outlines.detect import WORKING_SIDE, outlining
from vision.reader import Reader
from vision.reading import Reading
from vision.same_print import explained_part

LEAST, A_STEP = 0.1, 300_000
"""Cost of a step of a look relative to one of reading (2 to 5 ms): a fixed part, and one for each
so many pixels of the working picture. Sixteen steps of 852 x 480 took 34 ms, of 1280 x 960 60 to
140."""


class BlockSearch:
    """A search for outlines in the blocks of `region` and at the cards `known` there.

    `began`: the frame that is searched; `picture`: a copy of its part; `cost`: the cost of each
    step, relative to a step of reading.
    """

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
        # a copy of the part: a search goes on in later frames, and shall not keep the whole frame
        self.picture = crop = frame[top:bottom, left:right].copy()
        self._corner = np.array([[1.0, 0, left], [0, 1.0, top], [0, 0, 1.0]])
        side = max(frame.shape[:2])
        scale = min(1.0, WORKING_SIDE / side)
        # in pixels of the working picture, on which the work is done
        self.cost: float = LEAST + scale**2 * crop.shape[0] * crop.shape[1] / A_STEP
        self._work = outlining(crop, side)

    def step(self, tracks: Tracks, background: Background) -> bool:
        """Do some milliseconds of work, and at the end match the outlines found with the known
        cards. Return whether that ended the search."""
        try:
            next(self._work)
        except StopIteration as end:
            found = [mapped(outline, self.there) for outline in end.value]
            tracks.meet(self._moment, found, self._known, background)
            return True
        return False

    @property
    def there(self) -> Matrix:
        """Map from pixels of the searched picture to those of the newest frame."""
        return np.asarray(enlarged(self._moved, self.began.factor) @ self._corner, dtype=np.float64)

    @property
    def _moment(self) -> KeptFrame:
        """The searched frame as the camera would have shown it from its current view."""
        if is_still(self._moved):
            return self.began
        thumb = warped(self.began.thumb, self._moved)
        return replace(self.began, change=replace(self.began.change, thumb=thumb))

    def carry(self, step: Matrix) -> None:
        """Follow the camera by `step`, in small pixels from the frame before to the newest."""
        self._moved = step @ self._moved


class BlockSearches:
    """The looks in progress, the oldest first; no two of one place."""

    def __init__(self) -> None:
        self._begun: list[BlockSearch] = []

    def __bool__(self) -> bool:
        return bool(self._begun)

    @property
    def cost(self) -> float:
        """Cost of the next step, relative to a step of reading."""
        return self._begun[0].cost

    @property
    def regions(self) -> list[Grid]:
        """The places that are looked at."""
        return [look.region for look in self._begun]

    def meet(self, region: Grid) -> bool:
        """Check whether any part of a place is being looked at."""
        return any(bool((look.region & region).any()) for look in self._begun)

    def begin(self, frame: NDArray[np.uint8], region: Grid, tracks: Tracks, now: KeptFrame) -> None:
        """Start to look at a place of the newest frame."""
        known = [track for track in tracks.all if touches(track.quad, region, now.factor)]
        self._begun.append(BlockSearch(frame, region, known, now))

    def carry(self, step: Matrix) -> None:
        """Follow the camera by `step`, in small pixels."""
        for look in self._begun:
            look.carry(step)

    def step(self, tracks: Tracks, background: Background) -> BlockSearch | None:
        """Do one step of the oldest look; return it if that ended it. A look that raises is
        dropped, too."""
        # taken out first, so that a look that raises is dropped
        look = self._begun.pop(0)
        if look.step(tracks, background):
            return look
        self._begun.insert(0, look)
        return None


UNEXPLAINED, A_PART = 384, 0.15
"""Area that looks like neither the bare table nor a card from which a place is searched: in small
pixels as long as no card is identified (`UNEXPLAINED`), and then in parts of a card (`A_PART`)."""

LIKELY = 0.5
"""Part of a card's visible area that must be unexplained for it to be read: other guesses of where
a card continues under its cover extend over the bare table."""


def unexplained(background: Background, tracks: Tracks, region: Grid, now: KeptFrame) -> Mask:
    """Mark, in small pixels, the things in a region that are neither the table nor a card that is
    known or lies face down."""
    known = [
        track.quad
        for track in tracks.cards()
        if track.sure or (track.named is not None and track.named.card is None and not track.doubt)
    ]
    strange = background.unexplained(now.thumb, region, known, now.factor)
    sizes = [area(quad) / now.factor**2 for quad in tracks.sure()]
    least = A_PART * float(np.median(sizes)) if sizes else UNEXPLAINED
    _, names, boxes, _ = cv2.connectedComponentsWithStats(strange)
    large = boxes[:, cv2.CC_STAT_AREA] >= least
    # label 0 is the background of the components
    large[0] = False
    return np.asarray(large[names], dtype=np.bool_)


class OcclusionSearch:
    """A search for partly hidden cards in one frame, round its `strange` small pixels.

    `began`: the frame searched; `region`: the place; `blocks`: the strange blocks in it.
    """

    def __init__(
        self,
        reader: Reader,
        frame: NDArray[np.uint8],
        tracks: Tracks,
        region: Grid,
        strange: Mask,
        now: KeptFrame,
    ) -> None:
        self.region, self.began = region, now
        self._moved = np.eye(3)
        self.blocks: Grid = np.asarray(blocks(strange.astype(np.float32)) > 0, dtype=np.bool_)
        # a card may extend by its own length beyond the strange part
        card = float(np.median([sides(quad).max() for quad in tracks.sure()]))
        rows, columns = np.nonzero(strange)
        low = np.array([columns.min(), rows.min()]) * now.factor - card
        high = np.array([columns.max() + 1, rows.max() + 1]) * now.factor + card
        left, top = (int(v) for v in np.maximum(low, 0))
        right, bottom = (int(v) for v in high)
        self._corner = np.array([left, top], dtype=np.float32)
        known = [
            # relative to the cut-out part
            replace(t.named, quad=begun_as(t.named.quad, t.quad) - self._corner)
            for t in tracks.cards()
            if t.named is not None
        ]
        crop = np.ascontiguousarray(frame[top:bottom, left:right])
        likely = _mostly(strange, self._corner, now.factor)
        self._work = reader.reading_parts(crop, known, max(frame.shape[:2]), likely, explained_part)

    def step(self) -> list[Reading] | None:
        """Do some milliseconds of work; at the end return the cards found, those on top first."""
        try:
            next(self._work)
        except StopIteration as end:
            return [replace(r, quad=transform(self._moved, r.quad + self._corner)) for r in end.value]
        return None

    @property
    def still(self) -> bool:
        """Whether the camera has not moved since the frame was taken."""
        return is_still(self._moved)

    def carry(self, step: Matrix) -> None:
        """Follow the camera; `step` maps pixels of the frame before to those of the newest."""
        self._moved = step @ self._moved


def _mostly(
    strange: Mask, corner: NDArray[np.float32], factor: int
) -> Callable[[Quad, Sequence[Quad]], bool]:
    """Build a function that checks whether what shows of a card, given by its quad and those of its
    covers relative to `corner`, is mostly strange."""

    def likely(quad: Quad, covers: Sequence[Quad]) -> bool:
        card = np.zeros(strange.shape, dtype=np.uint8)
        fill(card, quad + corner, factor)
        for cover in covers:
            fill(card, cover + corner, factor, 0)
        seen = strange[card > 0]
        return seen.size > 0 and float(seen.mean()) > LIKELY

    return likely
