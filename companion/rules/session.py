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

from companion.rules.acts import Act, Commit, Entry, EntryNotSaved, Moment, discard_entry, list_acts_since
from companion.rules.commitments import CardResealed, HiddenSeed, Note, Vault, is_seal, list_openings
from companion.rules.contract import (
    Event,
    Game,
    LegalRequests,
    Named,
    Reason,
    Refusal,
    Request,
    Setup,
    Text,
    Transitions,
    View,
    refuse,
)
from companion.rules.deck_checks import find_unknown_card
from companion.rules.people import SeatChange


class Session:
    """The accepted requests of one game and the state they lead to. Refused requests leave no
    trace.

    `notes`: the commitments and openings recorded with the last step. `with_descriptions`: whether
    events are put into words; a referee for programs does not need them, and is a third quicker
    without. `first_state`: where it begins (`positions.restore_position`), if not with the first
    deal.

    >>> from companion.games.dtc.moves import Offer
    >>> from companion.rules.start import Start, prepare_game
    >>> session = Session(*prepare_game(Start("dtc", ["Ann", "Ben"], seed=1)))
    >>> session.act(Offer("Ben", 1, 2)).code
    'not_your_turn'
    >>> events = session.act(Offer("Ann", 1, 2))
    >>> session.view()["phase"], session.can_undo
    ('answer', True)

    Ann had said ones, not twos. A correction is one step, and so is taking it back.

    >>> session.replace_acts(0, [Offer("Ann", 1, 1)])
    >>> session.view()["offer"]["value"]
    1
    >>> undone = session.undo()
    >>> session.view()["offer"]["value"]
    2
    """

    def __init__(
        self,
        game: Game[Any],
        setup: Setup,
        commit: Commit = discard_entry,
        *,
        with_descriptions: bool = True,
        first_state: Any = None,
    ) -> None:
        self.game = game
        self._tells = with_descriptions
        # A journal may be older than an option: what it does not name was played by the usual
        # reading.
        self.setup = setup = replace(setup, options={**game.default_options(setup.options), **setup.options})
        self.commit = commit
        self._hidden_seed = setup.seed if isinstance(setup.seed, HiddenSeed) else None
        self.notes: tuple[Note, ...] = ()
        self._vault = Vault()
        self._asked: dict[Hashable, Request] = {}
        self._places: dict[Hashable, Sequence[int]] = {}
        self._now = Moment(None, None, (), game.start(setup) if first_state is None else first_state, 0)
        # The undo stack; `_future` is the redo stack.
        self._past: list[Moment] = []
        self._listed: tuple[Moment, list[Act]] = self._now, []
        self._future: list[Moment] = []

    @property
    def current_moment(self) -> Moment:
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
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self._now.is_over

    def view(self) -> View:
        """Return the game's view of the state now."""
        return self.game.view(self.state)

    def list_acts(self) -> list[Act]:
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
        moment = self.decide_request(self._now, request)
        if isinstance(moment, Refusal):
            return moment
        assert moment.act is not None
        self._commit_step(Entry("act", (moment.act,)), moment)
        return moment.act.events

    def answer_question(self, question: Request) -> Mapping[str, Any] | Refusal:
        """Answer one of the game's questions. It changes nothing and keeps the steps that can be
        redone."""
        return self._check_admissible(self._now, question) or self.game.answer(self.state, question)

    def undo(self) -> Act | Refusal | None:
        """Undo the last step, an act or a whole correction; return the act that was the last
        before, if any."""
        if not self._past:
            return refuse("nothing_to_undo")
        undone = self._now
        # Kept before it is done, here and below: a full disk must leave the session where its
        # journal is.
        self._save_entry(Entry("undo"), self._past[-1])
        self._future.append(self._now)
        self._now = self._past.pop()
        return undone.act

    def redo(self) -> Act | Refusal | None:
        """Take back the last undo, if no step followed it; return the last act now, if any."""
        if not self._future:
            return refuse("nothing_to_undo", message="nothing_to_redo")
        self._save_entry(Entry("redo"), self._future[-1])
        self._past.append(self._now)
        self._now = self._future.pop()
        return self._now.act

    def replace_acts(self, at: int, requests: Sequence[Request]) -> Refusal | None:
        """Replace all acts from number `at` (0: the first) on by `requests`. This is one step: a
        single undo takes it back. If one of them is refused, nothing changes."""
        # One past the last is allowed: then the requests are added.
        if not 0 <= at <= self._now.number:
            return refuse("nothing_to_undo", message="no_such_act", at=at)
        moment = self._now.moment_at(at)
        for number, request in enumerate(requests, at):
            decided = self.decide_request(moment, request)
            if isinstance(decided, Refusal) and number > at:
                why = Text("refusal.later", {"at": number, "why": decided.text})
                return Refusal(decided.code, decided.clause, why)
            if isinstance(decided, Refusal):
                return decided
            moment = decided
        self._commit_step(Entry("correct", list_acts_since(moment, at), at), moment)
        return None

    def correct_act(self, at: int, request: Request | None) -> Refusal | None:
        """Replace act number `at` (0: the first) by `request`, or remove it (None), and repeat the
        acts after it. If one of those is refused, that refusal is returned and nothing changes."""
        acts = self.list_acts()
        if not 0 <= at < len(acts):
            return refuse("nothing_to_undo", message="no_such_act", at=at)
        # What was drawn then is asked for by its name: it lies on the table.
        later = [act.request.for_replay(act.events) for act in acts[at + 1 :]]
        return self.replace_acts(at, later if request is None else [request, *later])

    def decide_request(self, moment: Moment, request: Request) -> Moment | Refusal:
        """Decide on `request` at any moment of this session and return the moment after it, without
        storing anything. Earlier draws give the same result again."""
        after = self.decide_with_current_seed(moment, request)
        return after if isinstance(after, Refusal) else self._restore_draws(moment, after)

    def decide_with_current_seed(self, moment: Moment, request: Request) -> Moment | Refusal:
        """Decide like `decide_request`, but repeat every random draw with the current seed."""
        refusal = self._check_admissible(moment, request)
        if refusal is not None:
            return refusal
        if request.hides_cards:
            kept, decided = decide_sealed(self.game, self._vault, moment.state, request)
        else:
            kept, decided = request, self.game.decide(moment.state, request)
        return decided if isinstance(decided, Refusal) else self._build_moment(moment, kept, decided)

    def apply_act(self, moment: Moment, act: Act) -> Moment:
        """Return the moment after `act`, by applying the events that the journal recorded."""
        self.learn_openings(act)
        state, course = moment.state, []
        for event in act.events:
            state = self.game.evolve(state, event)
            course.append((event, state))
        return self._build_moment(moment, act.request, course)

    def _build_moment(self, moment: Moment, request: Request, course: Transitions[Any]) -> Moment:
        """Return the moment after a request that led to these events, and describe them."""
        described = course if self._tells else ()
        words = [text for event, state in described if (text := self.game.describe(state, event)) is not None]
        act = Act(request, tuple([event for event, _ in course]))
        return Moment(moment, act, tuple(words), course[-1][1] if course else moment.state, moment.number + 1)

    def learn_openings(self, act: Act) -> None:
        """Store the openings of seals that `act` publishes."""
        for event in act.events:
            if event.hides_cards:
                self._vault.add_openings(list_openings(event))

    def verify_act(self, moment: Moment, act: Act) -> bool:
        """Check that repeating the request of `act` at `moment` leads to the same events. Draws are
        taken from `act` itself, since the seed may not be known yet. An act that no game ever
        decided may raise any exception."""
        # First what it drew itself, so that the decision below draws the same.
        self._remember_draws(self.apply_act(moment, act))
        replayed = self.decide_request(moment, act.request)
        # A request for a draw that is remembered comes back as one for its result.
        same = (act.request, act.request.for_replay(act.events))
        return (
            isinstance(replayed, Moment)
            and replayed.act is not None
            and replayed.act.events == act.events
            and replayed.act.request in same
        )

    def contains_draw(self, moment: Moment, act: Act) -> bool:
        """Tell whether the program drew anything at random in `act`."""
        made = act.request.draw_key(moment.state) is not None
        # The cheap question first: most acts cannot draw anything.
        return made or (self._may_contain_draw(act) and any(self._generate_draws(moment, act)))

    def _restore_draws(self, moment: Moment, after: Moment) -> Moment | Refusal:
        """Return `after` (one act after `moment`) with the results of earlier draws, whose seed is
        lost (after a restart) or published (when the end was undone)."""
        act = after.act
        assert act is not None
        if not self._may_contain_draw(act):
            return after
        asked = self._asked.get(act.request.draw_key(moment.state))
        if asked is not None and asked not in (act.request, act.request.for_replay(act.events)):
            # By name: the seed of now is not to be taken for what it follows from.
            # Asked for by its name: a request without one would draw by the seed of now.
            return self.decide_request(moment, asked)
        for number, state, event, key, places in self._generate_draws(moment, act):
            before = self._places.get(key, places)
            if before != places:
                anew = self.game.with_consequences(state, event.with_draw(state, before))
                # Applied, not decided: what the events say was drawn already, and only these events
                # differ.
                return self.apply_act(
                    moment, Act(act.request, (*act.events[:number], *(one for one, _ in anew)))
                )
        return after

    def _may_contain_draw(self, act: Act) -> bool:
        """Tell whether acts of this kind may involve a random draw."""
        # Most games draw nothing, and every act is asked.
        draws = self.game.draws
        return bool(draws) and not draws.isdisjoint((type(act.request), *map(type, act.events)))

    def _generate_draws(
        self, before: Moment, act: Act
    ) -> Iterator[tuple[int, Any, Event, Hashable, Sequence[int]]]:
        """Generate the draws in `act`: the index of the event, the state before it, the event, the
        draw's key, and the places drawn."""
        state = before.state
        for number, event in enumerate(act.events):
            made = event.recorded_draw(state)
            if made is not None:
                yield number, state, event, *made
            state = self.game.evolve(state, event)

    def _remember_draws(self, moment: Moment) -> Moment:
        """Remember the draws in the act that led to `moment`; return the moment before it."""
        act, before = moment.act, moment.before
        assert act is not None
        assert before is not None
        if not self._may_contain_draw(act):
            return before
        asked = act.request.draw_key(before.state)
        if asked is not None:
            # With the result in it: later corrections ask for what was drawn, whatever the seed.
            self._asked[asked] = act.request.for_replay(act.events)
        for _, _, _, key, places in self._generate_draws(before, act):
            self._places[key] = places
        return before

    def explain_points(self, player: str) -> Sequence[Reason] | Refusal:
        """Explain the points of `player`; possible in every phase."""
        if player not in self.setup.players:
            return refuse("unknown_player", player=player)
        return self.game.explain_points(self.state, player)

    def list_legal(self, player: str, cards: Sequence[Named] | None = None) -> LegalRequests | Refusal:
        """List the requests that `player` may make now (`Game.list_legal`); none once the game is
        over."""
        if player not in self.setup.players:
            return refuse("unknown_player", player=player)
        unknown = find_unknown_card(self.game.cards, cards or ())
        if unknown is not None:
            return refuse("unknown_card", message="no_such_card_held", card=ascii(unknown)[:40])
        return LegalRequests() if self.is_over else self.game.list_legal(self.state, player, cards)

    def replay_entries(self, entries: Sequence[Entry]) -> None:
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
                    moment = self._now if entry.kind == "act" else self._now.moment_at(entry.at)
                    for act in entry.acts:
                        moment = self.apply_act(moment, act)
                    self._move_to_moment(entry, moment)

    def commit_new_seed(self) -> None:
        """Commit to a new seed if the old one was lost with the program that knew it. Call it when
        a session is resumed."""
        self._save_entry(Entry("note"), self._now)

    def record_seat_change(self, change: SeatChange) -> None:
        """Record a change of people (`companion.rules.people`); it affects no act and no rule."""
        self.commit(Entry("note", notes=(change,)))

    def list_closed_seals(self, player: str) -> Sequence[str]:
        """List the seals of the face-down cards before `player` if none of them can be opened; else
        ()."""
        seals = self.game.list_seals(self.state, player)
        return () if any(seal in self._vault for seal in seals) else seals

    def reseal_cards(self, player: str, cards: Sequence[int | str]) -> bool:
        """Seal the cards that a reader reads now at the places of `list_closed_seals(player)`,
        after a restart; return whether the number of cards matched."""
        seals = self.list_closed_seals(player)
        if not seals or len(cards) != len(seals) or self.game.check_sealed_cards(self.state, player, cards):
            return False
        anew = [
            CardResealed(player, seal, self._vault.reseal_card(seal, player, card))
            for seal, card in zip(seals, cards, strict=True)
        ]
        try:
            self.commit(Entry("note", notes=tuple(anew)))
        except EntryNotSaved:
            # A new commitment that is in no journal proves nothing: the old seals stay closed.
            self._vault.discard_seals(seals)
            raise
        return True

    def _check_admissible(self, moment: Moment, request: Request) -> Refusal | None:
        # This order is promised (docs/referee.md): other programs rely on which fault is named.
        if moment.is_over:
            return refuse("game_over")
        player = getattr(request, "player", None)
        # The player first, then those whom the request names.
        for name in request.mentioned_players() if player is None else (player, *request.mentioned_players()):
            if name not in self.setup.players:
                return refuse("unknown_player", player=name)
        return None

    def _commit_step(self, entry: Entry, moment: Moment) -> None:
        if self._hidden_seed is None:
            self.commit(entry)  # a seed that everybody knows has nothing to commit to or to tell
        else:
            self._save_entry(entry, moment)
        self._move_to_moment(entry, moment)

    def _save_entry(self, entry: Entry, moment: Moment) -> None:
        """Commit the step to `moment`, together with the commitment to a new seed, or the seed
        itself at the end."""
        seed = self._hidden_seed
        note = seed.make_due_note(over=moment.is_over) if seed is not None else None
        if seed is not None and note is not None:
            self.notes = (note,)
            self.commit(replace(entry, notes=self.notes))
            # Only after the commit: a seed counts as told, or as committed to, once the journal has
            # it.
            seed.confirm_note(note)
        elif entry.kind != "note":
            self.notes = ()
            self.commit(entry)

    def _move_to_moment(self, entry: Entry, moment: Moment) -> None:
        """Make `moment`, the result of `entry`, the current one."""
        self._past.append(self._now)
        new = moment
        for _ in entry.acts:
            new = self._remember_draws(new)
        # A new act ends what could be redone: it was a future of another past.
        self._future.clear()
        self._now = moment


