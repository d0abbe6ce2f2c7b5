"""One pin map: the header, the README's tables, the simulator's list and the program's lists are
all made from pins.toml."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from companion.readers.rfid.events import PAD_NAMES

FIRMWARE = Path(__file__).parents[2] / "firmware"
BOARDS = tomllib.loads((FIRMWARE / "pins.toml").read_text())["board"]
# Which chip pin an Arduino pin is, from the boards' pinout drawings.
NANO = (
    {f"D{i}": f"PD{i}" for i in range(8)}
    | {f"D{8 + i}": f"PB{i}" for i in range(6)}
    | {f"A{i}": f"PC{i}" for i in range(6)}
)
# A Pico prints its chip's own names; GP15 helps an older chip to join a busy USB hub.
PICO = {f"GP{i}": f"GP{i}" for i in [*range(15), *range(16, 23), *range(26, 29)]}


def wires(board: dict) -> list[tuple[str, dict[str, str]]]:
    found = list(board["spi"].items())
    found += [(name, board[name]) for name in ("reset", "lights", "buzzer")]
    found += [(pad["name"], pad["select"]) for pad in board["pads"]]
    for seat in board["buttons"]:
        found += [(f"accept {seat['seat']}", seat["accept"]), (f"refuse {seat['seat']}", seat["refuse"])]
    return found


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board["name"])
def test_no_two_wires_share_a_pin_and_each_pin_is_named_right(board):
    names = {"nano": NANO, "pico": PICO}[board["name"]]
    used: dict[str, str] = {}
    for wire, pin in wires(board):
        assert names[pin["arduino"]] == pin["port"], f"{wire} says {pin['arduino']} is {pin['port']}"
        if wire == "ss":
            continue  # the chip's own slave select: an output in any case, and free to be a reader's chip select
        assert pin["port"] not in used, f"{wire} and {used[pin['port']]} are on the same pin"
        used[pin["port"]] = wire


def test_header_and_readme_are_what_the_pin_map_says():
    done = subprocess.run(
        [sys.executable, FIRMWARE / "tools" / "pins.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_readme_shows_the_pins_of_both_boards():
    readme = (FIRMWARE / "README.md").read_text()
    for board in BOARDS:
        assert f"### {board['title']}" in readme


def test_the_program_knows_the_boards_of_the_pin_map():
    for board, code in zip(BOARDS, (4, 2), strict=True):
        assert PAD_NAMES[code] == tuple(pad["name"] for pad in board["pads"])


def test_arduino_projects_name_the_boards_of_the_pin_map():
    platformio = (FIRMWARE / "platformio.ini").read_text()
    sketch = (FIRMWARE / "sketch.yaml").read_text()
    for board in BOARDS:
        assert f"board = {board['platformio']}" in platformio
        assert board.get("arduino_fqbn", "") in sketch
