"""Direct the demo table: ask simulated players for actions, let hands perform them, and wait until
the camera has seen them.

The director acts where people would: it moves real (drawn) cards and presses keys, and the referee
learns nothing from it by any other way. It plays in a cycle: take the next action, perform its
gestures, wait until the session accepts the request that the camera derived from them. If the
camera misses something, the director enters the request after a timeout, as players would. When
somebody else changes the session (an undo, a correction, a manual entry), the cards no longer match
it. The director then restages the table: it computes where cards lie now and where they should lie
(`replay_gestures`), performs the gestures that lead from one to the other (`plan_corrections`), and
continues when the camera has had time to see the result. `retrace_gestures` recovers the gestures
of acts that were made before the director took over.
"""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Literal, TypeAlias

from companion.demo.actions import Gesture, PlayerAction, SimulatedPlayers, requests_match
from companion.live.live_session import LiveSession
from companion.live.snapshot import Snapshot
from companion.live.table_listener import CardIs
from companion.rules.acts import Act
from companion.rules.contract import GAME_OVER, Request, View
from companion.rules.session import Session
from companion.table.zones import describe_zone

Card: TypeAlias = "tuple[str, Literal['up', 'down']]"
"""A card id and the visible face."""


def replay_gestures(gestures: Iterable[Gesture]) -> dict[str, list[Card]]:
    """Return the cards in each zone that was touched, oldest first."""
    table: dict[str, list[Card]] = {}
    for gesture in gestures:
        cards = table.setdefault(gesture.zone, [])
        match gesture.kind:
            case "lay":
                cards.append((gesture.card, gesture.face))
            case "take":
                cards[:] = _remove_newest(cards, gesture.card)
            case "clear":
                cards.clear()
            case "turn":
                _flip_card(cards, gesture.card)
            case "press":
                pass
    return table


def plan_corrections(
    before: Iterable[Gesture], after: Iterable[Gesture], disturbed: Collection[str] = ()
) -> list[Gesture]:
    """Return the gestures that lead from the cards after `before` to the cards after `after`.

    `disturbed`: zones in which a hand was interrupted, so their content is uncertain; they are
    cleared and laid out again.
    """
    # Compared by result, not by reversing gestures: only the cards that are wrong move.
    old, new = replay_gestures(before), replay_gestures(after)
    gestures: list[Gesture] = []
    for zone in dict.fromkeys((*old, *new, *disturbed)):
        present, wanted = old.get(zone, []), new.get(zone, [])
        surplus = Counter(present) - Counter(wanted)
        turned = {card for card, _ in surplus} & {card for card, _ in Counter(wanted) - Counter(present)}
        if zone in disturbed or turned or (surplus and not wanted):
            gestures += [Gesture("clear", zone), *_make_lay_gestures(zone, wanted)]
        else:
            gestures += [Gesture("take", zone, card) for card, _ in surplus.elements()]
            gestures += _make_lay_gestures(zone, list((Counter(wanted) - Counter(present)).elements()))
    return gestures


def retrace_gestures(
    players: SimulatedPlayers, session: Session, acts: Iterable[Act]
) -> list[tuple[Gesture, ...]]:
    """Return the gestures of each of these acts, by asking the players again; `session`: a new one.

    An act that differs from what the players would have done, but was made by the table itself (a
    donkey with another one's sticker), was still performed by hands.
    """
    laid: list[tuple[Gesture, ...]] = []
    for number, act in enumerate(acts):
        action = _find_action(players, number, session)
        if action is None or not requests_match(action.request, act.request):
            of_the_table = getattr(act.request, "player", None) is None
            action = (
                players.plan_action(session.list_acts(), session.view(), act.request)
                if of_the_table
                else None
            )
        laid.append(() if action is None else action.gestures)
        session.act(act.request)
    return laid


