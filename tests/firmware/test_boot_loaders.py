"""Boards as they are sold: Arduino's own boot loaders (Debian's `arduino-core-avr`) run before our
program after each reset."""

from __future__ import annotations

import pytest

from companion.readers.rfid import boot_loader
from companion.readers.rfid.events import ReaderProblem
from companion.readers.rfid.simulator import build_firmware
from companion.readers.rfid.wire import LinkState
from tests.simulated import lock_step
from tests.simulated.lock_step import LockStep, card

pytestmark = [pytest.mark.simavr, pytest.mark.boot_loaders]
WITH_LOADER = [name for name, file in lock_step.SOLD.items() if file is not None]


def table_of(name: str) -> LockStep:
    return LockStep("nano", boot_loader=lock_step.SOLD[name])


@pytest.mark.parametrize("name", lock_step.SOLD)
def test_a_board_is_connected_within_three_seconds_of_opening_its_port(name):
    assert max(lock_step.plugs(name, 4)) < 3.0


def test_nothing_is_said_to_a_board_that_has_not_spoken():
    with table_of(QUICKEST) as table:
        table.plug()
        opened = table.seconds
        table.until(lambda: bool(table.said))
        assert table.said[0][0] - opened > 0.8
        assert table.wire.state is LinkState.RESUMING


@pytest.mark.parametrize("name", WITH_LOADER)
def test_the_reset_key_in_the_middle_of_the_game(name):
    with table_of(name) as table:
        table.open()
        table.board.put_tags(0, card(1))
        table.run(100)
        boot = table.wire.identity.boot
        table.board.send_command("reset")
        table.until(
            lambda: table.wire.identity.boot != boot and table.wire.state is LinkState.OPEN, at_most=4000
        )
        table.run(300)
        assert table.wire.pads[0].tags == (card(1),)


@pytest.mark.parametrize("how", [(), ("deaf",)], ids=["interrupts-go-on", "interrupts-too"])
@pytest.mark.parametrize("name", lock_step.SOLD)
def test_a_program_that_runs_astray_is_started_again_on_every_board(name, how):
    """A reset by the watchdog would be the end on two of them: see ISR(WDT_vect) in hal_avr.cpp."""
    with table_of(name) as table:
        table.open()
        boot = table.wire.identity.boot
        table.board.send_command("hang", *how)
        table.until(
            lambda: table.wire.identity.boot != boot and table.wire.state is LinkState.OPEN,
            at_most=5000,
            step=5,
        )
        if not how:
            assert table.wire.identity.cause == 4
        table.run(100)
        table.board.put_tags(0, card(1))
        table.run(100)
        assert table.wire.pads[0].tags == (card(1),)


SPEAKS = dict(zip(WITH_LOADER, (57_600, 115_200), strict=True))
QUICKEST = "Nano or Uno, optiboot"


class SimulatedLine:
    """The serial line of a board under test, in simulated time, as a programmer has it."""

    def __init__(self, table: LockStep) -> None:
        self._table = table
        self._heard = bytearray()
        self.timeout: float | None
        table.board.on_line = lambda line: self._heard.extend(bytes.fromhex(line.get("tx", "")))

    def opened(self, baud: int) -> SimulatedLine:
        self._table.board.send_command("serial", "raw", baud)
        self._table.board.send_command("reset")
        self._heard.clear()
        self.timeout = 0.25
        return self

    def write(self, data: bytes, /) -> None:
        self._table.board.send_command("rx", data.hex())

    def read(self, size: int, /) -> bytes:
        for _ in range(int((self.timeout or 0) * 200)):
            if len(self._heard) >= size:
                break
            self._table.board.run_for(5)
        answer = bytes(self._heard[:size])
        del self._heard[:size]
        return answer


@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_LOADER)
def test_an_empty_board_is_known_by_its_chip_and_programmed_through_its_boot_loader(name):
    with table_of(name) as table:
        table.board.send_command("wipe")
        found = boot_loader.find_boot_loader(SimulatedLine(table).opened, "here")
        assert (found.baud, found.chip.kind) == (SPEAKS[name], "nano")
        file = build_firmware("all") / "nano" / "reader.hex"
        told = []
        content = boot_loader.load_hex_image(file, found.chip.room)
        boot_loader.flash_firmware(found, content, lambda done, count: told.append((done, count)))
        assert told[-1] == (len(told), len(told))
        table.board.on_line = table._told.append
        table.board.send_command("serial", "here")
        table.plug()
        table.open()
        table.board.put_tags(0, card(1))
        table.run(100)
        assert table.wire.pads[0].tags == (card(1),)


def test_a_board_that_falls_silent_is_said_and_may_be_programmed_again():
    with table_of(QUICKEST) as table:
        table.board.send_command("wipe")
        line = SimulatedLine(table)
        speeds = (SPEAKS[QUICKEST],)
        found = boot_loader.find_boot_loader(line.opened, "here", speeds)

        def pulled(done: int, _count: int) -> None:
            if done == 2:
                line.timeout = 0

        with pytest.raises(ReaderProblem, match=r"flash\.broken_off"):
            boot_loader.flash_firmware(found, bytes(range(256)) * 4, pulled)
        boot_loader.flash_firmware(
            boot_loader.find_boot_loader(line.opened, "here", speeds), b"\x01\x02", lambda *_: None
        )


def test_flash_that_keeps_something_else_is_found_out():
    with table_of(QUICKEST) as table:
        table.board.send_command("wipe")
        found = boot_loader.find_boot_loader(SimulatedLine(table).opened, "here", (SPEAKS[QUICKEST],))

        def worn(done: int, _count: int) -> None:
            if done == 1:
                table.board.send_command("wipe")

        with pytest.raises(ReaderProblem, match=r"flash\.other_kept"):
            boot_loader.flash_firmware(found, b"\x01\x02", worn)


def test_who_says_nothing_has_no_boot_loader():
    with LockStep("nano") as table, pytest.raises(ReaderProblem, match=r"flash\.no_boot_loader"):
        boot_loader.find_boot_loader(SimulatedLine(table).opened, "here")
