"""Ascend as a plug-in of the rules' contract."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias

import msgspec

from companion.rules.ascend import decide as deciding
from companion.rules.ascend import events, evolve, state, table, view, words
from companion.rules.ascend import requests as ask
from companion.rules.ascend.cards import Deck
from companion.rules.ascend.score import Shares
from companion.rules.contract import Game, Option

Target: TypeAlias = Annotated[int, msgspec.Meta(ge=1)]
TARGET, TARGET_WITH_BIDDING = 50, 75


class Ascend(Game[state.State]):
    """Ascend (D. Muilwijk): climb with singles, sets, runs and bombs; be out first. Most points wins."""

    id = "ascend"
    seats = range(3, 5)
    options = (
        Option("deck", "extended", Deck, "AS-1"),
        Option("target", TARGET, Target, "AS-21"),
        Option("bidding", False, bool, "AS-30"),
        Option("shares", "exact", Shares, "AS-30"),
    )
    requests = (ask.Exchanged, ask.Play, ask.Pass, ask.Promise)
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
    choices = staticmethod(table.choices)
    interpret = staticmethod(table.interpret)
    layout = staticmethod(table.layout)
    harmless = staticmethod(table.harmless)


GAME = Ascend()
