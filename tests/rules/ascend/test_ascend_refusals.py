"""What the referee of Ascend refuses, and with which code."""

import pytest

from tests.rules.ascend.hands import Hand
from tests.rules.talk import Talk

NAMES = ["Ann", "Ben", "Cy"]


@pytest.fixture
def talk():
    return Talk("ascend", NAMES)


def test_three_or_four_players(talk):
    for names in (["Ann", "Ben"], list("ABCDE")):
        assert talk.refused("start", game="ascend", players=names) == "bad_players"


@pytest.mark.parametrize(
    "options",
    [
        {"deck": "full"},
        {"deck": 45},
        {"target": 0},
        {"target": -5},
        {"target": True},
        {"target": 50.5},
        {"target": "50"},
        {"target": None},
        {"bidding": 1},
        {"bidding": "yes"},
        {"shares": "round"},
        {"jokers": 2},
    ],
)
def test_options_that_do_not_fit(talk, options):
    assert talk.refused("start", game="ascend", players=NAMES, options=options).startswith("bad_option")


@pytest.mark.parametrize(
    "fields",
    [
        {"do": "play", "player": "Ann"},
        {"do": "play", "player": "Ann", "cards": "castle"},
        {"do": "play", "player": "Ann", "cards": [7]},
        {"do": "play", "player": "Ann", "cards": None},
        {"do": "play", "cards": ["castle"]},
        {"do": "pass"},
        {"do": "pass", "player": True},
        {"do": "promise"},
        {"do": "fold", "player": "Ann"},
    ],
)
def test_a_request_of_another_shape(talk, fields):
    assert talk.refused(**fields) == "bad_request"


def test_the_player_comes_first_then_the_phase_then_the_turn(talk):
    assert talk.refused("play", player="Zoe", cards=["x"]) == "unknown_player"
    for request in ({"do": "play", "player": "Ben", "cards": ["x"]}, {"do": "pass", "player": "Ben"}):
        assert talk.refused(**request).startswith("wrong_phase")
    assert talk.refused("promise", player="Ben").startswith("wrong_phase")
    talk.ok("exchanged")
    assert talk.refused("exchanged").startswith("wrong_phase")
    assert talk.refused("play", player="Ben", cards=["x"]) == "not_your_turn AS-4"
    assert talk.refused("pass", player="Ben") == "not_your_turn AS-4"
    assert talk.refused("promise", player="Ben") == "no_promise AS-30"


@pytest.mark.parametrize(
    ("cards", "code"),
    [
        (["castel"], "unknown_card AS-1"),
        (["decktet:castle"], "unknown_card AS-1"),
        ([], "not_a_combination AS-4"),
        (["castle", "castle"], "not_a_combination AS-1"),
        (["castle", "mill"], "not_a_combination AS-11"),
        (["sea", "end"], "not_a_combination AS-11"),
    ],
)
def test_cards_that_are_no_combination(talk, cards, code):
    talk.ok("exchanged")
    assert talk.refused("play", player="Ann", cards=cards) == code


@pytest.mark.parametrize("card", ["excuse", "watchman", "rite"])
def test_cards_outside_the_basic_deck_are_unknown(card):
    talk = Talk("ascend", NAMES, deck="basic")
    talk.ok("exchanged")
    assert talk.refused("play", player="Ann", cards=[card]) == "unknown_card AS-1"


def test_a_card_is_played_once_a_hand(talk):
    talk.ok("exchanged")
    talk.ok("play", player="Ann", cards=["castle"])
    assert talk.refused("play", player="Ben", cards=["castle"]) == "card_spent AS-1"
    talk.ok("undo")
    talk.ok("play", player="Ann", cards=["castle"])


def test_nobody_plays_more_cards_than_they_hold(talk):
    hand = Hand(talk)
    hand.lead("Ann", 13)
    for suit in ("moons", "suns"):
        hand.left.remove(f"ace_of_{suit}")
    assert (
        talk.refused("play", player="Ann", cards=["castle", "cave", "chance_meeting"])
        == "not_enough_cards AS-4"
    )
    talk.ok("play", player="Ann", cards=["castle", "cave"])


def test_refusals_cite_the_clause_of_the_combination(talk):
    talk.ok("exchanged")
    talk.ok("play", player="Ann", cards=["castle", "cave", "chance_meeting"])
    refused = {
        "market penitent lunatic": "does_not_beat AS-11",
        "market penitent": "wrong_count AS-4",
        "desert mountain painter": "sets_and_runs AS-14",
    }
    for cards, code in refused.items():
        assert talk.refused("play", player="Ben", cards=cards.split()) == code
    talk.ok("play", player="Ben", cards=["diplomat", "merchant", "bard"])
    assert talk.refused("play", player="Cy", cards=["market", "penitent", "lunatic"]) == "does_not_beat AS-14"
    assert talk.refused("play", player="Cy", cards=["author", "painter", "sailor"]) == "does_not_beat AS-14"


def test_names_with_braces_are_only_names():
    talk = Talk("ascend", ["{player}", "%s", "castle"], bidding=True)
    talk.ok("exchanged")
    talk.ok("play", player="{player}", cards=["castle"])
    assert talk.refused("play", player="%s", cards=["mill"]) == "wrong_suit AS-10"
    talk.ok("promise", player="{player}")
    assert talk.explained("castle")


def test_a_run_that_is_none_cites_its_own_clause_and_a_wrong_suit_after_the_excuse_the_excuse_s(talk):
    talk.ok("exchanged")
    assert (
        talk.refused("play", player="Ann", cards=["desert", "mountain", "castle"])
        == "not_a_combination AS-12"
    )
    assert talk.refused("play", player="Ann", cards=["desert", "mountain"]) == "not_a_combination AS-11"
    talk.ok("play", player="Ann", cards=["castle"])
    talk.ok("play", player="Ben", cards=["excuse"])
    assert talk.refused("play", player="Cy", cards=["mill"]) == "wrong_suit AS-16"
