"""`companion flash`: which board, which image, and what it says."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from companion.__main__ import main
from companion.commands import flash
from companion.readers.rfid import boot_loader
from companion.readers.rfid.events import ReaderProblem
from companion.readers.rfid.simulator import BOOT_LOADERS, SimulatedBoard
from tests.readers.rfid.test_ports import MEGA, NANO, PLAIN, plug

OPTIBOOT = BOOT_LOADERS / "optiboot" / "optiboot_atmega328.hex"


def types(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """Answer the questions that are asked, then end the input."""
    waiting = list(lines)

    def answer(prompt: str) -> str:
        print(prompt)
        if not waiting:
            raise EOFError
        return waiting.pop(0)

    monkeypatch.setattr("builtins.input", answer)


@pytest.mark.slow
@pytest.mark.simavr
@pytest.mark.parametrize("tool", ["avrdude", None])
def test_a_board_is_found_out_written_and_answers(tool, monkeypatch, capfd):
    if tool and shutil.which(tool) is None:
        pytest.skip("avrdude is not here: sudo apt-get install avrdude")
    if tool is None:
        monkeypatch.setattr(flash.shutil, "which", lambda name: None if name == "avrdude" else name)
    types(monkeypatch, "y")
    with SimulatedBoard("nano", boot_loader=OPTIBOOT, reset_on_open=True) as board:
        assert main(["flash", "--reader", board.port, "--lang", "en"]) == 0
    said = capfd.readouterr()
    assert "Found: Arduino Nano/Uno (ATmega328P), its boot loader at 115200 baud." in said.out
    assert ("Reading back: 100 %" in said.out) == (tool is None)
    assert ("bytes of flash verified" in said.err) == (tool is not None)
    assert "3 pads. Next: companion check" in said.out


@pytest.mark.simavr
@pytest.mark.parametrize("typed", [("n",), ("",), ()])
def test_nothing_is_written_unasked(typed, monkeypatch, capsys):
    types(monkeypatch, *typed)
    monkeypatch.setattr(boot_loader, "program", lambda *_: pytest.fail("written"))
    with SimulatedBoard("nano", boot_loader=OPTIBOOT, reset_on_open=True) as board:
        assert main(["flash", "--reader", board.port, "--lang", "en"]) == 2
    assert "left as it is" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("there", "typed", "chosen"),
    [
        ([PLAIN, MEGA], [], "/dev/ttyACM0"),
        ([MEGA, NANO], ["2"], "/dev/ttyUSB0"),
        ([MEGA, NANO], ["3"], "flash.several"),
        ([MEGA, NANO], [], "flash.several"),
        ([PLAIN], [], "flash.no_board"),
    ],
)
def test_the_board_that_is_plugged_in_is_meant_and_of_several_one_is_asked_for(
    there, typed, chosen, monkeypatch
):
    plug(monkeypatch, *there)
    types(monkeypatch, *typed)
    looked: list[str] = []

    def opening(port: str):
        looked.append(port)
        raise ReaderProblem("reader.rfid.no_port", port=port)

    monkeypatch.setattr(boot_loader, "opening", opening)
    assert main(["flash", "--lang", "en"]) == 2
    assert looked == ([] if chosen.startswith("flash.") else [chosen])


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (":0400000001020304F2\n:00000001FF\n", None),
        (":0400000001020304F2\n", "flash.no_hex"),
        (":0400000001020304F3\n:00000001FF\n", "flash.no_hex"),
        (":00000001FF\n", "flash.no_hex"),
        ("PK\x03\x04é", "flash.no_hex"),
        (":020000040001F9\n:0400000001020304F2\n:00000001FF\n", "flash.too_large"),
        (None, "flash.no_image"),
    ],
)
def test_an_image_is_whole_and_for_this_board_or_it_is_not_written(content, code, tmp_path: Path):
    file = tmp_path / "reader.hex"
    if content is not None:
        file.write_text(content)
    if code is None:
        assert boot_loader.image(file, 0x7800) == b"\x01\x02\x03\x04"
    else:
        with pytest.raises(ReaderProblem) as fault:
            boot_loader.image(file, 0x7800)
        assert fault.value.text.code == code


def test_a_wheel_without_images_says_where_they_are(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("COMPANION_FIRMWARE", str(tmp_path))
    with pytest.raises(Exception, match=r"flash\.not_packed"):
        flash._image("nano")
