"""Install firmware on a reader board through its own boot loader, over the serial port, or on a
Pico in boot-select mode, where it appears as a drive.

A Nano or Uno comes with one of two boot loaders, ATmegaBOOT_168 or optiboot. They run after each
reset and speak Atmel's protocol STK500 (application note AVR061). `find_boot_loader` tries it at
the speeds in use, and reads the chip's signature, which identifies the board whatever its USB chip
claims to be.

Functions take addresses in bytes; the protocol counts words of two bytes.
"""

from __future__ import annotations

import glob
import os
import string
import struct
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

import serial

from companion.readers.rfid.events import ReaderProblem
from companion.readers.rfid.ports import explain_port_error
from companion.user_files import BadFile, read_limited_bytes


class SerialPort(Protocol):
    """An open serial port (`serial.Serial`); `timeout`: seconds for which a read waits."""

    timeout: float | None

    def read(self, size: int, /) -> bytes:
        """Return `size` bytes, or fewer if no more come in time."""

    def write(self, data: bytes, /) -> object:
        """Send bytes."""


OpenPort: TypeAlias = Callable[[int], SerialPort]
"""Function that opens the board's port at a speed in baud, which resets the board, and closes the
port it opened before."""


class Chip(NamedTuple):
    """Properties of a chip: the board's kind (pins.toml), its usual name, bytes in a flash page,
    bytes of flash below the boot loader."""

    kind: str
    name: str
    page: int
    room: int


CHIPS: Final = {
    b"\x1e\x95\x0f": Chip("nano", "Arduino Nano/Uno (ATmega328P)", 128, 0x7800),
    b"\x1e\x95\x14": Chip("nano", "Arduino Nano/Uno (ATmega328)", 128, 0x7800),
    b"\x1e\x95\x16": Chip("nano", "Arduino Nano/Uno (ATmega328PB)", 128, 0x7800),
}
"""The chips for which the firmware is compiled, by signature (data sheets, "Signature Bytes")."""
_GREETING, _ANSWER_TIMEOUT = 0.25, 2.0
"""Seconds that a read waits for a board that has not answered yet, and for one that has."""
_TRIES = 5
"""Greetings before a board counts as silent: together they outlast the half second for which
optiboot blinks before it listens."""
_PULSE = 0.1
"""Seconds for which DTR is released, so that the capacitor at the board's reset pin discharges."""


class _NoAnswer(Exception):
    """Raised when the boot loader gives no answer, or a wrong one."""


