"""Whole evenings of every game: simulated players' hands, a reader that misses nothing, the real
table and the live session."""

from __future__ import annotations

import pytest

from companion.demo.actions import make_players
from companion.demo.director import Director
from companion.journal.journal import Journal
from companion.journal.store import Store
from companion.live.live_session import LiveSession
from companion.rules import registry
from companion.rules.contract import GAME_OVER, Text
from companion.rules.start import Start, prepare_game
from companion.table.decks import Deck
from companion.table.identification import BACK
from companion.table.sightings import Health, Press, Sighting
from companion.table.table import Table

NAMES = ("Ann", "Ben", "Cleo", "Dan")
STEP = 0.3
"""Seconds between two looks: longer than a camera's reading must hold."""


class Hands:
    """Moves the real cards, one gesture a step, and is the camera that sees them."""

    speed = 100.0

    def __init__(self, post):
        self.post = post
        self.now = 0.0
        self.queue = []
        self.lying = {}
        self.count = 0

    def perform(self, gestures):
        self.queue += gestures

    def drop_pending(self):
        self.queue.clear()

    @property
    def is_idle(self):
        return not self.queue

    def step(self, now):
        self.now = now
        if self.queue:
            self.make(self.queue.pop(0))

    def make(self, gesture):
        match gesture.kind:
            case "lay":
                self.count += 1
                self.lying[self.count] = gesture
                self.see(self.count, gesture.face)
            case "turn":
                track = min(self.find(gesture), key=lambda number: self.lying[number].face)
                turned = "down" if self.lying[track].face == "up" else "up"
                self.lying[track] = type(gesture)("lay", gesture.zone, gesture.card, turned)
                self.see(track, turned)
            case "take":
                self.take(self.find(gesture)[0])
            case "clear":
                for track in [number for number, one in self.lying.items() if one.zone == gesture.zone]:
                    self.take(track)
            case "press":
                self.post(Press("box", int(gesture.zone.removeprefix("seat:")), gesture.card, self.now))

    def find(self, gesture):
        return [n for n, one in self.lying.items() if (one.zone, one.card) == (gesture.zone, gesture.card)]

    def see(self, track, face):
        gesture = self.lying[track]
        design = gesture.card if face == "up" else BACK
        self.post(Sighting("camera", track, design, gesture.zone, self.now))

    def take(self, track):
        gesture = self.lying.pop(track)
        self.post(Sighting("camera", track, None, gesture.zone, self.now, present=False))


class Evening:
    """One evening with its journal; `dies` takes everything away but the file and the cards on the
    table."""

    def __init__(self, game_id, journal, kept=None):
        game = registry.load_game(game_id)
        count = min(len(NAMES), game.seats[-1])
        begun = prepare_game(Start(game_id, list(NAMES[:count]), None, 11))
        self.setup = kept.setup if kept else begun[1]
        deck = Deck.load_builtin(game_id)
        colours = {colour: seat for seat, colour in enumerate(deck.owner_colours[:count], 1)}
        self.now = 1.0
        self.live = LiveSession(
            game,
            self.setup,
            table=Table(deck, colours, back_known=True),
            journal=journal,
            cards=tuple(deck.card_counts),
            now=self.now,
            saved=kept,
        )
        self.live.post_report(Health("camera", "ok", Text("reader.ok"), self.now))
        self.hands = Hands(self.live.post_report)
        self.players = make_players(self.setup)
        self.director = Director(self.live, self.players, self.hands)
        self.asked = []

    def goes_on_in(self, journal):
        """Start the program again over the same file: the same people, the same cards on the table,
        nothing else."""
        again = Evening(self.setup.game, journal, journal.read_session(journal.list_unfinished()[0].number))
        again.hands, self.hands.post = self.hands, again.live.post_report
        again.director = Director(again.live, again.players, again.hands, self.director.gestures_by_act)
        for track, gesture in again.hands.lying.items():
            again.hands.see(track, gesture.face)
        for _ in range(10):
            again.now = round(again.now + STEP, 3)
            again.live.tick(again.now)
        return again

    def step(self):
        self.now = round(self.now + STEP, 3)
        self.hands.step(self.now)
        self.live.tick(self.now)
        self.director.tick(self.now)
        self.asked += [one.text.code for one in self.live.snapshot().questions]

    def until(self, acts, limit=30_000):
        for _ in range(limit):
            if len(self.live.list_acts()) >= acts or self.phase == GAME_OVER:
                return
            self.step()
        raise AssertionError(
            f"stuck in {self.phase} after {len(self.live.list_acts())} acts: {self.live.snapshot().awaited}"
        )

    @property
    def phase(self):
        return self.live.snapshot().view["phase"]


@pytest.mark.slow
@pytest.mark.parametrize("game_id", registry.list_game_ids())
def test_an_evening_of_real_cards_comes_to_its_end(game_id, tmp_path):
    file = tmp_path / "evening.sqlite3"
    evening = Evening(game_id, Journal.open(file))
    evening.until(40)
    before = [act.request for act in evening.live.list_acts()]
    for _ in range(3):
        evening.live.undo()
    evening.until(60)
    assert [act.request for act in evening.live.list_acts()][: len(before)] == before
    evening.until(10_000)
    seen = evening.live.snapshot()
    assert seen.view["phase"] == GAME_OVER
    assert evening.director.manual_entries == 0
    evening.live.close()
    with Store.open_read_only(file) as look:
        assert look.read_session(1).restore_session().view() == seen.view


@pytest.mark.slow
@pytest.mark.parametrize("game_id", registry.list_game_ids())
def test_an_evening_goes_on_with_the_cards_that_lie_there(game_id, tmp_path):
    file = tmp_path / "evening.sqlite3"
    evening = Evening(game_id, Journal.open(file))
    for number in (7, 23, 50):
        evening.until(number)
        before = evening.live.snapshot()
        evening.live.journal._store._release_file()  # as after a kill
        evening = evening.goes_on_in(Journal.open(file))
        after = evening.live.snapshot()
        assert (after.view, len(after.log)) == (before.view, len(before.log))
        assert after.notice.code == "live.held"
        evening.live.confirm_moves()
        assert evening.live.snapshot().notice is None
        assert len(evening.live.list_acts()) == len(before.log)
    evening.until(10_000)
    assert evening.phase == GAME_OVER
    evening.live.close()
    assert evening.director.manual_entries == 0
