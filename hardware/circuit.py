"""Build the readers' circuits: parts, and nets that join their pins, made only from
`firmware/pins.toml` and `parts.toml`.

The wiring drawing, the bill of materials and the guide's tables are all made from the result of
`build_circuit()`: `pico` is a tray, `nano` up to three readers on a perfboard.
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

Join = tuple[str, int | str]
"""One end of a wire: a part and its pin's number, or its name on the board."""


@dataclass
class Circuit:
    """A reader for one board.

    `parts`: the kind of each part, by reference. `nets`: the name of each net and the pins it
    joins, in the order they are wired. `open`: pins that are meant to stay open.
    """

    board: dict[str, Any]
    parts: dict[str, str] = field(default_factory=dict)
    nets: dict[str, list[Join]] = field(default_factory=lambda: defaultdict(list))
    open: list[Join] = field(default_factory=list)

    def add_part(self, ref: str, kind: str, /, **pins: str) -> None:
        """Add a part; `pins`: the net of each pin, as `_3="SCK"`."""
        self.parts[ref] = kind
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
    made.parts["BOARD"] = f"board-{name}"
    for pin, net, _ in list_signals(made.board):
        made.nets[net].append(("BOARD", pin))
    (_add_tray if name == "pico" else _add_nano)(made)
    made.add_part("R1", "resistor-100", _1="BUZZER", _2="BUZZER PIEZO")
    made.add_part("BZ1", "buzzer", _1="BUZZER PIEZO", _2="GND")
    for seat in made.board["buttons"]:
        n = seat["seat"]
        made.add_part(f"SA{n}", "button", _1=f"ACCEPT{n}", _2="GND")
        made.add_part(f"SR{n}", "button", _1=f"REFUSE{n}", _2="GND")
    return made


def list_signals(board: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """List the board's pins that are wired: its name on the board, the net, and its type: `input`,
    `output`, `power-in`, `power-out`."""
    spi, pads = board["spi"], board["pads"]
    # A Nano speaks 5 V, which its level shifter brings down.
    high = "" if len(pads) == 1 else " 5V"
    for number, pad in enumerate(pads, 1):
        yield pad["select"]["arduino"], f"SDA{number if high else ''}{high}", "output"
    yield spi["sck"]["arduino"], f"SCK{high}", "output"
    yield spi["mosi"]["arduino"], f"MOSI{high}", "output"
    yield spi["miso"]["arduino"], "MISO", "input"
    yield board["reset"]["arduino"], f"RST{high}", "output"
    yield board["lights"]["arduino"], "LIGHTS", "output"
    for seat in board["buttons"]:
        for act in ("accept", "refuse"):
            yield seat[act]["arduino"], f"{act.upper()}{seat['seat']}", "input"
    yield board["buzzer"]["arduino"], "BUZZER", "output"
    if not high:
        yield "3V3", "3V3", "power-out"
    yield "VBUS" if not high else "5V", "5V USB", "power-out"
    yield "GND", "GND", "power-in"


def _add_reader(made: Circuit, number: int, select: str) -> None:
    """Add a reader, which hears and says 3.3 V only, with its two capacitors."""
    made.add_part(
        f"M{number}", "rc522", _1=select, _2="SCK", _3="MOSI", _4="MISO", _6="GND", _7="RST", _8="3V3"
    )
    made.add_part(f"CT{number}", "capacitor-47u", _1="3V3", _2="GND")
    made.add_part(f"CN{number}", "capacitor-100n", _1="3V3", _2="GND")


def _add_tray(made: Circuit) -> None:
    """Add what is around a Pico: all signals of its reader are 3.3 V, on leads of 10 cm. Only the
    light is powered by USB's 5 V, behind a diode, which lowers its supply so that it accepts the
    chip's 3.3 V as high."""
    _add_reader(made, 1, "SDA")
    made.add_part("D1", "diode", _1="5V LIGHT", _2="5V USB")
    made.add_part("R2", "resistor-330", _1="LIGHTS", _2="LIGHT1")
    made.add_part("L1", "pixel", _1="5V LIGHT", _2="GND", _3="LIGHT1")
    made.open.append(("L1", 4))


def _add_nano(made: Circuit) -> None:
    """Add what is around a Nano: a regulator, a level shifter for all that the readers hear, up to
    three readers, and their lights as a chain."""
    pads = range(1, len(made.board["pads"]) + 1)
    made.add_part("PS1", "regulator", _1="5V USB", _2="GND", _3="3V3")
    made.add_part("U1", "shifter", _1="3V3", _8="GND")
    made.add_part("C1", "capacitor-100n", _1="3V3", _2="GND")
    for line, (source, target) in zip(
        ("SCK", "MOSI", "RST", *(f"SDA{n}" for n in pads)), SHIFTER_CHANNELS, strict=True
    ):
        made.nets[f"{line} 5V"].append(("U1", source))
        made.nets[line].append(("U1", target))
    made.add_part("R2", "resistor-330", _1="LIGHTS", _2="LIGHT1")
    for n in pads:
        _add_reader(made, n, f"SDA{n}")
        made.add_part(f"L{n}", "pixel", _1="5V USB", _2="GND", _3=f"LIGHT{n}")
        if n == len(pads):
            made.open.append((f"L{n}", 4))
        else:
            made.nets[f"LIGHT{n + 1}"].append((f"L{n}", 4))
