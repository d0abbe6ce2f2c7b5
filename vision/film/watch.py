"""Watching a table over time: which cards lie there now, each named once and then left alone.

The answer is a level, not an edge: `see` returns all cards that lie on the table, in every frame.
Work is spent only where the picture changed and has come to rest.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.film import creeping
from vision.film.association import Tracks
from vision.film.attention import PAUSE, WAITS, Attention, regions, touches, without_specks
from vision.film.background import Background
from vision.film.drift import Drift
from vision.film.look import Looks
from vision.film.motion import Change, Grid, Moment, Motion
from vision.film.occlusion_search import Search, unexplained
from vision.film.presence import Presence
from vision.film.schedule import Readings
from vision.film.view import enlarged, is_still
from vision.library import Library, Margins
from vision.markers import Stickers
from vision.naming.response import Ink, InkSums
from vision.outline_reader import ANYWHERE
from vision.reader import Reader

MOVED_ON = 1.0
"""Seconds after which a camera that has moved is taken to stay there."""

STEPS = 7
"""Steps of work in one call, two to five milliseconds each; reading one card takes some fifteen, a
first look at 1080p forty."""


class Watcher:
    """Follows the cards on a table through a video.

    `steps` bounds the work of looking and reading in one call, and so the time a call may take;
    what is begun in one call is taken up in the next.
    """

    def __init__(
        self,
        library: Library,
        margins: Margins | None = None,
        steps: int = STEPS,
        stickers: Stickers | None = None,
    ) -> None:
        self._reader = Reader(library, margins, stickers, ANYWHERE)
        self._steps = steps
        self._frame = np.empty((0, 0, 3), dtype=np.uint8)
        self._motion = Motion()
        self._background = Background()
        self._attention = Attention((0, 0))
        self._tracks = Tracks(self._reader)
        self._readings = Readings(self._reader, self._tracks)
        self._looks = Looks()
        self._looked = False
        self._search: Search | None = None
        self._lost_since: float | None = None
        self._drift = Drift()
        self._now: Moment | None = None
        self.busy = False
        """Whether something moves on the table, or lies there that has not been named yet."""

    @property
    def drift(self) -> tuple[float, float]:
        """How far the camera has moved since the start or the last `forget_drift`, in pixels of the
        frame."""
        return self._drift.of(self._frame)

    @property
    def identified(self) -> int:
        """How many readings have been begun."""
        return self._readings.begun

    @property
    def ink(self) -> tuple[InkSums, ...]:
        """What clear cards have told of how this camera shows the deck's ink, the newest last."""
        return self._readings.ink.says

    def remember(self, ink: Iterable[InkSums]) -> None:
        """Begin with what the cards of the same evening told before it was broken off."""
        self._readings.ink = Ink(ink)

    @property
    def followed(self) -> int:
        """How many cards and other shapes are followed."""
        return len(self._tracks.all)

    def forget_drift(self) -> None:
        """Call when the plane of the table was set anew."""
        self._drift = Drift()

    def see(self, frame: NDArray[np.uint8], t_seconds: float) -> list[Presence]:
        """Take in a BGR frame and say which cards lie on the table now, in order of `id`."""
        change = self._motion.observe(frame)
        self._frame = frame
        now = Moment(change, self._motion.factor, t_seconds)
        if self._attention.shape != change.changed.shape:
            self._attention = Attention(change.changed.shape)
            self._tracks.all.clear()
            self._background = Background()
            self._looks, self._search = Looks(), None
            self._scan_all(now)
        elif not self._lost(change, now):
            now = self._carry(now)
            self._follow(now.change, now)
        self._readings.begin(frame, t_seconds)
        self._now = now
        self._work(now)
        self._begin_search(now)
        self._note_busy(now)
        return self.lying

    @property
    def lying(self) -> list[Presence]:
        """The cards that lie on the table, in order of `id`, as far as is known by now."""
        return [Presence.of(track) for track in self._tracks.cards()]

    @property
    def begun(self) -> bool:
        """Whether something that was begun is left to be done: `go_on` does more of it."""
        return bool(self._looks) or self._to_read

    def go_on(self) -> bool:
        """Do one more step, some milliseconds, of what was begun, for whoever has time before the
        next frame; say whether that ended it: `lying` may tell more then."""
        if (now := self._now) is None or not self.begun:
            return False
        ended = self._look_on(now) if self._looks else self._read_on(now)
        self._note_busy(now)
        return ended

    def _note_busy(self, now: Moment) -> None:
        wanted = any(track.wants_reading for track in self._tracks.all)
        at_work = bool(self._looks) or self._search is not None or wanted
        self.busy = at_work or not bool(self._attention.at_rest(now.t).all())

    def _follow(self, change: Change, now: Moment) -> None:
        """Note what moves and what rests, learn the bare table, and look where it is time to."""
        self._attention.moved(change.moving, now.t)
        at_rest = self._attention.at_rest(now.t)
        calm = ~change.changed & at_rest & ~self._attention.open
        # What is being searched may be part of a card: it is not learnt as the bare table.
        for place in [*self._looks.regions, *([] if self._search is None else [self._search.region])]:
            calm &= ~place
        self._attention.settled(calm)
        self._background.learn(now.thumb, calm, self._tracks.opaque(now.t), now.factor, change.view)
        self._look(change.changed & at_rest, now)
        if not self._looks:
            self._look_again(at_rest, now)
        self._note_still(now)

    def _note_still(self, now: Moment) -> None:
        """Tell the cards at rest from those where something moves, or has changed and is being
        looked at; a speck is never looked at."""
        restless = without_specks(now.change.changed | ~self._attention.at_rest(now.t))
        for region in self._looks.regions:
            restless |= region
        for track in self._tracks.all:
            track.still = not touches(track.quad, restless, now.factor)

    def _look(self, changed: Grid, now: Moment) -> None:
        """Look for cards where something changed and came to rest."""
        for region in regions(changed):
            pause = PAUSE if now.change.swaying else 0.0
            if self._attention.rested_since(region, now.t, pause) and not self._looks.meet(region):
                self._attention.look_later(region, now.t, WAITS)
                self._scan(region, now)

    def _look_again(self, at_rest: Grid, now: Moment) -> None:
        """Look for cards once more in a place where it is time to, if something there has no
        name."""
        while (
            later := self._attention.due(now.t, None if self._search is None else self._search.region)
        ) is not None:
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

    def _carry(self, now: Moment) -> Moment:
        """Bring what is known to where the camera shows it now, and follow cards that creep
        along."""
        change = now.change
        self._background.see(change.view, change.carried)
        if not is_still(change.step):
            step = enlarged(change.step, now.factor)
            self._drift.carry(step)
            self._tracks.carry(change.step, now.factor)
            self._looks.carry(change.step)
            if self._search is not None:
                self._search.carry(step)
        crept = creeping.follow(self._tracks.all, now)
        return now if crept is None else replace(now, change=self._motion.explain(change, crept))

    def _lost(self, change: Change, now: Moment) -> bool:
        """Whether the frame shows another table than the one before; if it stays, all is looked at
        anew."""
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
            self._looks = Looks()
            self._scan_all(now)
        return True

    def _scan_all(self, now: Moment) -> None:
        everywhere = np.ones(self._attention.shape, dtype=np.bool_)
        # of the bare table nothing is known yet, so all of it seems strange: once again is enough
        self._attention.look_later(everywhere, now.t, WAITS[:1])
        self._scan(everywhere, now)

    def _scan(self, region: Grid, now: Moment) -> None:
        """Begin to look for cards in the blocks of `region`.

        The look is noted first: a picture that cannot be looked at costs one frame, not all that
        follow.
        """
        self._motion.settle(now.change, region)
        self._attention.looked(region, now.t)
        if self._search is not None and bool((self._search.region & region).any()):
            self._search = None
        self._looks.begin(self._frame, region, self._tracks, now)

    def _look_on(self, now: Moment) -> bool:
        """Do one step of a look; say whether that ended it."""
        look = self._looks.step(self._tracks, self._background)
        if look is None:
            return False
        self._attention.seek_parts(look.region)
        self._readings.begin_new(look)
        if look.began.t < now.t:  # of its own frame all that has changed is known by now
            self._note_still(now)
        self._readings.begin(self._frame, now.t)
        return True

    def _begin_search(self, now: Moment) -> None:
        """Take up this frame for a place where cards may lie under others: the whole ones of it
        have been read."""
        if self._looks or self._search is not None or not self._tracks.sure():
            return
        for region in self._attention.for_parts(now.t):
            there = [t for t in self._tracks.all if touches(t.quad, region, now.factor)]
            if any(track.doubt or not track.votes for track in there):
                continue
            strange = unexplained(self._background, self._tracks, region, now)
            if strange.any():
                self._search = Search(self._reader, self._frame, self._tracks, region, strange, now)
                self._attention.search(region, self._search.blocks)
                return
            self._attention.search(region)

    def _work(self, now: Moment) -> None:
        """Go on with what has been begun: looks first in one frame, readings and searches in the
        next, so that none waits for the others."""
        self._looked = bool(self._looks) and not (self._looked and self._to_read)
        left: float = self._steps
        while left > 0 and self.begun:
            look = bool(self._looks) and (self._looked or not self._to_read)
            cost = self._looks.cost if look else self._readings.long
            if cost > left and left < self._steps:
                return
            left -= cost
            if look:
                self._look_on(now)
            else:
                self._read_on(now)

    @property
    def _to_read(self) -> bool:
        return self._search is not None or self._readings.waiting

    def _read_on(self, now: Moment) -> bool:
        """Do one step of what is to be read: cards not read yet, then a search for hidden ones,
        then further readings. Say whether that ended it."""
        track = self._readings.next()
        if self._search is not None and (track is None or track.votes):
            return self._search_on(self._search, now)
        if track is None or not self._readings.go_on(track, now):
            return False
        # what was read in an earlier frame may want a second reading, of this one
        self._readings.begin(self._frame, now.t)
        return True

    def _search_on(self, search: Search, now: Moment) -> bool:
        try:
            found = search.step()
        except Exception:
            self._search = None
            raise
        if found is None:
            return False
        self._search = None
        if self._tracks.add_parts(found, search.began if search.still else now):
            # what was found tells what is hidden of the next
            self._attention.settled(search.blocks)
            self._attention.seek_parts(search.region)
        return True
