"""The live session: sightings of readers become requests, accepted requests are journalled, and
views receive a new snapshot.

All of it runs in one thread, the one that calls `tick`. Input from other threads is queued for
`tick` (reports by `post_report`; remarks and calls by the `Mailbox`). Time comes in as a value.
Nothing here raises for what players enter or readers see.

A step changes the parts of `LiveSession` (`SessionParts`: table, journal, timeline, listener,
checklist, sealed decisions, mailbox). Then `build_snapshot` reads them all, changing
none, and the `Publisher` numbers it and notifies the views if anything in it is new.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from queue import SimpleQueue
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec

from companion.journal.journal import Journal
from companion.journal.saved_session import SavedSession
from companion.live.clocks import Clock, ClockOptions, TableClock
from companion.live.corrections import Correction
from companion.live.followers import FollowerThread
from companion.live.sealed_decisions import LostSeals, SealedDecisions, fill_sealed_cards
from companion.live.snapshot import FollowerStatus, Snapshot
from companion.live.table_listener import CardNamedCallback, TableListener
from companion.live.timeline import Timeline
from companion.rules.acts import Act, Entry
from companion.rules.contract import (
    GAME_OVER,
    Choice,
    Claim,
    Game,
    Reason,
    Refusal,
    Request,
    Setup,
    SetupStep,
    Text,
)
from companion.rules.people import SeatChange
from companion.table.fusion import PlacedCard
from companion.table.identification import TrackKey
from companion.table.sightings import Report
from companion.table.table import Table
from companion.table.timeouts import CORRECTION_DELAY

Subscriber = Callable[[Snapshot], object]
ProposalCallback = Callable[[Sequence[TrackKey], bool], object]


class LiveSession:
    """One session at one table.

    `cards`: every card id of the deck, offered in questions to the players. `clock`: None plays
    without one. `now`: monotonic seconds. `saved`: the stored session to resume (its
    set-up must be `setup`); the views then list what to check on the real table. `names`: names of
    the people by seat, if the set-up names seats (`list_seat_labels`). `followers`: get
    each entry; starting and closing them is the caller's.
    """

    def __init__(
        self,
        game: Game[Any],
        setup: Setup,
        *,
        table: Table,
        journal: Journal | None = None,
        cards: Sequence[str] = (),
        clock: ClockOptions | None = None,
        now: float = 0.0,
        saved: SavedSession | None = None,
        odds: bool = False,
        names: Mapping[str, str] | None = None,
        followers: Sequence[FollowerThread] = (),
    ) -> None:
        self.game = game
        self.setup = setup
        self.table = table
        self.journal = journal or Journal()
        self._tells_odds = odds
        self._listener = TableListener(game, table, cards)
        self._followers = followers
        for follower in followers:
            follower.on_change = self._listener.wake_session
        # Before the session begins, so that they miss no entry.
        self.journal.on_entry_written = self._notify_followers if followers else None
        self._answered: list[ProposalCallback] = []
        self._mailbox = Mailbox(self._listener.wake_session)
        self._now = now
        self._sealed_decisions = SealedDecisions(game)
        # Cards that are on the table already are not new moves.
        self._held: Held = "moves" if saved is not None and saved.entries else ""
        self._put_right = -math.inf
        self._seen: tuple[PlacedCard, ...] = ()
        if saved is None:
            self.journal.start_session(setup, names)
        else:
            self.journal.continue_session(saved)
        self._timeline = Timeline(game, setup, self.journal.append, saved, names, self.journal.rename_player)
        # Before any act: the seed was lost with the last program, and without a new commitment
        # nobody could verify the coming draws.
        self._timeline.session.commit_new_seed()
        self._checklist = Checklist(
            game.list_setup_steps(self._timeline.session.current_moment.moment_at(0).state)
        )
        self._lost = LostSeals(self._timeline.session, table)
        self._phase = self._timeline.state.phase
        self._round = self.game.find_round(self._timeline.view)
        self._clock = TableClock(clock, setup.players)
        self._clock.advance_turn(self._timeline.view, 0, now)
        self._parts = SessionParts(
            setup,
            table,
            self.journal,
            self._timeline,
            self._listener,
            self._checklist,
            self._sealed_decisions,
            self._mailbox,
        )
        self._published = Publisher(self._build_snapshot(0))

    def snapshot(self) -> Snapshot:
        """Return the current snapshot; the same object until something changes."""
        return self._published.snapshot

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Call `subscriber` with each new snapshot, in the thread that made it; return a function
        that ends the subscription."""
        return self._published.subscribe(subscriber)

    @property
    def shows_odds(self) -> bool:
        """Whether the chance of what is about to be turned up is shown, where there is one."""
        return self._tells_odds

    @property
    def step_count(self) -> int:
        """Number of steps taken, undos included. If it has grown, earlier offers may be out of
        date."""
        return self._timeline.step_count

    def can_seal_decision(self, player: str) -> bool:
        """Return whether this player decides now at the same moment as others, and may hide the
        decision from them; see `seal_decision`."""
        return player in self.game.simultaneous_players(self._timeline.state)

    def list_choices(self, player: str | None) -> Sequence[Choice]:
        """List the possible manual entries of `player` (None: of the table) now."""
        return self._timeline.list_choices(player)

    def list_attempts(self, player: str | None) -> Sequence[Choice]:
        """List what may be typed for `player` (None: for the table) now, whether or not the rules
        accept it."""
        return self._timeline.list_attempts(player)

    def refuse_idle_player(self, player: str) -> Refusal:
        """Return why `player` has nothing to enter now, by the rules."""
        return self.game.refuse_idle_player(self._timeline.state, player)

    def list_choices_at(self, at: int) -> Sequence[Choice]:
        """List the possible entries in place of act number `at`."""
        return self._timeline.list_choices_at(at)

    def find_request_at(self, at: int) -> Request | None:
        """Return the request of act number `at`; None where there is none."""
        return self._timeline.find_request_at(at)

    def list_values_shown_elsewhere(self, at: int) -> Sequence[tuple[int, int]]:
        """List the values that act `at`'s player has shown elsewhere, with these acts' numbers."""
        return self._timeline.list_values_shown_elsewhere(at)

    def list_choices_before(self, at: int) -> Sequence[tuple[str | None, Choice]]:
        """List the possible entries before act number `at`, each with its player (None: the
        table)."""
        return self._timeline.list_choices_before(at)

    def explain_points(self, player: str) -> Sequence[Reason]:
        """Return the reasons for the points of `player`."""
        found = self._timeline.session.explain_points(player)
        return () if isinstance(found, Refusal) else found

    def measure_idle_time(self, now: float) -> float:
        """Return for how many seconds nothing has moved on the table with every card recognised."""
        return self.table.measure_idle_time(now)

    def list_acts(self) -> Sequence[Act]:
        """List the acts that stand, oldest first."""
        return self._timeline.session.list_acts()

    def draft_correction(self, at: int, request: Request | None, *, insert: bool = False) -> Correction:
        """Work out what correcting act `at` would change; nothing happens before
        `apply_correction`."""
        return self._timeline.draft_correction(at, request, insert=insert)

    def post_report(self, report: Report) -> None:
        """Queue a reader's report for `tick`. Safe from any thread."""
        self._listener.post_report(report)

    def set_wake_callback(self, callback: Callable[[], object] | None) -> None:
        """Set the function that is called, in the reader's thread, whenever something is
        reported."""
        self._listener.wake = callback

    def add_proposal_callback(self, callback: ProposalCallback) -> None:
        """Add a function that is called with the readers' tracks of each proposal's cards and
        whether it was accepted; pads show it by their lights."""
        self._answered.append(callback)

    def set_card_named_callback(self, callback: CardNamedCallback) -> None:
        """Set the function that is called when the players have named a card of which a reader was
        unsure, so that the reader can learn it."""
        self._listener.on_card_named = callback

    def show_remark(self, text: Text) -> None:
        """Show `text` for a while unless something more urgent is shown. Safe from any thread;
        never blocks."""
        self._mailbox.post_remark(text)

    def call_soon(self, run: Callable[[], object]) -> None:
        """Have `run` called by the next `tick`, in the table's thread. Safe from any thread."""
        self._mailbox.call_soon(run)

    def tick(self, now: float) -> None:
        """Handle what was reported, and advance the clock to `now` (monotonic seconds)."""
        self._now = now
        self._mailbox.deliver_pending(now)
        self._listener.process_reports(now)
        if now < self._put_right + CORRECTION_DELAY:
            self.table.mark_all_used(self._put_right)  # laid before that, but seen only now
        if not self._timeline.session.can_undo:
            there = self.table.list_claims(now)
            # Offered, so that a card of the count that is taken away does not count as missed.
            self.table.mark_offered(there)
            self._checklist.record_visible_cards(there)
        if self._timeline.session.is_over or self._timeline.moves or self._held:
            self._listener.ask_disputes_only(now)  # the cards that are being moved mean nothing
        else:
            self._lost.reseal_cards()
            for proposal in self._listener.generate_proposals(lambda: self._timeline.state, now):
                cards = self.table.list_placed_cards(proposal.used)
                refusal = self._perform_request(proposal.request, from_reader=bool(proposal.used))
                if refusal is None:
                    self._seen = cards
                for answered in self._answered:
                    answered([track for one in cards for track in one.tracks], refusal is None)
                # Other cards on the table belong to no game any more.
                if self._timeline.view["phase"] == GAME_OVER:
                    break
        # After the proposals: a card that was laid in time counts before the clock decides.
        self._act_when_time_up()
        self.journal.run_maintenance(now)
        self._release_decisions_and_publish()

    def next_due_time(self, now: float) -> float | None:
        """Return the next moment at which `tick` must be called even if nothing is reported; None
        if there is none."""
        moments = (
            self._listener.next_due_time(now),
            self._clock.next_due_time(now),
            self._mailbox.next_due_time(now),
        )
        return min((moment for moment in moments if moment is not None), default=None)

    def submit_request(self, request: Request) -> Refusal | None:
        """Make a request by manual entry."""
        # Before the act: in the state after it the same cards mean something else.
        meant = self._listener.find_evidence(request, self._timeline.state, self._now)
        refusal = self._perform_request(request, from_reader=bool(meant.claims or meant.unsure))
        if refusal is None:
            self._listener.consume_evidence(request, meant)
        return self._publish_outcome(refusal)

    def seal_decision(self, request: Request) -> Refusal | None:
        """Hide a player's decision from everybody until all have decided. It is refused at once if
        it is not possible, which no view shows."""
        session = self._timeline.session
        player = getattr(request, "player", "")
        if not self.can_seal_decision(player):
            return self.submit_request(request)
        decided = session.decide_request(session.current_moment, request)
        if isinstance(decided, Refusal):
            return decided
        if player in self.game.simultaneous_players(decided.state):
            # No decision, since it is still due: a look at a load, which all may see.
            return self.submit_request(request)
        self._sealed_decisions.seal_decision(player, request)
        return self._publish_outcome(None)

    def withdraw_decision(self, player: str) -> None:
        """Forget the player's sealed decision."""
        self._sealed_decisions.withdraw_decision(player)
        self._release_decisions_and_publish()

    def undo(self, by: str | None = None) -> Refusal | None:
        """Take back the last step. `by`: the player who does it on a phone, which is shown to
        all."""
        return self._publish_outcome(self._sync_after_step(self._timeline.undo(by)))

    def redo(self, by: str | None = None) -> Refusal | None:
        """Take back the last undo. `by`: as in `undo`."""
        return self._publish_outcome(self._sync_after_step(self._timeline.redo(by)))

    def apply_correction(self, correction: Correction, by: str | None = None) -> Refusal | None:
        """Make a correction that has been worked out. `by`: as in `undo`."""
        return self._publish_outcome(self._sync_after_step(self._timeline.apply_correction(correction, by)))

    def change_seats(self, change: SeatChange) -> Refusal | None:
        """Let people come and go (`companion.rules.people`); it is journalled, and undo does not
        reverse it."""
        return self._publish_outcome(self._timeline.change_seats(change))

    def answer_question(self, question: int, choice: int | None) -> None:
        """Answer a question by the number of its choice; None puts it aside. Outdated questions are
        ignored."""
        request = self._listener.answer_question(question, choice)
        if request is not None:
            self._perform_request(request, from_reader=True)
        self.tick(self._now)

    def hold_play(self) -> None:
        """Ignore cards until `confirm_moves`, while they are being put in their places.

        Steps that leave real cards in the wrong place do this by themselves.
        """
        self._held = "moves"

    def pause_for_card_count(self) -> None:
        """Pause so that people can lay out the deck to be counted before the first act; no card is
        played until `confirm_moves`."""
        if can_count_deck(self._parts, self._held):
            self._held = "count"
        self._release_decisions_and_publish()

    def confirm_moves(self) -> None:
        """Accept that the real cards are where they should be: all cards on the table belong to
        what has been played.

        A card that was laid for the next move meanwhile must be lifted and laid again: that is
        better than playing a card that was only put back.
        """
        self._timeline.confirm_moves()
        self._held, self._put_right = "", self._now
        self.tick(self._now)

    def set_paused(self, paused: bool) -> None:
        """Pause the table (the clock stands still and every screen shows it), or let it go on."""
        self._clock.set_paused(paused, self._now)
        self._release_decisions_and_publish()

    def set_odds_shown(self, shown: bool) -> None:
        """Show or hide from now on the chance of what is about to be turned up."""
        self._tells_odds = shown
        self._release_decisions_and_publish()

    def close(self) -> None:
        """Close the journal."""
        self.journal.close()

    def _notify_followers(self, entry: Entry) -> None:
        for follower in self._followers:
            follower.post_entry(entry)

    def _perform_request(self, request: Request, *, from_reader: bool = False) -> Refusal | None:
        """Make a request. `from_reader`: a reader has seen its cards."""
        player = getattr(request, "player", None)
        if player in self.setup.players:
            # Also for what is entered by hand: the pad under the seat knows which card was laid,
            # the key does not.
            asked = request
            request = fill_sealed_cards(
                request, self.table.seals.list_for_seat(self.setup.players.index(player) + 1)
            )
            from_reader = from_reader or request is not asked
        refusal = self._sync_after_step(self._timeline.perform_request(request, from_reader=from_reader))
        if refusal is None and self._held == "moves" and not self.table.reader_health:
            # No reader waits for the cards to be moved: a player who goes on has looked.
            self._held = ""
            self._timeline.confirm_moves()
        return refusal

    def _sync_after_step(self, refusal: Refusal | None) -> Refusal | None:
        """Let the table and the clock follow a step. In a new round, cards that mean nothing belong
        to the last one."""
        if refusal is None:
            self._seen = ()
            phase, playing = self._timeline.state.phase, self.game.find_round(self._timeline.view)
            if phase != self._phase:
                # Cards shown on a pad count as seen until the phase moves on.
                self._phase = phase
                self.table.end_phase()
            if playing != self._round:
                self._round = playing
                self._listener.discard_leftovers(self._timeline.state, self._now)
            self._clock.advance_turn(self._timeline.view, self._timeline.step_count, self._now)
        return refusal

    def _act_when_time_up(self) -> None:
        """Take the least harmful action when time is up, if the players chose so; once per step."""
        if not self._clock.should_apply_default(self._timeline.step_count, self._now):
            return
        request = self.game.default_request(self._timeline.state)
        if request is not None:
            # A sealed decision stands; the clock decides only for players who have not decided.
            sealed = self._sealed_decisions.release_decision(getattr(request, "player", ""))
            if self._perform_request(sealed or request) is None and sealed is None:
                self._timeline.notice = Text("live.time_up")

    def _publish_outcome(self, refusal: Refusal | None) -> Refusal | None:
        self._release_decisions_and_publish()
        return refusal

    def _release_decisions_and_publish(self) -> None:
        # Before the snapshot, so that no view shows a table where all have decided and nothing
        # happens.
        for decision in self._sealed_decisions.release_when_complete(self._timeline.state):
            self._perform_request(decision)
        self._published.publish(self._build_snapshot(self._published.snapshot.number))

    def _build_snapshot(self, number: int) -> Snapshot:
        closed = tuple(self._lost.players)
        status = LiveStatus(
            self._now,
            self._clock.moment,
            self._held,
            self._clock.paused,
            closed,
            self._tells_odds,
            tuple(one.status for one in self._followers if one.status is not None),
            self._seen,
        )
        return build_snapshot(self._parts, status, number)


