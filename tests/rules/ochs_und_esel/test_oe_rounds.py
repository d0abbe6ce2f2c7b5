"""Worked tricks and hands of Ochs & Esel, clause by clause."""

import pytest

from tests.rules.talk import Talk

TABLE = ["Ann", "Ben", "Cy"]


def table(players=TABLE, **options):
    return Talk("ochs_und_esel", list(players), **options)


def play(talk, *acts):
    """`Ann 7 7 joker` plays, `Ann -` passes, `Ann: 3 donkey` lays out what is left."""
    for act in acts:
        name, *cards = act.split()
        if name.endswith(":"):
            talk.ok("hand", player=name[:-1], cards=cards)
        elif cards == ["-"]:
            talk.ok("pass", player=name)
        else:
            talk.ok("play", player=name, cards=cards)
    return talk.view


def refused(talk, act):
    name, *cards = act.split()
    if cards == ["-"]:
        return talk.refused("pass", player=name)
    return talk.refused("play", player=name, cards=cards)


# OE-2, OE-3


@pytest.mark.parametrize(
    ("players", "cards"), [(3, 13), (4, 13), (8, 13), (9, 12), (10, 10), (11, 9), (12, 9)]
)
def test_the_deal_depends_on_the_number_of_players(players, cards):
    talk = table("ABCDEFGHIJKL"[:players])
    assert talk.column("hand") == [cards + 1] + [cards] * (players - 1)


def test_the_deal_can_be_chosen_as_far_as_the_cards_go():
    assert table(deal=36).column("hand") == [37, 36, 36]
    assert table(deal=1).column("hand") == [2, 1, 1]


def test_the_first_player_holds_the_donkey_and_leads():
    view = table().view
    assert (view["donkey"], view["leader"], view["ox"]) == ("Ann", "Ann", None)
    assert (view["hand_number"], view["hands"], view["trick"], view["trick_kind"]) == (1, 5, 1, None)


# OE-4, OE-5, OE-6


def test_each_plays_as_many_cards_of_a_higher_value_or_passes_once_a_trick():
    talk = table()
    play(talk, "Ann 4 4")
    assert talk.view["to_beat"] == {"count": 2, "value": 4}
    assert talk.waiting == ["play Ben", "pass Ben"]
    assert refused(talk, "Ben 4 4") == "too_low OE-4"
    assert refused(talk, "Ben 5") == "wrong_count OE-4"
    assert refused(talk, "Ben 5 5 5") == "wrong_count OE-4"
    assert refused(talk, "Ben 5 6") == "not_a_set OE-4"
    play(talk, "Ben 5 5", "Cy -")
    assert talk.column("hand") == [12, 11, 13]
    assert (talk.view["leader"], talk.view["trick"], talk.view["to_beat"]) == ("Ben", 2, None)
    assert talk.waiting == ["play Ben"]


def test_who_passes_is_not_asked_again_in_this_trick():
    talk = table()
    play(talk, "Ann 4", "Ben -", "Cy 5")
    assert talk.view["leader"] == "Cy"


def test_the_leader_leads_again_when_all_pass():
    talk = table()
    play(talk, "Ann 4", "Ben -", "Cy -")
    assert talk.view["leader"] == "Ann"


def test_a_joker_takes_the_value_of_the_cards_it_is_played_with():
    talk = table()
    play(talk, "Ann 4 joker")
    assert talk.view["to_beat"] == {"count": 2, "value": 4}
    play(talk, "Ben joker 5")
    assert talk.view["to_beat"] == {"count": 2, "value": 5}


def test_jokers_alone_are_fourteen_and_nothing_beats_them():
    talk = table()
    play(talk, "Ann 13 13", "Ben joker joker")
    assert talk.view["to_beat"] == {"count": 2, "value": 14}
    assert talk.waiting == ["play Cy", "pass Cy"]
    assert refused(talk, "Cy joker joker") == "too_low OE-5"
    assert refused(talk, "Cy 13 13") == "too_low OE-5"
    play(talk, "Cy -")
    assert talk.view["leader"] == "Ben"


