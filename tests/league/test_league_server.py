"""What tables send to a real server on a real database: taken once, in order, by nobody but the
table whose session it is; whatever lies is refused in a sentence, and nothing is lost or mixed."""

from __future__ import annotations

import contextlib
import http.client
import json
import threading
from urllib.parse import urlsplit
from uuid import UUID

import msgspec
import psycopg
import pytest

from companion.league import chain, club
from companion.league.chain import ChainedEntry
from companion.league.protocol import Acknowledgement, RefusedByServer, SendEntries, ServerUnreachable
from companion.rules.contract import Problem
from companion.texts import Translator
from companion.web.limits import WRONG_CODES
from tests.league.tables import PlayedTable, joined, league_server, line_to, until

MOST_WRONG = WRONG_CODES[0][0]


def said(call, *arguments):
    """The code of the sentence with which something is refused; the sentence has words."""
    with pytest.raises(RefusedByServer) as fault:
        call(*arguments)
    assert Translator("en").translate(fault.value.text) != fault.value.text.code
    return fault.value.text.code


def kept(db):
    rows = db.execute("SELECT sequence, kind, at, format, body FROM entries ORDER BY feed").fetchall()
    return [tuple(row) for row in rows]


@pytest.fixture
def table(tmp_path):
    table = PlayedTable(tmp_path / "journal.sqlite3").play(20)
    yield table
    table.store.close()


def test_each_entry_once_and_as_the_journal_has_it(database, db, table):
    with league_server(database) as (server, url):
        line = joined(server, url)
        assert table.send(line).answer == "unknown"
        assert [line.announce_session(table.head).answer for _ in range(2)] == ["ok", "had"]
        answers = [table.send(line, *part) for part in ((0, 7), (3, 7), (9, 12), (3, 12), (12, 20), (0, 20))]
        assert [one.answer for one in answers] == ["ok", "had", "gap", "ok", "ok", "had"]
        assert [one.next for one in answers] == [7, 7, 7, 12, 20, 20]
        mine = [(at, one.kind, one.at, one.format, one.acts) for at, one in enumerate(table.entries)]
        assert kept(db) == mine
        assert db.execute("SELECT next, head FROM sessions").fetchone() == (20, table.digests(line)[-1])


def test_what_lies_is_refused_and_changes_nothing(database, db, table):
    with league_server(database) as (server, url):
        line, other = joined(server, url), joined(server, url, "Two")
        line.announce_session(table.head)
        table.send(line, 0, 10)
        before, session, told = kept(db), table.head.session, table.digests(line)
        # of whose session it is, and of how it began
        assert other.announce_session(table.head).answer == table.send(other, 10).answer == "not_yours"
        assert (
            said(line.announce_session, msgspec.structs.replace(table.head, session=UUID(int=5)))
            == "league.bad_session"
        )
        deep = b'{"game":"dtc","players":["s1"],"options":{"a":' + b"[" * 60_000
        assert (
            said(line.announce_session, chain.ChainedSession.from_head(1.7e9, "dtc", deep))
            == "league.newer_entry"
        )
        named = msgspec.structs.replace(
            table.head, setup=table.head.setup.replace(b'"s1"', b'"Ann"'), session=session
        )
        assert said(line.announce_session, named) == "league.bad_session"
        # of the digest before, of the digests themselves, of the sequence
        assert (
            line.send_entries(session, 10, [bytes(32), *_after(bytes(32), table)], table.entries[10:]).answer
            == "not_chained"
        )
        assert (
            said(line.send_entries, session, 10, [*told[10:-1], bytes(32)], table.entries[10:])
            == "league.bad_signature"
        )
        assert said(line.send_entries, session, 11, told[10:], table.entries[10:]) == "league.bad_signature"
        # of the signature: somebody else's
        forged = SendEntries(line.public, session, 10, told[10], table.entries[10:], bytes(64))
        assert said(line.send_message, "/entries", forged, Acknowledgement) == "league.bad_signature"
        # an entry of a future version, one of a kind that is none, one that is too large
        newer = [ChainedEntry(1, "act", 0, 99, b"{}")]
        assert (
            said(
                line.send_entries, session, 10, [told[10], *chain.compute_digests(told[10], 10, newer)], newer
            )
            == "league.newer_entry"
        )
        for lie in ({"kind": "cheat"}, {"acts": b"x" * 70_000}, {"at": -1}):
            bad = [msgspec.structs.replace(table.entries[10], **lie)]
            wish = SendEntries(line.public, session, 10, told[10], bad, bytes(64))
            assert said(line.send_message, "/entries", wish, Acknowledgement) == "league.not_understood"
        huge = SendEntries(
            line.public, session, 10, told[10], [ChainedEntry(1, "act", 0, 2, b"x" * 5_000_000)], bytes(64)
        )
        with contextlib.suppress(ServerUnreachable):  # it may be hung up on while it is sending
            assert said(line.send_message, "/entries", huge, Acknowledgement) == "league.too_large"
        assert kept(db) == before
        assert table.send(line, 10).answer == "ok"


