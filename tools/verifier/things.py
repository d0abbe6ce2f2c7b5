"""Draw the print of a card: marks, words and boxes, from back to front."""

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.float32]
"""Height x width x 3, blue-green-red, 0 to 1."""

Points = NDArray[np.float64]

ACROSS, DOWN = 320, 448
"""Pixels of a drawing: twice those of a patch."""

SHIFT = 4
"""Bits of fraction in the coordinates that OpenCV draws."""


@dataclass(frozen=True)
class Mark:
    """One printed thing: an outline (1 is half its size), its place, and how it is filled.

    `fill`: `solid`, `open`, `hatched`, `dotted` or `tint`; `pitch`: distance of the hatching's
    lines in pixels; `part`: part of it that is inked; `line`: width of the outline.
    """

    shape: Points
    x: float
    y: float
    size: float
    colour: NDArray[np.float64]
    fill: str = "solid"
    pitch: float = 8.0
    tilt: float = 0.0
    line: float = 3.0
    turned: bool = False
    part: float = 0.3


@dataclass(frozen=True)
class Word:
    """Letters: a numeral in a corner, a title, lines of small print."""

    text: str
    x: float
    y: float
    height: float
    colour: NDArray[np.float64]
    font: int = cv2.FONT_HERSHEY_SIMPLEX
    line: int = 2
    turned: bool = False


@dataclass(frozen=True)
class Box:
    """A frame or a plain area; `line` 0 fills it."""

    x: float
    y: float
    width: float
    height: float
    colour: NDArray[np.float64]
    line: float = 0.0


@dataclass(frozen=True)
class Stamp:
    """A thing given as a mask (0 to 255, cropped to the ink): letters of a typeface, a suit.

    `x`, `y`: its middle; `height`: in pixels; `narrow`: width of the print relative to the mask;
    `line`: pixels by which its strokes are wider.
    """

    mask: NDArray[np.uint8]
    x: float
    y: float
    height: float
    narrow: float
    colour: NDArray[np.float64]
    turned: bool = False
    line: float = 0.0


Thing = Mark | Word | Box | Stamp


@dataclass(frozen=True)
class Card:
    """The print of one card, from back to front."""

    paper: NDArray[np.float64]
    things: tuple[Thing, ...]


def rotate_half_turn(thing: Thing) -> Thing:
    """Turn a thing by half a turn round the middle of the card."""
    if isinstance(thing, Box):
        # a box is placed by its corner, everything else by its middle
        return replace(thing, x=ACROSS - thing.x - thing.width, y=DOWN - thing.y - thing.height)
    return replace(thing, x=ACROSS - thing.x, y=DOWN - thing.y, turned=not thing.turned)


def render_card(card: Card, gain: float = 0.0, pitch: float = 1.0, inked: float = 1.0) -> Picture:
    """Print a card: its lines wider by `gain` pixels than drawn, its hatching `pitch` times as
    wide, of which the ink covers `inked` times as much."""
    picture = np.empty((DOWN, ACROSS, 3), dtype=np.float32)
    picture[:] = card.paper
    for thing in card.things:
        if isinstance(thing, Mark):
            thing = replace(thing, pitch=thing.pitch * pitch, part=thing.part * inked)
        elif isinstance(thing, Box):
            _draw_box(picture, thing, gain)
            continue
        mask, (top, left) = _render_mask(thing, gain)
        part = picture[top : top + mask.shape[0], left : left + mask.shape[1]]
        # a view of the picture: the print is blended in place
        part += (mask * np.float32(1 / 255))[:, :, None] * (thing.colour.astype(np.float32) - part)
    return picture


Mask = NDArray[np.uint8]


def _draw_box(picture: Picture, box: Box, gain: float) -> None:
    whole = [round(v) for v in (box.x, box.y, box.x + box.width, box.y + box.height)]
    line = -1 if box.line == 0 else max(1, round(box.line + gain))
    cv2.rectangle(picture, (whole[0], whole[1]), (whole[2], whole[3]), box.colour.tolist(), line)


def _render_mask(thing: Mark | Word | Stamp, gain: float) -> tuple[Mask, tuple[int, int]]:
    """Return the mask of a thing's print, 0 to 255, in the part of the card that it covers, and the
    top left of that part."""
    if isinstance(thing, Mark):
        return _render_mark(thing, gain)
    if isinstance(thing, Stamp):
        return _render_stamp(thing, gain)
    mask = np.zeros((DOWN, ACROSS), dtype=np.uint8)
    x, y = (thing.x, thing.y) if not thing.turned else (ACROSS - thing.x, DOWN - thing.y)
    line = max(1, round(thing.line + gain))
    at = (round(x), round(y))
    # at scale 1, OpenCV's letters are 22 pixels high
    cv2.putText(mask, thing.text, at, thing.font, thing.height / 22, 255, line, cv2.LINE_AA)
    return (mask[::-1, ::-1] if thing.turned else mask), (0, 0)


