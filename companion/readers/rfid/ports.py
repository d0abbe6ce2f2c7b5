"""Serial ports: list them, tell by USB ids and serial numbers which one is a card reader, and hold
one open.

Only a tray's USB descriptor says that it is one of ours. Any other board looks like thousands of
other devices (a 3D printer has the same USB chip as a Nano), and merely opening its port may
restart it. So a port is opened unasked only if it belongs to a tray, or to a board that answered as
a reader before; with `--reader auto` each other candidate is asked once, and left alone from then
on if it is something else. A device is known by its serial number, or by its USB socket where that
number is blank or belongs to two devices, never by its place in the list (`Port.identity`).
"""

from __future__ import annotations

import errno
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import msgspec
import serial
from serial.tools import list_ports

from companion.readers.rfid.events import ReaderProblem

MEGA_IDS: Final = frozenset({"2341:0042", "2341:0010", "2a03:0042", "2a03:0010"})
"""Arduino Megas: readers that people built until there were trays, with the firmware they have."""
BOARD_IDS: Final = MEGA_IDS | {"2341:0043", "2341:0001", "2a03:0043"}
"""Boards that identify themselves: Arduino Mega and Uno (a Nano has a `BRIDGE_IDS` chip)."""
BRIDGE_IDS: Final = frozenset({"1a86:7523", "0403:6001", "10c4:ea60"})
"""USB-to-serial chips of cheap boards (CH340, FT232R, CP2102): a reader board, or anything else."""
TRAY_IDS: Final = frozenset({"2e8a:000a"})
"""Id that Raspberry Pi assigns to any serial port of an RP2040. One of our trays also has `_TRAY`
at the start of its serial number, which every system shows."""
_TRAY = "TRAY"

PortKind: TypeAlias = Literal["board", "tray", "bridge", "other"]
Locate: TypeAlias = Callable[[], "str | None"]
"""Function that returns the device to open now, or None while there is none."""

_shared_numbers: set[tuple[str, str]] = set()
"""USB ids and serial numbers that two devices had at the same time, since the program started."""


class Port(msgspec.Struct, frozen=True):
    """One serial port: `device` to open, `usb` ids as `2341:0042` (empty: not USB), `serial`
    number, `socket` of the USB tree as `1-1.2` (empty: not known).

    `likely`: `tray` (one of ours), `board` (identifies itself as an Arduino), `bridge` (a chip that
    boards use), `other`. `is_unique`: no other device has shown the same serial number.
    """

    device: str
    name: str
    usb: str
    serial: str
    likely: PortKind
    socket: str = ""
    is_unique: bool = True

    @property
    def identity(self) -> str:
        """Name by which the same device is recognised when it is plugged in again."""
        if self.serial and self.is_unique:
            return f"{self.usb} {self.serial}"
        return f"{self.usb} @{self.socket or self.device}"


def _classify_port(usb: str, number: str) -> PortKind:
    if usb in TRAY_IDS:
        return "tray" if number.startswith(_TRAY) else "other"
    return "board" if usb in BOARD_IDS else "bridge" if usb in BRIDGE_IDS else "other"


def format_tray_name(port: Port) -> str:
    """Return the display name of a tray. It contains the serial number of its Pico, which is not
    printed on the tray but never changes, and its socket if two have the same number."""
    number = port.serial.removeprefix(_TRAY)
    return f"Card tray {number}" if port.is_unique else f"Card tray {number} @{port.socket or port.device}"


def list_serial_ports(port_infos: Iterable[Any] | None = None) -> list[Port]:
    """List the serial ports, trays first, then likely boards. `port_infos`: pyserial's list (None:
    ask for it)."""
    rows = [
        (
            info.device,
            info.description or "",
            "" if info.vid is None else f"{info.vid:04x}:{info.pid:04x}",
            (info.serial_number or "").strip(),
            getattr(info, "location", None) or "",
        )
        for info in (list_ports.comports() if port_infos is None else port_infos)
    ]
    counts = Counter((usb, number) for _, _, usb, number, _ in rows if usb and number)
    _shared_numbers.update(one for one, count in counts.items() if count > 1)
    listed = [
        Port(
            device,
            name,
            usb,
            number,
            _classify_port(usb, number),
            socket,
            (usb, number) not in _shared_numbers,
        )
        for device, name, usb, number, socket in rows
    ]
    order = ("tray", "board", "bridge", "other")
    return sorted(listed, key=lambda port: (order.index(port.likely), port.device))


