"""An evening's rounds in a real database: drawn, played at laptops and without, paired again."""

from __future__ import annotations

import contextlib
import json
from fractions import Fraction
from itertools import pairwise
from uuid import uuid4

import pytest
from openskill.models import PlackettLuce

from companion.league import organiser, pages, people, ratings, rounds, seating, tournaments
from companion.league.club import find_organiser_key, open_club
from companion.league.pages.organiser import render_organiser_page
from companion.league.pages.tournament import render_current_round
from companion.league.rounds import read_standings
from companion.rules.contract import Problem
from companion.texts import Translator
from tests.league.test_people_and_standings import club  # noqa: F401 - a fixture

NAMES = ("Ann", "Ben", "Chloé", "Dora", "Emil", "Fanny", "Gus", "Hans")


@pytest.fixture(autouse=True)
def _short_search(monkeypatch):
    monkeypatch.setattr(seating, "FEWEST", 2_000)  # for eight people that is plenty
    monkeypatch.setattr(seating, "STEPS", 100)


@pytest.fixture
def evening(db, club):  # noqa: F811
    """A tournament of DTC with eight people, two laptops, nothing drawn."""
    db.execute("INSERT INTO feed (club) VALUES (%s)", (club,))
    db.execute("INSERT INTO tables (club, key, name) VALUES (%s, %s, 'Two')", (club, bytes(31) + b"2"))
    number = tournaments.begin_tournament(db, club, "dtc").number
    who = {name: people.find_or_add_person(db, club, name) for name in NAMES}
    for person in who.values():
        rounds.enter_person(db, number, person)
    return number, who


def standings_of(db, club):  # noqa: F811
    """The standings of the current tournament."""
    current = tournaments.find_current_tournament(db, club)
    return read_standings(db, club, current.game, current)


def scored(*points):
    """The points of the seats in order; each may be a pair with what breaks ties."""
    keys = (one if isinstance(one, tuple) else (one,) for one in points)
    return {f"s{seat}": tuple(map(Fraction, key)) for seat, key in enumerate(keys, 1)}


def play_alone(db, club, game, names, *results):  # noqa: F811
    """A tournament of one table without a laptop: draw a round for each result, and enter it by
    name; return its number and the people by name."""
    if not db.execute("SELECT FROM feed WHERE club = %s", (club,)).fetchone():
        db.execute("INSERT INTO feed (club) VALUES (%s)", (club,))
    number = tournaments.find_or_begin_tournament(db, club, game).number
    who = {name: people.find_or_add_person(db, club, name) for name in names}
    for person in who.values():
        rounds.enter_person(db, number, person)
    for result in results:
        (board,) = rounds.draw_round(db, club).boards
        rounds.enter_result(db, club, board.board, scored(*(result[place.name] for place in board.places)))
    return number, who


def test_partners_win_together_whoever_has_more_pawns_and_change_each_round(db, club):  # noqa: F811
    names = NAMES[:4]
    _, who = play_alone(db, club, "partners", names, dict(zip(names, (4, 2, 3, 2), strict=True)))
    (board,) = rounds.read_round(db, club).boards
    partner = {one.name: board.places[(seat + 2) % 4].name for seat, one in enumerate(board.places)}
    won = {one.name for one in board.places if one.place == 1}
    assert won == {"Ann", partner["Ann"]}, "Ann's side has more pawns than the other"
    assert {one.name for one in board.places if one.place == 3} == set(names) - won
    rows = standings_of(db, club)
    assert {row.name: row.points for row in rows} == {name: 100 * (name in won) for name in names}
    ratings.update_ratings(db, club)
    model = PlackettLuce()
    (better, _), (worse, _) = model.rate([[model.rating(), model.rating()] for _ in range(2)], ranks=[1, 3])
    expected = {name: better.mu if name in won else worse.mu for name in names}
    kept = dict(db.execute("SELECT person, mu FROM ratings").fetchall())
    assert {name: kept[person] for name, person in who.items()} == expected
    page = pages.render_person(db, club, Translator("en"), person=who["Ann"]).pieces["person"]
    assert f"with {partner['Ann']} against " in page
    pairs = {frozenset(("Ann", partner["Ann"]))}
    for _ in range(2):
        (board,) = rounds.draw_round(db, club).boards
        seats = [one.name for one in board.places]
        pairs.add(frozenset(("Ann", seats[(seats.index("Ann") + 2) % 4])))
        rounds.enter_result(db, club, board.board, scored(4, 2, 4, 3))
    assert len(pairs) == 3, "Ann has had every partner"


