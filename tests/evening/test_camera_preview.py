"""The form shows what the chosen camera sees: a film that FFmpeg made, or words in the picture's
place; the camera is free afterwards."""

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.widgets import Input

from companion.evening.setup_form import PreviewCamera, build_game_row
from companion.plan import Plan
from companion.texts import Translator
from companion.views.dashboard.setup import SetupApp
from companion.views.dashboard.widgets.camera_preview import CameraPreview, Preview
from tests.views.table import on_screen, wait_for_words, wait_until

on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="devices by their path")


@pytest.fixture
def preview() -> Iterator[PreviewCamera]:
    looking = PreviewCamera()
    yield looking
    looking.close()
    assert "preview" not in {thread.name for thread in threading.enumerate()}
    assert "camera" not in {thread.name for thread in threading.enumerate()}, "nobody looks any more"


@pytest.fixture
def film(tmp_path: Path) -> Path:
    """Ten seconds, wholly red."""
    made = tmp_path / "red.mp4"
    red = ("-f", "lavfi", "-i", "color=c=red:size=320x180:rate=10", "-t", "10", "-pix_fmt", "yuv420p")
    subprocess.run(["ffmpeg", "-loglevel", "error", *red, made], check=True)
    return made


def form(preview: PreviewCamera, camera: object) -> SetupApp:
    translator = Translator("en")
    return SetupApp(
        [build_game_row("donkey_valley", translator)],
        translator,
        Plan(),
        camera=str(camera),
        look_through=preview.switch_preview_to,
    )


@pytest.mark.ffmpeg
async def test_a_film_in_the_cameras_place_is_seen_beside_its_name(
    preview: PreviewCamera, film: Path
) -> None:
    app = form(preview, film)
    async with app.run_test(size=(80, 24)) as pilot:
        shown = app.query_one(Preview)
        await wait_until(pilot, lambda: any("▀" in segment.text for segment in shown.render_line(3)))
        screen = on_screen(app)
        assert "Begin" in screen
        assert sum("▀" * 28 in line for line in screen.splitlines()[1:-2]) == shown.size.height, "in full"
        style = next(segment.style for segment in shown.render_line(3) if "▀" in segment.text)
        assert style is not None
        assert style.color is not None
        red, green, blue = style.color.get_truecolor()
        assert red > 200
        assert max(green, blue) < 50
        app.query_one("#camera", Input).value = ""
        await wait_until(pilot, lambda: not app.query_one(CameraPreview).display)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("camera", "words"),
    [
        pytest.param("/dev/video99", "There is no camera", marks=on_linux),
        pytest.param("/dev/null", "Another program may be using it", marks=on_linux),
        ("ftp://table", "isn't a camera address"),
        ("no such film.mp4", "no such film.mp4"),
    ],
)
async def test_a_camera_that_shows_nothing_says_why_and_the_form_goes_on(
    preview: PreviewCamera, camera: str, words: str
) -> None:
    app = form(preview, "")
    async with app.run_test(size=(120, 40)) as pilot:
        assert not app.query_one(CameraPreview).display
        app.query_one("#camera", Input).value = camera
        await wait_until(pilot, lambda: app.query_one(CameraPreview).display)
        for word in words.split():
            await wait_for_words(pilot, word)
        app.query_one("#players", Input).value = "Ann, Bob, Cy"
        app.action_begin()
    assert app.return_value is not None
    assert app.return_value.cameras == (camera,)


def test_the_camera_is_given_back_when_another_is_named_and_when_the_form_is_left(
    preview: PreviewCamera, monkeypatch: pytest.MonkeyPatch
) -> None:
    from companion.readers.camera import sources  # noqa: PLC0415 - OpenCV is loaded for this test alone
    from companion.readers.camera.sources import Source  # noqa: PLC0415

    done: list[str] = []

    class Camera(Source):
        def open(self) -> None:
            done.append(f"{self.name} opened")

        def read(self, wait: object) -> None:
            assert callable(wait)
            while not wait(0.01):
                pass

        def close(self) -> None:
            done.append(f"{self.name} closed")

    monkeypatch.setattr(sources, "find_source", Camera)
    preview.switch_preview_to("0")
    while done != ["0 opened"]:
        time.sleep(0.01)
    preview.switch_preview_to("1")
    while "1 opened" not in done:
        time.sleep(0.01)
    preview.close()
    assert done == ["0 opened", "0 closed", "1 opened", "1 closed"]
