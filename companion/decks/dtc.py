"""DTC's cards: six values, each a rosette of as many petals, and the joker."""

from __future__ import annotations

from companion.decks.ink import (
    DARK,
    HEIGHT,
    PAPER,
    WHITE,
    WIDTH,
    both_ways,
    box,
    circle,
    ellipse,
    path,
    put,
    shade,
    star,
    tint,
)
from companion.decks.letters import numeral
from companion.decks.patterns import edge, panel

_INKS = ("#0b7d86", "#e39a00", "#c21f3a", "#6b3fa0", "#2e8b3d", "#1f3f86")
_MID = (WIDTH / 2, HEIGHT / 2)


def value(v: int) -> str:
    """Draw the card of value 1 to 6."""
    ink = _INKS[v - 1]
    rim = tint(ink, 0.55)
    petal = path("M0 -11C-9 -15 -9 -26 0 -30C9 -26 9 -15 0 -11Z", rim, WHITE, 0.8) + circle(
        0, -22, 2.4, PAPER
    )
    rosette = "".join(put(petal, turn=360 * k / v + (45 if v == 4 else 0)) for k in range(v))
    high, drop = (12.5, 1.8) if v == 6 else (15.0, 0.0)
    middle = (
        put(rosette, scale=0.94)
        + circle(0, 0, 13.5, PAPER, WHITE, 1)
        + numeral(str(v), 0, -drop, 1.22 * high, shade(ink, 0.25))
    )
    index = numeral(str(v), 11, 12.5, 13.4, WHITE)
    return panel(ink, shade(ink, 0.14), 2 * v + 1) + put(middle, *_MID) + both_ways(index)


def joker() -> str:
    """Draw the joker: a jester's cap over a grin."""
    ground = box(2, 2, 59, 84, 0, "#fff0c9") + "".join(
        put(path("M0 0L-9 -70H9Z", tint(ink, 0.35)), *_MID, turn=60 * k) for k, ink in enumerate(_INKS)
    )
    face = (
        ellipse(0, 10, 12.5, 14, "#ffe3c2", DARK, 0.9)
        + circle(-4.6, 7, 1.7, DARK)
        + circle(4.6, 7, 1.7, DARK)
    )
    face += path("M-7.6 13C-4 21 4 21 7.6 13C3 15.4 -3 15.4 -7.6 13Z", WHITE, DARK, 0.9) + circle(
        0, 11, 1.8, "#c21f3a"
    )
    corner = path(star(5, 6.4, 2.8, 11, 12.5), "#c21f3a", WHITE, 0.9)
    frame = edge() + box(3, 3, 57, 82, 3.5, "none", DARK, 1.2)
    return ground + frame + put(face + joker_cap(), WIDTH / 2, 45) + both_ways(corner)


def joker_cap() -> str:
    """Draw the jester's cap, its rim about the origin, some 50 millimetres wide."""
    return (
        path("M-13 -3C-24 -8 -26 -20 -21 -24C-18 -16 -10 -16 -6 -11Z", "#c21f3a", DARK, 0.9)
        + path("M13 -3C24 -8 26 -20 21 -24C18 -16 10 -16 6 -11Z", "#1f3f86", DARK, 0.9)
        + path("M-13 -3C-11 -18 -4 -22 0 -31C4 -22 11 -18 13 -3Z", "#e39a00", DARK, 0.9)
        + path("M-15 -6C-6 -2 6 -2 15 -6V2C6 5 -6 5 -15 2Z", "#2e8b3d", DARK, 0.9)
        + "".join(circle(x, y, 2.8, "#f7d64a", DARK, 0.8) for x, y in [(-21, -24), (21, -24), (0, -31.5)])
    )
