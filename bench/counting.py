"""Count the camera's readings of labelled pictures, for all benches that read.

Every such bench is one stream of pictures with labels (`Trial`): each counts for a row, is read by
a reader that knows a deck (and by others that lack some of its designs), and is counted by one
function (`count_trials`) into one table; beside it, the results of usual methods of recognising and
finding cards in the same picture, and of enrolment.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.harness import Options, format_share, format_spread
from tests.simulated.packs import compared
from vision.command_line import AccuracyRow, score_photo
from vision.decks import capture, separation
from vision.decks.enrol import find_outline_of_label
from vision.decks.labels import Label
from vision.fitting.patch import MARGIN, cut_raw_patch
from vision.geometry import (
    Quad,
    contains_point,
    is_convex,
    order_clockwise,
    overlap_area,
    quad_area,
    side_lengths,
    start_on_short_side,
)
from vision.library import Library
from vision.outlines.detect import find_outlines, intersection_over_union, iterate_quads
from vision.reader import Reader
from vision.reading import Reading
from vision.video.watcher import Watcher
from vision.video.work_queue import STEPS

Picture = NDArray[np.uint8]

LEFT_OUT = 4
"""Interval at which designs are left out to be unknown cards, first one series, then the next,
until each was."""

# figures are those of one core
cv2.setNumThreads(1)


class PictureReader(Protocol):
    """Something that reads a picture, and the library that it knows."""

    library: Library

    def read(self, picture: Picture, /) -> list[Reading]:
        """Read all cards of a picture."""


class Trial(NamedTuple):
    """One picture of a stream: the row for which it counts, its reader, and the cards in it. Cards
    of designs that the reader lacks count as unknown cards.

    `ignorant`: readers that lack designs, of which only the readings of unknown cards are counted.
    """

    row: str
    reader: PictureReader
    picture: Picture
    cards: Sequence[Label]
    ignorant: Sequence[PictureReader] = ()
    name: str = ""


Measure = Callable[[Trial, Sequence[Reading]], Mapping[str, float]]
"""Further counts of a picture and its readings, by column."""


@dataclass
class TrialCount:
    """Results of the pictures of one row. `strangers`: cards of designs that the reader does not
    know, `named`: those of them of which it is sure; `seconds`: processor time for each picture;
    `after`: seconds of video until each right card was identified."""

    tally: AccuracyRow = field(default_factory=AccuracyRow)
    strangers: int = 0
    named: int = 0
    seconds: list[float] = field(default_factory=list)
    after: list[float] = field(default_factory=list)
    more: Counter[str] = field(default_factory=Counter)

    def add_trial(self, trial: Trial, measures: Iterable[Measure] = ()) -> None:
        """Read one picture, and count."""
        began = time.process_time()
        readings = trial.reader.read(trial.picture)
        self.seconds.append(time.process_time() - began)
        for measure in measures:
            self.more.update(measure(trial, readings))
        left = self._count_strangers(trial, trial.reader, readings)
        known = trial.reader.library.designs
        labels = [c for c in trial.cards if c.card in known]
        asked = [replace(c, ignore=True) for c in trial.cards if c.card not in known and not c.is_whole]
        # whole cards choose first, as in `score_photo`
        for label in sorted(labels, key=lambda c: not c.is_whole):
            mine = [r for r in left if r.card == label.card and _is_of_label(r, label)]
            # a sure reading counts before an unsure one of the same card
            best = max(mine, key=lambda r: r.sure, default=None)
            if best is None:
                asked.append(label)
            else:
                left = [r for r in left if r is not best]
                self._count_right(label, best, trial.reader)
        # the rest: cards without a right reading, and readings without a card
        score_photo(self.tally, trial.name, asked, left)
        for ignorant in trial.ignorant:
            # only pictures with a card that this reader does not know
            if any(c.is_whole and c.card not in ignorant.library.designs for c in trial.cards):
                self._count_strangers(trial, ignorant, ignorant.read(trial.picture))

    def _count_right(self, label: Label, reading: Reading, reader: PictureReader) -> None:
        if label.is_whole:
            self.tally.right_sure += reading.sure
            self.tally.right_unsure += not reading.sure
            named = reader.named if isinstance(reader, VideoReader) and reading.sure else {}
            self.after += [named[card] for card in (label.card,) if card in named]
        elif not label.ignore:
            self.tally.hidden += 1
            self.tally.hidden_right += reading.sure

    def _count_strangers(
        self, trial: Trial, reader: PictureReader, readings: Sequence[Reading]
    ) -> list[Reading]:
        """Count the cards that the reader does not know; return the readings of the others."""
        known = reader.library.designs
        strange = [c for c in trial.cards if c.is_whole and c.card not in known]
        others = [c for c in trial.cards if not c.is_whole or c.card in known]
        # right readings of other cards do not count, though they may cover the point
        theirs = [r for r in readings if not any(r.card == c.card and _is_of_label(r, c) for c in others)]
        of = [[r for r in theirs if contains_point(r.quad, (c.x, c.y))] for c in strange]
        self.strangers += len(strange)
        self.named += sum(any(r.sure for r in mine) for mine in of)
        return [r for r in readings if not any(r is one for mine in of for one in mine)]

    def format_cells(self, row: str) -> dict[str, object]:
        """Return the cells of its row."""
        t = self.tally
        cells: dict[str, object] = {
            "row": row,
            "cards": t.card_count,
            "right, sure": format_share(t.right_sure, t.card_count),
            "right, unsure": t.right_unsure,
            "wrong, sure": t.wrong_sure,
            "wrong, unsure": t.wrong_unsure,
            "missed": t.missed,
            "false, sure": t.false_sure,
            "partly hidden: right, wrong": f"{t.hidden_right}, {t.hidden_wrong} of {t.hidden}"
            if t.hidden
            else "–",
            "strangers named": f"{self.named} of {self.strangers}" if self.strangers else "–",
            "s a picture": format_spread(self.seconds, ".2f"),
            "s of film": format_spread(self.after, ".2f"),
        }
        return cells | {name: f"{number:g}" for name, number in self.more.items()}

    def __add__(self, other: "TrialCount") -> "TrialCount":
        """Add two counts."""
        more = Counter(self.more)
        more.update(other.more)  # a sum of counters would drop zeros
        tally = AccuracyRow(
            **{name: getattr(self.tally, name) + getattr(other.tally, name) for name in vars(self.tally)}
        )
        return TrialCount(
            tally,
            self.strangers + other.strangers,
            self.named + other.named,
            self.seconds + other.seconds,
            self.after + other.after,
            more,
        )


def count_trials(
    trials: Iterable[Trial], options: Options, target: Mapping[str, str], measures: Iterable[Measure] = ()
) -> Iterator[Mapping[str, object]]:
    """Count a stream in which the pictures of a row follow one another: yield a row for each, one
    for all, the aim, and below them the wrong readings that would have been acted on."""
    rows: dict[str, TrialCount] = {}
    before = ""
    for trial in trials:
        if not options.wants_row(trial.row):
            continue
        # a row is complete when the next one begins
        if before not in ("", trial.row):
            yield rows[before].format_cells(before)
        before = trial.row
        reader = (
            VideoReader(trial.reader)
            if options.as_film and isinstance(trial.reader, Reader)
            else trial.reader
        )
        rows.setdefault(before, TrialCount()).add_trial(trial._replace(reader=reader), measures)
    if not rows:
        return
    yield rows[before].format_cells(before)
    whole = sum(rows.values(), TrialCount()).format_cells("all")
    yield whole
    yield {**dict.fromkeys(whole, ""), "row": "aim or peer", **target}
    for row, count in rows.items():
        for mistake in count.tally.mistakes:
            # ends of the texts in `AccuracyRow.mistakes`
            if mistake.endswith(("wrong, sure", "lies, sure")):
                yield {"acted on and wrong": f"{row}: {mistake}"}


def _is_of_label(reading: Reading, label: Label) -> bool:
    """Check whether a reading is of a labelled card: it covers most of its quad if that is known,
    otherwise its point; for a card that is not to be read it may be near, as where one was read by
    the painting in its frame."""
    at = (label.x, label.y)
    if label.ignore and label.quad is None:
        near = float(np.linalg.norm(reading.quad.mean(axis=0) - at)) < side_lengths(reading.quad).max() / 2
        return near or contains_point(reading.quad, at)
    if label.quad is None:
        return contains_point(reading.quad, at)
    return overlap_area(reading.quad, label.quad) > 0.5 * quad_area(label.quad)


# readers


def make_reader(library: Library) -> Reader:
    """Build a reader with the margins of its deck."""
    return Reader(library, separation.measure_separation(library).margins)


def make_lacking_readers(library: Library) -> list[Reader]:
    """Build readers that each lack a quarter of the designs."""
    return [make_reader(leave_out_designs(library, first)) for first in range(LEFT_OUT)]


def leave_out_designs(library: Library, first: int) -> Library:
    """Return the library without every `LEFT_OUT`-th design from number `first` on."""
    left_out = set(sorted(library.designs)[first::LEFT_OUT])
    return Library(one for one in library.references if one.card not in left_out)


class VideoReader:
    """Reads a picture as a watcher does that is shown a video of it, with different sensor noise in
    every frame, until nothing is left to be read.

    `before`: pictures shown first, each with its seconds; `named`: after how many seconds each
    card was sure; `rate`: frames a second; `steps`: steps of reading in a frame, as many as a
    camera leaves time for while it shows a still table.
    """

    NOISE = 2.0
    """Noise in grey levels."""

    def __init__(
        self,
        reader: Reader,
        before: Sequence[tuple[Picture, float]] = (),
        *,
        rate: int = 10,
        steps: int = 200,
        seconds: float = 6.0,
    ) -> None:
        self.library, self.margins = reader.library, reader.margins
        self.before, self.rate, self.steps, self.seconds = before, rate, steps, seconds
        self.named: dict[str, float] = {}

    @classmethod
    def for_new_cards(cls, reader: Reader, before: Sequence[tuple[Picture, float]]) -> "VideoReader":
        """Lay cards while a camera of thirty frames a second watches, for two seconds."""
        return cls(reader, before, rate=30, steps=STEPS, seconds=2.0)

    def read(self, picture: Picture) -> list[Reading]:
        """Return what the watcher reports at the end."""
        # the same noise in every run, so that runs can be compared
        noise = np.random.default_rng(1)
        watcher, self.named, frame = Watcher(self.library, self.margins, self.steps), {}, 0
        for shown, seconds in [*self.before, (picture, self.seconds)]:
            for number in range(round(seconds * self.rate)):
                grain = (self.NOISE * noise.standard_normal(shown.shape[:2], np.float32)).astype(np.int16)
                seen = watcher.update(
                    np.clip(shown + grain[:, :, None], 0, 255).astype(np.uint8), frame / self.rate
                )
                frame += 1
                if shown is picture:
                    sure = {str(card.card): number / self.rate for card in seen if card.sure}
                    self.named = {**sure, **self.named}
                    # not after the first frame, when nothing has been begun yet
                    if number and not watcher.busy and not self.before:
                        break
        return [Reading(one.card, one.sure, one.confidence, one.quad, one.candidates) for one in seen]


Points = NDArray[np.float32]
Peer = Callable[[Picture], int]
"""Index of the known picture that a card looks most like."""

FOUND, BESIDE = 0.8, 0.3
"""Part of the joint area from which an outline is the card's, and part of an outline that may lie
on cards if it is beside them."""


def measure_best_guess(name: str, make: Callable[[Sequence[Picture]], Peer]) -> Measure:
    """Build a measure of how many of the whole cards a peer's best guess identifies, on our
    outlines."""

    @lru_cache(maxsize=2)
    def make_peer(library: Library) -> Peer:
        bare = [r.picture[MARGIN:-MARGIN, MARGIN:-MARGIN] for r in library.references]
        return make([np.ascontiguousarray(one) for one in bare])

    def measure_trial(trial: Trial, _: Sequence[Reading]) -> Mapping[str, float]:
        library, found = trial.reader.library, find_outlines(trial.picture)
        right = 0
        for label in (c for c in trial.cards if c.is_whole):
            quad = find_outline_of_label(found, label)
            if quad is not None:
                cut = cut_raw_patch(trial.picture, start_on_short_side(quad), library.patch_height)[
                    MARGIN:-MARGIN, MARGIN:-MARGIN
                ]
                guess = make_peer(library)(np.ascontiguousarray(cut))
                right += library.references[guess].card == label.card
        return {f"peer: {name}": right}

    return measure_trial


def measure_outlines(trial: Trial, _: Sequence[Reading]) -> Mapping[str, float]:
    """Count the cards that have an outline, and the outlines beside all cards; the same for the
    method of tutorials."""
    cards = [c.quad for c in trial.cards if c.quad is not None]
    ours, usual = find_outlines(trial.picture), find_quads_like_tutorials(trial.picture)
    return {
        "outlines: found": _count_matched([quad for quad, _ in iterate_quads(ours)], cards),
        "outlines: false": _count_off_cards([one.quad for one in ours], cards),
        "peer, a tutorial's: found": _count_matched(usual, cards),
        "peer: false": _count_off_cards(usual, cards),
    }


def measure_enrolment(trial: Trial, readings: Sequence[Reading]) -> Mapping[str, float]:
    """Compare the cards that enrolment takes from a photograph before it knows any with those fully
    visible: whether all and nothing else; the same for the reader that knows the deck."""
    wanted = sum(card.is_whole for card in trial.cards)
    found, others = compared(capture.detect_cards_in_reading_order(trial.picture), trial.cards)
    return {
        "pictures": 1,
        "enrolment: all and nothing else": (found, others) == (wanted, 0),
        "expected": wanted,
        "found": found,
        "not found": wanted - found,
        "extra": others,
        "peer, who knows the deck": compared([r.quad for r in readings], trial.cards) == (wanted, 0),
    }


def find_quads_like_tutorials(image: Picture) -> list[Quad]:
    """Find quads as tutorials do: Otsu's threshold after a blur, `findContours`, `approxPolyDP`."""
    grey = cv2.GaussianBlur(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), (5, 5), 0)
    _, mask = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    found = []
    for contour in cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)[0]:
        corners = cv2.approxPolyDP(contour, 0.04 * cv2.arcLength(contour, True), True)
        # neither specks nor the whole table
        if len(corners) == 4 and 1500 < cv2.contourArea(corners) < 0.5 * grey.size:
            quad = order_clockwise(corners)
            if is_convex(quad):
                found.append(quad)
    return found


