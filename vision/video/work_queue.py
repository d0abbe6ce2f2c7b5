"""Share work among the frames of a video, so that no frame is held up.

Reading a card takes some fifteen steps of a few milliseconds each, and looking for outlines in a
whole picture forty; a frame leaves time for about seven. So each piece of work is a generator that
is advanced a few steps in each frame: `RegionSearchQueue` look for outlines where something
changed, an `SecondLook` looks for hidden cards, and `ReadingQueue` identify outlines. Each
works on a copy of the frame in which its place was at rest; its result is mapped to the newest
frame at the end, however the camera has moved since. `WorkQueue` decides which step comes next.
"""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from vision.geometry import Quad, transform_points
from vision.naming.ink_response import InkHistory, InkSums, Response
from vision.outline_reader import reject_if_off_outline
from vision.outlines.covers import find_covers
from vision.outlines.detect import Outline
from vision.outlines.shape import touches_picture_edge
from vision.picture_faults import PictureFault
from vision.print_check import verify_prints_in_steps
from vision.reader import Reader
from vision.reading import Reading
from vision.steps import Steps
from vision.unenrolled_cards import name_whole_card_in_steps
from vision.video.association import Tracks
from vision.video.background import Background
from vision.video.motion import FrameRecord, Grid
from vision.video.region_schedule import RegionSchedule, quad_touches_grid, remove_specks
from vision.video.searches import RegionSearch, RegionSearchQueue, SecondLook, find_unexplained_pixels
from vision.video.track import Track, transform_outline
from vision.video.view_transform import Matrix, scale_view

AROUND = 0.15
"""Margin kept round a card for a reading, as a part of its width and height; patches have a margin
of a tenth."""


