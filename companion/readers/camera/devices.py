"""Cameras that the system knows, by name and identity rather than by their changing numbers.

On Linux a webcam has several device nodes, of which only the one with index 0 gives pictures; the
others carry metadata. Its number depends on what was plugged in first; what stays the same is its
link in `/dev/v4l/by-id`, or in `/dev/v4l/by-path` for a camera without a serial number.

On macOS and Windows the package `cv2-enumerate-cameras` lists the cameras in OpenCV's order, each
with an id that stays the same: AVFoundation's unique id, or Windows' path of the device.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from companion import libraries

NODES, LINKS, PROCESSES = Path("/sys/class/video4linux"), Path("/dev/v4l"), Path("/proc")
IS_LINUX = sys.platform.startswith("linux")
_AVFOUNDATION, _DIRECT_SHOW, _MEDIA_FOUNDATION = 1200, 700, 1400
"""OpenCV's numbers of the systems' camera interfaces."""


class CameraNode(NamedTuple):
    """A device that gives pictures: its `device` for OpenCV (path in /dev on Linux, else a number),
    the name of its product, and its `identity` (empty if it has none)."""

    device: int | str
    name: str
    identity: str

    @property
    def number(self) -> str:
        """The number by which people may choose it."""
        return str(self.device).removeprefix("/dev/video")


def list_camera_nodes() -> list[CameraNode]:
    """List the cameras of this computer by number; empty where the system does not tell."""
    return _list_linux_nodes() if IS_LINUX else _list_other_nodes()


def _list_linux_nodes() -> list[CameraNode]:
    found = []
    for node in sorted(NODES.glob("video*"), key=lambda node: int(node.name.removeprefix("video"))):
        with suppress(OSError):
            if (node / "index").read_text(encoding="ascii").strip() == "0":
                name = (node / "name").read_text(encoding="utf-8", errors="replace").strip()
                # Built-in cameras repeat their names: "Integrated Camera: Integrated C".
                path = f"/dev/{node.name}"
                found.append(CameraNode(path, name.partition(":")[0], find_identity(path)))
    return found


def _list_other_nodes() -> list[CameraNode]:
    interfaces = (_AVFOUNDATION,) if sys.platform == "darwin" else (_MEDIA_FOUNDATION, _DIRECT_SHOW)
    found: list[CameraNode] = []
    for interface in interfaces:
        try:
            listed = libraries.cv2_enumerate_cameras.enumerate_cameras(interface)
        except Exception:  # the package is missing, or whatever the system's interface may raise
            continue
        known = {node.name for node in found}
        # The first interface is OpenCV's choice for a bare number. The second lists the same
        # cameras again, and programs that pose as one (OBS); its numbers have its own added.
        base = 0 if interface == interfaces[0] else interface
        found += [
            CameraNode(base + one.index, one.name, one.path or "") for one in listed if one.name not in known
        ]
    return found


def find_identity(device: int | str) -> str:
    """Return the name by which a camera is found again; empty if it has none."""
    if not IS_LINUX:
        return next((node.identity for node in list_camera_nodes() if node.device == device), "")
    path = f"/dev/video{device}" if isinstance(device, int) else device
    for folder in ("by-id", "by-path"):
        for link in sorted((LINKS / folder).glob("*")):
            if os.path.realpath(link) == os.path.realpath(path):
                return f"{folder}/{link.name}"
    return ""


def find_device(identity: str) -> int | str | None:
    """Return the device that a camera is now; None while it is not there."""
    if not IS_LINUX:
        return next((node.device for node in list_camera_nodes() if node.identity == identity), None)
    link = LINKS / identity
    return os.path.realpath(link) if link.exists() else None


def find_nodes_named(words: str) -> list[CameraNode]:
    """Return the cameras whose names contain these words, in any case."""
    return [node for node in list_camera_nodes() if words.casefold() in node.name.casefold()]


def find_programs_using(path: str) -> str:
    """Return the names of the other programs that hold a camera open, as far as this user may see;
    empty if none is seen, or if the device isn't a camera."""
    # Nearly every program holds devices such as /dev/null open.
    if not (NODES / Path(path).name).exists():
        return ""
    names = set()
    for process in PROCESSES.glob("[0-9]*"):
        # Others' processes may not be looked into, and any may have ended meanwhile.
        with suppress(OSError):
            if process.name != str(os.getpid()) and any(
                os.path.realpath(file) == path for file in (process / "fd").iterdir()
            ):
                names.add((process / "comm").read_text(encoding="utf-8", errors="replace").strip())
    return ", ".join(sorted(names))
