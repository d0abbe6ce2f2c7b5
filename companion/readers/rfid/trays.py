"""Trays of their own as readers of the table: each has a Raspberry Pi Pico beneath it, one pad, two
buttons, a light and a buzzer, and is a board by itself on the USB.

A tray is known by the serial number of its Pico, in whatever order they are plugged in and under
whatever port: unplugged and plugged in again, this evening or another, it is the same pad at the
same place (`companion pads`). They are looked for once a second, and each is a `BoardReader` with a
thread of its own, so that one can be lost while the others go on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from companion.readers.nfc.pads import DesignOf, PadReader, TagPads
from companion.readers.rfid import ports
from companion.readers.rfid.board import BoardReader
from companion.readers.rfid.ports import tray_name
from companion.rules.claims import ZoneId
from companion.rules.contract import Text
from companion.table.identification import Pad
from companion.table.sightings import Face

LOOK_EVERY = 1.0
"""Seconds between two looks for trays that were plugged in."""


def plugged_in() -> list[str]:
    """Name the trays that are there now."""
    return [tray_name(port) for port in ports.ports() if port.likely == "tray"]


def port_of(tray: str) -> str | None:
    """Return the port at which a tray is now, None while it is not there."""
    found = (port.device for port in ports.ports() if port.likely == "tray" and tray_name(port) == tray)
    return next(found, None)


class Trays(PadReader):
    """Reports what lies on every tray that is plugged in, and which buttons are pressed there.
    `plan`: which tray, by its name, is which pad."""

    def __init__(self, design_of: DesignOf, plan: Mapping[str, Pad]) -> None:
        super().__init__("tray", design_of, plan)
        self._design_of = design_of
        self._boards: dict[str, Tray] = {}

    @property
    def boards(self) -> Sequence[BoardReader]:
        """The trays that were seen so far."""
        return tuple(self._boards.values())

    def talk(self) -> None:
        """Look after the trays."""
        while not self.ending:
            there = plugged_in()
            for name in there:
                if name not in self._boards:
                    tray = self._boards[name] = Tray(name, self._design_of, self.pads)
                    tray.start(self._post)
            if there:
                self.tell_news("ok", Text("reader.tray.ok", {"count": len(there)}))
            else:
                self.tell_news("lost", Text("reader.tray.none"))
            self.wait(LOOK_EVERY)

    def broken(self, why: Text) -> None:
        """Say it; there is no line that all trays share."""
        self.tell_news("lost", why)

    def close(self) -> None:
        """Let all trays go."""
        super().close()
        for tray in self.boards:
            tray.close()


class Tray(BoardReader):
    """One tray, named so (`tray_name`); `pads` says where it stands."""

    def __init__(self, name: str, design_of: DesignOf, pads: TagPads) -> None:
        super().__init__(lambda: port_of(name), design_of, only_pad=name)
        self.name = pads.reader(name)
        self._tray, self._places = name, pads
        self.on_tag = lambda _pad, tag: pads.on_tag(name, tag) if pads.on_tag is not None else None

    def broken(self, why: Text) -> None:
        """Say which tray is not there, rather than at which port."""
        gone = why.code in ("reader.rfid.unplugged", "reader.rfid.no_board")
        super().broken(Text("reader.pad.unplugged", {"device": self._tray}) if gone else why)

    def well(self) -> Text:
        """Say where the tray stands."""
        return self._places.greeting(self._tray)

    def place(self, pad: int) -> tuple[str, Face]:
        """Return the zone of the tray, whose cards count there as soon as it is known."""
        del pad  # there is one
        found = self._places.pad(self._tray)
        return found.zone, found.face

    def seat_of(self, seat: int) -> int | None:
        """Return the seat at which the tray stands: its buttons are that player's."""
        del seat  # a tray has one row of buttons
        return ZoneId.of(self._places.pad(self._tray).zone).seat
