"""Follow one card through a video.

A `Track` holds the card's place, its looks and the votes on its design; each reading is a vote.
Cards that creep are followed one by one (`track_creeping_cards`), where the table does not show how
the camera moves.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from vision.geometry import Quad, transform_points
from vision.outline_reader import WORTH
from vision.outlines.detect import Outline
from vision.reading import Reading
from vision.steps import Steps
from vision.video.background import Appearance, fill_quad
from vision.video.landmarks import Landmarks, blur_thumb
from vision.video.motion import FrameRecord
from vision.video.region_schedule import quad_touches_grid
from vision.video.registration import STILL
from vision.video.view_transform import Mask, Matrix, Thumb, scale_view

VOTES = 5
"""Readings of one card at rest after which no more are made, sure or not."""

MORE_VOTES = 2
"""Further readings of a card that is not sure, each time its place is looked at again."""

KEPT = 8
"""Readings of one card that are stored: enough for a majority, and limited over an evening."""

CLEAR = 0.85
"""Confidence from which a single reading needs no second vote."""

TURN = 12
"""Steps of work on one card after which others that have had less come first: about one reading."""


@dataclass
class Track:
    """A card lying in one place.

    `look`, `ring`: small pictures of the card and of its surroundings. `votes`: its newest
    readings, `readings`: their number so far, `named`: their result. `doubt`: the place looks
    different, but no outline was found there; `doubted`: since when. `work`: a reading in
    progress; `spent`: steps of work since the last vote; `long`: cost of the next step; `inked`:
    whether the reading assumes the ink as this camera has shown it, `sideways`: whether it assumes
    a card that stands upright though it looks lower than wide; `ends_at_edge`: whether the picture
    ends along a side of the card being read; `read_at`: seconds of the frame read last, `found_at`:
    of the frame in which the outline was found. `before`: the last sure reading before the place
    changed: it counts if the next one agrees. `depth`: 0 for a card whose whole outline was found;
    otherwise its outline was completed, and it lies under overlapping cards of less depth.
    `landmarks`: points by which it is followed while it creeps, and `place`: where these lie now
    (small pixels). `moved`: map from the pixels being read to those of the newest frame. `probed`:
    whether it was compared with the deck as a distorted picture would show it.
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
    work: Steps[list[Reading]] | None = None
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
    probed: bool = False

    @property
    def quad(self) -> Quad:
        """The four corners in pixels of the frame."""
        return self.outline.quad

    @property
    def is_sure(self) -> bool:
        """Whether the card is identified for sure."""
        return self.named is not None and self.named.sure

    @property
    def needs_reading(self) -> bool:
        """Whether the card must be read, for the first time or again."""
        return not self.votes or self.doubt or (self.readings < self.allowed and not self.is_sure)

    @property
    def needs_sideways_reading(self) -> bool:
        """Whether to read the card sideways now: the third time and every fourth after it, as long
        as no reading of it was sure."""
        if any(vote.sure for vote in self.votes):
            return self.sideways
        return self.depth == 0 and self.readings % 4 == 2

    @property
    def has_near_match(self) -> bool:
        """Whether the card, read with the ink as the camera shows it, came near to a design but was
        never sure."""
        return any(vote.confidence >= WORTH for vote in self.votes) and not any(
            vote.sure and vote.ink is not None for vote in self.votes
        )

    def check_against_clear_votes(self, reading: Reading) -> Reading:
        """Make a reading unsure if it assumed the camera's ink and contradicts a reading that was
        clear without it."""
        clear = {vote.card for vote in self.votes if vote.ink is not None}
        return reading if clear <= {reading.card} else replace(reading, sure=False)

    @property
    def reading_effort(self) -> int:
        """How long the card has been worked on; those with less come first."""
        return self.readings + self.spent // TURN

    def apply_camera_motion(self, step: Matrix, factor: int) -> None:
        """Move the card's place by `step` in small pixels, which are `factor` times larger than
        those of the frame."""
        grown = scale_view(step, factor)
        self.outline = transform_outline(self.outline, grown)
        self.place, self.moved = step @ self.place, grown @ self.moved

    def replace_face(self, outline: Outline, appearance: Appearance) -> None:
        """Start again with a new outline and look: another face lies here now."""
        self.outline, self.look, self.landmarks = outline, appearance, None
        # if it was only a shadow or a hand, the next reading agrees with this one, and two are
        # enough
        self.before = next((vote for vote in reversed(self.votes) if vote.sure), None)
        self.votes, self.readings, self.allowed = [], 0, VOTES
        self.doubt, self.doubted = False, None
        self.cancel_reading()

    def allow_rereading(self) -> None:
        """Allow further readings of the card if it is not sure; one that has not been read yet gets
        the usual number."""
        self.allowed = self.readings + MORE_VOTES if self.votes else VOTES

    def cancel_reading(self) -> None:
        """Drop a reading in progress: what it has seen is no longer there."""
        self.work, self.spent, self.long = None, 0, 1

    def restart_reading(self) -> None:
        """Drop a reading in progress for a better outline, which may read the same frame."""
        if self.work is not None:
            self.read_at = None
        self.cancel_reading()

    def add_sideways_reading(self, reading: Reading) -> None:
        """Add a reading done sideways. Only a sure one counts: it shows that the card stands, and
        that earlier unsure readings assumed a card lying down."""
        if not reading.sure:
            self.readings += 1
            return
        self.votes = [vote for vote in self.votes if vote.sure]
        self.add_vote(reading)

    def add_vote(self, reading: Reading, decisive: bool = False) -> None:
        """Add a reading. A card is sure after one very clear reading or two that agree, with none
        sure of another design; `decisive`: after this one alone, which has stood all tests that a
        photograph's reading must."""
        self.readings += 1
        if self.before is not None and reading.sure and reading.card == self.before.card:
            self.votes.append(self.before)
        self.before = None
        self.votes.append(reading)
        if len(self.votes) > KEPT:
            # sure votes matter most, whichever card they name; of the others the least clear is
            # dropped, since a hand probably lay on the card
            unsure = [vote for vote in self.votes if not vote.sure]
            self.votes.remove(min(unsure, key=lambda vote: vote.confidence, default=self.votes[0]))
        sure = Counter(r.card for r in self.votes if r.sure)
        pool = self.votes
        agreed = False
        if len(sure) == 1:
            ((card, count),) = sure.items()
            pool = [r for r in self.votes if r.sure]
            agreed = decisive or count >= 2 or pool[0].confidence >= CLEAR
            # readings of another design, though unsure, must be fewer than the sure ones
            agreed = agreed and sum(r.card not in (card, None) for r in self.votes) < count
        else:
            usual = Counter(r.card for r in self.votes).most_common(1)[0][0]
            pool = [r for r in self.votes if r.card == usual]
        best = max(pool, key=lambda r: r.confidence)
        # without the evidence, which holds whole pictures
        self.named = Reading(
            best.card,
            agreed,
            best.confidence,
            best.quad,
            best.candidates,
            leads=best.leads,
            fills=best.fills,
            partly_hidden=best.partly_hidden,
        )


