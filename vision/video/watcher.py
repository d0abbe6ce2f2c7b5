"""Watch a table over time: report the cards that lie there now, each read only until it is sure.

The result is a state, not a change: `update` returns all cards on the table, for every frame. Work
is spent only where the picture changed and has come to rest. A frame takes this way:
`MotionDetector` finds what changed, with light and camera compensated; `RegionSchedule` decides
which places to look at; `WorkQueue` does a share of the work, looking for outlines and reading
them; `Tracks` matches what was found with the cards known; and each known card is reported as a
`Presence`.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.library import Library, Margins
from vision.markers import Stickers
from vision.naming.ink_response import InkHistory, InkSums
from vision.outline_reader import ANYWHERE
from vision.picture_faults import PictureFault, find_picture_fault, is_colourless
from vision.reader import Reader
from vision.video.association import Tracks
from vision.video.background import Background
from vision.video.motion import FrameChange, FrameRecord, Grid, MotionDetector
from vision.video.presence import Presence
from vision.video.region_schedule import (
    LOOK_DELAYS,
    PAUSE,
    RegionSchedule,
    quad_touches_grid,
    split_into_regions,
)
from vision.video.searches import find_unexplained_pixels
from vision.video.track import track_creeping_cards
from vision.video.view_transform import Drift, is_identity, scale_view
from vision.video.work_queue import STEPS, FrameScene, WorkQueue

MOVED_ON = 1.0
"""Seconds after which a camera that has moved counts as staying there."""


class Watcher:
    """Follows the cards on a table through a video.

    `steps` limits the work of looking and reading in one call, and so the time a call may take;
    work in progress goes on in the next call.
    """

    def __init__(
        self,
        library: Library,
        margins: Margins | None = None,
        steps: int = STEPS,
        stickers: Stickers | None = None,
    ) -> None:
        self._library = library
        self._reader = Reader(library, margins, stickers, ANYWHERE)
        self._frame = np.empty((0, 0, 3), dtype=np.uint8)
        self._motion = MotionDetector()
        self._background = Background()
        self._attention = RegionSchedule((0, 0))
        self._tracks = Tracks(self._reader)
        self._agenda = WorkQueue(self._reader, self._tracks, steps)
        self._lost_since: float | None = None
        self._drift = Drift()
        self._scene: FrameScene | None = None
        self.busy = False
        """Whether something moves on the table, or lies there unidentified."""

    @property
    def drift(self) -> tuple[float, float]:
        """How far the camera has moved since the start or the last `reset_drift`, in pixels of the
        frame."""
        return self._drift.centre_offset(self._frame)

    @property
    def readings_started(self) -> int:
        """Number of readings that have been started."""
        return self._agenda.readings.begun

    @property
    def ink(self) -> tuple[InkSums, ...]:
        """Measurements of how this camera shows the deck's ink, from clear cards, the newest
        last."""
        return self._agenda.readings.ink.says

    def restore_ink(self, ink: Iterable[InkSums]) -> None:
        """Start with the ink measured earlier in the same evening, before it was interrupted."""
        self._agenda.readings.ink = InkHistory(ink)

    @property
    def track_count(self) -> int:
        """Number of cards and other shapes that are followed."""
        return len(self._tracks.all)

    def reset_drift(self) -> None:
        """Reset the drift to zero, after the plane of the table was set again."""
        self._drift = Drift()

    def update(self, frame: NDArray[np.uint8], t_seconds: float) -> list[Presence]:
        """Process a BGR frame and return the cards that lie on the table now, in order of `id`."""
        change = self._motion.detect_change(frame)
        self._frame = frame
        colourless = is_colourless(self._motion.block_colours)
        self._reader.library = self._library.without_colour if colourless else self._library
        now = FrameRecord(change, self._motion.factor, t_seconds)
        # the first frame, or one of another size: no place of the old frames means anything now
        if self._attention.shape != change.changed.shape:
            self._attention = RegionSchedule(change.changed.shape)
            self._tracks.all.clear()
            self._background = Background()
            self._agenda.clear()
            self._search_everywhere(now)
        elif not self._is_different_table(change, now):
            now = self._apply_camera_motion(now)
            self._process_change(now.change, now)
        self._agenda.readings.queue_stable_cards(frame, t_seconds)
        self._scene = FrameScene(frame, now, self._attention, self._background)
        self._agenda.process_frame_share(self._scene)
        self._agenda.start_second_look(self._scene)
        self._agenda.start_distortion_probe(frame)
        self._update_busy(now)
        return self.visible_cards

    @property
    def picture_fault(self) -> PictureFault | None:
        """What is wrong with the whole picture, as the newest frame and the cards read so far show
        it. Takes some milliseconds; None before the first frame."""
        return (find_picture_fault(self._frame) if self._frame.size else None) or self._agenda.distortion

    @property
    def visible_cards(self) -> list[Presence]:
        """The cards known to lie on the table, in order of `id`."""
        return [Presence.from_track(track, named) for track, named in self._tracks.resolve_readings()]

    @property
    def has_pending_work(self) -> bool:
        """Whether work is in progress; `run_step` does more of it."""
        return bool(self._agenda)

    def run_step(self) -> bool:
        """Do one more step of some milliseconds, in time left before the next frame. Return whether
        that ended a piece of work, after which `visible_cards` may report more."""
        if self._scene is None or not self._agenda:
            return False
        ended = self._agenda.run_step(self._scene)
        self._update_busy(self._scene.now)
        return ended

    def _update_busy(self, now: FrameRecord) -> None:
        self.busy = self._agenda.has_work or not bool(self._attention.find_resting_blocks(now.t).all())

    def _process_change(self, change: FrameChange, now: FrameRecord) -> None:
        """Record what moves and what rests, learn the bare table, and look at places where it is
        time to."""
        self._attention.record_motion(change.moving, now.t)
        at_rest = self._attention.find_resting_blocks(now.t)
        # a place to be looked at again may hold something unidentified: it is not table yet
        calm = ~change.changed & at_rest & ~self._attention.pending_blocks
        # A place being searched may show part of a card: it is not learned as bare table.
        for place in self._agenda.active_regions:
            calm &= ~place
        self._attention.clear_failed_searches(calm)
        self._background.learn_frame(
            now.thumb, calm, self._tracks.list_opaque_quads(now.t), now.factor, change.view
        )
        self._search_changed_regions(change.changed & at_rest, now)
        # a fresh change is worth more than another look at an old one
        if not self._agenda.is_searching_outlines:
            self._search_due_region(at_rest, now)
        self._agenda.update_still_flags(now, self._attention)

    def _search_changed_regions(self, changed: Grid, now: FrameRecord) -> None:
        """Look for cards where something changed and came to rest."""
        for region in split_into_regions(changed):
            # something creeping changes in every frame, and would be looked at in every frame
            creeps = now.change.swaying or bool(now.change.moving[region].any())
            pause = PAUSE if creeps else 0.0
            if self._attention.is_look_older_than(region, now.t, pause) and not self._agenda.overlaps_search(
                region
            ):
                self._attention.schedule_look(region, now.t, LOOK_DELAYS)
                self._search_region(region, now)

    def _search_due_region(self, resting: Grid, now: FrameRecord) -> None:
        """Look for cards again in a place where it is time to, if something there is
        unidentified."""
        while (later := self._attention.pop_due_look(now.t, self._agenda.second_look_region)) is not None:
            # where everything is explained by now, the look is skipped and the next place tried
            if find_unexplained_pixels(self._background, self._tracks, later.region, now).any() and bool(
                resting[later.region].all()
            ):
                for track in self._tracks.all:
                    if not track.is_sure and quad_touches_grid(track.quad, later.region, now.factor):
                        track.allow_rereading()
                if later.then:
                    self._attention.schedule_look(later.region, now.t, later.then)
                self._search_region(later.region, now)
                return

    def _apply_camera_motion(self, now: FrameRecord) -> FrameRecord:
        """Map what is known to where the camera shows it now, and follow cards that creep."""
        change = now.change
        self._background.update_view(change.view, change.carried)
        if not is_identity(change.step):
            self._drift.add_motion(scale_view(change.step, now.factor))
            self._tracks.apply_camera_motion(change.step, now.factor)
            self._agenda.apply_camera_motion(now)
        crept = track_creeping_cards(self._tracks.all, now)
        return now if crept is None else replace(now, change=self._motion.mark_explained(change, crept))

    def _is_different_table(self, change: FrameChange, now: FrameRecord) -> bool:
        """Check whether the frame shows another table than the one before; if it stays so, look at
        everything again."""
        # a hand before the lens, or a lamp switched off, also changes nearly everything, for a
        # moment
        if not change.upheaval:
            self._lost_since = None
            return False
        if self._lost_since is None:
            self._lost_since = now.t
        if now.t - self._lost_since >= MOVED_ON:
            self._lost_since = None
            self._drift.mark_lost()
            self._background = Background()
            self._motion.reset_background(now.thumb)
            self._agenda.clear()
            self._search_everywhere(now)
        return True

    def _search_everywhere(self, now: FrameRecord) -> None:
        everywhere = np.ones(self._attention.shape, dtype=np.bool_)
        # nothing of the bare table is known yet, so all of it seems strange: one more look is
        # enough
        self._attention.schedule_look(everywhere, now.t, LOOK_DELAYS[:1])
        self._search_region(everywhere, now)

    def _search_region(self, region: Grid, now: FrameRecord) -> None:
        """Start to look for cards in the blocks of `region`.

        The look is recorded first: a picture that cannot be searched then costs one frame, not all
        that follow.
        """
        self._motion.settle_blocks(now.change, region)
        self._attention.record_look(region, now.t)
        self._agenda.start_outline_search(self._frame, region, now)
