"""Worked rounds of DTC, clause by clause."""

import pytest

from tests.rules.talk import Talk

TABLE = ["Ann", "Ben", "Cy"]


def table(players=TABLE, **options):
    return Talk("dtc", list(players), **options)


def offer(talk, player, count, value):
    return talk.ok("offer", player=player, count=count, value=value)


def challenged(talk, player, cards):
    talk.ok("challenge", player=player)
    return talk.ok("reveal", cards=cards)


@pytest.mark.parametrize(("players", "pile"), [(2, 54), (3, 48), (4, 42), (5, 36), (6, 30)])
def test_six_cards_each_and_the_rest_is_the_draw_pile(players, pile):
    talk = table("ABCDEF"[:players])
    assert talk.column("hand") == [6] * players
    assert talk.view["draw_pile"] == pile


def test_the_first_player_named_is_the_first_giver():
    assert table().waiting == ["offer Ann"]


def test_an_offer_goes_to_the_left_and_waits_for_an_answer():
    talk = table()
    offer(talk, "Ann", 3, 4)
    assert talk.view["phase"] == "answer"
    assert talk.view["offer"] == {"giver": "Ann", "challenger": "Ben", "count": 3, "value": 4}
    assert talk.view["to_beat"] is None
    assert talk.waiting == ["accept Ben", "challenge Ben"]


def test_the_giver_draws_back_up_to_six_before_the_answer():
    talk = table()
    offer(talk, "Ann", 4, 1)
    assert talk.column("hand") == [6, 6, 6]
    assert talk.view["draw_pile"] == 44


def test_a_giver_who_still_holds_six_draws_nothing():
    talk = table()
    offer(talk, "Ann", 6, 1)
    talk.ok("accept", player="Ben")
    assert talk.column("hand") == [6, 12, 6]
    offer(talk, "Ben", 6, 2)
    assert talk.column("hand") == [6, 6, 6]
    assert talk.view["draw_pile"] == 42


def test_who_accepts_holds_the_cards_and_must_offer_more_to_the_next():
    talk = table()
    offer(talk, "Ann", 2, 3)
    talk.ok("accept", player="Ben")
    assert talk.column("hand") == [6, 8, 6]
    assert talk.view["offer"] is None
    assert talk.view["to_beat"] == {"count": 2, "value": 3}
    assert talk.waiting == ["offer Ben"]


@pytest.mark.parametrize(
    ("count", "value", "stronger"),
    [(2, 3, False), (2, 2, False), (1, 6, False), (2, 4, True), (2, 6, True), (3, 1, True), (8, 3, True)],
)
def test_a_stronger_offer_is_as_many_of_a_higher_value_or_more_of_any(count, value, stronger):
    talk = table()
    offer(talk, "Ann", 2, 3)
    talk.ok("accept", player="Ben")
    if stronger:
        offer(talk, "Ben", count, value)
    else:
        assert talk.refused("offer", player="Ben", count=count, value=value) == "offer_too_low DTC-5"


def test_the_table_turns_the_cards_up_after_a_challenge():
    talk = table()
    offer(talk, "Ann", 2, 3)
    talk.ok("challenge", player="Ben")
    assert talk.view["phase"] == "reveal"
    assert talk.view["offer"]["count"] == 2
    assert talk.waiting == ["reveal table"]


@pytest.mark.parametrize("cards", [["3", "3", "3"], ["joker", "3", "joker"], ["joker"] * 3])
def test_a_true_offer_costs_the_challenger(cards):
    talk = table()
    offer(talk, "Ann", 3, 3)
    challenged(talk, "Ben", cards)
    assert talk.column("points") == [0, 3, 0]
    assert talk.waiting == ["offer Ben"]
    assert talk.view["offer"] is None
    assert talk.view["to_beat"] is None


def test_a_bluff_costs_the_giver_who_offers_anew_whatever_they_like():
    talk = table()
    offer(talk, "Ann", 3, 3)
    challenged(talk, "Ben", ["3", "3", "4"])
    assert talk.column("points") == [3, 0, 0]
    offer(talk, "Ann", 1, 1)
    assert talk.view["offer"]["challenger"] == "Ben"


@pytest.mark.parametrize(
    ("variant", "cards", "true"),
    [
        ("off", ["5", "5"], False),
        ("all_higher", ["5", "6"], True),
        ("all_higher", ["5", "joker"], True),
        ("all_higher", ["4", "5"], False),
        ("all_higher", ["4", "joker"], True),
        ("all_higher", ["5", "3"], False),
        ("at_least", ["4", "5"], True),
        ("at_least", ["6", "5"], True),
        ("at_least", ["6", "3"], False),
        ("at_least", ["joker", "joker"], True),
    ],
)
def test_the_variant_lets_higher_cards_count_as_true(variant, cards, true):
    talk = table(variant=variant)
    offer(talk, "Ann", 2, 4)
    challenged(talk, "Ben", cards)
    assert talk.column("points") == ([0, 2, 0] if true else [2, 0, 0])


def test_an_explanation_names_the_variant_only_where_it_decided():
    talk = table(variant="at_least")
    offer(talk, "Ann", 2, 4)
    challenged(talk, "Ben", ["5", "6"])
    offer(talk, "Ben", 1, 4)
    challenged(talk, "Cy", ["4"])
    [ben], [cy] = talk.explained("Ben"), talk.explained("Cy")
    assert ben["clauses"] == ["DTC-7", "DTC-8"]
    assert "at_least" in ben["text"]
    assert cy["clauses"] == ["DTC-7"]
    assert "at_least" not in cy["text"]


