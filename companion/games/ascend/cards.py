"""The Decktet (AS-1): 45 cards with their ranks and suits, and which of them are personalities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

import msgspec

Deck: TypeAlias = Literal["extended", "basic"]
"""AS-1, option `deck`: `basic` lacks the excuse, the pawns and the courts."""
PREFIX = "decktet:"
"""The prefix of a card's name in its id: `decktet:castle`."""
RANKS = ("excuse", "ace", "2", "3", "4", "5", "6", "7", "8", "9", "pawn", "court", "crown")
"""AS-1: rising ranks; in the code a rank is its index in this row."""
EXCUSE, ACE, TWO, NINE, PAWN, COURT, CROWN = 0, 1, 2, 9, 10, 11, 12
SUITS = ("moons", "suns", "waves", "leaves", "wyrms", "knots")
MOUNTAIN = "mountain"
"""AS-30: the card after which no player may promise any more."""


class DecktetCard(msgspec.Struct, frozen=True, gc=False):
    """One card: its name on the wire, rank (an index of `RANKS`), suits, and whether it is a
    personality."""

    name: str
    rank: int
    suits: frozenset[str]
    personality: bool


_TABLE = """
excuse  excuse P
2       author moons knots P, desert suns wyrms, origin waves leaves
3       journey moons waves, painter suns knots P, savage leaves wyrms P
4       mountain moons suns, sailor waves leaves P, battle wyrms knots
5       forest moons leaves, discovery suns waves, soldier wyrms knots P
6       lunatic moons waves P, penitent suns wyrms P, market leaves knots
7       chance_meeting moons leaves, castle suns knots, cave waves wyrms
8       diplomat moons suns P, mill waves leaves, betrayal wyrms knots
9       pact moons suns, darkness waves wyrms, merchant leaves knots P
pawn    watchman moons wyrms knots P, light_keeper suns waves knots P, borderland waves leaves wyrms, harvest moons suns leaves
court   consul moons waves knots P, window suns leaves knots, island suns waves wyrms, rite moons leaves wyrms
crown   huntress moons P, bard suns P, sea waves, end leaves, calamity wyrms, windfall knots
"""


def _read(table: str) -> dict[str, DecktetCard]:
    cards = {f"ace_of_{suit}": DecktetCard(f"ace_of_{suit}", ACE, frozenset({suit}), False) for suit in SUITS}
    for line in table.strip().splitlines():
        rank, _, row = line.partition(" ")
        for entry in row.split(","):
            name, *marks = entry.split()
            # `P` marks a personality; it is no suit.
            suits = frozenset(marks) - {"P"}
            cards[name] = DecktetCard(name, RANKS.index(rank), suits, "P" in marks)
    return dict(sorted(cards.items(), key=lambda item: item[1].rank))


CARDS: Mapping[str, DecktetCard] = _read(_TABLE)
"""AS-1: every card of the extended Decktet by its name, by rising rank."""
_EXTENSION = frozenset({EXCUSE, PAWN, COURT})
DECKS: Mapping[str, Mapping[str, int]] = {
    "extended": dict.fromkeys(CARDS, 1),
    "basic": {name: 1 for name, card in CARDS.items() if card.rank not in _EXTENSION},
}
"""AS-1: each deck's cards by name, one copy of each."""


def _keys() -> Mapping[str, str]:
    """Return each card's key: that of its rank and a letter of its name, unique within the rank."""
    keys: dict[str, str] = {}
    for name, card in CARDS.items():
        # Without what all aces have in common, so that the suit's letter is the key.
        letters = name.removeprefix("ace_of_").replace("_", "")
        keys[name] = next(
            key for key in (RANK_KEYS[card.rank] + letter for letter in letters) if key not in keys.values()
        )
    return keys


RANK_KEYS = "x1234567890cr"
"""The key of each rank: excuse, ace, the numbers, pawn (above the nine, like a ten), court,
crown."""
CARD_KEYS = _keys()
"""The two keys of each card: rank and letter (`3j`: the journey)."""


def hand_size(deck: Deck, players: int) -> int:
    """Return the number of cards in each hand (AS-1): the whole deck dealt evenly; a card left over
    is set aside unseen."""
    return len(DECKS[deck]) // players
