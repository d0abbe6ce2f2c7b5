"""What the readers take from their supplies, at its worst, beside what the parts give: computed
from the circuits and `parts.toml`.

    python -m hardware.supply     every row of both boards; exit 1 if one is over its limit

The firmware drives each antenna as strongly as the chip can (CWGsP 0x3F), and its field is always
on, so nothing here is an average.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hardware.circuit import Circuit, build_circuit, load_boards, load_part_kinds

VOLT, ACCURACY, LEAST = 3.3, 0.02, 3.0
"""The readers' supply, what part of it a regulator may be off, and below what an MFRC522 reads less
far (its data sheet, table 1)."""
ANTENNA, TRANSMITTER = 40.0, 0.1
"""Ohms that the data sheet's module shows to TX1 and TX2, and amperes that `parts.toml` counts for
the transmitter."""
USB, USB_LEAST, USB_MOST = 0.5, 4.75, 5.25
"""Amperes and volts of a computer's port (USB 2.0, 7.2.1 and 7.3.2: a high-power port)."""
USB_USUAL = 5.0
"""At 5.25 V a light's data is, behind its diode, 0.02 V short of what its data sheet asks for."""
TRAYS = 4
"""Trays at a table: three players and the middle."""
ROOM, JUNCTION = 40.0, 125.0
"""Degrees in a closed box on a summer evening, and what a chip may have inside."""


@dataclass(frozen=True)
class Row:
    """One computed value. `most`: whether `limit` is the most that is allowed, or the least."""

    name: str
    value: float
    limit: float
    unit: str
    most: bool = True

    @property
    def is_within_limit(self) -> bool:
        """Whether the value keeps to its limit."""
        return self.value <= self.limit if self.most else self.value >= self.limit

    def format_line(self) -> str:
        """Return it for people."""
        sign, bound = "ok  " if self.is_within_limit else "OVER", "at most" if self.most else "at least"
        return f"{sign} {self.name}: {self.value:.3g} {self.unit}, {bound} {self.limit:g}"


def compute_full_drive() -> float:
    """Return the amperes of a transmitter whose outputs have no resistance of their own.

    Two outputs in opposite phase put a square wave of twice the supply, peak to peak, across the
    antenna; its filter lets the first harmonic through, 4/pi of the supply at its peak.
    """
    peak = 4 / math.pi * VOLT
    return peak**2 / (2 * ANTENNA) / VOLT


def compute_budget(made: Circuit, parts: dict[str, dict[str, Any]] | None = None) -> Iterator[Row]:
    """Compute all rows of one reader; `parts` in the place of `parts.toml`, to try another."""
    parts = parts or load_part_kinds()
    limits = {ref: parts[kind].get("limits", {}) for ref, kind in made.parts.items()}
    yield Row("a transmitter at full drive", compute_full_drive(), TRANSMITTER, "A")
    if "PS1" in limits:
        yield from _compute_nano(limits)
    else:
        yield from _compute_tray(limits, parts["hub"]["limits"]["gives"])
    lead = parts["lead-tray"]["limits"]
    far = VOLT * (1 - ACCURACY) - 2 * lead["ohm"] * parts["rc522"]["limits"]["draws"]
    yield Row("at the reader", far, LEAST, "V", most=False)


def _compute_tray(limits: dict[str, dict[str, float]], hub_gives: float) -> Iterator[Row]:
    """A Pico feeds one reader, and a hub `TRAYS` of them."""
    board, reader, light, diode = (limits[ref] for ref in ("BOARD", "M1", "L1", "D1"))
    yield Row("reader, from the Pico's 3.3 V", reader["draws"], board["gives"], "A")
    # As if its regulator were a linear one, which that of the RP2040-Zero is.
    taken = board["draws"] + reader["draws"] + light["draws"]
    yield Row("from USB, as the tray tells the computer", taken, board["tells"], "A")
    yield Row(f"{TRAYS} trays, from the hub's adapter", TRAYS * board["tells"], hub_gives, "A")
    yield Row("volts at the light", USB_LEAST - diode["most"], light["least"], "V", most=False)
    high, wanted = VOLT * (1 - ACCURACY), light["high"] * (USB_USUAL - diode["least"])
    yield Row("the light's data, at 5 V of USB", high, wanted, "V", most=False)


def _compute_nano(limits: dict[str, dict[str, float]]) -> Iterator[Row]:
    """A regulator feeds up to three readers from the Nano's USB."""
    board, regulator = limits["BOARD"], limits["PS1"]
    readers = sum(limit["draws"] for ref, limit in limits.items() if ref.startswith("M"))
    lights = sum(limit["draws"] for ref, limit in limits.items() if ref.startswith("L"))
    yield Row("readers, from the 3.3 V regulator", readers, regulator["gives"], "A")
    fed = USB_LEAST - board["usb_drop"]
    yield Row("volts into the regulator", fed, VOLT + regulator["drop"], "V", most=False)
    yield Row("from USB", board["draws"] + lights + readers, USB, "A")
    hot = ROOM + (USB_MOST - VOLT) * readers * regulator["warms"]
    yield Row("inside the regulator", hot, JUNCTION, "degrees C")


def main() -> int:
    """Print all rows of both boards; return 1 if one is over."""
    rows = [(name, row) for name in load_boards() for row in compute_budget(build_circuit(name))]
    for name, row in rows:
        print(f"{name}: {row.format_line()}")
    return 0 if all(row.is_within_limit for _, row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
