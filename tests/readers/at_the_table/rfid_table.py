"""A table of Donkey Valley with a card reader at the level of events: no device, no thread, a clock
of its own."""

from __future__ import annotations

from companion.demo.deferred_table import assign_tags
from companion.evening.card_readers import connect_readers
from companion.live.live_session import LiveSession
from companion.plan import Plan, prepare_setup
from companion.readers.rfid.events import (
    PAD_NAMES,
    ButtonEvent,
    CardArrived,
    CardLeft,
    Connected,
    Identity,
    TagId,
)
from companion.rules.contract import Text
from companion.table.decks import Deck
from companion.table.pad_plan import make_default_pads
from companion.table.sightings import Health, Sighting
from companion.table.table import Table
from tests.readers.noted_board import NotedBoard

IDENTITY = Identity(board=1, firmware=(1, 0, 0), boot=5, cause=1, capabilities=15, seats=6, pads=7)
DECK = assign_tags(Deck.load_builtin("donkey_valley"))
PADS = make_default_pads(2, face_down=True)


class RfidTable:
    """Ann, Ben and Cleo at two boards."""

    def __init__(self, journal=None, post=None):
        game, setup = prepare_setup(Plan("donkey_valley", ("Ann", "Ben", "Cleo"), seed=1))
        colours = {colour: seat for seat, colour in enumerate(DECK.owner_colours[:3], 1)}
        self.now = 100.0
        self.live = LiveSession(
            game,
            setup,
            table=Table(DECK, colours, PADS, back_known=True),
            journal=journal,
            cards=tuple(DECK.card_counts),
            now=self.now,
        )
        self.boards = [NotedBoard(DECK.find_design_by_tag, number, PADS) for number in (1, 2)]
        for board in self.boards:
            board.pads = PAD_NAMES[1]
            board.attach(post or self.live.post_report)
        connect_readers(self.live, self.boards)
        self._used = set()

    def put(self, pad, design, board=1):
        """Lay a card on a pad; return its tag."""
        found = DECK.find_design(design) if design else None
        tags = (TagId.from_hex(one) for one in (found.tags if found else ["04" + "ee" * 6]))
        tag = next(one for one in tags if one not in self._used)
        self._used.add(tag)
        reader = self.boards[board - 1]
        reader.handle_event(CardArrived(reader.pads.index(pad), tag, 0, self.now))
        return tag

    def take(self, pad, tag, board=1):
        self._used.discard(tag)
        reader = self.boards[board - 1]
        reader.handle_event(CardLeft(reader.pads.index(pad), tag, 0, self.now))

    def tap(self, pad, design):
        self.take(pad, self.put(pad, design))
        self.later(0.1)

    def press(self, seat, button, board=1):
        self.boards[board - 1].handle_event(ButtonEvent(seat, button, True, 0, self.now))
        self.later(0.1)

    def health(self, state, board=1):
        reader = self.boards[board - 1]
        if state == "ok":
            reader.handle_event(Connected(IDENTITY, True, self.now))
        else:
            reader.report_health(state, Text("reader.rfid.silent"), at=self.now)

    def camera(self, design, zone, track=1):
        """Let the camera see a card turned up."""
        self.live.post_report(Health("camera", "ok", Text("reader.camera.ok"), self.now, sense="camera"))
        self.live.post_report(Sighting("camera", track, design, zone, self.now))

    def later(self, seconds=1.0):
        until = self.now + seconds
        while self.now < until:
            self.now = min(self.now + 0.05, until)
            self.live.tick(self.now)

    @property
    def phase(self):
        return self.live.snapshot().view["phase"]
