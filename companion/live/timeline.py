"""The timeline of one session: its steps, their words, the log, and which real cards to move.

After an undo, a correction or a resume the real cards may not be where the program thinks. How sure
we are differs: a place that a reader reported is known; an entry by keys may or may not have moved
a card. So `CardPositions` keeps for each place how many of each card lie there, at least and at
most, and asks only for what contradicts both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from msgspec.structs import replace

from companion.journal.narration import LogLines, Narration
from companion.journal.saved_session import SavedSession
from companion.live.corrections import Correction, list_values_shown_elsewhere
from companion.live.sealed_decisions import validate_request
from companion.live.snapshot import CardMove, ScoreHistory
from companion.rules.acts import Act, Commit, Kind
from companion.rules.contract import Choice, Game, Reason, Refusal, Request, Setup, Text, View, refuse
from companion.rules.people import NAMED, RIGHT, People, SeatChange, check_seat_change
from companion.rules.session import Session

Layout: TypeAlias = Mapping[str, tuple[str, ...]]
Owed: TypeAlias = "Counter[tuple[str, str]]"
"""Number of cards still to come to a place (positive) or to leave it (negative), by (card,
place)."""


def diff_layouts(before: Layout, after: Layout) -> Owed:
    """Return what has to be moved to get from one layout to the other."""
    difference = _count_places(after)
    difference.subtract(_count_places(before))
    return Counter({where: count for where, count in difference.items() if count})


def list_card_moves(debt: Owed) -> tuple[CardMove, ...]:
    """Turn debts into moves: each card from a place that has too many to one that lacks it, in
    alphabetical order."""
    cards = sorted({card for card, _ in debt})
    return tuple(move for card in cards for move in _pair_moves(card, debt))


def list_card_checks(layout: Layout) -> tuple[CardMove, ...]:
    """List every known card with the place where it should lie."""
    return tuple(CardMove(card, None, place) for place, cards in layout.items() for card in cards)


class CardPositions:
    """Reports of readers about where the cards lie: how many of each lie in a place, at least and
    at most.

    A place that no reader reported may hold anything: nothing is asked about it. An entry by keys
    was either carried out by hand too, or had been before; an undo or a correction moves no card.
    """

    def __init__(self) -> None:
        self._told_of: set[str] = set()
        self._between: dict[tuple[str, str], tuple[int, int]] = {}

    def record_reading(self, before: Layout, after: Layout) -> None:
        """Record a change of layout that a reader saw."""
        change, then, now = diff_layouts(before, after), _count_places(before), _count_places(after)
        new = {place for _, place in change} - self._told_of
        self._told_of |= new
        self._between |= {where: (0, count) for where, count in then.items() if where[1] in new}
        for where, count in change.items():
            least, most = (max(one + count, 0) for one in self._between.get(where, (0, 0)))
            agreed = least <= now[where] <= most
            self._between[where] = (now[where], now[where]) if agreed else (least, most)

    def record_entry(self, before: Layout, after: Layout) -> None:
        """Record a change of layout known by keys only: the cards may have moved. For a card in the
        wrong place, the entry only repeats what was known."""
        now, wrong = _count_places(after), {card for card, _ in self.find_discrepancies(before)}
        for where in diff_layouts(before, after):
            card, place = where
            if place in self._told_of and card not in wrong:
                least, most = self._between.get(where, (0, 0))
                self._between[where] = (min(least, now[where]), max(most, now[where]))

    def confirm_positions(self, layout: Layout) -> None:
        """Record that people have made the moves that `find_discrepancies` returns."""
        now = _count_places(layout)
        self._between |= {where: (now[where], now[where]) for where in self.find_discrepancies(layout)}

    def find_discrepancies(self, layout: Layout) -> Owed:
        """Return the moves that bring the cards to `layout`."""
        now = _count_places(layout)
        debt: Owed = Counter()
        for where in now.keys() | self._between.keys():
            if where[1] in self._told_of:
                least, most = self._between.get(where, (0, 0))
                debt[where] = max(now[where] - most, 0) - max(least - now[where], 0)
        return Counter({where: count for where, count in debt.items() if count})


def _pair_moves(card: str, debt: Owed) -> list[CardMove]:
    sources = [place for (name, place), count in sorted(debt.items()) if name == card for _ in range(-count)]
    targets = [place for (name, place), count in sorted(debt.items()) if name == card for _ in range(count)]
    # Where only one side is known (the other is a hand, say), the move names that side alone.
    count = max(len(sources), len(targets))
    return [
        CardMove(card, source, target)
        for source, target in zip(
            sources + [None] * (count - len(sources)), targets + [None] * (count - len(targets)), strict=True
        )
    ]


def _count_places(layout: Layout) -> Owed:
    return Counter((card, place) for place, cards in layout.items() for card in cards)


_Done = TypeVar("_Done")


def _ignore_name(_seat: str, _name: str) -> None:
    """Ignore the name."""


class Timeline:
    """The session with its words. No step raises: a step that is not possible is a refusal, kept in
    `refusal` until the next step.

    `step_count` grows with every step and survives a restart. `last`: the words of the last step;
    `notice`: another message for the players. `saved`: the stored session to resume; the real cards
    are then to be checked. `names`: as in `People.from_players`; `call` stores a person's name
    where the entries must not contain it.
    """

    def __init__(
        self,
        game: Game[Any],
        setup: Setup,
        commit: Commit,
        saved: SavedSession | None = None,
        names: Mapping[str, str] | None = None,
        call: Callable[[str, str], object] = _ignore_name,
    ) -> None:
        self._narration = (
            Narration(Session(game, setup), names) if saved is None else saved.replay_narration()
        )
        self._call = call
        self.session = self._narration.session
        self.session.commit = commit
        # Pages name an offer by this number: it must not begin again when the program does.
        self.step_count = 0 if saved is None else sum(one.kind != "note" for one in saved.entries)
        self.last: Text | None = None
        self.refusal: Refusal | None = None
        self._made_by_itself: Request | None = None
        """The request that the table made by itself in the last step."""
        self.notice: Text | None = None
        self._game = game
        self._scores = ScoreHistory(game)
        self._positions = CardPositions()
        self._done: Layout = game.layout_cards(self.state)
        """The layout of the cards if people carried out the last entry."""
        self._checks: tuple[CardMove, ...] = ()
        if saved is not None and saved.entries:
            # After a resume no reader has reported any place yet, so every known card is listed to
            # be checked.
            self._checks = list_card_checks(game.layout_cards(self.state))
            self.last = self._narration.last_text
        self._refresh_derived()

    @property
    def state(self) -> Any:
        """The current state of the game."""
        return self.session.state

    @property
    def moves(self) -> tuple[CardMove, ...]:
        """Real cards to move or check, until `confirm_moves`, or until the entries agree with them
        again."""
        return self._moves

    @property
    def seen_moves(self) -> tuple[CardMove, ...]:
        """The `moves` without those that are only to be checked after a resume: without a reader
        nobody has seen the cards that they name."""
        return self._moves[len(self._checks) :]

    @property
    def unrequested_moves(self) -> tuple[CardMove, ...]:
        """Real cards to move if people had already carried out what was undone or corrected since
        the last act; known by keys only."""
        return () if self._moves else self._unrequested_moves

    def perform_request(self, request: Request, *, from_reader: bool = False) -> Refusal | None:
        """Do what `request` asks, or refuse it. `from_reader`: a reader saw its cards, it
        is not known by keys alone."""
        if self._made_by_itself is not None and request == self._made_by_itself:
            # Somebody, or a recorded evening, says what the table has just done already.
            self._made_by_itself = None
            return None
        before = self._layout
        done = self._run_guarded(lambda: self.session.act(self._validate_request(request)))
        if isinstance(done, Refusal):
            return self._record_refusal(done)
        self._done = self._game.layout_cards(self.state)
        (self._positions.record_reading if from_reader else self._positions.record_entry)(before, self._done)
        self._record_step("act")
        last = self.last
        following = self._game.automatic_request(self.state)
        if following is not None and not isinstance(
            self._run_guarded(lambda: self.session.act(following)), Refusal
        ):
            self._record_step("act")
            self.last = last  # what a player did, rather than that it goes on
            self._made_by_itself = following
        return None

    def undo(self, by: str | None = None) -> Refusal | None:
        """Take back the last step, with what followed from it by itself. `by`: the player who does
        it on a phone, which is shown to all."""
        return self._repeat_while_automatic(lambda: self._apply_revision("undo", self.session.undo, by))

    def redo(self, by: str | None = None) -> Refusal | None:
        """Take back the last undo. `by`: as in `undo`."""
        return self._repeat_while_automatic(lambda: self._apply_revision("redo", self.session.redo, by))

    def _repeat_while_automatic(self, step: Callable[[], Refusal | None]) -> Refusal | None:
        """Take a step, and once more if it leads to where the table goes on by itself."""
        refusal = step()
        return step() if refusal is None and self._game.automatic_request(self.state) is not None else refusal

    def draft_correction(self, at: int, request: Request | None, *, insert: bool = False) -> Correction:
        """Work out what correcting act number `at` would change; see `Correction`."""
        wanted = None if request is None else self._validate_request(request)
        return Correction(self.session, at, wanted, insert=insert)

    def apply_correction(self, correction: Correction, by: str | None = None) -> Refusal | None:
        """Make a correction that has been worked out. `by`: as in `undo`."""
        return self._apply_revision(
            "correct",
            lambda: self._run_guarded(lambda: self.session.replace_acts(correction.at, correction.requests)),
            by,
            correction.at,
        )

    @property
    def people(self) -> People:
        """Who sits where."""
        return self._narration.people

    def change_seats(self, change: SeatChange) -> Refusal | None:
        """Let people come and go; no act is changed."""
        refusal = check_seat_change(self.people, change, self._game)
        if refusal is not None:
            return self._record_refusal(refusal)
        # Not a step: `step_count` and the clock's turn stay as they are, and undo does not reverse
        # it.
        if self.people.uses_seat_labels and change.deed in NAMED:
            change = self._save_name(change)
        if self.people.uses_seat_labels and change.deed == "exchange":
            called = self.people.real_names
            self._call(change.seat, called[change.name])
            self._call(change.name, called[change.seat])
        if change.deed not in RIGHT or not self.people.uses_seat_labels:
            self.session.record_seat_change(change)
        self.last = self._narration.apply_seat_change(change)
        self.refusal = None
        return None

    def _save_name(self, change: SeatChange) -> SeatChange:
        """Store the name outside the log; return the change with a label in its place."""
        label = change.seat if change.deed == "rename" else self.people.make_guest_label()
        self._call(label, change.name)
        if change.deed == "rename":
            return change
        self._narration.people = self.people.with_name(label, change.name)
        return replace(change, name=label)

    def confirm_moves(self) -> None:
        """Accept that the real cards are where they should be."""
        self._done = self._layout
        self._positions.confirm_positions(self._done)
        self._checks, self.notice = (), None
        self._update_moves()

    def list_choices(self, player: str | None) -> Sequence[Choice]:
        """List the possible manual entries of `player` (None: of the table) now."""
        return self._list_choices_in(self.state, player)

    def list_attempts(self, player: str | None) -> Sequence[Choice]:
        """List what may be typed for `player` (None: for the table), whether or not the rules
        accept it."""
        known = player is None or player in self.session.setup.players
        return self._game.list_attempts(self.state, player) if known else ()

    def list_choices_at(self, at: int) -> Sequence[Choice]:
        """List the possible entries in place of act number `at`."""
        if not 0 <= at < self.session.current_moment.number:
            return ()
        moment = self.session.current_moment.moment_at(at + 1)
        assert moment.act is not None
        assert moment.before is not None
        return self._list_choices_in(moment.before.state, getattr(moment.act.request, "player", None))

    def find_request_at(self, at: int) -> Request | None:
        """Return the request of act number `at`; None where there is none."""
        act = (
            self.session.current_moment.moment_at(at + 1).act
            if 0 <= at < self.session.current_moment.number
            else None
        )
        return None if act is None else act.request

    def list_values_shown_elsewhere(self, at: int) -> Sequence[tuple[int, int]]:
        """List the values that act `at`'s player has shown elsewhere, with these acts' numbers."""
        return (
            tuple(list_values_shown_elsewhere(self.session, at))
            if 0 <= at < self.session.current_moment.number
            else ()
        )

    def list_choices_before(self, at: int) -> Sequence[tuple[str | None, Choice]]:
        """List the possible entries before act number `at`, each with its player (None: the
        table)."""
        state = self.session.current_moment.moment_at(at).state
        seats = (None, *self.session.setup.players)
        return [(player, choice) for player in seats for choice in self._list_choices_in(state, player)]

    def _list_choices_in(self, state: Any, player: str | None) -> Sequence[Choice]:
        known = player is None or player in self.session.setup.players
        return self._game.list_choices(state, player) if known else ()

    def _update_moves(self) -> None:
        """Work out which real cards are not where the entries say."""
        self._moves = (*self._checks, *list_card_moves(self._positions.find_discrepancies(self._layout)))
        self._unrequested_moves = list_card_moves(diff_layouts(self._done, self._layout))

    def _apply_revision(
        self, kind: Kind, step: Callable[[], Act | Refusal | None], by: str | None, at: int = 0
    ) -> Refusal | None:
        """Take a step that moves no real card."""
        done = step()
        if isinstance(done, Refusal):
            return self._record_refusal(done)
        self._record_step(kind, at)
        if by is not None:
            self.last = Text("live.on_a_phone", {"who": by, "what": self.last})
        return None

    def _validate_request(self, request: Request) -> Request:
        """Check the types of a request as if it came as JSON: a menu or a reader may pass
        anything."""
        checked = validate_request(request) if isinstance(request, tuple(self._game.requests)) else None
        if checked is None:
            raise TypeError(
                f"{type(request).__name__} is no request of this game, or has a field of the wrong type"
            )
        return checked

    def _run_guarded(self, step: Callable[[], _Done]) -> _Done | Refusal:
        """Take a step; an exception of the game's own code becomes a refusal, since the session has
        not changed then."""
        try:
            return step()
        except Exception as fault:  # a plug-in must not end the evening; its message may name cards, so only the type is reported
            return refuse("bad_request", message="fault", kind=type(fault).__name__)

    def _record_refusal(self, refusal: Refusal) -> Refusal:
        self.refusal = refusal
        return refusal

    def _record_step(self, kind: Kind, at: int = 0) -> None:
        self.last = self._narration.narrate_step(kind, at)
        self.step_count += 1
        # They belong to the step before.
        self.refusal = self.notice = self._made_by_itself = None
        self._refresh_derived()

    def _refresh_derived(self) -> None:
        """Compute, once per step, what views read all the time."""
        self.view: View = self.session.view()
        self.awaited: Text = self._game.describe_awaited(self.state)
        self.report: tuple[Reason, ...] = tuple(self._game.explain_round(self.state))
        self.rounds = self._scores.list_rounds(self.session.current_moment)
        self.gained = self._scores.last_gains
        # A report that stood before this act already was resolved by an earlier one.
        before = self.session.current_moment.before
        self.resolved = bool(
            before is not None
            and self.report
            and self.report != tuple(self._game.explain_round(before.state))
        )
        self.lines: LogLines = self._narration.lines
        self._layout: Layout = self._game.layout_cards(self.state)
        self._update_moves()
