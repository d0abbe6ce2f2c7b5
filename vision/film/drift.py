"""How far a camera has moved since the plane of the table was set; and cards that creep: each is
followed for itself where the table does not tell how the camera moves."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from vision.film.attention import touches
from vision.film.background import Appearance, fill
from vision.film.landmarks import Landmarks, softened
from vision.film.motion import KeptFrame
from vision.film.registration import STILL
from vision.film.track import Track
from vision.film.view import Mask, Matrix, Thumb, enlarged
from vision.geometry import Quad, transform


class Drift:
    """The sum of a camera's moves, in pixels of the frame; once it was lost nobody can tell."""

    def __init__(self) -> None:
        self._moved = np.eye(3)

    def carry(self, step: Matrix) -> None:
        """The camera has moved by `step`."""
        if np.isfinite(self._moved).all():
            self._moved = step @ self._moved

    def lose(self) -> None:
        """The camera has moved, and nothing says how."""
        self._moved[:2, 2] = np.inf

    def of(self, frame: NDArray[np.uint8]) -> tuple[float, float]:
        """How far the middle of a frame has moved along x and y, in pixels; infinite if that was
        lost."""
        if not np.isfinite(self._moved).all():
            return np.inf, np.inf
        height, width = frame.shape[:2]
        middle = np.array([width / 2, height / 2, 1.0])
        dx, dy = (self._moved @ middle - middle)[:2]
        return float(dx), float(dy)


ENOUGH = 12
"""Points that a card must have to be followed where it creeps."""

MOST = 0.85
"""Part of a card's points that must be found again: with a finger on it three quarters are."""

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
    place = landmarks.fit(soft, track.place)
    step = np.asarray(place @ np.linalg.inv(track.place), dtype=np.float64)
    before = _wider(track.quad, now.factor)
    after = transform(enlarged(step, now.factor), before)
    far = float(np.linalg.norm(after - before, axis=1).max()) / now.factor
    if not STILL <= far <= FASTEST or landmarks.explained(landmarks.off(soft, place)) < MOST:
        return
    quad = transform(enlarged(step, now.factor), track.quad)
    if not Appearance.take(now.thumb, quad, now.factor).same(track.look, now.slack):
        return
    track.carry(step, now.factor)
    if far <= CREEPING:
        fill(explained, before, now.factor)
        fill(explained, after, now.factor)


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
