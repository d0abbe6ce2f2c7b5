"""Rounds: who sits where, drawn for scores of people and rounds, and read as an organiser would."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random

import pytest

from companion.league import seating
from companion.league.seating import PlayerRecord, compute_table_sizes, draw_seating
from companion.rules.contract import Problem


def tournament(people, wanted, rounds, apart=(), seats=range(3, 8), *, seed="May", ahead=False, **sides):
    """Play rounds whose tables end at random; give each with the points before it. `ahead`: the
    number of rounds is known from the first on."""
    dice, met, partnered, plan = Random(1), Counter(), Counter(), ()
    names = [f"p{number}" for number in range(people)]
    points, out = Counter(), Counter()
    sat = {name: [0] * 7 for name in names}
    for number in range(1, rounds + 1):
        played = {name: PlayerRecord(points[name], tuple(sat[name]), out[name]) for name in names}
        left = rounds - number + 1 if ahead else 1
        one = draw_seating(
            played,
            met,
            apart,
            (seed, number),
            table_size=wanted,
            seats=seats,
            rounds_left=left,
            plan=plan,
            partnered=partnered,
            **sides,
        )
        plan = one.plan
        yield one, played
        for table in one.tables:
            met.update(map(frozenset, combinations(table.people, 2)))
            partnered.update(frozenset(table.people[side::2]) for side in (0, 1) if sides)
            for seat, name in enumerate(table.people):
                sat[name][seat] += 1
            for place, name in enumerate(dice.sample(table.people, len(table.people))):
                points[name] += 10 * place
        out.update(one.out)


@pytest.mark.slow
@pytest.mark.parametrize(("people", "wanted", "rounds"), [(23, 4, 4), (31, 5, 3), (15, 3, 4)])
def test_everybody_sits_once_and_meets_nobody_twice(people, wanted, rounds):
    apart = {frozenset(("p0", "p1")), frozenset(("p2", "p3"))}
    met, first = Counter(), Counter()
    for one, played in tournament(people, wanted, rounds, apart):
        assert sorted(name for table in one.tables for name in table.people) == sorted(played)
        assert not one.out
        for table in one.tables:
            assert 3 <= len(table.people) <= wanted
            met.update(map(frozenset, combinations(table.people, 2)))
            first[table.people[0]] += 1
            assert table.again == ()
    assert max(met.values()) == 1
    assert not apart & met.keys()
    assert max(first.values()) - min(first[f"p{number}"] for number in range(people)) <= 2


@pytest.mark.parametrize(("people", "seats"), [(8, range(2, 7)), (9, range(2, 3))])
def test_two_at_a_table_meet_others_of_about_their_points_each_time(monkeypatch, people, seats):
    """Swiss, in which nobody meets twice; where two are all that can play, who is over sits out."""
    monkeypatch.setattr(seating, "FEWEST", 20_000)  # for so few that is plenty
    met, first, out = Counter(), Counter(), Counter()
    for one, _ in tournament(people, 2, 4, seats=seats):
        assert [len(table.people) for table in one.tables] == [2] * 4
        met.update(frozenset(table.people) for table in one.tables)
        first.update(table.people[0] for table in one.tables)
        out.update(one.out)
    assert max(met.values()) == max(out.values(), default=1) == 1
    assert sum(table.spread for table in one.tables) <= 10 * len(one.tables)
    assert max(first.values()) <= 3


def test_equal_scores_meet():
    (_, _), (one, played) = tournament(40, 4, 2)
    whole = max(each.points for each in played.values())
    assert sum(table.spread for table in one.tables) / len(one.tables) < whole / 6
    means = [sum(played[name].points for name in table.people) / 4 for table in one.tables]
    assert means == sorted(means, reverse=True)


def test_the_same_seed_draws_the_same_and_another_another():
    played = {f"p{number}": PlayerRecord() for number in range(24)}

    def drawn(seed):
        return draw_seating(played, {}, (), seed, table_size=4, seats=range(3, 8))

    assert drawn(("May", 1)) == drawn(("May", 1))
    assert drawn(("May", 1)) != drawn(("May", 2))


def test_what_cannot_be_helped_is_told():
    """Eight people, three rounds: whoever played at a table of four meets some of them again."""
    rounds = [one for one, _ in tournament(8, 4, 2)]
    assert sum(len(table.again) for table in rounds[1].tables) == 4, "two from each is the least"
    assert all(table.together == () for table in rounds[1].tables)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("people", "wanted", "rounds"), [(16, 4, 5), (15, 4, 5), (9, 3, 4), (20, 4, 5)])
def test_nobody_meets_twice_where_a_whole_schedule_without_that_exists(people, wanted, rounds, seed):
    """Affine planes and transversal designs leave no choice: a round that does not fit spoils the
    later ones. Drawn one by one, 16 people meet again eight times in five rounds."""
    met, seats = Counter(), {}
    for one, _ in tournament(people, wanted, rounds, seed=seed, ahead=True):
        for table in one.tables:
            met.update(map(frozenset, combinations(table.people, 2)))
            for seat, name in enumerate(table.people):
                seats.setdefault(name, Counter())[seat] += 1
    assert max(met.values()) == 1
    assert max(max(sat.values()) for sat in seats.values()) <= 3, "no seat is somebody's own"
    if (people, rounds) == (16, 5):
        assert len(met) == 16 * 15 // 2, "everybody meets everybody"


def test_a_planned_tournament_survives_a_substitute_and_siblings_and_a_round_drawn_again():
    apart = {frozenset(("p0", "p1"))}
    rounds = [one for one, _ in tournament(15, 3, 5, apart, ahead=True)]
    met = Counter(frozenset(pair) for one in rounds for t in one.tables for pair in combinations(t.people, 2))
    assert max(met.values()) == 1
    assert frozenset(("p0", "p1")) not in met
    first, played = next(tournament(16, 4, 5, ahead=True))
    met = Counter(frozenset(pair) for table in first.tables for pair in combinations(table.people, 2))
    changed = {name: record for name, record in played.items() if name != "p7"} | {"Zoé": PlayerRecord()}
    options = {"table_size": 4, "seats": range(3, 8), "rounds_left": 4, "plan": first.plan}
    second = draw_seating(changed, met, (), ("May", 2), **options)
    assert all(table.again == () for table in second.tables)
    assert len(second.plan) == 3
    assert draw_seating(changed, met, (), ("May", 2), **options) == second


def test_partners_change_as_people_do():
    """Four people who sit together three times are partners of each other once."""

    def list_sides(players):
        return ((0, 2), (1, 3))

    rounds = [one for one, _ in tournament(4, 4, 4, seats=range(4, 5), list_sides=list_sides)]
    pairs = [frozenset(table.people[side::2]) for one in rounds for table in one.tables for side in (0, 1)]
    assert len(set(pairs[:6])) == 6
    assert [len(table.together) for one in rounds for table in one.tables] == [0, 0, 0, 2]


@pytest.mark.parametrize("tables", [2, 3, 4, 5, 7, 8, 9])
def test_the_schedule_of_a_field_repeats_no_meeting(tables):
    for size in range(2, min(tables, 7) + 1):
        found = seating.make_schedule((size,) * tables, tables, (), Random(2))
        met = Counter(
            (one, other)
            for at in found
            for one, other in combinations(range(size * tables), 2)
            if at[one] == at[other]
        )
        assert max(met.values()) == 1
        assert all(sorted(Counter(at).values()) == [size] * tables for at in found)
    assert seating.make_schedule((4,) * 6, 2, (), Random(2)) is None, "no field has six elements"


def test_who_sits_out_is_another_each_time():
    """Ascend has seats for four: of five people one sits out."""
    left = [one.out for one, _ in tournament(5, 4, 5, seats=range(3, 5))]
    assert sorted(name for out in left for name in out) == [f"p{number}" for number in range(5)]


def test_too_few_and_siblings_that_must_meet_are_refused_in_words():
    two = dict.fromkeys(("Ann", "Ben"), PlayerRecord())
    with pytest.raises(Problem) as fault:
        draw_seating(two, {}, (), ("May", 1), table_size=4, seats=range(3, 8))
    assert fault.value.text.code == "league.too_few"
    three = two | {"Cy": PlayerRecord()}
    with pytest.raises(Problem) as fault:
        draw_seating(three, {}, {frozenset(("Ann", "Ben"))}, ("May", 1), table_size=4, seats=range(3, 8))
    assert fault.value.text.code == "league.apart"


@pytest.mark.slow
def test_two_hundred_people_are_seated_in_a_second_or_so_and_every_number_is_shared_out():
    played = {f"p{number}": PlayerRecord(number % 9) for number in range(200)}
    one = draw_seating(played, {}, (), ("May", 1), table_size=4, seats=range(3, 8))
    assert len(one.tables) == 50
    assert sum(table.spread for table in one.tables) < 10
    for people in range(3, 60):
        for wanted in range(2, 8):
            found = compute_table_sizes(people, wanted, range(2, 8))
            assert min(found) >= min(wanted, 3), "two sit together where that is wanted, and only there"
            assert sum(found) == people
            assert max(found) - min(found) <= 1
