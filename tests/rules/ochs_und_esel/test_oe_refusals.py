"""What the referee of Ochs & Esel refuses, with which code, and which fault it names first."""

import pytest

from tests.rules.ochs_und_esel.test_oe_rounds import play, refused, short_hand, table
from tests.rules.talk import Talk

TABLE = ["Ann", "Ben", "Cy"]


@pytest.mark.parametrize("names", [["Ann", "Ben"], list("ABCDEFGHIJKLM")])
def test_players_three_to_twelve(names):
    assert table().refused("start", game="ochs_und_esel", players=names) == "bad_players"


@pytest.mark.parametrize(
    ("players", "options", "clause"),
    [
        (3, {"deal": 37}, "OE-2"),
        (12, {"deal": 10}, "OE-2"),
        (3, {"deal": 0}, "OE-2"),
        (3, {"deal": True}, "OE-2"),
        (3, {"deal": "13"}, "OE-2"),
        (3, {"rounds": 0}, "OE-9"),
        (3, {"rounds": 2.5}, "OE-9"),
        (3, {"ox": 1}, "OE-20"),
        (3, {"ox": None}, "OE-20"),
    ],
)
def test_options_that_do_not_fit(players, options, clause):
    names = list("ABCDEFGHIJKL"[:players])
    refusal = table().refused("start", game="ochs_und_esel", players=names, options=options)
    assert refusal == f"bad_option {clause}"


@pytest.mark.parametrize(
    "fields",
    [
        {"do": "play", "player": "Ann", "cards": "7"},
        {"do": "play", "player": "Ann", "cards": [7]},
        {"do": "play", "cards": ["7"]},
        {"do": "pass"},
        {"do": "hand", "player": "Ann"},
        {"do": "offer", "player": "Ann"},
    ],
)
def test_a_request_of_another_shape(fields):
    assert table().refused(**fields) == "bad_request"


def test_player_comes_before_phase_and_phase_before_turn():
    talk = table()
    assert talk.refused("hand", player="Zoe", cards=[]) == "unknown_player"
    assert talk.refused("hand", player="Ann", cards=["14"]) == "wrong_phase"
    assert talk.refused("play", player="Ben", cards=["14"]) == "not_your_turn OE-4"
    assert talk.refused("pass", player="Cy") == "not_your_turn OE-4"
    assert talk.refused("play", player="Ann", cards=["14"]) == "unknown_card OE-1"


@pytest.mark.parametrize(
    ("cards", "code"),
    [
        ("0", "unknown_card OE-1"),
        ("ox 14", "unknown_card OE-1"),
        ("ox 3 4", "not_holding OE-20"),
        ("donkey ox", "not_holding OE-20"),
        ("donkey 3 4", "animal_barred OE-7"),
        ("donkey donkey", "animal_barred OE-7"),
        ("", "not_a_set OE-4"),
        ("3 4 joker", "not_a_set OE-4"),
        ("7 7 7 7 7 7 7 7 7 7 7 7 7 7", "not_enough_cards OE-4"),
        ("7 7 7 7 7 7 7 7 7", "impossible_cards OE-1"),
        ("joker joker joker joker joker", "impossible_cards OE-1"),
    ],
)
def test_of_several_faults_of_a_lead_the_first_is_named(cards, code):
    assert refused(table(), f"Ann {cards}") == code


@pytest.mark.parametrize(
    ("cards", "code"),
    [
        ("ox 3", "not_holding OE-20"),
        ("donkey", "animal_barred OE-7"),
        ("5 6 7", "not_a_set OE-4"),
        ("4 4 4", "wrong_count OE-4"),
        ("3", "wrong_count OE-4"),
        ("6 6", "too_low OE-4"),
        ("joker 6", "too_low OE-4"),
    ],
)
def test_of_several_faults_of_a_follower_the_first_is_named(cards, code):
    talk = table(deal=4)
    play(talk, "Ann donkey", "Ben 13", "Cy 1", "Ben 2", "Cy 3", "Ann -", "Cy 6 6", "Ann -")
    assert refused(talk, f"Ben {cards}") == code


def test_animals_held_are_none_of_the_cards_that_can_be_played_together():
    talk = table(deal=2)
    assert talk.column("hand")[0] == 3
    assert refused(talk, "Ann 7 7 7") == "not_enough_cards OE-4"


def test_strength_comes_before_the_size_of_the_hand_and_that_before_the_deck():
    talk = table(deal=9)
    play(talk, "Ann 1 1 1 1 1", "Ben -", "Cy 2 2 2 2 2", "Cy 3", "Ann -", "Ben 4", "Ben 5 5 5 5 5")
    assert talk.column("hand") == [5, 3, 3]
    assert refused(talk, "Cy 4 4 4 4 4") == "too_low OE-4"
    assert refused(talk, "Cy 6 6 6 6 6") == "not_enough_cards OE-4"
    assert refused(talk, "Cy joker joker joker joker joker") == "not_enough_cards OE-4"


