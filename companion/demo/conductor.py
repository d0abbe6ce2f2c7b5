"""The conductor of the demo table: asks the simulated players what they do, lets hands do it, and waits until the camera has seen it.

It stands where people stand: it moves real (drawn) cards and presses keys. What it knows never reaches the referee but through these.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from companion.demo.deeds import Deed, Gesture, Players
from companion.live.questions import CardIs
from companion.live.snapshot import Snapshot
from companion.rules.contract import GAME_OVER, Refusal, Request
from companion.rules.session import Act

PATIENCE = 6.0
"""Seconds for which the camera may take to see what was done, before it is entered by hand as players would."""
THOUGHT = 3.0
"""Seconds, at speed 1, for which people look before they say which card it really is."""
PAUSE = 0.8
"""Seconds between two deeds, at speed 1, so that people can follow."""


class Seen(Protocol):
    """What the conductor needs of the live session."""

    def acts(self) -> Sequence[Act]:
        """List the acts that stand."""

    def snapshot(self) -> Snapshot:
        """Return what the views see."""

    def submit(self, request: Request) -> Refusal | None:
        """Enter a request by hand."""

    def answer(self, question: int, choice: int | None) -> None:
        """Answer a question to the table."""

    def hold(self) -> None:
        """Listen to no card until `confirm_moves`."""

    def confirm_moves(self) -> None:
        """Take it that the real cards lie as they should."""


class Hands(Protocol):
    """What the conductor needs of the stage."""

    speed: float

    def perform(self, gestures: Iterable[Gesture]) -> None:
        """Do these after those that are still to be done."""

    def forget(self) -> None:
        """Drop those that have not begun."""

    @property
    def idle(self) -> bool:
        """Whether nothing is left to be done."""


class Conductor:
    """Plays all seats that no person has taken over.

    `laid`: the gestures of each act that stands already. `entered` counts
    the seen deeds that had to be entered by hand after all: 0 in an evening that the camera read without a miss. `settled` counts
    the questions in which readers contradicted each other and the players said, truthfully, which card it is.
    """

    def __init__(
        self, live: Seen, players: Players, hands: Hands, laid: Sequence[tuple[Gesture, ...]] = ()
    ) -> None:
        self._live = live
        self._players = players
        self._hands = hands
        self.laid = list(laid)
        self._deed: Deed | None = None
        self._since = 0.0
        self._restaging = False
        self._asked: tuple[int, float] | None = None
        self.people: set[str] = set()
        self.entered = 0
        self.settled = 0

    def tick(self, now: float) -> None:
        """Take the next small step, if it is time for one. Call it often; `now` is monotonic seconds."""
        if not self._hands.idle:
            self._since = now
            return
        acts = self._live.acts()
        if self._restaging:
            self._restaging = False
            self._live.confirm_moves()
        elif self._told(now):
            return
        elif len(acts) < len(self.laid):
            self._restage(len(acts))
        elif self._deed is not None:
            self._await(self._deed, acts, now)
        elif (
            self._live.snapshot().view["phase"] != GAME_OVER
            and now - self._since >= PAUSE / self._hands.speed
        ):
            self._begin(acts, now)

    def _begin(self, acts: Sequence[Act], now: float) -> None:
        self.laid += [()] * (len(acts) - len(self.laid))  # what a person entered moved no drawn card
        deed = self._players.next(acts, self._live.snapshot().view)
        if deed is None or deed.player in self.people:
            return
        self._deed, self._since = deed, now
        self._hands.perform(deed.gestures)

    def _await(self, deed: Deed, acts: Sequence[Act], now: float) -> None:
        """Go on when the deed has been accepted; enter it by hand when it was only said, or the camera has missed it."""
        if len(acts) > len(self.laid):
            self.laid.append(deed.gestures)
            self._deed, self._since = None, now
        elif self._answered(deed):
            return
        elif not deed.seen or now - self._since >= PATIENCE:
            self.entered += deed.seen
            for question in self._live.snapshot().questions:
                self._live.answer(question.id, None)
            if self._live.submit(deed.request) is not None:
                self._deed = None  # a person has changed what can be done: think again

    def _told(self, now: float) -> bool:
        """Say which card it really is, if the readers contradict each other about the one that was laid last; tell whether they do."""
        gestures = self._deed.gestures if self._deed is not None else self.laid[-1] if self.laid else ()
        laid = {gesture.card for gesture in gestures if gesture.kind == "lay"}
        for question in self._live.snapshot().questions:
            for number, choice in enumerate(question.choices):
                if isinstance(choice.request, CardIs) and choice.request.card in laid:
                    if self._asked is None or self._asked[0] != question.id:
                        self._asked = (question.id, now)
                    if now - self._asked[1] >= THOUGHT / self._hands.speed:
                        self.settled += 1
                        self._live.answer(question.id, number)
                        self._since = now
                    return True
        return False

    def _answered(self, deed: Deed) -> bool:
        """Answer the question that has this deed among its answers (a card was played, but which pawn goes?), if there is one."""
        for question in self._live.snapshot().questions:
            for number, choice in enumerate(question.choices):
                if choice.request == deed.request:
                    self._live.answer(question.id, number)
                    return True
        return False

    def _restage(self, length: int) -> None:
        """Put the drawn cards back to where they lay after `length` acts: something was undone or taken out."""
        self._hands.forget()
        self._live.hold()
        del self.laid[length:]
        self._deed = None
        self._restaging = True
        zones = dict.fromkeys(gesture.zone for gestures in self.laid for gesture in gestures)
        cleared = [Gesture("clear", zone) for zone in zones] or [Gesture("clear", "middle")]
        self._hands.perform([*cleared, *(gesture for gestures in self.laid for gesture in gestures)])
