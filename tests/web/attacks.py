"""One script of attacks for both web servers. Each attack is a function of a `Target`; it returns
in a few words what the server did, and fails if that was not enough.

`python -m tests.web.attacks` prints the table (`docs/web_security.md` quotes it).
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import shutil
import socket
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch
from uuid import uuid4

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from companion.league import chain, club, protocol
from companion.league.postgres import Postgres
from companion.league.protocol import RefusedByServer, TableConnection
from companion.league.server import LEAGUE_LIMITS, LeagueServer
from companion.league.site import Site
from companion.share import share_server
from companion.share.access_tokens import JOIN, WATCH, CloseCode, Purpose
from companion.share.page_connections import MAX_PICTURE_BYTES
from companion.texts import Translator
from companion.web import connections
from companion.web.limits import TABLE_LIMITS, WRONG_CODES
from tests.league.conftest import NO_WAIT
from tests.league.tables import served
from tests.share.conftest import Line, refused, shared, until
from tests.simulated.phones import Ticking

MOST, PER_NETWORK, BURST = 60, 16, 40
"""Limits of the attacked servers: smaller than the real ones, so that a test can reach them."""
TIMEOUT = 1.0
PATIENCE = 30.0
"""Seconds in which a busy machine answers."""
SMALL = {"connections": MOST, "connections_per_network": PER_NETWORK, "burst": BURST}
KEY = "the-organisers-key"
ATTACKER = "127.0.6.6"
NOT_WHAT_THEY_SHOULD = "the server did not answer an honest client"
HUNG_UP = 0
"""Instead of a status: the server closed the connection without an answer. That is a refusal only
where an attack says so. A server that is silent has refused nothing."""


@dataclasses.dataclass
class Target:
    """A server under attack. `posts`: a path that takes posts of our own pages; `share`, `league`:
    the server itself."""

    name: str
    port: int
    posts: str
    share: Any = None
    league: Any = None

    @property
    def host(self) -> str:
        """What our own pages send as `Host`."""
        return f"127.0.0.1:{self.port}"

    def dial(self, source: str = ATTACKER) -> socket.socket:
        """Open a connection from this address."""
        return socket.create_connection(("127.0.0.1", self.port), 20, (source, 0))

    def send(self, request: str, source: str = ATTACKER) -> bytes:
        """Send a request; return all that comes back until the server hangs up, which it must."""
        with self.dial(source) as wire:
            with contextlib.suppress(OSError):  # it may hang up before it has everything
                wire.sendall(request.encode("latin-1"))
            return read_all(wire, PATIENCE)

    def status(self, source: str = ATTACKER, method: str = "GET", path: str = "/", **headers: str) -> int:
        """Return the status of one request, or `HUNG_UP`."""
        given = {
            "Host": self.host,
            "Connection": "close",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        lines = "".join(f"{name}: {value}\r\n" for name, value in given.items())
        return status_of(self.send(f"{method} {path} HTTP/1.1\r\n{lines}\r\n", source))

    def is_well(self, source: str = "127.0.0.1") -> bool:
        """Whether an honest client is answered."""
        return self.status(source) == 200


def read_all(wire: socket.socket, wait: float) -> bytes:
    """Read until the other end closes. Raises `TimeoutError` if it is silent for `wait` seconds."""
    wire.settimeout(wait)
    read = b""
    with contextlib.suppress(ConnectionError):  # reset: closed before it had read everything
        while part := wire.recv(65536):
            read += part
    return read


def status_of(answer: bytes) -> int:
    """Return the status of an answer, `HUNG_UP` for none."""
    if not answer:
        return HUNG_UP
    assert answer.startswith(b"HTTP/1.1 "), answer[:80]
    return int(answer.split(b" ", 2)[1])


def is_closed(wire: socket.socket) -> bool:
    """Whether the other end has closed the connection; what it sent is thrown away."""
    wire.setblocking(False)
    try:
        while wire.recv(65536):
            pass
        return True
    except BlockingIOError:
        return False
    except OSError:
        return True


def close_all(wires: list[socket.socket]) -> None:
    """Close all connections of an attack."""
    for wire in wires:
        wire.close()


# connections


def send_slowly(target: Target) -> str:
    """slow requests: nothing, half a header, half a body"""
    parts = (
        "",
        "GET / HTTP/1.1\r\nHost: x\r\nA: ",
        f"POST / HTTP/1.1\r\nHost: {target.host}\r\n"
        f"Origin: http://{target.host}\r\nContent-Length: 4000\r\n\r\na",
    )
    wires = []
    for number in range(PER_NETWORK - 1):
        wires.append(target.dial())
        wires[-1].sendall(parts[number % 3].encode())
    assert target.is_well(), NOT_WHAT_THEY_SHOULD
    until(lambda: all(map(is_closed, wires)))
    close_all(wires)
    return "hung up after the time limit"


def read_slowly(target: Target) -> str:
    """slow readers: pages asked for and never read"""
    request = f"GET /parts/preact.js HTTP/1.1\r\nHost: {target.host}\r\n\r\n".encode()
    wires = [target.dial() for _ in range(PER_NETWORK)]
    for wire in wires:
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        wire.sendall(2 * request)
    assert target.is_well(), NOT_WHAT_THEY_SHOULD
    # The reader itself learns of it only when it reads: until then the system keeps what was sent.
    until(lambda: target.is_well(ATTACKER))
    close_all(wires)
    return "hung up after the time limit"


def flood_from_one_address(target: Target) -> str:
    """a flood of connections from one address"""
    wires = [target.dial() for _ in range(PER_NETWORK + 20)]
    until(lambda: sum(map(is_closed, wires)) >= 20)
    assert target.is_well(), NOT_WHAT_THEY_SHOULD
    close_all(wires)
    return f"no more than the limit ({TABLE_LIMITS.connections_per_network}) stay"


def flood_from_many_addresses(target: Target) -> str:
    """a flood of connections from many addresses"""
    with contextlib.ExitStack() as stays:
        player = stays.enter_context(Line(target.share, WATCH)) if target.share else None
        wires = [target.dial(f"127.0.{7 + number % 20}.1") for number in range(2 * MOST)]
        assert target.is_well(), NOT_WHAT_THEY_SHOULD
        if player is not None:  # and who was in stays in
            player.say("beat")
            player.next("beat")
        close_all(wires)
    return "the flood displaces itself; honest clients are answered, players stay"


def flood_with_requests(target: Target) -> str:
    """a flood of requests"""
    requests = (  # it claims to be somebody else in each
        f"GET /nothing HTTP/1.1\r\nHost: {target.host}\r\nX-Forwarded-For: 192.0.2.{number}\r\n\r\n"
        for number in range(BURST + 30)
    )
    assert b"HTTP/1.1 429" in target.send("".join(requests), "127.0.6.7")
    assert target.is_well(), NOT_WHAT_THEY_SHOULD
    return "429 after the burst, for that address only"


# requests


def rebind(target: Target) -> str:
    """DNS rebinding: another name for this address"""
    port = target.port
    for host in (
        "rebound.example",
        f"rebound.example:{port}",
        "127.0.0.1",
        f"127.0.0.1.:{port}",
        "",
        "127.0.0.1:1",
    ):
        assert target.status(Host=host) == 421, host
    assert status_of(target.send("GET / HTTP/1.0\r\n\r\n")) == 421
    return "421"


def forge_requests(target: Target) -> str:
    """CSRF: another site's page posts, or opens a WebSocket"""
    for origin in (
        "http://evil.example",
        "null",
        f"https://{target.host}",
        f"http://{target.host}.evil.example",
    ):
        assert target.status(method="POST", path=target.posts, Origin=origin, Content_Length="0") == 403
    assert target.status(method="POST", path=target.posts, Content_Length="0") == 403
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        assert target.status(method="POST", path="/join", Content_Type=kind, Content_Length="0") == 403
    kind = "application/msgpack"
    assert target.status(method="POST", path="/join", Origin="http://evil.example", Content_Type=kind) == 403
    if target.share:
        for origin in ("http://evil.example", "null"):
            with pytest.raises(InvalidStatus), connect(f"ws://{target.host}/line", origin=Origin(origin)):
                pass
    return "403"


