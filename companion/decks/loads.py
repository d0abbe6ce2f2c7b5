"""Donkey Valley's loads, contracts and first-player card.

A load is a piece of luggage, heavier as its value rises, in its owner's colour; the value stands on its label and in two corners. Even
values show their favour (DV-12) in the other two.
"""

from __future__ import annotations

from collections.abc import Callable

from companion.decks.donkey import Pose, donkey
from companion.decks.ink import (
    DARK,
    HEIGHT,
    PAPER,
    WHITE,
    WIDTH,
    both_ways,
    box,
    box_d,
    circle,
    ellipse,
    ellipse_d,
    line,
    path,
    put,
    regular,
    shade,
    star,
    tint,
)
from companion.decks.letters import numeral, write
from companion.decks.palette import COLOURS, Colour
from companion.decks.patterns import edge

_MID = (WIDTH / 2, HEIGHT / 2)


def load(colour: str, value: int) -> str:
    """Draw the load of that colour and value, 1 to 10."""
    own = COLOURS[colour]
    text = str(value)
    index = numeral(
        text, 11.5 if value < 10 else 13.8, 12.5, 14.2 if value < 10 else 13, own.deep, halo=WHITE
    )
    low = 28.8 if value in (6, 9) else 25
    sign = put(path(own.shape, own.ink, WHITE, 0.9), 11.5, low, 0.78)
    corner = (
        _favour(value, own) if value % 2 == 0 else put(path(own.shape, own.ink, WHITE, 0.8), 51.5, 13, 0.9)
    )
    thing, (x, y), size, scale = _THINGS[value]
    label = numeral(text, x, y, 1.2 * size, DARK)
    spot = path(_SPOTS[value], tint(own.ink, 0.42), WHITE, 1)
    return (
        _ground(own)
        + put(spot, *_MID)
        + put(thing(own.ink) + label, *_MID, scale)
        + both_ways(index + sign + corner)
        + box(3, 3, 57, 82, 3.5, "none", own.ink, 1.2)
    )


def _ground(own: Colour) -> str:
    return box(2, 2, 59, 84, 0, own.ground) + line(own.pattern, own.mark, 1.1) + edge()


def _label(x: float, y: float, w: float, h: float) -> str:
    return box(x - w / 2, y - h / 2, w, h, 2, PAPER, DARK, 0.7)


def _letter(c: str) -> str:
    sheet = box(-15, -10, 30, 21, 1.5, tint(c, 0.25), DARK, 0.9) + line(
        "M-14.4 -9.4L0 2L14.4 -9.4", DARK, 0.9
    )
    seal = circle(0, 1.6, 7.4, PAPER, DARK, 0.8)
    return put(sheet, turn=-6) + seal


def _flask(c: str) -> str:
    strap = line("M-9 -10C-16 -22 16 -22 9 -10", shade(c, 0.4), 1.6)
    body = circle(0, 4, 14, c, DARK, 0.9) + box(-3.6, -14.6, 7.2, 6, 1, shade(c, 0.35), DARK, 0.8)
    return strap + body + circle(0, 4, 9.4, PAPER, DARK, 0.7)


def _basket(c: str) -> str:
    handle = line("M-13 -4C-12 -22 12 -22 13 -4", shade(c, 0.3), 2.4)
    fruit = (
        circle(-6, -5, 4.6, tint(c, 0.5), DARK, 0.8)
        + circle(3, -6, 5, tint(c, 0.3), DARK, 0.8)
        + circle(9.6, -4.6, 3.6, tint(c, 0.6), DARK, 0.8)
    )
    body = path("M-17 -3H17L12.6 17H-12.6Z", c, DARK, 0.9) + line("M-16 1.4H16M-15 15H15", shade(c, 0.35), 1)
    return handle + fruit + body + _label(0, 8, 13, 11.6)


def _lantern(c: str) -> str:
    ring = circle(0, -19, 3.4, "none", DARK, 1.4)
    cap = path("M-7 -10L-4 -16H4L7 -10Z", c, DARK, 0.9)
    glass = path("M-9 -10H9C12 -2 12 6 9 14H-9C-12 6 -12 -2 -9 -10Z", "#fff3b0", DARK, 0.9) + line(
        "M-6 -10C-8 -2 -8 6 -6 14M6 -10C8 -2 8 6 6 14", c, 1.4
    )
    foot = box(-11, 14, 22, 5, 1.4, c, DARK, 0.9)
    return ring + cap + glass + foot


