"""The newest state of the table, encoded once for all who watch, and sent to each as server-sent
events."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec
from starlette.types import Receive, Send

from companion.live.snapshot import Snapshot
from companion.texts import Translator
from companion.views.state import state_of


class EncodedState(NamedTuple):
    """One state: its number, which grows with every change, and its JSON."""

    number: int
    body: bytes


class Broadcast:
    """Takes snapshots from the table's thread and hands states out in the server's.

    Nobody who is slow holds up anybody: a state is not queued, who comes late gets the newest.
    """

    def __init__(self, say: Translator) -> None:
        self._say = say
        self._newest: tuple[Snapshot, Mapping[str, dict[str, Any]]] | None = None
        self._shown: dict[str, EncodedState] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._changed = asyncio.Event()

    def show(self, snapshot: Snapshot, mine: Mapping[str, dict[str, Any]]) -> None:
        """Take the newest snapshot, and what each seat's own page shows beside it. Called in the
        table's thread."""
        self._newest = (snapshot, mine)
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._wake)

    def serve(self) -> None:
        """Remember the loop that hands states out; called in it."""
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()  # one belongs to one loop, and that may have died

    async def after(self, number: int, player: str = "") -> EncodedState:
        """Return the newest state, for a seat's own page if a player is named, once there is one
        later than `number`."""
        while True:
            changed = self._changed
            shown = self._now(player)
            if shown is not None and shown.number > number:
                return shown
            await changed.wait()

    def _now(self, player: str) -> EncodedState | None:
        newest = self._newest
        if newest is None:
            return None
        snapshot, mine = newest
        shown = self._shown.get(player)
        if shown is None or shown.number != snapshot.number:
            state = state_of(snapshot, self._say) | ({"mine": mine.get(player)} if player else {})
            shown = self._shown[player] = EncodedState(snapshot.number, msgspec.json.encode(state))
        return shown

    def _wake(self) -> None:
        self._changed.set()
        # Who waits holds the old event; who comes later waits for the next change.
        self._changed = asyncio.Event()


HEARTBEAT = 5.0
"""Seconds of silence after which a comment is sent: it tells the browser that the line is alive,
and us that nobody is there."""
SEND_TIMEOUT = 10.0
"""Seconds for which a browser may take nothing of what is sent before it is let go; it returns."""


async def stream(
    board: Broadcast, receive: Receive, send: Send, allowed: Callable[[], bool], player: str = ""
) -> None:
    """Answer one request, with a seat's own part if a player is named.

    `allowed` is asked before each state, so that a pass that became void shows nothing more.

    Raises `TimeoutError` when a browser takes nothing for `SEND_TIMEOUT` seconds; the server then
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
            await asyncio.wait_for(send(message), SEND_TIMEOUT)
        await send({"type": "http.response.body", "body": b""})
    finally:
        gone.cancel()


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
