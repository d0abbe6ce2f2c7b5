"""What breaks at a board: readers, leads, supply, clones, chips."""

from __future__ import annotations

import random

import pytest

from companion.readers.rfid import frames
from companion.readers.rfid.events import (
    CardArrived,
    CardLeft,
    ReaderFault,
    SelfTestResult,
)
from companion.readers.rfid.frames import Op
from companion.readers.rfid.wire import LinkState
from tests.firmware.test_board import happened
from tests.simulated.lock_step import LockStep, card


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "mend", "health"),
    [
        (("kill", 1), ("revive", 1), 2),
        (("mute", 1, "on"), ("mute", 1, "off"), 5),
    ],
    ids=["no-power", "no-crystal"],
)
def test_a_reader_that_fails_is_named_and_its_card_has_not_left(table, fault, mend, health):
    table.board.put_tags(1, card(70))
    table.run(60)
    table.events.clear()
    table.board.send_command(*fault)
    table.run(1000, step=10)
    named = [e for e in table.of(ReaderFault) if e.health == health]
    assert [e.pad for e in named] == [1]
    assert not table.of(CardLeft)
    table.board.send_command(*mend)
    table.run(800)
    assert table.of(ReaderFault)[-1].health == 0
    assert happened(table.events) == [], "the card lay there all the time"


def healths(table) -> set[tuple[int | None, int]]:
    return {(e.pad, e.health) for e in table.of(ReaderFault)}


def test_an_unplugged_pad_is_told_from_one_whose_miso_is_held_down(table):
    table.board.send_command("kill", 0)
    table.board.send_command("miso", 1, "low")
    table.run(1000, step=10)
    assert healths(table) == {(0, 2), (1, 3)}, "no reader answers; MISO held down"
    table.board.put_tags(2, card(75))
    table.run(60)
    assert [e.pad for e in table.of(CardArrived)] == [2], "its gate keeps it from the others"


def test_one_bad_sweep_is_noise_on_the_wires_and_not_said(table):
    table.board.put_tags(0, card(74))
    table.run(60)
    table.events.clear()
    table.board.send_command("miso", 0, "low")
    table.run(3)
    table.board.send_command("miso", 0, "free")
    table.run(200)
    assert not table.of(ReaderFault)
    assert happened(table.events) == []


def test_a_pad_that_was_never_there_is_named_when_the_board_starts(table):
    table.board.send_command("kill", 0)
    table.board.send_command("reset")
    table.run(1500, step=10)
    assert table.wire.pads[0].health == 2


def test_one_question_to_which_a_chip_comes_to_no_end_is_not_said(table):
    table.board.put_tags(0, card(74))
    table.run(60)
    table.events.clear()
    table.board.send_command("mute", 0, "on")
    table.run(1)
    table.board.send_command("mute", 0, "off")
    table.run(200)
    assert not table.of(ReaderFault)
    assert happened(table.events) == []


@pytest.mark.parametrize(("milliseconds", "version", "health"), [(40, "92", 6), (80, "92", 5), (80, "33", 4)])
def test_a_crystal_is_waited_for_but_not_for_ever(table, milliseconds, version, health):
    table.board.send_command("version", 0, version)
    table.board.send_command("crystal", 0, milliseconds)
    table.board.send_command("brownout", 0)
    table.run(180)
    assert [e.health for e in table.of(ReaderFault)][-1] == (0 if health == 6 else health)


def test_without_its_resistor_an_unplugged_pad_reads_anything(table):
    """Why the firmware pulls MISO up: where nothing does, an open line floats."""
    table.board.send_command("pullup", 0, "off")
    table.board.send_command("kill", 0)
    table.run(1000, step=10)
    assert not healths(table) & {(0, 2), (0, 3)}


def test_a_short_on_the_bus_behind_the_gates_is_a_fault_of_the_board(table):
    table.board.send_command("miso", "bus", "low")
    table.run(1000, step=10)
    assert (None, 10) in healths(table)
    table.board.send_command("miso", "bus", "free")
    table.run(1500, step=10)
    assert table.of(ReaderFault)[-1].health == 0
    table.board.put_tags(0, card(75))
    table.run(60)
    assert len(table.of(CardArrived)) == 1


def test_a_dip_in_the_supply_is_mended_without_a_card_lost(table):
    table.board.put_tags(0, card(76))
    table.run(60)
    table.events.clear()
    table.board.send_command("brownout", 0)
    table.run(500)
    assert [e.health for e in table.of(ReaderFault)] == [6, 0]
    assert happened(table.events) == []


