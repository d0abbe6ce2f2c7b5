"""Which combination some cards are (AS-10 to AS-13, AS-15)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, reduce
from itertools import combinations
from typing import Literal, TypeAlias

import msgspec

from companion.games.ascend.cards import ACE, CARDS, CROWN, DECKS, NINE, RANKS, TWO, Deck, DecktetCard

Kind: TypeAlias = Literal["single", "set", "run", "bomb"]
Bombs: TypeAlias = Literal["any", "unlike", "strict"]
"""AS-13, option `bombs`: whether personalities of one rank, crowns aside, are a bomb as well
(`any`), or a set (`unlike`); `strict`: no two cards of a bomb share a rank or a suit either."""
BombSize: TypeAlias = Literal["same", "larger"]
"""AS-14, option `bomb_size`: whether a bomb of more cards, of any rank, answers a bomb too."""
LEAST_RUN = 3
"""AS-12."""


class Combination(msgspec.Struct, frozen=True):
    """What was played: kind, how many cards, rank (a place in `cards.RANKS`), a single's suits."""

    kind: Kind
    count: int
    rank: int
    suits: frozenset[str] = frozenset()

    @property
    def rank_name(self) -> str:
        """The rank as the view gives it: `"5"`, `"crown"`."""
        return RANKS[self.rank]


def recognise(cards: Sequence[DecktetCard], bombs: Bombs = "any") -> Combination | None:
    """Tell which combination these different cards are; None when they are none.

    At most one kind fits: personalities only are a bomb, never a set unless the table plays so
    (AS-13), and no three of them make a run.

    >>> from companion.games.ascend.cards import CARDS
    >>> run = recognise([CARDS[name] for name in ("ace_of_suns", "castle", "diplomat")])
    >>> run.kind, run.count, run.rank_name  # the ace counts as high as it can
    ('run', 3, '9')
    """
    count = len(cards)
    if count == 0:
        return None
    if count == 1:
        return Combination("single", 1, cards[0].rank, cards[0].suits)
    ranks = [card.rank for card in cards]
    alike = min(ranks) == max(ranks) != CROWN
    if all(card.personality for card in cards) and not (alike and bombs != "any"):
        if bombs == "strict" and _coincide(cards):
            return None
        return Combination("bomb", count, min(ranks))
    if min(ranks) == max(ranks):
        return Combination("set", count, ranks[0]) if alike else None
    top = run_rank(cards)
    return None if top is None else Combination("run", count, top)


def _coincide(cards: Sequence[DecktetCard]) -> bool:
    """AS-13: whether two of the cards share a rank or a suit."""
    suits = [suit for card in cards for suit in card.suits]
    return len({card.rank for card in cards}) < len(cards) or len(set(suits)) < len(suits)


@cache
def highest_bomb(count: int, deck: Deck, bombs: Bombs) -> int | None:
    """Return the highest rank of a bomb of so many cards; None: there is no such bomb.

    >>> [highest_bomb(count, "extended", "strict") for count in (2, 4, 5)]
    [11, 0, None]
    """
    named = [CARDS[name] for name in DECKS[deck] if CARDS[name].personality]
    found = (recognise(cards, bombs) for cards in combinations(named, count))
    return max((one.rank for one in found if one is not None and one.kind == "bomb"), default=None)


def run_rank(cards: Sequence[DecktetCard]) -> int | None:
    """AS-12: the highest rank that these cards can have as a run; None when they are no run.

    An ace fills the gap when there is one; else it goes on top, up to the nine, or below, down to
    the two.
    """
    plain = sorted(card.rank for card in cards if card.rank != ACE)
    aces = len(cards) - len(plain)
    if len(cards) < LEAST_RUN or aces > 1 or len(set(plain)) < len(plain):
        return None
    if plain[0] < TWO or plain[-1] > NINE or not reduce(frozenset.__and__, (card.suits for card in cards)):
        return None
    low, high = plain[0], plain[-1]
    gaps = high - low + 1 - len(plain)
    if gaps == aces:
        return high
    if gaps or not aces:
        return None
    if high < NINE:
        return high + 1
    return high if low > TWO else None
