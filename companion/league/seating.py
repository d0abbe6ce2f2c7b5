"""Who sits where in a round: tables of two to seven people, for any game with seats for them.

What is wanted, the first before all others: pairs that are kept apart never meet; nobody meets
again whom they have met; who has about as many points meets. Each pair has its price, and a
seating costs what its pairs cost. Two people of different tables change places, at random, and
worse seatings are left behind more and more surely (simulated annealing: Kirkpatrick, Gelatt,
Vecchi, Science 220, 1983); at the end every change of two is looked at, and none is left that
would be better. Drawn by a seed and by steps, never by seconds, so that a round is drawn again as
it was. First seats go to those who have had them least.

Among 23 people at tables of four, at most one pair meets twice in five rounds (ten seeds).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from random import Random

import msgspec

from companion.rules.contract import Problem

LEAST, MOST = 2, 7
"""People at a table."""
FEW = 3
"""Fewer sit together only where tables of two are wanted: most games are for more."""
AGAIN = 20_000
"""The price of a pair that met once before; twice, four times that. Twice as much as the greatest
difference of points."""
APART = 10**9
"""The price of a pair that is kept apart."""
WIDEST = 100
"""The points are spread over so much: a pair costs the square of what they differ by."""
HOT, COLD = 8_000.0, 300.0
"""The temperatures of the beginning and the end, as prices: one meeting more is sometimes borne at
first, and never at the end."""
STEPS, FEWEST = 4_000, 200_000
"""Changes tried, for each person and at least."""


class Played(msgspec.Struct, frozen=True):
    """What somebody has done in earlier rounds: points; how often they had the first seat, and sat
    out. Who comes later has done nothing yet."""

    points: float = 0.0
    first: int = 0
    out: int = 0


class SeatedTable(msgspec.Struct, frozen=True):
    """A table of a round: its people, the first seat first, and why they sit together.

    `again`: the pairs that meet once more; `spread`: points between the first and the last of them.
    `refused`: whoever would have changed places with somebody elsewhere at the least loss, and
    `loss`, its price; None where there is one table only.
    """

    people: tuple[str, ...]
    again: tuple[tuple[str, str], ...]
    spread: float
    refused: tuple[str, str] | None
    loss: int


class Seating(msgspec.Struct, frozen=True):
    """A round: its tables, those with the most points first; and who sits out."""

    tables: tuple[SeatedTable, ...]
    out: tuple[str, ...]


def sizes(people: int, wanted: int, seats: range) -> tuple[int, ...]:
    """Share people out among tables of `wanted` or fewer, all about as many; one more sits where it
    does not come out otherwise. `seats`: with how many the game can be played. Who is over sits
    out; () where nobody can play.

    >>> sizes(23, 4, range(3, 8)), sizes(6, 4, range(3, 8)), sizes(5, 4, range(3, 8))
    ((4, 4, 4, 4, 4, 3), (3, 3), (5,))
    >>> sizes(5, 4, range(3, 5)), sizes(5, 2, range(2, 7)), sizes(5, 2, range(2, 3))
    ((4,), (3, 2), (2, 2))
    """
    possible = range(_least(wanted, seats), min(MOST + 1, seats.stop))
    for playing in range(people, 0, -1):
        for tables in (-(-playing // wanted), playing // wanted):
            if tables and playing // tables in possible and -(-playing // tables) in possible:
                few, more = divmod(playing, tables)
                return (few + 1,) * more + (few,) * (tables - more)
    return ()


def _least(wanted: int, seats: range) -> int:
    return max(min(wanted, FEW), seats.start)


def draw(
    played: Mapping[str, Played],
    met: Mapping[frozenset[str], int],
    apart: Collection[frozenset[str]],
    seed: tuple[object, int],
    *,
    wanted: int,
    seats: range,
) -> Seating:
    """Draw a round for everybody in `played`.

    `met`: how often a pair sat together; `apart`: pairs that must not. `seed`: the tournament and
    the number of the round. `wanted`: people at a table. Raises `Problem` where too few are there,
    or where pairs that are kept apart would meet in any seating that was found.
    """
    chance = Random(":".join(map(str, seed)))
    names = sorted(played)
    chance.shuffle(names)
    tables = sizes(len(names), wanted, seats)
    if not tables:
        raise Problem("league.too_few", people=len(names), least=_least(wanted, seats))
    names.sort(key=lambda name: (played[name].out, played[name].points), reverse=True)
    playing, out = names[: sum(tables)], names[sum(tables) :]  # who sat out least, of those the last
    playing.sort(key=lambda name: -played[name].points)
    price = _prices([played[name].points for name in playing], playing, met, apart)
    at = [table for table, size in enumerate(tables) for _ in range(size)]
    _anneal(at, price, chance)
    _settle(at, price)
    found = [[who for who, one in enumerate(at) if one == table] for table in range(len(tables))]
    for one, other in (pair for table in found for pair in combinations(table, 2)):
        if price[one][other] >= APART:
            raise Problem("league.apart", one=playing[one], other=playing[other])
    found.sort(key=lambda table: -sum(played[playing[who]].points for who in table) / len(table))
    losses = _losses(at, price)
    return Seating(tuple(_told(table, playing, played, met, losses, chance) for table in found), tuple(out))


def _prices(
    points: Sequence[float],
    names: Sequence[str],
    met: Mapping[frozenset[str], int],
    apart: Iterable[frozenset[str]],
) -> list[list[int]]:
    scale = WIDEST / ((max(points) - min(points)) or 1)
    placed = [round(scale * one) for one in points]
    price = [[(one - other) ** 2 for other in placed] for one in placed]
    where = {name: number for number, name in enumerate(names)}
    dear = {pair: AGAIN * times**2 for pair, times in met.items()} | dict.fromkeys(apart, APART)
    for pair, more in dear.items():
        if all(name in where for name in pair):
            one, other = (where[name] for name in pair)
            price[one][other] = price[other][one] = price[one][other] + more
    return price


def _change(
    one: int, other: int, tables: Sequence[list[int]], at: Sequence[int], price: list[list[int]]
) -> int:
    """What it costs that two people change places."""
    mine, theirs, between = price[one], price[other], price[one][other]
    change = -2 * between  # each is counted with the other, once at either table
    for who in tables[at[one]]:
        change += theirs[who] - mine[who]
    for who in tables[at[other]]:
        change += mine[who] - theirs[who]
    return change


def _together(at: Sequence[int]) -> list[list[int]]:
    tables: list[list[int]] = [[] for _ in range(max(at) + 1)]
    for who, table in enumerate(at):
        tables[table].append(who)
    return tables


def _swap(one: int, other: int, tables: Sequence[list[int]], at: list[int]) -> None:
    mine, theirs = tables[at[one]], tables[at[other]]
    mine[mine.index(one)], theirs[theirs.index(other)] = other, one
    at[one], at[other] = at[other], at[one]


def _anneal(at: list[int], price: list[list[int]], chance: Random) -> None:
    tables, people, draw = _together(at), len(at), chance.random
    if len(tables) < 2:
        return
    steps = max(FEWEST, STEPS * people)
    cooling, heat = (COLD / HOT) ** (1 / steps), HOT
    for _ in range(steps):
        heat *= cooling
        one, other = int(draw() * people), int(draw() * people)
        if at[one] == at[other]:
            continue
        change = _change(one, other, tables, at, price)
        if change <= 0 or draw() < math.exp(-change / heat):
            _swap(one, other, tables, at)


def _settle(at: list[int], price: list[list[int]]) -> None:
    tables, better = _together(at), True
    while better:
        better = False
        for one, other in combinations(range(len(at)), 2):
            if at[one] != at[other] and _change(one, other, tables, at, price) < 0:
                _swap(one, other, tables, at)
                better = True


def _losses(at: Sequence[int], price: list[list[int]]) -> dict[int, tuple[int, int]]:
    """By person: the least loss by which they would sit elsewhere, and who would sit here then."""
    tables = _together(at)
    return {
        one: min((_change(one, other, tables, at, price), other) for other in others)
        for one in range(len(at))
        if (others := [other for other in range(len(at)) if at[other] != at[one]])
    }


def _told(
    table: Sequence[int],
    names: Sequence[str],
    played: Mapping[str, Played],
    met: Mapping[frozenset[str], int],
    losses: Mapping[int, tuple[int, int]],
    chance: Random,
) -> SeatedTable:
    people = [names[who] for who in table]
    chance.shuffle(people)
    people.sort(key=lambda name: played[name].first)
    points = [played[name].points for name in people]
    loss, who = min(((losses[who][0], who) for who in table if who in losses), default=(0, None))
    return SeatedTable(
        tuple(people),
        tuple(
            (one, other) for one, other in combinations(sorted(people), 2) if met.get(frozenset((one, other)))
        ),
        max(points) - min(points),
        None if who is None else (names[who], names[losses[who][1]]),
        loss,
    )