def test_a_strong_player_who_wins_with_a_weak_one_loses_nothing(db, club):  # noqa: F811
    """What openskill itself says of the teams, in the order of the games."""
    names = NAMES[:4]
    _, who = play_alone(db, club, "partners", names, *[dict(zip(names, (4, 3, 0, 0), strict=True))] * 6)
    model, kept = PlackettLuce(), {}
    query = (
        "SELECT array_agg(person ORDER BY seat), array_agg(places.place ORDER BY seat) FROM boards"
        " JOIN places USING (board) GROUP BY board, feed ORDER BY feed"
    )
    before = []
    for order, place in db.execute(query).fetchall():
        sides = sorted(((0, 2), (1, 3)), key=lambda side: place[side[0]])
        teams = [[kept.get(order[seat]) or model.rating() for seat in side] for side in sides]
        rated = model.rate(teams, ranks=[place[side[0]] for side in sides])
        before.append(kept.get(who["Ann"], model.rating()).mu)
        kept |= {
            order[seat]: one
            for side, row in zip(sides, rated, strict=True)
            for seat, one in zip(side, row, strict=True)
        }
    ratings.update_ratings(db, club)
    stored = dict(db.execute("SELECT person, mu FROM ratings").fetchall())
    assert stored == pytest.approx({person: one.mu for person, one in kept.items()})
    assert before == sorted(before), "Ann has won each time, with everybody"


def test_equal_points_are_decided_as_the_sheet_says(db, club):  # noqa: F811
    names = NAMES[:3]
    play_alone(db, club, "donkey_valley", names, {"Ann": (9, 2), "Ben": (9, 4), "Chloé": (12, 1)})
    (board,) = rounds.read_round(db, club).boards
    assert {one.name: one.place for one in board.places} == {"Chloé": 1, "Ben": 2, "Ann": 3}, "DV-22"
    page = "".join(render_organiser_page(db, club, Translator("en")).pieces.values())
    assert 'value="4" aria-label="Ben: Loads won"' in page


@pytest.mark.parametrize("typed", ["nan", "inf", "-inf", "1e9", "", "ten", "1_0", "3/0", "1234567"])
def test_what_is_no_number_is_no_result(db, club, evening, typed):  # noqa: F811
    board = rounds.draw_round(db, club).boards[0]
    wish = {"do": "result", "board": str(board.board), "s1": "3", "s2": "10/3", "s3": "2,5", "s4": typed}
    with pytest.raises(Problem) as fault:
        organiser.decode_command(json.dumps(wish).encode()).run_in_transaction(db, club)
    assert fault.value.text.code == ("league.no_points" if typed else "league.points_missing")
    wish["s4"] = "0"
    organiser.decode_command(json.dumps(wish).encode()).run_in_transaction(db, club)
    page = "".join(render_organiser_page(db, club, Translator("en")).pieces.values())
    assert 'value="10/3"' in page
    assert 'value="5/2"' in page


def begins(db, club, tbl, game="dtc"):  # noqa: F811
    """A session begins at a laptop; return its id."""
    session = uuid4()
    db.execute(
        "INSERT INTO sessions (club, session, tbl, game, begun, setup, head, signature)"
        " VALUES (%s, %s, %s, %s, 0, '', '', '')",
        (club, session, tbl, game),
    )
    return session


def ends(db, club, session):  # noqa: F811
    """It ends as its seats are numbered."""
    db.execute(
        "INSERT INTO results SELECT session, seat, %s, person, right(seat, 1)::int, 10 - right(seat, 1)::int,"
        " 'checked' FROM seats WHERE session = %s",
        (club, session),
    )


