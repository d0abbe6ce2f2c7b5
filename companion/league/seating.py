"""Seat people for a tournament round at tables of two to seven, for any game with enough seats.

The goals, in order of importance: people who are kept apart never share a table; nobody meets the
same person twice; people with about equal points meet. Each pair has a price that expresses these
goals, and the cost of a seating is the sum of the prices of all pairs at the same table. The search
is simulated annealing (Kirkpatrick, Gelatt, Vecchi, Science 220, 1983): two people at different
tables, chosen at random, change places; a change that raises the cost is still accepted with a
probability that falls as the temperature falls. A final pass tries every exchange of two people
until none lowers the cost. People at a table then get the seats, and the partners, they have had
least often.

**Look-ahead.** Where meetings are scarce, a round that is best for itself can make repeated
meetings inevitable later: of 16 people at tables of four everybody can meet everybody exactly once
in five rounds, but only if the first two rounds fit. So if so many rounds are to come that people
meet more than half of the others, the search covers all of them at once (points count in the next
one only), and what it found for the later rounds is the start of the next search. For equal numbers
at a prime power of tables it begins with a schedule known to repeat no meeting: a resolvable
transversal design over a finite field (Colbourn and Dinitz, Handbook of Combinatorial Designs,
2006, III.3).

The search is limited by steps, never by time, and uses a seed, so a round can be reproduced
exactly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, permutations
from random import Random
from typing import TypeAlias

import msgspec

from companion.rules.contract import Problem

LEAST, MOST = 2, 7
"""Minimum and maximum number of people at a table."""
FEW = 3
"""Smaller tables are used only if tables of two are wanted: most games need more players."""
AGAIN = 20_000
"""Price of a pair that has met once; twice costs four times that. More than a table of four people
with the greatest differences in points: those never pay for a meeting too many."""
APART = 10**9
"""Price of a pair that is kept apart."""
WIDEST = 40
"""Points are scaled to this range; a pair's price is the square of its scaled difference."""
HOT, COLD = 8_000.0, 100.0
"""Start and end temperature, in units of price: at first a repeated meeting is sometimes accepted,
at the end never."""
STEPS, FEWEST = 4_000, 200_000
"""Number of exchanges tried: per person, and at least."""
PARTNER_AGAIN = 100
"""Price of partners who have played together once, in times that somebody had a seat before: nobody
sits that often."""

Pairs: TypeAlias = Mapping[frozenset[str], int]
"""How often the people of each pair have met, or been partners."""
NO_PAIRS: Pairs = {}
Round: TypeAlias = tuple[tuple[str, ...], ...]
"""The people of each table."""


class PlayerRecord(msgspec.Struct, frozen=True):
    """A person's record in earlier rounds: points, how often they had each seat (from the first),
    number of rounds sat out. All 0 for newcomers."""

    points: float = 0.0
    seats: tuple[int, ...] = (0,) * MOST
    out: int = 0


class SeatedTable(msgspec.Struct, frozen=True):
    """A table of a round: its people, first seat first, and the reasons for the seating.

    `again`: pairs that meet once more. `together`: partners who have been partners before.
    `spread`: points between the best and the last of them.
    """

    people: tuple[str, ...]
    again: tuple[tuple[str, str], ...]
    together: tuple[tuple[str, str], ...]
    spread: float


class Seating(msgspec.Struct, frozen=True):
    """A round: its tables, those with the most points first, the people who sit out, and what is
    planned for the rounds after it (() where nothing is)."""

    tables: tuple[SeatedTable, ...]
    out: tuple[str, ...]
    plan: tuple[Round, ...] = ()


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


def _seat_everybody_alone(players: int) -> Sequence[Sequence[int]]:
    return tuple((seat,) for seat in range(players))


