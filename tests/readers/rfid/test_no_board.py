"""A port that is missing, busy, forbidden or none at all is told at once, in words that say what to
do; so is a board that is away."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import serial

from companion.readers.nfc.pn532 import Pn532Reader
from companion.readers.rfid.board import BoardReader
from companion.table.sightings import Health

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals")


@pytest.fixture
def line():
    """The name of a serial line that exists: a pseudo-terminal."""
    ours, theirs = os.openpty()
    yield os.ttyname(theirs)
    os.close(ours)
    os.close(theirs)


def first_trouble(reader: Any) -> tuple[str, str]:
    told: queue.Queue[Any] = queue.Queue()
    reader.start(told.put)
    try:
        while True:
            report = told.get(timeout=20)
            if isinstance(report, Health) and report.state == "starting":
                assert report.text.args == {"reader": reader.name}
            elif isinstance(report, Health):
                return report.state, report.text.code
    finally:
        reader.close()


def board(port: str) -> BoardReader:
    return BoardReader(port, lambda _tag: None)


def module(port: str) -> Pn532Reader:
    return Pn532Reader(port, lambda _tag: None, {})


@pytest.mark.parametrize("reader", [board, module])
def test_a_port_that_is_not_there_is_told(reader: Any) -> None:
    assert first_trouble(reader("/dev/no-such-port")) == ("lost", "reader.rfid.no_port")


@pytest.mark.parametrize("reader", [board, module])
def test_what_is_no_port_is_told(reader: Any) -> None:
    assert first_trouble(reader(os.devnull)) == ("lost", "reader.rfid.not_a_port")


@pytest.mark.parametrize("reader", [board, module])
def test_a_port_that_another_program_holds_is_told(reader: Any, line: str) -> None:
    with serial.Serial(line, exclusive=True):
        assert first_trouble(reader(line)) == ("lost", "reader.rfid.busy")


def test_no_board_plugged_in_at_all_is_told() -> None:
    reader = BoardReader(lambda: None, lambda _tag: None)
    assert first_trouble(reader) == ("lost", "reader.rfid.no_board")


FORBIDDEN = """
import os, queue, sys
from companion.readers.rfid.board import BoardReader
if os.geteuid() == 0:  # root may use everything
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
told = queue.Queue()
reader = BoardReader(sys.argv[1], lambda tag: None)
reader.start(told.put)
told.get(timeout=20)
print(told.get(timeout=20).text.code)
reader.close()
"""


def test_a_port_that_we_may_not_use_is_told(line: str) -> None:
    Path(line).chmod(0)
    done = subprocess.run(
        [sys.executable, "-c", FORBIDDEN, line], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "reader.rfid.no_permission", done.stderr
