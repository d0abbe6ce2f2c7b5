"""`companion league`, as people type it: a real server as a program, a table that joins it, looks,
and leaves."""

from __future__ import annotations

import contextlib
import datetime
import http.client
import itertools
import json
import re
import select
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from fractions import Fraction

import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from companion.__main__ import main
from companion.league import chain, people, rounds, tournaments
from companion.league.club import open_club
from companion.league.membership import load_membership
from companion.league.protocol import RefusedByServer, ServerUnreachable, TableConnection
from companion.league.server import LeagueServer
from companion.web import connections
from companion.web.certificates import make_identity
from companion.web.limits import WRONG_CODES
from companion.web.request_checks import SiteRules
from tests.league.tables import joined, served, until
from tests.simulated.reverse_proxy import proxied


@pytest.fixture
def typed(capsys):
    def type_in(*words):
        """Run a command; return its exit status, and what it says."""
        status = main(["league", *words, "--lang", "en"])
        said = capsys.readouterr()
        return status, (said.out + said.err).strip().removeprefix("companion league: ")

    return type_in


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return str(found.getsockname()[1])


@contextlib.contextmanager
def serving(*words):
    """A league's server as a program, ended with its test."""
    program = [sys.executable, "-m", "companion", "league", "serve", *words, "--lang", "en"]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        try:
            yield server
        finally:
            server.kill()


def test_a_club_is_served_joined_and_left(database, typed):
    port = free_port()
    words = ["--database", database, "--host", "127.0.0.1", "--port", port, "--name", "Café"]
    with serving(*words) as server:
        assert server.stdout.readline() == f"Café: see all tables at http://127.0.0.1:{port}\n"
        told = server.stdout.readline().split()
        assert told[-4:-1] == ["league", "join", f"http://127.0.0.1:{port}"]
        assert typed("status") == (2, "This table isn't in a league. Join one with `companion league join`.")
        status, said = typed("join", told[-2], "WRONG1")
        assert status == 2
        assert said.startswith("This code is wrong or has expired")
        status, said = typed("join", told[-2].removeprefix("http://"), told[-1], "--table", "Window")
        assert (status, said.partition(".")[0]) == (0, "This table has joined Café as Window")
        assert load_membership().table == "Window"
        assert typed("status")[1].endswith("\nThe league has received everything.")
        state = json.loads(typed("status", "--json")[1])
        assert (state["club"], state["table"], state["waiting"]) == ("Café", "Window", 0)
        assert state["connected"] is True
        assert typed("join", *told[-2:])[1].startswith("This table has already joined Café.")
        assert typed("serve", "--port", port)[1].startswith(f"The league's server can't use port {port}")
        assert typed("rebuild", "--database", database) == (0, "Café: rebuilt from 0 entries.")
        with urllib.request.urlopen(
            f"http://127.0.0.1:{port}/live?page=/"
        ) as page:  # it listens for as long as it can
            assert page.readline()
            server.send_signal(signal.SIGTERM)
            assert server.wait(30) in (0, 128 + signal.SIGTERM)
        assert server.stderr.read() == ""
    assert "No league can be reached at" in typed("leave")[1]
    assert load_membership() is None
    assert typed("leave")[0] == 2
    assert typed("join", "ftp://there", "CODE22")[1].startswith("ftp://there isn't the address of a league")


@pytest.fixture
def certificate(tmp_path, monkeypatch):
    """A certificate for this computer, which programs here trust."""
    made = make_identity(["127.0.0.1"], datetime.datetime.now(datetime.UTC))
    (tmp_path / "both.pem").write_text(made)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "both.pem"))
    return made


