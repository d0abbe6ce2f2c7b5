"""Merge the reports of all readers into placements: one for each physical card on the table.

Several readers may see the same card, and each of them loses and finds cards again. This module
decides which reports belong to one physical card. A reader follows each card under a track number.
A `ReaderTrack` debounces the reports of one track: its `steady` reading is one that has held for a
while, and only another certain reading, or the card's departure, ends it; an uncertain moment does
not. `Fusion._target` says what a track stands for, and `settle` gives each track a placement (its
`_home`): an existing one that fits, or a new one.

A `Placement` is one physical card, as the games know it. Two readers that see the same card in the
same zone share a placement; two tracks of one reader are always two cards, even of the same design.
A placement keeps its reading for life: a card that is turned over, moved to another zone, or taken
away and put down again is a new placement with a new number, because to a game it is news.
Placements remember the tracks that see them now (`tracks`) and, for each reader, the last one that
did (`last`), by which a card that comes back is recognised.

Keep in mind when editing:

- People's answers (`Overrides`) count more than a reader's reading, until that reader changes its
  mind. They survive when a track is lost and found again in the same place.
- A pad cannot see which side of a card is up. If another reader sees a face-up card that equals the
  pad's face-down one, both see the same card, which was turned up.
- A reader that is lost takes nothing away: its tracks are orphans, which still count, until it is
  back and has had `ADOPT` seconds to report them again.
- `settle` handles departures first, then visible cards, then face-down ones. So a card that was
  turned over finds its place free, and a face-down card finds the visible one that it turns out to
  be.
- Nothing here reads a clock or knows a rule. The table says what was passed to a game (`used`,
  `offered`); a card that has gone counts until it has been offered once.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

from companion.table.identification import NOWHERE, CardState, Key, Unidentified
from companion.table.seals import Seals, Secret
from companion.table.sightings import Sighting
from companion.table.waits import ADOPT, BOUNCE, HOLD, RETURN

SAME_PLACE = 0.02
"""Distance, as a part of the card's diagonal, that each corner may lie from its old place for the
card to count as never moved.

Nobody puts a card back to within two millimetres and a degree, so it was covered, not taken away.
See `ReaderTrack.same_place`.
"""

MOVED = 0.2
"""Distance, as a part of its diagonal, by which the middle of an unnamed card must move for it to
count as moved."""

Corners: TypeAlias = "tuple[tuple[float, float], ...]"
"""Corners of a card in the picture, in pixels; empty for a reader without a picture."""


class ReaderTrack:
    """The debounced reports of one reader about one card. All times are seconds on the readers'
    clock, passed in.

    `steady`: the reading that has held; only another certain reading or the card's departure ends
    it. `vague`: why the card could not be identified since `vague_since`, while nothing is steady;
    moving the card starts a new period. `gone`: when it went, None while it is there. `orphan`: its
    reader is lost, or is back and has not reported this track again yet. `confidence`: how clearly
    the reader saw the steady reading, 0..1 (`Sighting`).
    """

    def __init__(self, key: Key, tap: bool) -> None:
        self.key = key
        self.tap = tap
        self.steady: CardState | None = None
        self.confidence = 0.0
        self.since = 0.0
        self.secret: Secret | None = None
        self.vague: Unidentified | None = None
        self.vague_since = 0.0
        self._vague_at: Corners = ()
        self.quad: Corners = ()
        self.gone: float | None = None
        self.orphan = False
        self._next: tuple[CardState, Secret | None, float] | None = None
        self._next_since = 0.0

    @property
    def reader(self) -> str:
        """Name of the reader that reports this track."""
        return self.key[0]

    @property
    def ripe_at(self) -> float | None:
        """When a new reading will have held long enough if nothing else is reported; None without
        one."""
        return None if self._next is None else self._next_since + (0.0 if self.tap else HOLD)

    def see(self, sighting: Sighting, reading: CardState | Unidentified, secret: Secret | None) -> None:
        """Process one sighting of this track."""
        # First, because this sighting may report another reading, and may come late.
        self.settle(sighting.at)
        self.orphan = False
        self.quad = sighting.quad or self.quad
        if not sighting.present:
            self.gone = sighting.at
            return
        self.gone = None
        if isinstance(reading, Unidentified):
            self._next = None
            # A hand over a card makes it uncertain for a moment; the earlier reading still holds.
            if self.steady is None:
                if self.vague is None or self.vague.why != reading.why or self._moved():
                    self.vague_since, self._vague_at = sighting.at, self.quad
                self.vague = reading
            return
        self.vague = None
        if reading == self.steady and _same(secret, self.secret):
            self._next = None
        elif self._next is None or self._next[0] != reading or not _same(secret, self._next[1]):
            self._next, self._next_since = (reading, secret, sighting.confidence), sighting.at
        self.settle(sighting.at)

    def settle(self, now: float) -> None:
        """Make a reading steady if it has held long enough by `now`, or by the card's departure."""
        # A card that was taken away before its reading had held long enough was never recognised.
        until = now if self.gone is None else min(now, self.gone)
        if self._next is not None and self.ripe_at is not None and until >= self.ripe_at:
            self.steady, self.secret, self.confidence = self._next
            # Since it was first seen, not since it became steady: `Table.adopt` compares with the
            # time of playing.
            self.since, self._next = self._next_since, None

    def same_place(self, other: ReaderTrack) -> bool:
        """Check whether this card lies exactly where `other`, of the same reader, was last seen."""
        if len(self.quad) != 4 or len(other.quad) != 4 or self.reader != other.reader:
            return False
        reach = SAME_PLACE * math.dist(self.quad[0], self.quad[2])
        return any(
            all(math.dist(one, two) <= reach for one, two in zip(self.quad, turned, strict=True))
            # The outline's first corner is whichever the camera found first.
            for turned in (other.quad[i:] + other.quad[:i] for i in range(4))
        )

    def _moved(self) -> bool:
        """Check whether the card has been moved since it became vague, allowing for noise in its
        outline."""
        if len(self.quad) != 4 or len(self._vague_at) != 4:
            return False
        apart = math.dist(_middle(self.quad), _middle(self._vague_at))
        return apart > MOVED * math.dist(self.quad[0], self.quad[2])


