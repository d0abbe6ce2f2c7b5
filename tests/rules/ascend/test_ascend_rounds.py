"""Worked tricks and hands of Ascend, clause by clause."""

import pytest

from companion.games.ascend import GAME
from tests.rules.ascend.ascend_talk import FOUR, THREE, passes, play, refusal, table, trick
from tests.rules.ascend.hands import Hand, one_hand
from tests.rules.talk import Talk

# AS-1 to AS-4


@pytest.mark.parametrize(
    ("players", "deck", "hand"),
    [(THREE, "extended", 15), (FOUR, "extended", 11), (THREE, "basic", 12), (FOUR, "basic", 9)],
)
def test_the_deck_is_dealt_evenly(players, deck, hand):
    talk = Talk("ascend", players, deck=deck)
    assert talk.column("hand") == [hand] * len(players)
    assert (talk.view["phase"], talk.view["hand_number"], talk.view["leader"]) == ("exchange", 1, "Ann")
    assert talk.waiting == ["exchanged table"]


def test_the_first_player_leads_and_must_play():
    talk = table()
    assert talk.waiting == ["play Ann"]
    assert talk.refused("pass", player="Ann") == "must_lead AS-4"
    play(talk, "Ann", "castle")
    assert talk.waiting == ["play Ben", "pass Ben"]
    assert talk.column("hand") == [14, 15, 15]


def test_who_passed_may_play_later_in_the_same_trick():
    talk = table()
    play(talk, "Ann", "desert")
    passes(talk, "Ben")
    play(talk, "Cy", "painter")
    passes(talk, "Ann")
    play(talk, "Ben", "castle")
    assert trick(talk) == "Ben: single of 1, 7"


def test_a_trick_ends_when_all_others_have_passed_in_a_row():
    talk = table()
    play(talk, "Ann", "desert")
    passes(talk, "Ben")
    play(talk, "Cy", "painter")
    passes(talk, "Ann", "Ben")
    assert talk.view["trick"] is None
    assert (talk.view["leader"], talk.waiting) == ("Cy", ["play Cy"])


# AS-10, AS-16: singles


def test_a_single_shares_a_suit_with_the_first_card_and_is_as_high_as_the_last():
    talk = table()
    play(talk, "Ann", "castle")  # suns knots
    assert refusal(talk, "Ben", "mill").startswith("wrong_suit: This card has no suit in common")
    assert refusal(talk, "Ben", "desert") == (
        "does_not_beat: That is a single card, rank 2, which doesn't beat a single card, rank 7. "
        "Play one card, rank 7 or higher, in one of these suits: Suns and Knots; or the Excuse."
    )
    play(talk, "Ben", "diplomat")  # moons suns: the first card binds, not this one
    assert refusal(talk, "Cy", "end").startswith("wrong_suit")
    play(talk, "Cy", "windfall")
    assert trick(talk) == "Cy: single of 1, crown"


def test_the_excuse_leads_and_the_next_card_sets_the_suit():
    talk = table()
    play(talk, "Ann", "excuse")
    assert trick(talk) == "Ann: single of 1, excuse"
    passes(talk, "Ben")
    play(talk, "Cy", "author")  # moons knots
    assert refusal(talk, "Ann", "origin").startswith("wrong_suit")
    play(talk, "Ann", "journey")


def test_the_excuse_goes_on_any_single_and_the_next_follows_the_card_before_it_at_any_rank():
    talk = table()
    play(talk, "Ann", "castle")  # suns knots
    play(talk, "Ben", "diplomat")  # moons suns
    play(talk, "Cy", "excuse")
    assert trick(talk) == "Cy: single of 1, excuse"
    assert refusal(talk, "Ann", "merchant") == (
        "wrong_suit: This card has no suit in common with the one that sets this trick's suit. "
        "After the Excuse, play one card of any rank in one of these suits: Moons and Suns."
    )
    passes(talk, "Ann")  # a pass in between does not end this
    play(talk, "Ben", "journey")  # moons waves: low, and of none of the first card's suits
    assert refusal(talk, "Cy", "forest").startswith("wrong_suit")
    play(talk, "Cy", "mountain")  # suns: the first card's suit holds again
    assert trick(talk) == "Cy: single of 1, 4"


