"""Worked rounds of Donkey Valley from the reveal on: favour 8, removals, and the end."""

from companion.games.donkey_valley.moves import LoadsWeighed
from tests.rules.donkey_valley.evening import Evening


def test_favour_eight_accepted_and_right_exchanges_before_loads_are_won():
    evening = Evening("ABCD")
    evening.round("normal", [2, 9, 1, 5], "AARA", A=8)
    assert evening.waiting == ["exchange A"]
    evening.ok("exchange", player="A", **{"with": "B"})
    assert [evening.won(name) for name in "ABCD"] == ["B9", "A2", "", "D5"]
    assert evening.column("loads_up") == [[2], [9], [1], [5]]


def test_a_load_exchanged_with_somebody_who_was_wrong_is_lost_to_them():
    evening = Evening("ABC")
    evening.round("normal", [2, 9, 1], "ARA", A=8)
    evening.ok("exchange", player="A", **{"with": "B"})
    assert [evening.won(name) for name in "ABC"] == ["B9", "", "C1"]


def test_several_favours_eight_exchange_clockwise_what_they_hold_by_then():
    evening = Evening("ABC")
    evening.round("normal", [2, 9, 1], "AAA", A=8, C=8)
    evening.ok("exchange", player="A", **{"with": "B"})
    assert evening.waiting == ["exchange C"]
    evening.ok("exchange", player="C", **{"with": "A"})
    assert [evening.won(name) for name in "ABC"] == ["C1", "A2", "B9"]


def test_favour_eight_on_a_double_says_which_load():
    evening = Evening("ABC")
    evening.round("double", [(2, 3), (9, 1), (4,)], "AAR", A=8)
    assert evening.refused("exchange", player="A", **{"with": "B"}) == "bad_value DV-20"
    assert evening.refused("exchange", player="A", give=2, **{"with": "B"}) == "bad_value DV-20"
    assert evening.refused("exchange", player="A", give=4, take=9, **{"with": "B"}) == "not_available DV-20"
    assert evening.refused("exchange", player="A", give=2, take=4, **{"with": "B"}) == "not_available DV-20"
    evening.ok("exchange", player="A", give=2, take=9, **{"with": "B"})
    assert [evening.won(name) for name in "ABC"] == ["B9 A3", "A2 B1", ""]


def test_favour_eight_refused_and_right_chooses_before_anybody_draws():
    evening = Evening("ABCD", draws="table")
    evening.round("puny", [10, 9, 8, 7], "RRRA", B=8)
    assert evening.waiting == ["choose B"]
    evening.ok("choose", player="B", card={"owner": "A", "value": 10})
    assert evening.waiting == ["draw A"]
    assert evening.refused("draw", player="A", card={"owner": "A", "value": 10}) == "not_available DV-19"
    evening.ok("draw", player="A", card={"owner": "D", "value": 7})
    evening.ok("draw", player="C", card={"owner": "B", "value": 9})
    assert [evening.won(name) for name in "ABCD"] == ["D7", "A10", "B9", ""]


def test_a_load_that_is_chosen_or_drawn_counts_at_once():
    """DV-19, DV-20: before the round is resolved, for the view and for whoever asks why."""
    evening = Evening("ABCD", draws="table")
    evening.round("puny", [10, 9, 8, 7], "RRRA", B=8)
    view = evening.ok("choose", player="B", card={"owner": "A", "value": 10})
    assert (view["phase"], evening.points, evening.won("B")) == ("claims", [0, 10, 0, 0], "A10")
    (row,) = evening.explained("B")
    assert "B refused, was right, and chose A's 10 by favour 8." in row["text"]
    view = evening.ok("draw", player="A", card={"owner": "D", "value": 7})
    assert (view["phase"], evening.points, evening.won("A")) == ("claims", [7, 10, 0, 0], "D7")
    assert [len(evening.explained(name)) for name in "ABCD"] == [1, 1, 1, 1]
    evening.ok("draw", player="C", card={"owner": "B", "value": 9})
    assert evening.points == [7, 10, 9, 0]
    evening.ok("undo")
    assert evening.points == [7, 10, 0, 0]


