"""The whole firmware at a table of models: in simavr (the real binary), and compiled for this
machine with sanitizers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from companion.readers.rfid.events import (
    ButtonEvent,
    CardArrived,
    CardLeft,
    PadsSnapshot,
    ReaderFault,
    TagId,
)
from companion.readers.rfid.frames import Op
from companion.readers.rfid.wire import LinkState
from tests.firmware.light_colours import DARK, GREEN, RED
from tests.simulated.lock_step import HERTZ, LockStep, card

FIRMWARE = Path(__file__).parents[2] / "firmware"
SIMAVR = pytest.mark.simavr
NATIVE_ONLY = pytest.mark.parametrize(
    "table", [pytest.param(True, id="native", marks=pytest.mark.native)], indirect=True
)
"""For minutes of a board's time, which are seconds of the processor in simavr."""


def happened(events: list) -> list[tuple]:
    return [(type(e).__name__, e.pad, e.tag) for e in events if isinstance(e, CardArrived | CardLeft)]


@pytest.mark.slow
def test_a_card_is_laid_down_and_taken_away(table):
    table.board.put_tags("seat2", card(1))
    assert happened(table.run(40)) == [("CardArrived", 1, card(1))]
    assert happened(table.run(500)) == [], "it lies there, and is told once"
    table.board.take_tags("seat2")
    assert happened(table.run(300)) == [("CardLeft", 1, card(1))]


def test_a_quick_tap_is_seen(table):
    table.board.put_tags("middle", card(2))
    table.run(25)
    table.board.take_tags("middle")
    table.run(300)
    assert [name for name, _, _ in happened(table.events)] == ["CardArrived", "CardLeft"]


def test_a_card_lifted_for_a_moment_and_laid_back_has_not_left(table):
    table.board.put_tags(0, card(3))
    table.run(50)
    for _ in range(5):
        table.board.take_tags(0)
        table.run(12)
        table.board.put_tags(0, card(3))
        table.run(100)
    assert happened(table.events) == [("CardArrived", 0, card(3))]


def test_cards_come_to_several_pads_at_once(table):
    for pad in range(3):
        table.board.put_tags(pad, card(10 + pad))
    table.run(60)
    assert sorted(e.pad for e in table.of(CardArrived)) == [0, 1, 2]


def test_one_card_is_exchanged_for_another_on_the_same_pad(table):
    table.board.put_tags(0, card(4))
    table.run(60)
    table.board.take_tags(0)
    table.board.put_tags(0, card(5))
    table.run(300)
    # The new one is not kept waiting until it is certain that the old one has left.
    assert happened(table.events) == [
        ("CardArrived", 0, card(4)),
        ("CardArrived", 0, card(5)),
        ("CardLeft", 0, card(4)),
    ]


def test_a_stack_of_cards_is_told_apart_and_a_card_pulled_from_it_is_missed(table):
    stack = [card(20 + n) for n in range(6)]
    table.board.put_tags(0, *stack)
    table.run(150)
    assert {e.tag for e in table.of(CardArrived)} == set(stack)
    table.board.take_tags(0, stack[2])
    table.run(500)
    assert [e.tag for e in table.of(CardLeft)] == [stack[2]]
    assert len(table.of(CardArrived)) == len(stack)


def test_a_card_laid_on_a_card_that_lies_there_is_found(table):
    table.board.put_tags(0, card(30))
    table.run(100)
    table.board.put_tags(0, card(31))
    table.run(100)
    assert [e.tag for e in table.of(CardArrived)] == [card(30), card(31)]


def test_tags_whose_first_levels_are_alike_are_told_apart(table):
    twins = [TagId(bytes([4, 1, 2, 3, 4, 5, n])) for n in (6, 7, 8)]
    table.board.put_tags(0, *twins)
    table.run(200)
    assert {e.tag for e in table.of(CardArrived)} == set(twins)
    table.board.take_tags(0, twins[1])
    table.run(800)
    assert [e.tag for e in table.of(CardLeft)] == [twins[1]]


