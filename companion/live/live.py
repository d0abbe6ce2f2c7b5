"""The live session: sightings of readers become requests, accepted requests are journalled, and
views receive a new snapshot.

All of it runs in one thread, the one that calls `tick`. Input from other threads is queued for
`tick` (reports by `post`; remarks and calls by the `Mailbox`). Time comes in as a value. Nothing
here raises for what players enter or readers see.

A step changes the parts of `Live` (`SessionParts`: table, journal, timeline, listener, checklist,
sealed decisions, mailbox). Then `drawn` makes a snapshot of them all without changing any, and the
`Publisher` numbers it and notifies the views if anything in it is new.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from queue import SimpleQueue
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec

from companion.journal.history import round_of
from companion.journal.journal import Journal
from companion.journal.kept import Kept
from companion.live.clocks import Clock, ClockOptions, TableClock
from companion.live.correcting import Correction
from companion.live.listener import Listener, Named
from companion.live.sealing import LostSeals, Together, with_sealed
from companion.live.snapshot import LeagueLamp, Snapshot
from companion.live.timeline import Timeline
from companion.rules.acts import Act
from companion.rules.contract import (
    GAME_OVER,
    Choice,
    Claim,
    Game,
    Reason,
    Refusal,
    Request,
    Setup,
    Step,
    Text,
)
from companion.rules.people import Seated
from companion.table.fusion import ReadCard
from companion.table.identification import Key
from companion.table.sightings import Report
from companion.table.table import Table
from companion.table.waits import PUT_RIGHT

Subscriber = Callable[[Snapshot], object]
Answered = Callable[[Sequence[Key], bool], object]


class Live:
    """One session at one table.

    `cards`: every card id of the deck, offered in questions to the players. `clock`: None plays
    without one. `now`: monotonic seconds. `kept`: the stored session to resume (its set-up must be
    `setup`); the views then list what to check on the real table. `names`: names of the people by
    seat, if the set-up names seats (`seat_labels`).
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
        kept: Kept | None = None,
        odds: bool = False,
        names: Mapping[str, str] | None = None,
    ) -> None:
        self.game = game
        self.setup = setup
        self.table = table
        self.journal = journal or Journal()
        self._tells_odds = odds
        self._league: LeagueLamp | None = None
        self._listener = Listener(game, table, cards)
        self._answered: list[Answered] = []
        self._mailbox = Mailbox(self._listener.woken)
        self._now = now
        self._together = Together(game)
        # Cards that are on the table already are not new moves.
        self._held: Held = "moves" if kept is not None and kept.entries else ""
        self._put_right = -math.inf
        self._seen: tuple[ReadCard, ...] = ()
        if kept is None:
            self.journal.begin(setup, names)
        else:
            self.journal.go_on(kept)
        self._timeline = Timeline(game, setup, self.journal.append, kept, names, self.journal.call)
        # Before any act: the seed was lost with the last program, and without a new commitment
        # nobody could verify the coming draws.
        self._timeline.session.recommit()
        self._checklist = Checklist(game.checklist(self._timeline.session.now.back(0).state))
        self._lost = LostSeals(self._timeline.session, table)
        self._phase = self._timeline.state.phase
        self._round = round_of(self._timeline.view)
        self._clock = TableClock(clock, setup.players)
        self._clock.turn(self._timeline.view, 0, now)
        self._parts = SessionParts(
            setup,
            table,
            self.journal,
            self._timeline,
            self._listener,
            self._checklist,
            self._together,
            self._mailbox,
        )
        self._published = Publisher(self._drawn(0))

    def snapshot(self) -> Snapshot:
        """Return the current snapshot; the same object until something changes."""
        return self._published.snapshot

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Call `subscriber` with each new snapshot, in the thread that made it; return a function
        that ends the subscription."""
        return self._published.subscribe(subscriber)

    @property
    def tells_odds(self) -> bool:
        """Whether the chance of what is about to be turned up is shown, where there is one."""
        return self._tells_odds

    @property
    def steps(self) -> int:
        """Number of steps taken, undos included. If it has grown, earlier offers may be out of
        date."""
        return self._timeline.steps

    def decides_apart(self, player: str) -> bool:
        """Return whether this player decides now at the same moment as others, and may hide the
        decision from them; see `seal`."""
        return player in self.game.together(self._timeline.state)

    def choices(self, player: str | None) -> Sequence[Choice]:
        """List the possible manual entries of `player` (None: of the table) now."""
        return self._timeline.choices(player)

    def choices_at(self, at: int) -> Sequence[Choice]:
        """List the possible entries in place of act number `at`."""
        return self._timeline.choices_at(at)

    def request_at(self, at: int) -> Request | None:
        """Return the request of act number `at`; None where there is none."""
        return self._timeline.request_at(at)

    def shown_elsewhere(self, at: int) -> Sequence[tuple[int, int]]:
        """List the values that act `at`'s player has shown elsewhere, with these acts' numbers."""
        return self._timeline.shown_elsewhere(at)

    def choices_before(self, at: int) -> Sequence[tuple[str | None, Choice]]:
        """List the possible entries before act number `at`, each with its player (None: the
        table)."""
        return self._timeline.choices_before(at)

    def explain(self, player: str) -> Sequence[Reason]:
        """Return the reasons for the points of `player`."""
        found = self._timeline.session.explain(player)
        return () if isinstance(found, Refusal) else found

    def calm_for(self, now: float) -> float:
        """Return for how many seconds nothing has moved on the table with every card recognised."""
        return self.table.calm_for(now)

    def acts(self) -> Sequence[Act]:
        """List the acts that stand, oldest first."""
        return self._timeline.session.acts()

    def correction(self, at: int, request: Request | None, *, insert: bool = False) -> Correction:
        """Work out what correcting act `at` would change; nothing happens before `apply`."""
        return self._timeline.correction(at, request, insert=insert)

    def post(self, report: Report) -> None:
        """Queue a reader's report for `tick`. Safe from any thread."""
        self._listener.post(report)

    def on_wake(self, wake: Callable[[], object] | None) -> None:
        """Set the function that is called, in the reader's thread, whenever something is
        reported."""
        self._listener.wake = wake

    def on_answered(self, answered: Answered) -> None:
        """Add a function that is called with the readers' tracks of each proposal's cards and
        whether it was accepted; pads show it by their lights."""
        self._answered.append(answered)

    def on_named(self, named: Named) -> None:
        """Set the function that is called when the players have named a card of which a reader was
        unsure, so that the reader can learn it."""
        self._listener.named = named

    def remark(self, text: Text) -> None:
        """Show `text` for a while unless something more urgent is shown. Safe from any thread;
        never blocks."""
        self._mailbox.remark(text)

    def show_league(self, lamp: LeagueLamp) -> None:
        """Show the state of the connection to the league. Safe from any thread."""
        self.call_soon(lambda: setattr(self, "_league", lamp))

    def call_soon(self, run: Callable[[], object]) -> None:
        """Have `run` called by the next `tick`, in the table's thread. Safe from any thread."""
        self._mailbox.call_soon(run)

    def tick(self, now: float) -> None:
        """Handle what was reported, and advance the clock to `now` (monotonic seconds)."""
        self._now = now
        self._mailbox.open(now)
        self._listener.take_in(now)
        if now < self._put_right + PUT_RIGHT:
            self.table.adopt(self._put_right)  # laid before that, but seen only now
        if not self._timeline.session.can_undo:
            there = self.table.claims(now)
            # Offered, so that a card of the count that is taken away does not count as missed.
            self.table.offer(there)
            self._checklist.look(there)
        if self._timeline.session.over or self._timeline.moves or self._held:
            self._listener.quiet(now)  # the cards that are being moved mean nothing
        else:
            self._lost.seal_anew()
            for proposal in self._listener.proposals(lambda: self._timeline.state, now):
                cards = self.table.behind(proposal.used)
                refusal = self._act(proposal.request, seen=bool(proposal.used))
                if refusal is None:
                    self._seen = cards
                for answered in self._answered:
                    answered([track for one in cards for track in one.tracks], refusal is None)
                # Other cards on the table belong to no game any more.
                if self._timeline.view["phase"] == GAME_OVER:
                    break
        # After the proposals: a card that was laid in time counts before the clock decides.
        self._watch_clock()
        self.journal.look_after(now)
        self._publish()

    def due(self, now: float) -> float | None:
        """Return the next moment at which `tick` must be called even if nothing is reported; None
        if there is none."""
        moments = (self._listener.due(now), self._clock.due(now), self._mailbox.due(now))
        return min((moment for moment in moments if moment is not None), default=None)

    def submit(self, request: Request) -> Refusal | None:
        """Make a request by manual entry."""
        # Before the act: in the state after it the same cards mean something else.
        meant = self._listener.meant(request, self._timeline.state, self._now)
        refusal = self._act(request, seen=bool(meant.claims or meant.unsure))
        if refusal is None:
            self._listener.entered(request, meant)
        return self._shown(refusal)

    def seal(self, request: Request) -> Refusal | None:
        """Hide a player's decision from everybody until all have decided. It is refused at once if
        it is not possible, which no view shows."""
        session = self._timeline.session
        player = getattr(request, "player", "")
        if not self.decides_apart(player):
            return self.submit(request)
        decided = session.decided(session.now, request)
        if isinstance(decided, Refusal):
            return decided
        self._together.seal(player, request)
        return self._shown(None)

    def take_back(self, player: str) -> None:
        """Forget the player's sealed decision."""
        self._together.take_back(player)
        self._publish()

    def undo(self, by: str | None = None) -> Refusal | None:
        """Take back the last step. `by`: the player who does it on a phone, which is shown to
        all."""
        return self._shown(self._followed(self._timeline.undo(by)))

    def redo(self, by: str | None = None) -> Refusal | None:
        """Take back the last undo. `by`: as in `undo`."""
        return self._shown(self._followed(self._timeline.redo(by)))

    def apply(self, correction: Correction, by: str | None = None) -> Refusal | None:
        """Make a correction that has been worked out. `by`: as in `undo`."""
        return self._shown(self._followed(self._timeline.apply(correction, by)))

    def seat(self, change: Seated) -> Refusal | None:
        """Let people come and go (`companion.rules.people`); it is journalled, and undo does not
        reverse it."""
        return self._shown(self._timeline.seat(change))

    def answer(self, question: int, choice: int | None) -> None:
        """Answer a question by the number of its choice; None puts it aside. Outdated questions are
        ignored."""
        request = self._listener.answer(question, choice)
        if request is not None:
            self._act(request, seen=True)
        self.tick(self._now)

    def hold(self) -> None:
        """Ignore cards until `confirm_moves`, while they are being put in their places.

        Steps that leave real cards in the wrong place do this by themselves.
        """
        self._held = "moves"

    def count_cards(self) -> None:
        """Let people lay out the deck to be counted before the first act; no card is played until
        `confirm_moves`."""
        if can_count(self._parts, self._held):
            self._held = "count"
        self._publish()

    def confirm_moves(self) -> None:
        """Accept that the real cards are where they should be: all cards on the table belong to
        what has been played.

        A card that was laid for the next move meanwhile must be lifted and laid again: that is
        better than playing a card that was only put back.
        """
        self._timeline.confirm()
        self._held, self._put_right = "", self._now
        self.tick(self._now)

    def pause(self, paused: bool) -> None:
        """Pause the table (the clock stands still and every screen shows it), or let it go on."""
        self._clock.pause(paused, self._now)
        self._publish()

    def tell_odds(self, told: bool) -> None:
        """Show or hide from now on the chance of what is about to be turned up."""
        self._tells_odds = told
        self._publish()

    def close(self) -> None:
        """Close the journal."""
        self.journal.close()

    def _act(self, request: Request, *, seen: bool = False) -> Refusal | None:
        """Make a request. `seen`: a reader has seen its cards."""
        player = getattr(request, "player", None)
        if player in self.setup.players:
            # Also for what is entered by hand: the pad under the seat knows which card was laid,
            # the key does not.
            asked = request
            request = with_sealed(request, self.table.seals.for_seat(self.setup.players.index(player) + 1))
            seen = seen or request is not asked
        refusal = self._followed(self._timeline.act(request, seen=seen))
        if refusal is None and self._held == "moves" and not self.table.health:
            # No reader waits for the cards to be moved: a player who goes on has looked.
            self._held = ""
            self._timeline.confirm()
        return refusal

    def _followed(self, refusal: Refusal | None) -> Refusal | None:
        """Let the table and the clock follow a step. In a new round, cards that mean nothing belong
        to the last one."""
        if refusal is None:
            self._seen = ()
            phase, playing = self._timeline.state.phase, round_of(self._timeline.view)
            if phase != self._phase:
                # Cards shown on a pad count as seen until the phase moves on.
                self._phase = phase
                self.table.phase_moved()
            if playing != self._round:
                self._round = playing
                self._listener.retire(self._timeline.state, self._now)
            self._clock.turn(self._timeline.view, self._timeline.steps, self._now)
        return refusal

    def _watch_clock(self) -> None:
        """Take the least harmful action when time is up, if the players chose so; once per step."""
        if not self._clock.plays_for_them(self._timeline.steps, self._now):
            return
        request = self.game.harmless(self._timeline.state)
        if request is not None:
            # A sealed decision stands; the clock decides only for players who have not decided.
            sealed = self._together.open(getattr(request, "player", ""))
            if self._act(sealed or request) is None and sealed is None:
                self._timeline.notice = Text("live.time_up")

    def _shown(self, refusal: Refusal | None) -> Refusal | None:
        self._publish()
        return refusal

    def _publish(self) -> None:
        # Before the snapshot, so that no view shows a table where all have decided and nothing
        # happens.
        for decision in self._together.follow(self._timeline.state):
            self._act(decision)
        self._published.publish(self._drawn(self._published.snapshot.number))

    def _drawn(self, number: int) -> Snapshot:
        closed = tuple(self._lost.players)
        status = LiveStatus(
            self._now,
            self._clock.moment,
            self._held,
            self._clock.paused,
            closed,
            self._tells_odds,
            self._league,
            self._seen,
        )
        return drawn(self._parts, status, number)


