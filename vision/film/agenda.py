"""Share work among the frames of a video, so that no frame is held up.

Reading a card takes some fifteen steps of a few milliseconds each, and looking for outlines in a
whole picture forty; a frame leaves time for about seven. So each piece of work is a generator that
is advanced a few steps in each frame: `BlockSearches` look for outlines where something changed, an
`OcclusionSearch` looks for hidden cards, and `Readings` identify outlines. Each works on a copy of
the frame in which its place was at rest; its result is mapped to the newest frame at the end,
however the camera has moved since. `Agenda` decides which step comes next.
"""

from collections.abc import Generator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from vision.film.association import Tracks
from vision.film.attention import Attention, touches, without_specks
from vision.film.background import Background
from vision.film.motion import Grid, KeptFrame
from vision.film.searches import BlockSearch, BlockSearches, OcclusionSearch, unexplained
from vision.film.track import Track, mapped
from vision.film.view import Matrix, enlarged
from vision.first_sight import at_first_sight
from vision.geometry import Quad, transform
from vision.naming.response import Ink, InkSums
from vision.outline_reader import lying_within
from vision.outlines.covers import over
from vision.outlines.detect import Outline
from vision.outlines.shape import ends_at_edge
from vision.reader import Reader
from vision.reading import Reading
from vision.same_print import explained_part, verified

AROUND = 0.15
"""Margin kept round a card for a reading, as a part of its width and height; patches have a margin
of a tenth."""

NETWORK = 4
"""Number of small steps that take about as long as evaluating the network once (4 to 16 ms)."""

Work = Generator[int | None, None, list[Reading]]
"""A reading done in small steps of some milliseconds each; returns the readings. A step yields the
number of steps for which the next one counts, if that one is long."""


class Readings:
    """The readings in progress; `begun` counts all that were started.

    `ink`: how the camera shows the deck's ink, learned from clear readings.
    """

    def __init__(self, reader: Reader, tracks: Tracks) -> None:
        self._reader = reader
        self._tracks = tracks
        self.ink = Ink()
        self.begun = 0
        self._size = (0, 0)

    def begin(self, frame: NDArray[np.uint8], t: float) -> None:
        """Start a reading from this frame, of `t` seconds, for every card that lies still and needs
        one; a hand may cover it before the reading is done.

        No card is read twice from one frame: two readings that agree must come from two pictures.
        """
        self._size = (frame.shape[1], frame.shape[0])
        for track in self._tracks.all:
            if track.still and track.wants_reading and track.work is None and track.read_at != t:
                self._begin(track, frame, t, np.eye(3))

    def begin_new(self, look: BlockSearch) -> None:
        """Start readings from the frame of a look, in which its place was at rest, for the
        unidentified cards found there: they may be moving again."""
        t = look.began.t
        for track in self._tracks.all:
            if track.found_at == t != track.read_at and track.wants_reading and track.work is None:
                self._begin(track, look.picture, t, look.there)

    def _begin(self, track: Track, picture: NDArray[np.uint8], t: float, there: Matrix) -> None:
        """Start to read a card in a picture of `t` seconds; `there` maps its pixels to those of the
        newest frame."""
        self.begun += 1
        track.read_at = t
        # from the newest frame, because the cut-out picture ends within its own
        track.ends_at_edge = ends_at_edge(track.outline.quad, *self._size)
        outline = mapped(track.outline, np.asarray(np.linalg.inv(there), dtype=np.float64))
        # the cut-out begins at `corner`: from there on, all places are relative to it
        cut, corner = _cut(picture, outline)
        back = np.array([[1.0, 0, -corner[0]], [0, 1.0, -corner[1]], [0, 0, 1.0]])
        outline = mapped(outline, back)
        track.moved = there @ np.linalg.inv(back)
        # first with the ink as the camera shows it: only such a reading can be measured for `ink`
        response = self.ink.response if track.nearly and not track.depth else None
        track.inked = response is not None
        track.sideways = track.may_stand and self._reader.seen_aslant(self._tracks.sure())
        if track.depth:
            covers = [quad - corner for quad in self._tracks.covers(track)]
            track.work = self._reader.judging_part(cut, outline.quad, covers, explained_part)
        elif track.sideways:
            standing = self._reader.judging_sideways(cut, outline.quad, response)
            track.work = self._verifying(track, cut, standing)
        else:
            judging = self._reader.judging(partial(_same, cut), outline, response=response)
            track.work = self._verifying(track, cut, judging)

    def _verifying(self, track: Track, cut: NDArray[np.uint8], reading: Work) -> Work:
        """Read in a cut-out picture, then compare the result with the print of its design and with
        any pack's cards: once each, in steps of their own.

        The print is not compared where cards overlap: a card on top would count against the one
        below.
        """
        readings = yield from reading
        if track.ends_at_edge:
            # cut off by the edge, a card of three signs looks like one of two, in each frame again
            # cut off by it, a card of three signs is one of two, in each frame anew
            readings = [lying_within(one) for one in readings]
        if any(one.evidence is not None for one in readings):
            yield NETWORK
        if over(track.quad, [other.quad for other in self._tracks.cards() if other is not track]):
            readings = [replace(one, evidence=None) for one in readings]
        else:
            readings = verified(readings)
        if self._reader.library.unseen:
            yield NETWORK
        return [at_first_sight(cut, one, self._reader.library) for one in readings]

    @property
    def waiting(self) -> bool:
        """Whether a reading was started and has not ended."""
        return any(track.work is not None for track in self._tracks.all)

    def next(self) -> Track | None:
        """Return the card whose reading goes on next: the one with the least work done, of those
        the likeliest outline."""
        waiting = [track for track in self._tracks.all if track.work is not None]
        return min(waiting, key=lambda track: (track.turn, self._reader.oddness(track.outline)), default=None)

    @property
    def long(self) -> int:
        """Number of small steps for which the next step counts."""
        track = self.next()
        return 1 if track is None else track.long

    def go_on(self, track: Track, now: KeptFrame) -> bool:
        """Do one step of a card's reading and apply the result of the last one. Return whether it
        was the last."""
        assert track.work is not None
        try:
            track.long = next(track.work) or 1
            track.spent += 1
        except StopIteration as end:
            readings = [replace(r, quad=transform(track.moved, r.quad)) for r in end.value]
            # a reading that assumed the camera's ink must not overturn a clear one without it
            if track.inked:
                readings = [track.believed(reading) for reading in readings]
            elif not track.sideways and len(readings) == 1 and readings[0].told is not None:
                self._hear(track.id, readings[0].told)
            track.put_down()
            if track.sideways and not track.doubt:
                track.stand(readings[0])
            else:
                self._tracks.take_in(track, readings, now)
            return True
        except Exception:
            # A card whose reading failed is not read again and again: the failure counts as a vote
            # for no design, and the frame as bad.
            track.put_down()
            self._tracks.take_in(track, [Reading(None, False, 0.0, track.quad)], now)
            raise
        return False

    def _hear(self, card: int, told: InkSums) -> None:
        """Learn from a clear card how the camera shows ink; cards that were read in vain before
        that was known are read again."""
        # until enough clear cards are known there is no response, and nothing to read again
        ignorant = self.ink.response is None
        self.ink.hear(card, told)
        if ignorant and self.ink.response is not None:
            for track in self._tracks.all:
                if track.nearly:
                    track.allow_more()


