"""The Decktet's emblems: for each card a small picture of our own, about the origin, some 30 units wide."""

from __future__ import annotations

from companion.decks.ink import DARK, PAPER, box, circle, ellipse, line, path, put, star

_SKIN = "#f0c9a0"


def _bust(robe: str, hat: str = "", prop: str = "") -> str:
    """Draw a person down to the chest, with a hat and something in hand."""
    body = path("M-14 17C-14 5 -8 1 0 1C8 1 14 5 14 17Z", robe, DARK, 0.9)
    head = circle(0, -6.5, 7, _SKIN, DARK, 0.9) + circle(-2.4, -6.6, 0.9, DARK) + circle(2.4, -6.6, 0.9, DARK)
    return body + head + line("M-2 -3.2C-1 -2.2 1 -2.2 2 -3.2", DARK, 0.8) + hat + prop


def _mountain(fill: str) -> str:
    return path("M-17 15L-4 -12L2 -3L7 -9L17 15Z", fill, DARK, 0.9)


_WATER = line(
    "M-15 10c3 -3 5 -3 7.5 0s5 3 7.5 0 5 -3 7.5 0 5 3 7.5 0M-15 15c3 -3 5 -3 7.5 0s5 3 7.5 0 5 -3 7.5 0 5 3 7.5 0",
    "#1f78c8",
    1.8,
)
_TREE = path("M-2 4H2V12H-2Z", "#6b4326", DARK, 0.6) + path("M0 -14L9 5H-9Z", "#2e8b3d", DARK, 0.8)
_HOUSE = box(-11, -2, 22, 17, 0, "#e6c38f", DARK, 0.9) + path("M-14 -1L0 -14L14 -1Z", "#b3402e", DARK, 0.9)
_SHIELD = path("M-7 -8H7V2C7 8 3 11 0 13C-3 11 -7 8 -7 2Z", "#c21f3a", DARK, 0.8)
_SWORD = path("M-1.2 8L-1.2 -14L0 -17L1.2 -14L1.2 8Z", "#d5dbe6", DARK, 0.6) + line(
    "M-4.6 8H4.6M0 8V13", DARK, 1.8
)
_COIN = circle(0, 0, 4.2, "#f2c500", DARK, 0.8) + circle(0, 0, 2, "none", DARK, 0.5)
_SCROLL = box(-4, -7, 8, 14, 1, PAPER, DARK, 0.8) + line("M-2 -4H2M-2 -1.4H2M-2 1.2H2", DARK, 0.7)
_FLAME = path("M0 -9C5 -3 5.6 1 4 4C2.6 6.6 -2.6 6.6 -4 4C-5.6 1 -3 -2 0 -9Z", "#f07f13", DARK, 0.6)
_LEAF = path("M0 -9C7 -4 7 4 0 9C-7 4 -7 -4 0 -9Z", "#2e8b3d", DARK, 0.7) + line("M0 -6V12", "#1c5a27", 0.9)
_CROWN = path("M-12 9V-7L-6 0L0 -10L6 0L12 -7V9Z", "#f2c500", DARK, 0.9)

