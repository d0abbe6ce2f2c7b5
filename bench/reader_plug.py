"""Boards with the boot loaders that they are sold with, plugged in at random moments: how long
until they are connected.

A boot loader runs after each reset, and opening the port is a reset (DTR). What it makes of bytes
that are not meant for it differs: the Mega's never starts the program again once it hears any
(firmware/PROTOCOL.md, "Opening"). Used by `bench/reader.py` and the tests.
"""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from bench.reader_step import LockStep
from companion.readers.rfid.simulator import BOOT_LOADERS, firmware_folder
from companion.readers.rfid.wire import State

PACKAGE: Final = "arduino-core-avr"


class Sold(NamedTuple):
    """A board as one buys it: `kind` of pins.toml, and its boot loader's file (None: programmed
    without one)."""

    kind: str
    boot_loader: Path | None


SOLD: Final = {
    "Mega, stk500v2": Sold("mega2560", BOOT_LOADERS / "stk500v2" / "stk500boot_v2_mega2560.hex"),
    "Mega, stk500v2 before December 2011": Sold(
        "mega2560", firmware_folder() / "build" / "stk500v2_2011.hex"
    ),
    "Mega, no boot loader": Sold("mega2560", None),
    "Nano, ATmegaBOOT_168": Sold("nano", BOOT_LOADERS / "atmega" / "ATmegaBOOT_168_atmega328.hex"),
    "Nano or Uno, optiboot": Sold("nano", BOOT_LOADERS / "optiboot" / "optiboot_atmega328.hex"),
    "Nano, no boot loader": Sold("nano", None),
}


def missing() -> str | None:
    """Return the Debian package that has to be installed first, None if the boot loaders are
    there."""
    return None if BOOT_LOADERS.is_dir() else PACKAGE


def make_old_loader() -> None:
    """Compile the Mega's boot loader of before December 2011 from today's source."""
    subprocess.run(["make", "-s", "-C", str(firmware_folder()), "build/stk500v2_2011.hex"], check=True)


def plugs(name: str, count: int, *, seed: int = 1, at_most: float = 15_000) -> Iterator[float]:
    """Open the port of a board `count` times at random moments; yield the seconds from each opening
    to the open session.

    A third of the times the board has been unplugged and plugged in again before, a third it keeps
    running (no DTR, as where a capacitor holds its reset).
    AssertionError when a board is not connected after `at_most` simulated milliseconds.
    """
    rng = random.Random(seed)
    sold = SOLD[name]
    with LockStep(sold.kind, seed=seed, boot_loader=sold.boot_loader) as table:
        for number in range(count):
            table.wire.closed()
            if number % 3 == 0:
                table.board.command("reset", "power")
            table.run(rng.uniform(0, 1500), step=10)
            table.plug(reset=number % 3 != 1)
            opened = table.seconds
            table.until(lambda: table.wire.state is State.OPEN, at_most=at_most)
            yield table.seconds - opened
            table.run(rng.uniform(0, 700), step=5)