def test_a_round_is_drawn_played_at_laptops_and_by_hand_and_the_next_one_follows(db, club, evening):  # noqa: F811
    number, who = evening
    people.keep_apart(db, who["Ann"], who["Ben"])
    first = rounds.draw_round(db, club, table_size=3)
    assert first.round == 1
    assert [(one.number, one.laptop, len(one.places)) for one in first.boards] == [
        (1, "One", 4),
        (2, "Two", 4),
    ]
    tables = [{place.name for place in one.places} for one in first.boards]
    assert not any({"Ann", "Ben"} <= table for table in tables)
    late = people.find_or_add_person(db, club, "Ida")
    rounds.enter_person(db, number, late)
    rounds.enter_person(db, number, who["Hans"], gone=True)
    with pytest.raises(Problem) as fault:  # perhaps they play already: nobody would know
        rounds.draw_round(db, club, table_size=4)
    assert fault.value.text.code == "league.still_playing"
    assert rounds.read_round(db, club) == first
    again = rounds.draw_round(db, club, table_size=4, again=True)
    assert again.round == 1
    assert {place.name for one in again.boards for place in one.places} == {*NAMES, "Ida"} - {"Hans"}
    (one, two) = [one.board for one in again.boards]
    (tbl,) = db.execute("SELECT tbl FROM boards WHERE board = %s", (one,)).fetchone()
    begins(db, club, tbl, "partners")  # another game is no part of it
    session = begins(db, club, tbl)
    begins(db, club, tbl)  # nor is a second one at that table
    shown = rounds.read_round(db, club)
    assert [board.session for board in shown.boards] == [session, None]
    with pytest.raises(Problem) as fault:
        rounds.draw_round(db, club)
    assert fault.value.text.args["tables"] == "1, 2"
    with pytest.raises(Problem) as fault:
        rounds.draw_round(db, club, again=True)
    assert fault.value.text.args["tables"] == "1"
    ends(db, club, session)
    with pytest.raises(Problem):
        rounds.enter_result(db, club, two, scored(3))
    rounds.enter_result(db, club, two, scored(3, 8, 8, 1))
    by_place = {place.seat: place.place for place in rounds.read_round(db, club).boards[1].places}
    assert by_place == {"s1": 2, "s2": 3, "s3": 3, "s4": 1}, "the fewest cards win DTC"
    rows = standings_of(db, club)
    assert len(rows) == 8
    assert sum(row.points for row in rows) == pytest.approx(400, abs=4), "thirds are rounded"
    second = rounds.draw_round(db, club)
    assert second.round == 2
    assert second.boards[0].why[0].code == "league.meet_again"
    assert sum(place.seat == "s1" for board in second.boards for place in board.places) == 2
    firsts = {board.places[0].person for shown in (again, second) for board in shown.boards}
    assert len(firsts) == 4, "nobody has the first seat twice"


def test_what_was_entered_by_hand_stands_instead_of_the_laptops(db, club, evening):  # noqa: F811
    _number, _who = evening
    board = rounds.draw_round(db, club).boards[0]
    (tbl,) = db.execute("SELECT tbl FROM boards WHERE board = %s", (board.board,)).fetchone()
    ends(db, club, begins(db, club, tbl))
    before = standings_of(db, club)
    rounds.enter_result(db, club, board.board, scored(3, 2, 1, 0))
    after = standings_of(db, club)
    assert [row.person for row in before] == [row.person for row in reversed(after)]
    assert [row.games for row in after] == [1, 1, 1, 1]
    assert rounds.read_round(db, club).boards[0].by_hand
    rounds.enter_result(db, club, board.board, None)
    assert standings_of(db, club) == before
    assert not rounds.read_round(db, club).boards[0].by_hand


def test_the_organiser_is_told_who_was_entered_in_a_seat_and_is_to_sit_nowhere_there(db, club, evening):  # noqa: F811
    def told():
        page = "".join(render_organiser_page(db, club, Translator("en")).pieces.values())
        return [part.partition("<")[0] for part in page.split('<strong class="bad">')[1:]]

    board = rounds.draw_round(db, club).boards[0]
    (tbl,) = db.execute("SELECT tbl FROM boards WHERE board = %s", (board.board,)).fetchone()
    session = begins(db, club, tbl)
    sit = "UPDATE seats SET person = %s WHERE session = %s AND seat = %s"
    one, other, *_ = board.places
    db.execute(sit, (one.person, session, "s2"))  # two who are to sit there have changed places
    db.execute(sit, (other.person, session, "s1"))
    assert told() == []
    zoe = people.find_or_add_person(db, club, "Zoé")
    db.execute(sit, (zoe, session, "s2"))
    (words,) = told()
    assert words.startswith(f"Seat 2: Zoé was entered on the laptop instead of {other.name}")
    db.execute("UPDATE people SET merged_into = %s WHERE person = %s", (one.person, zoe))
    assert told() == [], "she is one of them by another name"
    db.execute("UPDATE people SET merged_into = NULL WHERE person = %s", (zoe,))
    rounds.enter_result(db, club, board.board, scored(3, 2, 1, 0))
    assert told() == [], "the result that was entered counts for who was to sit there"


