"""An evening in which anything may happen to a few cards, as the table tells of it: what readers
say and the game does in each step, and what lies there, is asked, is hinted at and is due then.
After a change that is meant: `WRITE=1 pytest tests/table/test_evening_to_the_letter.py`, and read
the difference."""

from __future__ import annotations

import random
from pathlib import Path

from evening import DECK, WITH_BACK, Evening

from companion.rules import registry
from companion.table.sightings import ActivityReport, Press
from companion.texts import Translator
from tests.letters import compare_with_file

SAY = Translator("en", registry.load_game("donkey_valley")).translate
FILE = Path(__file__).with_name("evening.txt")
STEPS = 600
CARDS = (
    "load:red:7",
    "load:red:7",
    "load:red:1",
    "load:blue:7",
    "donkey:giant",
    "contract:red:accept",
    "back",
    None,
)
PLACES = {
    "camera": ("seat:1", "seat:2", "middle", ""),
    "top": ("seat:1", "middle"),
    "rfid a": ("pad 1", "under 1", "under 2"),
    "rfid b": ("pad 1",),
}
SPOTS = [
    tuple((x + dx, y + dy) for dx, dy in ((0, 0), (60, 0), (60, 90), (0, 90)))
    for x, y in ((0, 0), (300, 0), (1, 1))
]
WAITS = (0.1, 0.1, 0.2, 0.25, 0.5, 0.8, 1.0, 1.5, 2.5, 3.0, 4.0)


class Anything:
    """What may happen, drawn by a seed."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.evening = Evening(WITH_BACK if seed % 2 else DECK)
        self.there = {}
        self.tracks = 0

    def one(self, things):
        return self.rng.choice(list(things))

    def step(self):
        """Do something; return its words."""
        deeds = [self.sees] * 6 + [self.unsure] * 2 + [self.goes] * 4 + [self.uses, self.reader, self.busy]
        return self.one([*deeds, self.presses, self.word, self.word, self.phase, self.adopts, self.names])()

    def sees(self, **more):
        reader = self.one(PLACES)
        known = [key for key in self.there if key[0] == reader]
        if known and self.rng.random() < 0.6:
            track = self.one(known)[1]
        else:
            self.tracks += 1
            track = self.tracks
        where, design = self.one(PLACES[reader]), self.one(CARDS)
        if (reader, track) in self.there and self.rng.random() < 0.5:
            design = self.there[reader, track]
        self.there[reader, track] = design
        quad = self.one([*SPOTS, ()]) if not reader.startswith("rfid") else ()
        self.evening.sees(design, where, track, reader, quad=quad, **more)
        return f"{reader} {track} sees {design} at {where or 'nowhere'} {SPOTS.index(quad) if quad else ''} {more or ''}"

    def unsure(self):
        likely = tuple(
            self.rng.sample(["load:red:7", "load:red:1", "donkey:giant"], self.rng.choice([0, 1, 2]))
        )
        return self.sees(sure=False, candidates=likely)

    def goes(self):
        if not self.there:
            return "nothing to take"
        reader, track = self.one(self.there)
        del self.there[reader, track]
        self.evening.gone(track, reader, self.one(PLACES[reader]))
        return f"{reader} {track} goes"

    def uses(self):
        chosen = [claim.id for claim in self.evening.table.list_claims(self.evening.now)][
            : self.rng.choice([1, 9])
        ]
        self.evening.table.mark_used(chosen)
        return f"used {chosen}"

    def reader(self):
        reader, state = self.one(PLACES), self.one(["ok", "ok", "look", "lost", "off", "starting"])
        self.evening.health(state, reader)
        return f"{reader} is {state}"

    def busy(self):
        reader, busy = self.one(PLACES), self.rng.random() < 0.4
        self.evening.table.add_report(ActivityReport(reader, busy, self.evening.now))
        return f"{reader} is {'busy' if busy else 'calm'}"

    def presses(self):
        seat, button = self.rng.choice([1, 2]), self.one(["accept", "refuse"])
        self.evening.table.add_report(Press("keys", seat, button, self.evening.now))
        return f"seat {seat} presses {button}"

    def word(self):
        """The table answers what it is asked, or says what an unsure card is."""
        table = self.evening.table
        asked = [*table.list_questions(self.evening.now), *table.unsure_questions]
        if not asked:
            return f"no question {table.resolve_question(99, 'load:red:9')}"
        question, card = self.one(asked), self.one(["load:red:9", "donkey:giant", None])
        return f"{question.id} is {card}: {table.resolve_question(question.id, card)}"

    def names(self):
        claims = self.evening.table.list_claims(self.evening.now)
        if not claims:
            return "no claim to name"
        claim = self.one(claims)
        self.evening.table.correct_claim(claim.id, "load:blue:9")
        return f"claim {claim.id} is load:blue:9"

    def phase(self):
        self.evening.table.end_phase()
        return "the phase moves on"

    def adopts(self):
        if self.rng.random() < 0.7:
            seen = [self.one(self.there)] if self.there else []
            self.evening.table.mark_tracks_used(seen)
            return f"used what {seen} sees"
        self.evening.table.mark_all_used(self.evening.now - 1)
        return "what lay there a second ago is old"


def told(evening):
    """What the table says now, in one line."""
    table, now = evening.table, evening.now
    changed = table.update(now)
    claims = table.list_claims(now)
    if now % 1 < 0.6:  # not at every look is a game asked
        table.mark_offered(claims)
    lies = [
        f"{one.id}={one.what}@{one.zone}/{one.face}:{one.owner}"
        f"{[track for card in table.list_placed_cards([one.id]) for track in card.tracks]}"
        for one in claims
    ]
    asked = [
        f"{one.id} {SAY(one.text)} {one.cards} {one.about} {one.tracks}" for one in table.list_questions(now)
    ]
    hints = list(map(SAY, table.list_hints(now)))
    due = table.next_due_time(now)
    rest = {
        "lies": lies,
        "asked": asked,
        "hints": hints,
        "unsure": [table.make_hypothetical_claim(one, "load:red:9").zone for one in table.unsure_questions],
        "sealed": [len(table.seals.list_for_seat(seat)) for seat in (1, 2)],
        "health": [f"{one.reader} {one.state}" for one in table.reader_health],
        "due": None if due is None else round(due - now, 3),
        "calm": round(table.measure_idle_time(now), 3),
    }
    return changed, rest


def lines(seed):
    happens, before = Anything(seed), {}
    for _ in range(STEPS):
        what = happens.step()
        for seconds in (0.0, happens.one(WAITS)):
            happens.evening.later(seconds)
            changed, rest = told(happens.evening)
            new = {name: value for name, value in rest.items() if before.get(name) != value}
            before = rest
            if not seconds:
                yield what
            yield f"  {happens.evening.now:g} {'*' if changed else ''} {new}"


def test_an_evening_in_which_anything_happens_to_the_letter():
    found = [line for seed in (1, 2) for line in lines(seed)]
    compare_with_file(FILE, found)
