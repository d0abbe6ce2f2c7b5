"""A camera of the network, served by FFmpeg's own HTTP server, and others that are bad cameras."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence

import cv2
import numpy as np
import pytest

from companion.readers.camera import jpeg_frames
from companion.readers.camera.sources import Frame, NetworkCamera, PhoneCamera, SourceError


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


@pytest.mark.ffmpeg
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


def encode(width: int, height: int, claimed: tuple[int, int] | None = None) -> bytes:
    """Return a JPEG of that size, which claims another one in its header."""
    image = np.full((height, width, 3), 90, np.uint8)
    jpeg = bytes(cv2.imencode(".jpg", image)[1].tobytes())
    if claimed is not None:
        at = jpeg.index(b"\xff\xc0") + 5
        jpeg = jpeg[:at] + claimed[1].to_bytes(2, "big") + claimed[0].to_bytes(2, "big") + jpeg[at + 4 :]
    return jpeg


@contextlib.contextmanager
def bad_camera(pictures: Sequence[bytes]) -> Iterator[NetworkCamera]:
    """Serve these pictures as MJPEG over HTTP, as phones do, and then hang up."""
    head = b"HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=b\r\n\r\n"
    part = b"--b\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%s\r\n"

    def serve(server: socket.socket) -> None:
        with server.accept()[0] as client, contextlib.suppress(OSError):
            client.recv(4096)
            client.sendall(head + b"".join(part % (len(one), one) for one in pictures))

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=serve, args=(server,))
        thread.start()
        camera = NetworkCamera(f"http://127.0.0.1:{server.getsockname()[1]}/video")
        yield camera
        camera.close()
        thread.join()


HUGE = encode(64, 64, claimed=(12_000, 9_000))


def test_pictures_that_change_their_size_or_are_damaged_do_no_harm() -> None:
    whole, other, tiny = encode(640, 480), encode(320, 240), encode(1, 1)
    with bad_camera([whole, other, b"\xff\xd8" + bytes(range(256)), tiny, whole]) as camera:
        camera.open()
        sizes, lost = watched(camera)
    assert sizes == [(480, 640, 3), (240, 320, 3), (1, 1, 3), (480, 640, 3)]
    assert lost.text.code == "reader.camera.network_camera_lost"


def test_a_huge_picture_is_refused_before_it_is_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    decoded = []
    decode = cv2.imdecode
    monkeypatch.setattr(jpeg_frames.cv2, "imdecode", lambda *one: decoded.append(1) or decode(*one))
    with bad_camera([encode(640, 480), HUGE]) as camera:
        camera.open()
        sizes, lost = watched(camera)
    assert sizes == [(480, 640, 3)]
    assert (lost.text.code, lost.text.args["width"]) == ("reader.camera.too_large", 12_000)
    assert len(decoded) == 1


def test_a_phone_that_sends_a_huge_picture_is_told_so() -> None:
    phone = PhoneCamera()
    phone.receive_picture(encode(640, 480))
    assert isinstance(phone.read(lambda _seconds: False), Frame)
    phone.receive_picture(HUGE)
    with pytest.raises(SourceError) as told:
        phone.read(lambda _seconds: False)
    assert told.value.text.code == "reader.camera.too_large"


QUIT_WITH_A_BUSY_DRIVER = """
import sys, threading
import cv2, numpy as np
from companion.__main__ import run_program

def hang_in_driver():
    while True:
        cv2.blur(np.zeros((400, 400, 3), np.uint8), (9, 9))

threading.Thread(target=hang_in_driver, daemon=True).start()
sys.argv = ["companion", *sys.argv[1:]]
run_program()
"""


@pytest.mark.parametrize(("words", "status"), [(["--version"], 0), (["play", "--camera"], 2)])
def test_a_thread_in_a_driver_does_not_abort_the_program_as_it_ends(words: list[str], status: int) -> None:
    """Python ends such a thread when it returns from the library, and the library aborts."""
    command = [sys.executable, "-c", QUIT_WITH_A_BUSY_DRIVER, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, "terminate" in done.stderr) == (status, False)
    assert bool(done.stdout) == (status == 0)