# AS-11, AS-12: sets and runs


def test_a_set_is_beaten_by_as_many_of_equal_or_higher_rank():
    talk = table()
    play(talk, "Ann", "castle cave")
    assert refusal(talk, "Ben", "mill betrayal diplomat").startswith(
        "wrong_count: That is a set of 3, rank 8; you need"
    )
    assert refusal(talk, "Ben", "forest discovery") == (
        "does_not_beat: That is a set of 2, rank 5, which doesn't beat a set of 2, rank 7. "
        "Play a set of 2, rank 7 or higher, or a bomb of 2."
    )
    play(talk, "Ben", "borderland harvest")
    play(talk, "Cy", "island rite")
    assert trick(talk) == "Cy: set of 2, court"


def test_an_equal_set_beats_too():
    talk = table()
    play(talk, "Ann", "ace_of_suns ace_of_moons")
    play(talk, "Ben", "ace_of_wyrms ace_of_knots")
    assert trick(talk) == "Ben: set of 2, ace"


def test_a_run_is_beaten_by_one_as_long_of_equal_or_higher_rank():
    talk = table()
    play(talk, "Ann", "origin savage sailor")
    assert refusal(talk, "Ben", "mill merchant chance_meeting market").startswith("wrong_count")
    play(talk, "Ben", "journey mountain author")
    play(talk, "Cy", "castle diplomat ace_of_suns")
    assert trick(talk) == "Cy: run of 3, 9"
    assert refusal(talk, "Ann", "soldier battle painter").startswith("does_not_beat")


def test_sets_and_runs_do_not_mix_not_even_over_a_bomb():
    talk = table()
    play(talk, "Ann", "castle cave chance_meeting")
    assert refusal(talk, "Ben", "desert painter mountain") == (
        "sets_and_runs: That is a run of 3 up to 4, but sets and runs don't mix in one trick. "
        "Play a set of 3, rank 7 or higher, or a bomb of 3."
    )
    play(talk, "Ben", "author painter sailor")
    assert refusal(talk, "Cy", "origin savage ace_of_leaves").startswith("sets_and_runs")
    play(talk, "Cy", "forest discovery soldier")
    assert trick(talk) == "Cy: set of 3, 5"


# AS-13 to AS-15: bombs


def test_a_bomb_answers_any_set_of_as_many_cards_and_is_answered_by_a_higher_set():
    talk = table()
    play(talk, "Ann", "island rite")
    play(talk, "Ben", "soldier diplomat")
    assert trick(talk) == "Ben: bomb of 2, 5"
    assert refusal(talk, "Cy", "forest discovery") == (
        "does_not_beat: That is a set of 2, rank 5, which doesn't beat a bomb of 2, rank 5. "
        "Play a bomb of 2, rank 5 or higher, or a set of 2 above rank 5."
    )
    play(talk, "Cy", "market lunatic")
    assert trick(talk) == "Cy: set of 2, 6"


def test_a_bomb_is_answered_by_one_as_large_of_equal_or_higher_rank():
    talk = table()
    play(talk, "Ann", "painter merchant")
    assert refusal(talk, "Ben", "author bard").startswith("does_not_beat")
    play(talk, "Ben", "savage bard")
    assert trick(talk) == "Ben: bomb of 2, 3"
    assert refusal(talk, "Cy", "consul huntress light_keeper").startswith("wrong_count")


def test_a_bomb_may_lead_and_the_first_set_or_run_fixes_which():
    talk = table()
    play(talk, "Ann", "author painter sailor")
    play(talk, "Ben", "desert mountain ace_of_suns")
    assert trick(talk) == "Ben: run of 3, 4"
    assert refusal(talk, "Cy", "forest discovery soldier").startswith("sets_and_runs")


def test_a_bomb_with_the_excuse_is_the_lowest():
    talk = table()
    play(talk, "Ann", "island rite")
    play(talk, "Ben", "excuse bard")
    assert trick(talk) == "Ben: bomb of 2, excuse"
    play(talk, "Cy", "ace_of_suns ace_of_moons")
    assert trick(talk) == "Cy: set of 2, ace"


