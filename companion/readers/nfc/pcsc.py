"""PC/SC readers (ACR122U, ACR1252 and similar): each one that is plugged in is a pad.

Readers may be plugged in or removed during play; they are looked for once a second. A card is left
alone while it lies there: the service reports when it comes and goes. If several cards lie on one
such reader, the reader itself chooses one.

`PcscService` wraps the operating system's PC/SC service (pcscd on Linux) by pyscard's low-level
interface. Every return code becomes a value or a `ReaderProblem` in plain words; the codes are
those of the PC/SC workgroup's `winscard.h`, as pcsc-lite lists them in `pcsclite.h`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from companion.readers.nfc.tag_pads import DesignOf, PadReader
from companion.readers.rfid.events import ReaderProblem, TagId
from companion.rules.contract import Text
from companion.table.identification import Pad

GET_UID: Final = [0xFF, 0xCA, 0x00, 0x00, 0x00]
"""PC/SC part 3, 3.2.2.1.3 "Get Data": the reader itself answers with the card's id."""
NO_BEEP: Final = [0xFF, 0x00, 0x52, 0x00, 0x00]
"""ACR122U API 2.04, 6.7 "Set buzzer output during card detection": no beep at any card until the
reader loses power."""
_BEEPING: Final = "ACR122"
"""Readers that accept `NO_BEEP`. The ACR1252's command goes to the reader directly instead of
through a card, which pcscd as installed does not allow."""
_SUCCESS: Final = 0
_CANCELLED, _TIMEOUT = 0x80100002, 0x8010000A
_NO_READERS, _SHARING = 0x8010002E, 0x8010000B
_UNKNOWN_READER, _UNAVAILABLE = 0x80100009, 0x80100017
"""SCARD_E_CANCELLED, _TIMEOUT, _NO_READERS_AVAILABLE, _SHARING_VIOLATION, _UNKNOWN_READER and
_READER_UNAVAILABLE, as pcsclite.h and winscard.h number them."""
_PROBLEMS: Final = {
    0x8010001D: "reader.pcsc.no_service",  # SCARD_E_NO_SERVICE
    0x8010001E: "reader.pcsc.no_service",  # SCARD_E_SERVICE_STOPPED
    0x80100013: "reader.pcsc.no_service",  # SCARD_F_COMM_ERROR: it went while we talked
    0x8010006A: "reader.pcsc.forbidden",  # SCARD_W_SECURITY_VIOLATION: polkit said no
    0x80100027: "reader.pcsc.forbidden",  # SCARD_E_NO_ACCESS
}
_CHANGED, _PRESENT, _MUTE = 0x0002, 0x0020, 0x0200
"""Bits of a reader's state: SCARD_STATE_CHANGED, _PRESENT and _MUTE."""
_SIM_SLOT: Final = re.compile(r"\bSAM\b")
"""Pattern in the name of a reader's extra slot for a SIM-like card: `... SAM] 01 00` on Linux, `...
SAM 0` on Windows."""
_GONE: Final = 0x0004 | 0x0008
"""State bits of a reader that is unknown or unavailable: it was unplugged, which says nothing of
its card."""
_DRIVERS: Final = ("pn533_usb", "pn533", "port100")
"""Drivers of the Linux kernel's own NFC stack: a reader that one of them holds is not available to
PC/SC."""


def find_blocking_driver(drivers: Path = Path("/sys/bus/usb/drivers")) -> str | None:
    """Return the kernel driver that keeps an NFC reader from PC/SC; None if there is none."""
    # A device bound to a driver is an entry such as `1-2:1.0`; only such entries contain a colon.
    held = (name for name in _DRIVERS if any(":" in one.name for one in _list_folder(drivers / name)))
    return next(held, None)