# OE-7, OE-8


def test_in_a_donkey_trick_everybody_plays_one_card_and_the_highest_takes_all():
    talk = table()
    play(talk, "Ann donkey")
    assert (talk.view["trick_kind"], talk.view["donkey"], talk.view["to_beat"]) == ("donkey", None, None)
    assert talk.waiting == ["play Ben"]
    assert refused(talk, "Ben -") == "must_play OE-7"
    assert refused(talk, "Ben 3 3") == "wrong_count OE-7"
    play(talk, "Ben 3", "Cy 2")
    assert (talk.view["donkey"], talk.view["leader"], talk.view["trick"]) == ("Ben", "Ben", 2)
    assert talk.column("hand") == [13, 15, 12]


@pytest.mark.parametrize(
    ("ben", "cy", "taker"),
    [
        ("7", "7", "Cy"),
        ("8", "7", "Ben"),
        ("joker", "1", "Cy"),
        ("1", "joker", "Cy"),
        ("joker", "2", "Cy"),
        ("13", "joker", "Ben"),
    ],
)
def test_of_equal_cards_the_last_takes_the_donkey_and_a_joker_is_one(ben, cy, taker):
    talk = table()
    play(talk, "Ann donkey", f"Ben {ben}", f"Cy {cy}")
    assert talk.view["donkey"] == taker


def test_cards_taken_with_the_donkey_can_be_played_again():
    talk = table()
    play(talk, "Ann donkey", "Ben 3", "Cy 2", "Ben 3 3 3 3 3 3 3 3", "Cy -", "Ann -")
    assert talk.column("hand") == [13, 7, 12]


def test_who_took_the_donkey_waits_one_trick():
    talk = table()
    play(talk, "Ann donkey", "Ben 9", "Cy 2")
    assert talk.view["donkey_free_in"] == 1
    assert refused(talk, "Ben donkey") == "animal_barred OE-8"
    play(talk, "Ben 1", "Cy -", "Ann -")
    assert (talk.view["trick"], talk.view["donkey_free_in"]) == (3, 0)
    play(talk, "Ben donkey")
    assert talk.view["trick_kind"] == "donkey"


def test_the_donkey_is_led_alone_and_never_follows():
    talk = table()
    assert refused(talk, "Ann donkey joker") == "animal_barred OE-7"
    play(talk, "Ann 5", "Ben 6", "Cy 7", "Cy 8", "Ann 9", "Ben 10", "Ben 1")
    assert refused(talk, "Cy donkey") == "not_holding OE-7"
    play(talk, "Cy 2")
    assert refused(talk, "Ann donkey") == "animal_barred OE-7"


# OE-9, OE-10


def short_hand(**options):
    """Two cards each; Ann has shed hers but for the donkey, which Ben took: the hand is over."""
    talk = table(deal=2, **options)
    play(talk, "Ann donkey", "Ben 9", "Cy 2", "Ben 1", "Cy -", "Ann 3")
    assert talk.column("hand") == [1, 3, 1]
    play(talk, "Ann 4", "Ben -", "Cy -")
    return talk


def test_a_hand_ends_after_the_trick_in_which_somebody_shed_the_last_card():
    talk = short_hand()
    assert (talk.view["phase"], talk.view["trick"]) == ("hands", 3)
    assert talk.waiting == ["hand Ben", "hand Cy"]
    assert talk.column("points") == [0, 0, 0]


def test_the_cards_left_are_counted_in_any_order_and_score_together():
    talk = short_hand(rounds=2)
    play(talk, "Cy: joker")
    assert talk.column("points") == [0, 0, 0]
    assert talk.waiting == ["hand Ben"]
    play(talk, "Ben: 2 donkey 9")
    assert talk.column("points") == [0, 31, 14]
    assert [row["points"] for row in talk.explained("Ben")] == [31, 0]
    assert talk.view["phase"] == "lead"


