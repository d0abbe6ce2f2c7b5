"""Which source a person named: a camera, a phone, a camera of the network, a film, a folder of photos."""

from __future__ import annotations

from pathlib import Path

from companion.readers.camera.network import SCHEMES, NetworkCamera
from companion.readers.camera.phone import Phone
from companion.readers.camera.sources import Device, Film, Photos, Source

PHONE = "phone"
"""What `--camera` says for a phone's browser as camera."""


def find(what: str, *, interval: float | None = None, size: tuple[int, int] = (1280, 720)) -> Source:
    """Return the source that a person named.

    A camera's number or device path, `phone`, an address (`http://`, `https://`, `rtsp://`), a video file, or a folder of photos.
    """
    if what == PHONE:
        return Phone()
    if what.partition("://")[0].lower() in SCHEMES:
        return NetworkCamera(what)
    path = Path(what).expanduser()
    if what.isdecimal():
        return Device(int(what), size)
    if path.is_dir():
        return Photos(path, interval)
    if path.is_file():
        return Film(path)
    return Device(what, size) if what.startswith("/dev/") else Film(path)
