"""The combinations of Ascend (AS-10 to AS-13, AS-15), and what a trick requires of the next one
(AS-10 to AS-16).

Cards are recognised from their ranks and suits alone: one card is a single; cards of one rank are a
set; consecutive ranks of a common suit are a run; personalities are a bomb. The kinds exclude each
other, so a play needs no declared kind; options decide whether personalities of one rank are a bomb
or a set.

A trick then restricts the answer in three ways: its number of cards; its kind, since sets and runs
do not mix once one was played; and its rank, which may be equal, except after a bomb. Singles are
restricted by suit as well, that of the first card or, after the excuse, of the card before it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, reduce
from itertools import combinations
from typing import Literal, TypeAlias

import msgspec

from companion.games.ascend.cards import ACE, CARDS, CROWN, DECKS, EXCUSE, NINE, RANKS, TWO, Deck, DecktetCard

Kind: TypeAlias = Literal["single", "set", "run", "bomb"]
Bombs: TypeAlias = Literal["any", "unlike", "strict"]
"""AS-13, option `bombs`: whether all personalities together are a bomb (`any`), only those of which
no two share both rank and suit (`unlike`), or neither (`strict`)."""
BombSize: TypeAlias = Literal["same", "larger"]
"""AS-14, option `bomb_size`: whether a bomb may also be answered by one of more cards, of any
rank."""
LEAST_RUN = 3
"""AS-12: the fewest cards of a run."""


class Combination(msgspec.Struct, frozen=True):
    """A combination: its kind, number of cards, rank (an index of `cards.RANKS`), and a single's
    suits."""

    kind: Kind
    count: int
    rank: int
    suits: frozenset[str] = frozenset()

    @property
    def rank_name(self) -> str:
        """The rank as the view gives it: `"5"`, `"crown"`."""
        return RANKS[self.rank]


def recognise_combination(cards: Sequence[DecktetCard], bombs: Bombs = "any") -> Combination | None:
    """Return the combination that these distinct cards make; None if they make none.

    At most one kind fits: personalities that are a bomb (AS-13) are no set, and no three of them
    make a run.

    >>> from companion.games.ascend.cards import CARDS
    >>> run = recognise_combination([CARDS[name] for name in ("ace_of_suns", "castle", "diplomat")])
    >>> run.kind, run.count, run.rank_name  # the ace counts as high as it can
    ('run', 3, '9')
    """
    count = len(cards)
    if count == 0:
        return None
    if count == 1:
        return Combination("single", 1, cards[0].rank, cards[0].suits)
    ranks = [card.rank for card in cards]
    # Crowns have no set: they differ by their suits only (AS-11).
    alike = min(ranks) == max(ranks) != CROWN
    if all(card.personality for card in cards) and _MAKE_BOMB[bombs](cards):
        return Combination("bomb", count, min(ranks))
    if min(ranks) == max(ranks):
        return Combination("set", count, ranks[0]) if alike else None
    top = find_run_rank(cards)
    return None if top is None else Combination("run", count, top)


def _differ_in_rank_or_suit(cards: Sequence[DecktetCard]) -> bool:
    """Tell whether no two of the cards share both rank and suit (AS-13)."""
    return not any(one.rank == two.rank and one.suits & two.suits for one, two in combinations(cards, 2))


def _differ_in_rank_and_suit(cards: Sequence[DecktetCard]) -> bool:
    """Tell whether no two of the cards share a rank or a suit (AS-13)."""
    return not any(one.rank == two.rank or one.suits & two.suits for one, two in combinations(cards, 2))


_MAKE_BOMB: Mapping[Bombs, Callable[[Sequence[DecktetCard]], bool]] = {
    "any": bool,
    "unlike": _differ_in_rank_or_suit,
    "strict": _differ_in_rank_and_suit,
}
"""Whether two or more personalities are a bomb, by the value of the option."""


@cache
def find_highest_bomb(count: int, deck: Deck, bombs: Bombs) -> int | None:
    """Return the highest rank of a bomb of `count` cards; None if there is none.

    >>> [find_highest_bomb(count, "extended", "strict") for count in (2, 4, 5)]
    [11, 0, None]
    """
    named = [CARDS[name] for name in DECKS[deck] if CARDS[name].personality]
    found = (recognise_combination(cards, bombs) for cards in combinations(named, count))
    return max((one.rank for one in found if one is not None and one.kind == "bomb"), default=None)


def find_run_rank(cards: Sequence[DecktetCard]) -> int | None:
    """Return the highest rank that these cards can have as a run (AS-12); None if they are not a
    run.

    An ace fills a gap if there is one; else it goes on top, up to the nine, or below, down to the
    two.
    """
    plain = sorted(card.rank for card in cards if card.rank != ACE)
    aces = len(cards) - len(plain)
    if len(cards) < LEAST_RUN or aces > 1 or len(set(plain)) < len(plain):
        return None
    # Pawns, courts, crowns and the excuse are in no run (AS-12).
    if plain[0] < TWO or plain[-1] > NINE or not reduce(frozenset.__and__, (card.suits for card in cards)):
        return None
    low, high = plain[0], plain[-1]
    gaps = high - low + 1 - len(plain)
    # Neither gap nor ace, or an ace that fills the only gap and cannot lengthen the run as well.
    if gaps == aces:
        return high
    if gaps or not aces:
        return None
    if high < NINE:
        return high + 1
    return high if low > TWO else None


Family: TypeAlias = Literal["set", "run"]
"""AS-14: the kind that a trick accepts, once a set or a run was played."""
Fault: TypeAlias = Literal["wrong_count", "sets_and_runs", "does_not_beat", "wrong_suit"]


class Trick(msgspec.Struct, frozen=True):
    """A trick so far: the last combination, its player, and what restricts the next one.

    `first_suits`: the suits of the first card in a trick of singles, or of the card after an excuse
    that led (AS-16); empty while only that excuse lies there. `before_excuse`: the suits of the
    single before the excuse, while the excuse lies on top (AS-16); else None. `family`: whether
    this trick accepts sets or runs, once one of them was played (AS-14). `cards`: the names of all
    cards played in it.
    """

    last: Combination
    seat: int
    cards: tuple[str, ...]
    first_suits: frozenset[str] = frozenset()
    before_excuse: frozenset[str] | None = None
    family: Family | None = None


def start_trick(combination: Combination, seat: int, cards: tuple[str, ...]) -> Trick:
    """Return a new trick that begins with this combination."""
    return Trick(combination, seat, cards, combination.suits, None, _classify_family(combination))


def extend_trick(trick: Trick, combination: Combination, seat: int, cards: tuple[str, ...]) -> Trick:
    """Return the trick after this combination has answered the last one."""
    # What binds after the excuse is the suit of the card that it covers.
    before = trick.last.suits if combination.kind == "single" and combination.rank == EXCUSE else None
    return Trick(
        combination,
        seat,
        (*trick.cards, *cards),
        # Empty only after an excuse that led: then this card sets the suit (AS-16).
        trick.first_suits or combination.suits,
        before,
        trick.family or _classify_family(combination),
    )


def _classify_family(combination: Combination) -> Family | None:
    return combination.kind if combination.kind in ("set", "run") else None


def find_play_fault(trick: Trick, answer: Combination, bomb_size: BombSize = "same") -> Fault | None:
    """Return why `answer` does not beat the trick; None if it does."""
    last = trick.last
    if answer.count != last.count:
        # Only the option lets the number of cards differ, and only between bombs.
        larger = answer.kind == last.kind == "bomb" and answer.count > last.count
        return None if larger and bomb_size == "larger" else "wrong_count"
    if answer.kind == "single":
        return _find_single_fault(trick, answer)
    if answer.kind == "bomb":
        return "does_not_beat" if last.kind == "bomb" and answer.rank < last.rank else None
    if trick.family not in (None, answer.kind):
        return "sets_and_runs"
    # A bomb is beaten by a higher set or run only; all else may be equal (AS-14).
    least = last.rank + 1 if last.kind == "bomb" else last.rank
    return "does_not_beat" if answer.rank < least else None


def _find_single_fault(trick: Trick, answer: Combination) -> Fault | None:
    """Return why a single does not follow (AS-10, AS-16): the excuse follows every single; after it
    the card before it determines the suit, and any rank will do."""
    if answer.rank == EXCUSE:
        return None
    suits = find_required_suits(trick)
    if suits and not suits & answer.suits:
        return "wrong_suit"
    return "does_not_beat" if answer.rank < trick.last.rank else None


def find_required_suits(trick: Trick) -> frozenset[str]:
    """Return the suits of which the next single must have one; empty if any will do (AS-10,
    AS-16)."""
    return trick.first_suits if trick.before_excuse is None else trick.before_excuse
