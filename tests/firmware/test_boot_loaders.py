"""Boards as they are sold: Arduino's own boot loaders (Debian's `arduino-core-avr`) run before our
program after each reset."""

from __future__ import annotations

import os

import pytest

from companion.readers.rfid.frames import ask
from companion.readers.rfid.wire import State
from simulated import lock_step
from simulated.lock_step import HERTZ, LockStep, card

pytestmark = pytest.mark.simavr
MEGA = "Mega, stk500v2"
WITH_LOADER = [name for name, sold in lock_step.SOLD.items() if sold.boot_loader is not None]


@pytest.fixture(scope="module", autouse=True)
def _loaders():
    if package := lock_step.missing():
        words = f"Arduino's boot loaders are not here: install Debian's package {package}"
        pytest.fail(words) if os.environ.get("CI") else pytest.skip(words)
    lock_step.make_old_loader()


def table_of(name: str) -> LockStep:
    sold = lock_step.SOLD[name]
    return LockStep(sold.kind, boot_loader=sold.boot_loader)


@pytest.mark.parametrize("name", lock_step.SOLD)
def test_a_board_is_connected_within_three_seconds_of_opening_its_port(name):
    assert max(lock_step.plugs(name, 4)) < 3.0


def program_starts(questions: int, within: float) -> float | None:
    """Return the seconds from a Mega's reset to the first byte of our program, None if there is
    none `within` so many."""
    with table_of(MEGA) as table:
        reset = table.board.command("reset")
        heard: list[int] = []
        table.board.listen = lambda line: heard.append(line["cycle"]) if "tx" in line else None
        for n in range(int(within * 5)):
            table.board.run(200)
            if heard:
                return (heard[0] - reset) / HERTZ
            if n < questions:
                table.board.command("rx", ask().hex())
        return None


def test_the_boot_loader_of_a_mega_takes_a_question_for_a_sketch():
    """Why the program keeps silent: a question at 500,000 baud is garbage at 115,200, and the boot
    loader waits for more."""
    assert program_starts(questions=0, within=2) < 1
    assert program_starts(questions=1, within=10) > 4
    assert program_starts(questions=100, within=10) is None


def test_nothing_is_said_to_a_board_that_has_not_spoken():
    with table_of(MEGA) as table:
        table.plug()
        opened = table.seconds
        table.until(lambda: bool(table.said))
        assert table.said[0][0] - opened > 0.8
        assert table.wire.state is State.RESUMING


@pytest.mark.parametrize("name", WITH_LOADER)
def test_the_reset_key_in_the_middle_of_the_game(name):
    with table_of(name) as table:
        table.open()
        table.board.put(0, card(1))
        table.run(100)
        boot = table.wire.identity.boot
        table.board.command("reset")
        table.until(lambda: table.wire.identity.boot != boot and table.wire.state is State.OPEN, at_most=4000)
        table.run(300)
        assert table.wire.pads[0].tags == (card(1),)


@pytest.mark.parametrize("how", [(), ("deaf",)], ids=["interrupts-go-on", "interrupts-too"])
@pytest.mark.parametrize("name", lock_step.SOLD)
def test_a_program_that_runs_astray_is_started_again_on_every_board(name, how):
    """A reset by the watchdog would be the end on two of them: see ISR(WDT_vect) in hal_avr.cpp."""
    with table_of(name) as table:
        table.open()
        boot = table.wire.identity.boot
        table.board.command("hang", *how)
        table.until(
            lambda: table.wire.identity.boot != boot and table.wire.state is State.OPEN, at_most=5000, step=5
        )
        if not how:
            assert table.wire.identity.cause == 4
        table.run(100)
        table.board.put(0, card(1))
        table.run(100)
        assert table.wire.pads[0].tags == (card(1),)
