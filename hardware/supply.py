"""What the readers take from their supplies, at its worst, beside what the parts give: reckoned
from the circuit and `parts.toml`.

    python -m hardware.supply     every row of every board; exit 1 if one is over its limit

The firmware drives each antenna as strongly as the chip can (CWGsP 0x3F), and its field is always
on, so nothing here is an average.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from hardware.circuit import Circuit, build_circuit, load_boards, load_part_kinds

VOLT, ACCURACY, LEAST = 3.3, 0.02, 3.0
"""The readers' supply, what part of it a regulator may be off, and below what an MFRC522 reads less
far (its data sheet, table 1)."""
ANTENNA, TRANSMITTER = 40.0, 0.1
"""Ohms that the data sheet's module shows to TX1 and TX2, and amperes that `parts.toml` counts for
the transmitter."""
COPPER = 0.08
"""Volts lost in the copper, at most: `pcb/verdict.py` holds the boards to it."""
MARGIN = 1.0
"""Volts that a mains adapter must leave, behind its cable, above what the regulator starts with:
cables, plugs and adapters are whatever people have."""
SPREAD = 1.2
"""An electrolytic capacitor may have a fifth more than is printed on it."""
USB, USB_LEAST, USB_MOST = 0.5, 4.75, 5.25
"""Amperes and volts of a computer's port (USB 2.0, 7.2.1 and 7.3.2: a high-power port)."""
USB_USUAL = 5.0
"""At 5.25 V a light's data is, behind its diode, 0.02 V short of what its data sheet asks for."""
TRAYS = 4
"""Trays at a table, as the parts list counts them: three players and the middle."""
ROOM, JUNCTION = 40.0, 125.0
"""Degrees in a closed box on a summer evening, and what a chip may have inside."""


@dataclass(frozen=True)
class Row:
    """One thing reckoned. `most`: whether `limit` is the most that is allowed, or the least."""

    name: str
    value: float
    limit: float
    unit: str
    most: bool = True

    @property
    def kept(self) -> bool:
        """Whether the value keeps to its limit."""
        return self.value <= self.limit if self.most else self.value >= self.limit

    def line(self) -> str:
        """Return it for people."""
        sign, bound = "ok  " if self.kept else "OVER", "at most" if self.most else "at least"
        return f"{sign} {self.name}: {self.value:.3g} {self.unit}, {bound} {self.limit:g}"


def full_drive() -> float:
    """Return the amperes of a transmitter whose outputs have no resistance of their own.

    Two outputs in opposite phase put a square wave of twice the supply, peak to peak, across the
    antenna; its filter lets the first harmonic through, 4/pi of the supply at its peak.
    """
    peak = 4 / math.pi * VOLT
    return peak**2 / (2 * ANTENNA) / VOLT


def budget(made: Circuit, parts: dict[str, dict[str, Any]] | None = None) -> Iterator[Row]:
    """Reckon all rows of one reader; `parts` in the place of `parts.toml`, to try another."""
    parts = parts or load_part_kinds()
    if made.is_tray_only:
        yield from _tray(made, parts)
        return
    limits = {ref: parts[part.kind].get("limits", {}) for ref, part in made.parts.items()}
    regulator, pads = limits["PS1"], len(made.board["pads"])
    readers = sum(limits[ref]["draws"] for ref, part in made.parts.items() if part.kind == "rc522")
    readers += pads * VOLT / 10_000  # the MISO lines' own resistors, should all be low
    lights = sum(limits[ref]["draws"] for ref, part in made.parts.items() if part.kind == "pixel")
    held = SPREAD * sum(limits[ref].get("load", 0.0) for ref, pin in made.nets["3V3"] if pin == 1)
    yield Row("a transmitter at full drive", full_drive(), TRANSMITTER, "A")
    yield Row("readers, from the 3.3 V regulator", readers, regulator["gives"], "A")
    yield Row("capacitors at the 3.3 V regulator", held, regulator["load"], "uF")
    own = "J0" in limits
    board = limits["BOARD"]
    needs = regulator.get("least_in", VOLT + regulator.get("drop", 0.0))
    if own:
        # What a step-down regulator takes grows as its supply sinks: reckoned at the least that it
        # starts with.
        taken = VOLT * readers / (regulator["efficiency"] * needs)
        fed = limits["J0"]["least"] - limits["J0"]["cable"] * taken
        needs += MARGIN
    else:
        taken, fed = readers, USB_LEAST - board["usb_drop"]
    yield Row("volts into the regulator", fed, needs, "V", most=False)
    if own:
        yield Row("from the mains adapter", taken, limits["J0"]["gives"], "A")
    yield Row("from USB", board["draws"] + lights + (0.0 if own else taken), USB, "A")
    if "warms" in regulator:
        hot = ROOM + (USB_MOST - VOLT) * readers * regulator["warms"]
        yield Row("inside the regulator", hot, JUNCTION, "degrees C")
    ribbon = limits["JT1"]["ohm"] * (1 + 1 / 5)  # one wire there, five back
    far = VOLT * (1 - ACCURACY) - COPPER - ribbon * parts["rc522"]["limits"]["draws"]
    yield Row("at the farthest reader", far, LEAST, "V", most=False)


def _tray(made: Circuit, parts: dict[str, dict[str, Any]]) -> Iterator[Row]:
    """A tray of its own: a Pico feeds one reader, and a hub `TRAYS` of them."""
    limits = {ref: parts[part.kind].get("limits", {}) for ref, part in made.parts.items()}
    board, reader, light, diode = (limits[ref] for ref in ("BOARD", "M1", "L1", "D1"))
    yield Row("a transmitter at full drive", full_drive(), TRANSMITTER, "A")
    yield Row("reader, from the Pico's 3.3 V", reader["draws"], board["gives"], "A")
    # As if its regulator were a linear one, which that of the RP2040-Zero is.
    taken = board["draws"] + reader["draws"] + light["draws"]
    yield Row("from USB, as the tray tells the computer", taken, board["tells"], "A")
    hub = parts["hub"]["limits"]
    yield Row(f"{TRAYS} trays, from the hub's adapter", TRAYS * board["tells"], hub["gives"], "A")
    yield Row("volts at the light", USB_LEAST - diode["most"], light["least"], "V", most=False)
    high, wanted = VOLT * (1 - ACCURACY), light["high"] * (USB_USUAL - diode["least"])
    yield Row("the light's data, at 5 V of USB", high, wanted, "V", most=False)
    lead = parts["lead-tray"]["limits"]
    far = VOLT * (1 - ACCURACY) - 2 * lead["ohm"] * reader["draws"]
    yield Row("at the reader", far, LEAST, "V", most=False)


def tell(reckoned: Callable[[Circuit], Iterable[Row]]) -> int:
    """Print the rows that are reckoned of all boards; return 1 if one is over."""
    rows = [(name, row) for name in load_boards() for row in reckoned(build_circuit(name))]
    for name, row in rows:
        print(f"{name}: {row.line()}")
    return 0 if all(row.kept for _, row in rows) else 1


def main() -> int:
    """Print all rows of all boards."""
    return tell(budget)


if __name__ == "__main__":
    sys.exit(main())
