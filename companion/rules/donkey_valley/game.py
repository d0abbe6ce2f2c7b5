"""Donkey Valley as a game of the contract: nothing here but where each thing is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec

from companion.rules.contract import Game, Option, Refusal, Setup, refuse
from companion.rules.donkey_valley import (
    checklist,
    evolve,
    interpret,
    odds,
    reasons,
    table,
    tallies,
    view,
    words,
)
from companion.rules.donkey_valley.cards import DONKEY_CARDS
from companion.rules.donkey_valley.clauses import bad_range
from companion.rules.donkey_valley.decide import decide
from companion.rules.donkey_valley.events import EVENTS
from companion.rules.donkey_valley.phases import turns
from companion.rules.donkey_valley.requests import REQUESTS, Decide, Load, NoFavour
from companion.rules.donkey_valley.state import State, first_state
from companion.rules.options import chosen

DonkeyName = Literal[
    "normal",
    "giant",
    "puny",
    "precision",
    "hurried",
    "holed",
    "attacked",
    "lost",
    "double",
    "stubborn",
    "difficult",
    "hand_picked",
]
Copies = dict[DonkeyName, Annotated[int, msgspec.Meta(ge=0, le=DONKEY_CARDS)]]


class DonkeyValley(Game[State]):
    """The game; all its rules are in the modules beside this one."""

    id = "donkey_valley"
    seats = range(3, 8)
    options = (
        Option(
            "decision_order",
            "clockwise",
            Literal["clockwise", "free"],
            "DV-15",
            "… en poursuivant dans le sens horaire, chaque joueur doit annoncer…",
        ),
        Option(
            "double_loads",
            "may",
            Literal["may", "must"],
            "DV-38",
            "… chaque joueur peut jouer deux cartes Charge.",
        ),
        Option(
            "draws",
            "app",
            Literal["app", "table"],
            "DV-19",
            "Mélangez les cartes Charge pour former un paquet.",
        ),
        Option("donkey_copies", None, Copies | None, "DV-2", "Cartes Âne 20x"),
        Option(
            "barred",
            "players",
            Literal["players", "loads"],
            "DV-41",
            "… ces cartes sont retirées du jeu et ne permettent pas de gagner des points.",
        ),
        Option(
            "double_draws",
            "played",
            Literal["played", "one"],
            "DV-19",
            "… gagnent aléatoirement une carte Charge de ce paquet…",
        ),
        Option(
            "first_player_card",
            "each_end",
            Literal["each_end", "resolved"],
            "DV-21",
            "Donnez la carte Premier joueur au prochain joueur…",
        ),
    )
    requests = REQUESTS
    alike = (Load, NoFavour, Decide)
    clauses = {
        "donkey": "DV-10",
        "loads": "DV-11",
        "favours": "DV-12",
        "peeks": "DV-14",
        "decisions": "DV-15",
        "adjustments": "DV-16",
        "reveal": "DV-17",
        "claims": "DV-20",
        "game_over": "DV-22",
    }
    events = EVENTS

    def check(self, setup: Setup) -> Refusal | None:
        """DV-2: the copies of a deck total twenty."""
        copies = setup.options["donkey_copies"]
        if copies is None or sum(copies.values()) == DONKEY_CARDS:
            return None
        return refuse(
            "bad_option",
            "DV-2",
            say="donkey_total",
            total=sum(copies.values()),
            due=DONKEY_CARDS,
            ruling=chosen("donkey_copies", copies),
        )

    def sealable(self, card: int | str) -> Refusal | None:
        """DV-1."""
        return (
            bad_range([card])
            if isinstance(card, int)
            else refuse("bad_value", "DV-1", say="value_range", value="?")
        )

    def seals(self, state: State, player: str) -> Sequence[str]:
        """DV-51: of the loads laid first, and of the one that came with favour 4."""
        if state.round is None or not state.stake(player).down:
            return ()
        stake = state.stake(player)
        return stake.seals if stake.new_seal is None else (*stake.seals, stake.new_seal)

    def together(self, state: State) -> Sequence[str]:
        """DV-15: with free decisions all decide at once, but for the players of favour 2."""
        free = state.phase == "decisions" and state.setup.options["decision_order"] == "free"
        return (
            [state.setup.players[turn.seat] for turn in turns(state) if turn.seat is not None] if free else ()
        )

    start = staticmethod(first_state)
    decide = staticmethod(decide)
    evolve = staticmethod(evolve.evolve)
    view = staticmethod(view.view)
    explain = staticmethod(reasons.explain)
    report = staticmethod(reasons.report)
    describe = staticmethod(words.describe)
    awaited = staticmethod(words.awaited)
    checklist = staticmethod(checklist.checklist)
    choices = staticmethod(table.choices)
    interpret = staticmethod(interpret.interpret)
    layout = staticmethod(table.layout)
    harmless = staticmethod(table.harmless)
    tallies = staticmethod(tallies.tallies)
    odds = staticmethod(odds.odds)
