"""The camera as a reader: one thread takes frames, keeping only the newest; another looks at them and reports what changed."""

from __future__ import annotations

import threading

import msgspec
import numpy as np

from companion.readers.camera.mat import Survey
from companion.readers.camera.placing import Placing
from companion.readers.camera.preview import Preview, draw
from companion.readers.camera.recognise import Eyes, Seen
from companion.readers.camera.slot import Slot
from companion.readers.camera.sources import Frame, Source, SourceError
from companion.readers.thread import ThreadReader
from companion.rules.contract import Text
from companion.table.sightings import Sighting
from companion.table.zones import Zones
from vision.library import Library

RETRY = (0.5, 1.0, 2.0, 3.0)
"""Seconds between attempts to open a device that is not there; the last for all further ones."""
NO_FACE = 0.7
"""Seconds for which a card must show no known face before it is reported as one: a face is sometimes known only at the second look."""
CALM = 1.0
"""Seconds without news after which the camera is looked at less often."""
CALM_PAUSE = 0.08
"""Seconds between two looks at a calm table."""


class CameraReader(ThreadReader):
    """Reports the cards that a camera sees, by the zones of the table.

    `library`: what the deck's cards look like. `zones`: the layout, with the way from the picture to the table. `looked` counts the
    frames that were looked at.
    """

    def __init__(self, source: Source, library: Library, zones: Zones, name: str = "camera") -> None:
        super().__init__(name)
        self.source = source
        self.looked = 0
        self._survey = Survey(zones)
        self._eyes = Eyes(library)
        self._slot = Slot()
        self._size: tuple[int, int] | None = None
        self._reported: dict[int, Sighting] = {}
        self._faceless: dict[int, float] = {}
        self._latest: tuple[Frame, list[Seen], Placing] | None = None
        self._said: Text | None = None
        self._blind = False
        self._news_at = 0.0

    @property
    def dropped(self) -> int:
        """How many frames a newer one replaced before they were looked at."""
        return self._slot.dropped

    @property
    def size(self) -> tuple[int, int] | None:
        """Width and height of the camera's picture, once there is one."""
        return self._size

    def calibrate(self, zones: Zones) -> None:
        """Use another layout from the next frame on."""
        self._survey = Survey(zones)

    def preview(self, width: int = 480) -> Preview | None:
        """Draw the newest frame that was looked at, `width` pixels wide, with what was seen; None before the first."""
        latest = self._latest
        return None if latest is None else draw(*latest, width, self.looked)

    def wake(self) -> None:
        """Let the threads go that wait for a frame."""
        self._slot.close()

    def run(self) -> None:
        """Take frames until the source ends; a device that is unplugged is waited for."""
        self._slot = Slot()
        looker = threading.Thread(target=self._look, name=f"{self.name} looks", daemon=True)
        looker.start()
        self.tell("starting", Text("reader.camera.starting", {"device": self.source.name}))
        try:
            attempt = 0
            while not self.ending and not self._taken():
                self.wait(RETRY[min(attempt, len(RETRY) - 1)])
                attempt += 1
        finally:
            self._slot.close()
            looker.join()

    def _taken(self) -> bool:
        """Open the source and take its frames; tell whether there is nothing more to take."""
        try:
            self.source.open()
            self._take()
        except SourceError as error:
            self._say_lost(error.text)
            return not self.source.returns
        finally:
            self.source.close()
        if not self.ending:
            self._slot.drain()
            self.tell("off", Text("reader.camera.ended", {"device": self.source.name}))
        return True

    def _take(self) -> None:
        first = True
        while not self.ending:
            try:
                frame = self.source.read(self.wait)
            except SourceError as error:
                if not error.skip:
                    raise
                self.tell("ok", error.text)
                continue
            if frame is None:
                return
            if first:
                self._begin(frame)
                first = False
            self._slot.put(frame, self.source.every)

    def _begin(self, frame: Frame) -> None:
        """Say that there is a picture, and report everything anew: the table may have lost sight of it meanwhile."""
        height, width = frame.image.shape[:2]
        self._size = (width, height)
        self._said = None
        self._reported.clear()
        self.tell(
            "ok", Text("reader.camera.ok", {"device": self.source.name, "width": width, "height": height})
        )

    def _say_lost(self, text: Text) -> None:
        """Say once what is wrong, however often it is tried again."""
        if text != self._said:
            self._said = text
            self.tell("lost", text)

    def _look(self) -> None:
        slot = self._slot
        while (frame := slot.take()) is not None:
            try:
                self.look_at(frame)
            except Exception as error:
                what = f"{type(error).__name__}: {error}"[:200]
                self._say_lost(Text("reader.failed", {"reader": self.name, "what": what}))
            if not self.source.every and frame.at - self._news_at > CALM:
                self.wait(CALM_PAUSE)

    def look_at(self, frame: Frame) -> None:
        """Look at a frame and post what is new about each card. The reader's thread calls it; so may whoever has a clock of their own."""
        survey = self._survey
        placing = survey.placing(frame)
        seen = self._eyes.see(frame)
        for one in seen:
            sighting = self._sighting(one, frame, placing)
            if _news(self._reported.get(one.id), sighting):
                self._reported[one.id] = sighting
                self._news_at = frame.at
                self._post(sighting)
            elif not one.still:
                self._news_at = frame.at
        there = {one.id for one in seen}
        for track in [track for track in self._reported if track not in there]:
            gone = self._reported.pop(track)
            placing.forget(track)
            self._faceless.pop(track, None)
            self._news_at = frame.at
            self._post(msgspec.structs.replace(gone, at=frame.at, present=False))
        self._latest = (frame, seen, placing)
        self.looked += 1
        self._mind(survey)

    def _sighting(self, one: Seen, frame: Frame, placing: Placing) -> Sighting:
        sure = one.sure
        if one.card is None:
            since = self._faceless.setdefault(one.id, frame.at)
            sure = frame.alone or frame.at - since >= NO_FACE
        else:
            self._faceless.pop(one.id, None)
        return Sighting(
            self.name,
            one.id,
            one.card,
            placing.zone(one.id, one.quad, (0.0, 0.0) if self._survey.by_mat else self._eyes.drift),
            frame.at,
            sure=sure,
            confidence=round(one.confidence, 3),
            candidates=() if sure else one.candidates,
            quad=tuple((round(float(x), 1), round(float(y), 1)) for x, y in one.quad),
        )

    def _mind(self, survey: Survey) -> None:
        """Say when nobody can tell where the zones are: the mat's marks are not in sight, or the camera was moved far away."""
        if survey.blind and not self._blind:
            self.tell("ok", Text("reader.camera.no_mat"))
        self._blind = survey.blind
        if not np.all(np.isfinite(self._eyes.drift)):
            self._eyes.forget_drift()
            survey.forget()
            if not survey.by_mat:
                self.tell("ok", Text("reader.camera.moved", {"device": self.source.name}))


def _news(before: Sighting | None, now: Sighting) -> bool:
    """Tell whether the table would want to know: another reading, another zone, or a card that has been pushed along."""
    if before is None:
        return True
    if (before.design, before.where, before.sure) != (now.design, now.where, now.sure):
        return True
    moved = np.abs(np.array(before.quad) - np.array(now.quad)).max()
    return bool(moved > 0.04 * np.ptp(np.array(now.quad), axis=0).max())
