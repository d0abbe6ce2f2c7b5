"""Worked rounds of Donkey Valley, clause by clause: cards in, result out."""

import pytest

from tests.rules.donkey_valley.evening import Evening


@pytest.mark.parametrize(
    ("kind", "capacity", "spread"),
    [
        ("normal", 15, None),
        ("giant", 18, None),
        ("puny", 12, None),
        ("double", 30, None),
        ("precision", None, 5),
    ]
    + [
        (kind, 15, None)
        for kind in ("hurried", "holed", "attacked", "lost", "stubborn", "difficult", "hand_picked")
    ],
)
def test_a_donkey_says_what_it_carries(kind, capacity, spread):
    view = Evening().donkey(kind)
    assert (view["donkey"], view["capacity"], view["spread_limit"]) == (kind, capacity, spread)
    assert (view["round"], view["rounds"], view["total"], view["overloaded"]) == (1, 8, None, None)


def test_before_the_first_donkey_everything_is_empty():
    view = Evening("ABCD").view
    assert (view["phase"], view["round"], view["donkey"], view["capacity"]) == ("donkey", 1, None, None)
    assert (view["first_player"], view["donkeys_left"], view["set_aside"], view["result"]) == (
        "A",
        8,
        0,
        None,
    )
    assert view["waiting_for"] == [{"do": "donkey", "player": None}]
    assert view["players"][3] == {
        "name": "D",
        "points": 0,
        "loads_won": [],
        "favours_left": 2,
        "favour": None,
        "decision": None,
        "loads_down": 0,
        "loads_up": [],
        "hand": 10,
        "gone": [],
        "looked_at": [],
        "peeks_left": 0,
        "held": [],
    }


def test_exactly_the_capacity_is_not_overloaded_and_who_accepted_wins_their_own():
    evening = Evening()
    view = evening.round("normal", [3, 5, 7], "AAR")
    assert (view["total"], view["overloaded"]) == (15, False)
    assert [evening.won(name) for name in "ABC"] == ["A3", "B5", ""]
    assert evening.points == [3, 5, 0]


def test_one_more_is_overloaded_and_who_refused_draws_from_all_loads():
    evening = Evening()
    view = evening.round("normal", [4, 5, 7], "AAR")
    assert (view["total"], view["overloaded"]) == (16, True)
    assert evening.won("A") == evening.won("B") == ""
    assert evening.won("C") in ("A4", "B5", "C7")


def test_the_program_draws_the_same_for_the_same_seed_and_also_after_undo():
    def drawn(seed):
        evening = Evening("ABCDE", seed=seed)
        evening.round("puny", [6, 7, 8, 9, 10], "RRRRA")
        return evening, [evening.won(name) for name in "ABCD"]

    evening, first = drawn(5)
    assert drawn(5)[1] == first
    assert len(set(first)) == 4
    assert len({tuple(drawn(seed)[1]) for seed in range(9)}) > 3
    evening.ok("undo")
    evening.ok("redo")
    assert [evening.won(name) for name in "ABCD"] == first
    evening.ok("undo")
    evening.ok("reveal", player="E", values=[10])
    assert [evening.won(name) for name in "ABCD"] == first


def test_a_resolved_round_stays_in_view_until_the_next_donkey():
    evening = Evening()
    view = evening.round("giant", [3, 5, 7], "ARA", B=6)
    assert view["phase"] == "adjustments"
    view = evening.ok("adjust", player="B", delta=-2)
    view = evening.reveal()
    assert (view["phase"], view["donkeys_left"], view["first_player"]) == ("donkey", 7, "B")
    assert (view["round"], view["donkey"], view["capacity"], view["total"]) == (1, "giant", 16, 15)
    assert evening.column("loads_up") == [[3], [5], [7]]
    assert evening.column("favour") == [None, 6, None]
    assert evening.column("decision") == [True, False, True]
    assert evening.column("loads_down") == [0, 0, 0]
    view = evening.donkey("normal")
    assert (view["round"], view["total"], view["overloaded"]) == (2, None, None)
    assert evening.column("loads_up") == [[], [], []]
    assert evening.column("favour") == evening.column("decision") == [None, None, None]


def test_loads_come_in_any_order_and_leave_the_hand():
    evening = Evening()
    evening.donkey("normal")
    assert evening.waiting == ["load A", "load B", "load C"]
    evening.ok("load", player="C")
    assert evening.waiting == ["load A", "load B"]
    assert (evening.column("loads_down"), evening.column("hand")) == ([0, 0, 1], [10, 10, 9])


