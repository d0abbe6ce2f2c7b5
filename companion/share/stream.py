"""Server-sent events: the newest state now and after each change, while somebody listens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from starlette.types import Receive, Send

from companion.share.board import Board

HEARTBEAT = 5.0
"""Seconds of silence after which a comment is sent: it tells the browser that the line is alive,
and us that nobody is there."""
PATIENCE = 10.0
"""Seconds for which a browser may take nothing of what is sent before it is let go; it returns."""


async def stream(
    board: Board, receive: Receive, send: Send, allowed: Callable[[], bool], player: str = ""
) -> None:
    """Answer one request, with a seat's own part if a player is named.

    `allowed` is asked before each state, so that a pass that became void shows nothing more.

    Raises `TimeoutError` when a browser takes nothing for `PATIENCE` seconds; the server then
    closes the connection.
    """
    # `x-accel-buffering`: a proxy such as nginx would gather events before it passes them on.
    headers = [(b"content-type", b"text/event-stream"), (b"x-accel-buffering", b"no")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    gone = asyncio.ensure_future(_gone(receive))
    number = -1
    try:
        while True:
            next_state = asyncio.ensure_future(board.after(number, player))
            waited: set[asyncio.Future[Any]] = {next_state, gone}
            try:
                done, _ = await asyncio.wait(waited, timeout=HEARTBEAT, return_when=asyncio.FIRST_COMPLETED)
            finally:
                next_state.cancel()
            if gone in done or not allowed():
                break
            part = b": here\n\n"
            if next_state in done:
                number, body = next_state.result()
                part = b"id: %d\ndata: %b\n\n" % (number, body)
            message = {"type": "http.response.body", "body": part, "more_body": True}
            await asyncio.wait_for(send(message), PATIENCE)
        await send({"type": "http.response.body", "body": b""})
    finally:
        gone.cancel()


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
