"""The keys, lights, buzzer and gains of a board."""

from __future__ import annotations

import pytest

from companion.readers.rfid.events import (
    ButtonEvent,
    CardArrived,
    CardLeft,
    PadsSnapshot,
    ReaderFault,
)
from companion.readers.rfid.frames import Light, Op, Tune
from tests.firmware.light_colours import DARK, GREEN, RED
from tests.simulated.lock_step import card


def test_a_bouncing_key_is_one_press(table):
    table.board.send_command("bounce", 2, "refuse")
    table.run(100)
    table.board.press_button(2, "refuse", down=False)
    table.run(60)
    presses = [(e.seat, e.which, e.pressed) for e in table.of(ButtonEvent)]
    assert presses == [(2, "refuse", True), (2, "refuse", False)]


def test_a_click_is_a_press_and_its_end(table):
    table.board.send_command("click", 1, "accept")
    table.run(250)
    assert [(e.seat, e.which, e.pressed) for e in table.of(ButtonEvent)] == [
        (1, "accept", True),
        (1, "accept", False),
    ]


def test_all_keys_can_be_held_at_once(table):
    assert table.wire.identity is not None
    seats = range(1, table.wire.identity.seats + 1)
    for seat in seats:
        for key in ("accept", "refuse"):
            table.board.press_button(seat, key)
    table.run(100)
    assert {(e.seat, e.which) for e in table.of(ButtonEvent)} == {
        (s, k) for s in seats for k in ("accept", "refuse")
    }
    table.wire.commands.queue_once(Op.SNAPSHOT)
    table.run(100)
    assert table.of(PadsSnapshot)[-1].held == {(s, k) for s in seats for k in ("accept", "refuse")}


def test_a_module_with_a_weak_coil_reads_stickers_at_the_usual_gain_and_drive_only(table):
    table.board.send_command("weak", 0, 20)  # at 33 dB and the chip's own drive it hears nothing
    table.board.put_tags(0, card(90))
    table.run(60)
    assert [e.tag for e in table.of(CardArrived)] == [card(90)]
    table.wire.commands.set_level(Op.GAIN, 0, 4)
    table.wire.commands.set_level(Op.DRIVE, 0, 0)
    table.run(600)
    assert [e.tag for e in table.of(CardLeft)] == [card(90)]
    table.wire.commands.set_level(Op.DRIVE, 0, 1)
    table.run(300)
    assert len(table.of(CardArrived)) == 2, "33 dB and all of the drive will do"
    assert not table.of(ReaderFault), "the chip has not lost what it was told to change"


@pytest.mark.parametrize(("decibels", "heard"), [(26, True), (27, False)])
def test_all_of_the_drive_and_38_decibels_are_used_also_after_a_self_test(table, decibels, heard):
    """38 dB of gain and 6 of drive, above the chip's least gain of 18: one output of two, a setting
    left out, or a self-test that is not undone by a reset costs some of them."""
    table.board.send_command("weak", 0, decibels)
    table.wire.commands.queue_once(Op.SELF_TEST, 0)
    table.run(400)
    table.board.put_tags(0, card(91))
    table.run(100)
    assert [e.tag for e in table.of(CardArrived)] == [card(91)] * heard


@pytest.mark.parametrize(("decibels", "heard"), [(20, True), (21, False)])
def test_without_all_of_the_drive_it_is_the_chips_own(table, decibels, heard):
    table.board.send_command("weak", 0, decibels)
    table.wire.commands.set_level(Op.DRIVE, 0, 0)
    table.run(100)
    table.board.put_tags(0, card(92))
    table.run(100)
    assert [e.tag for e in table.of(CardArrived)] == [card(92)] * heard


def test_a_light_shows_what_the_program_thinks_and_goes_out_with_the_card(table):
    table.board.put_tags(0, card(80))
    table.run(100)
    table.wire.commands.set_level(Op.LIGHT, 0, Light.ACCEPTED)
    table.wire.commands.set_level(Op.LIGHT, 1, Light.UNKNOWN)
    table.run(100)
    assert table.board.lights[:3] == (GREEN, RED, DARK)
    table.board.take_tags(0)
    table.run(400)
    assert table.board.lights[0] == DARK


def test_the_buzzer_plays_the_notes_of_its_tune(table):
    heard: list[int] = []
    listen = table.board.on_line
    table.board.on_line = lambda line: (listen(line), heard.append(line["tone"]) if "tone" in line else None)
    table.wire.play_tune(Tune.ACCEPTED)
    table.run(400)
    assert len(heard) == 3
    assert heard[-1] == 0
    assert abs(heard[0] - 1760) < 40
    assert abs(heard[1] - 2637) < 90