def _find_action(players: SimulatedPlayers, number: int, session: Session) -> PlayerAction | None:
    acts, view = session.list_acts(), session.view()
    wish = players.human_requests.get(number)
    return players.next_action(acts, view) if wish is None else players.plan_action(acts, view, wish)


def _make_lay_gestures(zone: str, cards: Sequence[Card]) -> list[Gesture]:
    return [Gesture("lay", zone, card, face) for card, face in cards]


def _remove_newest(cards: Sequence[Card], name: str) -> list[Card]:
    """Remove the newest card with this name ("": the newest card)."""
    place = _find_newest(cards, name)
    return [card for number, card in enumerate(cards) if number != place]


def _flip_card(cards: list[Card], name: str) -> None:
    """Turn over the card with this name; of equal cards, a face-down one."""
    down = next((number for number, card in enumerate(cards) if card == (name, "down")), None)
    place = _find_newest(cards, name) if down is None else down
    if place is not None:
        card, face = cards[place]
        cards[place] = (card, "up" if face == "down" else "down")


def _find_newest(cards: Sequence[Card], name: str) -> int | None:
    places = [number for number, (card, _) in enumerate(cards) if name in ("", card)]
    return places[-1] if places else None


READER_TIMEOUT = 6.0
"""Seconds for the camera to see an action before it is entered manually, as players do."""
THINKING_TIME = 3.0
"""Seconds, at speed 1, before people say which card it really is."""
ACTION_PAUSE = 0.8
"""Seconds between two actions, at speed 1, so that viewers can follow."""
RESTAGING_DEBOUNCE = 1.0
"""Seconds without movement after which restaged cards count as seen in place."""
LONGEST_RESTAGING_WAIT = 20.0
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
        self._pending: deque[Gesture] = deque()
        self._current: Gesture | None = None
        self._changed = threading.Condition()

    def perform(self, gestures: Iterable[Gesture]) -> None:
        """Add gestures to the queue."""
        with self._changed:
            self._pending.extend(gestures)
            self._changed.notify_all()

    def drop_pending(self) -> None:
        """Drop the gestures that have not begun: a person has taken over, or something was
        undone."""
        with self._changed:
            self._pending.clear()

    @property
    def is_idle(self) -> bool:
        """Whether no gestures are left and the hands are gone."""
        with self._changed:
            return self._current is None and not self._pending

    @property
    def is_stepping(self) -> bool:
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
    def _can_act(self) -> bool:
        """Whether the hands may begin the next gesture, or continue the current one."""
        return not self.paused or self._steps > 0


