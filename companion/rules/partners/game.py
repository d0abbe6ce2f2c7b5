"""Partners as a plug-in of the rules' contract."""

from __future__ import annotations

from companion.rules.contract import Game, Option, Refusal, Setup, refuse
from companion.rules.partners import checklist, events, evolve, state, table, tallies, view, words
from companion.rules.partners import decide as deciding
from companion.rules.partners import requests as ask
from companion.rules.partners.cards import COPIES, LEAST, Copies, deck
from companion.rules.partners.rulings import OPTIONS


class Partners(Game[state.State]):
    """Partners (T. Bisgaard): 1 and 3 against 2 and 4 bring all their pawns home by cards."""

    id = "partners"
    seats = range(4, 5)
    options = (Option("copies", COPIES, Copies, "PA-4"), *OPTIONS)
    requests = (ask.Exchanged, ask.Play, ask.Fold)
    questions = (ask.Moves,)
    clauses = {
        "exchange": "PA-5",
        "play": "PA-7",
        "game_over": "PA-18",
    }
    events = (
        events.CardsExchanged,
        events.CardPlayed,
        events.PawnMoved,
        events.PawnSentHome,
        events.PawnsSwapped,
        events.PawnLocked,
        events.PlayerFolded,
        events.TurnPassed,
        events.CardsDealt,
        events.GameWon,
    )

    def check(self, setup: Setup) -> Refusal | None:
        """PA-4: refuse a deck that is too small for a dealer's three deals."""
        total = sum(deck(setup.options["copies"]).values())
        if total >= LEAST:
            return None
        return refuse("bad_option", "PA-4", say="too_few_cards", total=total, least=LEAST)

    start = staticmethod(state.first_state)
    decide = staticmethod(deciding.decide)
    evolve = staticmethod(evolve.evolve)
    answer = staticmethod(deciding.answer)
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


GAME = Partners()
