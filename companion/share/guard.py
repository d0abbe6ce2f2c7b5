"""What every client must pass before anything looks at what it wants: how it connects, and of each
request its host, its origin, its size, its number; and what every answer carries.

A page of another site can make a browser at this table send requests here. It cannot choose their
`Host` (so a name that was pointed at this address is refused: DNS rebinding) nor hide their
`Origin` (so another site can post nothing and open no socket).

No address has more connections than a household needs, and none keeps the server waiting for a
request: one client cannot shut others out. uvicorn offers no limit for either. So the listening
socket counts whom it lets in, an ASGI layer notes which of them owe a request, and who owes one too
long is hung up on, by the socket.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "media-src 'self' blob:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(self), microphone=(), geolocation=()",
    "cache-control": "no-store",
}
"""On every answer. `no-store`: what was on the table stays in no browser's disk cache."""
LARGEST_BODY = 4096
"""Bytes of a request's body: a token and a choice are far smaller."""
BURST, REFILL = 120, 20.0
"""Requests one address may make at once, and each second: a page with its parts and the cards takes
ten, and the phones of a table may have one address."""
MOST_ADDRESSES = 256
"""Addresses that are remembered for that; the one that was longest silent goes first."""


class Buckets:
    """A token bucket for each address."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, address: str) -> bool:
        """Take one; tell whether there was one."""
        now = self._clock()
        left, since = self._left.pop(address, (float(BURST), now))
        left = min(left + (now - since) * REFILL, BURST)
        self._left[address] = (max(left - 1, 0.0), now)
        while len(self._left) > MOST_ADDRESSES:
            self._left.popitem(last=False)
        return left >= 1


class Guard:
    """Wraps the application. `hosts`: what `Host` may say, with the port. `scheme`: `http` or
    `https`."""

    def __init__(self, app: ASGIApp, hosts: Collection[str], scheme: str) -> None:
        self._app = app
        self._hosts = frozenset(hosts)
        self._origins = frozenset(f"{scheme}://{host}" for host in hosts)
        self._buckets = Buckets()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or pass on and add the headers."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        status = self._refusal(scope)
        if status and scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        elif status:
            await PlainTextResponse("", status, HEADERS)(scope, receive, send)
        else:
            await self._app(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> int:
        headers = Headers(scope=scope)
        # The bucket comes last: what another site makes a browser here send must not use up what
        # the table's own pages may ask for.
        if headers.get("host", "") not in self._hosts:
            return 421
        acts = scope["type"] == "websocket" or scope.get("method") not in ("GET", "HEAD")
        if acts and headers.get("origin", "") not in self._origins:
            return 403
        if not self._small(headers):
            return 413
        address = scope["client"][0] if scope.get("client") else ""
        return 0 if self._buckets.take(address) else 429

    @staticmethod
    def _small(headers: Headers) -> bool:
        """A body without a stated length is refused as well: nothing of ours sends one."""
        # Nine digits say enough: `int` raises ValueError for thousands of them.
        length = headers.get("content-length", "0")
        return "transfer-encoding" not in headers and length.isdecimal() and int(length[:9]) <= LARGEST_BODY


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
        await send(message)

    return sent


PER_ADDRESS = 64
"""Connections from one address: a browser takes up to seven for a page, and fifty pages on one
machine is more than any table has."""
SILENCE = 10.0
"""Seconds for a request to come in whole, body and encryption too; a new connection begins with
one, and after an answer the next may follow."""
LOOKS = 10
"""How often within that time the connections are looked at."""

Peer = tuple[str, int]
"""The address and port at the other end."""


class Connections:
    """The connections of one server. `app`: what answers requests."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._open: dict[Peer, socket.socket] = {}
        self._owing: dict[Peer, float] = {}

    def take(self, line: socket.socket, peer: Peer, now: float) -> bool:
        """Note a connection; tell whether its address may have so many."""
        self._forget_closed()
        if Counter(address for address, _ in self._open)[peer[0]] >= PER_ADDRESS:
            return False
        self._open[peer] = line
        self._owing[peer] = now
        return True

    def hang_up(self, now: float) -> None:
        """Hang up on those that have owed a request for too long."""
        self._forget_closed()
        for peer in [peer for peer, since in self._owing.items() if now - since > SILENCE]:
            del self._owing[peer]
            try:
                self._open[peer].shutdown(socket.SHUT_RDWR)
            except OSError:  # it has just hung up itself
                continue

    async def watch(self) -> None:
        """Hang up on whoever is due, until cancelled."""
        now = asyncio.get_running_loop().time
        while True:
            await asyncio.sleep(SILENCE / LOOKS)
            self.hang_up(now())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on. It is owed no more once it is whole; the next one is, after the
        answer. A WebSocket owes nothing."""
        client = scope.get("client")
        peer = (client[0], client[1]) if client else ("", 0)
        if not _has_body(scope):
            self._owing.pop(peer, None)

        async def whole() -> Message:
            message = await receive()
            if not message.get("more_body"):
                self._owing.pop(peer, None)
            return message

        try:
            await self._app(scope, whole, send)
        finally:
            if peer in self._open:
                self._owing[peer] = asyncio.get_running_loop().time()

    def _forget_closed(self) -> None:
        for peer in [peer for peer, line in self._open.items() if line.fileno() == -1]:
            del self._open[peer]
            self._owing.pop(peer, None)


class ListeningSocket(socket.socket):
    """A listening socket that shares the port of `of`, and closes at once the connections that
    `take` does not take."""

    def __init__(self, of: socket.socket, take: Callable[[socket.socket, Peer, float], bool]) -> None:
        super().__init__(fileno=of.dup().detach())
        self._take = take

    def accept(self) -> tuple[socket.socket, Any]:
        """Return the next connection that is taken."""
        while True:
            line, address = super().accept()
            if self._take(line, address[:2], asyncio.get_running_loop().time()):
                return line, address
            line.close()


def _has_body(scope: Scope) -> bool:
    return scope["type"] == "http" and Headers(scope=scope).get("content-length", "0") != "0"
