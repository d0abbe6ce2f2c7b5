"""Build the reader's circuit: parts, and nets that join their pins, made only from
`firmware/pins.toml` and `parts.toml`.

The wiring drawings, the netlist, the bill of materials and the guides' tables are all made from the
result of `build_circuit()`. A ribbon cable joins each pad's tray to the box pin by pin, so both its
ends lie on the same nets.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

HARDWARE = Path(__file__).parent
SHIFTER_CHANNELS = ((3, 2), (5, 4), (7, 6), (9, 10), (11, 12), (14, 15))
"""Inputs and outputs of a 74HC4050."""
GATES = ((1, 2, 3), (4, 5, 6), (10, 9, 8), (13, 12, 11))
"""Enable (low), input and output of each gate of a 74HCT125."""

BANK = 4
"""Pads whose SCK and MOSI one output drives (`transmission` computes the signal at each of
them)."""

Join = tuple[str, int | str]
"""One end of a wire: a part and its pin's number, or its name on an Arduino."""


@dataclass(frozen=True)
class Part:
    """One part. `place`: `box`, or the number of the pad (from 1) in whose tray it is."""

    ref: str
    kind: str
    place: str | int = "box"


@dataclass
class Circuit:
    """A whole reader for one board.

    `nets`: the name of each net and the pins it joins, in the order they are wired. `open`: pins
    that are meant to stay open.
    """

    board: dict[str, Any]
    parts: dict[str, Part] = field(default_factory=dict)
    nets: dict[str, list[Join]] = field(default_factory=lambda: defaultdict(list))
    open: list[Join] = field(default_factory=list)

    @property
    def is_tray_only(self) -> bool:
        """Whether it is a tray with a board of its own beneath it, and no box."""
        return str(self.board["mcu"]) == "rp2040"

    def add_part(self, ref: str, kind: str, place: str | int = "box", /, **pins: str) -> None:
        """Add a part; `pins`: the net of each pin, as `_3="SCK"`."""
        self.parts[ref] = Part(ref, kind, place)
        for pin, net in pins.items():
            self.nets[net].append((ref, int(pin.removeprefix("_"))))

    def net_of(self, ref: str, pin: int | str) -> str | None:
        """Return the net a pin is on, None if it stays open."""
        return next((name for name, joins in self.nets.items() if (ref, pin) in joins), None)


@cache
def load_boards() -> dict[str, dict[str, Any]]:
    """Return the boards of the pin map, by name."""
    text = (HARDWARE.parent / "firmware" / "pins.toml").read_text(encoding="utf-8")
    return {board["name"]: board for board in tomllib.loads(text)["board"]}


@cache
def load_part_kinds() -> dict[str, dict[str, Any]]:
    """Return the kinds of parts, by name."""
    return tomllib.loads((HARDWARE / "parts.toml").read_text(encoding="utf-8"))


def build_circuit(name: str) -> Circuit:
    """Return the circuit of the reader with this board; raise KeyError for a board that is not in
    the pin map."""
    made = Circuit(load_boards()[name])
    if made.is_tray_only:
        _add_tray(made)
        return made
    _add_board(made)
    _add_power(made)
    _add_level_shifters(made)
    _add_miso_gates(made)
    _add_small_parts(made)
    for number in range(1, len(made.board["pads"]) + 1):
        _add_pad(made, number)
    return made


