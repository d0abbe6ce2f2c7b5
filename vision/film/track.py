"""One card that is followed through a video: where it lies, what it looked like, and the votes on
its name; and how cards that creep are followed, each for itself, where the table does not tell how
the camera moves."""

from collections import Counter
from collections.abc import Generator, Iterable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from vision.film.attention import touches
from vision.film.background import Appearance, fill
from vision.film.landmarks import Landmarks, softened
from vision.film.motion import KeptFrame
from vision.film.registration import STILL
from vision.film.view import Mask, Matrix, Thumb, enlarged
from vision.geometry import Quad, transform
from vision.outline_reader import WORTH
from vision.outlines.detect import Outline
from vision.reading import Reading

VOTES = 5
"""Readings of one card at rest after which no more are asked for, sure or not."""

MORE_VOTES = 2
"""Further readings of a card that is not sure, each time its place is looked at again."""

KEPT = 8
"""Readings of one card that are kept: enough for a majority, and an evening's questions do not pile
up."""

CLEAR = 0.85
"""Confidence of a single reading that needs no second vote."""

TURN = 12
"""Steps of work on one card after which others that have had less come first: about one reading."""


@dataclass
class Track:
    """A card lying in one place.

    `look`, `ring`: the small pictures of it and of its surroundings. `votes`: its newest readings,
    `readings` how many there were, `named` what they amount to. `doubt`: the place looks otherwise,
    but no outline says what lies there; `doubted`: since when it has. `work`: a reading that has
    been begun; `spent`: steps of work since the last vote; `long`: for how many the next one
    counts; `inked`: whether it is read in the evening's ink, `sideways` as if it stood upright
    though it looks lower than wide; `ends_at_edge`: whether the picture ends along a side of what
    is read; `read_at`: seconds of the frame that was read last, `found_at` of that in which the
    outline was found. `before`: a sure reading of what looked otherwise here: it counts if the next
    one agrees. `depth`: 0 for a card whose whole outline was found; else it was completed, and lies
    under those of less depth that overlap it. `landmarks`: what it is followed by where it creeps
    along, and `place` where that lies now (small pixels). `moved`: from pixels of what is read to
    those of the newest frame.
    """

    id: int
    outline: Outline
    first_seen: float
    look: Appearance
    ring: Appearance
    votes: list[Reading] = field(default_factory=list)
    readings: int = 0
    still: bool = True
    named: Reading | None = None
    doubt: bool = False
    doubted: float | None = None
    allowed: int = VOTES
    work: Generator[int | None, None, list[Reading]] | None = None
    inked: bool = False
    sideways: bool = False
    ends_at_edge: bool = False
    spent: int = 0
    long: int = 1
    read_at: float | None = None
    found_at: float | None = None
    before: Reading | None = None
    depth: int = 0
    landmarks: Landmarks | None = None
    place: Matrix = field(default_factory=lambda: np.eye(3))
    moved: Matrix = field(default_factory=lambda: np.eye(3))

    @property
    def quad(self) -> Quad:
        """The four corners in pixels of the frame."""
        return self.outline.quad

    @property
    def sure(self) -> bool:
        """Whether the card is named for sure."""
        return self.named is not None and self.named.sure

    @property
    def wants_reading(self) -> bool:
        """Whether the card must be read, or once more."""
        return not self.votes or self.doubt or (self.readings < self.allowed and not self.sure)

    @property
    def may_stand(self) -> bool:
        """Whether the card is to be read sideways now: the third time and every fourth after it, as
        long as no reading of it was sure."""
        if any(vote.sure for vote in self.votes):
            return self.sideways
        return self.depth == 0 and self.readings % 4 == 2

    @property
    def nearly(self) -> bool:
        """Whether the card, read as the camera shows it, came near to a design, but never for
        sure."""
        return any(vote.confidence >= WORTH for vote in self.votes) and not any(
            vote.sure and vote.told is not None for vote in self.votes
        )

    def believed(self, reading: Reading) -> Reading:
        """A reading in view of the evening's ink: what makes a clear card another is not to be
        believed."""
        clear = {vote.card for vote in self.votes if vote.told is not None}
        return reading if clear <= {reading.card} else replace(reading, sure=False)

    @property
    def turn(self) -> int:
        """How long the card has been worked on: those with less come first."""
        return self.readings + self.spent // TURN

    def carry(self, step: Matrix, factor: int) -> None:
        """The card is seen elsewhere: `step` in small pixels, `factor` times larger than those of
        the frame."""
        grown = enlarged(step, factor)
        self.outline = mapped(self.outline, grown)
        self.place, self.moved = step @ self.place, grown @ self.moved

    def change(self, outline: Outline, look: Appearance) -> None:
        """Another face lies here now."""
        self.outline, self.look, self.landmarks = outline, look, None
        self.before = next((vote for vote in reversed(self.votes) if vote.sure), None)
        self.votes, self.readings, self.allowed = [], 0, VOTES
        self.doubt, self.doubted = False, None
        self.put_down()

    def allow_more(self) -> None:
        """Let the card be read again, if it is not sure; one that has not been read yet is read as
        often as any."""
        self.allowed = self.readings + MORE_VOTES if self.votes else VOTES

    def put_down(self) -> None:
        """Give up a reading that has been begun: what it has seen is no longer there."""
        self.work, self.spent, self.long = None, 0, 1

    def begin_anew(self) -> None:
        """Give up a reading that has been begun for a better outline: its frame may be read by
        that."""
        if self.work is not None:
            self.read_at = None
        self.put_down()

    def stand(self, reading: Reading) -> None:
        """Add what was read sideways: only a sure reading says that the card stands so, and then
        what was read before was of a card that lies."""
        if not reading.sure:
            self.readings += 1
            return
        self.votes = [vote for vote in self.votes if vote.sure]
        self.vote(reading)

    def vote(self, reading: Reading) -> None:
        """Add a reading; sure needs one very clear reading or two that agree, with none sure of
        another."""
        self.readings += 1
        if self.before is not None and reading.sure and reading.card == self.before.card:
            self.votes.append(self.before)
        self.before = None
        self.votes.append(reading)
        if len(self.votes) > KEPT:
            # a sure one says the most, whatever it says; of the others the least clear goes: a hand
            # lay on the card then
            unsure = [vote for vote in self.votes if not vote.sure]
            self.votes.remove(min(unsure, key=lambda vote: vote.confidence, default=self.votes[0]))
        sure = Counter(r.card for r in self.votes if r.sure)
        pool = self.votes
        agreed = False
        if len(sure) == 1:
            ((card, count),) = sure.items()
            pool = [r for r in self.votes if r.sure]
            agreed = count >= 2 or pool[0].confidence >= CLEAR
            agreed = agreed and sum(r.card not in (card, None) for r in self.votes) < count
        else:
            usual = Counter(r.card for r in self.votes).most_common(1)[0][0]
            pool = [r for r in self.votes if r.card == usual]
        best = max(pool, key=lambda r: r.confidence)
        self.named = Reading(best.card, agreed, best.confidence, best.quad, best.candidates, fills=best.fills)


