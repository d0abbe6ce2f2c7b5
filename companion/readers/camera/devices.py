"""Cameras that Linux knows, by name and identity rather than by their changing numbers.

A webcam has several device nodes, of which only the one with index 0 gives pictures; the others
carry metadata. Its number depends on what was plugged in first; what stays the same is its link in
`/dev/v4l/by-id`, or in `/dev/v4l/by-path` for a camera without a serial number.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

NODES, LINKS, PROCESSES = Path("/sys/class/video4linux"), Path("/dev/v4l"), Path("/proc")


class CameraNode(NamedTuple):
    """A device that gives pictures: its `path` in /dev, the name of its product, and its `identity`
    (name of its link; empty if it has none)."""

    path: str
    name: str
    identity: str


def list_camera_nodes() -> list[CameraNode]:
    """List the cameras of this computer by number; empty where the system does not tell."""
    found = []
    for node in sorted(NODES.glob("video*"), key=lambda node: int(node.name.removeprefix("video"))):
        with suppress(OSError):
            if (node / "index").read_text(encoding="ascii").strip() == "0":
                name = (node / "name").read_text(encoding="utf-8", errors="replace").strip()
                # Built-in cameras repeat their names: "Integrated Camera: Integrated C".
                path = f"/dev/{node.name}"
                found.append(CameraNode(path, name.partition(":")[0], find_identity(path)))
    return found


def find_identity(path: str) -> str:
    """Return the name by which a camera is found again; empty if it has none."""
    for folder in ("by-id", "by-path"):
        for link in sorted((LINKS / folder).glob("*")):
            if os.path.realpath(link) == os.path.realpath(path):
                return f"{folder}/{link.name}"
    return ""


def find_node(identity: str) -> str | None:
    """Return the path at which a camera is now; None while it is not there."""
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
