"""Who sits where, without a table: each deed as one row, and what cannot be."""

from __future__ import annotations

import pytest

from companion.rules import registry
from companion.rules.people import (
    DEEDS,
    RIGHT,
    People,
    SeatChange,
    VerbatimName,
    check_seat_change,
    describe_menu_action,
)

DTC = registry.load_game("dtc")  # two to six players
SEATS = ("Ann", "Bob", "Cy")


def after(*changes, seats=SEATS):
    people = People.from_players(seats)
    for at, change in enumerate(changes):
        assert check_seat_change(people, change, DTC) is None, change
        people = people.with_change(change, at)
    return people


RENAMED = SeatChange("rename", "Bob", "Bobby")
EVE = SeatChange("stand_in", "Bob", "Eve")
BOTH = SeatChange("share", "Bob", "Eve")
GONE = SeatChange("leave", "Bob")
SWITCHED = SeatChange("exchange", "Bob", "Cy")
ZOE = SeatChange("join", "", "Zoe")


@pytest.mark.parametrize(
    ("changes", "shown", "right", "following", "possible"),
    [
        ([], {}, "Bob", "Ann Bob Cy", "rename exchange stand_in share swap leave"),
        ([RENAMED], {"Bob": "Bobby"}, "Bobby", "Ann Bobby Cy", "rename exchange stand_in share swap leave"),
        ([EVE], {"Bob": "Eve (Bob)"}, "Bob", "Ann Bob Cy", "rename exchange back swap leave"),
        ([BOTH], {"Bob": "Bob + Eve"}, "Bob", "Ann Bob Cy", "rename exchange back swap leave"),
        ([RENAMED, BOTH], {"Bob": "Bobby + Eve"}, "Bobby", "Ann Bobby Cy", "rename exchange back swap leave"),
        (
            [EVE, SeatChange("back", "Bob")],
            {},
            "Bob",
            "Ann Bob Cy",
            "rename exchange stand_in share swap leave",
        ),
        ([GONE], {}, "Bob", "Ann Cy", "rename exchange stand_in share swap stay"),
        (
            [GONE, SeatChange("stay", "Bob")],
            {},
            "Bob",
            "Ann Cy Bob",
            "rename exchange stand_in share swap leave",
        ),
        ([ZOE], {}, "Bob", "Ann Bob Cy Zoe", "rename exchange stand_in share swap leave"),
        (
            [SeatChange("swap", "Bob", "Cy")],
            {},
            "Bob",
            "Ann Cy Bob",
            "rename exchange stand_in share swap leave",
        ),
        (
            [SeatChange("swap", "Ann", "Cy")],
            {},
            "Bob",
            "Cy Bob Ann",
            "rename exchange stand_in share swap leave",
        ),
        (
            [SWITCHED],
            {"Bob": "Cy", "Cy": "Bob"},
            "Cy",
            "Ann Cy Bob",
            "rename exchange stand_in share swap leave",
        ),
        ([SWITCHED, SWITCHED], {}, "Bob", "Ann Bob Cy", "rename exchange stand_in share swap leave"),
    ],
)
def test_each_deed_changes_what_it_says(changes, shown, right, following, possible):
    people = after(*changes)
    assert people.display_names == shown
    assert people.real_names == {"Ann": "Ann", "Bob": right, "Cy": "Bob" if right == "Cy" else "Cy"}
    assert people.next_players == tuple(following.split())
    assert people.list_possible_actions("Bob") == tuple(possible.split())
    assert {*people.list_possible_actions("Bob"), "join"} <= set(DEEDS)


FULL = tuple("ABCDEF")