class SessionParts(NamedTuple):
    """The parts of a live session that its snapshot is made from."""

    setup: Setup
    table: Table
    journal: Journal
    timeline: Timeline
    listener: Listener
    checklist: Checklist
    together: Together
    mailbox: Mailbox


Held: TypeAlias = Literal["", "moves", "count"]
"""Why no card is played until the players confirm that all cards are in their places: cards are
being moved, or counted."""


class LiveStatus(NamedTuple):
    """State of a live session at one moment, beside its parts.

    `now`: monotonic seconds. `held`: why no card is played. `closed`: players whose cards lie under
    seals that nobody can open any more. `tells_odds`: the chances are shown.
    """

    now: float
    clock: Clock | None
    held: Held
    paused: bool
    closed: tuple[str, ...]
    tells_odds: bool
    league: LeagueLamp | None
    seen: tuple[ReadCard, ...]


def drawn(parts: SessionParts, status: LiveStatus, number: int) -> Snapshot:
    """Make the snapshot. Before the first act its report is the list of things to set up, with
    those ticked off that the readers see or have counted."""
    course, session = parts.timeline, parts.timeline.session
    begun = session.can_undo
    to_do = () if begun or course.report else parts.checklist.lines(parts.table.claims(status.now))
    return Snapshot(
        number=number,
        setup=parts.setup,
        view=course.view,
        awaited=course.awaited,
        report=course.report or to_do,
        last=course.last,
        refusal=course.refusal,
        log=course.lines,
        questions=parts.listener.questions.open(),
        moves=course.moves,
        unasked=course.unasked,
        health=parts.table.health,
        clock=status.clock.face(status.now) if status.clock else None,
        keeping=parts.journal.trouble,
        waiting=parts.journal.waiting,
        can_undo=begun,
        can_redo=session.can_redo,
        notice=_notice(parts, status),
        rounds=course.rounds,
        can_count=can_count(parts, status.held),
        decided=parts.together.decided,
        people=course.people,
        paused=status.paused,
        resolved=course.resolved,
        league=status.league,
        gained=course.gained,
        lying=tuple(session.game.lying(course.state)),
        seen=status.seen,
        odds=session.game.odds(course.state) if status.tells_odds else None,
    )