@pytest.mark.parametrize("keep_host", [True, False])
def test_a_proxy_that_encrypts_stands_before_the_server(database, typed, certificate, keep_host):
    port, public = free_port(), free_port()
    words = ["--database", database, "--host", "127.0.0.1", "--port", port]
    with (
        serving(*words, "--found-at", f"https://127.0.0.1:{public}") as server,
        proxied(int(port), certificate, int(public), keep_host=keep_host),
    ):
        url = server.stdout.readline().split()[-1]
        assert url == f"https://127.0.0.1:{public}"
        joining = server.stdout.readline().split()
        assert joining[-4:-1] == ["league", "join", url]
        organiser_url, key = server.stdout.readline().split()[-1].split("#")

        def request(method, source="127.0.0.1", **headers):
            line = http.client.HTTPSConnection("127.0.0.1", int(public), source_address=(source, 0))
            with contextlib.closing(line):
                line.request(method, organiser_url.removeprefix(url), b"{}" * (method == "POST"), headers)
                return line.getresponse().status

        assert request("GET") == 200
        own = {"Origin": url, "Authorization": f"Bearer {key}"}
        assert request("POST", **own) == 422, "the organiser's page may post, though not nothing"
        assert request("POST", **own | {"Origin": "https://evil.example"}) == 403
        assert typed("join", *joining[-2:])[0] == 0
        # everybody's connections come from the proxy, but each client has limits of its own
        guesser, guest = (
            TableConnection(url, chain.generate_key()),
            TableConnection(url, chain.generate_key()),
        )
        with contextlib.closing(guesser), contextlib.closing(guest):
            guest._connection.source_address = ("127.0.6.2", 0)
            post, claims = guesser._connection.request, itertools.count()
            guesser._connection.request = lambda *words: post(
                *words[:3], {**words[3], "X-Forwarded-For": f"192.0.2.{next(claims)}"}
            )
            for _ in range(WRONG_CODES[0][0]):
                with pytest.raises(RefusedByServer, match="wrong_code"):
                    guesser.join_club("WRONG1", "One")
            with pytest.raises(RefusedByServer, match="too_many_codes"):
                guesser.join_club(joining[-1], "One")
            guest.join_club(joining[-1], "Two")


