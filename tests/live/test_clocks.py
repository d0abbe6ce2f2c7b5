"""Clocks are values: the same options, views and times give the same face."""

from __future__ import annotations

import pytest

from companion.live.clocks import Clock, ClockOptions, TableClock
from companion.live.live_session import LiveSession
from companion.table.table import Table
from tests.live.seats import DECK, Seats
from tests.toy import TOY, Lay, Show, toy_setup


def awaiting(*players, phase="play", **more):
    return {"phase": phase, "waiting_for": [{"do": phase, "player": player} for player in players], **more}


def clock(*, per="turn", seconds=60, bank=0, warn=10):
    return Clock.for_players(ClockOptions(per=per, seconds=seconds, bank=bank, warn=warn), ["Ann", "Ben"])


def test_no_clock_is_shown_unless_one_is_chosen():
    assert Seats("Ann", "Ben").live.snapshot().clock is None
    assert clock().build_clock_face(0) is None


def test_each_turn_has_its_own_seconds():
    one = clock().advance_turn(awaiting("Ann"), 1, 100)
    assert (one.build_clock_face(100).player, one.build_clock_face(100).left) == ("Ann", 60)
    assert one.build_clock_face(130.2).left == 30
    two = one.advance_turn(awaiting("Ben"), 2, 130)
    assert (two.build_clock_face(131).player, two.build_clock_face(131).left) == ("Ben", 59)


def test_the_same_player_again_has_a_new_turn():
    one = clock().advance_turn(awaiting("Ann"), 1, 100).advance_turn(awaiting("Ann"), 2, 150)
    assert one.build_clock_face(150).left == 60


def test_a_phase_keeps_its_seconds_while_players_come_and_go():
    one = clock(per="phase").advance_turn(awaiting("Ann", "Ben", round=1), 1, 100)
    two = one.advance_turn(awaiting("Ben", round=1), 2, 120)
    assert (
        one.build_clock_face(110).player,
        two.build_clock_face(130).player,
        two.build_clock_face(130).left,
    ) == (None, "Ben", 30)
    assert two.advance_turn(awaiting("Ann", "Ben", round=2), 3, 130).build_clock_face(130).left == 60


@pytest.mark.parametrize(
    ("name", "value", "left"),
    [
        ("round", 2, 60),
        ("hand_number", 2, 60),
        ("deal", 2, 60),
        ("trick", 2, 60),
        ("trick", {}, 40),
        ("act", 2, 40),
    ],
)
def test_what_begins_a_game_s_phases_anew_begins_their_seconds(name, value, left):
    one = clock(per="phase").advance_turn(awaiting("Ann", "Ben"), 1, 100)
    assert one.advance_turn(awaiting("Ben", **{name: value}), 2, 120).build_clock_face(120).left == left


@pytest.mark.parametrize(
    ("at", "warning"), [(100, "none"), (149, "none"), (150, "soon"), (159, "soon"), (160, "up")]
)
def test_the_end_is_announced(at, warning):
    assert clock().advance_turn(awaiting("Ann"), 1, 100).build_clock_face(at).warning == warning


def test_a_bank_runs_when_the_seconds_are_used_up_and_stays_used():
    one = clock(bank=30).advance_turn(awaiting("Ann"), 1, 100)
    assert one.build_clock_face(100).left == 90
    assert one.build_clock_face(170).banks == {"Ann": 20, "Ben": 30}
    two = one.advance_turn(awaiting("Ben"), 2, 170)
    assert (two.build_clock_face(170).left, two.build_clock_face(170).banks) == (90, {"Ann": 20, "Ben": 30})
    three = two.advance_turn(awaiting("Ann"), 3, 180)
    assert three.build_clock_face(180).left == 80
    assert three.is_time_up(260)
    assert three.advance_turn(awaiting("Ann"), 4, 300).build_clock_face(300).banks == {"Ann": 0, "Ben": 30}


def test_nobody_pays_for_waiting_together():
    one = clock(bank=30).advance_turn(awaiting("Ann", "Ben"), 1, 100)
    assert one.is_time_up(160)
    assert one.advance_turn(awaiting("Ann"), 2, 500).build_clock_face(500).banks == {"Ann": 30, "Ben": 30}


def test_a_player_left_alone_in_a_phase_pays_only_from_then_on():
    one = clock(per="phase", bank=30).advance_turn(awaiting("Ann", "Ben"), 1, 100)
    two = one.advance_turn(awaiting("Ben"), 2, 200)
    assert two.build_clock_face(200).left == 30
    assert two.build_clock_face(210).banks == {"Ann": 30, "Ben": 20}


