"""One simulated RC522 by itself, and a computer with an SPI bus that it hangs on: what drivers for
a Raspberry Pi import."""

from __future__ import annotations

import ctypes
import functools
import sys
from types import ModuleType

from companion.readers.rfid.simulator import build_firmware

PYTHON_TRANSFER_NS = 300_000
"""A transfer by Python and a kernel's driver on a small computer: a few hundred microseconds. The
drivers here look once, without waiting, and live by it."""


@functools.cache
def _library() -> ctypes.CDLL:
    lib = ctypes.CDLL(str(build_firmware("native") / "native" / "libchip.so"))
    lib.chip_new.restype = ctypes.c_void_p
    lib.chip_transfer.restype = ctypes.c_char_p
    lib.chip_field.restype = ctypes.c_bool
    return lib


class Unknown(Exception):
    """The model was asked what it does not know."""


class Chip:
    """A chip with its coil. Time passes only as told."""

    def __init__(self, version: int = 0x92) -> None:
        self._lib = _library()
        self._at = ctypes.c_void_p(self._lib.chip_new(1))
        self._lib.chip_version(self._at, ctypes.c_uint8(version))
        self.wait(ms=1)

    def close(self) -> None:
        self._lib.chip_free(self._at)

    def wait(self, ms: float) -> None:
        self._lib.chip_wait(self._at, ctypes.c_uint64(round(ms * 1e6)))

    def put(self, *ids: bytes) -> None:
        """Lay tags down, and let them draw power."""
        for one in ids:
            self._lib.chip_put(self._at, one, len(one))
        self.wait(ms=6)

    @property
    def field(self) -> bool:
        return bool(self._lib.chip_field(self._at))

    def transfer(self, out: bytes, ns: int = 4000) -> bytes:
        """One transfer of `out`, `ns` nanoseconds a byte."""
        into = ctypes.create_string_buffer(len(out))
        said = self._lib.chip_transfer(self._at, out, into, len(out), ctypes.c_uint64(ns))
        if said is not None:
            raise Unknown(said.decode())
        return into.raw

    def read(self, register: int) -> int:
        return self.transfer(bytes([0x80 | register << 1, 0]))[1]

    def write(self, register: int, *values: int) -> None:
        self.transfer(bytes([register << 1, *values]))


class SpiDev:
    """What `spidev` offers, with the chip at the other end."""

    chip: Chip
    max_speed_hz = 1_000_000

    def open(self, bus: int, device: int) -> None:
        assert (bus, device) == (0, 0)

    def xfer2(self, data: list[int]) -> list[int]:
        return list(self.chip.transfer(bytes(data), PYTHON_TRANSFER_NS // len(data)))

    def close(self) -> None:
        pass


class Gpio(ModuleType):
    """What `RPi.GPIO` offers, as far as drivers use it."""

    BOARD, BCM, OUT, IN, PUD_UP, FALLING = 10, 11, 0, 1, 22, 32

    def getmode(self) -> None:
        return None

    def nothing(self, *_args: object, **_named: object) -> None:
        pass

    setmode = setup = output = cleanup = add_event_detect = nothing


def lend(monkeypatch, chip: Chip) -> None:
    """Let drivers import their computer's modules, with this chip on the bus."""
    gpio, package, spidev = Gpio("RPi.GPIO"), ModuleType("RPi"), ModuleType("spidev")
    package.GPIO = gpio
    spidev.SpiDev = type("SpiDev", (SpiDev,), {"chip": chip})
    for name, module in (("RPi", package), ("RPi.GPIO", gpio), ("spidev", spidev)):
        monkeypatch.setitem(sys.modules, name, module)
    for name in [name for name in sys.modules if name.split(".")[0] in ("mfrc522", "pirc522")]:
        monkeypatch.delitem(sys.modules, name)
