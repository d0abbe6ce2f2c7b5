"""Measure how a league seats people: whole tournaments, beside published schedules and beside a
program for chess."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from itertools import combinations
from random import Random
from typing import NamedTuple, TypeAlias

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
    and seconds of the processor for the slowest draw."""

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
        begun = time.process_time()
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
        slowest, plan = max(slowest, time.process_time() - begun), seating.plan
        for table in seating.tables:
            met.update(map(frozenset, combinations(table.people, 2)))
            for seat, name in enumerate(table.people):
                sat[name][seat] += 1
            for place, name in enumerate(dice.sample(table.people, len(table.people))):
                points[name] += 100 * place / (len(table.people) - 1)
    unbalanced = max(max(seats[:size]) - min(seats[:size]) for seats in sat.values())
    return _Played(sum(times - 1 for times in met.values()), unbalanced, slowest)


SWISS = [
    (6, 3),
    (6, 5),
    (7, 5),
    (8, 5),
    (8, 7),
    (10, 7),
    (11, 7),
    (12, 9),
    (16, 7),
    (20, 7),
    (21, 7),
    (30, 7),
    (40, 7),
]
"""People and rounds of tournaments for two at each table. A few more rounds than usual, because a
system that pairs one round at a time runs out of pairings at the end."""
WIN, DRAW, LOSS = 2, 1, 0
"""Results, in half points."""


class _Pairing(NamedTuple):
    """Two people at a table, first seat first, and the result of the first in half points; `second`
    is None for somebody who sits out, which counts as won."""

    first: int
    second: int | None
    result: int = WIN


_Rounds: TypeAlias = Sequence[Sequence[_Pairing]]
_Pairer: TypeAlias = Callable[[int, int, _Rounds], list[_Pairing] | None]
"""Pairs the next round of a tournament of so many people and rounds; None if it cannot."""


class _Swiss(NamedTuple):
    """A tournament: rounds played, pairings, meetings too many, sum of the differences in points of
    those who met, and seconds of the processor for the slowest draw."""

    rounds: int
    pairings: int
    repeated: int
    differences: float
    seconds: float


def bench_swiss(options: Options) -> Iterator[Figure]:
    """Pair whole tournaments for two at each table, where stronger people win more often, beside
    the Dutch system of chess (py4swiss, with the matching of bbpPairings), if that is installed."""
    peer = f"py4swiss {version('py4swiss')}" if find_spec("py4swiss") else None
    if peer:
        # Not to be counted as part of the first draw.
        import_module("py4swiss.engines")
    for people, rounds in SWISS:
        name = f"{people} people, {rounds} rounds"
        if not options.wants_row(name):
            continue
        seeds = range(options.seed, options.seed + options.scale_count(5))
        ours = [_play_swiss(people, rounds, seed, _pair_by_search(seed)) for seed in seeds]
        theirs = [_play_swiss(people, rounds, seed, _pair_by_dutch_system) for seed in seeds] if peer else []
        yield Figure(
            name,
            _describe_swiss(ours, rounds),
            f"{peer}: {_describe_swiss(theirs, rounds)}" if peer else "py4swiss is not installed",
            f"{len(seeds)} tournaments each, the same results for the same pairing",
            kept=all(one.rounds == rounds and not one.repeated for one in ours),
        )


def _describe_swiss(played: Sequence[_Swiss], rounds: int) -> str:
    return (
        f"{sum(one.rounds == rounds for one in played)} of {len(played)} played to the end,"
        f" {sum(one.repeated for one in played)} meetings too many, points differ by"
        f" {sum(one.differences for one in played) / sum(one.pairings for one in played):.2f},"
        f" slowest draw {max(one.seconds for one in played):.2f} s"
    )