def _middle(quad: Corners) -> tuple[float, float]:
    return sum(x for x, _ in quad) / len(quad), sum(y for _, y in quad) / len(quad)


def _same(one: Secret | None, other: Secret | None) -> bool:
    return one is other or (one is not None and other is not None and one.matches(other.open()))


class _Override(NamedTuple):
    """The table's word on a track. `reading` is what it stands for; `steady` is the reader's
    reading at that time, or None if the reader could not name the card since `spell`."""

    reading: CardState
    steady: CardState | None
    spell: float

    def holds(self, track: ReaderTrack) -> bool:
        """Check whether the word still holds. An unnamed card that was put aside is ignored only
        until it is moved."""
        put_aside = self.steady is None and self.reading.zone == NOWHERE
        return self.steady == track.steady and not (put_aside and self.spell != track.vague_since)

    def of(self, track: ReaderTrack) -> CardState:
        """Return what the track stands for. A card that its reader cannot name keeps its name when
        it is pushed to another zone."""
        if self.steady is not None or track.vague is None or self.reading.zone == NOWHERE:
            return self.reading
        return CardState(track.vague.zone, self.reading.card)


class Overrides:
    """What the table has said about tracks, which counts more than the readers' own readings."""

    def __init__(self) -> None:
        self._standing: dict[Key, _Override] = {}
        self._left: list[tuple[float, ReaderTrack, CardState]] = []

    def __contains__(self, track: ReaderTrack) -> bool:
        return track.key in self._standing

    def rule(self, track: ReaderTrack, reading: CardState) -> None:
        """Set what the track stands for; a reading in `NOWHERE` makes it count for nothing."""
        if track.steady is None:
            # A card named by people has been there since it was first seen: `Table.adopt` compares
            # that time, not the time of the answer.
            track.since = track.vague_since
        self._standing[track.key] = _Override(reading, track.steady, track.vague_since)

    def of(self, track: ReaderTrack) -> CardState | None:
        """Return what the table has said about a track; None if nothing, or if it no longer
        holds."""
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
        """Forget tracks that can no longer come back."""
        self._left = [left for left in self._left if now - left[0] < RETURN]

    def _inherit(self, track: ReaderTrack) -> None:
        """Transfer the word on an unnamed card when its reader lost the card and sees it in the
        same place as another track."""
        if track.steady is not None or track.vague is None or track.key in self._standing:
            return
        for left in self._left:
            at, before, reading = left
            if track.vague_since - at < RETURN and track.same_place(before):
                self._left.remove(left)
                self.rule(track, reading)
                return


