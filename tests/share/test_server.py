"""What comes in from outside: requests as browsers make them, and as nobody should."""

from __future__ import annotations

import datetime
import http.client
import json
import os
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, closing, contextmanager
from types import SimpleNamespace

import pytest
from cryptography import x509
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Origin

from companion.demo.actions import make_players
from companion.games.donkey_valley.moves import Donkey
from companion.journal.journal import Journal
from companion.live.live_session import LiveSession
from companion.plan import Plan
from companion.readers.camera.sources import PhoneCamera
from companion.rules.contract import Setup
from companion.rules.people import SeatChange
from companion.share import page_connections, saved_share, share_server
from companion.share.access_tokens import CAMERA, JOIN, PAD, WATCH, CloseCode, Purpose
from companion.share.seat_controller import SeatController
from companion.share.share_server import ShareServer
from companion.table.decks import Deck
from companion.table.table import Table
from companion.texts import Translator
from companion.views.table_session import TableSession
from companion.web import addresses
from companion.web.certificates import make_identity
from companion.web.limits import TABLE_LIMITS, WRONG_CODES, RateLimiter
from companion.web.request_checks import HEADERS
from tests.share.conftest import GAME, Line, refused, shared, until
from tests.simulated.phones import Ticking


@contextmanager
def knocking(share: ShareServer, source: str = "127.0.0.1", **hello: object):
    """A page that has neither link nor pass, at the address `source`."""
    with connect(
        f"{share.place.base_url.replace('http', 'ws')}/line",
        origin=Origin(share.place.base_url),
        source_address=(source, 0),
    ) as wire:
        wire.send(json.dumps({"type": "hello", **hello}))
        yield wire


OPEN: list[http.client.HTTPConnection] = []


@pytest.fixture(autouse=True)
def hang_up():
    yield
    while OPEN:
        OPEN.pop().close()


def connected(share: ShareServer) -> http.client.HTTPConnection:
    OPEN.append(http.client.HTTPConnection(share.place.address, share.place.port, timeout=10))
    return OPEN[-1]


def ask(share: ShareServer, method: str, path: str, body: str | None = None, **headers: str):
    connection = connected(share)
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, body, given)
    return connection.getresponse()


def test_a_page_hands_in_its_link_and_follows_the_table(table) -> None:
    live, share = table
    with Line(share) as page:
        assert page.you["kind"] == "watch"
        before = page.next("state")
        assert before["headline"]
        live.submit_request(Donkey("giant"))
        after = page.next("state")
        assert after["gauge"]["limit"] == 18
        assert after["number"] > before["number"]
    with Line(share, **{"pass": page.you["pass"]}) as again:
        assert again.next("state") == after


@pytest.mark.parametrize("purpose", [CAMERA, PAD])
def test_a_pass_opens_only_what_its_own_page_asks_for(table, purpose) -> None:
    _, share = table
    with Line(share, purpose) as page:
        assert "beat" in json.loads(page.wire.recv(timeout=20))  # no state
        page.say("talk", seat="", about="entering")
        assert page.ended() == CloseCode.BAD


def test_a_seat_enters_for_no_other(table) -> None:
    _, share = table
    for seat, purpose in (("Bob", Purpose("seat", "Ann")), ("Ann", WATCH)):
        with Line(share, purpose) as page:
            page.say("talk", seat=seat, about="entering")
            assert page.ended() == CloseCode.BAD


@pytest.mark.parametrize(("pads", "held_for"), [(None, []), (SimpleNamespace(), ["down", "up", "middle"])])
def test_a_seat_reads_stickers_where_phones_may(pads, held_for) -> None:
    _, share = shared(pads=pads)
    with closing(share), Line(share, Purpose("seat", "Ann")) as page:
        assert page.next("state")["mine"]["held_for"] == held_for


def test_what_is_sent_again_is_answered_again_and_not_done_again(table) -> None:
    live, share = table
    live.submit_request(Donkey("normal"))
    with Ticking(live):
        page = Line(share, Purpose("seat", "Ann"))
        menu = page.next("state")["mine"]["menu"]
        act = {
            "seat": "Ann",
            "about": "entering",
            "next": {"row": menu["rows"][0]["row"]},
            "told": menu["number"],
        }
        first = page.ask("talk", "x.1", **act)
        page.wire.close()  # as if the answer had been lost
        with Line(share, **{"pass": page.you["pass"]}) as again:
            assert again.ask("talk", "x.1", **act) == first
            assert live.step_count == 2
            assert again.ask("talk", "x.2", **act)["words"].startswith("The game has moved on")


