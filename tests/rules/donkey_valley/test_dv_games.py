"""Whole games of Donkey Valley by the simulated players."""

import json
from pathlib import Path

import pytest

from companion.demo.players.donkey_valley import Players
from companion.headless import Referee
from companion.rules.contract import Refusal
from companion.rules.donkey_valley import GAME
from companion.rules.session import Session
from tests.rules import whole_games
from tests.rules.talk import setup_of

NAMES = ["Ann", "Ben", "Cid", "Dee", "Eve", "Fay", "Gus"]
# Seeds whose eight donkeys differ: between them every type appears, lost and double ones early and late.
SETUPS = [
    setup_of(GAME, NAMES[:3], 2, draws="table"),
    setup_of(GAME, NAMES[:4], 12, double_loads="must", decision_order="free"),
    setup_of(GAME, NAMES[:5], 0),
    setup_of(GAME, NAMES, 1, draws="table", decision_order="free"),
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


@pytest.mark.parametrize("seed", range(12))
def test_cards_on_the_table_are_read(seed):
    options = {"draws": ("app", "table")[seed % 2], "double_loads": ("may", "must")[seed // 2 % 2]}
    setup = setup_of(GAME, NAMES[: 3 + seed % 5], seed, **options)
    assert whole_games.real_cards_make_the_same_requests(GAME, setup, Players(setup)) > 60


@pytest.mark.parametrize("seed", range(6))
def test_real_hands_and_counted_ones_agree_all_game_long(seed):
    setup = setup_of(GAME, NAMES[: 3 + seed % 5], seed)
    players, session = Players(setup), Session(GAME, setup)
    while (deed := players.next(session.acts(), session.view())) is not None:
        hands = [len(players.hand(session.acts(), name)) for name in setup.players]
        assert hands == [row["hand"] for row in session.view()["players"]]
        assert not isinstance(session.act(deed.request), Refusal)


@pytest.mark.parametrize(
    "evening", sorted(Path(__file__).parent.glob("evening_*.jsonl")), ids=lambda path: path.stem
)
def test_a_golden_evening(evening):
    """Lines in pairs: a request, and the answer to it, to the letter."""
    lines = evening.read_bytes().splitlines()
    referee = Referee()
    for request, answer in zip(lines[::2], lines[1::2], strict=True):
        assert referee.answer(request) == answer
    assert json.loads(lines[-1])["view"]["phase"] == "game_over"


def test_there_are_golden_evenings():
    assert len(list(Path(__file__).parent.glob("evening_*.jsonl"))) == 3
