"""The table's word on single cards: it counts more than any reader's, as long as the reader does
not change its mind."""

from __future__ import annotations

from typing import NamedTuple

from companion.table.identification import NOWHERE, CardState, Key
from companion.table.tracks import ReaderTrack

RETURN = 3.0
"""Seconds within which a card that a reader lost may come back to the very same place as the same
card.

The watcher of the camera keeps what is covered; this is for the moments in which it starts afresh
(the light jumped, the camera shook).
"""


class _Override(NamedTuple):
    """`reading` is the word. `steady` is what the track's reader said then; None: it could not name
    the card, since `spell`."""

    reading: CardState
    steady: CardState | None
    spell: float

    def holds(self, track: ReaderTrack) -> bool:
        """Tell whether it still holds. That nothing counts is said of a unnamed card only as long
        as it lies where it lay."""
        put_aside = self.steady is None and self.reading.zone == NOWHERE
        return self.steady == track.steady and not (put_aside and self.spell != track.vague_since)

    def of(self, track: ReaderTrack) -> CardState:
        """Return what the track stands for: a card that its reader cannot name keeps its name when
        it is pushed to another zone."""
        if self.steady is not None or track.vague is None or self.reading.zone == NOWHERE:
            return self.reading
        return CardState(track.vague.zone, self.reading.card)


class Overrides:
    """What the table said of which track."""

    def __init__(self) -> None:
        self._standing: dict[Key, _Override] = {}
        self._left: list[tuple[float, ReaderTrack, CardState]] = []

    def __contains__(self, track: ReaderTrack) -> bool:
        return track.key in self._standing

    def rule(self, track: ReaderTrack, reading: CardState) -> None:
        """Let the track mean `reading`; in `NOWHERE`: nothing that counts."""
        if track.steady is None:
            # A card that is named by word only has lain there since it was first seen:
            # `Table.adopt` goes by that, not by when the question was answered.
            track.since = track.vague_since
        self._standing[track.key] = _Override(reading, track.steady, track.vague_since)

    def of(self, track: ReaderTrack) -> CardState | None:
        """Return what the track stands for by the table's word, None where there is none or it no
        longer holds."""
        self._inherit(track)
        ruling = self._standing.get(track.key)
        if ruling is None:
            return None
        if ruling.holds(track):
            return ruling.of(track)
        del self._standing[track.key]
        return None

    def leave(self, track: ReaderTrack, at: float) -> None:
        """Note that the track went at `at`."""
        ruling = self._standing.pop(track.key, None)
        if ruling is not None and ruling.steady is None:
            self._left.append((at, track, ruling.reading))

    def settle(self, now: float) -> None:
        """Forget what can no longer come back."""
        self._left = [left for left in self._left if now - left[0] < RETURN]

    def _inherit(self, track: ReaderTrack) -> None:
        """Let the word on a unnamed card hold on when its reader lost it, and sees it in the very
        same place as another track."""
        if track.steady is not None or track.vague is None or track.key in self._standing:
            return
        for left in self._left:
            at, before, reading = left
            if track.vague_since - at < RETURN and track.same_place(before):
                self._left.remove(left)
                self.rule(track, reading)
                return
