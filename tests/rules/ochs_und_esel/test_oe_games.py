"""Whole games of Ochs & Esel by the simulated players."""

from collections import Counter
from pathlib import Path

import pytest

from companion.demo.players.ochs_und_esel import Players
from companion.rules.contract import Refusal
from companion.rules.ochs_und_esel import GAME
from companion.rules.session import Session
from tests.rules import whole_games
from tests.rules.catalogues import both_languages_say_the_same, every_code_in_the_sources_has_words
from tests.rules.talk import setup_of, transcript

SETUPS = [
    setup_of(GAME, ["Ann", "Ben", "Cy"], 1, ox=True),
    setup_of(GAME, ["Ann", "Ben", "Cy", "Dee"], "friday", rounds=2),
    setup_of(GAME, ["Ann", "Ben", "Cy", "Dee", "Eve"], 3, ox=True, rounds=2, deal=8),
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
def test_plays_and_hands_are_read_from_the_table(setup):
    assert whole_games.real_cards_make_the_same_requests(GAME, setup, Players(setup)) > 30


@pytest.mark.parametrize(("count", "ox"), [(3, True), (5, False), (8, True), (12, False)])
def test_real_cards_and_counted_ones_agree_all_game_long(count, ox):
    setup = setup_of(GAME, "ABCDEFGHIJKL"[:count], count, ox=ox, rounds=2)
    players, session = Players(setup), Session(GAME, setup)
    while (deed := players.next(session.acts(), session.view())) is not None:
        view = session.view()
        hands = {name: players.hand(session.acts(), name) for name in setup.players}
        assert [len(hands[row["name"]]) for row in view["players"]] == [
            row["hand"] for row in view["players"]
        ]
        for animal in ("donkey", "ox"):
            holder = view[animal] if view[animal] in hands else None
            assert [name for name in hands if f"oe:{animal}" in hands[name]] == ([holder] if holder else [])
        assert not isinstance(session.act(deed.request), Refusal)


@pytest.mark.parametrize("ox", [False, True])
def test_cards_are_conserved(ox):
    """What was dealt is in hands, on the table, in front of a player or shed; each known card lies in one place."""
    setup = setup_of(GAME, list("ABCDEF"), 6, ox=ox, rounds=2)
    players, session = Players(setup), Session(GAME, setup)
    while (deed := players.next(session.acts(), session.view())) is not None:
        view, layout = session.view(), GAME.layout(session.state)
        known = Counter(card for place, cards in layout.items() for card in cards)
        assert all(count <= (1 if card in ("oe:donkey", "oe:ox") else 8) for card, count in known.items())
        if view["phase"] != "hands":
            animals_in_hand = sum(len(cards) for place, cards in layout.items() if place.endswith(" hand"))
            in_hands = sum(row["hand"] for row in view["players"])
            assert in_hands - animals_in_hand + known.total() == 6 * 13 + (2 if ox else 1)
        session.act(deed.request)
    assert session.over


@pytest.mark.parametrize("setup", SETUPS[1:], ids=lambda setup: f"{len(setup.players)} players")
def test_a_golden_evening(setup):
    golden = Path(__file__).parent / f"evening_{len(setup.players)}.jsonl"
    assert transcript(GAME, setup, Players(setup)) == golden.read_text()


def test_both_languages_have_words_for_everything():
    both_languages_say_the_same("ochs_und_esel")
    every_code_in_the_sources_has_words("ochs_und_esel")
