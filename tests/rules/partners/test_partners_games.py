"""Whole games of Partners by the simulated players: what holds in this game only."""

import pytest

from companion.games.partners import GAME
from companion.games.partners.cards import deck
from companion.rules.contract import Proposal, Refusal
from companion.rules.session import Session
from tests.rules.evenings import evenings_of, titled
from tests.rules.partners.positions import NAMES
from tests.rules.talk import RealTable, played_out

PLAYED = [one for one in evenings_of("partners") if not one.setup.options["hands_only"]]
every_evening = pytest.mark.parametrize("evening", PLAYED, ids=titled)


@every_evening
def test_real_hands_and_counted_ones_agree_and_no_card_is_lost(evening):
    players, setup = evening.players, evening.setup
    copies = deck(setup.options["copies"])

    def hear(session, _deed, _events):
        held = [players.hand(session.acts(), name) for name in NAMES]
        assert [len(hand) for hand in held] == [row["cards_left"] for row in session.view()["players"]]
        state = session.state
        for card in copies:
            in_hands = sum(hand.count(f"pa:{card}") for hand in held)
            assert state.played.get(card, 0) + in_hands <= copies[card]
        assert sum(len(pawns) for pawns in GAME.layout(state).values()) == 16

    assert played_out(GAME, setup, players, hear).over


@every_evening
def test_cards_turned_up_are_played_or_the_question_offers_the_very_play(evening):
    players, session, table = evening.players, Session(GAME, evening.setup), RealTable(4)
    played = asked = 0
    while (deed := players.next(session.acts(), session.view())) is not None:
        for gesture in deed.gestures:
            table.make(gesture)
        [reading] = GAME.interpret(session.state, table.claims())
        if isinstance(reading, Proposal):
            assert reading.request == deed.request
            table.used.update(reading.used)
            played += 1
        else:
            assert deed.request in [choice.request for choice in reading.choices]
            table.used.update(reading.about)
            asked += 1
        assert not isinstance(session.act(deed.request), Refusal)
        assert GAME.interpret(session.state, table.claims()) == []
    assert played > 30
    assert asked > 30
