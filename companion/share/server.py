"""The pages and what they ask for, as one ASGI application; `Doors` says who may, `Guard` what may
come in at all."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from companion.share.access import WATCH, Doors, given_with
from companion.share.board import Broadcast, stream
from companion.share.guard import Guard
from companion.share.pages import PARTS, page
from companion.share.seats import Desk, Speech
from companion.texts import Translator


class Token(msgspec.Struct, frozen=True):
    """What a page hands in to get its pass."""

    token: str


class Server:
    """One evening's application.

    `hosts`: what browsers may call this machine; `secure`: served by HTTPS. `desk`: where seats
    enter things. `rules`: the rules page, as HTML.
    """

    def __init__(
        self,
        board: Broadcast,
        doors: Doors,
        say: Translator,
        hosts: Collection[str],
        *,
        secure: bool,
        desk: Desk | None = None,
        more: Sequence[BaseRoute] = (),
        rules: str = "",
    ) -> None:
        self._board = board
        self._doors = doors
        self._say = say
        self._desk = desk
        routes = [
            Route("/", self._page("tv"), methods=["GET"]),
            Route("/stream", self._page("stream"), methods=["GET"]),
            Route("/camera", self._page("camera"), methods=["GET"]),
            Route("/seat", self._page("seat"), methods=["GET"]),
            Route("/pad", self._page("pad"), methods=["GET"]),
            Route("/mine", self._states("seat"), methods=["GET"]),
            Route("/talk", self._talk, methods=["POST"]),
            Route("/enter", self._enter, methods=["POST"]),
            Route("/live", self._states(WATCH.kind), methods=["GET"]),
            Mount("/parts", StaticFiles(directory=PARTS)),
            *([Route("/rules", self._page("rules", rules), methods=["GET"])] if rules else []),
            *more,
        ]
        inner = Starlette(routes=routes)
        self.app: ASGIApp = Guard(inner, hosts, "https" if secure else "http")

    def _page(self, name: str, text: str = "") -> Callable[[Request], Response]:
        body = page(name, self._say, text)

        def answer(_request: Request) -> Response:
            return Response(body, media_type="text/html")

        return answer

    async def _enter(self, request: Request) -> Response:
        try:
            token = msgspec.json.decode(await request.body(), type=Token).token
        except (msgspec.MsgspecError, RecursionError):
            return Response(status_code=400)
        found = self._doors.enter(token)
        if found is None:
            return JSONResponse({"kind": None}, status_code=403)
        given, purpose = found
        return JSONResponse({"kind": purpose.kind, "pass": given})

    def _states(self, kind: str) -> Callable[[Request], Awaitable[Response]]:
        """Return what answers a pass of this kind with the states, a seat's with its own part."""

        async def follow(request: Request) -> Response:
            given = given_with(request.headers)
            purpose = self._doors.admits(given, kind)
            if purpose is None:
                return Response(status_code=403)
            return _Stream(self._board, lambda: self._doors.holds(given) == purpose, purpose.player)

        return follow

    async def _talk(self, request: Request) -> Response:
        """Take what the seat whose pass comes with it says in a conversation."""
        purpose = self._doors.admits(given_with(request.headers), "seat")
        if purpose is None or self._desk is None:
            return Response(status_code=403)
        try:
            said = msgspec.json.decode(await request.body(), type=Speech)
        except (msgspec.MsgspecError, RecursionError):
            return Response(status_code=400)
        heard = await self._desk.hear(purpose.player, said)
        return JSONResponse(heard._asdict())


class _Stream(Response):
    """Answers with server-sent events until the browser goes."""

    def __init__(self, board: Broadcast, allowed: Callable[[], bool], player: str = "") -> None:
        super().__init__()
        self._board = board
        self._allowed = allowed
        self._player = player

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await stream(self._board, receive, send, self._allowed, self._player)