class PortClaims:
    """What the readers of one evening know of each other's ports.

    `held`: devices in use. `foreign`: identities of ports that answered as something else.
    `missing`: readers whose board is unplugged, with its USB ids. `known`: identities of boards
    that answered as readers on earlier evenings; `remember` saves another one.
    """

    def __init__(
        self, known: Iterable[str] = (), remember: Callable[[str], object] = lambda identity: None
    ) -> None:
        self.held: set[str] = set()
        self.foreign: set[str] = set()
        self.missing: dict[BoardLocator, str] = {}
        self.known = set(known)
        self._remember = remember

    def add_known(self, identity: str) -> None:
        """Note that this board has answered as a reader."""
        if identity not in self.known:
            self.known.add(identity)
            self._remember(identity)


class BoardLocator:
    """Finder of one board, whatever port name it gets after it was unplugged and plugged in again.

    With `device`, the board at that port when it is first seen there. Without it, a board that
    answered on an earlier evening; else the likely ones in turn, each once, until one answers
    (`confirm_port`) or turns out to be something else (`reject_port`).
    """

    def __init__(self, device: str | None = None, claims: PortClaims | None = None) -> None:
        self._wanted = device
        self._claims = claims or PortClaims()
        self._port: Port | None = None
        self._is_confirmed = device is not None
        self._beside: set[str] = set()
        self._put_off: set[str] = set()

    @property
    def is_asking(self) -> bool:
        """Whether the port was chosen unasked and has not answered as a reader yet."""
        return not self._is_confirmed

    def __call__(self) -> str | None:
        """Return the device to open now; None while there is none.

        Raises ReaderProblem if several devices may be the board (`reader.rfid.uncertain`), or if no
        port is likely and has not been asked yet (`reader.rfid.none_ours`).
        """
        there = list_serial_ports()
        if self._port is not None:
            # Released first: the same board may be listed under another name now.
            self._claims.held.discard(self._port.device)
        free = [port for port in there if port.device not in self._claims.held]
        choice = self._choose_first(free) if self._port is None else self._find_again(self._port, free)
        if choice is None:
            if self._port is not None:
                self._claims.missing[self] = self._port.usb
                return None
            # A device that people named may be in no list: a pseudo-terminal, or on some systems
            # any port. Once it was seen in the list, its name may be another device's.
            return self._wanted
        self._port = choice
        self._claims.missing.pop(self, None)
        self._claims.held.add(choice.device)
        self._beside = {port.identity for port in there} - {choice.identity}
        return choice.device

    def confirm_port(self) -> None:
        """Note that the port has answered as a reader."""
        self._is_confirmed = True
        if self._port is not None and self._wanted is None:
            self._claims.add_known(self._port.identity)

    def reject_port(self, *, is_foreign: bool) -> None:
        """Note that a port that was asked did not answer as a reader. If it `is_foreign`, it is not
        opened again; else (busy, forbidden) the others come first."""
        if self.is_asking and self._port is not None:
            self._claims.held.discard(self._port.device)
            (self._claims.foreign if is_foreign else self._put_off).add(self._port.identity)
            self._port = None

    def _choose_first(self, free: list[Port]) -> Port | None:
        if self._wanted is not None:
            names = {self._wanted, os.path.realpath(self._wanted)}
            return next((port for port in free if port.device in names), None)
        likely = [port for port in free if port.likely in ("board", "bridge")]
        fresh = [port for port in likely if port.identity not in self._claims.foreign]
        if likely and not fresh:
            raise ReaderProblem("reader.rfid.none_ours", ports=tuple(port.device for port in likely))
        if self._put_off.issuperset(port.identity for port in fresh):
            self._put_off.clear()
        # Boards of earlier evenings first; of the others those that name themselves.
        return min(
            fresh,
            key=lambda port: (port.identity in self._put_off, port.identity not in self._claims.known),
            default=None,
        )

    def _find_again(self, port: Port, free: list[Port]) -> Port | None:
        """Return the port at which the board is now."""
        same = [one for one in free if one.identity == port.identity]
        exact = [one for one in same if one.device == port.device]
        if same or (port.serial and port.is_unique):
            return next(iter(exact or same), None)
        # Without a number it can only be a device that was not there before. If two readers wait,
        # or two devices came, nobody can tell which is which.
        moved = [
            one
            for one in free
            if one.usb == port.usb
            and not (one.serial and one.is_unique)
            and one.identity not in self._beside | self._claims.foreign
        ]
        waiting = [
            usb for other, usb in self._claims.missing.items() if other is not self and usb == port.usb
        ]
        if moved and (waiting or len(moved) > 1):
            raise ReaderProblem("reader.rfid.uncertain", ports=tuple(one.device for one in moved))
        return next(iter(moved), None)


