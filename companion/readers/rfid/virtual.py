"""The simulated board with a deck of its own: what people do with the mouse, what lies where."""

from __future__ import annotations

from collections.abc import Sequence

from companion.readers.rfid.events import TagId
from companion.readers.rfid.ports import PAD_NAMES
from companion.readers.rfid.simulator import SimulatedBoard
from companion.table.decks import Deck


class VirtualBoard:
    """Wraps a simulated board, so that whoever lays tags on it (a person, the demo's players) is
    seen to have laid cards of `deck`.

    `face_down`: pads at which a card that lies there is named to nobody.
    """

    def __init__(self, board: SimulatedBoard, deck: Deck, face_down: Sequence[str] = ()) -> None:
        self._board = board
        self._deck = deck
        self._face_down = frozenset(face_down)
        self._there: dict[str, list[TagId]] = {}
        self.pads: tuple[str, ...] = PAD_NAMES[1]

    @property
    def lights(self) -> Sequence[str]:
        """What each pad's light shows, `#rrggbb`."""
        return self._board.lights

    @property
    def tone(self) -> int:
        """What the buzzer plays, in hertz; 0 is silence."""
        return self._board.tone

    def put(self, pad: str | int, *tags: TagId) -> int:
        """Lay tags on a pad."""
        self._there.setdefault(str(pad), []).extend(tags)
        return self._board.put(pad, *tags)

    def take(self, pad: str | int, *tags: TagId) -> int:
        """Take tags away."""
        here = self._there.get(str(pad), [])
        self._there[str(pad)] = [tag for tag in here if tag not in tags]
        return self._board.take(pad, *tags)

    def press(self, seat: int, key: str, *, down: bool = True) -> int:
        """Press a seat's button, or let it go."""
        return self._board.press(seat, key, down=down)

    def lying(self, pad: str) -> Sequence[str | None]:
        """Name the cards on a pad, oldest first; None for each that lies face down."""
        hidden = pad in self._face_down
        return [None if hidden else self._deck.design_of_tag(tag.hex()) for tag in self._there.get(pad, ())]

    def free(self) -> Sequence[str]:
        """Name the designs of which a card is left that lies openly on no pad: what lies face down
        is not told by being missed either."""
        used = {tag.hex() for pad, tags in self._there.items() if pad not in self._face_down for tag in tags}
        return [
            one.name
            for one in self._deck.designs
            if one.tags and len(used.intersection(one.tags)) < one.copies
        ]

    def card(self, design: str) -> str:
        """Return the card id of a design; its own name where it means nothing in the game."""
        return self._deck.card(design) or design

    def lay(self, pad: str, design: str) -> None:
        """Lay a card of this design on a pad; nothing if none is left.

        Where the only one lies face down a spare tag of that design is laid: to try each card of
        the list must not tell which is missing.
        """
        used = {tag.hex() for tags in self._there.values() for tag in tags}
        found = self._deck.design(design)
        tag = next((one for one in (found.tags if found else ()) if one not in used), None)
        if tag is not None:
            self.put(pad, TagId.from_hex(tag))

    def lift(self, pad: str) -> None:
        """Take the newest card from a pad; nothing if none lies there."""
        if here := self._there.get(pad):
            self.take(pad, here[-1])
