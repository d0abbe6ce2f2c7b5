"""A camera of the network by RTSP, served by GStreamer's own server, which none of us wrote."""

from __future__ import annotations

import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from companion.readers.camera.addresses import find_host, strip_credentials
from companion.readers.camera.frames import FrameForwarder
from companion.readers.camera.sources import SourceError, find_source
from tests import filmed
from tests.share.conftest import until
from tests.simulated.terminal import play

PYTHON = "/usr/bin/python3"
pytestmark = pytest.mark.gstreamer


@pytest.fixture(scope="module")
def film(tmp_path_factory) -> Path:
    """An evening's first card as an ordinary film, as phones and cameras write it: H.264 in MP4."""
    folder = tmp_path_factory.mktemp("rtsp")
    drawn = filmed.film(folder / "film.avi", 15, 75)
    made = folder / "film.mp4"
    coded = ("-c:v", "libx264", "-preset", "ultrafast", "-g", "15", "-pix_fmt", "yuv420p")
    subprocess.run(["ffmpeg", "-loglevel", "error", "-i", drawn, *coded, made], check=True)
    return made


@contextmanager
def serving(film: Path, port: int = 0) -> Iterator[tuple[subprocess.Popen, int]]:
    words = [PYTHON, str(Path(__file__).with_name("rtsp_server.py")), str(film), str(port)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield server, int(server.stdout.readline())
        finally:
            server.send_signal(signal.SIGCONT)
            server.kill()


@pytest.mark.slow
def test_a_camera_that_hangs_or_goes_is_lost_and_back_again(film) -> None:
    told: list = []
    with serving(film) as (server, port):
        reader = FrameForwarder(find_source(f"rtsp://me:secret@127.0.0.1:{port}/film"), lambda _frame: False)
        reader.start(told.append)

        def state() -> str:
            return told[-1].state if told else ""

        try:
            until(lambda: reader.processed_frames > 5)
            assert reader.frame_size == filmed.SIZE
            server.send_signal(signal.SIGSTOP)  # it hangs: the line stays open
            until(lambda: state() == "lost")
            server.send_signal(signal.SIGCONT)
            until(lambda: state() == "ok")
            server.kill()
            server.wait()
            until(lambda: state() == "lost")
            with serving(film, port):
                until(lambda: state() == "ok")
        finally:
            reader.close()
    assert "secret" not in repr(told)


def test_a_server_that_takes_the_call_and_says_nothing_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        camera = find_source(f"rtsp://me:secret@127.0.0.1:{silent.getsockname()[1]}/film")
        began = time.monotonic()
        with pytest.raises(SourceError) as fault:
            camera.open()
    assert time.monotonic() - began < 60  # without a limit FFmpeg would wait for ever
    assert fault.value.text.code == "reader.camera.no_network_camera"
    assert "secret" not in repr(fault.value)


def test_a_wrong_password_is_no_camera(film) -> None:
    with serving(film) as (_, port):
        camera = find_source(f"rtsp://me:wrong@127.0.0.1:{port}/film")
        with pytest.raises(SourceError, match="no_network_camera"):
            camera.open()


def test_an_evening_by_rtsp_shows_and_keeps_no_password(tmp_path, film) -> None:
    words = ("--players", "Ann,Bob,Cy", "--new", "--plain")
    with serving(film) as (_, port):
        address = f"rtsp://me:secret@127.0.0.1:{port}/film"
        with play(tmp_path, "--camera", address, *words) as terminal:
            terminal.until("giant donkey", seconds=90)
            said = terminal.before
            terminal.type("quit\n")
            assert terminal.end() == 0
            assert b"secret" not in said + terminal.written
    kept = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert any(file.name == "settings.json" for file in kept)
    assert not [file for file in kept if b"secret" in file.read_bytes()]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("rtsp://me:secret@10.0.0.7:554/live?channel=1", "rtsp://10.0.0.7:554/live?channel=1"),
        ("http://10.0.0.7/video.cgi?usr=me&pwd=secret&size=2", "http://10.0.0.7/video.cgi?size=2"),
        ("https://a@b:secret@[fe80::1]/x#secret", "https://[fe80::1]/x"),
        ("http://[::1", "http://?"),
        ("rtsp://admin:se/cret99@cam/Streaming/Channels/101", "rtsp://cam/Streaming/Channels/101"),
        ("rtsp://admin:12/34secret@cam/1", "rtsp://?"),
        ("rtsp://admin:s?e#secret@cam.local:554/1", "rtsp://cam.local:554/1"),
        ("rtsp://cam:554/user=admin_password=secret_channel=1_stream=0.sdp", "rtsp://cam:554/"),
        ("http://10.0.0.7/video?-usr=me&-pwd=secret&res=hi", "http://10.0.0.7/video?res=hi"),
        ("http://cam/v?access_token=secret&a=1", "http://cam/v?a=1"),
        ("http://cam/v?admin:secret", "http://cam/v"),
        (
            "http://cam/v?codec=h264&side=1&keyframe=9&passcode=secret",
            "http://cam/v?codec=h264&side=1&keyframe=9",
        ),
        ("http://cam/v?mail=me@home&a=1", "http://cam/v?a=1"),
        ("/dev/video0", "/dev/video0"),
        ("phone", "phone"),
    ],
)
def test_what_is_kept_of_an_address(given, kept) -> None:
    assert strip_credentials(given) == kept
    assert "secret" not in find_host(given) + strip_credentials(given)
    assert "admin" not in find_host(given), "nor is the user's name shown as the host"


def test_an_address_that_no_camera_has_is_said_without_its_password() -> None:
    with pytest.raises(SourceError) as fault:
        find_source("gopher://me:secret@10.0.0.7/film")
    assert fault.value.text.code == "reader.camera.odd_scheme"
    assert fault.value.text.args == {"device": "10.0.0.7"}
