"""Merge the reports of all readers into placements: one for each physical card on the table.

Several readers may see the same card, and each of them loses and finds cards again. This module
decides which reports belong to one physical card. A reader follows each card under a track number.
A `SightingTrack` debounces the reports of one track: its `stable_state` reading is one that has
held for a while, and only another certain reading, or the card's departure, ends it; an uncertain
moment does not. `Fusion._resolve_state` says what a track stands for, and `update` gives each track
a placement (its `_placement_by_track`): an existing one that fits, or a new one.

A `Placement` is one physical card, as the games know it. Two readers that see the same card in the
same zone share a placement; two tracks of one reader are always two cards, even of the same design.
A placement keeps its reading for life: a card that is turned over, moved to another zone, or taken
away and put down again is a new placement with a new number, because to a game it is news.
Placements remember the tracks that see them now (`tracks`) and, for each reader, the last one that
did (`last_tracks`), by which a card that comes back is recognised.

Keep in mind when editing:

- People's answers (`Overrides`) count more than a reader's reading, until that reader changes its
  mind. They survive when a track is lost and found again in the same place.
- A pad cannot see which side of a card is up. If another reader sees a face-up card that equals the
  pad's face-down one, both see the same card, which was turned up.
- A reader that is lost takes nothing away: its tracks are orphans, which still count, until it is
  back and has had `REIDENTIFY_TIMEOUT` seconds to report them again.
- `update` handles departures first, then visible cards, then face-down ones. So a card that was
  turned over finds its place free, and a face-down card finds the visible one that it turns out to
  be.
- Nothing here reads a clock or knows a rule. The table says what was passed to a game (`is_used`,
  `was_offered`); a card that has gone counts until it has been offered once.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

from companion.table.identification import NOWHERE, CardState, TrackKey, Unidentified
from companion.table.seals import Seals, Secret
from companion.table.sightings import Sighting
from companion.table.timeouts import READING_DEBOUNCE, REIDENTIFY_TIMEOUT, RETURN_TIMEOUT, TAP_DEBOUNCE

SAME_PLACE = 0.02
"""Distance, as a part of the card's diagonal, that each corner may lie from its old place for the
card to count as never moved.

Nobody puts a card back to within two millimetres and a degree, so it was covered, not taken away.
See `SightingTrack.is_same_place`.
"""

MOVED_DISTANCE = 0.2
"""Distance, as a part of its diagonal, by which the middle of an unnamed card must move for it to
count as moved."""

Corners: TypeAlias = "tuple[tuple[float, float], ...]"
"""Corners of a card in the picture, in pixels; empty for a reader without a picture."""


class SightingTrack:
    """The debounced reports of one reader about one card. All times are seconds on the readers'
    clock, passed in.

    `stable_state`: the reading that has held; only another certain reading or the card's departure
    ends it. `unidentified`: why the card could not be identified since `unidentified_since`, while
    nothing is steady; moving the card starts a new period. `gone_at`: when it went, None while it
    is there. `is_orphan`: its reader is lost, or is back and has not reported this track again yet.
    `confidence`: how clearly the reader saw the steady reading, 0..1 (`Sighting`).
    """

    def __init__(self, key: TrackKey, tap: bool) -> None:
        self.key = key
        self.is_tap = tap
        self.stable_state: CardState | None = None
        self.confidence = 0.0
        self.since = 0.0
        self.secret: Secret | None = None
        self.unidentified: Unidentified | None = None
        self.unidentified_since = 0.0
        self._unidentified_quad: Corners = ()
        self.quad: Corners = ()
        self.gone_at: float | None = None
        self.is_orphan = False
        self._next: tuple[CardState, Secret | None, float] | None = None
        self._next_since = 0.0

    @property
    def reader(self) -> str:
        """Name of the reader that reports this track."""
        return self.key[0]

    @property
    def stable_at(self) -> float | None:
        """When a new reading will have held long enough if nothing else is reported; None without
        one."""
        return None if self._next is None else self._next_since + (0.0 if self.is_tap else READING_DEBOUNCE)

    def add_sighting(
        self, sighting: Sighting, state: CardState | Unidentified, secret: Secret | None
    ) -> None:
        """Process one sighting of this track."""
        # First, because this sighting may report another reading, and may come late.
        self.update(sighting.at)
        self.is_orphan = False
        self.quad = sighting.quad or self.quad
        if not sighting.present:
            self.gone_at = sighting.at
            return
        self.gone_at = None
        if isinstance(state, Unidentified):
            self._next = None
            # A hand over a card makes it uncertain for a moment; the earlier reading still holds.
            if self.stable_state is None:
                if self.unidentified is None or self.unidentified.why != state.why or self._has_moved():
                    self.unidentified_since, self._unidentified_quad = sighting.at, self.quad
                self.unidentified = state
            return
        self.unidentified = None
        if state == self.stable_state and _secrets_match(secret, self.secret):
            self._next = None
        elif self._next is None or self._next[0] != state or not _secrets_match(secret, self._next[1]):
            self._next, self._next_since = (state, secret, sighting.confidence), sighting.at
        self.update(sighting.at)

    def update(self, now: float) -> None:
        """Make a reading steady if it has held long enough by `now`, or by the card's departure."""
        # A card that was taken away before its reading had held long enough was never recognised.
        until = now if self.gone_at is None else min(now, self.gone_at)
        if self._next is not None and self.stable_at is not None and until >= self.stable_at:
            self.stable_state, self.secret, self.confidence = self._next
            # Since it was first seen, not since it became steady: `Table.mark_all_used` compares
            # with the time of playing.
            self.since, self._next = self._next_since, None

    def is_same_place(self, other: SightingTrack) -> bool:
        """Check whether this card lies exactly where `other`, of the same reader, was last seen."""
        if len(self.quad) != 4 or len(other.quad) != 4 or self.reader != other.reader:
            return False
        reach = SAME_PLACE * math.dist(self.quad[0], self.quad[2])
        return any(
            all(math.dist(one, two) <= reach for one, two in zip(self.quad, turned, strict=True))
            # The outline's first corner is whichever the camera found first.
            for turned in (other.quad[i:] + other.quad[:i] for i in range(len(other.quad)))
        )

    def _has_moved(self) -> bool:
        """Check whether the card has been moved since it became vague, allowing for noise in its
        outline."""
        if len(self.quad) != 4 or len(self._unidentified_quad) != 4:
            return False
        apart = math.dist(_find_centre(self.quad), _find_centre(self._unidentified_quad))
        return apart > MOVED_DISTANCE * math.dist(self.quad[0], self.quad[2])


