"""Every refusal of Donkey Valley, and which comes first when several hold."""

import pytest

from tests.rules.donkey_valley.evening import Evening


@pytest.fixture
def evening():
    return Evening("ABC")


def test_what_may_be_done_when(evening):
    first = {
        "load": {"player": "A"},
        "favour": {"player": "A", "card": 2},
        "no_favour": {"player": "A"},
        "peek": {"player": "A", "at": ["B"]},
        "peeks_done": {},
        "decide": {"player": "A", "accept": True},
        "adjust": {"player": "A", "delta": 2},
        "swap_load": {"player": "A", "swap": False},
        "reveal": {"player": "A", "values": [1]},
        "exchange": {"player": "A", "with": "B"},
        "choose": {"player": "A", "card": None},
        "draw": {"player": "A", "card": {"owner": "B", "value": 1}},
    }
    for do, fields in first.items():
        assert evening.refused(do, **fields).startswith("wrong_phase DV-"), do
    evening.donkey("normal")
    assert evening.refused("donkey", type="giant") == "wrong_phase DV-10"


def test_donkeys_that_do_not_exist(evening):
    assert evening.refused("donkey", type="zebra") == "unknown_card DV-2"
    counted = Evening("ABC", donkey_copies={"normal": 19, "giant": 1})
    assert counted.refused("donkey", type="puny") == "no_such_donkey DV-2"
    counted.round("giant", [1, 1, 1], "AAA")
    assert counted.refused("donkey", type="giant") == "no_such_donkey DV-2"
    counted.ok("undo")


def test_face_up_and_face_down_loads(evening):
    evening.donkey("difficult")
    assert evening.refused("load", player="B") == "not_your_turn DV-40"
    assert evening.refused("load", player="A") == "bad_value DV-40"
    assert evening.refused("load", player="A", values=[]) == "bad_value DV-40"
    assert evening.refused("load", player="A", values=[1, 2]) == "bad_value DV-40"
    assert evening.refused("load", player="A", values=[11]) == "bad_value DV-1"
    assert evening.refused("load", player="A", values=[1], count=2) == "bad_value DV-11"
    evening.ok("load", player="A", values=[3])
    assert evening.refused("load", player="A", values=[4]) == "already_done DV-11"
    assert evening.refused("load", player="B", values=[4]) == "bad_value DV-40"
    evening.ok("load", player="B")
    evening.ok("load", player="C", values=[3])
    assert evening.refused("favour", player="A", card=3) == "not_a_favour DV-12"


def test_a_load_that_was_spent_cannot_be_laid_face_up(evening):
    evening.round("normal", [4, 4, 4], "AAA", A=8)
    evening.ok("exchange", player="A", **{"with": None})
    evening.round("normal", [1, 1, 1], "AAA")
    evening.donkey("difficult")
    evening.ok("load", player="C", values=[2])
    evening.ok("load", player="A")
    for value in (4, 1):
        assert evening.refused("load", player="B", values=[value]) == "card_spent DV-50"


def test_a_second_act_has_been_done_or_is_out_of_turn(evening):
    evening.donkey("normal")
    evening.ok("load", player="A")
    assert evening.refused("load", player="A") == "already_done DV-11"
    evening.ok("load", player="B")
    evening.ok("load", player="C")
    evening.ok("no_favour", player="A")
    assert evening.refused("no_favour", player="A") == "not_your_turn DV-12"
    assert evening.refused("favour", player="C", card=2) == "not_your_turn DV-12"
    evening.favours()
    evening.ok("decide", player="A", accept=True)
    assert evening.refused("decide", player="A", accept=True) == "not_your_turn DV-15"
    assert evening.refused("decide", player="C", accept=True) == "not_your_turn DV-15"
    evening.decide("AAA")
    evening.ok("reveal", player="B", values=[1])
    assert evening.refused("reveal", player="B", values=[1]) == "already_done DV-17"


def test_a_load_that_lies_face_up_already_needs_no_reveal(evening):
    evening.donkey("difficult")
    evening.ok("load", player="A", values=[1])
    evening.ok("load", player="B")
    evening.ok("load", player="C", values=[1])
    evening.favours()
    evening.decide("AAA")
    assert evening.refused("reveal", player="A", values=[1]) == "already_done DV-17"


def test_favours(evening):
    evening.donkey("normal")
    evening.load(1, 1, 1)
    for card in (1, 3, 5, 7, 9):
        assert evening.refused("favour", player="A", card=card) == "not_a_favour DV-12"
    for card in (-2, 0, 11, 12, 10**30):
        assert evening.refused("favour", player="A", card=card) == "bad_value DV-1"
    evening.favours(A=2)
    evening.decide("AAA")
    evening.reveal()
    evening.donkey("normal")
    evening.load(3, 3, 3)
    evening.ok("no_favour", player="B")
    evening.ok("no_favour", player="C")
    assert evening.refused("favour", player="A", card=2) == "card_spent DV-50"


