"""Whole games of DTC by the simulated players: what holds in this game only."""

import pytest

from companion.games.dtc import GAME
from companion.games.dtc.player import Players
from companion.rules.contract import Refusal
from companion.rules.session import Session
from tests.rules.talk import setup_of


@pytest.mark.parametrize("count", range(2, 7))
def test_real_cards_and_counted_ones_agree_all_game_long(count):
    setup = setup_of(GAME, "ABCDEF"[:count], count)
    players, session = Players(setup), Session(GAME, setup)
    while (deed := players.next(session.acts(), session.view())) is not None:
        view = session.view()
        assert [len(players.hand(session.acts(), name)) for name in setup.players] == [
            row["hand"] for row in view["players"]
        ]
        offered = view["offer"]["count"] if view["offer"] else 0
        assert sum(row["hand"] + row["points"] for row in view["players"]) + view["draw_pile"] + offered == 66
        assert not isinstance(session.act(deed.request), Refusal)
    assert sum(row["points"] for row in session.view()["players"]) + session.view()["draw_pile"] == 66