def test_a_seat_that_went_to_another_phone_can_be_had_back(table) -> None:
    _, share = table
    ann = Purpose("seat", "Ann")
    first, second = Line(share, ann), Line(share, ann)
    assert first.ended() == CloseCode.ELSEWHERE
    assert refused(share, **{"pass": first.you["pass"]}) == CloseCode.ELSEWHERE
    with Line(share, **{"pass": first.you["pass"], "take": True}) as back:
        assert second.ended() == CloseCode.ELSEWHERE
        assert back.you["seat"] == "Ann"


def test_letters_lead_to_the_seats_and_wrong_ones_only_hold_up_who_typed_them(table) -> None:
    _, share = table
    letters = share.build_invitation().invites[0].letters
    assert [invite.letters for invite in share.build_invitation().invites[1:]] == [""] * 5
    for _ in range(WRONG_CODES[0][0]):
        with knocking(share, letters=letters.lower()) as wire:
            assert json.loads(wire.recv(timeout=20))["you"]["kind"] == "join"
        assert refused(share, letters="AEIO") == CloseCode.WRONG
    with knocking(share, letters=letters) as wire, pytest.raises(ConnectionClosed) as closed:
        wire.recv(timeout=20)
    assert closed.value.rcvd.code == CloseCode.WAIT
    assert 1 <= int(closed.value.rcvd.reason) <= 60
    with knocking(share, source="127.0.0.9", letters=letters) as wire:
        assert "you" in json.loads(wire.recv(timeout=20))


def choose(share: ShareServer, seat: str, **hello: object) -> dict:
    """Choose a seat by the code; return the seats as they were shown, and what came of it."""
    with knocking(share, letters=share.tokens.ensure_join_code(JOIN), **hello) as wire:
        seats = None
        while seats is None:
            seats = json.loads(wire.recv(timeout=20)).get("seats")
        wire.send(json.dumps({"type": "sit", "seat": seat}))
        said = {"seats": seats}
        while "seats" in said:
            said = json.loads(wire.recv(timeout=20))
        return {one["seat"]: one["held"] for one in seats} | said


def test_a_seat_belongs_to_its_player_until_it_is_left_or_released(table) -> None:
    _, share = table
    bob = Purpose("seat", "Bob")
    way = choose(share, "Bob")["go"]
    path, _, ticket = way.partition("#")
    assert path == "/seat"
    assert ticket != share.tokens.ensure_invite_token(bob)
    with Line(share, token=ticket) as page:
        assert refused(share, token=ticket) == CloseCode.VOID  # it was for once
        given = page.you["pass"]
        assert choose(share, "Bob")["Bob"] == "here"
    until(lambda: not share._pages.page_counts[bob])
    # his phone is locked: a stranger with the code is shown letters, for the laptop, and no link
    stranger = choose(share, "Bob")
    assert (stranger["Bob"], stranger["seat"]) == ("away", "Bob")
    assert "go" not in stranger
    assert share.build_invitation().invites[4].is_owned
    with Line(share, **{"pass": given}) as awake:
        assert awake.you["seat"] == "Bob"
    # he closed the tab, and scans again with the same browser
    until(lambda: not share._pages.page_counts[bob])
    mine = choose(share, "Bob", held=[given])
    assert (mine["Bob"], mine["go"].partition("#")[0]) == ("yours", "/seat")
    # the laptop gives it away; he can take it back
    with knocking(share, letters=share.tokens.ensure_join_code(JOIN)) as wire:
        wire.send(json.dumps({"type": "sit", "seat": "Bob"}))
        said: dict = {}
        while "letters" not in said:
            said = json.loads(wire.recv(timeout=20))
        share.build_invitation().invites[4].let_in(said["letters"])
        while "go" not in said:
            said = json.loads(wire.recv(timeout=20))
    with Line(share, token=said["go"].partition("#")[2]) as other:
        assert refused(share, **{"pass": given}) == CloseCode.ELSEWHERE
        other.say("leave")
        assert other.ended() == CloseCode.GONE
    assert choose(share, "Bob")["Bob"] == ""


