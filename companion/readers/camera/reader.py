"""Camera as a reader: recognise cards frame by frame, find their zones, and report what changed.

The thread of `FrameReader` passes frames to `CameraReader.look_at`. `Eyes` names the cards: on
video by a `Watcher`, which follows cards from frame to frame and spreads its work over `go_on`, on
separate photos by a `Reader`. Every card in sight is a `Presence` there. `CameraReader` adds the
zone (`survey`) and turns it into a `Sighting`, which is posted only if it differs from the last one
of the same card. `BoardWatch` does the same for pawns on a printed board.
"""

from __future__ import annotations

import itertools
import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from queue import SimpleQueue

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from companion.readers.camera.frames import FrameReader, LookRate
from companion.readers.camera.pictures import (
    CANDIDATES,
    CardLabel,
    Closeup,
    Closeups,
    Enlarged,
    FaceUpCards,
    PreviewPicture,
    closeup,
    draw,
    encoded,
)
from companion.readers.camera.sources import Frame, Source
from companion.readers.camera.survey import Survey, ZoneMap
from companion.rules.contract import BoardSeen, Text
from companion.table.decks import MARKERS
from companion.table.identification import BACK
from companion.table.sightings import BoardSighting, Sighting, Unrest
from companion.table.waits import NO_FACE
from companion.table.zones import Zones
from vision.film.presence import Presence
from vision.film.watch import Watcher
from vision.fitting.patch import cut_raw
from vision.geometry import Quad, area, overlap, upright
from vision.homography import TablePlane
from vision.library import Library
from vision.markers import Stickers
from vision.naming.response import InkSums
from vision.pawns import PawnsSeen, PrintedBoard, covered, look, plane
from vision.reader import Reader

SAME = 0.4
"""Part of the smaller of two outlines that must overlap the other for both to be the same card."""


class Eyes:
    """Recognition of the cards of one deck in a series of frames.

    `markers`: the designs that carry a printed marker, by its number.
    """

    def __init__(self, library: Library, markers: Mapping[int, str] | None = None) -> None:
        stickers = Stickers(markers, MARKERS) if markers else None
        # A copy, because it learns between two frames.
        self._library = library = Library(library.references, library.margins, library.pack)
        self._lessons: SimpleQueue[Callable[[Library], None]] = SimpleQueue()
        self._learning: set[str] = set()
        self._watcher = Watcher(library, stickers=stickers)
        self._reader = Reader(library, stickers=stickers)
        self._numbers = itertools.count(1)

    def see(self, frame: Frame) -> list[Presence]:
        """Return the cards on the table, as far as this frame and those before it show them."""
        # Views are learnt between two readings only: a reading in progress compares with the old
        # ones.
        if frame.alone or not self.busy:
            self._take_up()
        if frame.alone:
            read = [
                Presence(
                    next(self._numbers), r.card, r.sure, r.confidence, r.quad, frame.at, True, r.candidates
                )
                for r in self._reader.read(frame.image)
            ]
            return as_many(read, self._library.pack)
        return self._distinct(self._watcher.see(frame.image, frame.at))

    def go_on(self) -> list[Presence] | None:
        """Do one more step of the reading in progress; return the cards if that completed it, else
        None."""
        return self._distinct(self._watcher.lying) if self._watcher.go_on() else None

    def _distinct(self, seen: list[Presence]) -> list[Presence]:
        return as_many(distinct(seen), self._library.pack)

    def beside(self, image: NDArray[np.uint8], quad: Quad, names: Sequence[str]) -> Enlarged:
        """Cut a card out of a picture and pair it with the designs `names`, turned the same way up
        as the first."""
        views = {one.card: one.picture for one in reversed(self._library.references)}
        designs = [(name, views[name]) for name in names if name in views]
        standing = upright(quad)
        cards = [cut_raw(image, each, self._library.height) for each in (standing, np.roll(standing, 2, 0))]
        return Enlarged(min(cards, key=lambda card: _unlike(card, designs[0][1]) if designs else 0), designs)

    def learn(self, design: str, image: NDArray[np.uint8], quad: Quad) -> None:
        """Add the card in `quad` of the BGR `image` as another view of `design`. Thread-safe.

        The view is used once no card is being read: from the next photo on, on video when the table
        is calm.
        """
        self._learning.add(design)
        self._lessons.put(lambda library: library.add(design, image, quad))

    def forget(self, design: str) -> None:
        """Drop what was learnt about `design`, because it was another card. Thread-safe; used at
        the same time as for `learn`."""
        self._learning.discard(design)
        self._lessons.put(lambda library: library.remove(design))

    def is_new(self, design: str) -> bool:
        """Check whether a design of the pack has no view yet, and none is about to be learnt."""
        return design in self._library.unseen and design not in self._learning

    def _take_up(self) -> None:
        while not self._lessons.empty():
            self._lessons.get()(self._library)

    @property
    def ink(self) -> tuple[InkSums, ...]:
        """Measurements on clear cards of how this camera shows the deck's ink, newest last."""
        return self._watcher.ink

    def remember(self, ink: Iterable[InkSums]) -> None:
        """Restore ink measurements made before the session was interrupted."""
        self._watcher.remember(ink)

    @property
    def begun(self) -> bool:
        """Whether a reading is in progress that `go_on` can continue."""
        return self._watcher.begun

    @property
    def busy(self) -> bool:
        """Whether something moves on the table, or a card there has not been named yet."""
        return self._watcher.busy

    @property
    def drift(self) -> tuple[float, float]:
        """How far the camera has moved since calibration, in pixels; infinite when unknown."""
        return self._watcher.drift

    def forget_drift(self) -> None:
        """Measure drift from now on, because the table was calibrated again."""
        self._watcher.forget_drift()


