"""The extended Decktet for Ascend: ranks and suits of our own drawing, an emblem for every card."""

from __future__ import annotations

from companion.decks.assets import Art
from companion.decks.faces import CardSide
from companion.decks.patterns import PATTERNS, card_back, edge
from companion.decks.svg import (
    DARK,
    HEIGHT,
    PAPER,
    WHITE,
    WIDTH,
    both_ways,
    box,
    circle,
    fitted,
    line,
    numeral,
    path,
    put,
    regular,
    shade,
    star,
    tint,
)
from companion.games.ascend.cards import CARDS, RANKS
from companion.rules.claims import CardId
from companion.texts import Translator

_INKS = {
    "moons": "#55688f",
    "suns": "#e8a200",
    "waves": "#1f78c8",
    "leaves": "#2e8b3d",
    "wyrms": "#c21f3a",
    "knots": "#8a5a2b",
}
"""For each suit its ink, in the order in which a card shows them."""

ART = Art(__file__)


def back() -> str:
    """Draw the back that all cards have."""
    return card_back("#2b2348", "#3a3060", 11, ART("back"))


def face(card: CardId, say: Translator) -> CardSide:
    """Draw a card; raise `LookupError` or `ValueError` for one that is not of ours."""
    if card.kind != "decktet":
        raise LookupError(card)
    which = card.name
    known = CARDS[which]
    # In the order of `_INKS`: a set of suits has none.
    rank, suits = RANKS[known.rank], tuple(suit for suit in _INKS if suit in known.suits)
    place = list(CARDS).index(which)
    ribbon = box(14.8, 64, 33.4, 8, 2, PAPER, DARK, 0.8) + fitted(
        say(f"print.{which}"), 31.5, 68, 4.2, 31, DARK
    )
    corner = _rank(rank) + "".join(
        put(ART(f"suits/{suit}"), 10, 23.5 + 9.4 * k, 0.8) for k, suit in enumerate(suits)
    )
    if known.personality:
        corner += put(ART("mask"), 52.5, 12, 0.95)
    return CardSide(_ground(suits, place) + edge() + _middle(which, rank, suits) + both_ways(corner) + ribbon)


def _ground(suits: tuple[str, ...], place: int) -> str:
    """Draw bands of the suits' tints under one of the patterns; grey for the excuse."""
    inks = [_INKS[suit] for suit in suits] or ["#8d99ae"]
    bands = "".join(
        box(2, 2 + 84 * k / len(inks), 59, 84 / len(inks), 0, tint(ink, 0.55)) for k, ink in enumerate(inks)
    )
    d, thick = PATTERNS[place % len(PATTERNS)]
    return bands + line(d, "#ffffff", thick * 0.7)


def _rank(rank: str) -> str:
    plate = circle(10, 11.8, 6.2, WHITE, DARK, 0.7)
    if rank in ("pawn", "court", "crown", "excuse"):
        return plate + put(ART(f"ranks/{rank}"), 10, 11.8, 0.8)
    # Smaller and higher, for the line that tells 6 from 9.
    low = 0.9 if rank in ("6", "9") else 0.0
    return plate + numeral("A" if rank == "ace" else rank, 10, 11.8 - 1.5 * low, 8.4 - 1.2 * low, DARK)


def _middle(which: str, rank: str, suits: tuple[str, ...]) -> str:
    shape = circle(0, 0, 21, PAPER, DARK, 0.9)
    if rank == "ace":
        ink, sign = _INKS[suits[0]], ART(f"suits/{suits[0]}")
        art = path(star(12, 22, 18.5), tint(ink, 0.75), DARK, 0.9) + put(sign, scale=2.7)
    elif rank == "crown":
        ink = _INKS[suits[0]]
        art = (
            path(regular(8, 23, turn=22.5), tint(ink, 0.7), shade(ink, 0.2), 1.4)
            + put(ART(f"emblems/{which}"), 0, 0, 0.92)
            + put(ART("ranks/crown"), 0, -24, 1.5)
        )
    else:
        art = (box(-20, -21, 40, 42, 3, PAPER, DARK, 0.9) if rank in ("pawn", "court") else shape) + put(
            ART(f"emblems/{which}"), 0, -1, 0.98
        )
    return put(art, WIDTH / 2, HEIGHT / 2 - 2)
