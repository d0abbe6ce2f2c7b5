"""Search one frame of a video in small steps.

Two searches exist: `RegionSearch` finds the outlines in a place that came to rest;
`SecondLook` then does all else that a photograph gets where nothing explains what is visible. At
1080p, each would hold up five frames and more if done at once.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import Quad, match_corner_order, quad_area, side_lengths, transform_points
from vision.outlines.detect import find_outlines_in_steps
from vision.outlines.working_picture import WorkingPicture
from vision.reader import Reader
from vision.reading import Reading
from vision.video.association import Tracks
from vision.video.background import Background, fill_quad
from vision.video.motion import BLOCK, FrameRecord, Grid, block_means
from vision.video.region_schedule import quad_touches_grid
from vision.video.track import Track, transform_outline
from vision.video.view_transform import Mask, Matrix, is_identity, scale_view, warp_thumb

LEAST, A_STEP = 0.1, 300_000
"""Cost of a step of a look relative to one of reading (2 to 5 ms): a fixed part, and one for each
so many pixels of the working picture. Sixteen steps of 852 x 480 took 34 ms, of 1280 x 960 60 to
140."""


class RegionSearch:
    """A search for outlines in the blocks of `region` and at the cards `known` there.

    `began`: the frame that is searched; `picture`: a copy of its part; `cost`: the cost
    of each step, relative to a step of reading.
    """

    def __init__(
        self, frame: NDArray[np.uint8], region: Grid, known: Sequence[Track], now: FrameRecord
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
        reduced = WorkingPicture(crop, max(frame.shape[:2]))
        # in pixels of the working picture, on which the work is done
        self.cost: float = LEAST + reduced.scale**2 * crop.shape[0] * crop.shape[1] / A_STEP
        self._work = find_outlines_in_steps(reduced)

    def run_step(self, tracks: Tracks, background: Background) -> bool:
        """Do some milliseconds of work, and at the end match the outlines found with the known
        cards. Return whether that ended the search."""
        try:
            next(self._work)
        except StopIteration as end:
            found = [transform_outline(outline, self.to_newest) for outline in end.value]
            tracks.match_outlines(self._frame_as_now, found, self._known, background)
            return True
        return False

    @property
    def to_newest(self) -> Matrix:
        """Map from pixels of the searched picture to those of the newest frame."""
        return np.asarray(scale_view(self._moved, self.began.factor) @ self._corner, dtype=np.float64)

    @property
    def _frame_as_now(self) -> FrameRecord:
        """The searched frame as the camera would have shown it from its current view."""
        if is_identity(self._moved):
            return self.began
        thumb = warp_thumb(self.began.thumb, self._moved)
        return replace(self.began, change=replace(self.began.change, thumb=thumb))

    def apply_camera_motion(self, step: Matrix) -> None:
        """Follow the camera by `step`, in small pixels from the frame before to the newest."""
        self._moved = step @ self._moved


class RegionSearchQueue:
    """The looks in progress, the oldest first; no two of one place."""

    def __init__(self) -> None:
        self._begun: list[RegionSearch] = []

    def __bool__(self) -> bool:
        return bool(self._begun)

    @property
    def next_step_cost(self) -> float:
        """Cost of the next step, relative to a step of reading."""
        return self._begun[0].cost

    @property
    def regions(self) -> list[Grid]:
        """The places that are looked at."""
        return [look.region for look in self._begun]

    def overlaps_search(self, region: Grid) -> bool:
        """Check whether any part of a place is being looked at."""
        return any(bool((look.region & region).any()) for look in self._begun)

    def start_search(self, frame: NDArray[np.uint8], region: Grid, tracks: Tracks, now: FrameRecord) -> None:
        """Start to look at a place of the newest frame."""
        known = [track for track in tracks.all if quad_touches_grid(track.quad, region, now.factor)]
        self._begun.append(RegionSearch(frame, region, known, now))

    def apply_camera_motion(self, step: Matrix) -> None:
        """Follow the camera by `step`, in small pixels."""
        for look in self._begun:
            look.apply_camera_motion(step)

    def run_step(self, tracks: Tracks, background: Background) -> RegionSearch | None:
        """Do one step of the oldest look; return it if that ended it. A look that raises is
        dropped, too."""
        # taken out first, so that a look that raises is dropped
        look = self._begun.pop(0)
        if look.run_step(tracks, background):
            return look
        self._begun.insert(0, look)
        return None


UNEXPLAINED, A_PART = 384, 0.15
"""Area that looks like neither the bare table nor a card from which a place is searched: in small
pixels as long as no card is identified (`UNEXPLAINED`), and then in parts of a card (`A_PART`)."""

LIKELY = 0.5
"""Part of a card's visible area that must be unexplained for it to be read: other guesses of where
a card continues under its cover extend over the bare table."""


def find_unexplained_pixels(
    background: Background, tracks: Tracks, region: Grid, now: FrameRecord, with_faceless: bool = False
) -> Mask:
    """Mark, in small pixels, the things in a region that are neither the table nor a card that is
    known or, unless `with_faceless`, looks like no design: it may lie face down."""
    known = [
        track.quad
        for track in tracks.list_cards()
        if track.is_sure
        or (not with_faceless and track.named is not None and track.named.card is None and not track.doubt)
    ]
    strange = background.find_unexplained(now.thumb, region, known, now.factor)
    sizes = [quad_area(quad) / now.factor**2 for quad in tracks.list_sure_quads()]
    least = A_PART * float(np.median(sizes)) if sizes else UNEXPLAINED
    _, names, boxes, _ = cv2.connectedComponentsWithStats(strange)
    large = boxes[:, cv2.CC_STAT_AREA] >= least
    # label 0 is the background of the components
    large[0] = False
    return np.asarray(large[names], dtype=np.bool_)


class SecondLook:
    """All looks of a photograph (`Reader.read_in_steps`) at a part of one frame, round its
    `unexplained` small pixels: cards on a table as pale as they are, under cables and lamps,
    without a border, edge to edge, partly hidden.

    `began`: the frame looked at; `region`: the place; `blocks`: the strange blocks in it; `long`:
    number of small steps for which the next one counts.
    """

    def __init__(
        self,
        reader: Reader,
        frame: NDArray[np.uint8],
        tracks: Tracks,
        region: Grid,
        unexplained: Mask,
        now: FrameRecord,
    ) -> None:
        self.region, self.began, self.long = region, now, 1
        self._moved = np.eye(3)
        self.blocks: Grid = np.asarray(block_means(unexplained.astype(np.float32)) > 0, dtype=np.bool_)
        # a card may extend by its own length beyond the strange part
        lengths = [side_lengths(quad).max() for quad in tracks.list_sure_quads()]
        card = float(np.median(lengths)) if lengths else float(max(frame.shape))
        rows, columns = np.nonzero(unexplained)
        low = np.array([columns.min(), rows.min()]) * now.factor - card
        high = np.array([columns.max() + 1, rows.max() + 1]) * now.factor + card
        left, top = (int(v) for v in np.maximum(low, 0))
        right, bottom = (int(v) for v in high)
        self._corner = np.array([left, top], dtype=np.float32)
        self._known = [
            # relative to the cut-out part
            replace(t.named, quad=match_corner_order(t.named.quad, t.quad) - self._corner)
            for t in tracks.list_cards()
            if t.named is not None and t.is_sure
        ]
        crop = np.ascontiguousarray(frame[top:bottom, left:right])
        likely = _make_visibility_test(unexplained, self._corner, now.factor)
        # as strict as with a photograph, because no other frame need agree
        strict = Reader(reader.library, reader.margins, reader.stickers)
        self._work = strict.read_in_steps(crop, self._known, max(frame.shape[:2]), likely)

    def run_step(self) -> list[Reading] | None:
        """Do some milliseconds of work; at the end return the sure cards found, those on top
        first."""
        try:
            self.long = next(self._work) or 1
        except StopIteration as end:
            # by identity of the quad: judging the cards together makes new readings of the same
            known = {id(r.quad) for r in self._known}
            return [
                replace(r, quad=transform_points(self._moved, r.quad + self._corner))
                for r in sorted(end.value, key=lambda r: r.partly_hidden)
                if r.sure and id(r.quad) not in known
            ]
        return None

    @property
    def is_camera_still(self) -> bool:
        """Whether the camera has not moved since the frame was taken."""
        return is_identity(self._moved)

    def apply_camera_motion(self, step: Matrix) -> None:
        """Follow the camera; `step` maps pixels of the frame before to those of the newest."""
        self._moved = step @ self._moved


def _make_visibility_test(
    unexplained: Mask, corner: NDArray[np.float32], factor: int
) -> Callable[[Quad, Sequence[Quad]], bool]:
    """Build a function that checks whether what shows of a card, given by its quad and those of its
    covers relative to `corner`, is mostly strange."""

    def is_mostly_unexplained(quad: Quad, covers: Sequence[Quad]) -> bool:
        card = np.zeros(unexplained.shape, dtype=np.uint8)
        fill_quad(card, quad + corner, factor)
        for cover in covers:
            fill_quad(card, cover + corner, factor, 0)
        visible = unexplained[card > 0]
        return visible.size > 0 and float(visible.mean()) > LIKELY

    return is_mostly_unexplained
