"""Perform players' gestures at the simulated card reader: tags that come and go on pads, and
buttons.

A pad cannot tell which face is up. With the reader alone, people therefore show a card that they
turn up to the open pad in the middle, decide by pressing buttons, and say aloud what the pads
cannot detect. With a camera above the table they just turn the card over, and the camera sees it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec

from companion.demo.actions import Gesture, PlayerAction, SimulatedPlayers
from companion.demo.director import Performer
from companion.readers.rfid.events import ReaderProblem, TagId
from companion.readers.rfid.simulator import VirtualTrays
from companion.rules.acts import Act
from companion.rules.claims import CardId, ZoneId
from companion.rules.contract import Choice, Request, View
from companion.table.decks import Deck
from companion.table.identification import Pad

BUTTONS = ("accept", "refuse")


class PadAction(NamedTuple):
    """One operation on the board, at the pad named `where` or at the buttons of `seat`; `what`: the
    card design or the button."""

    do: Literal["put", "take", "press"]
    where: str
    what: str
    seat: int = 0


class PadTable:
    """The designs on each pad of one board, and the translation of gestures into pad operations.

    `pads`: zone to the pad that reads it. `alone`: without a camera, so every card that is turned
    up is shown to the middle.
    """

    def __init__(self, pads: Mapping[str, tuple[str, Pad]], *, alone: bool) -> None:
        self._pads = dict(pads)
        self.alone = alone
        self.cards_by_pad: dict[str, list[str]] = {name: [] for name, _ in self._pads.values()}

    def apply_gesture(self, gesture: Gesture) -> list[PadAction]:
        """Return the operations of a gesture and record them; none if it does not touch a pad."""
        acts = self._plan_pad_actions(gesture)
        for act in acts:
            if act.do == "put":
                self.cards_by_pad[act.where].append(act.what)
            elif act.do == "take" and act.what in self.cards_by_pad[act.where]:
                self.cards_by_pad[act.where].remove(act.what)
        return acts

    def can_pads_tell(self, action: PlayerAction) -> bool:
        """Check whether the pads alone can identify this action. They cannot tell a face-up card
        that changes seats from a face-down one."""
        taken_cards = {(gesture.card) for gesture in action.gestures if gesture.kind == "take"}
        for gesture in action.gestures:
            pad = self._pads.get(gesture.zone)
            if gesture.kind not in ("lay", "turn"):
                continue
            is_face_up = gesture.kind == "turn" or gesture.face == "up"
            if pad is None or (is_face_up and pad[1].face_down and gesture.card in taken_cards):
                return False
            if not is_face_up and not pad[1].face_down:
                return False
        return action.seen_by_readers

    def _plan_pad_actions(self, gesture: Gesture) -> list[PadAction]:
        kind, zone, card = gesture.kind, gesture.zone, gesture.card
        if kind == "press":
            return _plan_press(zone, card)
        found = self._pads.get(zone)
        if found is None:
            return []
        name, pad = found
        button = CardId.from_text(card).name
        if kind == "clear":
            return [PadAction("take", name, one) for one in self.cards_by_pad[name]]
        if kind == "take":
            return [PadAction("take", name, card)] if card in self.cards_by_pad[name] else []
        if kind == "turn":
            away = [PadAction("take", name, card)] if card in self.cards_by_pad[name] and self.alone else []
            return (
                [*away, *self._plan_face_up(name, pad, card)]
                if pad.face_down
                else [PadAction("put", name, card)]
            )
        if button in BUTTONS and (press := _plan_press(zone, button)):  # a contract has two faces, no sticker
            return press if self.alone else []
        if gesture.face == "down":
            return [PadAction("put", name, card)] if pad.face_down else []
        return self._plan_face_up(name, pad, card)

    def _plan_face_up(self, name: str, pad: Pad, card: str) -> list[PadAction]:
        """Return the operations of turning up a card: it stays on an open pad; at a seat whose
        cards are face down it is shown to the middle pad, or to the camera."""
        if not pad.face_down:
            return [PadAction("put", name, card)]
        middle = self._pads.get("middle")
        if not self.alone or middle is None:
            return []
        return [PadAction("put", middle[0], card), PadAction("take", middle[0], card)]


def _plan_press(zone: str, button: str) -> list[PadAction]:
    seat = ZoneId.from_text(zone).seat
    return [] if seat is None else [PadAction("press", "", button, seat)]


GESTURE_TIME = 0.9
"""Duration of a gesture in seconds, at speed 1."""
TAP_TIME = 0.2
"""Seconds, at any speed, that a shown card stays on the pad."""
REMOVAL_TIME = 0.8
"""Seconds, at any speed, until a reader has noticed that cards were removed: it polls several times
to be sure."""


class PadHands(Performer):
    """Performs gestures at a board, one after another, in its own thread.

    `deck`: has a tag for every card that is laid (`deferred_table.assign_tags`). `mixed_up`: the
    number of the card laid on an open pad that turns out to carry another card's sticker (0: none).
    """

    def __init__(
        self,
        trays: VirtualTrays,
        deck: Deck,
        pads: Mapping[str, tuple[str, Pad]],
        *,
        alone: bool,
        speed: float = 1.0,
        mixed_up: int = 0,
    ) -> None:
        super().__init__(speed)
        self.table = PadTable(pads, alone=alone)
        self.ended = False
        self._mixed_up = mixed_up
        self._open = {name for name, pad in pads.values() if not pad.face_down}
        self._trays = trays
        self._tags = _collect_tags(deck)
        self._there: dict[tuple[str, str], list[TagId]] = {}
        self._laid: set[str] = set()
        self._thread = threading.Thread(target=self._run_gestures, name="hands at the pads", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def close(self) -> None:
        """Stop the thread and wait until it has ended."""
        with self._changed:
            self.ended = True
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join()

    def place_cards(self, gestures: Iterable[Gesture]) -> None:
        """Put on the pads the cards that lie there after these gestures, without showing any."""
        for gesture in gestures:
            self.table.apply_gesture(gesture)
        for pad, cards in self.table.cards_by_pad.items():
            for card in cards:
                self._perform_action(PadAction("put", pad, card), briefly=False)

    def follow_gesture(self, gesture: Gesture) -> None:
        """Repeat at the pads a gesture just performed in front of the camera."""
        self.perform([gesture])

    def _run_gestures(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self.ended or (bool(self._pending) and self._can_act))
                if self.ended:
                    return
                gesture = self._current = self._pending.popleft()
                self._steps = max(self._steps - 1, 0)
            try:
                self._perform_actions(self.table.apply_gesture(gesture))
            except ReaderProblem:  # the board was closed; its reader reports that
                return
            finally:
                with self._changed:
                    self._current = None

    def _perform_actions(self, actions: Sequence[PadAction]) -> None:
        # Taps take their own time at any speed; what is left of the gesture's time is waited for.
        began = time.monotonic()
        for act in actions:
            self._perform_action(
                act, briefly=len(actions) > 1 and actions[-1].do == "take" and act.do == "put"
            )
        if self.table.alone:
            if actions and actions[-1].do == "take" and not self._clears_more():
                # The next gesture must not begin before the reader believes that the card is gone.
                self._wait_for(REMOVAL_TIME)
            # With a camera the drawn hands set the pace (`follow_gesture`); alone, the pads do.
            self._wait_for(GESTURE_TIME / self.speed - (time.monotonic() - began))

    def _clears_more(self) -> bool:
        """Check whether more cards are about to be removed."""
        with self._changed:
            return bool(self._pending) and self._pending[0].kind in ("take", "clear")

    def _perform_action(self, action: PadAction, *, briefly: bool) -> None:
        if action.do == "press":
            self._trays.press_button(action.seat, action.what)
            self._wait_for(TAP_TIME)
            self._trays.press_button(action.seat, action.what, down=False)
            return
        tags = self._there.setdefault((action.where, action.what), [])
        if action.do == "take":
            if tags:
                self._trays.take_tags(action.where, tags.pop())
            return
        tag = self._choose_tag(action)
        if tag is not None:
            self._trays.put_tags(action.where, tag)
            tags.append(tag)
        if briefly:
            self._wait_for(TAP_TIME)

    def _choose_tag(self, action: PadAction) -> TagId | None:
        """Return an unused tag of this card; once (`mixed_up`), a tag of another card of its
        kind."""
        names = [action.what]
        # Only on open pads, where the camera sees the card's face and contradicts the sticker.
        if action.where in self._open:
            self._mixed_up -= 1
            if self._mixed_up == 0:
                kind = CardId.from_text(action.what).kind
                others = {name for name in self._tags if CardId.from_text(name).kind == kind}
                # Sorted, as sets have no fixed order and the demo should run the same each time.
                names = sorted(others - self._laid - {action.what})
        self._laid.add(action.what)
        # A physical card can lie in one place only.
        used = {tag for tags in self._there.values() for tag in tags}
        return next((tag for name in names for tag in self._tags.get(name, ()) if tag not in used), None)

    def _wait_for(self, seconds: float) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self.ended, max(seconds, 0.0))


def _collect_tags(deck: Deck) -> dict[str, list[TagId]]:
    tags: dict[str, list[TagId]] = {}
    for design in deck.designs:
        for card in {design.name, design.card or design.name}:
            tags.setdefault(card, []).extend(map(TagId.from_hex, design.tags))
    return tags


class PadOnlyPlayers:
    """Simulated players whose cards are read by pads alone; what pads cannot detect is said aloud.
    See `actions.SimulatedPlayers`."""

    def __init__(self, players: SimulatedPlayers, table: PadTable) -> None:
        self._players = players
        self._table = table

    @property
    def human_requests(self) -> dict[int, Request]:
        """The choices of people at seats, by the number of the act."""
        return self._players.human_requests

    def next_action(self, acts: Sequence[Act], view: View) -> PlayerAction | None:
        """Return the next action, marked as seen only if the pads can detect it."""
        action = self._players.next_action(acts, view)
        return None if action is None else self._mark_if_readable(action)

    def list_hand(self, acts: Sequence[Act], player: str) -> tuple[str, ...]:
        """Return the card ids in `player`'s hand."""
        return self._players.list_hand(acts, player)

    def list_playable_choices(
        self, acts: Sequence[Act], view: View, player: str, choices: Sequence[Choice]
    ) -> Sequence[Choice]:
        """List what a person at `player`'s seat can do."""
        return self._players.list_playable_choices(acts, view, player, choices)

    def plan_action(self, acts: Sequence[Act], view: View, wish: Request) -> PlayerAction:
        """Return the action for a person's choice, marked as seen only if the pads can detect
        it."""
        return self._mark_if_readable(self._players.plan_action(acts, view, wish))

    def _mark_if_readable(self, action: PlayerAction) -> PlayerAction:
        return msgspec.structs.replace(action, seen_by_readers=self._table.can_pads_tell(action))
