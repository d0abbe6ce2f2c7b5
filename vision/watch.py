"""Watching a table over time: which cards lie there now, each named once and then left alone.

The answer is a level, not an edge: `see` returns all cards that lie on the table, in every frame. Work is
spent only where the picture changed and has come to rest.
"""

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detect import Outline, outlines
from vision.geometry import Quad, area, overlap
from vision.library import Library, Margins
from vision.markers import Stickers
from vision.motion import BLOCK, Change, Grid, Motion, Thumb
from vision.reader import Reader, Reading
from vision.table_look import Look, TableLook
from vision.track import MORE_VOTES, Track

REST = 0.1
"""Seconds that a place must be at rest before it is looked at."""

MOVED_ON = 1.0
"""Seconds after which a camera that has moved is taken to stay there."""

WAITS = (0.3, 0.8, 2.0)
"""Seconds until a place where something lies that has no name is looked at again, time after time."""

UNEXPLAINED = 6
"""Blocks that look like neither the bare table nor a card, from which a place is looked at again."""

STEPS = 7
"""Steps of reading in one call, about five milliseconds each; one card takes some fifteen."""

ROOM = 0.15
"""Part of the frame in which outlines are sought in one call, unless one place needs more."""


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


@dataclass(frozen=True, eq=False)
class _Later:
    """A place to be looked at again at `due` seconds, and, if need be, `then` so many seconds later each."""

    region: Grid
    due: float
    then: tuple[float, ...]