def test_the_camera_comes_first_until_a_phone_is_it() -> None:
    _, share = shared(camera=PhoneCamera())
    with closing(share):
        first = [
            invite.link.partition("#")[0].rpartition("/")[2] for invite in share.build_invitation().invites
        ]
        assert first[:2] == ["camera", "join"]
        with Line(share, CAMERA):
            after = [
                invite.link.partition("#")[0].rpartition("/")[2]
                for invite in share.build_invitation().invites
            ]
            assert after[:2] == ["join", "camera"]
            assert sorted(after) == sorted(first)


def test_a_seat_that_two_choose_at_once_is_given_to_one(table) -> None:
    _, share = table
    assert "go" in choose(share, "Ann")
    assert "letters" in choose(share, "Ann")


def test_screens_of_one_address_that_knock_without_end_lock_no_other_out(table) -> None:
    _, share = table
    with ExitStack() as idle:
        for number in range(4):
            wire = idle.enter_context(knocking(share, source="127.0.0.7"))
            if number < 3:
                assert json.loads(wire.recv(timeout=20))["letters"]
            else:
                with pytest.raises(ConnectionClosed) as closed:
                    wire.recv(timeout=20)
                assert closed.value.rcvd.code == CloseCode.WAIT
        with knocking(share) as television:
            assert json.loads(television.recv(timeout=20))["letters"]


def test_a_screen_that_knocks_is_let_in_for_what_the_laptop_says(table) -> None:
    _, share = table
    with knocking(share) as wire:
        letters = json.loads(wire.recv(timeout=20))["letters"]
        assert share.build_invitation().waiting_codes == (letters,)
        share.build_invitation().invites[0].let_in(letters)
        until(lambda: "go" in (said := json.loads(wire.recv(timeout=20))) and said["go"])
    until(lambda: not share.build_invitation().waiting_codes)


def test_who_is_in_is_told_and_a_seat_that_was_left_is_free(table) -> None:
    _, share = table
    seat = share.build_invitation().invites[3]
    with Line(share) as television, Line(share, Purpose("seat", "Ann")) as ann:
        while television.next("state")["here"] != [0]:
            pass
        assert share.build_invitation().invites[3].page_count == 1
        ann.say("leave")
        assert ann.ended() == CloseCode.GONE
        assert refused(share, **{"pass": ann.you["pass"]}) == CloseCode.VOID
        while television.next("state")["here"]:
            pass
        with Line(share, Purpose("seat", "Ann")) as again:
            seat.send_away()
            assert again.ended() == CloseCode.VOID


def test_a_page_that_says_nothing_counts_as_gone_and_one_that_beats_does_not(table, monkeypatch) -> None:
    monkeypatch.setattr(page_connections, "PAGE_TIMEOUT", 0.6)
    monkeypatch.setattr(page_connections, "HEARTBEAT_SECONDS", 0.1)
    _, share = table
    with Line(share) as silent, Line(share) as beating:
        for _ in range(10):
            beating.say("beat")
            beating.next("beat")
        assert silent.ended() == CloseCode.SILENT
        beating.say("beat")
        beating.next("beat")


def test_pages_come_back_to_the_same_evening_after_a_crash_and_to_no_other(tmp_path, monkeypatch) -> None:
    """The program dies without a word; the evening goes on in another one."""
    monkeypatch.setattr(saved_share, "user_data_folder", lambda: tmp_path)
    monkeypatch.setattr(addresses, "BUSY_TIMEOUT", 0.0)
    journal = Journal.open(tmp_path / "evening.db")
    live, unused = shared(journal=journal)
    unused.close()
    say, evening = Translator("en", GAME), TableSession(Plan(), live)
    with share_server.open_share(False, say, evening) as invited:
        link = invited().invites[0].link
        (kept,) = (tmp_path / "share").iterdir()
        assert kept.stat().st_mode & 0o077 == 0
        old = kept.with_name("of last week.json")
        old.touch()
        os.utime(old, (0, 0))
        with share_server.open_share(
            False, say, evening
        ) as resumed:  # the same port is taken: not the same way back
            assert resumed().invites[0].link != link
            assert resumed().remarks[0].startswith("Another program uses")
    with share_server.open_share(False, say, evening) as invited:
        link = invited().invites[0].link
    with share_server.open_share(False, say, evening) as resumed:
        assert resumed().invites[0].link == link
        resumed().delete_saved_state()
    assert not old.exists()
    with share_server.open_share(False, say, evening) as anew:
        assert anew().invites[0].link != link
    journal.close()


