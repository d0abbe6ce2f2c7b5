"""What hands did on the demo's table, found out once more from the acts: a card lies at one place
only."""

from __future__ import annotations

from companion.demo.actions import make_players
from companion.demo.director import replay_gestures, retrace_gestures
from companion.games.donkey_valley import moves as ask
from companion.plan import Plan, prepare_setup
from companion.rules.session import Session


def test_a_donkey_that_was_taken_for_another_clears_the_last_round_all_the_same():
    game, setup = prepare_setup(Plan("donkey_valley", ("Ann", "Ben", "Cleo"), seed=5))
    players, session = make_players(setup), Session(game, setup)
    while sum(isinstance(act.request, ask.Donkey) for act in session.list_acts()) < 2:
        action = players.next_action(session.list_acts(), session.view())
        session.act(action.request)
    *before, last = session.list_acts()
    other = Session(game, setup)
    for act in before:
        other.act(act.request)
    misread = next(one for one in ("attacked", "hurried") if one != last.request.type)
    other.act(ask.Donkey(misread))
    gestures = [
        one for some in retrace_gestures(players, Session(game, setup), other.list_acts()) for one in some
    ]
    assert {zone: cards for zone, cards in replay_gestures(gestures).items() if cards} == {
        "middle": [(f"donkey:{misread}", "up")]
    }
