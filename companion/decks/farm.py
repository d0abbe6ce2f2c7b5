"""Ochs & Esel's cards: one to thirteen as crops to count, the joker, the donkey and the ox."""

from __future__ import annotations

from companion.decks.donkey import Pose, donkey
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
    line,
    path,
    put,
    shade,
    tint,
)
from companion.decks.letters import numeral
from companion.decks.patterns import edge, panel

_INKS = (
    "#b3261e", "#2a6f97", "#5f8d2e", "#c77800", "#7a3f98", "#0f8f80", "#c2447c",
    "#3c53b0", "#8a6d00", "#a0522d", "#277a3f", "#566072", "#d4471c",
)  # fmt: skip

_CARROT = path("M-4 -3C-3 6 -1 11 0 12C1 11 3 6 4 -3C2 -6 -2 -6 -4 -3Z", "#f07f13", DARK, 0.6) + path(
    "M0 -4L-4 -11L-0.8 -8L0 -12.4L0.8 -8L4 -11Z", "#2e8b3d", DARK, 0.5
)
_APPLE = path("M0 -5C-8 -10 -11 6 -4 9C-2 10 2 10 4 9C11 6 8 -10 0 -5Z", "#c21f3a", DARK, 0.6) + line(
    "M0 -5C0 -8 1 -10 3 -11", "#6b4326", 1.2
)
_CLOVER = "".join(
    put(ellipse(0, -4.6, 3.8, 4.4, "#2e8b3d", DARK, 0.5), turn=90 * k + 45) for k in range(4)
) + line("M0 2C0 6 1 9 3 11", "#2e8b3d", 1.4)
_SHOE = line("M-4.6 9C-9 -2 -7 -9 0 -9C7 -9 9 -2 4.6 9", DARK, 4.2) + line(
    "M-4.6 9C-9 -2 -7 -9 0 -9C7 -9 9 -2 4.6 9", "#8d99ae", 3
)
_WHEAT = line("M0 12V-6", "#b8860b", 1.2) + "".join(
    put(ellipse(0, 0, 1.9, 3.6, "#f2c500", DARK, 0.4), x, y, turn=t)
    for x, y, t in [
        (-3, 4, -28),
        (3, 4, 28),
        (-3, -1.4, -28),
        (3, -1.4, 28),
        (-2.4, -6.4, -24),
        (2.4, -6.4, 24),
        (0, -10, 0),
    ]
)
_CROPS = (_CARROT, _APPLE, _CLOVER, _SHOE, _WHEAT)

_COLUMNS: dict[int, tuple[int, ...]] = {
    1: (1,), 2: (2,), 3: (3,), 4: (2, 2), 5: (2, 1, 2), 6: (3, 3), 7: (3, 1, 3), 8: (3, 2, 3),
    9: (3, 3, 3), 10: (3, 4, 3), 11: (4, 3, 4), 12: (4, 4, 4), 13: (4, 5, 4),
}  # fmt: skip
"""How many crops stand in each column."""


def value(v: int) -> str:
    """Draw the card of value 1 to 13."""
    ink = _INKS[v - 1]
    columns = _COLUMNS[v]
    wide, high = {1: 40, 2: 18, 3: 13.6}[len(columns)], 48 / max(columns)
    size = min(high / 25.5, wide / 20)
    crops = "".join(
        put(
            _CROPS[(v - 1) % 5],
            31.5 + wide * (x - (len(columns) - 1) / 2),
            44 + high * (y - (count - 1) / 2),
            size,
        )
        for x, count in enumerate(columns)
        for y in range(count)
    )
    field = box(10, 18.5, 43, 51, 3, PAPER, shade(ink, 0.2), 0.8)
    index = numeral(str(v), 10.4 if v < 10 else 12.8, 11.8, 12.6 if v < 10 else 12, WHITE)
    return panel(ink, tint(ink, 0.16), v) + field + crops + both_ways(index)


def joker() -> str:
    """Draw the joker: a scarecrow."""
    straw = line(
        "M-20 -2H20M-20 -2L-25 -6M-20 -2L-26 0M-20 -2L-24 4M20 -2L25 -6M20 -2L26 0M20 -2L24 4", "#e0b040", 2
    )
    pole = line("M0 6V34", "#6b4326", 3.4)
    coat = path("M-17 -7H17V3H9L11 24L5 21L0 25L-5 21L-11 24L-9 3H-17Z", "#3c53b0", DARK, 0.9) + box(
        -7, 8, 6, 6, 0.6, "#c2447c", DARK, 0.6
    )
    head = circle(0, -16, 9, "#f3d9a4", DARK, 0.9) + line(
        "M-4.6 -18L-2 -16M-2 -18L-4.6 -16M2 -18L4.6 -16M4.6 -18L2 -16"
        "M-4 -11.6C-2 -9.6 2 -9.6 4 -11.6M-2.6 -11.6V-10M0 -11V-9.4M2.6 -11.6V-10",
        DARK,
        0.9,
    )
    hat = path("M-13 -22C-6 -25 6 -25 13 -22L8 -25L5 -35H-5L-8 -25Z", "#8a5a33", DARK, 0.9) + line(
        "M-7 -26.6H7", "#c21f3a", 1.8
    )
    star_corner = path("M0 -6L1.8 -1.8L6 0L1.8 1.8L0 6L-1.8 1.8L-6 0L-1.8 -1.8Z", "#f2c500", DARK, 0.6)
    sky = panel("#ffe9a8", "#ffd970", 2, "#8a5a33", 1.6)
    return sky + put(pole + straw + coat + head + hat, 31.5, 47) + both_ways(put(star_corner, 11, 12))


