"""Readers that are one pad each, looked over: which are there, what those lack that are not, and
whether each reads a card. A phone that reads stickers is one of them: somebody opens its page and
holds a card to it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from companion.equipment import diagnosis
from companion.equipment.diagnosis import Known
from companion.equipment.findings import Finding, finding
from companion.equipment.steps import CheckStep
from companion.readers.nfc.pads import OwnPads
from companion.readers.nfc.phone import PhonePads
from companion.readers.rfid.events import ReaderProblem, TagId
from companion.rules.contract import Text
from companion.table.identification import Pad
from companion.table.pads import PadsError, load
from companion.table.sightings import Health, Report

WATCHED = 2.5
"""Seconds for which they are watched: they look for devices once a second."""
TAP = 20.0
"""Seconds for somebody to take a card and hold it to the next reader."""


class OwnPadsBench:
    """Readers of one `kind` under test. `make`: makes them, by the file of their `places`."""

    def __init__(
        self, make: Callable[[Mapping[str, Pad]], OwnPads], kind: str, places: Path, known: Known
    ) -> None:
        self.known = known
        self.read: dict[str, TagId] = {}
        """What each device has read."""
        self.devices: dict[str, Text] = {}
        """How each device is that can be used, by its name."""
        self.kind, self._make, self._places = kind, make, places
        self._reader: OwnPads | None = None
        self._told: dict[str, Health] = {}

    def look(self) -> list[Finding]:
        """Let the readers run for a moment and find what they say of themselves and of each
        device."""
        self.close()
        self._told.clear()
        part = Text("check.part.board", {"where": self.kind})
        try:
            self._reader = self._make(load(self._places) if self._places.exists() else {})
        except (ReaderProblem, PadsError) as fault:
            return [Finding(part, "fault", fault.text)]
        self._reader.pads.on_tag = self.read.__setitem__
        self._reader.start(self._hear)
        time.sleep(WATCHED)
        told = list(self._told.values())
        return [Finding(part, "ok" if one.state == "ok" else "fault", one.text) for one in told]

    def then(self) -> Iterable[CheckStep]:
        """Go on with a card, held to each of the devices that are there."""
        devices = [
            str(one.text.args["device"])
            for one in list(self._told.values())
            if one.state == "ok" and "device" in one.text.args
        ]
        if devices:
            yield CardStep(self, devices)

    def close(self) -> None:
        """Let the devices go."""
        reader, self._reader = self._reader, None
        if reader is not None:
            reader.close()

    def _hear(self, report: Report) -> None:
        if isinstance(report, Health):
            self._told[report.reader] = report


class CardStep(CheckStep):
    """Waits until a card was held to each of the devices, in any order: nobody sees from outside
    which of two that are alike is which."""

    def __init__(self, bench: OwnPadsBench, devices: Sequence[str]) -> None:
        super().__init__("cards", "board", ", ".join(devices))
        self._bench = bench
        self._devices = tuple(devices)
        self._left = self._devices

    def begin(self, now: float) -> None:
        """Forget what was read before."""
        super().begin(now)
        self._bench.read.clear()
        self._ask(self._devices)

    def poll(self, now: float) -> Sequence[Finding] | None:
        """Return what each has read."""
        left = tuple(device for device in self._devices if device not in self._bench.read)
        if left != self._left:
            self.began = now
            self._ask(left)
        return self._judged() if not left or now - self.began >= TAP else None

    def skip(self) -> Sequence[Finding]:
        """Go on: what was read so far is judged."""
        return self._judged() if self._bench.read else super().skip()

    def _ask(self, left: tuple[str, ...]) -> None:
        self._left = left
        self.prompt = Text("check.do.cards", {"where": ", ".join(left)})

    def _judged(self) -> list[Finding]:
        read, known = self._bench.read, self._bench.known
        return [diagnosis.tag_of("board", device, read.get(device), known) for device in self._devices]


PHONE_TIMEOUT = 120.0
"""Seconds in which a person finds the phone, scans the code, and holds a card to the page."""


class PhoneStep(CheckStep):
    """Waits until a phone has read a sticker; judges what it read by what is `known` of tags."""

    def __init__(self, phones: PhonePads, known: Known) -> None:
        super().__init__("phone", "phone")
        self._known = known
        self._phones = phones
        self._joined = False
        self._tag: TagId | None = None
        phones.pads.on_tag = self._read

    def begin(self, now: float) -> None:
        """Listen to the phones."""
        super().begin(now)
        self._tag = None
        self._phones.start(self._hear)

    def poll(self, now: float) -> Sequence[Finding] | None:
        """Return what came of it; none within `PHONE_TIMEOUT` is a fault that says how far it
        got."""
        if self._tag is not None:
            return [diagnosis.tag_of("phone", "", self._tag, self._known)]
        if now - self.began < PHONE_TIMEOUT:
            return None
        return [finding("phone", "fault", "phone.nothing" if self._joined else "phone.none")]

    def _hear(self, report: Report) -> None:
        self._joined = self._joined or (isinstance(report, Health) and report.state == "ok")

    def _read(self, _device: str, tag: TagId) -> None:
        self._tag = tag