def _find_centre(quad: Corners) -> tuple[float, float]:
    return sum(x for x, _ in quad) / len(quad), sum(y for _, y in quad) / len(quad)


def _secrets_match(one: Secret | None, other: Secret | None) -> bool:
    return one is other or (one is not None and other is not None and one.matches(other.reveal_card()))


class _Override(NamedTuple):
    """The table's word on a track. `state` is what it stands for; `stable_state` is the reader's
    reading at that time, or None if the reader could not name the card since
    `unidentified_since`."""

    state: CardState
    stable_state: CardState | None
    unidentified_since: float

    def still_holds(self, track: SightingTrack) -> bool:
        """Check whether the word still holds. An unnamed card that was put aside is ignored only
        until it is moved."""
        put_aside = self.stable_state is None and self.state.zone == NOWHERE
        return self.stable_state == track.stable_state and not (
            put_aside and self.unidentified_since != track.unidentified_since
        )

    def resolve_state(self, track: SightingTrack) -> CardState:
        """Return what the track stands for. A card that its reader cannot name keeps its name when
        it is pushed to another zone."""
        if self.stable_state is not None or track.unidentified is None or self.state.zone == NOWHERE:
            return self.state
        return CardState(track.unidentified.zone, self.state.card)


class Overrides:
    """What the table has said about tracks, which counts more than the readers' own readings."""

    def __init__(self) -> None:
        self._by_track: dict[TrackKey, _Override] = {}
        self._released: list[tuple[float, SightingTrack, CardState]] = []

    def __contains__(self, track: SightingTrack) -> bool:
        return track.key in self._by_track

    def override_track(self, track: SightingTrack, state: CardState) -> None:
        """Set what the track stands for; a reading in `NOWHERE` makes it count for nothing."""
        if track.stable_state is None:
            # A card named by people has been there since it was first seen: `Table.mark_all_used`
            # compares that time, not the time of the answer.
            track.since = track.unidentified_since
        self._by_track[track.key] = _Override(state, track.stable_state, track.unidentified_since)

    def find_state(self, track: SightingTrack) -> CardState | None:
        """Return what the table has said about a track; None if nothing, or if it no longer
        holds."""
        self._inherit_override(track)
        ruling = self._by_track.get(track.key)
        if ruling is None:
            return None
        if ruling.still_holds(track):
            return ruling.resolve_state(track)
        del self._by_track[track.key]
        return None

    def release_track(self, track: SightingTrack, at: float) -> None:
        """Note that the track went at `at`."""
        ruling = self._by_track.pop(track.key, None)
        if ruling is not None and ruling.stable_state is None:
            self._released.append((at, track, ruling.state))

    def forget_expired(self, now: float) -> None:
        """Forget tracks that can no longer come back."""
        self._released = [left for left in self._released if now - left[0] < RETURN_TIMEOUT]

    def _inherit_override(self, track: SightingTrack) -> None:
        """Transfer the word on an unnamed card when its reader lost the card and sees it in the
        same place as another track."""
        if track.stable_state is not None or track.unidentified is None or track.key in self._by_track:
            return
        for left in self._released:
            at, before, state = left
            if track.unidentified_since - at < RETURN_TIMEOUT and track.is_same_place(before):
                self._released.remove(left)
                self.override_track(track, state)
                return


