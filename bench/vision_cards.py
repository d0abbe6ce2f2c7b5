"""A deck of our own for the benchmarks and tests of vision: simple drawings with near look-alikes.

Ten values in four colours, each colour with a shape of its own; 6 and 9 differ by a bar, as on real
cards; colours lie close together (red and orange, blue and violet) so that hue alone decides
little.
"""

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]

WIDE, HIGH = 300, 420
COLOURS = {
    "red": (40, 40, 200),
    "orange": (20, 120, 235),
    "blue": (180, 90, 20),
    "violet": (150, 40, 110),
}
VALUES = range(1, 11)


def deck() -> dict[str, Picture]:
    """The forty drawings, `bench:<colour>:<value>` to a BGR picture of the whole card."""
    return {f"bench:{colour}:{value}": draw(colour, value) for colour in COLOURS for value in VALUES}


def draw(colour: str, value: int) -> Picture:
    """One card: a large numeral in the middle, numeral and shape in two corners."""
    card = np.full((HIGH, WIDE, 3), 245, dtype=np.uint8)
    ink = COLOURS[colour]
    corner = np.full((110, 70, 3), 245, dtype=np.uint8)
    _numeral(corner, value, (35, 32), 1.4, 5, ink)
    _shape(corner, colour, (35, 82), 20, ink)
    card[12 : 12 + 110, 12 : 12 + 70] = corner
    card[-122:-12, -82:-12] = corner[::-1, ::-1]
    _numeral(card, value, (WIDE // 2, HIGH // 2 - 10), 5.0, 16, ink)
    _shape(card, colour, (WIDE // 2, HIGH - 80), 26, ink)
    cv2.rectangle(card, (4, 4), (WIDE - 5, HIGH - 5), ink, 3)
    return card


def back() -> Picture:
    """The back that all cards share."""
    card = np.full((HIGH, WIDE, 3), 240, dtype=np.uint8)
    for offset in range(-HIGH, WIDE, 24):
        cv2.line(card, (offset, 0), (offset + HIGH, HIGH), (120, 110, 60), 6, cv2.LINE_AA)
        cv2.line(card, (offset + HIGH, 0), (offset, HIGH), (120, 110, 60), 6, cv2.LINE_AA)
    cv2.rectangle(card, (0, 0), (WIDE - 1, HIGH - 1), (240, 240, 240), 24)
    return card


def stranger(number: int) -> Picture:
    """A card of another deck: rings and a letter, in a frame of its own."""
    card = np.full((HIGH, WIDE, 3), 235, dtype=np.uint8)
    ink = ((60, 130, 30), (30, 30, 30), (140, 60, 170))[number % 3]
    cv2.rectangle(card, (18, 18), (WIDE - 19, HIGH - 19), ink, 6)
    for ring in range(1 + number % 4):
        cv2.circle(card, (WIDE // 2, HIGH // 2), 40 + 24 * ring, ink, 6, cv2.LINE_AA)
    cv2.putText(card, chr(65 + number % 26), (40, 90), cv2.FONT_HERSHEY_SIMPLEX, 2, ink, 5, cv2.LINE_AA)
    return card


def from_folder(folder: str | Path) -> dict[str, Picture]:
    """Drawings from a folder: one picture a card, its file name the id."""
    pictures = {}
    for file in sorted(Path(folder).iterdir()):
        picture = cv2.imread(str(file), cv2.IMREAD_COLOR)
        if picture is not None:
            pictures[file.stem] = np.asarray(picture, dtype=np.uint8)
    return pictures


def _numeral(
    picture: Picture, value: int, middle: tuple[int, int], size: float, thick: int, ink: tuple[int, int, int]
) -> None:
    text = str(value)
    if len(text) > 1:
        size *= 0.75
    (wide, high), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, size, thick)
    origin = (middle[0] - wide // 2, middle[1] + high // 2)
    cv2.putText(picture, text, origin, cv2.FONT_HERSHEY_SIMPLEX, size, ink, thick, cv2.LINE_AA)
    if value in (6, 9):
        below = origin[1] + round(7 * size)
        cv2.line(picture, (origin[0], below), (origin[0] + wide, below), ink, max(2, thick // 2), cv2.LINE_AA)


def _shape(
    picture: Picture, colour: str, middle: tuple[int, int], radius: int, ink: tuple[int, int, int]
) -> None:
    if colour == "red":
        cv2.circle(picture, middle, radius, ink, -1, cv2.LINE_AA)
        return
    corners, turn, ratio = {"orange": (3, -90, 1.0), "blue": (4, 45, 1.0), "violet": (5, -90, 0.45)}[colour]
    angles = np.radians(turn + np.arange(2 * corners) * 180 / corners)
    radii = np.where(np.arange(2 * corners) % 2 == 0, radius, radius * ratio)
    if ratio == 1.0:
        angles, radii = angles[::2], radii[::2]
    points = np.stack([middle[0] + radii * np.cos(angles), middle[1] + radii * np.sin(angles)], axis=1)
    cv2.fillPoly(picture, [np.round(points).astype(np.int32)], ink, cv2.LINE_AA)
