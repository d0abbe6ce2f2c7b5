"""Whole games of Donkey Valley by the simulated players: what holds in this game only."""

import pytest

from companion.games.donkey_valley import GAME
from companion.games.donkey_valley.player import Players
from companion.rules.contract import Refusal
from companion.rules.session import Session
from tests.rules.talk import setup_of

NAMES = ["Ann", "Ben", "Cid", "Dee", "Eve", "Fay", "Gus"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_real_hands_and_counted_ones_agree_all_game_long(seed):
    setup = setup_of(GAME, NAMES[: 3 + seed % 5], seed)
    players, session = Players(setup), Session(GAME, setup)
    while (deed := players.next(session.acts(), session.view())) is not None:
        hands = [len(players.hand(session.acts(), name)) for name in setup.players]
        assert hands == [row["hand"] for row in session.view()["players"]]
        assert not isinstance(session.act(deed.request), Refusal)
