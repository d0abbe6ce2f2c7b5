"""One session of one game: the accepted requests, undo, redo and correction, and the current state.

The history is a chain of moments. A moment holds an act (a request and its events), the words for
it, and the state after it; it links to the moment before. Undo, redo and correction select another
moment of the tree, so nothing is lost and every step can itself be undone. Before a step is taken,
`commit` is called with its entry: the journal makes it durable there, and if it cannot, the step is
not taken.

Face-down cards that a reader has read are sealed before the game sees them: the game, the journal
and the views hold a SHA-256 commitment, and the openings stay in memory (`Vault`). Random draws
follow from a seed that is published only at the end. A restart loses both. The results of earlier
draws are therefore remembered by key, from the events, so that a correction draws the same again
although the seed is another.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from companion.rules.acts import Act, Commit, Entry, Moment, NotKept, forget, since
from companion.rules.commitments import HiddenSeed, Note, SealedAnew, Vault, is_seal, opened
from companion.rules.common import stranger
from companion.rules.contract import (
    Course,
    Event,
    Game,
    Legal,
    Named,
    Reason,
    Refusal,
    Request,
    Setup,
    Text,
    View,
    refuse,
)
from companion.rules.people import Seated


class Session:
    """The accepted requests of one game and the state they lead to. Refused requests leave no
    trace.

    `notes`: the commitments and openings recorded with the last step. `tells`: whether events are
    put into words; a referee for programs does not need them, and is a third quicker without.

    `notes`: what was committed to or told with the last step. `tells`: whether events are put into
    words; a referee has nobody to tell, and is a third quicker without.

    >>> from companion.games.dtc.moves import Offer
    >>> from companion.rules.start import Start, begin
    >>> session = Session(*begin(Start("dtc", ["Ann", "Ben"], seed=1)))
    >>> session.act(Offer("Ben", 1, 2)).code
    'not_your_turn'
    >>> events = session.act(Offer("Ann", 1, 2))
    >>> session.view()["phase"], session.can_undo
    ('answer', True)

    Ann had said ones, not twos. A correction is one step, and so is taking it back.

    >>> session.replace(0, [Offer("Ann", 1, 1)])
    >>> session.view()["offer"]["value"]
    1
    >>> undone = session.undo()
    >>> session.view()["offer"]["value"]
    2
    """

    def __init__(self, game: Game[Any], setup: Setup, commit: Commit = forget, *, tells: bool = True) -> None:
        self.game = game
        self._tells = tells
        # A journal may be older than an option: what it does not name was played by the usual
        # reading.
        self.setup = setup = replace(setup, options={**game.defaults(setup.options), **setup.options})
        self.commit = commit
        self._hidden_seed = setup.seed if isinstance(setup.seed, HiddenSeed) else None
        self.notes: tuple[Note, ...] = ()
        self._vault = Vault()
        self._asked: dict[Hashable, Request] = {}
        self._places: dict[Hashable, Sequence[int]] = {}
        self._now = Moment(None, None, (), game.start(setup), 0)
        self._past: list[Moment] = []
        self._listed: tuple[Moment, list[Act]] = self._now, []
        self._future: list[Moment] = []

    @property
    def now(self) -> Moment:
        """The current moment."""
        return self._now

    @property
    def state(self) -> Any:
        """The game's state now."""
        return self._now.state

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to undo."""
        return bool(self._past)

    @property
    def can_redo(self) -> bool:
        """Whether there is an undo to take back."""
        return bool(self._future)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self._now.ended

    def view(self) -> View:
        """Return the game's view of the state now."""
        return self.game.view(self.state)

    def acts(self) -> list[Act]:
        """List the acts that count now, oldest first. Repeated calls (the demo's players call it
        after every act) only look at the new ones."""
        # Undo and correction leave the chain; then the walk goes back to its beginning.
        until, listed = self._listed
        fresh: list[Act] = []
        moment: Moment | None = self._now
        while moment is not None and moment.act is not None and moment is not until:
            fresh.append(moment.act)
            moment = moment.before
        acts = [*listed, *reversed(fresh)] if moment is until else fresh[::-1]
        self._listed = self._now, acts
        return acts.copy()

    def act(self, request: Request) -> Sequence[Event] | Refusal:
        """Carry out `request`, or refuse it: game over, unknown player, then the game's own
        checks."""
        # Decided first, committed then: a refused request leaves no trace.
        moment = self.decided(self._now, request)
        if isinstance(moment, Refusal):
            return moment
        assert moment.act is not None
        self._step(Entry("act", (moment.act,)), moment)
        return moment.act.events

    def ask(self, question: Request) -> Mapping[str, Any] | Refusal:
        """Answer one of the game's questions. It changes nothing and keeps the steps that can be
        redone."""
        return self._standing(self._now, question) or self.game.answer(self.state, question)

    def undo(self) -> Act | Refusal | None:
        """Undo the last step, an act or a whole correction; return the act that was the last
        before, if any."""
        if not self._past:
            return refuse("nothing_to_undo")
        undone = self._now
        # Kept before it is done, here and below: a full disk must leave the session where its
        # journal is.
        self._keep(Entry("undo"), self._past[-1])
        self._future.append(self._now)
        self._now = self._past.pop()
        return undone.act

    def redo(self) -> Act | Refusal | None:
        """Take back the last undo, if no step followed it; return the last act now, if any."""
        if not self._future:
            return refuse("nothing_to_undo", say="nothing_to_redo")
        self._keep(Entry("redo"), self._future[-1])
        self._past.append(self._now)
        self._now = self._future.pop()
        return self._now.act

    def replace(self, at: int, requests: Sequence[Request]) -> Refusal | None:
        """Replace all acts from number `at` (0: the first) on by `requests`. This is one step: a
        single undo takes it back. If one of them is refused, nothing changes."""
        # One past the last is allowed: then the requests are added.
        if not 0 <= at <= self._now.number:
            return refuse("nothing_to_undo", say="no_such_act", at=at)
        now = self._now.back(at)
        for number, wanted in enumerate(requests, at):
            decided = self.decided(now, wanted)
            if isinstance(decided, Refusal) and number > at:
                why = Text("refusal.later", {"at": number, "why": decided.text})
                return Refusal(decided.code, decided.clause, why)
            if isinstance(decided, Refusal):
                return decided
            now = decided
        self._step(Entry("correct", since(now, at), at), now)
        return None

    def correct(self, at: int, request: Request | None) -> Refusal | None:
        """Replace act number `at` (0: the first) by `request`, or remove it (None), and repeat the
        acts after it. If one of those is refused, that refusal is returned and nothing changes."""
        acts = self.acts()
        if not 0 <= at < len(acts):
            return refuse("nothing_to_undo", say="no_such_act", at=at)
        # What was drawn then is asked for by its name: it lies on the table.
        later = [act.request.again(act.events) for act in acts[at + 1 :]]
        return self.replace(at, later if request is None else [request, *later])

    def decided(self, moment: Moment, wanted: Request) -> Moment | Refusal:
        """Decide on `wanted` at any moment of this session and return the moment after it, without
        storing anything. Earlier draws give the same result again."""
        after = self.by_seed(moment, wanted)
        return after if isinstance(after, Refusal) else self._as_drawn(moment, after)

    def by_seed(self, moment: Moment, wanted: Request) -> Moment | Refusal:
        """Decide like `decided`, but repeat every random draw with the current seed."""
        refusal = self._standing(moment, wanted)
        if refusal is not None:
            return refusal
        if wanted.hides:
            kept, decided = judged(self.game, self._vault, moment.state, wanted)
        else:
            kept, decided = wanted, self.game.decide(moment.state, wanted)
        return decided if isinstance(decided, Refusal) else self._after(moment, kept, decided)

    def grown(self, moment: Moment, act: Act) -> Moment:
        """Return the moment after `act`, by applying the events that the journal recorded."""
        self.learn(act)
        state, course = moment.state, []
        for event in act.events:
            state = self.game.evolve(state, event)
            course.append((event, state))
        return self._after(moment, act.request, course)

    def _after(self, moment: Moment, request: Request, course: Course[Any]) -> Moment:
        """Return the moment after a request that led to these events, and describe them."""
        told = course if self._tells else ()
        words = [said for event, state in told if (said := self.game.describe(state, event)) is not None]
        act = Act(request, tuple([event for event, _ in course]))
        return Moment(moment, act, tuple(words), course[-1][1] if course else moment.state, moment.number + 1)

    def learn(self, act: Act) -> None:
        """Store the openings of seals that `act` publishes."""
        for event in act.events:
            if event.hides:
                self._vault.learn(opened(event))

    def agrees(self, moment: Moment, act: Act) -> bool:
        """Check that repeating the request of `act` at `moment` leads to the same events. Draws are
        taken from `act` itself, since the seed may not be known yet. An act that no game ever
        decided may raise any exception."""
        # First what it drew itself, so that the decision below draws the same.
        self._remembered(self.grown(moment, act))
        anew = self.decided(moment, act.request)
        # A request for a draw that is remembered comes back as one for its result.
        same = (act.request, act.request.again(act.events))
        return (
            isinstance(anew, Moment)
            and anew.act is not None
            and anew.act.events == act.events
            and anew.act.request in same
        )

    def draws(self, moment: Moment, act: Act) -> bool:
        """Tell whether the program drew anything at random in `act`."""
        made = act.request.draw(moment.state) is not None
        # The cheap question first: most acts cannot draw anything.
        return made or (self._drew(act) and any(self._draws(moment, act)))

    def _as_drawn(self, moment: Moment, after: Moment) -> Moment | Refusal:
        """Return `after` (one act after `moment`) with the results of earlier draws, whose seed is
        lost (after a restart) or published (when the end was undone)."""
        act = after.act
        assert act is not None
        if not self._drew(act):
            return after
        asked = self._asked.get(act.request.draw(moment.state))
        if asked is not None and asked not in (act.request, act.request.again(act.events)):
            # By name: the seed of now is not to be taken for what it follows from.
            # Asked for by its name: a request without one would draw by the seed of now.
            return self.decided(moment, asked)
        for number, state, event, key, places in self._draws(moment, act):
            before = self._places.get(key, places)
            if before != places:
                anew = self.game.with_consequences(state, event.redrawn(state, before))
                # Applied, not decided: what the events say was drawn already, and only these events
                # differ.
                return self.grown(moment, Act(act.request, (*act.events[:number], *(one for one, _ in anew))))
        return after

    def _drew(self, act: Act) -> bool:
        """Tell whether acts of this kind may involve a random draw."""
        return not self.game.draws.isdisjoint((type(act.request), *map(type, act.events)))

    def _draws(self, before: Moment, act: Act) -> Iterator[tuple[int, Any, Event, Hashable, Sequence[int]]]:
        """Generate the draws in `act`: the index of the event, the state before it, the event, the
        draw's key, and the places drawn."""
        state = before.state
        for number, event in enumerate(act.events):
            made = event.draw(state)
            if made is not None:
                yield number, state, event, *made
            state = self.game.evolve(state, event)

    def _remembered(self, moment: Moment) -> Moment:
        """Remember the draws in the act that led to `moment`; return the moment before it."""
        act, before = moment.act, moment.before
        assert act is not None
        assert before is not None
        if not self._drew(act):
            return before
        asked = act.request.draw(before.state)
        if asked is not None:
            # With the result in it: later corrections ask for what was drawn, whatever the seed.
            self._asked[asked] = act.request.again(act.events)
        for _, _, _, key, places in self._draws(before, act):
            self._places[key] = places
        return before

    def explain(self, player: str) -> Sequence[Reason] | Refusal:
        """Explain the points of `player`; possible in every phase."""
        if player not in self.setup.players:
            return refuse("unknown_player", player=player)
        return self.game.explain(self.state, player)

    def legal(self, player: str, cards: Sequence[Named] | None = None) -> Legal | Refusal:
        """List the requests that `player` may make now (`Game.legal`); none once the game is
        over."""
        if player not in self.setup.players:
            return refuse("unknown_player", player=player)
        unknown = stranger(self.game.cards, cards or ())
        if unknown is not None:
            return refuse("unknown_card", say="no_such_card_held", card=ascii(unknown)[:40])
        return Legal() if self.over else self.game.legal(self.state, player, cards)

    def replay(self, entries: Sequence[Entry]) -> None:
        """Repeat the steps of a journal from their events; the requests are not decided again."""
        for entry in entries:
            match entry.kind:
                case "undo":
                    self._future.append(self._now)
                    self._now = self._past.pop()
                case "redo":
                    self._past.append(self._now)
                    self._now = self._future.pop()
                # From the events: what was accepted stays so, even if a later version would decide
                # otherwise.
                case "act" | "correct":
                    now = self._now if entry.kind == "act" else self._now.back(entry.at)
                    for act in entry.acts:
                        now = self.grown(now, act)
                    self._take(entry, now)

    def recommit(self) -> None:
        """Commit to a new seed if the old one was lost with the program that knew it. Call it when
        a session is resumed."""
        self._keep(Entry("note"), self._now)

    def seat(self, change: Seated) -> None:
        """Record a change of people (`companion.rules.people`); it affects no act and no rule."""
        self.commit(Entry("note", notes=(change,)))

    def closed(self, player: str) -> Sequence[str]:
        """List the seals of the face-down cards before `player` if none of them can be opened; else
        ()."""
        seals = self.game.seals(self.state, player)
        return () if any(seal in self._vault for seal in seals) else seals

    def seal_anew(self, player: str, cards: Sequence[int | str]) -> bool:
        """Seal the cards that a reader reads now at the places of `closed(player)`, after a
        restart; return whether the number of cards matched."""
        seals = self.closed(player)
        if not seals or len(cards) != len(seals) or self.game.sealable(self.state, player, cards):
            return False
        anew = [
            SealedAnew(player, seal, self._vault.seal_anew(seal, player, card))
            for seal, card in zip(seals, cards, strict=True)
        ]
        try:
            self.commit(Entry("note", notes=tuple(anew)))
        except NotKept:
            # A new commitment that is in no journal proves nothing: the old seals stay closed.
            self._vault.forget(seals)
            raise
        return True

    def _standing(self, moment: Moment, request: Request) -> Refusal | None:
        # This order is promised (docs/referee.md): other programs rely on which fault is named.
        if moment.ended:
            return refuse("game_over")
        player = getattr(request, "player", None)
        # The player first, then those whom the request names.
        for name in request.others() if player is None else (player, *request.others()):
            if name not in self.setup.players:
                return refuse("unknown_player", player=name)
        return None

    def _step(self, entry: Entry, moment: Moment) -> None:
        if self._hidden_seed is None:
            self.commit(entry)  # a seed that everybody knows has nothing to commit to or to tell
        else:
            self._keep(entry, moment)
        self._take(entry, moment)

    def _keep(self, entry: Entry, moment: Moment) -> None:
        """Commit the step to `moment`, together with the commitment to a new seed, or the seed
        itself at the end."""
        seed = self._hidden_seed
        note = seed.due(over=moment.ended) if seed is not None else None
        if seed is not None and note is not None:
            self.notes = (note,)
            self.commit(replace(entry, notes=self.notes))
            # Only after the commit: a seed counts as told, or as committed to, once the journal has
            # it.
            seed.keep(note)
        elif entry.kind != "note":
            self.notes = ()
            self.commit(entry)

    def _take(self, entry: Entry, moment: Moment) -> None:
        """Make `moment`, the result of `entry`, the current one."""
        self._past.append(self._now)
        new = moment
        for _ in entry.acts:
            new = self._remembered(new)
        # A new act ends what could be redone: it was a future of another past.
        self._future.clear()
        self._now = moment


