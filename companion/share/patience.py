"""Connections: no more from one address than a household needs, and none that says nothing: one client cannot shut others out."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

PER_ADDRESS = 64
"""Connections from one address: a browser takes up to seven for a page, and fifty pages on one machine is more than any table has."""
SILENCE = 10.0
"""Seconds for which a new connection may stay without a whole request."""


class Patient(H11Protocol):
    """uvicorn's HTTP/1.1 protocol with these two limits."""

    _open: Counter[str] = Counter()

    @classmethod
    def begin(cls) -> None:
        """Count anew: the connections of a server that has died have not been counted off."""
        cls._open.clear()

    def connection_made(self, transport: Any) -> None:
        """Take the connection, or close it at once."""
        peer = transport.get_extra_info("peername")
        self._address = str(peer[0]) if peer else ""
        self._asked = False
        Patient._open[self._address] += 1
        super().connection_made(transport)
        if Patient._open[self._address] > PER_ADDRESS:
            transport.abort()
            return
        loop = asyncio.get_running_loop()
        loop.call_later(SILENCE, self._unless_asked, transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Count it no more."""
        self._leave()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Take note of the first whole request."""
        super().handle_events()
        self._asked = self._asked or bool(self.headers)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Hand the connection over: it is another protocol's from now on."""
        self._asked = True
        self._leave()
        super().handle_websocket_upgrade(event)

    def _leave(self) -> None:
        Patient._open[self._address] -= 1
        if Patient._open[self._address] <= 0:
            del Patient._open[self._address]

    def _unless_asked(self, transport: asyncio.Transport) -> None:
        if not self._asked:
            transport.abort()