def test_who_declines_to_choose_draws_with_the_others():
    evening = Evening("ABC", draws="table")
    evening.round("puny", [10, 9, 5], "RRA", A=8)
    evening.ok("choose", player="A", card=None)
    assert evening.waiting == ["draw A"]


def test_on_a_double_the_chosen_load_is_one_of_two_and_draws_follow_one_another():
    evening = Evening("ABC", draws="table")
    evening.round("double", [(10, 9), (10, 9), (7,)], "RRA", B=8)
    evening.ok("choose", player="B", card={"owner": "A", "value": 10})
    drawn = []
    for card in (("A", 9), ("C", 7), ("B", 10)):
        drawn.append(evening.waiting)
        evening.ok(
            "draw",
            player=evening.view["waiting_for"][0]["player"],
            card=dict(zip(("owner", "value"), card, strict=True)),
        )
    assert drawn == [["draw A"], ["draw A"], ["draw B"]]
    assert [evening.won(name) for name in "ABC"] == ["A9 C7", "A10 B10", ""]


def test_favour_eight_is_not_asked_when_its_player_was_wrong():
    evening = Evening()
    evening.round("normal", [1, 1, 1], "RAA", A=8)
    assert evening.view["phase"] == "donkey"


def test_attacked_removes_the_highest_load_before_the_total():
    evening = Evening()
    view = evening.round("attacked", [10, 9, 6], "AAA")
    assert (view["total"], view["overloaded"]) == (15, False)
    assert [evening.won(name) for name in "ABC"] == ["", "B9", "C6"]
    assert evening.column("loads_up") == [[10], [9], [6]]


def test_attacked_removes_all_of_several_highest_and_they_draw_nothing_either():
    evening = Evening("ABCD")
    view = evening.round("attacked", [9, 9, 8, 7], "RARA")
    assert (view["total"], view["overloaded"]) == (15, False)
    evening = Evening("ABC")
    view = evening.round("attacked", [9, 9, 3], "RRA", A=6, B=6, C=6)
    for name in "ABC":
        evening.ok("adjust", player=name, delta=-2)
    assert evening.view["capacity"] == 9
    evening.reveal()
    assert evening.points == [0, 0, 3]


def test_all_loads_equal_on_an_attacked_donkey_leave_nothing():
    evening = Evening()
    view = evening.round("attacked", [9, 9, 9], "AAR")
    assert (view["total"], view["overloaded"]) == (0, False)
    (weighed,) = [
        event
        for event in evening.referee.session.current_moment.act.events
        if isinstance(event, LoadsWeighed)
    ]
    assert (weighed.total, weighed.spread) == (0, 0)
    assert [row["points"] for row in view["players"]] == [0, 0, 0]


def test_whose_load_was_removed_cannot_use_favour_eight_nor_be_exchanged_with():
    evening = Evening("ABC")
    evening.round("attacked", [10, 9, 6], "AAA", A=8, B=8)
    assert evening.waiting == ["exchange B"]
    assert evening.refused("exchange", player="B", **{"with": "A"}) == "not_available DV-20"
    evening.ok("exchange", player="B", **{"with": "C"})
    assert [evening.won(name) for name in "ABC"] == ["", "C6", "B9"]


def test_hand_picked_removes_equal_loads_of_different_players():
    evening = Evening("ABCD")
    view = evening.round("hand_picked", [7, 7, 6, 9], "AAAA", C=8)
    assert view["total"] == 15
    assert evening.waiting == ["exchange C"]
    evening.ok("exchange", player="C", **{"with": None})
    assert [evening.won(name) for name in "ABCD"] == ["", "", "C6", "D9"]


def test_hand_picked_can_remove_every_load():
    evening = Evening("ABCD")
    view = evening.round("hand_picked", [7, 7, 9, 9], "AARR", A=8)
    assert (view["total"], view["overloaded"], view["phase"]) == (0, False, "donkey")
    assert evening.points == [0, 0, 0, 0]