def leave_the_folder(target: Target) -> str:
    """path traversal"""
    for path in (
        *("/../../../../etc/passwd", "/parts/../../share_server.py", "/parts/%2e%2e/%2e%2e/share_server.py"),
        *("/parts/..%2f..%2fshare_server.py", "/parts//etc/passwd", "/parts/%00.js", "/parts/%ff%fe.js"),
        *("/league/../site.py", "/league/%2e%2e/site.py", "/parts/....//share_server.py"),
        *("/parts/..\\..\\share_server.py", "http://evil.example/", "//evil.example/parts/tv.js"),
    ):
        assert target.status(path=path) == 404, path
    return "404"


def smuggle(target: Target) -> str:
    """request smuggling: two ways to say where a body ends"""
    inner = f"GET /smuggled HTTP/1.1\r\nHost: {target.host}\r\n\r\n"
    own = f"POST {target.posts} HTTP/1.1\r\nHost: {target.host}\r\nOrigin: http://{target.host}\r\n"
    length = len(inner)
    chunked = f"0\r\n\r\n{inner}"
    for lines in (
        f"Content-Length: {len(chunked)}\r\nTransfer-Encoding: chunked\r\n\r\n{chunked}",
        f"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n{chunked}",
        f"Transfer-Encoding: xchunked\r\n\r\n{chunked}",
        f"Transfer-Encoding : chunked\r\n\r\n{chunked}",
        f"Transfer-Encoding:\x0bchunked\r\n\r\n{chunked}",
        f"Content-Length: 0\r\nContent-Length: {length}\r\n\r\n{inner}",
        f"Content-Length: 0, {length}\r\n\r\n{inner}",
        f"Content-Length: +{length}\r\n\r\n{inner}",
        f"Content-Length: 0x{length:x}\r\n\r\n{inner}",
        f"Content-Length: 0\r\n Transfer-Encoding: chunked\r\n\r\n{chunked}",
    ):
        answer = target.send(own + lines)
        assert answer.count(b"HTTP/1.1 ") == 1, lines
        assert status_of(answer) in (400, 413), lines
    return "400 or 413, one answer, hung up"


