"""Camera as a reader: recognise cards frame by frame, find their zones, and report what changed.

The thread of `FrameReader` passes frames to `CameraReader.process_frame`. `CardRecognizer` names
the cards: on video by a `Watcher`, which follows cards from frame to frame and spreads its work
over `run_step`, on separate photos by a `Reader`. Every card in sight is a `Presence` there.
`CameraReader` adds the zone (`calibration`) and turns it into a `Sighting`, which is posted only if
it differs from the last one of the same card. `BoardMonitor` does the same for pawns on a printed
board.
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

from companion.readers.camera.calibration import CalibrationTracker, ZoneMap
from companion.readers.camera.frames import AnalysisRate, FrameReader
from companion.readers.camera.pictures import (
    CANDIDATES,
    CardLabel,
    Closeup,
    Closeups,
    EnlargedCard,
    FaceUpCards,
    PreviewPicture,
    cut_closeup,
    draw_preview,
    encode_jpeg,
)
from companion.readers.camera.sources import Frame, Source
from companion.rules.contract import BoardClaim, Text
from companion.table.decks import MARKERS
from companion.table.identification import BACK
from companion.table.sightings import ActivityReport, BoardSighting, Sighting
from companion.table.timeouts import NO_FACE_DEBOUNCE
from companion.table.zones import Zones
from vision.fitting.patch import cut_raw_patch
from vision.geometry import Quad, overlap_area, quad_area, start_on_short_side
from vision.homography import TablePlane
from vision.library import Library
from vision.markers import Stickers
from vision.naming.ink_response import InkSums
from vision.pawns import PawnsSeen, PrintedBoard, detect_pawns, find_board_plane, hide_board
from vision.picture_faults import PictureFault, find_picture_fault
from vision.reader import Reader
from vision.video.presence import Presence
from vision.video.watcher import Watcher

SAME_CARD_OVERLAP = 0.4
"""Part of the smaller of two outlines that must overlap the other for both to be the same card."""


class CardRecognizer:
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

    def detect_cards(self, frame: Frame) -> list[Presence]:
        """Return the cards on the table, as far as this frame and those before it show them."""
        # Views are learnt between two readings only: a reading in progress compares with the old
        # ones.
        if frame.alone or not self.busy:
            self._apply_lessons()
        if frame.alone:
            read = [
                Presence(
                    next(self._numbers), r.card, r.sure, r.confidence, r.quad, frame.at, True, r.candidates
                )
                for r in self._reader.read(frame.image)
            ]
            return limit_to_pack(read, self._library.pack)
        return self._clean_detections(self._watcher.update(frame.image, frame.at))

    def run_step(self) -> list[Presence] | None:
        """Do one more step of the reading in progress; return the cards if that completed it, else
        None."""
        return self._clean_detections(self._watcher.visible_cards) if self._watcher.run_step() else None

    def _clean_detections(self, detections: list[Presence]) -> list[Presence]:
        return limit_to_pack(drop_duplicates(detections), self._library.pack)

    def compare_with_designs(
        self, image: NDArray[np.uint8], quad: Quad, names: Sequence[str]
    ) -> EnlargedCard:
        """Cut a card out of a picture and pair it with the designs `names`, turned the same way up
        as the first."""
        views = {one.card: one.picture for one in reversed(self._library.references)}
        designs = [(name, views[name]) for name in names if name in views]
        standing = start_on_short_side(quad)
        cards = [
            cut_raw_patch(image, each, self._library.patch_height)
            for each in (standing, np.roll(standing, 2, 0))
        ]
        return EnlargedCard(
            min(cards, key=lambda card: _measure_difference(card, designs[0][1]) if designs else 0), designs
        )

    def learn_design(self, design: str, image: NDArray[np.uint8], quad: Quad) -> None:
        """Add the card in `quad` of the BGR `image` as another view of `design`. Thread-safe.

        The view is used once no card is being read: from the next photo on, on video when the table
        is calm.
        """
        self._learning.add(design)
        self._lessons.put(lambda library: library.add_view(design, image, quad))

    def forget_design(self, design: str) -> None:
        """Drop what was learnt about `design`, because it was another card. Thread-safe; used at
        the same time as for `learn_design`."""
        self._learning.discard(design)
        self._lessons.put(lambda library: library.remove_design(design))

    def is_new(self, design: str) -> bool:
        """Check whether a design of the pack has no view yet, and none is about to be learnt."""
        return design in self._library.missing_designs and design not in self._learning

    def _apply_lessons(self) -> None:
        while not self._lessons.empty():
            self._lessons.get()(self._library)

    @property
    def ink(self) -> tuple[InkSums, ...]:
        """Measurements on clear cards of how this camera shows the deck's ink, newest last."""
        return self._watcher.ink

    def restore_ink(self, ink: Iterable[InkSums]) -> None:
        """Restore ink measurements made before the session was interrupted."""
        self._watcher.restore_ink(ink)

    @property
    def has_pending_work(self) -> bool:
        """Whether a reading is in progress that `run_step` can continue."""
        return self._watcher.has_pending_work

    @property
    def busy(self) -> bool:
        """Whether something moves on the table, or a card there has not been named yet."""
        return self._watcher.busy

    def find_picture_fault(self, frame: Frame) -> PictureFault | None:
        """Return what is wrong with the whole picture of the frame seen last."""
        return find_picture_fault(frame.image) if frame.alone else self._watcher.picture_fault

    @property
    def drift(self) -> tuple[float, float]:
        """How far the camera has moved since calibration, in pixels; infinite when unknown."""
        return self._watcher.drift

    def reset_drift(self) -> None:
        """Measure drift from now on, because the table was calibrated again."""
        self._watcher.reset_drift()


