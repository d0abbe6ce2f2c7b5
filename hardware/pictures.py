"""Draw the guides' pictures of the mounts, with numbers that the guides explain.

python -m hardware.pictures STL PICTURES     OpenSCAD builds models and parts into STL
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from hardware.circuit import HARDWARE
from hardware.solids import Colour, Label, Solid, draw_solids, load_stl

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
    "pad_tray": ("base", "plate", "plate_middle"),
    "camera_mount": ("clamp", "elbow", "plate"),
}
"""Parts to print, by OpenSCAD file."""


@dataclass(frozen=True)
class Piece:
    """One solid of a scene: OpenSCAD file and part, colour, rotation about x, y, z in degrees, then
    shift in millimetres."""

    file: str
    part: str
    colour: Colour
    shift: tuple[float, float, float] = (0, 0, 0)
    turn: tuple[float, float, float] = (0, 0, 0)


@dataclass(frozen=True)
class Scene:
    """One picture."""

    pieces: tuple[Piece, ...]
    labels: tuple[Label, ...] = ()
    azimuth: float = 30
    elevation: float = 38
    size: tuple[int, int] = (1200, 900)
    turn: tuple[float, float, float] = (0, 0, 0)


def _tray_pieces(lift: float) -> tuple[Piece, ...]:
    """Return the parts inside the tray, lifted above their places by `lift` for each storey."""
    return (
        Piece("pad_tray", "base", GREY),
        Piece("pad_tray", "strip", GREEN, (0, 0, lift)),
        Piece("pad_tray", "button_accept", GREEN, (0, 0, lift)),
        Piece("pad_tray", "button_refuse", RED, (0, 0, lift)),
        Piece("pad_tray", "reader", BLUE, (0, 0, lift)),
        Piece("pad_tray", "reader_parts", BLACK, (0, 0, lift)),
        Piece("pad_tray", "pico", TEAL, (0, 0, lift)),
        Piece("pad_tray", "pico_parts", BLACK, (0, 0, lift)),
    )


SCENES = {
    "tray-parts": Scene(
        (
            *_tray_pieces(34),
            Piece("pad_tray", "pixel", WHITE, (0, 0, 66)),
            Piece("pad_tray", "plate", PLATE, (0, 0, 104)),
            Piece("pad_tray", "card", WHITE, (0, 0, 136)),
            Piece("pad_tray", "tag", TAN, (0, 0, 136)),
        ),
        (
            Label("1", (20, 0, 8), (-0.12, -0.12)),
            Label("2", (50, 10, 42), (-0.3, -0.06)),
            Label("3", (70, 80, 49), (0.36, 0.0)),
            Label("4", (82, 14, 50), (0.3, -0.2)),
            Label("5", (46, 14, 81), (-0.3, 0.0)),
            Label("6", (98, 60, 121), (0.2, 0.02)),
            Label("7", (78, 100, 154), (0.3, 0.06)),
            Label("8", (50, 74, 154), (-0.42, 0.08)),
            Label("9", (86, 50, 40), (0.3, -0.12)),
        ),
        azimuth=28,
        elevation=24,
        size=(1200, 1150),
    ),
    "tray-pico": Scene(
        _tray_pieces(0),
        (
            Label("1", (50, 74, 16), (-0.1, 0.36)),
            Label("2", (86, 60, 6), (0.34, 0.02)),
            Label("3", (50, 14, 10), (0.12, -0.25)),
            Label("4", (79, 123, 13), (0.3, 0.12)),
            Label("5", (68, 114, 6), (0.2, 0.16)),
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
    "camera-mount": Scene(
        (
            Piece("camera_mount", "table", TAN, (53, 73, 16)),
            Piece("camera_mount", "clamp", BLUE),
            Piece("camera_mount", "mast", GREY, (16, 75, 16)),
            Piece("camera_mount", "elbow", BLUE, (0, 770, 0)),
            Piece("camera_mount", "boom", GREY, (40, 841, 16)),
            Piece("camera_mount", "plate", BLUE, (490, 825, 0), (-90, -90, 0)),
            Piece("camera_mount", "camera", BLACK, (510, 825, -22), (-90, -90, 0)),
        ),
        (
            Label("1", (16, 60, 32), (-0.12, -0.06)),
            Label("2", (16, 450, 26), (-0.12, 0.0)),
            Label("3", (20, 850, 32), (-0.1, 0.06)),
            Label("4", (260, 851, 20), (0.0, 0.1)),
            Label("5", (520, 840, 20), (0.12, 0.06)),
            Label("6", (510, 810, -22), (0.1, -0.08)),
        ),
        azimuth=-28,
        elevation=22,
        size=(1000, 1000),
        turn=(90, 0, 0),
    ),
    "camera-prints": Scene(
        (
            Piece("camera_mount", "clamp", BLUE),
            Piece("camera_mount", "elbow", BLUE, (120, 0, 0)),
            Piece("camera_mount", "plate", BLUE, (290, 0, 0)),
        ),
        (
            Label("1", (40, 90, 32), (0.02, 0.3)),
            Label("2", (150, 70, 32), (-0.02, 0.36)),
            Label("3", (300, 20, 32), (0.05, 0.34)),
        ),
        azimuth=20,
        elevation=45,
        size=(1200, 620),
    ),
}


def build_stl(file: str, part: str, folder: Path) -> Path:
    """Make the STL of one part with OpenSCAD, unless it exists and is newer than its source; models
    go beside `folder`."""
    target = (folder if part in PRINTS[file] else folder.parent / "models") / f"{file}-{part}.stl"
    target.parent.mkdir(parents=True, exist_ok=True)
    sources = (HARDWARE / "mounts" / f"{file}.scad", HARDWARE / "mounts" / "parts.scad")
    # the shared parts may have changed as well
    if target.exists() and target.stat().st_mtime > max(source.stat().st_mtime for source in sources):
        return target
    subprocess.run(["openscad", "-q", "-o", str(target), "-D", f'part="{part}"', str(sources[0])], check=True)
    return target


def rotate_points(points: np.ndarray, turn: tuple[float, float, float]) -> np.ndarray:
    """Rotate points (..., 3) about x, then y, then z, in degrees."""
    for axis, angle in enumerate(np.radians(turn)):
        a, b = (axis + 1) % 3, (axis + 2) % 3
        matrix = np.eye(3)
        matrix[a, a] = matrix[b, b] = np.cos(angle)
        matrix[a, b], matrix[b, a] = -np.sin(angle), np.sin(angle)
        points = points @ matrix.T
    return points


def draw_scene(scene: Scene, folder: Path) -> np.ndarray:
    """Draw one scene; STL files go to `folder`."""
    solids = [
        Solid(
            rotate_points(rotate_points(mesh, piece.turn) + np.array(piece.shift), scene.turn), piece.colour
        )
        for piece in scene.pieces
        for mesh in (load_stl(build_stl(piece.file, piece.part, folder)),)
    ]
    labels = [
        Label(label.text, tuple(rotate_points(np.array(label.at, float), scene.turn).tolist()), label.away)
        for label in scene.labels
    ]
    return draw_solids(solids, labels, scene.azimuth, scene.elevation, scene.size)


def main() -> None:
    """Build everything to print, and draw all scenes (or those named)."""
    folder, pictures = Path(sys.argv[1]), Path(sys.argv[2])
    for path in (folder, pictures):
        path.mkdir(parents=True, exist_ok=True)
    for file, parts in PRINTS.items():
        for part in parts:
            build_stl(file, part, folder)
    for name, scene in SCENES.items():
        if len(sys.argv) < 4 or name in sys.argv[3:]:
            cv2.imwrite(
                str(pictures / f"{name}.png"), draw_scene(scene, folder), [cv2.IMWRITE_PNG_COMPRESSION, 9]
            )


if __name__ == "__main__":
    main()