def test_who_sits_at_a_table_this_evening_takes_part_and_a_pair_of_games_is_two_tournaments(db, club):  # noqa: F811
    with pytest.raises(Problem) as fault:
        rounds.draw_round(db, club)
    assert fault.value.text.code == "league.which_game"
    with pytest.raises(Problem) as fault:
        rounds.draw_round(db, club, "ascend")
    assert fault.value.text.code == "league.too_few"
    (tbl,) = db.execute("SELECT tbl FROM tables").fetchone()
    session = begins(db, club, tbl, "ascend")
    db.execute("UPDATE sessions SET begun = extract(epoch FROM now()) * 1e6 WHERE session = %s", (session,))
    for seat, name in enumerate(NAMES[:5], 1):
        db.execute(
            "INSERT INTO seats VALUES (%s, %s, %s)",
            (session, f"s{seat}", people.find_or_add_person(db, club, name)),
        )
    drawn = rounds.draw_round(db, club, "ascend")  # four at most: one sits out
    assert [(one.number, len(one.places)) for one in drawn.boards] == [(1, 4), (0, 1)]
    rows = standings_of(db, club)
    assert [(row.points, row.games) for row in rows] == [(50, 0)]
    assert tournaments.find_or_begin_tournament(db, club, "dtc").number != drawn.tournament


def sent(db, club, **wish):  # noqa: F811
    """Send a form as the organiser's page does; return what is told."""
    values = {name: str(value) for name, value in wish.items()}
    return organiser.decode_command(json.dumps(values).encode()).run_in_transaction(db, club)


def seats_of(db, club):  # noqa: F811
    """Who sits where in the current round: names by table and seat."""
    boards = rounds.read_round(db, club).boards
    return {(board.number, place.seat): place.name for board in boards for place in board.places}


def test_a_result_for_a_table_that_was_drawn_again_says_so(db, club, evening):  # noqa: F811
    old = rounds.draw_round(db, club).boards[0]
    rounds.draw_round(db, club, again=True)
    with pytest.raises(Problem) as fault:
        rounds.enter_result(db, club, old.board, scored(1, 2, 3, 4))
    assert fault.value.text.code == "league.table_gone"


def test_a_whole_list_of_names_is_entered_at_once(db, club):  # noqa: F811
    with pytest.raises(Problem) as fault:
        sent(db, club, do="arrive", names="Ann")
    assert fault.value.text.code == "league.no_tournament"
    sent(db, club, do="begin", game="dtc", rounds=4)
    told = sent(
        db, club, do="arrive", names="Nom;Ville\r\n" + "\r\n".join(f"P {n:03};Bern" for n in range(200))
    )
    assert (told.code, told.n) == ("league.entered", 200)
    told = sent(db, club, do="arrive", names="P 007\nIda\n\n  ida ")
    assert (told.n, told.args["names"]) == (1, "P 007, Ida")
    assert db.execute("SELECT count(*) FROM entrants").fetchone() == (201,)
    with pytest.raises(Problem) as fault:
        sent(db, club, do="arrive", names="p 007")
    assert fault.value.text.code == "league.there_already"
    assert sent(db, club, do="arrive", names="Hal") is None


def test_seats_are_changed_by_hand_until_the_table_has_begun(db, club, evening):  # noqa: F811
    _, who = evening
    boards = rounds.draw_round(db, club).boards
    before = seats_of(db, club)
    where = {name: place for place, name in before.items()}
    one = boards[0].places[0]
    other = boards[1].places[2]
    sent(db, club, do="swap", one=one.person, other=other.person)
    assert seats_of(db, club) == before | {where[one.name]: other.name, where[other.name]: one.name}
    assert [text.code for text in rounds.read_round(db, club).boards[0].why] == ["league.seated_by_hand"]
    ida, jo = (people.find_or_add_person(db, club, name) for name in ("Ida", "Jo"))
    with pytest.raises(Problem) as fault:
        sent(db, club, do="swap", one=ida, other=jo)
    assert fault.value.text.code == "league.not_in_round"
    sent(db, club, do="swap", one=ida, other=one.person)  # she comes late, and takes the other's seat
    assert seats_of(db, club)[where[other.name]] == "Ida"
    assert one.name not in seats_of(db, club).values()
    sent(db, club, do="seat", person=one.person, board=boards[0].board)
    assert seats_of(db, club)[1, "s5"] == one.name
    with pytest.raises(Problem) as fault:
        sent(db, club, do="seat", person=ida, board=boards[0].board)
    assert fault.value.text.code == "league.sits_already"
    (tbl,) = db.execute("SELECT tbl FROM boards WHERE board = %s", (boards[1].board,)).fetchone()
    begins(db, club, tbl)
    for wish in (
        {"do": "swap", "one": ida, "other": who["Ann"]},
        {"do": "seat", "person": jo, "board": boards[1].board},
    ):
        with pytest.raises(Problem) as fault:
            sent(db, club, **wish)
        assert fault.value.text.code == "league.table_begun"


