"""Boards as they are sold: Arduino's own boot loaders (Debian's `arduino-core-avr`) run before our
program after each reset."""

from __future__ import annotations

import pytest

from companion.readers.rfid import boot_loader
from companion.readers.rfid.boot_loader import LoaderProtocol, Stk500, Stk500v2
from companion.readers.rfid.events import ReaderProblem
from companion.readers.rfid.frames import encode_ask
from companion.readers.rfid.simulator import build_firmware
from companion.readers.rfid.wire import LinkState
from tests.simulated import lock_step
from tests.simulated.lock_step import HERTZ, LockStep, card

pytestmark = [pytest.mark.simavr, pytest.mark.boot_loaders]
MEGA = "Mega, stk500v2"
WITH_LOADER = [name for name, sold in lock_step.SOLD.items() if sold.boot_loader is not None]


@pytest.fixture(scope="module", autouse=True)
def _loaders():
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
        reset = table.board.send_command("reset")
        heard: list[int] = []
        table.board.on_line = lambda line: heard.append(line["cycle"]) if "tx" in line else None
        for n in range(int(within * 5)):
            table.board.run_for(200)
            if heard:
                return (heard[0] - reset) / HERTZ
            if n < questions:
                table.board.send_command("rx", encode_ask().hex())
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


SPEAKS = dict(
    zip(
        WITH_LOADER,
        [LoaderProtocol(Stk500v2, 115_200)] * 2
        + [LoaderProtocol(Stk500, 57_600), LoaderProtocol(Stk500, 115_200)],
        strict=True,
    )
)
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
    kind = lock_step.SOLD[name].kind
    with table_of(name) as table:
        table.board.send_command("wipe")
        found = boot_loader.find_boot_loader(SimulatedLine(table).opened, "here")
        assert (found.spoken, found.chip.kind) == (SPEAKS[name], kind)
        file = build_firmware("all") / kind / "reader.hex"
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
        spoken = (SPEAKS[QUICKEST],)
        found = boot_loader.find_boot_loader(line.opened, "here", spoken)

        def pulled(done: int, _count: int) -> None:
            if done == 2:
                line.timeout = 0

        with pytest.raises(ReaderProblem, match=r"flash\.broken_off"):
            boot_loader.flash_firmware(found, bytes(range(256)) * 4, pulled)
        boot_loader.flash_firmware(
            boot_loader.find_boot_loader(line.opened, "here", spoken), b"\x01\x02", lambda *_: None
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
