"""What comes in from outside: requests as browsers make them, and as nobody should."""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
import sys
import time

import pytest

from companion.games.donkey_valley.moves import Donkey
from companion.share.access import CAMERA, PAD, WATCH, Purpose
from companion.share.guard import BURST, HEADERS, LARGEST_BODY, Buckets
from companion.share.running import Share
from tests.share.conftest import until

OPEN: list[http.client.HTTPConnection] = []


@pytest.fixture(autouse=True)
def hang_up():
    yield
    while OPEN:
        OPEN.pop().close()


def connected(share: Share) -> http.client.HTTPConnection:
    OPEN.append(http.client.HTTPConnection(share.place.address, share.place.port, timeout=10))
    return OPEN[-1]


def ask(share: Share, method: str, path: str, body: str | None = None, **headers: str):
    connection = connected(share)
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, body, given)
    return connection.getresponse()


def entered(share: Share) -> str:
    """Hand in the link as the page does; return what it sends from then on."""
    body = json.dumps({"token": share.doors.link(WATCH)})
    answer = ask(share, "POST", "/enter", body, origin=share.place.root)
    assert answer.status == 200
    return f"Bearer {json.loads(answer.read())['pass']}"


def first_state(share: Share, given: str) -> dict:
    answer = ask(share, "GET", "/live", authorization=given)
    assert answer.status == 200
    answer.readline()
    return json.loads(answer.readline().removeprefix(b"data: "))


def test_a_page_hands_in_its_link_and_follows_the_table(table) -> None:
    live, share = table
    given = entered(share)
    assert first_state(share, given)["headline"]
    live.submit(Donkey("giant"))
    assert first_state(share, given)["gauge"]["limit"] == 18


def test_the_next_state_comes_by_itself_and_a_slow_browser_gets_the_newest(table) -> None:
    live, share = table
    answer = ask(share, "GET", "/live", authorization=entered(share))
    assert answer.readline().startswith(b"id: ")
    before = json.loads(answer.readline().removeprefix(b"data: "))
    answer.readline()
    live.submit(Donkey("giant"))
    answer.readline()
    after = json.loads(answer.readline().removeprefix(b"data: "))
    assert after["number"] > before["number"]


def test_a_browser_is_given_nothing_that_it_would_send_by_itself(table) -> None:
    """A pass belongs to a page: as a cookie it would go with every request of every tab, to this
    port and to any other of this machine."""
    _, share = table
    given = entered(share)
    body = json.dumps({"token": share.doors.link(WATCH)})
    assert ask(share, "POST", "/enter", body, origin=share.place.root).getheader("set-cookie") is None
    bare = given.removeprefix("Bearer ")
    for headers in ({"cookie": f"card_table_watch={bare}"}, {"authorization": bare}):
        assert ask(share, "GET", "/live", **headers).status == 403
    assert ask(share, "GET", f"/live?pass={bare}").status == 403


@pytest.mark.parametrize("purpose", [CAMERA, PAD, Purpose("seat", "Ann")])
def test_a_pass_opens_only_what_its_own_page_asks_for(table, purpose) -> None:
    _, share = table
    given, _ = share.doors.enter(share.doors.link(purpose))
    assert ask(share, "GET", "/live", authorization=f"Bearer {given}").status == 403


def test_every_answer_carries_the_same_strict_headers(table) -> None:
    _, share = table
    for path in ("/", "/stream", "/parts/tv.js", "/live", "/nowhere"):
        answer = ask(share, "GET", path)
        assert {name: answer.getheader(name) for name in HEADERS} == HEADERS
        assert answer.getheader("server") is None


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", "/", {"host": "evil.example"}, 421),  # a name that was pointed at this address
        ("GET", "/", {"host": ""}, 421),
        ("POST", "/enter", {}, 403),  # no origin: not a page of ours
        ("POST", "/enter", {"origin": "http://evil.example"}, 403),
        ("POST", "/enter", {"origin": "null"}, 403),
        ("PUT", "/enter", {"origin": "OURS"}, 405),
        ("GET", "/live", {}, 403),
        ("GET", "/live", {"authorization": "Bearer guess"}, 403),
        ("GET", "/live", {"authorization": "Bearer "}, 403),
        ("GET", "/live", {"authorization": "Bearer \xff\xfe;;=,"}, 403),
        ("GET", "/parts/../server.py", {}, 404),
        ("GET", "/parts/..%2f..%2fserver.py", {}, 404),
        ("GET", "/parts//etc/passwd", {}, 404),
        ("POST", "/enter", {"origin": "OURS", "content-length": str(LARGEST_BODY + 1)}, 413),
        ("POST", "/enter", {"origin": "OURS", "transfer-encoding": "chunked"}, 413),
    ],
)
def test_what_nobody_should_ask_is_refused(table, method, path, headers, status) -> None:
    _, share = table
    given = {name: share.place.root if value == "OURS" else value for name, value in headers.items()}
    connection = connected(share)
    connection.putrequest(method, path, skip_host="host" in given)
    for name, value in given.items():
        connection.putheader(name, value)
    connection.endheaders()
    assert connection.getresponse().status == status


@pytest.mark.parametrize("body", ["", "{}", '{"token":7}', '{"token":"guess"}', "[" * 4000, "\x00" * 4000])
def test_a_body_that_is_no_token_gives_no_pass(table, body) -> None:
    _, share = table
    answer = ask(share, "POST", "/enter", body, origin=share.place.root)
    assert answer.status in (400, 403)
    assert b"pass" not in answer.read()


def test_a_pass_that_became_void_shows_nothing_more(table) -> None:
    live, share = table
    answer = ask(share, "GET", "/live", authorization=entered(share))
    for _ in range(3):
        answer.readline()
    share.doors.renew(WATCH)
    live.submit(Donkey("giant"))
    assert answer.read() == b""


def test_one_address_that_asks_without_end_is_slowed_and_others_are_not() -> None:
    now = [0.0]
    buckets = Buckets(lambda: now[0])
    assert [buckets.take("hostile") for _ in range(BURST + 5)] == [True] * BURST + [False] * 5
    assert buckets.take("guest")
    now[0] = 1.0
    assert buckets.take("hostile")


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
    assert live.submit(Donkey("giant")) is None


def test_a_table_that_is_not_shared_does_not_even_load_the_server() -> None:
    probe = "import sys, companion.commands.play; print([m for m in ('uvicorn', 'starlette', 'cryptography', 'segno') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_table_that_is_shared_loads_opencv_only_with_a_camera() -> None:
    probe = "import sys, companion.share.running; print([m for m in ('cv2', 'numpy', 'vision') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
