"""The live session: what the readers saw becomes requests, accepted requests go into the journal,
and views get a new snapshot.

All of it runs in one thread, the one that calls `tick`; what may come from any other thread is
left where `tick` finds it (`post`; remarks and calls in the `Mailbox`). Time comes in as a
value. Nothing here raises for what players enter or readers see.

A step changes the parts that `Live` is made of (`SessionParts`: table, journal, course of the
session, listener, checklist, sealed decisions, mailbox); then `drawn` makes the snapshot of them
all, changing none, and the `Publisher` numbers it and tells the views, if anything in it is new.
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

    `cards`: every card id of the deck, offered where the table is asked. `clock`: None plays
    without one. `now`: monotonic seconds. `kept`: the journal's session to go on with (its set-up
    must be `setup`); the views then show what to check on the real table. `names`: what people are
    called by seat, where the set-up says seats (`seat_labels`).
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
        # Cards that lie there already are no new moves.
        self._held: Held = "moves" if kept is not None and kept.entries else ""
        self._put_right = -math.inf
        self._seen: tuple[ReadCard, ...] = ()
        if kept is None:
            self.journal.begin(setup, names)
        else:
            self.journal.go_on(kept)
        self._timeline = Timeline(game, setup, self.journal.append, kept, names, self.journal.call)
        # Before any act: a seed that went with the last program is committed to anew, or nobody
        # could check the draws to come.
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
        """Return what is to be shown now; the same object until something changes."""
        return self._published.snapshot

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Call `subscriber` with each new snapshot, in the thread that made it; return its end."""
        return self._published.subscribe(subscriber)

    @property
    def tells_odds(self) -> bool:
        """Whether the chance of what is about to be turned up is told, where there is one."""
        return self._tells_odds

    @property
    def steps(self) -> int:
        """How many steps were taken, undos included: it tells whether what was offered still is."""
        return self._timeline.steps

    def decides_apart(self, player: str) -> bool:
        """Tell whether this player decides now at one moment with others, and so may have it kept
        from them: see `seal`."""
        return player in self.game.together(self._timeline.state)

    def choices(self, player: str | None) -> Sequence[Choice]:
        """List what can be entered by hand now for `player` (None: for the table)."""
        return self._timeline.choices(player)

    def choices_at(self, at: int) -> Sequence[Choice]:
        """List what could have been entered instead of act number `at`."""
        return self._timeline.choices_at(at)

    def request_at(self, at: int) -> Request | None:
        """Return the request of act number `at`; None where there is none."""
        return self._timeline.request_at(at)

    def shown_elsewhere(self, at: int) -> Sequence[tuple[int, int]]:
        """List the values that act `at`'s player has shown elsewhere, with these acts' numbers."""
        return self._timeline.shown_elsewhere(at)

    def choices_before(self, at: int) -> Sequence[tuple[str | None, Choice]]:
        """List what could have been entered before act number `at`, with whose it would be (None:
        the table's)."""
        return self._timeline.choices_before(at)

    def explain(self, player: str) -> Sequence[Reason]:
        """Say why `player` has the points that they have."""
        found = self._timeline.session.explain(player)
        return () if isinstance(found, Refusal) else found

    def calm_for(self, now: float) -> float:
        """Return the seconds for which nothing has moved on the table and every card there has been
        made out."""
        return self.table.calm_for(now)

    def acts(self) -> Sequence[Act]:
        """List the acts that stand, oldest first."""
        return self._timeline.session.acts()

    def correction(self, at: int, request: Request | None, *, insert: bool = False) -> Correction:
        """Think through what correcting act `at` would change; nothing happens before `apply`."""
        return self._timeline.correction(at, request, insert=insert)

    def post(self, report: Report) -> None:
        """Take a reader's report; `tick` acts on it. Safe from any thread."""
        self._listener.post(report)

    def on_wake(self, wake: Callable[[], object] | None) -> None:
        """Let `wake` be called whenever something was reported, from the reader's thread."""
        self._listener.wake = wake

    def on_answered(self, answered: Answered) -> None:
        """Call `answered` too with the readers' tracks of each proposal's cards and whether it was
        accepted: for the lights of pads."""
        self._answered.append(answered)

    def on_named(self, named: Named) -> None:
        """Call `named` when the table has said which card it is of which a reader was unsure: for
        who learns from that."""
        self._listener.named = named

    def remark(self, text: Text) -> None:
        """Show `text` for a while, where nothing more urgent is. From any thread; never blocks."""
        self._mailbox.remark(text)

    def show_league(self, lamp: LeagueLamp) -> None:
        """Show how the table stands to its league. Safe from any thread."""
        self.call_soon(lambda: setattr(self, "_league", lamp))

    def call_soon(self, run: Callable[[], object]) -> None:
        """Let `run` be called by the next `tick`, in the table's thread: for who acts from another
        one. Safe from any thread."""
        self._mailbox.call_soon(run)

    def tick(self, now: float) -> None:
        """Take in what was reported, act on it, let the clock run to `now` (monotonic seconds)."""
        self._now = now
        self._mailbox.open(now)
        self._listener.take_in(now)
        if now < self._put_right + PUT_RIGHT:
            self.table.adopt(self._put_right)  # what was laid before, but is only seen now
        if not self._timeline.session.can_undo:
            there = self.table.claims(now)
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
                # Whatever else lies there belongs to no game any more.
                if self._timeline.view["phase"] == GAME_OVER:
                    break
        self._watch_clock()
        self.journal.look_after(now)
        self._publish()

    def due(self, now: float) -> float | None:
        """Return the next moment at which `tick` has something to do even if nothing is reported;
        None: no such moment."""
        moments = (self._listener.due(now), self._clock.due(now), self._mailbox.due(now))
        return min((moment for moment in moments if moment is not None), default=None)

    def submit(self, request: Request) -> Refusal | None:
        """Make a request by hand."""
        # Before the act: in the state after it the same cards mean something else.
        meant = self._listener.meant(request, self._timeline.state, self._now)
        refusal = self._act(request, seen=bool(meant.claims or meant.unsure))
        if refusal is None:
            self._listener.entered(request, meant)
        return self._shown(refusal)

    def seal(self, request: Request) -> Refusal | None:
        """Keep a player's decision from everybody until all have decided; refused as it would be at
        once, in no view's sight."""
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
        """Forget the player's decision that is sealed."""
        self._together.take_back(player)
        self._publish()

    def undo(self, by: str | None = None) -> Refusal | None:
        """Take back the last step. `by`: the player who does it on a phone; all are told."""
        return self._shown(self._followed(self._timeline.undo(by)))

    def redo(self, by: str | None = None) -> Refusal | None:
        """Take back the last undo. `by`: as in `undo`."""
        return self._shown(self._followed(self._timeline.redo(by)))

    def apply(self, correction: Correction, by: str | None = None) -> Refusal | None:
        """Make a correction that has been thought through. `by`: as in `undo`."""
        return self._shown(self._followed(self._timeline.apply(correction, by)))

    def seat(self, change: Seated) -> Refusal | None:
        """Let people come and go (`companion.rules.people`): it is kept; no undo takes it back."""
        return self._shown(self._timeline.seat(change))

    def answer(self, question: int, choice: int | None) -> None:
        """Answer a question by the number of its choice; None puts it aside. An answer to what is
        no longer asked does nothing."""
        request = self._listener.answer(question, choice)
        if request is not None:
            self._act(request, seen=True)
        self.tick(self._now)

    def hold(self) -> None:
        """Listen to no card until `confirm_moves`: they are being put right.

        After a step that leaves cards in the wrong place this goes without saying.
        """
        self._held = "moves"

    def count_cards(self) -> None:
        """Before the first act: let people lay out the deck to be counted; no card is played until
        `confirm_moves`."""
        if can_count(self._parts, self._held):
            self._held = "count"
        self._publish()

    def confirm_moves(self) -> None:
        """Take it that the real cards lie as they should: all that lies there belongs to what has
        been played.

        A card that was laid for the next move meanwhile must be lifted and laid again: better than
        to play one that was only put back.
        """
        self._timeline.confirm()
        self._held, self._put_right = "", self._now
        self.tick(self._now)

    def pause(self, paused: bool) -> None:
        """Stop the table for a while: the clock stands, every screen says so; or let it go on."""
        self._clock.pause(paused, self._now)
        self._publish()

    def tell_odds(self, told: bool) -> None:
        """Tell from now on, or no more, the chance of what is about to be turned up."""
        self._tells_odds = told
        self._publish()

    def close(self) -> None:
        """Close the journal."""
        self.journal.close()

    def _act(self, request: Request, *, seen: bool = False) -> Refusal | None:
        """Do what is asked for. `seen`: a reader tells of its cards."""
        player = getattr(request, "player", None)
        if player in self.setup.players:
            # Also for what is entered by hand: the pad under the seat knows which card was laid,
            # the key does not.
            asked = request
            request = with_sealed(request, self.table.seals.for_seat(self.setup.players.index(player) + 1))
            seen = seen or request is not asked
        refusal = self._followed(self._timeline.act(request, seen=seen))
        if refusal is None and self._held == "moves" and not self.table.health:
            # No reader waits for the cards to be put right: whoever plays on has looked.
            self._held = ""
            self._timeline.confirm()
        return refusal

    def _followed(self, refusal: Refusal | None) -> Refusal | None:
        """Let the table and the clock follow a step. With a new round what still lies there and
        means nothing belongs to the last one."""
        if refusal is None:
            self._seen = ()
            phase, playing = self._timeline.state.phase, round_of(self._timeline.view)
            if phase != self._phase:
                self._phase = phase
                self.table.phase_moved()
            if playing != self._round:
                self._round = playing
                self._listener.retire(self._timeline.state, self._now)
            self._clock.turn(self._timeline.view, self._timeline.steps, self._now)
        return refusal

    def _watch_clock(self) -> None:
        """Do what hurts least when time is up, if the players chose so; each step once."""
        if not self._clock.plays_for_them(self._timeline.steps, self._now):
            return
        request = self.game.harmless(self._timeline.state)
        if request is not None:
            # Who has decided already is held to it; the clock decides only for those who have not.
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
    """What a live session is made of, as far as it is shown."""

    setup: Setup
    table: Table
    journal: Journal
    timeline: Timeline
    listener: Listener
    checklist: Checklist
    together: Together
    mailbox: Mailbox


