"""Keyboard-style USB readers, which type a tag's id and Enter. They are grabbed exclusively, so
that they do not type into the game (Linux only).

Such a reader reports arrivals only, so a card shown to it is a tap; at the table each device is a
pad (`KeyboardReader`). Ids come as hexadecimal digits (8 or 14) or as a decimal number of 32 bits.
A reader always uses the same form, so tags have to be enrolled with the reader that will read them.
"""

from __future__ import annotations

import contextlib
import platform
import select
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import msgspec

from companion import libraries
from companion.readers.nfc.tag_pads import DesignOf, PadReader
from companion.readers.rfid.events import ReaderProblem, TagId
from companion.rules.contract import Text
from companion.table.identification import Pad

_ROW: Final = dict(enumerate("1234567890", 2))
_PAD: Final = {71: "7", 72: "8", 73: "9", 75: "4", 76: "5", 77: "6", 79: "1", 80: "2", 81: "3", 82: "0"}
_LETTERS: Final = {30: "a", 48: "b", 46: "c", 32: "d", 18: "e", 33: "f"}
_KEYS: Final = _ROW | _PAD | _LETTERS
"""Digits by key code (linux/input-event-codes.h)."""
_ENTER: Final = (28, 96)
"""KEY_ENTER and KEY_KPENTER: which of them ends an id depends on the manufacturer."""
_PRESSED: Final = 1
"""Value of a key event for pressing; 0 is releasing, 2 a repetition while it is held
(linux/input.h)."""
_ID_TIMEOUT: Final = 0.5  # seconds: a longer one between keys begins a new id
_POLL_INTERVAL: Final = 1.0
_NAMES: Final = ("rfid", "ic reader", "id reader", "card reader", "sycreader", "nfc")
_USB: Final = frozenset({(0xFFFF, 0x0035), (0x08FF, 0x0009), (0x16C0, 0x27DB), (0x13BA, 0x0018)})


class KeyboardDevice(msgspec.Struct, frozen=True):
    """A reader that is plugged in: `name` stays the same while it is in its USB socket; `path` is
    the file to open now."""

    name: str
    path: str


DeviceOutcome: TypeAlias = Literal["held", "gone", "busy", "forbidden"]
"""State of a device: grabbed by us, unplugged, used by another program, or access denied."""


class KeyDecoder:
    """Decoder from key presses to tag ids, without device or clock."""

    def __init__(self) -> None:
        self._typed = ""
        self._last = float("-inf")

    def add_key(self, code: int, now: float) -> TagId | None:
        """Process a key pressed at `now` (seconds); return the id if Enter completed one."""
        if now - self._last > _ID_TIMEOUT:
            self._typed = ""
        self._last = now
        if code not in _ENTER:
            # An unexpected key spoils the id: if it were skipped, the rest might be another card's
            # id.
            self._typed += _KEYS.get(code, "?")
            return None
        typed, self._typed = self._typed, ""
        return parse_tag(typed)


def parse_tag(typed: str) -> TagId | None:
    """Parse an id as such readers type it; None if it is not valid."""
    if len(typed) in (8, 14):
        try:
            return TagId.from_hex(typed)
        except ValueError:
            return None
    if typed.isdecimal() and len(typed) == 10 and int(typed) < 1 << 32:
        return TagId(int(typed).to_bytes(4, "big"))
    return None


def is_card_reader(name: str, vendor: int, product: int) -> bool:
    """Check whether an input device looks like a card reader."""
    return (vendor, product) in _USB or any(word in name.lower() for word in _NAMES)


def check_system() -> None:
    """Raise `ReaderProblem` where such readers cannot be used: on a system other than Linux, or
    without the package evdev."""
    if sys.platform != "linux":
        raise ReaderProblem(
            "reader.typed.not_here", system={"Darwin": "macOS"}.get(platform.system(), platform.system())
        )
    if find_spec("evdev") is None:
        raise ReaderProblem("reader.typed.no_evdev")


def list_keyboard_readers(kernel: Path = Path("/sys/class/input")) -> list[KeyboardDevice]:
    """List the input devices that look like card readers. The kernel shows names to everybody, so
    devices that we may not open are listed too."""
    found = []
    for folder in sorted(kernel.glob("event*/device")):
        name, phys = _read_word(folder / "name"), _read_word(folder / "phys")
        ids = [int(_read_word(folder / "id" / which) or "0", 16) for which in ("vendor", "product")]
        if is_card_reader(name, *ids):
            path = f"/dev/input/{folder.parent.name}"
            found.append(KeyboardDevice(f"{name}, {phys or path}", path))
    return found


