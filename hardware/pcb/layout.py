"""Where each part lies on its board: real footprints of KiCad's own library, and their places in
millimetres.

A place is that of a footprint's pin 1 (x to the right, y down, from the upper left corner) and its
turn in degrees, counterclockwise. Every place is a multiple of the router's grid, 0.635 mm.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hardware.circuit import Circuit, build_circuit

G = 0.635

FOOTPRINTS: Mapping[str, str] = {
    "shifter": "Package_DIP:DIP-16_W7.62mm_Socket",
    "gate": "Package_DIP:DIP-14_W7.62mm_Socket",
    "socket": "Connector_IDC:IDC-Header_2x08_P2.54mm_Vertical",
    "ribbon": "Connector_PinHeader_2.54mm:PinHeader_2x08_P2.54mm_Vertical",
    "rc522": "Connector_PinHeader_2.54mm:PinHeader_1x08_P2.54mm_Vertical",
    "pixel": "Connector_PinHeader_2.54mm:PinHeader_1x04_P2.54mm_Vertical",
    "button": "Button_Switch_THT:SW_PUSH-12mm",
    "supply": "TerminalBlock:TerminalBlock_bornier-2_P5.08mm",
    "regulator-mega2560": "Converter_DCDC:Converter_DCDC_TRACO_TSR-1_THT",
    "regulator-nano": "Package_TO_SOT_THT:TO-220-3_Vertical",
    "capacitor-47u": "Capacitor_THT:CP_Radial_D6.3mm_P2.50mm",
    "capacitor-100n": "Capacitor_THT:C_Disc_D5.0mm_W2.5mm_P5.00mm",
    "buzzer": "Connector_PinHeader_2.54mm:PinHeader_1x02_P2.54mm_Vertical",
    "board-nano": "Module:Arduino_Nano",
    "board-pico": "",  # KiCad 6 has none, and its leads are soldered by hand
    "diode": "Diode_THT:D_DO-35_SOD27_P7.62mm_Horizontal",
    **{
        f"resistor-{value}": "Resistor_THT:R_Axial_DIN0207_L6.3mm_D2.5mm_P2.54mm_Vertical"
        for value in ("100", "330", "1k5", "10k")
    },
}
"""The footprint of each kind of part. Resistors stand upright. The buzzer is glued under the lid,
on two wires; ribbon, reader and light end in rows of holes."""

NANO_PINS = [
    "D1",
    "D0",
    "RST",
    "GND",
    "D2",
    "D3",
    "D4",
    "D5",
    "D6",
    "D7",
    "D8",
    "D9",
    "D10",
    "D11",
    "D12",
    "D13",
    "3V3",
    "AREF",
    "A0",
    "A1",
    "A2",
    "A3",
    "A4",
    "A5",
    "A6",
    "A7",
    "5V",
    "RST2",
    "GND2",
    "VIN",
]
"""The Nano's pins in the order of its footprint's numbers."""
MEGA_ROWS = {
    "JA": [
        "GND",
        "5V",
        "D9",
        "D30",
        "D29",
        "D50",
        "D51",
        "D52",
        "D22",
        "D23",
        "D24",
        "D25",
        "D26",
        "D27",
        "D28",
    ],
    "JB": ["A0", "A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8", "A9", "A10", "A11", "GND"],
}
"""A Mega stays beside the board: two rows of pins for its wires, each named on the board."""
HOLES = ("H1", "H2", "H3", "H4")
"""Holes for screws of M2.5, on no net."""
VERSION = 2
"""What is printed on a board after its name. 2: 100 ohm at each socket, and 9 V for a Mega's
readers."""
ROW = "Connector_PinHeader_2.54mm:PinHeader_1x{count:02d}_P2.54mm_Vertical"


@dataclass(frozen=True)
class Place:
    """Where pin 1 lies, in grid steps, and the turn."""

    column: float
    row: float
    turn: int = 0


@dataclass(frozen=True)
class Sheet:
    """One board: its name, and the one printed on it, its size in millimetres, the circuit, and the
    places of its parts by reference."""

    name: str
    title: str
    size: tuple[float, float]
    made: Circuit
    places: Mapping[str, Place]


COMB = ("RK", "RO", "RM", "RD")
"""The resistors of a socket, side by side below it, about where their pins are."""


def _socket(number: int, column: float, row: float) -> dict[str, Place]:
    """Place a socket and its resistors."""
    comb = {f"{name}{number}": Place(column + 2 + 5 * i, row + 11.5, 90) for i, name in enumerate(COMB)}
    return {f"J{number}": Place(column, row, 90), **comb}


def _holes(*places: tuple[float, float]) -> dict[str, Place]:
    return {ref: Place(*place) for ref, place in zip(HOLES, places, strict=False)}


def _junction_mega() -> Sheet:
    places = {"J0": Place(50, 17), "PS1": Place(71, 17), "BZ1": Place(90, 14)}
    for number in range(4):
        row = 11 + 24 * number
        places |= _socket(number + 1, 104, row)
        places[f"R{number + 1}"] = Place(130, row + 11.5, 90)
        places[f"U{number + 1}"] = Place(13, 18 + 23 * number, 90)
    for number in range(3):
        places |= _socket(number + 5, 57, 35 + 24 * number)
    places |= {
        "C3": Place(13, 23.5), "C4": Place(13, 46.5), "C5": Place(32, 46.5), "C6": Place(13, 69.5),
        "C1": Place(17, 95), "C2": Place(37, 95), "JA": Place(14, 107, 90), "JB": Place(78, 107, 90),
    }  # fmt: skip
    places |= _holes((5.5, 5.5), (90.5, 5.5), (5.5, 104.5), (136, 104.5))
    return Sheet(
        "junction-mega2560", "Card reader, Mega 2560", (90.0, 70.0), build_circuit("mega2560"), places
    )


def _junction_nano() -> Sheet:
    places = {"BOARD": Place(67, 43, 270), "U1": Place(13, 24, 90), "U2": Place(54, 24, 90)}
    for number in range(3):
        places |= _socket(number + 1, 104, 26 + 30 * number)
    places |= {
        "C3": Place(13, 30), "C4": Place(54, 30), "R4": Place(42, 33.5, 90), "R3": Place(84, 33.5, 90),
        "R1": Place(30, 104, 90), "R2": Place(40, 104, 90), "C1": Place(14, 84), "C2": Place(32, 84),
        "PS1": Place(48, 88), "BZ1": Place(72, 84),
    }  # fmt: skip
    places |= _holes((5.5, 5.5), (136, 5.5), (5.5, 104.5), (136, 104.5))
    return Sheet("junction-nano", "Card reader, Nano", (90.0, 70.0), build_circuit("nano"), places)


def _strip() -> Sheet:
    places = {
        "SA1": Place(8.5, 26, 90), "SR1": Place(109.5, 26, 90), "JT1": Place(34, 9, 90), "M1": Place(68, 5, 90),
        "L1": Place(57, 25, 90), "CT1": Place(36, 22), "CN1": Place(76, 20), **_holes((49, 24), (94, 24)),
    }  # fmt: skip
    return Sheet("tray-strip", "Card reader, tray", (80.0, 20.0), build_circuit("mega2560"), places)


def tray() -> Sheet:
    """Return a tray with a board of its own, of which there is a schematic and no board."""
    made = build_circuit("pico")
    return Sheet(
        "tray-pico", "Card tray with a Pico", (0.0, 0.0), made, dict.fromkeys(made.parts, Place(0, 0))
    )


def sheets() -> list[Sheet]:
    """Return every board."""
    return [_junction_mega(), _junction_nano(), _strip()]


def joins(sheet: Sheet) -> dict[tuple[str, str], str]:
    """Return the net on each pin of the parts on a board: (reference, number on the footprint) to
    net."""
    found = {}
    for net, ends in sheet.made.nets.items():
        for ref, pin in ends:
            for place, number in _on_footprint(sheet, ref, pin):
                if place in sheet.places:
                    found[place, number] = net
    return found


def _on_footprint(sheet: Sheet, ref: str, pin: int | str) -> list[tuple[str, str]]:
    if ref != "BOARD" or sheet.made.is_tray_only:
        return [(ref, str(pin))]
    if "JA" in sheet.places:
        return [(row, str(pins.index(str(pin)) + 1)) for row, pins in MEGA_ROWS.items() if pin in pins]
    return [
        ("BOARD", str(number))
        for number, name in enumerate(NANO_PINS, 1)
        if name.rstrip("2") == pin or name == pin
    ]


def footprint(sheet: Sheet, ref: str) -> str:
    """Return a part's footprint as `library:name`."""
    if ref in MEGA_ROWS:
        return ROW.format(count=len(MEGA_ROWS[ref]))
    if ref in HOLES:
        return "MountingHole:MountingHole_2.7mm_M2.5"
    return FOOTPRINTS[sheet.made.parts[ref].kind]