def test_no_favours_left_is_said_before_whose_turn_it_is(evening):
    evening.round("normal", [1, 1, 1], "AAA", A=10)
    evening.round("normal", [3, 3, 3], "AAA", A=2)
    assert evening.refused("favour", player="A", card=4) == "wrong_phase DV-12"
    evening.donkey("normal")
    evening.load(5, 5, 5)
    assert evening.refused("favour", player="A", card=4) == "no_favours_left DV-13"
    assert evening.refused("favour", player="A", card=11) == "no_favours_left DV-13"
    assert evening.refused("no_favour", player="A") == "not_your_turn DV-12"


def test_a_hurried_donkey_forbids_favours_in_every_phase_of_its_round(evening):
    evening.donkey("hurried")
    assert evening.refused("favour", player="A", card=2) == "favours_forbidden DV-34"
    assert evening.refused("no_favour", player="A") == "wrong_phase DV-12"
    evening.load(1, 2, 3)
    assert evening.refused("favour", player="C", card=3) == "favours_forbidden DV-34"
    assert evening.refused("favour", player="Zoe", card=2) == "unknown_player"
    evening.decide("AAA")
    assert evening.refused("favour", player="A", card=2) == "favours_forbidden DV-34"
    evening.reveal()
    assert evening.refused("favour", player="A", card=2) == "wrong_phase DV-12"


def test_peeks_that_nothing_gives(evening):
    evening.donkey("normal")
    evening.load(1, 1, 1)
    evening.favours(B=10)
    assert evening.refused("peek", player="A", at=["B"]) == "not_entitled DV-14"
    assert evening.refused("peek", player="A", at=["Zoe"]) == "unknown_player"
    assert evening.refused("peek", player="A", at=[]) == "bad_request"


def test_the_wrong_kind_of_act_by_the_player_whose_turn_it_is(evening):
    evening.round("normal", [1, 1, 1], "AAA", A=4, B=6)
    assert evening.refused("adjust", player="A", delta=2) == "not_entitled DV-16"
    assert evening.refused("adjust", player="B", delta=2) == "not_your_turn DV-16"
    assert evening.refused("adjust", player="C", delta=2) == "not_your_turn DV-16"
    evening.ok("swap_load", player="A", swap=False)
    assert evening.refused("swap_load", player="B", swap=False) == "not_entitled DV-16"
    assert evening.refused("adjust", player="B", delta=1) == "bad_value DV-16"
    evening.ok("adjust", player="B", delta=0)


def test_values_where_none_is_due(evening):
    evening.round("normal", [1, 1, 1], "AAA", A=4)
    assert evening.refused("swap_load", player="A", swap=True, value=3) == "bad_value DV-16"
    assert evening.refused("swap_load", player="A", swap=False, value=3) == "bad_value DV-16"


def test_a_face_up_load_is_exchanged_for_a_value(evening):
    evening.donkey("difficult")
    evening.ok("load", player="A", values=[1])
    evening.ok("load", player="B")
    evening.ok("load", player="C", values=[2])
    evening.favours(A=4)
    evening.decide("AAA")
    assert evening.refused("swap_load", player="A", swap=True) == "bad_value DV-16"
    assert evening.refused("swap_load", player="A", swap=True, value=11) == "bad_value DV-1"
    for value in (1, 4):
        assert evening.refused("swap_load", player="A", swap=True, value=value) == "card_spent DV-50"


def test_values_that_cannot_be_revealed(evening):
    evening.round("normal", [6, 1, 1], "AAA")
    evening.donkey("normal")
    evening.load(3, 3, 3)
    evening.favours(B=10)
    evening.ok("peeks_done")
    evening.decide("AAA")
    for values in ([], [1, 2]):
        assert evening.refused("reveal", player="A", values=values) == "bad_value DV-17"
    for value in (0, 11, -1):
        assert evening.refused("reveal", player="A", values=[value]) == "bad_value DV-1"
    assert evening.refused("reveal", player="A", values=[6]) == "card_spent DV-50"
    assert evening.refused("reveal", player="B", values=[10]) == "card_spent DV-50"
    evening.ok("reveal", player="A", values=[10])


def test_the_same_value_twice_is_not_two_loads(evening):
    evening.donkey("double")
    evening.load((1, 2), (1,), (1,))
    evening.favours()
    evening.decide("AAA")
    assert evening.refused("reveal", player="A", values=[4, 4]) == "card_spent DV-50"


