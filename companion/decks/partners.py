"""The cards of Partners: fourteen kinds, each with its own ground, its move written large and drawn as a step diagram."""

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
    line,
    n,
    path,
    put,
    shade,
    tint,
)
from companion.decks.letters import numeral, width_of, write
from companion.decks.patterns import panel

_INKS: dict[str, str] = {
    "heart": "#d0213f", "8": "#3a7d2c", "13": "#2b3f9e", "-4": "#4a4e58", "1/14": "#b06a00", "7": "#7a2fa0", "swap": "#007f8c",
    "2": "#8c5a3c", "3": "#5b8c00", "5": "#c4581a", "6": "#00729c", "9": "#a3286b", "10": "#2f6b57", "12": "#6b6b00",
}  # fmt: skip

_HEART = "M0 9C-15 -1 -12 -12 -5 -12C-2 -12 0 -10 0 -8C0 -10 2 -12 5 -12C12 -12 15 -1 0 9Z"


def pawn(colour: str) -> str:
    """Draw a pawn about the middle of its foot, 20 units high."""
    return path("M-6 0C-6 -4 -3 -5 -2.6 -12H2.6C3 -5 6 -4 6 0Z", colour, DARK, 0.8) + circle(
        0, -14.6, 4.4, colour, DARK, 0.8
    )


def _leave(ink: str) -> str:
    """A pawn that leaves its base."""
    base = circle(-12, 0, 8, tint(ink, 0.7), DARK, 0.8) + put(pawn(ink), -12, 4.6, 0.7)
    return base + line("M-2 0H9M5.4 -4L9.6 0L5.4 4", DARK, 1.9) + circle(17, 0, 5, WHITE, DARK, 1.2)


def _steps(count: int, back: bool = False) -> str:
    """A row of squares with an arrow over it; at most thirteen are drawn in two rows."""
    rows = [count] if count <= 7 else [(count + 1) // 2, count // 2]
    art = ""
    for r, many in enumerate(rows):
        y = 5.8 * (r - (len(rows) - 1) / 2)
        art += "".join(circle(6 * (k - (many - 1) / 2), y, 2.1, PAPER, DARK, 0.7) for k in range(many))
    tip = "M19 -12L24 -9L19 -6" if not back else "M-19 -12L-24 -9L-19 -6"
    return art + line(f"M{n(-20 if not back else -23)} -9H{n(23 if not back else 20)}{tip}", DARK, 1.5)


def _split() -> str:
    """Seven steps shared between pawns."""
    fork = line("M-16 6C-8 6 -6 -3 4 -4H9M-16 6C-8 6 -6 10 9 10M6 -7L10 -4L6 -1M6 7L10 10L6 13", DARK, 1.6)
    return fork + put(pawn("#7a2fa0"), 17, 2, 0.6) + put(pawn("#f2c500"), 17, 16, 0.6)


def _swap() -> str:
    arrows = line(
        "M-12 -9C-6 -17 6 -17 12 -9M12.6 -14V-8.6H7.2M12 9C6 17 -6 17 -12 9M-12.6 14V8.6H-7.2", DARK, 2.4
    )
    return arrows + put(pawn("#c21f3a"), -13, 7, 0.85) + put(pawn("#1f6fd0"), 13, 7, 0.85)


def card(kind: str) -> str:
    """Draw the card of that kind (PA-4)."""
    ink = _INKS[kind]
    place = list(_INKS).index(kind)
    plate = box(8.5, 21, 46, 46, 6, PAPER, shade(ink, 0.2), 1)
    ground = panel(tint(ink, 0.12), ink, place, shade(ink, 0.3))
    if kind == "heart":
        middle = put(path(_HEART, ink, DARK, 0.5), 31.5, 37.5, 1.25) + put(_leave(ink), 31.5, 57, 0.8)
        corner = put(path(_HEART, WHITE), 11.5, 13, 0.52)
    elif kind == "swap":
        middle = put(_swap(), 31.5, 44, 1.25)
        corner = put(line("M-6 -3H5M2 -6L5.4 -3L2 0M6 3.4H-5M-2 0.4L-5.4 3.4L-2 6.4", WHITE, 1.9), 11.5, 12)
    else:
        middle = _number(kind, ink)
        high = 12.6 if width_of(kind, 12.6) < 17 else 9
        corner = numeral(kind, 5.8 + width_of(kind, high) / 2, 6 + high / 2, high, WHITE)
    return ground + plate + middle + both_ways(corner)


def _number(kind: str, ink: str) -> str:
    high = min(26.0, 26 * 40 / width_of(kind, 26))
    high = 19.0 if kind in ("6", "9") else high
    text = write if kind == "1/14" else numeral
    number = text(kind, 31.5, 36.6, high, shade(ink, 0.25))
    signs = {
        "-4": _steps(4, back=True),
        "1/14": put(_steps(1), -12, 2, 0.55) + put(_steps(14), 11, 2, 0.55),
        "7": put(_split(), 0, -5, 0.85),
        "8": put(_leave(ink), 0, 2, 0.8),
        "13": put(_leave(ink), 0, 2, 0.8),
    }
    return number + put(signs.get(kind) or _steps(int(kind)), WIDTH / 2, HEIGHT / 2 + 16.4, 0.85)
