"""Draw the wiring of a tray: a WireViz harness made from the circuit.

python -m hardware.wiring FOLDER     its YAML, as SVG, PNG and list of parts
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped, unused-ignore]

from hardware.circuit import Circuit, Join, build_circuit, load_part_kinds

COLOURS = {
    "GND": "BK", "5V": "RD", "3V3": "OG", "SCK": "YE", "MOSI": "GN", "MISO": "BU", "SDA": "WH", "RST": "GY",
    "LIGHT": "VT", "ACCEPT": "TQ", "REFUSE": "PK", "BUZZER": "BN",
}  # fmt: skip
"""The colour of a wire by the first word of its net, in WireViz's letters."""
FILE = "pico-tray.yml"

Wire = tuple[str, Join, Join]
"""Net, from, to."""


def wire_colour(net: str) -> str:
    """Return the colour of a net's wires."""
    return next(letters for name, letters in COLOURS.items() if net.startswith(name))


def list_wires(made: Circuit) -> list[Wire]:
    """Return wires from the first part of each net to the others, one for each part; parts stand
    from left to right in the circuit's order."""
    found = []
    for net, joins in made.nets.items():
        ends: dict[str, Join] = {}
        for join in joins:
            ends.setdefault(join[0], join)
        first, *others = sorted(ends, key=list(made.parts).index)
        found += [(net, ends[first], ends[ref]) for ref in others]
    return found


def build_harness(made: Circuit) -> dict[str, Any]:
    """Return the drawing in WireViz's format."""
    bundles: dict[tuple[str, str], list[Wire]] = {}
    for wire in list_wires(made):
        bundles.setdefault((wire[1][0], wire[2][0]), []).append(wire)
    cables, connections = {}, []
    for number, ((a, b), members) in enumerate(bundles.items(), 1):
        cables[f"W{number}"] = {
            "category": "bundle",
            "colors": [wire_colour(net) for net, _, _ in members],
            "wirelabels": [net for net, _, _ in members],
            "show_name": False,
            "show_wirecount": False,
            "ignore_in_bom": True,
        }
        ends = [{a: [pin for _, (_, pin), _ in members]}, {b: [pin for _, _, (_, pin) in members]}]
        connections.append([ends[0], {f"W{number}": list(range(1, len(members) + 1))}, ends[1]])
    return {
        "metadata": {"title": str(made.board["title"])},
        "options": {"bgcolor": "WH", "bgcolor_connector": "WH", "bgcolor_bundle": "WH"},
        "connectors": {ref: _build_connector(made, ref) for ref in made.parts},
        "cables": cables,
        "connections": connections,
    }


def _build_connector(made: Circuit, ref: str) -> dict[str, Any]:
    kind = load_part_kinds()[made.parts[ref]]
    if ref == "BOARD":
        pins: list[tuple[int | str, str]] = [
            (pin, net) for net, joins in made.nets.items() for r, pin in joins if r == ref
        ]
        # GP2 comes before GP10
        pins.sort(key=lambda pin: _natural_sort_key(str(pin[0])))
    else:
        pins = [(int(row.split()[0]), row.split()[1]) for row in kind["pins"]]
    return {
        "type": kind["value"],
        "show_pincount": False,
        "pins": [pin for pin, _ in pins],
        "pinlabels": [label for _, label in pins],
        "hide_disconnected_pins": True,
    }


def _natural_sort_key(pin: str) -> tuple[str, int]:
    digits = "".join(filter(str.isdigit, pin))
    return (pin[0] if digits else "~", int(digits or 0))


def main() -> None:
    """Write the drawing's source and draw it."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / FILE
    source.write_text(
        yaml.safe_dump(build_harness(build_circuit("pico")), sort_keys=False, width=200), encoding="utf-8"
    )
    subprocess.run([str(Path(sys.executable).with_name("wireviz")), "-f", "pst", str(source)], check=True)


if __name__ == "__main__":
    main()