def with_an_empty_pile():
    """Two players after eight lost challenges of six cards: the pile has just run out, and Ben, who
    holds 12, must beat six ones."""
    talk = table(["Ann", "Ben"])
    rows = [[str(value)] * 6 for value in range(1, 7)]
    rows += [["1", "1", "1", "joker", "joker", "joker"], ["2", "2", "2", "joker", "joker", "joker"]]
    giver, challenger = "Ann", "Ben"
    for cards in rows:
        offer(talk, giver, 6, int(cards[0]))
        challenged(talk, challenger, cards)
        giver, challenger = challenger, giver
    assert (talk.view["draw_pile"], talk.column("points")) == (6, [24, 24])
    offer(talk, "Ann", 6, 1)
    talk.ok("accept", player="Ben")
    assert (talk.view["draw_pile"], talk.column("hand")) == (0, [6, 12])
    return talk


def test_a_value_of_six_cannot_be_accepted_with_an_otherwise_empty_hand():
    talk = with_an_empty_pile()
    offer(talk, "Ben", 12, 6)
    talk.ok("accept", player="Ann")
    offer(talk, "Ann", 13, 6)
    assert talk.waiting == ["challenge Ben"]
    assert talk.refused("accept", player="Ben") == "cannot_accept DTC-6"


def test_a_lower_value_can_be_accepted_with_an_empty_hand_for_a_higher_one_can_follow():
    talk = with_an_empty_pile()
    offer(talk, "Ben", 12, 1)
    talk.ok("accept", player="Ann")
    offer(talk, "Ann", 13, 5)
    assert talk.waiting == ["accept Ben", "challenge Ben"]
    talk.ok("accept", player="Ben")
    assert talk.refused("offer", player="Ben", count=13, value=5) == "offer_too_low DTC-5"
    assert talk.refused("offer", player="Ben", count=14, value=1) == "too_many_cards DTC-3"
    offer(talk, "Ben", 13, 6)


def test_a_value_of_six_can_be_accepted_by_who_holds_another_card():
    talk = table()
    offer(talk, "Ann", 6, 6)
    assert talk.waiting == ["accept Ben", "challenge Ben"]


def test_without_a_pile_play_goes_on_without_drawing():
    talk = with_an_empty_pile()
    offer(talk, "Ben", 8, 2)
    assert talk.column("hand") == [6, 4]
    assert talk.view["last_challenge"] is True
    talk.ok("accept", player="Ann")
    assert talk.waiting == ["offer Ann"]


def test_the_last_challenge_ends_the_game_and_hands_join_the_penalties():
    talk = with_an_empty_pile()
    offer(talk, "Ben", 8, 3)
    talk.ok("challenge", player="Ann")
    assert talk.events == [{"type": "offer_challenged", "player": "Ann", "last": True}]
    talk.ok("reveal", cards=["3", "3", "3", "4", "4", "4", "5", "5"])
    assert talk.view["phase"] == "game_over"
    assert talk.column("hand") == [0, 0]
    assert talk.column("points") == [24 + 6, 24 + 8 + 4]
    assert talk.waiting == []
    assert talk.view["result"] == {
        "winners": ["Ann"],
        "ranking": [
            {"player": "Ann", "points": 30, "rank": 1},
            {"player": "Ben", "points": 36, "rank": 2},
        ],
    }
    assert [row["points"] for row in talk.explained("Ben")] == [6, 6, 6, 6, 8, 4]
    assert talk.refused("offer", player="Ben", count=1, value=1) == "game_over"


def test_an_offer_that_was_pending_when_the_pile_ran_out_can_end_the_game():
    talk = with_an_empty_pile()
    talk.ok("undo")
    assert talk.view["phase"] == "answer"
    assert talk.view["draw_pile"] == 0
    challenged(talk, "Ben", ["3", "3", "3", "4", "4", "4"])
    assert talk.view["phase"] == "game_over"
    assert talk.column("points") == [24 + 6 + 6, 24 + 6]


def test_a_tie_is_shared():
    talk = with_an_empty_pile()
    talk.ok("undo")
    talk.ok("undo")
    offer(talk, "Ann", 5, 3)
    challenged(talk, "Ben", ["3", "3", "3", "4", "4"])
    assert (talk.view["draw_pile"], talk.column("points")) == (1, [29, 24])
    offer(talk, "Ann", 3, 5)
    assert (talk.view["draw_pile"], talk.column("hand")) == (0, [4, 6])
    challenged(talk, "Ben", ["5", "5", "5"])
    assert talk.view["result"] == {
        "winners": ["Ann", "Ben"],
        "ranking": [
            {"player": "Ann", "points": 33, "rank": 1},
            {"player": "Ben", "points": 33, "rank": 1},
        ],
    }


def test_a_game_is_told_by_its_end_and_all_66_cards_are_with_somebody():
    talk = table(hands_only=True)
    assert talk.refused("offer", player="Ann", count=1, value=2) == "wrong_phase"
    for wrong in (-1, 67):
        assert talk.refused("count", player="Ben", cards=wrong) == "bad_count DTC-11"
    talk.ok("count", player="Ben", cards=20)
    assert talk.waiting == ["count Ann", "count Cy"]
    assert talk.refused("count", player="Ben", cards=20) == "already_done DTC-11"
    assert talk.refused("count", player="Ann", cards=47) == "bad_count DTC-11"
    talk.ok("count", player="Ann", cards=26)
    assert [one["cards"] for one in talk.reply("legal", player="Cy")["legal"]] == [20]
    assert talk.refused("count", player="Cy", cards=19) == "bad_count DTC-11"
    assert talk.ok("count", player="Cy", cards=20)["result"]["winners"] == ["Ben", "Cy"]
    assert [row["points"] for row in talk.explained("Ann")] == [26]