def _render_stamp(stamp: Stamp, gain: float) -> tuple[Mask, tuple[int, int]]:
    high, across = stamp.mask.shape
    down = stamp.height / high
    along = down * stamp.narrow
    left, top = stamp.x - across * along / 2, stamp.y - high * down / 2
    begin = np.clip(np.floor([left - 4, top - 4]), 0, (ACROSS - 2, DOWN - 2)).astype(int)
    end = np.ceil([left + across * along + 4, top + high * down + 4])
    end = np.clip(end, begin + 1, (ACROSS, DOWN)).astype(int)
    # averaged before shrinking, because a warp would skip pixels of the mask
    small = cv2.blur(stamp.mask, (max(1, round(1 / along)), max(1, round(1 / down))))
    shown = small[::-1, ::-1] if stamp.turned else small
    moved = np.array([[along, 0, left - begin[0]], [0, down, top - begin[1]]])
    size = (int(end[0] - begin[0]), int(end[1] - begin[1]))
    mask = cv2.warpAffine(np.ascontiguousarray(shown), moved, size, flags=cv2.INTER_LINEAR)
    wider = round(stamp.line + gain)
    if wider > 0:
        mask = cv2.dilate(mask, np.ones((wider + 1, wider + 1), np.uint8))
    return np.asarray(mask, np.uint8), (int(begin[1]), int(begin[0]))


def _render_mark(mark: Mark, gain: float) -> tuple[Mask, tuple[int, int]]:
    outline = mark.shape * (-1 if mark.turned else 1) * mark.size + (mark.x, mark.y)
    left, top = np.clip(np.floor(outline.min(axis=0) - 8), 0, (ACROSS - 2, DOWN - 2)).astype(int)
    right, low = np.clip(np.ceil(outline.max(axis=0) + 8), (left + 1, top + 1), (ACROSS, DOWN)).astype(int)
    mask = np.zeros((low - top, right - left), dtype=np.uint8)
    points = [np.round((outline - (left, top)) * 2**SHIFT).astype(np.int32)]
    cv2.fillPoly(mask, points, 255, cv2.LINE_AA, SHIFT)
    if mark.fill == "solid":
        return mask, (int(top), int(left))
    y, x = np.mgrid[top:low, left:right].astype(np.float32)
    along = (x * np.cos(mark.tilt) + y * np.sin(mark.tilt)) * (2 * np.pi / mark.pitch)
    # a press that widens lines also widens those of hatching
    part = np.float32(np.clip(mark.part + 0.08 * gain, 0.08, 0.6))
    inside = np.zeros_like(x)
    if mark.fill == "hatched":
        # the part of each pixel that lies on a line, with soft edges
        inside = np.clip((np.cos(along) - np.cos(np.pi * part)) * mark.pitch / 6 + 0.5, 0, 1)
    elif mark.fill == "dotted":
        across = (y * np.cos(mark.tilt) - x * np.sin(mark.tilt)) * (2 * np.pi / mark.pitch)
        inside = np.clip((np.cos(along) + np.cos(across) - 0.9) * mark.pitch / 8 + 0.5, 0, 1)
    elif mark.fill == "tint":
        inside = np.full_like(x, 0.35)
    mask = np.asarray(mask * inside, dtype=np.uint8)
    cv2.polylines(mask, points, True, 255, max(1, round(mark.line + gain)), cv2.LINE_AA, SHIFT)
    return mask, (int(top), int(left))


def _make_suit_outlines() -> list[Points]:
    """Return the outlines of heart, diamond, spade and club."""
    t = np.linspace(0, 2 * np.pi, 60)[:-1]
    heart = np.stack(
        [16 * np.sin(t) ** 3, -(13 * np.cos(t) - 5 * np.cos(2 * t) - 2 * np.cos(3 * t) - np.cos(4 * t))], 1
    )
    heart /= 16
    diamond = np.array([[0, -1], [0.75, 0], [0, 1], [-0.75, 0]], dtype=np.float64)
    spade = np.concatenate(
        [-heart[:29] * [1, 0.85], [[-0.08, 0.3], [-0.35, 1], [0.35, 1], [0.08, 0.3]], -heart[30:] * [1, 0.85]]
    )
    club = np.zeros((200, 200), dtype=np.uint8)
    for x, y in ((100, 55), (57, 115), (143, 115)):
        cv2.circle(club, (x, y), 46, 255, -1)
    cv2.fillPoly(club, [np.array([[100, 90], [130, 195], [70, 195]], np.int32)], 255)
    outline = max(cv2.findContours(club, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)[0], key=len)
    return [heart, diamond, spade, (outline[:, 0].astype(np.float64) - 100) / 100]


SUITS = _make_suit_outlines()
INKS = [np.array([0.15, 0.1, 0.75]), np.array([0.1, 0.1, 0.1])]
PLACES: dict[int, list[tuple[float, float]]] = {
    1: [(0, 0)],
    2: [(0, -1), (0, 1)],
    3: [(0, -1), (0, 0), (0, 1)],
    4: [(-1, -1), (1, -1), (-1, 1), (1, 1)],
    5: [(-1, -1), (1, -1), (-1, 1), (1, 1), (0, 0)],
    6: [(-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)],
    7: [(-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1), (0, -0.5)],
    8: [(-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1), (0, -0.5), (0, 0.5)],
    9: [(s, y) for s in (-1, 1) for y in (-1, -0.33, 0.33, 1)] + [(0, 0)],
    10: [(s, y) for s in (-1, 1) for y in (-1, -0.33, 0.33, 1)] + [(0, -0.66), (0, 0.66)],
}
"""Places of the pips of each rank, in parts of half the field of pips."""