class ReadCard(NamedTuple):
    """A recognised card (None: it lies face down), with the tracks of the readers that see it.

    `confidence`: of the camera that saw it most clearly, 0..1 (`Sighting`); None if no camera named
    it: a tag is read completely or not at all, and people's answers are not readings.
    """

    card: str | None
    tracks: tuple[Key, ...]
    confidence: float | None = None

    @property
    def readers(self) -> tuple[str, ...]:
        """Names of the readers that see it, sorted."""
        return tuple(sorted({reader for reader, _ in self.tracks}))


class Placement:
    """One physical card on the table (or a button that was pressed).

    `tracks`: the tracks that see it now. `until`: when it stops counting, None while it lies there,
    infinity for a card shown to a pad, which counts until the phase moves on (`shown`). `used`: a
    game has acted on it, at `used_at`. `offered`: it has been among the claims at least once, so
    that even a card that came and went between two looks is not missed.
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
        """Whether a reader sees it now, or saw it when that reader was lost."""
        return bool(self.tracks)

    @property
    def watched(self) -> bool:
        """Whether a connected reader sees it now."""
        return any(not track.orphan for track in self.tracks.values())

    @property
    def read(self) -> ReadCard:
        """The card, with the tracks that see it now."""
        named = [one.confidence for one in self.tracks.values() if not one.tap and one.steady == self.reading]
        return ReadCard(self.reading.card, tuple(self.tracks), max(named, default=None))

    def counts(self, now: float) -> bool:
        """Check whether it is to be offered to a game now."""
        return self.until is None or now < self.until or not self.offered

    def absorb(self, other: Placement) -> None:
        """Merge another placement, which turned out to be the same card, into this one."""
        self.tracks.update(other.tracks)
        self.last = {**other.last, **self.last}
        self.shown = self.shown or other.shown
        self.used = self.used or other.used
        self.used_at = max(self.used_at, other.used_at)
        self.offered = self.offered or other.offered

    def forgotten(self, now: float) -> bool:
        """Check whether it has gone for good: it can neither be offered nor come back."""
        return self.until is not None and not self.counts(now) and now > self.until + RETURN


class Fusion:
    """All tracks and placements of a table. Reports go into the tracks; `settle` updates the
    placements."""

    def __init__(self) -> None:
        self.seals = Seals()
        self.tracks: dict[Key, ReaderTrack] = {}
        self.placements: dict[int, Placement] = {}
        self._home: dict[Key, Placement] = {}
        self._rulings = Overrides()
        self._renew: dict[str, float] = {}
        self._numbers = itertools.count(1)

    def track(self, key: Key, tap: bool) -> ReaderTrack:
        """Return the track with that key; a new one if it is unknown or its card has gone."""
        known = self.tracks.get(key)
        if known is not None and known.gone is not None:
            self._settle_track(known, known.gone)
            known = None
        if known is None:
            known = self.tracks[key] = ReaderTrack(key, tap)
        return known

    def press(self, reading: CardState, at: float) -> None:
        """Add a pressed button: it counts until the phase moves on, or the seat presses again."""
        for placement in list(self.placements.values()):
            # Only buttons: a card that was shown has been seen by a track, so `last` is not empty.
            if not placement.last and placement.reading.zone == reading.zone and placement.until == math.inf:
                del self.placements[placement.id]
        self._new(reading, at).until = math.inf

    def lose(self, reader: str) -> None:
        """Keep the cards of a reader that is disconnected or switched off as orphans, until it is
        back."""
        for track in self._of(reader):
            track.orphan = True

    def regain(self, reader: str, at: float) -> None:
        """Expect a reader that is back to report its cards; those it does not report within `ADOPT`
        seconds have gone."""
        if any(track.orphan for track in self._of(reader)):
            # The first return counts: otherwise a connection that breaks every two seconds would
            # keep its cards indefinitely.
            self._renew.setdefault(reader, at + ADOPT)

    def rule(self, tracks: Iterable[Key], reading: CardState) -> None:
        """Make these tracks stand for `reading`, by people's word, until their readers change their
        minds."""
        for track in [self.tracks[key] for key in tracks if key in self.tracks]:
            self._rulings.rule(track, reading)

    def ruled(self, track: ReaderTrack) -> bool:
        """Check whether people have said what this track is, or that it counts for nothing."""
        return track in self._rulings

    def seen_by(self, track: Key) -> Placement | None:
        """Return the placement that this track sees; None if it sees none."""
        return self._home.get(track)

    def end_shown(self) -> None:
        """End placements that were only shown or pressed, and forget cards that were taken away: a
        card that lies there in the next phase is another one.

        All backs look the same, and the next round's load often lies where the last one lay.
        """
        for placement in list(self.placements.values()):
            if placement.until == math.inf:
                del self.placements[placement.id]
            elif not placement.lies:
                placement.last.clear()

    def settle(self, now: float) -> None:
        """Update the placements from the tracks, as of `now`."""
        for track in self.tracks.values():
            track.settle(now)
        # Departures first, so that a card that was turned over finds its place free; visible cards
        # before face-down ones, which may turn out to be the same card (`_target`). `sorted` also
        # copies: a departed track is removed from the dictionary while it is settled.
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
        """Yield the moments at which the passing of time will change something."""
        yield from self._renew.values()
        for track in self.tracks.values():
            if track.ripe_at is not None:
                yield track.ripe_at

    def _settle_track(self, track: ReaderTrack, now: float) -> None:
        # An orphan that another track has just replaced.
        if self.tracks.get(track.key) is not track:
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
            # Looked up again, because `_join` may have changed it.
            home = self._home.get(track.key)
            if home is not None:
                self._leave(home, track, track.gone)
            self.seals.drop(track.key)
            self._rulings.leave(track, track.gone)
            del self.tracks[track.key]

    def _target(self, track: ReaderTrack) -> CardState | None:
        """Return what the track stands for: people's word, or else its own steady reading.

        A pad still reads a card that has been turned up; it then sees the same placement as the
        other readers.
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
        # A reader that comes back numbers its cards from the start: the new track replaces the lost
        # one.
        for orphan in [t for t in placement.tracks.values() if t.orphan and t.reader == track.reader]:
            del placement.tracks[orphan.key], self._home[orphan.key], self.tracks[orphan.key]
        placement.tracks[track.key] = track
        placement.until = None
        placement.shown = placement.shown or track.tap
        self._home[track.key] = placement

    def _fitting(self, track: ReaderTrack, reading: CardState) -> Placement | None:
        """Return the placement that this track sees too; None if there is none."""
        alike = [p for p in self.placements.values() if p.reading == reading and (p.tracks or p.last)]
        for placement in alike:
            rivals = [t for t in placement.tracks.values() if t.reader == track.reader and not t.orphan]
            # A second track of the same reader is a second card, even of the same design: two
            # fours.
            if placement.lies and not rivals:
                return placement
        for placement in alike:
            before, left = placement.last.get(track.reader, (None, -math.inf))
            if before is None or placement.lies:
                continue
            # On a pad, a card shown again after the game has used it is a new move, unless it only
            # bounced.
            if track.tap and (not placement.used or track.since - left < BOUNCE):
                return placement
            if track.since - left < RETURN and track.same_place(before):
                return placement
        return None

    def _leave(self, placement: Placement, track: ReaderTrack, at: float, for_good: bool = False) -> None:
        """Take the track out of the placement. `for_good`: the card is seen in another zone or on
        its other side, so it cannot come back."""
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
                # A card that was turned over before the first look is no longer news: it must not
                # be offered with its old face.
                placement.offered = True

    def _unite(self) -> None:
        """Merge placements with the same reading that no reader sees both of: one came into being
        while the other's reader had two tracks, or was away.

        The older keeps its number; what a game has used counts for both.
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
        placement = Placement(self.number(), reading, at)
        self.placements[placement.id] = placement
        return placement

    def number(self) -> int:
        """Return a number that no claim has had."""
        return next(self._numbers)

    def _of(self, reader: str) -> list[ReaderTrack]:
        return [track for track in self.tracks.values() if track.reader == reader]


def _turn(track: ReaderTrack) -> tuple[bool, bool, float]:
    """Return the sort key of `settle`: departed tracks, then visible cards, then face-down cards on
    a pad; each by time."""
    return track.gone is None, track.secret is not None, track.since
