"""Draw the guides' pictures of the mounts, with numbers that the guides explain.

    python -m hardware.pictures STL PICTURES     models and parts are built into STL by OpenSCAD
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from hardware.circuit import HARDWARE
from hardware.solids import Colour, Label, Solid, draw, load

GREY: Colour = (203, 208, 214)
PLATE: Colour = (232, 234, 238)
BLUE: Colour = (84, 132, 214)
GREEN: Colour = (72, 160, 110)
RED: Colour = (214, 84, 76)
BLACK: Colour = (88, 92, 100)
TEAL: Colour = (70, 160, 170)
TAN: Colour = (224, 190, 130)
WHITE: Colour = (252, 252, 250)

PRINTS = {
    "pad_tray": ("base", "plate"),
    "box": ("base", "lid"),
    "camera_mount": ("clamp", "elbow", "plate"),
}
"""What there is to print, by OpenSCAD file."""


@dataclass(frozen=True)
class Piece:
    """One solid of a scene: OpenSCAD file and part, colour, rotation about x, y, z in degrees, then shift in millimetres."""

    file: str
    part: str
    colour: Colour
    shift: tuple[float, float, float] = (0, 0, 0)
    turn: tuple[float, float, float] = (0, 0, 0)
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scene:
    """One picture."""

    pieces: tuple[Piece, ...]
    labels: tuple[Label, ...] = ()
    azimuth: float = 30
    elevation: float = 38
    size: tuple[int, int] = (1200, 900)
    also: tuple[str, ...] = field(default=())


def _tray(lift: float) -> tuple[Piece, ...]:
    """The tray's insides, lifted above their places by `lift` each storey."""
    return (
        Piece("pad_tray", "base", GREY),
        Piece("pad_tray", "strip", GREEN, (0, 0, lift)),
        Piece("pad_tray", "button_accept", GREEN, (0, 0, lift)),
        Piece("pad_tray", "button_refuse", RED, (0, 0, lift)),
        Piece("pad_tray", "reader", BLUE, (0, 0, lift)),
        Piece("pad_tray", "reader_parts", BLACK, (0, 0, lift)),
    )


def _box(board: str) -> Scene:
    also = (f'board="{board}"',)
    nano = board == "nano"
    labels = (
        Label("1", (20, 30, 12) if not nano else (30, 43, 24), (-0.1, 0.42) if not nano else (-0.25, 0.42)),
        Label("2", (70, 112, 12) if not nano else (52, 60, 8), (-0.25, 0.36) if not nano else (-0.02, 0.55)),
        Label("3", (95, 88, 18) if not nano else (75, 45, 18), (0.42, 0.12)),
        Label("4", (25, 92, 16) if not nano else (15, 14, 16), (-0.34, 0.05)),
        Label("5", (60, 143, 36) if not nano else (53, 87, 36), (0.3, 0.2)),
    )
    pieces = tuple(
        Piece("box", part, colour, also=also)
        for part, colour in (
            ("base", GREY),
            ("arduino", TEAL),
            ("arduino_parts", BLACK),
            ("perfboard", GREEN),
            ("sockets", TAN),
            ("chips", BLACK),
        )
    )
    return Scene(pieces, labels, azimuth=-25, elevation=48)