def judged(
    game: Game[Any], vault: Vault, state: Any, wanted: Request
) -> tuple[Request, Course[Any] | Refusal]:
    """Let the game decide on `wanted` with its cards sealed and with the known openings; return the
    request as it may be stored, and the decision."""
    player, kept = getattr(wanted, "player", ""), sealed(wanted, vault)
    # Those of the player's own cards only.
    known = vault.openings(game.seals(state, player))
    # `kept` holds seals, `knowing` what is under them: the second is decided on, the first stored.
    decided = game.decide(state, kept.knowing(known))
    if kept is wanted:
        return kept, decided
    if not isinstance(decided, Refusal):
        # After the game's own refusals: a turn that is not yours is told before a reading that
        # cannot be.
        read = [card for card in _cards(wanted) if not is_seal(card)]
        decided = game.sealable(state, player, read) or decided
    if isinstance(decided, Refusal):
        # Nothing was laid, so nothing stays committed to: the same card may be sealed again.
        vault.forget([str(seal) for seal in _cards(kept)])
    return kept, decided


def _cards(request: Request) -> tuple[int | str, ...]:
    value = getattr(request, "sealed", None)
    return () if value is None else tuple(value) if isinstance(value, tuple) else (value,)


def sealed(request: Request, vault: Vault) -> Request:
    """Return `request` as it may be stored: the cards in its field `sealed` are replaced by seals.
    Values that are seals already stay."""
    cards = _cards(request)
    if all(map(is_seal, cards)):
        return request
    player = getattr(request, "player", "")
    seals = tuple(card if is_seal(card) else vault.seal(player, card) for card in cards)
    whole = isinstance(getattr(request, "sealed", None), tuple)
    return replace(request, sealed=seals if whole else seals[0])