def test_players_send_results_which_count_once_the_organiser_has_entered_them(db, club, evening):  # noqa: F811
    boards = rounds.draw_round(db, club).boards
    told = sent(db, club, do="report", board=boards[0].board, s1=3, s2=8, s3="5/2", s4=1)
    assert told.code == "league.reported"
    assert not rounds.read_round(db, club).boards[0].is_over
    page = "".join(render_organiser_page(db, club, Translator("en")).pieces.values())
    assert "sent by phone" in page
    assert 'name="s3" value="5/2"' in page
    sent(db, club, do="report", board=boards[0].board, s1=3, s2=8, s3=2, s4=1)  # a finger slipped
    with pytest.raises(Problem) as fault:
        sent(db, club, do="report", board=boards[1].board, s1="nan", s2=8, s3=2, s4=1)
    assert fault.value.text.code == "league.no_points"
    sent(db, club, do="accept")
    now = rounds.read_round(db, club).boards
    assert [place.points for place in now[0].places] == [3, 8, 2, 1]
    assert [board.is_over for board in now] == [True, False]
    assert now[0].reported is None
    with pytest.raises(Problem) as fault:
        sent(db, club, do="report", board=boards[0].board, s1=9, s2=8, s3=2, s4=1)
    assert fault.value.text.code == "league.has_result"


def finish_round(db, club, game="dtc"):  # noqa: F811
    """Enter results in which the people win in the order of their names."""
    for board in rounds.read_round(db, club).boards:
        if board.number:
            names = sorted(place.name for place in board.places)
            rounds.enter_result(
                db, club, board.board, scored(*(names.index(one.name) for one in board.places))
            )


def test_a_final_decides_among_those_who_play_in_it(db, club, evening):  # noqa: F811
    rounds.draw_round(db, club)
    finish_round(db, club)
    before = {row.name: row.points for row in standings_of(db, club)}
    with pytest.raises(Problem) as fault:
        rounds.draw_round(db, club, finalists=16)
    assert fault.value.text.code == "league.too_few_finalists"
    order = [row.name for row in standings_of(db, club)]
    final = rounds.draw_round(db, club, finalists=4)
    (board,) = final.boards
    assert (final.finalists, {place.name for place in board.places}) == (4, set(order[:4]))
    last = order[3]
    points = [0 if place.name == last else 1 + order.index(place.name) for place in board.places]
    rounds.enter_result(db, club, board.board, scored(*points))
    rows = standings_of(db, club)
    assert [row.name for row in rows] == [last, *order[:3], *order[4:]], "DTC is won by the fewest"
    assert {row.name: row.points for row in rows} == before, "nobody gains or loses points by it"
    assert "final of 4" in "".join(render_current_round(db, club, Translator("en")).pieces.values())


def test_eight_play_for_the_final_at_two_tables_as_equal_as_can_be(db, club, evening):  # noqa: F811
    rounds.draw_round(db, club)
    finish_round(db, club)
    order = [row.name for row in standings_of(db, club)]
    boards = rounds.draw_round(db, club, finalists=8).boards
    assert [{order.index(place.name) for place in board.places} for board in boards] == [
        {0, 3, 4, 7},
        {1, 2, 5, 6},
    ]


