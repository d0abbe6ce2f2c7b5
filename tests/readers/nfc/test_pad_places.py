"""Which reader stands where: asked for by taps, kept in a file that the table reads, and looked
over by the check of the equipment."""

from __future__ import annotations

import subprocess
import sys

import pytest

from companion.__main__ import main
from companion.equipment import board as own_pads
from companion.equipment.board import PadDeviceBench
from companion.equipment.diagnosis import KnownTags
from companion.language import LANGUAGES
from companion.readers.nfc.pcsc import PcscReader
from companion.readers.nfc.tag_pads import SeatAssignment, format_pads_toml
from companion.readers.rfid.events import ReaderProblem
from companion.table.identification import Pad
from companion.table.pad_plan import load_pads
from companion.texts import Translator
from tests.simulated.lock_step import card
from tests.simulated.virtual_pcsc import DEVICES

NOBODY = KnownTags({}.get, taught=False)


@pytest.mark.parametrize("language", LANGUAGES)
def test_people_tap_one_reader_after_another(language):
    translator = Translator(language).translate
    placing = SeatAssignment(["Ann", ""])
    said = [
        translator(placing.describe_next_tap()),
        translator(placing.record_tap("left")),
        translator(placing.describe_next_tap()),
        translator(placing.record_tap("right")),
    ]
    assert "Ann" in said[0]
    assert "left" in said[1]
    assert "2" in said[2], "a seat without a name has its number"
    placing.skip()
    assert placing.is_done
    assert "2" in translator(placing.describe_next_tap())
    assert placing.rows == {"left": "seat:1", "right": "seat:2"}
    assert not any("{" in one or "pads." in one for one in said)


def test_a_place_can_be_taken_back_and_a_reader_that_is_tapped_twice_moves():
    placing = SeatAssignment(["Ann", "Ben"])
    placing.record_tap("left")
    placing.step_back()
    placing.record_tap("right")
    assert placing.record_tap("right").code == "pads.moved"
    placing.record_tap("left")
    assert placing.rows == {"right": "seat:2", "left": "middle"}


def test_what_is_kept_is_what_the_table_reads(tmp_path):
    file = tmp_path / "pads.toml"
    file.write_text(
        format_pads_toml({'ACS "ACR122U" 00 00': "seat:1", "Sycreader, usb-1": "middle"}), encoding="utf-8"
    )
    assert load_pads(file, face_down=True) == {
        'ACS "ACR122U" 00 00': Pad("seat:1", face_down=True),
        "Sycreader, usb-1": Pad("middle"),
    }


def test_a_file_that_was_named_and_is_there_is_not_written_over(tmp_path, capsys):
    file = tmp_path / "letter.txt"
    file.write_text("Dear Ann")
    assert main(["pads", "--players", "Ann", "--file", str(file)]) == 2
    assert f"{file} already exists" in capsys.readouterr().err
    assert file.read_text() == "Dear Ann"


def test_the_command_asks_at_real_readers_and_keeps_the_file(pcscd, tmp_path):
    file = tmp_path / "kept" / "pads.toml"
    words = ["pads", "--reader", "pcsc", "--players", "Ann", "--file", str(file)]
    with subprocess.Popen(
        [sys.executable, "-m", "companion", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as asking:
        lines = iter(asking.stdout)
        assert next(line for line in lines if "in front of Ann" in line)
        first = pcscd.lay(1, card(1))
        assert next(line for line in lines if DEVICES[1] in line).strip().endswith("Ann.")
        assert "middle" in next(lines)
        first.take()
        pcscd.lay(0, card(1))
        assert next(line for line in lines if DEVICES[0] in line)
        assert asking.wait(20) == 0
    assert load_pads(file) == {DEVICES[1]: Pad("seat:1"), DEVICES[0]: Pad("middle")}


def test_the_check_of_the_equipment_names_each_reader_and_its_place(pcscd, tmp_path, monkeypatch):
    monkeypatch.setattr(own_pads, "OBSERVATION_TIME", 0.5)
    (tmp_path / "pads.toml").write_text(format_pads_toml({DEVICES[0]: "seat:1"}))
    bench = PadDeviceBench(lambda plan: PcscReader({}.get, plan), "pcsc", tmp_path / "pads.toml", NOBODY)
    look = bench.observe_devices()
    (asking,) = bench.next_steps()
    asking.start(0.0)
    assert asking.prompt.args["where"] == ", ".join(DEVICES)
    for device in (0, 1):
        pcscd.lay(device, card(device))
    while (found := asking.poll(0.0)) is None:
        continue
    bench.close()
    assert [one.text.code for one in found] == ["check.tap.read"] * 2
    assert [(one.verdict, one.text.code) for one in look] == [
        ("ok", "reader.pad.placed"),
        ("ok", "reader.pad.unplaced"),
        ("ok", "reader.pcsc.ok"),
    ]


def test_the_check_says_what_is_missing(tmp_path):
    def cannot(_plan):
        raise ReaderProblem("reader.pcsc.no_pyscard")

    bench = PadDeviceBench(cannot, "pcsc", tmp_path / "none.toml", NOBODY)
    (found,) = bench.observe_devices()
    assert not list(bench.next_steps())
    assert (found.verdict, found.text.code) == ("fault", "reader.pcsc.no_pyscard")


@pytest.mark.parametrize(
    ("reader", "why"),
    [
        ("auto", "pads need no places"),
        ("/dev/ttyUSB0", "pads need no places"),
        ("phone", "on the phone's page"),
    ],
)
def test_what_needs_no_place_is_told_so(reader, why, capsys):
    assert main(["pads", "--reader", reader]) == 2
    said = capsys.readouterr().err
    assert why in said
    assert "pcsc, typed, pn532=PORT" in said
