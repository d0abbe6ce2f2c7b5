"""One reader's track of one card, debounced: a reading counts when it has held for a while."""

from __future__ import annotations

import math
from typing import TypeAlias

from companion.table.identification import CardState, Key, Unidentified
from companion.table.seals import Secret
from companion.table.sightings import Sighting

HOLD = 0.25
"""Seconds for which a camera's reading must hold. A tag is read with a checksum, and a key is
meant: those count at once."""
SAME_PLACE = 0.02
"""How far, in parts of its own diagonal, each corner of a card that comes back may lie from its old
place and count as never moved.

Nobody lays a card down to two millimetres and a degree, so it was covered, not taken away. See
`ReaderTrack.same_place`.
"""

MOVED = 0.2
"""How far, in parts of its diagonal, the middle of a card that cannot be named must go for it to
count as moved."""

Corners: TypeAlias = "tuple[tuple[float, float], ...]"
"""A card's corners in the picture, in pixels; empty where the reader has no picture."""


class ReaderTrack:
    """What one reader says of one card. All times are seconds on the readers' clock; nothing here
    reads a clock.

    `steady`: the reading that has held; an unsure moment does not end it, only another sure reading
    or the card's going does. `vague`: why nothing could be made of the card since `vague_since`,
    while nothing is steady; being moved begins a new spell. `gone`: when it went, None while it is
    there. `orphan`: its reader is lost, or has come back and has not yet named this track again.
    """

    def __init__(self, key: Key, tap: bool) -> None:
        self.key = key
        self.tap = tap
        self.steady: CardState | None = None
        self.since = 0.0
        self.secret: Secret | None = None
        self.vague: Unidentified | None = None
        self.vague_since = 0.0
        self._vague_at: Corners = ()
        self.quad: Corners = ()
        self.gone: float | None = None
        self.orphan = False
        self._next: tuple[CardState, Secret | None] | None = None
        self._next_since = 0.0

    @property
    def reader(self) -> str:
        """The name of the reader whose track this is."""
        return self.key[0]

    @property
    def ripe_at(self) -> float | None:
        """When a new reading will have held long enough, if none comes between."""
        return None if self._next is None else self._next_since + (0.0 if self.tap else HOLD)

    def see(self, sighting: Sighting, reading: CardState | Unidentified, secret: Secret | None) -> None:
        """Take in one sighting of this track."""
        # First what was ripe by then: this sighting may be another reading, and come late.
        self.settle(sighting.at)
        self.orphan = False
        self.quad = sighting.quad or self.quad
        if not sighting.present:
            self.gone = sighting.at
            return
        self.gone = None
        if isinstance(reading, Unidentified):
            self._next = None
            # A hand over a card makes it unsure for a moment; what was surely read before still
            # holds.
            if self.steady is None:
                if self.vague is None or self.vague.why != reading.why or self._moved():
                    self.vague_since, self._vague_at = sighting.at, self.quad
                self.vague = reading
            return
        self.vague = None
        if reading == self.steady and _same(secret, self.secret):
            self._next = None
        elif self._next is None or self._next[0] != reading or not _same(secret, self._next[1]):
            self._next, self._next_since = (reading, secret), sighting.at
        self.settle(sighting.at)

    def settle(self, now: float) -> None:
        """Let a reading count that has held long enough by `now`, or by when the card went."""
        # A card that was taken away before its reading had held long enough was never read.
        until = now if self.gone is None else min(now, self.gone)
        if self._next is not None and self.ripe_at is not None and until >= self.ripe_at:
            self.steady, self.secret = self._next
            self.since, self._next = self._next_since, None

    def same_place(self, other: ReaderTrack) -> bool:
        """Tell whether this card lies exactly where `other`, of the same reader, was last seen."""
        if len(self.quad) != 4 or len(other.quad) != 4 or self.reader != other.reader:
            return False
        reach = SAME_PLACE * math.dist(self.quad[0], self.quad[2])
        return any(
            all(math.dist(one, two) <= reach for one, two in zip(self.quad, turned, strict=True))
            # The outline's first corner is whichever the camera found first.
            for turned in (other.quad[i:] + other.quad[:i] for i in range(4))
        )

    def _moved(self) -> bool:
        """Tell whether the card lies elsewhere than when it became vague; its outline is never
        found quite the same twice."""
        if len(self.quad) != 4 or len(self._vague_at) != 4:
            return False
        apart = math.dist(_middle(self.quad), _middle(self._vague_at))
        return apart > MOVED * math.dist(self.quad[0], self.quad[2])


def _middle(quad: Corners) -> tuple[float, float]:
    return sum(x for x, _ in quad) / len(quad), sum(y for _, y in quad) / len(quad)


def _same(one: Secret | None, other: Secret | None) -> bool:
    return one is other or (one is not None and other is not None and one.matches(other.open()))