def list_signals(board: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """List the board's pins that are wired: its name on the board, the net, and its type for the
    rules check."""
    spi = board["spi"]
    if board["mcu"] == "rp2040":
        yield from _list_tray_signals(board)
        return
    yield spi["sck"]["arduino"], "SCK 5V", "output"
    yield spi["mosi"]["arduino"], "MOSI 5V", "output"
    yield spi["miso"]["arduino"], "MISO", "input"
    yield board["reset"]["arduino"], "RST 5V", "output"
    yield board["lights"]["arduino"], "LIGHTS", "output"
    yield board["buzzer"]["arduino"], "BUZZER", "output"
    for number, pad in enumerate(board["pads"], 1):
        yield pad["select"]["arduino"], f"SDA{number} 5V", "output"
    for seat in board["buttons"]:
        for act in ("accept", "refuse"):
            if find_pad_of_seat(board, seat["seat"]):
                yield seat[act]["arduino"], f"{act.upper()}{seat['seat']}", "input"
    yield "5V", "5V USB", "power-out"
    yield "GND", "GND", "power-in"


def _list_tray_signals(board: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    spi, (pad,), (seat,) = board["spi"], board["pads"], board["buttons"]
    yield pad["select"]["arduino"], "SDA", "output"
    yield spi["sck"]["arduino"], "SCK", "output"
    yield spi["mosi"]["arduino"], "MOSI", "output"
    yield spi["miso"]["arduino"], "MISO", "input"
    yield board["reset"]["arduino"], "RST", "output"
    yield board["lights"]["arduino"], "LIGHTS", "output"
    yield seat["accept"]["arduino"], "ACCEPT1", "input"
    yield seat["refuse"]["arduino"], "REFUSE1", "input"
    yield board["buzzer"]["arduino"], "BUZZER", "output"
    yield "3V3", "3V3", "power-out"
    yield "VBUS", "5V USB", "power-out"
    yield "GND", "GND", "power-in"


def find_pad_of_seat(board: dict[str, Any], seat: int) -> int | None:
    """Return the number of the pad at a seat, from 1; None if it has buttons only."""
    names = [pad["name"] for pad in board["pads"]]
    return names.index(f"seat{seat}") + 1 if f"seat{seat}" in names else None


def find_seat_of_pad(board: dict[str, Any], number: int) -> int | None:
    """Return the seat a pad belongs to; None for the middle."""
    name = str(board["pads"][number - 1]["name"])
    return int(name.removeprefix("seat")) if name.startswith("seat") else None


def _add_board(made: Circuit) -> None:
    made.parts["BOARD"] = Part("BOARD", f"board-{made.board['name']}")
    for pin, net, _ in list_signals(made.board):
        made.nets[net].append(("BOARD", pin))


def _add_power(made: Circuit) -> None:
    """Add the power supply. The Mega's seven readers have a separate one of 9 V: it feeds only the
    regulator, so losses in its cable do not matter. A Nano's three, and all lights, are powered by
    USB."""
    rail = "9V" if len(made.board["pads"]) > 3 else "5V USB"
    if rail == "9V":
        made.add_part("J0", "supply", _1=rail, _2="GND")
    made.add_part("PS1", f"regulator-{made.board['name']}", _1=rail, _2="GND", _3="3V3")
    made.add_part("C1", "capacitor-47u", _1=rail, _2="GND")
    made.add_part("C2", "capacitor-47u", _1="3V3", _2="GND")


def _list_banks(made: Circuit) -> str:
    """Return the letters of the groups of pads that share an SCK and a MOSI."""
    return "AB"[: -(-len(made.board["pads"]) // BANK)]


def _add_level_shifters(made: Circuit) -> None:
    """Convert every signal to a reader to 3.3 V; unused inputs are tied to ground."""
    lines = [(f"{line} 5V", f"{line} 3V3 {bank}") for bank in _list_banks(made) for line in ("SCK", "MOSI")]
    lines.append(("RST 5V", "RST 3V3"))
    lines += [(f"SDA{n} 5V", f"SDA{n} 3V3") for n in range(1, len(made.board["pads"]) + 1)]
    count = -(-len(lines) // len(SHIFTER_CHANNELS))
    channels = [(f"U{chip}", *pins) for chip in range(1, count + 1) for pins in SHIFTER_CHANNELS]
    for chip in range(1, count + 1):
        made.add_part(f"U{chip}", "shifter", _1="3V3", _8="GND")
    for place, (ref, source, target) in enumerate(channels):
        made.nets[lines[place][0] if place < len(lines) else "GND"].append((ref, source))
        if place < len(lines):
            made.nets[lines[place][1]].append((ref, target))
        else:
            made.open.append((ref, target))


def _add_miso_gates(made: Circuit) -> None:
    """Connect only the selected reader to MISO; unused gates are disabled."""
    pads = len(made.board["pads"])
    first = sum(part.kind == "shifter" for part in made.parts.values()) + 1
    chips = [f"U{first + i}" for i in range(-(-pads // len(GATES)))]
    for chip in chips:
        made.add_part(chip, "gate", _7="GND", _14="5V USB")
    for number, (chip, pins) in enumerate([(chip, pins) for chip in chips for pins in GATES], 1):
        used = number <= pads
        made.nets[f"SDA{number} 5V" if used else "5V USB"].append((chip, pins[0]))
        made.nets[f"MISO{number}" if used else "GND"].append((chip, pins[1]))
        if used:
            made.nets["MISO"].append((chip, pins[2]))
            # The input of a 74HCT must not float while its tray is unplugged: it would toggle, and
            # the reader would look like a dead one. Pulled to 3.3 V, because the wire ends at a
            # reader's own pin.
            made.add_part(f"RM{number}", "resistor-10k", _1=f"MISO{number}", _2="3V3")
        else:
            made.open.append((chip, pins[2]))


def _add_small_parts(made: Circuit) -> None:
    made.add_part("R1", "resistor-100", _1="BUZZER", _2="BUZZER PIEZO")
    made.add_part("BZ1", "buzzer", _1="BUZZER PIEZO", _2="GND")
    made.add_part("R2", "resistor-330", _1="LIGHTS", _2="LIGHT1")
    made.add_part("R3", "resistor-1k5", _1="MISO", _2="5V USB")
    made.add_part("R4", "resistor-100", _1="RST 3V3", _2="RST")
    chips = [part for part in made.parts.values() if part.kind in ("shifter", "gate")]
    for number, chip in enumerate(chips, 3):
        made.add_part(
            f"C{number}", "capacitor-100n", _1="3V3" if chip.kind == "shifter" else "5V USB", _2="GND"
        )


def _add_pad(made: Circuit, number: int) -> None:
    """Add one socket in the box, and one tray with reader, light and, at a seat, two buttons."""
    seat, rail, last = find_seat_of_pad(made.board, number), "5V USB", number == len(made.board["pads"])
    bank = _list_banks(made)[(number - 1) // BANK]
    # Each ribbon is a line of some 100 ohm: a resistor of the same value at its socket absorbs
    # reflections from the tray, and from the other ribbons of the bank.
    made.add_part(f"RK{number}", "resistor-100", _1=f"SCK 3V3 {bank}", _2=f"SCK{number}")
    made.add_part(f"RO{number}", "resistor-100", _1=f"MOSI 3V3 {bank}", _2=f"MOSI{number}")
    made.add_part(f"RD{number}", "resistor-100", _1=f"SDA{number} 3V3", _2=f"SDA{number}")
    ribbon = {
        "_1": "3V3",
        "_3": f"SCK{number}",
        "_5": f"MOSI{number}",
        "_7": f"MISO{number}",
        "_9": f"SDA{number}",
        "_10": "RST",
    }
    ribbon |= {"_11": f"LIGHT{number}", "_12": rail, **{f"_{pin}": "GND" for pin in (2, 4, 6, 8, 14)}}
    # the lights are a chain: the signal comes back from each tray and goes on to the next
    if not last:
        ribbon["_13"] = f"LIGHT{number + 1}"
    if seat:
        ribbon |= {"_15": f"ACCEPT{seat}", "_16": f"REFUSE{seat}"}
    ends: tuple[tuple[str, str, str | int], ...] = (
        (f"J{number}", "socket", "box"),
        (f"JT{number}", "ribbon", number),
    )
    for ref, kind, place in ends:
        made.add_part(ref, kind, place, **ribbon)
        made.open += [(ref, pin) for pin in (13, 15, 16) if f"_{pin}" not in ribbon]
    made.add_part(
        f"M{number}", "rc522", number,
        _1=f"SDA{number}", _2=f"SCK{number}", _3=f"MOSI{number}", _4=f"MISO{number}", _6="GND", _7="RST", _8="3V3",
    )  # fmt: skip
    made.add_part(f"CT{number}", "capacitor-47u", number, _1="3V3", _2="GND")
    made.add_part(f"CN{number}", "capacitor-100n", number, _1="3V3", _2="GND")
    light = {"_1": rail, "_2": "GND", "_3": f"LIGHT{number}"}
    made.add_part(f"L{number}", "pixel", number, **(light if last else light | {"_4": f"LIGHT{number + 1}"}))
    if last:
        made.open.append((f"L{number}", 4))
    if seat:
        made.add_part(f"SA{number}", "button", number, _1=f"ACCEPT{seat}", _2="GND")
        made.add_part(f"SR{number}", "button", number, _1=f"REFUSE{seat}", _2="GND")


def _add_tray(made: Circuit) -> None:
    """Add a tray of its own: all signals of its reader are 3.3 V, on leads of 10 cm. Only the light
    is powered by USB's 5 V, behind a diode, which lowers its supply so that it accepts the chip's
    3.3 V as high."""
    made.parts["BOARD"] = Part("BOARD", f"board-{made.board['name']}", 1)
    for pin, net, _ in list_signals(made.board):
        made.nets[net].append(("BOARD", pin))
    made.add_part("M1", "rc522", 1, _1="SDA", _2="SCK", _3="MOSI", _4="MISO", _6="GND", _7="RST", _8="3V3")
    made.add_part("CT1", "capacitor-47u", 1, _1="3V3", _2="GND")
    made.add_part("CN1", "capacitor-100n", 1, _1="3V3", _2="GND")
    made.add_part("D1", "diode", 1, _1="5V LIGHT", _2="5V USB")
    made.add_part("R2", "resistor-330", 1, _1="LIGHTS", _2="LIGHT1")
    made.add_part("L1", "pixel", 1, _1="5V LIGHT", _2="GND", _3="LIGHT1")
    made.open.append(("L1", 4))
    made.add_part("SA1", "button", 1, _1="ACCEPT1", _2="GND")
    made.add_part("SR1", "button", 1, _1="REFUSE1", _2="GND")
    made.add_part("R1", "resistor-100", 1, _1="BUZZER", _2="BUZZER PIEZO")
    made.add_part("BZ1", "buzzer", 1, _1="BUZZER PIEZO", _2="GND")
