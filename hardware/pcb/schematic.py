"""KiCad's schematic of a board: every part as a symbol, with its net's name at each pin.

Names join the pins, as KiCad allows, and not lines: with up to a hundred of them a sheet of lines
can be followed by nobody, and the wiring drawings show who is joined to whom. Symbols, references,
values and footprints are those of the board, so that KiCad's own «Update PCB from schematic» finds
nothing to change. Pure: a sheet in, the file's text out, the same each time. Millimetres, y down;
inside a symbol, as KiCad has it, y up.

python -m hardware.pcb.schematic FOLDER     write that of the tray with a Pico, which has no board
"""

from __future__ import annotations

import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hardware.circuit import list_signals, load_part_kinds
from hardware.pcb.layout import HOLES, MEGA_ROWS, NANO_PINS, VERSION, Sheet, footprint, joins, tray

STEP = 2.54
LEFT, TOP, COLUMN, FOOT = 45.72, 25.4, 78.74, 246.38
"""Of the first symbol's middle; between columns; where a column of an A3 sheet ends."""
TYPES = {
    "input": "input", "output": "output", "tristate": "tri_state", "passive": "passive",
    "power-in": "power_in", "power-out": "power_out", "unused": "no_connect",
}  # fmt: skip
"""Pin types of `parts.toml` and what KiCad calls them."""


@dataclass(frozen=True)
class Pin:
    """One pin of a symbol: `x`, `y` is its outer end from the symbol's middle, in mm, y up."""

    number: str
    name: str
    type: str
    x: float
    y: float


@dataclass(frozen=True)
class Symbol:
    """A kind of part as it is drawn: `half_w`, `half_h` of its box."""

    name: str
    pins: tuple[Pin, ...]
    half_w: float
    half_h: float


def symbol(sheet: Sheet, ref: str) -> Symbol:
    """Return how a part is drawn: half of its pins on each side."""
    rows = list(_pins(sheet, ref))
    count = -(-len(rows) // 2)
    half_w = STEP if len(rows) == 2 else 7.62
    top = (count - 1) * STEP / 2
    pins = [
        Pin(*row, x=-half_w - STEP, y=top - n * STEP)
        if n < count
        else Pin(*row, x=half_w + STEP, y=top - (n - count) * STEP)
        for n, row in enumerate(rows)
    ]
    return Symbol(_kind(sheet, ref), tuple(pins), half_w, max(top + STEP / 2, STEP / 2))


def _kind(sheet: Sheet, ref: str) -> str:
    return sheet.made.parts[ref].kind if ref in sheet.made.parts else f"row-{ref}"


def _pins(sheet: Sheet, ref: str) -> Iterator[tuple[str, str, str]]:
    """Give number, name and KiCad's type of each pin on the board's footprint."""
    if ref in MEGA_ROWS:
        for number, name in enumerate(MEGA_ROWS[ref], 1):
            yield str(number), name, "power_out" if name == "5V" else "passive"
    elif ref == "BOARD" and sheet.made.is_tray_only:
        for name, _, kind in list_signals(sheet.made.board):
            yield name, name, TYPES[kind]
    elif ref == "BOARD":
        for number, name in enumerate(NANO_PINS, 1):
            yield str(number), name, "power_out" if name == "5V" else "passive"
    else:
        for row in load_part_kinds()[sheet.made.parts[ref].kind]["pins"]:
            number, name, kind = row.split()
            yield number, name, TYPES[kind]


def _id(*words: object) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, "/".join(map(str, words))))


def _text(words: str) -> str:
    return '"' + words.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _at(x: float, y: float, turn: int = 0) -> str:
    return f"(at {x:.2f} {y:.2f} {turn})"


def _font(justify: str = "") -> str:
    return f"(effects (font (size 1.27 1.27)){f' (justify {justify})' if justify else ''})"


def _property(number: int, name: str, value: str, at: str, *, hidden: bool = False) -> str:
    effects = _font()[:-1] + " hide)" if hidden else _font()
    return f"(property {_text(name)} {_text(value)} (id {number}) {at} {effects})"


