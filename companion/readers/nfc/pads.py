"""Devices that are one pad each, as readers of the table: what lies on them, what was held up to
them, how they are.

Whoever talks to the devices calls these methods from one thread; nothing here knows a device, a
clock or a rule. Devices have names of their own (`ACS ACR122U PICC Interface 00 00`); the plan of
pads (`companion.table.pads`) says by these names where each stands; people find it out by tapping a
card on one after another (`SeatAssignment`).

Phones whose browsers read stickers (Web NFC, W3C Community Group draft) are pads too, each at its
player's seat. A phone cannot know whether a card is to lie face down; its player says so: the same
phone is one pad for what is laid face down, which is sealed like on any pad, one for what is shown,
and one for the cards in the middle. It never tells that a card has gone.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Literal, Protocol

from companion import libraries
from companion.readers.rfid.events import TagId
from companion.readers.thread import LineReader
from companion.rules.claims import ZoneId, seat_zone
from companion.rules.contract import Text
from companion.table.identification import Pad
from companion.table.sightings import Health, Post, Sighting, TableReader, nobody
from companion.table.zones import zone_words

DesignOf = Callable[[str], "str | None"]
"""The name of the design whose card carries a tag (hexadecimal), None if unknown."""
FAMILY = "rfid"
"""First word of the names of readers to whose pads cards are shown."""
UNPLACED = Pad("middle")
"""What a device is for that the plan does not name: it stands where everybody reaches it."""


class TagPads:
    """Posts what lies on each device. `plan`: which device is which pad, by name; it may name pads
    of other readers too.

    The table knows device n of a `kind` as the reader `rfid <kind> <n>`, so that one can be lost
    while the others go on. `on_tag`, if set, is called with the device's name and the tag of each
    card that comes: for enrolment and for giving pads their places.
    """

    def __init__(self, kind: str, design_of: DesignOf, plan: Mapping[str, Pad]) -> None:
        self.on_tag: Callable[[str, TagId], None] | None = None
        self._kind, self._design_of, self._plan = kind, design_of, plan
        self._readers: dict[str, str] = {}
        self._post: Post = nobody
        self._there: dict[str, dict[TagId | None, int]] = {}
        self._numbers = itertools.count(1)

    def attach(self, post: Post) -> None:
        """Report to `post` from now on."""
        self._post = post

    def pad(self, device: str) -> Pad:
        """Return what a device is for."""
        return self._plan.get(device, UNPLACED)

    def reader(self, device: str) -> str:
        """Return the name under which the table knows a device."""
        return self._readers.setdefault(device, f"{FAMILY} {self._kind} {len(self._readers) + 1}")

    def lying(self, device: str, tags: Collection[TagId | None], at: float) -> None:
        """Take what lies on a device now, all of it; None is a card whose id cannot be read. What
        has not changed is told once more.

        (So a device that was away and comes back names what still lies there.)
        """
        there = self._there.setdefault(device, {})
        for tag in [tag for tag in there if tag not in tags]:
            self._tell(device, there.pop(tag), None, at, present=False)
        for tag in tags:
            new = tag not in there
            track = there.setdefault(tag, next(self._numbers)) if new else there[tag]
            self._tell(device, track, tag, at)
            if new and tag is not None and self.on_tag is not None:
                self.on_tag(device, tag)

    def shown(self, device: str, tag: TagId, at: float) -> None:
        """Take a card that was held up to a device which cannot say when it goes."""
        self.lying(device, (tag,), at)
        self.lying(device, (), at)

    def greet(self, device: str, at: float) -> None:
        """Tell that a device is there and can be used, and where its cards count."""
        self.health(device, "ok", self.greeting(device), at)

    def greeting(self, device: str) -> Text:
        """Say where the cards of a device count."""
        code = "reader.pad.placed" if device in self._plan else "reader.pad.unplaced"
        return Text(code, {"device": device, "place": zone_words(self.pad(device).zone)})

    def health(
        self, device: str, state: Literal["ok", "starting", "lost", "off"], text: Text, at: float
    ) -> None:
        """Tell how a device is. What lies on one that is `lost` stays known until it is back."""
        self._post(Health(self.reader(device), state, text, at))

    def _tell(self, device: str, track: int, tag: TagId | None, at: float, *, present: bool = True) -> None:
        pad = self.pad(device)
        design = self._design_of(tag.hex()) if present and tag is not None else None
        self._post(
            Sighting(self.reader(device), track, design, pad.zone, at, pad.face, present=present, sense="tag")
        )


class PadReader(LineReader):
    """A reader of one `kind` each of whose devices is a pad of its own, over a line."""

    def __init__(self, kind: str, design_of: DesignOf, plan: Mapping[str, Pad]) -> None:
        super().__init__(f"{FAMILY} {kind}")
        self.pads = TagPads(kind, design_of, plan)

    def attach(self, post: Post) -> None:
        """Report to `post`."""
        super().attach(post)
        self.pads.attach(post)


class OwnPads(TableReader, Protocol):
    """A reader each of whose devices is a pad of its own."""

    @property
    def pads(self) -> TagPads:
        """What lies on the devices."""


MIDDLE = ZoneId("middle")


class SeatAssignment:
    """Asks for the reader of each seat, then for the one in the middle. `players`: names, "" for a
    seat without one.

    `rows` are the places found, by device. The same device may be given a second place: then it has
    that one.
    """

    def __init__(self, players: Sequence[str]) -> None:
        self._places = [(ZoneId("seat", seat), name) for seat, name in enumerate(players, 1)] + [(MIDDLE, "")]
        self._next = 0
        self.rows: dict[str, str] = {}

    @property
    def done(self) -> bool:
        """Whether nothing is left to be asked."""
        return self._next >= len(self._places)

    def prompt(self) -> Text:
        """Say where a card is to be tapped now."""
        if self.done:
            return Text("pads.done", {"count": len(self.rows)})
        zone, name = self._places[self._next]
        if zone == MIDDLE:
            return Text("pads.tap_middle")
        return Text("pads.tap", {"player": name or zone_words(str(zone))})

    def tapped(self, device: str) -> Text:
        """Take a tap on a device: it stands where was asked for."""
        zone, name = self._places[self._next]
        taken = self.rows.get(device)
        self.rows[device] = str(zone)
        self._next += 1
        told = {"device": device, "place": name or zone_words(str(zone))}
        return Text("pads.moved" if taken else "pads.placed", told)

    def skip(self) -> None:
        """There is no reader at this place."""
        self._next += 1

    def back(self) -> None:
        """Ask for the last place once more."""
        self._next = max(self._next - 1, 0)
        zone = str(self._places[self._next][0])
        self.rows = {device: where for device, where in self.rows.items() if where != zone}


def as_toml(rows: Mapping[str, str]) -> str:
    """Write the places as `companion.table.pads` reads them."""
    file = libraries.tomlkit.document()
    file.add(
        libraries.tomlkit.comment(
            "Which reader stands where, as `companion pads` found it. zone: seat:1, seat:2, ..., middle or pile."
        )
    )
    table = libraries.tomlkit.aot()
    for device, zone in rows.items():
        row = libraries.tomlkit.table()
        row.update({"device": device, "zone": zone})
        table.append(row)
    file.add("pad", table)
    return libraries.tomlkit.dumps(file)


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
