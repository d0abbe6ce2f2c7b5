"""The check of the equipment as a person goes through it: at a simulated board, without any device,
on the screen and line by line."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest
from textual.widgets import Static

from companion.__main__ import main
from companion.commands.check import run_plain_check
from companion.demo.deferred_table import assign_tags
from companion.equipment import diagnosis
from companion.equipment.board import BoardBench, BoardStep, CardStep, PadDeviceBench
from companion.equipment.diagnosis import KnownTags, make_finding
from companion.equipment.steps import AnswerStep, EquipmentCheck, MeasureStep
from companion.folders import user_data_folder
from companion.readers.rfid.events import TagId
from companion.readers.rfid.simulator import SimulatedBoard
from companion.table.decks import Deck
from companion.texts import Translator
from companion.views.dashboard.check import CheckApp
from tests.equipment.equipment_words import say_all
from tests.views.table import wait_for_words, wait_until

DECK = assign_tags(Deck.load_builtin("donkey_valley"))
KNOWN = KnownTags(DECK.find_design_by_tag)


def until(check, enough, seconds=60):
    limit = time.monotonic() + seconds
    while not enough():
        assert time.monotonic() < limit, check.findings
        check.tick(time.monotonic())
        time.sleep(0.01)


def ok(part="disk"):
    return MeasureStep(part, part, lambda: [make_finding(part, "ok", f"{part}.no", folder="x", reason="y")])


def test_steps_come_one_after_the_other_and_may_be_left_out():
    asked = []
    check = EquipmentCheck(
        [AnswerStep("buzzer", lambda: asked.append(1)), AnswerStep("lights", lambda: asked.append(2))]
    )
    until(check, lambda: asked == [1])
    check.record_answer(True)
    until(check, lambda: asked == [1, 2])
    check.skip_step()
    check.repeat_step()
    until(check, lambda: asked == [1, 2, 2])
    check.repeat_step()
    until(check, lambda: asked == [1, 2, 2, 2])
    check.step_back()
    assert not check.findings
    until(check, lambda: asked == [1, 2, 2, 2, 1])
    check.record_answer(True)
    until(check, lambda: asked == [1, 2, 2, 2, 1, 2])
    check.skip_step()
    assert [one.verdict for one in check.findings] == ["ok", "skipped"]
    assert check.is_done
    say_all(check.findings)


def test_a_board_that_never_answers_ends_after_a_while_and_nothing_more_is_asked_of_it(monkeypatch):
    monkeypatch.setattr("companion.equipment.board.BOARD_TIMEOUT", 0.2)
    bench = BoardBench("/dev/nowhere", "/dev/nowhere", KNOWN)
    check = EquipmentCheck([BoardStep(bench)])
    until(check, lambda: check.is_done and check.findings)
    bench.close()
    assert [one.text.code for one in check.findings] == ["reader.rfid.no_port"]
    say_all(check.findings)


@pytest.mark.native
def test_a_whole_board_with_a_counterfeit_a_dead_pad_and_a_button_that_is_missing(monkeypatch):
    monkeypatch.setattr("companion.equipment.board.TAP_TIMEOUT", 60.0)
    with SimulatedBoard("nano") as board:
        board.send_command("counterfeit", "seat2")
        board.send_command("kill", "middle")
        bench = BoardBench("simulated", board.port, KNOWN)
        check = EquipmentCheck([BoardStep(bench)])
        try:
            until(check, lambda: len(check.findings) >= 4 and check.current is not None)
            wanted = dict(zip(bench.pad_names, ["ok", "warn", "absent"], strict=True))
            assert {one.part.args["where"]: one.verdict for one in check.findings[1:4]} == wanted

            assert check.findings[2].text.code == "check.pad.counterfeit"

            board.put_tags("seat1", TagId.from_hex(DECK.find_design("load:red:1").tags[0]))
            until(check, lambda: len(check.findings) == 6)
            board.take_tags("seat1")
            board.put_tags("seat1", TagId.from_hex("04999999999999"))  # held to the wrong pad
            until(check, lambda: check.current and check.current.prompt.code == "check.do.tap_here")
            assert check.current.prompt.args == {"where": "seat2", "other": "seat1"}
            with monkeypatch.context() as waited:  # nobody holds it to the right pad
                waited.setattr("companion.equipment.board.TAP_TIMEOUT", 0.0)
                until(check, lambda: len(check.findings) == 7)
            said = [one.text.code.removeprefix("check.") for one in check.findings[4:]]
            assert said == ["tap.ok", "range.ok", "tap.elsewhere"]
            board.put_tags("seat2", TagId.from_hex("04999999999999"))
            until(check, lambda: any(one.text.code == "check.tap.unknown" for one in check.findings))
            until(check, lambda: check.current and check.current.prompt.code == "check.do.buttons")
            for seat in range(1, 4):
                for which in ("accept", "refuse")[: 1 if seat == 2 else 2]:
                    board.press_button(seat, which)
                    until(check, lambda key=(seat, which): key in bench.pressed_buttons)
                    board.press_button(seat, which, down=False)
            check.skip_step()
            assert [str(one.args["seat"]) for one in check.findings[-1].text.args["buttons"]] == ["2"]
            until(check, lambda: set(board.lights) == {"#282828"})
            check.record_answer(True)
            until(check, lambda: board.tone > 0)
            check.record_answer(False)
            until(check, lambda: check.is_done)
            assert [one.verdict for one in check.findings[-2:]] == ["ok", "fault"]
            say_all(check.findings)
        finally:
            bench.close()


@pytest.mark.native
def test_one_late_card_on_a_faultless_board_accuses_no_wire(monkeypatch):
    monkeypatch.setattr("companion.equipment.board.TAP_TIMEOUT", 3.0)
    card = TagId.from_hex(DECK.find_design("load:red:1").tags[0])
    with SimulatedBoard("nano") as board:
        bench = BoardBench("simulated", board.port, KNOWN)
        check = EquipmentCheck([BoardStep(bench, modules_only=True)])
        try:
            until(check, lambda: [one.text.code for one in check.findings[4:]] == ["check.tap.nothing"])
            until(check, lambda: check.current is not None)
            board.put_tags("seat1", card)
            until(check, lambda: check.current.prompt.code == "check.do.tap_here")
            assert check.findings[4].text.code == "check.tap.ok", "it was late, and it was read"
            board.take_tags("seat1")
            board.put_tags("seat2", card)
            until(check, lambda: len(check.findings) == 7 and check.current is not None)
            board.take_tags("seat2")
            board.put_tags("middle", card)
            until(check, lambda: check.is_done)
            assert {one.verdict for one in check.findings} == {"ok"}
        finally:
            bench.close()


@pytest.mark.native
@pytest.mark.parametrize(("weakness", "said"), [(0, ("ok", 20)), (20, ("ok", 5)), (25, ("warn", 0))])
def test_one_module_is_tried_with_one_sticker_before_anything_is_soldered(monkeypatch, weakness, said):
    monkeypatch.setattr("companion.equipment.board.GAIN_DWELL", 1.0)
    with SimulatedBoard("nano") as board:
        board.send_command("kill", 0)
        board.send_command("kill", 2)
        board.send_command("weak", 1, weakness)
        bench = BoardBench("simulated", board.port, KnownTags(DECK.find_design_by_tag, taught=False))
        check = EquipmentCheck([BoardStep(bench, modules_only=True)])
        try:
            until(check, lambda: len(check.findings) == 2 and check.current is not None)
            board.put_tags(1, TagId.from_hex("04a1b2c3d4e5f6"))
            until(check, lambda: check.is_done)
            module, tap, reach = check.findings[1:]
            assert (module.verdict, tap.text.code) == ("ok", "check.tap.read")
            assert (reach.verdict, reach.text.args["decibels"]) == said
            say_all(check.findings)
        finally:
            bench.close()


@pytest.mark.parametrize("language", ["en", "fr"])
async def test_the_screen_shows_what_is_found_and_asks(language):
    translator = Translator(language)
    check = EquipmentCheck([ok(), AnswerStep("buzzer", lambda: None)])
    app = CheckApp(check, translator)
    async with app.run_test(size=(100, 30)) as pilot:
        await wait_for_words(pilot, translator("check.do.buzzer"))
        await pilot.press("n")
        await wait_until(pilot, lambda: check.is_done)
        shown = str(app.query_one("#findings", Static).render())
        assert "✓" in shown
        assert "✗" in shown
        assert translator("check.buzzer.no") in shown
        assert translator("check.end.faults", 1, count=1) in str(app.query_one("#now", Static).render())
        await pilot.press("b")
        await wait_for_words(pilot, translator("check.do.buzzer"))
        assert translator("check.buzzer.no") not in str(app.query_one("#findings", Static).render())
        await pilot.press("y", "enter")  # nothing is left to be gone on with
        await wait_until(pilot, lambda: not app.is_running)


def test_line_by_line_the_same(capsys):
    lines = iter(["", "", "n", "b", "", "y", "s"])
    out = []
    check = EquipmentCheck([ok(), AnswerStep("voice", lambda: None)])

    def typed():
        time.sleep(0.01)
        return next(lines) if check.is_done or (check.current is not None and check.current.asks) else ""

    run_plain_check(check, Translator(), out.append, typed, interactive=True)
    assert out[-1] == "Everything connected works. Enter or q quits, b goes back."
    assert [line[:9] for line in out if "Voice" in line] == ["[✗] Voice", "[✓] Voice"]
    assert out.count("Did you hear the voice? (y or n, then Enter)") == 2


class PlainBench(PadDeviceBench):
    """Two readers that are a pad each, of which people see nothing but a card's tag."""

    def __init__(self):
        super().__init__(lambda _plan: None, "pcsc", Path(), KNOWN)


