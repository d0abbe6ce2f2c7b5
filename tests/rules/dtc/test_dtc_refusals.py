"""What the referee of DTC refuses, with which code, and which fault it names first."""

import pytest

from tests.rules.talk import Talk


@pytest.fixture
def talk():
    return Talk("dtc", ["Ann", "Ben", "Cy"])


def test_players_two_to_six():
    assert Talk("dtc", list("AB")).view["players"]
    for names in (["Ann"], list("ABCDEFG")):
        assert Talk("dtc", list("AB")).refused("start", game="dtc", players=names) == "bad_players"


@pytest.mark.parametrize("options", [{"variant": "lower"}, {"variant": True}, {"variant": None}, {"deal": 5}])
def test_options_that_do_not_fit(talk, options):
    assert talk.refused("start", game="dtc", players=["Ann", "Ben"], options=options).startswith("bad_option")


@pytest.mark.parametrize(
    "fields",
    [
        {"do": "offer", "player": "Ann", "count": 1},
        {"do": "offer", "player": "Ann", "count": "1", "value": 1},
        {"do": "offer", "player": "Ann", "count": True, "value": 1},
        {"do": "offer", "player": "Ann", "count": 1.5, "value": 1},
        {"do": "offer", "count": 1, "value": 1},
        {"do": "accept"},
        {"do": "reveal", "cards": "joker"},
        {"do": "reveal", "cards": [2]},
        {"do": "reveal"},
        {"do": "play", "player": "Ann"},
    ],
)
def test_a_request_of_another_shape(talk, fields):
    assert talk.refused(**fields) == "bad_request"


def test_shape_comes_before_player_and_player_before_phase_and_phase_before_turn(talk):
    assert talk.refused("accept", player=7) == "bad_request"
    assert talk.refused("accept", player="Zoe") == "unknown_player"
    assert talk.refused("accept", player="Ann") == "wrong_phase"
    assert talk.refused("reveal", cards=["7"]) == "wrong_phase"
    assert talk.refused("offer", player="Ben", count=0, value=9) == "not_your_turn DTC-3"


def test_of_several_faults_of_an_offer_the_value_comes_first_then_the_hand_then_the_strength(talk):
    talk.ok("offer", player="Ann", count=6, value=6)
    talk.ok("accept", player="Ben")
    for count, value in [(0, 3), (-2, 3), (3, 0), (3, 7), (20, 7)]:
        assert talk.refused("offer", player="Ben", count=count, value=value) == "bad_value DTC-3"
    assert talk.refused("offer", player="Ben", count=13, value=1) == "too_many_cards DTC-3"
    assert talk.refused("offer", player="Ben", count=1, value=1) == "offer_too_low DTC-5"


def test_only_the_challenger_answers(talk):
    talk.ok("offer", player="Ann", count=1, value=1)
    for do in ("accept", "challenge"):
        assert talk.refused(do, player="Ann") == "not_your_turn DTC-3"
        assert talk.refused(do, player="Cy") == "not_your_turn DTC-3"
    assert talk.refused("offer", player="Ben", count=1, value=1) == "wrong_phase"


def test_faults_of_a_reveal(talk):
    talk.ok("offer", player="Ann", count=3, value=1)
    talk.ok("challenge", player="Ben")
    assert talk.refused("accept", player="Ben") == "wrong_phase"
    assert talk.refused("reveal", cards=["0"]) == "unknown_card DTC-1"
    assert talk.refused("reveal", cards=["Joker", "1", "1"]) == "unknown_card DTC-1"
    assert talk.refused("reveal", cards=["1", "1"]) == "bad_count DTC-3"
    assert talk.refused("reveal", cards=["1", "1", "1", "1"]) == "bad_count DTC-3"
    talk.ok("reveal", cards=["1", "1", "1"])


def test_more_cards_of_a_value_than_the_deck_holds_cannot_be(talk):
    for _ in range(2):
        giver, challenger = (talk.view["waiting_for"][0]["player"], None)
        challenger = {"Ann": "Ben", "Ben": "Cy", "Cy": "Ann"}[giver]
        talk.ok("offer", player=giver, count=4, value=2)
        talk.ok("challenge", player=challenger)
        talk.ok("reveal", cards=["2"] * 4)
    talk.ok("offer", player="Cy", count=2, value=2)
    talk.ok("challenge", player="Ann")
    assert talk.refused("reveal", cards=["2", "2"]) == "impossible_cards DTC-1"
    talk.ok("reveal", cards=["2", "joker"])


def test_a_refusal_says_the_numbers(talk):
    talk.ok("offer", player="Ann", count=2, value=4)
    talk.ok("accept", player="Ben")
    message = talk.reply("offer", player="Ben", count=2, value=3)["error"]["message"]
    assert message == (
        "An offer of two 3s doesn't beat two 4s. "
        "Offer as many cards of a higher value, or more cards of any value."
    )
