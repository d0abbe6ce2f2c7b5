"""A table's side: what is kept is sent, whatever becomes of the network, the server and the
journal; the table never waits; and in a league no entry holds a name."""

from __future__ import annotations

import contextlib
import random
import shutil
import socket
import sqlite3
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from companion.evening.session_opening import open_table_session
from companion.journal.journal import Journal
from companion.journal.store import Store
from companion.league import outbox
from companion.league.membership import Membership, save_membership
from companion.league.outbox import LeagueStatus, Outbox, describe_status
from companion.league.site import render_organiser_page
from companion.plan import Plan
from companion.rules import registry
from companion.rules.contract import Text
from companion.rules.people import SeatChange
from companion.texts import Translator
from companion.views.dashboard.screens.table_screen import TopBar
from tests.league.tables import PlayedTable, joined, league_server, line_to, until


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    monkeypatch.setattr(outbox, "POLL_INTERVAL", 0.02)
    monkeypatch.setattr(outbox, "FIRST_PAUSE", 0.02)
    monkeypatch.setattr(outbox, "LONGEST_PAUSE", 0.05)


def member_of(server, url):
    line = joined(server, url)
    key = line._key.private_bytes_raw().hex()
    return Membership(url, server.club.uid.hex, server.club.name, "One", key, 0.0)


@contextlib.contextmanager
def sending(member, file):
    shown = []
    box = Outbox(member, lambda: file, shown.append)
    box.start()
    try:
        yield box, shown
    finally:
        box.close()


def held(db):
    return db.execute("SELECT sequence, body FROM entries ORDER BY session, sequence").fetchall()


def mine(*tables):
    told = sorted(
        (str(one.head.session), at, entry.acts) for one in tables for at, entry in enumerate(one.entries)
    )
    return [(at, acts) for _session, at, acts in told]


THERE = LeagueStatus(connected=True)


def test_it_goes_on_through_breaks_and_forgets_nothing(database, db, tmp_path):
    file = tmp_path / "journal.sqlite3"
    table = PlayedTable(file, "partners", 4).play(20)
    with league_server(database) as (server, url):
        port = int(url.rpartition(":")[2])
        member = member_of(server, url)
        with sending(member, file) as (box, _):
            assert until(lambda: held(db) == mine(table) and box.status == THERE)
    with sending(member, file) as (box, _):
        table.play(17)
        assert until(lambda: box.status == LeagueStatus(connected=False, waiting=17)), "the server is gone"
        table.play(4)
        assert until(lambda: box.status.waiting == 21)
        with league_server(database, port=port):
            assert until(lambda: box.status == THERE)
            assert held(db) == mine(table)
            # what it had acknowledged the server has lost: its database was put back
            db.execute("DELETE FROM entries WHERE sequence >= 10")
            head = table.digests(line_to(url, box._connection._key, server.club.uid))[10]
            db.execute("UPDATE sessions SET next = 10, head = %s", (head,))
            table.play(3)
            assert until(lambda: held(db) == mine(table))
            assert until(lambda: box.status == THERE)
    table.store.close()


def test_a_server_that_says_nothing_keeps_nobody_waiting(tmp_path, monkeypatch):
    monkeypatch.setattr(outbox, "CLOSE_TIMEOUT", 0.05)
    file = tmp_path / "journal.sqlite3"
    table = PlayedTable(file)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        member = Membership(url, "0" * 32, "Club", "One", "1" * 64, 0.0)
        with sending(member, file) as (box, shown):
            assert until(lambda: box._sessions)
            began = time.process_time()
            table.play(30)
            assert time.process_time() - began < outbox.TIMEOUT / 2
            assert not shown or not shown[-1].connected
        silent.close()
        with sending(member, file) as (box, shown):
            assert until(lambda: shown)
            assert shown[0] == LeagueStatus(connected=False, waiting=len(table.entries))
    table.store.close()


def test_a_server_that_goes_is_missed_though_nothing_waits_for_it(database, db, tmp_path, monkeypatch):
    monkeypatch.setattr(outbox, "QUIET", 0.05)
    file = tmp_path / "journal.sqlite3"
    table = PlayedTable(file).play(5)
    with league_server(database) as (server, url):
        box = Outbox(member_of(server, url), lambda: file, lambda _lamp: None)
        box.start()
        assert until(lambda: box.status == THERE)
    assert until(lambda: box.status == LeagueStatus(connected=False))
    with league_server(database, port=int(url.rpartition(":")[2])):
        assert until(lambda: box.status == THERE)
        box.close()
    table.store.close()


