"""Direct the demo table: ask simulated players for actions, let hands perform them, and wait until
the camera has seen them.

The director acts where people would: it moves real (drawn) cards and presses keys, and the referee
learns nothing from it by any other way. It plays in a cycle: take the next action, perform its
gestures, wait until the session accepts the request that the camera derived from them. If the
camera misses something, the director enters the request after a timeout, as players would. When
somebody else changes the session (an undo, a correction, a manual entry), the cards no longer match
it. The director then restages the table: it computes where cards lie now and where they should lie
(`lying`), performs the gestures that lead from one to the other (`put_right`), and continues when
the camera has had time to see the result. `retraced` recovers the gestures of acts that were made
before the director took over.
"""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Literal, TypeAlias

from companion.demo.actions import Gesture, PlayerAction, SimulatedPlayers, same
from companion.live.listener import CardIs
from companion.live.live import Live
from companion.live.snapshot import Snapshot
from companion.rules.acts import Act
from companion.rules.contract import GAME_OVER, Request, View
from companion.rules.session import Session
from companion.table.zones import zone_words

Card: TypeAlias = "tuple[str, Literal['up', 'down']]"
"""A card id and the visible face."""


def lying(gestures: Iterable[Gesture]) -> dict[str, list[Card]]:
    """Return the cards in each zone that was touched, oldest first."""
    table: dict[str, list[Card]] = {}
    for gesture in gestures:
        here = table.setdefault(gesture.zone, [])
        match gesture.kind:
            case "lay":
                here.append((gesture.card, gesture.face))
            case "take":
                here[:] = _without(here, gesture.card)
            case "clear":
                here.clear()
            case "turn":
                _turn(here, gesture.card)
            case "press":
                pass
    return table


def put_right(
    before: Iterable[Gesture], after: Iterable[Gesture], disturbed: Collection[str] = ()
) -> list[Gesture]:
    """Return the gestures that lead from the cards after `before` to the cards after `after`.

    `disturbed`: zones in which a hand was interrupted, so their content is uncertain; they are
    cleared and laid out again.
    """
    # Compared by result, not by reversing gestures: only the cards that are wrong move.
    old, new = lying(before), lying(after)
    gestures: list[Gesture] = []
    for zone in dict.fromkeys((*old, *new, *disturbed)):
        there, wanted = old.get(zone, []), new.get(zone, [])
        surplus = Counter(there) - Counter(wanted)
        turned = {card for card, _ in surplus} & {card for card, _ in Counter(wanted) - Counter(there)}
        if zone in disturbed or turned or (surplus and not wanted):
            gestures += [Gesture("clear", zone), *_lays(zone, wanted)]
        else:
            gestures += [Gesture("take", zone, card) for card, _ in surplus.elements()]
            gestures += _lays(zone, list((Counter(wanted) - Counter(there)).elements()))
    return gestures


def retraced(players: SimulatedPlayers, session: Session, acts: Iterable[Act]) -> list[tuple[Gesture, ...]]:
    """Return the gestures of each of these acts, by asking the players again; `session`: a new one.

    An act that differs from what the players would have done, but was made by the table itself (a
    donkey with another one's sticker), was still performed by hands.
    """
    laid: list[tuple[Gesture, ...]] = []
    for number, act in enumerate(acts):
        action = _action_of(players, number, session)
        if action is None or not same(action.request, act.request):
            of_the_table = getattr(act.request, "player", None) is None
            action = players.action(session.acts(), session.view(), act.request) if of_the_table else None
        laid.append(() if action is None else action.gestures)
        session.act(act.request)
    return laid


def _action_of(players: SimulatedPlayers, number: int, session: Session) -> PlayerAction | None:
    acts, view = session.acts(), session.view()
    wish = players.chosen.get(number)
    return players.next(acts, view) if wish is None else players.action(acts, view, wish)


def _lays(zone: str, cards: Sequence[Card]) -> list[Gesture]:
    return [Gesture("lay", zone, card, face) for card, face in cards]


def _without(here: Sequence[Card], name: str) -> list[Card]:
    """Remove the newest card with this name ("": the newest card)."""
    place = _newest(here, name)
    return [card for number, card in enumerate(here) if number != place]


def _turn(here: list[Card], name: str) -> None:
    """Turn over the card with this name; of equal cards, a face-down one."""
    down = next((number for number, card in enumerate(here) if card == (name, "down")), None)
    place = _newest(here, name) if down is None else down
    if place is not None:
        card, face = here[place]
        here[place] = (card, "up" if face == "down" else "down")


def _newest(here: Sequence[Card], name: str) -> int | None:
    places = [number for number, (card, _) in enumerate(here) if name in ("", card)]
    return places[-1] if places else None


READER_TIMEOUT = 6.0
"""Seconds for the camera to see an action before it is entered manually, as players do."""
THOUGHT = 3.0
"""Seconds, at speed 1, before people say which card it really is."""
PAUSE = 0.8
"""Seconds between two actions, at speed 1, so that viewers can follow."""
CALM = 1.0
"""Seconds without movement after which restaged cards count as seen in place."""
LONGEST = 20.0
"""Seconds after which they do even if something still moves."""