class SessionParts(NamedTuple):
    """The parts of a live session that its snapshot is made from."""

    setup: Setup
    table: Table
    journal: Journal
    timeline: Timeline
    listener: TableListener
    checklist: Checklist
    sealed_decisions: SealedDecisions
    mailbox: Mailbox


Held: TypeAlias = Literal["", "moves", "count"]
"""Why no card is played until the players confirm that all cards are in their places: cards are
being moved, or counted."""


class LiveStatus(NamedTuple):
    """State of a live session at one moment, beside its parts.

    `now`: monotonic seconds. `held`: why no card is played. `closed`: players whose
    cards lie under seals that nobody can open any more. `tells_odds`: the chances are shown.
    """

    now: float
    clock: Clock | None
    held: Held
    paused: bool
    closed: tuple[str, ...]
    tells_odds: bool
    followers: tuple[FollowerStatus, ...]
    seen: tuple[PlacedCard, ...]


def build_snapshot(parts: SessionParts, status: LiveStatus, number: int) -> Snapshot:
    """Make the snapshot. Before the first act its report is the list of things to set up, with
    those ticked off that the readers see or have counted."""
    course, session = parts.timeline, parts.timeline.session
    begun = session.can_undo
    to_do = (
        () if begun or course.report else parts.checklist.describe_steps(parts.table.list_claims(status.now))
    )
    return Snapshot(
        number=number,
        setup=parts.setup,
        view=course.view,
        awaited=course.awaited,
        report=course.report or to_do,
        last=course.last,
        refusal=course.refusal,
        log=course.lines,
        questions=parts.listener.questions.list_open(),
        moves=course.moves if parts.table.reader_health else course.seen_moves,
        unasked=course.unrequested_moves,
        health=parts.table.reader_health,
        clock=status.clock.build_clock_face(status.now) if status.clock else None,
        keeping=parts.journal.trouble,
        waiting=parts.journal.pending_count,
        can_undo=begun,
        can_redo=session.can_redo,
        notice=_find_notice(parts, status),
        rounds=course.rounds,
        can_count=can_count_deck(parts, status.held),
        decided=parts.sealed_decisions.decided_players,
        people=course.people,
        paused=status.paused,
        resolved=course.resolved,
        followers=status.followers,
        gained=course.gained,
        lying=tuple(session.game.list_visible_cards(course.state)),
        seen=status.seen,
        odds=session.game.compute_odds(course.state) if status.tells_odds else None,
    )


