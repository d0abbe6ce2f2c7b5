"""Which source a person named: a camera, phone, network camera, film, or folder of photos."""

from __future__ import annotations

from companion.given_files import path_of
from companion.readers.camera.addresses import SCHEMES, host, is_address
from companion.readers.camera.network import NetworkCamera
from companion.readers.camera.phone import Phone
from companion.readers.camera.sources import Device, Film, Photos, Source, SourceError

PHONE = "phone"
"""What `--camera` says for a phone's browser as camera."""

_DIGITS = 9
"""No camera has a longer number: Python reads at most 4,300 digits, OpenCV 32 bits."""

_SHOWN = 80
"""Characters of a name that no file can have: so much is told of it."""


def find(what: str, *, interval: float | None = None, size: tuple[int, int] = (1280, 720)) -> Source:
    """Return the source that a person named.

    A camera's number or device path, `phone`, an address (`http://`, `https://`, `rtsp://`), a
    video file, or a folder of photos. Raises `SourceError` for an address of another scheme, and
    for a name that no file can have.
    """
    if what == PHONE:
        return Phone()
    if is_address(what):
        if what.partition("://")[0].lower() not in SCHEMES:
            raise SourceError("odd_scheme", device=host(what))
        return NetworkCamera(what)
    path = path_of(what)
    if what.isdecimal() and len(what) <= _DIGITS:
        return Device(int(what), size)
    try:
        if path.is_dir():
            return Photos(path, interval)
        if path.is_file():
            return Film(path)
    except OSError as fault:  # a name that is too long
        raise SourceError("no_file", file=what[:_SHOWN]) from fault
    return Device(what, size) if what.startswith("/dev/") else Film(path)
