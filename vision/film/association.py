"""Match outlines found in a frame with the cards already followed.

Each `Track` is a card, or a shape that may turn out not to be one. When a place has been looked at,
`Tracks.meet` compares the outlines found with the tracks known there. An outline in a track's place
is that card, or another one if the place looks different now. A track without an outline is dropped
if a new outline covers it or if the bare table shows in its place; otherwise it is kept in doubt,
because a hand or a sleeve may lie over it. `Tracks.take_in` then applies what the reader made of an
outline: a vote for a design, another card in the same place, or several cards on what looked like
one.
"""

from collections.abc import Iterable, Sequence

from vision.film.background import SHADE, STRANGE, Appearance, Background
from vision.film.motion import KeptFrame
from vision.film.track import Track
from vision.film.view import Matrix
from vision.geometry import Quad, area, overlap
from vision.outlines.covers import over
from vision.outlines.detect import Outline
from vision.outlines.shape import of_card_shape
from vision.reader import Reader
from vision.reading import Reading, cards_only, of_one_size

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

The last look at a place comes 3.1 s after something happened there (`vision.film.attention.WAITS`).
"""

LAST_LOOK = 3.5
"""Seconds after which a place is not looked at again (`vision.film.attention.WAITS`: 0.3 + 0.8 +
2.0 s and the rest)."""

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

    def cards(self) -> list[Track]:
        """Return the cards that have been read, without the shapes that are not cards of this
        deck."""
        return [track for track, _ in self.told()]

    def told(self) -> list[tuple[Track, Reading]]:
        """Return the cards with their readings, as judged beside each other: a picture printed on
        another card is not sure."""
        read = [(track, track.named) for track in self.all if track.named is not None]
        # several calls a frame, and the readings change once in hundreds: without this, 5 ms of 18
        same = len(read) == len(self._judged)
        if not same or any(
            one is not before for (_, one), (before, _) in zip(read, self._judged, strict=True)
        ):
            self._judged = self._judging(read)
        told = [(track, after) for (track, _), (_, after) in zip(read, self._judged, strict=True)]
        return [(track, one) for track, one in told if one is not None]

    def _judging(self, read: Sequence[tuple[Track, Reading]]) -> list[tuple[Reading, Reading | None]]:
        """Pair each reading with the result of comparing it with the others, or with None if it is
        not a card."""
        sure, tall = [one for _, one in read if one.sure], self._reader.tall
        lies = {id(one): track.quad for track, one in read}
        sized = iter(of_one_size(sure, tall, lambda reading: [lies[id(reading)]]))

        def after(one: Reading) -> Reading | None:
            if one.sure:
                return next(sized)
            return one if len(cards_only([*sure, one], tall)) > len(sure) else None

        return [(one, after(one)) for _, one in read]

    def sure(self) -> list[Quad]:
        """Return the quads of the cards that are identified for sure."""
        return [track.quad for track in self.all if track.sure]

    def covers(self, track: Track) -> list[Quad]:
        """Return the quads of the cards that lie on a partly hidden card."""
        return over(track.quad, [t.quad for t in self.cards() if t.depth < track.depth])

    def carry(self, step: Matrix, factor: int) -> None:
        """Move all tracks with the camera, by `step` in small pixels."""
        for track in self.all:
            track.carry(step, factor)

    def meet(
        self, now: KeptFrame, found: Sequence[Outline], known: Sequence[Track], background: Background
    ) -> None:
        """Match the outlines `found` in a place with the tracks `known` there, and drop those that
        have gone."""
        for outline in found:
            self._meet(now, outline)
        # Some may have been dropped since the look began, or to make room for the outlines just
        # found.
        known = [track for track in known if any(track is one for one in self.all)]
        for track in known:
            if any(same(o.quad, track.quad) for o in found):
                continue
            # the place looks as before, so the card is there, although no outline was found
            if self._unchanged(track, now):
                track.doubt, track.doubted = False, None
            # in doubt from here: nothing was found in its place, and the place looks different
            elif (
                self._covered(track, found, known)
                or self._gone(now, track, found, known, background)
                or self._forgotten(track, now)
            ):
                self.all.remove(track)
            elif not track.doubt:
                # from the first difference on, even if a reading has cleared `doubt` since
                track.doubt, track.doubted = True, now.t if track.doubted is None else track.doubted

    def _covered(self, track: Track, found: Sequence[Outline], known: Sequence[Track]) -> bool:
        """Check whether something of a card's size now hides most of a card."""
        before = [other.quad for other in known if other.depth < track.depth]
        return any(
            _lies_on(o.quad, track.quad) and not any(same(o.quad, other) for other in before) for o in found
        )

    def _gone(
        self,
        now: KeptFrame,
        track: Track,
        found: Sequence[Outline],
        known: Sequence[Track],
        background: Background,
    ) -> bool:
        """Check whether the table shows where a card lay, as far as other cards leave it
        visible."""
        place = (now.thumb, track.quad, track.look, track.ring, now.factor)
        beside = [other.quad for other in self.all if other is not track]
        shade = STRANGE if track.sure and _doubted_for(track, now) < AN_ARM else SHADE
        if background.is_bare(*place, beside=beside, shade=shade):
            return True
        others = [o.quad for o in found] + [
            t.quad for t in known if t is not track and t.sure and self._unchanged(t, now)
        ]
        # much smaller or larger covers are not cards: what shows beside them decides nothing
        near = [quad for quad in over(track.quad, others) if 0.6 < area(quad) / area(track.quad) < 1.6]
        return bool(near) and background.is_bare(*place, near, beside, shade)

    def _forgotten(self, track: Track, now: KeptFrame) -> bool:
        """Check whether something unidentified, no longer visible, is dropped although the bare
        table does not show there.

        A shape that is not a card is dropped at once, because whatever was taken for it has moved:
        the glasses and phones of an evening would otherwise be followed indefinitely, once at every
        place where they stood. An unidentified card may lie under a hand.
        """
        if track.sure:
            return False
        if not any(track is card for card in self.cards()):
            return True
        return _doubted_for(track, now) >= LINGER

    @staticmethod
    def _unchanged(track: Track, now: KeptFrame) -> bool:
        """Check whether a card's place looks as it did when the card was last seen."""
        return Appearance.take(now.thumb, track.quad, now.factor).same(track.look, now.slack)

    def _meet(self, now: KeptFrame, outline: Outline) -> None:
        """Match an outline with the card known in its place, changed or not, or start a new
        track."""
        for track in self.all:
            if same(outline.quad, track.quad):
                if not self._unchanged(track, now):
                    track.change(outline, Appearance.take(now.thumb, outline.quad, now.factor))
                elif not track.sure:
                    # the same place, found again: the newer outline may be better, so its readings
                    # start again
                    track.outline = outline
                    track.begin_anew()
                track.found_at, track.doubt, track.doubted, track.depth = now.t, False, None, 0
                # the surroundings may have changed while the card lay there
                track.ring = Appearance.round(now.thumb, track.quad, now.factor)
                return
        unchanged = [
            t.quad
            for t in self.all
            if t.sure and overlap(t.quad, outline.quad) > 0 and self._unchanged(t, now)
        ]
        if not self._made_up(outline.quad, unchanged):
            self.begin(outline, now).found_at = now.t

    def _made_up(self, quad: Quad, cards: Sequence[Quad]) -> bool:
        """Check whether a shape is only the sum, or a piece, of cards known there: touching cards,
        or the rest of a covered one."""
        wanted = self._reader.tall
        return bool(
            sum(overlap(card, quad) for card in cards) > MOSTLY * area(quad)
            and not of_card_shape(quad, list(cards), wanted)
        )

    def begin(self, outline: Outline, now: KeptFrame) -> Track:
        """Start to follow a new card, and return its track."""
        look = Appearance.take(now.thumb, outline.quad, now.factor)
        ring = Appearance.round(now.thumb, outline.quad, now.factor)
        track = Track(self._next_id, outline, now.t, look, ring)
        self._next_id += 1
        self.all.append(track)
        self._limit()
        return track

    def _limit(self) -> None:
        """Drop the oldest shape if there are too many."""
        if sum(not track.sure for track in self.all) > MOST_SHAPES:
            cards = {id(track) for track in self.cards()}
            # Not the newest: its caller is still filling it in.
            newest = self.all[-1]
            oldest = next((t for t in self.all if id(t) not in cards and t is not newest), None)
            if oldest is not None:
                self.all.remove(oldest)

    def opaque(self, t: float) -> list[Quad]:
        """Return the quads under which the bare table must not be learned at time `t`: those of
        cards, and of shapes that may turn out to be cards.

        A glass that was read in vain is part of the table as long as it stands there, but not
        before its place has been looked at for the last time: half a card is often taken for a
        shape first, and the table learned there would be that card.
        """
        cards = {id(track) for track in self.cards()}
        return [
            track.quad
            for track in self.all
            if id(track) in cards or track.wants_reading or t - track.first_seen < LAST_LOOK
        ]

    def add_parts(self, readings: Iterable[Reading], now: KeptFrame) -> int:
        """Follow cards that were found partly hidden, those on top first, and return how many are
        new."""
        new = 0
        for reading in readings:
            outline = Outline(reading.quad, reading.confidence)
            # the card is known there, but looks different now: covered in another way
            there = next((t for t in self._twins(reading) if not self._unchanged(t, now)), None)
            if there is not None:
                there.change(outline, Appearance.take(now.thumb, reading.quad, now.factor))
                track = there
            else:
                # a shape in this place, unidentified so far, was this card
                self.all = [t for t in self.all if t.sure or not same(t.quad, reading.quad)]
                track = self.begin(outline, now)
                new += 1
            above = [t.depth for t in self.cards() if t is not track and over(reading.quad, [t.quad])]
            track.depth = 1 + max(above, default=0)
            track.vote(reading)
        self._drop_made_up()
        return new

    def _twins(self, reading: Reading) -> list[Track]:
        """Return the tracks that may belong to a reading: those with its name, in its place or near
        it."""
        return [
            t
            for t in self.all
            if t.sure
            and t.named is not None
            and t.named.card == reading.card
            and overlap(t.quad, reading.quad) > NEAR * area(t.quad)
        ]

    def _drop_made_up(self) -> None:
        """Drop the shapes that turn out to be sums or pieces of cards identified since."""
        sure, cards = self.sure(), {track.id for track in self.cards()}
        self.all = [t for t in self.all if t.sure or t.id in cards or not self._made_up(t.quad, sure)]

    def take_in(self, track: Track, readings: list[Reading], now: KeptFrame) -> None:
        """Apply the result of reading a track: a vote, another card in its place, or several cards
        on a sheet."""
        first = readings[0]
        other = track.named is not None and track.named.card != first.card
        if track.doubt:
            # something hides the card, or another lies there: only a sure reading can tell which
            track.doubt = False
            if other and first.sure and len(readings) == 1:
                self._replace(track, first, now)
        elif len(readings) > 1:
            self._split(track, readings, now)
        elif other and not track.votes:
            self._replace(track, first, now)
        elif (
            track.depth == 0
            and first.sure
            and any(t is not track and self._unchanged(t, now) for t in self._twins(first))
        ):
            # a second outline of the card, with a sliver of another, say: a different card with
            # this name would have to lie on the first
            self.all.remove(track)
        else:
            track.vote(first)
            # not read again until its place is looked at again (`Track.allow_more`)
            if self._no_card(track):
                track.allowed = track.readings

    def _no_card(self, track: Track) -> bool:
        """Check whether a track has neither a card's shape and size, as the other cards define
        them, nor came near to any design; it is read again only when its place is looked at
        again."""
        sure = self.sure()
        return (
            bool(sure)
            and not track.nearly
            and not track.sure
            and not self._reader.seen_aslant(sure)
            and not any(track is card for card in self.cards())
        )

    def _replace(self, track: Track, reading: Reading, now: KeptFrame) -> None:
        """Replace a track by a new one: another card lies in its place."""
        self.all.remove(track)
        new = self.begin(track.outline, now)
        new.depth = track.depth
        new.vote(reading)

    def _split(self, whole: Track, readings: list[Reading], now: KeptFrame) -> None:
        """Replace a track by several: it was a sheet or a mat on which cards lie."""
        self.all.remove(whole)
        for reading in readings:
            if not any(same(reading.quad, track.quad) for track in self.all):
                self.begin(Outline(reading.quad, whole.outline.support), now).vote(reading)


def same(a: Quad, b: Quad) -> bool:
    """Check whether two quads outline the same thing."""
    shared = overlap(a, b)
    return shared > 0.75 * max(area(a), area(b))


def _doubted_for(track: Track, now: KeptFrame) -> float:
    """Return the seconds for which a card's place has looked different from when the card was last
    seen."""
    return 0.0 if track.doubted is None else now.t - track.doubted


def _lies_on(upper: Quad, lower: Quad) -> bool:
    """Check whether something of a card's size hides most of another card."""
    return overlap(upper, lower) > 0.7 * area(lower) and 0.5 < area(upper) / area(lower) < 2.0
