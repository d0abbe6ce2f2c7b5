"""The exact chance that the donkey is overloaded, from what everybody at the table may know.

Each player lays any of the cards that they can still hold, each as likely as the other: those of 1
to 10 that are not known to be gone (DV-50) and do not lie open. Loads that left unseen (DV-39)
change nothing in that: nobody knows which they were. What is looked at in private (DV-14) and what
readers under the table read is in no state, so it cannot come in here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, reduce
from itertools import combinations
from typing import TypeAlias, TypeVar

from companion.games.donkey_valley.cards import VALUES
from companion.games.donkey_valley.moves import ROUND
from companion.games.donkey_valley.state import Player, Stake, State
from companion.rules.figures import Odds

Laid: TypeAlias = "tuple[tuple[int, ...], ...]"
"""Every combination of values that one player's loads can have."""
M = TypeVar("M")
_WITH_LOADS = ROUND[ROUND.index("loads") + 1 :]
_BITS = 32
"""Room for one count in `_unlike`: seven players have 10^7 combinations at most."""


def odds(state: State) -> Odds | None:
    """Return the chance that the donkey is overloaded, from when all have laid until the loads are
    weighed; None otherwise."""
    now = state.round
    if now is None or state.phase not in _WITH_LOADS or now.total is not None:
        return None
    laid = tuple(_possible(player, stake) for player, stake in zip(state.players, now.stakes, strict=True))
    ways, among = _overloaded(now.donkey, now.capacity, now.spread_limit, laid)
    return Odds("odds.overloaded", ways, among)


def _possible(player: Player, stake: Stake) -> Laid:
    held = [value for value in VALUES if value not in player.gone and value not in stake.up]
    return tuple((*stake.up, *closed) for closed in combinations(held, stake.down))


@lru_cache(maxsize=64)  # asked again at every act of a round, which changes nothing in it
def _overloaded(
    donkey: str, capacity: int | None, spread_limit: int | None, laid: Sequence[Laid]
) -> tuple[int, int]:
    """Count the combinations that are too much, and all of them (DV-17, DV-33, DV-36, DV-41)."""
    if spread_limit is not None:
        spreads = _convolved(
            laid, (max(VALUES), 0), lambda ends, value: (min(ends[0], value), max(ends[1], value))
        )
        return _above(spread_limit, {ends: ends[1] - ends[0] for ends in spreads}, spreads)
    limit = capacity or 0
    if donkey == "attacked":
        highest = _convolved(laid, (0, 0, 0), _with_highest)
        return _above(limit, {left: left[0] for left in highest}, highest)
    totals = _unlike(laid) if donkey == "hand_picked" else _convolved(laid, 0, int.__add__)
    return _above(limit, {total: total for total in totals}, totals)


def _above(limit: int, measure: Mapping[M, int], ways: Mapping[M, int]) -> tuple[int, int]:
    return sum(count for what, count in ways.items() if measure[what] > limit), sum(ways.values())


def _convolved(laid: Sequence[Laid], nothing: M, add: Callable[[M, int], M]) -> Counter[M]:
    """Count in how many ways each measure of all loads comes about, player after player."""
    ways = Counter({nothing: 1})
    for possible in laid:
        more: Counter[M] = Counter()
        for before, count in ways.items():
            for values in possible:
                more[reduce(add, values, before)] += count
        ways = more
    return ways


def _with_highest(left: tuple[int, int, int], value: int) -> tuple[int, int, int]:
    """DV-36: the total without the highest loads, the highest value, how often it lies there."""
    rest, highest, times = left
    if value > highest:
        return rest + highest * times, value, 1
    return (rest, highest, times + 1) if value == highest else (rest + value, highest, times)


def _unlike(laid: Sequence[Laid]) -> Counter[int]:
    """DV-41: count the totals of loads of which no other has the value; each player lays one.

    Value after value: which of the players who have laid nothing yet lay this one? For each set of
    players who have laid, the counts of all totals stand in one integer, `_BITS` each: adding a
    load of value v is a shift by v places.
    """
    ways = {0: 1}
    for value in VALUES:
        holders = sum(1 << seat for seat, possible in enumerate(laid) if (value,) in possible)
        more = dict(ways)
        for done, counts in ways.items():
            free = chosen = holders & ~done
            while chosen:
                counted = counts << (_BITS * value) if chosen.bit_count() == 1 else counts
                more[done | chosen] = more.get(done | chosen, 0) + counted
                chosen = (chosen - 1) & free
        ways = more
    counts, totals = ways.get((1 << len(laid)) - 1, 0), Counter[int]()
    for total in range(sum(VALUES) + 1):
        totals[total] = (counts >> (_BITS * total)) & ((1 << _BITS) - 1)
    return totals
