"""How a signal arrives at the readers: the ribbons reckoned as transmission lines, by Bergeron's
method.

    python -m hardware.transmission     every line of every board at its worst; exit 1: one is over

A metre of ribbon takes a signal 4.7 ns, as long as the edge itself: what the far end throws back
comes home while the edge still runs, and from ribbons of other lengths at other times. A lump of
so many picofarads shows nothing of that.

A line without loss is two values that travel: what leaves one end arrives at the other after the
line's delay, as a source behind its impedance. So each end is solved by itself, step by step. The
whole is linear and the outputs are taken as alike both ways, so a falling edge is a rising one
upside down, and the limits are too. No clamp is counted: it conducts only above `MOST`, so one that
is needed is a fault.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hardware.circuit import SHIFTER_CHANNELS, Circuit, load_part_kinds
from hardware.supply import VOLT, Row, tell

LOW, HIGH, MOST = 0.3 * VOLT, 0.7 * VOLT, VOLT + 0.5
"""What a reader takes for low and for high, between them is the forbidden band; and the most that
its pins bear (MFRC522 data sheet, limiting values and characteristics: 0.3 and 0.7 PVDD, PVDD + 0.5
V)."""
FALL = 0.1
"""Volts that an edge may fall back inside the band: a few per cent of the supply, which a real
ribbon's loss and the module's own noise hide."""
SETTLED = 125.0 - 30.0
"""Nanoseconds after which an edge must be over: half a clock of 4 MHz (`firmware/src/hal_avr.cpp`),
less what the data sheets let the 74HC4050's two outputs differ (21 ns at 4.5 V, more at 3.3)."""
OUTPUTS = (25.0, 50.0, 75.0, 130.0)
"""Ohms of a 74HC4050's output: typical ones, the data sheet's most for a low (0.33 V at 4 mA and
4.5 V, more at 3.3) and for a high (0.52 V), and one better than any, for 3.6 V and a cold room."""
EDGE = 4.0
"""Nanoseconds of its edge from end to end with nothing to drive: 7 ns typical into 50 pF at 4.5 V
(Nexperia 74HC4050, table 7), of which that load is the greater part. Slower ones are kinder."""
PIN, TRACKS = 15.0, 15.0
"""Picofarads at a reader (10 for a pin, and its lead of 10 cm), and of the tracks on the junction
board."""
PIECE = 0.05
"""Metres of ribbon in a step of time."""
QUARTERS = 4
"""Ribbons are tried in so many lengths up to the longest allowed."""
EDGES = ("SCK", "MOSI")
"""Signals whose edges count. RST and SDA are levels, held for microseconds before anything is asked
of them: they only have to keep within `MOST`."""

Volts = NDArray[np.float64]


@dataclass(frozen=True)
class Star:
    """What one output drives: `common` ohms, then `ribbons` sockets with `each` ohms of their
    own."""

    signal: str
    common: float
    each: float
    ribbons: int


@dataclass(frozen=True)
class Arrival:
    """An edge at the readers, each value the worst of all cases: volts that it falls back inside
    the forbidden band, times that it crosses half the supply, volts at its peak, nanoseconds until
    it stays high."""

    fall: float
    crossings: int
    peak: float
    settled: float


def stars(made: Circuit) -> Iterator[Star]:
    """Give what each output of a level shifter drives, as the circuit has it."""
    outputs = {output for _, output in SHIFTER_CHANNELS}
    for net, joins in made.nets.items():
        if not any(made.parts[ref].kind == "shifter" and pin in outputs for ref, pin in joins):
            continue
        behind = [
            (
                float(load_part_kinds()[made.parts[ref].kind]["limits"]["ohm"]),
                _sockets(made, made.net_of(ref, 3 - int(pin))),
            )
            for ref, pin in joins
            if made.parts[ref].kind.startswith("resistor")
        ]
        signal = net.split()[0].rstrip("0123456789")
        if not behind:
            yield Star(signal, 0.0, 0.0, _sockets(made, net))
        elif len(behind) == 1:
            yield Star(signal, behind[0][0], 0.0, behind[0][1])
        else:
            yield Star(signal, 0.0, behind[0][0], len(behind))


def _sockets(made: Circuit, net: str | None) -> int:
    return sum(made.parts[ref].kind == "socket" for ref, _ in made.nets[net or ""])


