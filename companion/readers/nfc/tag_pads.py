"""Devices that are one pad each: the cards on them, cards held up to them, and their state.

The code that talks to the devices calls these methods from one thread; nothing here knows a device,
a clock or a rule. Devices have names of their own (`ACS ACR122U PICC Interface 00 00`), by which
the plan of pads (`companion.table.pad_plan`) says where each one stands. People make that plan by
tapping a card on one device after another (`SeatAssignment`).

Phones whose browsers read NFC stickers (Web NFC, W3C Community Group draft) are pads too, each at
its player's seat. A phone cannot know whether a card is to lie face down, so its player says so:
the same phone is one pad for cards laid face down, which are sealed as on any pad, one for cards
shown, and one for the cards in the middle. It never reports that a card has gone.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Literal, Protocol

from companion import libraries
from companion.readers.rfid.events import TagId
from companion.readers.thread import ReconnectingReader
from companion.rules.claims import ZoneId, format_seat_zone
from companion.rules.contract import Text
from companion.table.identification import Pad
from companion.table.sightings import Health, Post, Sighting, TableReader, discard_report
from companion.table.zones import describe_zone

DesignOf = Callable[[str], "str | None"]
"""Function from a tag's hexadecimal id to the name of its design; None if unknown."""
FAMILY = "rfid"
"""First word of the names of readers whose devices are pads."""
UNPLACED = Pad("middle")
"""Purpose of a device that the plan does not name: it stands where everybody can reach it."""


class TagPads:
    """The pads of one kind of device; posts a sighting for each card on them. `plan`: the pad of
    each device, by its name; it may name pads of other readers too.

    The table knows device n of a `kind` as the reader `rfid <kind> <n>`, so that one can be lost
    while the others go on. `on_tag`, if set, is called with the device's name and the tag of each
    card that arrives: for enrolment and for assigning pads to seats.
    """

    def __init__(self, kind: str, design_of: DesignOf, plan: Mapping[str, Pad]) -> None:
        self.on_tag: Callable[[str, TagId], None] | None = None
        self._kind, self._design_of, self._plan = kind, design_of, plan
        self._readers: dict[str, str] = {}
        self._post: Post = discard_report
        self._there: dict[str, dict[TagId | None, int]] = {}
        self._numbers = itertools.count(1)

    def attach(self, post: Post) -> None:
        """Report to `post` from now on."""
        self._post = post

    def find_pad(self, device: str) -> Pad:
        """Return the pad that a device is."""
        return self._plan.get(device, UNPLACED)

    def find_reader_name(self, device: str) -> str:
        """Return the name under which the table knows a device."""
        # A device that comes back keeps its number, by which the table still knows its cards.
        return self._readers.setdefault(device, f"{FAMILY} {self._kind} {len(self._readers) + 1}")

    def report_tags(self, device: str, tags: Collection[TagId | None], at: float) -> None:
        """Report all tags that are on a device now; None stands for a card whose id cannot be read.

        Unchanged cards are posted again as well: a device that comes back has to confirm the cards
        that are still there.
        """
        there = self._there.setdefault(device, {})
        # Departures before arrivals, as the table expects of every reader; the list, because
        # `there` changes.
        for tag in [tag for tag in there if tag not in tags]:
            self._post_sighting(device, there.pop(tag), None, at, present=False)
        for tag in tags:
            new = tag not in there
            track = there.setdefault(tag, next(self._numbers)) if new else there[tag]
            self._post_sighting(device, track, tag, at)
            # Only new tags: a repeated report is not another tap.
            if new and tag is not None and self.on_tag is not None:
                self.on_tag(device, tag)

    def report_tap(self, device: str, tag: TagId, at: float) -> None:
        """Report a card held up to a device that cannot tell when it goes: it arrives and leaves at
        once."""
        self.report_tags(device, (tag,), at)
        self.report_tags(device, (), at)

    def report_ready(self, device: str, at: float) -> None:
        """Report that a device is ready, and where its cards count."""
        self.report_health(device, "ok", self.describe_place(device), at)

    def describe_place(self, device: str) -> Text:
        """Return the message that says where the cards of a device count."""
        code = "reader.pad.placed" if device in self._plan else "reader.pad.unplaced"
        return Text(code, {"device": device, "place": describe_zone(self.find_pad(device).zone)})

    def report_health(
        self, device: str, state: Literal["ok", "starting", "lost", "off"], text: Text, at: float
    ) -> None:
        """Report the state of a device. Cards on a `lost` one stay known until it is back."""
        self._post(Health(self.find_reader_name(device), state, text, at))

    def _post_sighting(
        self, device: str, track: int, tag: TagId | None, at: float, *, present: bool = True
    ) -> None:
        pad = self.find_pad(device)
        # A card that leaves is known by its track; naming it again could reveal a face-down card.
        design = self._design_of(tag.hex()) if present and tag is not None else None
        self._post(
            Sighting(
                self.find_reader_name(device),
                track,
                design,
                pad.zone,
                at,
                pad.visible_face,
                present=present,
                sense="tag",
            )
        )