def _unlike(card: NDArray[np.uint8], design: NDArray[np.uint8]) -> float:
    """Return how much two pictures of a card differ when reduced to 12 by 16 pixels."""
    small = [cv2.resize(one, (12, 16), interpolation=cv2.INTER_AREA).astype(float) for one in (card, design)]
    return float(np.abs(small[0] - small[1]).mean())


def distinct(seen: list[Presence]) -> list[Presence]:
    """Remove cards that are seen twice: the outline of one was found again, slightly different,
    while the first is still tracked.

    Of two overlapping outlines that name the same card the older is kept; of a named and an unnamed
    one, the named.
    """
    kept: list[Presence] = []
    for one in sorted(seen, key=lambda one: (one.card is None, one.id)):
        smallest = SAME * area(one.quad)
        if not any(
            one.card in (None, other.card)
            and overlap(one.quad, other.quad) > min(smallest, SAME * area(other.quad))
            for other in kept
        ):
            kept.append(one)
    return sorted(kept, key=lambda one: one.id)


def as_many(seen: list[Presence], pack: Mapping[str, int]) -> list[Presence]:
    """Leave at most as many cards of a design certain as the pack contains; the first ones on the
    table stay so."""
    sure: Counter[str] = Counter()
    kept = []
    for one in seen:
        if one.sure and one.card is not None and one.card in pack:
            sure[one.card] += 1
            kept.append(replace(one, sure=sure[one.card] <= pack[one.card]))
        else:
            kept.append(one)
    return kept


def rate_of(image: NDArray[np.uint8]) -> LookRate:
    """Measure how many pictures a second this computer can look at, using one picture as a
    series of tables that were just laid. Needs no deck: the work of one look is limited whatever
    it shows."""
    rate = LookRate()
    while rate.a_second is None:
        watcher = Watcher(Library())
        for number in range(3):
            began = time.monotonic()
            watcher.see(image, 0.1 * number)
            rate.took(time.monotonic() - began)
    return rate


