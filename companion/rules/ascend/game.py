"""Ascend as a plug-in of the rules' contract."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias

import msgspec

from companion.rules.ascend import checklist, events, evolve, state, table, tallies, view, words
from companion.rules.ascend import decide as deciding
from companion.rules.ascend import requests as ask
from companion.rules.ascend.cards import Deck
from companion.rules.ascend.combinations import Bombs, BombSize
from companion.rules.ascend.score import Shares
from companion.rules.contract import Game, Option

Target: TypeAlias = Annotated[int, msgspec.Meta(ge=1)]
TARGET, TARGET_WITH_BIDDING = 50, 75
"""AS-21: the points at which the game ends."""


class Ascend(Game[state.State]):
    """Ascend (D. Muilwijk): climb with singles, sets, runs, bombs; be out first. Most points."""

    id = "ascend"
    seats = range(3, 5)
    options = (
        Option(
            "deck",
            "extended",
            Deck,
            "AS-1",
            "… vous pouvez éventuellement ne jouer qu'avec le paquet de base.",
        ),
        Option("target", TARGET, Target, "AS-21", "… vous pouvez modifier cette limite arbitraire…"),
        Option(
            "bidding",
            False,
            bool,
            "AS-30",
            "… le joueur promet qu'il sera le premier à se débarrasser de toutes ses cartes.",
        ),
        Option(
            "shares",
            "exact",
            Shares,
            "AS-30",
            "… ses adversaires se partagent à part égale cette même valeur.",
        ),
        Option(
            "bombs",
            "any",
            Bombs,
            "AS-13",
            "Certains sets ne comportant que des personnages peuvent être définis comme des bombes.",
        ),
        Option(
            "bomb_size",
            "same",
            BombSize,
            "AS-14",
            "Une bombe doit être suivie par une bombe de taille équivalente ou supérieure…",
        ),
    )
    requests = (ask.Exchanged, ask.Play, ask.Pass, ask.Promise)
    clauses = {
        "exchange": "AS-2",
        "play": "AS-4",
        "game_over": "AS-21",
    }
    events = (
        events.CardsExchanged,
        events.CombinationPlayed,
        events.MountainPlayed,
        events.PlayerPassed,
        events.PromiseMade,
        events.PlayerWentOut,
        events.TurnPassed,
        events.TrickEnded,
        events.HandScored,
        events.HandBegan,
        events.GameWon,
    )

    def defaults(self, chosen: Mapping[str, Any]) -> Mapping[str, Any]:
        """AS-21: the target is 75 with bidding, unless another one is chosen."""
        target = TARGET_WITH_BIDDING if chosen.get("bidding") else TARGET
        return {**super().defaults(chosen), "target": target}

    start = staticmethod(state.first_state)
    decide = staticmethod(deciding.decide)
    evolve = staticmethod(evolve.evolve)
    view = staticmethod(view.view)
    explain = staticmethod(words.explain)
    report = staticmethod(words.report)
    describe = staticmethod(words.describe)
    awaited = staticmethod(words.awaited)
    checklist = staticmethod(checklist.checklist)
    choices = staticmethod(table.choices)
    interpret = staticmethod(table.interpret)
    layout = staticmethod(table.layout)
    harmless = staticmethod(table.harmless)
    tallies = staticmethod(tallies.tallies)


GAME = Ascend()