class ReadingQueue:
    """The readings in progress; `begun` counts all that were started.

    `ink`: how the camera shows the deck's ink, learned from clear readings.
    """

    def __init__(self, reader: Reader, tracks: Tracks) -> None:
        self._reader = reader
        self._tracks = tracks
        self.ink = InkHistory()
        self.begun = 0
        self._size = (0, 0)

    def queue_stable_cards(self, frame: NDArray[np.uint8], t: float) -> None:
        """Start a reading from this frame, of `t` seconds, for every card that lies still and needs
        one; a hand may cover it before the reading is done.

        No card is read twice from one frame: two readings that agree must come from two pictures.
        """
        self._size = (frame.shape[1], frame.shape[0])
        for track in self._tracks.all:
            if track.still and track.needs_reading and track.work is None and track.read_at != t:
                self._start_reading(track, frame, t, np.eye(3))

    def queue_found_cards(self, search: RegionSearch) -> None:
        """Start readings from the frame of a look, in which its place was at rest, for the
        unidentified cards found there: they may be moving again."""
        t = search.began.t
        for track in self._tracks.all:
            if track.found_at == t != track.read_at and track.needs_reading and track.work is None:
                self._start_reading(track, search.picture, t, search.to_newest)

    def _start_reading(self, track: Track, picture: NDArray[np.uint8], t: float, to_newest: Matrix) -> None:
        """Start to read a card in a picture of `t` seconds; `to_newest` maps its pixels to those of
        the newest frame."""
        self.begun += 1
        track.read_at = t
        # from the newest frame, because the cut-out picture ends within its own
        track.ends_at_edge = touches_picture_edge(track.outline.quad, *self._size)
        outline = transform_outline(track.outline, np.asarray(np.linalg.inv(to_newest), dtype=np.float64))
        # the cut-out begins at `corner`: from there on, all places are relative to it
        cut, corner = _crop_outline(picture, outline)
        back = np.array([[1.0, 0, -corner[0]], [0, 1.0, -corner[1]], [0, 0, 1.0]])
        outline = transform_outline(outline, back)
        track.moved = to_newest @ np.linalg.inv(back)
        # first with the ink as the camera shows it: only such a reading can be measured for `ink`
        response = self._find_response(track)
        track.inked = response is not None
        track.sideways = track.needs_sideways_reading and self._reader.may_be_slanted(
            self._tracks.list_sure_quads()
        )
        if track.depth:
            covers = [quad - corner for quad in self._tracks.list_covers(track)]
            track.work = self._reader.read_part_in_steps(cut, outline.quad, covers)
        elif track.sideways:
            standing = self._reader.read_sideways_in_steps(cut, outline.quad, response)
            track.work = self._read_and_verify(track, cut, standing)
        else:
            judging = self._reader.read_outline_in_steps(
                partial(_supply_picture, cut), outline, response=response
            )
            track.work = self._read_and_verify(track, cut, judging)

    def _find_response(self, track: Track) -> Response | None:
        """Return how the camera shows the deck's ink, if a card is to be read with that."""
        if self._reader.library.is_colourless or track.depth or not track.has_near_match:
            return None
        return self.ink.response

    def _read_and_verify(
        self, track: Track, crop: NDArray[np.uint8], reading: Steps[list[Reading]]
    ) -> Steps[list[Reading]]:
        """Read in a cut-out picture, then compare the result with the print of its design and with
        any pack's cards: once each, in steps of their own.

        The print is not compared where cards overlap: a card on top would count against the one
        below.
        """
        readings = yield from reading
        if track.ends_at_edge:
            # cut off by the edge, a card of three signs looks like one of two, in each frame again
            readings = [reject_if_off_outline(one) for one in readings]
        if find_covers(track.quad, [other.quad for other in self._tracks.list_cards() if other is not track]):
            # by its colours alone no card is sure that has none
            demoted = self._reader.library.is_colourless
            readings = [replace(one, evidence=None, sure=one.sure and not demoted) for one in readings]
        else:
            readings = yield from verify_prints_in_steps(readings)
        named = []
        for one in readings:
            named.append((yield from name_whole_card_in_steps(crop, one, self._reader.library)))
        return named

    @property
    def has_pending(self) -> bool:
        """Whether a reading was started and has not ended."""
        return any(track.work is not None for track in self._tracks.all)

    def select_next_track(self) -> Track | None:
        """Return the card whose reading goes on next: the one with the least work done, of those
        the likeliest outline."""
        waiting = [track for track in self._tracks.all if track.work is not None]
        return min(
            waiting,
            key=lambda track: (track.reading_effort, self._reader.shape_deviation(track.outline)),
            default=None,
        )

    def continue_reading(self, track: Track, now: FrameRecord) -> bool:
        """Do one step of a card's reading and apply the result of the last one. Return whether it
        was the last."""
        assert track.work is not None
        try:
            track.long = next(track.work) or 1
            track.spent += 1
        except StopIteration as end:
            readings = [replace(r, quad=transform_points(track.moved, r.quad)) for r in end.value]
            # a reading that assumed the camera's ink must not overturn a clear one without it
            if track.inked:
                readings = [track.check_against_clear_votes(reading) for reading in readings]
            elif not track.sideways and len(readings) == 1 and readings[0].ink is not None:
                self._learn_ink(track.id, readings[0].ink)
            track.cancel_reading()
            if track.sideways and not track.doubt:
                track.add_sideways_reading(readings[0])
            else:
                self._tracks.add_readings(track, readings, now)
            return True
        except Exception:
            # A card whose reading failed is not read again and again: the failure counts as a vote
            # for no design, and the frame as bad.
            track.cancel_reading()
            self._tracks.add_readings(track, [Reading(None, False, 0.0, track.quad)], now)
            raise
        return False

    def _learn_ink(self, card: int, ink: InkSums) -> None:
        """Learn from a clear card how the camera shows ink; cards that were read in vain before
        that was known are read again."""
        # grey ink says nothing of how the camera shows colours
        if self._reader.library.is_colourless:
            return
        # until enough clear cards are known there is no response, and nothing to read again
        ignorant = self.ink.response is None
        self.ink.record_card(card, ink)
        if ignorant and self.ink.response is not None:
            for track in self._tracks.all:
                if track.has_near_match:
                    track.allow_rereading()