def _count_matched(quads: Sequence[Quad], cards: Sequence[Quad]) -> int:
    return sum(any(intersection_over_union(quad, card) > FOUND for quad in quads) for card in cards)


def _count_off_cards(quads: Sequence[Quad], cards: Sequence[Quad]) -> int:
    return sum(sum(overlap_area(quad, card) for card in cards) < BESIDE * quad_area(quad) for quad in quads)


def _rotate_half_turn(picture: Picture) -> Picture:
    return np.ascontiguousarray(picture[::-1, ::-1])


class PerceptualHash:
    """The perceptual hash of 256 bits: signs of the low frequencies of a cosine transform, for each
    colour channel."""

    def __init__(self, known: Sequence[Picture]) -> None:
        self._known = np.stack([self.compute_bits(one) for one in known])

    def __call__(self, seen: Picture) -> int:
        """Return the index of the hash with the fewest bits different, either way up."""
        ways = (self.compute_bits(seen), self.compute_bits(_rotate_half_turn(seen)))
        return int(np.min([(self._known != way).sum(axis=1) for way in ways], axis=0).argmin())

    @staticmethod
    def compute_bits(picture: Picture) -> NDArray[np.bool_]:
        """Compute the bits of one picture."""
        bits = []
        for channel in cv2.split(cv2.cvtColor(picture, cv2.COLOR_BGR2LAB)):
            small = cv2.resize(channel, (32, 32), interpolation=cv2.INTER_AREA).astype(np.float32)
            low = cv2.dct(small)[:16, :16].ravel()
            bits.append(low > np.median(low))
        return np.concatenate(bits)