def test_an_offer_is_the_same_after_the_program_was_killed(tmp_path) -> None:
    """What was tapped while the program was away is entered when it is back."""
    with closing(Journal.open(tmp_path / "evening.db")) as journal:
        live, share = shared(journal=journal)
        live.submit_request(Donkey("normal"))
        live.change_seats(SeatChange("rename", "Bob", "Robert"))
        before = share._desk.build_seat_states()
        share.close()
    with closing(Journal.open(tmp_path / "evening.db")) as journal:
        resumed = LiveSession(
            GAME,
            live.setup,
            table=Table(Deck.load_by_name(GAME.id)),
            journal=journal,
            saved=journal.read_session(1),
        )
        desk = SeatController(TableSession(Plan(), resumed), Translator("en", GAME))
        after = desk.build_seat_states()
    assert before["Ann"]["menu"]["rows"]
    assert {one: state["menu"] for one, state in after.items()} == {
        one: state["menu"] for one, state in before.items()
    }


def test_choices_without_a_number_stand_before_a_grid_of_numbers() -> None:
    """A load may be swapped for another value, or kept."""
    players = ("Ann", "Bob", "Chloé")
    setup = Setup("donkey_valley", players, GAME.default_options({}), 7)
    live = LiveSession(GAME, setup, table=Table(Deck.load_by_name(GAME.id)))
    desk, simulated = SeatController(TableSession(Plan(), live), Translator("en", GAME)), make_players(setup)
    mixed: list[list[dict]] = []
    while not mixed:
        action = simulated.next_action(live.list_acts(), live.snapshot().view)
        assert action is not None
        live.submit_request(action.request)
        menus = [state["menu"]["rows"] for state in desk.build_seat_states().values()]
        mixed = [rows for rows in menus if len({"cell" in row for row in rows}) == 2]
    for rows in mixed:
        cells = [tuple(row.get("cell", ())) for row in rows]
        assert cells == sorted(cells)


DAY = 24 * 3600.0


def test_an_evening_of_three_days_keeps_its_certificate_and_a_crash_costs_no_phone_its_seat(
    tmp_path, monkeypatch
) -> None:
    """A weekend away, with phones whose clocks are wrong by a day, and nobody new since Friday."""
    monkeypatch.setattr(saved_share, "user_data_folder", lambda: tmp_path)
    begun = datetime.datetime.now(datetime.UTC)
    made = x509.load_pem_x509_certificate(make_identity(["127.0.0.1"], begun).encode())
    assert (begun - made.not_valid_before_utc).days >= 1
    assert (made.not_valid_after_utc - begun).days >= 4
    with closing(Journal.open(tmp_path / "evening.db")) as journal:
        live, unused = shared(journal=journal)
        unused.close()
        say, evening = Translator("en", GAME), TableSession(Plan(), live)
        with share_server.open_share(False, say, evening) as invited:
            link = invited().invites[0].link
        (kept,) = (tmp_path / "share").iterdir()
        os.utime(kept, (time.time() - 3 * DAY,) * 2)
        with share_server.open_share(False, say, evening) as resumed:
            assert resumed().invites[0].link == link
            resumed().delete_saved_state()


