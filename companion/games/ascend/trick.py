"""What a trick asks of the next combination (AS-10 to AS-16)."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from companion.games.ascend.cards import EXCUSE
from companion.games.ascend.combinations import BombSize, Combination

Family: TypeAlias = Literal["set", "run"]
"""AS-14: which of the two a trick takes, once one of them was played."""
Fault: TypeAlias = Literal["wrong_count", "sets_and_runs", "does_not_beat", "wrong_suit"]


class Trick(msgspec.Struct, frozen=True):
    """A trick as far as it goes: the last combination, who played it, and what binds the next one.

    `first_suits`: of the first card of a trick of singles, or of the card after an excuse that led
    (AS-16); empty while only that excuse lies there. `before_excuse`: the suits of the single
    before the excuse, while the excuse lies on top (AS-16); else None. `family`: whether this trick
    takes sets or runs, once one of them was played (AS-14).
    `cards`: the names of all cards played to it.
    """

    last: Combination
    seat: int
    cards: tuple[str, ...]
    first_suits: frozenset[str] = frozenset()
    before_excuse: frozenset[str] | None = None
    family: Family | None = None


def led(combination: Combination, seat: int, cards: tuple[str, ...]) -> Trick:
    """Return the trick that begins with this combination."""
    return Trick(combination, seat, cards, combination.suits, None, _family(combination))


def followed(trick: Trick, combination: Combination, seat: int, cards: tuple[str, ...]) -> Trick:
    """Return the trick after this combination has answered the last one."""
    before = trick.last.suits if combination.kind == "single" and combination.rank == EXCUSE else None
    return Trick(
        combination,
        seat,
        (*trick.cards, *cards),
        trick.first_suits or combination.suits,
        before,
        trick.family or _family(combination),
    )


def _family(combination: Combination) -> Family | None:
    return combination.kind if combination.kind in ("set", "run") else None


def fault(trick: Trick, answer: Combination, bomb_size: BombSize = "same") -> Fault | None:
    """Say what keeps `answer` from beating the trick; None when it beats it."""
    last = trick.last
    if answer.count != last.count:
        larger = answer.kind == last.kind == "bomb" and answer.count > last.count
        return None if larger and bomb_size == "larger" else "wrong_count"
    if answer.kind == "single":
        return _single_fault(trick, answer)
    if answer.kind == "bomb":
        return "does_not_beat" if last.kind == "bomb" and answer.rank < last.rank else None
    if trick.family not in (None, answer.kind):
        return "sets_and_runs"
    # A bomb is beaten by a higher set or run only; all else may be equal (AS-14).
    least = last.rank + 1 if last.kind == "bomb" else last.rank
    return "does_not_beat" if answer.rank < least else None


def _single_fault(trick: Trick, answer: Combination) -> Fault | None:
    """AS-10, AS-16: the excuse goes on every single; after it the card before it gives the suit,
    and any rank will do."""
    if answer.rank == EXCUSE:
        return None
    suits = bound_suits(trick)
    if suits and not suits & answer.suits:
        return "wrong_suit"
    return "does_not_beat" if answer.rank < trick.last.rank else None


def bound_suits(trick: Trick) -> frozenset[str]:
    """Return the suits of which the next single needs one; empty: any will do (AS-10, AS-16)."""
    return trick.first_suits if trick.before_excuse is None else trick.before_excuse