def draw_seating(
    records: Mapping[str, PlayerRecord],
    met: Pairs,
    kept_apart: Collection[frozenset[str]],
    seed: tuple[object, int],
    *,
    table_size: int,
    seats: range,
    rounds_left: int = 1,
    plan: Sequence[Round] = (),
    list_sides: Callable[[int], Sequence[Sequence[int]]] = _seat_everybody_alone,
    partnered: Pairs = NO_PAIRS,
) -> Seating:
    """Draw a round for everyone in `records`.

    `met`: how often a pair has met; `kept_apart`: pairs that must not meet. `seed`: the tournament
    and the number of the round. `table_size`: people per table. `seats`: numbers of players that
    the game allows. `rounds_left`: rounds to come, with this one; `plan`: what was planned for them
    when the round before was drawn. `list_sides`: the game's (`Game.list_sides`); `partnered`: how
    often the people of a pair have been on one side. Raises `Problem` if there are too few people,
    or if pairs that are kept apart would meet in the seating found.
    """
    random = Random(":".join(map(str, seed)))
    # Sorted before shuffling: the result must depend on the seed, not on the database's order.
    names = sorted(records)
    random.shuffle(names)
    sizes = compute_table_sizes(len(names), table_size, seats)
    if not sizes:
        raise Problem("league.too_few", people=len(names), least=_find_smallest_size(table_size, seats))
    names.sort(key=lambda name: (records[name].out, records[name].points), reverse=True)
    playing, out = names[: sum(sizes)], names[sum(sizes) :]  # sat out least, then fewest points
    playing.sort(key=lambda name: -records[name].points)
    search = _Search([records[name].points for name in playing], playing, met, kept_apart, random)
    search.run(sizes, max(rounds_left, 1), plan)
    found = [[playing[person] for person in table] for table in search.rounds[0]]
    for pair in (frozenset(pair) for table in found for pair in combinations(table, 2)):
        if pair in kept_apart:
            one, other = sorted(pair)
            raise Problem("league.apart", one=one, other=other)
    found.sort(key=lambda table: -sum(records[name].points for name in table) / len(table))
    return Seating(
        tuple(_seat_table(table, records, met, partnered, list_sides, random) for table in found),
        tuple(out),
        tuple(
            tuple(tuple(playing[person] for person in table) for table in later)
            for later in search.rounds[1:]
        ),
    )


def seat_finalists(
    records: Mapping[str, PlayerRecord],
    met: Pairs,
    _kept_apart: Collection[frozenset[str]],
    seed: tuple[object, int],
    *,
    table_size: int,
    seats: range,
    list_sides: Callable[[int], Sequence[Sequence[int]]] = _seat_everybody_alone,
    partnered: Pairs = NO_PAIRS,
    **_no_search: object,
) -> Seating:
    """Seat the best, in the order of `records`, for a final round: the first at the first table,
    the next at the second and so on, then back (1, 4, 5, 8 and 2, 3, 6, 7). Who has met, or would
    better not meet, makes no difference. Raises `Problem` if there are too few people."""
    random = Random(":".join(map(str, seed)))
    sizes = compute_table_sizes(len(records), table_size, seats)
    if sum(sizes) < len(records):
        raise Problem("league.no_final", finalists=len(records), most=table_size)
    tables: list[list[str]] = [[] for _ in sizes]
    # There and back, as teams are chosen: every table gets the same sum of places.
    way = [*range(len(sizes)), *reversed(range(len(sizes)))]
    for place, name in enumerate(records):
        tables[way[place % len(way)]].append(name)
    return Seating(
        tuple(_seat_table(table, records, met, partnered, list_sides, random) for table in tables), ()
    )