def test_favours_are_asked_clockwise_from_the_first_player_and_spend_the_load():
    evening = Evening()
    evening.round("normal", [1, 1, 1], "AAA")
    evening.donkey("normal")
    evening.load(2, 2, 2)
    assert evening.waiting == ["favour B", "no_favour B"]
    evening.ok("favour", player="B", card=10)
    assert evening.waiting == ["favour C", "no_favour C"]
    assert (evening.column("favour"), evening.column("favours_left")) == ([None, 10, None], [2, 1, 2])
    assert evening.column("hand") == [8, 7, 8]


def test_who_used_two_favours_is_not_asked_again():
    evening = Evening()
    evening.round("normal", [1, 1, 1], "AAA", A=10)
    evening.round("normal", [3, 3, 3], "AAA", A=2)
    evening.donkey("normal")
    evening.load(5, 5, 5)
    assert evening.waiting == ["favour C", "no_favour C"]
    evening.ok("no_favour", player="C")
    evening.ok("no_favour", player="B")
    assert evening.view["phase"] == "decisions"


def test_nobody_is_asked_for_favours_on_a_hurried_donkey():
    evening = Evening()
    evening.donkey("hurried")
    evening.load(1, 2, 3)
    assert evening.view["phase"] == "decisions"


def test_favour_ten_looks_at_half_of_all_loads_rounded_down():
    evening = Evening("ABCDE")
    evening.donkey("normal")
    evening.load(1, 1, 1, 1, 1)
    evening.favours(C=10)
    assert evening.waiting == ["peek C", "peeks_done table"]
    evening.ok("peek", player="C", at=["A"])
    assert evening.refused("peek", player="C", at=["B", "D"]) == "not_entitled DV-14"
    evening.ok("peek", player="C", at=["E"])
    assert evening.waiting == ["peeks_done table"]
    assert evening.refused("peek", player="C", at=["B"]) == "not_entitled DV-14"
    evening.ok("peeks_done")
    assert evening.view["phase"] == "decisions"


def test_the_holed_donkey_lets_everybody_look_once_and_favour_ten_adds_to_it():
    evening = Evening("ABCD")
    evening.donkey("holed")
    evening.load(1, 1, 1, 1)
    evening.favours(B=10)
    assert evening.waiting == ["peek A", "peek B", "peek C", "peek D", "peeks_done table"]
    assert evening.refused("peek", player="A", at=["B", "C"]) == "not_entitled DV-14"
    evening.ok("peek", player="A", at=["B"])
    evening.ok("peek", player="B", at=["A", "C", "D"])
    assert evening.waiting == ["peek C", "peek D", "peeks_done table"]


def test_a_load_is_looked_at_before_the_own_decision_also_when_others_have_decided():
    """DV-14: the sheet asks no more than that; A has decided, and B has a look left."""
    evening = Evening("ABC")
    evening.donkey("holed")
    evening.load(1, 2, 3)
    evening.favours()
    evening.ok("peek", player="A", at=["B"])
    evening.ok("peeks_done")
    assert evening.waiting == ["decide A"]
    assert evening.refused("peek", player="B", at=["C"]) == "not_your_turn DV-14"
    evening.ok("decide", player="A", accept=True)
    assert evening.waiting == ["decide B", "peek B"]
    assert evening.column("peeks_left") == [0, 1, 1]
    assert evening.refused("peek", player="A", at=["C"]) == "not_your_turn DV-14"
    assert {one["do"] for one in evening.reply("legal", player="B")["legal"]} == {"decide", "peek"}
    evening.ok("peek", player="B", at=["C"])
    assert evening.waiting == ["decide B"]
    evening.ok("decide", player="B", accept=True)
    evening.ok("decide", player="C", accept=False)
    assert evening.refused("peek", player="C", at=["A"]) == "wrong_phase DV-14"


def test_own_loads_and_loads_seen_before_are_no_peeks():
    evening = Evening("ABC")
    evening.donkey("double")
    evening.load((1, 2), (1, 2), (1,))
    evening.favours(A=10)
    assert evening.refused("peek", player="A", at=["A"]) == "not_entitled DV-14"
    assert evening.refused("peek", player="A", at=["C", "C"]) == "not_entitled DV-14"
    evening.ok("peek", player="A", at=["B", "B"])
    assert evening.waiting == ["peeks_done table"]


def test_decisions_go_clockwise_with_favour_two_last():
    evening = Evening("ABCD")
    evening.round("normal", [1, 1, 1, 1], "AAAA")
    evening.donkey("normal")
    evening.load(3, 3, 3, 3)
    evening.favours(B=2, D=2)
    order = []
    while evening.view["phase"] == "decisions":
        order.append(evening.view["waiting_for"][0]["player"])
        evening.ok("decide", player=order[-1], accept=True)
    assert order == ["C", "A", "B", "D"]


