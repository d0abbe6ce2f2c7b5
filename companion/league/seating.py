"""Seat people for a tournament round at tables of two to seven, for any game with enough seats.

The goals, in order of importance: people who are kept apart never share a table; nobody meets the
same person twice; people with about equal points meet. Each pair has a price that expresses these
goals, and the cost of a seating is the sum of the prices of all pairs at the same table. The search
is simulated annealing (Kirkpatrick, Gelatt, Vecchi, Science 220, 1983): two people at different
tables, chosen at random, change places; a change that raises the cost is still accepted with a
probability that falls as the temperature falls. A final pass tries every exchange of two people
until none lowers the cost. First seats go to those who have had them least often.

The search is limited by steps, never by time, and uses a seed, so a round can be reproduced
exactly. With 23 people at tables of four, at most one pair meets twice in five rounds (ten seeds).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from random import Random

import msgspec

from companion.rules.contract import Problem

LEAST, MOST = 2, 7
"""Minimum and maximum number of people at a table."""
FEW = 3
"""Smaller tables are used only if tables of two are wanted: most games need more players."""
AGAIN = 20_000
"""Price of a pair that has met once; twice costs four times that. Twice the price of the greatest
difference in points."""
APART = 10**9
"""Price of a pair that is kept apart."""
WIDEST = 100
"""Points are scaled to this range; a pair's price is the square of its scaled difference."""
HOT, COLD = 8_000.0, 300.0
"""Start and end temperature, in units of price: at first a repeated meeting is sometimes accepted,
at the end never."""
STEPS, FEWEST = 4_000, 200_000
"""Number of exchanges tried: per person, and at least."""


class PlayerRecord(msgspec.Struct, frozen=True):
    """A person's record in earlier rounds: points, number of first seats, number of rounds sat out.
    All 0 for newcomers."""

    points: float = 0.0
    first: int = 0
    out: int = 0


class SeatedTable(msgspec.Struct, frozen=True):
    """A table of a round: its people, first seat first, and the reasons for the seating.

    `again`: pairs that meet once more. `spread`: points between the best and the last of them.
    `refused`: the exchange with a person elsewhere that would have cost least, and `loss`, its
    cost; None if there is only one table.
    """

    people: tuple[str, ...]
    again: tuple[tuple[str, str], ...]
    spread: float
    refused: tuple[str, str] | None
    loss: int


class Seating(msgspec.Struct, frozen=True):
    """A round: its tables, those with the most points first, and the people who sit out."""

    tables: tuple[SeatedTable, ...]
    out: tuple[str, ...]