def _measure_difference(card: NDArray[np.uint8], design: NDArray[np.uint8]) -> float:
    """Return how much two pictures of a card differ when reduced to 12 by 16 pixels."""
    small = [cv2.resize(one, (12, 16), interpolation=cv2.INTER_AREA).astype(float) for one in (card, design)]
    return float(np.abs(small[0] - small[1]).mean())


def drop_duplicates(detections: list[Presence]) -> list[Presence]:
    """Remove cards that are seen twice: the outline of one was found again, slightly different,
    while the first is still tracked.

    Of two overlapping outlines that name the same card the older is kept; of a named and an unnamed
    one, the named.
    """
    unique: list[Presence] = []
    for one in sorted(detections, key=lambda one: (one.card is None, one.id)):
        smallest = SAME_CARD_OVERLAP * quad_area(one.quad)
        if not any(
            one.card in (None, other.card)
            and overlap_area(one.quad, other.quad) > min(smallest, SAME_CARD_OVERLAP * quad_area(other.quad))
            for other in unique
        ):
            unique.append(one)
    return sorted(unique, key=lambda one: one.id)


def limit_to_pack(detections: list[Presence], pack: Mapping[str, int]) -> list[Presence]:
    """Leave at most as many cards of a design certain as the pack contains; the first ones on the
    table stay so."""
    sure: Counter[str] = Counter()
    limited = []
    for one in detections:
        if one.sure and one.card is not None and one.card in pack:
            sure[one.card] += 1
            limited.append(replace(one, sure=sure[one.card] <= pack[one.card]))
        else:
            limited.append(one)
    return limited


def measure_rate(image: NDArray[np.uint8]) -> AnalysisRate:
    """Measure how many pictures a second this computer can look at, using one picture as a
    series of tables that were just laid. Needs no deck: the work of one look is limited whatever
    it shows."""
    rate = AnalysisRate()
    while rate.per_second is None:
        watcher = Watcher(Library())
        for number in range(3):
            began = time.monotonic()
            watcher.update(image, 0.1 * number)
            rate.record_duration(time.monotonic() - began)
    return rate


FAULT_INTERVAL = 1.0
"""Seconds between two checks of the whole picture: one takes some ten milliseconds."""
FAULT_DELAY = 2.0
"""Seconds for which the picture must have a fault until players are told: cameras adjust focus and
exposure when they start."""


class PictureWatchdog:
    """Watchdog for what is wrong with the whole picture. `lasting_fault`: what has been wrong for
    some time."""

    def __init__(self) -> None:
        self.lasting_fault: PictureFault | None = None
        self._fault: PictureFault | None = None
        self._since = self._checked_at = -math.inf

    def check_frame(self, frame: Frame, recognizer: CardRecognizer) -> None:
        """Check a frame that the recognizer has just looked at, if it is time to."""
        if not frame.alone and 0 <= frame.at - self._checked_at < FAULT_INTERVAL:
            return
        self._checked_at = frame.at
        fault = recognizer.find_picture_fault(frame)
        if fault != self._fault:
            self._fault, self._since = fault, frame.at
        lasts = frame.alone or frame.at - self._since >= FAULT_DELAY
        self.lasting_fault = fault if lasts else None


