"""The director of the demo table: asks the simulated players what they do, lets hands do it, and
waits until the camera has seen it.

It stands where people stand: it moves real (drawn) cards and presses keys. What it knows never
reaches the referee but through these. What lies where after some gestures, and the gestures that
put it right, are worked out first (`lying`, `put_right`, `retraced`).
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
"""A card id and the face that is up."""


def lying(gestures: Iterable[Gesture]) -> dict[str, list[Card]]:
    """Return what lies in each zone that was touched, oldest first."""
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
    """List the gestures that lead from what lies after `before` to what lies after `after`.

    `disturbed`: zones in which nobody knows how far a hand had come; they are cleared and laid
    anew.
    """
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
    """Return what hands did in each of these acts, by asking the players once more; `session`: a
    new one.

    What the table itself did otherwise than they would have (a donkey whose sticker was another's)
    was done by hands all the same.
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
    """Take the newest card of that name away (of any name where none is given)."""
    place = _newest(here, name)
    return [card for number, card in enumerate(here) if number != place]


def _turn(here: list[Card], name: str) -> None:
    """Turn the card of that name over, of equal ones one that lies face down."""
    down = next((number for number, card in enumerate(here) if card == (name, "down")), None)
    place = _newest(here, name) if down is None else down
    if place is not None:
        card, face = here[place]
        here[place] = (card, "up" if face == "down" else "down")


def _newest(here: Sequence[Card], name: str) -> int | None:
    places = [number for number, (card, _) in enumerate(here) if name in ("", card)]
    return places[-1] if places else None


READER_TIMEOUT = 6.0
"""Seconds that the camera has to see what was done, before it is entered by hand as players do."""
THOUGHT = 3.0
"""Seconds, at speed 1, for which people look before they say which card it really is."""
PAUSE = 0.8
"""Seconds between two actions, at speed 1, so that people can follow."""
CALM = 1.0
"""Seconds the table must be calm before the cards that were put right count as lying right."""
LONGEST = 20.0
"""Seconds after which they do although something still moves."""


Retrace: TypeAlias = "Callable[[Sequence[Act]], list[tuple[Gesture, ...]]]"
"""Finds the gestures of acts that stand: as they were made, or as the players would make them."""


class Performer:
    """Hands at the table: on the camera's stage, or at the pads alone. `speed`: 1 is as people
    move. `paused`: they stand still."""

    def __init__(self, speed: float) -> None:
        self.speed = speed
        self.paused = False
        self._steps = 0
        self._waiting: deque[Gesture] = deque()
        self._acting: Gesture | None = None
        self._changed = threading.Condition()

    def perform(self, gestures: Iterable[Gesture]) -> None:
        """Do these after those that are still to be done."""
        with self._changed:
            self._waiting.extend(gestures)
            self._changed.notify_all()

    def forget(self) -> None:
        """Drop those that have not begun: a person has taken over, or something was taken back."""
        with self._changed:
            self._waiting.clear()

    @property
    def idle(self) -> bool:
        """Whether nothing is left to be done, and the hands are gone."""
        with self._changed:
            return self._acting is None and not self._waiting

    @property
    def stepping(self) -> bool:
        """Whether they stand still but for one more gesture, which is still to be done."""
        return self._steps > 0

    def pause(self) -> None:
        """Stand still."""
        self.paused = True

    def resume(self) -> None:
        """Go on."""
        with self._changed:
            self.paused, self._steps = False, 0
            self._changed.notify_all()

    def step(self) -> None:
        """Do the next gesture, or finish this one, and stand still again."""
        with self._changed:
            self.paused = True
            self._steps += 1
            self._changed.notify_all()

    @property
    def _may_go(self) -> bool:
        """Whether they may do the next gesture, or go on with this one."""
        return not self.paused or self._steps > 0


class Director:
    """Plays all seats that no person has taken over (`people`), and lends a hand to those at the
    others.

    `laid`: the gestures of each act that stands already, of a session taken up again; they lie on
    the table. `entered` counts the seen actions that had to be entered by hand after all: 0 in an
    evening that the camera read without a miss. `settled` counts the questions in which readers
    contradicted each other and the players said, truthfully, which card it is.
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
        """Take the next small step, if it is time for one. Call it often: thought, patience and
        calm take time, and hands do not say when they are done. `now` is in seconds."""
        if not self._begun:
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
        """Let hands do at a person's seat what the person has chosen
        (`SimulatedPlayers.wishes`)."""
        self._wishes.append(wish)

    def stop(self, player: str) -> None:
        """Break off what is being done for `player`, and put the cards back: the person at that
        seat may do something else."""
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
            self._players.chosen.pop(len(acts), None)
            self._start(action, now)

    def _start(self, action: PlayerAction, now: float) -> None:
        self._action, self._since = action, now
        self._hands.perform(action.gestures)

    def _of_the_simulated(self, view: View) -> View:
        """Leave out those who are all awaited for the same thing: nobody waits for them."""
        waits = view["waiting_for"]
        others = [wait for wait in waits if wait["player"] not in self.people]
        alike = len({wait["do"] for wait in waits}) == 1
        return {**view, "waiting_for": others} if others and alike else view

    def _hear(self, snapshot: Snapshot) -> None:
        """Note at once what the session has accepted: it may be taken back before the next tick."""
        self._snapshot, self._standing = snapshot, self._live.acts()
        if self._restaging is None:
            self._followed(self._standing)

    def _followed(self, acts: Sequence[Act]) -> bool:
        """Go on when the action has been accepted; tell whether that is what has happened."""
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
        """Enter the action by hand when it was only said, or the camera has missed it."""
        if self._answered(action):
            return
        if not action.seen or now - self._since >= READER_TIMEOUT:
            self.entered += action.seen
            for question in self._snapshot.questions:
                self._live.answer(question.id, None)
            if self._live.submit(action.request) is not None:  # what can be done has changed: think again
                self._restage(self._acts, now)

    def _told(self, now: float) -> bool:
        """Say which card it really is, if the readers contradict each other about one that was
        laid; tell whether they do."""
        for question in self._snapshot.questions:
            laid = self._laid_last_at(question.text.args.get("last", question.text.args.get("place")))
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

    def _laid_last_at(self, place: object) -> set[str]:
        """Return the cards that the newest action laid there which laid any; `place` in words, as
        questions name it."""
        actions = [*self.laid, *([self._action.gestures] if self._action is not None else [])]
        found = (
            {one.card for one in gestures if one.kind == "lay" and zone_words(one.zone) == place}
            for gestures in reversed(actions)
        )
        return next((cards for cards in found if cards), set())

    def _answered(self, action: PlayerAction) -> bool:
        """Answer the question that has this action among its answers (a card was played, but which
        pawn goes?), if there is one."""
        for question in self._snapshot.questions:
            for number, choice in enumerate(question.choices):
                if choice.request == action.request:
                    self._live.answer(question.id, number)
                    return True
        return False

    def _restage(self, acts: Sequence[Act], now: float) -> None:
        """Put the drawn cards to where they lie after `acts`: something was undone, redone,
        corrected or entered by hand."""
        self._hands.forget()
        before = [gesture for gestures in self.laid for gesture in gestures]
        # An action broken off may have been done by half, so its zones are laid out anew.
        disturbed = {gesture.zone for gesture in self._action.gestures} if self._action is not None else set()
        known = len(acts) <= len(self._acts) and list(acts) == self._acts[: len(acts)]
        if known or self._retrace is None:
            self.laid = [*self.laid[: len(acts)], *[()] * (len(acts) - len(self.laid))]
        else:
            self.laid = self._retrace(acts)
        self._acts, self._action = list(acts), None
        self._wishes.clear()
        after = [gesture for gestures in self.laid for gesture in gestures]
        gestures = put_right(before, after, disturbed)
        if gestures or self._snapshot.moves:
            self._live.hold()
            self._restaging = now
            self._hands.perform(gestures)

    def _put_right(self, now: float) -> None:
        """Wait until the cards lie right and are seen there, then say so; a step begins it anew."""
        assert self._restaging is not None
        acts = self._standing
        if len(acts) != len(self._acts) or acts != self._acts:
            self._restaging = None
            return
        self._live.hold()
        if not self._hands.idle:
            self._since = now
            return
        # A camera that is still starting has nothing to make out, and looks calm.
        starting = any(health.state == "starting" for health in self._snapshot.health)
        calm = min(self._live.calm_for(now), now - self._since)
        if (calm >= CALM and not starting) or now - max(self._since, self._restaging) >= LONGEST:
            self._restaging, self._since = None, now
            self._live.confirm_moves()
