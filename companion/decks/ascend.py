"""The extended Decktet for Ascend: ranks and suits of our own drawing, an emblem for every card."""

from __future__ import annotations

from companion.decks.assets import picture
from companion.decks.letters import fitted, numeral
from companion.decks.patterns import PATTERNS, edge
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
    path,
    put,
    regular,
    shade,
    star,
    tint,
)
from companion.texts import Translator

SUITS: dict[str, str] = {
    "moons": "#55688f",
    "suns": "#e8a200",
    "waves": "#1f78c8",
    "leaves": "#2e8b3d",
    "wyrms": "#c21f3a",
    "knots": "#8a5a2b",
}
"""For each suit its ink."""

_TABLE = """
excuse  excuse
A       ace_of_moons:moons ace_of_suns:suns ace_of_waves:waves ace_of_leaves:leaves ace_of_wyrms:wyrms ace_of_knots:knots
2       author:moons,knots desert:suns,wyrms origin:waves,leaves
3       journey:moons,waves painter:suns,knots savage:leaves,wyrms
4       mountain:moons,suns sailor:waves,leaves battle:wyrms,knots
5       forest:moons,leaves discovery:suns,waves soldier:wyrms,knots
6       lunatic:moons,waves penitent:suns,wyrms market:leaves,knots
7       chance_meeting:moons,leaves castle:suns,knots cave:waves,wyrms
8       diplomat:moons,suns mill:waves,leaves betrayal:wyrms,knots
9       pact:moons,suns darkness:waves,wyrms merchant:leaves,knots
pawn    watchman:moons,wyrms,knots light_keeper:suns,waves,knots borderland:waves,leaves,wyrms harvest:moons,suns,leaves
court   consul:moons,waves,knots window:suns,leaves,knots island:suns,waves,wyrms rite:moons,leaves,wyrms
crown   huntress:moons bard:suns sea:waves end:leaves calamity:wyrms windfall:knots
"""
CARDS: dict[str, tuple[str, tuple[str, ...]]] = {
    name: (rank, tuple(suits.split(",")) if suits else ())
    for row in _TABLE.strip().splitlines()
    for rank, *cards in [row.split()]
    for name, _, suits in [card.partition(":") for card in cards]
}
"""Rank and suits of every card, as the game's table has them."""

PERSONALITIES = {
    *("excuse", "author", "painter", "savage", "sailor", "soldier", "lunatic", "penitent"),
    *("diplomat", "merchant", "watchman", "light_keeper", "consul", "huntress", "bard"),
}
"""The cards that are personalities: they bear a mask in two corners."""


def card(which: str, say: Translator) -> str:
    """Draw a card of the Decktet by its name (`castle`)."""
    rank, suits = CARDS[which]
    place = list(CARDS).index(which)
    ribbon = box(14.8, 64, 33.4, 8, 2, PAPER, DARK, 0.8) + fitted(
        say(f"print.{which}"), 31.5, 68, 4.2, 31, DARK
    )
    corner = _rank(rank) + "".join(
        put(picture(f"ascend/suits/{suit}"), 10, 23.5 + 9.4 * k, 0.8) for k, suit in enumerate(suits)
    )
    if which in PERSONALITIES:
        corner += put(picture("ascend/mask"), 52.5, 12, 0.95)
    return _ground(suits, place) + edge() + _middle(which, rank, suits) + both_ways(corner) + ribbon


def _ground(suits: tuple[str, ...], place: int) -> str:
    """Draw bands of the suits' tints under one of the patterns; grey for the excuse."""
    inks = [SUITS[suit] for suit in suits] or ["#8d99ae"]
    bands = "".join(
        box(2, 2 + 84 * k / len(inks), 59, 84 / len(inks), 0, tint(ink, 0.55)) for k, ink in enumerate(inks)
    )
    d, thick = PATTERNS[place % len(PATTERNS)]
    return bands + line(d, "#ffffff", thick * 0.7)


def _rank(rank: str) -> str:
    plate = circle(10, 11.8, 6.2, WHITE, DARK, 0.7)
    if rank in ("pawn", "court", "crown", "excuse"):
        return plate + put(picture(f"ascend/ranks/{rank}"), 10, 11.8, 0.8)
    low = 0.9 if rank in ("6", "9") else 0.0
    return plate + numeral(rank, 10, 11.8 - 1.5 * low, 8.4 - 1.2 * low, DARK)


def _middle(which: str, rank: str, suits: tuple[str, ...]) -> str:
    shape = circle(0, 0, 21, PAPER, DARK, 0.9)
    if rank == "A":
        ink, sign = SUITS[suits[0]], picture(f"ascend/suits/{suits[0]}")
        art = path(star(12, 22, 18.5), tint(ink, 0.75), DARK, 0.9) + put(sign, scale=2.7)
    elif rank == "crown":
        ink = SUITS[suits[0]]
        art = (
            path(regular(8, 23, turn=22.5), tint(ink, 0.7), shade(ink, 0.2), 1.4)
            + put(picture(f"ascend/emblems/{which}"), 0, 0, 0.92)
            + put(picture("ascend/ranks/crown"), 0, -24, 1.5)
        )
    else:
        art = (box(-20, -21, 40, 42, 3, PAPER, DARK, 0.9) if rank in ("pawn", "court") else shape) + put(
            picture(f"ascend/emblems/{which}"), 0, -1, 0.98
        )
    return put(art, WIDTH / 2, HEIGHT / 2 - 2)
