"""Worked splits of the seven and swaps (PA-15, PA-16), and why some are none."""

import pytest

from tests.rules.partners.positions import board, listed, played, state_of


def test_seven_is_split_over_pawns_one_after_another():
    after = played(state_of(board(Ann="1:1 2:1 3:1")), "7", "Ann 2 2:3", "Ann 1 1:2", "Ann 3 3:5")
    assert after["Ann"] == "1:2 2:3 3:5 base"


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        (["Ann 1 1:4"], "PA-15: A seven is exactly seven steps; these moves take 3."),
        (["Ann 1 1:4", "Ann 2 2:6"], "PA-15: A seven is exactly seven steps; these moves take 8."),
        (["Ann 1 1:4", "Ann 1 1:8"], "PA-15: Ann's pawn 1 has already moved with this seven"),
        (
            ["Ann 1 1:1", "Ann 2 2:8"],
            "PA-15: Ann's pawn 1 can't end on square 1 of Ann with seven steps or fewer",
        ),
        (["Ann 1 1:4", "Cid 1 3:5"], "PA-17: Ann may move pawns of Cid only once"),
        (["Ann 1 1:4", "Bob 1 3:5"], "PA-17: Ann can't move a pawn of Bob"),
        (["Ann 3 start", "Ann 1 1:4"], "PA-10: Ann's pawn 3 is in its base"),
        ([], "PA-7: Say which pawn goes where"),
        (["Ann 0 1:4"], "PA-2: There is no pawn 0"),
        (["Ann 1 1:15"], "PA-3: '1:15' isn't a place on the board"),
    ],
)
def test_what_no_seven_is(steps, reason):
    assert played(state_of(board(Ann="1:1 2:1", Bob="3:1", Cid="3:1")), "7", *steps).startswith(reason)


def test_each_part_may_bounce_and_any_steps_that_give_seven_will_do():
    state = state_of(board(Ann="goal:3 4:10"))
    # pawn 1 stays on goal 3 by four steps (in to 1 and back), pawn 2 goes three
    assert played(state, "7", "Ann 1 goal:3", "Ann 2 4:13")["Ann"] == "goal:3 4:13 base base"


def test_a_pawn_captured_on_the_way_is_gone_before_the_next_part():
    after = played(state_of(board(Ann="1:1 2:1", Cid="1:3")), "7", "Ann 1 1:3", "Ann 2 2:6")
    assert (after["Ann"], after["Cid"]) == ("1:3 2:6 base base", "base base base base")


def test_a_pawn_sent_home_by_a_stack_takes_no_further_part():
    state = state_of(board(Ann="1:1 2:1", Bob="1:3 1:3"))
    assert played(state, "7", "Ann 1 1:3", "Ann 2 2:6")["Ann"] == "base 2:6 base base"
    assert played(state, "7", "Ann 1 1:3", "Ann 1 1:8").startswith("PA-10: Ann's pawn 1 is in its base")


def test_of_twins_any_may_be_named_while_one_of_them_has_not_moved():
    state = state_of(board(Ann="1:1 1:4"))
    assert played(state, "7", "Ann 1 1:4", "Ann 1 1:8")["Ann"] == "1:8 1:4 base base"
    assert played(state, "7", "Ann 1 1:4", "Ann 2 1:8")["Ann"] == "1:4 1:8 base base"
    assert "already moved" in played(state, "7", "Ann 1 1:4", "Ann 1 1:7", "Ann 2 1:8")


def test_once_the_own_four_are_locked_the_rest_of_the_seven_moves_the_partner():
    state = state_of(board(Ann="goal:1 goal:2 goal:3 4:13", Cid="1:1"))
    assert played(state, "7", "Ann 4 goal:4", "Cid 1 1:6")["Cid"] == "1:6 base base base"
    assert played(state, "7", "Cid 1 1:6", "Ann 4 goal:4").startswith("PA-17")
    assert listed(state, "7") == ["Ann 4 4:10", "Ann 4 goal:4, Cid 1 1:6"]


def test_if_the_partner_cannot_take_the_rest_that_play_is_illegal():
    state = state_of(board(Ann="goal:1 goal:2 goal:3 4:13"))
    assert listed(state, "7") == ["Ann 4 4:10"]
    assert played(state, "7", "Ann 4 goal:4") == "PA-15: A seven is exactly seven steps; these moves take 2."


# PA-16: the swap


def test_a_swap_exchanges_any_two_pawns_on_squares():
    state = state_of(board(Ann="1:1 start", Bob="2:5", Cid="goal:4 3:3 3:3", Dot="4:4"))
    assert listed(state, "swap") == [
        "Ann 1 2:5, Bob 1 1:1",
        "Ann 1 4:4, Dot 1 1:1",
        "Bob 1 4:4, Dot 1 2:5",
    ]
    after = played(state, "swap", "Dot 1 2:5", "Bob 1 4:4")
    assert (after["Bob"], after["Dot"]) == ("4:4 base base base", "2:5 base base base")


def test_two_pawns_of_one_player_may_be_exchanged():
    assert (
        played(state_of(board(Bob="2:5 3:1")), "swap", "Bob 1 3:1", "Bob 2 2:5")["Bob"] == "3:1 2:5 base base"
    )


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        (["Ann 1 2:5"], "PA-16: A swap needs two different pawns"),
        (["Ann 1 1:1", "Ann 1 1:1"], "PA-16: A swap needs two different pawns"),
        (
            ["Ann 1 start", "Ann 2 1:1"],
            "PA-16: Ann's pawn 2 is on its own start and can't be swapped (option “Swapping a pawn",
        ),
        (["Ann 1 goal:4", "Cid 1 1:1"], "PA-16: Cid's pawn 1 is in the goal"),
        (["Ann 1 3:3", "Cid 2 1:1"], "PA-16: Cid's pawn 2 shares its square"),
        (["Ann 1 base", "Bob 2 1:1"], "PA-16: Bob's pawn 2 is in its base"),
        (
            ["Ann 1 2:6", "Bob 1 1:1"],
            "PA-16: After the swap the two pawns are on square 5 of Bob and square 1 of Ann",
        ),
    ],
)
def test_what_no_swap_is(steps, reason):
    state = state_of(board(Ann="1:1 start", Bob="2:5", Cid="goal:4 3:3 3:3"))
    assert played(state, "swap", *steps).startswith(reason)
