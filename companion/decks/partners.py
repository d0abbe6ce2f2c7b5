"""The cards of Partners: fourteen kinds, each with its own ground, its move written large and drawn
as a step diagram."""

from __future__ import annotations

from companion.decks.assets import picture
from companion.decks.letters import numeral, width_of, write
from companion.decks.patterns import panel
from companion.decks.svg import (
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
    put,
    shade,
    tint,
)

_INKS: dict[str, str] = {
    "heart": "#d0213f", "8": "#3a7d2c", "13": "#2b3f9e", "-4": "#4a4e58", "1/14": "#b06a00", "7": "#7a2fa0", "swap": "#007f8c",
    "2": "#8c5a3c", "3": "#5b8c00", "5": "#c4581a", "6": "#00729c", "9": "#a3286b", "10": "#2f6b57", "12": "#6b6b00",
}  # fmt: skip


def _steps(count: int, back: bool = False) -> str:
    """A row of squares with an arrow over it; at most thirteen are drawn in two rows."""
    rows = [count] if count <= 7 else [(count + 1) // 2, count // 2]
    art = ""
    for r, many in enumerate(rows):
        y = 5.8 * (r - (len(rows) - 1) / 2)
        art += "".join(circle(6 * (k - (many - 1) / 2), y, 2.1, PAPER, DARK, 0.7) for k in range(many))
    tip = "M19 -12L24 -9L19 -6" if not back else "M-19 -12L-24 -9L-19 -6"
    return art + line(f"M{n(-20 if not back else -23)} -9H{n(23 if not back else 20)}{tip}", DARK, 1.5)


def card(kind: str) -> str:
    """Draw the card of that kind (PA-4)."""
    ink = _INKS[kind]
    place = list(_INKS).index(kind)
    plate = box(8.5, 21, 46, 46, 6, PAPER, shade(ink, 0.2), 1)
    ground = panel(tint(ink, 0.12), ink, place, shade(ink, 0.3))
    if kind == "heart":
        leave = picture("partners/leave", ink=ink)
        middle = put(picture("partners/heart", ink=ink), 31.5, 37.5, 1.25) + put(leave, 31.5, 57, 0.8)
        corner = put(picture("partners/heart", ink=WHITE, edge=WHITE), 11.5, 13, 0.52)
    elif kind == "swap":
        middle = put(picture("partners/swap"), 31.5, 44, 1.25)
        corner = put(picture("partners/swap_sign"), 11.5, 12)
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
    leave = put(picture("partners/leave", ink=ink), 0, 2, 0.8)
    signs = {
        "-4": _steps(4, back=True),
        "1/14": put(_steps(1), -12, 2, 0.55) + put(_steps(14), 11, 2, 0.55),
        "7": put(picture("partners/split"), 0, -5, 0.85),
        "8": leave,
        "13": leave,
    }
    return number + put(signs.get(kind) or _steps(int(kind)), WIDTH / 2, HEIGHT / 2 + 16.4, 0.85)