def _list_folder(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def is_card_present(state: int) -> bool:
    """Check whether a reader's state shows a card that responds."""
    return bool(state & _PRESENT) and not state & _MUTE


def count_card_changes(state: int) -> int:
    """Return how many times cards came or went, as counted in a reader's state. Other programs that
    connect to the reader do not change it."""
    return state >> 16


class PcscService:
    """Connection to the PC/SC service; raises `ReaderProblem` without pyscard."""

    def __init__(self) -> None:
        try:
            from smartcard import scard  # noqa: PLC0415 - an extra of the package: most tables have no such reader
        except ImportError as error:
            raise ReaderProblem("reader.pcsc.no_pyscard") from error
        self._scard: Any = scard
        self._context: Any = None
        self._silent: set[str] = set()

    def open(self) -> None:
        """Connect; raise `ReaderProblem` if the service is not running or we may not use it."""
        code, context = self._scard.SCardEstablishContext(self._scard.SCARD_SCOPE_USER)
        self._raise_for_code(code)
        self._context = context

    def close(self) -> None:
        """Disconnect; calling it twice is harmless."""
        if self._context is not None:
            self._scard.SCardReleaseContext(self._context)
            self._context = None

    def cancel(self) -> None:
        """Make `wait_for_changes` return at once; may be called from another thread."""
        if self._context is not None:
            self._scard.SCardCancel(self._context)

    def list_devices(self) -> list[str]:
        """List the readers that are plugged in, without the slots for SIM cards that some have."""
        code, names = self._scard.SCardListReaders(self._context, [])
        # pyscard returns codes as signed numbers on some systems.
        if code & 0xFFFFFFFF == _NO_READERS:
            names = []
        else:
            self._raise_for_code(code)
        # A reader that was unplugged has lost power, and with it the command `NO_BEEP`.
        self._silent &= set(names)
        return [name for name in names if not _SIM_SLOT.search(name)]

    def wait_for_changes(self, known_states: Mapping[str, int], seconds: float) -> dict[str, int]:
        """Wait up to `seconds` until the state of a reader differs from the `known_states` one (0:
        never asked); return the states that do.

        The upper half of a state counts the cards that came and went, so a card that was swapped
        between two calls is noticed too.
        """
        states = [(name, state) for name, state in known_states.items()]
        code, new = self._scard.SCardGetStatusChange(self._context, round(seconds * 1000), states)
        if code & 0xFFFFFFFF in (_TIMEOUT, _CANCELLED, _UNKNOWN_READER, _UNAVAILABLE):
            return {}
        self._raise_for_code(code)
        found = {name: state & ~_CHANGED for name, state, _atr in new if not state & _GONE}
        return {name: state for name, state in found.items() if state != known_states[name]}

    def read_card_id(self, device: str) -> TagId | None:
        """Return the id of the card on a reader; None if it gives none or has gone. A reader known
        to beep is silenced.

        Raises `ReaderProblem` if another program uses the reader exclusively.
        """
        scard = self._scard
        code, card, protocol = scard.SCardConnect(
            self._context, device, scard.SCARD_SHARE_SHARED, scard.SCARD_PROTOCOL_T0 | scard.SCARD_PROTOCOL_T1
        )
        if code & 0xFFFFFFFF == _SHARING:
            raise ReaderProblem("reader.pcsc.busy", device=device)
        if code != _SUCCESS:
            return None
        try:
            code, answer = scard.SCardTransmit(card, protocol, GET_UID)
            if code == _SUCCESS and _BEEPING in device and device not in self._silent:
                self._silent.add(device)
                scard.SCardTransmit(card, protocol, NO_BEEP)
        finally:
            scard.SCardDisconnect(card, scard.SCARD_LEAVE_CARD)
        # 4, 7 or 10 bytes of id (ISO 14443-3, 6.5.4) and two of status.
        if code != _SUCCESS or len(answer) not in (6, 9, 12) or answer[-2:] != [0x90, 0x00]:
            return None
        return TagId(bytes(answer[:-2]))

    def _raise_for_code(self, code: int) -> None:
        if code == _SUCCESS:
            return
        self.close()
        number = code & 0xFFFFFFFF
        raise ReaderProblem(_PROBLEMS.get(number, "reader.pcsc.fault"), number=f"{number:08X}")


POLL_INTERVAL = 1.0
"""Seconds between two looks for readers that were plugged in or unplugged."""
READ_TRIES = 6
"""How many times a card is asked for its id: one that is still being laid down often fails at
first."""
READ_RETRY_DELAY = 0.02
"""Seconds until a card that gave no id is asked again."""


class PcscReader(PadReader):
    """Reader of the cards on all PC/SC readers. `plan`: the pad of each reader, by its name. Raises
    `ReaderProblem` without pyscard."""

    def __init__(self, design_of: DesignOf, plan: Mapping[str, Pad]) -> None:
        super().__init__("pcsc", design_of, plan)
        self._service = PcscService()
        self._states: dict[str, int] = {}

    def interrupt_wait(self) -> None:
        """Interrupt the wait for a card."""
        self._service.cancel()

    def serve_connection(self) -> None:
        """Watch the readers through the service."""
        try:
            self._service.open()
            while not self.is_ending:
                self._poll_readers()
        finally:
            self._service.close()

    def handle_disconnect(self, why: Text) -> None:
        """Report that the service is not available, and with it none of the readers."""
        self._report_lost(self._states, why)
        self.report_changed_health("lost", why)

    def _poll_readers(self) -> None:
        """Update the list of readers, then wait for changes on them."""
        devices = self._service.list_devices()
        gone = [device for device in self._states if device not in devices]
        for device in gone:
            self._report_lost([device], Text("reader.pad.unplugged", {"device": device}))
        for device in [device for device in devices if device not in self._states]:
            self._states[device] = 0
            self.pads.report_ready(device, time.monotonic())
        if not devices:
            driver = find_blocking_driver()
            self.report_changed_health(
                "lost",
                Text("reader.pcsc.blocked", {"driver": driver}) if driver else Text("reader.pcsc.none"),
            )
            self.wait(POLL_INTERVAL)
            return
        self.report_changed_health("ok", Text("reader.pcsc.ok", {"count": len(devices)}))
        for device, state in self._service.wait_for_changes(self._states, POLL_INTERVAL).items():
            self._inspect_reader(device, state)

    def _report_lost(self, devices: Mapping[str, int] | list[str], text: Text) -> None:
        for device in list(devices):
            del self._states[device]
            self.pads.report_health(device, "lost", text, time.monotonic())

    def _inspect_reader(self, device: str, state: int) -> None:
        """Report the card on a reader, or that there is none."""
        first = self._states[device] == 0
        if not first and (is_card_present(state), count_card_changes(state)) == (
            is_card_present(self._states[device]),
            count_card_changes(self._states[device]),
        ):
            # Only another program has connected or disconnected.
            self._states[device] = state
            return
        try:
            tags = [self._read_tag(device)] if is_card_present(state) else []
        except ReaderProblem as busy:
            self.pads.report_health(device, "lost", busy.text, time.monotonic())
            # It will be treated as if it had just been plugged in.
            self._states.pop(device)
            self.wait(POLL_INTERVAL)
            return
        self._states[device] = state
        if tags or not first:
            # A reader that was just plugged in says "empty" for up to half a second, although a
            # card lies there. Its first "empty" is not reported: the table waits a while, and then
            # drops cards that were not reported again.
            self.pads.report_tags(device, tags, time.monotonic())

    def _read_tag(self, device: str) -> TagId | None:
        for _ in range(READ_TRIES):
            tag = self._service.read_card_id(device)
            if tag is not None or self.wait(READ_RETRY_DELAY):
                return tag
        return None