Retrace: TypeAlias = "Callable[[Sequence[Act]], list[tuple[Gesture, ...]]]"
"""Finds the gestures of the session's acts: as performed, or as the players would perform them."""


class Performer:
    """Hands at the table, in front of the camera or at the pads alone. `speed`: 1 is human speed.
    `paused`: the hands stand still."""

    def __init__(self, speed: float) -> None:
        self.speed = speed
        self.paused = False
        self._steps = 0
        self._waiting: deque[Gesture] = deque()
        self._acting: Gesture | None = None
        self._changed = threading.Condition()

    def perform(self, gestures: Iterable[Gesture]) -> None:
        """Add gestures to the queue."""
        with self._changed:
            self._waiting.extend(gestures)
            self._changed.notify_all()

    def forget(self) -> None:
        """Drop the gestures that have not begun: a person has taken over, or something was
        undone."""
        with self._changed:
            self._waiting.clear()

    @property
    def idle(self) -> bool:
        """Whether no gestures are left and the hands are gone."""
        with self._changed:
            return self._acting is None and not self._waiting

    @property
    def stepping(self) -> bool:
        """Whether a single step has been requested while paused, and is not finished."""
        return self._steps > 0

    def pause(self) -> None:
        """Pause."""
        self.paused = True

    def resume(self) -> None:
        """Continue."""
        with self._changed:
            self.paused, self._steps = False, 0
            self._changed.notify_all()

    def step(self) -> None:
        """Perform the next gesture, or finish the current one, then pause again."""
        with self._changed:
            self.paused = True
            self._steps += 1
            self._changed.notify_all()

    @property
    def _may_go(self) -> bool:
        """Whether the hands may begin the next gesture, or continue the current one."""
        return not self.paused or self._steps > 0


