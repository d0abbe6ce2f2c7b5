"""Match outlines found in a frame with the cards already followed.

Each `Track` is a card, or a shape that may turn out not to be one. When a place has been looked at,
`Tracks.match_outlines` compares the outlines found with the tracks known there. An outline in a
track's place is that card, or another one if the place looks different now. A track without an
outline is dropped if a new outline covers it or if the bare table shows in its place; otherwise it
is kept in doubt, because a hand or a sleeve may lie over it. `Tracks.add_readings` then applies
what the reader made of an outline: a vote for a design, another card in the same place, or several
cards on what looked like one.
"""

from collections.abc import Iterable, Sequence

from vision.geometry import Quad, overlap_area, quad_area
from vision.outlines.covers import find_covers
from vision.outlines.detect import Outline
from vision.outlines.shape import has_card_shape
from vision.reader import Reader
from vision.reading import Reading, demote_unlike_cards, keep_card_shaped
from vision.video.background import SHADE, STRANGE, Appearance, Background
from vision.video.motion import FrameRecord
from vision.video.track import Track
from vision.video.view_transform import Matrix

MOSTLY = 0.7
"""Part of a shape that known cards take up from which it is not a separate thing."""

NEAR = 0.4
"""Part of a card's place that another outline of the same name must share to be the same card."""

AN_ARM = 1.0
"""Seconds for which a sure card is kept where the table seems to show, but darker or brighter than
it was by more than what is no longer the bare table (`STRANGE`): a sleeve resting over the card
looks like that. Of 65 sure cards that went in a session with a swaying camera, 53 left the table as
it had been, within 3 grey levels, and 12 still lay under a sleeve, 27 and more off; found again,
each was a new card to the game."""

LINGER = 2.5
"""Seconds for which an unidentified card is kept where neither it nor the bare table is visible.

The last look at a place comes 3.1 s after something happened there
(`vision.video.region_schedule.LOOK_DELAYS`).
"""

LAST_LOOK = 3.5
"""Seconds after which a place is not looked at again (`vision.video.region_schedule.LOOK_DELAYS`:
0.3 + 0.8 + 2.0 s and the rest)."""

MOST_SHAPES = 48
"""Most things without a sure name that are followed at a time; beyond that, the oldest that are not
cards are dropped."""