def _after(before, table):
    return chain.compute_digests(before, 10, table.entries[10:])


def test_a_fork_is_kept_as_evidence_and_freezes_the_session(database, db, table):
    with league_server(database) as (server, url):
        line = joined(server, url)
        line.announce_session(table.head)
        table.send(line, 0, 10)
        told = table.digests(line)
        other = [msgspec.structs.replace(one, written=one.written + 1) for one in table.entries[8:12]]
        forked = [told[8], *chain.compute_digests(told[8], 8, other)]
        for _ in range(2):
            answer = line.send_entries(table.head.session, 8, forked, other)
            assert (answer.answer, answer.next) == ("fork", 8)
        assert table.send(line, 10).answer == "fork", "frozen for both"
        assert len(kept(db)) == 10
        assert db.execute("SELECT sequence, digest FROM forks").fetchall() == [(8, forked[1])]
        assert db.execute("SELECT state FROM sessions").fetchone() == ("forked",)
        # it goes on as another session of the same table, and of no other
        fork = chain.Fork(table.head.session, 8, forked[1])
        on = msgspec.structs.replace(table.head, session=fork.new_session_id, fork=fork)
        assert fork.new_session_id.version == 7
        assert (
            said(line.announce_session, msgspec.structs.replace(on, session=UUID(int=7)))
            == "league.bad_session"
        )
        assert joined(server, url, "Two").announce_session(on).answer == "not_yours"
        assert [line.announce_session(on).answer for _ in range(2)] == ["ok", "had"]
        whole = chain.Fork(on.session, 3, forked[1])
        again = msgspec.structs.replace(on, session=whole.new_session_id, fork=whole)
        assert line.announce_session(again).answer == "conflict", "its parent has one course"


def test_codes_are_guessed_in_vain(database):
    with league_server(database) as (server, url):
        stranger = line_to(url)
        wrong = [said(stranger.join_club, "GUESS2", "Mine") for _ in range(MOST_WRONG + 1)]
        assert wrong == ["league.wrong_code"] * MOST_WRONG + ["league.too_many_codes"]
        assert said(stranger.join_club, server.club.code, "Mine") == "league.too_many_codes"
        server.attempts._wrong.clear()
        assert said(stranger.join_club, server.club.code, "\u202eeniM") == "league.bad_name"
        assert stranger.join_club(server.club.code.lower(), "Mine").name == club.USUAL_NAME
        stranger.leave_club()
        assert said(stranger.announce_session, PlayedTableHead) == "league.not_joined"


def test_who_leaves_by_one_server_is_refused_by_the_other(database, table):
    with league_server(database) as (server, url), league_server(database) as (_other, there):
        key = chain.generate_key()
        line, far = joined(server, url, key=key), line_to(there, key, server.club.uid)
        assert far.announce_session(table.head).answer == "ok"
        line.leave_club()

        def refused():
            try:
                far.announce_session(table.head)
            except RefusedByServer as fault:
                return fault.text.code == "league.not_joined"

        assert until(refused)