def test_a_pause_costs_nothing():
    one = clock().advance_turn(awaiting("Ann"), 1, 100).pause(120)
    assert (one.build_clock_face(1000).left, one.build_clock_face(1000).paused) == (40, True)
    two = one.resume(1000)
    assert (two.build_clock_face(1010).left, two.build_clock_face(1010).paused) == (30, False)
    assert two.resume(1020) is two


def test_a_step_during_a_pause_does_not_start_the_clock():
    one = clock().advance_turn(awaiting("Ann"), 1, 100).pause(110).advance_turn(awaiting("Ben"), 2, 150)
    assert one.build_clock_face(500).left == 60
    assert one.resume(500).build_clock_face(505).left == 55


def test_the_clock_stands_still_when_the_game_is_over():
    one = clock().advance_turn(awaiting(phase="game_over"), 1, 100)
    assert one.build_clock_face(500).left == 60
    assert one.next_due_time(500) is None
    assert one.pause(500).resume(600).build_clock_face(700).left == 60


def test_the_face_changes_at_whole_seconds_and_says_when():
    one = clock().advance_turn(awaiting("Ann"), 1, 100.25)
    due = one.next_due_time(101)
    assert due == 101.25
    assert one.build_clock_face(due - 0.01).left == 60
    assert one.build_clock_face(due + 0.01).left == 58 + 1
    assert one.next_due_time(due) == due + 1, "and not at once again"
    assert (one.next_due_time(159.5), one.next_due_time(160.25)) == (160.25, None)


@pytest.mark.parametrize(
    "wrong", [{"seconds": -1}, {"bank": float("nan")}, {"warn": float("inf")}, {"seconds": 1e9}]
)
def test_a_clock_that_cannot_be_shown_is_refused(wrong):
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be"):
        ClockOptions(**wrong)


def test_time_up_warns_and_does_nothing_else():
    seats = Seats("Ann", "Ben", clock=ClockOptions(seconds=5))
    seen = seats.later(7)
    assert seen.clock.warning == "up"
    assert seats.live.list_acts() == []


def test_time_up_makes_the_harmless_choice_if_the_table_chose_so():
    seats = Seats("Ann", "Ben", clock=ClockOptions(seconds=5, when_up="harmless"))
    seen = seats.later(5.5)
    assert [act.request for act in seats.live.list_acts()] == [Lay("Ann")]
    assert seen.notice.code == "live.time_up"
    seats.later(5.5)
    assert seats.phase == "show"
    seats.later(30)  # nothing is harmless here
    assert len(seats.live.list_acts()) == 2
    assert seats.live.snapshot().clock.warning == "up"


def test_the_harmless_choice_is_asked_for_once_a_step_also_where_none_was_possible():
    one = TableClock(ClockOptions(seconds=5, when_up="harmless"), ["Ann", "Ben"])
    for step, begun in ((1, 100), (2, 200)):
        one.advance_turn(awaiting("Ann"), step, begun)
        asked = [one.should_apply_default(step, begun + later) for later in (4, 5, 6, 60)]
        assert asked == [False, True, False, False]


def test_a_pause_holds_the_harmless_choice_back():
    seats = Seats("Ann", "Ben", clock=ClockOptions(seconds=5, when_up="harmless"))
    seats.later(4)
    seats.live.set_paused(True)
    assert seats.later(10).clock.paused
    assert seats.live.list_acts() == []
    seats.live.set_paused(False)
    assert not seats.later(0.5).clock.paused
    seats.later(1)
    assert len(seats.live.list_acts()) == 1


def test_a_running_clock_changes_the_snapshot_once_a_second():
    seats = Seats("Ann", "Ben", clock=ClockOptions(seconds=60))
    before = seats.live.snapshot().number
    assert seats.later(10).number == before + 10


def test_an_undo_gives_a_new_turn():
    seats = Seats("Ann", "Ben", clock=ClockOptions(seconds=60))
    for request in (Lay("Ann"), Lay("Ben"), Show("Ann", 3)):
        seats.live.submit_request(request)
    seats.later(20)
    seats.live.undo()
    assert seats.live.snapshot().clock.left == 60


def test_a_clock_that_nobody_set_and_the_longest_that_there_is():
    assert ClockOptions() == ClockOptions("turn", 60, 0, 10, "warn")
    day = 24 * 60 * 60
    assert ClockOptions(seconds=day, bank=day, warn=day).bank == day
    for name in ("seconds", "bank", "warn"):
        for wrong in (day + 0.5, -0.5):
            with pytest.raises(ValueError, match=f"^{name} must be from 0 to {day} seconds, not "):
                ClockOptions(**{name: wrong})


def test_a_session_that_is_told_no_time_begins_at_nought():
    live = LiveSession(
        TOY, toy_setup("Ann", "Ben"), table=Table(DECK, {}, {}), clock=ClockOptions(seconds=60)
    )
    live.tick(10.5)
    assert live.snapshot().clock.left == 50