class PadReader(ReconnectingReader):
    """Reader of one `kind` of devices, each of which is a pad of its own."""

    def __init__(self, kind: str, design_of: DesignOf, plan: Mapping[str, Pad]) -> None:
        super().__init__(f"{FAMILY} {kind}")
        self.pads = TagPads(kind, design_of, plan)

    def attach(self, post: Post) -> None:
        """Set the receiver of reports, for the reader and its pads."""
        super().attach(post)
        self.pads.attach(post)


class PadDeviceReader(TableReader, Protocol):
    """A reader each of whose devices is a pad of its own."""

    @property
    def pads(self) -> TagPads:
        """Pads of the devices."""


MIDDLE = ZoneId("middle")


class SeatAssignment:
    """Dialogue that assigns devices to seats: it asks for the reader of each seat, then for the one
    in the middle. `players`: names, "" for a seat without a player.

    `rows` holds the places found, by device. A device that is tapped a second time gets the second
    place.
    """

    def __init__(self, players: Sequence[str]) -> None:
        self._places = [(ZoneId("seat", seat), name) for seat, name in enumerate(players, 1)] + [(MIDDLE, "")]
        self._next = 0
        self.rows: dict[str, str] = {}

    @property
    def is_done(self) -> bool:
        """Whether every place was asked for."""
        return self._next >= len(self._places)

    def describe_next_tap(self) -> Text:
        """Return the message that says where to tap a card now."""
        if self.is_done:
            return Text("pads.done", {"count": len(self.rows)})
        zone, name = self._places[self._next]
        if zone == MIDDLE:
            return Text("pads.tap_middle")
        return Text("pads.tap", {"player": name or describe_zone(str(zone))})

    def record_tap(self, device: str) -> Text:
        """Assign the device that was tapped to the place that was asked for."""
        zone, name = self._places[self._next]
        previous = self.rows.get(device)
        self.rows[device] = str(zone)
        self._next += 1
        args = {"device": device, "place": name or describe_zone(str(zone))}
        return Text("pads.moved" if previous else "pads.placed", args)

    def skip(self) -> None:
        """Go on to the next place, because there is no reader at this one."""
        self._next += 1

    def step_back(self) -> None:
        """Ask for the previous place once more."""
        self._next = max(self._next - 1, 0)
        zone = str(self._places[self._next][0])
        self.rows = {device: where for device, where in self.rows.items() if where != zone}


def format_pads_toml(rows: Mapping[str, str]) -> str:
    """Return the places as TOML, in the format that `companion.table.pad_plan` reads."""
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


HoldPlace = Literal["down", "up", "middle"]
"""Purpose for which a card is held to a phone: laid face down, shown, or turned up in the middle.
"""
SEATS = range(1, 13)
"""Seat numbers: as many as any game has."""


class PhonePads:
    """Reader of cards held to phones. The server passes them in, from its one thread."""

    def __init__(self, design_of: DesignOf) -> None:
        self.name = f"{FAMILY} phone"
        self.pads = TagPads("phone", design_of, _make_phone_plan())
        self._post: Post = discard_report
        self._there: set[int] = set()
        self.design_of = design_of

    def start(self, post: Post) -> None:
        """Report to `post` from now on."""
        self._post = post
        self.pads.attach(post)
        self._post(Health(self.name, "starting", Text("reader.phone.none"), time.monotonic()))

    def close(self) -> None:
        """Do nothing: the server owns the connections to the phones."""

    def add_phone(self, seat: int) -> None:
        """Note that the phone at `seat` (1..N; 0: at none) reads stickers now."""
        self._there.add(seat)
        self._post(
            Health(self.name, "ok", Text("reader.phone.ok", {"count": len(self._there)}), time.monotonic())
        )

    def report_tap(self, seat: int, tag: TagId, hold_place: HoldPlace) -> bool:
        """Report a card held to the phone at `seat`; return whether its tag belongs to this
        deck."""
        self.pads.report_tap(_make_device_name(seat, hold_place), tag, time.monotonic())
        return self.design_of(tag.hex()) is not None


def _make_phone_plan() -> Mapping[str, Pad]:
    places: tuple[tuple[HoldPlace, bool], ...] = (("down", True), ("up", False))
    plan = {
        _make_device_name(seat, where): Pad(format_seat_zone(seat), down)
        for seat in SEATS
        for where, down in places
    }
    return plan | {_make_device_name(seat, "middle"): Pad("middle") for seat in SEATS}


def _make_device_name(seat: int, hold_place: HoldPlace) -> str:
    return f"phone {seat} {hold_place}"
