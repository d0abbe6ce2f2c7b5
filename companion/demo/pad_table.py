"""What a gesture amounts to at the pads of a board, and what lies on them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from companion.demo.deeds import Deed
from companion.demo.scene.world import Gesture
from companion.table.identification import Pad

BUTTONS = ("accept", "refuse")


class Act(NamedTuple):
    """One thing done at the board. `where`: the pad's name, or the seat's number for a button;
    `what`: the design, or the button."""

    do: Literal["put", "take", "press"]
    where: str
    what: str


class PadTable:
    """Which designs lie on which pads of one board, and what a gesture amounts to there.

    `pads`: zone to the pad that reads it. `alone`: there is no camera, so every card that is turned
    up is shown to the middle.
    """

    def __init__(self, pads: Mapping[str, tuple[str, Pad]], *, alone: bool) -> None:
        self._pads = dict(pads)
        self.alone = alone
        self.lying: dict[str, list[str]] = {name: [] for name, _ in self._pads.values()}

    def acts(self, gesture: Gesture) -> list[Act]:
        """Return what the hand does, and note it; nothing when the gesture does not touch a pad."""
        acts = self._acts(gesture)
        for act in acts:
            if act.do == "put":
                self.lying[act.where].append(act.what)
            elif act.do == "take" and act.what in self.lying[act.where]:
                self.lying[act.where].remove(act.what)
        return acts

    def seen(self, deed: Deed) -> bool:
        """Tell whether the pads alone can tell what this deed is. A card that changes seats face up
        can not be told from one laid down."""
        taken = {(gesture.card) for gesture in deed.gestures if gesture.kind == "take"}
        for gesture in deed.gestures:
            pad = self._pads.get(gesture.zone)
            if gesture.kind not in ("lay", "turn"):
                continue
            shown = gesture.kind == "turn" or gesture.face == "up"
            if pad is None or (shown and pad[1].face_down and gesture.card in taken):
                return False
            if not shown and not pad[1].face_down:
                return False
        return deed.seen

    def _acts(self, gesture: Gesture) -> list[Act]:
        kind, zone, card = gesture.kind, gesture.zone, gesture.card
        if kind == "press":
            return [Act("press", zone.partition(":")[2], card)]
        found = self._pads.get(zone)
        if found is None:
            return []
        name, pad = found
        button = card.rpartition(":")[2]
        if kind == "clear":
            return [Act("take", name, one) for one in self.lying[name]]
        if kind == "take":
            return [Act("take", name, card)] if card in self.lying[name] else []
        if kind == "turn":
            away = [Act("take", name, card)] if card in self.lying[name] and self.alone else []
            return [*away, *self._shown(name, pad, card)] if pad.face_down else [Act("put", name, card)]
        if button in BUTTONS and zone.startswith("seat:"):  # a contract has two faces and no sticker
            return [Act("press", zone.partition(":")[2], button)] if self.alone else []
        if gesture.face == "down":
            return [Act("put", name, card)] if pad.face_down else []
        return self._shown(name, pad, card)

    def _shown(self, name: str, pad: Pad, card: str) -> list[Act]:
        """A card is turned up: it lies on an open pad; where the seat's cards lie face down it is
        shown to the middle, or to the camera."""
        if not pad.face_down:
            return [Act("put", name, card)]
        middle = self._pads.get("middle")
        if not self.alone or middle is None:
            return []
        return [Act("put", middle[0], card), Act("take", middle[0], card)]