def send_oversized_requests(target: Target) -> str:
    """oversized paths, headers and bodies"""
    # The server hangs up while the rest is still coming, which may overtake its answer.
    cut_off = HUNG_UP
    assert target.status(path="/" + "a" * 100_000) in (431, cut_off)
    assert target.status(X="a" * 100_000) in (431, cut_off)
    many = f"GET / HTTP/1.1\r\nHost: {target.host}\r\n" + "X: y\r\n" * 20_000
    assert status_of(target.send(many)) in (400, cut_off)
    for length, refused_by in (("4097", 413), ("1000000000", 413), ("9" * 30, 400)):
        got = target.status(
            method="POST", path=target.posts, Origin=f"http://{target.host}", Content_Length=length
        )
        assert got == refused_by, length
    if target.league:  # what a table sends may be large, but not all at once
        large = protocol.LARGEST_REQUEST
        assert (
            target.status(
                method="POST",
                path="/entries",
                Content_Type="application/msgpack",
                Content_Length=str(large + 1),
            )
            == 413
        )
        head = (
            f"POST /entries HTTP/1.1\r\nHost: {target.host}\r\nContent-Type: application/msgpack\r\n"
            f"Content-Length: {large}\r\n\r\n"
        ).encode()
        wires = [target.dial() for _ in range(3)]
        for wire in wires:
            wire.sendall(head)
        assert any(status_of(read_all(wire, PATIENCE)) == 429 for wire in wires)
        close_all(wires)
    assert target.is_well(), NOT_WHAT_THEY_SHOULD
    return "400, 413, 429, 431, and hung up"


def send_oversized_frames(target: Target) -> str:
    """oversized frames, and frames that are none of ours"""
    if not target.share:
        with (
            pytest.raises(InvalidStatus),
            connect(f"ws://{target.host}/line", origin=Origin(f"http://{target.host}")),
        ):
            pass
        return "no WebSocket"
    for frame in (
        *("x" * (TABLE_LIMITS.body_bytes + 1), "[" * 4000, '{"type":"hello","letters":7}'),
        *(b"x" * (MAX_PICTURE_BYTES + 1), b"x"),
    ):
        with open_wire(target) as wire:
            with contextlib.suppress(ConnectionClosed):  # it may be hung up on while it is sending
                wire.send(frame)
            with pytest.raises(ConnectionClosed):
                wire.recv(timeout=20)
    with open_wire(target) as wire:  # a header that announces four gigabytes
        wire.socket.sendall(b"\x82\xff" + (1 << 32).to_bytes(8, "big") + b"mask")
        with pytest.raises(ConnectionClosed):
            wire.recv(timeout=20)
    assert target.is_well(), NOT_WHAT_THEY_SHOULD
    return "closed (1007, 1009)"


