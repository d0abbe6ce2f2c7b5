"""Players' hands at the simulated card reader: gestures as tags that come and go on the pads, and
buttons that are pressed.

A pad tells no face, so with the reader alone people show a card that they turn up to the open pad
in the middle, decide by their buttons, and say aloud what the pads cannot tell. With a camera above
the table they just turn it up: the camera sees that.
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
from companion.readers.rfid.simulator import VirtualBoard
from companion.rules.acts import Act
from companion.rules.claims import CardId, ZoneId
from companion.rules.contract import Choice, Request, View
from companion.table.decks import Deck
from companion.table.identification import Pad

BUTTONS = ("accept", "refuse")


class PadAction(NamedTuple):
    """One thing done at the board: at the pad of that name, or at the buttons of `seat`; `what`:
    the design, or the button."""

    do: Literal["put", "take", "press"]
    where: str
    what: str
    seat: int = 0


class PadTable:
    """Which designs lie on which pads of one board, and what a gesture amounts to there.

    `pads`: zone to the pad that reads it. `alone`: there is no camera, so every card that is turned
    up is shown to the middle.
    """

    def __init__(self, pads: Mapping[str, tuple[str, Pad]], *, alone: bool) -> None:
        self._pads = dict(pads)
        self.alone = alone
        self.lying: dict[str, list[str]] = {name: [] for name, _ in self._pads.values()}

    def acts(self, gesture: Gesture) -> list[PadAction]:
        """Return what the hand does, and note it; nothing when the gesture does not touch a pad."""
        acts = self._acts(gesture)
        for act in acts:
            if act.do == "put":
                self.lying[act.where].append(act.what)
            elif act.do == "take" and act.what in self.lying[act.where]:
                self.lying[act.where].remove(act.what)
        return acts

    def seen(self, action: PlayerAction) -> bool:
        """Tell whether the pads alone can tell what this action is. A card that changes seats face
        up can not be told from one laid down."""
        taken = {(gesture.card) for gesture in action.gestures if gesture.kind == "take"}
        for gesture in action.gestures:
            pad = self._pads.get(gesture.zone)
            if gesture.kind not in ("lay", "turn"):
                continue
            shown = gesture.kind == "turn" or gesture.face == "up"
            if pad is None or (shown and pad[1].face_down and gesture.card in taken):
                return False
            if not shown and not pad[1].face_down:
                return False
        return action.seen

    def _acts(self, gesture: Gesture) -> list[PadAction]:
        kind, zone, card = gesture.kind, gesture.zone, gesture.card
        if kind == "press":
            return _pressed(zone, card)
        found = self._pads.get(zone)
        if found is None:
            return []
        name, pad = found
        button = CardId.of(card).name
        if kind == "clear":
            return [PadAction("take", name, one) for one in self.lying[name]]
        if kind == "take":
            return [PadAction("take", name, card)] if card in self.lying[name] else []
        if kind == "turn":
            away = [PadAction("take", name, card)] if card in self.lying[name] and self.alone else []
            return [*away, *self._shown(name, pad, card)] if pad.face_down else [PadAction("put", name, card)]
        if button in BUTTONS and (press := _pressed(zone, button)):  # a contract has two faces, no sticker
            return press if self.alone else []
        if gesture.face == "down":
            return [PadAction("put", name, card)] if pad.face_down else []
        return self._shown(name, pad, card)

    def _shown(self, name: str, pad: Pad, card: str) -> list[PadAction]:
        """A card is turned up: it lies on an open pad; where the seat's cards lie face down it is
        shown to the middle, or to the camera."""
        if not pad.face_down:
            return [PadAction("put", name, card)]
        middle = self._pads.get("middle")
        if not self.alone or middle is None:
            return []
        return [PadAction("put", middle[0], card), PadAction("take", middle[0], card)]


def _pressed(zone: str, button: str) -> list[PadAction]:
    seat = ZoneId.of(zone).seat
    return [] if seat is None else [PadAction("press", "", button, seat)]


GESTURE = 0.9
"""Seconds that a gesture takes at speed 1."""
TAP = 0.2
"""Seconds, at any speed, for which a card that is shown lies on the pad."""
AWAY = 0.8
"""Seconds, at any speed, after which a reader has noticed that cards were taken away: it asks
several times before it believes it."""


class PadHands(Performer):
    """Performs gestures at a board, one after another, in a thread of its own.

    `deck`: has a tag for every card that is laid (`later.stickered`). `mixed_up`: at the how
    manieth card on an open pad it turns out that somebody stuck another card's sticker on it (0:
    never).
    """

    def __init__(
        self,
        board: VirtualBoard,
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
        self._board = board
        self._tags = _tags(deck)
        self._there: dict[tuple[str, str], list[TagId]] = {}
        self._laid: set[str] = set()
        self._thread = threading.Thread(target=self._run, name="hands at the pads", daemon=True)

    def start(self) -> None:
        """Let the hands begin."""
        self._thread.start()

    def close(self) -> None:
        """Let them stop; returns when they have."""
        with self._changed:
            self.ended = True
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join()

    def catch_up(self, gestures: Iterable[Gesture]) -> None:
        """Put on the pads what lies there after these gestures, without showing anything."""
        for gesture in gestures:
            self.table.acts(gesture)
        for pad, cards in self.table.lying.items():
            for card in cards:
                self._one(PadAction("put", pad, card), shown=False)

    def follow(self, gesture: Gesture) -> None:
        """Do at the pads what a hand does before the camera just now."""
        self.perform([gesture])

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self.ended or (bool(self._waiting) and self._may_go))
                if self.ended:
                    return
                gesture = self._acting = self._waiting.popleft()
                self._steps = max(self._steps - 1, 0)
            try:
                self._do(self.table.acts(gesture))
            except ReaderProblem:  # the board has ended: its reader says so
                return
            finally:
                with self._changed:
                    self._acting = None

    def _do(self, acts: Sequence[PadAction]) -> None:
        began = time.monotonic()
        for act in acts:
            self._one(act, shown=len(acts) > 1 and acts[-1].do == "take" and act.do == "put")
        if self.table.alone:
            if acts and acts[-1].do == "take" and not self._clearing():
                self._wait(AWAY)
            self._wait(GESTURE / self.speed - (time.monotonic() - began))

    def _clearing(self) -> bool:
        """Tell whether more is to be taken away at once."""
        with self._changed:
            return bool(self._waiting) and self._waiting[0].kind in ("take", "clear")

    def _one(self, act: PadAction, *, shown: bool) -> None:
        if act.do == "press":
            self._board.press(act.seat, act.what)
            self._wait(TAP)
            self._board.press(act.seat, act.what, down=False)
            return
        here = self._there.setdefault((act.where, act.what), [])
        if act.do == "take":
            if here:
                self._board.take(act.where, here.pop())
            return
        tag = self._tag(act)
        if tag is not None:
            self._board.put(act.where, tag)
            here.append(tag)
        if shown:
            self._wait(TAP)

    def _tag(self, act: PadAction) -> TagId | None:
        """Return a tag of a copy of this card that lies nowhere; once, of another of its kind."""
        names = [act.what]
        if act.where in self._open:
            self._mixed_up -= 1
            if self._mixed_up == 0:
                kind = CardId.of(act.what).kind
                others = {name for name in self._tags if CardId.of(name).kind == kind}
                names = sorted(others - self._laid - {act.what})
        self._laid.add(act.what)
        used = {tag for tags in self._there.values() for tag in tags}
        return next((tag for name in names for tag in self._tags.get(name, ()) if tag not in used), None)

    def _wait(self, seconds: float) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self.ended, max(seconds, 0.0))


def _tags(deck: Deck) -> dict[str, list[TagId]]:
    tags: dict[str, list[TagId]] = {}
    for design in deck.designs:
        for card in {design.name, design.card or design.name}:
            tags.setdefault(card, []).extend(map(TagId.from_hex, design.tags))
    return tags


class AtPads:
    """Simulated players whose cards are read by the pads alone: what these cannot tell is said
    aloud. See `actions.SimulatedPlayers`."""

    def __init__(self, players: SimulatedPlayers, table: PadTable) -> None:
        self._players = players
        self._table = table

    @property
    def chosen(self) -> dict[int, Request]:
        """What people at seats that they have taken over wished, by the number of the act."""
        return self._players.chosen

    def next(self, acts: Sequence[Act], view: View) -> PlayerAction | None:
        """Return the next action, marked as seen only where the pads can see it."""
        action = self._players.next(acts, view)
        return None if action is None else self._as_seen(action)

    def hand(self, acts: Sequence[Act], player: str) -> tuple[str, ...]:
        """Return the card ids in `player`'s hand."""
        return self._players.hand(acts, player)

    def wishes(
        self, acts: Sequence[Act], view: View, player: str, choices: Sequence[Choice]
    ) -> Sequence[Choice]:
        """List what a person at `player`'s seat may do."""
        return self._players.wishes(acts, view, player, choices)

    def action(self, acts: Sequence[Act], view: View, wish: Request) -> PlayerAction:
        """Return what a hand does for a person's wish, marked as seen only where pads see it."""
        return self._as_seen(self._players.action(acts, view, wish))

    def _as_seen(self, action: PlayerAction) -> PlayerAction:
        return msgspec.structs.replace(action, seen=self._table.seen(action))
