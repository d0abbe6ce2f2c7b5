"""`companion flash`: which board, which image, and what it says."""

from __future__ import annotations

import shutil
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from companion.__main__ import main
from companion.commands import flash
from companion.readers.rfid import boot_loader, ports
from companion.readers.rfid.events import ReaderProblem
from companion.readers.rfid.simulator import SimulatedBoard, build_firmware
from tests.readers.rfid.test_ports import MEGA, NANO, PLAIN, plug
from tests.readers.rfid.test_trays import tray_at
from tests.simulated.lock_step import BOOT_LOADERS

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
@pytest.mark.boot_loaders
@pytest.mark.parametrize("tool", [pytest.param("avrdude", marks=pytest.mark.avrdude), None])
def test_a_board_is_found_out_written_and_answers(tool, monkeypatch, capfd):
    if tool is None:
        monkeypatch.setattr(flash.shutil, "which", lambda name: None if name == "avrdude" else name)
    types(monkeypatch, "y")
    with SimulatedBoard("nano", native=False, boot_loader=OPTIBOOT, reset_on_open=True) as board:
        assert main(["flash", "--reader", board.port, "--lang", "en"]) == 0
    said = capfd.readouterr()
    assert "Found: Arduino Nano/Uno (ATmega328P), boot loader at 115200 baud." in said.out
    assert ("Reading back: 100 %" in said.out) == (tool is None)
    assert ("bytes of flash verified" in said.err) == (tool is not None)
    assert "3 pads. Next: companion check" in said.out


@pytest.mark.simavr
@pytest.mark.boot_loaders
@pytest.mark.parametrize("typed", [("n",), ("",), ()])
def test_nothing_is_written_unasked(typed, monkeypatch, capsys):
    types(monkeypatch, *typed)
    monkeypatch.setattr(boot_loader, "flash_firmware", lambda *_: pytest.fail("written"))
    with SimulatedBoard("nano", native=False, boot_loader=OPTIBOOT, reset_on_open=True) as board:
        assert main(["flash", "--reader", board.port, "--lang", "en"]) == 2
    assert "was not changed" in capsys.readouterr().err


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

    monkeypatch.setattr(boot_loader, "resetting_port", opening)
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
        assert boot_loader.load_hex_image(file, 0x7800) == b"\x01\x02\x03\x04"
    else:
        with pytest.raises(ReaderProblem) as fault:
            boot_loader.load_hex_image(file, 0x7800)
        assert fault.value.text.code == code


