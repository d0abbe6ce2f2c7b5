"""The table: what lies where now, merged from all readers. The live session puts reports in and
asks for claims.

Level, not edge: `claims` answers what is here now and has not been used yet, so a missed frame is
no missed event. Queries change nothing: who gives claims to a game says so (`offer`, `use`). Time
comes in as a value (`at` of the reports, `now`): nothing here reads a clock, and nothing here knows
a rule.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping

import msgspec

from companion.rules.claims import seat_zone
from companion.rules.contract import Claim, Text
from companion.table.decks import Deck
from companion.table.fusion import Fusion, Placement, ReadCard
from companion.table.identification import NOWHERE, CardState, Identifier, Key, Pad
from companion.table.questions import QuestionKey, TableQuestion, due, found, hints, unnamed
from companion.table.seals import Seals
from companion.table.sightings import BoardSighting, Health, Press, Report, Sighting, Unrest
from companion.table.waits import CONFIRM

_NOTHING = CardState(NOWHERE, None)
"""What the table says of a card that it puts aside."""


MOST_CARDS = 400
"""Cards and pressed buttons that are followed at once. The largest deck has 108 cards; what floods
the table beyond that is a fault."""


class Table:
    """What lies on one table.

    `deck`: what the designs mean. `colours`: which colour plays on which seat (1..N, in the order
    of the start); a colour that is not in it is nobody's, and its cards' claims have no owner: the
    games raise the doubt. `pads`: what the readers' pads are for. `back_known`: the camera's
    library has the design `back`, so that what has no known face is a card of another game rather
    than one that lies face down.
    """

    def __init__(
        self,
        deck: Deck,
        colours: Mapping[str, int] | None = None,
        pads: Mapping[str, Pad] | None = None,
        back_known: bool = False,
    ) -> None:
        self.identifier = Identifier(deck, colours or {}, pads or {}, back_known)
        self._fusion = Fusion()
        self._health: dict[str, Health] = {}
        self._rests: dict[str, float] = {}
        self._questions: dict[QuestionKey, TableQuestion] = {}
        self._numbers = itertools.count(1)
        self._board: tuple[BoardSighting, int] | None = None
        self._last: object = None
        self._now = 0.0

    def put(self, report: Report) -> None:
        """Take one report of a reader, in order of arrival; `settle` draws the conclusions."""
        match report:
            case Health():
                self._note_health(report)
            case Unrest():
                self._note_unrest(report)
            case BoardSighting():
                self._board = report, self._fusion.number()
            case Press() if len(self._fusion.placements) < MOST_CARDS:
                self._fusion.press(CardState(seat_zone(report.seat), f"button:{report.button}"), report.at)
            case Sighting() if self._has_room(report):
                track = self._fusion.track((report.reader, report.track), self.identifier.taps(report))
                track.see(report, *self.identifier.read(report))

    def _has_room(self, sighting: Sighting) -> bool:
        """Tell whether the card is known, or there is room for one more."""
        # What is known must always be able to go, also from a full table.
        known = (sighting.reader, sighting.track) in self._fusion.tracks
        return known or (sighting.present and len(self._fusion.tracks) < MOST_CARDS)

    def settle(self, now: float) -> bool:
        """Bring everything up to date; tell whether claims, questions or hints have changed since
        the last time."""
        self._now = now
        self._fusion.settle(now)
        self._questions = {one.key: self._kept(one) for one in found(self._fusion, self.identifier.deck, now)}
        state = (self.claims(now), self.questions(now), self.hints(now))
        changed, self._last = state != self._last, state
        return changed

    def _kept(self, question: TableQuestion) -> TableQuestion:
        """Return the question with the number that it has had from the first; a contradiction also
        with its beginning."""
        known = self._questions.get(question.key)
        number = next(self._numbers) if known is None else known.id
        since = known.since if known is not None and question.about else question.since
        return msgspec.structs.replace(question, id=number, since=since)

    def claims(self, now: float) -> tuple[Claim, ...]:
        """Return what lies there, in order of coming, less what is used and what is in dispute; and
        the board."""
        held = {number for question in self._questions.values() for number in question.about}
        cards = tuple(
            Claim(
                placement.id,
                placement.reading.card,
                placement.reading.zone,
                placement.reading.face,
                self.identifier.owner(placement.reading),
            )
            for placement in self._fusion.placements.values()
            if not placement.used and placement.id not in held and placement.counts(now)
            if not self._unconfirmed(placement, now)
        )
        if self._board is None:
            return cards
        seen, number = self._board
        return (*cards, Claim(number, "board", "middle", board=seen.board))

    def offer(self, claims: Iterable[Claim]) -> None:
        """Note that these have been given to the game: what then goes away has not been missed."""
        for claim in claims:
            placement = self._fusion.placements.get(claim.id)
            if placement is not None:
                placement.offered = True

    def use(self, ids: Iterable[int]) -> None:
        """Give these claims no more while their cards lie there: the game has made use of them."""
        for number in ids:
            placement = self._fusion.placements.get(number)
            if placement is not None:
                placement.used, placement.used_at = True, self._now

    def adopt(self, until: float = math.inf) -> None:
        """Use all that came to lie there up to `until`: it belongs to what has been played already.

        (A session is resumed, cards were put right after an undo, an old pile lies there.)
        """
        self.use([placement.id for placement in self._fusion.placements.values() if placement.since <= until])
        # Unnamed cards too, or the table would be asked what a card is that has been played
        # already.
        nameless = (one for one in unnamed(self._fusion) if one.since <= until)
        self._fusion.rule([track for one in nameless for track in one.tracks], _NOTHING)

    def phase_moved(self) -> None:
        """Forget what was only shown to a pad, pressed or typed: it counted until now."""
        self._fusion.end_shown()

    def questions(self, now: float) -> tuple[TableQuestion, ...]:
        """Return what is to be put to the table: contradictions that have lasted, then the cards of
        which a reader has long been unsure (`about` is empty: the game may have no use for them).
        Each has an id that it keeps."""
        return tuple(one for one in self._questions.values() if one.ripe(now, self._rests))

    @property
    def unsure(self) -> tuple[TableQuestion, ...]:
        """The cards of which a reader is unsure, for however short a time."""
        return tuple(one for one in self._questions.values() if not one.about)

    def supposed(self, unsure: TableQuestion, card: str) -> Claim:
        """Return the claim that would be made if that unsure card were `card`; its id is one that
        no other claim has."""
        reading = CardState(unsure.zone, card)
        return Claim(-unsure.id, card, unsure.zone, "up", self.identifier.owner(reading))

    def rule(self, question: int, card: str | None) -> tuple[Key, ...]:
        """End a question by the table's word: what lies there is `card`, or nothing that counts
        (None), while it lies there.

        A card of which a reader is unsure is then asked about no more until it is moved; of such a
        card the reader's tracks are returned, none for a contradiction.
        """
        one = next((one for one in self._questions.values() if one.id == question), None)
        if one is None:
            return ()
        self._fusion.rule(one.tracks, _NOTHING if card is None else CardState(one.zone, card))
        self.settle(self._now)
        return () if one.about else one.tracks

    def use_what_is_seen_by(self, tracks: Iterable[Key]) -> None:
        """Use what these tracks see: the game knows it already."""
        seen = (self._fusion.seen_by(track) for track in tracks)
        self.use([placement.id for placement in seen if placement is not None])

    def name(self, claim: int, card: str) -> None:
        """Take the table's word that the card of this claim is `card`.

        That holds while it lies there, or, if it was only shown, until the phase moves on.
        """
        placement = self._fusion.placements.get(claim)
        if placement is None or placement.reading.card == card:
            return
        reading = CardState(placement.reading.zone, card)
        if placement.tracks:
            self._fusion.rule(tuple(placement.tracks), reading)
        else:
            self.use([claim])
            self._fusion.press(reading, self._now)

    def hints(self, now: float) -> tuple[Text, ...]:
        """Say what to do about what has long been lying there unrecognised."""
        return hints(self._fusion, now)

    def due(self, now: float) -> float | None:
        """Return the next moment at which time alone may change something, so that the live session
        can sleep until then."""
        moments = [
            *self._fusion.due(),
            *(p.since + CONFIRM for p in self._fusion.placements.values() if p.shown and not p.used),
            *due(self._fusion, self._questions.values(), self._rests),
        ]
        return min((moment for moment in moments if moment > now), default=None)

    def calm_for(self, now: float) -> float:
        """Return the seconds for which nothing has moved and every card has been made out, as far
        as the readers can tell."""
        return max(0.0, now - max(self._rests.values(), default=-math.inf))

    def behind(self, ids: Iterable[int]) -> tuple[ReadCard, ...]:
        """Return the cards behind these claims, with the tracks that see them now."""
        placements = (self._fusion.placements.get(number) for number in ids)
        return tuple(one.read for one in placements if one is not None)

    @property
    def seals(self) -> Seals:
        """The cards that lie face down, as pads read them, for a request's field `sealed`."""
        return self._fusion.seals

    @property
    def health(self) -> tuple[Health, ...]:
        """The last word of each reader on itself, in the order of their first."""
        return tuple(self._health.values())

    def _unconfirmed(self, placement: Placement, now: float) -> bool:
        """Tell whether a card lies on a pad that the camera has yet to look at; a tag stuck on the
        wrong card would pass otherwise."""
        if not (placement.shown and placement.watched) or now - placement.since >= CONFIRM:
            return False
        eyes = {one.reader for one in self._health.values() if one.state == "ok" and one.sense == "camera"}
        return bool(eyes) and not any(track.reader in eyes for track in placement.tracks.values())

    def _note_health(self, health: Health) -> None:
        self._health[health.reader] = health
        if health.state in ("lost", "off"):
            self._fusion.lose(health.reader)
            if self._board is not None and self._board[0].reader == health.reader:
                self._board = None
            # A reader that is gone never says that it is calm again: all would wait for it.
            self._note_unrest(Unrest(health.reader, busy=False, at=health.at))
        elif health.state in ("ok", "look"):
            self._fusion.regain(health.reader, health.at)

    def _note_unrest(self, unrest: Unrest) -> None:
        if unrest.busy:
            self._rests[unrest.reader] = math.inf
        elif self._rests.get(unrest.reader) == math.inf:
            self._rests[unrest.reader] = unrest.at