def test_the_lamp_says_how_it_is():
    translator = Translator("en")
    behind = LeagueStatus(connected=False, waiting=37)
    lost = LeagueStatus(connected=True, trouble=Text("league.fork"))

    def drawn(lamp):
        followers = () if lamp is None else (describe_status(lamp),)
        shown = SimpleNamespace(snapshot=SimpleNamespace(followers=followers), translator=translator)
        return [[str(one) for one in TopBar()._draw_followers(shown, width)] for width in (80, 120)]

    assert drawn(None) == [[], []]
    assert drawn(THERE) == [[], ["league ●"]], "at 80 columns only bad news needs the room"
    assert drawn(LeagueStatus(connected=False)) == [["league ○"]] * 2
    assert drawn(behind) == [["league: 37 waiting"]] * 2
    assert drawn(lost) == [["league ✖"]] * 2
    assert [describe_status(lamp).text.code for lamp in (THERE, behind, lost)] == [
        "league.there",
        "league.away",
        "league.fork",
    ]


def test_a_journal_that_was_put_back_goes_on_as_a_game_of_its_own(database, db, tmp_path):
    file, copy = tmp_path / "journal.sqlite3", tmp_path / "copy.sqlite3"
    table = PlayedTable(file).play(10)
    shutil.copy(file, copy)
    with league_server(database) as (server, url):
        member = member_of(server, url)
        table.play(5)
        with sending(member, file) as (box, _):
            assert until(lambda: len(held(db)) == 15)
        table.store.close()
        with sending(member, copy) as (box, _):
            assert until(lambda: box.status.trouble is not None)
            assert box.status.trouble.code == "league.behind", "the server has more: nothing is added"
        with Store.open(copy) as other:
            kept = other.resume_session(1)
            kept.restore_session(other.append)
            again = PlayedTable.__new__(PlayedTable)
            again.store, again.session, again.game = other, kept.restore_session(other.append), table.game
            again.chance, again.public, again.players, again.name = table.chance, None, 3, "dtc"
            with sending(member, copy) as (box, _):
                assert until(lambda: box.status.trouble is not None)
                assert box.status.trouble.code == "league.behind"
                again.play(2)
                assert until(lambda: box.status == LeagueStatus(True, 0, Text("league.fork", {"entry": 11})))
                begun = "SELECT state, next, parent, forked_at FROM sessions ORDER BY parent NULLS FIRST"
                parent = again.head.session
                both = [("forked", 15, None, None), ("open", 12, parent, 10)]
                assert db.execute(begun).fetchall() == both
            again.play(8)
            assert len(again.entries) == 20, "more than the other course has"
            with sending(member, copy) as (box, _):  # another program finds the same
                assert until(lambda: box.status == LeagueStatus(True, 0, Text("league.fork", {"entry": 11})))
                assert db.execute(begun).fetchall() == [both[0], ("open", 20, parent, 10)]
                branch = "SELECT body FROM entries JOIN sessions USING (session) WHERE parent = %s ORDER BY sequence"
                sent = [body for (body,) in db.execute(branch, (parent,))]
                assert sent == [one.acts for one in again.entries]
                assert db.execute("SELECT session, sequence FROM forks").fetchall() == [(parent, 10)]
                again.begin()
                again.play(6)
                assert until(lambda: len(held(db)) == 41), "the next game is sent"
            page = render_organiser_page(db, server.club.number, Translator("en")).pieces["forks"]
            assert "One, DTC: a different version arrived from entry 11 on" in page
        # the same journal on a second laptop that has joined, too
        with sending(member_of(server, url), file) as (box, _):
            assert until(lambda: box.status.trouble is not None)
            assert box.status.trouble.code == "league.another_tables"


OLDEST = Path(__file__).parents[1] / "journal" / "version_1.sqlite3"
"""What the first program wrote: rows without an id or a chain, entries of format 1."""


def test_old_evenings_and_those_with_names_stay_at_the_table(database, db, tmp_path):
    file = Path(shutil.copy(OLDEST, tmp_path))
    with Store.open(file) as oldest:
        assert oldest.resume_session(1).setup.players == ("Ann", "Bob", "Cy")
    table = PlayedTable.__new__(PlayedTable)
    table.store = Store.open(file)
    table.chance, table.game, table.name = random.Random(1), registry.load_game("dtc"), "dtc"
    table.public, table.players = None, 3
    table.begin()
    table.play(5)
    with league_server(database) as (server, url):
        member = replace(member_of(server, url), since=time.time())
        table.begin()
        table.play(7)
        with sending(member, file):
            assert until(lambda: len(held(db)) == 7)
        assert held(db) == mine(table)
        with sending(replace(member, since=0.0), file) as (box, _):
            assert until(lambda: len(held(db)) == 12)
            assert until(lambda: box.status == THERE)
        assert db.execute("SELECT DISTINCT game FROM sessions").fetchall() == [("dtc",)]
    table.store.close()


