"""All cards on one table, merged from all readers. The live session feeds reports into a `Table`
and asks it for claims.

`list_claims` returns the current state (level-triggered): all cards that are there now and were not
used yet. So a missed frame is not a missed event. Queries change nothing; the caller says
separately which claims were offered to a game (`mark_offered`) and used by it (`mark_used`). Times
are passed in (`at` of the reports, `now`): nothing here reads a clock or knows a rule.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from companion.rules.claims import ZoneId, format_seat_zone
from companion.rules.contract import Claim, Text
from companion.table.decks import Deck
from companion.table.fusion import Fusion, PlacedCard, Placement
from companion.table.identification import NOWHERE, CardIdentifier, CardState, Pad, TrackKey
from companion.table.questions import (
    QuestionKey,
    TableQuestion,
    find_due_times,
    find_questions,
    find_unsure_cards,
    list_hints,
)
from companion.table.seals import Seals
from companion.table.sightings import ActivityReport, BoardSighting, Health, Press, Report, Sighting
from companion.table.timeouts import CAMERA_CONFIRM_TIMEOUT

_NOTHING = CardState(NOWHERE, None)
"""Reading of a card that people said counts for nothing."""


MOST_CARDS = 400
"""Cards and pressed buttons that are tracked at once. The largest deck has 108 cards, so more than
this is a fault."""

TURNED_CARDS = 3
"""Cards of players' own colours that must all lie in front of others for the picture to be turned:
two players may have exchanged one each."""


class Table:
    """The cards on one table.

    `deck`: the meaning of designs. `colours`: the seat (1..N, in starting order) of each colour;
    the cards of any other colour have no owner, and the games raise the doubt. `pads`: the plan of
    pads. `back_known`: the camera's library has the design `back`, so that a card without a known
    face belongs to another game instead of lying face down.
    """

    def __init__(
        self,
        deck: Deck,
        colours: Mapping[str, int] | None = None,
        pads: Mapping[str, Pad] | None = None,
        back_known: bool = False,
    ) -> None:
        self.identifier = CardIdentifier(deck, colours or {}, pads or {}, back_known)
        self._fusion = Fusion()
        self._health: dict[str, Health] = {}
        self._idle_since: dict[str, float] = {}
        self._questions: dict[QuestionKey, TableQuestion] = {}
        self._numbers = itertools.count(1)
        self._board: tuple[BoardSighting, int] | None = None
        self._last_state: object = None
        self._is_view_right = False
        self._now = -math.inf

    def add_report(self, report: Report) -> None:
        """Process one report of a reader, in order of arrival; call `update` afterwards."""
        match report:
            case Health():
                self._record_health(report)
            case ActivityReport():
                self._record_activity(report)
            case BoardSighting():
                # A new number for each report: a changed position is a new claim.
                self._board = report, self._fusion.next_claim_id()
            case Press() if len(self._fusion.placements) < MOST_CARDS:
                self._fusion.add_button_press(
                    CardState(format_seat_zone(report.seat), f"button:{report.button}"), report.at
                )
            case Sighting() if self._has_room_for(report):
                track = self._fusion.find_or_create_track(
                    (report.reader, report.track), self.identifier.is_tap(report)
                )
                track.add_sighting(report, *self.identifier.interpret_sighting(report))

    def _has_room_for(self, sighting: Sighting) -> bool:
        """Check whether the card is known, or there is room for one more."""
        # Known cards must always be able to go, even from a full table.
        known = (sighting.reader, sighting.track) in self._fusion.tracks
        return known or (sighting.present and len(self._fusion.tracks) < MOST_CARDS)

    def update(self, now: float) -> bool:
        """Update placements and questions; return whether claims, questions or hints have changed
        since the last call."""
        self._now = now
        self._fusion.update(now)
        if not self._is_view_right:
            self._is_view_right = any(owner == seat for owner, seat in self._iterate_owned_cards())
        self._questions = {
            one.key: self._keep_identity(one)
            for one in find_questions(self._fusion, self.identifier.deck, now)
        }
        state = (self.list_claims(now), self.list_questions(now), self.list_hints(now))
        # Compared by value: most frames change nothing that a game or a view could see.
        changed, self._last_state = state != self._last_state, state
        return changed

    def _keep_identity(self, question: TableQuestion) -> TableQuestion:
        """Return the question with the number it had before; a contradiction also with its
        beginning."""
        known = self._questions.get(question.key)
        number = next(self._numbers) if known is None else known.id
        since = known.since if known is not None and question.about else question.since
        return msgspec.structs.replace(question, id=number, since=since)

    def list_claims(self, now: float) -> tuple[Claim, ...]:
        """Return a claim for each card on the table, in order of arrival, without used and disputed
        ones; then one for the board."""
        held = {number for question in self._questions.values() for number in question.about}
        cards = tuple(
            Claim(
                placement.id,
                placement.state.card,
                placement.state.zone,
                placement.state.face,
                self.identifier.find_owner_seat(placement.state),
            )
            for placement in self._fusion.placements.values()
            if not placement.is_used and placement.id not in held and placement.is_active(now)
            if not self._awaits_camera(placement, now)
        )
        if self._board is None:
            return cards
        board_sighting, number = self._board
        return (*cards, Claim(number, "board", "middle", board=board_sighting.board))

    def mark_offered(self, claims: Iterable[Claim]) -> None:
        """Note that these claims have been passed to the game, so that cards that go now were not
        missed."""
        for claim in claims:
            placement = self._fusion.placements.get(claim.id)
            if placement is not None:
                placement.was_offered = True

    def mark_used(self, ids: Iterable[int]) -> None:
        """Stop claiming these cards while they lie there: the game has acted on them."""
        for number in ids:
            placement = self._fusion.placements.get(number)
            if placement is not None:
                placement.is_used, placement.used_at = True, self._now

    def mark_all_used(self, until: float = math.inf) -> None:
        """Mark every card laid up to `until` as used, because it belongs to what was played before.

        (Used when a session is resumed, or cards were put right after an undo; also for an old pile
        on the table.)
        """
        self.mark_used(
            [placement.id for placement in self._fusion.placements.values() if placement.since <= until]
        )
        # Unnamed cards too: otherwise people would be asked about cards that were played before.
        nameless = (one for one in find_unsure_cards(self._fusion) if one.since <= until)
        self._fusion.override_tracks([track for one in nameless for track in one.tracks], _NOTHING)

    def end_phase(self) -> None:
        """Forget what was only shown to a pad, pressed or typed: it counted until now."""
        self._fusion.end_taps()

    def list_questions(self, now: float) -> tuple[TableQuestion, ...]:
        """Return the questions that are due: contradictions that have lasted, then cards of which a
        reader has long been unsure (`about` is empty: the game may have no use for them). Their ids
        do not change."""
        return tuple(one for one in self._questions.values() if one.is_due(now, self._idle_since))

    @property
    def unsure_questions(self) -> tuple[TableQuestion, ...]:
        """Cards of which a reader is unsure, for however short a time."""
        return tuple(one for one in self._questions.values() if not one.about)

    def make_hypothetical_claim(self, question: TableQuestion, card: str) -> Claim:
        """Return the claim that would be made if an uncertain card were `card`; no other claim has
        its id."""
        state = CardState(question.zone, card)
        return Claim(-question.id, card, question.zone, "up", self.identifier.find_owner_seat(state))

    def resolve_question(self, question: int, card: str | None) -> tuple[TrackKey, ...]:
        """Answer a question: the card there is `card`, or counts for nothing (None), as long as it
        lies there.

        An uncertain card is not asked about again until it is moved. Returns the tracks of an
        uncertain card; for a contradiction, none.
        """
        one = next((one for one in self._questions.values() if one.id == question), None)
        if one is None:
            return ()
        self._fusion.override_tracks(one.tracks, _NOTHING if card is None else CardState(one.zone, card))
        self.update(self._now)
        return () if one.about else one.tracks

    def mark_tracks_used(self, tracks: Iterable[TrackKey]) -> None:
        """Mark the cards that these tracks see as used: the game knows them already."""
        placements = (self._fusion.find_placement(track) for track in tracks)
        self.mark_used([placement.id for placement in placements if placement is not None])

    def correct_claim(self, claim: int, card: str) -> None:
        """Set the card of a claim, by people's word.

        It holds while the card lies there or, if it was only shown, until the phase moves on.
        """
        placement = self._fusion.placements.get(claim)
        if placement is None or placement.state.card == card:
            return
        state = CardState(placement.state.zone, card)
        if placement.tracks:
            self._fusion.override_tracks(tuple(placement.tracks), state)
        else:
            # No track can be overruled once the card has left the pad: its claim is replaced by a
            # new one.
            self.mark_used([claim])
            self._fusion.add_button_press(state, self._now)

    def list_hints(self, now: float) -> tuple[Text, ...]:
        """Return advice: on a camera that sees the table from another side than the layout says,
        and on cards that have been there unrecognised for a while."""
        turned = (Text("table.hint.turned"),) if self._is_seen_turned() else ()
        return (*turned, *list_hints(self._fusion, now))

    def _is_seen_turned(self) -> bool:
        """Check whether every card of a player's own colour lies in front of another player, all as
        many seats further, as in a picture that is upside down."""
        # Once a card lay before its owner, others were moved there: players win each other's cards.
        if self._is_view_right:
            return False
        lies = list(self._iterate_owned_cards())
        turns = {(seat - owner) % len(self.identifier.colours) for owner, seat in lies}
        return len(lies) >= TURNED_CARDS and len(turns) == 1 and len({owner for owner, _ in lies}) > 1

    def _iterate_owned_cards(self) -> Iterator[tuple[int, int]]:
        """Yield the owner's seat, and the seat in front of which it lies, of each card of a
        player's own colour that a camera sees at a seat."""
        for placement in self._fusion.placements.values():
            card, seat = placement.state.card, ZoneId.from_text(placement.state.zone).seat
            if card is None or seat is None or not placement.is_observed:
                continue
            owner = self.identifier.colours.get(self.identifier.deck.find_owner_colour(card) or "")
            # Only a camera reports where in its picture a card lies.
            if owner is not None and any(track.quad for track in placement.tracks.values()):
                yield owner, seat

    def next_due_time(self, now: float) -> float | None:
        """Return the next moment at which the passing of time may change something, so that the
        live session can sleep until then; None if there is none."""
        moments = [
            *self._fusion.find_due_times(),
            *(
                p.since + CAMERA_CONFIRM_TIMEOUT
                for p in self._fusion.placements.values()
                if p.was_tapped and not p.is_used
            ),
            *find_due_times(self._fusion, self._questions.values(), self._idle_since),
        ]
        return min((moment for moment in moments if moment > now), default=None)

    def measure_idle_time(self, now: float) -> float:
        """Return for how many seconds nothing has moved and every card has been recognised, as far
        as the readers can tell."""
        return max(0.0, now - max(self._idle_since.values(), default=-math.inf))

    def list_placed_cards(self, ids: Iterable[int]) -> tuple[PlacedCard, ...]:
        """Return the cards of these claims, with the tracks that see them now."""
        placements = (self._fusion.placements.get(number) for number in ids)
        return tuple(one.placed_card for one in placements if one is not None)

    @property
    def seals(self) -> Seals:
        """Face-down cards read by pads, for a request's field `sealed`."""
        return self._fusion.seals

    @property
    def reader_health(self) -> tuple[Health, ...]:
        """Last health of each reader, in the order of their first reports."""
        return tuple(self._health.values())

    def _awaits_camera(self, placement: Placement, now: float) -> bool:
        """Check whether a card on a pad still waits for the camera, which would notice a tag stuck
        on the wrong card."""
        if (
            not (placement.was_tapped and placement.is_observed)
            or now - placement.since >= CAMERA_CONFIRM_TIMEOUT
        ):
            return False
        eyes = {one.reader for one in self._health.values() if one.state == "ok" and one.sense == "camera"}
        return bool(eyes) and not any(track.reader in eyes for track in placement.tracks.values())

    def _record_health(self, health: Health) -> None:
        self._health[health.reader] = health
        if health.state in ("lost", "off"):
            self._fusion.mark_reader_lost(health.reader)
            if self._board is not None and self._board[0].reader == health.reader:
                self._board = None
            # A reader that is lost never reports that it is calm, and everything would wait for it.
            self._record_activity(ActivityReport(health.reader, busy=False, at=health.at))
        elif health.state in ("ok", "look"):
            self._fusion.mark_reader_back(health.reader, health.at)

    def _record_activity(self, activity: ActivityReport) -> None:
        if activity.busy:
            self._idle_since[activity.reader] = math.inf
        elif self._idle_since.get(activity.reader) == math.inf:
            self._idle_since[activity.reader] = activity.at
