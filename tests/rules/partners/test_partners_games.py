"""Whole games of Partners by the simulated players: what holds in this game only."""

import pytest

from companion.games.partners import GAME
from companion.rules.contract import Proposal, Refusal
from companion.rules.session import Session
from tests.rules.evenings import evenings_of, titled
from tests.rules.talk import RealTable

PLAYED = [one for one in evenings_of("partners") if not one.setup.options["hands_only"]]
every_evening = pytest.mark.parametrize("evening", PLAYED, ids=titled)


@every_evening
def test_cards_turned_up_are_played_or_the_question_offers_the_very_play(evening):
    players, session, table = evening.players, Session(GAME, evening.setup), RealTable(4)
    played = asked = 0
    while (deed := players.next_action(session.list_acts(), session.view())) is not None:
        for gesture in deed.gestures:
            table.make(gesture)
        [reading] = GAME.interpret_claims(session.state, table.claims())
        if isinstance(reading, Proposal):
            assert reading.request == deed.request
            table.used.update(reading.used)
            played += 1
        else:
            assert deed.request in [choice.request for choice in reading.choices]
            table.used.update(reading.about)
            asked += 1
        assert not isinstance(session.act(deed.request), Refusal)
        assert GAME.interpret_claims(session.state, table.claims()) == []
    assert played > 30
    assert asked > 30
