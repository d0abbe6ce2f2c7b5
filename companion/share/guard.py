"""What every request must pass before anything looks at it: its host, its origin, its size, its
number; and what every answer carries.

A page of another site can make a browser at this table send requests here. It cannot choose their
`Host` (so a name that was pointed at this address is refused: DNS rebinding) nor hide their
`Origin` (so another site can post nothing and open no socket).
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Collection

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
BURST, REFILL = 60, 20.0
"""Requests one address may make at once, and each second: a page with its parts takes seven."""
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
