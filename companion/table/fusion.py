"""What lies on the table now, from the tracks of all readers: one placement for each physical card.

Two readers that see the same card in the same zone see one placement; two tracks of one reader are
two cards. A placement has one reading all its life: a card that is turned over, moved to another
zone or taken away and put down again is a new placement, with a new number, because to a game it is
news.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator

from companion.table.identification import NOWHERE, CardState, Key
from companion.table.overrides import RETURN, Overrides
from companion.table.seals import Seals
from companion.table.tracks import ReaderTrack

BOUNCE = 1.0
"""Seconds within which a card that is shown to a pad again is the same showing."""
ADOPT = 3.0
"""Seconds a reader has, once back, to name its cards again before they count as taken away: a PC/SC
reader says "empty" for up to half a second first."""


class Placement:
    """One physical card lying somewhere (or a button that was pressed).

    `tracks` see it now. `until`: when it stops counting, None while it lies there, infinity for
    what was shown to a pad and counts until the phase moves on (`shown`). `used`: a game has made
    something of it, at `used_at`. `offered`: it has been among the claims at least once, so that
    even a card that was there and went between two looks is not missed.
    """

    def __init__(self, number: int, reading: CardState, since: float) -> None:
        self.id = number
        self.reading = reading
        self.since = since
        self.tracks: dict[Key, ReaderTrack] = {}
        self.last: dict[str, tuple[ReaderTrack, float]] = {}
        self.until: float | None = None
        self.shown = False
        self.used = False
        self.used_at = -math.inf
        self.offered = False

    @property
    def lies(self) -> bool:
        """Whether a reader sees it now, or saw it when it was lost."""
        return bool(self.tracks)

    @property
    def watched(self) -> bool:
        """Whether a reader that is there sees it now."""
        return any(not track.orphan for track in self.tracks.values())

    def counts(self, now: float) -> bool:
        """Tell whether it is to be given to a game now."""
        return self.until is None or now < self.until or not self.offered

    def absorb(self, other: Placement) -> None:
        """Take over what is known of another placement, which is the same card."""
        self.tracks.update(other.tracks)
        self.last = {**other.last, **self.last}
        self.shown = self.shown or other.shown
        self.used = self.used or other.used
        self.used_at = max(self.used_at, other.used_at)
        self.offered = self.offered or other.offered

    def forgotten(self, now: float) -> bool:
        """Tell whether it is gone for good: it can neither be given nor come back."""
        return self.until is not None and not self.counts(now) and now > self.until + RETURN


class Fusion:
    """Tracks in, placements out: `put` notes what readers say, `settle` concludes at one moment."""

    def __init__(self) -> None:
        self.seals = Seals()
        self.tracks: dict[Key, ReaderTrack] = {}
        self.placements: dict[int, Placement] = {}
        self._home: dict[Key, Placement] = {}
        self._rulings = Overrides()
        self._renew: dict[str, float] = {}
        self._numbers = itertools.count(1)

    def track(self, key: Key, tap: bool) -> ReaderTrack:
        """Return the track of that key, made anew if it is not known or its card has gone."""
        known = self.tracks.get(key)
        if known is not None and known.gone is not None:
            self._settle_track(known, known.gone)
            known = None
        if known is None:
            known = self.tracks[key] = ReaderTrack(key, tap)
        return known

    def press(self, reading: CardState, at: float) -> None:
        """Note a pressed button: it counts until the phase moves on, or the seat presses again."""
        for placement in list(self.placements.values()):
            # Only buttons: a card that was shown has been seen by a track, and so has a `last`.
            if not placement.last and placement.reading.zone == reading.zone and placement.until == math.inf:
                del self.placements[placement.id]
        self._new(reading, at).until = math.inf

    def lose(self, reader: str) -> None:
        """Keep what a reader that sees no more (unplugged, ended, switched off) saw last, until it
        is back."""
        for track in self._of(reader):
            track.orphan = True

    def regain(self, reader: str, at: float) -> None:
        """Expect a reader that is back to name what it sees; what it does not name in `ADOPT`
        seconds is gone."""
        if any(track.orphan for track in self._of(reader)):
            # The first return counts: a line that breaks every two seconds would else hold its
            # cards for ever.
            self._renew.setdefault(reader, at + ADOPT)

    def rule(self, tracks: Iterable[Key], reading: CardState) -> None:
        """Let these tracks mean `reading` by the table's word, as long as their readers do not
        change their minds."""
        for track in [self.tracks[key] for key in tracks if key in self.tracks]:
            self._rulings.rule(track, reading)

    def ruled(self, track: ReaderTrack) -> bool:
        """Tell whether the table has said what this track is, or that it is nothing that counts."""
        return track in self._rulings

    def seen_by(self, track: Key) -> Placement | None:
        """Return the placement that this track sees, None when it sees none."""
        return self._home.get(track)

    def end_shown(self) -> None:
        """End what was only shown or pressed, and forget what has been taken away: what lies there
        after the phase is another card.

        Backs are all alike: the next round's load often lies where the last one lay.
        """
        for placement in list(self.placements.values()):
            if placement.until == math.inf:
                del self.placements[placement.id]
            elif not placement.lies:
                placement.last.clear()

    def settle(self, now: float) -> None:
        """Bring the placements up to date with the tracks."""
        for track in self.tracks.values():
            track.settle(now)
        # What has gone leaves its place first, so that a card turned over finds it free; what can
        # be seen comes before what lies face down, which may turn out to be the same card
        # (`_target`).
        # `sorted` also copies: a track that has gone leaves the dictionary while it is settled.
        for track in sorted(self.tracks.values(), key=_turn):
            self._settle_track(track, now)
        for reader, due in [(reader, due) for reader, due in self._renew.items() if now >= due]:
            del self._renew[reader]
            for track in [track for track in self._of(reader) if track.orphan]:
                track.gone = due
                self._settle_track(track, now)
        self._unite()
        for placement in list(self.placements.values()):
            if placement.forgotten(now):
                del self.placements[placement.id]
        self._rulings.settle(now)

    def due(self) -> Iterator[float]:
        """Give the moments at which time alone will change something."""
        yield from self._renew.values()
        for track in self.tracks.values():
            if track.ripe_at is not None:
                yield track.ripe_at

    def _settle_track(self, track: ReaderTrack, now: float) -> None:
        if self.tracks.get(track.key) is not track:  # an orphan that another track has just replaced
            return
        track.settle(now)
        target = self._target(track)
        home = self._home.get(track.key)
        if target is not None and (home is None or home.reading != target):
            if home is not None:
                self._leave(home, track, now, for_good=not track.tap or track in self._rulings)
            if target.zone != NOWHERE:
                self._join(track, target)
        if track.gone is not None:
            # Asked anew: `_join` may have given it another one just now.
            home = self._home.get(track.key)
            if home is not None:
                self._leave(home, track, track.gone)
            self.seals.drop(track.key)
            self._rulings.leave(track, track.gone)
            del self.tracks[track.key]

    def _target(self, track: ReaderTrack) -> CardState | None:
        """Return what the track stands for: the table's ruling, else its own steady reading.

        A pad reads the card also when it has been turned up: then it sees the same placement as the
        others.
        """
        steady, ruled = track.steady, self._rulings.of(track)
        if ruled is not None:
            return ruled
        if steady is None or track.secret is None:
            self.seals.drop(track.key)
            return steady
        for placement in self.placements.values():
            shown = placement.reading
            if shown.zone == steady.zone and placement.lies and track.secret.matches(shown.card):
                self.seals.drop(track.key)
                return shown
        self.seals.put(track.key, steady.zone, track.secret)
        return steady

    def _join(self, track: ReaderTrack, reading: CardState) -> None:
        placement = self._fitting(track, reading) or self._new(reading, track.since)
        # A reader that comes back numbers its cards anew: the new track takes the lost one's place.
        for orphan in [t for t in placement.tracks.values() if t.orphan and t.reader == track.reader]:
            del placement.tracks[orphan.key], self._home[orphan.key], self.tracks[orphan.key]
        placement.tracks[track.key] = track
        placement.until = None
        placement.shown = placement.shown or track.tap
        self._home[track.key] = placement

    def _fitting(self, track: ReaderTrack, reading: CardState) -> Placement | None:
        """Return the placement that this track sees too, if there is one."""
        alike = [p for p in self.placements.values() if p.reading == reading and (p.tracks or p.last)]
        for placement in alike:
            rivals = [t for t in placement.tracks.values() if t.reader == track.reader and not t.orphan]
            # A second track of the same reader is a second card, however alike: two fours lie
            # there.
            if placement.lies and not rivals:
                return placement
        for placement in alike:
            before, left = placement.last.get(track.reader, (None, -math.inf))
            if before is None or placement.lies:
                continue
            # On a pad: a card shown again after the game has used it is meant as a new move, a
            # bounce is not.
            if track.tap and (not placement.used or track.since - left < BOUNCE):
                return placement
            if track.since - left < RETURN and track.same_place(before):
                return placement
        return None

    def _leave(self, placement: Placement, track: ReaderTrack, at: float, for_good: bool = False) -> None:
        """Take the track out of the placement. `for_good`: the card is seen elsewhere or otherwise,
        so it cannot come back."""
        placement.tracks.pop(track.key, None)
        self._home.pop(track.key, None)
        placement.last[track.reader] = (track, at)
        if placement.tracks:
            return
        placement.until = math.inf if placement.shown and not for_good else at
        if for_good:
            placement.last.clear()
            if placement.used:
                del self.placements[placement.id]
            else:
                # What was turned over before any look is no news any more: it must not be offered
                # under its old face.
                placement.offered = True

    def _unite(self) -> None:
        """Take two placements for one card where no reader sees both: each came to be while the
        other's reader had two tracks, or was away.

        The older keeps its number; what a game has made of either counts for both.
        """
        alike: dict[CardState, list[Placement]] = {}
        for placement in [one for one in self.placements.values() if one.lies]:
            seen_by = {track.reader for track in placement.tracks.values()}
            older = next(
                (
                    one
                    for one in alike.get(placement.reading, ())
                    if seen_by.isdisjoint(track.reader for track in one.tracks.values())
                ),
                None,
            )
            if older is None:
                alike.setdefault(placement.reading, []).append(placement)
                continue
            older.absorb(placement)
            self._home.update(dict.fromkeys(placement.tracks, older))
            del self.placements[placement.id]

    def _new(self, reading: CardState, at: float) -> Placement:
        placement = Placement(next(self._numbers), reading, at)
        self.placements[placement.id] = placement
        return placement

    def _of(self, reader: str) -> list[ReaderTrack]:
        return [track for track in self.tracks.values() if track.reader == reader]


def _turn(track: ReaderTrack) -> tuple[bool, bool, float]:
    """Order the tracks: first what has gone, then what can be seen, then what lies face down over a
    reader."""
    return track.gone is None, track.secret is not None, track.since