def test_readers_that_are_one_pad_each_are_asked_for_a_card_in_any_order():
    bench = PlainBench()
    check = EquipmentCheck([CardStep(bench, ["left", "right"])])
    check.tick(0.0)
    assert check.current.prompt.args["where"] == "left, right"
    bench.read["right"] = TagId.from_hex(DECK.find_design("load:red:1").tags[0])
    assert check.tick(15.0), "the screen shows who is left"
    assert check.current.prompt.args["where"] == "left"
    assert not check.tick(30.0), "the next one has its own time"
    assert check.tick(40.0)
    assert [one.text.code for one in check.findings] == ["check.tap.nothing", "check.tap.ok"]
    say_all(check.findings)


@pytest.mark.usefixtures("nobody_types")
def test_a_report_is_kept_to_be_sent_to_somebody(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("companion.readers.rfid.ports.list_ports.comports", list)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    words = ["check", "--plain", "--camera", "off", "--lang", "fr"]
    assert main(words) == 0
    said = capsys.readouterr().out
    file = user_data_folder() / "check.txt"
    assert str(file) in said.splitlines()[-1]
    kept = file.read_text(encoding="utf-8").splitlines()
    assert kept[0].startswith("companion ")
    assert all(line.partition(" (check.")[0] in said for line in kept if line.startswith("["))
    assert any(line.endswith("(check.ports.none)") for line in kept)
    assert file.stat().st_mode & 0o077 == 0


@pytest.mark.usefixtures("nobody_types")
def test_a_program_gets_the_findings_and_nothing_else(capsys, monkeypatch):
    monkeypatch.setattr("companion.readers.rfid.ports.list_ports.comports", list)
    assert main(["check", "--json", "--camera", "off", "--lang", "en"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"check.ports.none"} <= {one["code"] for one in found}
    assert all(set(one) == {"part", "verdict", "code", "text"} for one in found)


def test_what_stood_on_the_screen_stays_on_the_terminal(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("companion.readers.rfid.ports.list_ports.comports", list)
    monkeypatch.setattr("companion.commands.check.has_screen", lambda: True)
    monkeypatch.setattr(CheckApp, "run", lambda self: until(self._check, lambda: self._check.is_done))
    assert main(["check", "--camera", "off", "--journal", str(tmp_path / "j.sqlite")]) == 0
    said = capsys.readouterr().out
    assert "No reader found" in said
    assert "Everything connected works." in said


def test_a_device_that_talks_another_language_is_told_as_such(monkeypatch):
    monkeypatch.setattr("companion.readers.rfid.wire._FOREIGN_TIMEOUT", 0.2)
    ours, theirs = os.openpty()
    bench = BoardBench("gps", os.ttyname(theirs), KNOWN)
    check = EquipmentCheck([BoardStep(bench)])
    monkeypatch.setattr("companion.equipment.board.BOARD_TIMEOUT", 1.5)
    try:
        limit = time.monotonic() + 60
        while not check.is_done or not check.findings:
            assert time.monotonic() < limit
            os.write(ours, b"$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9*47\r\n")
            check.tick(time.monotonic())
            time.sleep(0.05)
    finally:
        bench.close()
        os.close(ours)
        os.close(theirs)
    assert [one.text.code for one in check.findings] == ["reader.rfid.foreign"]
    say_all(check.findings)


@pytest.fixture
def nobody_types(monkeypatch):
    with Path(os.devnull).open() as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        yield


@pytest.mark.native
@pytest.mark.usefixtures("nobody_types")
def test_from_a_script_a_board_is_looked_at_all_the_same(capsys, tmp_path):
    """The input ends at once: what needs a person is left out, what needs nobody is not."""
    words = ["--reader", "simulated", "--camera", "off", "--journal", str(tmp_path / "j.sqlite")]
    assert main(["check", "--plain", *words]) == 0
    said = capsys.readouterr().out
    assert "1 pad, at" in said
    assert said.count("not tested") > 2


@pytest.mark.usefixtures("nobody_types")
def test_without_any_device_it_checks_what_is_there(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("companion.readers.rfid.ports.list_ports.comports", list)
    broken = {"dtc": {"panel:build_panel": "NameError: Fcae"}}
    monkeypatch.setattr("companion.rules.registry.find_broken_parts", lambda game: broken.get(game, {}))
    status = main(["check", "--plain", "--camera", "off", "--journal", str(tmp_path / "evening.sqlite")])
    said = capsys.readouterr().out
    assert status == 0
    assert "No reader found" in said
    assert "a safe write takes" in said
    assert "No speech program found" in said
    assert "Its own display can't be loaded, so the plain one is used: NameError: Fcae" in said
    assert diagnosis.assess_ports([]).verdict == "absent"


@pytest.mark.usefixtures("nobody_types")
def test_a_camera_is_watched_through_a_folder_of_photos(tmp_path, capsys, monkeypatch):
    import cv2  # noqa: PLC0415 - only here

    from tests.equipment.test_diagnosis import table_with_cards  # noqa: PLC0415

    cv2.imwrite(str(tmp_path / "1.png"), table_with_cards())
    monkeypatch.setattr("companion.commands.check.CAMERA", 0.2)
    assert main(["check", "--plain", "--camera", str(tmp_path), "--journal", str(tmp_path / "j.sqlite")]) == 0
    told = capsys.readouterr().out
    assert "In focus" in told
    assert "Camera, this computer" in told


@pytest.mark.usefixtures("nobody_types")
def test_a_film_whose_name_is_no_text_stands_in_the_report_too(tmp_path, monkeypatch):
    monkeypatch.setattr("companion.readers.rfid.ports.list_ports.comports", list)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert main(["check", "--plain", "--camera", "no\udcffwhere.mp4", "--lang", "en"]) == 1
    assert r"no\udcffwhere.mp4" in (user_data_folder() / "check.txt").read_text(encoding="utf-8")