def transform_outline(outline: Outline, matrix: Matrix) -> Outline:
    """Map every point of an outline, of its alternatives and of the outlines inside it by a
    matrix."""
    return Outline(
        transform_points(matrix, outline.quad),
        outline.support,
        tuple(transform_points(matrix, quad) for quad in outline.alternatives),
        tuple(transform_outline(inside, matrix) for inside in outline.inside),
    )


ENOUGH = 12
"""Least number of points of a card that can be followed while it creeps."""

MOST = 0.85
"""Part of a card's points that must be found again; with a finger on it three quarters are."""

BEGINS = 3
"""Steps of fitting after which more of a card's points must fit than in its old place."""

CREEPING, FASTEST = 1.5, 6.0
"""Small pixels a frame up to which a card counts as still lying there, and up to which it is
followed at all: at 1080p and 30 frames a second 180 and 720 pixels a second."""


def track_creeping_cards(tracks: Iterable[Track], now: FrameRecord) -> Mask | None:
    """Follow cards that moved a little and look as before; return the mask of small pixels that
    this explains, or None.

    Where the table shows too little to find how a hand-held camera moves, each card is followed by
    itself; so are cards that are pushed along.
    """
    busy = now.change.busy_blocks
    explained = np.zeros(now.thumb.shape, dtype=np.uint8)
    soft: Thumb | None = None
    for track in tracks:
        # its points are taken while it rests: a hand over it would give points of the hand
        if not quad_touches_grid(track.quad, busy, now.factor):
            if track.landmarks is None:
                track.landmarks, track.place = _build_landmarks(now, track.quad), np.eye(3)
        elif track.landmarks is not None and len(track.landmarks) >= ENOUGH:
            soft = blur_thumb(now.thumb) if soft is None else soft
            _track_creeping_card(track, track.landmarks, now, soft, explained)
    return np.asarray(explained > 0, dtype=np.bool_) if explained.any() else None


def _track_creeping_card(
    track: Track, landmarks: Landmarks, now: FrameRecord, blurred: Thumb, explained: NDArray[np.uint8]
) -> None:
    """Follow one card; mark in `explained` where it was and is."""
    place = landmarks.refine_view(blurred, track.place, rounds=BEGINS)
    before, begun = (
        landmarks.inlier_share(landmarks.measure_residuals(blurred, at)) for at in (track.place, place)
    )
    if begun <= before:  # most changes over a card are a hand, and then no step helps
        return
    place = landmarks.refine_view(blurred, place)
    step = np.asarray(place @ np.linalg.inv(track.place), dtype=np.float64)
    lay = _pad_quad(track.quad, now.factor)
    lies = transform_points(scale_view(step, now.factor), lay)
    far = float(np.linalg.norm(lies - lay, axis=1).max()) / now.factor
    if (
        not STILL <= far <= FASTEST
        or landmarks.inlier_share(landmarks.measure_residuals(blurred, place)) < MOST
    ):
        return
    quad = transform_points(scale_view(step, now.factor), track.quad)
    # a card of another design in the same place must be read, not followed
    if not Appearance.from_quad(now.thumb, quad, now.factor).matches(track.look, now.position_slack):
        return
    track.apply_camera_motion(step, now.factor)
    # a faster card moves its blocks, and still has to come to rest
    if far <= CREEPING:
        fill_quad(explained, lay, now.factor)
        fill_quad(explained, lies, now.factor)


def _pad_quad(quad: Quad, factor: int) -> Quad:
    """Return a quad widened by two small pixels."""
    out = quad - quad.mean(axis=0)
    length = np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-3)
    return np.asarray(quad + out / length * (2 * factor), dtype=np.float32)


def _build_landmarks(now: FrameRecord, quad: Quad) -> Landmarks:
    """Take the points by which a card can be followed: its print and its edges."""
    low = np.maximum(np.floor(quad.min(axis=0) / now.factor).astype(int) - 4, 0)
    high = np.ceil(quad.max(axis=0) / now.factor).astype(int) + 5
    cut = now.thumb[low[1] : high[1], low[0] : high[0]]
    if min(cut.shape) < 8:
        cut = now.thumb
        low[:] = 0
    inside = np.zeros(cut.shape, dtype=np.uint8)
    fill_quad(inside, _pad_quad(quad, now.factor) - low * now.factor, now.factor)
    return Landmarks.from_thumb(cut, inside > 0, (int(low[0]), int(low[1])))