def can_count_deck(parts: SessionParts, held: Held) -> bool:
    """Return whether the deck can be counted: nothing was played, and a reader sees the cards."""
    begun = parts.timeline.session.can_undo
    return not (begun or held) and parts.checklist.has_cards_to_count and bool(parts.table.reader_health)


def _find_notice(parts: SessionParts, status: LiveStatus) -> Text | None:
    """Return the most urgent message for the players besides the game's own."""
    if parts.listener.fault:
        return Text("refusal.fault", {"kind": parts.listener.fault})
    begun, decided = parts.timeline.session.can_undo, parts.sealed_decisions.decided_players
    counting = status.held == "count" and not begun
    held = Text("live.held") if status.held and parts.table.reader_health else None
    held = parts.checklist.progress_text if counting else held
    sealed = Text("live.decided", {"players": decided}, len(decided)) if decided else None
    closed = Text("live.closed", {"players": status.closed}) if status.closed else None
    # The order is that of urgency: the first message that there is wins.
    return (
        parts.timeline.notice
        or held
        or sealed
        or parts.mailbox.current_remark(status.now)
        or parts.listener.find_hint(status.now)
        or closed
        or parts.journal.relocation_notice
    )


class Publisher:
    """Publisher of numbered snapshots; keeps the same object until something in it changes."""

    def __init__(self, first: Snapshot) -> None:
        self.snapshot = first
        self._subscribers: list[Subscriber] = []

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Call `subscriber` with each new snapshot, in the thread that made it; return a function
        that ends the subscription."""
        self._subscribers.append(subscriber)
        return lambda: self._subscribers.remove(subscriber)

    def publish(self, snapshot: Snapshot) -> None:
        """Give `snapshot` the next number and notify the subscribers, if anything but its number is
        new."""
        if snapshot != self.snapshot:
            self.snapshot = msgspec.structs.replace(snapshot, number=snapshot.number + 1)
            # A copy: a subscriber may unsubscribe while it is called.
            for subscriber in tuple(self._subscribers):
                subscriber(self.snapshot)


REMARK_SECONDS = 12.0
"""Seconds for which a remark is shown."""


class Mailbox:
    """Remarks to be shown and calls to be made, from any thread. `woken` is called, in the
    thread that put something in, each time."""

    def __init__(self, woken: Callable[[], object]) -> None:
        self._woken = woken
        self._remarks: SimpleQueue[Text] = SimpleQueue()
        self._calls: SimpleQueue[Callable[[], object]] = SimpleQueue()
        self._remark: tuple[Text, float] | None = None

    def post_remark(self, text: Text) -> None:
        """Show `text` for a while. Safe from any thread; never blocks."""
        # Queues instead of a lock: a remark may come from a reader's thread, which must never wait
        # for the screen.
        self._remarks.put(text)
        self._woken()

    def call_soon(self, run: Callable[[], object]) -> None:
        """Have `run` called when the mailbox is opened. Safe from any thread; never blocks."""
        self._calls.put(run)
        self._woken()

    def deliver_pending(self, now: float) -> None:
        """Make the calls and take the newest remark; only those that are there now, so that many do
        not hold up the game."""
        # Counted before: a call may put in another, which has its turn in the next tick.
        for _ in range(self._calls.qsize()):
            self._calls.get()()
        while not self._remarks.empty():
            self._remark = (self._remarks.get(), now + REMARK_SECONDS)

    def current_remark(self, now: float) -> Text | None:
        """Return the remark to show at `now`."""
        return self._remark[0] if self._remark is not None and now < self._remark[1] else None

    def next_due_time(self, now: float) -> float | None:
        """Return when the current remark expires; None if there is none."""
        return self._remark[1] if self._remark is not None and self._remark[1] > now else None


class Checklist:
    """The steps of a game's set-up, and the cards that have been shown so far.

    A card is counted when it lies on the table together with its copies: nine fours have been seen
    once nine lay there at the same time. One four shown nine times counts once, so that an
    incomplete deck is never called complete.
    """

    def __init__(self, steps: Sequence[SetupStep]) -> None:
        self.steps = tuple(steps)
        self._most: Counter[str] = Counter()

    @property
    def has_cards_to_count(self) -> bool:
        """Whether there is anything to count."""
        return any(step.count for step in self.steps)

    @property
    def count_progress(self) -> tuple[int, int]:
        """Number of cards that have been counted, and number of cards to count."""
        return sum(step.count_shown_cards(self._most) for step in self.steps), sum(
            step.card_total for step in self.steps
        )

    def record_visible_cards(self, claims: Sequence[Claim]) -> None:
        """Count the cards that lie face up."""
        self._most |= Counter(claim.what for claim in claims if claim.what is not None and claim.face == "up")

    def describe_steps(self, claims: Sequence[Claim]) -> tuple[Reason, ...]:
        """Describe every step, ticked off if `claims` (the cards on the table) or the count
        show that it is done."""
        return tuple(Reason(self._describe_step(step, claims), (step.clause,)) for step in self.steps)

    @property
    def progress_text(self) -> Text:
        """Message about the progress of the count."""
        shown, of = self.count_progress
        return Text("live.counting", {"shown": shown, "all": of})

    def _describe_step(self, step: SetupStep, claims: Sequence[Claim]) -> Text:
        shown = step.count_shown_cards(self._most)
        if step.is_done(claims, self._most):
            return Text("step.done", {"step": step.text})
        if shown:
            return Text("step.counted", {"step": step.text, "shown": shown, "all": step.card_total})
        return Text("step.open", {"step": step.text})
