"""Everything a player does first, from the installed wheel alone: the demo, by hand, a film as
camera, our own sheets, French."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from companion.readers.rfid.simulator import SimulatedBoard
from tests import filmed
from tests.shipping.conftest import BIN, ROOT, Installed, checked
from tests.simulated.lock_step import BOOT_LOADERS
from tests.simulated.terminal import Terminal, run

pytestmark = [
    pytest.mark.network,
    pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals"),
]


def play(installed: Installed, *words: str):
    return run(
        [str(installed.bin / "companion"), "play", *words], where=installed.home, **installed.variables
    )


def leave(terminal: Terminal) -> None:
    terminal.type("quit\n")
    assert terminal.end() == 0
    assert b"Traceback" not in terminal.written


@pytest.mark.slow
def test_it_is_the_wheel_that_is_tried(installed: Installed) -> None:
    where = installed.run(
        "python", "-c", "import companion, vision; print(companion.__file__, vision.__file__)"
    )
    assert str(installed.bin.parent) in where.stdout
    assert str(ROOT) not in where.stdout
    assert installed.run("companion", "--version").stdout.startswith("companion ")


@pytest.mark.slow
def test_the_demo_table_reads_its_first_cards_in_french(installed: Installed) -> None:
    with play(installed, "--demo", "--plain", "--lang", "fr", "--speed", "20", "--seed", "5") as terminal:
        terminal.until("Manche 1", seconds=120)
        terminal.until("capacité", seconds=120)  # the first donkey has been read
        leave(terminal)


def test_the_dashboard_opens_and_closes(installed: Installed) -> None:
    with play(installed, "--demo", "--new", "--seed", "5") as terminal:
        terminal.until("Ann")
        terminal.type("q")
        assert terminal.end() == 0
        assert b"Traceback" not in terminal.written


def test_by_hand_the_table_is_kept_and_told_line_by_line(installed: Installed) -> None:
    with play(installed, "--by-hand", "--plain", "--players", "Ann,Bob,Chloé", "--new") as terminal:
        terminal.until("Chloé")
        leave(terminal)


@pytest.mark.slow
def test_a_film_as_camera_names_the_donkey(installed: Installed) -> None:
    assert installed.run("python", filmed.__file__, "film.avi", "21", "99", "fr").returncode == 0
    names = ("--players", "Ann,Bob,Chloé")
    with play(installed, "--camera", "film.avi", "--plain", "--lang", "fr", "--new", *names) as terminal:
        terminal.until("âne géant", seconds=120)
        leave(terminal)


def test_our_sheets_are_printed(installed: Installed) -> None:
    done = installed.run("companion", "cards", "print", "--game", "dtc", "--out", "sheets")
    assert done.returncode == 0, done.stderr
    assert any(file.suffix == ".pdf" for file in (installed.home / "sheets").iterdir())


def test_the_referee_answers(installed: Installed) -> None:
    lines = '{"do":"start","game":"ascend","players":["Ann","Bob","Cy"],"seed":1}\n{"do":"view"}\n'
    answers = installed.run("companion", "referee", given=lines).stdout.splitlines()
    assert [json.loads(answer)["ok"] for answer in answers] == [True, True]


def test_what_needs_the_source_tree_says_so(installed: Installed) -> None:
    done = installed.run("companion", "play", "--demo", "--plain", "--reader", "simulated")
    assert done.returncode == 2
    assert "firmware" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.simavr
@pytest.mark.boot_loaders
@pytest.mark.arm
def test_the_reader_s_firmware_comes_with_the_wheel(installed: Installed) -> None:
    loader = BOOT_LOADERS / "optiboot" / "optiboot_atmega328.hex"
    with SimulatedBoard("nano", native=False, boot_loader=loader, reset_on_open=True) as board:
        done = installed.run("companion", "flash", "--reader", board.port, given="n\n")
    assert done.returncode == 2, done.stderr
    assert "images/reader-nano.hex" in done.stdout


def test_uv_installs_it_as_a_tool(wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UV_TOOL_DIR", str(tmp_path / "tools"))
    monkeypatch.setenv("UV_TOOL_BIN_DIR", str(tmp_path / "bin"))
    checked([str(BIN / "uv"), "tool", "install", "--quiet", str(wheel)])
    done = subprocess.run(
        [str(tmp_path / "bin" / "companion"), "referee"], input="", capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