Held: TypeAlias = Literal["", "moves", "count"]
"""Why no card is played until the players say that all lies right: cards are being put right, or
counted."""


class LiveStatus(NamedTuple):
    """What stands beside the parts at one moment.

    `now`: monotonic seconds. `held`: why no card is played.
    `closed`: whose cards lie under seals that nobody can open any more. `tells_odds`: the chances
    are shown.
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
    """Draw the snapshot; before the first act its report is what is to be set up, with what the
    readers see or have counted ticked off."""
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
    """Tell whether the deck can be counted: nothing was played, and a reader sees the cards."""
    begun = parts.timeline.session.can_undo
    return not (begun or held) and parts.checklist.counts and bool(parts.table.health)


def _notice(parts: SessionParts, status: LiveStatus) -> Text | None:
    """Say the most urgent of what the players should know besides the game."""
    if parts.listener.fault:
        return Text("refusal.fault", {"kind": parts.listener.fault})
    begun, decided = parts.timeline.session.can_undo, parts.together.decided
    counting = status.held == "count" and not begun
    held = Text("live.held") if status.held and parts.table.health else None
    held = parts.checklist.counting if counting else held
    sealed = Text("live.decided", {"players": decided}, len(decided)) if decided else None
    closed = Text("live.closed", {"players": status.closed}) if status.closed else None
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
    """One snapshot at a time, numbered; the same object until something in it changes."""

    def __init__(self, first: Snapshot) -> None:
        self.snapshot = first
        self._subscribers: list[Subscriber] = []

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Call `subscriber` with each new snapshot, in the thread that made it; return its end."""
        self._subscribers.append(subscriber)
        return lambda: self._subscribers.remove(subscriber)

    def publish(self, drawn: Snapshot) -> None:
        """Number `drawn` and tell everybody, if anything but its number is new."""
        if drawn != self.snapshot:
            self.snapshot = msgspec.structs.replace(drawn, number=drawn.number + 1)
            # A copy: a subscriber may end its own subscription while it is told.
            for subscriber in tuple(self._subscribers):
                subscriber(self.snapshot)