# codes, links, keys


@contextlib.contextmanager
def open_wire(target: Target, source: str = ATTACKER) -> Iterator[ClientConnection]:
    """Open a page's connection to the table."""
    origin = Origin(f"http://{target.host}")
    with connect(f"ws://{target.host}/line", origin=origin, source_address=(source, 0)) as wire:
        yield wire


def try_code(target: Target, code: str, source: str) -> str:
    """Try a join code from an address; return what came of it: in, wrong or wait."""
    if target.share:
        with open_wire(target, source) as wire:
            wire.send(json.dumps({"type": "hello", "letters": code}))
            try:
                return "in" if "you" in json.loads(wire.recv(timeout=20)) else "wrong"
            except ConnectionClosed as closed:
                return "wait" if closed.rcvd and closed.rcvd.code == CloseCode.WAIT else "wrong"
    line = TableConnection(f"http://{target.host}", chain.generate_key())
    line._connection.source_address = (source, 0)
    with contextlib.closing(line):
        try:
            line.join_club(code, "One")
        except RefusedByServer as fault:
            return "wait" if fault.text.code == "league.too_many_codes" else "wrong"
    return "in"


def guess_codes(target: Target) -> str:
    """guessed codes"""
    right = target.share.tokens.ensure_join_code(JOIN) if target.share else target.league.club.code
    most, seconds = WRONG_CODES[0]
    tried = [try_code(target, "AEIO", "127.0.6.8") for _ in range(most + 2)]
    assert tried == ["wrong"] * most + ["wait"] * 2
    # not even the right one, from there; from anywhere else at once
    assert try_code(target, right, "127.0.6.8") == "wait"
    assert try_code(target, right, "127.0.6.9") == "in"
    return f"{most} in {seconds:.0f} s and {WRONG_CODES[1][0]} in an hour for each address; nobody else waits"


def steal_links(target: Target) -> str:
    """stolen links and keys"""
    if target.share:
        tokens, ann = target.share.tokens, Purpose("seat", "Ann")
        with Line(target.share, ann) as owner:
            with Line(target.share, ann):  # by her own link, over her shoulder
                assert owner.ended() == CloseCode.ELSEWHERE
            with Line(target.share, **{"pass": owner.you["pass"], "take": True}):
                old = tokens.ensure_invite_token(ann)
                tokens.renew_invite(ann)
                assert refused(target.share, token=old) == CloseCode.VOID
        for kind in ("token", "pass"):
            assert refused(target.share, **{kind: "guess"}) == CloseCode.VOID
        return "the owner is told and takes the seat back; a renewed link is void"
    for key in ("", "Bearer ", "Bearer guess", f"Basic {KEY}", KEY):
        headers = {"Origin": f"http://{target.host}", "Authorization": key, "Content-Length": "2"}
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        request = f"POST /organise HTTP/1.1\r\nHost: {target.host}\r\n{lines}\r\n{{}}"
        assert status_of(target.send(request)) == 403, key
    stolen = TableConnection(f"http://{target.host}", chain.generate_key(), target.league.club.uid)
    with contextlib.closing(stolen), pytest.raises(RefusedByServer):
        stolen.announce_session(chain.ChainedSession.from_head(1.0, "dtc", b"{}"))
    return "403: the key ends with the server; tables sign with their own"


