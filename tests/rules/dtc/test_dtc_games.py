"""Whole games of DTC by the simulated players."""

from pathlib import Path

import pytest

from companion.demo.players.dtc import Players
from companion.rules.contract import Refusal
from companion.rules.dtc import GAME
from companion.rules.session import Session
from tests.rules import whole_games
from tests.rules.catalogues import both_languages_say_the_same, every_code_in_the_sources_has_words
from tests.rules.talk import setup_of, transcript

SETUPS = [
    setup_of(GAME, ["Ann", "Ben"], 1),
    setup_of(GAME, ["Ann", "Ben", "Cy", "Dee"], "friday", variant="all_higher"),
    setup_of(GAME, ["Ann", "Ben", "Cy", "Dee", "Eve", "Fay"], 3, variant="at_least"),
]
every_setup = pytest.mark.parametrize("setup", SETUPS, ids=lambda setup: f"{len(setup.players)} players")


@every_setup
def test_the_journal_brings_back_the_same_game(setup):
    whole_games.the_journal_brings_back_the_same_game(GAME, setup, Players(setup))


@every_setup
def test_undoing_everything_passes_through_every_state_again(setup):
    whole_games.undoing_everything_passes_through_every_state_again(GAME, setup, Players(setup))


@every_setup
def test_all_that_is_said_has_words_and_adds_up(setup):
    whole_games.all_that_is_said_has_words(GAME, setup, Players(setup))


@every_setup
def test_waiting_is_what_can_be_entered(setup):
    whole_games.waiting_is_what_can_be_entered(GAME, setup, Players(setup))


@every_setup
def test_upturned_cards_are_read_from_the_table(setup):
    assert whole_games.real_cards_make_the_same_requests(GAME, setup, Players(setup)) > 5


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


@pytest.mark.parametrize("setup", SETUPS[1:], ids=lambda setup: f"{len(setup.players)} players")
def test_a_golden_evening(setup):
    golden = Path(__file__).parent / f"evening_{len(setup.players)}.jsonl"
    assert transcript(GAME, setup, Players(setup)) == golden.read_text()


def test_both_languages_have_words_for_everything():
    both_languages_say_the_same("dtc")
    every_code_in_the_sources_has_words("dtc")