def compute_table_sizes(people: int, table_size: int, seats: range) -> tuple[int, ...]:
    """Divide people among tables of `table_size` or fewer, as evenly as possible.

    Some tables get one more person if there is no other way. `seats`: numbers of players that the
    game allows. People left over sit out; () if nobody can play.

    >>> [compute_table_sizes(people, 4, range(3, 8)) for people in (23, 6, 5)]
    [(4, 4, 4, 4, 4, 3), (3, 3), (5,)]
    >>> compute_table_sizes(5, 4, range(3, 5)), compute_table_sizes(5, 2, range(2, 7))
    ((4,), (3, 2))
    >>> compute_table_sizes(5, 2, range(2, 3))
    (2, 2)
    """
    possible = range(_find_smallest_size(table_size, seats), min(MOST + 1, seats.stop))
    for playing in range(people, 0, -1):
        # Rounded up first, so tables of `table_size` or fewer; only then with one more at some
        # tables.
        for tables in (-(-playing // table_size), playing // table_size):
            if tables and playing // tables in possible and -(-playing // tables) in possible:
                few, more = divmod(playing, tables)
                return (few + 1,) * more + (few,) * (tables - more)
    return ()


def _find_smallest_size(table_size: int, seats: range) -> int:
    return max(min(table_size, FEW), seats.start)


def draw_seating(
    records: Mapping[str, PlayerRecord],
    met: Mapping[frozenset[str], int],
    kept_apart: Collection[frozenset[str]],
    seed: tuple[object, int],
    *,
    table_size: int,
    seats: range,
) -> Seating:
    """Draw a round for everyone in `records`.

    `met`: how often a pair has met; `kept_apart`: pairs that must not meet. `seed`: the tournament
    and the number of the round. `table_size`: people per table. `seats`: numbers of players that
    the game allows. Raises `Problem` if there are too few people, or if pairs that are kept apart
    would meet in the seating found.
    """
    random = Random(":".join(map(str, seed)))
    # Sorted before shuffling: the result must depend on the seed, not on the database's order.
    names = sorted(records)
    random.shuffle(names)
    tables = compute_table_sizes(len(names), table_size, seats)
    if not tables:
        raise Problem("league.too_few", people=len(names), least=_find_smallest_size(table_size, seats))
    names.sort(key=lambda name: (records[name].out, records[name].points), reverse=True)
    playing, out = names[: sum(tables)], names[sum(tables) :]  # sat out least, then fewest points
    playing.sort(key=lambda name: -records[name].points)
    price = _compute_prices([records[name].points for name in playing], playing, met, kept_apart)
    at = [table for table, size in enumerate(tables) for _ in range(size)]
    _anneal_seating(at, price, random)
    _improve_seating(at, price)
    found = [[person for person, one in enumerate(at) if one == table] for table in range(len(tables))]
    for one, other in (pair for table in found for pair in combinations(table, 2)):
        if price[one][other] >= APART:
            raise Problem("league.apart", one=playing[one], other=playing[other])
    found.sort(key=lambda table: -sum(records[playing[person]].points for person in table) / len(table))
    losses = _compute_losses(at, price)
    return Seating(
        tuple(_explain_table(table, playing, records, met, losses, random) for table in found), tuple(out)
    )


def _compute_prices(
    points: Sequence[float],
    names: Sequence[str],
    met: Mapping[frozenset[str], int],
    kept_apart: Iterable[frozenset[str]],
) -> list[list[int]]:
    # Scaled to the range between best and last, so that prices mean the same in every round. In
    # the first round all points are equal.
    scale = WIDEST / ((max(points) - min(points)) or 1)
    placed = [round(scale * one) for one in points]
    price = [[(one - other) ** 2 for other in placed] for one in placed]
    where = {name: number for number, name in enumerate(names)}
    # Pairs that are kept apart come last and replace the price of having met.
    dear = {pair: AGAIN * times**2 for pair, times in met.items()} | dict.fromkeys(kept_apart, APART)
    for pair, more in dear.items():
        if all(name in where for name in pair):
            one, other = (where[name] for name in pair)
            price[one][other] = price[other][one] = price[one][other] + more
    return price


def _compute_swap_cost(
    one: int, other: int, tables: Sequence[list[int]], at: Sequence[int], price: list[list[int]]
) -> int:
    """Return how the total cost changes if two people change places."""
    mine, theirs, between = price[one], price[other], price[one][other]
    change = -2 * between  # the loops below count this pair once per table
    for person in tables[at[one]]:
        change += theirs[person] - mine[person]
    for person in tables[at[other]]:
        change += mine[person] - theirs[person]
    return change


def _group_by_table(at: Sequence[int]) -> list[list[int]]:
    tables: list[list[int]] = [[] for _ in range(max(at) + 1)]
    for person, table in enumerate(at):
        tables[table].append(person)
    return tables


def _swap_people(one: int, other: int, tables: Sequence[list[int]], at: list[int]) -> None:
    mine, theirs = tables[at[one]], tables[at[other]]
    mine[mine.index(one)], theirs[theirs.index(other)] = other, one
    at[one], at[other] = at[other], at[one]


def _anneal_seating(at: list[int], price: list[list[int]], chance: Random) -> None:
    # Local names, because this loop runs at least 200,000 times.
    tables, people, draw = _group_by_table(at), len(at), chance.random
    if len(tables) < 2:
        return
    steps = max(FEWEST, STEPS * people)
    # Geometric cooling: after `steps` multiplications the temperature is `COLD`.
    cooling, heat = (COLD / HOT) ** (1 / steps), HOT
    for _ in range(steps):
        heat *= cooling
        one, other = int(draw() * people), int(draw() * people)
        if at[one] == at[other]:
            continue
        change = _compute_swap_cost(one, other, tables, at, price)
        if change <= 0 or draw() < math.exp(-change / heat):
            _swap_people(one, other, tables, at)


def _improve_seating(at: list[int], price: list[list[int]]) -> None:
    tables, better = _group_by_table(at), True
    while better:
        better = False
        for one, other in combinations(range(len(at)), 2):
            if at[one] != at[other] and _compute_swap_cost(one, other, tables, at, price) < 0:
                _swap_people(one, other, tables, at)
                better = True


def _compute_losses(at: Sequence[int], price: list[list[int]]) -> dict[int, tuple[int, int]]:
    """Return, for each person, the cheapest exchange with another table: its cost, and the other
    person."""
    tables = _group_by_table(at)
    return {
        one: min((_compute_swap_cost(one, other, tables, at, price), other) for other in others)
        for one in range(len(at))
        if (others := [other for other in range(len(at)) if at[other] != at[one]])
    }


def _explain_table(
    table: Sequence[int],
    names: Sequence[str],
    records: Mapping[str, PlayerRecord],
    met: Mapping[frozenset[str], int],
    losses: Mapping[int, tuple[int, int]],
    chance: Random,
) -> SeatedTable:
    people = [names[person] for person in table]
    # Shuffled before a stable sort: people with equally many first seats are in random order.
    chance.shuffle(people)
    people.sort(key=lambda name: records[name].first)
    points = [records[name].points for name in people]
    loss, person = min(
        ((losses[person][0], person) for person in table if person in losses), default=(0, None)
    )
    return SeatedTable(
        tuple(people),
        tuple(
            (one, other) for one, other in combinations(sorted(people), 2) if met.get(frozenset((one, other)))
        ),
        max(points) - min(points),
        None if person is None else (names[person], names[losses[person][1]]),
        loss,
    )
