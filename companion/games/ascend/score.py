"""Points of a hand (AS-20, AS-21, AS-30), in exact fractions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

import msgspec

Shares: TypeAlias = Literal["exact", "floor"]
"""AS-30, option `shares`: how opponents share the worth of a broken promise."""

PLACES: Mapping[tuple[int, bool], tuple[int, ...]] = {
    (3, False): (9, 4, 0),
    (4, False): (7, 4, 2, 0),
    (3, True): (8, 4, 0),
    (4, True): (6, 4, 2, 0),
}
"""AS-20, AS-30: points by place, for so many players, in a hand without or with a promise."""


class StandingPromise(msgspec.Struct, frozen=True, gc=False):
    """AS-30: who promised to go out first (a seat from 0), and the cards left in hand then."""

    seat: int
    worth: int


class Bid(msgspec.Struct, frozen=True):
    """AS-30: what became of a promise: its worth to the promiser, or `share` to each opponent."""

    player: str
    worth: int
    kept: bool
    share: int | str


class ScoredHand(msgspec.Struct, frozen=True):
    """AS-20, AS-30: a hand that is over: its number, the `order` of going out, the last player
    included, and in that order what each place is worth and each player won."""

    number: int
    order: tuple[str, ...]
    places: tuple[int, ...]
    points: tuple[int | str, ...]
    promise: Bid | None


def shown(points: Fraction) -> int | str:
    """Return points as they are shown: a whole number, or a string such as `7/3`.

    >>> shown(Fraction(4)), shown(Fraction(7, 3))
    (4, '7/3')
    """
    return points.numerator if points.denominator == 1 else str(points)


def promised(order: Sequence[int], promise: StandingPromise, shares: Shares) -> Fraction:
    """AS-30: what a promise brings: its worth if kept, else this share to each opponent."""
    if order[0] == promise.seat:
        return Fraction(promise.worth)
    share = Fraction(promise.worth, len(order) - 1)
    return share if shares == "exact" else Fraction(int(share))


def gains(order: Sequence[int], promise: StandingPromise | None, shares: Shares) -> list[Fraction]:
    """Return what each seat of `order`, first out to last in, wins in a hand."""
    places = PLACES[len(order), promise is not None]
    won = [Fraction(points) for points in places]
    if promise is None:
        return won
    bid, kept = promised(order, promise, shares), order[0] == promise.seat
    return [points + bid * ((seat == promise.seat) == kept) for seat, points in zip(order, won, strict=True)]