PlayedTableHead = chain.ChainedSession.from_head(1.0, "dtc", b"{}")


def test_two_clubs_on_one_database_mix_nothing(database, db, table):
    with league_server(database, "Here") as (here, url), league_server(database, "There") as (there, far):
        with pytest.raises(Problem) as fault:
            club.open_club(database)
        assert fault.value.text.args == {"clubs": "Here, There"}
        key = chain.generate_key()
        mine, theirs = joined(here, url, key=key), line_to(far, key, here.club.uid)
        assert said(theirs.announce_session, table.head) == "league.not_joined"
        theirs.join_club(there.club.code, "One")
        mine.announce_session(table.head)
        table.send(mine)
        # what was signed for one club is no signature in the other, nor is the session there
        replayed = line_to(far, key, here.club.uid)
        assert said(replayed.announce_session, table.head) == "league.bad_signature"
        assert theirs.announce_session(table.head).answer == table.send(theirs).answer == "not_yours"
        assert there.feed.list_since(0) == ()
        assert db.execute("SELECT name, last FROM clubs JOIN feed USING (club) ORDER BY name").fetchall() == [
            ("Here", 20),
            ("There", 0),
        ]


def follow(url, after, count):
    """Read so many lines of the feed."""
    parts = urlsplit(url)
    line = http.client.HTTPConnection(parts.hostname, parts.port, timeout=20)
    line.request("GET", f"/feed?after={after}")
    reply, found = line.getresponse(), []
    while len(found) < count:
        told = reply.readline()
        if told.startswith(b"data: "):
            found.append(json.loads(told[6:]))
    line.sock.close() if line.sock else None
    reply.close()
    return found


def test_two_servers_take_and_show_the_same(database, db, tmp_path):
    tables = [PlayedTable(tmp_path / f"{number}.sqlite3", seed=number).play(30) for number in range(4)]
    with league_server(database) as (one, here), league_server(database) as (two, there):
        assert one.club == two.club
        lines = []
        for number, table in enumerate(tables):
            lines.append(joined(one, (here, there)[number % 2], str(number)))
            lines[-1].announce_session(table.head)
        heard = [[], []]
        readers = [
            threading.Thread(target=lambda at=at, url=url: heard[at].extend(follow(url, 0, 120)))
            for at, url in enumerate((here, there))
        ]
        senders = [
            threading.Thread(
                target=lambda table=table, line=line: [table.send(line, n, n + 1) for n in range(30)]
            )
            for table, line in zip(tables, lines, strict=True)
        ]
        for thread in (*readers, *senders):
            thread.start()
        for thread in (*readers, *senders):
            thread.join(60)
        assert heard[0] == heard[1]
        assert [one["feed"] for one in heard[0]] == [*range(1, 121)]
        assert [one["feed"] for one in follow(there, 100, 20)] == [*range(101, 121)]
        for table in tables:
            mine = [one["entry"] for one in heard[0] if one["session"] == str(table.head.session)]
            assert mine == [json.loads(one.acts) for one in table.entries]
    for table in tables:
        table.store.close()


def test_a_database_that_is_away_is_waited_for(database, postgres, db, table):
    with league_server(database) as (server, url):
        line = joined(server, url)
        line.announce_session(table.head)
        table.send(line, 0, 5)
        name = db.info.dbname
        with psycopg.connect(postgres.url, autocommit=True) as above:
            away = f"ALTER DATABASE {name} ALLOW_CONNECTIONS "
            above.execute(away + "false")
            above.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,)
            )
            with pytest.raises(ServerUnreachable):
                table.send(line, 5, 9)
            above.execute(away + "true")
        assert table.send(line, 5).answer == "ok"
        assert [one["sequence"] for one in follow(url, 0, 20)] == [*range(20)]