REMARK = 12.0
"""Seconds for which a remark is shown."""


class Mailbox:
    """Remarks to be shown and calls to be made. `woken`: called when something was put in, from
    the thread that put it in."""

    def __init__(self, woken: Callable[[], object]) -> None:
        self._woken = woken
        self._remarks: SimpleQueue[Text] = SimpleQueue()
        self._calls: SimpleQueue[Callable[[], object]] = SimpleQueue()
        self._remark: tuple[Text, float] | None = None

    def remark(self, text: Text) -> None:
        """Let `text` be shown for a while. Safe from any thread; never blocks."""
        # Queues, and no lock: who remarks may be the reader's own thread, which must never wait for
        # the screen.
        self._remarks.put(text)
        self._woken()

    def call_soon(self, run: Callable[[], object]) -> None:
        """Let `run` be called when the box is opened. Safe from any thread; never blocks."""
        self._calls.put(run)
        self._woken()

    def open(self, now: float) -> None:
        """Make the calls, take the newest remark: those here now, so that many hold no game up."""
        # Counted before: a call may put in another, which has its turn in the next tick.
        for _ in range(self._calls.qsize()):
            self._calls.get()()
        while not self._remarks.empty():
            self._remark = (self._remarks.get(), now + REMARK)

    def said(self, now: float) -> Text | None:
        """Return the remark that is to be shown at `now`."""
        return self._remark[0] if self._remark is not None and now < self._remark[1] else None

    def due(self, now: float) -> float | None:
        """Return when the remark has been shown long enough; None: there is none."""
        return self._remark[1] if self._remark is not None and self._remark[1] > now else None


