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

from bench.harness import Options, Row, format_share, format_spread
from bench.verdicts import Verdicts, compare_verdicts, load_verdicts, save_verdicts
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
from vision.video.presence import Presence
from vision.video.watcher import Watcher

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

    def add_trial(self, trial: Trial, measures: Iterable[Measure] = ()) -> str:
        """Read one picture, and count; return a letter of `verdicts.MEANINGS` for each whole card
        of a known design."""
        began = time.process_time()
        readings = trial.reader.read(trial.picture)
        self.seconds.append(time.process_time() - began)
        for measure in measures:
            self.more.update(measure(trial, readings))
        left = self._count_strangers(trial, trial.reader, readings)
        known = _list_known_designs(trial.reader.library)
        labels = [c for c in trial.cards if c.card in known]
        asked = [replace(c, ignore=True) for c in trial.cards if c.card not in known and not c.is_whole]
        letters = dict.fromkeys((id(c) for c in labels if c.is_whole), ".")
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
                if label.is_whole:
                    letters[id(label)] = "S" if best.sure else "u"
        # the rest: cards without a right reading, and readings without a card
        for label in asked:
            holding = [r.sure for r in left if contains_point(r.quad, (label.x, label.y))]
            if id(label) in letters and holding:
                letters[id(label)] = "W" if any(holding) else "x"
        score_photo(self.tally, trial.name, asked, left)
        for ignorant in trial.ignorant:
            # only pictures with a card that this reader does not know
            if any(c.is_whole and c.card not in ignorant.library.designs for c in trial.cards):
                self._count_strangers(trial, ignorant, ignorant.read(trial.picture))
        return "".join(letters.values())

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
        known = _list_known_designs(reader.library)
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
    trials: Iterable[Trial],
    options: Options,
    target: Mapping[str, str],
    measures: Iterable[Measure] = (),
    ways: Sequence[str] = ("photo",),
    record: str = "",
) -> Iterator[Row]:
    """Count a stream in which the pictures of a row follow one another: yield a row for each, one
    for all, the aim, and below them the wrong readings that would have been acted on.

    `ways`: the ways of reading, unless the options name one; of the second, only the columns of
    `SECOND` are shown. `record`: name of the file of verdicts with which the run is compared.
    """
    ways = options.ways or ways
    rows: dict[str, list[TrialCount]] = {}
    verdicts: Verdicts = {}
    cards: dict[str, list[str]] = {}
    before = ""
    for trial in trials:
        if not options.wants_row(trial.row):
            continue
        # a row is complete when the next one begins
        if before not in ("", trial.row):
            yield _format_row(before, rows[before], ways)
        before = trial.row
        counts = rows.setdefault(before, [TrialCount() for _ in ways])
        letters = [_count_way(*one, trial, measures) for one in zip(ways, counts, strict=True)]
        verdicts[trial.name] = dict(zip(ways, letters, strict=True))
        known = _list_known_designs(trial.reader.library)
        cards[trial.name] = [c.card for c in trial.cards if c.is_whole and c.card in known]
    if not rows:
        return
    yield _format_row(before, rows[before], ways)
    whole = _format_row(
        "all", [sum(counts, TrialCount()) for counts in zip(*rows.values(), strict=True)], ways
    )
    yield whole
    yield {**dict.fromkeys(whole, ""), "row": "aim or peer", **target}
    for row, counts in rows.items():
        yield from _list_wrong(row, ways, counts)
    if record:
        yield from compare_verdicts(load_verdicts(record), verdicts, cards)
        if options.record:
            save_verdicts(record, verdicts)


def _count_way(way: str, count: TrialCount, trial: Trial, measures: Iterable[Measure]) -> str:
    """Read a picture in one way, and count; return the letters of its verdicts."""
    if way == "video" and isinstance(trial.reader, Reader):
        # readers that lack designs read the photograph only: each reads every picture again
        return count.add_trial(trial._replace(reader=VideoReader(trial.reader), ignorant=()))
    return count.add_trial(trial, measures)