class _Search:
    """The state of a search: who sits at which table in each of the rounds.

    `rounds`: the people of each round's tables, by number; `at`: each person's table, by round.
    `meetings`: how often each pair meets, before and in all these rounds.
    """

    def __init__(
        self,
        points: Sequence[float],
        names: Sequence[str],
        met: Pairs,
        kept_apart: Iterable[frozenset[str]],
        random: Random,
    ) -> None:
        self._random, self.names = random, names
        numbers = {name: number for number, name in enumerate(names)}
        self._met = _count_pairs(met, numbers)
        apart = _count_pairs(dict.fromkeys(kept_apart, APART), numbers)
        # Scaled to the range between best and last, so that prices mean the same in every round. In
        # the first round all points are equal.
        scale = WIDEST / ((max(points) - min(points)) or 1)
        placed = [round(scale * one) for one in points]
        now = [
            [price + (one - other) ** 2 for price, other in zip(row, placed, strict=True)]
            for row, one in zip(apart, placed, strict=True)
        ]
        # Points count in the next round only: nobody knows them later.
        self._next_prices, self._later_prices = now, apart
        self.rounds: list[list[list[int]]] = []
        self.at: list[list[int]] = []
        self.prices: list[list[list[int]]] = []
        self.meetings = self._met
        self.cost = 0

    def run(self, sizes: Sequence[int], rounds: int, plan: Sequence[Round]) -> None:
        """Find the next round, and as many later ones as it must allow for."""
        rounds = rounds if self._are_meetings_scarce(sizes, rounds) else 1
        # The search from scratch is the last resort: it rarely finds a whole schedule.
        best: list[list[int]] | None = None
        least = 0
        for start in self._list_starts(sizes, rounds, plan):
            self.seat_people(start)
            self.improve_seating()
            if best is None or self.cost < least:
                best, least = self.at, self.cost
        if best is None or self._has_repeated_meetings(best):
            # Everybody in the order of points, in each round.
            self.seat_people([[table for table, size in enumerate(sizes) for _ in range(size)]] * rounds)
            self.anneal_seating()
            self.improve_seating()
            if best is None or self.cost < least:
                return
        self.seat_people(best)

    def _are_meetings_scarce(self, sizes: Sequence[int], rounds: int) -> bool:
        """Whether people meet more than half of the others, before and in so many rounds."""
        before = sum(map(sum, self._met)) / len(self.names)
        return len(sizes) > 1 and 2 * (before + rounds * (sizes[0] - 1)) > len(self.names) - 1

    def _list_starts(
        self, sizes: Sequence[int], rounds: int, plan: Sequence[Round]
    ) -> Iterator[list[list[int]]]:
        """Generate rounds to begin with: those planned, each of them as the next one; without a
        plan a schedule that repeats no meeting."""
        if rounds < 2 and not plan:
            return
        planned = [self._number_tables(sizes, one) for one in plan]
        if len(planned) >= rounds and None not in planned:
            known = [one for one in planned if one is not None]
            for number, one in enumerate(known):
                yield [one, *known[:number], *known[number + 1 :]][:rounds]
        elif not any(map(any, self._met)):
            apart = [
                (one, other)
                for one, row in enumerate(self._later_prices)
                for other, price in enumerate(row[:one])
                if price
            ]
            if schedule := make_schedule(sizes, rounds, apart, self._random):
                yield schedule

    def _number_tables(self, sizes: Sequence[int], planned: Round) -> list[int] | None:
        """Return each person's table in a planned round, with those who have come in the places of
        as many who have left; None if it does not fit any more."""
        seated = {name for table in planned for name in table}
        gone, come = sorted(seated.difference(self.names)), sorted(set(self.names) - seated)
        if sorted(map(len, planned)) != sorted(sizes) or len(gone) != len(come):
            return None
        place = dict(zip(gone, come, strict=True))
        tables = {place.get(name, name): number for number, table in enumerate(planned) for name in table}
        return [tables[name] for name in self.names]

    def _has_repeated_meetings(self, at: list[list[int]]) -> bool:
        self.seat_people(at)
        return any(meetings > 1 for row in self.meetings for meetings in row)

    def seat_people(self, at: Iterable[Sequence[int]]) -> None:
        """Begin with these rounds: each person's table, for each round."""
        self.at = [list(one) for one in at]
        self.rounds = [_group_by_table(one) for one in self.at]
        self.meetings = [list(row) for row in self._met]
        self.cost = 0
        for number, tables in enumerate(self.rounds):
            prices = self._base_prices(number)
            for one, other in (pair for table in tables for pair in combinations(table, 2)):
                self.cost += prices[one][other] + AGAIN * self.meetings[one][other] ** 2
                self._count_meeting(one, other, 1)
        people = range(len(self.names))
        self.prices = [[[0] * len(people) for _ in people] for _ in self.rounds]
        for number in range(len(self.rounds)):
            for one, other in combinations(people, 2):
                self._update_price(number, one, other)

    def _base_prices(self, number: int) -> list[list[int]]:
        return self._later_prices if number else self._next_prices

    def _count_meeting(self, one: int, other: int, times: int) -> None:
        self.meetings[one][other] += times
        self.meetings[other][one] += times

    def _update_price(self, number: int, one: int, other: int) -> None:
        """Set the price of a pair at one table in a round by its meetings in all other rounds."""
        at, prices = self.at[number], self.prices[number]
        meetings = self.meetings[one][other] - (at[one] == at[other])
        price = self._base_prices(number)[one][other] + AGAIN * meetings**2
        prices[one][other] = prices[other][one] = price

    def compute_swap_cost(self, number: int, one: int, other: int) -> int:
        """Return how the cost changes if two people at different tables of a round change
        places."""
        tables, at, prices = self.rounds[number], self.at[number], self.prices[number]
        mine, theirs = prices[one], prices[other]
        change = -2 * mine[other]  # the loops below count this pair once per table
        for person in tables[at[one]]:
            change += theirs[person] - mine[person]
        for person in tables[at[other]]:
            change += mine[person] - theirs[person]
        return change

    def swap_people(self, number: int, one: int, other: int, change: int) -> None:
        """Let two people at different tables of a round change places, which changes the cost by
        `change`."""
        tables, at = self.rounds[number], self.at[number]
        self.cost += change
        mine, theirs = tables[at[one]], tables[at[other]]
        mine[mine.index(one)], theirs[theirs.index(other)] = other, one
        at[one], at[other] = at[other], at[one]
        if len(self.rounds) == 1:
            return  # no other round depends on who meets in this one
        for table, leaving, coming in ((mine, one, other), (theirs, other, one)):
            for person in table:
                if person != coming:
                    self._count_meeting(person, leaving, -1)
                    self._count_meeting(person, coming, 1)
                    for later in range(len(self.rounds)):
                        if later != number:
                            self._update_price(later, person, leaving)
                            self._update_price(later, person, coming)

    def anneal_seating(self) -> None:
        """Search by simulated annealing; stop early where nothing is left to improve."""
        # Local names, because this loop runs at least 200,000 times.
        people, rounds, draw = len(self.names), len(self.rounds), self._random.random
        compute_swap_cost, at, number = self.compute_swap_cost, self.at, 0
        if len(self.rounds[0]) < 2:
            return
        steps = max(FEWEST, STEPS * people) * (1 if rounds == 1 else 2)
        # Geometric cooling: after `steps` multiplications the temperature is `COLD`.
        cooling, heat = (COLD / HOT) ** (1 / steps), HOT
        for _ in range(steps):
            heat *= cooling
            if rounds > 1:
                number = int(draw() * rounds)
            one, other = int(draw() * people), int(draw() * people)
            if at[number][one] == at[number][other]:
                continue
            change = compute_swap_cost(number, one, other)
            if change <= 0 or draw() < math.exp(-change / heat):
                self.swap_people(number, one, other, change)
                if not self.cost:
                    return

    def improve_seating(self) -> None:
        """Exchange two people of a round while that lowers the cost."""
        better = True
        while better and self.cost:
            better = False
            for number, at in enumerate(self.at):
                for one, other in combinations(range(len(self.names)), 2):
                    if at[one] != at[other] and (change := self.compute_swap_cost(number, one, other)) < 0:
                        self.swap_people(number, one, other, change)
                        better = True


