"""Corrections, worked out before they are made: what changes, which later acts no longer fit and
why, and what must be asked again.

A correction runs on a copy of the session's past. Nothing happens to the session until the
correction is complete and is handed over; abandoning it leaves everything as it was.

The later acts are replayed in their old order. An act that is refused waits for the others of its
phase (another player may be first now). If it still does not fit, its player is asked again; if the
rules no longer wait for it, it is dropped. Decisions that the rules require in addition are asked
too: a favour 6 that had been forgotten lets its player change the limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from companion.journal.history import round_of
from companion.journal.narration import told
from companion.rules.acts import Act, Moment
from companion.rules.contract import GAME_OVER, Choice, Refusal, Request, Text, refuse
from companion.rules.session import Session


class DroppedAct(NamedTuple):
    """A later act that is left out: its number, its words, and why."""

    number: int
    text: Text
    reason: Refusal


class OpenAct(NamedTuple):
    """An act that must be asked again, or a new one (`number` None): its old words, why it no
    longer fits, and the possible answers."""

    number: int | None
    old: Text | None
    reason: Refusal | None
    awaited: Text
    choices: tuple[Choice, ...]
    request: Request | None = None
    """The old request."""


class Points(NamedTuple):
    """One player's points before and after."""

    player: str
    before: Any
    after: Any


class _Old(NamedTuple):
    number: int
    stage: int
    act: Act
    text: Text


class Correction:
    """A correction of act number `at` of `session`: the act is replaced by `request`, removed
    (None), or with `insert` preceded by it.

    `refusal`: why the new act itself is not possible; nothing else is worked out then. `asking`:
    what must be answered before the correction can be made; None when it is complete. `fallen`: the
    acts that it drops.
    """

    def __init__(
        self,
        session: Session,
        at: int,
        request: Request | None,
        *,
        insert: bool = False,
    ) -> None:
        self.at = at
        self.refusal: Refusal | None = None
        self.asking: OpenAct | None = None
        self.fallen: list[DroppedAct] = []
        self.requests: list[Request] = []
        self._session = session
        self._game = session.game
        self._before = session.view()
        self._now = session.now.back(at)
        self._queue = list(_later(session, at + (0 if insert else 1)))
        if request is not None:
            self.refusal = self._do(request)
        if self.refusal is None:
            self._go_on()

    def answer(self, request: Request | None) -> Refusal | None:
        """Answer the open question; None drops the old act. If the answer is refused, the question
        stays open."""
        asked = self.asking
        if asked is None:
            return None
        if request is None:
            if asked.reason is not None and self._queue:
                self._fall(self._queue[0])
        else:
            refusal = self._do(request)
            if refusal is not None:
                return refusal
            # It was replayed with the new answer; the others of its phase still wait.
            if asked.number is not None:
                self._queue = [old for old in self._queue if old.number != asked.number]
        self._go_on()
        return None

    def points(self) -> tuple[Points, ...]:
        """Return every player's points before and after, as far as the correction is worked out."""
        after = {row["name"]: row["points"] for row in self._game.view(self._state)["players"]}
        return tuple(
            Points(row["name"], row["points"], after[row["name"]]) for row in self._before["players"]
        )

    def _go_on(self) -> None:
        """Replay the later acts until one must be asked, or all are done."""
        self.asking = None
        while self._queue and self.asking is None:
            # The corrected game may end earlier than the old one did.
            if self._state.phase == GAME_OVER:
                # A copy, because dropped acts leave the queue.
                for old in tuple(self._queue):
                    self._fall(old, refuse("game_over"))
            elif not self._take_next():
                self.asking = self._asked()

    def _take_next(self) -> bool:
        """Replay one of the later acts, or drop those that the rules no longer wait for; return
        whether there was one."""
        first = self._queue[0]
        stage = [old for old in self._queue if old.stage == first.stage]
        for old in stage:
            if self._do(old.act.request) is None:
                self._queue.remove(old)
                return True
        if any(self._waits_for(old.act.request) for old in stage):
            return False
        after = next((old for old in self._queue if old.stage != first.stage), None)
        # Only if the next stage can go on without them; otherwise their player is asked.
        if after is not None and not isinstance(self._decided(after.act.request), Refusal):
            for old in stage:
                self._fall(old)
            return True
        return False

    def _asked(self) -> OpenAct:
        """Ask again an old act that the rules still wait for, else ask what the rules want now."""
        first = self._queue[0]
        for old in [old for old in self._queue if old.stage == first.stage]:
            if self._waits_for(old.act.request):
                player = getattr(old.act.request, "player", None)
                choices = self._choices(player, old)
                why, request = self._why(old), old.act.request
                return OpenAct(old.number, old.text, why, self._awaited(), choices, request)
        view = self._game.view(self._state)
        player = next((row["player"] for row in view["waiting_for"]), None)
        return OpenAct(None, first.text, self._why(first), self._awaited(), self._choices(player, None))

    def _choices(self, player: str | None, old: _Old | None) -> tuple[Choice, ...]:
        """List the possible answers, those of the old act's kind first."""
        found = list(self._game.choices(self._state, player))
        if old is not None:
            found.sort(key=lambda choice: type(choice.request) is not type(old.act.request))
        return tuple(found)

    def _waits_for(self, request: Request) -> bool:
        do, player = request.__struct_config__.tag, getattr(request, "player", None)
        return any(
            (row["do"], row["player"]) == (do, player) for row in self._game.view(self._state)["waiting_for"]
        )

    def _awaited(self) -> Text:
        return self._game.awaited(self._state)

    def _why(self, old: _Old) -> Refusal | None:
        decided = self._decided(old.act.request)
        return decided if isinstance(decided, Refusal) else None

    def _fall(self, old: _Old, reason: Refusal | None = None) -> None:
        why = reason or self._why(old) or refuse("game_over")
        self.fallen.append(DroppedAct(old.number, old.text, why))
        self._queue.remove(old)

    @property
    def _state(self) -> Any:
        return self._now.state

    def _decided(self, request: Request) -> Moment | Refusal:
        return self._session.decided(self._now, request)

    def _do(self, request: Request) -> Refusal | None:
        decided = self._decided(request)
        if isinstance(decided, Refusal):
            return decided
        assert decided.act is not None
        self._now = decided
        self.requests.append(decided.act.request)
        return None


def shown_elsewhere(session: Session, at: int) -> Iterator[tuple[int, int]]:
    """List the values that the player of act number `at` has shown in other acts of its kind, with
    the numbers of these acts.

    Such a value cannot be shown twice: to enter it here, the other act must be corrected first.
    """
    acts = session.acts()
    here = acts[at].request
    for number, act in enumerate(acts):
        same = type(act.request) is type(here) and getattr(act.request, "player", None) == getattr(
            here, "player", None
        )
        if same and number != at:
            yield from ((value, number) for value in getattr(act.request, "values", None) or ())


def _later(session: Session, begin: int) -> Iterator[_Old]:
    """List the acts from number `begin` on, each with its stage (phase and round, counted up)."""
    moments: list[Moment] = []
    moment = session.now
    while moment.number > begin and moment.before is not None:
        moments.append(moment)
        moment = moment.before
    stage, place = 0, None
    for moment in reversed(moments):
        assert moment.before is not None
        assert moment.act is not None
        state = moment.before.state
        now = (state.phase, round_of(session.game.view(state)))
        stage, place = (stage if place in (None, now) else stage + 1), now
        act = moment.act
        again = Act(act.request.again(act.events), act.events)
        yield _Old(moment.number - 1, stage, again, told(moment))