def test_the_donkey_s_holder_keeps_it_leads_the_next_hand_and_may_lead_it_at_once():
    talk = short_hand(rounds=2)
    play(talk, "Ben: 9 2 donkey", "Cy: joker")
    assert (talk.view["hand_number"], talk.view["trick"]) == (2, 1)
    assert (talk.view["leader"], talk.view["donkey"], talk.view["donkey_free_in"]) == ("Ben", "Ben", 0)
    assert talk.column("hand") == [2, 3, 2]
    play(talk, "Ben donkey")


def test_who_sheds_the_last_card_in_a_donkey_trick_and_takes_it_is_not_out():
    talk = table(deal=1)
    play(talk, "Ann donkey", "Ben 4")
    assert talk.column("hand") == [1, 0, 1]
    play(talk, "Cy 3")
    assert talk.column("hand") == [1, 3, 0]
    assert talk.waiting == ["hand Ann", "hand Ben"]


def test_the_fewest_points_win_after_the_last_hand_and_a_tie_is_shared():
    talk = short_hand(rounds=1)
    play(talk, "Ben: 9 2 donkey", "Cy: 1")
    assert talk.view["phase"] == "game_over"
    assert talk.waiting == []
    assert talk.view["result"] == {
        "winners": ["Ann"],
        "ranking": [
            {"player": "Ann", "points": 0, "rank": 1},
            {"player": "Cy", "points": 1, "rank": 2},
            {"player": "Ben", "points": 31, "rank": 3},
        ],
    }
    talk = table(deal=1, rounds=1)
    play(talk, "Ann 1", "Ben 2", "Cy 3", "Ann: donkey")
    assert talk.view["result"]["winners"] == ["Ben", "Cy"]
    assert [row["rank"] for row in talk.view["result"]["ranking"]] == [1, 1, 3]


# OE-11


def test_a_leader_with_nothing_but_a_barred_animal_passes_and_the_left_neighbour_leads():
    talk = ox_table(deal=2, rounds=1)
    play(talk, "Ann 1", "Ben 2", "Cy 3", "Cy 4", "Ann -", "Ben 5")
    assert talk.column("hand") == [1, 1, 1]
    assert (talk.view["leader"], talk.view["donkey"], talk.view["ox"]) == ("Ben", "Ben", "Cy")
    assert talk.waiting == ["pass Ben"]
    assert refused(talk, "Ben donkey") == "animal_barred OE-20"
    assert refused(talk, "Ben 7") == "not_enough_cards OE-4"
    play(talk, "Ben -")
    assert (talk.view["phase"], talk.view["leader"], talk.view["trick"]) == ("lead", "Cy", 3)
    assert talk.waiting == ["play Cy"]
    play(talk, "Cy ox", "Ann 9")
    assert talk.column("pile") == [2, 0, 0]  # Ben has acted: the trick is over
    assert talk.waiting == ["hand Ben"]


def test_a_leader_who_can_lead_something_must():
    talk = table()
    assert refused(talk, "Ann -") == "must_play OE-4"


def test_who_holds_only_animals_passes_in_an_animal_trick():
    talk = ox_table(deal=3)
    play(talk, "Ann 1", "Ben 2", "Cy 3", "Cy 4", "Ann 5", "Ben -", "Ann 1", "Ben 2", "Cy 3", "Cy ox")
    assert talk.waiting == ["pass Ann"]
    assert refused(talk, "Ann donkey") == "animal_barred OE-21"
    assert refused(talk, "Ann 3") == "not_enough_cards OE-4"
    play(talk, "Ann -", "Ben 9")
    assert talk.column("pile") == [0, 2, 0]


# OE-20, OE-21, OE-22: the ox


def ox_table(**options):
    return table(ox=True, **options)


