"""The tray of its own: the UF2 file that people copy runs on an RP2040 in rp2040js.

That is eight times dearer than simavr, so few of the other boards' tests run here, and what only
this chip has."""

from __future__ import annotations

import runpy
import struct
import subprocess
import sys

import pytest

from companion.readers.rfid.events import ButtonEvent, CardArrived
from companion.readers.rfid.frames import Light, Op, Tune
from companion.readers.rfid.simulator import build_firmware
from companion.readers.rfid.wire import LinkState
from tests.firmware.light_colours import GREEN
from tests.firmware.test_board import (
    FIRMWARE,
    test_a_stack_of_cards_is_told_apart_and_a_card_pulled_from_it_is_missed,
    test_one_card_is_exchanged_for_another_on_the_same_pad,
    test_the_reset_key_is_a_new_start_with_all_cards_found_again,
)
from tests.simulated.lock_step import LockStep, card

__all__ = [
    "test_a_stack_of_cards_is_told_apart_and_a_card_pulled_from_it_is_missed",
    "test_one_card_is_exchanged_for_another_on_the_same_pad",
    "test_the_reset_key_is_a_new_start_with_all_cards_found_again",
]
pytestmark = pytest.mark.pico
SEED = 0x1234ABCD
MUXED_TO_THE_CHIP, MUXED_TO_PINS = 0b1001, 0b1100


@pytest.fixture
def table():
    with LockStep("pico", seed=SEED) as table:
        said = table.board.on_line
        table.usb = {}

        def hear(line):
            table.usb |= line.get("usb", {})
            said(line)

        table.board.on_line = hear
        table.open()
        table.events.clear()
        yield table


def test_a_computer_is_told_who_it_is_and_refused_what_it_is_not(table):
    assert table.wire.identity.cause == 1, "the boot ROM has just written it, and let the watchdog bite"
    usb = table.usb
    assert (usb["usb"], usb["maker"], usb["product"]) == ("2e8a:000a", "Card Table Companion", "Card tray")
    assert usb["serial"] == f"TRAYE66140C3{SEED:08X}", "the flash chip's own number"
    assert (usb["other_speed"], usb["no_text"]) == ("stall", "stall")
    assert usb["function"] == [0xEF, 2, 1, 2, 2, 0], (
        "by which Windows finds its driver, and no modem is sought"
    )
    assert (usb["first"], usb["whole"], usb["status"]) == (18, True, [0, 0])
    assert usb["coding"] == list(struct.pack("<IBBB", 500_000, 0, 0, 8))
    resets = 2
    muxing = [MUXED_TO_THE_CHIP, *[MUXED_TO_PINS, MUXED_TO_THE_CHIP] * resets]
    assert usb["muxing"] == muxing, "erratum E5: an old chip behind a busy hub would never be found"


def test_buttons_light_and_buzzer(table):
    board, commands = table.board, table.wire.commands
    board.press_button(1, "refuse")
    commands.set_level(Op.LIGHT, 0, Light.ACCEPTED)
    table.wire.play_tune(Tune.TEST)
    table.run(60)
    (pressed,) = table.of(ButtonEvent)
    assert (pressed.seat, pressed.which, pressed.pressed) == (1, "refuse", True)
    assert board.lights == (GREEN,)
    assert board.tone > 0


def test_slow_leads_are_read_at_a_quarter_of_the_speed(table):
    table.board.send_command("leads", 0, 2)
    table.run(300, step=3)
    table.board.put_tags(0, card(7))
    table.until(lambda: bool(table.of(CardArrived)), step=3)


def test_a_program_that_runs_astray_without_interrupts_is_started_again_by_the_watchdog(table):
    boot = table.wire.identity.boot
    table.board.send_command("hang", "deaf")
    table.until(
        lambda: table.wire.identity.boot != boot and table.wire.state is LinkState.OPEN, at_most=4000, step=10
    )
    assert table.wire.identity.cause == 4


def test_an_image_that_the_boot_rom_would_not_start_is_not_written():
    tool = runpy.run_path(str(FIRMWARE / "tools" / "uf2.py"))
    assert tool["boot_checksum"](b"123456789") == 0x0376E6E7, "the check value of CRC-32/MPEG-2"
    folder = build_firmware("pico") / "pico"
    image = (folder / "reader.bin").read_bytes()
    assert tool["uf2"](image) == (folder / "reader.uf2").read_bytes()
    with pytest.raises(ValueError, match="checksum"):
        tool["uf2"](b"\0" + image[1:])


def test_the_program_fits_into_the_memory_from_which_it_runs():
    done = subprocess.run(
        [sys.executable, FIRMWARE / "tools" / "size.py", build_firmware("pico") / "pico" / "reader.elf"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