class Watcher:
    """Follows the cards on a table through a video.

    `steps` bounds the work of reading in one call, and so the time a call may take; what is begun in one call
    is taken up in the next.
    """

    def __init__(
        self,
        library: Library,
        margins: Margins | None = None,
        steps: int = STEPS,
        stickers: Stickers | None = None,
    ) -> None:
        self._reader = Reader(library, margins, stickers)
        self._steps = steps
        self._frame = np.empty((0, 0, 3), dtype=np.uint8)
        self._again: list[_Later] = []
        self._motion = Motion()
        self._table = TableLook()
        self._tracks: list[Track] = []
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
        self._frame, looked = frame, False
        if self._moved_at is None or self._moved_at.shape != change.changed.shape:
            self._moved_at = np.full(change.changed.shape, -np.inf)
            self._tracks.clear()
            self._again.clear()
            self._table = TableLook()
            self._scan_all(change, t_seconds)
            looked = True
        elif self._camera_at_rest(change, t_seconds):
            self._moved_at[change.moving] = t_seconds
            at_rest = t_seconds - self._moved_at >= REST
            calm = ~change.changed & at_rest
            for later in self._again:
                calm &= ~later.region
            self._table.learn(change.thumb, calm, [t.quad for t in self._tracks], self._motion.factor)
            for track in self._tracks:
                track.still = not _touches(track.quad, change.changed | ~at_rest, self._motion.factor)
            looked = self._look(change, at_rest, t_seconds)
        self._begin_readings()
        if not looked:
            self._name(change.thumb, t_seconds)
        moving = bool((t_seconds - self._moved_at < REST).any())
        self.busy = moving or any(track.wants_reading for track in self._tracks)
        return self._presences()

    def _look(self, change: Change, at_rest: Grid, t: float) -> bool:
        """Look for cards where something changed and came to rest, and where it is time to look again; say if any."""
        left = ROOM * change.changed.size
        looked = False
        for region in _regions(change.changed & at_rest):
            if looked and region.sum() > left:
                break
            looked, left = True, left - region.sum()
            self._scan(change, region, t)
            self._look_later(region, t, WAITS)
        if looked:
            return True
        for later in [later for later in self._again if later.due <= t]:
            self._again.remove(later)
            if self._unexplained(change.thumb, later.region) and bool(at_rest[later.region].all()):
                for track in self._tracks:
                    if not track.sure and _touches(track.quad, later.region, self._motion.factor):
                        track.allowed = len(track.votes) + MORE_VOTES
                self._scan(change, later.region, t)
                if later.then:
                    self._look_later(later.region, t, later.then)
                return True
        return False

    def _look_later(self, region: Grid, t: float, waits: tuple[float, ...]) -> None:
        """Note that a place must be looked at again if nothing in it gets a name."""
        for other in [other for other in self._again if bool((other.region & region).any())]:
            self._again.remove(other)
            region = region | other.region
        self._again.append(_Later(region, t + waits[0], waits[1:]))

    def _unexplained(self, thumb: Thumb, region: Grid) -> bool:
        """Whether something lies in a region that is neither table nor a card that is known or shows no face."""
        strange = region & self._table.strange(thumb)
        for track in self._tracks:
            if track.sure or (track.named is not None and track.named.card is None and not track.doubt):
                strange[_bounds(track.quad, self._motion.factor, strange.shape)] = False
        return int(strange.sum()) >= UNEXPLAINED

    def _presences(self) -> list[Presence]:
        """What lies there, without the shapes that are no cards of this deck."""
        named = {t.id: t.named for t in self._tracks if t.named is not None}
        cards = {id(r) for r in self._reader.cards_only(list(named.values()))}
        return [_presence(t) for t in self._tracks if t.id in named and id(named[t.id]) in cards]

    def _camera_at_rest(self, change: Change, t: float) -> bool:
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
                track.put_down()
            self._motion.carry(change.shift)
            self._table.carry(change.shift)
        else:
            self._moved += np.inf
            self._table = TableLook()
        self._scan_all(change, t)
        return False

    def _scan_all(self, change: Change, t: float) -> None:
        everywhere = np.ones_like(change.changed)
        self._scan(change, everywhere, t)
        # of the bare table nothing is known yet, so all of it seems strange: once again is enough
        self._look_later(everywhere, t, WAITS[:1])

    def _scan(self, change: Change, region: Grid, t: float) -> None:
        """Look for cards in the blocks of `region` and match them with those known there."""
        scale = self._motion.factor
        known = [track for track in self._tracks if _touches(track.quad, region, scale)]
        found = _outlines_near(self._frame, region, [track.quad for track in known], scale)
        self._motion.settle(change.thumb, region)
        for outline in found:
            self._meet(change.thumb, outline, t)
        for track in known:
            if any(_same(o.quad, track.quad) for o in found):
                continue
            if Look.take(change.thumb, track.quad, scale).same(track.look):
                track.doubt = False
                continue
            covered_by_card = any(_lies_on(o.quad, track.quad) for o in found)
            if covered_by_card or self._table.is_bare(
                change.thumb, track.quad, track.look, track.ring, scale
            ):
                self._tracks.remove(track)
            else:
                track.doubt = True

    def _meet(self, thumb: Thumb, outline: Outline, t: float) -> None:
        """An outline is a card known in that place, or a card that looks otherwise there, or a new one."""
        factor = self._motion.factor
        for track in self._tracks:
            if _same(outline.quad, track.quad):
                if not Look.take(thumb, track.quad, factor).same(track.look):
                    track.change(outline, Look.take(thumb, outline.quad, factor))
                elif not track.sure:
                    track.outline = outline
                    track.put_down()
                track.doubt = False
                track.ring = Look.round(thumb, track.quad, factor)
                return
        self._begin(outline, thumb, t)

    def _begin(self, outline: Outline, thumb: Thumb, t: float) -> Track:
        factor = self._motion.factor
        look, ring = Look.take(thumb, outline.quad, factor), Look.round(thumb, outline.quad, factor)
        track = Track(self._next_id, outline, t, look, ring)
        self._next_id += 1
        self._tracks.append(track)
        return track

    def _begin_readings(self) -> None:
        """Take up this frame for every card that lies still and wants a reading; a hand may come before it is read."""
        frame = self._frame
        for track in self._tracks:
            if track.still and track.wants_reading and track.work is None:
                self.identified += 1
                track.work = self._reader.judging(lambda: frame, track.outline)

    def _name(self, thumb: Thumb, t: float) -> None:
        """Work on the readings that have been begun: those with the fewest votes first, then card shapes."""
        for _ in range(self._steps):
            waiting = [track for track in self._tracks if track.work is not None]
            if not waiting:
                return
            track = min(waiting, key=lambda track: (track.turn, self._reader.oddness(track.outline)))
            assert track.work is not None
            try:
                next(track.work)
                track.spent += 1
            except StopIteration as end:
                track.put_down()
                self._take_in(track, end.value, thumb, t)

    def _take_in(self, track: Track, readings: list[Reading], thumb: Thumb, t: float) -> None:
        """Count what was read: a vote, another card in the place of one, or the cards on a sheet."""
        first = readings[0]
        other = track.named is not None and track.named.card != first.card
        if track.doubt:
            # something hides the card, or another lies there: only a sure reading tells the two apart
            track.doubt = False
            if other and first.sure and len(readings) == 1:
                self._tracks.remove(track)
                self._begin(track.outline, thumb, t).vote(first)
        elif len(readings) > 1:
            self._split(track, readings, thumb, t)
        elif other and not track.votes:
            self._tracks.remove(track)
            self._begin(track.outline, thumb, t).vote(first)
        else:
            track.vote(first)

    def _split(self, whole: Track, readings: list[Reading], thumb: Thumb, t: float) -> None:
        """What was taken for one card is a sheet or a mat on which cards lie."""
        self._tracks.remove(whole)
        for reading in readings:
            outline = Outline(reading.quad, whole.outline.support)
            self._begin(outline, thumb, t).vote(reading)


def _presence(track: Track) -> Presence:
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
