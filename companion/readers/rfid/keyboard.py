"""Keyboard-style USB readers: they type a tag's id and Enter. Taken exclusively, so that they do not type into the dashboard.

Such a reader tells arrivals only, so a card shown to it is a tap. Ids come as hexadecimal digits (8 or 14) or as a decimal number
of 32 bits; a reader is consistent with itself, so tags have to be enrolled with the reader that will read them.
"""

from __future__ import annotations

import contextlib
import select
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec

from companion.readers.rfid.events import TagId

_ROW: Final = dict(enumerate("1234567890", 2))
_PAD: Final = {71: "7", 72: "8", 73: "9", 75: "4", 76: "5", 77: "6", 79: "1", 80: "2", 81: "3", 82: "0"}
_LETTERS: Final = {30: "a", 48: "b", 46: "c", 32: "d", 18: "e", 33: "f"}
_KEYS: Final = _ROW | _PAD | _LETTERS
"""Key codes (linux/input-event-codes.h) to digits."""
_ENTER: Final = (28, 96)
_PRESSED: Final = 1
_PAUSE: Final = 0.5  # seconds: a longer one between keys begins a new id
_RETRY: Final = 1.0
_NAMES: Final = ("rfid", "ic reader", "id reader", "card reader", "sycreader", "nfc")
_USB: Final = frozenset({(0xFFFF, 0x0035), (0x08FF, 0x0009), (0x16C0, 0x27DB), (0x13BA, 0x0018)})


class KeyboardCard(msgspec.Struct, frozen=True):
    """A card was shown to the keyboard-style reader at `device`."""

    device: str
    tag: TagId
    received: float


class Typing:
    """Keys in, tag ids out; no device and no clock."""

    def __init__(self) -> None:
        self._typed = ""
        self._last = float("-inf")

    def key(self, code: int, now: float) -> TagId | None:
        """Take one key that was pressed at `now` (seconds); return the id that Enter completed."""
        if now - self._last > _PAUSE:
            self._typed = ""
        self._last = now
        if code not in _ENTER:
            self._typed += _KEYS.get(code, "?")
            return None
        typed, self._typed = self._typed, ""
        return tag_of(typed)


def tag_of(typed: str) -> TagId | None:
    """Read an id as such readers type it; None if it is none."""
    if len(typed) in (8, 14):
        try:
            return TagId.from_hex(typed)
        except ValueError:
            return None
    if typed.isdecimal() and len(typed) == 10 and int(typed) < 1 << 32:
        return TagId(int(typed).to_bytes(4, "big"))
    return None


def is_reader(name: str, vendor: int, product: int) -> bool:
    """Tell whether an input device looks like a card reader."""
    return (vendor, product) in _USB or any(word in name.lower() for word in _NAMES)


def _evdev_devices() -> Iterator[Any]:
    """Open every input device that looks like a card reader (Linux)."""
    try:
        import evdev  # noqa: PLC0415 - there is no evdev on macOS
    except ImportError:
        return
    for path in evdev.list_devices():
        try:
            device = evdev.InputDevice(path)
        except OSError:
            continue  # not ours to open, or gone
        if is_reader(device.name, device.info.vendor, device.info.product):
            yield device
        else:
            device.close()


class KeyboardReader:
    """All keyboard-style readers that are plugged in, each taken exclusively. `close` returns when they are let go again."""

    def __init__(
        self, on_card: Callable[[KeyboardCard], None], devices: Callable[[], Iterator[Any]] = _evdev_devices
    ) -> None:
        self._on_card, self._devices = on_card, devices
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None
        self._held: dict[int, tuple[Any, Typing]] = {}

    @property
    def held(self) -> tuple[str, ...]:
        """The devices that are held now."""
        return tuple(device.path for device, _ in self._held.values())

    def start(self) -> None:
        """Begin; readers plugged in later are found within about a second."""
        if self._thread is None:
            self._ending.clear()
            self._thread = threading.Thread(target=self._run, name="keyboard readers", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Stop, and let the devices go."""
        self._ending.set()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        looked = float("-inf")
        while not self._ending.is_set():
            now = time.monotonic()
            if now - looked >= _RETRY:
                looked = now
                self._look()
            if not self._held:
                self._ending.wait(0.1)
                continue
            ready, _, _ = select.select(list(self._held), [], [], 0.1)
            for number in ready:
                self._read(number)
        for number in list(self._held):
            self._drop(number)

    def _look(self) -> None:
        known = self.held
        for device in self._devices():
            if device.path in known:
                device.close()
                continue
            try:
                device.grab()
            except OSError:  # another program has it: better none than one that types into the game
                device.close()
                continue
            self._held[device.fd] = (device, Typing())

    def _read(self, number: int) -> None:
        device, typing = self._held[number]
        try:
            events = list(device.read())
        except OSError:
            self._drop(number)  # unplugged; looked for again
            return
        now = time.monotonic()
        for event in events:
            if event.type == 1 and event.value == _PRESSED:  # EV_KEY
                tag = typing.key(event.code, now)
                if tag is not None:
                    self._on_card(KeyboardCard(device.path, tag, now))

    def _drop(self, number: int) -> None:
        device, _ = self._held.pop(number)
        with contextlib.suppress(OSError):
            device.ungrab()
        with contextlib.suppress(OSError):
            device.close()