class PlacedCard(NamedTuple):
    """A recognised card (None: it lies face down), with the tracks of the readers that see it.

    `confidence`: of the camera that saw it most clearly, 0..1 (`Sighting`); None if no camera named
    it: a tag is read completely or not at all, and people's answers are not readings.
    """

    card: str | None
    tracks: tuple[TrackKey, ...]
    confidence: float | None = None

    @property
    def reader_names(self) -> tuple[str, ...]:
        """Names of the readers that see it, sorted."""
        return tuple(sorted({reader for reader, _ in self.tracks}))


class Placement:
    """One physical card on the table (or a button that was pressed).

    `tracks`: the tracks that see it now. `expires_at`: when it stops counting, None while it lies
    there, infinity for a card shown to a pad, which counts until the phase moves on (`shown`).
    `is_used`: a game has acted on it, at `used_at`. `was_offered`: it has been among the claims at
    least once, so that even a card that came and went between two looks is not missed.
    """

    def __init__(self, number: int, state: CardState, since: float) -> None:
        self.id = number
        self.state = state
        self.since = since
        self.tracks: dict[TrackKey, SightingTrack] = {}
        self.last_tracks: dict[str, tuple[SightingTrack, float]] = {}
        self.expires_at: float | None = None
        self.was_tapped = False
        self.is_used = False
        self.used_at = -math.inf
        self.was_offered = False

    @property
    def has_tracks(self) -> bool:
        """Whether a reader sees it now, or saw it when that reader was lost."""
        return bool(self.tracks)

    @property
    def is_observed(self) -> bool:
        """Whether a connected reader sees it now."""
        return any(not track.is_orphan for track in self.tracks.values())

    @property
    def placed_card(self) -> PlacedCard:
        """The card, with the tracks that see it now."""
        confidences = [
            one.confidence
            for one in self.tracks.values()
            if not one.is_tap and one.stable_state == self.state
        ]
        return PlacedCard(self.state.card, tuple(self.tracks), max(confidences, default=None))

    def is_active(self, now: float) -> bool:
        """Check whether it is to be offered to a game now."""
        return self.expires_at is None or now < self.expires_at or not self.was_offered

    def merge(self, other: Placement) -> None:
        """Merge another placement, which turned out to be the same card, into this one."""
        self.tracks.update(other.tracks)
        self.last_tracks = {**other.last_tracks, **self.last_tracks}
        self.was_tapped = self.was_tapped or other.was_tapped
        self.is_used = self.is_used or other.is_used
        self.used_at = max(self.used_at, other.used_at)
        self.was_offered = self.was_offered or other.was_offered

    def is_expired(self, now: float) -> bool:
        """Check whether it has gone for good: it can neither be offered nor come back."""
        return (
            self.expires_at is not None and not self.is_active(now) and now > self.expires_at + RETURN_TIMEOUT
        )


