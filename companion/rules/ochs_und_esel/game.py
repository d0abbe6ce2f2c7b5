"""Ochs & Esel as a plug-in of the rules' contract."""

from __future__ import annotations

from typing import Annotated

import msgspec

from companion.rules.contract import Game, Option, Refusal, Setup, refuse
from companion.rules.ochs_und_esel import (
    checklist,
    decide,
    events,
    evolve,
    interpret,
    requests,
    state,
    table,
    tallies,
    view,
    words,
)
from companion.rules.ochs_und_esel.cards import DEALABLE

_AtLeastOne = Annotated[int, msgspec.Meta(ge=1)]


class OchsUndEsel(Game[state.State]):
    """Ochs & Esel (W. Kramer, 2008): shed cards, do not keep the donkey. Fewest penalties win."""

    id = "ochs_und_esel"
    seats = range(3, 13)
    options = (
        Option("deal", None, _AtLeastOne | None, "OE-2"),
        Option(
            "rounds",
            5,
            _AtLeastOne,
            "OE-9",
            "Les joueurs peuvent convenir d'un autre nombre pour modifier la durée de la partie.",
        ),
        Option("ox", False, bool, "OE-20", "Dans cette variante intervient le bœuf."),
        Option("hands_only", False, bool, "OE-12"),
    )
    requests = (requests.Play, requests.Pass, requests.Hand, requests.Pile)
    clauses = {
        "lead": "OE-4",
        "follow": "OE-4",
        "hands": "OE-9",
        "game_over": "OE-9",
    }
    events = (
        events.CardsPlayed,
        events.PlayerPassed,
        events.TrickEnded,
        events.AnimalTaken,
        events.HandEnded,
        events.HandCounted,
        events.PileCounted,
        events.HandScored,
        events.HandBegan,
        events.GameEnded,
    )
    lowest_wins = True

    def check(self, setup: Setup) -> Refusal | None:
        """OE-2: refuse a deal that needs more than the 108 cards."""
        deal, players = setup.options["deal"], len(setup.players)
        if deal is None or deal * players <= DEALABLE:
            return None
        return refuse("bad_option", "OE-2", say="deal_too_large", deal=deal, players=players, cards=DEALABLE)

    start = staticmethod(state.first_state)
    decide = staticmethod(decide.decide)
    evolve = staticmethod(evolve.evolve)
    view = staticmethod(view.view)
    explain = staticmethod(words.explain)
    report = staticmethod(words.report)
    describe = staticmethod(words.describe)
    awaited = staticmethod(words.awaited)
    checklist = staticmethod(checklist.checklist)
    choices = staticmethod(table.choices)
    interpret = staticmethod(interpret.interpret)
    layout = staticmethod(table.layout)
    harmless = staticmethod(table.harmless)
    tallies = staticmethod(tallies.tallies)


GAME = OchsUndEsel()
