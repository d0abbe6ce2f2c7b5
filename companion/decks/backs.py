"""The back of each game's cards: one for all, alike either way up, so that it tells nothing."""

from __future__ import annotations

from companion.decks.decktet import SUITS
from companion.decks.dtc import joker_cap
from companion.decks.farm import donkey_head
from companion.decks.ink import DARK, PAPER, WHITE, WIDTH, both_ways, box, circle, line, path, put, star
from companion.decks.partners import pawn
from companion.decks.patterns import PATTERNS, edge

_FRAME = box(6.5, 6.5, 50, 75, 2.5, "none", PAPER, 0.9)


def _panel(ground: str, mark: str, pattern: int) -> str:
    """Draw ground and pattern, the pattern both ways up: a back with an up and a down would mark the cards."""
    d, thick = PATTERNS[pattern]
    return box(2, 2, 59, 84, 0, ground) + both_ways(line(d, mark, thick)) + edge()


def _mule() -> str:
    ring = circle(31.5, 25.5, 14, PAPER, "#f2c500", 1.6) + put(donkey_head(), 31.5, 28.5, 0.38)
    return (
        _panel("#14406b", "#1b5288", 9)
        + _FRAME
        + both_ways(ring)
        + path(star(8, 4, 1.6, WIDTH / 2, 44), "#f2c500")
    )


def _bluff() -> str:
    ring = circle(31.5, 25.5, 14, PAPER, "#e39a00", 1.6) + put(joker_cap(), 31.5, 33, 0.5)
    return (
        _panel("#2a1038", "#421c57", 0)
        + _FRAME
        + both_ways(ring)
        + path(star(5, 4, 1.7, WIDTH / 2, 44), "#e39a00")
    )


def _farm() -> str:
    shoe = path(
        "M-7 12C-14 -2 -11 -12 0 -12C11 -12 14 -2 7 12L3.4 10.6C8.6 -1 7 -8 0 -8C-7 -8 -8.6 -1 -3.4 10.6Z",
        "#c9ced8",
        DARK,
        0.8,
    )
    door = path("M12 44V12H51V44Z", "#b3261e", PAPER, 1.2) + line("M12 12L51 44M51 12L12 44", PAPER, 1.2)
    door += circle(31.5, 28, 12, "#8f1d1d", PAPER, 1.2) + put(shoe, 31.5, 28, 0.62)
    return _panel("#8f1d1d", "#a52a2a", 6) + _FRAME + both_ways(door)


def _track() -> str:
    inks = ("#c21f3a", "#1f6fd0")
    spots = (put(circle(0, -22.5, 2.4, inks[k // 4], WHITE, 0.8), 31.5, 44, turn=22.5 * k) for k in range(8))
    ring = "".join(spots)
    pair = put(pawn("#f2c500"), 24.5, 41, 0.85) + put(pawn("#2e8b3d"), 38.5, 41, 0.85)
    return _panel("#1d3b2a", "#265038", 4) + _FRAME + both_ways(ring + pair)


def _decktet() -> str:
    signs = ""
    spots = [(16.5, 16), (31.5, 16), (46.5, 16), (16.5, 33), (31.5, 33), (46.5, 33)]
    for (x, y), (_, sign) in zip(spots, SUITS.values(), strict=True):
        signs += circle(x, y, 6.6, PAPER, "#e8a200", 0.8) + put(sign, x, y, 0.9)
    return _panel("#2b2348", "#3a3060", 11) + _FRAME + both_ways(signs)


_BACKS = {
    "donkey_valley": _mule,
    "dtc": _bluff,
    "ochs_und_esel": _farm,
    "partners": _track,
    "ascend": _decktet,
}


def back(game: str) -> str:
    """Draw the back of the cards of `game`; a game without one of its own has Donkey Valley's."""
    return _BACKS.get(game, _mule)()
