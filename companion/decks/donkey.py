"""The animal itself: a donkey of many moods, drawn in a box of about 100 by 100 units that stands on y = 96 and looks to the right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from companion.decks.ink import DARK, PAPER, box, circle, ellipse, line, mix, n, path, put, shade, tint

Eye = Literal["calm", "wide", "shut", "cross", "up"]
Mouth = Literal["smile", "flat", "open", "frown"]


@dataclass(frozen=True)
class Pose:
    """How a donkey stands and feels.

    `coat`: its colour. `legs`: degrees that each leg swings forward (far hind, far fore, near hind, near fore). `neck`, `head`:
    degrees that these are turned downwards. `ears`: degrees that the far and the near ear lie back. `tail`: degrees it is raised.
    """

    coat: str = "#8d8378"
    legs: tuple[float, float, float, float] = (8, -8, 0, 0)
    neck: float = 0.0
    head: float = 0.0
    ears: tuple[float, float] = (-14, 12)
    tail: float = 0.0
    eye: Eye = "calm"
    mouth: Mouth = "smile"


def donkey(pose: Pose = Pose(), load: str = "") -> str:
    """Draw the donkey; `load` lies on its back, drawn in the same box (the middle of the back is at (43, 38))."""
    dark = shade(pose.coat, 0.28)
    far_hind, far_fore, near_hind, near_fore = pose.legs
    return (
        _tail(pose)
        + _leg(34, 60, far_hind, dark)
        + _leg(66, 60, far_fore, dark)
        + _leg(28, 60, near_hind, pose.coat)
        + _leg(60, 60, near_fore, pose.coat)
        + _body(pose.coat)
        + put(_neck(pose), 66, 50, turn=pose.neck)
        + load
        + put(put(_head(pose), 10, -30, turn=pose.head), 66, 50, turn=pose.neck)
    )


def _leg(x: float, y: float, swing: float, coat: str) -> str:
    leg = path(
        "M-5.5 -6L5.5 -6C6 6 4.4 10 3.8 18L4.2 31H-3.8L-3.6 18C-4.6 8 -6 4 -5.5 -6Z",
        coat,
        shade(coat, 0.4),
        1.2,
    )
    hoof = path("M-4.2 30H4.4L6 36.4H-4.6Z", shade(coat, 0.66))
    return put(leg + hoof, x, y, turn=-swing)


def _body(coat: str) -> str:
    outline = shade(coat, 0.4)
    body = path(
        "M21 54C17 40 27 34 41 37C53 40 63 34 74 40C82 47 80 62 70 66C56 71 40 71 28 67C23 65 22 60 21 54Z",
        coat,
        outline,
        1.2,
    )
    return body + path("M30 66C42 70 56 70 68 65.6C60 61 40 61 30 66Z", tint(coat, 0.5))


def _tail(pose: Pose) -> str:
    tail = line("M0 0C-8 4 -9 12 -8 20", shade(pose.coat, 0.2), 3) + path(
        "M-8 18C-13 24 -12 31 -8 34C-4 31 -4 24 -8 18Z", shade(pose.coat, 0.62)
    )
    return put(tail, 23, 45, turn=pose.tail)


def _neck(pose: Pose) -> str:
    """The neck, about the shoulder (66, 50) as origin; the head is put on afterwards."""
    coat, outline = pose.coat, shade(pose.coat, 0.4)
    neck = path("M-10 -8C-2 -14 2 -24 5 -35L20 -26C17 -16 16 -4 13 8C6 16 -8 10 -10 -8Z", coat)
    edge = line("M-8 -10C-1 -15 2 -24 5 -35M19 -24C17 -16 16 -4 13 8", outline, 1.2)
    mane = path(
        "M6 -40L1 -36L3 -32L-2.4 -28L0.6 -24.6L-5 -20L-2 -17L-9 -12L-9.6 -7C-2 -12 3 -22 8 -34Z",
        shade(coat, 0.62),
    )
    return neck + edge + mane


def _ear(lean: float, coat: str, inside: bool) -> str:
    ear = path("M-4.6 2C-8 -10 -6 -22 0 -30C6 -22 8 -10 4.6 2Z", coat, shade(coat, 0.45), 1.2)
    if inside:
        ear += path("M-2.4 0C-4.4 -9 -3.4 -18 0 -25C3.4 -18 4.4 -9 2.4 0Z", mix(coat, "#e9a79b", 0.75))
    return put(ear, turn=-lean)


def _head(pose: Pose) -> str:
    """The head about its own nape."""
    coat, outline = pose.coat, shade(pose.coat, 0.4)
    light = tint(coat, 0.62)
    skull = path(
        "M-9 -4C-8 -13 4 -16 11 -9C17 -3 24 1 27 8C29 15 22 20 15 17C7 14 -2 14 -7 7C-9 4 -9 0 -9 -4Z",
        coat,
        outline,
        1.2,
    )
    muzzle = path(
        "M17 2C22 3 26 5 27.4 9C28.6 15 22 19.6 15.6 17.4C12 16 11 12 12.6 8C13.6 5 15 2.6 17 2Z", light
    )
    nostril = ellipse(23.6, 8.6, 1.5, 1.1, shade(coat, 0.6))
    return (
        put(_ear(pose.ears[0], shade(coat, 0.16), False), 1, -9)
        + skull
        + muzzle
        + nostril
        + _mouth(pose.mouth, coat)
        + put(_ear(pose.ears[1], coat, True), -3, -8)
        + path("M-4 -10C0 -16 8 -14 9 -8C5 -9 0 -8 -1 -5Z", shade(coat, 0.62))
        + put(_eye(pose.eye, coat), 7.5, -1)
    )


def _mouth(mouth: Mouth, coat: str) -> str:
    ink = shade(coat, 0.7)
    if mouth == "open":
        return path(
            "M14 13C18 15 23 14.6 26.6 12.4C26 19 20 23 15 20.6C13 19 13 15 14 13Z", "#7b2d2d", ink, 0.8
        ) + box(18, 13.6, 6, 2, 0.6, PAPER)
    curve = {
        "smile": "M13.6 11.6C16 15.6 21 15.6 25.4 13.4",
        "flat": "M14.6 13.8L25 13.2",
        "frown": "M14 16C17 12.6 22 12.4 25 14.6",
    }[mouth]
    return line(curve, ink, 1.4)


def _eye(eye: Eye, coat: str) -> str:
    if eye == "shut":
        return line("M-3.4 0C-1.6 2 1.6 2 3.4 0", DARK, 1.6)
    size = 5.0 if eye == "wide" else 4.0
    look = {"calm": (0.9, 0.6), "wide": (0.4, 0.0), "cross": (1.2, 1.0), "up": (0.6, -1.8)}[eye]
    art = ellipse(0, 0, size * 0.92, size, PAPER, shade(coat, 0.6), 0.8)
    art += circle(*look, size * (0.36 if eye == "wide" else 0.56), DARK)
    art += circle(look[0] + 0.7, look[1] - 0.8, 0.7, PAPER)
    if eye == "cross":
        art += line("M-5 -5.4L4.4 -2.6", shade(coat, 0.7), 2.2)
    elif eye in ("up", "wide"):
        art += line(
            f"M-3.4 {n(-size - 1.6)}C-1.6 {n(-size - 3)} 1.6 {n(-size - 3)} 3 {n(-size - 2)}",
            shade(coat, 0.6),
            1.2,
        )
    return art


def bags(cloth: str = "#b5482f", leather: str = "#7a4a26", patch: str = "") -> str:
    """Saddle bags for `donkey(load=...)`: a blanket, one bag on the near side and a roll on top; `patch` is drawn on the bag."""
    roll = box(33, 27, 30, 10, 5, tint(cloth, 0.35), shade(cloth, 0.4), 1) + line(
        "M40 27.4V36.6M56 27.4V36.6", shade(cloth, 0.3), 1.6
    )
    blanket = path("M34 37C42 40 54 40 62 36.6L64 57C54 60 42 60 34 58Z", cloth, shade(cloth, 0.4), 1)
    fringe = line("M36 58V61M41 59V62M46 59.4V62.4M51 59.4V62.4M56 59V62M61 58V61", shade(cloth, 0.2), 1.6)
    bag = box(38, 43, 21, 19, 4, leather, shade(leather, 0.4), 1.2)
    flap = path("M37.4 43.4H59.6L57 51.6C52 54 45 54 40 51.6Z", tint(leather, 0.18), shade(leather, 0.4), 1)
    return put(roll + blanket + fringe + bag + flap + circle(48.5, 53, 1.5, "#e8c26a") + patch, -5, 1)
