"""DTC as a plug-in of the rules' contract."""

from __future__ import annotations

from companion.rules.contract import Game, Option
from companion.rules.dtc import (
    checklist,
    decide,
    events,
    evolve,
    odds,
    requests,
    state,
    table,
    tallies,
    view,
    words,
)
from companion.rules.dtc.cards import Variant


class Dtc(Game[state.State]):
    """DTC (R. Knizia, 2012): offer cards, say what they are; accept or challenge. Fewest win."""

    id = "dtc"
    seats = range(2, 7)
    options = (
        Option(
            "variant",
            "off",
            Variant,
            "DTC-8",
            "… OU ONT TOUTES UNE VALEUR SUPÉRIEURE…",
        ),
    )
    requests = (requests.Offer, requests.Accept, requests.Challenge, requests.Reveal)
    clauses = {
        "offer": "DTC-3",
        "answer": "DTC-5",
        "reveal": "DTC-7",
        "game_over": "DTC-10",
    }
    events = (
        events.OfferMade,
        events.CardsDrawn,
        events.OfferAccepted,
        events.OfferChallenged,
        events.CardsRevealed,
        events.GameEnded,
    )
    lowest_wins = True

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
    interpret = staticmethod(table.interpret)
    layout = staticmethod(table.layout)
    harmless = staticmethod(table.harmless)
    tallies = staticmethod(tallies.tallies)
    odds = staticmethod(odds.odds)


GAME = Dtc()
