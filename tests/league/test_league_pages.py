"""The club's pages in a browser that none of us wrote: read by everybody, live, and what the
organiser does there."""

from __future__ import annotations

import contextlib
import json
import re
import urllib.error
import urllib.request
from fractions import Fraction

import psycopg
import pytest
from playwright.sync_api import expect
from starlette.applications import Starlette

from companion.games.donkey_valley.moves import Donkey, Load, NoFavour
from companion.league import club, people, rounds, tournaments
from companion.league.demo import SimulatedTable
from companion.league.pages.games import render_free_game
from companion.league.pages.tournament import render_tournament_page
from companion.league.server import LeagueServer
from companion.league.site import Site
from companion.rules.contract import Refusal
from companion.texts import Translator
from tests.league.tables import PlayedTable, line_to, served, until
from tests.share.conftest import browser, driver  # noqa: F401 - fixtures
from tests.simulated.page_fit import NAMES, SIZES, list_axe_faults, list_fit_faults

KEY = "the-organisers-key"
CUT_HINTS = """() => {
  for (const one of document.querySelectorAll("details")) one.open = true;
  return [...document.querySelectorAll("input[placeholder]")].filter((field) => {
    const typed = field.value;
    field.value = field.placeholder;
    const isCut = field.scrollWidth > field.clientWidth;
    field.value = typed;
    return isCut;
  }).map((field) => field.placeholder);
}"""
"""Hints in empty fields that are longer than their fields."""


@pytest.fixture
def site(database):
    """A club's server with its pages; its address, and how a table joins."""
    of = club.open_club(database, "Café <Ânes>")
    pages = Site(database, of, Translator("en"), KEY)
    server = LeagueServer(database, of, pages.routes)
    pages.next_news_event = server.next_news_event
    with served(server.app) as url:
        yield url, of
    server.close()
    pages.close()


