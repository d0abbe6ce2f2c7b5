"""The course of one session as the table lives it: the steps, what was said last, the log, and
which real cards to move so that the table looks as the program thinks it does (after an undo, a
correction, a resume)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from msgspec.structs import replace

from companion.journal.kept import Kept
from companion.journal.narration import Lines, Narration
from companion.live.correcting import Correction, shown_elsewhere
from companion.live.sealing import well_formed
from companion.live.snapshot import CardMove, Scores
from companion.rules.acts import Act, Commit, Kind
from companion.rules.contract import Choice, Game, Reason, Refusal, Request, Setup, Text, View, refuse
from companion.rules.people import NAMED, RIGHT, People, Seated, refused
from companion.rules.session import Session

Layout: TypeAlias = Mapping[str, tuple[str, ...]]
Owed: TypeAlias = "Counter[tuple[str, str]]"
"""(card, place) to how many are to come there (positive) or go from there (negative)."""


def owed(before: Layout, after: Layout) -> Owed:
    """Return what has to be moved to get from one layout to the other."""
    difference = _counted(after)
    difference.subtract(_counted(before))
    return Counter({where: count for where, count in difference.items() if count})


def moves(debt: Owed) -> tuple[CardMove, ...]:
    """Put it as moves: each card from a place where it is too many to a place where it is missing,
    in alphabetical order."""
    cards = sorted({card for card, _ in debt})
    return tuple(move for card in cards for move in _moves_of(card, debt))


def checks(layout: Layout) -> tuple[CardMove, ...]:
    """List every known card with the place where it should lie."""
    return tuple(CardMove(card, None, place) for place, cards in layout.items() for card in cards)


class Lying:
    """What readers have told of where the cards lie: how many of each lie in a place, at least and
    at most.

    A place that no reader has told of may hold anything: nothing is asked about it. What is entered
    by keys is either done by hands as well, or was so already; what is undone or corrected moves no
    card.
    """

    def __init__(self) -> None:
        self._told_of: set[str] = set()
        self._between: dict[tuple[str, str], tuple[int, int]] = {}

    def seen(self, before: Layout, after: Layout) -> None:
        """Take it that the cards moved so: a reader has told it."""
        change, then, now = owed(before, after), _counted(before), _counted(after)
        new = {place for _, place in change} - self._told_of
        self._told_of |= new
        self._between |= {where: (0, count) for where, count in then.items() if where[1] in new}
        for where, count in change.items():
            least, most = (max(one + count, 0) for one in self._between.get(where, (0, 0)))
            agreed = least <= now[where] <= most
            self._between[where] = (now[where], now[where]) if agreed else (least, most)

    def entered(self, before: Layout, after: Layout) -> None:
        """Take it that the cards may have moved so: only keys have told it. Of a card that lies
        wrong they tell what was so already."""
        now, wrong = _counted(after), {card for card, _ in self.asked(before)}
        for where in owed(before, after):
            card, place = where
            if place in self._told_of and card not in wrong:
                least, most = self._between.get(where, (0, 0))
                self._between[where] = (min(least, now[where]), max(most, now[where]))

    def put_right(self, layout: Layout) -> None:
        """Take it that hands have done what `asked` says."""
        now = _counted(layout)
        self._between |= {where: (now[where], now[where]) for where in self.asked(layout)}

    def asked(self, layout: Layout) -> Owed:
        """Return what hands must do so that the cards lie as in `layout`."""
        now = _counted(layout)
        debt: Owed = Counter()
        for where in now.keys() | self._between.keys():
            if where[1] in self._told_of:
                least, most = self._between.get(where, (0, 0))
                debt[where] = max(now[where] - most, 0) - max(least - now[where], 0)
        return Counter({where: count for where, count in debt.items() if count})


def _moves_of(card: str, debt: Owed) -> list[CardMove]:
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


def _counted(layout: Layout) -> Owed:
    return Counter((card, place) for place, cards in layout.items() for card in cards)


_Done = TypeVar("_Done")


def _nobody(_seat: str, _name: str) -> None:
    """Keep no name."""


class Timeline:
    """The session with its words. No step raises: what cannot be done is a refusal, kept in
    `refusal` until the next step.

    `steps` grows with every step. `last`: the words of the last step; `notice`: what else the
    players should know. `kept`: what a journal holds of this session already; the real cards are
    then to be checked. `names`: as in `People.of`; `call` keeps what somebody is called where no
    entry may hold it.
    """

    def __init__(
        self,
        game: Game[Any],
        setup: Setup,
        commit: Commit,
        kept: Kept | None = None,
        names: Mapping[str, str] | None = None,
        call: Callable[[str, str], object] = _nobody,
    ) -> None:
        self._narration = Narration(Session(game, setup), names) if kept is None else kept.narration()
        self._call = call
        self.session = self._narration.session
        self.session.commit = commit
        self.steps = 0
        self.last: Text | None = None
        self.refusal: Refusal | None = None
        self.notice: Text | None = None
        self._game = game
        self._scores = Scores(game)
        self._lying = Lying()
        self._done: Layout = game.layout(self.state)
        """Where the cards lie if hands have done what was entered last."""
        self._checks: tuple[CardMove, ...] = ()
        if kept is not None and kept.entries:
            self._checks = checks(game.layout(self.state))
            self.last = self._narration.last
        self._show()

    @property
    def state(self) -> Any:
        """The game's state now."""
        return self.session.state

    @property
    def moves(self) -> tuple[CardMove, ...]:
        """The real cards that are to be moved or checked, until `confirm`, or until the entries say
        again what lies there."""
        return self._moves

    @property
    def unasked(self) -> tuple[CardMove, ...]:
        """The real cards to move if hands had done already what was undone or corrected since the
        last act: of these only keys have told."""
        return () if self._moves else self._unasked

    def act(self, request: Request, *, seen: bool = False) -> Refusal | None:
        """Do what `request` asks, or refuse it. `seen`: a reader tells of its cards, not keys
        alone."""
        before = self._layout
        done = self._safely(lambda: self.session.act(self._whole(request)))
        if isinstance(done, Refusal):
            return self._refuse(done)
        self._done = self._game.layout(self.state)
        (self._lying.seen if seen else self._lying.entered)(before, self._done)
        self._stepped("act")
        return None

    def undo(self, by: str | None = None) -> Refusal | None:
        """Take back the last step. `by`: the player who does it on a phone; all are told."""
        return self._move("undo", self.session.undo, by)

    def redo(self, by: str | None = None) -> Refusal | None:
        """Take back the last undo. `by`: as in `undo`."""
        return self._move("redo", self.session.redo, by)

    def correction(self, at: int, request: Request | None, *, insert: bool = False) -> Correction:
        """Think through what it would change to correct act number `at`; see `Correction`."""
        wanted = None if request is None else self._whole(request)
        return Correction(self.session, at, wanted, insert=insert)

    def apply(self, correction: Correction, by: str | None = None) -> Refusal | None:
        """Make a correction that has been thought through. `by`: as in `undo`."""
        return self._move(
            "correct",
            lambda: self._safely(lambda: self.session.replace(correction.at, correction.requests)),
            by,
            correction.at,
        )

    @property
    def people(self) -> People:
        """Who sits where."""
        return self._narration.people

    def seat(self, change: Seated) -> Refusal | None:
        """Let people come and go; no act is touched."""
        refusal = refused(self.people, change, self._game)
        if refusal is not None:
            return self._refuse(refusal)
        # No step: `steps` and the clock's turn stay as they are, and no undo takes it back.
        if self.people.beside and change.deed in NAMED:
            change = self._beside(change)
        if self.people.beside and change.deed == "exchange":
            called = self.people.right
            self._call(change.seat, called[change.name])
            self._call(change.name, called[change.seat])
        if change.deed not in RIGHT or not self.people.beside:
            self.session.seat(change)
        self.last = self._narration.seated(change)
        self.refusal = None
        return None

    def _beside(self, change: Seated) -> Seated:
        """Keep the name beside the log; return the change with a label for it."""
        label = change.seat if change.deed == "rename" else self.people.next_guest()
        self._call(label, change.name)
        if change.deed == "rename":
            return change
        self._narration.people = self.people.calling(label, change.name)
        return replace(change, name=label)

    def confirm(self) -> None:
        """Take it that the real cards lie as they should."""
        self._done = self._layout
        self._lying.put_right(self._done)
        self._checks, self.notice = (), None
        self._compare()

    def choices(self, player: str | None) -> Sequence[Choice]:
        """List what can be entered by hand now for `player` (None: for the table)."""
        return self._choices(self.state, player)

    def choices_at(self, at: int) -> Sequence[Choice]:
        """List what could have been entered instead of act number `at`."""
        if not 0 <= at < self.session.now.number:
            return ()
        moment = self.session.now.back(at + 1)
        assert moment.act is not None
        assert moment.before is not None
        return self._choices(moment.before.state, getattr(moment.act.request, "player", None))

    def request_at(self, at: int) -> Request | None:
        """Return the request of act number `at`; None where there is none."""
        act = self.session.now.back(at + 1).act if 0 <= at < self.session.now.number else None
        return None if act is None else act.request

    def shown_elsewhere(self, at: int) -> Sequence[tuple[int, int]]:
        """List the values that act `at`'s player has shown elsewhere, with these acts' numbers."""
        return tuple(shown_elsewhere(self.session, at)) if 0 <= at < self.session.now.number else ()

    def choices_before(self, at: int) -> Sequence[tuple[str | None, Choice]]:
        """List what could have been entered before act number `at`, with whose it would be."""
        state = self.session.now.back(at).state
        seats = (None, *self.session.setup.players)
        return [(player, choice) for player in seats for choice in self._choices(state, player)]

    def _choices(self, state: Any, player: str | None) -> Sequence[Choice]:
        known = player is None or player in self.session.setup.players
        return self._game.choices(state, player) if known else ()

    def _compare(self) -> None:
        """Work out which real cards lie otherwise than the entries say."""
        self._moves = (*self._checks, *moves(self._lying.asked(self._layout)))
        self._unasked = moves(owed(self._done, self._layout))

    def _move(
        self, kind: Kind, step: Callable[[], Act | Refusal | None], by: str | None, at: int = 0
    ) -> Refusal | None:
        """Take a step that moves no real card."""
        done = step()
        if isinstance(done, Refusal):
            return self._refuse(done)
        self._stepped(kind, at)
        if by is not None:
            self.last = Text("live.on_a_phone", {"who": by, "what": self.last})
        return None

    def _whole(self, request: Request) -> Request:
        """Check a request as its JSON form would be; a menu's or a reader's may be anything."""
        checked = well_formed(request) if isinstance(request, tuple(self._game.requests)) else None
        if checked is None:
            raise TypeError(
                f"{type(request).__name__} is no request of this game, or has a field of the wrong type"
            )
        return checked

    def _safely(self, step: Callable[[], _Done]) -> _Done | Refusal:
        """Take a step; what a game's own mistake raises becomes a refusal, since the session has
        not changed then."""
        try:
            return step()
        except Exception as fault:  # a plug-in must not end the evening; its message may name cards, so only its kind is told
            return refuse("bad_request", say="fault", kind=type(fault).__name__)

    def _refuse(self, refusal: Refusal) -> Refusal:
        self.refusal = refusal
        return refusal

    def _stepped(self, kind: Kind, at: int = 0) -> None:
        self.last = self._narration.step(kind, at)
        self.steps += 1
        self.refusal = self.notice = None
        self._show()

    def _show(self) -> None:
        """Work out once a step what views ask for all the time."""
        self.view: View = self.session.view()
        self.awaited: Text = self._game.awaited(self.state)
        self.report: tuple[Reason, ...] = tuple(self._game.report(self.state))
        self.rounds = self._scores.follow(self.session.now)
        self.gained = self._scores.gained
        before = self.session.now.before
        self.resolved = bool(
            before is not None and self.report and self.report != tuple(self._game.report(before.state))
        )
        self.lines: Lines = self._narration.lines
        self._layout: Layout = self._game.layout(self.state)
        self._compare()
