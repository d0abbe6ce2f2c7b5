"""Donkey Valley as a game of the contract: nothing here but where each thing is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec

from companion.rules.contract import (
    Choice,
    Claim,
    Event,
    Game,
    Option,
    Reading,
    Reason,
    Refusal,
    Request,
    Setup,
    Step,
    Text,
    View,
    refuse,
)
from companion.rules.donkey_valley import (
    checklist,
    describe,
    evolve,
    explain,
    interpret,
    table,
    view,
    words,
)
from companion.rules.donkey_valley.cards import DONKEY_CARDS
from companion.rules.donkey_valley.checks import bad_range
from companion.rules.donkey_valley.decide import decide
from companion.rules.donkey_valley.events import EVENTS
from companion.rules.donkey_valley.requests import REQUESTS, Decide, Load, NoFavour
from companion.rules.donkey_valley.state import State, first_state

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
    events = EVENTS

    def check(self, setup: Setup) -> Refusal | None:
        """DV-2: the copies of a deck total twenty."""
        copies = setup.options["donkey_copies"]
        if copies is None or sum(copies.values()) == DONKEY_CARDS:
            return None
        return refuse("bad_option", "DV-2", say="donkey_total", total=sum(copies.values()), due=DONKEY_CARDS)

    def start(self, setup: Setup) -> State:
        """Return the state before the first donkey."""
        return first_state(setup)

    def decide(self, state: State, request: Any) -> Sequence[Event] | Refusal:
        """See `donkey_valley.decide`."""
        return decide(state, request)

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

    def evolve(self, state: State, event: Any) -> State:
        """See `donkey_valley.evolve`."""
        return evolve.evolve(state, event)

    def view(self, state: State) -> View:
        """See `donkey_valley.view`."""
        return view.view(state)

    def layout(self, state: State) -> Mapping[str, tuple[str, ...]]:
        """See `donkey_valley.view`."""
        return view.layout(state)

    def explain(self, state: State, player: str) -> Sequence[Reason]:
        """See `donkey_valley.explain`."""
        return explain.explain(state, player)

    def report(self, state: State) -> Sequence[Reason]:
        """See `donkey_valley.explain`."""
        return explain.report(state)

    def describe(self, state: State, event: Any) -> Text | None:
        """See `donkey_valley.describe`."""
        return describe.describe(state, event)

    def awaited(self, state: State) -> Text:
        """See `donkey_valley.words`."""
        return words.awaited(state)

    def checklist(self, state: State) -> Sequence[Step]:
        """See `donkey_valley.checklist`."""
        return checklist.checklist(state)

    def choices(self, state: State, player: str | None) -> Sequence[Choice]:
        """See `donkey_valley.table`."""
        return table.choices(state, player)

    def harmless(self, state: State) -> Request | None:
        """See `donkey_valley.table`."""
        return table.harmless(state)

    def interpret(self, state: State, claims: Sequence[Claim]) -> Sequence[Reading]:
        """See `donkey_valley.interpret`."""
        return interpret.interpret(state, claims)