class Checklist:
    """The steps of one game's set-up, and the cards that have been shown so far.

    A card is counted when it lies there with its like: nine fours have been seen once nine lay
    there together. The same four shown nine times is one, so a deck is never called complete that
    is not.
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
        """How many cards have been counted, and how many there are to count."""
        return sum(step.shown(self._most) for step in self.steps), sum(step.all for step in self.steps)

    def look(self, claims: Sequence[Claim]) -> None:
        """Take in what lies there face up."""
        self._most |= Counter(claim.what for claim in claims if claim.what is not None and claim.face == "up")

    def lines(self, claims: Sequence[Claim]) -> tuple[Reason, ...]:
        """Put every step into words, ticked off if `claims`, what lies there, or what was counted
        shows that it is done."""
        return tuple(Reason(self._line(step, claims), (step.clause,)) for step in self.steps)

    @property
    def counting(self) -> Text:
        """Say how far the count is."""
        shown, of = self.shown
        return Text("live.counting", {"shown": shown, "all": of})

    def _line(self, step: Step, claims: Sequence[Claim]) -> Text:
        shown = step.shown(self._most)
        if step.done(claims, self._most):
            return Text("step.done", {"step": step.text})
        if shown:
            return Text("step.counted", {"step": step.text, "shown": shown, "all": step.all})
        return Text("step.open", {"step": step.text})