def test_tags_with_short_ids_are_read_too(table):
    short = TagId(b"\x12\x34\x56\x78")
    table.board.put_tags(0, short)
    table.board.put_tags(1, short, card(33))
    table.run(200)
    assert {(e.pad, e.tag) for e in table.of(CardArrived)} == {(0, short), (1, short), (1, card(33))}
    table.board.take_tags(1, short)
    table.run(500)
    assert happened(table.of(CardLeft)) == [("CardLeft", 1, short)]


def test_a_snapshot_names_what_lies_there(table):
    short = TagId(b"\x12\x34\x56\x78")
    table.board.put_tags(0, card(34))
    table.board.put_tags(1, short)
    table.run(100)
    table.wire.commands.queue_once(Op.SNAPSHOT)
    table.run(100)
    assert [pad.tags for pad in table.of(PadsSnapshot)[-1].pads[:3]] == [(card(34),), (short,), ()]


def test_more_tags_than_the_pad_can_keep_is_said_as_long_as_they_lie_there(table):
    """And who is left out arrives when there is room."""

    def health():
        return [fault.health for fault in table.of(ReaderFault) if fault.pad == 0 and fault.health != 8]

    cards = [card(40 + n) for n in range(14)]
    table.board.put_tags(0, *cards)
    table.until(lambda: health() == [9])
    kept = [event.tag for event in table.of(CardArrived)]
    assert len(kept) == 12
    table.run(500, step=10)
    assert health() == [9]
    table.board.take_tags(0, kept[0])
    table.until(lambda: len(table.of(CardArrived)) == 13)
    table.run(200, step=10)
    assert health()[-1] == 9
    table.board.take_tags(0, *set(cards).difference(kept, [table.of(CardArrived)[-1].tag]))
    table.until(lambda: health()[-1] == 0)
    assert [event.tag for event in table.of(CardLeft)] == [kept[0]]


@NATIVE_ONLY
def test_garbled_replies_mean_a_card_is_there(table):
    table.board.put_tags(0, card(50))
    table.run(60)
    table.board.send_command("noise", 0, 20, 25)
    table.run(20_000, step=50)
    assert happened(table.events) == [("CardArrived", 0, card(50))]
    table.board.take_tags(0)
    table.run(1000)
    assert len(table.of(CardLeft)) == 1


@NATIVE_ONLY
def test_a_card_laid_down_in_noise_is_read_right_or_not_at_all(table):
    table.board.send_command("noise", 0, 40)
    cards = [card(60 + n) for n in range(12)]
    for one in cards:
        table.board.put_tags(0, one)
        table.run(250)
        table.board.take_tags(0)
        table.run(900)
    assert {e.tag for e in table.of(CardArrived)} == set(cards)
    assert {e.tag for e in table.of(CardLeft)} == set(cards)


def test_nobody_listening_is_shown_and_nothing_is_forgotten(table):
    table.wire.on_port_closed()
    table.run(3500, step=20)
    assert table.board.lights[0] not in (DARK, GREEN, RED), "amber, breathing"
    table.board.put_tags(0, card(81))
    table.run(100)
    assert not table.of(CardArrived)
    table.wire.on_port_opened(table.seconds)
    table.run(400)
    assert [e.tag for e in table.of(CardArrived)] == [card(81)]


def test_a_dead_pad_is_shown_also_while_nobody_listens(table):
    table.board.send_command("kill", 1)
    table.wire.on_port_closed()
    table.run(3500, step=20)
    seen = set()
    for _ in range(60):
        table.run(40, step=40)
        seen.add(table.board.lights[1])
    assert seen == {RED, DARK}
    assert table.board.lights[0] not in (RED, DARK)


def test_the_reset_key_is_a_new_start_with_all_cards_found_again(table):
    table.board.put_tags(0, card(82))
    table.run(100)
    boot = table.wire.identity.boot
    table.events.clear()
    table.board.send_command("reset")
    table.run(600)
    assert table.wire.identity.boot != boot
    assert table.wire.identity.cause == 2
    assert table.wire.state is LinkState.OPEN
    assert table.wire.pads[0].tags == (card(82),)
    snapshot = table.of(PadsSnapshot)[0]
    seen_later = [e.tag for e in table.of(CardArrived)]
    assert (card(82) in snapshot.pads[0].tags) != (card(82) in seen_later), (
        "by the snapshot or as an event, not both"
    )


