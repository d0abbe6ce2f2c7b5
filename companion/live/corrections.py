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

from companion.journal.narration import describe_moment
from companion.rules.acts import Act, Moment
from companion.rules.contract import GAME_OVER, Choice, Refusal, Request, Text, refuse
from companion.rules.session import Session


class DroppedAct(NamedTuple):
    """A later act that is left out: its number, its words, and why."""

    number: int
    text: Text
    reason: Refusal


class PendingAct(NamedTuple):
    """An act that must be asked again, or a new one (`number` None): its old words, why it no
    longer fits, and the possible answers."""

    number: int | None
    old: Text | None
    reason: Refusal | None
    awaited: Text
    choices: tuple[Choice, ...]
    request: Request | None = None
    """The old request."""


class PointsChange(NamedTuple):
    """One player's points before and after."""

    player: str
    before: Any
    after: Any


class _LaterAct(NamedTuple):
    number: int
    stage: int
    act: Act
    text: Text


class Correction:
    """A correction of act number `at` of `session`: the act is replaced by `request`, removed
    (None), or with `insert` preceded by it.

    `refusal`: why the new act itself is not possible; nothing else is worked out then.
    `pending_act`: what must be answered before the correction can be made; None when it is
    complete. `dropped_acts`: the acts that it drops.
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
        self.pending_act: PendingAct | None = None
        self.dropped_acts: list[DroppedAct] = []
        self.requests: list[Request] = []
        self._session = session
        self._game = session.game
        self._before = session.view()
        self._now = session.current_moment.moment_at(at)
        self._queue = list(_list_later_acts(session, at + (0 if insert else 1)))
        if request is not None:
            self.refusal = self._apply_request(request)
        if self.refusal is None:
            self._replay_later_acts()

    def answer_pending_act(self, request: Request | None) -> Refusal | None:
        """Answer the open question; None drops the old act. If the answer is refused, the question
        stays open."""
        asked = self.pending_act
        if asked is None:
            return None
        if request is None:
            if asked.reason is not None and self._queue:
                self._drop_act(self._queue[0])
        else:
            refusal = self._apply_request(request)
            if refusal is not None:
                return refusal
            # It was replayed with the new answer; the others of its phase still wait.
            if asked.number is not None:
                self._queue = [old for old in self._queue if old.number != asked.number]
        self._replay_later_acts()
        return None

    def compare_points(self) -> tuple[PointsChange, ...]:
        """Return every player's points before and after, as far as the correction is worked out."""
        after = {row["name"]: row["points"] for row in self._game.view(self._state)["players"]}
        return tuple(
            PointsChange(row["name"], row["points"], after[row["name"]]) for row in self._before["players"]
        )

    def _replay_later_acts(self) -> None:
        """Replay the later acts until one must be asked, or all are done."""
        self.pending_act = None
        while self._queue and self.pending_act is None:
            # The corrected game may end earlier than the old one did.
            if self._state.phase == GAME_OVER:
                # A copy, because dropped acts leave the queue.
                for old in tuple(self._queue):
                    self._drop_act(old, refuse("game_over"))
            elif not self._replay_next_act():
                self.pending_act = self._build_pending_act()

    def _replay_next_act(self) -> bool:
        """Replay one of the later acts, or drop those that the rules no longer wait for; return
        whether there was one."""
        first = self._queue[0]
        stage = [old for old in self._queue if old.stage == first.stage]
        for old in stage:
            if self._apply_request(old.act.request) is None:
                self._queue.remove(old)
                return True
        if any(self._is_awaited(old.act.request) for old in stage):
            return False
        after = next((old for old in self._queue if old.stage != first.stage), None)
        # Only if the next stage can go on without them; otherwise their player is asked.
        if after is not None and not isinstance(self._decide_request(after.act.request), Refusal):
            for old in stage:
                self._drop_act(old)
            return True
        return False

    def _build_pending_act(self) -> PendingAct:
        """Ask again an old act that the rules still wait for, else ask what the rules want now."""
        first = self._queue[0]
        for old in [old for old in self._queue if old.stage == first.stage]:
            if self._is_awaited(old.act.request):
                player = getattr(old.act.request, "player", None)
                choices = self._list_choices(player, old)
                why, request = self._find_refusal(old), old.act.request
                return PendingAct(old.number, old.text, why, self._describe_awaited(), choices, request)
        view = self._game.view(self._state)
        player = next((row["player"] for row in view["waiting_for"]), None)
        return PendingAct(
            None,
            first.text,
            self._find_refusal(first),
            self._describe_awaited(),
            self._list_choices(player, None),
        )

    def _list_choices(self, player: str | None, old: _LaterAct | None) -> tuple[Choice, ...]:
        """List the possible answers, those of the old act's kind first."""
        found = list(self._game.list_choices(self._state, player))
        if old is not None:
            found.sort(key=lambda choice: type(choice.request) is not type(old.act.request))
        return tuple(found)

    def _is_awaited(self, request: Request) -> bool:
        do, player = request.__struct_config__.tag, getattr(request, "player", None)
        return any(
            (row["do"], row["player"]) == (do, player) for row in self._game.view(self._state)["waiting_for"]
        )

    def _describe_awaited(self) -> Text:
        return self._game.describe_awaited(self._state)

    def _find_refusal(self, old: _LaterAct) -> Refusal | None:
        decided = self._decide_request(old.act.request)
        return decided if isinstance(decided, Refusal) else None

    def _drop_act(self, old: _LaterAct, reason: Refusal | None = None) -> None:
        why = reason or self._find_refusal(old) or refuse("game_over")
        self.dropped_acts.append(DroppedAct(old.number, old.text, why))
        self._queue.remove(old)

    @property
    def _state(self) -> Any:
        return self._now.state

    def _decide_request(self, request: Request) -> Moment | Refusal:
        return self._session.decide_request(self._now, request)

    def _apply_request(self, request: Request) -> Refusal | None:
        decided = self._decide_request(request)
        if isinstance(decided, Refusal):
            return decided
        assert decided.act is not None
        self._now = decided
        self.requests.append(decided.act.request)
        return None


def list_values_shown_elsewhere(session: Session, at: int) -> Iterator[tuple[int, int]]:
    """List the values that the player of act number `at` has shown in other acts of its kind, with
    the numbers of these acts.

    Such a value cannot be shown twice: to enter it here, the other act must be corrected first.
    """
    acts = session.list_acts()
    here = acts[at].request
    for number, act in enumerate(acts):
        same = type(act.request) is type(here) and getattr(act.request, "player", None) == getattr(
            here, "player", None
        )
        if same and number != at:
            yield from ((value, number) for value in getattr(act.request, "values", None) or ())


def _list_later_acts(session: Session, begin: int) -> Iterator[_LaterAct]:
    """List the acts from number `begin` on, each with its stage (phase and round, counted up)."""
    moments: list[Moment] = []
    moment = session.current_moment
    while moment.number > begin and moment.before is not None:
        moments.append(moment)
        moment = moment.before
    stage, place = 0, None
    for moment in reversed(moments):
        assert moment.before is not None
        assert moment.act is not None
        state = moment.before.state
        now = (state.phase, session.game.find_round(session.game.view(state)))
        stage, place = (stage if place in (None, now) else stage + 1), now
        act = moment.act
        again = Act(act.request.for_replay(act.events), act.events)
        yield _LaterAct(moment.number - 1, stage, again, describe_moment(moment))
