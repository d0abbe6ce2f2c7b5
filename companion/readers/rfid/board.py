"""One board of an evening: its pads and buttons numbered among those of all boards, its lights and
buzzer told what became of each card.

What lies on a pad for cards face down is marked so here, at once: nothing behind this module
prints, records or shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import msgspec

from companion.readers.rfid import ports
from companion.readers.rfid.frames import Light, Tune
from companion.readers.rfid.link import LinkHealth
from companion.readers.rfid.reader import RfidTableReader
from companion.readers.rfid.simulator import SimulatedBoard, VirtualBoard
from companion.table.decks import Deck
from companion.table.identification import Pad
from companion.table.pads import button_seat, key
from companion.table.sightings import Face, Health, Post, Press, Report, Sighting, nobody

DesignOf = Callable[[str], "str | None"]
"""The name of the design whose card carries a tag (hexadecimal), None if unknown."""


class BoardReader:
    """Reports what lies on the pads of board `number` (1, 2, ...) by the plan `pads`."""

    def __init__(
        self, number: int, port: str | ports.Locate, design_of: DesignOf, pads: Mapping[str, Pad]
    ) -> None:
        self.name = "rfid" if number == 1 else f"rfid {number}"
        self.number = number
        self._pads = pads
        self._reader = RfidTableReader(port, design_of, self.name, self._place)
        self._lying: dict[int, Sighting] = {}
        self._post: Post = nobody

    def start(self, post: Post) -> None:
        """Begin to report to `post`."""
        self._post = post
        self._reader.start(self.hear)

    def close(self) -> None:
        """Put the lights out, and return when the port is closed."""
        self._reader.close()

    @property
    def health(self) -> LinkHealth:
        """How board, pads and line are."""
        return self._reader.link_health

    def hear(self, report: Report) -> None:
        """Pass a report of the board on, in the table's terms."""
        match report:
            case Sighting():
                self._see(report)
            case Press():
                seat = button_seat(self._pads, self.number, report.seat)
                self._post(msgspec.structs.replace(report, seat=seat))
            case Health(state=state, at=at):
                self._post(report)
                if state in ("ok", "look"):  # the table waits for what still lies there to be named again
                    for sighting in tuple(self._lying.values()):
                        self._post(msgspec.structs.replace(sighting, at=at))

    def answered(self, tracks: Collection[int], accepted: bool) -> None:
        """Show at the pads of these tracks whether their cards were taken; a refusal is heard."""
        lying = [sighting for track in tracks if (sighting := self._lying.get(track)) is not None]
        for sighting in lying:
            pad = sighting.where.partition(".")[2]
            self._reader.light(pad, Light.ACCEPTED if accepted else Light.UNKNOWN)
        if lying and not accepted:
            self._reader.buzz(Tune.UNKNOWN)

    def hurry(self, up: bool) -> None:
        """Let it be heard that time is short, or up."""
        self._reader.buzz(Tune.TIME_UP if up else Tune.HURRY)

    def _see(self, sighting: Sighting) -> None:
        if sighting.present:
            self._lying[sighting.track] = sighting
        else:
            self._lying.pop(sighting.track, None)
        self._post(sighting)

    def _place(self, pad: str) -> tuple[str, Face]:
        """Return what the table calls this board's pad, and which face of a card there is up."""
        where = key(self.number, pad)
        plan = self._pads.get(where)
        return where, "up" if plan is None else plan.face


class SimulatedBoardReader(BoardReader):
    """A reader whose board is simulated: the real firmware in simavr, behind a pseudo-terminal.
    `simulation` has been started.

    `board`: what people and players do at it.
    """

    def __init__(self, number: int, simulation: SimulatedBoard, deck: Deck, pads: Mapping[str, Pad]) -> None:
        super().__init__(number, simulation.port, deck.design_of_tag, pads)
        own = {
            pad.partition(".")[2]
            for pad, meant in pads.items()
            if meant.face_down and pad == key(number, pad[2:])
        }
        self.board = VirtualBoard(simulation, deck, sorted(own))
        self._simulation = simulation

    def close(self) -> None:
        """Close the port, then end the simulation."""
        super().close()
        self._simulation.close()