def test_a_wheel_without_images_says_where_they_are(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("COMPANION_FIRMWARE", str(tmp_path))
    with pytest.raises(Exception, match=r"flash\.not_packed"):
        flash._find_image("nano")


class Pico:
    """A Pico in boot-select mode: a drive that goes when a file has come, whereupon the tray is
    there."""

    def __init__(self, folder: Path, takes: bool = True) -> None:
        self.folder, self.there = folder, []
        build_firmware("native")  # half a minute where it is not there yet: the tray is waited for less long
        folder.mkdir(parents=True)
        (folder / "INFO_UF2.TXT").write_text(
            "UF2 Bootloader v3.0\nModel: Raspberry Pi RP2\nBoard-ID: RPI-RP2\n"
        )
        self.board = SimulatedBoard("pico", native=True)
        self.taken = b""
        threading.Thread(target=self._wait, daemon=True).start() if takes else None

    def _wait(self) -> None:
        file = self.folder / "reader.uf2"
        size = (build_firmware("pico") / "pico" / "reader.uf2").stat().st_size
        while not file.exists() or file.stat().st_size < size:
            time.sleep(0.01)
        self.taken = file.read_bytes()
        shutil.rmtree(self.folder)
        self.board.start()
        self.there.append(tray_at(self.board.port, "E66140C300000001"))


@pytest.fixture
def drives(monkeypatch, tmp_path):
    monkeypatch.setattr(boot_loader, "PLACES", (f"{tmp_path}/media/*",))
    monkeypatch.setattr(boot_loader, "UNMOUNTED", tmp_path / "by-label")
    return tmp_path / "media"


@pytest.mark.pico
def test_a_pico_takes_the_file_as_a_drive_and_the_tray_that_comes_is_asked_who_it_is(
    drives, monkeypatch, capsys
):
    pico = Pico(drives / "RPI-RP2")
    (drives / "stick").mkdir()
    running = tray_at("/dev/ttyACM7", "E66140C300000007")
    monkeypatch.setattr(ports.list_ports, "comports", lambda: [running, *pico.there])
    types(monkeypatch, "y")
    with closing(pico.board):
        assert main(["flash", "--lang", "en"]) == 0
    said = capsys.readouterr().out
    assert f"its drive at {drives / 'RPI-RP2'}" in said
    assert "Found: Card tray E66140C300000001" in said
    assert "firmware 1.0.0" in said
    assert pico.taken == (build_firmware("pico") / "pico" / "reader.uf2").read_bytes()


@pytest.mark.pico
def test_a_pico_that_does_not_start_the_file_is_said_and_nothing_is_spoilt(drives, monkeypatch, capsys):
    monkeypatch.setattr(boot_loader, "DRIVE_TIMEOUT", 0.1)
    plug(monkeypatch)
    Pico(drives / "RPI-RP2", takes=False)
    types(monkeypatch, "n", "y")
    assert main(["flash", "--lang", "en"]) == 2
    assert not (drives / "RPI-RP2" / "reader.uf2").exists(), "nothing is written unasked"
    assert main(["flash", "--reader", str(drives / "RPI-RP2"), "--lang", "en"]) == 2
    assert "hold BOOTSEL" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("there", "label", "said"),
    [
        ([tray_at("/dev/ttyACM7", "07")], False, "Card tray 07 is running"),
        ([PLAIN], True, "udisksctl mount -b"),
        ([PLAIN], False, "No board found"),
    ],
)
def test_why_no_pico_can_be_written_is_said(there, label, said, drives, monkeypatch, capsys):
    plug(monkeypatch, *there)
    boot_loader.UNMOUNTED.touch() if label else None
    assert main(["flash", "--lang", "en"]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.pico
@pytest.mark.parametrize("broken", ["short", "other chip", "a block is missing", "hex", None])
def test_a_uf2_file_is_whole_and_for_this_chip_or_it_is_not_copied(broken, tmp_path):
    whole = (build_firmware("pico") / "pico" / "reader.uf2").read_bytes()
    made = {
        "short": whole[:-100],
        "other chip": whole[:28] + b"\x57\xff\x8b\xe4" + whole[32:],
        "a block is missing": whole[:512] + whole[1024:],
        "hex": b":00000001FF\n",
        None: whole,
    }
    (tmp_path / "reader.uf2").write_bytes(made[broken])
    if broken is None:
        assert boot_loader.load_uf2_image(tmp_path / "reader.uf2") == whole
    else:
        with pytest.raises(ReaderProblem, match=r"flash\.no_uf2"):
            boot_loader.load_uf2_image(tmp_path / "reader.uf2")


@pytest.mark.parametrize(
    ("told", "pico"),
    [
        (b"UF2 Bootloader v3.0\nBoard-ID: RPI-RP2\n", True),
        (b"UF2 Bootloader v3.0\nBoard-ID: RP2350\n", False),
        (b"Board-ID: RPI-RP2" + b" " * 10_000, False),
        (None, False),
    ],
    ids=["a Pico", "another board", "a file of somebody's", "a memory stick"],
)
def test_a_drive_is_a_pico_by_the_short_file_that_names_its_board(tmp_path, told, pico):
    if told is not None:
        (tmp_path / boot_loader.INFO).write_bytes(told)
    assert boot_loader.is_pico_drive(tmp_path) is pico
