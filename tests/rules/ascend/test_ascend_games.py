"""Whole games of Ascend by the simulated players: what holds in this game only."""

from fractions import Fraction

import pytest

from companion.games.ascend import GAME
from tests.rules.evenings import evenings_of, titled
from tests.rules.talk import played_out


@pytest.mark.slow
@pytest.mark.parametrize("evening", evenings_of("ascend"), ids=titled)
def test_real_hands_and_counted_ones_agree_and_no_card_is_lost(evening):
    players, setup = evening.players, evening.setup

    def hear(session, _deed, _events):
        if len(session.acts()) % 5:
            return
        state = session.state
        held = [players.hand(session.acts(), name) for name in setup.players]
        assert [len(hand) for hand in held] == list(state.hands)
        cards = [card.partition(":")[2] for hand in held for card in hand]
        assert len(set(cards)) == len(cards)
        assert set(cards).isdisjoint(state.spent)

    session = played_out(GAME, setup, players, hear)
    for scored in session.state.hands_scored:
        assert sum(Fraction(one) for one in scored.points) - sum(scored.places) == _paid(
            scored.promise, setup
        )


def _paid(bid, setup):
    """What a promise moves in all: its worth, or less when the remainder of shares is dropped."""
    if bid is None:
        return 0
    opponents = len(setup.players) - 1
    dropped = bid.worth % opponents if setup.options["shares"] == "floor" and not bid.kept else 0
    return bid.worth - dropped