def _same(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the picture as it is: the reader expects a function that fetches it."""
    return picture


def _cut(frame: NDArray[np.uint8], outline: Outline) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Copy the part of a frame that an outline's readings need, and return its top left corner; a
    reading in progress then keeps no whole frame."""
    corners = np.concatenate(_quads(outline))
    low, high = corners.min(axis=0), corners.max(axis=0)
    around = AROUND * (high - low) + 8
    size = np.array(frame.shape[1::-1])
    left, top = np.clip(low - around, 0, size - 1).astype(int)
    right, bottom = np.clip(high + around, 1, size).astype(int)
    return frame[top:bottom, left:right].copy(), np.array([left, top], dtype=np.float32)


def _quads(outline: Outline) -> list[Quad]:
    """Return the quads of an outline, its alternatives, and all outlines inside it."""
    return [
        outline.quad,
        *outline.alternatives,
        *(quad for inside in outline.inside for quad in _quads(inside)),
    ]


STEPS = 7
"""Steps of work in one frame, two to five milliseconds each; reading one card takes some fifteen, a
first look at 1080p forty."""


@dataclass(frozen=True, eq=False)
class Scene:
    """The newest frame, its time, and the state of the table up to it."""

    frame: NDArray[np.uint8]
    now: KeptFrame
    attention: Attention
    background: Background


class Agenda:
    """The work in progress. `steps` limits how much is done in one frame, and so the time that
    takes; work started in one frame goes on in the next."""

    def __init__(self, reader: Reader, tracks: Tracks, steps: int) -> None:
        self.readings = Readings(reader, tracks)
        self._reader, self._tracks, self._steps = reader, tracks, steps
        self._looks = BlockSearches()
        self._search: OcclusionSearch | None = None
        self._looked = False

    def __bool__(self) -> bool:
        return bool(self._looks) or self._to_read

    @property
    def looking(self) -> bool:
        """Whether some place is being looked at for outlines."""
        return bool(self._looks)

    @property
    def at_work(self) -> bool:
        """Whether a place is looked at or searched, or some card needs to be read."""
        wanted = any(track.wants_reading for track in self._tracks.all)
        return self.looking or self._search is not None or wanted

    @property
    def searched(self) -> Grid | None:
        """The place that is searched for hidden cards, or None."""
        return None if self._search is None else self._search.region

    @property
    def places(self) -> list[Grid]:
        """All places that are looked at or searched."""
        return [*self._looks.regions, *([] if self._search is None else [self._search.region])]

    def meets(self, region: Grid) -> bool:
        """Check whether any part of a region is being looked at."""
        return self._looks.meet(region)

    def drop(self) -> None:
        """Drop all work in progress: the camera shows another table."""
        self._looks, self._search = BlockSearches(), None

    def carry(self, now: KeptFrame) -> None:
        """Move the places of the work in progress with the camera, to where the newest frame shows
        them."""
        self._looks.carry(now.change.step)
        if self._search is not None:
            self._search.carry(enlarged(now.change.step, now.factor))

    def look(self, frame: NDArray[np.uint8], region: Grid, now: KeptFrame) -> None:
        """Start to look for outlines in a region of the newest frame; a search for hidden cards
        there is dropped and starts again afterwards."""
        if self._search is not None and bool((self._search.region & region).any()):
            self._search = None
        self._looks.begin(frame, region, self._tracks, now)

    def search(self, scene: Scene) -> None:
        """Start to search this frame for cards hidden under others, where the fully visible cards
        have been read."""
        if self.looking or self._search is not None or not self._tracks.sure():
            return
        attention, now = scene.attention, scene.now
        for region in attention.for_parts(now.t):
            there = [t for t in self._tracks.all if touches(t.quad, region, now.factor)]
            # its cards are explained first: a card in doubt could be the reason for what looks
            # strange
            if any(track.doubt or not track.votes for track in there):
                continue
            strange = unexplained(scene.background, self._tracks, region, now)
            if strange.any():
                self._search = OcclusionSearch(self._reader, scene.frame, self._tracks, region, strange, now)
                attention.search(region, self._search.blocks)
                return
            attention.search(region)

    def note_still(self, now: KeptFrame, attention: Attention) -> None:
        """Mark each card as still unless something moves on it, or has changed there and is being
        looked at; specks are ignored."""
        restless = without_specks(now.change.changed | ~attention.at_rest(now.t))
        for region in self._looks.regions:
            restless |= region
        for track in self._tracks.all:
            track.still = not touches(track.quad, restless, now.factor)

    def work(self, scene: Scene) -> None:
        """Do the work of one frame: looks first in one frame, readings and searches first in the
        next, so that neither waits for the other."""
        # turns change only while both kinds of work wait
        self._looked = self.looking and not (self._looked and self._to_read)
        left: float = self._steps
        while left > 0 and self:
            look = self.looking and (self._looked or not self._to_read)
            cost = self._looks.cost if look else self.readings.long
            # a step too long for the rest of this frame waits for the next, where it may come first
            if cost > left and left < self._steps:
                return
            left -= cost
            if look:
                self._look_on(scene)
            else:
                self._read_on(scene)

    def go_on(self, scene: Scene) -> bool:
        """Do one more step, in the time left before the next frame. Return whether that ended a
        piece of work: more may be known then."""
        return self._look_on(scene) if self.looking else self._read_on(scene)

    @property
    def _to_read(self) -> bool:
        return self._search is not None or self.readings.waiting

    def _look_on(self, scene: Scene) -> bool:
        """Do one step of a look. Return whether that ended it."""
        look = self._looks.step(self._tracks, scene.background)
        if look is None:
            return False
        scene.attention.seek_parts(look.region)
        self.readings.begin_new(look)
        if look.began.t < scene.now.t:  # everything that changed in its own frame is known by now
            self.note_still(scene.now, scene.attention)
        self.readings.begin(scene.frame, scene.now.t)
        return True

    def _read_on(self, scene: Scene) -> bool:
        """Do one step of reading: first cards not read yet, then a search for hidden ones, then
        further readings. Return whether that ended one."""
        track = self.readings.next()
        if self._search is not None and (track is None or track.votes):
            return self._search_on(self._search, scene)
        if track is None or not self.readings.go_on(track, scene.now):
            return False
        # cards read from an earlier frame may need a second reading, from this one
        self.readings.begin(scene.frame, scene.now.t)
        return True

    def _search_on(self, search: OcclusionSearch, scene: Scene) -> bool:
        try:
            found = search.step()
        # it would fail in the same way in each frame
        except Exception:
            self._search = None
            raise
        if found is None:
            return False
        self._search = None
        if self._tracks.add_parts(found, search.began if search.still else scene.now):
            # the cards found show what is hidden of the next ones
            scene.attention.settled(search.blocks)
            scene.attention.seek_parts(search.region)
        return True
