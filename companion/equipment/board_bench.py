"""A reader board on the test bench: what it says of itself, which cards and buttons came, its
lights and buzzer tried."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Final

from companion.equipment.diagnosis import Known, Tapped
from companion.readers.rfid.events import TagId
from companion.readers.rfid.health import PadHealth
from companion.readers.rfid.link import LinkHealth
from companion.readers.rfid.ports import Locate
from companion.readers.rfid.protocol import Light, Tune
from companion.readers.rfid.reader import RfidTableReader
from companion.readers.rfid.simulator import SimulatedBoard
from companion.table.sightings import Press, Report

GAINS: Final = {5: 38, 4: 33, 1: 23, 0: 18}
"""The receiver's gains in decibels by number (PROTOCOL.md, command 3), the usual one first."""


class Bench:
    """One board under test. `known`: whose tag it is; `board`: the simulated one, which is ended
    with it."""

    def __init__(
        self,
        name: str,
        port: str | Locate,
        known: Known,
        board: SimulatedBoard | None = None,
    ) -> None:
        self.name = name
        self.known_tags = known
        self.taps: list[Tapped] = []
        """Each card that came to a pad, in order."""
        self.asked: dict[str, int] = {}
        """The last turn of each pad that was asked for."""
        self.pressed: set[tuple[int, str]] = set()
        self._turn = 0
        self._board = board
        self._reader = RfidTableReader(port, known.design_of, name)
        self._reader.on_tag = lambda pad, tag: self.taps.append(Tapped(self._turn, pad, tag))

    def start(self) -> None:
        """Open the port."""
        self._reader.start(self._hear)

    def close(self) -> None:
        """Put the lights out and let the port go."""
        self._reader.light(None, Light.OFF)
        self._reader.close()
        if self._board is not None:
            with contextlib.suppress(ValueError):
                self._board.close()

    @property
    def health(self) -> LinkHealth:
        """How board, pads and line are."""
        return self._reader.link_health

    @property
    def known(self) -> bool:
        """Whether the board has answered and told how its pads are."""
        health = self.health
        return health.state == "ok" and health.identity is not None and bool(health.pads) and bool(self.pads)

    @property
    def settled(self) -> bool:
        """Whether no pad is still being set up, as all are when the board has just started."""
        return self.known and not any(state.health is PadHealth.RESTARTING for state in self.health.pads)

    @property
    def pads(self) -> Sequence[str]:
        """Names of the pads."""
        return self._reader.pads

    @property
    def working(self) -> Sequence[str]:
        """Names of the pads at which a card may be held."""
        return [name for name, state in zip(self.pads, self.health.pads, strict=False) if state.health.reads]

    def test(self) -> None:
        """Let every chip that reads test itself."""
        self._reader.self_tests.clear()
        self._reader.test(self.working)

    @property
    def tested(self) -> Mapping[str, int]:
        """What became of the self-tests so far, by pad: 0 right, 1 wrong, 2 not known for this kind
        of chip."""
        return self._reader.self_tests

    @property
    def buttons(self) -> set[tuple[int, str]]:
        """Every button that the board has pins for, by seat."""
        identity = self.health.identity
        seats = identity.seats if identity is not None else 0
        return {(seat, which) for seat in range(1, seats + 1) for which in ("accept", "refuse")}

    def point_at(self, pad: str) -> None:
        """Let this pad's light ask for a card, at the usual gain, and begin its turn."""
        self._turn += 1
        self.asked[pad] = self._turn
        self.gain(pad, next(iter(GAINS)))
        self._reader.light(None, Light.OFF)
        self._reader.light(pad, Light.LOOK)

    def lies(self, pad: str, tag: TagId) -> bool:
        """Tell whether the tag is read at this pad now."""
        states = dict(zip(self.pads, self.health.pads, strict=False))
        return pad in states and tag in states[pad].tags

    def gain(self, pad: str, gain: int) -> None:
        """Set the pad's gain, a number of `GAINS`."""
        self._reader.gain(pad, gain)

    def shine(self) -> None:
        """Let all lights shine white."""
        self._reader.light(None, Light.WHITE)

    def buzz(self) -> None:
        """Let the buzzer play its test."""
        self._reader.light(None, Light.OFF)
        self._reader.buzz(Tune.TEST)

    def _hear(self, report: Report) -> None:
        if isinstance(report, Press):
            self.pressed.add((report.seat, report.button))
