"""Keyboard-style USB readers as a reader of the table: a card shown to one is a tap in the middle."""

from __future__ import annotations

import itertools
import time

from companion.readers.rfid.board import DesignOf
from companion.readers.rfid.keyboard import KeyboardCard, KeyboardReader
from companion.rules.contract import Text
from companion.table.sightings import Health, Post, Sighting


class TypedReader:
    """Reports the cards shown to whatever keyboard-style readers are plugged in. Such a reader never tells that a card has gone."""

    def __init__(self, design_of: DesignOf, name: str = "typed") -> None:
        self.name = name
        self._design_of = design_of
        self._tracks = itertools.count(1)
        self._post: Post = _nobody
        self._keys = KeyboardReader(self.show)

    def start(self, post: Post) -> None:
        """Begin to report to `post`."""
        self._post = post
        post(Health(self.name, "ok", Text("reader.typed.ok"), time.monotonic()))
        self._keys.start()

    def close(self) -> None:
        """Stop, and let the devices go."""
        self._keys.close()

    def show(self, card: KeyboardCard) -> None:
        """Report a card that was shown."""
        track, at = next(self._tracks), card.received
        self._post(Sighting(self.name, track, self._design_of(card.tag.hex()), "middle", at))
        self._post(Sighting(self.name, track, None, "middle", at, present=False))


def _nobody(_report: object) -> None:
    """Take a report before the reader has been started: there is nobody to tell."""
