"""Tell flash and static RAM of the built boards, and exit 1 if either is over its limit.

The limits: 16 kB of flash (16,384 bytes, initial values of variables included) and 70 % of the chip's RAM for what is static, so that
the stack has the rest.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

FLASH_MOST = 16_384
RAM_PART = 0.70


def sizes(elf: Path) -> tuple[int, int]:
    """Return (flash, static RAM) of an ELF file in bytes, by avr-size."""
    out = subprocess.run(["avr-size", str(elf)], check=True, capture_output=True, text=True).stdout
    text, data, bss = (int(word) for word in out.splitlines()[1].split()[:3])
    return text + data, data + bss


def ram_of(board: str) -> int:
    """Return the RAM of a board's chip in bytes."""
    with (Path(__file__).parent.parent / "pins.toml").open("rb") as source:
        return next(int(b["ram_bytes"]) for b in tomllib.load(source)["board"] if b["name"] == board)


def main() -> int:
    """Print one line for each ELF file given."""
    worst = 0
    for name in sys.argv[1:]:
        elf = Path(name)
        board = elf.parent.name
        flash, ram = sizes(elf)
        part = ram / ram_of(board)
        fits = flash < FLASH_MOST and part < RAM_PART
        worst |= not fits
        print(
            f"{board:9} flash {flash:6} of {FLASH_MOST}   static RAM {ram:5}, {part:.0%}   {'ok' if fits else 'TOO LARGE'}"
        )
    return worst


if __name__ == "__main__":
    sys.exit(main())
