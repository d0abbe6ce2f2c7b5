"""The phone's pictures: a socket that takes one JPEG after another, each answered when it is taken,
so that the newest always wins."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from companion.share.access import SOCKET
from companion.table.sightings import Battery

if TYPE_CHECKING:
    from companion.readers.camera.sources import Phone

LARGEST = 2_000_000
"""Bytes of one picture: 1920x1080 at quality 85 stays under half of that."""
QUICKEST = 1 / 30
"""Seconds from one picture to the next at least: more a second than any camera reader looks at."""
MOVED = 4001
"""The code by which a socket is told that its camera link is no longer good."""

Allowed = Callable[[str], bool]


class PhoneStatus(msgspec.Struct, frozen=True):
    """What a phone says between pictures, one or the other: its battery (None where its browser
    does not tell), and whether its camera has stopped."""

    battery: Battery | msgspec.UnsetType | None = msgspec.UNSET
    blind: bool | msgspec.UnsetType = msgspec.UNSET


def route(allowed: Allowed, phone: Phone) -> WebSocketRoute:
    """Return the route `/frames`. `allowed` is given the pass; `phone` is handed what comes."""
    newest: list[WebSocket] = []

    async def frames(socket: WebSocket) -> None:
        given = "".join(socket.scope["subprotocols"][1:])
        # Opened even so: no page is told why a socket did not open, only why it was closed.
        await socket.accept(SOCKET)
        if not allowed(given):
            await socket.close(MOVED)
            return
        newest.append(socket)
        for older in newest[:-1]:  # the phone came back by another line, or a second page was opened
            newest.remove(older)
            with suppress(WebSocketDisconnect, RuntimeError):
                await older.close(MOVED)
        try:
            await _take_all(socket, lambda: allowed(given), phone)
        finally:
            if socket in newest:
                newest.remove(socket)
                phone.leave()

    return WebSocketRoute("/frames", frames)


async def _take_all(socket: WebSocket, still_allowed: Callable[[], bool], phone: Phone) -> None:
    now = asyncio.get_running_loop().time
    due = now()
    with suppress(WebSocketDisconnect, RuntimeError):  # RuntimeError: starlette's, when it has gone meanwhile
        while True:
            message = await socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            if not still_allowed():
                await socket.close(MOVED)
                return
            picture = message.get("bytes")
            if picture is None:
                with suppress(msgspec.MsgspecError, RecursionError):  # no word of ours
                    _hear(msgspec.json.decode(message.get("text") or "", type=PhoneStatus), phone)
            else:
                phone.take(picture)
            # Only who comes too soon waits: a phone that needs 50 ms for a picture would otherwise
            # send 12 a second, not 20.
            await asyncio.sleep(max(due - now(), 0))
            due = max(due, now()) + QUICKEST
            if picture is not None:
                await socket.send_text("next")


def _hear(status: PhoneStatus, phone: Phone) -> None:
    if status.battery is not msgspec.UNSET:
        phone.charge(status.battery)
    if status.blind is not msgspec.UNSET:
        phone.look(blind=status.blind)