BOARD_INTERVAL = 0.25
"""Seconds between two looks at the game's board."""
BOARD_DEBOUNCE = 0.8
"""Seconds for which nothing on the board may change before it is reported: people move a pawn on
square by square."""


class BoardMonitor:
    """Observer of the game's printed board in a series of frames."""

    def __init__(self, board: PrintedBoard) -> None:
        self._board = board
        self._plane: TablePlane | None = None
        self._due = -math.inf
        self._seen: PawnsSeen | None = None
        self._since = 0.0
        self._told: PawnsSeen | None = None

    def mask_board(self, frame: Frame) -> Frame:
        """Return the frame with the board painted over, because no cards lie there; unchanged while
        no board is in sight. Call `read_board` first."""
        if self._plane is None:
            return frame
        return replace(frame, image=hide_board(frame.image, self._board, self._plane))

    def read_board(self, frame: Frame) -> PawnsSeen | None:
        """Return the pawns on the board once it has been still for a moment; None if that is no
        news."""
        if frame.at < self._due and not frame.alone:
            return None
        found = find_board_plane(frame.image, self._board)
        height, width = frame.image.shape[:2]
        moved = found is not None and (self._plane is None or found.has_drifted(self._plane, width, height))
        # While the camera or the board is being moved, look at every frame.
        self._due = frame.at + (0.0 if moved else BOARD_INTERVAL)
        if found is None:
            return None
        self._plane = found
        pawns = detect_pawns(frame.image, self._board, found)
        if self._seen is None or not pawns.agrees_with(self._seen):
            self._since = frame.at
        self._seen = pawns
        if frame.at - self._since < BOARD_DEBOUNCE and not frame.alone:
            return None
        if self._told is not None and pawns.agrees_with(self._told) and pawns.hidden >= self._told.hidden:
            return None
        self._told = pawns
        return pawns

    def reset_report(self) -> None:
        """Report the next stable position even if it has not changed."""
        self._told = None


IDLE_DELAY = 1.0
"""Seconds without news after which frames are looked at less often."""
IDLE_INTERVAL = 0.08
"""Seconds between two looks at a calm table."""