def _sack(c: str) -> str:
    body = path("M-6 -11C-18 -4 -20 14 -14 18C-6 21 6 21 14 18C20 14 18 -4 6 -11Z", c, DARK, 0.9)
    neck = path("M-6 -11L-9 -19C-4 -17 4 -17 9 -19L6 -11Z", tint(c, 0.3), DARK, 0.9) + line(
        "M-6.6 -11H6.6", PAPER, 1.8
    )
    return body + neck + ellipse(0, 5, 9.6, 9.6, PAPER, DARK, 0.7)


def _barrel(c: str) -> str:
    body = path("M-12 -20H12C18 -8 18 8 12 20H-12C-18 8 -18 -8 -12 -20Z", c, DARK, 0.9)
    hoops = line("M-14.4 -13.4C-6 -11.6 6 -11.6 14.4 -13.4M-14.4 13.4C-6 15.2 6 15.2 14.4 13.4", DARK, 1.8)
    staves = line("M-5 -19.6C-7.6 -8 -7.6 8 -5 19.6M5 -19.6C7.6 -8 7.6 8 5 19.6", shade(c, 0.3), 0.8)
    return body + staves + hoops + circle(0, 0, 9.8, PAPER, DARK, 0.7)


def _guitar(c: str) -> str:
    neck = box(-2.4, -25, 4.8, 20, 1, shade(c, 0.45), DARK, 0.8) + line(
        "M-4.6 -23H4.6M-4.6 -20H4.6", DARK, 1.3
    )
    body = path(
        "M-9 -9C-15 -6 -14 0 -12 3C-20 8 -18 22 0 22C18 22 20 8 12 3C14 0 15 -6 9 -9C5 -11 -5 -11 -9 -9Z",
        c,
        DARK,
        0.9,
    )
    return neck + body + circle(0, 8, 9, PAPER, DARK, 0.7)


def _crate(c: str) -> str:
    planks = box(-20, -18, 40, 36, 1, c, DARK, 0.9) + line("M-20 -8H20M-20 8H20", shade(c, 0.35), 1)
    frame = line("M-16.6 -18V18M16.6 -18V18", shade(c, 0.45), 3.4) + line(
        "M-16.6 -15L16.6 15M16.6 -15L-16.6 15", shade(c, 0.3), 2.6
    )
    return planks + frame + _label(0, 0, 17, 20)


def _trunk(c: str) -> str:
    top = box(-15, -24, 30, 11, 2, tint(c, 0.35), DARK, 0.9) + line("M-4 -24C-4 -28 4 -28 4 -24", DARK, 1.6)
    body = box(-22, -13, 44, 34, 3, c, DARK, 0.9) + line("M-22 -5H-11M22 -5H11", DARK, 1)
    belts = box(-17, -13, 4.6, 34, 0, shade(c, 0.45)) + box(12.4, -13, 4.6, 34, 0, shade(c, 0.45))
    return top + body + belts + _label(0, 4, 19, 23)


def _anvil(c: str) -> str:
    body = path(
        "M-16 -20H23V-14C14 -13 11 -8 9 -2C9 6 13 9 18 12V21H-18V12C-13 9 -9 6 -9 -2C-12 -8 -19 -9 -25 -13V-16C-22 -16 -18 -17 -16 -20Z",
        c,
        DARK,
        0.9,
    )
    return body + line("M-15 16.6H15", tint(c, 0.4), 1.4) + _label(0, -3.6, 21, 18)


_THINGS: dict[int, tuple[Callable[[str], str], tuple[float, float], float, float]] = {
    1: (_letter, (0, 1.6), 8.6, 1),
    2: (_flask, (0, 4), 11, 1),
    3: (_basket, (0, 8), 7.4, 1),
    4: (_lantern, (0, 2), 12, 1),
    5: (_sack, (0, 5), 11, 1),
    6: (_barrel, (0, -1.2), 10.4, 1),
    7: (_guitar, (0, 8), 10, 1),
    8: (_crate, (0, 0), 13, 0.84),
    9: (_trunk, (0, 2), 13, 0.84),
    10: (_anvil, (0, -3.6), 11, 0.86),
}
"""For each value the luggage, where its numeral stands (middle, height, millimetres), and its scale."""


_SPOTS: dict[int, str] = {
    1: ellipse_d(24, 24),
    2: regular(4, 32, turn=45),
    3: regular(3, 28.5, 0, -3, 180),
    4: regular(4, 26.5),
    5: regular(5, 28, 0, 1),
    6: box_d(-25, -11, 50, 22, 4),
    7: box_d(-13.5, -36, 27, 72, 4),
    8: star(4, 34, 15, turn=45),
    9: ellipse_d(25.5, 15),
    10: star(12, 26, 19),
}
"""For each value the shape that the luggage stands before: values differ in outline as well, not only in what is written."""


def _favour(value: int, own: Colour) -> str:
    plate = circle(50.5, 13.5, 8, WHITE, own.deep, 1.1)
    return plate + put(FAVOURS[value], 50.5, 13.5)


