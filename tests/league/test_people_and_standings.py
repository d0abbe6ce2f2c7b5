"""Standings and ratings of results that stand in a real database, and what becomes of people."""

from __future__ import annotations

import csv
import json
from random import Random
from uuid import uuid4

import pytest
from openskill.models import PlackettLuce

from companion.journal.spreadsheets import SheetStyle
from companion.league import export, people, ratings
from companion.league.rounds import read_standings
from companion.rules.contract import Problem


@pytest.fixture
def club(db) -> int:
    (number,) = db.execute(
        "INSERT INTO clubs (uid, name) VALUES (gen_random_uuid(), 'Club') RETURNING club"
    ).fetchone()
    db.execute("INSERT INTO tables (club, key, name) VALUES (%s, %s, 'One')", (number, bytes(32)))
    return number


def played(db, club, feed, places, *, checked="checked", game="dtc"):
    """A session that ended so, `places` by person; return its id."""
    session = uuid4()
    db.execute(
        "INSERT INTO sessions (club, session, tbl, game, begun, setup, next, head, signature)"
        " SELECT %s, %s, min(tbl), %s, %s, '', 1, '', '' FROM tables WHERE club = %s",
        (club, session, game, feed, club),
    )
    db.execute("INSERT INTO entries VALUES (%s, 0, %s, 0, 'act', 0, 3, '', '')", (session, feed))
    for seat, (person, place) in enumerate(places.items(), 1):
        row = (session, f"s{seat}", club, person, place, 10 - place, checked)
        db.execute("INSERT INTO results VALUES (%s, %s, %s, %s, %s, %s, %s)", row)
    return session


def test_tables_of_any_size_are_worth_the_same_and_ties_are_broken_as_told(db, club):
    ann, ben, cy, dee = (people.find_or_add_person(db, club, name) for name in ("Ann", "Ben", "Cy", "Dee"))
    played(db, club, 1, {ann: 1, ben: 2, cy: 3})
    played(db, club, 2, {ben: 1, ann: 2, dee: 2, cy: 4})
    played(db, club, 3, {cy: 1, dee: 2}, checked="otherwise")  # an act was not by the rules
    rows = read_standings(db, club, "dtc")
    assert [(row.place, row.name, row.games, row.wins, row.points) for row in rows] == [
        (1, "Ann", 2, 1, 150),
        (1, "Ben", 2, 1, 150),
        (3, "Dee", 1, 0, 50),
        (4, "Cy", 2, 0, 0),
    ]
    played(db, club, 4, {dee: 1, cy: 2})
    played(db, club, 5, {cy: 1, dee: 2})
    rows = read_standings(db, club, "dtc")
    assert [(row.place, row.name, row.points, row.games) for row in rows] == [
        (1, "Ann", 150, 2),
        (1, "Ben", 150, 2),
        (3, "Dee", 150, 3),  # as many wins, in more games
        (4, "Cy", 100, 4),
    ]


def folded(games):
    """What openskill itself makes of these games, in this order."""
    model, kept = PlackettLuce(), {}
    for places in games:
        teams = [[kept.get(person) or model.rating()] for person in places]
        for person, (rating,) in zip(places, model.rate(teams, ranks=list(places.values())), strict=True):
            kept[person] = rating
    return {person: (rating.mu, rating.sigma) for person, rating in kept.items()}


def kept_ratings(db):
    return {row[0]: row[1:] for row in db.execute("SELECT person, mu, sigma FROM ratings")}


def test_ratings_are_folded_as_games_ended_and_an_undo_folds_them_anew(db, club):
    dice = Random(1)
    everybody = [people.find_or_add_person(db, club, f"p{number}") for number in range(6)]
    games, sessions = [], []
    for feed in range(1, 13):
        order = dice.sample(everybody, 4)
        games.append({person: place for place, person in enumerate(order, 1)})
        sessions.append(played(db, club, feed, games[-1]))
        if feed % 4 == 0:
            ratings.update_game_ratings(db, club, "dtc")
            assert kept_ratings(db) == folded(games)
    db.execute("DELETE FROM results WHERE session = %s", (sessions[2],))  # its last act was undone
    del games[2]
    ratings.update_game_ratings(db, club, "dtc")
    assert kept_ratings(db) == folded(games)
    first, last = everybody[0], everybody[5]
    people.merge_people(db, club, last, first)
    ratings.update_game_ratings(db, club, "dtc")
    assert last not in kept_ratings(db)
    best = read_standings(db, club, "dtc")[0]
    mu, sigma = kept_ratings(db)[best.person]
    assert best.rating == pytest.approx(mu - 3 * sigma)


def test_people_join_once_are_merged_and_forgotten(db, club):
    ann = people.find_or_add_person(db, club, " Ann ")
    assert people.find_or_add_person(db, club, "ANN") == ann
    anne, ben = people.find_or_add_person(db, club, "Anne"), people.find_or_add_person(db, club, "Ben")
    played(db, club, 1, {ann: 1, ben: 2})
    played(db, club, 2, {anne: 1, ben: 2})
    people.keep_apart(db, anne, ben)
    people.merge_people(db, club, anne, ann)
    assert people.list_people(db, club) == {ann: "Ann", ben: "Ben"}
    assert people.find_or_add_person(db, club, "anne") == ann, "who is called so still is who they are now"
    assert [(row.name, row.wins) for row in read_standings(db, club, "dtc")] == [("Ann", 2), ("Ben", 0)]
    assert db.execute("SELECT count(*) FROM apart WHERE %s IN (one, other)", (ann,)).fetchone() == (1,)
    people.forget_person(db, club, ann)
    assert people.list_people(db, club) == {ben: "Ben"}
    assert [row.name for row in read_standings(db, club, "dtc")] == [None, "Ben"]
    assert db.execute("SELECT count(*) FROM people WHERE name ILIKE 'ann%'").fetchone() == (0,)
    with pytest.raises(Problem):
        people.find_or_add_person(db, club, " \n ")


def test_what_was_played_goes_to_other_programs(db, club):
    ann, ben = people.find_or_add_person(db, club, "=Ann()"), people.find_or_add_person(db, club, "Ben")
    played(db, club, 1, {ann: 1, ben: 2})
    played(db, club, 2, {ben: 1, ann: 2})
    rows = list(csv.DictReader(export.format_csv(db, club, "en").splitlines()))
    assert [(row["name"], row["place"]) for row in rows] == [
        ("'=Ann()", "1"),
        ("Ben", "2"),
        ("Ben", "1"),
        ("'=Ann()", "2"),
    ]
    db.execute("UPDATE results SET points = 10 / 3.0 WHERE place = 1")
    style = SheetStyle("semicolon", has_mark=True)
    first, row, *_ = export.format_csv(db, club, "en", style=style).splitlines()
    assert first.startswith("\ufeffid;game;")
    assert row.endswith(";1;1;3,333333;3 1/3"), "place, side, points, and exactly"
    told = json.loads(export.format_json(db, club, "en"))
    assert [row["points"] for row in told["standings"]["dtc"]] == [100, 100]
    assert [one["places"][0]["seat"] for one in told["games"]] == ["s1", "s1"]
    stats = json.loads(export.format_bgstats(db, club, "fr"))
    assert len(stats["plays"]) == len({play["uuid"] for play in stats["plays"]}) == 2
    assert {one["uuid"] for one in stats["players"]} == {str(ann).upper(), str(ben).upper()}
