"""Turn reports of readers into proposals to the game and questions to the players.

The game is asked again and again what the cards on the table amount to; most of the rules here
decide when its answer is acted upon. These hold for all of this file:

- Other threads only `post_report`; all else runs in the table's thread, and time comes in as a
  value.
- Each look asks the game what the claims amount to (`_read`), and the claims that it was given are
  reported to the table (`Table.mark_offered`). Each claim is used once, whether its proposal is
  accepted or refused: it is marked as used before the game sees the proposal, so that a refused one
  does not come back in the same look.
- A proposal is made when it is complete: at once, unless more cards may join it (`growing`) or a
  button ended it; then once the table is still (`companion.table.timeouts`). Its time starts again
  whenever the proposal changes, and after each one that was made.
- A proposal that uses no card is made once, until the table amounts to something else.
- A doubt of the game is asked after `IDLE_TIMEOUT` seconds: further cards that explain it may be on
  their way. The questions of the table (`Table.list_questions`) have waited already.
- A question is asked once. It disappears with its subject; once answered, it is not asked again
  while its subject lasts. It offers the answers that the game knows (which pawn moves?), else every
  card of the deck, the readers' candidates first: the players' word counts more than any reader's.
- About an unsure card the players are asked only if the game would act on one of the cards that it
  most likely is (`Hypotheses`). A manual entry that can only mean that card uses it up.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from companion.live.snapshot import ShownQuestion
from companion.rules.contract import Choice, Claim, Doubt, Game, Interpretation, Proposal, Request, Text
from companion.table.identification import TrackKey
from companion.table.questions import TableQuestion
from companion.table.sightings import Health, Press, Report
from companion.table.table import Table
from companion.table.timeouts import IDLE_DEBOUNCE, IDLE_TIMEOUT, LONGEST_IDLE_WAIT
from companion.table.zones import describe_card_id


class CardIs(Request, frozen=True):
    """The answer to a question: the card is this one. It is for the table, not for the game."""

    card: str


class OpenQuestion(NamedTuple):
    """A question and its subject: the claims, and the number of the dispute, if there is one."""

    question: ShownQuestion
    about: tuple[int, ...]
    dispute: int | None


class OpenQuestions:
    """The open questions. `cards`: every card id of the deck, in the deck's order."""

    def __init__(self, cards: Sequence[str]) -> None:
        self._cards = tuple(cards)
        self._open: dict[Hashable, OpenQuestion] = {}
        self._closed: set[Hashable] = set()
        self._since: dict[Hashable, float] = {}
        self._numbers = itertools.count(1)

    def update(self, doubts: Iterable[Doubt], disputes: Iterable[TableQuestion], now: float) -> None:
        """Open new questions, and drop those whose subject is gone (the card was taken away).

        A doubt is asked only when it has lasted `IDLE_TIMEOUT` seconds: further cards that explain
        it may be on their way. A question that has been answered is not asked again while its
        subject lasts.
        """
        since: dict[Hashable, float] = {}
        for doubt in doubts:
            key: Hashable = ("doubt", doubt.about, doubt.text.code)
            since[key] = self._since.get(key, now)
            if now - since[key] >= IDLE_TIMEOUT:
                choices = () if doubt.choices is None else doubt.choices or self._list_card_choices(())
                self._open_question(key, doubt.text, doubt.clause, choices, doubt.about, None)
        for dispute in disputes:  # the table has waited already
            key = ("dispute", dispute.id)
            since[key] = now
            self._open_question(
                key, dispute.text, None, self._list_card_choices(dispute.cards), dispute.about, dispute.id
            )
        self._since = since
        self._open = {key: asked for key, asked in self._open.items() if key in since}
        # What is over may be asked again if it comes back.
        self._closed &= since.keys()

    def next_due_time(self, now: float) -> float | None:
        """Return the next moment at which a doubt will have lasted long enough to be asked."""
        moments = (since + IDLE_TIMEOUT for since in self._since.values())
        return min((moment for moment in moments if moment > now), default=None)

    def remove_question(self, number: int) -> OpenQuestion | None:
        """Remove an answered question and return it; None if there is none with that number (any
        more)."""
        for key, asked in self._open.items():
            if asked.question.id == number:
                del self._open[key]
                self._closed.add(key)
                return asked
        return None

    def list_open(self) -> tuple[ShownQuestion, ...]:
        """Return the questions that wait for an answer, oldest first."""
        return tuple(asked.question for asked in self._open.values())

    def find_answered_by(self, request: Request) -> list[OpenQuestion]:
        """List the open questions that offer `request` as an answer."""
        return [
            asked
            for asked in self._open.values()
            if any(choice.request == request for choice in asked.question.choices)
        ]

    def _list_card_choices(self, first: tuple[str, ...]) -> tuple[Choice, ...]:
        """Offer every card, those in `first` at the top."""
        return tuple(
            Choice(describe_card_id(card), CardIs(card)) for card in dict.fromkeys((*first, *self._cards))
        )

    def _open_question(
        self,
        key: Hashable,
        text: Text,
        clause: str | None,
        choices: tuple[Choice, ...],
        about: tuple[int, ...],
        dispute: int | None,
    ) -> None:
        if key not in self._open and key not in self._closed:
            self._open[key] = OpenQuestion(
                ShownQuestion(next(self._numbers), text, clause, choices), about, dispute
            )


