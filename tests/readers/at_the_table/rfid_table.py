"""A table of Donkey Valley with a card reader at the level of events: no device, no thread, a clock
of its own."""

from __future__ import annotations

from companion.demo.later import stickered
from companion.evening.card_readers import join
from companion.live.live import Live
from companion.plan import Plan, set_up
from companion.readers.rfid.board import BoardReader
from companion.readers.rfid.frames import Light
from companion.rules.contract import Text
from companion.table.decks import Deck
from companion.table.pads import usual
from companion.table.sightings import Health, Press, Sighting
from companion.table.table import Table

DECK = stickered(Deck.builtin("donkey_valley"))
PADS = usual(2, face_down=True)


class FakePort:
    """What a board reader asks of its port: it notes lights and tunes."""

    def __init__(self):
        self.lights: list[tuple[str, Light]] = []
        self.tunes: list[object] = []

    def light(self, pad, light):
        self.lights.append((pad, light))

    def buzz(self, tune):
        self.tunes.append(tune)

    def close(self):
        pass


class RfidTable:
    """Ann, Ben and Cleo at two boards."""

    def __init__(self, journal=None, post=None):
        game, setup = set_up(Plan("donkey_valley", ("Ann", "Ben", "Cleo"), seed=1))
        colours = {colour: seat for seat, colour in enumerate(DECK.colours[:3], 1)}
        self.now = 100.0
        self.live = Live(
            game,
            setup,
            table=Table(DECK, colours, PADS, back_known=True),
            journal=journal,
            cards=tuple(DECK.cards),
            now=self.now,
        )
        self.boards = [BoardReader(number, "nowhere", DECK.design_of_tag, PADS) for number in (1, 2)]
        self.ports = [FakePort(), FakePort()]
        for board, port in zip(self.boards, self.ports, strict=True):
            board._reader = port
            board._post = post or self.live.post
        join(self.live, self.boards)
        self._track = 0

    def put(self, pad, design, board=1):
        """Lay a card on a pad; return its track."""
        self._track += 1
        reader = self.boards[board - 1]
        where, face = reader._place(pad)
        reader.hear(Sighting(reader.name, self._track, design, where, self.now, face, sense="tag"))
        return self._track

    def take(self, pad, track, board=1):
        reader = self.boards[board - 1]
        where, face = reader._place(pad)
        reader.hear(Sighting(reader.name, track, None, where, self.now, face, present=False, sense="tag"))

    def tap(self, pad, design):
        self.take(pad, self.put(pad, design))
        self.later(0.1)

    def press(self, seat, button, board=1):
        reader = self.boards[board - 1]
        reader.hear(Press(reader.name, seat, button, self.now))
        self.later(0.1)

    def health(self, state, board=1):
        reader = self.boards[board - 1]
        reader.hear(Health(reader.name, state, Text("reader.rfid.ok"), self.now))

    def camera(self, design, zone, track=1):
        """Let the camera see a card turned up."""
        self.live.post(Health("camera", "ok", Text("reader.camera.ok"), self.now, sense="camera"))
        self.live.post(Sighting("camera", track, design, zone, self.now))

    def later(self, seconds=1.0):
        until = self.now + seconds
        while self.now < until:
            self.now = min(self.now + 0.05, until)
            self.live.tick(self.now)

    @property
    def phase(self):
        return self.live.snapshot().view["phase"]
