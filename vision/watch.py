"""Watching a table over time: which cards lie there now, each named once and then left alone.

The answer is a level, not an edge: `see` returns all cards that lie on the table, in every frame. Work is
spent only where the picture changed and has come to rest.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detect import Outline, outlines
from vision.geometry import Quad, area, overlap
from vision.library import Library, Margins
from vision.motion import BLOCK, Change, Grid, Motion, Thumb
from vision.reader import Reader, Reading
from vision.table_look import Look, TableLook

REST = 0.1
"""Seconds that a place must be at rest before it is looked at."""

MOVED_ON = 1.0
"""Seconds after which a camera that has moved is taken to stay there."""

VOTES = 5
"""Readings of one card at rest after which no more are asked for, sure or not."""

CLEAR = 0.85
"""Confidence of a single reading that needs no second vote."""


@dataclass(frozen=True)
class Presence:
    """A card that lies on the table now.

    `id` stays with a card as long as it lies there. `card` is None for a card of no enrolled design or lying
    on its face. `quad` is in pixels of the frame. `still` is False while something moves over it.
    Times are the caller's seconds.
    """

    id: int
    card: str | None
    sure: bool
    confidence: float
    quad: Quad
    first_seen: float
    still: bool
    candidates: tuple[tuple[str, float], ...] = ()


@dataclass
class _Track:
    id: int
    outline: Outline
    first_seen: float
    look: Look
    ring: Look
    votes: list[Reading] = field(default_factory=list)
    still: bool = True
    named: Reading | None = None

    @property
    def quad(self) -> Quad:
        return self.outline.quad

    @property
    def wants_reading(self) -> bool:
        return not self.votes or (len(self.votes) < VOTES and not (self.named and self.named.sure))

    def vote(self, reading: Reading) -> None:
        """Add a reading; sure needs one very clear reading or two that agree, with none sure of another."""
        self.votes.append(reading)
        sure = Counter(r.card for r in self.votes if r.sure)
        pool = self.votes
        agreed = False
        if len(sure) == 1:
            ((card, count),) = sure.items()
            pool = [r for r in self.votes if r.sure]
            agreed = count >= 2 or pool[0].confidence >= CLEAR
            agreed = agreed and sum(r.card not in (card, None) for r in self.votes) < count
        else:
            usual = Counter(r.card for r in self.votes).most_common(1)[0][0]
            pool = [r for r in self.votes if r.card == usual]
        best = max(pool, key=lambda r: r.confidence)
        self.named = Reading(best.card, agreed, best.confidence, best.quad, best.candidates)


class Watcher:
    """Follows the cards on a table through a video.

    `readings_per_frame` bounds the cards identified in one call, and so the time a call may take.
    """

    def __init__(self, library: Library, margins: Margins | None = None, readings_per_frame: int = 1) -> None:
        self._reader = Reader(library, margins)
        self._per_frame = readings_per_frame
        self._motion = Motion()
        self._table = TableLook()
        self._tracks: list[_Track] = []
        self._next_id = 1
        self._moved_at: NDArray[np.float64] | None = None
        self._off_since: float | None = None
        self._moved = np.zeros(2, dtype=np.float64)
        self.identified = 0
        self.busy = False
        """Whether something moves on the table, or lies there that has not been named yet."""

    @property
    def drift(self) -> tuple[float, float]:
        """How far the camera has moved since the start or the last `forget_drift`, in pixels of the frame."""
        return float(self._moved[0]), float(self._moved[1])

    def forget_drift(self) -> None:
        """Call when the plane of the table was set anew."""
        self._moved[:] = 0

    def see(self, frame: NDArray[np.uint8], t_seconds: float) -> list[Presence]:
        """Take in a BGR frame and say which cards lie on the table now, in order of `id`."""
        change = self._motion.observe(frame)
        if self._moved_at is None or self._moved_at.shape != change.changed.shape:
            self._moved_at = np.full(change.changed.shape, -np.inf)
            self._tracks.clear()
            self._table = TableLook()
            self._scan(frame, change, np.ones_like(change.changed), t_seconds)
        elif self._camera_at_rest(frame, change, t_seconds):
            self._moved_at[change.moving] = t_seconds
            at_rest = t_seconds - self._moved_at >= REST
            self._table.learn(
                change.thumb, ~change.changed & at_rest, [t.quad for t in self._tracks], self._motion.factor
            )
            for track in self._tracks:
                track.still = not _touches(track.quad, change.changed | ~at_rest, self._motion.factor)
            for region in _regions(change.changed & at_rest):
                self._scan(frame, change, region, t_seconds)
        self._name(frame, change.thumb, t_seconds)
        moving = bool((t_seconds - self._moved_at < REST).any())
        self.busy = moving or any(track.wants_reading for track in self._tracks)
        return self._presences()

    def _presences(self) -> list[Presence]:
        """What lies there, without the shapes that are no cards of this deck."""
        named = {t.id: t.named for t in self._tracks if t.named is not None}
        cards = {id(r) for r in self._reader.cards_only(list(named.values()))}
        return [_presence(t) for t in self._tracks if t.id in named and id(named[t.id]) in cards]

    def _camera_at_rest(self, frame: NDArray[np.uint8], change: Change, t: float) -> bool:
        """Whether the frame can be trusted block by block; if the camera moved to stay, follow it."""
        shifted = max(abs(change.shift[0]), abs(change.shift[1])) > 0.5
        if not shifted and not change.upheaval:
            self._off_since = None
            return True
        if self._off_since is None:
            self._off_since = t
        if t - self._off_since < MOVED_ON:
            return False
        self._off_since = None
        if shifted:
            pixels = np.array(change.shift) * self._motion.factor
            self._moved += pixels
            for track in self._tracks:
                track.outline = _shifted(track.outline, pixels)
            self._motion.carry(change.shift)
            self._table.carry(change.shift)
        else:
            self._moved += np.inf
            self._table = TableLook()
        self._scan(frame, change, np.ones_like(change.changed), t)
        return False

    def _scan(self, frame: NDArray[np.uint8], change: Change, region: Grid, t: float) -> None:
        """Look for cards in the blocks of `region` and match them with those known there."""
        scale = self._motion.factor
        known = [track for track in self._tracks if _touches(track.quad, region, scale)]
        found = _outlines_near(frame, region, [track.quad for track in known], scale)
        self._motion.settle(change.thumb, region)
        for outline in found:
            self._meet(change.thumb, outline, t)
        for track in known:
            if any(_same(o.quad, track.quad) for o in found):
                continue
            if Look.take(change.thumb, track.quad, scale).same(track.look):
                continue
            covered_by_card = any(_lies_on(o.quad, track.quad) for o in found)
            if covered_by_card or self._table.is_bare(
                change.thumb, track.quad, track.look, track.ring, scale
            ):
                self._tracks.remove(track)

    def _meet(self, thumb: Thumb, outline: Outline, t: float) -> None:
        """An outline is a card known in that place, or a card that looks otherwise there, or a new one."""
        factor = self._motion.factor
        for track in self._tracks:
            if _same(outline.quad, track.quad):
                if not Look.take(thumb, track.quad, factor).same(track.look):
                    track.outline, track.votes = outline, []
                    track.look = Look.take(thumb, outline.quad, factor)
                track.ring = Look.round(thumb, track.quad, factor)
                return
        self._begin(outline, thumb, t)

    def _begin(self, outline: Outline, thumb: Thumb, t: float) -> _Track:
        factor = self._motion.factor
        look, ring = Look.take(thumb, outline.quad, factor), Look.round(thumb, outline.quad, factor)
        track = _Track(self._next_id, outline, t, look, ring)
        self._next_id += 1
        self._tracks.append(track)
        return track

    def _name(self, frame: NDArray[np.uint8], thumb: Thumb, t: float) -> None:
        """Identify a few of the cards at rest that are not named yet: the fewest votes first, then card shapes."""
        waiting = sorted(
            (t for t in self._tracks if t.still and t.wants_reading),
            key=lambda t: (len(t.votes), self._reader.oddness(t.outline)),
        )
        for track in waiting[: self._per_frame]:
            self.identified += 1
            readings = self._reader.judge(frame, track.outline)
            if len(readings) > 1:
                self._split(track, readings, thumb, t)
            elif track.named is not None and not track.votes and track.named.card != readings[0].card:
                self._tracks.remove(track)
                self._begin(track.outline, thumb, t).vote(readings[0])
            else:
                track.vote(readings[0])

    def _split(self, whole: _Track, readings: list[Reading], thumb: Thumb, t: float) -> None:
        """What was taken for one card is a sheet or a mat on which cards lie."""
        self._tracks.remove(whole)
        for reading in readings:
            outline = Outline(reading.quad, whole.outline.support)
            self._begin(outline, thumb, t).vote(reading)


def _presence(track: _Track) -> Presence:
    named = track.named
    assert named is not None
    return Presence(
        track.id,
        named.card,
        named.sure,
        named.confidence,
        track.quad,
        track.first_seen,
        track.still,
        named.candidates,
    )


def _regions(dirty: Grid) -> list[Grid]:
    """Separate places that changed, each with its surroundings; specks are left out."""
    grown_dirty = cv2.dilate(dirty.astype(np.uint8), np.ones((5, 5), np.uint8))
    count, names = cv2.connectedComponents(grown_dirty)
    regions = [names == i for i in range(1, count)]
    return [region for region in regions if (region & dirty).sum() >= 2]


def _outlines_near(frame: NDArray[np.uint8], region: Grid, known: list[Quad], scale: int) -> list[Outline]:
    """Outlines in the part of the frame that holds a region of blocks and the cards known there."""
    rows, columns = np.nonzero(region)
    size = scale * BLOCK
    corners = [
        np.array([[columns.min() - 1, rows.min() - 1], [columns.max() + 2, rows.max() + 2]]) * size,
        *known,
    ]
    spread = np.concatenate(corners)
    left, top = np.maximum(spread.min(axis=0).astype(int) - size, 0)
    right, bottom = spread.max(axis=0).astype(int) + size
    crop = np.ascontiguousarray(frame[top:bottom, left:right])
    return [_shifted(o, np.array([left, top])) for o in outlines(crop, max(frame.shape[:2]))]


def _shifted(outline: Outline, by: NDArray[Any]) -> Outline:
    return Outline(
        (outline.quad + by).astype(np.float32),
        outline.support,
        tuple((q + by).astype(np.float32) for q in outline.alternatives),
        tuple(_shifted(o, by) for o in outline.inside),
    )


def _same(a: Quad, b: Quad) -> bool:
    shared = overlap(a, b)
    return shared > 0.75 * max(area(a), area(b))


def _lies_on(upper: Quad, lower: Quad) -> bool:
    """Whether something of a card's size hides most of another card."""
    return overlap(upper, lower) > 0.7 * area(lower) and 0.5 < area(upper) / area(lower) < 2.0


def _bounds(quad: Quad, scale: int, shape: tuple[int, ...]) -> tuple[slice, slice]:
    low = np.floor(quad.min(axis=0) / (scale * BLOCK)).astype(int)
    high = np.ceil(quad.max(axis=0) / (scale * BLOCK)).astype(int)
    return (
        slice(max(0, low[1]), max(low[1] + 1, min(shape[0], high[1]))),
        slice(max(0, low[0]), max(low[0] + 1, min(shape[1], high[0]))),
    )


def _touches(quad: Quad, grid: Grid, scale: int) -> bool:
    return bool(grid[_bounds(quad, scale, grid.shape)].any())