def _play_swiss(people: int, rounds: int, seed: int, pair: _Pairer) -> _Swiss:
    """Play a tournament until its end, or until no round can be paired."""
    points, met = [0.0] * people, Counter[frozenset[int]]()
    played: list[list[_Pairing]] = []
    differences = slowest = 0.0
    while len(played) < rounds:
        begun = time.process_time()
        drawn = pair(people, rounds, played)
        slowest = max(slowest, time.process_time() - begun)
        if drawn is None:
            break
        played.append([_play_pairing(one, seed, len(played)) for one in drawn])
        for first, second, _ in played[-1]:
            if second is not None:
                met[frozenset((first, second))] += 1
                differences += abs(points[first] - points[second])
        for first, second, result in played[-1]:
            points[first] += result / 2
            if second is not None:
                points[second] += (WIN - result) / 2
    repeated = sum(times - 1 for times in met.values())
    return _Swiss(len(played), met.total(), repeated, differences, slowest)


def _play_pairing(pairing: _Pairing, seed: int, number: int) -> _Pairing:
    """Return the pairing with a result: the same for the same two people in the same round."""
    first, second, _ = pairing
    if second is None:
        return pairing
    low, high = sorted((first, second))
    # Elo's curve, over 40 points of strength from one to the next; three of ten are drawn.
    chance = 1 / (1 + 10 ** ((low - high) / 10))
    dice = Random(f"{seed}:{number}:{low}:{high}")
    of_low = DRAW if dice.random() < 0.3 else WIN if dice.random() < chance else LOSS
    return pairing._replace(result=of_low if first == low else WIN - of_low)


def _pair_by_search(seed: int) -> _Pairer:
    """Return a pairer that seats people as the league does, carrying its plan from round to
    round."""
    plan: tuple[tuple[tuple[str, ...], ...], ...] = ()

    def pair(people: int, rounds: int, played: _Rounds) -> list[_Pairing]:
        nonlocal plan
        met, out = Counter[frozenset[str]](), Counter[int]()
        points, seats = [0.0] * people, [[0] * MOST for _ in range(people)]
        for first, second, result in (one for pairings in played for one in pairings):
            points[first] += result / 2
            if second is None:
                out[first] += 1
                continue
            points[second] += (WIN - result) / 2
            met[frozenset((f"p{first}", f"p{second}"))] += 1
            seats[first][0] += 1
            seats[second][1] += 1
        seating = draw_seating(
            {
                f"p{number}": PlayerRecord(points[number], tuple(seats[number]), out[number])
                for number in range(people)
            },
            met,
            (),
            (seed, len(played)),
            table_size=2,
            seats=range(2, 3),
            rounds_left=rounds - len(played),
            plan=plan,
        )
        plan = seating.plan
        pairs = [[int(name[1:]) for name in table.people] for table in seating.tables]
        return [_Pairing(*pair) for pair in pairs] + [_Pairing(int(name[1:]), None) for name in seating.out]

    return pair


def _pair_by_dutch_system(people: int, rounds: int, played: _Rounds) -> list[_Pairing] | None:
    """Pair as FIDE's Dutch system does (Handbook C.04.3, until 2026). The first seat has white."""
    results: list[list[Mapping[str, object]]] = [[] for _ in range(people)]
    points = [0] * people
    for first, second, result in (one for pairings in played for one in pairings):
        points[first] += result
        if second is None:
            results[first].append({"id": 0, "color": "-", "result": "U"})
            continue
        points[second] += WIN - result
        results[first].append({"id": second + 1, "color": "w", "result": "0=1"[result]})
        results[second].append({"id": first + 1, "color": "b", "result": "1=0"[result]})
    # Points are in tenths there, and people are numbered from 1 by strength.
    sections = [
        {
            "code": "001",
            "starting_number": number,
            "rank": number,
            "points_times_ten": 5 * points[number - 1],
            "results": results[number - 1],
        }
        for number in range(1, people + 1)
    ]
    tournament = import_module("py4swiss.trf").ParsedTrf(
        player_sections=sections, x_section={"number_of_rounds": rounds}
    )
    tournament.validate_contents()
    try:
        pairings = import_module("py4swiss.engines").DutchEngine.generate_pairings(tournament)
    except import_module("py4swiss.engines.common").PairingError:
        return None
    return [_Pairing(one.white - 1, one.black - 1 if one.black else None) for one in pairings]