def test_exchanges_that_cannot_be(evening):
    evening.round("normal", [2, 3, 4], "AAR", A=8)
    assert evening.refused("exchange", player="A", **{"with": "Zoe"}) == "unknown_player"
    assert evening.refused("exchange", player="A", **{"with": "A"}) == "not_available DV-20"
    assert evening.refused("exchange", player="B", **{"with": "C"}) == "not_your_turn DV-20"
    assert evening.refused("choose", player="A", card=None) == "not_entitled DV-20"
    assert evening.refused("exchange", player="A", take=9, **{"with": "B"}) == "not_available DV-20"
    assert evening.refused("exchange", player="A", give=11, **{"with": "B"}) == "bad_value DV-1"
    assert evening.refused("exchange", player="A") == "bad_request"
    evening.ok("exchange", player="A", give=2, take=3, **{"with": "B"})


def test_choices_that_cannot_be(evening):
    evening.round("puny", [8, 9, 7], "RRA", B=8)
    assert evening.refused("choose", player="B", card={"owner": "Zoe", "value": 3}) == "unknown_player"
    assert evening.refused("choose", player="B", card={"owner": "A", "value": 11}) == "bad_value DV-1"
    assert evening.refused("choose", player="B", card={"owner": "A", "value": 9}) == "not_available DV-20"
    assert evening.refused("choose", player="A", card=None) == "not_your_turn DV-20"
    assert evening.refused("exchange", player="B", **{"with": None}) == "not_entitled DV-20"
    assert evening.refused("draw", player="B", card={"owner": "A", "value": 8}) == "wrong_phase DV-19"
    assert evening.refused("choose", player="B") == "bad_request"


def test_a_player_who_draws_cannot_choose():
    evening = Evening("ABC", draws="table")
    evening.round("puny", [8, 9, 7], "RRA")
    assert evening.waiting == ["draw A"]
    assert evening.refused("choose", player="A", card=None) == "not_entitled DV-20"
    assert evening.refused("draw", player="B", card={"owner": "A", "value": 8}) == "not_your_turn DV-19"
    assert evening.refused("draw", player="A", card={"owner": "A", "value": 11}) == "bad_value DV-1"


def test_after_the_end_nothing_can_be_done_but_questions_and_undo(evening):
    for value in range(1, 9):
        evening.round("normal", [value] * 3, "AAA")
    assert evening.refused("donkey", type="normal") == "game_over"
    assert evening.refused("load", player="Zoe") == "game_over"
    assert evening.refused("load", player=3) == "bad_request"
    assert evening.explained("A")[-1]["points"] == 0
    assert evening.ok("undo")["phase"] == "reveal"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"draws": "dealer"}, "bad_option DV-19"),
        ({"draws": None}, "bad_option DV-19"),
        ({"decision_order": 1}, "bad_option DV-15"),
        ({"double_loads": True}, "bad_option DV-38"),
        ({"donkey_copies": {"normal": 19}}, "bad_option DV-2"),
        ({"donkey_copies": {"zebra": 20}}, "bad_option DV-2"),
        ({"donkey_copies": {"normal": 21, "giant": -1}}, "bad_option DV-2"),
        ({"donkey_copies": {"normal": 20.0}}, "bad_option DV-2"),
        ({"donkey_copies": {"normal": True, "giant": 19}}, "bad_option DV-2"),
        ({"donkey_copies": []}, "bad_option DV-2"),
        ({"donkey_copies": {}}, "bad_option DV-2"),
        ({"zebras": 3}, "bad_option"),
    ],
)
def test_options_that_cannot_be(evening, options, code):
    start = {"game": "donkey_valley", "players": list("ABC"), "options": options}
    assert evening.refused("start", **start) == code


@pytest.mark.parametrize("count", [0, 1, 2, 8])
def test_three_to_seven_play(evening, count):
    assert evening.refused("start", game="donkey_valley", players=list("ABCDEFGH"[:count])) == "bad_players"


@pytest.mark.parametrize(
    "request_",
    [
        {"do": "load"},
        {"do": "load", "player": "A", "count": True},
        {"do": "load", "player": "A", "count": "1"},
        {"do": "load", "player": "A", "count": 1.0},
        {"do": "load", "player": "A", "values": 3},
        {"do": "load", "player": "A", "values": [True]},
        {"do": "load", "player": "A", "sealed": ["seven"]},
        {"do": "load", "player": None},
        {"do": "decide", "player": "A", "accept": 1},
        {"do": "decide", "player": "A"},
        {"do": "adjust", "player": "A", "delta": "2"},
        {"do": "donkey", "type": 3},
        {"do": "donkey"},
        {"do": "choose", "player": "A", "card": {"owner": "B"}},
        {"do": "draw", "player": "A", "card": None},
        {"do": "reveal", "player": "A"},
        {"do": "dance", "player": "A"},
    ],
)
def test_requests_of_the_wrong_shape(evening, request_):
    assert evening.refused(**request_) == "bad_request"
