"""The whole firmware at a table of models: in simavr (the real binary), and compiled for this machine with sanitizers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bench.reader_step import HERTZ, LockStep, card
from companion.readers.rfid.events import (
    Button,
    CardArrived,
    CardLeft,
    ReaderFault,
    SelfTest,
    Snapshot,
    TagId,
)
from companion.readers.rfid.protocol import Light, Op, Tune
from companion.readers.rfid.wire import State

FIRMWARE = Path(__file__).parents[2] / "firmware"
GREEN, RED, DARK = "#004000", "#400000", "#000000"
SIMAVR = pytest.mark.simavr


@pytest.fixture(
    params=[
        pytest.param(("mega2560", False), id="mega", marks=SIMAVR),
        pytest.param(("nano", False), id="nano", marks=SIMAVR),
        pytest.param(("mega2560", True), id="native"),
    ]
)
def table(request):
    kind, native = request.param
    with LockStep(kind, native=native) as table:
        table.open()
        table.events.clear()
        yield table


@pytest.fixture(params=[pytest.param(False, id="mega", marks=SIMAVR), pytest.param(True, id="native")])
def mega(request):
    with LockStep(native=request.param) as table:
        table.open()
        table.events.clear()
        yield table


def happened(events: list) -> list[tuple]:
    return [(type(e).__name__, e.pad, e.tag) for e in events if isinstance(e, CardArrived | CardLeft)]


def test_a_card_is_laid_down_and_taken_away(table):
    table.board.put("seat2", card(1))
    assert happened(table.run(40)) == [("CardArrived", 1, card(1))]
    assert happened(table.run(500)) == [], "it lies there, and is told once"
    table.board.take("seat2")
    assert happened(table.run(300)) == [("CardLeft", 1, card(1))]


def test_a_quick_tap_is_seen(table):
    table.board.put("middle", card(2))
    table.run(25)
    table.board.take("middle")
    table.run(300)
    assert [name for name, _, _ in happened(table.events)] == ["CardArrived", "CardLeft"]


def test_a_card_lifted_for_a_moment_and_laid_back_has_not_left(table):
    table.board.put(0, card(3))
    table.run(50)
    for _ in range(5):
        table.board.take(0)
        table.run(12)
        table.board.put(0, card(3))
        table.run(100)
    assert happened(table.events) == [("CardArrived", 0, card(3))]


def test_cards_come_to_several_pads_at_once(table):
    for pad in range(3):
        table.board.put(pad, card(10 + pad))
    table.run(60)
    assert sorted(e.pad for e in table.of(CardArrived)) == [0, 1, 2]


def test_one_card_is_exchanged_for_another_on_the_same_pad(table):
    table.board.put(0, card(4))
    table.run(60)
    table.board.take(0)
    table.board.put(0, card(5))
    table.run(300)
    assert set(happened(table.events)) == {
        ("CardArrived", 0, card(4)),
        ("CardArrived", 0, card(5)),
        ("CardLeft", 0, card(4)),
    }


def test_a_stack_of_cards_is_told_apart_and_a_card_pulled_from_it_is_missed(table):
    stack = [card(20 + n) for n in range(6)]
    table.board.put(0, *stack)
    table.run(150)
    assert {e.tag for e in table.of(CardArrived)} == set(stack)
    table.board.take(0, stack[2])
    table.run(500)
    assert [e.tag for e in table.of(CardLeft)] == [stack[2]]
    assert len(table.of(CardArrived)) == len(stack)


def test_a_card_laid_on_a_card_that_lies_there_is_found(table):
    table.board.put(0, card(30))
    table.run(100)
    table.board.put(0, card(31))
    table.run(100)
    assert [e.tag for e in table.of(CardArrived)] == [card(30), card(31)]


def test_tags_whose_first_levels_are_alike_are_told_apart(table):
    twins = [TagId(bytes([4, 1, 2, 3, 4, 5, n])) for n in (6, 7, 8)]
    table.board.put(0, *twins)
    table.run(200)
    assert {e.tag for e in table.of(CardArrived)} == set(twins)
    table.board.take(0, twins[1])
    table.run(800)
    assert [e.tag for e in table.of(CardLeft)] == [twins[1]]


def test_tags_with_short_ids_are_read_too(table):
    short = TagId(b"\x12\x34\x56\x78")
    table.board.put(0, short)
    table.board.put(1, short, card(33))
    table.run(200)
    assert {(e.pad, e.tag) for e in table.of(CardArrived)} == {(0, short), (1, short), (1, card(33))}
    table.board.take(1, short)
    table.run(500)
    assert happened(table.of(CardLeft)) == [("CardLeft", 1, short)]


def test_more_tags_than_the_pad_can_keep_is_said_not_guessed(table):
    table.board.put(0, *(card(40 + n) for n in range(14)))
    table.run(800)
    assert len(table.of(CardArrived)) <= 12
    assert {e.health for e in table.of(ReaderFault) if e.pad == 0} & {8, 9}


def test_garbled_replies_mean_a_card_is_there(table):
    table.board.put(0, card(50))
    table.run(60)
    table.board.command("noise", 0, 20, 25)
    table.run(20_000, step=50)
    assert happened(table.events) == [("CardArrived", 0, card(50))]
    table.board.take(0)
    table.run(1000)
    assert len(table.of(CardLeft)) == 1


def test_a_card_laid_down_in_noise_is_read_right_or_not_at_all(table):
    table.board.command("noise", 0, 40)
    cards = [card(60 + n) for n in range(12)]
    for one in cards:
        table.board.put(0, one)
        table.run(250)
        table.board.take(0)
        table.run(900)
    assert {e.tag for e in table.of(CardArrived)} == set(cards)
    assert {e.tag for e in table.of(CardLeft)} == set(cards)


@pytest.mark.parametrize(
    ("fault", "mend", "health"),
    [
        (("kill", 1), ("revive", 1), 2),
        (("mute", 1, "on"), ("mute", 1, "off"), 5),
    ],
    ids=["no-power", "no-crystal"],
)
def test_a_reader_that_fails_is_named_and_its_card_has_not_left(table, fault, mend, health):
    table.board.put(1, card(70))
    table.run(60)
    table.events.clear()
    table.board.command(*fault)
    table.run(1000, step=10)
    named = [e for e in table.of(ReaderFault) if e.health == health]
    assert [e.pad for e in named] == [1]
    assert not table.of(CardLeft)
    table.board.command(*mend)
    table.run(800)
    assert table.of(ReaderFault)[-1].health == 0
    assert happened(table.events) == [], "the card lay there all the time"


def healths(table) -> set[tuple[int | None, int]]:
    return {(e.pad, e.health) for e in table.of(ReaderFault)}


def test_an_unplugged_pad_is_told_from_one_whose_miso_is_held_down(table):
    table.board.command("kill", 0)
    table.board.command("miso", 1, "low")
    table.run(1000, step=10)
    assert healths(table) == {(0, 2), (1, 3)}, "no reader answers; MISO held down"
    table.board.put(2, card(75))
    table.run(60)
    assert [e.pad for e in table.of(CardArrived)] == [2], "its gate keeps it from the others"


def test_without_its_resistor_an_unplugged_pad_reads_anything(table):
    """Why the circuit has 10 kilohm a MISO line: the input of a 74HCT125 floats."""
    table.board.command("pullup", 0, "off")
    table.board.command("kill", 0)
    table.run(1000, step=10)
    assert not healths(table) & {(0, 2), (0, 3)}


def test_a_short_on_the_bus_behind_the_gates_is_a_fault_of_the_board(table):
    table.board.command("miso", "bus", "low")
    table.run(1000, step=10)
    assert (None, 10) in healths(table)
    table.board.command("miso", "bus", "free")
    table.run(1500, step=10)
    assert table.of(ReaderFault)[-1].health == 0
    table.board.put(0, card(75))
    table.run(60)
    assert len(table.of(CardArrived)) == 1


def test_a_dip_in_the_supply_is_mended_without_a_card_lost(table):
    table.board.put(0, card(76))
    table.run(60)
    table.events.clear()
    table.board.command("brownout", 0)
    table.run(500)
    assert [e.health for e in table.of(ReaderFault)] == [6, 0]
    assert happened(table.events) == []


@pytest.mark.parametrize("version", ["12", "82", "88", "b2"])
def test_a_clone_works_and_is_named(table, version):
    table.board.command("version", 0, version)
    table.board.command("brownout", 0)
    table.run(400)
    assert [(e.health, e.version) for e in table.of(ReaderFault)][-1] == (1, int(version, 16))
    table.board.put(0, card(77))
    table.run(60)
    assert len(table.of(CardArrived)) == 1


def test_leads_that_do_not_take_the_usual_clock_get_a_slower_one(table):
    table.board.command("leads", 0, 2)
    table.board.command("brownout", 0)
    table.run(1500)
    assert table.wire.pads[0].health == 0
    table.events.clear()
    table.board.put(0, card(78))
    table.run(60)
    assert happened(table.events) == [("CardArrived", 0, card(78))]
    table.run(2000, step=10)
    assert happened(table.events) == [("CardArrived", 0, card(78))]
    assert not table.of(ReaderFault)


def test_a_chip_that_fails_its_self_test_is_found_out_and_no_card_is_lost(table):
    table.board.put(0, card(79))
    table.board.command("counterfeit", 1)
    table.board.command("version", 2, "12")
    table.board.command("brownout", 2)
    table.run(400)
    for pad in range(3):
        table.wire.commands.self_test(pad)
    table.run(600)
    assert {(e.pad, e.result) for e in table.of(SelfTest)} == {(0, 0), (1, 1), (2, 2)}
    assert happened(table.events) == [("CardArrived", 0, card(79))]


def test_a_bouncing_key_is_one_press(table):
    table.board.command("bounce", 2, "refuse")
    table.run(100)
    table.board.press(2, "refuse", down=False)
    table.run(60)
    presses = [(e.seat, e.which, e.pressed) for e in table.of(Button)]
    assert presses == [(2, "refuse", True), (2, "refuse", False)]


def test_a_click_is_a_press_and_its_end(table):
    table.board.command("click", 1, "accept")
    table.run(250)
    assert [(e.seat, e.which, e.pressed) for e in table.of(Button)] == [
        (1, "accept", True),
        (1, "accept", False),
    ]


def test_all_keys_can_be_held_at_once(table):
    assert table.wire.identity is not None
    seats = range(1, table.wire.identity.seats + 1)
    for seat in seats:
        for key in ("accept", "refuse"):
            table.board.press(seat, key)
    table.run(100)
    assert {(e.seat, e.which) for e in table.of(Button)} == {
        (s, k) for s in seats for k in ("accept", "refuse")
    }
    table.wire.commands.ask_snapshot()
    table.run(100)
    assert table.of(Snapshot)[-1].held == {(s, k) for s in seats for k in ("accept", "refuse")}


def test_a_module_with_a_weak_coil_reads_stickers_at_the_usual_gain_and_drive_only(table):
    table.board.command("weak", 0, 20)  # at 33 dB and the chip's own drive it hears nothing
    table.board.put(0, card(90))
    table.run(60)
    assert [e.tag for e in table.of(CardArrived)] == [card(90)]
    table.wire.commands.level(Op.GAIN, 0, 4)
    table.wire.commands.level(Op.DRIVE, 0, 0)
    table.run(600)
    assert [e.tag for e in table.of(CardLeft)] == [card(90)]
    table.wire.commands.level(Op.DRIVE, 0, 1)
    table.run(300)
    assert len(table.of(CardArrived)) == 2, "33 dB and all of the drive will do"


def test_a_light_shows_what_the_program_thinks_and_goes_out_with_the_card(table):
    table.board.put(0, card(80))
    table.run(100)
    table.wire.commands.level(Op.LIGHT, 0, Light.ACCEPTED)
    table.wire.commands.level(Op.LIGHT, 1, Light.UNKNOWN)
    table.run(100)
    assert table.board.lights[:3] == (GREEN, RED, DARK)
    table.board.take(0)
    table.run(400)
    assert table.board.lights[0] == DARK


def test_the_buzzer_plays_the_notes_of_its_tune(table):
    heard: list[int] = []
    listen = table.board.listen
    table.board.listen = lambda line: (listen(line), heard.append(line["tone"]) if "tone" in line else None)
    table.wire.play(Tune.ACCEPTED)
    table.run(400)
    assert len(heard) == 3
    assert heard[-1] == 0
    assert abs(heard[0] - 1760) < 40
    assert abs(heard[1] - 2637) < 90


def test_nobody_listening_is_shown_and_nothing_is_forgotten(table):
    table.wire.closed()
    table.run(3500, step=20)
    assert table.board.lights[0] not in (DARK, GREEN, RED), "amber, breathing"
    table.board.put(0, card(81))
    table.run(100)
    assert not table.of(CardArrived)
    table.wire.opened(table.seconds)
    table.run(400)
    assert [e.tag for e in table.of(CardArrived)] == [card(81)]


def test_a_dead_pad_is_shown_also_while_nobody_listens(table):
    table.board.command("kill", 1)
    table.wire.closed()
    table.run(3500, step=20)
    seen = set()
    for _ in range(60):
        table.run(40, step=40)
        seen.add(table.board.lights[1])
    assert seen == {RED, DARK}
    assert table.board.lights[0] not in (RED, DARK)


def test_the_reset_key_is_a_new_start_with_all_cards_found_again(table):
    table.board.put(0, card(82))
    table.run(100)
    boot = table.wire.identity.boot
    table.events.clear()
    table.board.command("reset")
    table.run(600)
    assert table.wire.identity.boot != boot
    assert table.wire.identity.cause == 2
    assert table.wire.state is State.OPEN
    assert table.wire.pads[0].tags == (card(82),)
    snapshot = table.of(Snapshot)[0]
    seen_later = [e.tag for e in table.of(CardArrived)]
    assert (card(82) in snapshot.pads[0].tags) != (card(82) in seen_later), (
        "by the snapshot or as an event, not both"
    )


def test_a_reset_while_the_program_speaks_does_not_make_the_board_deaf(table):
    for n in range(6):
        table.board.command("rx", "00" * 40)
        table.run(0.2 + n * 0.05, step=0.1)
        table.board.command("reset")
        table.run(20)
    table.until(lambda: table.wire.state is State.OPEN, at_most=3000)
    table.board.put(0, card(84))
    table.run(400)
    assert table.wire.pads[0].tags == (card(84),)


@SIMAVR
@pytest.mark.parametrize("kind", ["mega2560", "nano"])
def test_a_program_that_runs_astray_is_started_again_by_the_watchdog(kind):
    with LockStep(kind) as table:
        table.open()
        table.board.put(0, card(85))
        table.run(100)
        table.board.command("hang")
        table.run(2500, step=10)
        assert table.wire.identity.cause == 4
        assert table.wire.state is State.OPEN
        assert table.wire.pads[0].tags == (card(85),)


def test_pads_can_be_switched_off_and_on(table):
    table.wire.commands.level(Op.SCAN, 0b110, 0)
    table.run(100)
    table.board.put(0, card(83))
    table.run(200)
    assert not table.of(CardArrived)
    assert table.wire.pads[0].health == 7
    table.wire.commands.level(Op.SCAN, 0b110, 0)
    table.wire.commands.level(Op.SCAN, 0b1111111, 0)
    table.run(300)
    assert [e.tag for e in table.of(CardArrived)] == [card(83)]
    assert table.wire.pads[0].health == 0


def test_the_clock_of_the_board_wraps_without_anyone_noticing(monkeypatch):
    monkeypatch.setenv("READER_CLOCK_OFFSET", hex((1 << 32) - 1500))
    with LockStep(native=True) as table:
        table.open()
        stamps = []
        for n in range(8):
            table.board.put(0, card(90 + n))
            table.run(150)
            table.board.take(0)
            table.run(250)
        stamps = [e.board_ms for e in table.events if isinstance(e, CardArrived | CardLeft)]
        assert len(stamps) == 16
        assert stamps[0] > (1 << 32) - 1500 > 10_000 > stamps[-1], "it did wrap"


def test_latency_of_seven_pads_in_cycles(mega):
    slowest = 0.0
    for n in range(12):
        put = mega.board.put(n % 7, card(200 + n))
        (arrived,) = [e for e in mega.run(30 + n * 0.3) if isinstance(e, CardArrived)]
        slowest = max(slowest, arrived.received - put / HERTZ)
    assert slowest <= 0.015


@SIMAVR
def test_flash_and_ram_are_within_their_limits():
    subprocess.run(["make", "-s", "-C", FIRMWARE, "all"], check=True)
    elves = [FIRMWARE / "build" / board / "reader.elf" for board in ("mega2560", "nano")]
    done = subprocess.run(
        [sys.executable, FIRMWARE / "tools" / "size.py", *elves], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


@SIMAVR
def test_the_sources_are_plain_enough_for_an_arduino_tool_chain():
    """The Arduino core compiles sketches as gnu++11 unless told otherwise."""
    for source in sorted((FIRMWARE / "src").glob("*.cpp")):
        words = [
            "avr-g++",
            "-mmcu=atmega2560",
            "-DF_CPU=16000000UL",
            "-std=gnu++11",
            "-Wall",
            "-Werror",
            "-fsyntax-only",
        ]
        done = subprocess.run([*words, source], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
