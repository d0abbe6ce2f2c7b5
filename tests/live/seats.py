"""A toy evening at a real table: cards are seen by a reader that needs no debouncing, and time is a
number."""

from __future__ import annotations

import itertools

from companion.journal.journal import Journal
from companion.live.live_session import LiveSession
from companion.rules.contract import Text
from companion.table.decks import Deck, Design
from companion.table.identification import Pad
from companion.table.sightings import Health, Press, Sighting
from companion.table.table import Table
from tests.toy import TOY, toy_setup

CARDS = tuple(f"toy:{value}" for value in range(1, 10))
DECK = Deck("toy", "toy", tuple(Design(card, card, 4) for card in CARDS), "seat")
UNDER = {f"under {seat}": Pad(f"seat:{seat}", face_down=True) for seat in range(1, 5)}


class Seats:
    """The live session and what happens at the table. `under`: the reader under each seat reads
    face-down cards."""

    def __init__(
        self, *players, journal=None, clock=None, kept=None, deck=DECK, game=TOY, rounds=3, setup=None
    ):
        self.now = 100.0
        self.setup = kept.setup if kept else setup or toy_setup(*players, rounds=rounds)
        self.table = Table(deck, {}, UNDER)
        self.journal = journal or Journal()
        self.live = LiveSession(
            game,
            self.setup,
            table=self.table,
            journal=self.journal,
            cards=tuple(deck.card_counts),
            clock=clock,
            now=self.now,
            saved=kept,
        )
        self._tracks = itertools.count(1)

    def lay(self, seat, card=None, *, under=False, reader="camera", face="up", **more):
        """Put a card down (None: its back) and return the reader's track of it."""
        track = next(self._tracks)
        where = f"under {seat}" if under else f"seat:{seat}"
        reader = "rfid" if under else reader
        face = "down" if under else face
        self.live.post_report(
            Sighting(
                reader, track, card, where, self.now, face=face, sense="tag" if under else "camera", **more
            )
        )
        return reader, track, where

    def take(self, lying):
        reader, track, where = lying
        self.live.post_report(Sighting(reader, track, None, where, self.now, present=False))

    def press(self, seat, button="accept"):
        self.live.post_report(Press("box", seat, button, self.now))

    def well(self):
        self.live.post_report(Health("camera", "ok", Text("reader.ok"), self.now))

    def ill(self):
        self.live.post_report(Health("camera", "lost", Text("reader.lost"), self.now))

    def later(self, seconds=1.0):
        """Let time go by in steps, as the screen's timer does; return the snapshot."""
        for _ in range(int(seconds / 0.1)):
            self.now = round(self.now + 0.1, 3)
            self.live.tick(self.now)
        return self.live.snapshot()

    def round(self, *values):
        """Play one round with real cards and take them away; return the snapshot."""
        lying = []
        for seat, _ in enumerate(values, 1):
            lying.append(self.lay(seat))
        self.later()
        for card in lying:
            self.take(card)
        lying = [self.lay(seat, f"toy:{value}") for seat, value in enumerate(values, 1)]
        self.later()
        for card in lying:
            self.take(card)
        return self.later()

    @property
    def phase(self):
        return self.live.snapshot().view["phase"]

    @property
    def points(self):
        return [row["points"] for row in self.live.snapshot().view["players"]]


def says(snapshot):
    return [(line.act, line.text.code, line.stands) for line in snapshot.log]