def test_free_decisions_come_in_any_order_but_favour_two_waits_and_then_goes_clockwise():
    evening = Evening("ABCD", decision_order="free")
    evening.donkey("normal")
    evening.load(3, 3, 3, 3)
    evening.favours(A=2, D=2)
    assert evening.waiting == ["decide B", "decide C"]
    assert evening.refused("decide", player="A", accept=True) == "not_your_turn DV-15"
    evening.ok("decide", player="C", accept=True)
    assert evening.refused("decide", player="C", accept=True) == "already_done DV-15"
    evening.ok("decide", player="B", accept=True)
    assert evening.waiting == ["decide A"]
    assert evening.refused("decide", player="D", accept=True) == "not_your_turn DV-15"
    evening.ok("decide", player="A", accept=True)
    assert evening.refused("decide", player="A", accept=True) == "already_done DV-15"


def test_favours_four_and_six_act_clockwise_after_the_last_decision():
    evening = Evening("ABCD")
    evening.round("normal", [1, 1, 1, 1], "AAAA")
    evening.round("normal", [3, 3, 3, 3], "AAAA", A=6, B=4, D=4)
    assert evening.waiting == ["swap_load B"]
    evening.ok("swap_load", player="B", swap=True)
    evening.ok("swap_load", player="D", swap=False)
    assert evening.waiting == ["adjust A"]
    view = evening.ok("adjust", player="A", delta=2)
    assert view["capacity"] == 22


def test_several_favours_six_add_up():
    evening = Evening()
    evening.round("normal", [10, 3, 3], "AAR", A=6, B=6, C=6)
    evening.ok("adjust", player="A", delta=2)
    evening.ok("adjust", player="B", delta=2)
    view = evening.ok("adjust", player="C", delta=-2)
    assert view["capacity"] == 17
    evening.reveal()
    assert evening.view["overloaded"] is False


@pytest.mark.parametrize(
    ("deltas", "limits"),
    [
        ([2, 2, 2], [7, 9, 9]),
        ([-2, -2, -2], [3, 1, 1]),
        ([2, 2, 2, -2], [7, 9, 9, 7]),
        ([-2, -2, -2, 2], [3, 1, 1, 3]),
    ],
)
def test_the_precision_limit_stays_within_one_and_nine_after_each_change(deltas, limits):
    evening = Evening("ABCD")
    asked = dict(zip("ABCD", [6] * len(deltas), strict=False))
    evening.round("precision", [1, 2, 3, 4], "AAAA", **asked)
    for name, delta, limit in zip("ABCD", deltas, limits, strict=False):
        view = evening.ok("adjust", player=name, delta=delta)
        assert (view["spread_limit"], view["capacity"]) == (limit, None)


@pytest.mark.parametrize(
    ("values", "overloaded"), [([1, 6, 3], False), ([1, 7, 3], True), ([10, 10, 10], False)]
)
def test_precision_counts_only_the_difference(values, overloaded):
    view = Evening().round("precision", values, "AAR")
    assert (view["overloaded"], view["total"]) == (overloaded, sum(values))


def test_a_face_up_load_that_is_exchanged_stays_face_up_and_the_old_one_returns_to_the_hand():
    evening = Evening()
    evening.donkey("difficult")
    evening.ok("load", player="A", values=[9])
    evening.ok("load", player="B")
    evening.ok("load", player="C", values=[2])
    evening.favours(A=4)
    evening.decide("AAA")
    assert evening.refused("swap_load", player="A", swap=True, value=9) == "card_spent DV-50"
    evening.ok("swap_load", player="A", swap=True, value=1)
    assert evening.column("loads_up") == [[1], [], [2]]
    assert evening.column("hand") == [8, 9, 9]
    evening.ok("reveal", player="B", values=[5])
    assert evening.points == [1, 5, 2]
    evening.round("normal", [9, 1, 1], "AAA")
    assert evening.points[0] == 10


def test_favour_four_with_an_empty_hand_can_only_be_declined():
    evening = Evening()
    for value in (1, 3, 5, 7, 9, 8, 6):
        evening.round("normal", [value] * 3, "AAA", **({"A": 10} if value == 1 else {}))
    evening.round("normal", [2, 2, 2], "AAA", A=4)
    assert (evening.view["phase"], evening.column("hand")) == ("adjustments", [0, 2, 2])
    assert evening.refused("swap_load", player="A", swap=True) == "not_available DV-20"
    evening.ok("swap_load", player="A", swap=False)
    evening.reveal()
    assert evening.view["phase"] == "game_over"
