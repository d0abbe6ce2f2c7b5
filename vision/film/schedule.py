"""Which card of a film is read next: each in small steps, from the frame in which it lay still."""

from collections.abc import Generator
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from vision.film.association import Tracks
from vision.film.look import Look
from vision.film.motion import Moment
from vision.film.track import Track, mapped
from vision.film.view import Matrix
from vision.geometry import Quad, transform
from vision.naming.response import Ink, InkSums
from vision.outline_reader import lying_within
from vision.outlines.covers import over
from vision.outlines.detect import Outline
from vision.outlines.shape import ends_at_edge
from vision.reader import Reader
from vision.reading import Reading
from vision.same_print import explained_part, verified

AROUND = 0.15
"""Part of a card's width and height that is kept round it for a reading: patches have a margin of a
tenth."""

NETWORK = 4
"""Small steps that take about as long as asking the network (4 to 16 ms)."""

Work = Generator[int | None, None, list[Reading]]
"""A reading in small steps, some milliseconds each, and what comes of it; where the next step is a
long one, for how many it counts."""


class Readings:
    """The readings of cards that have been begun; `begun` counts them.

    `ink`: what the clear ones have told of how the camera shows the deck's ink.
    """

    def __init__(self, reader: Reader, tracks: Tracks) -> None:
        self._reader = reader
        self._tracks = tracks
        self.ink = Ink()
        self.begun = 0
        self._size = (0, 0)

    def begin(self, frame: NDArray[np.uint8], t: float) -> None:
        """Take up this frame, of `t` seconds, for every card that lies still and wants a reading; a
        hand may come before it is read.

        None is read twice in one frame: two readings that agree are to be two pictures.
        """
        self._size = (frame.shape[1], frame.shape[0])
        for track in self._tracks.all:
            if track.still and track.wants_reading and track.work is None and track.read_at != t:
                self._begin(track, frame, t, np.eye(3))

    def begin_new(self, look: Look) -> None:
        """Take up the frame of a look, in which its place was at rest, for the cards without a name
        that it found there: they may be on the move again."""
        t = look.began.t
        for track in self._tracks.all:
            if track.found_at == t != track.read_at and track.wants_reading and track.work is None:
                self._begin(track, look.picture, t, look.there)

    def _begin(self, track: Track, picture: NDArray[np.uint8], t: float, there: Matrix) -> None:
        """Begin to read a card in a picture of `t` seconds; `there`: from its pixels to those of
        the newest frame."""
        self.begun += 1
        track.read_at = t
        # by the newest frame: a picture of a look ends within its own
        track.ends_at_edge = ends_at_edge(track.outline.quad, *self._size)
        outline = mapped(track.outline, np.asarray(np.linalg.inv(there), dtype=np.float64))
        cut, corner = _cut(picture, outline)
        back = np.array([[1.0, 0, -corner[0]], [0, 1.0, -corner[1]], [0, 0, 1.0]])
        outline = mapped(outline, back)
        track.moved = there @ np.linalg.inv(back)
        # first as the camera shows it: only that tells of the camera
        response = self.ink.response if track.nearly and not track.depth else None
        track.inked = response is not None
        track.sideways = track.may_stand and self._reader.seen_aslant(self._tracks.sure())
        if track.depth:
            covers = [quad - corner for quad in self._tracks.covers(track)]
            track.work = self._reader.judging_part(cut, outline.quad, covers, explained_part)
        elif track.sideways:
            standing = self._reader.judging_sideways(cut, outline.quad, response)
            track.work = self._verifying(track, standing)
        else:
            judging = self._reader.judging(partial(_same, cut), outline, response=response)
            track.work = self._verifying(track, judging)

    def _verifying(self, track: Track, reading: Work) -> Work:
        """Read, and ask of what came of it whether it shows the print of its design: once, and in a
        step of its own.

        Not where cards lie over one another: what lies on a card speaks against its print.
        """
        readings = yield from reading
        if track.ends_at_edge:
            # cut off by it, a card of three signs is one of two, in each frame anew
            readings = [lying_within(one) for one in readings]
        if any(one.case is not None for one in readings):
            yield NETWORK
        if over(track.quad, [other.quad for other in self._tracks.cards() if other is not track]):
            return [replace(one, case=None) for one in readings]
        return verified(readings)

    @property
    def waiting(self) -> bool:
        """Whether a reading was begun and has not come to its end."""
        return any(track.work is not None for track in self._tracks.all)

    def next(self) -> Track | None:
        """The card whose reading goes on next: the one that has had least work, of those the
        likeliest outline."""
        waiting = [track for track in self._tracks.all if track.work is not None]
        return min(waiting, key=lambda track: (track.turn, self._reader.oddness(track.outline)), default=None)

    @property
    def long(self) -> int:
        """For how many small steps the next one counts."""
        track = self.next()
        return 1 if track is None else track.long

    def go_on(self, track: Track, now: Moment) -> bool:
        """Do one step of a card's reading; what comes of the last is taken in. Say whether it was
        the last."""
        assert track.work is not None
        try:
            track.long = next(track.work) or 1
            track.spent += 1
        except StopIteration as end:
            readings = [replace(r, quad=transform(track.moved, r.quad)) for r in end.value]
            if track.inked:
                readings = [track.believed(reading) for reading in readings]
            elif not track.sideways and len(readings) == 1 and readings[0].told is not None:
                self._hear(track.id, readings[0].told)
            track.put_down()
            if track.sideways and not track.doubt:
                track.stand(readings[0])
            else:
                self._tracks.take_in(track, readings, now)
            return True
        except Exception:
            # What could not be read once is not read over and over: it counts as a vote for no
            # design, and the frame as bad.
            track.put_down()
            self._tracks.take_in(track, [Reading(None, False, 0.0, track.quad)], now)
            raise
        return False

    def _hear(self, card: int, told: InkSums) -> None:
        """Learn from a clear card how the camera shows ink; cards that were read in vain before
        anything was known are read again."""
        ignorant = self.ink.response is None
        self.ink.hear(card, told)
        if ignorant and self.ink.response is not None:
            for track in self._tracks.all:
                if track.nearly:
                    track.allow_more()


def _same(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Give the picture that was taken up, whenever it is asked for."""
    return picture


def _cut(frame: NDArray[np.uint8], outline: Outline) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Copy what an outline's readings need of a frame, and say where that begins: a reading that
    waits keeps no whole frame."""
    corners = np.concatenate(_quads(outline))
    low, high = corners.min(axis=0), corners.max(axis=0)
    around = AROUND * (high - low) + 8
    size = np.array(frame.shape[1::-1])
    left, top = np.clip(low - around, 0, size - 1).astype(int)
    right, bottom = np.clip(high + around, 1, size).astype(int)
    return frame[top:bottom, left:right].copy(), np.array([left, top], dtype=np.float32)


def _quads(outline: Outline) -> list[Quad]:
    """The quads of an outline with all that goes with it."""
    return [
        outline.quad,
        *outline.alternatives,
        *(quad for inside in outline.inside for quad in _quads(inside)),
    ]
