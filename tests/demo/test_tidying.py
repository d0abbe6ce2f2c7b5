"""What hands did on the demo's table, found out once more from the acts: a card lies at one place
only."""

from __future__ import annotations

from companion.demo.actions import players_of
from companion.demo.director import lying, retraced
from companion.games.donkey_valley import moves as ask
from companion.plan import Plan, set_up
from companion.rules.session import Session


def test_a_donkey_that_was_taken_for_another_clears_the_last_round_all_the_same():
    game, setup = set_up(Plan("donkey_valley", ("Ann", "Ben", "Cleo"), seed=5))
    players, session = players_of(setup), Session(game, setup)
    while sum(isinstance(act.request, ask.Donkey) for act in session.acts()) < 2:
        action = players.next(session.acts(), session.view())
        session.act(action.request)
    *before, last = session.acts()
    other = Session(game, setup)
    for act in before:
        other.act(act.request)
    misread = next(one for one in ("attacked", "hurried") if one != last.request.type)
    other.act(ask.Donkey(misread))
    gestures = [one for some in retraced(players, Session(game, setup), other.acts()) for one in some]
    assert {zone: cards for zone, cards in lying(gestures).items() if cards} == {
        "middle": [(f"donkey:{misread}", "up")]
    }
