"""A reader board that is not there: the real firmware in simavr, as a reader of the table that anyone can lay cards on.

`VirtualBoard` is what `companion play --reader simulated` plays with: the cards of a deck get invented tags, a card is laid on
a pad by its design, and what the table hears of it has come through firmware, pseudo-terminal, pyserial and wire parser.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Mapping

from companion.readers.rfid.events import TagId
from companion.readers.rfid.ports import pads_of
from companion.readers.rfid.problems import ReaderProblem
from companion.readers.rfid.reader import RfidTableReader
from companion.readers.rfid.simulator import SimulatedBoard
from companion.readers.rfid.wire import Light
from companion.rules.contract import Text
from companion.table.decks import Deck
from companion.table.sightings import Health, Post

_KINDS = {"mega2560": (1, 7), "nano": (2, 3)}


def invented_tag(design: str, copy: int) -> TagId:
    """Return the tag of the `copy`-th card (from 0) of a design: the same one each time, of NXP's shape."""
    digest = hashlib.sha256(f"{design}/{copy}".encode()).digest()
    return TagId(bytes([0x04, digest[0], digest[1], digest[2] & 0x7F, *digest[3:5], 0x80]))


def with_invented_tags(deck: Deck) -> tuple[Deck, dict[str, list[TagId]]]:
    """Give every card of a deck a tag of its own, beside those that it has; return the deck and the tags by design."""
    tags: dict[str, list[TagId]] = {}
    for design in deck.designs:
        tags[design.name] = [invented_tag(design.name, copy) for copy in range(design.copies)]
        for tag in tags[design.name]:
            deck = deck.with_tag(design.name, tag.hex())
    return deck, tags


class VirtualBoard:
    """A simulated board with a deck's cards at hand. `start` returns at once; pads can be used when `ready`.

    All calls may come from any thread; `put`, `take` and `click` last about a millisecond.
    """

    def __init__(self, deck: Deck, kind: str = "mega2560", name: str = "rfid simulated") -> None:
        self.name = name
        self.deck, self._tags = with_invented_tags(deck)
        self.pads = pads_of(*_KINDS[kind])
        self._board = SimulatedBoard(kind)
        self._reader: RfidTableReader | None = None
        self._lying: dict[str, list[tuple[str, TagId]]] = {pad: [] for pad in self.pads}
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._starter: threading.Thread | None = None
        self.ready = threading.Event()

    def start(self, post: Post) -> None:
        """Begin to report to `post`. The simulator is built first when it has to be, which takes a while: health says so."""
        post(Health(self.name, "starting", Text("reader.simulator_starting"), time.monotonic()))
        self._starter = threading.Thread(target=self._start, args=(post,), name=self.name, daemon=True)
        self._starter.start()

    def close(self) -> None:
        """End the simulation, and return when its port and its process are gone."""
        self._closing.set()
        if self._starter is not None:
            self._starter.join()
        if self._reader is not None:
            self._reader.close()
        self.ready.clear()
        self._board.close()

    def put(self, pad: str, design: str) -> bool:
        """Lay a card of that design on a pad; False if none of its copies is at hand, or the board is not ready."""
        with self._lock:
            out = {tag for cards in self._lying.values() for _, tag in cards}
            free = next((tag for tag in self._tags.get(design, ()) if tag not in out), None)
            if free is None or pad not in self._lying or not self.ready.is_set():
                return False
            self._board.put(pad, free)
            self._lying[pad].append((design, free))
            return True

    def take(self, pad: str, design: str | None = None) -> bool:
        """Take a card of that design, or all cards (None), from a pad; False if there is none."""
        with self._lock:
            there = self._lying.get(pad, [])
            gone = there[:] if design is None else [card for card in there if card[0] == design][:1]
            if not gone or not self.ready.is_set():
                return False
            self._board.take(pad, *(tag for _, tag in gone))
            self._lying[pad] = [card for card in there if card not in gone]
            return True

    def click(self, seat: int, key: str) -> bool:
        """Press a seat's `accept` or `refuse` for a tenth of a second; False if the board is not ready."""
        if not self.ready.is_set():
            return False
        self._board.command("click", seat, key)
        return True

    def lying(self, pad: str) -> int:
        """Return how many cards lie on a pad. Which ones is the players' business: they may lie face down."""
        return len(self._lying.get(pad, ()))

    @property
    def lights(self) -> Mapping[str, str]:
        """What the lights show, `#rrggbb` by pad name."""
        return dict(zip(self.pads, self._board.lights, strict=False))

    @property
    def tone(self) -> int:
        """What the buzzer plays, in hertz; 0 is silence."""
        return self._board.tone

    def accepted(self, pad: str) -> None:
        """Show at a pad that the program has taken its card."""
        if self._reader is not None:
            self._reader.accepted(pad)

    def light(self, pad: str | None, light: Light) -> None:
        """Set the light of a pad, or all lights (None)."""
        if self._reader is not None:
            self._reader.light(pad, light)

    def _start(self, post: Post) -> None:
        try:
            self._board.start()
        except ReaderProblem as problem:
            post(Health(self.name, "lost", problem.text, time.monotonic()))
            return
        if self._closing.is_set():
            return
        self._reader = RfidTableReader(self._board.port, self.deck.design_of_tag, self.name)
        self._reader.start(post)
        self.ready.set()