SCENES = {
    "tray-parts": Scene(
        (
            *_tray(34),
            Piece("pad_tray", "pixel", WHITE, (0, 0, 54)),
            Piece("pad_tray", "plate", PLATE, (0, 0, 76)),
            Piece("pad_tray", "card", WHITE, (0, 0, 104)),
            Piece("pad_tray", "tag", TAN, (0, 0, 104)),
        ),
        (
            Label("1", (100, 30, 8), (0.2, -0.02)),
            Label("2", (90, 14, 38), (0.26, 0.0)),
            Label("3", (70, 90, 50), (0.36, 0.08)),
            Label("4", (82, 14, 54), (0.28, 0.07)),
            Label("5", (50, 14, 70), (-0.3, 0.02)),
            Label("6", (96, 60, 94), (0.22, 0.04)),
            Label("7", (75, 100, 121), (0.3, 0.08)),
            Label("8", (50, 74, 121), (-0.42, 0.1)),
        ),
        azimuth=28,
        elevation=24,
        size=(1200, 1150),
    ),
    "tray-inside": Scene(
        _tray(0),
        (
            Label("1", (50, 74, 16), (-0.1, 0.36)),
            Label("2", (50, 28, 10), (-0.42, 0.14)),
            Label("3", (50, 14, 10), (0.12, -0.25)),
            Label("4", (50, 123, 15), (0.3, 0.12)),
            Label("5", (50, 109, 6), (0.42, 0.1)),
        ),
        azimuth=12,
        elevation=58,
    ),
    "tray-whole": Scene(
        (
            Piece("pad_tray", "base", GREY),
            Piece("pad_tray", "plate", PLATE, (0, 0, 16)),
            Piece("pad_tray", "button_accept", GREEN),
            Piece("pad_tray", "button_refuse", RED),
            Piece("pad_tray", "pixel", WHITE),
        ),
        azimuth=24,
        elevation=42,
        size=(1000, 750),
    ),
    "box-mega": _box("mega"),
    "box-nano": _box("nano"),
    "camera-mount": Scene(
        (
            Piece("camera_mount", "table", TAN, (10, 72, 16)),
            Piece("camera_mount", "clamp", BLUE),
            Piece("camera_mount", "mast", GREY, (16, 75, 16)),
            Piece("camera_mount", "elbow", BLUE, (0, 770, 0)),
            Piece("camera_mount", "boom", GREY, (40, 841, 16)),
            Piece("camera_mount", "plate", BLUE, (500, 825, 48), (0, 90, 0)),
            Piece("camera_mount", "camera", BLACK, (520, 800, 60)),
        ),
        size=(1000, 1100),
    ),
    "camera-prints": Scene(
        (
            Piece("camera_mount", "clamp", BLUE),
            Piece("camera_mount", "elbow", BLUE, (120, 0, 0)),
            Piece("camera_mount", "plate", BLUE, (290, 0, 0)),
        ),
        (Label("1", (40, 90, 32), (0.02, 0.3)), Label("2", (150, 70, 32), (-0.02, 0.36)), Label("3", (300, 20, 32), (0.05, 0.34))),
        azimuth=20,
        elevation=45,
        size=(1200, 620),
    ),
}


def build(file: str, part: str, also: tuple[str, ...], folder: Path) -> Path:
    """Let OpenSCAD make the STL of one part, unless it is there and newer than its source."""
    name = "-".join([file, part, *(word.split('"')[1] for word in also)])
    target = folder / f"{name}.stl"
    sources = (HARDWARE / "mounts" / f"{file}.scad", HARDWARE / "mounts" / "parts.scad")
    if target.exists() and target.stat().st_mtime > max(source.stat().st_mtime for source in sources):
        return target
    settings = [word for setting in (f'part="{part}"', *also) for word in ("-D", setting)]
    subprocess.run(["openscad", "-q", "-o", str(target), *settings, str(sources[0])], check=True)
    return target


def turned(points: np.ndarray, turn: tuple[float, float, float]) -> np.ndarray:
    """Rotate points (..., 3) about x, then y, then z, in degrees."""
    for axis, angle in enumerate(np.radians(turn)):
        a, b = (axis + 1) % 3, (axis + 2) % 3
        matrix = np.eye(3)
        matrix[a, a] = matrix[b, b] = np.cos(angle)
        matrix[a, b], matrix[b, a] = -np.sin(angle), np.sin(angle)
        points = points @ matrix.T
    return points


def picture(scene: Scene, folder: Path) -> np.ndarray:
    """Draw one scene; STL files go to `folder`."""
    solids = [
        Solid(turned(load(build(piece.file, piece.part, piece.also, folder)), piece.turn) + np.array(piece.shift), piece.colour)
        for piece in scene.pieces
    ]
    return draw(solids, scene.labels, scene.azimuth, scene.elevation, scene.size)


def main() -> None:
    """Build everything to print, and draw all scenes (or those named)."""
    folder, pictures = Path(sys.argv[1]), Path(sys.argv[2])
    for path in (folder, pictures):
        path.mkdir(parents=True, exist_ok=True)
    for file, parts in PRINTS.items():
        for part in parts:
            for board in ("mega", "uno", "nano") if file == "box" else ("",):
                build(file, part, (f'board="{board}"',) if board else (), folder)
    for name, scene in SCENES.items():
        if len(sys.argv) < 4 or name in sys.argv[3:]:
            cv2.imwrite(str(pictures / f"{name}.png"), picture(scene, folder), [cv2.IMWRITE_PNG_COMPRESSION, 9])


if __name__ == "__main__":
    main()
