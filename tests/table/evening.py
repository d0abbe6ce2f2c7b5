from __future__ import annotations

from dataclasses import dataclass, field

from companion.rules.contract import Text
from companion.table.decks import Deck, Design
from companion.table.identification import Pad
from companion.table.sightings import Health, Sighting
from companion.table.table import Table

LOADS = [Design(f"load:{c}:{v}", f"load:{c}:{v}") for c in ("red", "blue", "green") for v in range(1, 11)]
DECK = Deck(
    "toy",
    "donkey_valley",
    (
        *LOADS,
        Design("donkey:giant", "donkey:giant", 2),
        Design("donkey:lost", "donkey:lost"),
        Design("contract:red:accept", "contract:red:accept"),
        Design("summary", None),
    ),
    "colour",
)
WITH_BACK = Deck("toy", "donkey_valley", (*DECK.designs, Design("back", None)), "colour")
PADS = {
    "pad 1": Pad("seat:1"),
    "under 1": Pad("seat:1", face_down=True),
    "under 2": Pad("seat:2", face_down=True),
}


def sense(reader):
    return "tag" if reader.startswith("rfid") else "camera"


@dataclass
class Evening:
    """A table, its clock and short words for what readers say."""

    deck: Deck = DECK
    now: float = 100.0
    table: Table = field(init=False)

    def __post_init__(self):
        self.table = Table(self.deck, {"red": 1, "blue": 2}, PADS)

    def sees(self, design, where, track=1, reader="camera", **more):
        self.table.add_report(Sighting(reader, track, design, where, self.now, sense=sense(reader), **more))
        return self

    def gone(self, track=1, reader="camera", where=""):
        self.table.add_report(
            Sighting(reader, track, None, where, self.now, present=False, sense=sense(reader))
        )
        return self

    def later(self, seconds=1.0):
        self.now = round(self.now + seconds, 3)
        return self

    def health(self, state, reader="camera"):
        self.table.add_report(Health(reader, state, Text("x"), self.now, sense=sense(reader)))
        return self

    def claims(self):
        self.table.update(self.now)
        claims = self.table.list_claims(self.now)
        self.table.mark_offered(claims)
        return claims

    def lying(self):
        return [(claim.what, claim.zone) for claim in self.claims()]

    def use_all(self):
        self.table.mark_used([claim.id for claim in self.claims()])
        return self

    def unsure(self):
        self.table.update(self.now)
        return tuple(one for one in self.table.list_questions(self.now) if not one.about)

    def hints(self):
        self.table.update(self.now)
        return [hint.code for hint in self.table.list_hints(self.now)]

    def disputes(self):
        self.table.update(self.now)
        return tuple(one for one in self.table.list_questions(self.now) if one.about)