def test_favour_eight_with_nobody_left_to_exchange_with_is_asked_and_can_only_decline():
    evening = Evening("ABC")
    evening.round("hand_picked", [7, 9, 9], "AAA", A=8)
    assert evening.waiting == ["exchange A"]
    assert evening.refused("exchange", player="A", **{"with": "B"}) == "not_available DV-20"
    evening.ok("exchange", player="A", **{"with": None})
    assert evening.points == [7, 0, 0]


def test_a_stubborn_donkey_stays_when_more_than_half_refuse():
    evening = Evening("ABC")
    view = evening.round("stubborn", [10, 9, 8], "RRA", A=8, B=4)
    assert (view["phase"], view["total"], view["overloaded"], view["first_player"]) == (
        "donkey",
        None,
        None,
        "B",
    )
    assert evening.points == [0, 0, 0]
    assert evening.column("hand") == [8, 8, 9]
    assert evening.column("favours_left") == [1, 1, 2]
    assert (evening.column("loads_down"), evening.column("loads_up")) == ([0] * 3, [[]] * 3)
    assert evening.event("donkey_refused")["refused"] == 2


def test_exactly_half_is_not_more_than_half():
    evening = Evening("ABCD")
    view = evening.round("stubborn", [1, 1, 1, 1], "RRAA")
    assert (view["total"], view["overloaded"]) == (4, False)
    assert evening.points == [0, 0, 1, 1]


def test_loads_that_left_unseen_may_still_be_shown_for_all_the_referee_knows():
    evening = Evening("ABC")
    evening.round("stubborn", [10, 9, 8], "RRR")
    evening.round("normal", [10, 2, 2], "AAA")
    assert evening.points == [10, 2, 2]


def test_a_difficult_donkey_is_loaded_clockwise_first_and_last_face_up():
    evening = Evening("ABCD")
    evening.round("normal", [1, 1, 1, 1], "AAAA")
    evening.donkey("difficult")
    assert evening.waiting == ["load B"]
    evening.ok("load", player="B", values=[7])
    evening.ok("load", player="C")
    evening.ok("load", player="D")
    assert evening.waiting == ["load A"]
    evening.ok("load", player="A", values=[4])
    assert (evening.column("loads_up"), evening.column("loads_down")) == ([[4], [7], [], []], [0, 0, 1, 1])
    assert evening.refused("favour", player="B", card=7) == "not_a_favour DV-12"
    evening.favours()
    evening.decide("AAAA")
    assert evening.waiting == ["reveal C", "reveal D"]


def test_ties_are_broken_by_the_number_of_loads_won_and_else_the_victory_is_shared():
    evening = Evening("ABC")
    evening.round("normal", [5, 1, 9], "ARA")
    evening.round("normal", [4, 9, 1], "AAR")
    for value in (10, 3, 2, 8, 6, 7):
        evening.round(
            "normal", [value, value if value != 3 else 4, value], "RRR" if value * 3 <= 15 else "AAA"
        )
    assert evening.points == [9, 9, 9]
    result = evening.view["result"]
    assert result["winners"] == ["A"]
    assert [(row["player"], row["rank"]) for row in result["ranking"]] == [("A", 1), ("B", 2), ("C", 2)]
    assert evening.view["waiting_for"] == []
    assert evening.event("game_ended")["winners"] == ["A"]


def test_the_explanation_names_what_was_chosen_and_what_was_drawn():
    evening = Evening("ABC", draws="table")
    evening.round("double", [(10, 9), (10, 9), (7,)], "RAA", A=8)
    evening.ok("choose", player="A", card={"owner": "B", "value": 10})
    evening.ok("draw", player="A", card={"owner": "A", "value": 9})
    (row,) = evening.explained("A")
    assert row["points"] == 19
    assert row["clauses"] == ["DV-10", "DV-17", "DV-38", "DV-19", "DV-20"]
    assert (
        "chose B's 10 by favour 8 and wins their own 9 (drawn at the table, option draws = table)"
        in row["text"]
    )
    assert [line["points"] for name in "BC" for line in evening.explained(name)] == [0, 0]