def test_what_an_older_program_wrote_is_taken_as_it_stands(database, db, tmp_path):
    file = Path(shutil.copy(OLDEST, tmp_path))
    with contextlib.closing(sqlite3.connect(file)) as journal, journal:
        for name, seat in (("Ann", "s1"), ("Bob", "s2"), ("Cy", "s3")):
            for where in (
                "sessions SET setup = CAST(replace(setup, ?, ?) AS BLOB)",
                "entries SET acts = CAST(replace(acts, ?, ?) AS BLOB)",
            ):
                journal.execute(f"UPDATE {where}", (f'"{name}"', f'"{seat}"'))
        rows = journal.execute("SELECT sequence, acts FROM entries ORDER BY sequence").fetchall()
    with league_server(database) as (server, url), sending(member_of(server, url), file) as (box, _):
        assert until(lambda: held(db) == rows and box.status == THERE)
        shown = "SELECT state, upto FROM sessions JOIN table_now USING (session)"
        assert until(lambda: db.execute(shown).fetchall() == [("open", len(rows))])
        assert db.execute("SELECT DISTINCT format FROM entries").fetchall() == [(1,)]


NAMES = ("Ann", "Bob", "Chloé")


def test_an_evening_in_a_league_calls_people_by_their_names_and_writes_none(database, db, tmp_path):
    file = tmp_path / "journal.sqlite3"
    plan = Plan("dtc", NAMES, journal=file)
    with league_server(database) as (server, url):
        member = member_of(server, url)
        save_membership(member)
        with contextlib.closing(open_table_session(plan, Journal.open(file), None, 0.0)) as evening:
            live = evening.live
            assert live.setup.players == ("s1", "s2", "s3")
            assert tuple(live.snapshot().people.real_names.values()) == NAMES
            assert live.change_seats(SeatChange("rename", "s1", "Anna")) is None
            assert live.change_seats(SeatChange("stand_in", "s2", "Eve")) is None
            assert live.change_seats(SeatChange("exchange", "s1", "s2")) is None
            assert live.change_seats(SeatChange("join", "", "Gus")) is None
            assert live.change_seats(SeatChange("join", "", "Eve")).code == "bad_players", (
                "that name is taken"
            )
            said = live.snapshot().people
            assert dict(said.display_names) == {"s1": "Bob", "s2": "Eve (Anna)", "s3": "Chloé"}
            assert said.next_players == ("Bob", "Anna", "Chloé", "Gus")
            assert until(lambda: len(held(db)) == 2)

            def lamp():
                live.tick(1.0)
                return live.snapshot().followers

            assert until(lambda: lamp() == (describe_status(THERE),))
        sent = (
            b"".join(body for _sequence, body in held(db))
            + db.execute("SELECT setup FROM sessions").fetchone()[0]
        )
        assert not [name for name in (*NAMES, "Anna", "Eve", "Gus") if name.encode() in sent]
        names = "SELECT seat, name FROM seats JOIN people USING (person) ORDER BY seat"
        assert dict(db.execute(names).fetchall()) == {
            "s1": "Bob", "s2": "Anna", "s3": "Chloé", "g1": "Eve", "g2": "Gus",
        }  # fmt: skip
    with Store.open_read_only(file) as store:
        kept = store.read_session(1)
        assert kept.people.display_names == said.display_names
        assert kept.people.next_players == said.next_players
    # gone on with, after the table has joined another league
    save_membership(replace(member, since=time.time()))
    journal = Journal.open(file)
    with contextlib.closing(open_table_session(plan, journal, journal.read_session(1), 0.0)) as evening:
        assert [one.code for one in evening.messages] == ["league.begun_before"]
        assert evening.live.snapshot().followers == ()
    # gone on with, by settings that somebody has spoilt
    save_membership(replace(member, key="none"))
    journal = Journal.open(file)
    with contextlib.closing(open_table_session(plan, journal, journal.read_session(1), 0.0)) as evening:
        assert evening.live.snapshot().people.display_names == said.display_names
        assert evening.live.snapshot().followers == ()
        assert [one.code for one in evening.messages] == ["league.bad_membership"]


def test_a_clock_that_was_put_back_after_joining_keeps_no_evening_from_the_league(database, db, tmp_path):
    file = tmp_path / "journal.sqlite3"
    plan = Plan("dtc", NAMES, journal=file)
    with league_server(database) as (server, url):
        joined = replace(member_of(server, url), since=time.time() + 3600)
        save_membership(joined)
        with contextlib.closing(open_table_session(plan, Journal.open(file), None, 0.0)):
            assert until(lambda: db.execute("SELECT count(*) FROM sessions").fetchone()[0] == 1)
        journal = Journal.open(file)
        with contextlib.closing(open_table_session(plan, journal, journal.read_session(1), 0.0)) as evening:
            assert not evening.messages
