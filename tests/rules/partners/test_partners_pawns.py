"""Where the pawns of Partners may go, clause by clause: out, on, past walls, home, and back."""

import pytest

from companion.games.partners import GAME
from companion.games.partners.cards import KINDS
from tests.rules.partners.positions import HOME, board, listed, played, state_of

# PA-4, PA-7, PA-10: leaving, and what each card does


@pytest.mark.parametrize("card", KINDS)
def test_only_heart_8_and_13_leave_the_base(card):
    state = state_of(board())
    assert listed(state, card) == (["Ann 1 start"] if card in ("heart", "8", "13") else [])


@pytest.mark.parametrize(
    ("card", "places"),
    [
        ("heart", []),
        ("8", ["1:10"]),
        ("13", ["2:1"]),
        ("-4", ["4:12"]),
        ("1/14", ["1:3", "2:2"]),
        ("2", ["1:4"]),
        ("3", ["1:5"]),
        ("5", ["1:7"]),
        ("6", ["1:8"]),
        ("9", ["1:11"]),
        ("10", ["1:12"]),
        ("12", ["1:14"]),
        ("7", ["1:9"]),
    ],
)
def test_how_far_each_card_takes_a_pawn(card, places):
    three = "goal:1 goal:2 goal:3 1:2"
    assert listed(state_of(board(Ann=three)), card) == sorted(f"Ann 4 {place}" for place in places)


def test_pawns_share_the_start_and_starts_are_not_counted():
    after = played(state_of(board(Ann="start 1:13")), "heart", "Ann 3 start")
    assert after["Ann"] == "start 1:13 start base"
    assert played(state_of(board(Ann="start 1:13")), "2", "Ann 2 2:1")["Ann"] == "start 2:1 base base"
    assert played(state_of(board(Ann="start")), "3", "Ann 1 1:3")["Ann"] == "1:3 base base base"


# PA-2, PA-13: the goal


def test_a_pawn_that_would_pass_its_own_start_turns_into_its_goal():
    assert listed(state_of(board(Ann="4:13")), "3") == ["Ann 1 goal:3"]
    assert listed(state_of(board(Cid="2:13"), "Cid"), "3") == ["Cid 1 goal:3"]


def test_a_pawn_goes_in_as_far_as_it_can_and_back_out_by_the_rest():
    assert listed(state_of(board(Ann="4:14")), "6") == ["Ann 1 goal:3"]
    assert listed(state_of(board(Ann="4:14")), "10") == ["Ann 1 4:12"]


def test_with_goal_4_taken_a_pawn_turns_at_square_14():
    assert listed(state_of(board(Ann="4:13 goal:4")), "3") == ["Ann 1 4:12", "Ann 2 goal:1"]


def test_a_move_may_end_where_it_began():
    assert (
        played(state_of(board(Ann="goal:3")), "-4")
        == "PA-7: Say which pawn goes where with the card “4 back”."
    )
    assert listed(state_of(board(Ann="goal:3")), "6") == ["Ann 1 4:14"]
    assert played(state_of(board(Ann="4:13")), "10", "Ann 1 4:13")["Ann"] == "4:13 base base base"


def test_a_pawn_does_not_turn_twice_nor_pass_an_own_pawn_in_the_goal():
    assert listed(state_of(board(Ann="goal:2 goal:4")), "3") == ["Ann 1 goal:3", "Ann 2 4:14"]
    refusal = played(state_of(board(Ann="goal:2 goal:3")), "3", "Ann 1 goal:4")
    assert refusal.startswith("PA-13: Ann's pawn 1 would have to turn")


def test_a_pawn_with_no_free_square_below_it_is_locked_for_good():
    state = state_of(board(Ann="goal:1 goal:2 goal:4"))
    assert [row["locked"] for row in GAME.view(state)["players"]] == [2, 0, 0, 0]
    assert played(state, "2", "Ann 1 goal:3").startswith("PA-13: Ann's pawn 1 is locked")
    assert listed(state, "1/14") == ["Ann 3 4:3", "Ann 3 goal:3"]


# PA-11: walls


