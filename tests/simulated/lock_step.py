"""A simulated board and the program's wire parser in lock step, on simulated time only: for exact
tests and figures; and boards with the boot loaders that they are sold with, plugged in at random
moments.

A Nano's boot loader runs after each reset, and opening the port is a reset (DTR).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, TypeVar

from companion.readers.rfid.events import TagId, WireEvent
from companion.readers.rfid.simulator import SimulatedBoard
from companion.readers.rfid.wire import BoardConnection, LinkState

HERTZ = 16_000_000
_E = TypeVar("_E")


def card(number: int, *, batch: int = 0xA1) -> TagId:
    """Return the id of an invented NTAG213: NXP's first byte, and six that differ as those of one
    roll do."""
    rng = random.Random(number * 7919 + batch)
    # The fourth byte is never 88: that would announce a third level (ISO 14443-3, 6.5.4).
    return TagId(bytes([0x04, *rng.randbytes(2), rng.randrange(0x80), *rng.randbytes(2), 0x80]))


class LockStep:
    """The board's serial line goes through the command channel; `events` are all that came, stamped
    in simulated seconds."""

    def __init__(
        self, kind: str = "nano", *, seed: int = 1, native: bool = False, boot_loader: Path | None = None
    ) -> None:
        self.board = SimulatedBoard(kind, seed=seed, realtime=False, native=native, boot_loader=boot_loader)
        self.wire = BoardConnection(random.Random(seed))
        self.events: list[WireEvent] = []
        self.air: list[dict[str, Any]] = []
        self.cycle = 0
        self.said: list[tuple[float, bytes]] = []
        """What the program said, and when, in simulated seconds."""
        self._told: list[dict[str, Any]] = []

    def __enter__(self) -> LockStep:
        self.board.on_line = self._told.append
        self.board.start()
        self.board.send_command("serial", "here")
        self.wire.on_port_opened(0.0)
        return self

    def __exit__(self, *_: object) -> None:
        self.board.close()

    @property
    def seconds(self) -> float:
        """Simulated time now."""
        return self.cycle / HERTZ

    def run(self, milliseconds: float, step: float = 1.0) -> list[WireEvent]:
        """Let time pass, the program answering every `step` milliseconds; return what it was told
        meanwhile."""
        since = len(self.events)
        left = milliseconds
        while left > 0:
            self.cycle = self.board.run_for(min(step, left))
            left -= step
            self._listen()
            if self.wire.find_failure(self.seconds):
                self.plug()
            out = self.wire.next_output(self.seconds)
            if out:
                self.said.append((self.seconds, out))
                self.board.send_command("rx", out.hex())
        return self.events[since:]

    def plug(self, *, reset: bool = True) -> None:
        """Close the port and open it again, which resets a board (DTR)."""
        self.wire.on_port_closed()
        if reset:
            self.cycle = self.board.send_command("reset")
        self.wire.on_port_opened(self.seconds)

    def until(self, done: Callable[[], bool], *, at_most: float = 2000, step: float = 1.0) -> None:
        """Let time pass until `done`; AssertionError after `at_most` simulated milliseconds."""
        started = self.cycle
        while not done():
            assert (self.cycle - started) * 1000 / HERTZ < at_most, "it did not happen in time"
            self.run(step, step)

    def open(self) -> None:
        """Run until the session is open and the pads have settled."""
        self.until(lambda: self.wire.state is LinkState.OPEN, at_most=4000)
        self.run(100)

    def of(self, kind: type[_E]) -> list[_E]:
        """Return the events of one kind."""
        return [event for event in self.events if isinstance(event, kind)]

    def _listen(self) -> None:
        told, self._told[:] = list(self._told), []
        for line in told:
            if "tx" in line:
                self.events += self.wire.receive_bytes(bytes.fromhex(line["tx"]), line["through"] / HERTZ)
            elif "air" in line:
                self.air.append(line)


BOOT_LOADERS = Path("/usr/share/arduino/hardware/arduino/avr/bootloaders")
"""Arduino's own boot loaders, as Debian's package `arduino-core-avr` has them."""

SOLD: Final[dict[str, Path | None]] = {
    "Nano, ATmegaBOOT_168": BOOT_LOADERS / "atmega" / "ATmegaBOOT_168_atmega328.hex",
    "Nano or Uno, optiboot": BOOT_LOADERS / "optiboot" / "optiboot_atmega328.hex",
    "Nano, no boot loader": None,
}
"""Nanos as one buys them: the boot loader's file, None for one that was programmed without."""


def plugs(name: str, count: int) -> Iterator[float]:
    """Open the port of a board `count` times at random moments; yield the seconds from each opening
    to the open session.

    A third of the times the board has been unplugged and plugged in again before, a third it keeps
    running (no DTR, as where a capacitor holds its reset).
    AssertionError when a board is not connected after 15 simulated seconds.
    """
    rng = random.Random(1)
    with LockStep("nano", seed=1, boot_loader=SOLD[name]) as table:
        for number in range(count):
            table.wire.on_port_closed()
            if number % 3 == 0:
                table.board.send_command("reset", "power")
            table.run(rng.uniform(0, 1500), step=10)
            table.plug(reset=number % 3 != 1)
            opened = table.seconds
            table.until(lambda: table.wire.state is LinkState.OPEN, at_most=15_000)
            yield table.seconds - opened
            table.run(rng.uniform(0, 700), step=5)
