"""Keyboard-style USB readers at the table: each device is a pad, a card shown to it a tap."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from companion.readers.nfc.pads import FAMILY, DesignOf, TagPads
from companion.readers.rfid.keyboard import How, KeyboardCard, KeyboardReader, check_system
from companion.rules.contract import Text
from companion.table.identification import Pad
from companion.table.sightings import Health, Post

_TROUBLES = {
    "gone": "reader.pad.unplugged",
    "busy": "reader.typed.busy",
    "forbidden": "reader.typed.forbidden",
}


class TypedReader:
    """Reports the cards shown to whatever keyboard-style readers are plugged in. Such a reader
    never tells that a card has gone.

    `plan`: which device, by its name, is which pad. `keyboards`: what `KeyboardReader` takes beside
    its listeners. Raises `ReaderProblem` where such readers cannot be had at all.
    """

    def __init__(self, design_of: DesignOf, plan: Mapping[str, Pad], **keyboards: Any) -> None:
        if not keyboards:
            check_system()
        self.name = f"{FAMILY} typed"
        self.pads = TagPads("typed", design_of, plan)
        self._post: Post = _nobody
        self._count: int | None = None
        self._keys = KeyboardReader(self.show, self._changed, self._looked, **keyboards)

    def start(self, post: Post) -> None:
        """Begin to report to `post`."""
        self._post = post
        self.pads.attach(post)
        self._keys.start()

    def close(self) -> None:
        """Stop, and let the devices go."""
        self._keys.close()

    def show(self, card: KeyboardCard) -> None:
        """Report a card that was shown."""
        self.pads.shown(card.device, card.tag, card.received)

    def _changed(self, device: str, how: How) -> None:
        at = time.monotonic()
        if how == "held":
            self.pads.greet(device, at)
        else:
            self.pads.health(device, "lost", Text(_TROUBLES[how], {"device": device}), at)

    def _looked(self, held: int) -> None:
        """Say how many are held, when that has changed; nothing is well before one is."""
        if held != self._count:
            self._count = held
            text = Text("reader.typed.ok", {"count": held}) if held else Text("reader.typed.none")
            self._post(Health(self.name, "ok" if held else "lost", text, time.monotonic()))


def _nobody(_report: object) -> None:
    """Take a report before the reader has been started: there is nobody to tell."""