@pytest.mark.parametrize(
    ("register", "value"),
    [("14", "80"), ("26", "48"), ("27", "88"), ("28", "20"), ("15", "00"), ("2d", "ff"), ("12", "08")],
    ids=["driver-off", "gain", "drive-n", "drive-p", "modulation", "timer", "crc"],
)
def test_a_setting_that_a_chip_loses_by_itself_is_noticed_and_set_again(table, register, value):
    """The antenna's driver switches itself off when it is too warm (data sheet, 8.5): the chip
    answers, and reads no card."""
    table.events.clear()
    table.board.send_command("register", 0, register, value)
    table.run(300)
    said, well = [e.health for e in table.of(ReaderFault)]
    assert (said in (5, 6), well) == (True, 0), "an exchange that comes to no end, or a setting that is lost"
    table.board.put_tags(0, card(76))
    table.run(60)
    assert happened(table.events) == [("CardArrived", 0, card(76))]


@pytest.mark.parametrize("version", ["12", "82", "88", "b2"])
def test_a_clone_works_and_is_named(table, version):
    table.board.send_command("version", 0, version)
    table.board.send_command("brownout", 0)
    table.run(400)
    assert [(e.health, e.version) for e in table.of(ReaderFault)][-1] == (1, int(version, 16))
    table.board.put_tags(0, card(77))
    table.run(60)
    assert len(table.of(CardArrived)) == 1


def test_leads_that_do_not_take_the_usual_clock_get_a_slower_one(table):
    table.board.send_command("leads", 0, 2)
    table.board.send_command("brownout", 0)
    # At the first look: sooner or later a garbled version looks like that of a slow clone.
    table.run(50)
    assert table.wire.pads[0].health == 0
    table.events.clear()
    table.board.put_tags(0, card(78))
    table.run(60)
    assert happened(table.events) == [("CardArrived", 0, card(78))]
    table.run(2000, step=10)
    assert happened(table.events) == [("CardArrived", 0, card(78))]
    assert not table.of(ReaderFault)


def test_a_chip_that_fails_its_self_test_is_found_out_and_no_card_is_lost(table):
    table.board.put_tags(0, card(79))
    table.board.send_command("counterfeit", 1)
    table.board.send_command("version", 2, "12")
    table.board.send_command("brownout", 2)
    table.run(400)
    for pad in range(3):
        table.wire.commands.queue_once(Op.SELF_TEST, pad)
    table.run(600)
    assert {(e.pad, e.result) for e in table.of(SelfTestResult)} == {(0, 0), (1, 1), (2, 2)}
    assert happened(table.events) == [("CardArrived", 0, card(79))]


@pytest.mark.parametrize("version", ["91", "90", "88"])
def test_known_chips_pass_their_own_self_test_and_a_liar_does_not(table, version):
    for pad in (0, 1):
        table.board.send_command("version", pad, version)
        table.board.send_command("brownout", pad)
    table.board.send_command("counterfeit", 1)
    table.run(400)
    table.wire.commands.queue_once(Op.SELF_TEST, 0)
    table.wire.commands.queue_once(Op.SELF_TEST, 1)
    table.run(600)
    assert {(e.pad, e.result) for e in table.of(SelfTestResult)} == {(0, 0), (1, 1)}


@pytest.mark.parametrize(("kind", "seed"), [("pico", 1), ("nano", 0)])
def test_whatever_comes_over_the_line_and_onto_the_pads_the_board_goes_on(kind, seed):
    """Compiled with sanitizers: one byte written beyond its place ends the simulator."""
    chance = random.Random(seed)
    tags = [card(300 + n) for n in range(16)]
    with LockStep(kind, native=True, seed=seed + 1) as table:
        table.open()
        pads = len(table.wire.pads)
        lying: dict[int, set] = {pad: set() for pad in range(pads)}
        for _ in range(60):
            pad = chance.randrange(pads)
            match chance.randrange(8):
                case 0 | 1:
                    table.board.send_command("rx", chance.randbytes(chance.randint(1, 90)).hex())
                case 2:
                    torn = frames.encode_command(
                        chance.randrange(256), chance.randrange(20), chance.randrange(256), 255
                    )
                    table.board.send_command("rx", torn[: chance.randint(1, len(torn))].hex())
                case 3 | 4:
                    news = set(chance.sample(tags, chance.randint(1, 14))) - lying[pad]
                    lying[pad] |= news
                    for one in news:
                        table.board.put_tags(pad, one)
                case 5:
                    for one in lying[pad]:
                        table.board.take_tags(pad, one)
                    lying[pad].clear()
                case 6:
                    table.board.send_command("noise", pad, chance.choice([0, 30, 90]), 20)
                case _:
                    table.board.send_command("brownout", pad)
            table.run(chance.choice([1, 7, 60]))
        for pad in range(pads):
            table.board.send_command("noise", pad, 0)
            table.board.send_command("take", pad, "all")
        table.board.send_command("reset")
        table.until(
            lambda: table.wire.state is LinkState.OPEN and not any(p.tags for p in table.wire.pads),
            at_most=9000,
        )
        table.board.put_tags(0, card(400))
        table.run(300)
        assert table.wire.pads[0].tags == (card(400),)
