"""Whole games of Ascend by the simulated players."""

from fractions import Fraction
from pathlib import Path

import pytest

from companion.demo.players.ascend import Players
from companion.rules.ascend import GAME
from tests.rules import whole_games
from tests.rules.talk import Spoken, played_out, setup_of, transcript

FOUR = ["Ann", "Ben", "Cy", "Dee"]
SETUPS = {
    "three": setup_of(GAME, FOUR[:3], 1, target=30),
    "bidding": setup_of(GAME, FOUR, "friday", bidding=True, target=40),
    "basic_floor": setup_of(GAME, FOUR[:3], 3, deck="basic", bidding=True, shares="floor", target=40),
}
every_setup = pytest.mark.parametrize("setup", SETUPS.values(), ids=SETUPS.keys())


@every_setup
def test_the_journal_brings_back_the_same_game(setup):
    whole_games.the_journal_brings_back_the_same_game(GAME, setup, Players(setup))


@every_setup
def test_undoing_everything_passes_through_every_state_again(setup):
    whole_games.undoing_everything_passes_through_every_state_again(GAME, setup, Players(setup))


@every_setup
def test_all_that_is_said_has_words_and_adds_up(setup):
    spoken = Spoken(GAME)

    def hear(session, _deed, events):
        spoken.everything(GAME, session.state, events)
        for row in session.view()["players"]:
            reasons = GAME.explain(session.state, row["name"])
            assert sum(Fraction(reason.points) for reason in reasons) == Fraction(row["points"])

    played_out(GAME, setup, Players(setup), hear)
    assert {"event.hand_scored", "event.trick_passed_on", "explain.won"} <= spoken.heard


@every_setup
def test_waiting_is_what_can_be_entered(setup):
    whole_games.waiting_is_what_can_be_entered(GAME, setup, Players(setup))


@every_setup
def test_cards_turned_up_are_read_from_the_table(setup):
    assert whole_games.real_cards_make_the_same_requests(GAME, setup, Players(setup)) > 100


@every_setup
def test_real_hands_and_counted_ones_agree_and_no_card_is_lost(setup):
    players = Players(setup)

    def hear(session, _deed, _events):
        if len(session.acts()) % 5:
            return
        state = session.state
        held = [players.hand(session.acts(), name) for name in setup.players]
        assert [len(hand) for hand in held] == list(state.hands)
        cards = [card.partition(":")[2] for hand in held for card in hand]
        assert len(set(cards)) == len(cards)
        assert not state.spent & set(cards)

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


@pytest.mark.parametrize("name", ["three", "bidding"])
def test_a_golden_evening(name):
    golden = Path(__file__).parent / f"evening_{name}.jsonl"
    assert transcript(GAME, SETUPS[name], Players(SETUPS[name])) == golden.read_text()
