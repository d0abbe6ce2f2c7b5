"""Tell flash and static RAM of the built boards, and exit 1 if either is over its limit.

The limits: the flash that the board's largest boot loader leaves (`flash_bytes` of pins.toml,
initial values of variables included) and 70 % of the chip's RAM for what is static, so that the
stack has the rest. The tray's whole program is in RAM.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

RAM_PART = 0.70


def sizes(elf: Path) -> tuple[int, int]:
    """Return (flash, static RAM) of an ELF file in bytes, by its compiler's own tool."""
    tray = elf.parent.name == "pico"
    tool = "arm-none-eabi-size" if tray else "avr-size"
    out = subprocess.run([tool, str(elf)], check=True, capture_output=True, text=True).stdout
    text, data, bss = (int(word) for word in out.splitlines()[1].split()[:3])
    return text + data, data + bss + (text if tray else 0)


def room_on(board: str) -> tuple[int, int]:
    """Return what there is on a board: (flash, RAM) in bytes."""
    with (Path(__file__).parent.parent / "pins.toml").open("rb") as source:
        found = next(b for b in tomllib.load(source)["board"] if b["name"] == board)
    return int(found["flash_bytes"]), int(found["ram_bytes"])


def main() -> int:
    """Print one line for each ELF file given."""
    worst = 0
    for name in sys.argv[1:]:
        elf = Path(name)
        board = elf.parent.name
        flash, ram = sizes(elf)
        flash_room, ram_room = room_on(board)
        part = ram / ram_room
        fits = flash <= flash_room and part < RAM_PART
        worst |= not fits
        print(
            f"{board:9} flash {flash:6} of {flash_room:6}   static RAM {ram:5}, {part:.0%}   {'ok' if fits else 'TOO LARGE'}"
        )
    return worst


if __name__ == "__main__":
    sys.exit(main())