def can_count(parts: SessionParts, held: Held) -> bool:
    """Return whether the deck can be counted: nothing was played, and a reader sees the cards."""
    begun = parts.timeline.session.can_undo
    return not (begun or held) and parts.checklist.counts and bool(parts.table.health)


def _notice(parts: SessionParts, status: LiveStatus) -> Text | None:
    """Return the most urgent message for the players besides the game's own."""
    if parts.listener.fault:
        return Text("refusal.fault", {"kind": parts.listener.fault})
    begun, decided = parts.timeline.session.can_undo, parts.together.decided
    counting = status.held == "count" and not begun
    held = Text("live.held") if status.held and parts.table.health else None
    held = parts.checklist.counting if counting else held
    sealed = Text("live.decided", {"players": decided}, len(decided)) if decided else None
    closed = Text("live.closed", {"players": status.closed}) if status.closed else None
    # The order is that of urgency: the first message that there is wins.
    return (
        parts.timeline.notice
        or held
        or sealed
        or parts.mailbox.said(status.now)
        or parts.listener.hint(status.now)
        or closed
        or parts.journal.moved
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

    def publish(self, drawn: Snapshot) -> None:
        """Give `drawn` the next number and notify the subscribers, if anything but its number is
        new."""
        if drawn != self.snapshot:
            self.snapshot = msgspec.structs.replace(drawn, number=drawn.number + 1)
            # A copy: a subscriber may unsubscribe while it is called.
            for subscriber in tuple(self._subscribers):
                subscriber(self.snapshot)


REMARK = 12.0
"""Seconds for which a remark is shown."""


class Mailbox:
    """Remarks to be shown and calls to be made, from any thread. `woken` is called, in the thread
    that put something in, each time."""

    def __init__(self, woken: Callable[[], object]) -> None:
        self._woken = woken
        self._remarks: SimpleQueue[Text] = SimpleQueue()
        self._calls: SimpleQueue[Callable[[], object]] = SimpleQueue()
        self._remark: tuple[Text, float] | None = None

    def remark(self, text: Text) -> None:
        """Show `text` for a while. Safe from any thread; never blocks."""
        # Queues instead of a lock: a remark may come from a reader's thread, which must never wait
        # for the screen.
        self._remarks.put(text)
        self._woken()

    def call_soon(self, run: Callable[[], object]) -> None:
        """Have `run` called when the mailbox is opened. Safe from any thread; never blocks."""
        self._calls.put(run)
        self._woken()

    def open(self, now: float) -> None:
        """Make the calls and take the newest remark; only those that are there now, so that many do
        not hold up the game."""
        # Counted before: a call may put in another, which has its turn in the next tick.
        for _ in range(self._calls.qsize()):
            self._calls.get()()
        while not self._remarks.empty():
            self._remark = (self._remarks.get(), now + REMARK)

    def said(self, now: float) -> Text | None:
        """Return the remark to show at `now`."""
        return self._remark[0] if self._remark is not None and now < self._remark[1] else None

    def due(self, now: float) -> float | None:
        """Return when the current remark expires; None if there is none."""
        return self._remark[1] if self._remark is not None and self._remark[1] > now else None


class Checklist:
    """The steps of a game's set-up, and the cards that have been shown so far.

    A card is counted when it lies on the table together with its copies: nine fours have been seen
    once nine lay there at the same time. One four shown nine times counts once, so that an
    incomplete deck is never called complete.
    """

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = tuple(steps)
        self._most: Counter[str] = Counter()

    @property
    def counts(self) -> bool:
        """Whether there is anything to count."""
        return any(step.count for step in self.steps)

    @property
    def shown(self) -> tuple[int, int]:
        """Number of cards that have been counted, and number of cards to count."""
        return sum(step.shown(self._most) for step in self.steps), sum(step.all for step in self.steps)

    def look(self, claims: Sequence[Claim]) -> None:
        """Count the cards that lie face up."""
        self._most |= Counter(claim.what for claim in claims if claim.what is not None and claim.face == "up")

    def lines(self, claims: Sequence[Claim]) -> tuple[Reason, ...]:
        """Describe every step, ticked off if `claims` (the cards on the table) or the count show
        that it is done."""
        return tuple(Reason(self._line(step, claims), (step.clause,)) for step in self.steps)

    @property
    def counting(self) -> Text:
        """Message about the progress of the count."""
        shown, of = self.shown
        return Text("live.counting", {"shown": shown, "all": of})

    def _line(self, step: Step, claims: Sequence[Claim]) -> Text:
        shown = step.shown(self._most)
        if step.done(claims, self._most):
            return Text("step.done", {"step": step.text})
        if shown:
            return Text("step.counted", {"step": step.text, "shown": shown, "all": step.all})
        return Text("step.open", {"step": step.text})
