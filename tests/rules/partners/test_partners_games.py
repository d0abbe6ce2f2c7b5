"""Whole games of Partners by the simulated players."""

from pathlib import Path

import pytest

from companion.demo.players.partners import Players
from companion.rules.contract import Proposal, Refusal
from companion.rules.partners import GAME
from companion.rules.partners.cards import deck
from companion.rules.session import Session
from tests.rules import whole_games
from tests.rules.partners.positions import NAMES
from tests.rules.talk import RealTable, played_out, setup_of, transcript

SETUPS = {
    "stack": setup_of(GAME, NAMES, 1),
    "capture": setup_of(GAME, NAMES, "friday", own_pawn="capture"),
    "few_hearts": setup_of(GAME, NAMES, 3, copies={"heart": 1, "swap": 6}),
}
every_setup = pytest.mark.parametrize("setup", SETUPS.values(), ids=SETUPS.keys())


@every_setup
def test_the_journal_brings_back_the_same_game(setup):
    whole_games.the_journal_brings_back_the_same_game(GAME, setup, Players(setup))


@every_setup
def test_undoing_everything_passes_through_every_state_again(setup):
    whole_games.undoing_everything_passes_through_every_state_again(GAME, setup, Players(setup))


@pytest.mark.parametrize("option", ["stack", "capture"])
def test_all_that_is_said_has_words_and_adds_up(option):
    heard = whole_games.all_that_is_said_has_words(GAME, SETUPS[option], Players(SETUPS[option]))
    assert {
        "event.folded_shown",
        "event.shuffled",
        "explain.won",
        "explain.lost",
        "awaited.play_partner",
    } <= heard


def test_waiting_is_what_can_be_entered_and_every_choice_is_accepted():
    whole_games.waiting_is_what_can_be_entered(GAME, SETUPS["stack"], Players(SETUPS["stack"]))


@every_setup
def test_real_hands_and_counted_ones_agree_and_no_card_is_lost(setup):
    players = Players(setup)
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


@every_setup
def test_cards_turned_up_are_played_or_the_question_offers_the_very_play(setup):
    players, session, table = Players(setup), Session(GAME, setup), RealTable(4)
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


@pytest.mark.parametrize("option", ["stack", "capture"])
def test_a_golden_evening(option):
    golden = Path(__file__).parent / f"evening_{option}.jsonl"
    assert transcript(GAME, SETUPS[option], Players(SETUPS[option])) == golden.read_text()