def lengths(most: int) -> list[tuple[float, ...]]:
    """Return every choice of ribbons for a star, in metres: one to `most` of them, each of any
    length tried; 0.0 for a socket that is empty."""
    longest = float(load_part_kinds()["ribbon"]["limits"]["metres"])
    tried = [longest * (step + 1) / QUARTERS for step in range(QUARTERS)]
    return [
        chosen + (0.0,) * (most - count)
        for count in range(1, most + 1)
        for chosen in itertools.combinations_with_replacement(tried, count)
    ]


def edge(star: Star, ribbons: Sequence[Sequence[float]], outputs: Sequence[float]) -> tuple[Volts, float]:
    """Return the volts at the far ends after a rising edge, and the nanoseconds of a step.

    The first axis of the volts is time, the second a case (every choice of `ribbons`, in metres,
    with every one of `outputs`, in ohms), the third a ribbon; one that is absent is at 0 V.
    """
    line = load_part_kinds()["ribbon"]["limits"]
    impedance, step = float(line["impedance"]), PIECE * float(line["delay"])
    travel = np.rint(np.repeat(np.array(ribbons), len(outputs), axis=0) / PIECE).astype(int)
    driven = 1 / (np.tile(outputs, len(ribbons)) + star.common)
    there = travel > 0
    branch = np.where(there, 1 / (star.each + impedance), 0.0)
    # A capacitor, by the trapezoidal rule, is a conductance beside a source that remembers.
    tracks, pin = 2 * TRACKS / 1000 / step, 2 * PIN / 1000 / step
    count = int(2 * SETTLED / step)
    out, back, ends = (np.zeros((count, *travel.shape)) for _ in range(3))
    tracks_held, pins_held = np.zeros(len(travel)), np.zeros(travel.shape)
    case, ribbon = np.indices(travel.shape)
    for now in range(count):
        sent = now - travel
        known = (sent >= 0) & there
        home = np.where(known, back[sent, case, ribbon], 0.0)
        come = np.where(known, out[sent, case, ribbon], 0.0)
        source = VOLT * min(1.0, now * step / EDGE)
        star_at = (source * driven + (home * branch).sum(axis=1) + tracks_held) / (
            driven + branch.sum(axis=1) + tracks
        )
        tracks_held = 2 * tracks * star_at - tracks_held
        current = (star_at[:, None] - home) * branch
        out[now] = home + 2 * impedance * current
        end_at = (come / impedance + pins_held) / (1 / impedance + pin)
        pins_held = 2 * pin * end_at - pins_held
        back[now] = 2 * end_at - come
        ends[now] = np.where(there, end_at, 0.0)
    return ends, step


def arrival(star: Star, ribbons: Sequence[Sequence[float]] | None = None) -> Arrival:
    """Return how an edge arrives at its worst; without `ribbons`: over all that are allowed."""
    ends, step = edge(star, lengths(star.ribbons) if ribbons is None else ribbons, OUTPUTS)
    banded = np.clip(ends, LOW, HIGH)
    behind = np.maximum.accumulate(banded, axis=0) - banded
    # One that comes back within `FALL` has not gone: a comparator with as much hysteresis.
    high, crossings = np.zeros(ends.shape[1:], bool), np.zeros(ends.shape[1:], int)
    for now in ends:
        turned = np.where(high, now < VOLT / 2 - FALL / 2, now > VOLT / 2 + FALL / 2)
        high, crossings = high ^ turned, crossings + turned
    late = np.nonzero(((ends < HIGH) & (ends.max(axis=0) > 0)).any(axis=(1, 2)))[0].max()
    return Arrival(float(behind.max()), int(crossings.max()), float(ends.max()), float(late * step))


def rows(made: Circuit) -> Iterator[Row]:
    """Reckon every kind of line of one reader once. A tray of its own has leads and no lines: an
    edge is through them and back before it is half over, if it is no steeper than the others'."""
    if made.is_tray_only:
        lead = load_part_kinds()["lead-tray"]["limits"]
        there_and_back = 2 * lead["metres"] * lead["delay"]
        yield Row("leads, there and back", there_and_back, EDGE / 2, "ns")
        return
    for star in dict.fromkeys(stars(made)):
        found = arrival(star)
        name = f"{star.signal} to {star.ribbons} ribbon{'s' * (star.ribbons > 1)}"
        yield Row(f"{name}, peak", found.peak, MOST, "V")
        if star.signal in EDGES:
            yield Row(f"{name}, falls back in the band", found.fall, FALL, "V")
            yield Row(f"{name}, crosses half the supply", found.crossings, 1, "times")
            yield Row(f"{name}, settled after", found.settled, SETTLED, "ns")


def main() -> int:
    """Print all lines of all boards."""
    return tell(rows)


if __name__ == "__main__":
    sys.exit(main())
