"""One session of one game: what was accepted, undone, redone and corrected, and the state that follows from it.

The history is a chain of nodes, each holding an act, its events and the state after them. Undo and correction step to another node; nothing
is lost, and a step can be taken back. `commit` is called with each entry before the step is taken: the journal makes it durable there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from companion.rules.contract import (
    GAME_OVER,
    Event,
    Game,
    Problem,
    Reason,
    Refusal,
    Request,
    Setup,
    View,
    refuse,
)


class NotKept(Problem):
    """Raised by a `commit` that could not make an entry durable: the step is then not taken. `text` says what is wrong and what to do."""


class Act(msgspec.Struct, frozen=True):
    """An accepted request with the events that it caused."""

    request: Request
    events: tuple[Event, ...]


class Entry(msgspec.Struct, frozen=True):
    """One line of the log. `act`: `acts` holds the one new act; `correct`: the acts from number `at` on are replaced by `acts`."""

    kind: Literal["act", "undo", "redo", "correct"]
    acts: tuple[Act, ...] = ()
    at: int = 0


class Corrected(msgspec.Struct, frozen=True):
    """What a correction did: requests that no longer fit and were dropped, and the layout of real cards before and after."""

    dropped: tuple[tuple[Request, Refusal], ...]
    before: Mapping[str, tuple[str, ...]]
    after: Mapping[str, tuple[str, ...]]


class _Node(msgspec.Struct, frozen=True):
    parent: _Node | None
    act: Act | None
    state: Any
    length: int


Commit = Callable[[Entry], None]


def forget(_entry: Entry) -> None:
    """Keep no journal."""


class Session:
    """The fold of the accepted requests of one game. Refused requests leave no trace."""

    def __init__(self, game: Game[Any], setup: Setup, commit: Commit = forget) -> None:
        self.game = game
        # A journal may be older than an option: what it does not name was played by the usual reading.
        self.setup = setup = replace(setup, options={**game.defaults(setup.options), **setup.options})
        self.commit = commit
        self._now = _Node(None, None, game.start(setup), 0)
        self._past: list[_Node] = []
        self._future: list[_Node] = []

    @property
    def state(self) -> Any:
        """The game's state now."""
        return self._now.state

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to take back."""
        return bool(self._past)

    @property
    def can_redo(self) -> bool:
        """Whether there is an undo to take back."""
        return bool(self._future)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return _ended(self._now)

    def view(self) -> View:
        """Return the game's view of the state now."""
        return self.game.view(self.state)

    def acts(self) -> list[Act]:
        """List the acts that stand, oldest first."""
        acts: list[Act] = []
        node: _Node | None = self._now
        while node is not None and node.act is not None:
            acts.append(node.act)
            node = node.parent
        return acts[::-1]

    def act(self, request: Request) -> Sequence[Event] | Refusal:
        """Do what `request` asks, or refuse it. Order of the checks: game over, unknown player, then the game's own."""
        refusal = self._standing(request)
        if refusal is not None:
            return refusal
        decided = self.game.decide(self.state, request)
        if isinstance(decided, Refusal):
            return decided
        act = Act(sealed(request, self.setup), tuple(decided))
        self._step(Entry("act", (act,)), self._grow(self._now, act))
        return act.events

    def ask(self, question: Request) -> Mapping[str, Any] | Refusal:
        """Answer one of the game's questions; changes nothing and does not end a redo."""
        return self._standing(question) or self.game.answer(self.state, question)

    def undo(self) -> Act | Refusal | None:
        """Take back the last step, an act or a whole correction; return the act that stood last before, if any."""
        if not self._past:
            return refuse("nothing_to_undo")
        undone = self._now.act
        self.commit(Entry("undo"))
        self._future.append(self._now)
        self._now = self._past.pop()
        return undone

    def redo(self) -> Act | Refusal | None:
        """Take back the last undo, if nothing was accepted since; return the act that stands last now, if any."""
        if not self._future:
            return refuse("nothing_to_undo", say="nothing_to_redo")
        self.commit(Entry("redo"))
        self._past.append(self._now)
        self._now = self._future.pop()
        return self._now.act

    def correct(self, at: int, request: Request | None) -> Corrected | Refusal:
        """Replace act number `at` (0: the first) by `request`, or take it out (None), and recompute the rest.

        Later requests that no longer fit are dropped and returned with the reason. One step: a single undo takes it back.
        A refusal of `request` itself changes nothing.
        """
        acts = self.acts()
        if not 0 <= at < len(acts):
            return refuse("nothing_to_undo", say="no_such_act", at=at)
        stranger = None if request is None else self._stranger(request)
        if stranger is not None:
            return stranger
        node = self._now
        while node.length > at and node.parent is not None:
            node = node.parent
        dropped: list[tuple[Request, Refusal]] = []
        later = [act.request for act in acts[at + 1 :]]
        for number, wanted in enumerate([request, *later] if request is not None else later):
            decided = self.game.decide(node.state, wanted) if not _ended(node) else refuse("game_over")
            if isinstance(decided, Refusal):
                if number == 0 and request is not None:
                    return decided
                dropped.append((wanted, decided))
            else:
                node = self._grow(node, Act(sealed(wanted, self.setup), tuple(decided)))
        before = self.game.layout(self.state)
        self._step(Entry("correct", self._tail(node, at), at), node)
        return Corrected(tuple(dropped), before, self.game.layout(self.state))

    def replace(self, at: int, requests: Sequence[Request]) -> Corrected | Refusal:
        """Let `requests` stand in the place of all acts from number `at` on. A refusal of any of them changes nothing."""
        if not 0 <= at <= self._now.length:
            return refuse("nothing_to_undo", say="no_such_act", at=at)
        node = self._now
        while node.length > at and node.parent is not None:
            node = node.parent
        for wanted in requests:
            refusal = self._stranger(wanted) if not _ended(node) else refuse("game_over")
            decided = refusal or self.game.decide(node.state, wanted)
            if isinstance(decided, Refusal):
                return decided
            node = self._grow(node, Act(sealed(wanted, self.setup), tuple(decided)))
        before = self.game.layout(self.state)
        self._step(Entry("correct", self._tail(node, at), at), node)
        return Corrected((), before, self.game.layout(self.state))

    def explain(self, player: str) -> Sequence[Reason] | Refusal:
        """Say why `player` has the points that they have; answered in every phase."""
        if player not in self.setup.players:
            return refuse("unknown_player", player=player)
        return self.game.explain(self.state, player)

    def replay(self, entries: Sequence[Entry]) -> None:
        """Take the steps that a journal holds, from its events alone: the requests are not decided again."""
        for entry in entries:
            match entry.kind:
                case "undo":
                    self._future.append(self._now)
                    self._now = self._past.pop()
                case "redo":
                    self._past.append(self._now)
                    self._now = self._future.pop()
                case "act" | "correct":
                    node = self._now
                    while entry.kind == "correct" and node.length > entry.at and node.parent is not None:
                        node = node.parent
                    for act in entry.acts:
                        node = self._grow(node, act)
                    self._take(node)

    def _standing(self, request: Request) -> Refusal | None:
        return refuse("game_over") if _ended(self._now) else self._stranger(request)

    def _stranger(self, request: Request) -> Refusal | None:
        player = getattr(request, "player", None)
        if player is not None and player not in self.setup.players:
            return refuse("unknown_player", player=player)
        return None

    def _grow(self, node: _Node, act: Act) -> _Node:
        state = node.state
        for event in act.events:
            state = self.game.evolve(state, event)
        return _Node(node, act, state, node.length + 1)

    def _tail(self, node: _Node, at: int) -> tuple[Act, ...]:
        acts: list[Act] = []
        while node.length > at and node.act is not None and node.parent is not None:
            acts.append(node.act)
            node = node.parent
        return tuple(reversed(acts))

    def _step(self, entry: Entry, node: _Node) -> None:
        self.commit(entry)
        self._take(node)

    def _take(self, node: _Node) -> None:
        self._past.append(self._now)
        self._future.clear()
        self._now = node


def _ended(node: _Node) -> bool:
    return bool(node.state.phase == GAME_OVER)


def sealed(request: Request, setup: Setup) -> Request:
    """Return `request` as it may be kept: values in its field `sealed` are replaced by their seals (see `Setup.sealed`)."""
    value = getattr(request, "sealed", None)
    if value is None:
        return request
    player = getattr(request, "player", "")
    seals = (
        tuple(setup.sealed(player, one) for one in value)
        if isinstance(value, tuple)
        else setup.sealed(player, value)
    )
    return msgspec.structs.replace(request, sealed=seals)