BOARD_AGAIN = 0.25
"""Seconds between two looks at the game's board."""
BOARD_STILL = 0.8
"""Seconds for which nothing on the board may change before it is reported: people move a pawn on
square by square."""


class BoardWatch:
    """Observer of the game's printed board in a series of frames."""

    def __init__(self, board: PrintedBoard) -> None:
        self._board = board
        self._plane: TablePlane | None = None
        self._due = -math.inf
        self._seen: PawnsSeen | None = None
        self._since = 0.0
        self._told: PawnsSeen | None = None

    def without(self, frame: Frame) -> Frame:
        """Return the frame with the board painted over, because no cards lie there; unchanged while
        no board is in sight. Call `see` first."""
        if self._plane is None:
            return frame
        return replace(frame, image=covered(frame.image, self._board, self._plane))

    def see(self, frame: Frame) -> PawnsSeen | None:
        """Return the pawns on the board once it has been still for a moment; None if that is no
        news."""
        if frame.at < self._due and not frame.alone:
            return None
        found = plane(frame.image, self._board)
        height, width = frame.image.shape[:2]
        moved = found is not None and (self._plane is None or found.has_drifted(self._plane, width, height))
        # While the camera or the board is being moved, look at every frame.
        self._due = frame.at + (0.0 if moved else BOARD_AGAIN)
        if found is None:
            return None
        self._plane = found
        seen = look(frame.image, self._board, found)
        if self._seen is None or not seen.agrees(self._seen):
            self._since = frame.at
        self._seen = seen
        if frame.at - self._since < BOARD_STILL and not frame.alone:
            return None
        if self._told is not None and seen.agrees(self._told) and seen.hidden >= self._told.hidden:
            return None
        self._told = seen
        return seen

    def begin(self) -> None:
        """Report the next stable position even if it has not changed."""
        self._told = None


CALM = 1.0
"""Seconds without news after which frames are looked at less often."""
CALM_PAUSE = 0.08
"""Seconds between two looks at a calm table."""


