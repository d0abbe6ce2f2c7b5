"""Phones whose browsers read stickers (Web NFC, W3C Community Group draft) as readers of the table:
each is a pad at its player's seat.

A phone cannot know whether a card is to lie face down; its player says so: the same phone is one
pad for what is laid face down, which is sealed like on any pad, one for what is shown, and one for
the cards in the middle. It never tells that a card has gone.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Literal

from companion.readers.nfc.pads import FAMILY, DesignOf, TagPads
from companion.readers.rfid.events import TagId
from companion.rules.claims import seat_zone
from companion.rules.contract import Text
from companion.table.identification import Pad
from companion.table.sightings import Health, Post, nobody

Where = Literal["down", "up", "middle"]
"""For what a card is held to a phone: laid face down, shown, or turned up in the middle."""
SEATS = range(1, 13)
"""As many as any game has."""


class PhonePads:
    """Reports the cards that are held to phones. The server hands them in, from its one thread."""

    def __init__(self, design_of: DesignOf) -> None:
        self.name = f"{FAMILY} phone"
        self.pads = TagPads("phone", design_of, _plan())
        self._post: Post = nobody
        self._there: set[int] = set()
        self.design_of = design_of

    def start(self, post: Post) -> None:
        """Begin to report to `post`."""
        self._post = post
        self.pads.attach(post)
        self._post(Health(self.name, "starting", Text("reader.phone.none"), time.monotonic()))

    def close(self) -> None:
        """Do nothing: the phones are the server's."""

    def join(self, seat: int) -> None:
        """Take note that the phone at `seat` (1..N; 0: at none) reads stickers now."""
        self._there.add(seat)
        self._post(
            Health(self.name, "ok", Text("reader.phone.ok", {"count": len(self._there)}), time.monotonic())
        )

    def shown(self, seat: int, tag: TagId, where: Where) -> bool:
        """Report a card held to the phone at `seat`; tell whether its tag is this deck's."""
        self.pads.shown(_device(seat, where), tag, time.monotonic())
        return self.design_of(tag.hex()) is not None


def _plan() -> Mapping[str, Pad]:
    places: tuple[tuple[Where, bool], ...] = (("down", True), ("up", False))
    plan = {_device(seat, where): Pad(seat_zone(seat), down) for seat in SEATS for where, down in places}
    return plan | {_device(seat, "middle"): Pad("middle") for seat in SEATS}


def _device(seat: int, where: Where) -> str:
    return f"phone {seat} {where}"