def _count_pairs(pairs: Pairs, numbers: Mapping[str, int]) -> list[list[int]]:
    """Return a symmetric matrix of the pairs' values, without people who are not in `numbers`."""
    counts = [[0] * len(numbers) for _ in numbers]
    for pair, value in pairs.items():
        if all(name in numbers for name in pair):
            one, other = (numbers[name] for name in pair)
            counts[one][other] = counts[other][one] = value
    return counts


def _group_by_table(at: Sequence[int]) -> list[list[int]]:
    tables: list[list[int]] = [[] for _ in range(max(at) + 1)]
    for person, table in enumerate(at):
        tables[table].append(person)
    return tables


_POLYNOMIALS = {4: (2, (1, 1, 1)), 8: (2, (1, 1, 0, 1)), 9: (3, (1, 0, 1))}
"""For each order of a field that is no prime its characteristic and an irreducible polynomial, the
constant term first. At more tables meetings are never scarce in a tournament."""


def make_schedule(
    sizes: Sequence[int], rounds: int, kept_apart: Sequence[tuple[int, int]], random: Random
) -> list[list[int]] | None:
    """Return each person's table in so many rounds in which no two people meet twice, nor those who
    are kept apart; None if this construction has none.

    With q tables of s people each, q the order of a field and s at most q, everybody is a point
    (i, j), i below s. In round r, table t has the points (i, t + r·i): two points with different i
    share a table in one round only, and points with the same i never do; so these meet in a round
    of their own, if q is a multiple of s. People that are missing at the last tables are points
    with the same i.
    """
    tables, size, people = len(sizes), sizes[0], sum(sizes)
    if size > tables or not _is_field_order(tables) or sizes[-1] < size - 1:
        return None
    order = [
        [_add(point % tables, _multiply(number, point // tables, tables), tables) for point in range(people)]
        for number in range(tables)
    ]
    # `t = j - r·i`; as r takes every value of the field, so does -r. At most one table of the
    # last round lacks somebody.
    if people >= size * tables - 1 and tables % size == 0:
        order.append([point // size for point in range(people)])
    if rounds > len(order):
        return None
    for _ in range(_SHUFFLES):
        # Both the rounds and who has which point: tournaments must not be alike.
        random.shuffle(order)
        points = random.sample(range(people), people)
        found = [[one[point] for point in points] for one in order[:rounds]]
        if not any(at[one] == at[other] for at in found for one, other in kept_apart):
            return found
    return None


_SHUFFLES = 500
"""Times that the people of a schedule are shuffled for the sake of those who are kept apart."""


def _is_field_order(number: int) -> bool:
    return number in _POLYNOMIALS or (
        number > 1 and all(number % factor for factor in range(2, math.isqrt(number) + 1))
    )


def _add(one: int, other: int, order: int) -> int:
    """Add two elements of a field, which are polynomials written as numbers."""
    if order not in _POLYNOMIALS:
        return (one + other) % order
    prime, polynomial = _POLYNOMIALS[order]
    degree = len(polynomial) - 1
    digits = zip(_split_digits(one, prime, degree), _split_digits(other, prime, degree), strict=True)
    return _join_digits([(a + b) % prime for a, b in digits], prime)


def _multiply(one: int, other: int, order: int) -> int:
    """Multiply two elements of a field.

    >>> [_multiply(2, other, 4) for other in range(4)], _multiply(3, 4, 5)
    ([0, 2, 3, 1], 2)
    """
    if order not in _POLYNOMIALS:
        return one * other % order
    prime, polynomial = _POLYNOMIALS[order]
    degree = len(polynomial) - 1
    product = [0] * (2 * degree)
    for place, digit in enumerate(_split_digits(one, prime, degree)):
        for other_place, other_digit in enumerate(_split_digits(other, prime, degree)):
            product[place + other_place] += digit * other_digit
    for place in range(len(product) - 1, degree - 1, -1):
        # The polynomial's first coefficient is 1.
        factor = product[place]
        for below, coefficient in enumerate(polynomial):
            product[place - degree + below] -= factor * coefficient
    return _join_digits([digit % prime for digit in product[:degree]], prime)


def _split_digits(number: int, base: int, digits: int) -> list[int]:
    return [number // base**place % base for place in range(digits)]


def _join_digits(digits: Sequence[int], base: int) -> int:
    return sum(digit * base**place for place, digit in enumerate(digits))


def _seat_table(
    names: Sequence[str],
    records: Mapping[str, PlayerRecord],
    met: Pairs,
    partnered: Pairs,
    list_sides: Callable[[int], Sequence[Sequence[int]]],
    random: Random,
) -> SeatedTable:
    """Give the people of a table the seats, and so the partners, that they have had least often."""
    # Shuffled first: of equal orders the first is taken.
    people = random.sample(names, len(names))
    partners = [pair for side in list_sides(len(people)) for pair in combinations(side, 2)]

    def compute_cost(order: Sequence[str]) -> int:
        # One seat more often than twice costs more than two seats twice each.
        seats = sum(2 * records[name].seats[seat] + 1 for seat, name in enumerate(order))
        again = sum(partnered.get(frozenset((order[one], order[other])), 0) ** 2 for one, other in partners)
        return seats + PARTNER_AGAIN * again

    order = min(permutations(people), key=compute_cost)
    points = [records[name].points for name in order]
    pairs = [tuple(sorted((order[one], order[other]))) for one, other in partners]
    return SeatedTable(
        order,
        tuple(pair for pair in combinations(sorted(order), 2) if met.get(frozenset(pair))),
        tuple((one, other) for one, other in pairs if partnered.get(frozenset((one, other)))),
        max(points) - min(points),
    )