class OrbMatcher:
    """ORB: the 80 nearest pairs of 400 points, as many as agree on one homography."""

    def __init__(self, known: Sequence[Picture]) -> None:
        self._orb = cv2.ORB.create(400)
        self._matcher = cv2.BFMatcher(cv2.NORM_HAMMING, crossCheck=True)
        self._known = [self._detect_features(one) for one in known]

    def __call__(self, seen: Picture) -> int:
        """Return the index with the most points that agree; ORB finds a turned card by itself."""
        points, described = self._detect_features(seen)
        return int(np.argmax([self._count_inliers(one, points, described) for one in self._known]))

    def _detect_features(self, picture: Picture) -> tuple[Points, cv2.typing.MatLike | None]:
        found, described = self._orb.detectAndCompute(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), None)
        return np.array([point.pt for point in found], np.float32).reshape(-1, 2), described

    def _count_inliers(
        self,
        known: tuple[Points, cv2.typing.MatLike | None],
        points: Points,
        descriptors: cv2.typing.MatLike | None,
    ) -> int:
        if descriptors is None or known[1] is None:
            return 0
        pairs = sorted(self._matcher.match(known[1], descriptors), key=lambda m: m.distance)[:80]
        there, here = [m.queryIdx for m in pairs], [m.trainIdx for m in pairs]
        source, target = known[0][there], points[here]
        # a homography needs four points, and one more to agree
        if len(source) < 5:
            return 0
        _, mask = cv2.findHomography(source, target, cv2.RANSAC, 3.0)
        return 0 if mask is None else int(mask.sum())


PEERS = [measure_best_guess("perceptual hash", PerceptualHash), measure_best_guess("ORB", OrbMatcher)]
"""Peers of the reader, on the same outlines."""