def test_nobody_passes_a_wall_in_either_direction():
    state = state_of(board(Ann="1:13 2:2", Bob="start"))
    assert listed(state, "3") == ["Ann 2 2:5"]
    assert (
        played(state, "3", "Ann 1 2:2")
        == "PA-11: Ann's pawn 1 can't pass: Bob has a pawn on the start, and that is a wall."
    )
    assert listed(state, "-4") == ["Ann 1 1:9"]
    assert listed(state, "1/14") == ["Ann 1 1:14", "Ann 2 2:3", "Ann 2 3:2"]


def test_its_owner_passes_it_backwards_and_enters_the_goal_beside_it():
    state = state_of(board(Ann="start 1:2 4:14"))
    assert listed(state, "-4") == ["Ann 1 4:11", "Ann 2 4:12", "Ann 3 4:10"]
    assert listed(state, "2") == ["Ann 1 1:2", "Ann 2 1:4", "Ann 3 goal:3"]


def test_the_own_wall_is_not_on_the_way_out_of_the_goal():
    inside = board(Ann="goal:4 start 4:13")
    assert listed(state_of(inside), "9") == ["Ann 1 4:12", "Ann 2 1:9", "Ann 3 4:6"]
    assert listed(state_of(inside), "5") == ["Ann 1 goal:3", "Ann 2 1:5", "Ann 3 4:10"]
    assert listed(state_of(board(Ann="start 4:14")), "9") == ["Ann 1 1:9", "Ann 2 4:13"]


def test_a_foreign_wall_stops_a_pawn_that_turned_before_its_goal():
    assert "Ann 2 3:14" in listed(state_of(board(Ann="goal:4 4:14")), "1/14")
    walled = state_of(board(Ann="goal:4 4:14", Dot="start"))
    assert "Ann 2 3:14" not in listed(walled, "1/14")
    assert played(walled, "1/14", "Ann 2 3:14").startswith("PA-11")


# PA-12: landing


def test_landing_on_a_single_pawn_sends_it_home_the_partners_too():
    state = state_of(board(Ann="1:3", Bob="1:6", Cid="1:5"))
    after = played(state, "3", "Ann 1 1:6")
    assert (after["Ann"], after["Bob"]) == ("1:6 base base base", "base base base base")
    assert played(state, "2", "Ann 1 1:5")["Cid"] == "base base base base"


def test_landing_on_two_of_another_player_sends_the_arriving_pawn_home():
    after = played(state_of(board(Ann="1:3", Bob="1:6 1:6")), "3", "Ann 1 1:6")
    assert (after["Ann"], after["Bob"]) == ("base base base base", "1:6 1:6 base base")


def test_own_pawns_stack_or_are_captured_as_the_option_says():
    twins = board(Ann="1:3 1:6 start")
    assert played(state_of(twins), "3", "Ann 1 1:6")["Ann"] == "1:6 1:6 start base"
    capture = state_of(twins, own_pawn="capture")
    assert played(capture, "3", "Ann 1 1:6")["Ann"] == "1:6 base start base"
    assert played(capture, "heart", "Ann 4 start")["Ann"] == "1:3 1:6 start start"


def test_own_is_the_moving_pawns_colour_whoever_moves_it():
    helper = board(Ann=HOME, Cid="1:3 1:6", Bob="1:5")
    assert played(state_of(helper), "3", "Cid 1 1:6")["Cid"] == "1:6 1:6 base base"
    assert played(state_of(helper), "2", "Cid 1 1:5")["Bob"] == "base base base base"


# PA-14: four back


@pytest.mark.parametrize(
    ("place", "to"),
    [
        ("start", "4:11"),
        ("1:1", "4:11"),
        ("1:2", "4:12"),
        ("1:3", "4:13"),
        ("1:4", "4:14"),
        ("1:5", "1:1"),
        ("2:2", "1:12"),
    ],
)
def test_four_back_over_a_start_does_not_count_it(place, to):
    assert listed(state_of(board(Ann=place)), "-4") == [f"Ann 1 {to}"]


def test_a_pawn_that_went_back_over_its_start_is_close_to_its_goal():
    state = state_of(board(Ann="4:13"))
    assert listed(state, "5") == ["Ann 1 goal:1"]


def test_four_back_moves_nobody_in_goal_or_base():
    state = state_of(board(Ann="goal:4"))
    assert listed(state, "-4") == []
    assert played(state, "-4", "Ann 1 4:11").startswith("PA-14: Ann's pawn 1 is in the goal")
    assert played(state, "-4", "Ann 2 4:11").startswith("PA-10: Ann's pawn 2 is in its base")
