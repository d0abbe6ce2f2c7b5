"""Checks that every client must pass before its request is handled: number of connections, and of
each request its host, origin, size and rate. Also the headers of every response.

A page of another site can make a browser at this table send requests here. It cannot choose their
`Host` (so a foreign name that resolves to this address is refused: DNS rebinding) nor hide their
`Origin` (so another site can neither post nor open a WebSocket).

No address may have more connections than a household needs, and none may keep the server waiting
for a request, so one client cannot shut others out. uvicorn has no limit for either. Therefore the
listening socket counts the connections that it accepts, an ASGI layer records which of them have
not sent their request yet, and those that take too long are shut down at the socket.
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
"""Headers of every response. `no-store`: pictures of the table stay in no browser's disk cache."""
MAX_BODY_BYTES = 4096
"""Most bytes in the body of a request; a token and a choice are far smaller."""
BURST, REFILL = 120, 20.0
"""Requests that one address may make at once, and per second after that. A page with its parts and
cards takes ten, and all phones of a table may share an address."""
MAX_ADDRESSES = 256
"""Addresses whose rate is remembered; the one that was silent longest is dropped first."""


class RateLimiter:
    """Token buckets, one for each address."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take_token(self, address: str) -> bool:
        """Take a token; return whether there was one."""
        now = self._clock()
        left, since = self._left.pop(address, (float(BURST), now))
        left = min(left + (now - since) * REFILL, BURST)
        self._left[address] = (max(left - 1, 0.0), now)
        while len(self._left) > MAX_ADDRESSES:
            self._left.popitem(last=False)
        return left >= 1


class RequestGuard:
    """ASGI wrapper that checks each request. `hosts`: allowed values of `Host`, with the port.
    `scheme`: `http` or `https`."""

    def __init__(self, app: ASGIApp, hosts: Collection[str], scheme: str) -> None:
        self._app = app
        self._hosts = frozenset(hosts)
        self._origins = frozenset(f"{scheme}://{host}" for host in hosts)
        self._buckets = RateLimiter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, or pass it on and add the headers."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        status = self._find_refusal_status(scope)
        if status and scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        elif status:
            await PlainTextResponse("", status, HEADERS)(scope, receive, send)
        else:
            await self._app(scope, receive, _add_headers(send))

    def _find_refusal_status(self, scope: Scope) -> int:
        headers = Headers(scope=scope)
        # The bucket comes last: requests that another site provokes in a browser here must not use
        # up those of the table's own pages.
        if headers.get("host", "") not in self._hosts:
            return 421
        acts = scope["type"] == "websocket" or scope.get("method") not in ("GET", "HEAD")
        if acts and headers.get("origin", "") not in self._origins:
            return 403
        if not self._has_small_body(headers):
            return 413
        address = scope["client"][0] if scope.get("client") else ""
        return 0 if self._buckets.take_token(address) else 429

    @staticmethod
    def _has_small_body(headers: Headers) -> bool:
        """Return whether the body is small enough. One without a stated length is refused too: our
        pages never send one."""
        # Nine digits are enough: `int` raises ValueError for thousands of them.
        length = headers.get("content-length", "0")
        return "transfer-encoding" not in headers and length.isdecimal() and int(length[:9]) <= MAX_BODY_BYTES


def _add_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
        await send(message)

    return send_with_headers


CONNECTIONS_PER_ADDRESS = 64
"""Most connections from one address. A browser uses up to seven for a page, and no table has fifty
pages on one machine."""
REQUEST_TIMEOUT = 10.0
"""Seconds in which a request must arrive completely, body and TLS handshake included; they count
from a new connection, and again after each response."""
CHECKS_PER_TIMEOUT = 10
"""Number of checks of the connections within that time."""

Peer = tuple[str, int]
"""Address and port of the other end."""


class ConnectionLimiter:
    """Connections of one server. `app`: the application that handles requests."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._open: dict[Peer, socket.socket] = {}
        self._owing: dict[Peer, float] = {}

    def admit_connection(self, connection: socket.socket, peer: Peer, now: float) -> bool:
        """Record a connection; return whether its address may have so many."""
        self._forget_closed()
        if Counter(address for address, _ in self._open)[peer[0]] >= CONNECTIONS_PER_ADDRESS:
            return False
        self._open[peer] = connection
        self._owing[peer] = now
        return True

    def close_silent(self, now: float) -> None:
        """Shut down the connections whose request is overdue."""
        self._forget_closed()
        for peer in [peer for peer, since in self._owing.items() if now - since > REQUEST_TIMEOUT]:
            del self._owing[peer]
            try:
                self._open[peer].shutdown(socket.SHUT_RDWR)
            except OSError:  # it has just hung up itself
                continue

    async def watch_silent(self) -> None:
        """Shut down overdue connections until cancelled."""
        now = asyncio.get_running_loop().time
        while True:
            await asyncio.sleep(REQUEST_TIMEOUT / CHECKS_PER_TIMEOUT)
            self.close_silent(now())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on. Once it is complete nothing is due; the next one is due after the
        response. A WebSocket owes no request."""
        client = scope.get("client")
        peer = (client[0], client[1]) if client else ("", 0)
        if not _has_body(scope):
            self._owing.pop(peer, None)

        async def receive_whole_body() -> Message:
            message = await receive()
            if not message.get("more_body"):
                self._owing.pop(peer, None)
            return message

        try:
            await self._app(scope, receive_whole_body, send)
        finally:
            if peer in self._open:
                self._owing[peer] = asyncio.get_running_loop().time()

    def _forget_closed(self) -> None:
        for peer in [peer for peer, line in self._open.items() if line.fileno() == -1]:
            del self._open[peer]
            self._owing.pop(peer, None)


class ListeningSocket(socket.socket):
    """Listening socket that shares the port of `of` and closes at once the connections that `take`
    refuses."""

    def __init__(self, of: socket.socket, take: Callable[[socket.socket, Peer, float], bool]) -> None:
        super().__init__(fileno=of.dup().detach())
        self._take = take

    def accept(self) -> tuple[socket.socket, Any]:
        """Return the next connection that `take` accepts."""
        while True:
            line, address = super().accept()
            if self._take(line, address[:2], asyncio.get_running_loop().time()):
                return line, address
            line.close()


def _has_body(scope: Scope) -> bool:
    return scope["type"] == "http" and Headers(scope=scope).get("content-length", "0") != "0"
