"""An evening of many hours on a simulated clock: memory and the cost of an act in its first and in
its last hour; then a flood."""

from __future__ import annotations

import gc
import random
import statistics
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

from companion.journal.export import as_json
from companion.journal.history import records
from companion.journal.journal import Journal
from companion.live.live import Live
from companion.rules import registry
from companion.rules.contract import Refusal, Setup
from companion.table.decks import Deck
from companion.table.sightings import Sighting, Unrest
from companion.table.table import MOST_CARDS, Table

Rows = list[tuple[str, str, str, str]]
GAME = "ochs_und_esel"
PLAYERS = ("Ann", "Ben", "Cleo", "Dan")
SECONDS_AN_ACT = 6.0
FRAMES_A_SECOND = 2
"""Frames that have something to say, as the camera reader sends them; three cards each, which move
a little."""


class Evening:
    """One session at one table; `act` is one act with all that the camera reports meanwhile."""

    def __init__(self, file: Path) -> None:
        game = registry.load(GAME)
        self.setup = Setup(GAME, PLAYERS, {**game.defaults({}), "rounds": 1_000}, 1)
        self.now = 0.0
        self.chance = random.Random(1)
        self.track = 0
        self.game = game
        deck = Deck.find(GAME)
        self.live = Live(
            game,
            self.setup,
            table=Table(deck, {}, {}),
            journal=Journal.open(file),
            cards=tuple(deck.cards),
            now=0.0,
        )
        self.designs = [one.name for one in deck.designs]

    def act(self) -> float:
        """Return the seconds of processor time that one act took."""
        began = time.process_time()
        for _ in range(round(SECONDS_AN_ACT * FRAMES_A_SECOND)):
            self.now += 1 / FRAMES_A_SECOND
            self._frame()
            self.live.tick(self.now)
        self._choose()
        return time.process_time() - began

    def _frame(self) -> None:
        self.track += self.chance.random() < 0.05  # now and then another card lies there
        for number in range(3):
            track = self.track + number
            design = self.designs[track % len(self.designs)] if track % 3 else None
            self.live.post(Sighting("camera", track, design, "pile", self.now, sure=design is not None))
        self.live.post(Sighting("camera", self.track - 1, None, "pile", self.now, present=False))
        self.live.post(Unrest("camera", False, self.now))

    def _choose(self) -> None:
        for _ in range(50):
            view = self.live.snapshot().view
            if not view["waiting_for"]:
                return
            wait = self.chance.choice(view["waiting_for"])
            choice = self.chance.choice(list(self.live.choices(wait["player"])))
            cards = [card for card, copies in choice.pick.cards for _ in range(copies)] if choice.pick else []
            request = choice.with_cards(
                self.chance.sample(cards, max(choice.pick.least, 1)) if choice.pick else ()
            )
            if not isinstance(self.live.submit(request), Refusal):
                return


def run_with(hours: float) -> Rows:
    """Play `hours` hours; return the rows."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "evening.sqlite3"
        evening = Evening(file)
        an_hour = round(3600 / SECONDS_AN_ACT)
        tracemalloc.start()
        first = [evening.act() for _ in range(an_hour)]
        memory = [_memory()]
        last = first
        for _ in range(max(1, round(hours) - 1)):
            last = [evening.act() for _ in range(an_hour)]
            memory.append(_memory())
        tracemalloc.stop()
        acts = len(evening.live.acts())
        corrected = _timed(lambda: evening.live.apply(evening.live.correction(acts - 1, None)))
        evening.live.close()
        what = f"{round(hours)} h simulated, {acts} acts of {GAME}, {round(evening.now * FRAMES_A_SECOND)} frames of 3 cards"
        journal = Journal.open(file)
        resumed = _timed(journal.unfinished)
        (kept,) = journal.unfinished()
        told, exported = _timed(lambda: records(kept)), _timed(lambda: as_json([kept]))
        journal.close()
    ratio = statistics.median(last) / statistics.median(first)
    each = (memory[-1] - memory[0]) / 1024 / max(1, acts - an_hour)
    return [
        ("evening: an act in the last hour to the first", f"{ratio:.2f} x", what, "1.2 x"),
        ("evening: an act in the first hour, median", f"{statistics.median(first) * 1e3:.2f} ms", what, "-"),
        (
            "evening: memory after the first hour",
            f"{memory[0] / 2**20:.1f} MB",
            f"{what}; Python's objects",
            "-",
        ),
        (
            "evening: memory at the end",
            f"{memory[-1] / 2**20:.1f} MB",
            f"{what}; every act can be undone",
            "-",
        ),
        ("evening: memory an act keeps", f"{each:.1f} kB", what, "10 kB"),
        ("evening: correcting the last act", f"{corrected * 1e3:.1f} ms", what, "100 ms"),
        ("evening: taking it up again", f"{resumed:.2f} s", what, "2 s"),
        ("evening: telling it (history)", f"{told:.2f} s", what, "5 s"),
        ("evening: exporting it (JSON)", f"{exported:.2f} s", what, "10 s"),
        *_flood(),
    ]


def _flood() -> Rows:
    """Post 100,000 cards at once: the longest tick, and what the table follows."""
    deck = Deck.find(GAME)
    game = registry.load(GAME)
    table = Table(deck, {}, {})
    live = Live(game, Setup(GAME, PLAYERS, dict(game.defaults({})), 1), table=table)
    for number in range(100_000):
        live.post(Sighting("camera", number, deck.designs[number % len(deck.designs)].name, "pile", 1.0))
    longest = 0.0
    while live.due(1.0) == 1.0:
        longest = max(longest, _timed(lambda: live.tick(1.0)))
    longest = max(longest, _timed(lambda: live.tick(2.0)))  # when all has lain long enough to count
    return [
        (
            "flood: the longest tick",
            f"{longest * 1e3:.0f} ms",
            "100,000 sightings of other cards at once",
            "250 ms",
        ),
        (
            "flood: cards followed",
            str(len(table.claims(2.0))),
            "100,000 sightings of other cards at once",
            f"{MOST_CARDS}",
        ),
    ]


def _memory() -> int:
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


def _timed(deed: Callable[[], object]) -> float:
    began = time.perf_counter()
    deed()
    return time.perf_counter() - began