class CameraReader(FrameReader):
    """Reader that reports the cards a camera sees, by the zones of the table.

    `library`: what the deck's cards look like. `zones`: the layout, with the mapping from picture
    to table. `markers`: the designs that carry a printed marker, by its number. `board`: the game's
    printed board, if it has one.
    """

    sense = "camera"

    def __init__(
        self,
        source: Source,
        library: Library,
        zones: Zones,
        markers: Mapping[int, str] | None = None,
        board: PrintedBoard | None = None,
    ) -> None:
        super().__init__(source, "camera")
        self._board = None if board is None else BoardWatch(board)
        self._survey = Survey(zones)
        self._eyes = Eyes(library, markers)
        self._closeups = Closeups()
        self._reported: dict[int, Sighting] = {}
        self._faceless: dict[int, float] = {}
        self._latest: tuple[Frame, list[Presence], ZoneMap] | None = None
        self._blind = False
        self.busy = False
        self._news_at = 0.0
        self._at_first_sight: Callable[[str, Closeup], object] = lambda _design, _view: None

    def calibrate(self, zones: Zones) -> None:
        """Use another layout from the next frame on. Thread-safe."""
        self._survey = Survey(zones)

    def labels(self) -> list[CardLabel]:
        """Return where in the picture each recognised face-up card is."""
        latest = self._latest
        if latest is None:
            return []
        height, width = latest[0].image.shape[:2]
        found = []
        for one in latest[1]:
            if one.sure and one.card not in (None, BACK):
                (left, top), (right, bottom) = one.quad.min(axis=0).tolist(), one.quad.max(axis=0).tolist()
                found.append(
                    CardLabel(left / width, top / height, right / width, bottom / height, str(one.card))
                )
        return found

    def enlarged(self) -> Enlarged | None:
        """Return an uncertain card in sight beside the two designs it most likely is; if there is
        none, the card that was turned up last. Thread-safe."""
        unsure, latest = self._closeups.first(), self._latest
        if unsure is not None and unsure.candidates:
            return self._eyes.beside(unsure.image, unsure.quad, unsure.candidates[:2])
        seen = (
            [] if latest is None else [one for one in latest[1] if one.sure and one.card not in (None, BACK)]
        )
        if latest is None or not seen:
            return None
        last = max(seen, key=lambda one: one.id)
        return self._eyes.beside(latest[0].image, last.quad, (str(last.card),))

    def preview(self, width: int = 480) -> PreviewPicture | None:
        """Draw what was recognised over the newest frame, `width` pixels wide; None before the
        first frame."""
        latest = self._latest
        return None if latest is None else draw(*latest, width, self.looked)

    def photo(self) -> bytes:
        """Return the newest frame as JPEG; empty before the first frame. Thread-safe."""
        latest = self._latest
        return b"" if latest is None else encoded(latest[0].image)

    def closeup(self, track: int) -> Closeup | None:
        """Return the picture of an uncertain card in sight; None for any other. Thread-safe."""
        return self._closeups.of(track)

    def faces(self) -> dict[int, str]:
        """Return the design of each recognised face-up card, by track. Thread-safe."""
        latest = self._latest
        seen = latest[1] if latest is not None else []
        return {one.id: one.card for one in seen if one.sure and one.card is not None and one.card != BACK}

    def turned_up(self, cards: Mapping[int, str]) -> FaceUpCards:
        """Return those of `cards` (design by track) that lie uncovered, face up and unmoved.
        Thread-safe."""
        latest = self._latest
        if latest is None:
            return FaceUpCards(np.zeros((1, 1, 3), np.uint8), ())
        seen = [one for one in latest[1] if one.still and one.sure and one.card is not None]
        return FaceUpCards(latest[0].image, [one.quad for one in seen if cards.get(one.id) == one.card])

    def learn(self, design: str, view: Closeup) -> None:
        """Add a view of the design, until the reader is closed. Thread-safe."""
        self._eyes.learn(design, view.image, view.quad)

    def forget(self, design: str) -> None:
        """Drop what was learnt about the design, because it was another card. Thread-safe."""
        self._eyes.forget(design)

    def on_first_sight(self, learnt: Callable[[str, Closeup], object]) -> None:
        """Call `learnt`, in the reader's thread, for each card of a pack that is identified for the
        first time and learnt by that. Call before `start`."""
        self._at_first_sight = learnt

    @property
    def ink(self) -> tuple[InkSums, ...]:
        """Measurements on clear cards of how this camera shows ink, newest last. Thread-safe."""
        return self._eyes.ink

    def remember(self, ink: Iterable[InkSums]) -> None:
        """Restore ink measurements made earlier in an interrupted session. Call before `start`."""
        self._eyes.remember(ink)

    def begun(self) -> None:
        """Report every card again: the table may have lost track of them meanwhile."""
        self._reported.clear()
        if self._board is not None:
            self._board.begin()

    def rest_after(self, frame: Frame) -> float:
        """Return a pause while the table is calm, so that less power is used; 0 for a recorded
        film."""
        calm = not self.source.every and frame.at - self._news_at > CALM
        return CALM_PAUSE if calm else 0.0

    def look_at(self, frame: Frame) -> None:
        """Look at a frame and post what is new about each card. Called by the reader's thread, or
        by a caller with a clock of its own."""
        # Read once, because `calibrate` may replace it from another thread meanwhile.
        survey = self._survey
        placing = survey.placing(frame)
        # The board first: `without` paints over the place at which it has just been found.
        stands = None if self._board is None else self._board.see(frame)
        seen = self._eyes.see(frame if self._board is None else self._board.without(frame))
        self._report(frame, seen, placing)
        if stands is not None:
            pawns = tuple(sorted(stands.pawns.items()))
            self._post(BoardSighting(self.name, BoardSeen(pawns, tuple(sorted(stands.hidden))), frame.at))
        self.looked += 1
        self._mind(survey)

    def go_on(self) -> bool:
        """Continue reading the newest frame, and post the result."""
        latest = self._latest
        if latest is None or not self._eyes.begun:
            return False
        seen = self._eyes.go_on()
        if seen is not None:
            self._report(latest[0], seen, latest[2])
        return True

    def _report(self, frame: Frame, seen: list[Presence], placing: ZoneMap) -> None:
        """Post what is new about each card in sight, and which cards have gone."""
        self._closeups.look(frame.image, seen)
        for one in seen:
            if one.card is not None and one.sure and one.still and self._eyes.is_new(one.card):
                view = closeup(frame.image, one)
                self.learn(one.card, view)
                self._at_first_sight(one.card, view)
        # Before anything is posted, because a receiver may look for the card in the newest picture
        # at once. One tuple, so that other threads never combine a new picture with older cards.
        self._latest = (frame, seen, placing)
        for one in seen:
            sighting = self._sighting(one, frame, placing)
            if _news(self._reported.get(one.id), sighting):
                self._reported[one.id] = sighting
                self._news_at = frame.at
                self._post(sighting)
            elif not one.still:
                self._news_at = frame.at
        there = {one.id for one in seen}
        # The keys are copied first: entries are removed from the dictionary on the way.
        for track in [track for track in self._reported if track not in there]:
            gone = self._reported.pop(track)
            placing.forget(track)
            self._faceless.pop(track, None)
            self._news_at = frame.at
            self._post(msgspec.structs.replace(gone, at=frame.at, present=False))
        if self._eyes.busy != self.busy:
            self.busy = self._eyes.busy
            # After the sightings: when the table hears that all is calm, it knows every card that
            # caused it.
            self._post(Unrest(self.name, self.busy, frame.at))

    def _sighting(self, one: Presence, frame: Frame, placing: ZoneMap) -> Sighting:
        sure = one.sure
        if one.card is None:
            since = self._faceless.setdefault(one.id, frame.at)
            # A card without a face counts only after a while: one that is being turned over shows
            # none either.
            sure = frame.alone or frame.at - since >= NO_FACE
        else:
            self._faceless.pop(one.id, None)
        drift = self._eyes.drift
        # Without the camera's own movement, or a nudged camera would look like cards being pushed
        # along.
        lies = one.quad - np.where(np.isfinite(drift), drift, 0)
        return Sighting(
            self.name,
            one.id,
            one.card,
            placing.zone(one.id, one.quad, (0.0, 0.0) if self._survey.by_mat else drift),
            frame.at,
            sure=sure,
            confidence=round(one.confidence, 3),
            candidates=() if sure else tuple(card for card, _ in one.candidates[:CANDIDATES]),
            quad=tuple((round(float(x), 1), round(float(y), 1)) for x, y in lies),
        )

    def _mind(self, survey: Survey) -> None:
        """Report when zones cannot be located: the mat's markers are not in sight, or the camera
        has moved far."""
        if survey.blind and not self._blind:
            self.tell("ok", Text("reader.camera.no_mat"))
        self._blind = survey.blind
        if not np.all(np.isfinite(self._eyes.drift)):
            self._eyes.forget_drift()
            survey.forget()
            if not survey.by_mat:
                self.tell("ok", Text("reader.camera.moved", {"device": self.source.name}))


def _news(before: Sighting | None, now: Sighting) -> bool:
    """Check whether a sighting differs enough to be posted: another reading, another zone, or the
    card was moved by more than 4 % of its size."""
    if before is None:
        return True
    if (before.design, before.where, before.sure) != (now.design, now.where, now.sure):
        return True
    moved = np.abs(np.array(before.quad) - np.array(now.quad)).max()
    return bool(moved > 0.04 * np.ptp(np.array(now.quad), axis=0).max())
