"""Limits on connections: how many in all and from each network, and how long each may keep the
server waiting.

No network may have more connections than a household needs, and none may keep the server waiting
for a request or for reading its response, so one client cannot shut others out. uvicorn has no
limit for any of these. Therefore the listening socket counts the connections that it accepts, an
ASGI layer records which of them have not sent their request yet, and those that take too long are
shut down at the socket.

When there are as many connections as the server may have, a new one takes the place of one that has
shown no link or pass, of the network that has the most. So a flood, even from many addresses,
displaces itself before it displaces a guest, and never a player.
"""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from collections.abc import Callable
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from companion.web.limits import Limits, identify_network

REQUEST_TIMEOUT = 10.0
"""Seconds in which a request must arrive completely, body and TLS handshake included; they count
from a new connection, and again after each response."""
RESPONSE_TIMEOUT = 10.0
"""Seconds in which a client must accept each part of a response."""
CHECKS_PER_TIMEOUT = 10
"""Number of checks of the connections within `REQUEST_TIMEOUT`."""
ADMISSION = "companion.admit"
"""Key of an ASGI scope: the function that `admit_client` calls."""

Peer = tuple[str, int]
"""Address and port of the other end."""


def admit_client(scope: Scope) -> None:
    """Record that the client has shown a valid link or pass: its connection is never displaced."""
    if ADMISSION in scope:
        scope[ADMISSION]()


class ConnectionLimiter:
    """Connections of one server. `app`: the application that handles requests. `is_proxy`: tells
    by its address whether a client is the proxy, which has everybody's connections."""

    def __init__(
        self, app: ASGIApp, limits: Limits, is_proxy: Callable[[str], bool] = lambda _address: False
    ) -> None:
        self._app, self._limits, self._is_proxy = app, limits, is_proxy
        self._open: dict[Peer, socket.socket] = {}
        self._owing: dict[Peer, float] = {}
        self._admitted: set[Peer] = set()

    def admit_connection(self, connection: socket.socket, peer: Peer, now: float) -> bool:
        """Record a connection; return whether it may stay."""
        self._forget_closed()
        counts = Counter(identify_network(address) for address, _ in self._open)
        own = counts[identify_network(peer[0])]
        if own >= self._limits.connections_per_network and not self._is_proxy(peer[0]):
            return False
        if len(self._open) >= self._limits.connections and not self._displace_one(counts, own):
            return False
        # A new connection owes its first request, and its TLS handshake before that.
        self._open[peer] = connection
        self._owing[peer] = now
        return True

    def _displace_one(self, counts: Counter[str], own: int) -> bool:
        """Shut down a connection for one of a network that has `own`; return whether there was a
        suitable one."""

        def rank(peer: Peer) -> tuple[int, bool]:
            return counts[identify_network(peer[0])], peer in self._owing

        # The first of equals is the oldest: dictionaries keep the order of insertion.
        victim = max((peer for peer in self._open if peer not in self._admitted), key=rank, default=None)
        # A network that has as many itself may only take the place of one that owes a request.
        if victim is None or rank(victim) < (own, True):
            return False
        self._shut_down(victim)
        return True

    def _shut_down(self, peer: Peer) -> None:
        self._owing.pop(peer, None)
        self._admitted.discard(peer)
        try:
            self._open.pop(peer).shutdown(socket.SHUT_RDWR)
        except OSError:  # it has just hung up itself
            return

    def close_silent(self, now: float) -> None:
        """Shut down the connections whose request is overdue."""
        self._forget_closed()
        for peer in [peer for peer, since in self._owing.items() if now - since > REQUEST_TIMEOUT]:
            self._shut_down(peer)

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

        async def send_in_time(message: Message) -> None:
            if scope["type"] == "websocket":  # the page's connection has its own limit
                await send(message)
                return
            try:
                async with asyncio.timeout(RESPONSE_TIMEOUT):
                    await send(message)
            except TimeoutError:
                # Closing politely would wait for the same client to read the rest.
                if peer in self._open:
                    self._shut_down(peer)
                raise OSError("the client does not read its response") from None

        scope[ADMISSION] = lambda: self._admitted.add(peer) if peer in self._open else None
        try:
            await self._app(scope, receive_whole_body, send_in_time)
        finally:
            self._admitted.discard(peer)
            if peer in self._open:
                self._owing[peer] = asyncio.get_running_loop().time()

    def _forget_closed(self) -> None:
        for peer in [peer for peer, line in self._open.items() if line.fileno() == -1]:
            del self._open[peer]
            self._owing.pop(peer, None)
            self._admitted.discard(peer)


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
