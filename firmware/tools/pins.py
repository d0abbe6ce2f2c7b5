"""Make the firmware's pin header and the README's pin tables from `firmware/pins.toml`.

`python firmware/tools/pins.py` writes `src/pins.hpp` and the tables between the markers of
`README.md`; `--check` writes nothing and exits 1 if either is not what pins.toml says.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from pathlib import Path
from typing import Any

FIRMWARE = Path(__file__).parent.parent
_MACROS = {"atmega328p": "__AVR_ATmega328P__", "rp2040": "READER_RP2040"}
_CODES = {"nano": 2, "pico": 4}
_BEGIN, _END = "<!-- pins: made from pins.toml -->", "<!-- end of pins -->"


def boards() -> list[dict[str, Any]]:
    """Read the boards of pins.toml."""
    with (FIRMWARE / "pins.toml").open("rb") as source:
        found: list[dict[str, Any]] = tomllib.load(source)["board"]
    return found


def _pin(pin: dict[str, str]) -> str:
    return f"{{'{pin['port'][1]}', {pin['port'][2:]}}}"


def _row(name: str, pins: list[dict[str, str]]) -> str:
    return f"constexpr Pin {name}[] = {{{', '.join(_pin(pin) for pin in pins)}}};"


def _board(board: dict[str, Any]) -> list[str]:
    buttons = board["buttons"]
    lines = [
        f"constexpr uint8_t board_code = {_CODES[board['name']]};",
        f"constexpr uint8_t pad_count = {len(board['pads'])};",
        f"constexpr uint8_t seat_count = {len(buttons)};",
        f"constexpr uint32_t baud = {board['baud']};",
    ]
    wires = {f"pin_{name}": pin for name, pin in board["spi"].items()}
    wires |= {f"pin_{n}": board[n] for n in ("reset", "lights", "buzzer")}
    lines += [f"constexpr Pin {name} = {_pin(pin)};" for name, pin in wires.items()]
    lines.append(_row("pins_select", [pad["select"] for pad in board["pads"]]))
    lines.append(_row("pins_accept", [seat["accept"] for seat in buttons]))
    lines.append(_row("pins_refuse", [seat["refuse"] for seat in buttons]))
    return lines


def header() -> str:
    """Return the text of src/pins.hpp."""
    lines = [
        "// Made by tools/pins.py from pins.toml: change that file, not this one.",
        "#pragma once",
        "",
        "#include <stdint.h>",
        "",
        "namespace reader {",
        "",
        "struct Pin {",
        "    char port;",
        "    uint8_t bit;",
        "};",
        "",
    ]
    found = boards()
    for i, board in enumerate(found):
        last = i == len(found) - 1
        test = f"defined({_MACROS[board['mcu']]})"
        lines.append(f"#{'el' if i else ''}if {test}  // {board['title']}")
        lines += ["", *_board(board), ""]
        if last:
            lines += ["#else", '#error "pins.toml has no such board"', "#endif"]
    return "\n".join([*lines, "", "}  // namespace reader", ""])


def board_list() -> str:
    """Return build/boards.txt, which the simulator reads: one fact a line."""
    lines = []
    for board in boards():
        lines.append(f"board {board['name']} {board['mcu']}")
        lines += [f"{name} {board[name]['port'][1:]}" for name in ("reset", "lights")]
        lines += [f"pad {pad['name']} {pad['select']['port'][1:]}" for pad in board["pads"]]
        lines += [f"seat {s['accept']['port'][1:]} {s['refuse']['port'][1:]}" for s in board["buttons"]]
    return "\n".join(lines) + "\n"


def tables() -> str:
    """Return the pin tables in Markdown."""
    out = []
    for board in boards():
        rows = [f"### {board['title']}", "", "| wire | pin on the board | chip |", "|---|---|---|"]
        wires = [(f"SPI {n.upper()}", board["spi"][n]) for n in ("sck", "mosi", "miso")]
        wires += [
            ("RST of all readers", board["reset"]),
            ("lights (DIN of the first pixel)", board["lights"]),
        ]
        wires += [("buzzer", board["buzzer"])]
        wires += [
            (f"SDA of pad {i + 1}, `{pad['name']}`", pad["select"]) for i, pad in enumerate(board["pads"])
        ]
        for seat in board["buttons"]:
            wires += [
                (f"seat {seat['seat']} accept", seat["accept"]),
                (f"seat {seat['seat']} refuse", seat["refuse"]),
            ]
        rows += [f"| {name} | {pin['arduino']} | {pin['port']} |" for name, pin in wires]
        out.append("\n".join(rows))
    return "\n\n".join(out)


def _with_tables(text: str) -> str:
    before, _, rest = text.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{_BEGIN}\n\n{tables()}\n\n{_END}{after}"


def main() -> int:
    """Write or check what is made from pins.toml."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 if something is out of date"
    )
    parser.add_argument(
        "--boards", type=Path, metavar="FILE", help="write the simulator's list of boards, and no more"
    )
    args = parser.parse_args()
    check = args.check
    if args.boards:
        args.boards.write_text(board_list())
        return 0
    readme = FIRMWARE / "README.md"
    wanted = {FIRMWARE / "src" / "pins.hpp": header()}
    if readme.exists() and _BEGIN in readme.read_text():
        wanted[readme] = _with_tables(readme.read_text())
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text() != text]
    for path in stale:
        if check:
            print(
                f"{path.name} is not what pins.toml says: run python firmware/tools/pins.py", file=sys.stderr
            )
        else:
            path.write_text(wanted[path])
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
