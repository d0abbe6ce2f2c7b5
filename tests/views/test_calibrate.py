"""Showing the program where the table is: corners by keys and clicks, or the printed mat."""

import os
from pathlib import Path

import cv2
import numpy as np
import pytest
from textual.widgets._footer import FooterKey

from companion.__main__ import main
from companion.rules.contract import Text
from companion.table import zones as layouts
from companion.table.sightings import Health
from companion.table.zones import ZonesError, calibrate_from_clicks
from companion.texts import Translator
from companion.views.dashboard.calibrate import WHOLE, CalibrationApp, Corners
from tests.simulated.terminal import companion

REAL = Path(__file__).resolve().parents[3] / "shared" / "tables" / "film" / "card.mp4"
PICTURE = np.full((90, 160, 3), 60, np.uint8)


def placed(corners: Corners) -> str:
    try:
        calibrate_from_clicks(corners, 1, 1)
    except ZonesError as fault:
        return Translator().translate(fault.text)
    return ""


def screen() -> CalibrationApp:
    return CalibrationApp(lambda: PICTURE, placed, Translator("en"))


async def test_arrows_move_a_corner_and_enter_keeps_it() -> None:
    app = screen()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("right", "down", "tab", "shift+left", "enter")
    assert app.return_value is not None
    far_left, far_right = app.return_value[:2]
    assert far_left == pytest.approx((WHOLE[0][0] + 0.005, WHOLE[0][1] + 0.005))
    assert far_right == pytest.approx((WHOLE[1][0] - 0.03, WHOLE[1][1]))


async def test_its_keys_are_named_in_the_players_language() -> None:
    app = CalibrationApp(lambda: PICTURE, placed, Translator("fr"))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        shown = [key.description for key in app.query(FooterKey)]
    assert shown[:3] == ["Coin suivant", "Terminer", "Quitter"]


async def test_a_look_while_the_widgets_go_one_by_one_ends_nothing() -> None:
    app = screen()
    async with app.run_test(size=(80, 24)):
        await app.query_one("#preview").remove()
        app._running = False  # as Textual has it from the first moment of its end
        app._update_picture()


async def test_a_click_puts_the_corner_there_and_goes_on_to_the_next() -> None:
    app = screen()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.click("#preview", offset=(8, 2))
        assert app.at == 1
        preview = app.query_one("#preview").size
        await pilot.press("enter")
    assert app.return_value is not None
    assert app.return_value[0] == pytest.approx((8 / preview.width, 2 / preview.height))


async def test_corners_that_are_no_table_are_not_kept() -> None:
    app = screen()
    async with app.run_test(size=(80, 24)) as pilot:
        app.corners = [(0.5, 0.5)] * 4
        await pilot.press("right", "enter")
        await pilot.pause()
        assert app.is_running
        await pilot.press("escape")
    assert app.return_value is None


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals")
@pytest.mark.parametrize("film", ["drawn", pytest.param("real", marks=pytest.mark.photos)])
def test_in_a_terminal_the_camera_shows_its_picture_before_any_card_is_enrolled(
    tmp_path: Path, film: str
) -> None:
    file = REAL if film == "real" else tmp_path / "table.avi"
    if film == "real" and not file.exists():
        pytest.skip("no films in ../shared/tables")
    if film == "drawn":
        writer = cv2.VideoWriter(str(file), cv2.VideoWriter.fourcc(*"MJPG"), 10, (160, 90))
        for _ in range(20):
            writer.write(PICTURE)
        writer.release()
    kept = tmp_path / "table.toml"
    with companion(tmp_path, "calibrate", "--camera", str(file), "--out", str(kept)) as terminal:
        terminal.until("\N{UPPER HALF BLOCK}" * 40)
        terminal.type("\r")
        assert terminal.end() == 0
        assert b"Traceback" not in terminal.written
    assert layouts.load_zones(kept).camera.method == "corners"


async def test_why_there_is_no_picture_stands_on_the_screen() -> None:
    lost = Health(
        "camera", "lost", Text("reader.failed", {"reader": "camera", "what": "ValueError: odd"}), 0.0
    )
    app = CalibrationApp(lambda: None, placed, Translator("en"), WHOLE, lambda: lost)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "ValueError: odd" in str(app.query_one("#health").render())


def test_a_disk_that_is_full_leaves_the_layout_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_number: int) -> None:
        raise OSError(28, "No space left on device")

    file = tmp_path / "table.toml"
    layouts.make_default_zones(4).save(file)
    kept = file.read_bytes()
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(ZonesError):
        layouts.make_default_zones(6).save(file)
    assert [one.read_bytes() for one in tmp_path.iterdir()] == [kept]


def test_with_the_printed_mat_nothing_is_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "new" / "table.toml"
    assert main(["calibrate", "--mat", "--seats", "5", "--out", str(file)]) == 0
    kept = layouts.load_zones(file)
    assert kept.camera.method == "mat"
    assert "seat:5" in kept.zone_names
    assert str(file) in capsys.readouterr().out


def test_a_file_that_was_named_and_is_there_is_not_written_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "letter.txt"
    file.write_text("Dear Ann")
    assert main(["calibrate", "--mat", "--out", str(file)]) == 2
    assert f"{file} already exists" in capsys.readouterr().err
    assert file.read_text() == "Dear Ann"
    assert main(["calibrate", "--mat"]) == main(["calibrate", "--mat"]) == 0, "the usual one is renewed"


def test_thirteen_seats_are_refused_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", "--seats", "13"]) == 2
    assert "2 to 12" in capsys.readouterr().err
