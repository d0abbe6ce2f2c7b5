"""Checks of each request: its host, origin, size and rate; and the headers of every response.

A page of another site can make a browser in this network send requests here. It cannot choose their
`Host` (so a foreign name that resolves to this address is refused: DNS rebinding) nor hide their
`Origin` (so another site can neither post nor open a WebSocket).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from companion.web.limits import BodyBudget, Limits, RateLimiter

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


_REFUSED = {**HEADERS, "connection": "close"}
"""Headers of a refusal. The connection ends with it: what follows on it may be a second request
that was hidden in the body of the first."""
MAX_HEAD_BYTES = 16_384
"""Most bytes of a request's path and headers together; a browser's take one or two thousand."""


@dataclass(frozen=True)
class SiteRules:
    """How browsers and programs may address one server.

    `hosts`: allowed values of `Host`, with the port. `own_addresses`: allow the IP address and port
    at which a connection arrived, too (for a server that listens on every address). `secure`:
    served by HTTPS. `for_programs`: paths at which programs post: without an `Origin`, and with a
    media type that no web page can send to another site without asking.
    """

    hosts: Collection[str]
    secure: bool
    own_addresses: bool = False
    for_programs: Collection[str] = ()
    media_type: str = "application/msgpack"


class RequestGuard:
    """ASGI wrapper that checks each request."""

    def __init__(self, app: ASGIApp, site: SiteRules, limits: Limits) -> None:
        self._app, self._site, self._limits = app, site, limits
        self._hosts = frozenset(site.hosts)
        self._buckets, self._budget = RateLimiter(limits), BodyBudget(limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, or pass it on and add the headers."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        status = self._find_refusal_status(scope, headers)
        if status and scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if status:
            await PlainTextResponse("", status, _REFUSED)(scope, receive, send)
            return
        # Checked above: a number, and small.
        size = int(headers.get("content-length", "0"))
        if not self._budget.reserve(_client_address(scope), size):
            await PlainTextResponse("", 429, {**_REFUSED, "retry-after": "1"})(scope, receive, send)
            return
        try:
            await self._app(scope, receive, _add_headers(send))
        finally:
            self._budget.release(_client_address(scope), size)

    def _find_refusal_status(self, scope: Scope, headers: Headers) -> int:
        # The bucket comes last: requests that another site provokes in a browser here must not use
        # up those of our own pages.
        if not self._is_own_host(scope, headers.get("host", "")):
            return 421
        if not self._has_own_origin(scope, headers):
            return 403
        if _measure_head(scope) > MAX_HEAD_BYTES:
            return 431
        if not self._has_small_body(scope, headers):
            return 413
        return 0 if self._buckets.take_token(_client_address(scope)) else 429

    def _is_own_host(self, scope: Scope, host: str) -> bool:
        if host in self._hosts:
            return True
        server = scope.get("server")
        if not self._site.own_addresses or server is None:
            return False
        # The address of this very connection: a rebound name never reads as an address.
        name = f"[{server[0]}]" if ":" in server[0] else server[0]
        return host == f"{name}:{server[1]}"

    def _has_own_origin(self, scope: Scope, headers: Headers) -> bool:
        """Return whether a request that acts comes from a page of the same host."""
        if scope["type"] == "http" and scope.get("method") in ("GET", "HEAD"):
            return True
        origin = headers.get("origin")
        if origin is None and scope["path"] in self._site.for_programs:
            # Browsers name the origin of every post. Older ones may not, but none posts this type
            # to another site without asking first (CORS).
            return headers.get("content-type") == self._site.media_type
        return origin == f"{'https' if self._site.secure else 'http'}://{headers['host']}"

    def _has_small_body(self, scope: Scope, headers: Headers) -> bool:
        """Return whether the body is small enough. One without a stated length is refused too: our
        pages and programs always state it, and two ways to say where a body ends are how requests
        are smuggled."""
        length = headers.get("content-length", "0")
        most = self._limits.body_bytes_at.get(scope["path"], self._limits.body_bytes)
        return (
            "transfer-encoding" not in headers
            and length.isdecimal()
            and len(length) < 10  # `int` raises ValueError for thousands of digits
            and int(length) <= most
        )


def _measure_head(scope: Scope) -> int:
    lines = sum(len(name) + len(value) for name, value in scope["headers"])
    return lines + len(scope.get("raw_path") or b"") + len(scope.get("query_string", b""))


def _client_address(scope: Scope) -> str:
    return str(scope["client"][0]) if scope.get("client") else ""


def _add_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
        await send(message)

    return send_with_headers