class Director:
    """Plays all seats that no person has taken over (`people`), and performs the choices of those
    people.

    `laid`: the gestures of the acts of a resumed session; their cards are on the table. `entered`:
    number of visible actions that had to be entered manually; 0 if the camera missed nothing.
    `settled`: number of questions about contradicting readers that the players answered,
    truthfully.
    """

    def __init__(
        self,
        live: Live,
        players: SimulatedPlayers,
        hands: Performer,
        laid: Sequence[tuple[Gesture, ...]] = (),
        retrace: Retrace | None = None,
    ) -> None:
        self._live = live
        self._players = players
        self._hands = hands
        self._retrace = retrace
        self.laid = list(laid)
        self._acts = list(live.acts())
        # `_acts` is what the cards show, `_standing` what the session holds.
        self._standing = live.acts()
        self._snapshot = live.snapshot()
        live.subscribe(self._hear)
        self._action: PlayerAction | None = None
        self._wishes: deque[Request] = deque()
        self._since = 0.0
        self._restaging: float | None = None
        self._begun = not laid
        self._asked: tuple[int, float] | None = None
        self.people: set[str] = set()
        self.entered = 0
        self.settled = 0

    def tick(self, now: float) -> None:
        """Take the next small step if it is due. Call it often: pauses and timeouts pass between
        calls, and hands do not report when they are done. `now`: in seconds."""
        if not self._begun:
            # A resumed session: its cards are on the table already, but the camera has to see them
            # before the first action.
            self._begun, self._restaging = True, now
        if self._restaging is not None:
            self._put_right(now)
            return
        acts = self._standing
        self._followed(acts)
        # First what somebody else has changed: an action on top of it would move cards that lie
        # wrong.
        if acts != self._acts or self._snapshot.moves:
            self._restage(acts, now)
        # Patience counts from the moment at which the hands are away: before, they cover the card.
        elif not self._hands.idle:
            self._since = now
        elif self._told(now):
            return
        elif self._action is not None:
            self._await(self._action, now)
        elif self._snapshot.view["phase"] != GAME_OVER and now - self._since >= PAUSE / self._hands.speed:
            self._begin(acts, now)

    def wish(self, wish: Request) -> None:
        """Perform a person's choice at their seat (one of `SimulatedPlayers.wishes`)."""
        self._wishes.append(wish)

    def stop(self, player: str) -> None:
        """Cancel the action being performed for `player` and put the cards back, so that the person
        at that seat can choose another."""
        if self._action is not None and self._action.player == player and self._restaging is None:
            self._restage(self._acts, self._since)

    def _begin(self, acts: Sequence[Act], now: float) -> None:
        view = self._snapshot.view
        if self._wishes:
            wish = self._wishes.popleft()
            # Kept by the number of the act, so that the table can be rebuilt as people played it.
            self._players.chosen[len(acts)] = wish
            self._start(self._players.action(acts, view, wish), now)
            return
        action = self._players.next(acts, self._of_the_simulated(view))
        if action is not None and action.player not in self.people:
            # A choice left over from an act that was undone must not be replayed for this one.
            self._players.chosen.pop(len(acts), None)
            self._start(action, now)

    def _start(self, action: PlayerAction, now: float) -> None:
        self._action, self._since = action, now
        self._hands.perform(action.gestures)

    def _of_the_simulated(self, view: View) -> View:
        """Remove people from the view's waiting list if everyone on it is awaited for the same
        thing: nobody has to wait for them."""
        waits = view["waiting_for"]
        others = [wait for wait in waits if wait["player"] not in self.people]
        alike = len({wait["do"] for wait in waits}) == 1
        return {**view, "waiting_for": others} if others and alike else view

    def _hear(self, snapshot: Snapshot) -> None:
        """Record at once what the session has accepted: it may be undone before the next tick."""
        self._snapshot, self._standing = snapshot, self._live.acts()
        if self._restaging is None:
            self._followed(self._standing)

    def _followed(self, acts: Sequence[Act]) -> bool:
        """Continue if the session has accepted the current action; return whether it has."""
        if self._action is None or len(acts) <= len(self._acts):
            return False
        act = acts[len(self._acts)]
        if not same(act.request, self._action.request):
            return False
        self.laid.append(self._action.gestures)
        self._acts.append(act)
        self._action = None
        return True

    def _await(self, action: PlayerAction, now: float) -> None:
        """Enter the action manually if it is only said aloud, or if the camera has missed it."""
        if self._answered(action):
            return
        if not action.seen or now - self._since >= READER_TIMEOUT:
            # An action that is only said aloud is always entered this way, so it is not counted.
            self.entered += action.seen
            for question in self._snapshot.questions:
                # Set aside first: a question about this action is settled by entering it.
                self._live.answer(question.id, None)
            # `submit` returns the reason for a refusal.
            if self._live.submit(action.request) is not None:  # no longer possible: choose again
                self._restage(self._acts, now)

    def _told(self, now: float) -> bool:
        """Say which card was really laid, if readers contradict each other about it; return whether
        they do."""
        for question in self._snapshot.questions:
            laid = self._laid_last_at(question.text.args.get("last", question.text.args.get("place")))
            for number, choice in enumerate(question.choices):
                if isinstance(choice.request, CardIs) and choice.request.card in laid:
                    if self._asked is None or self._asked[0] != question.id:
                        # The time to think begins when the question is first seen.
                        self._asked = (question.id, now)
                    if now - self._asked[1] >= THOUGHT / self._hands.speed:
                        self.settled += 1
                        self._live.answer(question.id, number)
                        self._since = now
                    return True
        return False

    def _laid_last_at(self, place: object) -> set[str]:
        """Return the cards of the newest action that laid any there; `place` in words, as in
        questions."""
        actions = [*self.laid, *([self._action.gestures] if self._action is not None else [])]
        found = (
            {one.card for one in gestures if one.kind == "lay" and zone_words(one.zone) == place}
            for gestures in reversed(actions)
        )
        return next((cards for cards in found if cards), set())

    def _answered(self, action: PlayerAction) -> bool:
        """Answer a question that offers this action (a card was played, but which pawn goes?), if
        there is one."""
        for question in self._snapshot.questions:
            for number, choice in enumerate(question.choices):
                if choice.request == action.request:
                    self._live.answer(question.id, number)
                    return True
        return False

    def _restage(self, acts: Sequence[Act], now: float) -> None:
        """Move the drawn cards to where they belong after `acts`: something was undone, redone,
        corrected or entered manually."""
        self._hands.forget()
        before = [gesture for gestures in self.laid for gesture in gestures]
        # An interrupted action may be half done, so its zones are laid out again.
        disturbed = {gesture.zone for gesture in self._action.gestures} if self._action is not None else set()
        # Only undone: the earlier gestures are known, and nothing has to be asked again.
        known = len(acts) <= len(self._acts) and list(acts) == self._acts[: len(acts)]
        if known or self._retrace is None:
            self.laid = [*self.laid[: len(acts)], *[()] * (len(acts) - len(self.laid))]
        else:
            self.laid = self._retrace(acts)
        self._acts, self._action = list(acts), None
        # Choices were made for the state before: they may no longer be possible.
        self._wishes.clear()
        after = [gesture for gestures in self.laid for gesture in gestures]
        gestures = put_right(before, after, disturbed)
        # Held, so that cards being put back are not taken for the next play.
        if gestures or self._snapshot.moves:
            self._live.hold()
            self._restaging = now
            self._hands.perform(gestures)

    def _put_right(self, now: float) -> None:
        """Wait until the cards are in place and have been seen there, then confirm them; an act in
        the meantime starts over."""
        assert self._restaging is not None
        acts = self._standing
        if len(acts) != len(self._acts) or acts != self._acts:
            self._restaging = None
            return
        self._live.hold()
        if not self._hands.idle:
            self._since = now
            return
        # A camera that is still starting sees nothing, which looks like a calm table.
        starting = any(health.state == "starting" for health in self._snapshot.health)
        # Also counted from when the hands left (`_since`), whatever the camera has noticed of them.
        calm = min(self._live.calm_for(now), now - self._since)
        if (calm >= CALM and not starting) or now - max(self._since, self._restaging) >= LONGEST:
            self._restaging, self._since = None, now
            self._live.confirm_moves()