_HOURGLASS = path("M-4.4 -5.4H4.4L0.8 0L4.4 5.4H-4.4L-0.8 0Z", "#f2c500", DARK, 0.9) + line(
    "M-5.2 -5.6H5.2M-5.2 5.6H5.2", DARK, 1.4
)
_SWAP = line("M-5.6 -2.4H4.6M1.8 -5.2L4.8 -2.4L1.8 0.4M5.6 2.8H-4.6M-1.8 0L-4.8 2.8L-1.8 5.6", DARK, 1.5)
_TWO = write("+2", 0, -3.4, 5.2, "#0a7f4f") + write("-2", 0, 3.8, 5.2, "#c4161c") + line("M-5 0H5", DARK, 0.5)
_CHOOSE = (
    box(-5.4, -4.6, 5, 7, 0.7, tint("#1f6fd0", 0.6), DARK, 0.7)
    + box(0.4, -4.6, 5, 7, 0.7, "#f2c500", DARK, 0.7)
    + path("M2.9 0L6.4 4.6H4.2V7H1.8V4.6H-0.4Z", DARK)
)
_EYE = (
    path("M-6.4 0C-3.6 -5 3.6 -5 6.4 0C3.6 5 -3.6 5 -6.4 0Z", PAPER, DARK, 0.9)
    + circle(0, 0, 2.7, "#1f6fd0")
    + circle(0, 0, 1.2, DARK)
)

FAVOURS: dict[int, str] = {2: _HOURGLASS, 4: _SWAP, 6: _TWO, 8: _CHOOSE, 10: _EYE}
"""What each favour does, as a sign of about 12 mm: decide last, exchange, capacity by two, choose a load, look."""

_GREY = Colour("any", "#6f7480", regular(6, 5.6), "M8 0V88M16 0V88M24 0V88M39 0V88M47 0V88M55 0V88", {})


def contract(colour: str, accept: bool) -> str:
    """Draw one face of the contract card of that colour, or of the slip for any colour (`any`)."""
    own = COLOURS.get(colour, _GREY)
    good, bad = "#0a8f4f", "#c4161c"
    sign = put(path(own.shape, own.ink, shade(own.ink, 0.35), 0.6), 12, 13, 1.25)
    if accept:
        scroll = box(-17, -22, 34, 44, 2, PAPER, DARK, 0.9) + line(
            "M-11 -15H11M-11 -10H11M-11 -5H6", "#9aa0ab", 1.3
        )
        scroll += box(-20, -25, 40, 6, 3, tint("#c9a26a", 0.3), DARK, 0.9) + box(
            -20, 19, 40, 6, 3, tint("#c9a26a", 0.3), DARK, 0.9
        )
        middle = scroll + line("M-11 4L-3 13L13 -10", WHITE, 8.4) + line("M-11 4L-3 13L13 -10", good, 6)
        back = box(2, 2, 59, 84, 0, own.ground)
    else:
        middle = path(regular(8, 25, turn=22.5), bad, WHITE, 2.2) + line(
            "M-10 -10L10 10M10 -10L-10 10", WHITE, 6.4
        )
        back = box(2, 2, 59, 84, 0, own.mark) + line(own.pattern, own.ground, 1.6)
    other = put(path(own.shape, own.ink, WHITE, 0.8), 51, 13, 1.25)
    return (
        back
        + edge()
        + put(middle, *_MID, 0.92)
        + both_ways(sign + other)
        + box(3.6, 3.6, 55.8, 80.8, 3.2, "none", own.ink, 2.4)
    )


def first_player() -> str:
    """Draw the first player's card: a rosette with a proud donkey."""
    gold, dark = "#f2c500", "#8a5a00"
    ribbons = path("M18 52L10 82L20 76L26 84L31 56Z", "#c4161c", "#7f1014", 0.8) + path(
        "M45 52L53 82L43 76L37 84L32 56Z", "#c4161c", "#7f1014", 0.8
    )
    rosette = path(star(18, 27, 23.6, 31.5, 36), gold, dark, 0.8) + circle(31.5, 36, 20.5, PAPER, dark, 0.8)
    proud = put(donkey(Pose(eye="shut", ears=(-18, 18), mouth="smile")), 14.4, 21, 0.34)
    one = path(regular(4, 9, 31.5, 64), WHITE, dark, 0.8) + write("1", 31.5, 63.9, 10.4, DARK)
    panel = box(2, 2, 59, 84, 0, "#14406b") + line(
        "M3 12H60M3 22H60M3 32H60M3 42H60M3 52H60M3 62H60M3 72H60M3 82H60", "#1d5489", 2.2
    )
    return panel + edge() + ribbons + rosette + proud + one