class CameraReader(FrameReader):
    """Reader that reports the cards a camera sees, by the zones of the table.

    `library`: what the deck's cards look like. `zones`: the layout, with the mapping from picture
    to table. `markers`: the designs that carry a printed marker, by its number. `board`:
    the game's printed board, if it has one.
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
        self._board = None if board is None else BoardMonitor(board)
        self._survey = CalibrationTracker(zones)
        self._recognizer = CardRecognizer(library, markers)
        self._closeups = Closeups()
        self._reported: dict[int, Sighting] = {}
        self._faceless: dict[int, float] = {}
        self._latest: tuple[Frame, list[Presence], ZoneMap] | None = None
        self._blind = False
        self.busy = False
        self._news_at = 0.0
        self._at_first_sight: Callable[[str, Closeup], object] = lambda _design, _view: None
        self._faults = PictureWatchdog()

    def calibrate(self, zones: Zones) -> None:
        """Use another layout from the next frame on. Thread-safe."""
        self._survey = CalibrationTracker(zones)

    def list_labels(self) -> list[CardLabel]:
        """Return where in the picture each recognised face-up card is."""
        latest = self._latest
        if latest is None:
            return []
        height, width = latest[0].image.shape[:2]
        labels = []
        for one in latest[1]:
            if one.sure and one.card not in (None, BACK):
                (left, top), (right, bottom) = one.quad.min(axis=0).tolist(), one.quad.max(axis=0).tolist()
                labels.append(
                    CardLabel(left / width, top / height, right / width, bottom / height, str(one.card))
                )
        return labels

    def enlarge_card(self) -> EnlargedCard | None:
        """Return an uncertain card in sight beside the two designs it most likely is; if there is
        none, the card that was turned up last. Thread-safe."""
        unsure, latest = self._closeups.find_longest_unsure(), self._latest
        if unsure is not None and unsure.candidates:
            return self._recognizer.compare_with_designs(unsure.image, unsure.quad, unsure.candidates[:2])
        candidates = (
            [] if latest is None else [one for one in latest[1] if one.sure and one.card not in (None, BACK)]
        )
        if latest is None or not candidates:
            return None
        last = max(candidates, key=lambda one: one.id)
        return self._recognizer.compare_with_designs(latest[0].image, last.quad, (str(last.card),))

    def draw_preview(self, width: int = 480) -> PreviewPicture | None:
        """Draw what was recognised over the newest frame, `width` pixels wide; None before the
        first frame."""
        latest = self._latest
        return None if latest is None else draw_preview(*latest, width, self.processed_frames)

    def encode_photo(self) -> bytes:
        """Return the newest frame as JPEG; empty before the first frame. Thread-safe."""
        latest = self._latest
        return b"" if latest is None else encode_jpeg(latest[0].image)

    def find_closeup(self, track: int) -> Closeup | None:
        """Return the picture of an uncertain card in sight; None for any other. Thread-safe."""
        return self._closeups.find_closeup(track)

    def list_face_up_designs(self) -> dict[int, str]:
        """Return the design of each recognised face-up card, by track. Thread-safe."""
        latest = self._latest
        detections = latest[1] if latest is not None else []
        return {
            one.id: one.card for one in detections if one.sure and one.card is not None and one.card != BACK
        }

    def find_face_up_cards(self, cards: Mapping[int, str]) -> FaceUpCards:
        """Return those of `cards` (design by track) that lie uncovered, face up and unmoved.
        Thread-safe."""
        latest = self._latest
        if latest is None:
            return FaceUpCards(np.zeros((1, 1, 3), np.uint8), ())
        detections = [one for one in latest[1] if one.still and one.sure and one.card is not None]
        return FaceUpCards(latest[0].image, [one.quad for one in detections if cards.get(one.id) == one.card])

    def learn_design(self, design: str, view: Closeup) -> None:
        """Add a view of the design, until the reader is closed. Thread-safe."""
        self._recognizer.learn_design(design, view.image, view.quad)

    def forget_design(self, design: str) -> None:
        """Drop what was learnt about the design, because it was another card. Thread-safe."""
        self._recognizer.forget_design(design)

    def on_first_sight(self, callback: Callable[[str, Closeup], object]) -> None:
        """Call `callback`, in the reader's thread, for each card of a pack that is identified for
        the first time and learnt by that. Call before `start`."""
        self._at_first_sight = callback

    @property
    def ink(self) -> tuple[InkSums, ...]:
        """Measurements on clear cards of how this camera shows ink, newest last. Thread-safe."""
        return self._recognizer.ink

    def restore_ink(self, ink: Iterable[InkSums]) -> None:
        """Restore ink measurements made earlier in an interrupted session. Call before `start`."""
        self._recognizer.restore_ink(ink)

    def on_source_opened(self) -> None:
        """Report every card again: the table may have lost track of them meanwhile."""
        self._reported.clear()
        if self._board is not None:
            self._board.reset_report()

    def compute_pause(self, frame: Frame) -> float:
        """Return a pause while the table is calm, so that less power is used; 0 for a recorded
        film."""
        calm = not self.source.keeps_every_frame and frame.at - self._news_at > IDLE_DELAY
        return IDLE_INTERVAL if calm else 0.0

    def process_frame(self, frame: Frame) -> None:
        """Look at a frame and post what is new about each card. Called by the reader's thread, or
        by a caller with a clock of its own."""
        # Read once, because `calibrate` may replace it from another thread meanwhile.
        survey = self._survey
        zone_map = survey.find_zone_map(frame)
        # The board first: `mask_board` paints over the place at which it has just been found.
        pawns_seen = None if self._board is None else self._board.read_board(frame)
        detections = self._recognizer.detect_cards(
            frame if self._board is None else self._board.mask_board(frame)
        )
        self._report_changes(frame, detections, zone_map)
        if pawns_seen is not None:
            pawns = tuple(sorted(pawns_seen.pawns.items()))
            self._post(
                BoardSighting(self.name, BoardClaim(pawns, tuple(sorted(pawns_seen.hidden))), frame.at)
            )
        self._faults.check_frame(frame, self._recognizer)
        self.processed_frames += 1
        self._check_calibration(survey)

    @property
    def picture_notice(self) -> Text | None:
        """Message about what is wrong with the whole picture, and what to do."""
        fault = self._faults.lasting_fault
        return None if fault is None else Text(f"reader.camera.{fault}", {"device": self.source.name})

    def continue_processing(self) -> bool:
        """Continue reading the newest frame, and post the result."""
        latest = self._latest
        if latest is None or not self._recognizer.has_pending_work:
            return False
        detections = self._recognizer.run_step()
        if detections is not None:
            self._report_changes(latest[0], detections, latest[2])
        return True

    def _report_changes(self, frame: Frame, detections: list[Presence], zone_map: ZoneMap) -> None:
        """Post what is new about each card in sight, and which cards have gone."""
        self._closeups.update_closeups(frame.image, detections)
        for one in detections:
            if one.card is not None and one.sure and one.still and self._recognizer.is_new(one.card):
                view = cut_closeup(frame.image, one)
                self.learn_design(one.card, view)
                self._at_first_sight(one.card, view)
        # Before anything is posted, because a receiver may look for the card in the newest picture
        # at once. One tuple, so that other threads never combine a new picture with older cards.
        self._latest = (frame, detections, zone_map)
        for one in detections:
            sighting = self._make_sighting(one, frame, zone_map)
            if _is_news(self._reported.get(one.id), sighting):
                self._reported[one.id] = sighting
                self._news_at = frame.at
                self._post(sighting)
            elif not one.still:
                self._news_at = frame.at
        present = {one.id for one in detections}
        # The keys are copied first: entries are removed from the dictionary on the way.
        for track in [track for track in self._reported if track not in present]:
            gone = self._reported.pop(track)
            zone_map.forget_track(track)
            self._faceless.pop(track, None)
            self._news_at = frame.at
            self._post(msgspec.structs.replace(gone, at=frame.at, present=False))
        if self._recognizer.busy != self.busy:
            self.busy = self._recognizer.busy
            # After the sightings: when the table hears that all is calm, it knows every card that
            # caused it.
            self._post(ActivityReport(self.name, self.busy, frame.at))

    def _make_sighting(self, detection: Presence, frame: Frame, zone_map: ZoneMap) -> Sighting:
        sure = detection.sure
        if detection.card is None:
            since = self._faceless.setdefault(detection.id, frame.at)
            # A card without a face counts only after a while: one that is being turned over shows
            # none either.
            sure = frame.alone or frame.at - since >= NO_FACE_DEBOUNCE
        else:
            self._faceless.pop(detection.id, None)
        drift = self._recognizer.drift
        # Without the camera's own movement, or a nudged camera would look like cards being pushed
        # along.
        lies = detection.quad - np.where(np.isfinite(drift), drift, 0)
        return Sighting(
            self.name,
            detection.id,
            detection.card,
            zone_map.find_zone(detection.id, detection.quad, (0.0, 0.0) if self._survey.uses_mat else drift),
            frame.at,
            sure=sure,
            confidence=round(detection.confidence, 3),
            candidates=() if sure else tuple(card for card, _ in detection.candidates[:CANDIDATES]),
            quad=tuple((round(float(x), 1), round(float(y), 1)) for x, y in lies),
        )

    def _check_calibration(self, survey: CalibrationTracker) -> None:
        """Report when zones cannot be located: the mat's markers are not in sight, or the camera
        has moved far."""
        if survey.is_blind and not self._blind:
            self.report_health("ok", Text("reader.camera.no_mat"))
        self._blind = survey.is_blind
        if not np.all(np.isfinite(self._recognizer.drift)):
            self._recognizer.reset_drift()
            survey.reset_zone_map()
            if not survey.uses_mat:
                self.report_health("ok", Text("reader.camera.moved", {"device": self.source.name}))


def _is_news(before: Sighting | None, now: Sighting) -> bool:
    """Check whether a sighting differs enough to be posted: another reading, another zone, or the
    card was moved by more than 4 % of its size."""
    if before is None:
        return True
    if (before.design, before.where, before.sure) != (now.design, now.where, now.sure):
        return True
    moved = np.abs(np.array(before.quad) - np.array(now.quad)).max()
    return bool(moved > 0.04 * np.ptp(np.array(now.quad), axis=0).max())
