"""What has been begun on the table of a film and is done in small steps, so that no frame is held
up: looks for outlines, readings of cards, a search for hidden ones."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.film.association import Tracks
from vision.film.attention import Attention, touches, without_specks
from vision.film.background import Background
from vision.film.look import Looks
from vision.film.motion import Grid, Moment
from vision.film.occlusion_search import Search, unexplained
from vision.film.schedule import Readings
from vision.film.view import enlarged
from vision.reader import Reader

STEPS = 7
"""Steps of work in one frame, two to five milliseconds each; reading one card takes some fifteen, a
first look at 1080p forty."""


@dataclass(frozen=True, eq=False)
class Scene:
    """The newest frame, its moment, and what is known of the table by then."""

    frame: NDArray[np.uint8]
    now: Moment
    attention: Attention
    background: Background


class Agenda:
    """The work that was begun; `steps` bounds what is done of it in one frame, and so the time that
    takes: what is begun in one is taken up in the next."""

    def __init__(self, reader: Reader, tracks: Tracks, steps: int) -> None:
        self.readings = Readings(reader, tracks)
        self._reader, self._tracks, self._steps = reader, tracks, steps
        self._looks = Looks()
        self._search: Search | None = None
        self._looked = False

    def __bool__(self) -> bool:
        return bool(self._looks) or self._to_read

    @property
    def looking(self) -> bool:
        """Whether some place is being looked at."""
        return bool(self._looks)

    @property
    def at_work(self) -> bool:
        """Whether a place is looked at or searched, or some card wants to be read."""
        wanted = any(track.wants_reading for track in self._tracks.all)
        return self.looking or self._search is not None or wanted

    @property
    def searched(self) -> Grid | None:
        """The place that is searched for hidden cards."""
        return None if self._search is None else self._search.region

    @property
    def places(self) -> list[Grid]:
        """All places that are looked at or searched."""
        return [*self._looks.regions, *([] if self._search is None else [self._search.region])]

    def meets(self, region: Grid) -> bool:
        """Whether a place is being looked at, or a part of it."""
        return self._looks.meet(region)

    def drop(self) -> None:
        """Forget what was begun: the camera shows another table."""
        self._looks, self._search = Looks(), None

    def carry(self, now: Moment) -> None:
        """The camera has moved: bring what was begun to where the newest frame shows it."""
        self._looks.carry(now.change.step)
        if self._search is not None:
            self._search.carry(enlarged(now.change.step, now.factor))

    def look(self, frame: NDArray[np.uint8], region: Grid, now: Moment) -> None:
        """Begin to look for outlines in a place of the newest frame; what is searched there is
        sought anew afterwards."""
        if self._search is not None and bool((self._search.region & region).any()):
            self._search = None
        self._looks.begin(frame, region, self._tracks, now)

    def search(self, scene: Scene) -> None:
        """Take up this frame for a place where cards may lie under others: the whole ones of it
        have been read."""
        if self.looking or self._search is not None or not self._tracks.sure():
            return
        attention, now = scene.attention, scene.now
        for region in attention.for_parts(now.t):
            there = [t for t in self._tracks.all if touches(t.quad, region, now.factor)]
            if any(track.doubt or not track.votes for track in there):
                continue
            strange = unexplained(scene.background, self._tracks, region, now)
            if strange.any():
                self._search = Search(self._reader, scene.frame, self._tracks, region, strange, now)
                attention.search(region, self._search.blocks)
                return
            attention.search(region)

    def note_still(self, now: Moment, attention: Attention) -> None:
        """Tell the cards at rest from those where something moves, or has changed and is being
        looked at; a speck is never looked at."""
        restless = without_specks(now.change.changed | ~attention.at_rest(now.t))
        for region in self._looks.regions:
            restless |= region
        for track in self._tracks.all:
            track.still = not touches(track.quad, restless, now.factor)

    def work(self, scene: Scene) -> None:
        """Do a frame's share: looks first in one frame, readings and searches in the next, so that
        none waits for the others."""
        self._looked = self.looking and not (self._looked and self._to_read)
        left: float = self._steps
        while left > 0 and self:
            look = self.looking and (self._looked or not self._to_read)
            cost = self._looks.cost if look else self.readings.long
            if cost > left and left < self._steps:
                return
            left -= cost
            if look:
                self._look_on(scene)
            else:
                self._read_on(scene)

    def go_on(self, scene: Scene) -> bool:
        """Do one more step, for whoever has time before the next frame; say whether that ended
        something: more may be known then."""
        return self._look_on(scene) if self.looking else self._read_on(scene)

    @property
    def _to_read(self) -> bool:
        return self._search is not None or self.readings.waiting

    def _look_on(self, scene: Scene) -> bool:
        """Do one step of a look; say whether that ended it."""
        look = self._looks.step(self._tracks, scene.background)
        if look is None:
            return False
        scene.attention.seek_parts(look.region)
        self.readings.begin_new(look)
        if look.began.t < scene.now.t:  # of its own frame all that has changed is known by now
            self.note_still(scene.now, scene.attention)
        self.readings.begin(scene.frame, scene.now.t)
        return True

    def _read_on(self, scene: Scene) -> bool:
        """Do one step of what is to be read: cards not read yet, then a search for hidden ones,
        then further readings. Say whether that ended it."""
        track = self.readings.next()
        if self._search is not None and (track is None or track.votes):
            return self._search_on(self._search, scene)
        if track is None or not self.readings.go_on(track, scene.now):
            return False
        # what was read in an earlier frame may want a second reading, of this one
        self.readings.begin(scene.frame, scene.now.t)
        return True

    def _search_on(self, search: Search, scene: Scene) -> bool:
        try:
            found = search.step()
        except Exception:
            self._search = None
            raise
        if found is None:
            return False
        self._search = None
        if self._tracks.add_parts(found, search.began if search.still else scene.now):
            # what was found tells what is hidden of the next
            scene.attention.settled(search.blocks)
            scene.attention.seek_parts(search.region)
        return True