EMBLEMS: dict[str, str] = {
    "excuse": _bust(
        "#8d99ae",
        path("M-9 -8C-14 -16 -10 -20 -6 -17L0 -22L6 -17C10 -20 14 -16 9 -8Z", "#c21f3a", DARK, 0.8),
        line("M-13 10L-18 2L-22 3M13 10L18 2L22 3", DARK, 2),
    ),
    "author": _bust(
        "#3c53b0",
        path("M-8 -9C-8 -16 8 -16 8 -9L4 -11H-4Z", "#6b4326", DARK, 0.8),
        put(path("M0 10C-1 0 3 -9 9 -13C9 -6 5 2 0 10Z", PAPER, DARK, 0.7), 10, 6),
    ),
    "desert": circle(8, -9, 5, "#f2c500", DARK, 0.8)
    + path("M-18 15C-10 2 -4 3 1 9C6 3 12 5 18 15Z", "#e3b36a", DARK, 0.9)
    + line("M-9 6V-8M-9 -1H-14V-6M-9 1H-4.6V-4", "#2f7d4f", 2.6),
    "origin": circle(0, 0, 14, "#cdeef7", DARK, 0.9)
    + put(_LEAF, 0, -3, 0.9)
    + line("M-13 6c3 -3 5 -3 7.5 0s5 3 7.5 0 5 -3 7.5 0", "#1f78c8", 2),
    "journey": path("M-15 8H15L10 15H-10Z", "#8a5a33", DARK, 0.9)
    + line("M0 8V-16", DARK, 1.4)
    + path("M1.4 -15C12 -10 14 0 12 5H1.4Z", PAPER, DARK, 0.8)
    + path("M-1.4 -12C-9 -8 -11 0 -10 5H-1.4Z", "#5b6b8c", DARK, 0.8),
    "painter": _bust(
        "#c77800",
        path("M-9 -10C-8 -18 10 -18 9 -11Z", "#c21f3a", DARK, 0.8),
        put(
            ellipse(0, 0, 7, 5.4, "#d9a05b", DARK, 0.8)
            + circle(-3, -1.6, 1.3, "#c21f3a")
            + circle(0, -2.6, 1.3, "#1f78c8")
            + circle(3, -1.2, 1.3, "#2e8b3d"),
            11,
            11,
        ),
    ),
    "savage": _bust(
        "#5b7d2e",
        path("M-7 -10L-10 -20L-4 -14L0 -22L4 -14L10 -20L7 -10Z", "#c21f3a", DARK, 0.8),
        line("M14 16V-12", "#6b4326", 1.8) + path("M14 -18L17.4 -10H10.6Z", "#aab2bf", DARK, 0.7),
    ),
    "mountain": _mountain("#8d99ae")
    + path("M-4 -12L-7.6 -4.4L-4 -6L-1.4 -4L0.4 -5.4Z", PAPER, DARK, 0.6)
    + circle(12, -13, 4, "#f2c500", DARK, 0.7),
    "sailor": _bust(
        "#1f78c8",
        path("M-8 -10C-8 -16 8 -16 8 -10Z", PAPER, DARK, 0.8) + box(-9, -11, 18, 2.6, 1, PAPER, DARK, 0.7),
        put(
            line("M0 -6V6M-4 -3.4H4M-6 1C-5 7 5 7 6 1", DARK, 1.7) + circle(0, -8, 2, "none", DARK, 1.2),
            12,
            9,
            0.9,
        ),
    ),
    "battle": put(_SWORD, 0, 0, 1.1, turn=38) + put(_SWORD, 0, 0, 1.1, turn=-38) + put(_SHIELD, 0, 2, 0.75),
    "forest": put(_TREE, -10, 3, 0.95) + put(_TREE, 10, 3, 0.95) + put(_TREE, 0, 2, 1.2),
    "discovery": path("M-3 4L-13 14L-10 17L0 7Z", "#6b4326", DARK, 0.8)
    + circle(4, -3, 10, "#cdeef7", DARK, 2.2)
    + path(star(5, 6, 2.6, 4, -2.6), "#f2c500", DARK, 0.6),
    "soldier": _bust(
        "#8d2b2b",
        path("M-8.4 -6C-9 -18 9 -18 8.4 -6L5 -9H-5Z", "#aab2bf", DARK, 0.8)
        + path("M-1.6 -15L0 -23L1.6 -15Z", "#c21f3a", DARK, 0.6),
        put(_SHIELD, 10, 9, 0.8),
    ),
    "lunatic": _bust(
        "#5b6b8c",
        line("M-7 -10L-12 -15M-3 -13L-5 -19M2 -13L3 -20M6 -11L11 -16", DARK, 1.6),
        put(path("M1.8 -5A5.2 5.2 0 1 0 1.8 5A6.2 6.2 0 0 1 1.8 -5Z", "#f2e6a0", DARK, 0.7), 15, -10, 1.1),
    ),
    "penitent": _bust(
        "#6b5136",
        path(
            "M-9 0C-12 -14 -4 -18 0 -20C4 -18 12 -14 9 0C8 -8 6 -12 0 -12C-6 -12 -8 -8 -9 0Z",
            "#6b5136",
            DARK,
            0.8,
        ),
        line("M-4 14L0 7L4 14", _SKIN, 2.6),
    ),
    "market": path("M-16 -4L-13 -13H13L16 -4Z", "#c21f3a", DARK, 0.9)
    + path("M-8 -13L-9.6 -4H-3L-2 -13ZM4 -13L4.6 -4H11L9 -13Z", PAPER, DARK, 0.6)
    + line("M-14 -4V15M14 -4V15", DARK, 1.6)
    + box(-15, 6, 30, 9, 0, "#c98f55", DARK, 0.9)
    + circle(-7, 3.4, 2.8, "#e2574c", DARK, 0.6)
    + circle(0, 3.4, 2.8, "#f2c500", DARK, 0.6)
    + circle(7, 3.4, 2.8, "#52b788", DARK, 0.6),
    "chance_meeting": put(_bust("#2e8b3d"), -8, 1, 0.75)
    + put(_bust("#5b6b8c"), 8, 1, 0.75)
    + line("M0 -19V-13M0 -10.2V-10", "#c21f3a", 1.8),
    "castle": path("M-16 15V-9H-12V-5H-8V-9H-4V0H4V-9H8V-5H12V-9H16V15Z", "#b9bec9", DARK, 0.9)
    + path("M-4 15V8C-4 3 4 3 4 8V15Z", "#6b4326", DARK, 0.8)
    + line("M0 0V-16", DARK, 1.2)
    + path("M0.6 -16L9 -13L0.6 -10Z", "#e8a200", DARK, 0.6),
    "cave": path("M-17 15C-16 -10 -6 -16 2 -14C12 -12 17 0 17 15Z", "#7d7468", DARK, 0.9)
    + path("M-9 15C-9 2 -4 -2 1 -2C6 -2 10 4 10 15Z", "#1c1a20")
    + circle(-2, 6, 1.4, "#f2c500")
    + circle(4, 6, 1.4, "#f2c500"),
    "diplomat": _bust(
        "#7a3f98",
        box(-7, -19, 14, 8, 1, DARK) + line("M-10 -11H10", DARK, 2),
        put(_SCROLL, 12, 9, 0.9, turn=14),
    ),
    "mill": path("M-8 15L-5 -6H5L8 15Z", "#e6d3b0", DARK, 0.9)
    + path("M-6 -6L0 -12L6 -6Z", "#b3402e", DARK, 0.8)
    + "".join(put(box(-1.8, -15, 3.6, 14, 0, PAPER, DARK, 0.7), 0, -5, turn=90 * k + 20) for k in range(4))
    + circle(0, -5, 1.5, DARK),
    "betrayal": put(_bust("#8a5a33"), -4, 1, 0.9)
    + put(put(_SWORD, 0, 0, 0.85), 12, 4, turn=-100)
    + path("M2 5L-1 10L3 9Z", "#c21f3a"),
    "pact": path("M-18 -3L-6 -7L2 -4L6 -6L18 -3V6L8 8L0 11L-8 8L-18 6Z", _SKIN, DARK, 0.9)
    + line("M-6 -7L-1 0L6 3M2 -4L-2 0M-4 9L2 4M0 11L6 5", DARK, 1)
    + box(-22, -4.6, 6, 12, 0.6, "#5b6b8c", DARK, 0.8)
    + box(16, -4.6, 6, 12, 0.6, "#e8a200", DARK, 0.8),
    "darkness": circle(0, 0, 15, "#17152a")
    + path("M-8 -3C-6 -6 -2 -6 -1 -2C-4 -1 -6 -1 -8 -3ZM8 -3C6 -6 2 -6 1 -2C4 -1 6 -1 8 -3Z", "#c21f3a")
    + line("M-7 6L-4 4L-1.6 6.6L1.6 4.4L4 6.6L7 4.4", PAPER, 1.1),
    "merchant": _bust(
        "#2e8b3d",
        path("M-10 -10H10L6 -13C6 -19 -6 -19 -6 -13Z", "#8a5a33", DARK, 0.8),
        put(_COIN, 12, 12) + put(_COIN, 12, 8) + put(_COIN, 12, 4),
    ),
    "watchman": _bust(
        "#3d4657",
        path("M-8.4 -9C-8 -18 8 -18 8.4 -9Z", "#3d4657", DARK, 0.8) + line("M-10 -9H10", DARK, 1.8),
        line("M13 16V-16", "#6b4326", 1.6) + box(9.4, -14, 7.2, 9, 1, "#ffe36e", DARK, 0.9),
    ),
    "light_keeper": path("M-5 15L-3.4 -6H3.4L5 15Z", PAPER, DARK, 0.9)
    + path("M-4.6 9H4.6L4.2 4H-4.2ZM-4 -1H4L3.6 -6H-3.6Z", "#c21f3a", DARK, 0.6)
    + box(-3.6, -12, 7.2, 6, 0.6, "#ffe36e", DARK, 0.8)
    + path("M-4.6 -12L0 -17L4.6 -12Z", DARK)
    + path("M-5 -9L-18 -14V-4ZM5 -9L18 -14V-4Z", "#ffe9a0"),
    "borderland": path("M-17 15V2L-6 -3L4 3L17 -2V15Z", "#8fb573", DARK, 0.9)
    + line("M-2 15V-16", "#6b4326", 2)
    + path("M-1 -15H12L9 -11.4L12 -8H-1Z", "#c21f3a", DARK, 0.7)
    + line("M-16 10H-8M4 10H16", PAPER, 1.6),
    "harvest": "".join(
        put(line("M0 14V-2", "#b8860b", 1.4) + ellipse(0, -7, 2.8, 6, "#f2c500", DARK, 0.6), x, 0, turn=t)
        for x, t in [(-4, -26), (-2, -10), (2, 10), (4, 26)]
    )
    + line("M-6 6C-2 8 2 8 6 6", "#b3402e", 2.6),
    "consul": _bust(
        "#7a1f3d",
        line("M-7.6 -4C-9 -12 -5 -15 -2 -15.6M7.6 -4C9 -12 5 -15 2 -15.6", "#2e8b3d", 2.6),
        line("M-6 3L8 17", "#f2c500", 2.4),
    ),
    "window": path("M-11 15V-6C-11 -18 11 -18 11 -6V15Z", "#cdeef7", DARK, 2)
    + line("M0 -14V15M-11 0H11M-11 8H11", DARK, 1.4)
    + path("M-11 0H0V8H-11Z", "#f2c500", DARK, 0.6)
    + path("M0 -14C7 -14 11 -11 11 -6V0H0Z", "#a8d8a0", DARK, 0.6),
    "island": _WATER
    + path("M-11 8C-8 1 8 1 11 8Z", "#e3b36a", DARK, 0.8)
    + line("M0 4C-1 -3 1 -8 3 -11", "#6b4326", 2)
    + path(
        "M3 -11C-3 -16 -9 -14 -11 -9C-6 -10 -1 -9 3 -11ZM3 -11C8 -17 14 -14 15 -9C11 -10 6 -9 3 -11ZM3 -11C4 -6 3 -3 0 -1C0 -5 1 -8 3 -11Z",
        "#2e8b3d",
        DARK,
        0.6,
    ),
    "rite": path("M-9 6H9L7 10H-7ZM-3 10H3L5 16H-5Z", "#8d99ae", DARK, 0.8)
    + put(_FLAME, 0, 0, 1.25)
    + path(star(4, 3, 1.1, -13, -8), "#7a3f98")
    + path(star(4, 3, 1.1, 13, -8), "#7a3f98"),
    "huntress": _bust(
        "#3d5a45",
        path("M-8 -6C-10 -18 10 -18 8 -6C6 -12 -6 -12 -8 -6Z", "#8a3a1e", DARK, 0.8),
        line("M14 -12C22 -2 22 8 14 18M14 -12V18", "#6b4326", 1.5)
        + line("M4 3H21M18 0.6L21.4 3L18 5.4", DARK, 1.1),
    ),
    "bard": _bust(
        "#c77800",
        path("M-9 -10C-6 -16 6 -18 11 -14C8 -12 6 -10 8 -9Z", "#2e8b3d", DARK, 0.8)
        + path("M9 -14C13 -20 16 -20 17 -18C14 -17 12 -15 10 -13Z", "#c21f3a", DARK, 0.5),
        put(
            ellipse(0, 0, 6, 7, "#c98f55", DARK, 0.8)
            + circle(0, 0, 2, DARK)
            + line("M0 -6V-16", "#6b4326", 2.2),
            7,
            11,
            0.85,
            turn=50,
        ),
    ),
    "sea": path("M-17 12C-17 -4 -6 -13 6 -10C0 -8 -1 -2 4 1C9 4 15 3 17 -1V15H-17Z", "#1f78c8", DARK, 0.9)
    + line("M-12 8C-8 2 -4 2 0 7C4 11 9 11 13 7", PAPER, 1.5),
    "end": path("M-10 16V-4C-10 -16 10 -16 10 -4V16Z", "#aab2bf", DARK, 0.9)
    + line("M0 -7V5M-4.4 -3H4.4", DARK, 1.8)
    + path("M-17 16C-14 11 14 11 17 16Z", "#2e8b3d", DARK, 0.8),
    "calamity": _mountain("#5b4038")
    + path("M-8 -4L-4 -12L2 -3L0 2L-3 -1L-5 4Z", "#f07f13", DARK, 0.6)
    + path("M-4 -13C-12 -16 -9 -21 -4 -19C-2 -23 5 -22 4 -17C8 -16 6 -12 2 -12Z", "#77706f", DARK, 0.7),
    "windfall": path("M-9 -2C-14 6 -12 16 0 16C12 16 14 6 9 -2C5 0 -5 0 -9 -2Z", "#8a5a33", DARK, 0.9)
    + put(_COIN, -5, -7, 1.1)
    + put(_COIN, 5, -8, 1.1)
    + put(_COIN, 0, -13, 1.1)
    + put(_COIN, 0, 7, 1.2),
}
"""One emblem for each card of the extended Decktet but the aces, which show their suit."""


def pawn_sign() -> str:
    """Draw the sign of the rank pawn, ten units high about the origin."""
    return path("M-4 5C-4 2 -2 1 -1.6 -1.6H1.6C2 1 4 2 4 5Z", DARK) + circle(0, -3, 2.4, DARK)


def court_sign() -> str:
    """Draw the sign of the rank court: a tower."""
    return path("M-4.4 5V-5H-2.4V-3H-1V-5H1V-3H2.4V-5H4.4V5Z", DARK)


def crown_sign() -> str:
    """Draw the sign of the rank crown."""
    return put(_CROWN, 0, 0.3, 0.46)
