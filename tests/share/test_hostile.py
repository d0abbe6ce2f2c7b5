"""What somebody hostile may send, by clients that none of us wrote: curl, `websockets`, bare
sockets."""

from __future__ import annotations

import json
import socket
import subprocess
import threading
import time
from contextlib import suppress

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from companion.games.donkey_valley.moves import Decide, Donkey, Load, NoFavour
from companion.readers.camera.sources import PhoneCamera
from companion.share.access_tokens import CAMERA, MAX_SESSION_TOKENS, WATCH, AccessTokens, CloseCode, Purpose
from companion.share.page_connections import MAX_PICTURE_BYTES
from companion.share.share_server import ShareServer
from companion.texts import Translator
from companion.web import connections
from companion.web.addresses import ServerAddress
from tests.needs import require
from tests.share.conftest import GAME, PLAYERS, Line, shared, until


def curl(share, *words: str) -> str:
    """Ask with curl; return the status."""
    require("curl")
    command = ["curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", "--path-as-is", *words[:-1]]
    done = subprocess.run(
        [*command, share.place.base_url + words[-1]], capture_output=True, text=True, timeout=30, check=False
    )
    return done.stdout


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("/../../../../etc/passwd",), "404"),
        (("/parts/../../share_server.py",), "404"),
        (("/parts/%2e%2e/%2e%2e/share_server.py",), "404"),
        (("/parts/%00.js",), "404"),
        (("/parts/%ff%fe.js",), "404"),
        (("/parts/" + "a" * 5000,), "404"),
        (("-H", "Host: rebound.example", "/"), "421"),
        (("-H", "Host: 127.0.0.1", "/"), "421"),
        (("-X", "POST", "-H", "Origin: https://evil.example", "-d", "{}", "/line"), "403"),
        (("-X", "POST", "-d", "{}", "/line"), "403"),
        (("-H", "Cookie: " + "a=b; " * 3000, "/line"), "404"),
        ((*(word for n in range(10) for word in ("-H", f"X-{n}: " + "a" * 100_000)), "/"), "400"),
        (("-X", "TRACE", "/"), "403"),
        (("-H", b"Authorization: Bearer \xff\xfe".decode("latin-1"), "/line"), "404"),
    ],
)
def test_curl_gets_nothing_that_is_not_a_page(table, words, status) -> None:
    _, share = table
    assert curl(share, *words) == status


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(connections, "REQUEST_TIMEOUT", 0.5)


POST = "POST / HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nContent-Length: 4000\r\n\r\n"
SLOW = {
    "its headers": ("GET / HTTP/1.1\r\n", "X-A: b\r\n"),
    "its body": (POST, "a"),
    "nothing at all": ("", ""),
    "its second request": ("GET /nowhere HTTP/1.1\r\nHost: {host}\r\n\r\n", "GET"),
}


@pytest.mark.parametrize("part", SLOW)
def test_a_request_that_comes_byte_by_byte_is_hung_up(table, impatient, part) -> None:
    _, share = table
    first, more = SLOW[part]
    with socket.create_connection((share.place.address, share.place.port)) as line:
        line.sendall(first.format(host=share.place.base_url.partition("://")[2]).encode())
        line.settimeout(0.1)
        deadline = time.monotonic() + 20
        answered = b" "
        while answered:
            assert time.monotonic() < deadline, f"{part} was waited for without end"
            with suppress(BrokenPipeError, ConnectionResetError):
                line.sendall(more.encode())
            try:
                answered = line.recv(4096)
            except TimeoutError:
                continue
            except OSError:
                break


def test_who_never_begins_to_encrypt_is_hung_up(impatient) -> None:
    place = ServerAddress(socket.create_server(("127.0.0.1", 0)), "127.0.0.1", secure=True)
    share = ShareServer(place, Translator("en", GAME))
    share.start()
    try:
        with socket.create_connection(("127.0.0.1", place.port), timeout=20) as silent:
            assert silent.recv(1) == b""
    finally:
        share.close()


