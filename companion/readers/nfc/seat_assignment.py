"""Which reader stands where: people tap a card on one after another, and the program notes the
places.

Taps and typed words in, sentences out; no device, no file, no clock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import tomlkit

from companion.rules.claims import ZoneId
from companion.rules.contract import Text
from companion.table.words import zone_words

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
    file = tomlkit.document()
    file.add(
        tomlkit.comment(
            "Which reader stands where, as `companion pads` found it. zone: seat:1, seat:2, ..., middle or pile."
        )
    )
    table = tomlkit.aot()
    for device, zone in rows.items():
        row = tomlkit.table()
        row.update({"device": device, "zone": zone})
        table.append(row)
    file.add("pad", table)
    return tomlkit.dumps(file)