def replay(target: Target) -> str:
    """replayed messages"""
    if target.share:
        tokens = target.share.tokens
        ticket = tokens.make_ticket(Purpose("seat", "Bob"))
        with Line(target.share, token=ticket) as page:
            assert refused(target.share, token=ticket) == CloseCode.VOID
            act = {"seat": "Bob", "about": "people"}
            assert page.ask("talk", "x.1", **act) == page.ask("talk", "x.1", **act)
            page.say("leave")
            assert page.ended() == CloseCode.GONE
        assert refused(target.share, **{"pass": page.you["pass"]}) == CloseCode.VOID
        return "tickets are for once; a repeated act gets the same answer; a pass that was left is void"
    line = TableConnection(f"http://{target.host}", chain.generate_key())
    with contextlib.closing(line):
        line.join_club(target.league.club.code, "One")
        sent: list[tuple[str, Any]] = []

        def record(path: str, message: Any, _reply: type) -> protocol.Acknowledgement:
            sent.append((path, message))
            return protocol.Acknowledgement("ok")

        with patch.object(line, "send_message", record):
            line.send_seats(uuid4(), {"s1": "Ann"}, 7)
        [(path, recorded)] = sent
        forged = TableConnection(f"http://{target.host}", chain.generate_key())
        with contextlib.closing(forged):
            answers = {forged.send_message(path, recorded, protocol.Acknowledgement).answer for _ in range(2)}
            assert answers == {"unknown"}
            other = protocol.TellSeats(recorded.key, recorded.session, 8, recorded.seats, recorded.signature)
            with pytest.raises(RefusedByServer):
                forged.send_message(path, other, protocol.Acknowledgement)
    return "the same bytes change nothing twice; changed ones have no valid signature"


def read_secrets_in_addresses(target: Target) -> str:
    """secrets in addresses that are sent, or kept in logs"""
    if target.share:
        secrets = {
            target.share.tokens.ensure_invite_token(one) for one in (JOIN, WATCH, Purpose("seat", "Ann"))
        }
        for invite in target.share.build_invitation().invites:
            sent, _, kept = invite.link.partition("#")
            assert kept
            assert not any(secret in sent for secret in secrets)
    page = target.send(f"GET / HTTP/1.1\r\nHost: {target.host}\r\n\r\n")
    for header in (b"content-security-policy", b"referrer-policy: no-referrer", b"cache-control: no-store"):
        assert header in page.lower()
    assert b"server:" not in page.lower().partition(b"\r\n\r\n")[0]
    assert b"set-cookie" not in page.lower()
    return "only behind the #, which browsers do not send; no cookies, no logs"


ATTACKS: tuple[Callable[[Target], str], ...] = (
    *(send_slowly, read_slowly, flood_from_one_address, flood_from_many_addresses, flood_with_requests),
    *(rebind, forge_requests, leave_the_folder, smuggle, send_oversized_requests, send_oversized_frames),
    *(guess_codes, steal_links, replay, read_secrets_in_addresses),
)


@contextlib.contextmanager
def attacked_table() -> Iterator[Target]:
    """A shared table with small limits."""
    with patch.object(share_server, "TABLE_LIMITS", dataclasses.replace(TABLE_LIMITS, **SMALL)):
        live, share = shared()
    try:
        with Ticking(live):
            yield Target("table", share.place.port, "/", share=share)
    finally:
        share.close()


@contextlib.contextmanager
def attacked_league(database: str) -> Iterator[Target]:
    """A league's server with small limits."""
    found = club.open_club(database)
    pages = Site(database, found, Translator("en"), KEY)
    with (
        contextlib.closing(pages),
        contextlib.closing(LeagueServer(database, found, pages.routes)) as server,
    ):
        pages.next_news_event = server.next_news_event
        with served(server.app, limits=dataclasses.replace(LEAGUE_LIMITS, **SMALL)) as url:
            yield Target("league", int(url.rpartition(":")[2]), "/organise", league=server)


@contextlib.contextmanager
def short_timeouts() -> Iterator[None]:
    """Let the servers wait for a second where they wait for ten."""
    with (
        patch.object(connections, "REQUEST_TIMEOUT", TIMEOUT),
        patch.object(connections, "RESPONSE_TIMEOUT", TIMEOUT),
    ):
        yield


def main() -> None:
    """Attack both servers, and print what they did."""
    above = Path(tempfile.mkdtemp(prefix="attacked"))
    above.chmod(0o755)
    try:
        with (
            short_timeouts(),
            Postgres(above / "data", NO_WAIT) as postgres,
            attacked_table() as table,
            attacked_league(postgres.url) as league,
        ):
            print("| attack | shared table | league |\n|---|---|---|")
            for attack in ATTACKS:
                print(f"| {attack.__doc__} | {attack(table)} | {attack(league)} |", flush=True)
    finally:
        shutil.rmtree(above, ignore_errors=True)


if __name__ == "__main__":
    main()
