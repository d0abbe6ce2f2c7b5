"""Checks of each request: its host, origin, size and rate; and the headers of every response.

A page of another site can make a browser in this network send requests here. It cannot choose their
`Host` (so a foreign name that resolves to this address is refused: DNS rebinding) nor hide their
`Origin` (so another site can neither post nor open a WebSocket).
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from companion.web.addresses import build_origin, is_loopback
from companion.web.limits import Limits, RateLimiter, RequestBudget

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
_HOST = re.compile(r"[a-z0-9._:\[\]-]{1,255}", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True)
class SiteRules:
    """How browsers and programs may address one server.

    `origins`: addresses of our pages (`build_origin`). `own_addresses`: allow the IP address and
    port at which a connection arrived, too (for a server that listens on every address). `secure`:
    served by HTTPS. `for_programs`: paths at which programs post: without an `Origin`, and with a
    media type that no web page can send to another site without asking. `describe_misdirection`:
    returns a sentence for clients that ask for another address, which is its argument.
    """

    origins: Collection[str]
    secure: bool
    own_addresses: bool = False
    for_programs: Collection[str] = ()
    media_type: str = "application/msgpack"
    describe_misdirection: Callable[[str], str] = lambda _address: ""

    @property
    def is_behind_proxy(self) -> bool:
        """Whether browsers use HTTPS and this server does not: a proxy does it for them."""
        return not self.secure and any(origin.startswith("https:") for origin in self.origins)

    def is_proxy(self, address: str) -> bool:
        """Return whether a client at this address is the proxy. It must run on this computer:
        anybody else could claim to be one, and then to be anybody."""
        return self.is_behind_proxy and is_loopback(address)


class RequestGuard:
    """ASGI wrapper that checks each request."""

    def __init__(self, app: ASGIApp, site: SiteRules, limits: Limits) -> None:
        self._app, self._site, self._limits = app, site, limits
        self._origins = frozenset(site.origins)
        self._buckets, self._budget = RateLimiter(limits), RequestBudget(limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, or pass it on and add the headers."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        scope = self._identify_client(scope, headers)
        status = self._find_refusal_status(scope, headers)
        if status and scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if status:
            words = self._site.describe_misdirection(self._read_address(headers)) if status == 421 else ""
            await PlainTextResponse(words, status, _REFUSED)(scope, receive, send)
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
        own_origins = self._origins | self._list_connection_origins(scope)
        # The bucket comes last: requests that another site provokes in a browser here must not use
        # up those of our own pages.
        if headers.get("host", "") not in {origin.partition("://")[2] for origin in own_origins}:
            return 421
        if not self._has_own_origin(scope, headers, own_origins):
            return 403
        if _measure_head(scope) > MAX_HEAD_BYTES:
            return 431
        if not self._has_small_body(scope, headers):
            return 413
        return 0 if self._buckets.take_token(_client_address(scope)) else 429

    def _read_address(self, headers: Headers) -> str:
        """Return the address that a browser has asked for."""
        # A proxy that encrypts, and that nobody has told us of, says so.
        proxied = headers.get("x-forwarded-proto") == "https" or self._site.is_behind_proxy
        host = headers.get("host", "")
        # Anything may stand in this header.
        known = host if _HOST.fullmatch(host) else "NAME"
        return f"{'https' if self._site.secure or proxied else 'http'}://{known}"

    def _identify_client(self, scope: Scope, headers: Headers) -> Scope:
        """Return `scope` with the client for whom the proxy asks, if it is from the proxy."""
        named = headers.getlist("x-forwarded-for")
        if not named or not self._site.is_proxy(_client_address(scope)):
            return scope
        # The proxy adds the client at the end; what stands before it is what the client claims.
        address = named[-1].rpartition(",")[2].strip()
        try:
            ipaddress.ip_address(address)
        except ValueError:
            return scope
        return {**scope, "client": (address, 0)}

    def _list_connection_origins(self, scope: Scope) -> frozenset[str]:
        """Return the address of this very connection: a rebound name never reads as one."""
        server = scope.get("server")
        if not self._site.own_addresses or server is None:
            return frozenset()
        name = f"[{server[0]}]" if ":" in server[0] else server[0]
        return frozenset({build_origin(name, secure=self._site.secure, port=server[1])})

    def _has_own_origin(self, scope: Scope, headers: Headers, own_origins: Collection[str]) -> bool:
        """Return whether a request that acts comes from one of our own pages."""
        if scope["type"] == "http" and scope.get("method") in ("GET", "HEAD"):
            return True
        origin = headers.get("origin")
        if origin is None and scope["path"] in self._site.for_programs:
            # Browsers name the origin of every post. Older ones may not, but none posts this type
            # to another site without asking first (CORS).
            return headers.get("content-type") == self._site.media_type
        # Not only that of `Host`: some proxies write their own `Host`.
        return origin in own_origins

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
