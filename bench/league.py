"""Measure how a league seats people: whole tournaments, beside published schedules."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from random import Random
from typing import NamedTuple

from bench.harness import Figure, Options
from companion.league.seating import MOST, PlayerRecord, draw_seating

CASES = [
    (9, 3, 4, 4),
    (15, 3, 5, 7),
    (16, 4, 4, 5),
    (16, 4, 5, 5),
    (20, 4, 5, 5),
    (23, 4, 5, 7),
    (24, 4, 5, 7),
    (25, 5, 5, 6),
    (28, 4, 5, 9),
    (40, 4, 5, 10),
    (49, 7, 5, 8),
    (8, 2, 5, 7),
    (20, 2, 7, 19),
    (40, 2, 7, 39),
]
"""People, table size, rounds played, and rounds for which a schedule without a repeated meeting has
been published (social golfer problem: Harvey's list; tables of two: the circle method; Colbourn
and Dinitz, Handbook of Combinatorial Designs, 2006). Numbers between two of the list: the greater's
schedule without some people."""


class _Played(NamedTuple):
    """A tournament: meetings too many, the greatest difference in how often somebody had two seats,
    and seconds for the slowest draw."""

    repeated: int
    unbalanced: int
    seconds: float


def bench_seating(options: Options) -> Iterator[Figure]:
    """Seat whole tournaments in which every table ends at random, and count the meetings too many,
    beside published schedules without any."""
    for people, size, rounds, published in CASES:
        name = f"{people} people at {size}s, {rounds} rounds"
        if not options.wants_row(name):
            continue
        played = [
            _play_tournament(people, size, rounds, options.seed + number)
            for number in range(options.scale_count(5))
        ]
        worst = max(one.repeated for one in played)
        yield Figure(
            name,
            f"{worst} meetings too many",
            f"none in {published} rounds (published)",
            f"the worst of {len(played)} tournaments; seats differ by {max(one.unbalanced for one in played)};"
            f" slowest draw {max(one.seconds for one in played):.1f} s",
            kept=not worst or rounds > published,
        )


def _play_tournament(people: int, size: int, rounds: int, seed: int) -> _Played:
    dice, met = Random(seed), Counter[frozenset[str]]()
    names = [f"p{number}" for number in range(people)]
    points = dict.fromkeys(names, 0.0)
    sat = {name: [0] * MOST for name in names}
    plan: tuple[tuple[tuple[str, ...], ...], ...] = ()
    slowest = 0.0
    for number in range(rounds):
        records = {name: PlayerRecord(points[name], tuple(sat[name])) for name in names}
        begun = time.perf_counter()
        seating = draw_seating(
            records,
            met,
            (),
            (seed, number),
            table_size=size,
            seats=range(min(size, 3), MOST + 1),
            rounds_left=rounds - number,
            plan=plan,
        )
        slowest, plan = max(slowest, time.perf_counter() - begun), seating.plan
        for table in seating.tables:
            met.update(map(frozenset, combinations(table.people, 2)))
            for seat, name in enumerate(table.people):
                sat[name][seat] += 1
            for place, name in enumerate(dice.sample(table.people, len(table.people))):
                points[name] += 100 * place / (len(table.people) - 1)
    unbalanced = max(max(seats[:size]) - min(seats[:size]) for seats in sat.values())
    return _Played(sum(times - 1 for times in met.values()), unbalanced, slowest)
