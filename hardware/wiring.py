"""Draw the wiring: WireViz harnesses made from the circuit.

    python -m hardware.wiring FOLDER     one YAML a drawing, each as SVG, PNG, list of parts

Seven drawings of each box, so that each fits on a page, one of the inside of a pad's tray, and one
of a tray with a board of its own.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped, unused-ignore]

from hardware.circuit import Circuit, Join, build_circuit, load_boards, load_part_kinds

COLOURS = {
    "GND": "BK", "5V": "RD", "9V": "RD", "3V3": "OG", "SCK": "YE", "MOSI": "GN", "MISO": "BU", "SDA": "WH", "RST": "GY",
    "LIGHT": "VT", "ACCEPT": "TQ", "REFUSE": "PK", "BUZZER": "BN",
}  # fmt: skip
"""The colour of a wire by the first word of its net, in WireViz's letters."""

POWER = ("GND", "9V", "5V USB", "3V3")
SHEETS: dict[str, tuple[str, Callable[[str], bool]]] = {
    "power": ("J0 BOARD PS1 C U RM", lambda net: net in POWER),
    "signals": (
        "BOARD U R BZ1",
        lambda net: net not in POWER and net != "RST" and (" 3V3" not in net or net == "RST 3V3"),
    ),
    "shared": ("PS1 U1 R4 J1 J2", lambda net: net in POWER or (net.startswith("RST") and net != "RST 5V")),
    "clock": ("U1 RK RO J", lambda net: net.startswith(("SCK", "MOSI")) and not net.endswith("5V")),
    "own": ("U RD RM J", lambda net: net.startswith(("SDA", "MISO")) and net[-1] in "123456789"),
    "buttons": ("BOARD J", lambda net: net.startswith(("ACCEPT", "REFUSE"))),
    "lights": ("R2 J", lambda net: net.startswith("LIGHT")),
}
"""Drawings of the box: which parts are on it, by reference or by its letter, and which nets.

`shared` stops at the second socket: from there the same pins run on from socket to socket.
"""

Wire = tuple[str, Join, Join]
"""Net, from, to."""


def wire_colour(net: str) -> str:
    """Return the colour of a net's wires."""
    return next(letters for name, letters in COLOURS.items() if net.startswith(name))


def list_sheet_wires(made: Circuit, name: str) -> tuple[list[str], list[Wire]]:
    """Return the parts on a drawing, in order from left to right, and its wires; each net starts at
    its first part.

    Only the lights go from socket to socket.
    """
    if made.is_tray_only:
        return list(made.parts), _connect_star(made.nets, list(made.parts))
    if name == "pad":
        refs = ["JT1", *(part.ref for part in made.parts.values() if part.place == 1 and part.ref != "JT1")]
        return refs, _connect_star(made.nets, refs)
    wanted, chosen = SHEETS[name]
    words = wanted.split()
    inside = [part.ref for part in made.parts.values() if part.place == "box"]
    refs = [ref for word in words for ref in inside if ref == word or ref.rstrip("0123456789") == word]
    refs = list(dict.fromkeys(ref for ref in refs if ref != "J0" or "J0" in words))
    return refs, _connect_star({net: joins for net, joins in made.nets.items() if chosen(net)}, refs)


def _connect_star(nets: dict[str, list[Join]], refs: list[str]) -> list[Wire]:
    """Return wires from the first part of each net to the others, one for each part."""
    found = []
    for net, joins in nets.items():
        ends: dict[str, list[Join]] = {}
        for join in joins:
            if join[0] in refs:
                ends.setdefault(join[0], []).append(join)
        # parts stand from left to right in this order, and each net starts at the leftmost
        first, *others = sorted(ends, key=refs.index) or [""]
        for ref in others:
            # chips get every wire drawn, other parts one
            several = ends[ref] if ref.startswith("U") else ends[ref][:1]
            found += [(net, ends[first][0], join) for join in several]
    return found


def build_harness(made: Circuit, name: str) -> dict[str, Any]:
    """Return a drawing in WireViz's format."""
    refs, lines = list_sheet_wires(made, name)
    used = [ref for ref in refs if any(ref in (a[0], b[0]) for _, a, b in lines)]
    bundles: dict[tuple[str, str], list[Wire]] = {}
    for wire in lines:
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
        "metadata": {"title": f"{made.board['title']}: {name}"},
        "options": {"bgcolor": "WH", "bgcolor_connector": "WH", "bgcolor_bundle": "WH"},
        "connectors": {ref: _build_connector(made, ref) for ref in used},
        "cables": cables,
        "connections": connections,
    }


def _build_connector(made: Circuit, ref: str) -> dict[str, Any]:
    part = made.parts[ref]
    kind = load_part_kinds()[part.kind]
    if part.kind.startswith("board-"):
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
        **({"notes": _format_pad_name(made, part.ref)} if part.kind in ("socket", "ribbon") else {}),
    }


def _natural_sort_key(pin: str) -> tuple[str, int]:
    digits = "".join(filter(str.isdigit, pin))
    return (pin[0] if digits else "~", int(digits or 0))


def _format_pad_name(made: Circuit, ref: str) -> str:
    return f"pad {made.board['pads'][int(ref.lstrip('JT')) - 1]['name']}"


def build_drawings() -> dict[str, str]:
    """Return every drawing's YAML by file name."""
    return {
        f"{name}-{which}.yml": yaml.safe_dump(
            build_harness(build_circuit(name), which), sort_keys=False, width=200
        )
        for name in load_boards()
        for which in (["tray"] if build_circuit(name).is_tray_only else SHEETS)
    } | {
        "pad.yml": yaml.safe_dump(build_harness(build_circuit("mega2560"), "pad"), sort_keys=False, width=200)
    }


def main() -> None:
    """Write the drawings' sources and draw them."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in build_drawings().items():
        (folder / name).write_text(text, encoding="utf-8")
        subprocess.run(
            [str(Path(sys.executable).with_name("wireviz")), "-f", "pst", str(folder / name)], check=True
        )


if __name__ == "__main__":
    main()
