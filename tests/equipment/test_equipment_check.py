"""The check of the equipment as a person goes through it: at a simulated board, without any device,
on the screen and line by line."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest
from textual.widgets import Static

from companion.__main__ import main
from companion.commands.check import plain
from companion.demo.stickers import stickered
from companion.equipment import diagnosis
from companion.equipment.board_bench import Bench
from companion.equipment.board_steps import BoardStep
from companion.equipment.findings import finding
from companion.equipment.steps import Answer, EquipmentCheck, Measure
from companion.readers.rfid.events import TagId
from companion.readers.rfid.simulator import SimulatedBoard
from companion.table.decks import Deck
from companion.texts import Translator
from companion.views.dashboard.check import CheckApp
from tests.equipment.equipment_words import say_all
from tests.firmware.conftest import pytest_runtest_setup  # noqa: F401

DECK = stickered(Deck.builtin("donkey_valley"))


def until(check, enough, seconds=60):
    limit = time.monotonic() + seconds
    while not enough():
        assert time.monotonic() < limit, check.findings
        check.tick(time.monotonic())
        time.sleep(0.01)


def ok(part="disk"):
    return Measure(part, part, lambda: [finding(part, "ok", f"{part}.no", folder="x", reason="y")])


def test_steps_come_one_after_the_other_and_may_be_left_out():
    asked = []
    check = EquipmentCheck(
        [Answer("buzzer", lambda: asked.append(1)), Answer("lights", lambda: asked.append(2))]
    )
    until(check, lambda: asked == [1])
    check.answer(True)
    until(check, lambda: asked == [1, 2])
    check.skip()
    assert [one.verdict for one in check.findings] == ["ok", "skipped"]
    assert check.done
    say_all(check.findings)


def test_a_board_that_never_answers_ends_after_a_while_and_nothing_more_is_asked_of_it(monkeypatch):
    monkeypatch.setattr("companion.equipment.board_steps.BOARD", 0.2)
    bench = Bench("/dev/nowhere", "/dev/nowhere", DECK.design_of_tag)
    check = EquipmentCheck([BoardStep(bench)])
    until(check, lambda: check.done and check.findings)
    bench.close()
    assert [one.text.code for one in check.findings] == ["reader.rfid.no_port"]
    say_all(check.findings)


@pytest.mark.simavr
def test_a_whole_board_with_a_clone_a_dead_pad_and_a_button_that_is_missing(monkeypatch):
    monkeypatch.setattr("companion.equipment.board_steps.TAP", 1.5)
    with SimulatedBoard() as board:
        board.command("version", "seat3", "12")
        board.command("kill", "seat4")
        board.command("counterfeit", "seat5")
        bench = Bench("simulated", board.port, DECK.design_of_tag)
        check = EquipmentCheck([BoardStep(bench)])
        try:
            until(check, lambda: len(check.findings) >= 8 and check.current is not None)
            wanted = dict(zip(bench.pads, ["ok", "ok", "warn", "absent", "warn", "ok", "ok"], strict=True))
            assert {one.part.args["where"]: one.verdict for one in check.findings[1:8]} == wanted

            assert check.findings[5].text.code == "check.pad.counterfeit"

            board.put("seat1", TagId.from_hex(DECK.design("load:red:1").tags[0]))
            until(check, lambda: len(check.findings) == 10)
            board.put("seat3", TagId.from_hex("04999999999999"))  # held to the wrong pad
            until(check, lambda: len(check.findings) == 11)
            board.take("seat3")
            until(check, lambda: len(check.findings) == 12)
            said = [one.text.code.removeprefix("check.") for one in check.findings[8:]]
            assert said == ["tap.ok", "range.ok", "tap.elsewhere", "tap.nothing"]
            while check.current is None or check.current.prompt.code == "check.do.tap":
                check.skip()
                check.tick(time.monotonic())
            for seat in range(1, 7):
                for which in ("accept", "refuse")[: 1 if seat == 5 else 2]:
                    board.press(seat, which)
                    until(check, lambda key=(seat, which): key in bench.pressed)
                    board.press(seat, which, down=False)
            check.skip()
            assert [str(one.args["seat"]) for one in check.findings[-1].text.args["buttons"]] == ["5"]
            until(check, lambda: set(board.lights) == {"#282828"})
            check.answer(True)
            until(check, lambda: board.tone > 0)
            check.answer(False)
            until(check, lambda: check.done)
            assert [one.verdict for one in check.findings[-2:]] == ["ok", "fault"]
            say_all(check.findings)
        finally:
            bench.close()


@pytest.mark.simavr
@pytest.mark.parametrize(("weakness", "said"), [(0, ("ok", 20)), (20, ("ok", 5)), (25, ("warn", 0))])
def test_one_module_is_tried_with_one_sticker_before_anything_is_soldered(monkeypatch, weakness, said):
    monkeypatch.setattr("companion.equipment.board_steps.DWELL", 1.0)
    with SimulatedBoard("nano") as board:
        board.command("kill", 0)
        board.command("kill", 2)
        board.command("weak", 1, weakness)
        bench = Bench("simulated", board.port, DECK.design_of_tag)
        check = EquipmentCheck([BoardStep(bench, modules_only=True)])
        try:
            until(check, lambda: len(check.findings) == 2 and check.current is not None)
            board.put(1, TagId.from_hex("04a1b2c3d4e5f6"))
            until(check, lambda: check.done)
            module, tap, reach = check.findings[1:]
            assert (module.verdict, tap.text.code) == ("ok", "check.tap.unknown")
            assert (reach.verdict, reach.text.args["decibels"]) == said
            say_all(check.findings)
        finally:
            bench.close()


@pytest.mark.parametrize("language", ["en", "fr"])
async def test_the_screen_shows_what_is_found_and_asks(language):
    say = Translator(language)
    check = EquipmentCheck([ok(), Answer("buzzer", lambda: None)])
    app = CheckApp(check, say)
    async with app.run_test(size=(100, 30)) as pilot:
        for _ in range(100):
            await pilot.pause(0.05)
            if check.current is not None and check.current.asks:
                break
        assert say("check.do.buzzer") in str(app.query_one("#now", Static).render())
        await pilot.press("n")
        await pilot.pause(0.3)
        shown = str(app.query_one("#findings", Static).render())
        assert "✓" in shown
        assert "✗" in shown
        assert say("check.buzzer.no") in shown
        assert say("check.end.faults", 1, count=1) in str(app.query_one("#now", Static).render())


def test_line_by_line_the_same(capsys):
    lines = iter(["", "", "", "y"])
    out = []
    check = EquipmentCheck([ok(), Answer("voice", lambda: None)])

    def typed():
        time.sleep(0.01)
        return next(lines, "") if check.current is not None and check.current.asks else ""

    plain(check, Translator(), out.append, typed)
    assert out[-1] == "Everything that is there works. Enter or q leaves."
    assert any(line.startswith("[✓] Voice") for line in out)


@pytest.fixture
def nobody_types(monkeypatch):
    with Path(os.devnull).open() as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        yield


@pytest.mark.simavr
@pytest.mark.usefixtures("nobody_types")
def test_from_a_script_a_board_is_looked_at_all_the_same(capsys, tmp_path):
    """The input ends at once: what needs a person is left out, what needs nobody is not."""
    words = ["--reader", "simulated", "--camera", "off", "--journal", str(tmp_path / "j.sqlite")]
    assert main(["check", "--plain", *words]) == 0
    said = capsys.readouterr().out
    assert "7 pads, at" in said
    assert said.count("not tested") > 7


@pytest.mark.usefixtures("nobody_types")
def test_without_any_device_it_checks_what_is_there(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("companion.readers.rfid.ports.list_ports.comports", list)
    monkeypatch.setattr("companion.commands.check._voice", lambda _language: None)
    status = main(["check", "--plain", "--camera", "off", "--journal", str(tmp_path / "evening.sqlite")])
    said = capsys.readouterr().out
    assert status == 0
    assert "No reader is plugged in" in said
    assert "a safe write takes" in said
    assert "There is no speech program" in said
    assert diagnosis.ports([]).verdict == "absent"


@pytest.mark.usefixtures("nobody_types")
def test_a_camera_is_watched_through_a_folder_of_photos(tmp_path, capsys, monkeypatch):
    import cv2  # noqa: PLC0415 - only here

    from tests.equipment.test_diagnosis import table_with_cards  # noqa: PLC0415

    cv2.imwrite(str(tmp_path / "1.png"), table_with_cards())
    monkeypatch.setattr("companion.commands.check.CAMERA", 0.2)
    assert main(["check", "--plain", "--camera", str(tmp_path), "--journal", str(tmp_path / "j.sqlite")]) == 0
    assert "In focus" in capsys.readouterr().out