@pytest.mark.parametrize("how", ["key", "power"])
def test_after_a_reset_no_key_is_held_that_nobody_holds(table, how):
    table.board.send_command("reset", *["power"] * (how == "power"))
    table.run(600)
    table.wire.commands.queue_once(Op.SNAPSHOT)
    table.run(100)
    assert table.of(PadsSnapshot)[-1].held == set()
    assert table.of(ButtonEvent) == []


def test_a_reset_while_the_program_speaks_does_not_make_the_board_deaf(table):
    for n in range(6):
        table.board.send_command("rx", "00" * 40)
        table.run(0.2 + n * 0.05, step=0.1)
        table.board.send_command("reset")
        table.run(20)
    table.until(lambda: table.wire.state is LinkState.OPEN, at_most=3000)
    table.board.put_tags(0, card(84))
    table.run(400)
    assert table.wire.pads[0].tags == (card(84),)


@SIMAVR
def test_a_program_that_runs_astray_is_started_again_by_the_watchdog():
    with LockStep() as table:
        table.open()
        table.board.put_tags(0, card(85))
        table.run(100)
        table.board.send_command("hang")
        table.run(2500, step=10)
        assert table.wire.identity.cause == 4
        assert table.wire.state is LinkState.OPEN
        assert table.wire.pads[0].tags == (card(85),)


def test_pads_can_be_switched_off_and_on(table):
    table.wire.commands.set_level(Op.SCAN, 0b110, 0)
    table.run(100)
    table.board.put_tags(0, card(83))
    table.run(200)
    assert not table.of(CardArrived)
    assert table.wire.pads[0].health == 7
    table.wire.commands.set_level(Op.SCAN, 0b110, 0)
    table.wire.commands.set_level(Op.SCAN, 0b111, 0)
    table.run(300)
    assert [e.tag for e in table.of(CardArrived)] == [card(83)]
    assert table.wire.pads[0].health == 0


def test_the_clock_of_the_board_wraps_without_anyone_noticing(monkeypatch):
    monkeypatch.setenv("READER_CLOCK_OFFSET", hex((1 << 32) - 1500))
    with LockStep(native=True) as table:
        table.open()
        stamps = []
        for n in range(8):
            table.board.put_tags(0, card(90 + n))
            table.run(150)
            table.board.take_tags(0)
            table.run(250)
        stamps = [e.board_ms for e in table.events if isinstance(e, CardArrived | CardLeft)]
        assert len(stamps) == 16
        assert stamps[0] > (1 << 32) - 1500 > 10_000 > stamps[-1], "it did wrap"


def test_latency_of_three_pads_in_cycles(table):
    slowest = 0.0
    for n in range(12):
        put = table.board.put_tags(n % 3, card(200 + n))
        (arrived,) = [e for e in table.run(30 + n * 0.3) if isinstance(e, CardArrived)]
        slowest = max(slowest, arrived.received - put / HERTZ)
    assert slowest <= 0.015


@SIMAVR
def test_flash_and_ram_are_within_their_limits():
    subprocess.run(["make", "-s", "-C", FIRMWARE, "all"], check=True)
    elf = FIRMWARE / "build" / "nano" / "reader.elf"
    done = subprocess.run(
        [sys.executable, FIRMWARE / "tools" / "size.py", elf], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


@SIMAVR
def test_the_sources_are_plain_enough_for_an_arduino_tool_chain():
    """The Arduino core compiles sketches as gnu++11 unless told otherwise."""
    for source in sorted((FIRMWARE / "src").glob("*.cpp")):
        words = [
            "avr-g++",
            "-mmcu=atmega328p",
            "-DF_CPU=16000000UL",
            "-std=gnu++11",
            "-Wall",
            "-Werror",
            "-fsyntax-only",
        ]
        done = subprocess.run([*words, source], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
