"""Serial ports: list them, guess by USB ids which one is a reader board (as in
`firmware/pins.toml`), and hold one open."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
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


class Port(msgspec.Struct, frozen=True):
    """One serial port: `device` to open, `usb` ids as `2341:0042` (empty: not USB), `serial`
    number.

    `likely`: `board` (identifies itself as an Arduino), `tray` (one of ours), `bridge` (a chip that
    boards use), `other`.
    """

    device: str
    name: str
    usb: str
    serial: str
    likely: PortKind


def _classify_port(usb: str, number: str) -> PortKind:
    if usb in TRAY_IDS:
        return "tray" if number.startswith(_TRAY) else "other"
    return "board" if usb in BOARD_IDS else "bridge" if usb in BRIDGE_IDS else "other"


def format_tray_name(port: Port) -> str:
    """Return the display name of a tray. It contains the serial number of its Pico, which is not
    printed on the tray but never changes."""
    return f"Card tray {port.serial.removeprefix(_TRAY)}"


def list_serial_ports(port_infos: Iterable[Any] | None = None) -> list[Port]:
    """List the serial ports, likely boards first. `port_infos`: pyserial's list (None: ask for
    it)."""
    listed = []
    for info in list_ports.comports() if port_infos is None else port_infos:
        usb = "" if info.vid is None else f"{info.vid:04x}:{info.pid:04x}"
        number = info.serial_number or ""
        listed.append(Port(info.device, info.description or "", usb, number, _classify_port(usb, number)))
    order = ("board", "tray", "bridge", "other")
    return sorted(listed, key=lambda port: (order.index(port.likely), port.device))


class BoardLocator:
    """Finder of one board, whatever port name it gets after it was unplugged and plugged in again.

    Without `device` it takes the first likely board (trays excluded) that no other `BoardLocator`
    with the same `taken` holds. Once found, the same board is preferred: by its serial number, or
    else by its kind.
    """

    def __init__(self, device: str | None = None, taken: set[str] | None = None) -> None:
        self._wanted = device
        self._taken = taken if taken is not None else set()
        self._known: Port | None = None

    def __call__(self) -> str | None:
        """Return the device to open now; None while there is none."""
        there = list_serial_ports()
        if self._known is not None:
            # Released first: the same board may be listed under another name now.
            self._taken.discard(self._known.device)
        choice = self._choose_port([port for port in there if port.device not in self._taken])
        if choice is not None:
            self._known = choice
            self._taken.add(choice.device)
            return choice.device
        # Some systems list no ports at all; a device that people named is tried there.
        return self._wanted if not there else None

    def _choose_port(self, free: list[Port]) -> Port | None:
        known = self._known
        if known is not None:
            same = [p for p in free if p.usb == known.usb and p.serial == known.serial]
            exact = [p for p in same if p.device == known.device]
            return (exact or same or [None])[0]  # type: ignore[list-item]
        if self._wanted is not None:
            return next((p for p in free if p.device == self._wanted), None)
        return next((p for p in free if p.likely in ("board", "bridge")), None)


FAULTS: Final = (serial.SerialException, OSError, TypeError)
"""Exceptions of pyserial, any of these, when a device disappears while it is read or written."""


@contextmanager
def hold_port(device: str, baud: int, timeout: float) -> Iterator[Any]:
    """Hold a serial port open; a read waits for at most `timeout` seconds. Raises `ReaderProblem`
    if it does not open."""
    try:
        # Exclusive: two programs on one port would take each other's bytes, and both report a
        # broken device.
        port = serial.Serial(device, baud, timeout=timeout, write_timeout=1.0, exclusive=True)
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
        return ReaderProblem("reader.rfid.busy", port=port)
    there = os.path.lexists(port)
    return ReaderProblem("reader.rfid.not_a_port" if there else "reader.rfid.no_port", port=port)