def _list_wrong(
    row: str, ways: Sequence[str], counts: Sequence[TrialCount]
) -> Iterator[Mapping[str, object]]:
    """Yield a row for each wrong reading that would have been acted on."""
    for way, count in zip(ways, counts, strict=True):
        for mistake in count.tally.mistakes:
            # ends of the texts in `AccuracyRow.mistakes`
            if mistake.endswith(("wrong, sure", "lies, sure")):
                yield {"acted on and wrong": f"{row}, as {way}: {mistake}"}


SECOND = ("right, sure", "wrong, sure", "strangers named", "s a picture")
"""The columns that are shown of the second way of reading, besides further counts."""


def _format_row(row: str, counts: Sequence[TrialCount], ways: Sequence[str]) -> dict[str, object]:
    """Return the cells of a row, those of the second way of reading after those of the first."""
    first = counts[0].format_cells(row)
    for way, count in zip(ways[1:], counts[1:], strict=True):
        cells = count.format_cells(row)
        wanted = [*SECOND, *count.more]
        first |= {name if name in count.more else f"{way}: {name}": cells[name] for name in wanted}
    return first


def _list_known_designs(library: Library) -> set[str]:
    """Return the designs that a reader may name: those with a view, and those of its pack."""
    return {*library.designs, *library.missing_designs}


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
    """Build readers that each lack a quarter of the designs; none if there are none."""
    return [make_reader(leave_out_designs(library, first)) for first in range(LEFT_OUT) if library.references]


def leave_out_designs(library: Library, first: int) -> Library:
    """Return the library without every `LEFT_OUT`-th design from number `first` on."""
    left_out = set(sorted(library.designs)[first::LEFT_OUT])
    return Library(one for one in library.references if one.card not in left_out)


class VideoReader:
    """Reads a picture as a watcher does that is shown a video of it: ten frames a second, each with
    other sensor noise, until nothing is left to be read, for six seconds at most.

    `bare_table`: what is shown for a second before, if the cards are laid then. `named`: after how
    many seconds each card was sure.
    """

    NOISE = 2.0
    """Noise in grey levels."""
    RATE, SECONDS, REST = 10, 6.0, 3.3
    """Frames a second; most seconds of a video, and least: a place with something unidentified is
    looked at for the last time 3.1 s after it came to rest."""
    SPARE_STEPS = 13
    """Steps of reading between two frames, 40 to 70 ms of one core: what is left of a tenth of a
    second."""

    def __init__(self, reader: Reader, bare_table: Picture | None = None) -> None:
        self.library, self.margins = reader.library, reader.margins
        self._bare_table = bare_table
        self.named: dict[str, float] = {}

    def read(self, picture: Picture) -> list[Reading]:
        """Return what the watcher reports at the end."""
        # the same noise in every run, so that runs can be compared; cut out elsewhere for each
        # frame, because drawing it anew takes longer than reading
        rng = np.random.default_rng(1)
        height, width = picture.shape[:2]
        grey = (self.NOISE * rng.standard_normal((height + 64, width + 64), np.float32)).astype(np.int16)
        grain = cv2.merge([grey] * 3)
        watcher, self.named = Watcher(self.library, self.margins), {}
        seen: list[Presence] = []
        first = 0 if self._bare_table is None else -self.RATE
        for number in range(first, round(self.SECONDS * self.RATE)):
            top, left = rng.integers(64, size=2)
            here = grain[top : top + height, left : left + width]
            shown = picture if number >= 0 or self._bare_table is None else self._bare_table
            frame = np.asarray(cv2.add(shown, here, dtype=cv2.CV_8U), dtype=np.uint8)
            watcher.update(frame, number / self.RATE)
            for _ in range(self.SPARE_STEPS):
                watcher.run_step()
            seen = watcher.visible_cards
            sure = {str(card.card): number / self.RATE for card in seen if card.sure}
            self.named = {**sure, **self.named}
            if number / self.RATE >= self.REST and not watcher.busy:
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
        # a pack that was never shown: there is nothing to compare with
        if not library.references:
            return {}
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