def _read_word(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _open_device(path: str) -> Any:
    return libraries.evdev.InputDevice(path)


_TROUBLES: Final = {
    "gone": "reader.pad.unplugged",
    "busy": "reader.typed.busy",
    "forbidden": "reader.typed.forbidden",
}


class KeyboardReader(PadReader):
    """Reader of the cards shown to keyboard-style devices, each grabbed exclusively. Devices
    plugged in later are found within about a second. Such a device never reports that a card has
    gone.

    `plan`: the pad of each device, by its name. `devices` and `open_device` replace the computer's
    own. Raises `ReaderProblem` where such readers cannot be used at all.
    """

    def __init__(
        self,
        design_of: DesignOf,
        plan: Mapping[str, Pad],
        devices: Callable[[], Iterable[KeyboardDevice]] = list_keyboard_readers,
        open_device: Callable[[str], Any] = _open_device,
    ) -> None:
        if devices is list_keyboard_readers:
            check_system()
        super().__init__("typed", design_of, plan)
        self._devices, self._open = devices, open_device
        self._held: dict[int, tuple[str, Any, KeyDecoder]] = {}
        self._refused: dict[str, DeviceOutcome] = {}

    @property
    def held_devices(self) -> tuple[str, ...]:
        """Names of the devices that are grabbed now."""
        return tuple(name for name, _, _ in self._held.values())

    def serve_connection(self) -> None:
        """Read key presses, and look for devices that come and go."""
        looked = float("-inf")
        try:
            while not self.is_ending:
                now = time.monotonic()
                if now - looked >= _POLL_INTERVAL:
                    looked = now
                    self._poll_devices()
                if not self._held:
                    self.wait(min(_POLL_INTERVAL, 0.1))
                    continue
                # The timeout limits how long `close` waits for this thread.
                ready, _, _ = select.select(list(self._held), [], [], 0.1)
                for number in ready:
                    self._read_keys(number)
        finally:
            for number in list(self._held):
                self._release_device(number)

    def handle_disconnect(self, why: Text) -> None:
        """Report that no device can be read."""
        self.report_changed_health("lost", why)

    def _report_device(self, device: str, outcome: DeviceOutcome) -> None:
        """Report the new state of a device."""
        at = time.monotonic()
        if outcome == "held":
            self.pads.report_ready(device, at)
        else:
            self.pads.report_health(device, "lost", Text(_TROUBLES[outcome], {"device": device}), at)

    def _poll_devices(self) -> None:
        """Grab new devices and report how many are held, if that has changed. With none held the
        reader counts as lost."""
        there = list(self._devices())
        self._refused = {
            name: how for name, how in self._refused.items() if name in {one.name for one in there}
        }
        for one in there:
            if one.name not in self.held_devices:
                self._grab_device(one)
        held = len(self._held)
        text = Text("reader.typed.ok", {"count": held}) if held else Text("reader.typed.none")
        self.report_changed_health("ok" if held else "lost", text)

    def _grab_device(self, candidate: KeyboardDevice) -> None:
        """Open and grab a device. One that cannot be grabbed is not used, because it would also
        type into the game."""
        device = None
        try:
            device = self._open(candidate.path)
            device.grab()
        except OSError as error:
            if device is not None:
                device.close()
            outcome: DeviceOutcome = "forbidden" if isinstance(error, PermissionError) else "busy"
            # Tried every second, reported once.
            if self._refused.get(candidate.name) != outcome:
                self._refused[candidate.name] = outcome
                self._report_device(candidate.name, outcome)
            return
        self._refused.pop(candidate.name, None)
        self._held[device.fd] = (candidate.name, device, KeyDecoder())
        self._report_device(candidate.name, "held")

    def _read_keys(self, number: int) -> None:
        name, device, typing = self._held[number]
        try:
            events = list(device.read())
        except OSError:
            # It was unplugged, and will be looked for again.
            self._release_device(number)
            self._report_device(name, "gone")
            return
        now = time.monotonic()
        for event in events:
            if event.type == 1 and event.value == _PRESSED:  # EV_KEY
                tag = typing.add_key(event.code, now)
                if tag is not None:
                    self.pads.report_tap(name, tag, now)

    def _release_device(self, number: int) -> None:
        _, device, _ = self._held.pop(number)
        with contextlib.suppress(OSError):
            device.ungrab()
        with contextlib.suppress(OSError):
            device.close()