class Hypotheses:
    """Try out each card that an unsure one most likely is, and see what the game would make of it.
    Other unsure cards count as their own likeliest candidate meanwhile.

    Only likely cards are tried: nearly everywhere some card of the deck would be of use, and the
    players would be asked about an old pile all evening.
    """

    def __init__(self, game: Game[Any], table: Table) -> None:
        self._game = game
        self._table = table
        self._known: tuple[object, Sequence[TableQuestion], Sequence[Claim]] = (None, (), ())
        self._wanted: tuple[TableQuestion, ...] = ()

    def select_relevant_questions(
        self, questions: Sequence[TableQuestion], state: Any, claims: Sequence[Claim]
    ) -> tuple[TableQuestion, ...]:
        """Return the contradictions among `questions`, and those unsure cards that the game would
        act on in `state`, beside these `claims`, if it knew what they are.

        A doubt that has no answers of its own does not count: it only says that the card cannot be
        that one.
        """
        before, *others = self._known
        # `is`: states are frozen, so one that has not changed is the same object.
        if state is not before or others != [questions, claims]:  # asked at every tick, while little changes
            self._known = (state, questions, claims)
            unsure = [one for one in questions if not one.about]
            useful = {
                one.id
                for one, _, made in self._try_hypotheses(unsure, state, claims)
                if isinstance(made, Proposal) or made.choices
            }
            self._wanted = tuple(one for one in questions if one.about or one.id in useful)
        return self._wanted

    def find_meant_card(
        self, request: Request, unsure: Sequence[TableQuestion], state: Any, claims: Sequence[Claim]
    ) -> tuple[TableQuestion, str] | None:
        """Return the one unsure card to which `request` may refer, and which card it then is.

        None if there is none, or if it could be several.
        """
        found = [
            (one, card)
            for one, card, made in self._try_hypotheses(unsure, state, claims)
            if isinstance(made, Proposal) and made.request == request
        ]
        return found[0] if len(found) == 1 else None

    def _try_hypotheses(
        self, unsure: Sequence[TableQuestion], state: Any, claims: Sequence[Claim]
    ) -> Iterator[tuple[TableQuestion, str, Interpretation]]:
        """Yield what the game makes of each unsure card, for each card that it may be."""
        for one in unsure:
            others = [
                self._table.make_hypothetical_claim(other, other.cards[0])
                for other in unsure
                if other is not one
            ]
            for card in one.cards:
                supposed = self._table.make_hypothetical_claim(one, card)
                for made in self._interpret_claims(state, [*claims, *others, supposed]):
                    if supposed.id in (made.used if isinstance(made, Proposal) else made.about):
                        yield one, card, made

    def _interpret_claims(self, state: Any, claims: Sequence[Claim]) -> Sequence[Interpretation]:
        try:
            return self._game.interpret_claims(state, claims)
        except Exception:  # the card is of no use to a game that fails on it; if it really lies there, the listener reports that
            return ()


REPORTS_PER_TICK = 256
"""Most reports handled in one tick; the next tick goes on. A table in full motion makes 100 a
second."""
MAX_WAITING_REPORTS = 20_000
"""Most sightings in the queue: they are reported again. Buttons and troubles are always queued."""
CardNamedCallback = Callable[[Sequence[TrackKey], str], object]
"""Callback for a card of which a reader was unsure, when the players have named it: the reader's
tracks of it, and the card id."""


class RequestEvidence(NamedTuple):
    """What on the table amounts to a request: claims, by their ids, and an unsure card with what it
    then is."""

    claims: tuple[int, ...]
    unsure: tuple[TableQuestion, str] | None


