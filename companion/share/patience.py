"""Connections: no more from one address than a household needs, and none that keeps the server
waiting for a request: one client cannot shut others out.

uvicorn offers no limit for either. So the listening socket counts whom it lets in, an ASGI layer
notes which of them owe a request, and who owes one too long is hung up on, by the socket.
"""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from collections.abc import Callable
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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


class Lines:
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


class Listener(socket.socket):
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
