"""Putting firmware on a Pico in its boot-select mode, in which it is a drive: a UF2 file is
checked, copied there, and taken when the drive goes.

The boot ROM writes each block as it comes and starts the program when it has had all of them; what
is in flash it shows to nobody. So what can be verified is this: that the file is whole and meant
for this chip, that the drive went by itself after the copy, and then that a tray answers.
"""

from __future__ import annotations

import glob
import os
import string
import struct
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from companion.given_files import BadFile, bytes_of
from companion.readers.rfid.events import ReaderProblem

PLACES: tuple[str, ...] = (
    tuple(f"{letter}:\\" for letter in string.ascii_uppercase)
    if sys.platform == "win32"
    else ("/media/*", "/media/*/*", "/run/media/*/*", "/mnt/*", "/Volumes/*")
)
"""Where systems show drives."""
UNMOUNTED: Final = Path("/dev/disk/by-label/RPI-RP2")
"""How Linux names the drive where no desktop shows it."""
INFO = "INFO_UF2.TXT"
_BOARD: Final = b"Board-ID: RPI-RP2"
"""What the RP2040's boot ROM writes there; other chips' boot loaders have the same file."""
_BLOCK: Final = struct.Struct("<8I476sI")
_MAGIC: Final = (0x0A324655, 0x9E5D5157, 0x0AB16F30)
_FAMILY: Final = 0xE48BFF56
_FLASH: Final = 0x10000000
GONE = 10.0
"""Seconds in which a Pico that has taken a file has started it: it takes one."""
_LOOK = 0.1


def drives() -> list[Path]:
    """List the drives that are Picos in boot-select mode."""
    found = (Path(name) for place in PLACES for name in sorted(glob.glob(place)))  # noqa: PTH207 - whole paths
    return [folder for folder in found if is_pico(folder)]


def is_pico(folder: Path) -> bool:
    """Tell whether this folder is the drive of a Pico."""
    try:
        return _BOARD in bytes_of(folder / INFO, most=10_000)
    except (OSError, BadFile):
        return False


def image(file: Path) -> bytes:
    """Return a UF2 file that is whole, and for an RP2040. Raises `ReaderProblem` for another."""
    try:
        content = bytes_of(file)
    except OSError as fault:
        raise ReaderProblem("flash.no_image", file=str(file)) from fault
    blocks = [
        _BLOCK.unpack(content[at : at + 512]) for at in range(0, len(content) - len(content) % 512, 512)
    ]
    for number, (first, second, _flags, address, size, place, count, family, _data, last) in enumerate(
        blocks
    ):
        wanted = (*_MAGIC, _FAMILY, _FLASH + 256 * number, 256, number, len(blocks))
        if (first, second, last, family, address, size, place, count) != wanted:
            raise ReaderProblem("flash.no_uf2", file=str(file))
    if not blocks or len(content) % 512:
        raise ReaderProblem("flash.no_uf2", file=str(file))
    return content


def copy(content: bytes, drive: Path, started: Callable[[], bool]) -> None:
    """Copy a file that `image` has checked, and wait until the Pico has taken it: its drive is
    gone, or the program has `started`. Raises `ReaderProblem` where it cannot be written, or the
    drive stays."""
    try:
        with (drive / "reader.uf2").open("wb") as target:
            target.write(content)
            target.flush()
            os.fsync(target.fileno())
    except OSError as fault:
        # The last block starts the program: the drive may go before the system has closed the file.
        if is_pico(drive):
            raise ReaderProblem("flash.drive_refuses", drive=str(drive)) from fault
    until = time.monotonic() + GONE
    while is_pico(drive) and not started():
        if time.monotonic() > until:
            raise ReaderProblem("flash.drive_stays", drive=str(drive))
        time.sleep(_LOOK)
