"""The check of a phone that is to read stickers: somebody opens its page and holds a card to it."""

from __future__ import annotations

from collections.abc import Sequence

from companion.equipment import diagnosis
from companion.equipment.diagnosis import Known
from companion.equipment.findings import Finding, finding
from companion.equipment.steps import PlainStep
from companion.readers.nfc.phone import PhonePads
from companion.readers.rfid.events import TagId
from companion.table.sightings import Health, Report

PATIENCE = 120.0
"""Seconds in which a person finds the phone, scans the code, and holds a card to the page."""


class PhoneStep(PlainStep):
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
        """Return what came of it; none within `PATIENCE` is a fault that says how far it got."""
        if self._tag is not None:
            return [diagnosis.tag_of("phone", "", self._tag, self._known)]
        if now - self.began < PATIENCE:
            return None
        return [finding("phone", "fault", "phone.nothing" if self._joined else "phone.none")]

    def _hear(self, report: Report) -> None:
        self._joined = self._joined or (isinstance(report, Health) and report.state == "ok")

    def _read(self, _device: str, tag: TagId) -> None:
        self._tag = tag
