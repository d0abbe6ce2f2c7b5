"""The table: what lies where now, merged from all readers. The live session puts reports in and
asks for claims.

Level, not edge: `claims` answers what is here now and has not been used yet, so a missed frame is
no missed event. Time comes in as a value (`at` of the reports, `now`): nothing here reads a clock,
and nothing here knows a rule.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable, Mapping

from companion.rules.contract import Claim
from companion.table.conflicts import BUSY_GRACE, GRACE, Conflict, Dispute, conflicts
from companion.table.fusion import Fusion, Placement
from companion.table.hints import PATIENCE, Hint, hints
from companion.table.identification import NOWHERE, Cards, CardState, Identifier, Key, Pad
from companion.table.seals import Seals
from companion.table.sightings import Health, Press, Report, Sighting, Unrest
from companion.table.unnamed_cards import ASK, UnnamedCard, unnamed

CONFIRM = 1.5
"""Seconds for which a card that only a pad has read waits for the camera, where there is one, to
name it too or to contradict.

A tag is read before the hand has let go of its card, so the camera is always later. A card that is
taken off the pad waits no longer.
"""


TAPPED = ("rfid",)
"""The readers to which cards are shown rather than left lying: the first word of their names."""

_NOTHING = CardState(NOWHERE, None)
"""What the table says of a card that it puts aside."""


MOST_CARDS = 400
"""Cards and pressed buttons that are followed at once. The largest deck has 108 cards; what floods
the table beyond that is a fault."""


class Table:
    """What lies on one table.

    `deck`: what the designs mean. `colours`: which colour plays on which seat (1..N, in the order
    of the start); a colour that is not in it is nobody's, and its cards' claims have no owner: the
    games raise the doubt. `pads`: what the readers' pads are for. `quick`: names (first words) of
    further readers to which cards are only shown. `back_known`: the camera's library has the design
    `back`, so that what has no known face is a card of another game rather than one that lies face
    down. `eyes`: names (first words) of the readers that see the whole table.
    """

    def __init__(
        self,
        deck: Cards,
        colours: Mapping[str, int] | None = None,
        pads: Mapping[str, Pad] | None = None,
        quick: Collection[str] = TAPPED,
        back_known: bool = False,
        eyes: Collection[str] = ("camera",),
    ) -> None:
        self.eyes = frozenset(eyes)
        self.identifier = Identifier(deck, colours or {}, pads or {}, quick, back_known)
        self._fusion = Fusion()
        self._health: dict[str, Health] = {}
        self._busy: set[str] = set()
        self._calm_since = -math.inf
        self._brewing: dict[tuple[Key, ...], tuple[float, int, Conflict]] = {}
        self._unnamed: dict[Key, tuple[int, UnnamedCard]] = {}
        self._numbers = itertools.count(1)
        self._last: object = None
        self._now = 0.0

    def put(self, report: Report) -> None:
        """Take one report of a reader, in order of arrival; `settle` draws the conclusions."""
        match report:
            case Health():
                self._note_health(report)
            case Unrest():
                self._note_unrest(report)
            case Press() if len(self._fusion.placements) < MOST_CARDS:
                self._fusion.press(CardState(f"seat:{report.seat}", f"button:{report.button}"), report.at)
            case Sighting() if self._has_room(report):
                track = self._fusion.track((report.reader, report.track), self.identifier.taps(report))
                track.see(report, *self.identifier.read(report))

    def _has_room(self, sighting: Sighting) -> bool:
        """Tell whether the card is known, or there is room for one more."""
        # What is known must always be able to go, also from a full table.
        known = (sighting.reader, sighting.track) in self._fusion.tracks
        return known or (sighting.present and len(self._fusion.tracks) < MOST_CARDS)

    def settle(self, now: float) -> bool:
        """Bring everything up to date; tell whether claims, disputes or hints have changed since
        the last time."""
        self._now = now
        self._fusion.settle(now)
        found = {conflict.tracks: conflict for conflict in conflicts(self._fusion, self.identifier.deck, now)}
        # A contradiction keeps its number and its beginning as long as it is between the same
        # tracks: else its question would be a new one with every frame, and its grace would never
        # end.
        self._brewing = {
            tracks: (*self._brewing.get(tracks, (now, next(self._numbers)))[:2], conflict)
            for tracks, conflict in found.items()
        }
        self._unnamed = {
            one.track: (
                self._unnamed[one.track][0] if one.track in self._unnamed else next(self._numbers),
                one,
            )
            for one in unnamed(self._fusion)
        }
        state = (self._standing(now), self.disputes(now), self.unsure(now), self.hints(now))
        changed, self._last = state != self._last, state
        return changed

    def claims(self, now: float) -> tuple[Claim, ...]:
        """Return what lies there, in order of coming, less what is used and what is in dispute."""
        standing = self._standing(now)
        for claim in standing:
            self._fusion.placements[claim.id].offered = True
        return standing

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
        self._fusion.rule([one.track for one in unnamed(self._fusion) if one.since <= until], _NOTHING)

    def phase_moved(self) -> None:
        """Forget what was only shown to a pad, pressed or typed: it counted until now."""
        self._fusion.end_shown()

    def disputes(self, now: float) -> tuple[Dispute, ...]:
        """Return the contradictions that have lasted, each with an id that it keeps."""
        return tuple(
            Dispute(number, conflict.zone, conflict.text, conflict.placements, conflict.cards)
            for since, number, conflict in self._brewing.values()
            if now - since >= (BUSY_GRACE if self._busy & conflict.waits_for else GRACE)
        )

    def unsure(self, now: float, patience: float = ASK) -> tuple[Dispute, ...]:
        """Return the cards of which a reader has been unsure for `patience` seconds, as questions:
        the game may have no use for them.

        A reader that still has something to make out is given twice as long.
        """
        return tuple(
            one.question(number)
            for number, one in self._unnamed.values()
            if now - one.since >= patience * (2 if one.track[0] in self._busy else 1)
        )

    def supposed(self, unsure: Dispute, card: str) -> Claim:
        """Return the claim that would be made if that unsure card were `card`; its id is one that
        no other claim has."""
        reading = CardState(unsure.zone, card)
        return Claim(-unsure.id, card, unsure.zone, "up", self.identifier.owner(reading))

    def rule(self, dispute: int, card: str | None) -> tuple[Key, ...]:
        """End a dispute by the table's word: what lies there is `card`, or nothing that counts
        (None), while it lies there.

        The same for a card of which a reader is unsure, which is then asked about no more until it
        is moved. Returns the reader's tracks of that card, none for a contradiction.
        """
        for _, number, conflict in self._brewing.values():
            if number == dispute:
                self._fusion.rule(
                    conflict.tracks, _NOTHING if card is None else CardState(conflict.zone, card)
                )
        unsure = [one for number, one in self._unnamed.values() if number == dispute]
        for one in unsure:
            self._fusion.rule((one.track,), _NOTHING if card is None else CardState(one.zone, card))
        self.settle(self._now)
        return tuple(one.track for one in unsure)

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

    def hints(self, now: float) -> tuple[Hint, ...]:
        """Return what has long been lying there unrecognised."""
        return hints(self._fusion, now)

    def due(self, now: float) -> float | None:
        """Return the next moment at which time alone may change something, so that the live session
        can sleep until then."""
        moments = [
            *self._fusion.due(),
            # Both: which of them counts, only the reader's being busy at that moment will tell.
            *(since + wait for since, _, _ in self._brewing.values() for wait in (GRACE, BUSY_GRACE)),
            *(p.since + CONFIRM for p in self._fusion.placements.values() if p.shown and not p.used),
            *(
                track.vague_since + wait
                for track in self._fusion.tracks.values()
                if track.vague is not None
                for wait in (PATIENCE, ASK, 2 * ASK)
            ),
        ]
        return min((moment for moment in moments if moment > now), default=None)

    def calm_for(self, now: float) -> float:
        """Return the seconds for which nothing has moved and every card has been made out, as far
        as the readers can tell."""
        return 0.0 if self._busy else now - self._calm_since

    def behind(self, ids: Iterable[int]) -> tuple[Key, ...]:
        """Return the tracks of the cards behind these claims: whose pads shall light up."""
        placements = (self._fusion.placements.get(number) for number in ids)
        return tuple(key for placement in placements if placement is not None for key in placement.tracks)

    @property
    def seals(self) -> Seals:
        """The cards that lie face down, as pads read them, for a request's field `sealed`."""
        return self._fusion.seals

    @property
    def health(self) -> tuple[Health, ...]:
        """The last word of each reader on itself, in the order of their first."""
        return tuple(self._health.values())

    def _standing(self, now: float) -> tuple[Claim, ...]:
        held = {number for _, _, conflict in self._brewing.values() for number in conflict.placements}
        return tuple(
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

    def _unconfirmed(self, placement: Placement, now: float) -> bool:
        """Tell whether a card lies on a pad that the camera has yet to look at; a tag stuck on the
        wrong card would pass otherwise."""
        if not (placement.shown and placement.watched) or now - placement.since >= CONFIRM:
            return False
        watching = {name for name, health in self._health.items() if health.state == "ok"}
        eyes = {name for name in watching if name.split()[0] in self.eyes}
        return bool(eyes) and not any(track.reader in eyes for track in placement.tracks.values())

    def _note_health(self, health: Health) -> None:
        self._health[health.reader] = health
        if health.state in ("lost", "off"):
            self._fusion.lose(health.reader)
            # A reader that is gone never says that it is calm again: all would wait for it.
            self._note_unrest(Unrest(health.reader, busy=False, at=health.at))
        elif health.state in ("ok", "look"):
            self._fusion.regain(health.reader, health.at)

    def _note_unrest(self, unrest: Unrest) -> None:
        if unrest.busy:
            self._busy.add(unrest.reader)
        elif unrest.reader in self._busy:
            self._busy.discard(unrest.reader)
            self._calm_since = unrest.at