def test_animals_start_in_the_middle_and_the_first_two_winners_take_them():
    talk = ox_table()
    assert talk.column("hand") == [13, 13, 13]
    assert (talk.view["donkey"], talk.view["ox"]) == ("middle", "middle")
    assert refused(talk, "Ann donkey") == "not_holding OE-7"
    play(talk, "Ann 1", "Ben 2", "Cy 3")
    assert (talk.view["donkey"], talk.view["ox"], talk.view["ox_free_in"]) == ("middle", "Cy", 1)
    play(talk, "Cy 1", "Ann 2", "Ben -")
    assert (talk.view["donkey"], talk.view["ox"]) == ("Ann", "Cy")
    assert (talk.view["donkey_free_in"], talk.view["ox_free_in"]) == (1, 0)
    assert talk.column("hand") == [12, 12, 12]


def test_the_ox_may_be_led_two_tricks_after_it_was_taken():
    talk = ox_table()
    play(talk, "Ann 1", "Ben 2", "Cy 3")
    assert refused(talk, "Cy ox") == "animal_barred OE-20"
    play(talk, "Cy 5", "Ann -", "Ben -")
    play(talk, "Cy ox")
    assert (talk.view["trick_kind"], talk.view["ox"], talk.view["donkey"]) == ("ox", None, "Cy")


def test_an_ox_trick_lies_in_front_of_its_taker_as_penalties():
    talk = ox_table(deal=4, rounds=1)
    play(talk, "Ann 1", "Ben 2", "Cy 3", "Cy 5", "Ann -", "Ben -", "Cy ox")
    assert talk.waiting == ["play Ann"]
    assert refused(talk, "Ann -") == "must_play OE-21"
    play(talk, "Ann joker", "Ben 7")
    assert (talk.view["leader"], talk.view["ox"]) == ("Ben", None)
    assert talk.column("pile") == [0, 3, 0]
    assert talk.column("hand") == [2, 2, 3]
    assert talk.column("points") == [0, 0, 0]
    play(talk, "Ben 6 6", "Cy -", "Ann 8 8")
    assert talk.waiting == ["hand Cy"]
    play(talk, "Cy: 1 donkey 4")
    assert talk.column("points") == [0, 8, 25]
    [left, pile] = talk.explained("Ben")
    assert (left["points"], pile["points"], pile["clauses"]) == (0, 8, ["OE-21"])
    assert talk.explained("Cy")[0]["clauses"] == ["OE-9", "OE-22"]


def test_an_ox_left_in_hand_costs_fifteen():
    talk = ox_table(deal=1, rounds=1)
    play(talk, "Ann 1", "Ben 2", "Cy 3")
    assert talk.waiting == ["hand Cy"]
    play(talk, "Cy: ox")
    assert talk.column("points") == [0, 0, 15]


def test_with_the_donkey_still_in_the_middle_the_last_trick_s_winner_leads_the_next_hand():
    talk = ox_table(deal=1, rounds=2)
    play(talk, "Ann 1", "Ben 2", "Cy 3", "Cy: ox")
    assert (talk.view["hand_number"], talk.view["leader"]) == (2, "Cy")
    assert (talk.view["donkey"], talk.view["ox"]) == ("middle", "middle")


def test_otherwise_the_donkey_s_holder_leads_the_next_hand():
    talk = ox_table(deal=3, rounds=2)
    play(talk, "Ann 1", "Ben 2", "Cy 3", "Cy 4", "Ann 5", "Ben -", "Ann 1", "Ben 2", "Cy 3")
    assert talk.column("hand") == [1, 1, 1]
    play(talk, "Cy ox", "Ann -", "Ben 9", "Ann: donkey")
    assert talk.column("points") == [20, 9, 0]
    assert (talk.view["leader"], talk.view["donkey"]) == ("Ann", "middle")


def test_there_is_one_ox_trick_a_hand():
    talk = ox_table()
    play(talk, "Ann 1", "Ben 2", "Cy 3", "Cy 5", "Ann -", "Ben -", "Cy ox", "Ann 9", "Ben 8")
    assert (talk.view["ox"], talk.view["ox_free_in"]) == (None, None)
    assert refused(talk, "Ann ox") == "not_holding OE-20"
