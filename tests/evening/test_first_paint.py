"""What is imported before the first screen is painted, in a real terminal: counted, not timed."""

import os
import re
import sys
from collections.abc import Collection
from pathlib import Path

import pytest

from tests.simulated.terminal import run

pytestmark = pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals")

PROBE = """
import os, sys, companion.__main__
from textual.drivers.linux_driver import LinuxDriver
write = LinuxDriver.write
def painted(driver, data):
    write(driver, data)
    if sys.argv[1] in data:
        loaded = " ".join(sys.modules)
        driver.stop_application_mode()
        os.write(1, f"\\nLOADED {loaded} OVER".encode())
        os._exit(0)
LinuxDriver.write = painted
companion.__main__.main(sys.argv[2:])
"""
"""Runs `companion`, and tells what is loaded when these words stand on the screen."""
CAMERA = {
    "cv2",
    "numpy",
    "vision.errors",
    "companion.readers.camera.reader",
    "companion.demo.table",
    "pypdfium2",
    "fontTools",
    "fpdf",
}
DEVICES = {"serial", "smartcard", "companion.readers.rfid.board", "companion.readers.nfc.tag_pads"}
OTHERS = {
    "uvicorn",
    "starlette",
    "segno",
    "matplotlib",
    "tomlkit",
    "zipfile",
    "companion.share.share_server",
    "companion.figures",
}
SCREENS = {
    *(f"companion.views.dashboard.screens.{name}" for name in ("conversation", "pads", "share", "reading")),
    "companion.views.dashboard.setup",
    "companion.views.plain_view",
    "companion.views.page_state",
    "companion.views.voice",
}
"""Screens that are not shown yet, and views that nobody asked for."""
METADATA = {"importlib.metadata", "email.message"}
"""Reading what every installed package says of itself takes 40 ms, and our own games are found
without."""
GAMES = {f"companion.games.{game}" for game in ("dtc", "ochs_und_esel", "partners", "ascend")}


@pytest.mark.parametrize(
    ("words", "shown", "needless"),
    [
        (("welcome", "--lang", "en"), "Settings", CAMERA | DEVICES | OTHERS | SCREENS),
        (
            ("play", "--by-hand", "--new", "--players", "Ann,Bob,Dan", "--lang", "en"),
            "Quit",
            CAMERA | DEVICES | OTHERS | SCREENS | METADATA | GAMES,
        ),
        (
            ("play", "--demo", "--new", "--lang", "en"),
            "Quit",
            CAMERA | DEVICES | OTHERS | SCREENS | METADATA | GAMES,
        ),
    ],
)
def test_the_first_screen_waits_for_nothing_that_is_not_on_it(
    words: Collection[str], shown: str, needless: Collection[str], tmp_path: Path
) -> None:
    (tmp_path / "program.py").write_text(PROBE)
    with run(
        [sys.executable, str(tmp_path / "program.py"), shown, *words],
        XDG_DATA_HOME=str(tmp_path),
        XDG_CONFIG_HOME=str(tmp_path),
        PYTHONPATH=str(Path(__file__).parents[2]),
    ) as terminal:
        terminal.until("LOADED ")
        terminal.until(" OVER")
    loaded = set(re.split(rb"\s+", terminal.before))
    assert b"textual.app" in loaded
    assert not {name for name in needless if name.encode() in loaded}
