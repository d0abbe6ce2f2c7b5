"""Two evenings as everybody is told of them: what is done in each step, and all that is new in the
snapshot then. After a change that is meant: `WRITE=1 pytest tests/live/test_to_the_letter.py`, and
read the difference."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import msgspec
import pytest

from companion.games.donkey_valley import moves as ask
from companion.live.clocks import ClockOptions
from companion.rules import registry
from companion.rules.contract import Proposal, Text
from companion.rules.people import SeatChange
from companion.table.decks import Deck
from companion.table.sightings import Health
from tests.correcting import left_out
from tests.letters import compare_with_file
from tests.live.seats import Seats
from tests.rules.talk import setup_of
from tests.toy import Lay, Show, Toy

HERE = Path(__file__).parent


def plain(value):
    return str(value) if isinstance(value, str) else list(value)


class Told:
    """What is new after each step, as lines of JSON."""

    def __init__(self, seats):
        self.seats, self.live, self.lines = seats, seats.live, []
        self.heard = []
        self.live.set_wake_callback(lambda: self.heard.append("woken"))
        self.live.add_proposal_callback(lambda tracks, taken: self.heard.append(["answered", tracks, taken]))
        self.live.set_card_named_callback(lambda tracks, card: self.heard.append(["named", tracks, card]))
        self.live.subscribe(lambda snapshot: self.heard.append("told"))
        self.before = {}
        self("begin", None)

    def __call__(self, what, done, seconds=0.0):
        """Note what is new after `what` was done, which returned `done`, and `seconds` later."""
        if seconds:
            self.seats.later(seconds)
        due = self.live.next_due_time(self.seats.now)
        now = msgspec.to_builtins(self.live.snapshot(), enc_hook=plain)
        now |= {
            "steps": self.live.step_count,
            "acts": [msgspec.to_builtins(act.request, enc_hook=str) for act in self.live.list_acts()],
            "due": None if due is None else round(due - self.seats.now, 3),
            "calm": round(self.live.measure_idle_time(self.seats.now), 3),
        }
        new = {name: value for name, value in now.items() if self.before.get(name, "nothing") != value}
        self.before = now
        done = done if done is None else msgspec.to_builtins(done, enc_hook=repr)
        # What a game's view holds, the golden evenings of the rules tell.
        new |= {"view": new["view"]["phase"]} if "view" in new else {}
        new |= {"log": [line["text"]["code"] for line in new["log"]]} if "log" in new else {}
        heard, self.heard = [one for one, _ in itertools.groupby(self.heard)], []
        self.lines.append(json.dumps({"do": what, "gives": done, "heard": heard, "new": new}))


class Growing(Toy):
    """A card that is shown may be joined by others as long as it lies alone; the players lay at one
    moment."""

    def simultaneous_players(self, state):
        return self._awaited(state) if state.phase == "lay" else ()

    def interpret_claims(self, state, claims):
        pressed = [claim.id for claim in claims if (claim.what or "").startswith("button:")]
        found = super().interpret_claims(state, claims)
        return [
            Proposal(one.request, (*one.used, *pressed), growing=True)
            if isinstance(one, Proposal) and isinstance(one.request, Show)
            else one
            for one in found
        ]


def toy():
    clock = ClockOptions(seconds=30, bank=20, warn=5, when_up="harmless")
    seats = Seats("Ann", "Ben", game=Growing(), clock=clock)
    live, told = seats.live, Told(seats)
    camera = Health("camera", "ok", Text("reader.camera.ok"), seats.now, sense="camera")
    told("the camera is there", live.post_report(camera), 0.5)
    back = seats.lay(1)
    told("Ann lays a card", None, 0.1)
    told("it is read", None, 1)
    told("a button that ends nothing here", seats.press(2), 0.2)
    told("Ben decides apart", live.seal_decision(Lay("Ben")), 0.1)
    told("who decides no more", live.can_seal_decision("Ann"))
    told("nonsense", live.seal_decision(Lay("Zoe")))
    told("a lay too many", live.submit_request(Lay("Ann")))
    told("taken away", seats.take(back), 0.5)
    lying = seats.lay(1, "toy:3")
    told("Ann shows a card", None, 0.5)
    told("it may yet grow", None, 1.0)
    told("the button ends it", seats.press(1), 0.2)
    told("it is played", None, 0.5)
    told("by hand", live.submit_request(Show("Ben", 5)), 0.3)
    told("Ann's card is taken up", seats.take(lying), 4)
    told("undo", live.undo("Ben"))
    told("undo again", live.undo())
    told("redo", live.redo("Ann"))
    told("remark", live.show_remark(Text("toy.learnt")), 0.1)
    told("confirmed", live.confirm_moves(), 0.1)
    told("redo the rest", live.redo(), 0.1)
    told("nothing to redo", live.redo())
    draft = left_out(live.draft_correction(2, Show("Ann", 9)))
    told("what it would change", draft.compare_points())
    told("corrected", live.apply_correction(draft, "Ben"), 0.1)
    told("the next round", live.submit_request(Lay("Ann")), 0.1)
    draft = left_out(live.draft_correction(1, None))
    told("what falls", [(one.number, one.text, one.reason) for one in draft.dropped_acts])
    told("left out", live.apply_correction(draft))
    told("undo that", live.undo(), 0.1)
    told("choices before", list(live.list_choices_before(3)))
    told(
        "choices at",
        [
            *live.list_choices_at(2),
            *live.list_choices_at(9),
            live.find_request_at(2),
            live.find_request_at(9),
        ],
    )
    told("why", live.explain_points("Ann"))
    told("pause", live.set_paused(True), 3)
    told("go on", live.set_paused(False), 1)
    told("called soon", live.call_soon(lambda: live.show_remark(Text("toy.learnt"))), 0.1)
    told("time is short", None, 25)
    told("of the bank", None, 10)
    told("time is up", None, 40)
    told("somebody goes", live.change_seats(SeatChange("rename", "Ben", "Benno")), 0.1)
    unsure = seats.lay(1, "toy:6", sure=False, candidates=("toy:6", "toy:9"))
    told("an unsure card", None, 5)
    number = live.snapshot().questions[0].id if live.snapshot().questions else 0
    told("the table says", live.answer_question(number, 1), 0.1)
    told("it goes", seats.take(unsure), 0.5)
    told("held", live.hold_play(), 0.1)
    told("the camera is lost", seats.ill(), 0.1)
    told("the end", live.close())
    return told.lines


def donkeys():
    game = registry.load_game("donkey_valley")
    setup = setup_of(game, ["Ann", "Bob", "Cy"], 7, decision_order="free", draws="table")
    seats = Seats(game=game, setup=setup, deck=Deck.load_by_name(game.id))
    live, told = seats.live, Told(seats)
    told("a reader", live.post_report(Health("camera", "ok", Text("reader.camera.ok"), seats.now)), 0.1)
    told("cards are counted", live.pause_for_card_count(), 0.1)
    for number, card in enumerate(("load:red:1", "load:red:2", "load:blue:1", "donkey:giant"), 1):
        seats.lay(number % 3 + 1, card)
    told("some lie there", None, 1)
    told("that is all", live.confirm_moves(), 2)
    told("odds", live.set_odds_shown(True))
    told("a donkey", live.submit_request(ask.Donkey("giant")), 0.1)
    for name in setup.players:
        told(f"{name} loads", live.submit_request(ask.Load(name)))
    for name in setup.players:
        told(f"{name} asks no favour", live.submit_request(ask.NoFavour(name)))
    told("Cy decides apart", live.seal_decision(ask.Decide("Cy", False)))
    told("and takes it back", live.withdraw_decision("Cy"))
    told("Ann decides apart", live.seal_decision(ask.Decide("Ann", True)))
    told("and Cy", live.seal_decision(ask.Decide("Cy", False)))
    told("and says it aloud", live.submit_request(ask.Decide("Cy", True)))
    told("and Bob", live.seal_decision(ask.Decide("Bob", False)))
    told("shown", live.submit_request(ask.Reveal("Ann", (3,))), 0.1)
    told("shown too", live.submit_request(ask.Reveal("Cy", (5,))), 0.1)
    told("shown in the end", live.submit_request(ask.Reveal("Bob", (6,))), 0.1)
    told("the report", live.snapshot().report)
    for request in (
        ask.Donkey("puny"),
        *map(ask.Load, setup.players),
        *map(ask.NoFavour, ("Bob", "Cy", "Ann")),
    ):
        assert live.submit_request(request) is None
    for name in setup.players:
        told(f"{name} decides apart", live.seal_decision(ask.Decide(name, True)))
    told("shown again", live.submit_request(ask.Reveal("Ann", (4,))), 0.1)
    for at in (10, len(live.list_acts()) - 1, 99):
        told(f"elsewhere than in {at}", live.list_values_shown_elsewhere(at))
    told("no odds", live.set_odds_shown(False))
    told("seal out of turn", live.seal_decision(ask.Decide("Ann", True)))
    return told.lines


@pytest.mark.parametrize("evening", [toy, donkeys])
def test_an_evening_to_the_letter(evening):
    file = HERE / f"evening_{evening.__name__}.jsonl"
    lines = evening()
    compare_with_file(file, lines)