def decide_sealed(
    game: Game[Any], vault: Vault, state: Any, request: Request
) -> tuple[Request, Transitions[Any] | Refusal]:
    """Let the game decide on `request` with its cards sealed and with the known openings; return
    the request as it may be stored, and the decision."""
    player, kept = getattr(request, "player", ""), seal_request(request, vault)
    # Those of the player's own cards only.
    known = vault.list_openings(game.list_seals(state, player))
    # `kept` holds seals, `with_openings` what is under them: the second is decided on, the first
    # stored.
    decided = game.decide(state, kept.with_openings(known))
    if kept is request:
        return kept, decided
    if not isinstance(decided, Refusal):
        # After the game's own refusals: a turn that is not yours is told before a reading that
        # cannot be.
        read = [card for card in _read_sealed_cards(request) if not is_seal(card)]
        decided = game.check_sealed_cards(state, player, read) or decided
    if isinstance(decided, Refusal):
        # Nothing was laid, so nothing stays committed to: the same card may be sealed again.
        vault.discard_seals([str(seal) for seal in _read_sealed_cards(kept)])
    return kept, decided


def _read_sealed_cards(request: Request) -> tuple[int | str, ...]:
    value = getattr(request, "sealed", None)
    return () if value is None else tuple(value) if isinstance(value, tuple) else (value,)


def seal_request(request: Request, vault: Vault) -> Request:
    """Return `request` as it may be stored: the cards in its field `seal_request` are replaced by
    seals. Values that are seals already stay."""
    cards = _read_sealed_cards(request)
    if all(map(is_seal, cards)):
        return request
    player = getattr(request, "player", "")
    seals = tuple(card if is_seal(card) else vault.seal_card(player, card) for card in cards)
    whole = isinstance(getattr(request, "sealed", None), tuple)
    return replace(request, sealed=seals if whole else seals[0])