def test_no_bomb_answers_a_single():
    talk = table()
    play(talk, "Ann", "desert")
    assert refusal(talk, "Ben", "huntress bard").startswith("wrong_count")


# AS-20, AS-21: the end of a hand and of the game


def test_a_hand_ends_when_one_player_has_cards_left_and_scores_by_the_order_of_going_out():
    talk = Talk("ascend", THREE)
    hand = Hand(talk)
    hand.lead("Ann", 14)
    hand.play("Ann", "mill")
    assert talk.view["order_out"] == ["Ann"]
    assert talk.waiting == ["play Ben", "pass Ben"]
    hand.pass_round()
    assert talk.view["leader"] == "Ben"  # Ann is out: the next to her left leads
    hand.lead("Ben", 15)
    assert talk.column("points") == [9, 4, 0]
    assert (talk.view["phase"], talk.view["hand_number"], talk.view["leader"]) == ("exchange", 2, "Ben")
    assert talk.column("hand") == [15, 15, 15]
    assert (talk.view["order_out"], talk.view["trick"], talk.view["promise"]) == ([], None, None)
    assert [row["points"] for row in talk.explained("Ann")] == [9]
    talk.ok("exchanged")
    play(talk, "Ben", "mill")  # a new hand: the cards are back


def test_the_last_card_of_a_hand_needs_no_more_passes():
    talk = Talk("ascend", THREE)
    hand = Hand(talk)
    hand.lead("Ann", 15)
    hand.lead("Ben", 14)
    hand.play("Ben", hand.left[-1])
    assert [event["type"] for event in talk.events][-3:] == ["player_went_out", "hand_scored", "hand_began"]


def test_four_players_score_7_4_2_0():
    talk = Talk("ascend", FOUR)
    one_hand(talk, ["Ann", "Dee", "Ben", "Cy"])
    assert talk.column("points") == [7, 2, 0, 4]


def test_the_deal_moves_on_each_hand():
    talk = Talk("ascend", THREE)
    leaders = []
    for _ in range(4):
        leaders.append(talk.view["leader"])
        one_hand(talk, ["Ann", "Ben", "Cy"])
    assert leaders == ["Ann", "Ben", "Cy", "Ann"]


def test_the_game_ends_when_somebody_reaches_the_target():
    talk = Talk("ascend", THREE, target=10)
    one_hand(talk, ["Ann", "Ben", "Cy"])
    assert talk.view["result"] is None
    one_hand(talk, ["Ann", "Cy", "Ben"])
    assert (talk.view["phase"], talk.view["waiting_for"]) == ("game_over", [])
    assert talk.view["result"] == {
        "winners": ["Ann"],
        "ranking": [
            {"player": "Ann", "points": 18, "rank": 1},
            {"player": "Ben", "points": 4, "rank": 2},
            {"player": "Cy", "points": 4, "rank": 2},
        ],
    }
    assert talk.refused("exchanged") == "game_over"
    assert talk.explained("Ann")[-1]["clauses"] == ["AS-21"]


def test_after_a_tie_at_the_target_hands_go_on_until_one_leads_alone():
    talk = Talk("ascend", THREE, target=9)
    talk2 = Talk("ascend", FOUR, target=11)
    one_hand(talk, ["Cy", "Ann", "Ben"])
    assert talk.view["phase"] == "game_over"
    one_hand(talk2, ["Ann", "Ben", "Cy", "Dee"])
    one_hand(talk2, ["Ben", "Ann", "Cy", "Dee"])
    assert talk2.column("points") == [11, 11, 4, 0]
    assert talk2.view["phase"] == "exchange"
    state = talk2.referee.session.state
    [tie] = [one.text for one in GAME.explain_round(state) if one.text.code == "report.tie"]
    assert tie.args == {"players": ("Ann", "Ben"), "points": "11"}
    one_hand(talk2, ["Cy", "Dee", "Ann", "Ben"])
    assert talk2.column("points") == [13, 11, 11, 4]
    assert talk2.view["result"]["winners"] == ["Ann"]