def ass() -> str:
    """Draw the donkey's card."""
    sky = (
        box(2, 2, 59, 84, 0, "#8fd0e8")
        + path("M2 58C20 50 44 62 61 54V86H2Z", "#7fb04d")
        + circle(50, 16, 6, "#ffe36e")
    )
    fence = line("M3 50H60M3 56H60M9 45V62M22 45V62M35 45V62M48 45V62", "#c9a26a", 2)
    mark = put(donkey_head(), 11.5, 13, 0.2)
    beast = put(donkey(Pose(coat="#8d8378", mouth="open", eye="calm", ears=(-26, 20))), 3.6, 24, 0.53)
    return (
        sky
        + fence
        + edge()
        + beast
        + both_ways(circle(11.5, 12, 7, PAPER, DARK, 0.8) + mark)
        + box(3, 3, 57, 82, 3.5, "none", "#2a6f97", 1.6)
    )


def donkey_head() -> str:
    """Draw a donkey's head from the front, about the origin, some 50 units high."""
    ears = path("M-9 -14C-20 -26 -18 -42 -14 -46C-6 -38 -4 -26 -4 -16Z", "#8d8378", DARK, 2) + path(
        "M9 -14C20 -26 18 -42 14 -46C6 -38 4 -26 4 -16Z", "#8d8378", DARK, 2
    )
    face = path(
        "M-13 -14C-10 -22 10 -22 13 -14C16 -4 12 8 11 16C10 26 -10 26 -11 16C-12 8 -16 -4 -13 -14Z",
        "#8d8378",
        DARK,
        2,
    )
    muzzle = (
        ellipse(0, 16, 11.5, 9, "#d8d2c8", DARK, 1.6)
        + circle(-4.4, 14, 1.9, DARK)
        + circle(4.4, 14, 1.9, DARK)
    )
    return put(ears + face + muzzle + circle(-6.4, -6, 3, DARK) + circle(6.4, -6, 3, DARK), 0, 6)


def ox() -> str:
    """Draw the ox's card: the head, from the front."""
    hide, dark = "#8a4b2a", "#4a2413"
    field = panel("#d9534f", "#c9403c", 0, "#7a1512", 1.6)
    horns = path("M-13 -18C-30 -16 -34 -32 -27 -40C-26 -30 -18 -29 -9 -27Z", "#f5ead2", DARK, 1) + path(
        "M13 -18C30 -16 34 -32 27 -40C26 -30 18 -29 9 -27Z", "#f5ead2", DARK, 1
    )
    ears = path("M-15 -12C-26 -16 -30 -8 -28 -5C-22 -2 -17 -5 -14 -7Z", hide, DARK, 1) + path(
        "M15 -12C26 -16 30 -8 28 -5C22 -2 17 -5 14 -7Z", hide, DARK, 1
    )
    face = path(
        "M-16 -18C-12 -27 12 -27 16 -18C18 -8 14 4 13 14C10 24 -10 24 -13 14C-14 4 -18 -8 -16 -18Z",
        hide,
        DARK,
        1,
    )
    tuft = path("M-10 -25C-6 -30 6 -30 10 -25L6 -14L2 -18L-1 -12L-4 -17L-7 -13Z", dark)
    muzzle = (
        ellipse(0, 16, 15, 10, "#e8b9a0", DARK, 1)
        + ellipse(-6, 13, 2.6, 1.9, DARK)
        + ellipse(6, 13, 2.6, 1.9, DARK)
    )
    ring = circle(0, 23, 5, "none", DARK, 2.8) + circle(0, 23, 5, "none", "#f2c500", 1.8)
    eyes = (
        circle(-8, -6, 3.2, WHITE, DARK, 0.8)
        + circle(8, -6, 3.2, WHITE, DARK, 0.8)
        + circle(-7.4, -5.4, 1.7, DARK)
        + circle(7.4, -5.4, 1.7, DARK)
    )
    eyes += line("M-12.6 -11L-4.6 -8.6M12.6 -11L4.6 -8.6", dark, 1.6)
    head = horns + ears + face + tuft + eyes + ring + muzzle + line("M-6 20C-2 22 2 22 6 20", DARK, 1)
    small = circle(11.5, 12, 7, PAPER, DARK, 0.8) + put(horns + face + muzzle, 11.5, 13, 0.17)
    return field + put(head, WIDTH / 2, HEIGHT / 2 + 4, 0.8) + both_ways(small)