def _supply_picture(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the picture as it is: the reader expects a function that fetches it."""
    return picture


def _crop_outline(
    frame: NDArray[np.uint8], outline: Outline
) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Copy the part of a frame that an outline's readings need, and return its top left corner; a
    reading in progress then keeps no whole frame."""
    corners = np.concatenate(_collect_quads(outline))
    low, high = corners.min(axis=0), corners.max(axis=0)
    around = AROUND * (high - low) + 8
    size = np.array(frame.shape[1::-1])
    left, top = np.clip(low - around, 0, size - 1).astype(int)
    right, bottom = np.clip(high + around, 1, size).astype(int)
    return frame[top:bottom, left:right].copy(), np.array([left, top], dtype=np.float32)


def _collect_quads(outline: Outline) -> list[Quad]:
    """Return the quads of an outline, its alternatives, and all outlines inside it."""
    return [
        outline.quad,
        *outline.alternatives,
        *(quad for inside in outline.inside for quad in _collect_quads(inside)),
    ]


STEPS = 7
"""Steps of work in one frame, two to five milliseconds each; reading one card takes some fifteen, a
first look at 1080p forty."""


@dataclass(frozen=True, eq=False)
class FrameScene:
    """The newest frame, its time, and the state of the table up to it."""

    frame: NDArray[np.uint8]
    now: FrameRecord
    attention: RegionSchedule
    background: Background


class WorkQueue:
    """The work in progress. `steps` limits how much is done in one frame, and so the time that
    takes; work started in one frame goes on in the next. `distortion`: how the camera distorts the
    picture, as cards showed that are of the deck only then."""

    def __init__(self, reader: Reader, tracks: Tracks, steps: int) -> None:
        self.readings = ReadingQueue(reader, tracks)
        self._reader, self._tracks, self._steps = reader, tracks, steps
        self._looks = RegionSearchQueue()
        self._search: SecondLook | None = None
        self._probe: Steps[PictureFault | None] | None = None
        self.distortion: PictureFault | None = None
        self._looked = False

    def __bool__(self) -> bool:
        return bool(self._looks) or self._has_pending_reads

    @property
    def is_searching_outlines(self) -> bool:
        """Whether some place is being looked at for outlines."""
        return bool(self._looks)

    @property
    def has_work(self) -> bool:
        """Whether a place is looked at or searched, or some card needs to be read."""
        wanted = any(track.needs_reading for track in self._tracks.all)
        return self.is_searching_outlines or self._search is not None or wanted

    @property
    def second_look_region(self) -> Grid | None:
        """The place that is searched for hidden cards, or None."""
        return None if self._search is None else self._search.region

    @property
    def active_regions(self) -> list[Grid]:
        """All places that are looked at or searched."""
        return [*self._looks.regions, *([] if self._search is None else [self._search.region])]

    def overlaps_search(self, region: Grid) -> bool:
        """Check whether any part of a region is being looked at."""
        return self._looks.overlaps_search(region)

    def clear(self) -> None:
        """Drop all work in progress: the camera shows another table."""
        self._looks, self._search, self._probe = RegionSearchQueue(), None, None

    def apply_camera_motion(self, now: FrameRecord) -> None:
        """Move the places of the work in progress with the camera, to where the newest frame shows
        them."""
        self._looks.apply_camera_motion(now.change.step)
        if self._search is not None:
            self._search.apply_camera_motion(scale_view(now.change.step, now.factor))

    def start_outline_search(self, frame: NDArray[np.uint8], region: Grid, now: FrameRecord) -> None:
        """Start to look for outlines in a region of the newest frame; a search for hidden cards
        there is dropped and starts again afterwards."""
        if self._search is not None and bool((self._search.region & region).any()):
            self._search = None
        self._looks.start_search(frame, region, self._tracks, now)

    def start_second_look(self, scene: FrameScene) -> None:
        """Start to look at a part of this frame as at a photograph, where something stays that the
        cards read so far do not explain."""
        if self.is_searching_outlines or self._search is not None:
            return
        attention, now = scene.attention, scene.now
        for region in attention.list_second_look_regions(now.t):
            there = [t for t in self._tracks.all if quad_touches_grid(t.quad, region, now.factor)]
            # its cards are explained first: a card in doubt could be the reason for what looks
            # strange
            if any(track.doubt or not track.votes for track in there):
                continue
            strange = find_unexplained_pixels(
                scene.background, self._tracks, region, now, attention.is_new_to_second_looks(region)
            )
            if strange.any():
                self._search = SecondLook(self._reader, scene.frame, self._tracks, region, strange, now)
                attention.mark_second_look(region, self._search.blocks)
                return
            attention.mark_second_look(region)

    def start_distortion_probe(self, frame: NDArray[np.uint8]) -> None:
        """Start to compare a card with the deck as a distorted picture would show it, once for each
        card, while everything was read and most cards are not sure."""
        cards = self._tracks.list_cards()
        # some cards are the same in a mirror
        if 2 * sum(track.is_sure for track in cards) > len(cards):
            self.distortion = None
        elif not self:
            for track in cards:
                if track.still and not track.is_sure and not track.probed and track.readings > 1:
                    track.probed = True
                    crop, corner = _crop_outline(frame, Outline(track.quad, 0.0))
                    self._probe = self._reader.find_distortion_in_steps(crop, track.quad - corner)
                    return

    def update_still_flags(self, now: FrameRecord, attention: RegionSchedule) -> None:
        """Mark each card as still unless something moves on it, or has changed there and is being
        looked at; specks are ignored."""
        restless = remove_specks(now.change.changed | ~attention.find_resting_blocks(now.t))
        for region in self._looks.regions:
            restless |= region
        for track in self._tracks.all:
            track.still = not quad_touches_grid(track.quad, restless, now.factor)

    def process_frame_share(self, scene: FrameScene) -> None:
        """Do the work of one frame: looks first in one frame, readings and searches first in the
        next, so that neither waits for the other."""
        # turns change only while both kinds of work wait
        self._looked = self.is_searching_outlines and not (self._looked and self._has_pending_reads)
        left: float = self._steps
        while left > 0 and self:
            look = self.is_searching_outlines and (self._looked or not self._has_pending_reads)
            cost = self._looks.next_step_cost if look else self._next_reading_cost
            # a step too long for the rest of this frame waits for the next, where it may come first
            if cost > left and left < self._steps:
                return
            left -= cost
            if look:
                self._continue_outline_search(scene)
            else:
                self._continue_reading(scene)

    def run_step(self, scene: FrameScene) -> bool:
        """Do one more step, in the time left before the next frame. Return whether that ended a
        piece of work: more may be known then."""
        return (
            self._continue_outline_search(scene)
            if self.is_searching_outlines
            else self._continue_reading(scene)
        )

    @property
    def _has_pending_reads(self) -> bool:
        return self._search is not None or self._probe is not None or self.readings.has_pending

    @property
    def _next_reading_cost(self) -> int:
        """Number of small steps for which the next step of a reading or of a second look counts."""
        track = self.readings.select_next_track()
        if track is None or self._must_wait(track):
            return 1 if self._search is None else self._search.long
        return track.long

    def _must_wait(self, track: Track) -> bool:
        """Check whether a card waits for a second look, which comes after the first reading of
        every card only, because it is dear."""
        return self._search is not None and bool(track.votes)

    def _continue_outline_search(self, scene: FrameScene) -> bool:
        """Do one step of a look. Return whether that ended it."""
        look = self._looks.run_step(self._tracks, scene.background)
        if look is None:
            return False
        scene.attention.schedule_second_look(look.region)
        self.readings.queue_found_cards(look)
        if look.began.t < scene.now.t:  # everything that changed in its own frame is known by now
            self.update_still_flags(scene.now, scene.attention)
        self.readings.queue_stable_cards(scene.frame, scene.now.t)
        return True

    def _continue_reading(self, scene: FrameScene) -> bool:
        """Do one step of reading: first cards not read yet, then a search for hidden ones, then
        further readings. Return whether that ended one."""
        track = self.readings.select_next_track()
        if self._search is not None and (track is None or self._must_wait(track)):
            return self._continue_second_look(self._search, scene)
        if track is None:
            self._continue_probe()
            return False
        if not self.readings.continue_reading(track, scene.now):
            return False
        # cards read from an earlier frame may need a second reading, from this one
        self.readings.queue_stable_cards(scene.frame, scene.now.t)
        return True

    def _continue_probe(self) -> None:
        if self._probe is None:
            return
        try:
            next(self._probe)
        except StopIteration as end:
            self._probe, self.distortion = None, end.value or self.distortion
        # it would fail in the same way in each frame
        except Exception:
            self._probe = None
            raise

    def _continue_second_look(self, search: SecondLook, scene: FrameScene) -> bool:
        try:
            found = search.run_step()
        # it would fail in the same way in each frame
        except Exception:
            self._search = None
            raise
        if found is None:
            return False
        self._search = None
        if self._tracks.add_found_cards(found, search.began if search.is_camera_still else scene.now):
            # the cards found show what is hidden of the next ones
            scene.attention.clear_failed_searches(search.blocks)
            scene.attention.schedule_second_look(search.region)
        return True
