"""A camera of the network, served by FFmpeg's own HTTP server."""

from __future__ import annotations

import socket
import subprocess
import time

import pytest

from companion.readers.camera.sources import NetworkCamera, SourceError

pytestmark = pytest.mark.ffmpeg


def opened(camera: NetworkCamera, deadline: float) -> None:
    """Open the camera as soon as its server listens."""
    while True:
        try:
            camera.open()
        except SourceError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return


def watched(camera: NetworkCamera) -> tuple[list[tuple[int, ...]], SourceError]:
    """Take pictures until there are no more; return their shapes, and what was said then."""
    sizes: list[tuple[int, ...]] = []
    while True:
        try:
            frame = camera.read(lambda _seconds: False)
        except SourceError as lost:
            return sizes, lost
        assert frame is not None
        sizes.append(frame.image.shape)


def test_pictures_come_until_the_camera_goes_and_its_password_is_nowhere() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    served = f"http://127.0.0.1:{port}/video"
    film = ("-re", "-f", "lavfi", "-i", "testsrc=size=1280x720:rate=15", "-t", "1")
    words = [
        "ffmpeg",
        "-loglevel",
        "quiet",
        *film,
        "-c:v",
        "mjpeg",
        "-f",
        "mpjpeg",
        "-listen",
        "1",
        served,
    ]
    with subprocess.Popen(words, stdin=subprocess.DEVNULL) as server:
        camera = NetworkCamera(f"http://me:secret@127.0.0.1:{port}/video")
        opened(camera, time.monotonic() + 30)
        sizes, lost = watched(camera)
        camera.close()
        server.kill()
    assert sizes[:10] == [(720, 1280, 3)] * 10
    assert lost.text.code == "reader.camera.network_camera_lost"
    assert "secret" not in str(lost.text)