class Director:
    """Plays all seats that no person has taken over (`people`), and performs the choices of those
    people.

    `gestures_by_act`: the gestures of the acts of a resumed session; their cards are on the table.
    `manual_entries`: number of visible actions that had to be entered manually; 0 if the camera
    missed nothing. `answered_conflicts`: number of questions about contradicting readers that the
    players answered, truthfully.
    """

    def __init__(
        self,
        live: LiveSession,
        players: SimulatedPlayers,
        hands: Performer,
        laid: Sequence[tuple[Gesture, ...]] = (),
        retrace: Retrace | None = None,
    ) -> None:
        self._live = live
        self._players = players
        self._hands = hands
        self._retrace = retrace
        self.gestures_by_act = list(laid)
        self._acts = list(live.list_acts())
        # `_acts` is what the cards show, `_standing` what the session holds.
        self._standing = live.list_acts()
        self._snapshot = live.snapshot()
        live.subscribe(self._on_snapshot)
        self._action: PlayerAction | None = None
        self._queued_requests: deque[Request] = deque()
        self._since = 0.0
        self._rearranging_since: float | None = None
        self._has_begun = not laid
        self._pending_answer: tuple[int, float] | None = None
        self.people: set[str] = set()
        self.manual_entries = 0
        self.answered_conflicts = 0

    def tick(self, now: float) -> None:
        """Take the next small step if it is due. Call it often: pauses and timeouts pass between
        calls, and hands do not report when they are done. `now`: in seconds."""
        if not self._has_begun:
            # A resumed session: its cards are on the table already, but the camera has to see them
            # before the first action.
            self._has_begun, self._rearranging_since = True, now
        if self._rearranging_since is not None:
            self._finish_rearranging(now)
            return
        acts = self._standing
        self._check_accepted(acts)
        # First what somebody else has changed: an action on top of it would move cards that lie
        # wrong.
        if acts != self._acts or self._snapshot.moves:
            self._rearrange_cards(acts, now)
        # Patience counts from the moment at which the hands are away: before, they cover the card.
        elif not self._hands.is_idle:
            self._since = now
        elif self._answer_conflict(now):
            return
        elif self._action is not None:
            self._await_action(self._action, now)
        elif (
            self._snapshot.view["phase"] != GAME_OVER
            and now - self._since >= ACTION_PAUSE / self._hands.speed
        ):
            self._start_next_action(acts, now)

    def queue_request(self, request: Request) -> None:
        """Perform a person's choice at their seat (one of
        `SimulatedPlayers.list_playable_choices`)."""
        self._queued_requests.append(request)

    def cancel_action(self, player: str) -> None:
        """Cancel the action being performed for `player` and put the cards back, so that the person
        at that seat can choose another."""
        if self._action is not None and self._action.player == player and self._rearranging_since is None:
            self._rearrange_cards(self._acts, self._since)

    def _start_next_action(self, acts: Sequence[Act], now: float) -> None:
        view = self._snapshot.view
        if self._queued_requests:
            wish = self._queued_requests.popleft()
            # Kept by the number of the act, so that the table can be rebuilt as people played it.
            self._players.human_requests[len(acts)] = wish
            self._perform_action(self._players.plan_action(acts, view, wish), now)
            return
        action = self._players.next_action(acts, self._limit_to_simulated(view))
        if action is not None and action.player not in self.people:
            # A choice left over from an act that was undone must not be replayed for this one.
            self._players.human_requests.pop(len(acts), None)
            self._perform_action(action, now)

    def _perform_action(self, action: PlayerAction, now: float) -> None:
        self._action, self._since = action, now
        self._hands.perform(action.gestures)

    def _limit_to_simulated(self, view: View) -> View:
        """Remove people from the view's waiting list if everyone on it is awaited for the same
        thing: nobody has to wait for them."""
        waits = view["waiting_for"]
        others = [wait for wait in waits if wait["player"] not in self.people]
        alike = len({wait["do"] for wait in waits}) == 1
        return {**view, "waiting_for": others} if others and alike else view

    def _on_snapshot(self, snapshot: Snapshot) -> None:
        """Record at once what the session has accepted: it may be undone before the next tick."""
        self._snapshot, self._standing = snapshot, self._live.list_acts()
        if self._rearranging_since is None:
            self._check_accepted(self._standing)

    def _check_accepted(self, acts: Sequence[Act]) -> bool:
        """Continue if the session has accepted the current action; return whether it has."""
        if self._action is None or len(acts) <= len(self._acts):
            return False
        act = acts[len(self._acts)]
        if not requests_match(act.request, self._action.request):
            return False
        self.gestures_by_act.append(self._action.gestures)
        self._acts.append(act)
        self._action = None
        return True

    def _await_action(self, action: PlayerAction, now: float) -> None:
        """Enter the action manually if it is only said aloud, or if the camera has missed it."""
        if self._answer_question(action):
            return
        if not action.seen_by_readers or now - self._since >= READER_TIMEOUT:
            # An action that is only said aloud is always entered this way, so it is not counted.
            self.manual_entries += action.seen_by_readers
            for question in self._snapshot.questions:
                # Set aside first: a question about this action is settled by entering it.
                self._live.answer_question(question.id, None)
            # `submit_request` returns the reason for a refusal.
            if self._live.submit_request(action.request) is not None:  # no longer possible: choose again
                self._rearrange_cards(self._acts, now)

    def _answer_conflict(self, now: float) -> bool:
        """Say which card was really laid, if readers contradict each other about it; return whether
        they do."""
        for question in self._snapshot.questions:
            laid = self._find_last_laid(question.text.args.get("last", question.text.args.get("place")))
            for number, choice in enumerate(question.choices):
                if isinstance(choice.request, CardIs) and choice.request.card in laid:
                    if self._pending_answer is None or self._pending_answer[0] != question.id:
                        # The time to think begins when the question is first seen.
                        self._pending_answer = (question.id, now)
                    if now - self._pending_answer[1] >= THINKING_TIME / self._hands.speed:
                        self.answered_conflicts += 1
                        self._live.answer_question(question.id, number)
                        self._since = now
                    return True
        return False

    def _find_last_laid(self, place: object) -> set[str]:
        """Return the cards of the newest action that laid any there; `place` in words, as in
        questions."""
        actions = [*self.gestures_by_act, *([self._action.gestures] if self._action is not None else [])]
        found = (
            {one.card for one in gestures if one.kind == "lay" and describe_zone(one.zone) == place}
            for gestures in reversed(actions)
        )
        return next((cards for cards in found if cards), set())

    def _answer_question(self, action: PlayerAction) -> bool:
        """Answer a question that offers this action (a card was played, but which pawn goes?), if
        there is one."""
        for question in self._snapshot.questions:
            for number, choice in enumerate(question.choices):
                if choice.request == action.request:
                    self._live.answer_question(question.id, number)
                    return True
        return False

    def _rearrange_cards(self, acts: Sequence[Act], now: float) -> None:
        """Move the drawn cards to where they belong after `acts`: something was undone,
        redone, corrected or entered manually."""
        self._hands.drop_pending()
        before = [gesture for gestures in self.gestures_by_act for gesture in gestures]
        # An interrupted action may be half done, so its zones are laid out again.
        disturbed = {gesture.zone for gesture in self._action.gestures} if self._action is not None else set()
        # Only undone: the earlier gestures are known, and nothing has to be asked again.
        known = len(acts) <= len(self._acts) and list(acts) == self._acts[: len(acts)]
        if known or self._retrace is None:
            self.gestures_by_act = [
                *self.gestures_by_act[: len(acts)],
                *[()] * (len(acts) - len(self.gestures_by_act)),
            ]
        else:
            self.gestures_by_act = self._retrace(acts)
        self._acts, self._action = list(acts), None
        # Choices were made for the state before: they may no longer be possible.
        self._queued_requests.clear()
        after = [gesture for gestures in self.gestures_by_act for gesture in gestures]
        gestures = plan_corrections(before, after, disturbed)
        # Held, so that cards being put back are not taken for the next play.
        if gestures or self._snapshot.moves:
            self._live.hold_play()
            self._rearranging_since = now
            self._hands.perform(gestures)

    def _finish_rearranging(self, now: float) -> None:
        """Wait until the cards are in place and have been seen there, then confirm them; an act in
        the meantime starts over."""
        assert self._rearranging_since is not None
        acts = self._standing
        if len(acts) != len(self._acts) or acts != self._acts:
            self._rearranging_since = None
            return
        self._live.hold_play()
        if not self._hands.is_idle:
            self._since = now
            return
        # A camera that is still starting sees nothing, which looks like a calm table.
        starting = any(health.state == "starting" for health in self._snapshot.health)
        # Also counted from when the hands left (`_since`), whatever the camera has noticed of them.
        calm = min(self._live.measure_idle_time(now), now - self._since)
        if (calm >= RESTAGING_DEBOUNCE and not starting) or now - max(
            self._since, self._rearranging_since
        ) >= LONGEST_RESTAGING_WAIT:
            self._rearranging_since, self._since = None, now
            self._live.confirm_moves()
