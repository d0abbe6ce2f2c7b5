"""Rounds: who sits where, drawn for scores of people and rounds, and read as an organiser would."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random

import pytest

from companion.league import seating
from companion.league.seating import PlayerRecord, compute_table_sizes, draw_seating
from companion.rules.contract import Problem


def tournament(people, wanted, rounds, apart=(), seats=range(3, 8)):
    """Play rounds whose tables end at random; give each with the points before it."""
    dice, met = Random(1), Counter()
    names = [f"p{number}" for number in range(people)]
    points, first, out = Counter(), Counter(), Counter()
    for number in range(1, rounds + 1):
        played = {name: PlayerRecord(points[name], first[name], out[name]) for name in names}
        one = draw_seating(played, met, apart, ("May", number), table_size=wanted, seats=seats)
        yield one, played
        for table in one.tables:
            met.update(map(frozenset, combinations(table.people, 2)))
            first[table.people[0]] += 1
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
    assert all(table.loss >= 0 for table in rounds[1].tables)
    for table in rounds[1].tables:
        here, there = table.refused
        assert here in table.people
        assert there not in table.people


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