class Stk500:
    """STK500 as ATmegaBOOT_168 and optiboot speak it: a command ends with a space, its answer is
    enclosed by 0x14 and 0x10."""

    avrdude = ("-p", "m328p", "-c", "arduino")

    def __init__(self, line: SerialPort) -> None:
        self._line = line

    def synchronize(self) -> None:
        """Synchronise with the boot loader. Raises `_NoAnswer`."""
        for _ in range(_TRIES):
            with suppress(_NoAnswer):
                self._send_command(b"0")
                # Late answers to earlier greetings.
                while self._line.read(64):
                    pass
                return
        raise _NoAnswer

    def read_signature(self) -> bytes:
        """Return the chip's signature, 3 bytes."""
        return self._send_command(b"u", 3)

    def write_page(self, at: int, page: bytes) -> None:
        """Write a page at an address in bytes."""
        self._send_command(b"U" + struct.pack("<H", at // 2))
        self._send_command(b"d" + struct.pack(">H", len(page)) + b"F" + page)

    def read_flash(self, at: int, size: int) -> bytes:
        """Return `size` bytes of flash from an address in bytes."""
        self._send_command(b"U" + struct.pack("<H", at // 2))
        return self._send_command(b"t" + struct.pack(">H", size) + b"F", size)

    def start_program(self) -> None:
        """Start the program."""
        self._send_command(b"Q")

    def _send_command(self, command: bytes, size: int = 0) -> bytes:
        self._line.write(command + b" ")
        answer = self._line.read(size + 2)
        if len(answer) != size + 2 or answer[0] != 0x14 or answer[-1] != 0x10:
            raise _NoAnswer
        return answer[1:-1]


LOADER_SPEEDS: Final = (115_200, 57_600)
"""Speeds of the boot loaders in use, in baud: a new Nano's or an Uno's, an old Nano's."""


class FoundLoader(NamedTuple):
    """A boot loader that has answered, its speed in baud, and the chip it runs on."""

    loader: Stk500
    baud: int
    chip: Chip


def find_boot_loader(open_port: OpenPort, port: str, speeds: Sequence[int] = LOADER_SPEEDS) -> FoundLoader:
    """Reset the board until its boot loader answers, and ask which chip it is. Raises
    `ReaderProblem` if none answers, or for a chip that the firmware is not compiled for."""
    for baud in speeds:
        line = open_port(baud)
        loader = Stk500(line)
        try:
            loader.synchronize()
            # Only now: with the long timeout, greetings at wrong speeds would take ten seconds
            # each.
            line.timeout = _ANSWER_TIMEOUT
            signature = loader.read_signature()
        except _NoAnswer:
            continue
        if signature not in CHIPS:
            raise ReaderProblem("flash.other_chip", port=port, signature=signature.hex())
        return FoundLoader(loader, baud, CHIPS[signature])
    raise ReaderProblem("flash.no_boot_loader", port=port)


def load_hex_image(file: Path, room: int) -> bytes:
    """Return the flash content of an Intel HEX file, from address 0; gaps are 0xFF. Raises
    `ReaderProblem` for another kind of file, or one that does not fit below the boot loader."""
    content, base = bytearray(), 0
    try:
        for line in file.read_text("ascii").split():
            record = bytes.fromhex(line.removeprefix(":"))
            size, address, kind = struct.unpack(">BHB", record[:4])
            data = record[4:-1]
            if not line.startswith(":") or len(data) != size or sum(record) % 256:
                raise ValueError(line)
            if kind == 1 and content:
                return bytes(content)
            # The upper half of the address, in paragraphs or in words.
            if kind in (2, 4):
                base = int.from_bytes(data) << (4 if kind == 2 else 16)
            elif kind == 0:
                end = base + address + size
                if end > room:
                    raise ReaderProblem("flash.too_large", file=str(file))
                content.extend(b"\xff" * (end - len(content)))
                content[end - size : end] = data
    except OSError as fault:
        raise ReaderProblem("flash.no_image", file=str(file)) from fault
    except (ValueError, struct.error) as fault:
        raise ReaderProblem("flash.no_hex", file=str(file)) from fault
    # The end record is missing.
    raise ReaderProblem("flash.no_hex", file=str(file))


def flash_firmware(target: FoundLoader, content: bytes, on_progress: Callable[[int, int], object]) -> None:
    """Write `content`, read it back, and start the program. `on_progress` is called with the pages
    done and the total, reading counted too. Raises `ReaderProblem` if the board stops answering or
    has stored something else."""
    loader, size = target.loader, target.chip.page
    pages = [(at, content[at : at + size].ljust(size, b"\xff")) for at in range(0, len(content), size)]
    done = 0
    try:
        for at, page in pages:
            loader.write_page(at, page)
            on_progress(done := done + 1, 2 * len(pages))
        for at, page in pages:
            if loader.read_flash(at, size) != page:
                raise ReaderProblem("flash.other_kept", address=f"{at:04x}")
            on_progress(done := done + 1, 2 * len(pages))
        loader.start_program()
    except (_NoAnswer, serial.SerialException, OSError):
        raise ReaderProblem("flash.broken_off") from None


@contextmanager
def resetting_port(port: str) -> Iterator[OpenPort]:
    """Provide a function that opens a serial port; the port it opened last is closed at the end.

    Raises `ReaderProblem` if the port cannot be opened.
    """
    last: list[Any] = []

    def open_port(baud: int) -> Any:
        while last:
            last.pop().close()
            time.sleep(_PULSE)
        try:
            line = serial.Serial(port, baud, timeout=_GREETING, exclusive=True)
        except (serial.SerialException, OSError, ValueError) as error:
            raise explain_port_error(error, port) from None
        last.append(line)
        # Opening the port lowers DTR only if closing has released it, which depends on the system.
        # A pseudo-terminal has no DTR (ENOTTY), and is reset by being opened.
        with suppress(OSError):
            line.dtr = line.rts = False
            time.sleep(_PULSE)
            line.dtr = line.rts = True
        line.reset_input_buffer()
        return line

    try:
        yield open_port
    finally:
        while last:
            last.pop().close()


PLACES: tuple[str, ...] = (
    tuple(f"{letter}:\\" for letter in string.ascii_uppercase)
    if sys.platform == "win32"
    else ("/media/*", "/media/*/*", "/run/media/*/*", "/mnt/*", "/Volumes/*")
)
"""Folders in which systems mount drives."""
UNMOUNTED: Final = Path("/dev/disk/by-label/RPI-RP2")
"""Linux's name of the drive when no desktop mounts it."""
INFO = "INFO_UF2.TXT"
_BOARD: Final = b"Board-ID: RPI-RP2"
"""Text that the RP2040's boot ROM writes into that file; other chips' boot loaders have a file of
the same name."""
_BLOCK: Final = struct.Struct("<8I476sI")
_MAGIC: Final = (0x0A324655, 0x9E5D5157, 0x0AB16F30)
_FAMILY: Final = 0xE48BFF56
_FLASH: Final = 0x10000000
DRIVE_TIMEOUT = 10.0
"""Seconds within which a Pico has started a file that was copied to it: it takes one."""
_POLL_INTERVAL = 0.1


def list_pico_drives() -> list[Path]:
    """List the drives that are Picos in boot-select mode."""
    found = (Path(name) for place in PLACES for name in sorted(glob.glob(place)))  # noqa: PTH207 - whole paths
    return [folder for folder in found if is_pico_drive(folder)]


def is_pico_drive(folder: Path) -> bool:
    """Check whether a folder is the drive of a Pico."""
    try:
        return _BOARD in read_limited_bytes(folder / INFO, max_bytes=10_000)
    except (OSError, BadFile):
        return False


def load_uf2_image(file: Path) -> bytes:
    """Return the content of a UF2 file. Raises `ReaderProblem` unless it is complete and made for
    an RP2040."""
    try:
        content = read_limited_bytes(file)
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


def copy_to_pico(content: bytes, drive: Path, started: Callable[[], bool]) -> None:
    """Copy content checked by `load_uf2_image` to a Pico, and wait until the drive has gone or the
    program has `started`. Raises `ReaderProblem` if it cannot be written, or the drive stays."""
    try:
        with (drive / "reader.uf2").open("wb") as target:
            target.write(content)
            target.flush()
            # Without it the blocks may stay in the system's cache, and the Pico waits for the last
            # one.
            os.fsync(target.fileno())
    except OSError as fault:
        # The last block starts the program, so the drive may disappear before the file is closed.
        if is_pico_drive(drive):
            raise ReaderProblem("flash.drive_refuses", drive=str(drive)) from fault
    until = time.monotonic() + DRIVE_TIMEOUT
    while is_pico_drive(drive) and not started():
        if time.monotonic() > until:
            raise ReaderProblem("flash.drive_stays", drive=str(drive))
        time.sleep(_POLL_INTERVAL)
