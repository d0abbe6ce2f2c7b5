"""Whole games of Donkey Valley by the simulated players: what holds in this game only."""

import json
from pathlib import Path

import pytest

from companion.demo.players.donkey_valley import Players
from companion.referee import Referee
from companion.rules.contract import Refusal
from companion.rules.donkey_valley import GAME
from companion.rules.session import Session
from tests.rules.talk import setup_of

NAMES = ["Ann", "Ben", "Cid", "Dee", "Eve", "Fay", "Gus"]


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
