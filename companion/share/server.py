"""The pages and the line that they follow, as one ASGI application; `Doors` says who may, `Guard`
what may come in at all."""

from __future__ import annotations

from collections.abc import Callable, Collection

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from companion.share.card_faces import card_svg
from companion.share.guard import Guard
from companion.share.line import PageLines
from companion.share.pages import PARTS, page
from companion.texts import Translator

PAGES = {"/": "tv", "/stream": "stream", "/camera": "camera", "/seat": "seat", "/pad": "pad"}
"""Where each page is."""


def application(
    lines: PageLines,
    say: Callable[[str], Translator],
    hosts: Collection[str],
    rules: str,
    board: str = "",
    *,
    secure: bool,
) -> ASGIApp:
    """Return one evening's application.

    `say`: the translator of a language ("": the table's), for the game that is played. `hosts`:
    what browsers may call this machine; `secure`: served by HTTPS. `rules`: the rules page, as
    HTML; `board`: the game's board, as SVG ("": there is none).
    """
    named = PAGES | ({"/rules": "rules"} if rules else {})

    def shown(name: str) -> Callable[[Request], Response]:
        def answer(request: Request) -> Response:
            body = page(name, say(request.query_params.get("lang", "")), rules)
            return Response(body, media_type="text/html")

        return answer

    def card(request: Request) -> Response:
        words = say(request.query_params.get("lang", ""))
        name = request.path_params["name"]
        drawn = None if words.game is None else card_svg(words.game.id, name, words.language)
        return Response(drawn, 404 if drawn is None else 200, media_type="image/svg+xml")

    routes = [
        *(Route(path, shown(name), methods=["GET"]) for path, name in named.items()),
        Route("/board.svg", lambda _request: Response(board, media_type="image/svg+xml"), methods=["GET"]),
        Route("/cards/{name}", card, methods=["GET"]),
        Mount("/parts", StaticFiles(directory=PARTS)),
        lines.route(),
    ]
    return Guard(Starlette(routes=routes), hosts, "https" if secure else "http")