def ask_by_address(port, host, path="/"):
    """Ask a server under a host of one's own, as a browser at the other end of a tunnel does."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers={"Host": host})
    try:
        with urllib.request.urlopen(request) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, refused.read().decode()


def test_whoever_comes_through_a_tunnel_is_told_what_to_do(database, typed):
    port = free_port()
    words = ["--database", database, "--host", "127.0.0.1", "--port", port]
    with serving(*words) as server:
        assert server.stdout.readline()
        code = server.stdout.readline().split()[-1]
        status, said = ask_by_address(port, "localhost:9000")
        assert status == 421
        *_, asked = re.findall(r"--found-at (\S+)\. Otherwise", said)
        assert asked == "http://localhost:9000"
        assert ask_by_address(port, "<b>club</b>") == (421, said.replace(asked, "http://NAME"))
        # A table that is told of the tunnel learns the same.
        with contextlib.closing(TableConnection(f"http://127.0.0.1:{port}", chain.generate_key())) as table:
            post = table._connection.request
            table._connection.request = lambda *words: post(
                *words[:3], {**words[3], "Host": "localhost:9000"}
            )
            with pytest.raises(RefusedByServer, match="other_address"):
                table.join_club(code, "One")
    with serving(*words, "--found-at", asked) as server:
        assert server.stdout.readline()
        assert ask_by_address(port, "localhost:9000")[0] == 200


def test_only_a_proxy_on_this_computer_is_believed():
    rules = SiteRules(["https://club.example"], secure=False)
    assert rules.is_proxy("127.0.0.1")
    assert not rules.is_proxy("192.0.2.1")
    assert not SiteRules(["http://club.example"], secure=False).is_proxy("127.0.0.1")
    assert not SiteRules(["https://club.example"], secure=True).is_proxy("127.0.0.1")


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["--key", "key.pem"], "The private key key.pem belongs to a certificate: give that too"),
        (["--found-at", "https://club.example/league"], "https://club.example/league isn't an address of"),
        (["--found-at", "https://ann@club.example"], "https://ann@club.example isn't an address of"),
        (["--found-at", "ftp://club.example"], "ftp://club.example isn't an address of"),
        (["--found-at", "club.example:door"], "club.example:door isn't an address of"),
    ],
)
def test_what_cannot_be_served_is_said_before_anything_starts(typed, words, answer):
    status, said = typed("serve", *words)
    assert status == 2
    assert said.startswith(answer)


@pytest.mark.parametrize("words", [("CODE", "--table", "Fen\udcff"), ("C\udcffDE",)])
def test_what_is_no_text_is_refused_in_words(typed, words):
    status, said = typed("join", "http://127.0.0.1:9", *words)
    assert (status, said) == (
        2,
        r"'\udcff' is not valid text in this terminal's encoding: type it another way.",
    )


def test_a_database_that_is_away_is_waited_for(database, db, tmp_path, typed):
    sockets = conninfo_to_dict(database)["host"]
    later = make_conninfo(database, host=str(tmp_path / "later"))
    port = free_port()
    with serving("--database", later, "--host", "127.0.0.1", "--port", port) as server:
        said = server.stderr.readline()
        assert said.startswith("companion league: The league's database can't be reached: ")
        waits = ". Waiting for it; Ctrl-C stops.\n"
        assert said.endswith(waits)
        (tmp_path / "later").symlink_to(sockets)
        assert server.stdout.readline() == f"League: see all tables at http://127.0.0.1:{port}\n"
        others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        follows = f"SELECT 1 {others} AND query LIKE 'SELECT feed, %'"
        assert until(lambda: db.execute(follows).fetchone())
        (tmp_path / "later").unlink()
        db.execute(f"SELECT pg_terminate_backend(pid) {others}")
        again = "companion league: The league's database is available again.\n"
        assert server.stderr.readline() == again
        assert server.stderr.readline().endswith(waits), "it goes"
        (tmp_path / "later").symlink_to(sockets)
        assert server.stderr.readline() == again
        server.send_signal(signal.SIGTERM)
        assert server.wait(30) in (0, 128 + signal.SIGTERM)
    wrong = make_conninfo(database, dbname="none_such")
    assert typed("serve", "--database", wrong, "--port", free_port())[0] == 2, "it is there, and refuses"


def test_a_server_that_has_hung_up_on_a_silent_line_is_reached_at_once(database, monkeypatch):
    monkeypatch.setattr(connections, "REQUEST_TIMEOUT", 0.2)
    with (
        contextlib.closing(LeagueServer(database, open_club(database))) as server,
        served(server.app) as url,
    ):
        line = joined(server, url)
        held = line._connection.sock
        assert select.select([held], [], [], 10)[0], "it hangs up"
        line.leave_club()


def test_a_round_is_drawn_and_what_was_played_is_written(database, db, typed):
    assert typed("pair", "--database", database)[1].startswith("No tournament is open")
    status, said = typed("pair", "--database", database, "--game", "chess")
    assert (status, said.partition(".")[0]) == (2, "The game chess is not installed")
    club = open_club(database).number
    number = tournaments.begin_tournament(db, club, "dtc").number
    for name in ("Ann", "Ben", "Chloé", "Dora", "Emil", "Fanny", "Gus"):
        rounds.enter_person(db, number, people.find_or_add_person(db, club, name))
    status, said = typed("pair", "--database", database, "--seats", "5")
    assert status == 0
    lines = said.splitlines()
    assert lines[0] == "DTC, round 1"
    assert [line.partition(":")[0] for line in lines if not line.startswith(" ")][1:] == [
        "Table 1 (by hand)",
        "Table 2 (by hand)",
    ]
    assert lines[2].strip() == "Nobody here has met before."
    board = rounds.read_round(db, club).boards[0]
    rounds.enter_result(db, club, board.board, {place.seat: (Fraction(3),) for place in board.places})
    program = [sys.executable, "-m", "companion", "league", "export", "--database", database]
    csv = subprocess.run(program, capture_output=True, text=True, check=True).stdout
    assert len(csv.splitlines()) == 1 + len(board.places)


def test_what_the_extra_brings_is_named_where_it_is_missing():
    for word, said in (("rebuild", "card-table-companion[league]"), ("status", "isn't in a league")):
        without = f"import sys; sys.modules['psycopg'] = None; from companion.__main__ import main; main(['league', '{word}'])"
        done = subprocess.run([sys.executable, "-c", without], capture_output=True, text=True, check=True)
        assert said in done.stderr


def test_a_server_begins_though_its_database_has_just_gone(database, tmp_path):
    found, there = open_club(database), tmp_path / "there"
    later = make_conninfo(database, host=str(there))
    with contextlib.closing(LeagueServer(later, found)) as server, served(server.app) as url:
        with pytest.raises(ServerUnreachable):
            joined(server, url)
        there.symlink_to(conninfo_to_dict(database)["host"])
        assert joined(server, url).public