class TableListener:
    """Listener at one table for one game. `cards`: every card id of the deck, for the questions.

    `fault` is the name of the exception that the game raised for the cards on the table; None while
    all is well. `on_card_named`: called with what the players say of unsure cards.
    """

    def __init__(self, game: Game[Any], table: Table, cards: Sequence[str]) -> None:
        self.table = table
        self.questions = OpenQuestions(cards)
        self.fault: str | None = None
        self.wake: Callable[[], object] | None = None
        self.on_card_named: CardNamedCallback | None = None
        self._game = game
        self._hypotheses = Hypotheses(game, table)
        self._reports: SimpleQueue[Report] = SimpleQueue()
        self._partial_proposal: tuple[Proposal, float] | None = None
        self._bare: list[Proposal] = []
        self._pressed: frozenset[int] = frozenset()

    def post_report(self, report: Report) -> None:
        """Queue a reader's report. Safe from any thread; never blocks, and calls `wake` in that
        thread."""
        # A button press and a problem are reported once; a sighting is repeated with the next
        # change.
        if isinstance(report, Press | Health) or self._reports.qsize() < MAX_WAITING_REPORTS:
            self._reports.put(report)
        self.wake_session()

    def wake_session(self) -> None:
        """Notify the table's thread that there is something to take in. Safe from any thread."""
        if self.wake is not None:
            self.wake()

    def process_reports(self, now: float) -> None:
        """Put the reports that are queued onto the table."""
        try:
            # some of those that are here now: a busy reader must not hold the game up
            for _ in range(min(self._reports.qsize(), REPORTS_PER_TICK)):
                self.table.add_report(self._reports.get_nowait())
        except Empty:  # pragma: no cover - only with a second caller
            pass
        self.table.update(now)

    def generate_proposals(self, state: Callable[[], Any], now: float) -> Iterator[Proposal]:
        """Yield one proposal after another that the table amounts to; `state` is called again for
        each."""
        used_claims: set[int] = set()
        while True:
            current = state()
            readings = self._interpret_table(current, now)
            ripe = [one for one in readings if isinstance(one, Proposal) and self._is_stable(one, now)]
            self._bare = [one for one in self._bare if one in ripe]
            fresh = next((one for one in ripe if self._is_new_proposal(one, used_claims)), None)
            if fresh is None:
                asked, claims = self.table.list_questions(now), self.table.list_claims(now)
                self._update_questions(
                    readings, self._hypotheses.select_relevant_questions(asked, current, claims), now
                )
                return
            # Noted before the game hears of it: a refused proposal must not come back in the same
            # look.
            used_claims.update(fresh.used)
            self._bare += () if fresh.used else (fresh,)
            self.table.mark_used(fresh.used)
            # What grows is measured from its own beginning, not from that of the cards just played.
            self._partial_proposal = None
            yield fresh

    def _is_new_proposal(self, proposal: Proposal, used_claims: set[int]) -> bool:
        """Return whether the proposal is to be made: some of its cards were not used yet in this
        look, or, if it uses none, it was not made since it came up.

        A card may count twice: the first card turned up of an offer is the challenge, and then one
        of the cards that are revealed.
        """
        return not used_claims.issuperset(proposal.used) if proposal.used else proposal not in self._bare

    def ask_disputes_only(self, now: float) -> None:
        """Ask only what the readers contradict each other about: real cards are being moved, or the
        game is over."""
        self._update_questions((), [one for one in self.table.list_questions(now) if one.about], now)

    def discard_leftovers(self, state: Any, now: float) -> None:
        """Use up the cards that mean nothing in `state`, the first of a new round: they belong to
        the last one.

        Cards that the game would act on stay: a player was quick.
        """
        wanted = itertools.chain.from_iterable(
            one.used if isinstance(one, Proposal) else one.about for one in self._interpret_table(state, now)
        )
        kept, claims = set(wanted), self.table.list_claims(now)
        self.table.mark_used([claim.id for claim in claims if claim.id not in kept])
        unsure = self.table.unsure_questions
        quick = self._hypotheses.select_relevant_questions(unsure, state, claims)
        for one in [one for one in unsure if one not in quick]:
            self.table.resolve_question(one.id, None)

    def answer_question(self, number: int, choice: int | None) -> Request | None:
        """Handle the players' answer; None puts the question and its cards aside. An unknown number
        is ignored.

        Returns the request if the answer is one of the game's; the cards in question are then used
        up.
        """
        # Answers come from several screens: the question may be gone by now.
        question = next((one for one in self.questions.list_open() if one.id == number), None)
        if question is None or (choice is not None and choice not in range(len(question.choices))):
            return None
        asked = self.questions.remove_question(number)
        assert asked is not None
        answer = None if choice is None else question.choices[choice].request
        card = answer.card if isinstance(answer, CardIs) else None
        if asked.dispute is not None:
            self._rule_on_dispute(asked.dispute, card)
        elif card is None:
            self.table.mark_used(asked.about)
        else:
            for claim in asked.about:
                self.table.correct_claim(claim, card)
        # `CardIs` is for the table; a game would not know it.
        return None if isinstance(answer, CardIs) else answer

    def find_evidence(self, request: Request, state: Any, now: float) -> RequestEvidence:
        """Find the cards that amount to `request` in `state`: a manual entry of that request uses
        them up."""
        proposals = [
            one
            for one in self._interpret_table(state, now)
            if isinstance(one, Proposal) and one.request == request
        ]
        asked = self.questions.find_answered_by(request)
        claims = itertools.chain.from_iterable([*(p.used for p in proposals), *(one.about for one in asked)])
        unsure = self._hypotheses.find_meant_card(
            request, self.table.unsure_questions, state, self.table.list_claims(now)
        )
        return RequestEvidence(tuple(claims), unsure)

    def consume_evidence(self, request: Request, evidence: RequestEvidence) -> None:
        """Use up what an accepted manual entry referred to, and close the questions that it
        answers."""
        for asked in self.questions.find_answered_by(request):
            self.questions.remove_question(asked.question.id)
        self.table.mark_used(evidence.claims)
        if evidence.unsure is not None:
            unsure, card = evidence.unsure
            self.table.mark_tracks_used(self._rule_on_dispute(unsure.id, card))

    def _rule_on_dispute(self, dispute: int, card: str | None) -> Sequence[TrackKey]:
        """Tell the table which card it is and, if a reader was unsure of it, notify
        `on_card_named`, which may learn from that."""
        tracks = self.table.resolve_question(dispute, card)
        if tracks and card is not None and self.on_card_named is not None:
            self.on_card_named(tracks, card)
        return tracks

    def next_due_time(self, now: float) -> float | None:
        """Return the next moment at which something may change without a new report."""
        if not self._reports.empty():
            return now
        moments = [self.table.next_due_time(now), self.questions.next_due_time(now)]
        if self._partial_proposal is not None:
            since = self._partial_proposal[1]
            # Both must have been still: the cards on the table, and what they amount to.
            calm = now - min(self.table.measure_idle_time(now), now - since)
            moments += [calm + IDLE_DEBOUNCE, calm + IDLE_TIMEOUT, since + LONGEST_IDLE_WAIT]
        return min((moment for moment in moments if moment is not None and moment > now), default=None)

    def _interpret_table(self, state: Any, now: float) -> Sequence[Interpretation]:
        claims = self.table.list_claims(now)
        self.table.mark_offered(claims)
        # A button that is among the claims of a proposal ends it; see `_is_stable`.
        self._pressed = frozenset(claim.id for claim in claims if (claim.what or "").startswith("button:"))
        try:
            readings = self._game.interpret_claims(state, claims)
        except Exception as fault:  # a game that fails on the cards on the table must not end the evening
            self.fault = type(fault).__name__
            return ()
        self.fault = None
        return readings

    def _is_stable(self, proposal: Proposal, now: float) -> bool:
        """Return whether the proposal is complete: if it may grow, once the table is still; if a
        button ended it, once all cards have been recognised."""
        # A button alone ends nothing: there are no cards that the camera might still be making out.
        ended = 0 < len(self._pressed.intersection(proposal.used)) < len(proposal.used)
        if not (proposal.growing or ended):
            return True
        if self._partial_proposal is None or self._partial_proposal[0] != proposal:
            self._partial_proposal = (proposal, now)
        waited, calm = now - self._partial_proposal[1], self.table.measure_idle_time(now)
        return waited >= LONGEST_IDLE_WAIT or (
            calm >= IDLE_DEBOUNCE if ended else min(waited, calm) >= IDLE_TIMEOUT
        )

    def _update_questions(
        self, readings: Sequence[Interpretation], questions: Sequence[TableQuestion], now: float
    ) -> None:
        doubts = [one for one in readings if isinstance(one, Doubt)]
        self.questions.update(doubts, questions, now)

    def find_hint(self, now: float) -> Text | None:
        """Return advice about a card that has been lying there unrecognised for long."""
        hints = self.table.list_hints(now)
        return hints[0] if hints else None