@pytest.fixture
def page(browser):  # noqa: F811
    context = browser.new_context(viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    opened = context.new_page()
    opened.faults = []
    opened.on("pageerror", lambda fault: opened.faults.append(str(fault)))
    yield opened
    context.close()
    assert not opened.faults


def joined(url, of, name, seats=()):
    """A table that plays DTC with these people."""
    table = SimulatedTable(url, of.code, name)
    session = table.begin_session("dtc", len(seats), 1_700_000_000.0)
    table.connection.send_seats(session, {f"s{number}": who for number, who in enumerate(seats, 1)})
    return table


def test_the_tables_are_read_live_by_everybody_at_any_size(site, page, db):
    url, of = site
    one = joined(url, of, "One", ("Ann", "<b>Ben</b>", "Chloé"))
    one.play_acts(3)
    page.goto(url)
    card = page.locator(".table").first
    expect(card.locator(".name")).to_have_text(["Ann", "<b>Ben</b>", "Chloé"])
    assert page.locator("b b, h1 b").count() == 0, "a name is text, whatever it says"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    two = joined(url, of, "Two", ("Dora", "Emil"))
    expect(page.locator(".table")).to_have_count(2)
    one.play_acts(1000)
    expect(card.locator(".told strong")).to_contain_text("Won by ")
    card.locator("a").click()
    expect(page.locator(".headline")).to_have_text(re.compile("Ann|<b>Ben</b>|Chloé"))
    ben = people.find_or_add_person(db, of.number, "<b>Ben</b>")
    page.goto(f"{url}/standings")
    expect(page.locator("tbody th")).to_have_count(3)
    page.goto(f"{url}/person/{ben}")
    expect(page.locator("h2")).to_have_text("<b>Ben</b>")
    people.forget_person(db, of.number, ben)
    two.play_acts(1)
    expect(page.locator("#person")).to_have_count(0)
    expect(page).to_have_title("No such page – Café <Ânes>")
    page.goto(f"{url}/standings")
    expect(page.locator("tbody th")).to_contain_text(["somebody"])
    assert "Ben" not in page.content()
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.goto(f"{url}/tv")
    expect(page.locator(".table:visible")).to_have_count(2)
    assert page.evaluate("document.documentElement.scrollHeight") <= 1080
    assert page.evaluate("parseFloat(getComputedStyle(document.querySelector('.table .name')).fontSize)") > 27
    faults = {}
    for size, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        faults[size] = list_fit_faults(page)
    assert not any(faults.values()), faults
    for table in (one, two):
        table.connection.close()


@pytest.mark.slow
@pytest.mark.parametrize("language", ["fr", "de"])
def test_all_fits_on_the_clubs_pages_at_every_size(site, page, db, database, language):
    url, of = site
    number = tournaments.find_or_begin_tournament(db, of.number, "donkey_valley").number
    for name in NAMES:
        rounds.enter_person(db, number, people.find_or_add_person(db, of.number, name))
    tables = [joined(url, of, "Fenstertisch hinten links", NAMES[:5]), joined(url, of, "B", NAMES[5:8])]
    for table, acts in zip(tables, (1000, 7), strict=True):
        table.play_acts(acts)
        table.connection.close()
    rounds.draw_round(db, of.number, table_size=4)
    final = joined(url, of, "B 2", NAMES[:5])
    played, seated = (
        final.begin_session("donkey_valley", 4, 1_700_000_100.0),
        rounds.read_round(db, of.number).boards,
    )
    db.execute("UPDATE boards SET session = %s WHERE board = %s", (played, seated[0].board))
    final.connection.send_seats(played, {f"s{seat}": name for seat, name in enumerate(NAMES[:4], 1)})
    final.play_acts(1000)
    final.connection.close()
    game = f"/tournament/{number}/round/1/table/1"
    # One with a long name, and one who has played with them.
    persons = [f"/person/{people.find_or_add_person(db, of.number, name)}" for name in NAMES[:2]]
    pages = Site(database, of, Translator(language), KEY)
    with contextlib.closing(pages), served(Starlette(routes=pages.routes)) as shown:
        paths = ("/", "/tv", "/table/1", "/table/2", "/round", "/standings", "/people", "/organise")
        more = (game, f"{game}/entry/9", f"/tournament/{number}/round/1/table/2", *persons)
        (free,) = db.execute("SELECT session FROM sessions ORDER BY next DESC").fetchone()
        for path in (
            *paths,
            *more,
            f"/game/{free}",
            f"/game/{free}/entry/9",
            "/person/" + "0" * 8 + "-0000" * 3 + "-" + "0" * 12,
        ):
            faults = []
            page.goto(f"{shown}{path}")
            expect(page.locator("body[data-number]")).to_be_attached()
            for size, (width, height) in SIZES.items():
                page.set_viewport_size({"width": width, "height": height})
                faults += [f"{size}: {fault}" for fault in list_fit_faults(page)]
                faults += [f"{size}: cut off in its field: {words}" for words in page.evaluate(CUT_HINTS)]
            assert faults == [], path
        page.goto("about:blank")


@pytest.fixture
def two_rounds(site, db):
    """A tournament of DTC: in its first round table 1 has played on a laptop, and table 2 by hand;
    in its second round table 1 has begun."""
    url, of = site
    number = tournaments.begin_tournament(db, of.number, "dtc").number
    for name in ("Ann", "<b>Ben</b>", "Chloé", "Dora", "Emil", "Fanny"):
        rounds.enter_person(db, number, people.find_or_add_person(db, of.number, name))
    table = SimulatedTable(url, of.code, "One")
    drawn = rounds.draw_round(db, of.number, table_size=3)
    table.begin_session("dtc", 3, 1_700_000_000.0)
    table.play_acts(1000)
    assert until(lambda: rounds.read_round(db, of.number).boards[0].is_over)
    scores = {place.seat: (Fraction(place.seat[1:]),) for place in drawn.boards[1].places}
    rounds.enter_result(db, of.number, drawn.boards[1].board, scores)
    rounds.draw_round(db, of.number, table_size=3)
    table.begin_session("dtc", 3, 1_700_000_100.0)
    table.play_acts(5)
    table.connection.close()
    return url, of, f"/tournament/{number}"


def test_each_table_of_a_round_has_a_page_for_good_with_its_replay(two_rounds, page):
    url, _of, at = two_rounds
    page.goto(f"{url}/round")
    expect(page).to_have_title(re.compile("^DTC, round 2: 0 of 2 tables have finished – Café <Ânes>$"))
    page.locator(".board h3 a").first.click()
    page.wait_for_url(f"{url}{at}/round/2/table/1")
    expect(page).to_have_title(re.compile("^Round 2, table 1: .+ – Café <Ânes>$"))
    expect(page.locator("#entries li")).to_have_count(5)
    # From one round to another people stay at the same table.
    page.locator("#places a", has_text="1").first.click()
    page.wait_for_url(f"{url}{at}/round/1/table/1")
    expect(page).to_have_title(re.compile("^Round 1, table 1: Won by "))
    expect(page.locator("#game .seats li")).to_have_count(3)
    expect(page.locator("#game .badges")).to_contain_text(["of 3"] * 3)
    expect(page.locator("#story .moments li").first).to_be_visible()
    assert page.locator("b b").count() == 0, "a name is text, whatever it says"
    entries = page.locator("#entries li").count()
    words = page.locator("#entries li p").nth(19).inner_text()
    page.locator("#entry-20").click()
    page.wait_for_url(f"{url}{at}/round/1/table/1/entry/20")
    expect(page).to_have_title(f"Round 1, table 1: Step 20 of {entries} – Café <Ânes>")
    assert words.startswith(page.locator("#words").inner_text())
    page.locator("#forward").click()
    expect(page.locator("#steps")).to_contain_text("Step 21 of")
    expect(page.locator("#forward")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#steps")).to_contain_text("Step 20 of")
    page.go_back()  # entries replace each other in the browser's history
    page.wait_for_url(f"{url}{at}/round/1/table/1")
    expect(page.locator("#entry-20")).to_be_focused()
    expect(page.locator("#entry-20")).to_be_in_viewport()
    page.goto(f"{url}{at}/round/1/table/1/entry/{entries - 1}")
    page.get_by_role("button", name="Play").click()
    expect(page).to_have_title(f"Round 1, table 1: Step {entries} of {entries} – Café <Ânes>")
    expect(page.get_by_role("button", name="Play")).to_have_attribute("aria-pressed", "false")
    page.goto(f"{url}{at}/round/1/table/2")
    expect(page).to_have_title(re.compile("^Round 1, table 2: Won by "))
    expect(page.locator("#game")).to_contain_text("entered by hand")
    expect(page.locator("#entries")).to_have_count(0)
    # Whoever played is one click away, from a table, its steps and its round.
    for where, names in (
        ("table/2", "#game .seats"),
        ("table/1/entry/20", "#game .seats"),
        ("", ".board ol"),
    ):
        page.goto(f"{url}{at}/round/1/{where}".rstrip("/"))
        name = page.locator(f"{names} .name").first.inner_text()
        page.locator(f"{names} .name a").first.click()
        page.wait_for_url(f"{url}/person/*")
        expect(page.locator("#person h2")).to_have_text(name)


@pytest.fixture
def free_game(site, db):
    """A game of three that nobody drew: its server, the club, the table and the game's page."""
    url, of = site
    table = joined(url, of, "One", ("Ann", "<b>Ben</b>", "Chloé"))
    table.play_acts(1000)
    (session,) = db.execute("SELECT session FROM sessions").fetchone()
    yield url, of, table, f"/game/{session}"
    table.connection.close()


def test_a_game_outside_a_round_has_a_page_for_good_with_its_replay(free_game, page, db):
    url, of, table, at = free_game
    page.goto(url)
    page.locator(".table a").click()
    page.wait_for_url(f"{url}/table/*")
    page.get_by_role("link", name="Step by step").click()
    page.wait_for_url(f"{url}{at}")
    expect(page).to_have_title(re.compile("^DTC, One: Won by .+ – Café <Ânes>$"))
    expect(page.locator("#top a[aria-current]")).to_have_text("Tables")
    expect(page.locator("#game .badges")).to_contain_text(["of 3"] * 3)
    expect(page.locator("#story .moments li").first).to_be_visible()
    assert page.locator("b b").count() == 0, "a name is text, whatever it says"
    entries = page.locator("#entries li").count()
    page.locator("#entry-20").click()
    page.wait_for_url(f"{url}{at}/entry/20")
    expect(page).to_have_title(f"DTC, One: Step 20 of {entries} – Café <Ânes>")
    page.reload()
    expect(page.locator("#steps")).to_contain_text("Step 20 of")
    page.locator("#forward").click()
    page.go_back()  # entries replace each other in the browser's history
    page.wait_for_url(f"{url}{at}")
    expect(page.locator("#entry-21")).to_be_focused()
    # The table's next game leaves it where it is, and the way to it.
    table.begin_session("dtc", 2, 1_700_000_100.0)
    table.play_acts(1)
    page.goto(f"{url}/table/{table.number}")
    page.locator("#games a").last.click()
    page.wait_for_url(f"{url}{at}")
    page.locator("#live-table").click()
    page.wait_for_url(f"{url}/table/{table.number}")
    # Whoever played finds it too, until the name is deleted.
    ann = people.find_or_add_person(db, of.number, "Ann")
    page.goto(f"{url}/person/{ann}")
    page.locator("#person td a").click()
    page.wait_for_url(f"{url}{at}")
    page.locator("#game .seats .name a", has_text="Ann").click()
    page.wait_for_url(f"{url}/person/{ann}")
    people.forget_person(db, of.number, ann)
    table.play_acts(1)
    page.goto(f"{url}{at}")
    expect(page.locator("#game .seats")).to_contain_text("somebody")
    expect(page.locator("#game .seats .name a")).to_have_count(2)
    assert "Ann" not in page.content()


def test_people_are_found_where_a_reader_looks_for_them(two_rounds, page, db):
    url, of, at = two_rounds
    for name in ("Zoé", "Élodie", "Özlem"):
        people.find_or_add_person(db, of.number, name)
    page.goto(f"{url}/people")
    names = ["<b>Ben</b>", "Ann", "Chloé", "Dora", "Élodie", "Emil", "Fanny", "Özlem", "Zoé"]
    expect(page.locator("#people li")).to_have_text(names)
    # The newest game comes first, whether a laptop has sent it or not, and each says of when it is.
    by_hand = rounds.read_round(db, of.number, int(at.split("/")[-1]), 1).boards[1]
    db.execute("UPDATE boards SET drawn = '2023-11-15' WHERE round = 1")
    table = SimulatedTable(url, of.code, "Two")
    sent = table.begin_session("dtc", 3, 1_600_000_000.0)
    table.connection.send_seats(sent, {"s1": by_hand.places[0].name, "s2": "Zoé", "s3": "Élodie"})
    table.play_acts(1000)
    table.connection.close()
    assert until(lambda: db.execute("SELECT 1 FROM results WHERE session = %s", (sent,)).fetchone())
    page.goto(f"{url}/person/{by_hand.places[0].person}")
    expect(page.locator("#played tbody tr td:first-child")).to_contain_text(
        ["DTC 2023-11-15", "DTC 2020-09-13"]
    )
    expect(page.locator("#stands tbody tr")).to_have_count(1)


def test_reloads_and_the_way_back_keep_the_place_and_the_title(two_rounds, page):
    url, _of, at = two_rounds
    game = f"{url}{at}/round/1/table/1"

    def expect_place(top):
        expect(page.locator("body[data-number]")).to_be_attached()
        page.wait_for_function("top => Math.abs(scrollY - top) < 5", arg=top)
        expect(page).to_have_title(re.compile("^Round 1, table 1: Won by "))

    page.goto(game)
    expect(page.locator("body[data-number]")).to_be_attached()
    page.evaluate("scrollTo(0, 900)")
    page.reload()
    expect_place(900)
    # By its script: a click would scroll to the link first.
    page.get_by_role("link", name="Standings").evaluate("link => link.click()")
    expect(page).to_have_title("Standings – Café <Ânes>")
    page.go_back()
    expect_place(900)
    page.locator("#round-2").click()
    expect(page).to_have_title(re.compile("^Round 2, table 1: "))
    page.go_back()
    expect(page).to_have_title(re.compile("^Round 1, table 1: Won by "))
    page.go_forward()
    expect(page).to_have_title(re.compile("^Round 2, table 1: "))


def test_names_at_a_live_table_lead_to_their_persons(site, page, db):
    url, of = site
    table = joined(url, of, "One", ("Ann", "Ben", "Chloé"))
    table.play_acts(3)
    ben = people.find_or_add_person(db, of.number, "Ben")
    page.goto(f"{url}/table/{table.number}")
    page.locator("#live .name a", has_text="Ben").click()
    page.wait_for_url(f"{url}/person/{ben}")
    people.forget_person(db, of.number, ben)
    table.play_acts(1)
    page.goto(f"{url}/table/{table.number}")
    expect(page.locator("#live .name a")).to_have_text(["Ann", "Chloé"])
    table.connection.close()


def test_the_tournaments_pages_are_read_without_scripts(two_rounds, browser):  # noqa: F811
    url, _of, at = two_rounds
    with contextlib.closing(browser.new_page(java_script_enabled=False)) as bare:
        bare.goto(f"{url}{at}/round/1/table/1")
        assert re.match("Round 1, table 1: Won by", bare.title())
        bare.locator("#from-start").click()
        bare.locator("#forward").click()
        expect(bare).to_have_title(re.compile("^Round 1, table 1: Step 2 of "))
        bare.locator("#round-2").click()
        expect(bare).to_have_url(f"{url}{at}/round/2/table/1")


def test_a_log_that_cannot_be_replayed_leaves_the_rest_of_the_page(two_rounds, db, database):
    _url, of, at = two_rounds
    db.execute("UPDATE entries SET body = '{}' WHERE sequence = 3")
    number = int(at.split("/")[-1])
    table = {"tournament": number, "round_number": 2, "table": 1}
    page = render_tournament_page(db, of.number, Translator("en"), **table)
    assert [*page.pieces] == ["places", "game"]
    assert "can&#39;t be replayed here" in page.pieces["game"]
    assert render_tournament_page(db, of.number, Translator("en"), **table, entry=1) is None
    first, second = db.execute("SELECT session FROM sessions ORDER BY begun").fetchall()
    for (session,), title in ((first, "DTC, One: Won by "), (second, "DTC, One: This game can't be ")):
        page = render_free_game(db, of.number, Translator("en"), session=session)
        assert page.title.startswith(title)
        assert "can&#39;t be replayed here" in page.pieces["game"]
        assert page.pieces["game"].count('href="/person/') == 3


def test_no_page_tells_what_lies_face_down_at_a_table_in_play(site, db, database, tmp_path):
    """Two games that differ in one sealed card only have the same pages while it lies face down."""
    url, of = site

    def render(load):
        number = tournaments.begin_tournament(db, of.number, "donkey_valley").number
        for name in ("Ann", "Ben", "Chloé"):
            rounds.enter_person(db, number, people.find_or_add_person(db, of.number, name))
        line = line_to(url)
        line.join_club(of.code, f"Table {load}")
        seated = rounds.draw_round(db, of.number, table_size=3)
        laptops = dict(db.execute("SELECT key, tbl FROM tables").fetchall())
        db.execute(
            "UPDATE boards SET tbl = %s WHERE board = %s", (laptops[line.public], seated.boards[0].board)
        )
        table = PlayedTable(tmp_path / f"{load}.journal", "donkey_valley", 3, public=7)
        line.announce_session(table.head)
        sealed = (Load("s1", sealed=(load,)), Load("s2", sealed=(4,)), Load("s3", sealed=(6,)))
        for request in (Donkey("giant"), *sealed, *map(NoFavour, ("s1", "s2", "s3"))):
            assert not isinstance(table.session.act(request), Refusal)
        assert table.send(line).answer == "ok"
        address = {"tournament": number, "round_number": 1, "table": 1}
        pages = [
            render_tournament_page(db, of.number, Translator("en"), **address, entry=entry)
            for entry in (None, *range(1, len(table.entries) + 1))
        ]
        pages += [
            render_free_game(db, of.number, Translator("en"), session=table.head.session, entry=entry)
            for entry in (None, *range(1, len(table.entries) + 1))
        ]
        tournaments.end_tournament(db, number)
        table.store.close()
        told = [f"{page.title} {''.join(page.pieces.values())}" for page in pages]
        # Two tournaments seat people differently.
        where = (
            rf"Table {load}|/tournament/{number}/|/person/[-0-9a-f]{{36}}|Ann|Ben|Chloé"
            r"|/game/[-0-9a-f]{36}|/table/\d+|\d{4}-\d\d-\d\d \d\d:\d\d"
        )
        return [re.sub(where, "", words) for words in told]

    first, second = render(2), render(9)
    assert len(first) == 16
    assert first == second


def test_a_page_asked_for_while_the_database_is_away_says_so_and_fills_itself(site, page, db, postgres):
    url, _ = site
    with psycopg.connect(postgres.url, autocommit=True) as above:
        allow = f"ALTER DATABASE {db.info.dbname} ALLOW_CONNECTIONS "
        above.execute(allow + "false")
        try:
            assert page.goto(url).status == 503
            expect(page.locator("main")).to_contain_text("can't be reached right now")
        finally:
            above.execute(allow + "true")
    expect(page.locator("main")).to_contain_text("No table has joined")


def test_the_organiser_draws_a_round_and_enters_a_result_and_nobody_else_does(site, page, db):
    url, of = site
    number = tournaments.begin_tournament(db, of.number, "dtc").number
    for name in ("Ann", "Ben", "Chloé", "Dora"):
        rounds.enter_person(db, number, people.find_or_add_person(db, of.number, name))
    bare = page.context.browser.new_page(java_script_enabled=False)
    bare.goto(f"{url}/organise")
    expect(bare.locator("form[data-do=draw] button")).to_be_disabled()  # nothing is sent past the script
    page.goto(f"{url}/organise")
    page.locator("form[data-do=draw] button").click()
    expect(page.locator("#trouble")).to_contain_text("Only the organiser can do this")
    expect(page.get_by_role("link", name="Organise")).to_have_count(0)
    page.goto("about:blank")
    page.goto(f"{url}/organise#{KEY}")
    page.get_by_role("link", name="Standings").click()
    page.get_by_role("link", name="Organise").click()
    page.wait_for_url("**/organise")
    page.wait_for_load_state()
    assert KEY not in page.url
    page.locator("form[data-do=arrive] textarea").first.fill("Emil")
    wish = json.dumps({"do": "arrive", "names": "Finn"})  # by somebody else, in the meantime
    headers = {"authorization": f"Bearer {KEY}", "origin": url}  # the guard refuses a post without its origin
    assert page.request.post(f"{url}/organise", headers=headers, data=wish).ok
    expect(page.locator("#there h2")).to_have_text("5 people taking part")
    expect(page.locator("form[data-do=arrive] textarea").first).to_have_value("Emil")
    expect(page.locator("form[data-do=arrive] textarea").first).to_be_focused()
    page.locator("form[data-do=arrive] button").first.click()
    expect(page.locator("#there h2")).to_have_text("6 people taking part")
    expect(page.locator("form[data-do=arrive] textarea").first).to_have_value("")
    page.locator("form[data-do=arrive] textarea").first.fill("ann")
    page.locator("form[data-do=arrive] button").first.click()
    expect(page.locator("#trouble")).to_contain_text("Ann is already taking part")
    page.locator("form[data-do=draw] select[name=seats]").select_option("6")
    page.locator("form[data-do=draw] button").click()
    points = page.locator("form[data-do=result] input[inputmode=decimal]")
    expect(points).to_have_count(6)
    page.context.new_page().goto(f"{url}/round")
    watched = page.context.pages[-1]
    expect(watched.locator(".where li")).to_have_count(6)
    expect(watched.locator(".where li").first).to_contain_text("table 1, seat")
    # A player sends the result from a phone; the organiser has only to enter it.
    watched.get_by_text("Send the result").click()
    for place in range(6):
        watched.locator("form[data-do=report] input[inputmode=decimal]").nth(place).fill(str(place))
    before = watched.locator("body").get_attribute("data-number")
    watched.locator("form[data-do=report] button").click()
    # the page that changes by it must not take the answer away
    expect(watched.locator("body")).not_to_have_attribute("data-number", before)
    expect(watched.locator("#trouble")).to_contain_text("counts once the organiser has entered it")
    expect(points.nth(5)).to_have_value("5")
    page.locator("form[data-do=timer] input[name=minutes]").first.fill("50")
    page.locator("form[data-do=timer] button").first.click()
    expect(watched.locator("#timer")).to_contain_text(re.compile("(50:00|49:5.)$"))
    page.locator("form[data-do=result] button").click()
    expect(watched.locator(".board.over")).to_have_count(1)
    # A finger slipped: that is put right, or taken back.
    page.get_by_text("correct the result").click()
    expect(points.nth(5)).to_have_value("5")
    points.nth(0).fill("9")
    page.locator("form[data-do=result] button").click()
    expect(watched.locator(".board li").first).to_contain_text("6.")
    # The organiser's page may be told after the watched one: the form closes when it is.
    expect(page.locator("form[data-do=unresult] button")).to_be_hidden()
    page.get_by_text("correct the result").click()
    page.locator("form[data-do=unresult] button").click()
    expect(watched.locator(".board.over")).to_have_count(0)
    expect(points.nth(0)).to_have_value("")
    for place in range(6):
        points.nth(place).fill(str(place))
    page.locator("form[data-do=result] button").click()
    watched.goto(f"{url}/standings")
    expect(watched.locator("tr.p1 th").first).to_be_visible()
    expect(watched.locator("tbody tr")).to_have_count(12)  # of the tournament, and of all games


@pytest.mark.slow
def test_axe_finds_nothing_against_the_pages(two_rounds, page, db):
    url, of, at = two_rounds
    person = people.find_or_add_person(db, of.number, "Ann")
    table = f"{at}/round/1/table/1"
    paths = ("/", "/tv", "/round", "/standings", "/people", "/organise", f"/person/{person}", "/table/1")
    (free,) = db.execute("SELECT session FROM sessions ORDER BY begun").fetchone()
    more = (*paths, f"{at}/round/1", table, f"{table}/entry/20", f"/game/{free}")
    dark = ("/tv", "/organise", table, f"{table}/entry/20")  # every part of a page that has colours
    for theme, looked_at in (("light", more), ("dark", dark)):
        for path in looked_at:
            page.goto(f"{url}{path}?theme={theme}{f'#{KEY}' if path == '/organise' else ''}")
            expect(page.locator("body[data-number]")).to_be_attached()
            assert list_axe_faults(page) == [], (path, theme)
    page.goto("about:blank")


class CountedHand:
    """An organiser's hand: counts clicks, and keys pressed (a paste is one)."""

    def __init__(self, page):
        self.page, self.clicks, self.keys = page, 0, 0

    def click(self, place):
        place.click()
        self.clicks += 1

    def choose(self, place, value):
        """Open a list and choose from it."""
        place.select_option(value)
        self.clicks += 2

    def paste(self, words):
        self.page.keyboard.insert_text(words)
        self.keys += 1

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)
        self.keys += len(keys)


@pytest.mark.slow
def test_an_evening_for_forty_people_takes_few_clicks(site, page):
    """Three rounds at ten tables without laptops: the organiser types the results of the first, and
    players send those of the others. `-rP` shows the count, with minutes by the keystroke-level
    model (Card, Moran, Newell, CACM 23, 1980: 1.2 s a click, 0.28 s a key, 1.35 s before each
    form)."""
    url, _ = site
    page.on("dialog", lambda dialog: dialog.accept())
    hand, counts, forms = CountedHand(page), {}, 0

    def count(what):
        nonlocal hand, forms
        forms += 1
        counts[what] = (hand.clicks, hand.keys)
        hand = CountedHand(page)

    def form(do):
        return page.locator(f"form[data-do={do}]")

    page.goto(f"{url}/organise#{KEY}")
    hand.choose(form("begin").locator("select[name=game]"), "dtc")
    hand.click(form("begin").locator("input[name=rounds]"))
    hand.press("Control+a", "3")
    hand.click(form("begin").locator("button"))
    count("begin a tournament")
    hand.click(form("arrive").locator("textarea"))
    hand.paste("\n".join(f"Person {number}" for number in range(40)))
    hand.click(form("arrive").locator("button"))
    expect(page.locator("#there h2")).to_have_text("40 people taking part")
    count("enter 40 people")
    for number in (1, 2, 3):
        hand.choose(form("draw").first.locator("select[name=seats]"), "4")
        hand.click(form("draw").first.locator("button"))
        expect(form("result")).to_have_count(10)
        expect(page.locator("#draw p").first).to_contain_text(f"{number} of 3")
        count(f"draw round {number}")
        if number == 1:
            enter_results(page, hand)
        else:
            report_results(page, url)
            hand.click(form("accept").locator("button"))
        expect(page.locator("details:not([open]) form[data-do=result]")).to_have_count(10)
        expect(form("accept")).to_have_count(0)
        count(f"results of round {number}")
    hand.click(form("end").locator("button"))
    hand.press("Enter")  # what the browser asks; answered above
    expect(form("draw")).to_have_count(0)
    count("end the tournament")
    clicks, keys = map(sum, zip(*counts.values(), strict=True))
    for what, (clicked, pressed) in counts.items():
        print(f"{what}: {clicked} clicks, {pressed} keys")
    seconds = 1.2 * clicks + 0.28 * keys + 1.35 * forms
    print(f"in all: {clicks} clicks, {keys} keys, {seconds / 60:.1f} minutes")
    assert counts["enter 40 people"] == (2, 1)
    assert max(counts[f"draw round {number}"] for number in (1, 2, 3)) <= (3, 0)
    assert counts["results of round 1"][0] <= 10, "a click for each table"
    assert counts["results of round 2"] == counts["results of round 3"] == (1, 0)
    page.goto(f"{url}/standings")
    expect(page.locator("tbody tr")).to_have_count(40)


def enter_results(page, hand):
    """Type the points of each table, by keys from its first field on."""
    for table in range(10):
        hand.click(page.locator("details[open] form[data-do=result] input[name=s1]").first)
        for seat in range(4):
            hand.press(*str(10 * seat + table), *(["Tab"] if seat < 3 else ["Enter"]))
        expect(page.locator("details[open] form[data-do=result]")).to_have_count(9 - table)


def report_results(page, url):
    """Send each table's result from a player's phone: the first by its page, the others as it
    does."""
    boards = page.locator("form[data-do=result] input[name=board]").evaluate_all(
        "all => all.map(one => one.value)"
    )
    phone = page.context.new_page()
    phone.goto(f"{url}/round")
    phone.get_by_text("Send the result").first.click()
    for seat in range(4):
        phone.locator("form[data-do=report]").first.locator("input[inputmode=decimal]").nth(seat).fill(
            str(seat)
        )
    phone.locator("form[data-do=report] button").first.click()
    expect(phone.locator("#trouble")).to_contain_text("counts once the organiser has entered it")
    sent = phone.locator("form[data-do=report] input[name=board]").first.input_value()
    phone.close()
    for board in boards:
        if board != sent:
            wish = {"do": "report", "board": board} | {f"s{seat}": str(seat) for seat in (1, 2, 3, 4)}
            assert page.request.post(f"{url}/organise", headers={"origin": url}, data=json.dumps(wish)).ok
    expect(page.locator("summary strong")).to_have_count(10)


@pytest.mark.slow
def test_the_pages_speak_french_and_what_is_not_there_is_not(database):
    of = club.open_club(database, "Café")
    pages = Site(database, of, Translator("fr"), KEY)
    server = LeagueServer(database, of, pages.routes)
    pages.next_news_event = server.next_news_event
    try:
        with served(server.app) as url:
            told = urllib.request.urlopen(f"{url}/round").read().decode()
            assert "Aucune ronde n’a encore été tirée." in told
            nobody, nowhere = "/person/00000000-0000-0000-0000-000000000000", "/tournament/1/round/1/table/1"
            strange = (f"{nowhere}/entry/x", "/table/%C2%B2", "/live?page=/nothing")
            for path in ("/table/9", nobody, nowhere, *strange):
                with pytest.raises(urllib.error.HTTPError) as fault:
                    urllib.request.urlopen(url + path)
                assert fault.value.code == 404
                with fault.value:
                    assert path in strange or "Cette page n’existe pas" in fault.value.read().decode()
    finally:
        server.close()
        pages.close()
