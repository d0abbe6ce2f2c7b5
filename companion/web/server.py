"""The web server behind the guard: uvicorn, with limits on connections (`connections`), checks of
each request (`request_checks`), and no logs. Nothing else in the program listens for browsers or
tables."""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl

import uvicorn
from starlette.types import ASGIApp

from companion.web import connections
from companion.web.connections import ConnectionLimiter, ListeningSocket
from companion.web.limits import Limits
from companion.web.request_checks import MAX_HEAD_BYTES, RequestGuard, SiteRules


class GuardedServer:
    """A web server for `app`. `frame_bytes`: most bytes of a WebSocket message, 0 for a server
    without WebSockets. `tls`: None for HTTP."""

    def __init__(
        self,
        app: ASGIApp,
        site: SiteRules,
        limits: Limits,
        tls: ssl.SSLContext | None = None,
        *,
        frame_bytes: int = 0,
    ) -> None:
        self._connections = ConnectionLimiter(RequestGuard(app, site, limits), limits, site.is_proxy)
        self._config = uvicorn.Config(
            self._connections,
            # The guard counts connections in the listening socket, which uvloop would bypass.
            loop="asyncio",
            http="h11",
            ws="auto" if frame_bytes else "none",
            ws_max_size=frame_bytes,
            ws_max_queue=1,
            # The guard reads these headers itself, from a proxy that the site has (`SiteRules`).
            proxy_headers=False,
            log_config=None,
            access_log=False,
            server_header=False,
            lifespan="off",
            h11_max_incomplete_event_size=MAX_HEAD_BYTES,
            timeout_keep_alive=int(connections.REQUEST_TIMEOUT),
            # Open pages never disconnect: without a limit the end would wait for them.
            timeout_graceful_shutdown=1,
        )
        # uvicorn reads certificates from files only, and ours lives in memory: put in after `load`.
        self._config.load()
        self._config.ssl = tls
        self._uvicorn = uvicorn.Server(self._config)
        _silence_loggers()

    @property
    def is_started(self) -> bool:
        """Whether the server accepts connections."""
        return bool(self._uvicorn.started)

    @property
    def is_stopping(self) -> bool:
        """Whether the server was told to stop."""
        return bool(self._uvicorn.should_exit)

    def stop(self) -> None:
        """Let `serve` return, within a second. Safe from any thread."""
        self._uvicorn.should_exit = True

    def reset(self) -> None:
        """Prepare to serve again after the server has died."""
        self._uvicorn = uvicorn.Server(self._config)

    async def serve(self, listener: socket.socket) -> None:
        """Serve until stopped, or until SIGINT or SIGTERM in the main thread."""
        watching = asyncio.ensure_future(self._connections.watch_silent())
        with ListeningSocket(listener, self._connections.admit_connection) as guarded:
            try:
                await self._uvicorn.serve(sockets=[guarded])
            finally:
                watching.cancel()
                # Those that did not go in time, or had none because the server dies.
                for left in self._uvicorn.server_state.connections:
                    left.transport.abort()


def _silence_loggers() -> None:
    """Silence the server's log: it would appear in the middle of the players' screen, and may
    contain addresses."""
    for name in ("uvicorn", "uvicorn.error", "uvicorn.asgi", "websockets"):
        logger = logging.getLogger(name)
        logger.handlers = [logging.NullHandler()]
        logger.propagate = False
