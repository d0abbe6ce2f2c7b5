"""Watch a table over time: report the cards that lie there now, each read only until it is sure.

The result is a state, not a change: `see` returns all cards on the table, for every frame. Work is
spent only where the picture changed and has come to rest. A frame takes this way: `Motion` finds
what changed, with light and camera compensated; `Attention` decides which places to look at;
`Agenda` does a share of the work, looking for outlines and reading them; `Tracks` matches what was
found with the cards known; and each known card is reported as a `Presence`.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.film.agenda import STEPS, Agenda, Scene
from vision.film.association import Tracks
from vision.film.attention import PAUSE, WAITS, Attention, regions, touches
from vision.film.background import Background
from vision.film.motion import Change, Grid, KeptFrame, Motion
from vision.film.presence import Presence
from vision.film.searches import unexplained
from vision.film.track import follow_creeping
from vision.film.view import Drift, enlarged, is_still
from vision.library import Library, Margins
from vision.markers import Stickers
from vision.naming.response import Ink, InkSums
from vision.outline_reader import ANYWHERE
from vision.reader import Reader

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
        self._reader = Reader(library, margins, stickers, ANYWHERE)
        self._frame = np.empty((0, 0, 3), dtype=np.uint8)
        self._motion = Motion()
        self._background = Background()
        self._attention = Attention((0, 0))
        self._tracks = Tracks(self._reader)
        self._agenda = Agenda(self._reader, self._tracks, steps)
        self._lost_since: float | None = None
        self._drift = Drift()
        self._scene: Scene | None = None
        self.busy = False
        """Whether something moves on the table, or lies there unidentified."""

    @property
    def drift(self) -> tuple[float, float]:
        """How far the camera has moved since the start or the last `forget_drift`, in pixels of the
        frame."""
        return self._drift.of(self._frame)

    @property
    def identified(self) -> int:
        """Number of readings that have been started."""
        return self._agenda.readings.begun

    @property
    def ink(self) -> tuple[InkSums, ...]:
        """Measurements of how this camera shows the deck's ink, from clear cards, the newest
        last."""
        return self._agenda.readings.ink.says

    def remember(self, ink: Iterable[InkSums]) -> None:
        """Start with the ink measured earlier in the same evening, before it was interrupted."""
        self._agenda.readings.ink = Ink(ink)

    @property
    def followed(self) -> int:
        """Number of cards and other shapes that are followed."""
        return len(self._tracks.all)

    def forget_drift(self) -> None:
        """Reset the drift to zero, after the plane of the table was set again."""
        self._drift = Drift()

    def see(self, frame: NDArray[np.uint8], t_seconds: float) -> list[Presence]:
        """Process a BGR frame and return the cards that lie on the table now, in order of `id`."""
        change = self._motion.observe(frame)
        self._frame = frame
        now = KeptFrame(change, self._motion.factor, t_seconds)
        # the first frame, or one of another size: no place of the old frames means anything now
        if self._attention.shape != change.changed.shape:
            self._attention = Attention(change.changed.shape)
            self._tracks.all.clear()
            self._background = Background()
            self._agenda.drop()
            self._scan_all(now)
        elif not self._lost(change, now):
            now = self._carry(now)
            self._follow(now.change, now)
        self._agenda.readings.begin(frame, t_seconds)
        self._scene = Scene(frame, now, self._attention, self._background)
        self._agenda.work(self._scene)
        self._agenda.search(self._scene)
        self._note_busy(now)
        return self.lying

    @property
    def lying(self) -> list[Presence]:
        """The cards known to lie on the table, in order of `id`."""
        return [Presence.of(track, named) for track, named in self._tracks.told()]

    @property
    def begun(self) -> bool:
        """Whether work is in progress; `go_on` does more of it."""
        return bool(self._agenda)

    def go_on(self) -> bool:
        """Do one more step of some milliseconds, in time left before the next frame. Return whether
        that ended a piece of work, after which `lying` may report more."""
        if self._scene is None or not self._agenda:
            return False
        ended = self._agenda.go_on(self._scene)
        self._note_busy(self._scene.now)
        return ended

    def _note_busy(self, now: KeptFrame) -> None:
        self.busy = self._agenda.at_work or not bool(self._attention.at_rest(now.t).all())

    def _follow(self, change: Change, now: KeptFrame) -> None:
        """Record what moves and what rests, learn the bare table, and look at places where it is
        time to."""
        self._attention.moved(change.moving, now.t)
        at_rest = self._attention.at_rest(now.t)
        # a place to be looked at again may hold something unidentified: it is not table yet
        calm = ~change.changed & at_rest & ~self._attention.open
        # A place being searched may show part of a card: it is not learned as bare table.
        for place in self._agenda.places:
            calm &= ~place
        self._attention.settled(calm)
        self._background.learn(now.thumb, calm, self._tracks.opaque(now.t), now.factor, change.view)
        self._look(change.changed & at_rest, now)
        # a fresh change is worth more than another look at an old one
        if not self._agenda.looking:
            self._look_again(at_rest, now)
        self._agenda.note_still(now, self._attention)

    def _look(self, changed: Grid, now: KeptFrame) -> None:
        """Look for cards where something changed and came to rest."""
        for region in regions(changed):
            # something creeping changes in every frame, and would be looked at in every frame
            creeps = now.change.swaying or bool(now.change.moving[region].any())
            pause = PAUSE if creeps else 0.0
            if self._attention.rested_since(region, now.t, pause) and not self._agenda.meets(region):
                self._attention.look_later(region, now.t, WAITS)
                self._scan(region, now)

    def _look_again(self, at_rest: Grid, now: KeptFrame) -> None:
        """Look for cards again in a place where it is time to, if something there is
        unidentified."""
        while (later := self._attention.due(now.t, self._agenda.searched)) is not None:
            # where everything is explained by now, the look is skipped and the next place tried
            if unexplained(self._background, self._tracks, later.region, now).any() and bool(
                at_rest[later.region].all()
            ):
                for track in self._tracks.all:
                    if not track.sure and touches(track.quad, later.region, now.factor):
                        track.allow_more()
                if later.then:
                    self._attention.look_later(later.region, now.t, later.then)
                self._scan(later.region, now)
                return

    def _carry(self, now: KeptFrame) -> KeptFrame:
        """Map what is known to where the camera shows it now, and follow cards that creep."""
        change = now.change
        self._background.see(change.view, change.carried)
        if not is_still(change.step):
            self._drift.carry(enlarged(change.step, now.factor))
            self._tracks.carry(change.step, now.factor)
            self._agenda.carry(now)
        crept = follow_creeping(self._tracks.all, now)
        return now if crept is None else replace(now, change=self._motion.explain(change, crept))

    def _lost(self, change: Change, now: KeptFrame) -> bool:
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
            self._drift.lose()
            self._background = Background()
            self._motion.restart(now.thumb)
            self._agenda.drop()
            self._scan_all(now)
        return True

    def _scan_all(self, now: KeptFrame) -> None:
        everywhere = np.ones(self._attention.shape, dtype=np.bool_)
        # nothing of the bare table is known yet, so all of it seems strange: one more look is
        # enough
        self._attention.look_later(everywhere, now.t, WAITS[:1])
        self._scan(everywhere, now)

    def _scan(self, region: Grid, now: KeptFrame) -> None:
        """Start to look for cards in the blocks of `region`.

        The look is recorded first: a picture that cannot be searched then costs one frame, not all
        that follow.
        """
        self._motion.settle(now.change, region)
        self._attention.looked(region, now.t)
        self._agenda.look(self._frame, region, now)