class Fusion:
    """All tracks and placements of a table. Reports go into the tracks; `update` updates the
    placements."""

    def __init__(self) -> None:
        self.seals = Seals()
        self.tracks: dict[TrackKey, SightingTrack] = {}
        self.placements: dict[int, Placement] = {}
        self._placement_by_track: dict[TrackKey, Placement] = {}
        self._overrides = Overrides()
        self._orphan_deadlines: dict[str, float] = {}
        self._numbers = itertools.count(1)

    def find_or_create_track(self, key: TrackKey, is_tap: bool) -> SightingTrack:
        """Return the track with that key; a new one if it is unknown or its card has gone."""
        known = self.tracks.get(key)
        if known is not None and known.gone_at is not None:
            self._update_track(known, known.gone_at)
            known = None
        if known is None:
            known = self.tracks[key] = SightingTrack(key, is_tap)
        return known

    def add_button_press(self, state: CardState, at: float) -> None:
        """Add a pressed button: it counts until the phase moves on, or the seat presses again."""
        for placement in list(self.placements.values()):
            # Only buttons: a card that was shown has been seen by a track, so `last_tracks` is not
            # empty.
            if (
                not placement.last_tracks
                and placement.state.zone == state.zone
                and placement.expires_at == math.inf
            ):
                del self.placements[placement.id]
        self._create_placement(state, at).expires_at = math.inf

    def mark_reader_lost(self, reader: str) -> None:
        """Keep the cards of a reader that is disconnected or switched off as orphans, until it is
        back."""
        for track in self._list_reader_tracks(reader):
            track.is_orphan = True

    def mark_reader_back(self, reader: str, at: float) -> None:
        """Expect a reader that is back to report its cards; those it does not report within
        `REIDENTIFY_TIMEOUT` seconds have gone."""
        if any(track.is_orphan for track in self._list_reader_tracks(reader)):
            # The first return counts: otherwise a connection that breaks every two seconds would
            # keep its cards indefinitely.
            self._orphan_deadlines.setdefault(reader, at + REIDENTIFY_TIMEOUT)

    def override_tracks(self, tracks: Iterable[TrackKey], state: CardState) -> None:
        """Make these tracks stand for `state`, by people's word, until their readers change their
        minds."""
        for track in [self.tracks[key] for key in tracks if key in self.tracks]:
            self._overrides.override_track(track, state)

    def is_overridden(self, track: SightingTrack) -> bool:
        """Check whether people have said what this track is, or that it counts for nothing."""
        return track in self._overrides

    def find_placement(self, track: TrackKey) -> Placement | None:
        """Return the placement that this track sees; None if it sees none."""
        return self._placement_by_track.get(track)

    def end_taps(self) -> None:
        """End placements that were only shown or pressed, and forget cards that were taken away: a
        card that lies there in the next phase is another one.

        All backs look the same, and the next round's load often lies where the last one lay.
        """
        for placement in list(self.placements.values()):
            if placement.expires_at == math.inf:
                del self.placements[placement.id]
            elif not placement.has_tracks:
                placement.last_tracks.clear()

    def update(self, now: float) -> None:
        """Update the placements from the tracks, as of `now`."""
        for track in self.tracks.values():
            track.update(now)
        # Departures first, so that a card that was turned over finds its place free; visible cards
        # before face-down ones, which may turn out to be the same card (`_resolve_state`). `sorted`
        # also copies: a departed track is removed from the dictionary while it is settled.
        for track in sorted(self.tracks.values(), key=_update_order):
            self._update_track(track, now)
        for reader, due in [(reader, due) for reader, due in self._orphan_deadlines.items() if now >= due]:
            del self._orphan_deadlines[reader]
            for track in [track for track in self._list_reader_tracks(reader) if track.is_orphan]:
                track.gone_at = due
                self._update_track(track, now)
        self._merge_placements()
        for placement in list(self.placements.values()):
            if placement.is_expired(now):
                del self.placements[placement.id]
        self._overrides.forget_expired(now)

    def find_due_times(self) -> Iterator[float]:
        """Yield the moments at which the passing of time will change something."""
        yield from self._orphan_deadlines.values()
        for track in self.tracks.values():
            if track.stable_at is not None:
                yield track.stable_at

    def _update_track(self, track: SightingTrack, now: float) -> None:
        # An orphan that another track has just replaced.
        if self.tracks.get(track.key) is not track:
            return
        track.update(now)
        target = self._resolve_state(track)
        home = self._placement_by_track.get(track.key)
        if target is not None and (home is None or home.state != target):
            if home is not None:
                self._leave_placement(home, track, now, for_good=not track.is_tap or track in self._overrides)
            if target.zone != NOWHERE:
                self._join_placement(track, target)
        if track.gone_at is not None:
            # Looked up again, because `_join_placement` may have changed it.
            home = self._placement_by_track.get(track.key)
            if home is not None:
                self._leave_placement(home, track, track.gone_at)
            self.seals.remove_secret(track.key)
            self._overrides.release_track(track, track.gone_at)
            del self.tracks[track.key]

    def _resolve_state(self, track: SightingTrack) -> CardState | None:
        """Return what the track stands for: people's word, or else its own steady reading.

        A pad still reads a card that has been turned up; it then sees the same placement as the
        other readers.
        """
        steady, ruled = track.stable_state, self._overrides.find_state(track)
        if ruled is not None:
            return ruled
        if steady is None or track.secret is None:
            self.seals.remove_secret(track.key)
            return steady
        for placement in self.placements.values():
            visible = placement.state
            if visible.zone == steady.zone and placement.has_tracks and track.secret.matches(visible.card):
                self.seals.remove_secret(track.key)
                return visible
        self.seals.add_secret(track.key, steady.zone, track.secret)
        return steady

    def _join_placement(self, track: SightingTrack, state: CardState) -> None:
        placement = self._find_matching_placement(track, state) or self._create_placement(state, track.since)
        # A reader that comes back numbers its cards from the start: the new track replaces the lost
        # one.
        for orphan in [t for t in placement.tracks.values() if t.is_orphan and t.reader == track.reader]:
            del placement.tracks[orphan.key], self._placement_by_track[orphan.key], self.tracks[orphan.key]
        placement.tracks[track.key] = track
        placement.expires_at = None
        placement.was_tapped = placement.was_tapped or track.is_tap
        self._placement_by_track[track.key] = placement

    def _find_matching_placement(self, track: SightingTrack, state: CardState) -> Placement | None:
        """Return the placement that this track sees too; None if there is none."""
        alike = [p for p in self.placements.values() if p.state == state and (p.tracks or p.last_tracks)]
        for placement in alike:
            rivals = [t for t in placement.tracks.values() if t.reader == track.reader and not t.is_orphan]
            # A second track of the same reader is a second card, even of the same design: two
            # fours.
            if placement.has_tracks and not rivals:
                return placement
        for placement in alike:
            before, left = placement.last_tracks.get(track.reader, (None, -math.inf))
            if before is None or placement.has_tracks:
                continue
            # On a pad, a card shown again after the game has used it is a new move, unless it only
            # bounced.
            if track.is_tap and (not placement.is_used or track.since - left < TAP_DEBOUNCE):
                return placement
            if track.since - left < RETURN_TIMEOUT and track.is_same_place(before):
                return placement
        return None

    def _leave_placement(
        self, placement: Placement, track: SightingTrack, at: float, for_good: bool = False
    ) -> None:
        """Take the track out of the placement. `for_good`: the card is seen in another zone or on
        its other side, so it cannot come back."""
        placement.tracks.pop(track.key, None)
        self._placement_by_track.pop(track.key, None)
        placement.last_tracks[track.reader] = (track, at)
        if placement.tracks:
            return
        placement.expires_at = math.inf if placement.was_tapped and not for_good else at
        if for_good:
            placement.last_tracks.clear()
            if placement.is_used:
                del self.placements[placement.id]
            else:
                # A card that was turned over before the first look is no longer news: it must not
                # be offered with its old face.
                placement.was_offered = True

    def _merge_placements(self) -> None:
        """Merge placements with the same reading that no reader sees both of: one came into being
        while the other's reader had two tracks, or was away.

        The older keeps its number; what a game has used counts for both.
        """
        alike: dict[CardState, list[Placement]] = {}
        for placement in [one for one in self.placements.values() if one.has_tracks]:
            seen_by = {track.reader for track in placement.tracks.values()}
            older = next(
                (
                    one
                    for one in alike.get(placement.state, ())
                    if seen_by.isdisjoint(track.reader for track in one.tracks.values())
                ),
                None,
            )
            if older is None:
                alike.setdefault(placement.state, []).append(placement)
                continue
            older.merge(placement)
            self._placement_by_track.update(dict.fromkeys(placement.tracks, older))
            del self.placements[placement.id]

    def _create_placement(self, state: CardState, at: float) -> Placement:
        placement = Placement(self.next_claim_id(), state, at)
        self.placements[placement.id] = placement
        return placement

    def next_claim_id(self) -> int:
        """Return a number that no claim has had."""
        return next(self._numbers)

    def _list_reader_tracks(self, reader: str) -> list[SightingTrack]:
        return [track for track in self.tracks.values() if track.reader == reader]


def _update_order(track: SightingTrack) -> tuple[bool, bool, float]:
    """Return the sort key of `update`: departed tracks, then visible cards, then face-down cards on
    a pad; each by time."""
    return track.gone_at is None, track.secret is not None, track.since
