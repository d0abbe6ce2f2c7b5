"""Connections: no more from one address than a household needs, and none that says nothing: one
client cannot shut others out."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

PER_ADDRESS = 64
"""Connections from one address: a browser takes up to seven for a page, and fifty pages on one
machine is more than any table has."""
SILENCE = 10.0
"""Seconds for a request to come in whole, body too; a new connection begins with one."""


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
        self._late: asyncio.TimerHandle | None = None
        Patient._open[self._address] += 1
        # Counted and handed on before it is refused: `connection_lost` comes for this one too.
        super().connection_made(transport)
        if Patient._open[self._address] > PER_ADDRESS:
            transport.abort()
            return
        self._wait_for_request(True)

    def connection_lost(self, exc: Exception | None) -> None:
        """Count it no more."""
        self._wait_for_request(False)
        self._leave()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Wait no longer than `SILENCE` for the rest of a request that has begun: one byte now and
        then holds no connection."""
        super().handle_events()
        begun = self.conn.their_state is h11.IDLE and bool(self.conn.trailing_data[0])
        self._wait_for_request(begun or self.conn.their_state is h11.SEND_BODY)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Hand the connection over: it is another protocol's from now on."""
        self._wait_for_request(False)
        self._leave()
        super().handle_websocket_upgrade(event)

    def _leave(self) -> None:
        Patient._open[self._address] -= 1
        if Patient._open[self._address] <= 0:
            del Patient._open[self._address]

    def _wait_for_request(self, waiting: bool) -> None:
        """Begin to wait for the rest of a request, or go on waiting; or wait no more."""
        if not waiting and self._late is not None:
            self._late.cancel()
            self._late = None
        elif waiting and self._late is None:
            self._late = asyncio.get_running_loop().call_later(SILENCE, self.transport.abort)