def test_every_answer_carries_the_same_strict_headers(table) -> None:
    _, share = table
    for path in ("/", "/stream", "/parts/tv.js", "/line", "/nowhere"):
        answer = ask(share, "GET", path)
        assert {name: answer.getheader(name) for name in HEADERS} == HEADERS
        assert answer.getheader("server") is None


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", "/", {"host": "evil.example"}, 421),  # a name that was pointed at this address
        ("GET", "/", {"host": ""}, 421),
        ("POST", "/", {}, 403),  # no origin: not a page of ours
        ("POST", "/", {"origin": "http://evil.example"}, 403),
        ("POST", "/", {"origin": "null"}, 403),
        ("PUT", "/", {"origin": "OURS"}, 405),
        ("GET", "/line", {}, 404),
        ("GET", "/parts/../share_server.py", {}, 404),
        ("GET", "/parts/..%2f..%2fserver.py", {}, 404),
        ("GET", "/parts//etc/passwd", {}, 404),
        ("POST", "/", {"origin": "OURS", "content-length": str(TABLE_LIMITS.body_bytes + 1)}, 413),
        ("POST", "/", {"origin": "OURS", "transfer-encoding": "chunked"}, 413),
    ],
)
def test_what_nobody_should_ask_is_refused(table, method, path, headers, status) -> None:
    _, share = table
    given = {name: share.place.base_url if value == "OURS" else value for name, value in headers.items()}
    connection = connected(share)
    connection.putrequest(method, path, skip_host="host" in given)
    for name, value in given.items():
        connection.putheader(name, value)
    connection.endheaders()
    assert connection.getresponse().status == status


@pytest.mark.parametrize(
    "said", ["", "{}", '{"type":"beat"}', '{"type":"hello","token":7}', "[" * 4000, b"x"]
)
def test_what_is_no_beginning_of_a_line_opens_none(table, said) -> None:
    _, share = table
    with connect(
        f"{share.place.base_url.replace('http', 'ws')}/line", origin=Origin(share.place.base_url)
    ) as line:
        line.send(said)
        with pytest.raises(ConnectionClosed) as closed:
            line.recv(timeout=20)
        assert closed.value.rcvd.code == CloseCode.BAD


def test_a_page_is_told_why_it_is_not_let_in(table) -> None:
    _, share = table
    for hello, why in (
        ({"token": "guess"}, CloseCode.VOID),
        ({"letters": "AEIO"}, CloseCode.WRONG),
        ({"pass": "café\ud800"}, CloseCode.BAD),
        ({"pass": "another.guess"}, CloseCode.EVENING),
    ):
        assert refused(share, **hello) == why


def test_a_pass_that_became_void_shows_nothing_more(table) -> None:
    live, share = table
    with Line(share) as page:
        page.next("state")
        share.tokens.renew_invite(WATCH)
        live.submit_request(Donkey("giant"))
        assert page.ended() == CloseCode.VOID


def test_one_address_that_asks_without_end_is_slowed_and_others_are_not() -> None:
    now = [0.0]
    buckets = RateLimiter(clock=lambda: now[0])
    assert [buckets.take_token("hostile") for _ in range(TABLE_LIMITS.burst + 5)] == [
        True
    ] * TABLE_LIMITS.burst + [False] * 5
    assert buckets.take_token("guest")
    now[0] = 1.0
    assert buckets.take_token("hostile")


def test_connections_that_say_nothing_leave_room_for_others(table) -> None:
    _, share = table
    silent = [socket.create_connection((share.place.address, share.place.port)) for _ in range(100)]
    until(lambda: sum(_closed(one) for one in silent) >= 30)
    for one in silent:
        one.close()
    time.sleep(0.2)
    assert ask(share, "GET", "/").status == 200


def _closed(one: socket.socket) -> bool:
    one.setblocking(False)
    try:
        return one.recv(1) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def test_what_breaks_in_the_server_never_reaches_the_table(table) -> None:
    live, share = table
    share.close()
    assert live.submit_request(Donkey("giant")) is None


def test_a_table_that_is_not_shared_does_not_even_load_the_server() -> None:
    probe = "import sys, companion.commands.play; print([m for m in ('uvicorn', 'starlette', 'cryptography', 'segno') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_table_that_is_shared_loads_opencv_only_with_a_camera() -> None:
    probe = "import sys, companion.share.share_server; print([m for m in ('cv2', 'numpy', 'vision.errors') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_table_goes_on_without_its_closed_share(table):
    live, share = table
    told = []
    share.broadcast.publish_snapshot = lambda *_states: told.append(1)
    assert live.submit_request(Donkey("giant")) is None
    assert len(told) == 1
    share.close()
    live.undo()
    assert len(told) == 1