class Tracks:
    """The cards that are followed, in order of `id`, together with shapes that may not be cards."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._next_id = 1
        self._judged: list[tuple[Reading, Reading | None]] = []
        self.all: list[Track] = []

    def list_cards(self) -> list[Track]:
        """Return the cards that have been read, without the shapes that are not cards of this
        deck."""
        return [track for track, _ in self.resolve_readings()]

    def resolve_readings(self) -> list[tuple[Track, Reading]]:
        """Return the cards with their readings, as judged beside each other: a picture printed on
        another card is not sure."""
        read = [(track, track.named) for track in self.all if track.named is not None]
        # several calls a frame, and the readings change once in hundreds: without this, 5 ms of 18
        same = len(read) == len(self._judged)
        if not same or any(
            one is not before for (_, one), (before, _) in zip(read, self._judged, strict=True)
        ):
            self._judged = self._cross_check_readings(read)
        resolved = [(track, after) for (track, _), (_, after) in zip(read, self._judged, strict=True)]
        return [(track, one) for track, one in resolved if one is not None]

    def _cross_check_readings(
        self, read_tracks: Sequence[tuple[Track, Reading]]
    ) -> list[tuple[Reading, Reading | None]]:
        """Pair each reading with the result of comparing it with the others, or with None if it is
        not a card."""
        sure, tall = [one for _, one in read_tracks if one.sure], self._reader.card_aspect
        # an outline that ends with the picture is none of a card
        lies = {id(one): [] if track.ends_at_edge else [track.quad] for track, one in read_tracks}
        sized = iter(demote_unlike_cards(sure, tall, lambda reading: lies[id(reading)]))

        def recheck_reading(one: Reading) -> Reading | None:
            if one.sure:
                return next(sized)
            return one if len(keep_card_shaped([*sure, one], tall)) > len(sure) else None

        return [(one, recheck_reading(one)) for _, one in read_tracks]

    def list_sure_quads(self) -> list[Quad]:
        """Return the quads of the cards that are identified for sure."""
        return [track.quad for track in self.all if track.is_sure]

    def list_covers(self, track: Track) -> list[Quad]:
        """Return the quads of the cards that lie on a partly hidden card."""
        return find_covers(track.quad, [t.quad for t in self.list_cards() if t.depth < track.depth])

    def apply_camera_motion(self, step: Matrix, factor: int) -> None:
        """Move all tracks with the camera, by `step` in small pixels."""
        for track in self.all:
            track.apply_camera_motion(step, factor)

    def match_outlines(
        self,
        now: FrameRecord,
        outlines: Sequence[Outline],
        known_tracks: Sequence[Track],
        background: Background,
    ) -> None:
        """Match the outlines `outlines` in a place with the tracks `known_tracks` there, and drop
        those that have gone."""
        for outline in outlines:
            self._match_outline(now, outline)
        # Some may have been dropped since the look began, or to make room for the outlines just
        # found.
        known_tracks = [track for track in known_tracks if any(track is one for one in self.all)]
        for track in known_tracks:
            if any(is_same_quad(o.quad, track.quad) for o in outlines):
                continue
            # the place looks as before, so the card is there, although no outline was found
            if self._is_unchanged(track, now):
                track.doubt, track.doubted = False, None
            # in doubt from here: nothing was found in its place, and the place looks different
            elif (
                self._is_covered(track, outlines, known_tracks)
                or self._is_gone(now, track, outlines, known_tracks, background)
                or self._should_forget(track, now)
            ):
                self.all.remove(track)
            elif not track.doubt:
                # from the first difference on, even if a reading has cleared `doubt` since
                track.doubt, track.doubted = True, now.t if track.doubted is None else track.doubted

    def _is_covered(self, track: Track, outlines: Sequence[Outline], known_tracks: Sequence[Track]) -> bool:
        """Check whether something of a card's size now hides most of a card."""
        before = [other.quad for other in known_tracks if other.depth < track.depth]
        return any(
            _mostly_covers(o.quad, track.quad) and not any(is_same_quad(o.quad, other) for other in before)
            for o in outlines
        )

    def _is_gone(
        self,
        now: FrameRecord,
        track: Track,
        outlines: Sequence[Outline],
        known_tracks: Sequence[Track],
        background: Background,
    ) -> bool:
        """Check whether the table shows where a card lay, as far as other cards leave it
        visible."""
        place = (now.thumb, track.quad, track.look, track.ring, now.factor)
        other_quads = [other.quad for other in self.all if other is not track]
        shade = STRANGE if track.is_sure and _doubt_seconds(track, now) < AN_ARM else SHADE
        if background.is_table_visible(*place, neighbours=other_quads, shade=shade):
            return True
        others = [o.quad for o in outlines] + [
            t.quad for t in known_tracks if t is not track and t.is_sure and self._is_unchanged(t, now)
        ]
        # much smaller or larger covers are not cards: what shows beside them decides nothing
        near = [
            quad
            for quad in find_covers(track.quad, others)
            if 0.6 < quad_area(quad) / quad_area(track.quad) < 1.6
        ]
        return bool(near) and background.is_table_visible(*place, near, other_quads, shade)

    def _should_forget(self, track: Track, now: FrameRecord) -> bool:
        """Check whether something unidentified, no longer visible, is dropped although the bare
        table does not show there.

        A shape that is not a card is dropped at once, because whatever was taken for it has moved:
        the glasses and phones of an evening would otherwise be followed indefinitely, once at every
        place where they stood. An unidentified card may lie under a hand.
        """
        if track.is_sure:
            return False
        if not any(track is card for card in self.list_cards()):
            return True
        return _doubt_seconds(track, now) >= LINGER

    @staticmethod
    def _is_unchanged(track: Track, now: FrameRecord) -> bool:
        """Check whether a card's place looks as it did when the card was last seen."""
        return Appearance.from_quad(now.thumb, track.quad, now.factor).matches(track.look, now.position_slack)

    def _match_outline(self, now: FrameRecord, outline: Outline) -> None:
        """Match an outline with the card known in its place, changed or not, or start a new
        track."""
        for track in self.all:
            if is_same_quad(outline.quad, track.quad):
                if not self._is_unchanged(track, now):
                    track.replace_face(outline, Appearance.from_quad(now.thumb, outline.quad, now.factor))
                elif not track.is_sure:
                    # the same place, found again: the newer outline may be better, so its readings
                    # start again
                    track.outline = outline
                    track.restart_reading()
                track.found_at, track.doubt, track.doubted, track.depth = now.t, False, None, 0
                # the surroundings may have changed while the card lay there
                track.ring = Appearance.from_surroundings(now.thumb, track.quad, now.factor)
                return
        unchanged = [
            t.quad
            for t in self.all
            if t.is_sure and overlap_area(t.quad, outline.quad) > 0 and self._is_unchanged(t, now)
        ]
        if not self._is_composite(outline.quad, unchanged):
            self.start_track(outline, now).found_at = now.t

    def _is_composite(self, quad: Quad, cards: Sequence[Quad]) -> bool:
        """Check whether a shape is only the sum, or a piece, of cards known there: touching cards,
        or the rest of a covered one."""
        wanted = self._reader.card_aspect
        return bool(
            sum(overlap_area(card, quad) for card in cards) > MOSTLY * quad_area(quad)
            and not has_card_shape(quad, list(cards), wanted)
        )

    def start_track(self, outline: Outline, now: FrameRecord) -> Track:
        """Start to follow a new card, and return its track."""
        look = Appearance.from_quad(now.thumb, outline.quad, now.factor)
        ring = Appearance.from_surroundings(now.thumb, outline.quad, now.factor)
        track = Track(self._next_id, outline, now.t, look, ring)
        self._next_id += 1
        self.all.append(track)
        self._drop_excess_tracks()
        return track

    def _drop_excess_tracks(self) -> None:
        """Drop the oldest shape if there are too many."""
        if sum(not track.is_sure for track in self.all) > MOST_SHAPES:
            cards = {id(track) for track in self.list_cards()}
            # Not the newest: its caller is still filling it in.
            newest = self.all[-1]
            oldest = next((t for t in self.all if id(t) not in cards and t is not newest), None)
            if oldest is not None:
                self.all.remove(oldest)

    def list_opaque_quads(self, t: float) -> list[Quad]:
        """Return the quads under which the bare table must not be learned at time `t`: those of
        cards, and of shapes that may turn out to be cards.

        A glass that was read in vain is part of the table as long as it stands there, but not
        before its place has been looked at for the last time: half a card is often taken for a
        shape first, and the table learned there would be that card.
        """
        cards = {id(track) for track in self.list_cards()}
        return [
            track.quad
            for track in self.all
            if id(track) in cards or track.needs_reading or t - track.first_seen < LAST_LOOK
        ]

    def add_found_cards(self, readings: Iterable[Reading], now: FrameRecord) -> int:
        """Follow the sure cards that a second look has found, whole ones and then partly hidden
        ones, those on top first; return how many are new or newly sure."""
        new = 0
        for reading in readings:
            outline = Outline(reading.quad, reading.confidence)
            same = self._find_same_card_tracks(reading)
            # the card is known there, but looks different now: covered in another way
            there = next((t for t in same if not self._is_unchanged(t, now)), None)
            if there is not None:
                there.replace_face(outline, Appearance.from_quad(now.thumb, reading.quad, now.factor))
                track = there
            # the first look has found the card meanwhile
            elif same and not reading.partly_hidden:
                continue
            else:
                # a shape in this place, unidentified so far, was this card
                self.all = [t for t in self.all if t.is_sure or not is_same_quad(t.quad, reading.quad)]
                track = self.start_track(outline, now)
                new += 1
            # a card found whole is no longer under others
            track.depth = 0
            if reading.partly_hidden:
                above = [
                    t.depth
                    for t in self.list_cards()
                    if t is not track and find_covers(reading.quad, [t.quad])
                ]
                track.depth = 1 + max(above, default=0)
            # also for a card that nobody enrolled: a second look is taken once, so that no other
            # frame would ever agree, and people would have to enter the card
            track.add_vote(reading, decisive=True)
        self._drop_composites()
        return new

    def _find_same_card_tracks(self, reading: Reading) -> list[Track]:
        """Return the tracks that may belong to a reading: those with its name, in its place or near
        it."""
        return [
            t
            for t in self.all
            if t.is_sure
            and t.named is not None
            and t.named.card == reading.card
            and overlap_area(t.quad, reading.quad) > NEAR * quad_area(t.quad)
        ]

    def _drop_composites(self) -> None:
        """Drop the shapes that turn out to be sums or pieces of cards identified since."""
        sure, cards = self.list_sure_quads(), {track.id for track in self.list_cards()}
        self.all = [t for t in self.all if t.is_sure or t.id in cards or not self._is_composite(t.quad, sure)]

    def add_readings(self, track: Track, readings: list[Reading], now: FrameRecord) -> None:
        """Apply the result of reading a track: a vote, another card in its place, or several cards
        on a sheet."""
        first = readings[0]
        other = track.named is not None and track.named.card != first.card
        if track.doubt:
            # something hides the card, or another lies there: only a sure reading can tell which
            track.doubt = False
            if other and first.sure and len(readings) == 1:
                self._replace_card(track, first, now)
        elif len(readings) > 1:
            self._split_sheet(track, readings, now)
        elif other and not track.votes:
            self._replace_card(track, first, now)
        elif (
            track.depth == 0
            and first.sure
            and any(t is not track and self._is_unchanged(t, now) for t in self._find_same_card_tracks(first))
        ):
            # a second outline of the card, with a sliver of another, say: a different card with
            # this name would have to lie on the first
            self.all.remove(track)
        else:
            track.add_vote(first)
            # not read again until its place is looked at again (`Track.allow_rereading`)
            if self._is_not_a_card(track):
                track.allowed = track.readings

    def _is_not_a_card(self, track: Track) -> bool:
        """Check whether a track has neither a card's shape and size, as the other cards define
        them, nor came near to any design; it is read again only when its place is looked at
        again."""
        sure = self.list_sure_quads()
        return (
            bool(sure)
            and not track.has_near_match
            and not track.is_sure
            and not self._reader.may_be_slanted(sure)
            and not any(track is card for card in self.list_cards())
        )

    def _replace_card(self, track: Track, reading: Reading, now: FrameRecord) -> None:
        """Replace a track by a new one: another card lies in its place."""
        self.all.remove(track)
        new = self.start_track(track.outline, now)
        new.depth = track.depth
        new.add_vote(reading)

    def _split_sheet(self, sheet_track: Track, readings: list[Reading], now: FrameRecord) -> None:
        """Replace a track by several: it was a sheet or a mat on which cards lie."""
        self.all.remove(sheet_track)
        for reading in readings:
            if not any(is_same_quad(reading.quad, track.quad) for track in self.all):
                self.start_track(Outline(reading.quad, sheet_track.outline.support), now).add_vote(reading)


def is_same_quad(a: Quad, b: Quad) -> bool:
    """Check whether two quads outline the same thing."""
    shared = overlap_area(a, b)
    return shared > 0.75 * max(quad_area(a), quad_area(b))


def _doubt_seconds(track: Track, now: FrameRecord) -> float:
    """Return the seconds for which a card's place has looked different from when the card was last
    seen."""
    return 0.0 if track.doubted is None else now.t - track.doubted


def _mostly_covers(upper: Quad, lower: Quad) -> bool:
    """Check whether something of a card's size hides most of another card."""
    return (
        overlap_area(upper, lower) > 0.7 * quad_area(lower)
        and 0.5 < quad_area(upper) / quad_area(lower) < 2.0
    )