def _drawn(one: Symbol) -> str:
    """Return a symbol's entry in the file's library."""
    hidden = one.half_w == STEP  # of two pins nobody needs the names
    pins = "\n".join(
        f"      (pin {pin.type} line {_at(pin.x, pin.y, 0 if pin.x < 0 else 180)} (length {STEP})"
        f" (name {_text(pin.name)} {_font()}) (number {_text(pin.number)} {_font()}))"
        for pin in one.pins
    )
    style = "(pin_numbers hide) (pin_names (offset 0.5) hide)" if hidden else "(pin_names (offset 0.5))"
    return f"""    (symbol "reader:{one.name}" {style} (in_bom yes) (on_board yes)
      {_property(0, "Reference", "U", _at(0, one.half_h + STEP))}
      {_property(1, "Value", one.name, _at(0, -one.half_h - STEP))}
      (symbol "{one.name}_0_1" (rectangle (start {-one.half_w:.2f} {one.half_h:.2f}) (end {one.half_w:.2f} {-one.half_h:.2f})
        (stroke (width 0.25) (type default) (color 0 0 0 0)) (fill (type background))))
      (symbol "{one.name}_1_1"
{pins}))"""


def _places(sheet: Sheet) -> Iterator[tuple[str, Symbol, float, float]]:
    """Give each part with its symbol and its middle, column after column."""
    x, y = LEFT, TOP
    for ref in sorted(set(sheet.places) - set(HOLES), key=lambda ref: (_kind(sheet, ref), len(ref), ref)):
        one = symbol(sheet, ref)
        room = round(2 * one.half_h / STEP + 3) * STEP
        if y + room > FOOT:
            x, y = x + COLUMN, TOP
        yield ref, one, x, y + STEP + one.half_h
        y += room


def schematic(sheet: Sheet) -> str:
    """Return the file's text."""
    nets = joins(sheet)
    paper = "A3" if any(x > LEFT for _, _, x, _ in _places(sheet)) else "A4"
    library: dict[str, str] = {}
    items: list[str] = []
    instances: list[str] = []
    for ref, one, x, y in _places(sheet):
        library[one.name] = _drawn(one)
        own = _id(sheet.name, ref)
        value = (
            load_part_kinds()[one.name]["value"] if one.name in load_part_kinds() else f"{len(one.pins)} pins"
        )
        print_ = footprint(sheet, ref)
        items.append(
            f"""  (symbol (lib_id "reader:{one.name}") {_at(x, y)} (unit 1) (in_bom yes) (on_board yes) (uuid {own})
    {_property(0, "Reference", ref, _at(x, y - one.half_h - 1.27))}
    {_property(1, "Value", value, _at(x, y + one.half_h + 1.27))}
    {_property(2, "Footprint", print_, _at(x, y), hidden=True)}
{chr(10).join(f"    (pin {_text(pin.number)} (uuid {_id(sheet.name, ref, pin.number)}))" for pin in one.pins)})"""
        )
        instances.append(
            f'    (path "/{own}" (reference {_text(ref)}) (unit 1) (value {_text(value)}) (footprint {_text(print_)}))'
        )
        for pin in one.pins:
            end = (x + pin.x, y - pin.y)
            mark = _id(sheet.name, ref, pin.number, "net")
            if net := nets.get((ref, pin.number)):
                turn, side = (180, "right") if pin.x < 0 else (0, "left")
                items.append(
                    f"  (global_label {_text(net)} (shape passive) {_at(*end, turn)} {_font(side)} (uuid {mark}))"
                )
            elif pin.type != "no_connect":
                items.append(f"  (no_connect (at {end[0]:.2f} {end[1]:.2f}) (uuid {mark}))")
    return "\n".join(
        [
            f"(kicad_sch (version 20211123) (generator reader) (uuid {_id(sheet.name)}) (paper {_text(paper)})",
            f'  (title_block (title {_text(sheet.title)}) (rev "{VERSION}") (comment 1 "CERN-OHL-P-2.0"))',
            "  (lib_symbols",
            *library.values(),
            "  )",
            *items,
            '  (sheet_instances (path "/" (page "1")))',
            "  (symbol_instances",
            *instances,
            "  )",
            ")\n",
        ]
    )


if __name__ == "__main__":
    sheet_of_tray = tray()
    Path(sys.argv[1], f"{sheet_of_tray.name}.kicad_sch").write_text(
        schematic(sheet_of_tray), encoding="utf-8"
    )