FAULTS: Final = (serial.SerialException, OSError, TypeError)
"""Exceptions of pyserial, any of these, when a device disappears while it is read or written."""


@contextmanager
def hold_port(device: str, baud: int, timeout: float, *, is_quiet: bool = False) -> Iterator[Any]:
    """Hold a serial port open; a read waits for at most `timeout` seconds. `is_quiet`: without
    raising DTR and RTS, which restart many devices (Linux raises them all the same for a moment).
    Raises `ReaderProblem` if it does not open."""
    # Exclusive: two programs on one port would take each other's bytes, and both report a broken
    # device.
    port = serial.Serial(None, baud, timeout=timeout, write_timeout=1.0, exclusive=True)
    if is_quiet:
        port.dtr = port.rts = False
    port.port = device
    try:
        port.open()
    except (*FAULTS, ValueError) as error:
        raise explain_port_error(error, device) from error
    try:
        yield port
    finally:
        # Closing a device that has gone may fail, which changes nothing.
        with suppress(serial.SerialException, OSError):
            port.close()


def explain_port_error(error: Exception, port: str) -> ReaderProblem:
    """Return the problem that describes why a port does not open, or has gone."""
    # pyserial does not always set `errno`; that the port is locked is then known only from the
    # words.
    number = getattr(error, "errno", None)
    if number in (errno.EACCES, errno.EPERM):
        return ReaderProblem("reader.rfid.no_permission", port=port)
    if number in (errno.EBUSY, errno.EAGAIN) or "exclusively lock" in str(error):
        probing = "ModemManager" in list_running_programs()
        return ReaderProblem("reader.rfid.busy_modem" if probing else "reader.rfid.busy", port=port)
    there = os.path.lexists(port)
    return ReaderProblem("reader.rfid.not_a_port" if there else "reader.rfid.no_port", port=port)


PROCESSES, USB_DEVICES = Path("/proc"), Path("/sys/bus/usb/devices")
"""Linux's lists of programs that run, and of USB devices."""


def list_running_programs() -> set[str]:
    """Return the names of the programs that run on this computer; empty where that is not known."""
    names: set[str] = set()
    if sys.platform.startswith("linux"):
        for file in PROCESSES.glob("[0-9]*/comm"):
            # It may have ended meanwhile.
            with suppress(OSError):
                names.add(file.read_text(encoding="utf-8", errors="replace").strip())
    return names


def explain_missing_board() -> ReaderProblem:
    """Return the problem that describes why no board is there: none is plugged in, or BRLTTY, the
    driver of Braille displays, has taken its USB chip, which then has no port."""
    # The few USB devices first: this is asked again as long as the board is away.
    if sys.platform.startswith("linux") and _has_chip_without_port() and "brltty" in list_running_programs():
        return ReaderProblem("reader.rfid.brltty")
    return ReaderProblem("reader.rfid.no_board")


def _has_chip_without_port() -> bool:
    for product in USB_DEVICES.glob("*/idProduct"):
        with suppress(OSError):
            vendor = product.with_name("idVendor").read_text(encoding="ascii").strip()
            chip = f"{vendor}:{product.read_text(encoding='ascii').strip()}"
            if chip in BRIDGE_IDS and not list(product.parent.glob("*/tty*")):
                return True
    return False
