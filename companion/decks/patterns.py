"""Grounds for cards: each a panel of one tint with a pattern of another, so that cards differ as a
whole and not only by a numeral."""

from __future__ import annotations

import math

from companion.decks.svg import HEIGHT, WHITE, WIDTH, box, box_d, line, n, path

_W, _H = WIDTH, HEIGHT


def rising(step: float, slope: float) -> str:
    """Lines that rise from left to right by `slope`, `step` apart."""
    return "".join(
        f"M0 {n(step * k)}L63 {n(step * k - 63 * slope)}" for k in range(-8, 26) if -70 < step * k < 180
    )


def dots(step: float) -> str:
    """Dots in staggered rows, `step` apart (drawn as lines of no length)."""
    return "".join(
        f"M{n(step * (x + (y % 2) / 2))} {n(step * y)}h0.01"
        for y in range(1, round(_H / step) + 1)
        for x in range(1, round(_W / step) + 1)
    )


def rings(step: float) -> str:
    """Rings about the card's middle, `step` apart."""
    return "".join(
        f"M{n(31.5 - r)} 44a{n(r)} {n(r)} 0 1 0 {n(2 * r)} 0a{n(r)} {n(r)} 0 1 0 {n(-2 * r)} 0"
        for r in (step * k for k in range(2, round(50 / step)))
    )


def rays(count: int) -> str:
    """Rays from the card's middle."""
    turns = (2 * math.pi * k / count for k in range(count))
    return "".join(f"M31.5 44L{n(31.5 + 70 * math.cos(a))} {n(44 + 70 * math.sin(a))}" for a in turns)


def zigzag(step: float) -> str:
    """Zigzag lines, `step` apart."""
    lines = range(round(_H / step) + 2)
    return "".join(f"M0 {n(step * k)}" + f"l5.25 {n(-step * 0.5)}l5.25 {n(step * 0.5)}" * 6 for k in lines)


def bricks(step: float) -> str:
    """A wall whose courses are `step` high."""
    courses = "".join(f"M0 {n(step * k)}H63" for k in range(round(_H / step) + 1))
    joints = "".join(
        f"M{n(9 * x + (4.5 if y % 2 else 0))} {n(step * y)}v{n(step)}"
        for y in range(round(_H / step))
        for x in range(8)
    )
    return courses + joints


def bars(step: float) -> str:
    """Upright lines, `step` apart."""
    return "".join(f"M{n(step * k)} 0V88" for k in range(1, round(_W / step)))


def rows(step: float) -> str:
    """Level lines, `step` apart."""
    return "".join(f"M0 {n(step * k)}H63" for k in range(1, round(_H / step)))


def waves(step: float) -> str:
    """Wavy lines, `step` apart."""
    return "".join(f"M0 {n(step * k)}" + "c3 -4 6 -4 9 0s6 4 9 0" * 4 for k in range(1, round(_H / step) + 1))


def arcs(step: float) -> str:
    """Arcs about the top left and the bottom right corner, `step` apart."""
    radii = [step * k for k in range(2, round(64 / step))]
    one = "".join(f"M{n(r)} 0A{n(r)} {n(r)} 0 0 1 0 {n(r)}" for r in radii)
    return one + "".join(f"M{n(_W - r)} {n(_H)}A{n(r)} {n(r)} 0 0 1 {n(_W)} {n(_H - r)}" for r in radii)


PATTERNS: tuple[tuple[str, float], ...] = (
    (rising(8, 0.8), 2.6),
    (dots(9), 3.4),
    (rays(20), 1.6),
    (rows(8), 3),
    (rings(6), 1.8),
    (zigzag(9), 1.8),
    (bars(7), 2.6),
    (bricks(8), 1.2),
    (rising(8, -0.8), 2.6),
    (rising(12, 1.3) + rising(12, -1.3), 1.4),
    (bars(9) + rows(9), 1.2),
    (dots(5.5), 1.8),
)
"""Patterns over the whole card: a path of lines and the lines' width in millimetres."""


def edge(colour: str = WHITE) -> str:
    """Paper round the panel: it hides what runs over, and sets the card off from the table."""
    return path(box_d(-1, -1, _W + 2, _H + 2) + box_d(3, 3, _W - 6, _H - 6, 3.5), colour)


def panel(ground: str, mark: str, pattern: int, frame: str = "", width: float = 1.2) -> str:
    """Draw a card's panel: the ground, one of `PATTERNS` (counted round) in `mark`, white paper
    round it, and a frame."""
    d, thick = PATTERNS[pattern % len(PATTERNS)]
    border = box(3, 3, _W - 6, _H - 6, 3.5, "none", frame, width) if frame else ""
    return box(2, 2, _W - 4, _H - 4, 0, ground) + line(d, mark, thick) + edge() + border
