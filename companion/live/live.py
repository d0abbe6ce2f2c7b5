"""The live session: what the readers saw becomes requests, accepted requests go into the journal,
and views get a new snapshot.

All of it runs in one thread, the one that calls `tick`; only `post` may be called from any thread.
Time comes in as a value. Nothing here raises for what players enter or readers see.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from companion.journal.history import round_of
from companion.journal.journal import Journal
from companion.journal.kept import Kept
from companion.live.checking import Checklist
from companion.live.clocks import ClockOptions, TableClock
from companion.live.correcting import Correction
from companion.live.drawing import Hour, Parts, can_count, drawn
from companion.live.letterbox import Letterbox
from companion.live.listener import Listener, Named
from companion.live.published import Publisher
from companion.live.queries import Queries
from companion.live.sealing import LostSeals, Together, with_sealed
from companion.live.snapshot import Snapshot
from companion.live.timeline import Timeline
from companion.rules.contract import GAME_OVER, Game, Refusal, Request, Setup, Text
from companion.rules.people import Seated
from companion.table.identification import Key
from companion.table.sightings import Report
from companion.table.table import Table
from companion.table.waits import PUT_RIGHT

Answered = Callable[[Sequence[Key], bool], object]


class Live(Queries):
    """One session at one table.

    `cards`: every card id of the deck, offered where the table is asked. `clock`: None plays
    without one. `now`: monotonic seconds. `kept`: the journal's session to go on with (its set-up
    must be `setup`); the views then show what to check on the real table.
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
    ) -> None:
        self.setup = setup
        self.journal = journal or Journal()
        self._listener = Listener(game, table, cards)
        self._answered: list[Answered] = []
        self._letters = Letterbox(self._listener.woken)
        self._now = now
        self._together = Together(game)
        self._held = kept is not None and bool(kept.entries)  # cards that lie there already are no new moves
        self._put_right = -math.inf
        if kept is None:
            self.journal.begin(setup)
        else:
            self.journal.go_on(kept)
        super().__init__(game, table, Timeline(game, setup, self.journal.append, kept), odds=odds)
        # Before any act: a seed that went with the last program is committed to anew, or nobody
        # could check the draws to come.
        self._timeline.session.recommit()
        self._checklist = Checklist(game.checklist(self._timeline.session.now.back(0).state))
        self._lost = LostSeals(self._timeline.session, table)
        self._phase = self._timeline.state.phase
        self._round = round_of(self._timeline.view)
        self._clock = TableClock(clock, setup.players)
        self._clock.turn(self._timeline.view, 0, now)
        self._parts = Parts(
            setup,
            table,
            self.journal,
            self._timeline,
            self._listener,
            self._checklist,
            self._together,
            self._letters,
        )
        self._published = Publisher(self._drawn(0))

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
        self._letters.remark(text)

    def errand(self, run: Callable[[], object]) -> None:
        """Let `run` be called by the next `tick`, in the table's thread: for who acts from another
        one. Safe from any thread."""
        self._letters.errand(run)

    def tick(self, now: float) -> bool:
        """Take in what was reported, act on it, let the clock run to `now` (monotonic seconds);
        tell whether the snapshot changed."""
        before = self._published.snapshot.number
        self._now = now
        self._letters.open(now)
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
                tracks = self.table.behind(proposal.used)
                refusal = self._act(proposal.request, seen=bool(proposal.used))
                for answered in self._answered:
                    answered(tracks, refusal is None)
                # Whatever else lies there belongs to no game any more.
                if self._timeline.view["phase"] == GAME_OVER:
                    break
        self._watch_clock()
        self.journal.look_after(now)
        self._publish()
        return self._published.snapshot.number != before

    def due(self, now: float) -> float | None:
        """Return the next moment at which `tick` has something to do even if nothing is reported;
        None: no such moment."""
        moments = (self._listener.due(now), self._clock.due(now), self._letters.due(now))
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
        self._held = True

    def count_cards(self) -> None:
        """Before the first act: let people lay out the deck to be counted; no card is played until
        `confirm_moves`."""
        if can_count(self._parts, held=self._held):
            self.hold()
        self._publish()

    def confirm_moves(self) -> None:
        """Take it that the real cards lie as they should: all that lies there belongs to what has
        been played.

        A card that was laid for the next move meanwhile must be lifted and laid again: better than
        to play one that was only put back.
        """
        self._timeline.confirm()
        self._held, self._put_right = False, self._now
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
        return self._followed(self._timeline.act(request, seen=seen))

    def _followed(self, refusal: Refusal | None) -> Refusal | None:
        """Let the table and the clock follow a step. With a new round what still lies there and
        means nothing belongs to the last one."""
        if refusal is None:
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
        hour = Hour(self._now, self._clock.moment, self._held, self._clock.paused, closed, self._tells_odds)
        return drawn(self._parts, hour, number)