def camera():
    phone = PhoneCamera()
    _, share = shared(camera=phone)
    return phone, share


def test_a_line_opens_only_for_a_page_of_ours_and_pictures_only_come_from_the_camera() -> None:
    phone, share = camera()
    try:
        for origin in ("http://evil.example", "null"):
            with (
                pytest.raises(InvalidStatus),
                connect(f"{share.place.base_url.replace('http', 'ws')}/line", origin=Origin(origin)),
            ):
                pass
        with Line(share) as watching:
            watching.wire.send(b"picture")
            assert watching.ended() == CloseCode.BAD
        assert not phone.is_sending
        with Line(share, CAMERA) as opened:
            opened.wire.send(b"no picture")
            opened.next("taken")
            opened.wire.send((-2500).to_bytes(4, "big", signed=True) + b"taken long before it was asked for")
            assert opened.next("late") >= 2500
            opened.wire.send((10**9).to_bytes(4, "big", signed=True) + b"taken in the future")
            assert opened.next("late") == 0
            opened.wire.send(b"no")
            assert opened.ended() == CloseCode.BAD
    finally:
        share.close()


@pytest.mark.slow
def test_a_camera_stays_for_as_long_as_it_sends_or_beats(impatient) -> None:
    """The limit for requests is none for a socket that is open: phones film a whole evening."""
    phone, share = camera()
    try:
        with Line(share, CAMERA) as sending:
            over = time.monotonic() + 6 * connections.REQUEST_TIMEOUT
            while time.monotonic() < over:
                sending.wire.send(b"picture")
                sending.next("taken")
        with Line(share, CAMERA) as beating:
            over = time.monotonic() + 6 * connections.REQUEST_TIMEOUT
            while time.monotonic() < over:
                beating.say("beat")
                beating.next("beat")
            beating.wire.send(b"picture")
            beating.next("taken")
            assert phone.is_sending
    finally:
        share.close()


def test_a_flood_of_pictures_neither_grows_nor_holds_up_the_table() -> None:
    phone, share = camera()
    over = threading.Event()

    def flood() -> None:
        with suppress(ConnectionClosed, OSError), Line(share, CAMERA) as flooding:
            while not over.is_set():
                flooding.wire.send(b"x" * 100_000)

    thread = threading.Thread(target=flood)
    thread.start()
    try:
        until(lambda: phone.is_sending)
        assert curl(share, "/") == "200"  # whoever else asks is answered
        with Line(share, CAMERA) as second:  # the newest line is the phone's; the other is closed
            second.wire.send(b"picture")
            second.next("taken")
            thread.join(20)
            assert not thread.is_alive()
            second.wire.send(b"x" * (MAX_PICTURE_BYTES + 1))
            assert second.ended() == 1009
        until(lambda: not phone.is_sending)
    finally:
        over.set()
        share.close()


def test_whoever_only_watches_drives_out_no_seat() -> None:
    tokens = AccessTokens()
    mine, _ = tokens.redeem_invite(tokens.ensure_invite_token(Purpose("seat", "Ann")))
    for _ in range(MAX_SESSION_TOKENS + 10):
        tokens.redeem_invite(tokens.ensure_invite_token(WATCH))
    assert tokens.find_purpose(mine) == Purpose("seat", "Ann")


def test_a_sealed_decision_weighs_the_same_whichever_it_is() -> None:
    """Neither the words nor the length of what others are sent tells what somebody decided."""
    seen = []
    for accepts in (True, False):
        live, share = shared(options={"decision_order": "free"})
        for request in (Donkey("giant"), *map(Load, PLAYERS), *map(NoFavour, PLAYERS)):
            assert live.submit_request(request) is None
        assert live.seal_decision(Decide("Ann", accepts)) is None
        states = [share.broadcast._encode_current(player).body for player in ("", "Bob")]
        # of its own port each share tells where it is
        seen.append([{**json.loads(state)["state"], "join": ""} for state in states])
        share.close()
    assert seen[0] == seen[1]
