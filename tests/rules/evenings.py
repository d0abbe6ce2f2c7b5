"""The evenings that the simulated players play to their end: every game, with the options that
change most. A new game adds its rows."""

from __future__ import annotations

from functools import reduce
from operator import or_
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from companion.demo.actions import make_players
from companion.rules import registry
from companion.rules.contract import Game, Request, Setup
from tests.rules.talk import setup_of

ANN = ["Ann", "Ben", "Cy", "Dee", "Eve", "Fay", "Gus"]
BOB = ["Ann", "Bob", "Cid", "Dot"]


class Evening(NamedTuple):
    """`read`: more acts than that are read from the real cards (0: the game's own test reads them,
    as cards leave a choice there); `heard`: message codes that are certain to come up; `golden`:
    `evening_<name>.jsonl` in the game's folder holds every line of it."""

    name: str
    game: Game[Any]
    setup: Setup
    read: int
    heard: frozenset[str]
    golden: bool

    @property
    def players(self):
        """New simulated players for it."""
        return make_players(self.setup)


def _evening(name, game_id, names, seed, read=0, heard="", golden=False, **options):
    game = registry.load_game(game_id)
    setup = setup_of(game, names, seed, **options)
    return Evening(name, game, setup, read, frozenset(heard.split()), golden)


_PARTNERS = "event.folded_shown event.shuffled explain.won explain.lost awaited.play_partner"
_ASCEND = "event.hand_scored event.trick_passed_on explain.won"

_DONKEYS_READ_OTHERWISE = {
    "barred": "loads",
    "double_draws": "one",
    "first_player_card": "resolved",
    "draws": "table",
}
_PARTNERS_READ_OTHERWISE = {
    "own_wall": "bars",
    "back_from_goal": "unlocked",
    "seven_bounce": "never",
    "swap_start": "allowed",
}

EVENINGS = [
    # Seeds whose eight donkeys differ: between them every type appears, lost and double ones early
    # and late.
    _evening("3", "donkey_valley", ANN[:3], 2, 60, golden=True, draws="table"),
    _evening("told", "donkey_valley", ANN[:4], 2, golden=True, hands_only=True),
    _evening("4", "donkey_valley", ANN[:4], 12, 60, double_loads="must", decision_order="free"),
    _evening("5", "donkey_valley", ANN[:5], 0, 60, golden=True),
    _evening("7", "donkey_valley", ANN, 1, 60, golden=True, draws="table", decision_order="free"),
    _evening("readings", "donkey_valley", ANN[:6], 3, 60, golden=True, **_DONKEYS_READ_OTHERWISE),
    _evening("2", "dtc", ANN[:2], 1, 5),
    _evening("4", "dtc", ANN[:4], "friday", 5, golden=True, variant="all_higher"),
    _evening("6", "dtc", ANN[:6], 3, 5, golden=True, variant="at_least"),
    _evening("told", "dtc", ANN[:5], 2, golden=True, hands_only=True),
    _evening("3", "ochs_und_esel", ANN[:3], 1, 30, ox=True),
    _evening("4", "ochs_und_esel", ANN[:4], "friday", 30, golden=True, rounds=2),
    _evening("5", "ochs_und_esel", ANN[:5], 3, 30, golden=True, ox=True, rounds=2, deal=8),
    _evening("hands", "ochs_und_esel", ANN[:4], 8, golden=True, ox=True, rounds=3, hands_only=True),
    _evening("stack", "partners", BOB, 1, heard=_PARTNERS, golden=True),
    _evening("capture", "partners", BOB, "friday", heard=_PARTNERS, golden=True, own_pawn="capture"),
    _evening("readings", "partners", BOB, 2, golden=True, **_PARTNERS_READ_OTHERWISE),
    _evening("few_hearts", "partners", BOB, 3, copies={"heart": 1, "swap": 6}),
    _evening("told", "partners", BOB, 4, golden=True, hands_only=True),
    _evening("three", "ascend", ANN[:3], 1, 100, _ASCEND, golden=True, target=30),
    _evening("bidding", "ascend", ANN[:4], "friday", 100, _ASCEND, golden=True, bidding=True, target=40),
    _evening(
        "readings", "ascend", ANN[:4], 2, 100, golden=True, target=20, bombs="unlike", bomb_size="larger"
    ),
    _evening("strict", "ascend", ANN[:3], 2, 100, golden=True, target=20, bombs="strict"),
    _evening("told", "ascend", ANN[:4], 5, 20, golden=True, bidding=True, target=40, hands_only=True),
    _evening(
        "floor", "ascend", ANN[:3], 3, 100, _ASCEND, deck="basic", bidding=True, shares="floor", target=40
    ),
]
"""Whole evenings with the options that change most."""

TWELVE_DONKEY_VALLEYS = [
    _evening(
        f"seed {seed}",
        "donkey_valley",
        ANN[: 3 + seed % 5],
        seed,
        60,
        draws=("app", "table")[seed % 2],
        double_loads=("may", "must")[seed // 2 % 2],
    )
    for seed in range(12)
]
"""More donkeys, for the reading of cards: what lies on the table depends on them."""


ONE_OF_EACH_GAME = {evening.game.id: evening for evening in reversed(EVENINGS)}
"""The first evening of each game, by the game's id."""


def evenings_of(game_id):
    """The evenings of one game."""
    return [evening for evening in EVENINGS if evening.game.id == game_id]


def titled(evening):
    """What a test's case is called."""
    return f"{evening.game.id}, {evening.name}"


def golden_file(evening):
    """The file with every request of a golden evening, and the view that answers it."""
    return Path(__file__).parent / evening.game.id / f"evening_{evening.name}.jsonl"


class Deed(NamedTuple):
    request: Request


class Recorded(NamedTuple):
    """The simulated players of a golden evening, who do what its file says."""

    deeds: list[Deed]

    @classmethod
    def load(cls, evening):
        decoder = msgspec.json.Decoder(reduce(or_, evening.game.requests))
        lines = golden_file(evening).read_text(encoding="utf-8").splitlines()
        return cls([Deed(decoder.decode(line)) for line in lines[::2]])

    def next_action(self, acts, _view):
        return self.deeds[len(acts)] if len(acts) < len(self.deeds) else None
