"""AS-30: promises, what they win and what they cost."""

from fractions import Fraction

import pytest

from tests.rules.ascend.ascend_talk import FOUR, THREE, passes, play, refusal, table
from tests.rules.ascend.hands import Hand, bid_and_play, one_hand
from tests.rules.talk import Talk


def test_the_target_is_50_and_75_with_bidding_unless_chosen():
    assert Talk("ascend", THREE).view["target"] == 50
    assert Talk("ascend", THREE, bidding=True).view["target"] == 75
    assert Talk("ascend", THREE, bidding=True, target=20).view["target"] == 20
    assert Talk("ascend", THREE, bidding=False).view["target"] == 50


def test_a_promise_is_made_right_after_playing_and_is_worth_the_cards_left():
    talk = table(bidding=True)
    play(talk, "Ann", "castle")
    assert "promise Ann" in talk.waiting
    talk.ok("promise", player="Ann")
    assert talk.view["promise"] == {"player": "Ann", "worth": 14}
    assert "promise Ann" not in talk.waiting


@pytest.mark.parametrize("then", ["pass", "play"])
def test_a_promise_waits_only_until_the_next_play_or_pass(then):
    talk = table(bidding=True)
    play(talk, "Ann", "desert")
    assert refusal(talk, "Ben", "mill").startswith("wrong_suit")  # refused: nothing was accepted
    assert talk.refused("promise", player="Ben") == "no_promise AS-30"
    if then == "pass":
        passes(talk, "Ben")
    else:
        play(talk, "Ben", "painter")
    assert talk.refused("promise", player="Ann") == "no_promise AS-30"


def test_no_promise_while_one_stands_nor_after_the_mountain_nor_once_a_player_is_out():
    talk = table(bidding=True)
    play(talk, "Ann", "forest")
    talk.ok("promise", player="Ann")
    assert talk.refused("promise", player="Ann") == "no_promise AS-30"
    talk = table(bidding=True)
    play(talk, "Ann", "mountain")
    assert talk.events[1] == {"type": "mountain_played", "player": "Ann"}
    assert talk.refused("promise", player="Ann") == "no_promise AS-30"
    play(talk, "Ben", "diplomat")
    assert talk.refused("promise", player="Ben") == "no_promise AS-30"


def test_once_a_player_is_out_nobody_promises():
    talk = Talk("ascend", THREE, bidding=True)
    hand = Hand(talk)
    hand.lead("Ann", 14)
    hand.play("Ann", hand.left[-1])
    assert talk.refused("promise", player="Ann") == "no_promise AS-30"
    hand.pass_round()
    hand.play("Ben", hand.left[-1])
    assert talk.refused("promise", player="Ben") == "no_promise AS-30"


def test_without_bidding_there_are_no_promises():
    talk = table()
    play(talk, "Ann", "mountain")
    assert [event["type"] for event in talk.events] == ["combination_played", "turn_passed"]
    assert talk.refused("promise", player="Ann") == "no_promise AS-30"
    assert talk.refused("promise", player="Ben") == "no_promise AS-30"


def explained(talk, player):
    rows = talk.reply("explain", player=player)["explanation"]
    points = next(row["points"] for row in talk.view["players"] if row["name"] == player)
    assert sum(Fraction(row["points"]) for row in rows) == Fraction(points)
    return [row["points"] for row in rows]


def test_a_kept_promise_wins_its_worth_and_places_score_8_4_0():
    talk = Talk("ascend", THREE, bidding=True)
    bid_and_play(talk, ["Ann", "Ben", "Cy"], after=9)
    assert talk.column("points") == [14, 4, 0]
    assert explained(talk, "Ann") == [8, 6]


def test_a_broken_promise_is_shared_by_the_opponents_in_exact_fractions():
    talk = Talk("ascend", FOUR, bidding=True)
    bid_and_play(talk, ["Ben", "Ann", "Cy", "Dee"], after=4)
    assert talk.column("points") == [4, "25/3", "13/3", "7/3"]
    assert explained(talk, "Dee") == [0, "7/3"]
    assert explained(talk, "Ann") == [4, 0]


def test_with_the_option_floor_the_remainder_is_dropped():
    talk = Talk("ascend", FOUR, bidding=True, shares="floor")
    bid_and_play(talk, ["Ben", "Ann", "Cy", "Dee"], after=4)
    assert talk.column("points") == [4, 8, 4, 2]
    reasons = talk.reply("explain", player="Dee")["explanation"]
    assert "shares=floor" in reasons[1]["text"]


def test_a_share_without_remainder_is_a_whole_number():
    talk = Talk("ascend", THREE, bidding=True)
    bid_and_play(talk, ["Ben", "Cy", "Ann"], after=5)
    assert talk.column("points") == [0, 13, 9]


def test_points_that_are_fractions_rank_and_win():
    talk = Talk("ascend", FOUR, bidding=True, target=8)
    bid_and_play(talk, ["Ben", "Ann", "Cy", "Dee"], after=4)
    assert talk.view["result"]["ranking"][0] == {"player": "Ben", "points": "25/3", "rank": 1}
    assert [row["points"] for row in talk.view["result"]["ranking"]] == ["25/3", "13/3", 4, "7/3"]


def test_in_a_hand_without_a_promise_the_places_score_as_ever():
    talk = Talk("ascend", THREE, bidding=True)
    one_hand(talk, ["Ann", "Ben", "Cy"])
    assert talk.column("points") == [9, 4, 0]