def test_stronger_opponents_break_ties_if_the_tournament_says_so(db, club):  # noqa: F811
    db.execute("INSERT INTO feed (club) VALUES (%s)", (club,))
    sent(db, club, do="begin", game="dtc", tie_break="opponents")
    sent(db, club, do="arrive", names="\n".join(NAMES))
    for _ in range(2):
        rounds.draw_round(db, club)
        finish_round(db, club)
    rows = standings_of(db, club)
    assert all(row.opponents is not None for row in rows)
    for one, other in pairwise(rows):
        assert one.points >= other.points
        if one.points == other.points:
            assert one.opponents >= other.opponents
    assert "Opponents" in "".join(pages.render_standings(db, club, Translator("en")).pieces.values())
    usual = read_standings(db, club, "dtc")
    assert all(row.opponents is None for row in usual)


def test_a_tournament_lasts_until_it_is_ended_and_another_may_go_on_beside_it(db, club, evening):  # noqa: F811
    number, _ = evening
    rounds.draw_round(db, club)
    db.execute("UPDATE tournaments SET begun = now() - interval '5 weeks'")
    db.execute("UPDATE boards SET drawn = now() - interval '3 weeks'")
    assert tournaments.find_current_tournament(db, club).number == number
    with pytest.raises(Problem) as fault:
        sent(db, club, do="begin", game="dtc")
    assert fault.value.text.code == "league.not_ended"
    sent(db, club, do="begin", game="ascend")
    assert tournaments.find_current_tournament(db, club).game == "ascend"
    drawing = render_organiser_page(db, club, Translator("en")).pieces["draw"]
    assert '<option value="dtc"' in drawing, "either may go on"
    sent(db, club, do="end")
    assert tournaments.find_current_tournament(db, club).number == number, "the long one is current again"
    finish_round(db, club)
    sent(db, club, do="end")
    second = tournaments.begin_tournament(db, club, "dtc")
    assert second.number != number
    assert db.execute("SELECT count(*) FROM entrants WHERE tournament = %s", (second.number,)).fetchone() == (
        0,
    )
    sent(db, club, do="timer", minutes=50)
    timer = tournaments.find_current_tournament(db, club).timer
    assert timer is not None
    sent(db, club, do="timer", minutes=0)
    assert tournaments.find_current_tournament(db, club).timer is None


def test_people_of_long_ago_are_not_listed_and_come_back_by_name(db, club, evening):  # noqa: F811
    zoe = people.find_or_add_person(db, club, "Zoé")
    assert "Zoé" in people.list_people(db, club).values()
    assert "Zoé" not in people.list_recent_people(db, club).values()
    assert {*NAMES} == {*people.list_recent_people(db, club).values()}
    assert ">Zoé</span>" not in render_organiser_page(db, club, Translator("en")).pieces["there"]
    sent(db, club, do="arrive", names="zoé")
    assert ">Zoé</span>" in render_organiser_page(db, club, Translator("en")).pieces["there"]
    assert people.list_recent_people(db, club)[zoe] == "Zoé"


def test_the_organisers_link_survives_a_restart_until_another_is_wanted(database):
    number = open_club(database, "Club").number
    key = find_organiser_key(database, number)
    assert find_organiser_key(database, number) == key
    other = find_organiser_key(database, number, renew=True)
    assert other != key
    assert find_organiser_key(database, number) == other


def test_the_organiser_of_another_club_changes_nothing(db, club, evening):  # noqa: F811
    _, who = evening
    board = rounds.draw_round(db, club).boards[0]
    (other,) = db.execute(
        "INSERT INTO clubs (uid, name) VALUES (gen_random_uuid(), 'Other') RETURNING club"
    ).fetchone()
    db.execute("INSERT INTO feed (club) VALUES (%s)", (other,))
    tournaments.begin_tournament(db, other, "dtc")
    points = {f"s{seat}": "1" for seat in range(1, len(board.places) + 1)}
    before = [db.execute(f"TABLE {table}").fetchall() for table in ("people", "entrants", "apart", "places")]
    ann, ben = str(who["Ann"]), str(who["Ben"])
    for wish in (
        {"do": "result", "board": str(board.board), **points},
        {"do": "go", "person": ann},
        {"do": "forget", "person": ann},
        {"do": "merge", "person": ann, "into": ben},
        {"do": "apart", "one": ann, "other": ben},
    ):
        with contextlib.suppress(Problem):
            organiser.decode_command(json.dumps(wish).encode()).run_in_transaction(db, other)
    after = [db.execute(f"TABLE {table}").fetchall() for table in ("people", "entrants", "apart", "places")]
    assert after == before
    assert rounds.read_round(db, other) is None
    assert read_standings(db, other, "dtc") == []