@pytest.mark.parametrize(
    ("changes", "change", "code"),
    [
        ([], SeatChange("rename", "Eve", "Zoe"), "unknown_player refusal.unknown_player"),
        ([], SeatChange("back", "Bob"), "bad_players refusal.people_done"),
        ([EVE], BOTH, "bad_players refusal.people_done"),
        ([], SeatChange("stay", "Bob"), "bad_players refusal.people_done"),
        ([GONE], GONE, "bad_players refusal.people_done"),
        ([], SeatChange("swap", "Bob", "Bob"), "bad_players refusal.people_swap"),
        ([], SeatChange("swap", "Bob", "Zoe"), "bad_players refusal.people_swap"),
        ([GONE], SeatChange("swap", "Ann", "Bob"), "bad_players refusal.people_swap"),
        ([GONE], SeatChange("swap", "Bob", "Ann"), "bad_players refusal.people_swap"),
        ([], SeatChange("exchange", "Bob", "Bob"), "bad_players refusal.people_exchange"),
        ([], SeatChange("exchange", "Ann", "Zoe"), "bad_players refusal.people_exchange"),
        ([], SeatChange("rename", "Bob", "Ann"), "bad_players refusal.same_name"),
        ([GONE], SeatChange("rename", "Ann", "Bob"), "bad_players refusal.same_name"),
        ([ZOE], SeatChange("rename", "Ann", "Zoe"), "bad_players refusal.same_name"),
        ([EVE], SeatChange("rename", "Ann", "Eve"), "bad_players refusal.same_name"),
        ([], SeatChange("stand_in", "Bob", "Bob"), "bad_players refusal.same_name"),
        ([], SeatChange("join", "", "Bob"), "bad_players refusal.same_name"),
        ([], SeatChange("join", "", " "), "bad_players refusal.bad_name"),
        ([], SeatChange("share", "Bob", "E" * 1000), "bad_players refusal.long_name"),
    ],
)
def test_what_cannot_be_is_refused(changes, change, code):
    refusal = check_seat_change(after(*changes), change, DTC)
    assert f"{refusal.code} {refusal.text.code}" == code
    assert change.seat in (refusal.text.args.get("player", change.seat), "")
    assert ("player" in refusal.text.args) == code.endswith(("unknown_player", "people_done"))


def test_who_stands_in_and_who_goes_belongs_to_the_person_and_not_to_the_colour():
    people = after(EVE, GONE, SWITCHED)
    assert people.display_names == {"Bob": "Cy", "Cy": "Eve (Bob)"}
    assert people.next_players == ("Ann", "Cy")
    assert [str(told.text.args["name"]) for told in people.described_changes][-1] == "Bob"


def test_a_full_table_takes_nobody_more_and_somebody_back_only_where_there_is_room():
    full = People.from_players(FULL)
    assert check_seat_change(full, ZOE, DTC).text.args == {"most": 6}
    left = full.with_change(SeatChange("leave", "A"), 1)
    assert check_seat_change(left, ZOE, DTC) is None
    again = left.with_change(ZOE, 2)
    refusal = check_seat_change(again, SeatChange("stay", "A"), DTC)
    assert (refusal.code, refusal.text.code) == ("bad_players", "refusal.people_full")


def test_ones_own_name_may_be_written_anew_and_a_name_put_right_twice():
    people = after(SeatChange("rename", "Bob", "Bob"), SeatChange("rename", "Bob", "Bobby"))
    assert people.display_names == {"Bob": "Bobby"}
    done = check_seat_change(people, SeatChange("back", "Bob"), DTC).text.args["player"]
    assert (str(done), type(done)) == ("Bobby", VerbatimName)


def test_two_who_are_called_alike_by_an_older_program_stay_two():
    people = People(SEATS, names={"Bob": "Ann"})
    assert people.real_names == {"Ann": "Ann", "Bob": "Ann (Bob)", "Cy": "Cy"}


def test_changes_are_told_by_the_names_of_now_and_a_new_name_beside_the_old_one():
    told = after(
        EVE, RENAMED, SeatChange("rename", "Bob", "Rob"), SeatChange("back", "Bob"), ZOE
    ).described_changes
    assert [(one.at, one.deed, one.text.code) for one in told] == [
        (0, "stand_in", "people.told.stand_in"),
        (1, "rename", "people.told.rename"),
        (2, "rename", "people.told.rename"),
        (3, "back", "people.told.back"),
        (4, "join", "people.told.join"),
    ]
    rows = [(one.text.args["player"], one.text.args["name"], one.text.args["guest"]) for one in told]
    assert rows == [
        ("Rob", "Eve", ""),
        ("Bob", "Bobby", "Eve"),
        ("Bobby", "Rob", "Eve"),
        ("Rob", "", "Eve"),
        ("", "Zoe", ""),
    ]
    (swap,) = after(RENAMED, SeatChange("swap", "Ann", "Bob")).described_changes[1:]
    assert (swap.text.args["player"], swap.text.args["name"]) == ("Ann", "Bobby")
    assert describe_menu_action("swap", "Ann").code == "people.swap"
    assert describe_menu_action("swap", "Ann").args == {"player": "Ann"}


def test_two_who_exchange_their_seats_are_those_who_play_next():
    people = after(SeatChange("exchange", "Ann", "Bob"), seats=("Ann", "Bob"))
    assert people.next_players == ("Bob", "Ann")


def test_names_are_put_right_from_the_first_round_on_by_two_deeds():
    assert {"rename", "exchange"} == RIGHT <= {*DEEDS}