def test_cards_shed_in_this_hand_cannot_come_again():
    talk = table()
    play(talk, "Ann 7 7 7 7 7", "Ben -", "Cy -")
    assert refused(talk, "Ann 7 7 7 7") == "impossible_cards OE-1"
    play(talk, "Ann 7 7 7")
    assert refused(talk, "Ben joker joker joker joker joker") == "wrong_count OE-4"


def test_cards_of_a_donkey_trick_on_the_table_are_out_of_hands_until_they_are_taken():
    talk = table()
    play(talk, "Ann 7 7 7 7 7 7 7", "Ben -", "Cy -", "Ann donkey", "Ben 7")
    assert refused(talk, "Cy 7") == "impossible_cards OE-1"
    play(talk, "Cy 6")
    assert talk.view["donkey"] == "Ben"
    play(talk, "Ben 7")


def test_cards_in_front_of_the_ox_s_taker_are_out_of_hands():
    talk = table(ox=True)
    play(talk, "Ann 1", "Ben 2", "Cy 3", "Cy 5", "Ann -", "Ben -", "Cy ox", "Ann 7", "Ben 8")
    assert refused(talk, "Ben 8 8 8 8 8 8 8 8") == "impossible_cards OE-1"
    assert refused(talk, "Ben 7 7 7 7 7 7 7 7") == "impossible_cards OE-1"
    play(talk, "Ben 7 7 7 7 7 7 7")


def test_a_new_hand_begins_with_the_whole_deck():
    talk = table(deal=8, rounds=2)
    play(talk, "Ann 1", "Ben 7", "Cy -", "Ben 7 7 7 7 7 7 7", "Cy -", "Ann -")
    assert talk.refused("hand", player="Cy", cards=["7"] + ["1"] * 7) == "impossible_cards OE-1"
    play(talk, "Cy: 2 2 2 2 2 2 2 2", "Ann: 3 3 3 3 3 3 3 donkey")
    assert talk.view["hand_number"] == 2
    play(talk, "Ann 7 7 7 7 7 7 7 7")


def test_faults_of_a_counted_hand_in_order():
    talk = short_hand(rounds=2)
    assert talk.refused("play", player="Ben", cards=["9"]) == "wrong_phase"
    assert talk.refused("pass", player="Ben") == "wrong_phase"
    assert talk.refused("hand", player="Ann", cards=[]) == "not_your_turn OE-9"
    assert talk.refused("hand", player="Ben", cards=["cow"]) == "unknown_card OE-1"
    assert talk.refused("hand", player="Ben", cards=["ox", "ox"]) == "bad_count OE-9"
    assert talk.refused("hand", player="Ben", cards=["9", "2", "3"]) == "not_holding OE-9"
    assert talk.refused("hand", player="Ben", cards=["9", "donkey", "ox"]) == "not_holding OE-9"
    assert talk.refused("hand", player="Ben", cards=["9", "donkey", "donkey"]) == "not_holding OE-9"
    assert talk.refused("hand", player="Cy", cards=["donkey"]) == "not_holding OE-9"
    play(talk, "Cy: 9")
    assert talk.refused("hand", player="Cy", cards=["ox"]) == "already_done OE-9"
    play(talk, "Ben: 9 9 donkey")


def test_hands_counted_already_are_out_of_the_deck():
    talk = table(deal=9)
    play(talk, "Ann 1", "Ben 3", "Cy -", "Ben 2 2 2 2 2 2 2 2", "Cy -", "Ann -")
    assert talk.waiting == ["hand Ann", "hand Cy"]
    play(talk, "Cy: 5 5 5 5 5 5 joker joker joker")
    assert (
        talk.refused("hand", player="Ann", cards=["5"] * 3 + ["8"] * 5 + ["donkey"])
        == "impossible_cards OE-1"
    )
    assert (
        talk.refused("hand", player="Ann", cards=["joker"] * 2 + ["8"] * 6 + ["donkey"])
        == "impossible_cards OE-1"
    )
    play(talk, "Ann: 5 5 joker 8 8 8 8 8 donkey")


def test_nothing_but_questions_after_the_end():
    talk = short_hand(rounds=1)
    play(talk, "Ben: 9 2 donkey", "Cy: 1")
    assert talk.refused("hand", player="Ben", cards=[]) == "game_over"
    assert talk.refused("play", player="Zoe", cards=[]) == "game_over"
    assert sum(row["points"] for row in talk.explained("Ben")) == 31


def test_a_refusal_says_the_numbers():
    talk = table()
    play(talk, "Ann 4 4")
    assert talk.reply("play", player="Ben", cards=["4", "4"])["error"]["message"] == (
        "4 doesn't beat 4: play a higher value, or pass."
    )
    assert Talk("ochs_und_esel", TABLE).reply("pass", player="Ann")["error"]["message"] == (
        "Ann leads this trick and can't pass."
    )