def mapped(outline: Outline, matrix: Matrix) -> Outline:
    """An outline with all that goes with it, each point mapped by a matrix."""
    return Outline(
        transform(matrix, outline.quad),
        outline.support,
        tuple(transform(matrix, quad) for quad in outline.alternatives),
        tuple(mapped(inside, matrix) for inside in outline.inside),
    )


ENOUGH = 12
"""Points that a card must have to be followed where it creeps."""

MOST = 0.85
"""Part of a card's points that must be found again: with a finger on it three quarters are."""

BEGINS = 3
"""Steps of fitting after which more of a card that creeps is found again than where it lay."""

CREEPING, FASTEST = 1.5, 6.0
"""Small pixels a frame up to which a card counts as lying there still, and up to which it is
followed at all: at 1080p and 30 frames a second 180 and 720 pixels a second."""


def follow_creeping(tracks: Iterable[Track], now: KeptFrame) -> Mask | None:
    """Follow cards that moved a little and look as before; return where that explains what is seen,
    in small pixels.

    Where the table itself shows too little to tell how a camera in a hand moves, its cards are
    followed each for itself; so are cards that are pushed along.
    """
    busy = now.change.busy
    explained = np.zeros(now.thumb.shape, dtype=np.uint8)
    soft: Thumb | None = None
    for track in tracks:
        if not touches(track.quad, busy, now.factor):
            if track.landmarks is None:
                track.landmarks, track.place = _landmarks(now, track.quad), np.eye(3)
        elif track.landmarks is not None and len(track.landmarks) >= ENOUGH:
            soft = softened(now.thumb) if soft is None else soft
            _creep(track, track.landmarks, now, soft, explained)
    return np.asarray(explained > 0, dtype=np.bool_) if explained.any() else None


def _creep(
    track: Track, landmarks: Landmarks, now: KeptFrame, soft: Thumb, explained: NDArray[np.uint8]
) -> None:
    """Follow one card; note in `explained` where it was and is."""
    place = landmarks.fit(soft, track.place, rounds=BEGINS)
    before, begun = (landmarks.explained(landmarks.off(soft, at)) for at in (track.place, place))
    if begun <= before:  # most of what changes over a card is a hand, and no step leads anywhere
        return
    place = landmarks.fit(soft, place)
    step = np.asarray(place @ np.linalg.inv(track.place), dtype=np.float64)
    lay = _wider(track.quad, now.factor)
    lies = transform(enlarged(step, now.factor), lay)
    far = float(np.linalg.norm(lies - lay, axis=1).max()) / now.factor
    if not STILL <= far <= FASTEST or landmarks.explained(landmarks.off(soft, place)) < MOST:
        return
    quad = transform(enlarged(step, now.factor), track.quad)
    if not Appearance.take(now.thumb, quad, now.factor).same(track.look, now.slack):
        return
    track.carry(step, now.factor)
    if far <= CREEPING:
        fill(explained, lay, now.factor)
        fill(explained, lies, now.factor)


def _wider(quad: Quad, factor: int) -> Quad:
    """A quad with two small pixels round it."""
    out = quad - quad.mean(axis=0)
    length = np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-3)
    return np.asarray(quad + out / length * (2 * factor), dtype=np.float32)


def _landmarks(now: KeptFrame, quad: Quad) -> Landmarks:
    """What a card can be followed by: its own print, and its edges."""
    low = np.maximum(np.floor(quad.min(axis=0) / now.factor).astype(int) - 4, 0)
    high = np.ceil(quad.max(axis=0) / now.factor).astype(int) + 5
    cut = now.thumb[low[1] : high[1], low[0] : high[0]]
    if min(cut.shape) < 8:
        cut = now.thumb
        low[:] = 0
    inside = np.zeros(cut.shape, dtype=np.uint8)
    fill(inside, _wider(quad, now.factor) - low * now.factor, now.factor)
    return Landmarks.of(cut, inside > 0, (int(low[0]), int(low[1])))
