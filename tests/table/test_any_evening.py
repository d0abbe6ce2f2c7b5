"""Whatever happens on the table, in whatever order: the claims are what lies there, each card once,
and nothing that was used."""

from __future__ import annotations

from collections import Counter

from evening import DECK, Evening
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

CARDS = st.sampled_from([design.name for design in DECK.designs if design.card is not None])
ZONES = st.sampled_from(["seat:1", "seat:2", "middle", "pile"])
LONG = 5.0


class AnyEvening(RuleBasedStateMachine):
    """One camera that sees everything and never errs, and a plain list of what lies where."""

    def __init__(self):
        super().__init__()
        self.evening = Evening()
        self.lying: dict[int, tuple[str | None, str]] = {}
        self.used: set[int] = set()
        self.tracks = 0

    def show(self, track):
        what, zone = self.lying[track]
        x = 300.0 * track
        quad = ((x, 0.0), (x + 60, 0.0), (x + 60, 90.0), (x, 90.0))
        self.evening.sees(what, zone, track, quad=quad)

    @precondition(lambda self: len(self.lying) < 12)
    @rule(card=st.one_of(st.none(), CARDS), zone=ZONES)
    def lay(self, card, zone):
        copies = 2 if card == "donkey:giant" else 1
        if card is None or sum(what == card for what, _ in self.lying.values()) < copies:
            self.tracks += 1
            self.lying[self.tracks] = (card, zone)
            self.show(self.tracks)
            self.evening.later(LONG)

    @precondition(lambda self: self.lying)
    @rule(data=st.data())
    def take(self, data):
        track = data.draw(st.sampled_from(sorted(self.lying)))
        del self.lying[track]
        self.evening.gone(track).later(LONG)

    @precondition(lambda self: self.lying)
    @rule(data=st.data(), zone=ZONES)
    def move(self, data, zone):
        track = data.draw(st.sampled_from(sorted(self.lying)))
        self.lying[track] = (self.lying[track][0], zone)
        self.show(track)
        self.evening.later(LONG)

    @precondition(lambda self: self.lying)
    @rule(data=st.data())
    def cover(self, data):
        track = data.draw(st.sampled_from(sorted(self.lying)))
        self.evening.sees("load:red:1", self.lying[track][1], track, sure=False).later(1.0)
        self.show(track)
        self.evening.later(LONG)

    @rule()
    def unplug_and_plug_in(self):
        self.evening.health("lost").later(LONG)
        self.evening.claims()
        self.evening.health("ok")
        for track in self.lying:
            self.show(track)
        self.evening.later(LONG)

    @rule(count=st.integers(1, 3))
    def use(self, count):
        chosen = [claim.id for claim in self.evening.claims()][:count]
        self.evening.table.mark_used(chosen)
        self.used.update(chosen)

    @rule()
    def next_phase(self):
        self.evening.table.end_phase()

    @invariant()
    def what_lies_there_is_claimed_once_unless_it_was_used(self):
        claims = self.evening.claims()
        self.evening.claims()  # what went between two looks is offered once; the second look is the level
        claims = self.evening.claims()
        there = Counter(self.lying.values())
        claimed = Counter((claim.what, claim.zone) for claim in claims)
        assert claimed <= there
        kept = [p for p in self.evening.table._fusion.placements.values() if p.is_used and p.has_tracks]
        assert (claimed + Counter((p.state.card, p.state.zone) for p in kept)) == there
        assert not self.used & {claim.id for claim in claims}

    @invariant()
    def nobody_is_asked_anything(self):
        assert self.evening.disputes() == ()


TestAnyEvening = AnyEvening.TestCase
TestAnyEvening.settings = settings(max_examples=60, stateful_step_count=30)
